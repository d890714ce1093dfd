/* The + menu: three lists on the device, on product pages and on tiles, and the number of things in the header. */
import { KINDS, count, item, put, remove, root, trouble, watch } from './lists-store.js';
import say from './say.js';
import text from './texts.js';

const doc = document;
const NAMES = { wish: text('list_wish'), basket: text('list_basket'), collection: text('list_collection') };
const ICONS = { wish: 'heart', basket: 'basket', collection: 'box' };

function make(name, attributes, ...children) {
  const e = doc.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}
const icon = name => make('i', { class: 'ic ' + name });
const badge = more => make('b', { class: 'badge', 'aria-hidden': 'true', ...more });
const choices = () => make('ul', {}, ...KINDS.map(kind => make('li', {},
  make('button', { class: 'mi', type: 'button', 'data-list': kind, 'aria-pressed': 'false' }, icon(ICONS[kind]), make('span', {}, NAMES[kind]), icon('tick')))));

/* A product's page brings its menu with it, which without this script only says so; tiles share one, which is made when it
   is first wanted. */
let menu = doc.querySelector('.menu[data-product]');
const own = !!menu;
if (own && !menu.querySelector('[data-list]')) menu.append(choices());
function shared() {
  if (menu) return menu;
  menu = make('div', { class: 'menu', id: 'add', popover: '', role: 'group', 'aria-labelledby': 'add-h' }, make('p', { id: 'add-h' }), choices());
  doc.getElementById('main').append(menu);
  menu.addEventListener('toggle', opened);
  return menu;
}

/* The + on tiles: those of the page, and those that come later with search results or filters. */
function dress(tile) {
  if (tile.querySelector(':scope > .plus') || !tile.dataset.id || own) return;
  const b = make('button', { class: 'rnd plus', type: 'button', 'aria-haspopup': 'true', 'aria-expanded': 'false' }, icon('add'));
  tile.append(b);
  paintButton(b);
}
function productOf(b) {
  const tile = b.closest('[data-id]');
  if (!tile) return { product: menu.dataset.product, name: menu.dataset.title ?? doc.querySelector('h1').textContent, path: location.pathname.slice(root.pathname.length) };
  const a = tile.querySelector('h3 a');
  return { product: tile.dataset.id, name: a.textContent, path: a.href.slice(root.href.length) };
}

function paintButton(b) {
  const { product, name } = productOf(b), on = KINDS.filter(kind => item(kind, product));
  const label = b.closest('[data-id]') ? text('add_product', { name }) : text('add_to_list');
  b.setAttribute('aria-label', on.length ? text('now_on', { label, lists: on.map(kind => NAMES[kind]).join(', ') }) : label);
  b.classList.toggle('on', on.length > 0);
  (b.querySelector('.badge') ?? b.appendChild(badge())).textContent = on.length || '';
}
function paintMenu() {
  for (const b of menu?.querySelectorAll('[data-list]') ?? []) b.setAttribute('aria-pressed', String(!!item(b.dataset.list, menu.dataset.product)));
}
function paint() {
  const number = doc.getElementById('count'), n = count();
  if (number) {
    number.textContent = n || '';
    number.nextElementSibling.textContent = n ? ', ' + text('products', { n }) : '';
  }
  for (const b of doc.querySelectorAll('.plus')) paintButton(b);
  paintMenu();
}

const TROUBLES = { blocked: text('lists_blocked'), full: text('lists_full'), damaged: text('lists_damaged') };

function toggle(kind, product) {
  const on = !item(kind, product.product);
  const day = new Date();
  if (on) put(kind, { ...product, quantity: 1, at: +day, added: new Date(day - day.getTimezoneOffset() * 6e4).toISOString().slice(0, 10) });
  else remove(kind, product.product);
  const list = NAMES[kind];
  say([on ? text('added_to', { list }) : text('removed_from', { list }), on && TROUBLES[trouble]].filter(Boolean).join(' '));
  doc.dispatchEvent(new CustomEvent('lists:change', { detail: { list: kind, id: product.product, on, title: product.name } }));
}

/* How many things there are, in the header: as a number to see, and in words. */
if (!doc.getElementById('count')) doc.querySelector('.mine')?.append(badge({ id: 'count' }), make('span', { class: 'vh' }));

let opener = own ? doc.querySelector(`[popovertarget="${menu.id}"]`) : null;
function opened(e) { opener?.setAttribute('aria-expanded', String(e.newState === 'open')); }
if (own) menu.addEventListener('toggle', opened);

doc.addEventListener('click', e => {
  const b = e.target.closest('.item > .plus'), choice = e.target.closest('.menu [data-list]');
  if (choice && menu?.contains(choice)) return toggle(choice.dataset.list, productOf(opener));
  if (!b) return;
  // A click on a second + moves the menu there; the browser itself has closed it already, unless it was the same one.
  const again = b === opener && closed === b;
  closed = null;
  if (again) return;
  opener?.setAttribute('aria-expanded', 'false');
  opener = b;
  const { product, name } = productOf(b);
  shared().dataset.product = product;
  menu.firstElementChild.textContent = text('add_name_to', { name });
  paintMenu();
  menu.showPopover({ source: b });
});
// A press outside closes a popover before the click arrives: remember which + it was open for.
let closed = null;
doc.addEventListener('pointerdown', e => { const b = e.target.closest?.('.item > .plus'); closed = b && b === opener && menu?.matches(':popover-open') ? b : null; }, true);

// Arrow keys in the menu are a courtesy: Tab works without them.
doc.addEventListener('keydown', e => {
  if (!menu || !/^(Arrow(Up|Down)|Home|End)$/.test(e.key)) return;
  const inside = menu.contains(e.target), at = e.target.closest('.plus');
  if (!inside && !(at && e.key === 'ArrowDown')) return;
  e.preventDefault();
  if (!inside && !(at === opener && menu.matches(':popover-open'))) at.click();
  const all = [...menu.querySelectorAll('.mi')], i = all.indexOf(e.target), n = all.length;
  all[{ ArrowDown: (i + 1) % n, ArrowUp: (i - 1 + n) % n, Home: 0, End: n - 1 }[e.key]]?.focus();
});

const tiles = element => element.querySelectorAll('.item[data-id]');
tiles(doc).forEach(dress);
new MutationObserver(records => {
  for (const { addedNodes } of records) for (const node of addedNodes) {
    if (node.nodeType !== 1) continue;
    if (node.matches('.item[data-id]')) dress(node);
    tiles(node).forEach(dress);
  }
}).observe(doc.getElementById('main'), { childList: true, subtree: true });
watch(paint);
