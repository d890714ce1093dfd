/* The lists as a file, in the form of docs/lists.schema.json: written, and read with suspicion. */
import { KINDS, MOST, checked, item, items, put } from './lists-store.js';

/** The lists as JSON. */
export function written() {
  const lists = {};
  for (const kind of KINDS) lists[kind] = items(kind).map(({ product, added, note, quantity }) => ({ product, ...added && { added }, ...note && { note }, ...quantity > 1 && { quantity } }));
  return JSON.stringify({ version: 1, customers: [{ id: 'my-lists', lists }] }, null, 2) + '\n';
}

const isObject = value => !!value && typeof value === 'object' && !Array.isArray(value);
const wrong = (path, value) => { throw Object.assign(new Error(path), { key: 'form', path, value }); };

/** What stands in a file: {wish: [items], …}. Throws an error with a `key` (and the `path` of what is wrong) for anything but one person's lists. */
export function understood(source) {
  let root;
  try { root = JSON.parse(source); } catch { throw Object.assign(new Error('syntax'), { key: 'json' }); }
  if (!isObject(root) || root.version !== 1 || !Array.isArray(root.customers)) throw Object.assign(new Error('form'), { key: 'lists' });
  if (root.customers.length !== 1) throw Object.assign(new Error('people'), { key: 'people', n: root.customers.length });
  const lists = root.customers[0]?.lists, out = {};
  if (!isObject(lists)) wrong('customers[0].lists');
  for (const name of Object.keys(lists)) if (!KINDS.includes(name)) wrong(`customers[0].lists.${name}`);
  for (const kind of KINDS) {
    const list = Object.hasOwn(lists, kind) ? lists[kind] : [], path = `customers[0].lists.${kind}`;
    if (!Array.isArray(list) || list.length > MOST) wrong(path);
    out[kind] = list.map((entry, i) => {
      const at = `${path}[${i}]`;
      if (!isObject(entry)) wrong(at);
      const { product, added, note, quantity } = entry;
      if (!(typeof product === 'string' && product && product.length <= 500 || Number.isSafeInteger(product))) wrong(at + '.product');
      if (added !== undefined && !(typeof added === 'string' && /^\d{4}(-\d\d(-\d\d([T ].*)?)?)?$/.test(added))) wrong(at + '.added');
      if (note !== undefined && typeof note !== 'string') wrong(at + '.note');
      if (quantity !== undefined && !(Number.isInteger(quantity) && quantity >= 1 && quantity <= 100000)) wrong(at + '.quantity');
      return { product: String(product), added: added?.slice(0, 10), note, quantity };
    });
  }
  return out;
}

/** Adds what is not there yet; a product that is keeps its quantity, and its note if it has one. Gives the number added. */
export function merge(lists) {
  let added = 0, at = Date.now();
  for (const kind of KINDS) for (const entry of lists[kind]) {
    const there = item(kind, entry.product);
    if (!there) { added++; put(kind, { ...checked(entry.product, entry), at: at++ }, true); }
    else if (!there.note && entry.note) put(kind, { ...there, note: entry.note }, true);
  }
  return added;
}
