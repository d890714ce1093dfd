// What is asked for, and how the address of a page says it:
// q=words, a parameter for each chosen filter, sort=order, page=number.

const RESERVED = new Set(['q', 'sort', 'page']);
/** A facet whose folder has the name of one of our own parameters keeps out of its way. */
const param = group => RESERVED.has(group) ? 'f.' + group : group;
const groupOf = name => name.startsWith('f.') && RESERVED.has(name.slice(2)) ? name.slice(2) : name;

/** Reads `location.search`. Groups that the catalogue does not have are dropped later, by whoever knows them. */
export function read(search) {
  const state = { q: '', filters: {}, sort: '', page: 1 };
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === 'q') state.q = value.trim().slice(0, 200);
    else if (name === 'sort') state.sort = value;
    else if (name === 'page') state.page = Math.min(1e5, Math.max(1, parseInt(value, 10) || 1));
    else if (value) {
      const list = state.filters[groupOf(name)] ??= [];
      if (!list.includes(value) && list.length < 100) list.push(value);
    }
  }
  return state;
}

/** The part of an address that says a state: `?q=…`, or nothing. */
export function write(state) {
  const out = new URLSearchParams();
  if (state.q) out.append('q', state.q);
  for (const [group, values] of Object.entries(state.filters)) for (const value of values) out.append(param(group), value);
  if (state.sort) out.append('sort', state.sort);
  if (state.page > 1) out.append('page', state.page);
  const text = out.toString();
  return text && '?' + text;
}

/** Whether anything is chosen beside words. */
export const isFiltered = state => Object.values(state.filters).some(values => values.length > 0);

/** How many filters are chosen. */
export const chosen = state => Object.values(state.filters).reduce((n, values) => n + values.length, 0);

/** The state with a value of a group chosen or not; what changes begins at the first page. */
export function toggled(state, group, value, on) {
  const values = (state.filters[group] ?? []).filter(v => v !== value);
  if (on) values.push(value);
  const filters = { ...state.filters, [group]: values };
  if (!values.length) delete filters[group];
  return { ...state, filters, page: 1 };
}
