// The panel of filters and sort orders: a column beside the results where there is room, else a sheet over them.
import text from './texts.js';
import { el, icon } from './dom.js';
import { tokens } from './search-words.js';
import { groups, sorts } from './filter-groups.js';
import { chosen } from './search-address.js';

/** How many values a group shows before "show all", and above how many it can be searched. */
const FEW = 8, MANY = 12;
/** A list of more values than this is narrowed by typing, never shown whole. */
const MOST = 300;
const WIDE = matchMedia('(min-width: 64rem)');
const CROSS = 'M6 6l12 12M18 6L6 18';

const folded = string => tokens(string).join(' ');

export class FilterPanel {
  /**
   * @param place  the section of the results, of which the column becomes a part
   * @param button  opens and closes
   * @param on  {choose(group, value, on), sort(order), clear()}: what the visitor wants
   */
  constructor({ searcher, place, tools, button, scope, isSearch, on }) {
    Object.assign(this, { searcher, place, tools, button, on });
    this.groups = groups(searcher.info, scope).map(group => new Group(group, this));
    this.select = el('select', { onchange: () => on.sort(this.select.value) },
      sorts(searcher.info, isSearch).map(([value, label]) => el('option', { value }, label)));
    this.total = el('button', { class: 'btn pri', type: 'button', onclick: () => this.close() });
    this.form = el('form', { class: 'panel', id: 'filters', 'aria-label': text('filters'), onsubmit: e => e.preventDefault() },
      el('div', { class: 'panel-head' }, el('p', { class: 'panel-h' }, text('filter')),
        el('button', { class: 'rnd', type: 'button', 'aria-label': text('filter_close'), onclick: () => this.close() }, icon(CROSS))),
      el('label', { class: 'sortby' }, el('span', {}, text('sort')), this.select),
      this.groups.map(g => g.element),
      el('div', { class: 'panel-foot' },
        el('button', { class: 'btn', type: 'button', onclick: () => on.clear() }, text('filter_clear')), this.total));
    this.dialog = el('dialog', { class: 'panel-sheet', 'aria-label': text('filter'), closedby: 'any',
      onclose: () => this.button.focus() });
    // Where closedby is not known yet: a press on the dialog itself is one beside what it holds.
    this.dialog.addEventListener('click', e => { if (e.target === this.dialog) this.dialog.close(); });
    document.body.append(this.dialog);
    WIDE.addEventListener('change', () => { if (this.isOpen) { const was = document.activeElement; this.close(); this.open(); if (this.form.contains(was)) was.focus(); } });
    this.describe();
  }

  get isOpen() { return this.dialog.open || this.form.parentNode === this.place; }

  describe() {
    const isOpen = this.isOpen;
    if (WIDE.matches) {
      this.button.removeAttribute('aria-haspopup');
      this.button.setAttribute('aria-expanded', String(isOpen));
      if (isOpen) this.button.setAttribute('aria-controls', 'filters'); else this.button.removeAttribute('aria-controls');
    } else {
      this.button.setAttribute('aria-haspopup', 'dialog');
      this.button.removeAttribute('aria-expanded');
      this.button.removeAttribute('aria-controls');
    }
  }

  open() {
    if (WIDE.matches) {
      this.place.classList.add('with-panel');
      this.tools.after(this.form);
    } else {
      this.dialog.append(this.form);
      this.dialog.showModal();
    }
    this.describe();
    this.refresh();
  }

  close() {
    if (this.dialog.open) this.dialog.close();
    else if (this.form.contains(document.activeElement)) this.button.focus();
    this.place.classList.remove('with-panel');
    this.form.remove();
    this.describe();
  }

  toggle() { if (this.isOpen) this.close(); else this.open(); }

  /**
   * Shows what is chosen, and the counts of what could be.
   *
   * @param count  asks for the counts of a group: a promise of a map from value to number, or of one of the others of
   *   Group.counts
   */
  update(state, total, count) {
    const n = chosen(state);
    this.button.dataset.n = n || '';
    this.select.value = state.sort;
    this.total.textContent = total === null ? text('filter_close') : text('filter_show', { n: total });
    this.count = count;
    for (const group of this.groups) group.choose(state.filters[group.key] ?? []);
    this.refresh();
  }

  /** Asks for the counts of all groups that are open, one after the other: they share what has to be loaded. */
  async refresh() {
    const count = this.count, turn = this.turn = {};
    if (!this.isOpen || !count) return;
    for (const group of this.groups) {
      if (this.turn !== turn) return;
      if (group.element.open && !group.isSingle) await group.refresh(count, () => this.turn === turn);
    }
  }

  /** What people call a value. */
  async label(key, value) {
    const group = this.groups.find(g => g.key === key);
    return group ? { group: group.label, name: await group.name(value) } : null;
  }
}

/** A group of the panel. */
class Group {
  constructor({ key, label, values, facet }, panel) {
    Object.assign(this, { key, label, values, panel });
    this.chosen = [];
    // undefined: not known; null: those of the entry hold; else a map.
    this.counts = undefined;
    this.isAll = false;
    this.options = el('ul', { class: 'opts' });
    this.badge = el('small', {});
    this.body = el('fieldset', {}, el('legend', { class: 'vh' }, label), this.options);
    // A group of one value is that value; there is nothing to open.
    this.isSingle = values?.length === 1 && !facet;
    this.element = this.isSingle ? el('div', { class: 'fg one' }, this.body)
      : el('details', { class: 'fg', 'data-group': key, ontoggle: () => this.toggled() }, el('summary', {}, el('span', {}, label), this.badge), this.body);
    if (values) this.fill();
  }

  async toggled() {
    if (!this.element.open) return;
    await this.load();
    this.panel.refresh();
  }

  /** Gets the values of a facet that is too large for the entry. */
  async load() {
    if (this.values) return;
    this.options.replaceChildren(el('li', {}, text('search_loading')));
    try {
      this.values = await this.panel.searcher.values(this.key);
      this.fill();
    } catch {
      this.options.replaceChildren(el('li', {}, el('p', {}, text('search_offline')),
        el('button', { class: 'btn', type: 'button', onclick: () => this.toggled() }, text('try_again'))));
    }
  }

  async name(value) {
    if (!this.values) { try { this.values = await this.panel.searcher.values(this.key); this.fill(); } catch { /* its address will do */ } }
    return this.values?.find(v => v.slug === value)?.label ?? value;
  }

  /** The field to search in, once there is something to search in, and the list. */
  fill() {
    this.isTree = this.values.some(v => v.depth > 0);
    if (this.values.length > MANY && !this.find) {
      const label = text('filter_find', { name: this.label });
      this.find = el('input', { type: 'search', class: 'fgfind', 'aria-label': label, placeholder: label, autocomplete: 'off', oninput: () => this.draw() });
      this.folded = this.values.map(v => ' ' + folded(v.label));
      this.body.insertBefore(this.find, this.options);
    }
    this.draw();
  }

  count(value) { return this.isSingle || this.counts === undefined ? undefined : this.counts ? this.counts.get(value.slug) ?? 0 : value.count; }

  /** The values to show now, and how many there are to be shown all. */
  picked() {
    const wanted = this.find && folded(this.find.value);
    if (wanted) return [this.values.filter((_, i) => this.folded[i].includes(' ' + wanted)).slice(0, 50), 0];
    if (this.isAll || !this.find) return [this.values.slice(0, MOST), 0];
    const all = this.values.length <= MOST ? this.values.length : 0;
    const isChosen = v => this.chosen.includes(v.slug);
    // Of a tree the main branches; of a list those with most products. What is chosen stays in sight.
    if (this.isTree) return [this.values.filter(v => !v.depth || isChosen(v)), all];
    const count = v => this.count(v) ?? v.count ?? 0;
    const order = this.values.map((v, i) => [v, i]).sort(([a, i], [b, j]) => isChosen(b) - isChosen(a) || count(b) - count(a) || i - j);
    return [order.slice(0, Math.max(FEW, this.chosen.length)).map(([v]) => v), all];
  }

  draw() {
    const [values, all] = this.picked();
    const items = values.map(v => this.option(v));
    if (!items.length) items.push(el('li', { class: 'none' }, text('filter_no_values')));
    if (all > values.length) {
      items.push(el('li', {}, el('button', { class: 'txt', type: 'button', onclick: () => {
        this.isAll = true;
        this.draw();
        this.options.children[values.length]?.querySelector('input')?.focus();
      } }, text('filter_all', { n: all }))));
    }
    this.options.replaceChildren(...items);
    this.write();
  }

  option(value) {
    const box = el('input', { type: 'checkbox', name: this.key, value: value.slug });
    box.checked = this.chosen.includes(value.slug);
    box.addEventListener('change', () => this.panel.on.choose(this.key, value.slug, box.checked));
    const li = el('li', { 'data-depth': value.depth > 0 && Math.min(value.depth, 3) }, el('label', {}, box, el('span', {}, value.label), el('small', {})));
    li.given = value;
    return li;
  }

  /** Writes the counts into the options that are there: none of them moves under somebody's finger. */
  write() {
    for (const li of this.options.children) {
      if (!li.given) continue;
      const n = this.count(li.given);
      li.querySelector('small').textContent = n === undefined ? '' : n.toLocaleString(document.documentElement.lang || undefined);
      li.classList.toggle('none', n === 0);
    }
  }

  choose(values) {
    this.chosen = values;
    this.badge.textContent = values.length || '';
    for (const box of this.options.querySelectorAll('input')) box.checked = values.includes(box.value);
    // Something chosen that is not among those in sight.
    if (this.values && values.some(v => !this.options.querySelector(`input[value="${CSS.escape(v)}"]`))) this.draw();
    if (values.length && !this.wasOpened && !this.isSingle) { this.wasOpened = true; this.element.open = true; }
  }

  async refresh(count, isCurrent) {
    if (!this.values) await this.load();
    try {
      const counts = await count(this.key);
      if (!isCurrent()) return;
      this.counts = counts;
    } catch { return; }
    // A list in the order of its counts is sorted anew only while nobody is in it.
    if (this.find && !this.find.value && !this.isAll && !this.isTree && !this.options.contains(document.activeElement)) this.draw();
    else this.write();
  }
}
