// What can be filtered by: the groups of the panel, with the values that are known without asking.
import text from './texts.js';
import { lists } from './device-lists.js';

/** The group of the visitor's own lists. The site's data does not know them: they are looked up on the device. */
export const MINE = 'my';

/**
 * The groups in their order. `values` is null for a facet too large for the entry: it is loaded when it is opened.
 *
 * @param scope  the group that the page itself stands for, which is not offered again
 */
export function groups(info, scope) {
  const facets = info.facets.map(f => ({ key: f.key, label: f.label, values: f.values, facet: true }));
  const named = (key, label, values) => ({ key, label, values });
  const ranges = (key, label) => named(key, label, info.ranges?.[key] ?? []);
  const own = lists();
  const out = [
    named('stock', text('filter_availability'), [{ slug: 'yes', label: text('in_stock') }]),
    ranges('price', text('filter_price')),
    ...facets,
    ranges('abv', text('strength')),
    named('rating', text('filter_rating'), [4, 3, 2].map(n => ({ slug: String(n), label: text('filter_rating_from', { n }) }))),
    named('reviews', text('filter_reviews'), [{ slug: 'yes', label: text('filter_reviewed') }]),
    named(MINE, text('my_lists'), [
      { slug: 'wish', label: text('list_wish') }, { slug: 'basket', label: text('list_basket') },
      { slug: 'collection', label: text('list_collection') },
    ].filter(list => own[list.slug]?.length).map(list => ({ ...list, count: own[list.slug].length }))),
  ];
  return out.filter(g => g.key !== scope && (g.values === null || g.values.length > 0))
    .map(g => ({ ...g, values: g.values?.map(v => ({ ...v, slug: v.slug ?? v.key })) ?? null }));
}

/** The sort orders that a page offers, its own first. */
export function sorts(info, isSearch) {
  const names = {
    name: text('sort_name'), price: text('sort_price'), 'price-desc': text('sort_price_desc'),
    'price-per-litre': text('sort_price_per_litre'), rating: text('sort_rating'), newest: text('sort_newest'),
  };
  return [['', isSearch ? text('sort_relevance') : text('sort_own')],
    ...(info.sorts ?? Object.keys(names)).filter(s => names[s]).map(s => [s, names[s]])];
}
