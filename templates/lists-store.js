/* The visitor's lists, kept on the device.

   Every product on a list has a key of its own in localStorage, so two tabs that change different things at once
   never overwrite each other, and one damaged value costs that one. What cannot be stored (storage blocked, full)
   is kept in memory until the page is left. What is read is checked like any stranger's input. */

export const KINDS = ['wish', 'basket', 'collection'];
export const MOST = 2000;   // products on a list; arbitrary, far above what anybody keeps

/** The way to the top of the site: this script lies in assets/. */
export const root = new URL('..', import.meta.url);
const PREFIX = `build-site.lists:${root.pathname}:`;
const memory = new Map();   // key → item, or null where something stored is to be taken as removed
const changes = new EventTarget();

/** What is wrong with the storage: 'blocked', 'full', 'damaged' or ''. */
export let trouble = '';

function storage() {
  try { return localStorage; } catch { trouble ||= 'blocked'; return null; }
}
const text = (value, most) => typeof value === 'string' && value.trim() ? value.slice(0, most) : undefined;

/** An item made of whatever is given: only the members that it may have, each of its type. */
export function checked(id, value) {
  const item = value && typeof value === 'object' ? value : {};
  const out = { product: String(id).slice(0, 500), quantity: 1, at: 0 };
  if (Number.isInteger(item.quantity) && item.quantity > 0) out.quantity = Math.min(item.quantity, 100000);
  if (Number.isFinite(item.at)) out.at = item.at;
  if (/^\d{4}(-\d\d){0,2}$/.test(item.added)) out.added = item.added;
  out.note = text(item.note, 2000);
  out.name = text(item.name, 500);
  // Only ever a page of this site, below its top.
  if (/^[\w%~-][\w%.~-]*(\/[\w%~-][\w%.~-]*)*\.html$/.test(item.path)) out.path = item.path;
  return out;
}

function parsed(id, stored) {
  try {
    const value = JSON.parse(stored);
    if (value && typeof value === 'object') return checked(id, value);
  } catch { /* damaged: the key still tells which product it was */ }
  trouble ||= 'damaged';
  return checked(id);
}

function keys() {
  const out = new Set(memory.keys()), kept = storage();
  try { for (let i = 0; i < (kept?.length ?? 0); i++) if (kept.key(i).startsWith(PREFIX)) out.add(kept.key(i)); } catch { trouble ||= 'blocked'; }
  return out;
}

function read(key) {
  if (memory.has(key)) return memory.get(key);
  let stored = null;
  try { stored = storage()?.getItem(key) ?? null; } catch { trouble ||= 'blocked'; }
  return stored === null ? null : parsed(key.slice(key.indexOf(':', PREFIX.length) + 1), stored);
}

const keyOf = (kind, id) => `${PREFIX}${kind}:${id}`;

/** What is on a list, oldest first. */
export function items(kind) {
  const start = keyOf(kind, '');
  return [...keys()].filter(key => key.startsWith(start)).map(read).filter(Boolean)
    .sort((a, b) => a.at - b.at || (a.product < b.product ? -1 : 1));
}

/** An item of a list, or null. */
export const item = (kind, id) => read(keyOf(kind, id));

/** How many products all lists hold. */
export const count = () => [...keys()].filter(key => KINDS.some(kind => key.startsWith(keyOf(kind, ''))) && read(key)).length;

/** Puts an item on a list, in place of the one of the same product. */
export function put(kind, value, quietly = false) {
  const item = checked(value.product, value), key = keyOf(kind, item.product);
  try {
    const kept = storage();
    if (!kept) throw 0;
    kept.setItem(key, JSON.stringify({ ...item, product: undefined }));
    memory.delete(key);
  } catch {
    trouble = trouble === 'blocked' ? trouble : 'full';
    memory.set(key, item);
  }
  if (!quietly) changed();
}

/** Takes a product off a list. */
export function remove(kind, id, quietly = false) {
  const key = keyOf(kind, id);
  memory.delete(key);
  try { storage()?.removeItem(key); } catch { memory.set(key, null); }
  if (!quietly) changed();
}

/** Tells everybody on this page that the lists are not what they were. */
export const changed = () => changes.dispatchEvent(new Event('change'));

/** Calls a function now and whenever the lists change: here, in another tab, or while this page lay in the back/forward cache. */
export function watch(paint) {
  changes.addEventListener('change', paint);
  addEventListener('storage', e => { if (e.key === null || e.key.startsWith(PREFIX)) paint(); });
  addEventListener('pageshow', e => { if (e.persisted) paint(); });
  paint();
}
