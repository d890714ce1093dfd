// What can be filtered by: the groups of the panel, with the values that are known without asking.
import text from './texts.js';
import { KINDS, items } from './lists-store.js';

/** The group of the visitor's own lists. The site's data does not know them: they are looked up on the device. */
export const MINE = 'my';

/** The ids of the products on a list of the device. */
export const listed = kind => items(kind).map(item => item.product);

/**
 * The groups in their order. `values` is null for a facet too large for the entry: it is loaded when it is opened.
 *
 * @param scope  the group that the page itself stands for, which is not offered again
 */
export function groups(info, scope) {
  const facets = info.facets.map(f => ({ key: f.key, label: f.label, values: f.values, facet: true }));
  const names = { wish: text('list_wish'), basket: text('list_basket'), collection: text('list_collection') };
  const named = (key, label, values) => ({ key, label, values });
  const out = [
    named('stock', text('filter_availability'), info.stock > 0 ? [{ slug: 'yes', label: text('in_stock'), count: info.stock }] : []),
    named('price', text('filter_price'), info.ranges.price),
    ...facets,
    named('abv', text('strength'), info.ranges.abv),
    named('rating', text('filter_rating'), info.rating.filter(v => v.count > 0).map(v => ({ ...v, label: text('filter_rating_from', { n: +v.slug }) }))),
    named('reviews', text('filter_reviews'), info.reviews > 0 ? [{ slug: 'yes', label: text('filter_reviewed'), count: info.reviews }] : []),
    named(MINE, text('my_lists'), KINDS.map(kind => ({ slug: kind, label: names[kind], count: listed(kind).length })).filter(list => list.count > 0)),
  ];
  return out.filter(g => g.key !== scope && (g.values === null || g.values.length > 0));
}

/** The sort orders that a page offers, its own first. */
export function sorts(info, isSearch) {
  const names = {
    name: text('sort_name'), price: text('sort_price'), 'price-desc': text('sort_price_desc'),
    'price-per-litre': text('sort_price_per_litre'), rating: text('sort_rating'), newest: text('sort_newest'),
  };
  // A page that lists products has an order already, that of the catalogue.
  const own = isSearch ? null : info.order;
  return [['', isSearch ? text('sort_relevance') : names[own]],
    ...info.sorts.filter(order => names[order] && order !== own).map(order => [order, names[order]])];
}
