// Suggestions below a search field while somebody types: the combobox pattern of the ARIA practices, with links in it,
// so that a middle click, a long press and a finger do what they do with every link.
import text from './texts.js';
import { el } from './dom.js';
import { index, root } from './search-index.js';
import { marked, thumb } from './results.js';
import { tokens } from './search-words.js';

const LIMIT = 8;
let forms = 0;

/** The style sheet of what the search shows, if the page has not loaded it anyway. */
function style() {
  const { href } = new URL('./search.css', import.meta.url);
  if ([...document.querySelectorAll('link[rel=stylesheet]')].some(l => l.href === href)) return;
  return new Promise(done => {
    document.head.append(el('link', { rel: 'stylesheet', href, onload: done, onerror: done }));
  });
}

/** Makes a search form suggest. */
export async function attach(form, input) {
  await style();
  const id = `suggest-${++forms}`;
  const list = el('div', { class: 'suggest', id, role: 'listbox', 'aria-label': text('suggestions'), hidden: true });
  const status = el('p', { class: 'vh', role: 'status' });
  form.append(list, status);
  for (const [name, value] of Object.entries({
    role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': id,
    autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'search',
  })) input.setAttribute(name, value);

  let options = [], active = -1, asking = null, waiting = 0, shown = '';

  function close() {
    asking?.abort();
    clearTimeout(waiting);
    list.hidden = true;
    options = [];
    point(-1);
    input.setAttribute('aria-expanded', 'false');
    status.textContent = '';
    shown = '';
  }

  /** Makes an option the current one; -1 is the field itself. */
  function point(to) {
    options[active]?.setAttribute('aria-selected', 'false');
    active = to;
    const option = options[active];
    if (!option) { input.removeAttribute('aria-activedescendant'); return; }
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', option.id);
  }

  const option = (href, ...children) => {
    const a = el('a', { role: 'option', id: `${id}-${options.length}`, href, tabindex: '-1', 'aria-selected': 'false' }, children);
    options.push(a);
    return a;
  };
  const group = (key, label, entries) => entries.length > 0 && el('div', { role: 'group', 'aria-labelledby': `${id}-${key}` },
    el('p', { id: `${id}-${key}`, role: 'presentation', class: 'suggest-h' }, label), entries);
  const results = words => root + 'search.html?q=' + encodeURIComponent(words);

  function show(words, found, info) {
    options = [];
    const marks = tokens(found.corrected ?? words);
    const groups = [
      group('w', text('suggest_words'), found.words.map(word => option(results(word), el('span', {}, marked(word, marks))))),
      group('v', text('suggest_values'), found.values.map(value => option(
        pageOf(value, info), el('span', {}, marked(value.label, marks)),
        el('small', {}, info.facets.find(f => f.key === value.group)?.label ?? '')))),
      group('p', text('suggest_products'), found.products.map(item => option(
        root + item.path, thumb(item, root, '2.5rem'),
        el('span', {}, el('span', {}, marked(item.name, marks)), item.producer && el('small', {}, marked(item.producer, marks))),
        el('b', {}, item.price ?? item.noPrice ?? '')))),
    ].filter(Boolean);
    const count = options.length;
    list.replaceChildren(...groups, option(results(words), el('span', {}, text('suggest_all', { words }))));
    list.hidden = false;
    list.scrollTop = 0;
    point(-1);
    input.setAttribute('aria-expanded', 'true');
    status.textContent = count ? text('suggest_count', { n: count }) : text('suggest_none');
    shown = words;
  }

  async function ask() {
    const words = input.value.trim();
    asking?.abort();
    clearTimeout(waiting);
    if (!words) { close(); return; }
    if (words === shown && !list.hidden) return;
    const mine = asking = new AbortController();
    // A wait that can be felt is said; a shorter one only flickers.
    const slow = setTimeout(() => { if (asking === mine && list.hidden) status.textContent = text('search_loading'); }, 300);
    try {
      const searcher = await index();
      const found = await searcher.suggest(words, { limit: LIMIT, signal: mine.signal });
      if (!mine.signal.aborted && form.contains(document.activeElement)) show(words, found, searcher.info);
    } catch {
      // Aborted, or the data cannot be had: the form still leads to the search page, which says why.
      if (asking === mine) close();
    } finally {
      clearTimeout(slow);
    }
  }

  input.addEventListener('input', e => {
    clearTimeout(waiting);
    if (!e.isComposing) waiting = setTimeout(ask, 60);
  });
  input.addEventListener('compositionend', ask);
  input.addEventListener('keydown', e => {
    if (e.isComposing || e.ctrlKey || e.metaKey) return;
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      if (list.hidden) { if (input.value.trim()) ask(); e.preventDefault(); return; }
      e.preventDefault();
      const step = e.key === 'ArrowDown' ? 1 : -1;
      // One place more than there are options: the field itself.
      point((active + 1 + step + options.length + 1) % (options.length + 1) - 1);
    } else if (e.key === 'Enter') {
      const option = options[active];
      if (option) { e.preventDefault(); option.click(); }
      close();
    } else if (e.key === 'Escape' && !list.hidden) {
      // The first Escape closes, the next one empties the field as browsers do.
      e.preventDefault();
      close();
    } else if (e.key === 'Tab') {
      close();
    }
  });
  // A press inside the list must not take the focus from the field, or the list would close under the finger.
  list.addEventListener('pointerdown', e => { if (e.pointerType === 'mouse') e.preventDefault(); });
  list.addEventListener('mousedown', e => e.preventDefault());
  list.addEventListener('click', () => setTimeout(close));
  form.addEventListener('focusout', e => { if (!form.contains(e.relatedTarget)) close(); });
  form.addEventListener('submit', close);
  addEventListener('pagehide', close);
  // What was typed while this was on its way.
  if (document.activeElement === input && input.value.trim() && input.value !== input.defaultValue) ask();
  index().catch(() => {});
}

/** The page that the generator wrote for a value of a facet or for a category. */
function pageOf(value, info) {
  if (value.path) return root + value.path;
  const facet = info.facets.find(f => f.key === value.group);
  return root + (value.group === 'category' ? 'categories' : facet?.folder ?? value.group) + '/' + value.slug + '.html';
}
