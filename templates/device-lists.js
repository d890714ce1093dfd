// The visitor's own lists, as they are kept on the device: ids of products by list. Reading storage throws where it
// is blocked; then there are none.
const KEY = 'build-site.lists';

/** `{wish: [ids], basket: [ids], collection: [ids]}`; a list that is not there or not readable is left out. */
export function lists() {
  const out = {};
  try {
    const kept = JSON.parse(localStorage.getItem(KEY)) ?? {};
    for (const [name, list] of Object.entries(kept.lists ?? kept)) {
      const items = Array.isArray(list) ? list.map(item => item?.product ?? item) : Object.keys(list ?? {});
      out[name] = items.filter(id => ['string', 'number'].includes(typeof id)).map(String);
    }
  } catch { /* blocked, or not what we wrote */ }
  return out;
}
