// How a product that was found looks: as it does on the pages that the generator writes (tile.mustache).
import text, { language } from './texts.js';
import { el, tint } from './dom.js';
import { marked as pieces } from './search-words.js';

/** A text as nodes, with the beginnings of words that the marks are about marked. */
export function marked(string, marks) {
  if (!string) return [];
  return pieces(string, marks ?? []).map(([part, isMarked]) => isMarked ? el('mark', {}, part) : part);
}

// How wide tiles show pictures, as in tile.mustache.
const TILE = '(min-width: 60rem) 15rem, (min-width: 40rem) 26vw, 40vw';

/** The picture of a product over its tint, or the tint alone; `sizes` says how wide it is shown. */
export function thumb(item, root, sizes = TILE) {
  return el('div', { class: item.picture ? 'thumb' : 'thumb nopic', 'aria-hidden': 'true' }, tint(item.colour),
    item.picture && el('img', {
      sizes, srcset: item.picture.files.map(([path, width]) => `${root + path} ${width}w`).join(', '), src: root + item.picture.src,
      width: item.picture.width, height: item.picture.height, alt: '', loading: 'lazy',
    }));
}

/** A product as a tile. */
export function tile(item, root, marks) {
  const rating = item.rating && text('rating_count_label', { rating: item.rating.text, n: item.rating.count });
  return el('li', { class: 'item', 'data-id': item.id }, el('div', {},
    thumb(item, root),
    el('div', { class: 'it' },
      item.producer && el('p', { class: 'by' }, marked(item.producer, marks)),
      el('h3', {}, el('a', { href: root + item.path }, marked(item.name, marks))),
      item.meta && el('p', { class: 'by' }, marked(item.meta, marks)),
      item.rating && el('p', { class: 'rate', role: 'img', 'aria-label': rating }, el('b', {}, item.rating.text), ` (${item.rating.count.toLocaleString(language)})`)),
    el('div', { class: 'pay' },
      item.price ? el('p', { class: 'price' }, item.price, item.was && [' ', el('span', { class: 'was' }, item.was)])
        : item.noPrice && el('p', { class: 'price none' }, item.noPrice),
      item.availability && el('p', { class: 'av', 'data-av': item.availability.key }, item.availability.text))));
}
