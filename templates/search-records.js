// What a result line shows of a product, from the columns of a piece. No DOM.

import { indexWords, slugOf } from './search-words.js';

// The order of Sources/Search/SearchRecord.swift.
const ID = 0, NAME = 1, PRODUCER = 2, ADDRESS = 3, STYLE = 4, VOLUME = 5, STRENGTH = 6, PRICE = 7, REGULAR = 8,
  AVAILABILITY = 9, RATING = 10, RATING_COUNT = 11, COLOUR = 12, PICTURE = 13, PICTURE_SIZES = 14, MILLILITRES = 15,
  CREATED = 16, COUNTRY = 17, REGION = 18, AGE = 19, CATEGORIES = 20, VALUES = 21;

export class Records {
  constructor(info) {
    this.info = info;
    // Where a product's record is: a piece's columns and the row.
    this.known = new Map();
  }

  // Records that come with words can tell which of a query's they have; those that are only shown cannot.
  add(numbers, columns, hasWords) {
    numbers.forEach((number, row) => {
      const known = this.known.get(number);
      if (!known || (hasWords && !known.hasWords)) this.known.set(number, { columns, row, hasWords, item: known?.item ?? null, words: null });
    });
  }

  has(number) {
    return this.known.has(number);
  }

  text(number, column) {
    const { columns, row } = this.known.get(number);
    return columns.cell(column, row);
  }

  id(number) {
    return this.text(number, ID);
  }

  name(number) {
    return this.text(number, NAME);
  }

  // What the product is sorted by; null if it has none. As the build sorts.
  value(number, order) {
    const price = this.text(number, PRICE);
    const own = price === '' || /[A-Z]$/.test(price) || Number(price) < 0 ? null : Number(price);
    switch (order) {
      case 'price': return own;
      case 'price-per-litre': {
        const volume = Number(this.text(number, MILLILITRES));
        const litre = own === null || !(volume >= 1) ? null : own * 1000 / volume;
        return litre === null || litre >= 1e15 ? null : Math.floor(litre + 0.5);
      }
      case 'rating': {
        const rating = this.text(number, RATING);
        return rating === '' ? null : -(Number(rating) * 2 ** 32 + Number(this.text(number, RATING_COUNT)));
      }
      case 'newest': {
        const created = Number(this.text(number, CREATED));
        return created === 0 ? null : -created;
      }
      default: return null;
    }
  }

  // The words of a product by level: [[word, 1 | 2 | 3], …].
  words(number) {
    const record = this.known.get(number);
    if (!record.words) {
      const levels = new Map();
      const add = (column, level, split = indexWords) => {
        const text = this.text(number, column);
        if (text === '') return;
        for (const word of split(text)) if ((levels.get(word) ?? 0) < level) levels.set(word, level);
      };
      add(NAME, 3);
      add(PRODUCER, 2);
      for (const column of [STYLE, COUNTRY, REGION, AGE, VALUES]) add(column, 1);
      // Words already.
      add(CATEGORIES, 1, (text) => text.split('\x1e'));
      record.words = [...levels];
    }
    return record.words;
  }

  // How well the product matches the beginning of a word: 0 not, 1 to 6 as heads of the data have it.
  level(number, prefix) {
    let best = 0;
    for (const [word, level] of this.words(number)) {
      if (!word.startsWith(prefix)) continue;
      const value = level * 2 - (word.length === prefix.length ? 0 : 1);
      if (value > best) best = value;
    }
    return best;
  }

  item(number) {
    const record = this.known.get(number);
    record.item ??= this.make(number);
    return record.item;
  }

  make(number) {
    const text = (column) => this.text(number, column);
    const { info } = this;
    const id = text(ID), name = text(NAME);
    const [price, currency] = this.money(text(PRICE));
    const [was] = this.money(text(REGULAR));
    const availability = text(AVAILABILITY);
    const [key, usual] = info.availability[availability[0]] ?? [];
    const rating = text(RATING);
    return {
      id, number, name,
      path: this.path(text(ADDRESS), name, id),
      producer: text(PRODUCER) || null,
      meta: [text(STYLE), text(VOLUME), text(STRENGTH)].filter(Boolean).join(', ') || null,
      price: price === null ? null : this.formatted(price, currency),
      priceMinor: price, currency: price === null ? null : currency,
      was: was === null ? null : info.texts.was.replace('{price}', () => this.formatted(was, currency)),
      noPrice: price === null && key !== 'gone' ? info.texts.noPrice ?? null : null,
      availability: key ? { key, text: availability.slice(1) || usual } : null,
      rating: rating === '' ? null
        : { text: rating.slice(0, -1).padStart(1, '0') + info.numbers[0] + rating.slice(-1), count: Number(text(RATING_COUNT)) },
      picture: this.picture(text(PICTURE), text(PICTURE_SIZES)),
      colour: '#' + text(COLOUR),
    };
  }

  // The files that tiles choose from, all WebP, and the one for browsers that cannot choose.
  picture(key, sizes) {
    if (key === '') return null;
    const [size, ...widths] = sizes.split(' ');
    const [width, height] = size.split('×').map(Number);
    const path = (w) => `assets/pictures/${key}-${w}.webp`;
    return { src: path(width), width, height, files: widths.map((w) => [path(w), Number(w)]) };
  }

  path(address, name, id) {
    const shard = address.slice(0, 2), rest = address.slice(2);
    const slug = rest[0] === '/' ? rest.slice(1) : slugOf(name) + (rest === '-' ? '' : '-' + id);
    return `products/${shard}/${slug}.html`;
  }

  money(text) {
    if (text === '') return [null, null];
    const code = /[A-Z]{3}$/.test(text) ? text.slice(-3) : this.info.currency;
    return [parseInt(text, 10), code];
  }

  formatted(minor, code) {
    const [before, after, digits] = this.info.money[code] ?? ['', '\u00a0' + code, 2];
    const text = String(Math.abs(minor)).padStart(digits + 1, '0');
    const whole = text.slice(0, text.length - digits);
    const [decimal, group, from] = this.info.numbers;
    const grouped = whole.length < from ? whole : whole.replace(/\B(?=(\d{3})+$)/g, () => group);
    const sign = minor < 0 ? '-' : '';
    return before + sign + grouped + (digits ? decimal + text.slice(-digits) : '') + after;
  }
}
