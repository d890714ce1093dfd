// Results: asks the engine for what the address says, and shows it in the place of a page's own list.
import text from './texts.js';
import { el } from './dom.js';
import { IDS } from './search-engine.js';
import { index, root } from './search-index.js';
import { tile } from './results.js';
import { FilterPanel } from './filter-panel.js';
import { MINE, listed } from './filter-groups.js';
import { watch } from './lists-store.js';
import { chosen, isFiltered, read, toggled, write } from './search-address.js';

const PAGE = 24;
/** Counts that need more pieces than this, some 150 kB, are not worth their bytes: the values stand without. */
const MOST_PIECES = 8;
/** Up to this page, everything before it is shown too, as it was when somebody left; a page further on stands alone. */
const TOGETHER = 10;

export class Listing {
  /**
   * @param section  the element of the results, with its tools
   * @param scope  {group, value} that all results lie in; null is the whole catalogue
   * @param rest  called with true when nothing is asked for, with false when something is
   */
  constructor({ section, scope = null, isSearch = false, rest = () => {} }) {
    Object.assign(this, { section, scope, isSearch, rest });
    this.tools = section.querySelector('.tools');
    this.heading = section.querySelector('h2');
    this.button = section.querySelector('[data-open=filters]');
    // What the generator wrote, to be put back when no filter is chosen any more.
    this.built = [...section.children].filter(e => e !== this.tools);
    this.ownHeading = this.heading.textContent;
    this.title = document.title;
    this.status = el('p', { class: 'vh', role: 'status' });
    this.chips = el('ul', { class: 'chips scroll chosen', 'aria-label': text('filters_chosen') });
    this.box = el('div', { class: 'found' });
    section.append(this.status);
    this.state = read(location.search);
    addEventListener('popstate', e => {
      const state = read(location.search);
      // A link to a place on the page is no other state.
      if (write(state) !== write(this.state)) this.go(state, { push: null, y: e.state?.y ?? 0 });
    });
    // The place is part of the state: whoever comes back finds the same results at the same height.
    addEventListener('pagehide', () => this.keep());
    // What is found on the visitor's own lists changes with them, also in another tab.
    let isFirst = true;
    watch(() => {
      if (!isFirst && this.state.filters[MINE]) this.go(this.state, { push: null });
      isFirst = false;
    });
  }

  /** Notes how far the page is scrolled in the entry of the history that is being left. */
  keep() {
    try { history.replaceState({ ...history.state, y: scrollY }, ''); } catch { /* too many changes in a short time */ }
  }

  /** Shows what the address says, at the height where the visitor was before. */
  start() {
    const came = performance.getEntriesByType('navigation')[0]?.type;
    const y = ['back_forward', 'reload'].includes(came) ? history.state?.y : undefined;
    return this.go(this.state, { push: null, y });
  }

  /** Opens or closes the panel. */
  async toggle() { (await this.getPanel()).toggle(); }

  async getPanel() {
    if (this.panel) return this.panel;
    const searcher = await index();
    return this.panel ??= (() => {
      const panel = new FilterPanel({
        searcher, place: this.section, tools: this.tools, button: this.button, scope: this.own(searcher.info), isSearch: this.isSearch,
        on: {
          choose: (group, value, on) => this.go(toggled(this.state, group, value, on)),
          sort: sort => this.go({ ...this.state, sort, page: 1 }),
          clear: () => this.go({ ...this.state, filters: {}, page: 1 }),
        },
      });
      panel.update(this.state, this.total ?? null, this.counter(searcher));
      return panel;
    })();
  }

  /** Whether a state asks for nothing: the page is as it was written. */
  isRest(state) { return !(this.isSearch && state.q) && !isFiltered(state) && !state.sort; }

  /**
   * Goes to a state: into the address, and onto the page.
   *
   * @param push  true adds to the history, false replaces, null leaves it
   * @param focus  whether the heading gets the focus when the results are there
   * @param y  how far to scroll then
   */
  async go(state, { push = true, focus = false, y } = {}) {
    this.state = state;
    if (push !== null) {
      this.keep();
      const address = location.pathname + write(state);
      if (push) history.pushState({ y: scrollY }, '', address); else history.replaceState(history.state, '', address);
    }
    this.onstate?.(state);
    this.asking?.abort();
    const mine = this.asking = new AbortController();
    clearTimeout(this.slow);
    if (this.isRest(state)) {
      this.calm();
      this.restore();
      this.panel?.update(state, null, this.counter(this.panel.searcher));
      if (y !== undefined) scrollTo(0, y);
      return;
    }
    this.rest(false);
    this.section.hidden = false;
    this.slow = setTimeout(() => this.wait(), 300);
    try {
      const searcher = await index();
      await this.drop(state, searcher);
      if (this.isRest(state)) { if (this.asking === mine) await this.go(state, { push: false }); return; }
      const from = state.page > TOGETHER ? (state.page - 1) * PAGE : 0;
      this.tiles = new Map();
      const result = await this.query(searcher, state, {
        offset: from, limit: state.page * PAGE - from, signal: mine.signal,
        // On a slow line the first ones are worth showing while the others are on their way.
        onPartial: part => { if (this.asking === mine && this.isWaiting) this.show(part, state, from, searcher); },
      });
      if (this.asking !== mine) return;
      this.calm();
      // Where there is room, the column stands beside the first results, and before them so that they do not move;
      // whether it stays is up to the visitor.
      // Words that find nothing leave nothing to filter, and the ways on should not stand below an empty column.
      const isIdle = result.total === 0 && !isFiltered(state);
      if (isIdle && this.panel?.isOpen) {
        this.panel.close();
        this.wasOffered = false;
      } else if (WIDE.matches && this.isSearch && !isIdle && !this.wasOffered) {
        this.wasOffered = true;
        const panel = await this.getPanel();
        if (!panel.isOpen) panel.open();
      }
      this.show(result, state, from, searcher);
      await this.showChips(state);
      (this.panel ?? (isFiltered(state) ? await this.getPanel() : null))?.update(state, result.total, this.counter(searcher));
      if (focus) this.heading.focus({ preventScroll: false });
      if (y !== undefined) scrollTo(0, y);
    } catch (error) {
      if (this.asking === mine) this.fail(error, () => this.go(state, { push: null, focus }));
    }
  }

  /** Leaves out of a state what the catalogue does not have: parameters of somebody else, orders of another version. */
  async drop(state, searcher) {
    const { info } = searcher;
    const known = new Set([MINE, 'stock', 'price', 'abv', 'rating', 'reviews', 'category', ...info.facets.map(f => f.key)]);
    for (const group of Object.keys(state.filters)) if (!known.has(group) || group === this.own(info)) delete state.filters[group];
    if (state.sort && info.sorts && !info.sorts.includes(state.sort)) state.sort = '';
  }

  /** The page's own group as the engine calls it; the page knows the folder of the facet. */
  own(info) {
    const group = this.scope?.group;
    return group && (info.facets.find(f => f.folder === group && f.key !== 'category')?.key ?? group);
  }

  /** What the engine is asked: the state's filters, and the page's own. */
  asked(state, info) {
    const { [MINE]: mine, ...filters } = state.filters;
    if (this.scope) filters[this.own(info)] = [this.scope.value];
    if (mine) {
      filters[IDS] = [...new Set(mine.flatMap(listed))];
      // A filter without a value lets everything through; an empty list has nothing in it.
      if (!filters[IDS].length) filters[IDS] = ['\u0000'];
    }
    return { words: this.isSearch ? state.q : '', filters };
  }

  query(searcher, state, page) {
    const sort = state.sort || (this.isSearch && state.q ? 'relevance' : searcher.info.order ?? 'name');
    return searcher.query({ ...this.asked(state, searcher.info), sort, ...page });
  }

  /** Counts for a group of the panel, as things are now. */
  counter(searcher) {
    const state = this.state;
    return async group => {
      if (group === MINE) return null;   // as many as the lists hold
      const asked = this.asked(state, searcher.info);
      const hasOthers = asked.words || Object.keys(asked.filters).some(g => g !== group && asked.filters[g].length);
      // With nothing else chosen they are those of the entry.
      if (!hasOthers) return null;
      return searcher.cost(group) > MOST_PIECES ? undefined : searcher.counts({ ...asked, group });
    };
  }

  // What is shown

  /** The place for what was found, instead of what was written. */
  take(...nodes) {
    for (const e of this.built) e.remove();
    this.box.replaceChildren(...nodes);
    if (!this.box.isConnected) this.status.before(this.chips, this.box);
  }

  restore() {
    this.chips.replaceChildren();
    this.chips.remove();
    this.box.remove();
    this.box.replaceChildren();
    if (!this.built[0]?.isConnected) this.status.before(...this.built);
    this.heading.textContent = this.ownHeading;
    document.title = this.title;
    this.total = undefined;
    this.status.textContent = this.isSearch ? '' : this.ownHeading;
    this.rest(true);
    if (this.isSearch) { this.section.hidden = true; this.status.textContent = ''; }
  }

  wait() {
    this.isWaiting = true;
    this.section.setAttribute('aria-busy', 'true');
    this.heading.textContent = this.status.textContent = text('search_loading');
  }

  calm() {
    clearTimeout(this.slow);
    this.isWaiting = false;
    this.section.removeAttribute('aria-busy');
  }

  show(result, state, from, searcher) {
    const { total, items, isExact } = result;
    const words = this.isSearch ? state.q : '';
    this.total = total;
    document.title = words ? `${words} – ${this.title}` : this.title;
    const nodes = [];
    if (result.corrected && total) {
      const [before, after] = text('search_corrected', { words, instead: '\u0000' }).split('\u0000');
      nodes.push(el('p', { class: 'note corrected' }, before,
        el('a', { href: write({ ...state, q: result.corrected, page: 1 }) }, result.corrected), after));
    }
    this.rest(total === 0);
    if (!total) {
      const filtered = isFiltered(state);
      this.heading.textContent = words && !filtered ? text('search_nothing', { words }) : text('search_nothing_filtered');
      nodes.push(filtered
        ? el('p', { class: 'none' }, el('button', { class: 'btn', type: 'button', onclick: () => this.go({ ...state, filters: {}, page: 1 }, { focus: true }) }, text('filter_clear')))
        : el('p', { class: 'note' }, text('search_tips')));
    } else {
      const count = isExact === false ? text('products_about', { n: total }) : text('products', { n: total });
      this.heading.textContent = words ? text('search_results', { products: count, words: result.corrected ?? words }) : count;
      if (from > 0) {
        nodes.push(el('p', { class: 'more-results' }, el('a', { class: 'btn', href: write({ ...state, page: 1 }) }, text('results_earlier'))));
      }
      this.list = el('ul', { class: 'grid' }, items.map(item => this.tile(item, result.marks)));
      nodes.push(this.list);
      this.more = el('p', { class: 'more-results' });
      nodes.push(this.more);
      if (!this.isWaiting) this.offer(state, from + items.length, searcher);
    }
    this.take(...nodes);
    this.status.textContent = this.heading.textContent;
    this.section.dispatchEvent(new CustomEvent('results', { bubbles: true, detail: { items } }));
  }

  /** The tile of a product; one that was shown as a first part stays the same element. */
  tile(item, marks) {
    if (!this.tiles.has(item.number)) this.tiles.set(item.number, tile(item, root, marks));
    return this.tiles.get(item.number);
  }

  /** The link to what follows, which adds it to what is there. */
  offer(state, shown, searcher) {
    if (shown >= this.total) { this.more.replaceChildren(); return; }
    const next = { ...state, page: Math.floor(shown / PAGE) + 1 };
    const link = el('a', { class: 'btn', href: location.pathname + write(next) }, text('results_more'));
    link.addEventListener('click', async e => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      if (link.getAttribute('aria-disabled')) return;
      link.setAttribute('aria-disabled', 'true');
      const slow = setTimeout(() => { link.textContent = this.status.textContent = text('search_loading'); }, 300);
      const mine = this.asking;
      try {
        const result = await this.query(searcher, next, { offset: shown, limit: PAGE, signal: mine.signal });
        if (this.asking !== mine) return;
        const tiles = result.items.map(item => tile(item, root, result.marks));
        this.list.append(...tiles);
        this.state = next;
        history.replaceState(history.state, '', location.pathname + write(next));
        this.offer(next, shown + tiles.length, searcher);
        this.section.dispatchEvent(new CustomEvent('results', { bubbles: true, detail: { items: result.items } }));
        this.status.textContent = text('results_shown', { n: shown + tiles.length, total: this.total });
        // The first new one: who reads on with the keyboard goes on from there.
        tiles[0]?.querySelector('a').focus();
      } catch {
        if (this.asking !== mine) return;
        link.removeAttribute('aria-disabled');
        link.textContent = text('try_again');
        this.status.textContent = text('search_offline');
      } finally {
        clearTimeout(slow);
      }
    });
    this.more.replaceChildren(link, el('span', {}, text('results_shown', { n: shown, total: this.total })));
  }

  /** What is chosen, each with a way to undo it. */
  async showChips(state) {
    if (!isFiltered(state)) { this.chips.replaceChildren(); return; }
    const panel = await this.getPanel();
    const items = [];
    for (const [group, values] of Object.entries(state.filters)) {
      for (const value of values) {
        const label = await panel.label(group, value) ?? { group, name: value };
        items.push(el('li', {}, el('button', {
          class: 'chip on', type: 'button', 'aria-label': text('filter_remove', label),
          onclick: e => this.remove(e.currentTarget, group, value),
        }, label.name, el('span', { class: 'x', 'aria-hidden': 'true' }, '×'))));
      }
    }
    if (this.state !== state) return;
    if (chosen(state) > 1) {
      items.push(el('li', {}, el('button', { class: 'txt', type: 'button', onclick: () => this.go({ ...this.state, filters: {}, page: 1 }, { focus: true }) }, text('filter_clear'))));
    }
    this.chips.replaceChildren(...items);
  }

  async remove(chip, group, value) {
    const at = [...this.chips.children].indexOf(chip.parentNode);
    await this.go(toggled(this.state, group, value, false));
    // The chip is gone: its neighbour gets the focus, or the heading.
    (this.chips.children[Math.min(at, this.chips.children.length - 1)]?.querySelector('button') ?? this.heading).focus();
  }

  fail(error, again) {
    this.calm();
    const kind = error?.kind;
    if (!kind) console.error(error);   // a fault of ours, not of the line
    const reason = kind === 'absent' ? text('search_absent') : kind === 'version' ? text('search_changed') : kind === 'file' ? text('search_file') : text('search_offline');
    this.section.hidden = false;
    this.heading.textContent = text('search_failed');
    this.take(el('div', { class: 'note failed' }, el('p', {}, reason),
      kind !== 'file' && el('p', {}, el('button', { class: 'btn', type: 'button', onclick: () => {
        if (kind === 'version') location.reload(); else again();
      } }, kind === 'version' ? text('load_again') : text('try_again')))));
    this.status.textContent = `${text('search_failed')}. ${reason}`;
    this.rest(true);
    this.section.hidden = false;
  }
}

const WIDE = matchMedia('(min-width: 64rem)');
