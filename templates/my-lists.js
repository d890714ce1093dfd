/* The page of the visitor's own lists: see, move, remove, count, note, total, save, add from a file, print. */
import { KINDS, changed, item, items, put, remove, root, trouble, watch } from './lists-store.js';
import { merge, understood, written } from './lists-file.js';
import { products } from './product-data.js';
import say from './say.js';
import text, { language } from './texts.js';

const doc = document, NAMES = { wish: text('list_wish'), basket: text('list_basket'), collection: text('list_collection') };
const known = new Map();   // id → what the site says of it; null: could not be asked
const asked = new Set();
const lines = new Map();   // 'kind:id' → its line

const money = (amount, currency) => {
  try { return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount); } catch { return `${amount} ${currency}`; }
};
const day = date => {
  const parts = date.split('-').map(Number), form = [{ year: 'numeric' }, { year: 'numeric', month: 'long' }, { dateStyle: 'long' }][parts.length - 1];
  return new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' }).format(Date.UTC(parts[0], (parts[1] ?? 1) - 1, parts[2] ?? 1));
};
function make(name, attributes = {}, ...children) {
  const e = doc.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children.filter(child => child !== undefined));
  return e;
}
const button = (action, label, spoken) => make('button', { type: 'button', class: 'btn', 'data-do': action, 'aria-label': spoken ?? label }, label);

/* A line. Its form stays while it is shown, so that nobody who is typing is disturbed; what the site says is filled in when it comes. */
function line(kind, entry) {
  const name = entry.name ?? '#' + entry.product;
  const step = make('span', { class: 'step', role: 'group', 'aria-label': text('quantity_of', { name }) });
  const amount = make('input', { type: 'number', min: 1, max: 100000, inputmode: 'numeric', 'aria-label': text('quantity_of', { name }) });
  for (const [by, sign] of [[-1, '−'], [1, '+']]) {
    const b = make('button', { type: 'button', class: 'rnd', 'data-do': 'step', 'data-by': by, 'aria-label': by < 0 ? text('one_less') : text('one_more') }, sign);
    step.append(b);
  }
  step.firstChild.after(amount);
  const others = KINDS.filter(other => other !== kind);
  const li = make('li', { class: 'line', 'data-kind': kind, 'data-line': entry.product },
    make('div', { class: 'thumb nopic', 'aria-hidden': 'true' }),
    make('div', {}, make('h3'), make('p', { class: 'by', 'data-meta': '' }), make('div', { class: 'when' }), make('p', { class: 'said' })),
    make('div', { class: 'side' }, make('p', { class: 'price' })),
    make('div', { class: 'do' }, step,
      ...others.map(other => { const b = button('move', text('move_to', { list: NAMES[other] }), text('move_name_to', { name, list: NAMES[other] })); b.dataset.to = other; return b; }),
      button('note', text('note'), text('note_on', { name })), button('remove', text('remove'), text('remove_name', { name }))));
  return li;
}

function fill(li, entry) {
  const data = known.get(entry.product), kind = li.dataset.kind, name = data?.name ?? entry.name ?? '#' + entry.product;
  const path = data?.path ?? entry.path, gone = !!data?.gone;
  li.classList.toggle('gone', gone);
  const h = li.querySelector('h3');
  if (h.textContent !== name || h.firstElementChild?.getAttribute('href') !== path) h.replaceChildren(path && !(gone && !data.name) ? make('a', { href: path }, name) : name);
  li.querySelector('[data-meta]').textContent = [data?.producer, data?.meta].filter(Boolean).join(' · ');
  const when = li.querySelector('.when');
  when.replaceChildren(...[
    gone && make('p', { class: 'tag' }, text('no_longer_sold')),
    !gone && data?.availability && make('p', { class: 'av', 'data-av': data.availability.key }, data.availability.text),
    entry.added && make('p', { class: 'by' }, make('time', { datetime: entry.added }, text('added', { date: day(entry.added) }))),
  ].filter(Boolean));
  li.querySelector('.said').textContent = entry.note ?? '';
  const amount = li.querySelector('input');
  if (doc.activeElement !== amount) amount.value = entry.quantity;
  const price = li.querySelector('.price'), cost = !gone && data?.price;
  price.classList.toggle('none', !cost);
  price.textContent = cost ? money(cost.amount * entry.quantity, cost.currency) : gone ? '' : data ? data.noPrice ?? '' : asked.has(entry.product) && data === null ? text('price_unknown') : '';
  const thumb = li.querySelector('.thumb'), shown = thumb.querySelector('img');
  if (data?.picture && !gone && !shown) {
    thumb.classList.remove('nopic');
    thumb.append(make('img', { src: data.picture, alt: '', loading: 'lazy' }));
  }
  li.dataset.cost = cost ? JSON.stringify([cost.amount, cost.currency]) : '';
}

function total(card, entries) {
  const sums = new Map(), out = card.querySelector('.total');
  let left = 0, kept = false;
  for (const entry of entries) {
    const data = known.get(entry.product), price = data && !data.gone && data.price;
    if (price) sums.set(price.currency, (sums.get(price.currency) ?? 0) + Math.round(price.amount * 1e4) * entry.quantity); else left++;
    kept ||= !!data?.kept;
  }
  out.hidden = !sums.size;
  out.querySelector('b').textContent = [...sums].map(([currency, sum]) => money(sum / 1e4, currency)).join(' + ');
  out.querySelector('small').textContent = [left ? text('not_counted', { n: left }) : '', kept ? text('prices_kept') : left ? '' : text('total_note')].filter(Boolean).join(' ');
}

function paint() {
  const wanted = [];
  for (const kind of KINDS) {
    const card = doc.getElementById(kind), list = card.querySelector('ul'), entries = items(kind);
    card.querySelector('[data-count]').textContent = text('products', { n: entries.length });
    card.querySelector('[data-empty]').hidden = entries.length > 0;
    const here = new Set();
    let before = null;
    for (const entry of entries) {
      const key = `${kind}:${entry.product}`;
      here.add(key);
      if (!lines.has(key)) lines.set(key, line(kind, entry));
      const li = lines.get(key);
      fill(li, entry);
      // Moving a line would take the focus off it: only where it is not in its place already.
      const place = before ? before.nextElementSibling : list.firstElementChild;
      const next = place?.classList.contains('undo') ? place.nextElementSibling : place;
      if (next !== li) list.insertBefore(li, next);
      before = li;
      if (!asked.has(entry.product)) wanted.push(entry);
    }
    for (const [key, li] of lines) if (key.startsWith(kind + ':') && !here.has(key)) { li.remove(); lines.delete(key); }
    total(card, entries);
  }
  const TROUBLES = { blocked: text('lists_blocked'), full: text('lists_full'), damaged: text('lists_damaged') };
  doc.getElementById('trouble').textContent = TROUBLES[trouble] ?? '';
  const once = new Map(wanted.map(entry => [entry.product, entry]));
  for (const id of once.keys()) asked.add(id);
  if (once.size) products([...once.values()], root, (id, data) => { known.set(id, data); repaint(); });
}
let waiting = 0;
const repaint = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; paint(); }); };

/* What can be done. */
function write(li, change) {
  const { kind, line: id } = li.dataset, there = item(kind, id);
  if (there) put(kind, { ...there, ...change });
}
function leave(li) {   // where the focus goes when a line does
  const next = li.nextElementSibling ?? li.previousElementSibling;
  (next?.querySelector('a, button') ?? li.closest('.card').querySelector('h2')).focus();
}
const ACTIONS = {
  step(b, li) {
    const amount = li.querySelector('input');
    amount.value = Math.min(100000, Math.max(1, (Number.parseInt(amount.value, 10) || 1) + Number(b.dataset.by)));
    write(li, { quantity: Number(amount.value) });
    say(text('quantity', { n: Number(amount.value) }), true);
  },
  move(b, li) {
    const { kind, line: id } = li.dataset, entry = item(kind, id), to = b.dataset.to, there = item(to, id);
    if (!entry) return;
    leave(li);
    put(to, there ? { ...there, note: there.note ?? entry.note } : { ...entry, at: Date.now() }, true);
    remove(kind, id);
    say(text('moved_to', { list: NAMES[to] }));
  },
  note(b, li) {
    const open = li.querySelector('textarea');
    if (open) { open.remove(); b.setAttribute('aria-expanded', 'false'); return; }
    const field = make('textarea', { maxlength: 2000, 'aria-label': b.getAttribute('aria-label') });
    field.value = item(li.dataset.kind, li.dataset.line)?.note ?? '';
    field.addEventListener('input', () => write(li, { note: field.value }));
    b.setAttribute('aria-expanded', 'true');
    li.append(field);
    field.focus();
  },
  remove(b, li) {
    const { kind, line: id } = li.dataset, entry = item(kind, id), name = li.querySelector('h3').textContent;
    const undo = make('li', { class: 'line undo' }, make('button', { type: 'button', class: 'btn' }, text('undo_remove', { name })));
    undo.firstChild.addEventListener('click', () => {
      undo.remove();
      put(kind, entry);
      lines.get(`${kind}:${id}`)?.querySelector('[data-do=remove]').focus();
    });
    li.after(undo);
    remove(kind, id);
    undo.firstChild.focus();
    say(text('removed_from', { list: NAMES[kind] }));
  },
  export() {
    const a = make('a', { href: URL.createObjectURL(new Blob([written()], { type: 'application/json' })), download: 'my-lists.json' });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 60000);
    say(text('exported'));
  },
  print() { print(); },
};
doc.addEventListener('click', e => {
  const b = e.target.closest('[data-do]');
  if (b) ACTIONS[b.dataset.do](b, b.closest('.line'));
});
doc.addEventListener('change', async e => {
  const field = e.target, li = field.closest('.line');
  if (field.type === 'number') {
    field.value = Math.min(100000, Math.max(1, Number.parseInt(field.value, 10) || 1));
    return write(li, { quantity: Number(field.value) });
  }
  if (field.type !== 'file' || !field.files[0]) return;
  const file = field.files[0];
  try {
    if (file.size > 1e6) throw { key: 'large' };
    const n = merge(understood(await file.text()));
    changed();
    say(n ? text('imported', { n }) : text('import_nothing'));
  } catch (fault) {
    const why = { large: text('import_large'), json: text('import_no_json'), lists: text('import_no_lists'), people: text('import_people') };
    say(why[fault.key] ?? text('import_form', { path: fault.path ?? '' }));
  }
  field.value = '';
});
watch(paint);
