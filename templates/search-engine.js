// Searches, filters and sorts the catalogue in the browser, from the pieces that the build wrote below `search/`. No DOM:
// pages import `open`, tests run it without a browser. docs/search.md says what is found and in which order.

import { Columns, Directory, SearchError, Store, decodeOrder, decodeTerms, nameAt } from './search-pieces.js';
import { Records } from './search-records.js';
import { collationKey, compare, indexWords, marked, tokens } from './search-words.js';

export { SearchError, marked, tokens };

// A filter of `query` and `counts` that lets only products with these ids through.
export const IDS = '#ids';

const VERSION = 3;
// What a word counts that matches at a level: 6 and 5 a whole word or the beginning of one in the name, 4 and 3 in the
// producer, 2 and 1 elsewhere.
const SCORES = [0, 2, 3, 4, 6, 8, 12];
const WORD_LIMIT = 8;
// So few results are rather sorted here than looked for in an order of all products.
const FEW = 36;
const text = new TextDecoder();
const json = (bytes) => JSON.parse(text.decode(bytes));

// The search of the site whose top is at `root`; throws a SearchError.
export async function open(root) {
  const index = new Index(root);
  await index.load();
  return index;
}

function checkpoint(signal) {
  signal?.throwIfAborted();
}

// Whether one letter more, less or other, or two that changed places, make the same word.
export function isNear(a, b) {
  const [x, y] = [[...a], [...b]];
  if (Math.abs(x.length - y.length) > 1) return false;
  let start = 0;
  while (start < x.length && start < y.length && x[start] === y[start]) start += 1;
  let end = 0;
  while (end < x.length - start && end < y.length - start && x.at(-1 - end) === y.at(-1 - end)) end += 1;
  const [left, right] = [x.length - start - end, y.length - start - end];
  if (left <= 1 && right <= 1) return true;
  return left === 2 && right === 2 && x[start] === y[start + 1] && x[start + 1] === y[start];
}

class Index {
  constructor(root) {
    this.root = new URL('./', root).href;
    this.store = new Store(this.root);
  }

  get stats() {
    return { ...this.store.stats };
  }

  async load() {
    const entry = await this.store.entry();
    if (entry.version !== VERSION) throw new SearchError('version', `the data is of version ${entry.version}`);
    this.entry = entry;
    this.count = entry.products;
    // Numbers of one segment: what all products are divided into when they are very many.
    this.segment = entry.pieces.segment;
    this.segments = Math.ceil(this.count / this.segment);
    this.records = new Records(entry);
    this.collation = new Map();
    this.directories = {};
    for (const kind of ['words', 'heads', 'sets', 'furtherWords', 'furtherHeads', 'furtherSets', 'reversed']) {
      this.directories[kind] = new Directory(entry.pieces[kind]);
    }
    this.groups = new Map();
    for (const facet of entry.facets) {
      const group = { key: facet.key, prefix: facet.prefix, values: facet.values ? facet.values.map(value) : null, piece: facet.piece };
      this.groups.set(facet.key, group);
      if (facet.folder && !this.groups.has(facet.folder)) this.groups.set(facet.folder, group);
    }
    const range = ([key, label, count]) => ({ key, slug: key, label, count });
    const ranges = { price: entry.ranges.price.map(range), abv: entry.ranges.abv.map(range) };
    const yes = (count) => [{ slug: 'yes', label: null, count }];
    const rating = entry.counts.rating.map(([stars, count]) => ({ slug: String(stars), label: null, count }));
    for (const [key, prefix, values] of [
      ['price', 'p/', ranges.price], ['abv', 'a/', ranges.abv], ['stock', 's/', yes(entry.counts.stock)],
      ['reviews', 'v/', yes(entry.counts.reviews)], ['rating', 'r/', rating],
    ]) this.groups.set(key, { key, prefix, values });
    this.info = {
      products: this.count, language: entry.language, currency: entry.currency, order: entry.order,
      facets: entry.facets.map(({ key, label, folder, count }) => ({ key, label, folder, count, values: this.groups.get(key).values })),
      ranges, rating, stock: entry.counts.stock, reviews: entry.counts.reviews,
      sorts: ['relevance', 'name', 'price', 'price-desc', 'price-per-litre', 'rating', 'newest'],
    };
  }

  // Runs a function, once more from a new entry if the site was built anew meanwhile.
  async current(run) {
    try {
      return await run();
    } catch (error) {
      if (error.kind !== 'changed') throw error;
      this.store.pieces.clear();
      await this.load();
      try {
        return await run();
      } catch (again) {
        throw again.kind === 'changed' ? new SearchError('absent', again.message) : again;
      }
    }
  }

  // MARK: Pieces

  async terms(kind, place) {
    const piece = await this.store.piece(this.directories[kind].name(place), decodeTerms);
    this.records.add(piece.numbers, piece.columns, true);
    return piece;
  }

  // The entry of a term in a piece; undefined if the piece has none.
  static find(piece, term) {
    let low = 0, high = piece.lines.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(piece.lines[middle][0], term) < 0) low = middle + 1;
      else high = middle;
    }
    return piece.lines[low]?.[0] === term ? low : -1;
  }

  // What a word of a query matches: terms with the levels that they match at.
  async match(word) {
    const [first, last] = this.directories.words.places(word);
    if (first > last) return new Match(this, word, [], []);
    if (first === last) {
      const piece = await this.terms('words', first);
      const parts = [], completions = [];
      for (let i = 0; i < piece.lines.length; i++) {
        const term = piece.lines[i][0];
        if (!term.startsWith(word)) continue;
        const entry = piece.entries[i];
        const isWhole = term.length === word.length;
        parts.push({ term, entry, further: 'furtherWords', level: (level) => level * 2 - (isWhole ? 0 : 1) });
        completions.push([term, entry.count]);
      }
      completions.sort((a, b) => b[1] - a[1] || compare(a[0], b[0]));
      return new Match(this, word, parts, completions.map(([term]) => term), first);
    }
    const piece = await this.terms('heads', this.directories.heads.place(word));
    const at = Index.find(piece, word);
    if (at < 0) return new Match(this, word, [], []);
    const part = { term: word, entry: piece.entries[at], further: 'furtherHeads', level: (level) => level };
    return new Match(this, word, [part], piece.lines[at].slice(1));
  }

  async set(group, slug) {
    const key = group.prefix + slug;
    if (this.directories.sets.count === 0) return new Match(this, key, [], []);
    const piece = await this.terms('sets', this.directories.sets.place(key));
    const at = Index.find(piece, key);
    const parts = at < 0 ? [] : [{ term: key, entry: piece.entries[at], further: 'furtherSets', level: (level) => level }];
    return new Match(this, key, parts, []);
  }

  async recordsOf(numbers, { onRecord, signal } = {}) {
    const pieces = new Set();
    for (const number of numbers) if (!this.records.has(number)) pieces.add(Math.floor(number / this.entry.pieces.perPiece));
    await Promise.all([...pieces].map(async (place) => {
      await this.recordPiece(place);
      checkpoint(signal);
      onRecord?.();
    }));
  }

  async recordPiece(place) {
    const { perPiece, records } = this.entry.pieces;
    const start = place * perPiece;
    const length = Math.min(perPiece, this.count - start);
    const columns = await this.store.piece(nameAt(records, place), (bytes) => new Columns(bytes));
    this.records.add(Array.from({ length }, (_, i) => start + i), columns, false);
  }

  // MARK: Queries

  query(options) {
    return this.current(() => this.run(options));
  }

  async run({ words: query = '', filters = {}, sort = 'relevance', offset = 0, limit = 24, onPartial, signal }) {
    checkpoint(signal);
    // The best of many come first when they are looked at in the order of their numbers; any other order needs them all.
    const isRanked = sort === 'relevance' && tokens(query).length > 0;
    const hits = await this.hits(query, filters, signal, { needs: isRanked ? offset + limit : Infinity });
    const page = await this.page(hits, sort, offset, limit, signal);
    checkpoint(signal);
    const { total, isExact } = page;
    // When very frequent words are looked for, the rest of a large catalogue may not have been looked at.
    const isComplete = hits.estimate === undefined;
    const result = (items) => ({ total, isExact, isComplete, items, corrected: hits.corrected, marks: hits.words });
    const ready = () => {
      const items = [];
      for (const number of page.numbers) {
        if (!this.records.has(number)) break;
        items.push(this.records.item(number));
      }
      return items;
    };
    let shown = 0;
    const partial = () => {
      const items = ready();
      if (items.length > shown && items.length < page.numbers.length) {
        shown = items.length;
        onPartial(result(items));
      }
    };
    if (onPartial) partial();
    await this.recordsOf(page.numbers, { signal, onRecord: onPartial ? partial : null });
    return result(ready());
  }

  // All products that match, as far as they are needed.
  async hits(query, filters, signal, { needs = Infinity } = {}) {
    let words = [...new Set(tokens(query))].slice(0, WORD_LIMIT);
    const hits = await this.find(words, filters, signal, needs);
    hits.words = words;
    hits.corrected = null;
    if (!hits.isEmpty || words.length === 0) return hits;
    const number = await this.identified(query);
    if (number !== null) return Object.assign(await this.only(number, filters, signal), { words, corrected: null });
    const corrected = await this.correct(words, signal);
    if (!corrected) return hits;
    words = corrected;
    return Object.assign(await this.find(words, filters, signal, needs), { words, corrected: words.join(' ') });
  }

  async find(words, filters, signal, needs) {
    const masks = this.masks(filters);
    // The longest word is likely the rarest: a piece with all its records answers without the others.
    const order = [...words].sort((a, b) => b.length - a.length);
    const matches = [];
    for (const [i, word] of order.entries()) {
      const match = await this.match(word);
      checkpoint(signal);
      if (match.isEmpty) return new Hits(this, [], await masks);
      matches.push(match);
      if (match.isInline) {
        const others = [...order.slice(0, i), ...order.slice(i + 1)];
        return this.verified(match, others, await masks);
      }
    }
    const hits = new Hits(this, matches, await masks);
    await hits.evaluate(needs, signal);
    return hits;
  }

  // The products of a match that has all their records, and in them all other words.
  async verified(match, others, masks) {
    const hits = new Hits(this, [match, ...others.map((word) => ({ word }))], masks);
    const found = new Map();
    for (const { entry, level } of match.parts) {
      for (const list of entry.lists) {
        const value = SCORES[level(list.level)];
        for (const number of list.numbers) if ((found.get(number) ?? 0) < value) found.set(number, value);
      }
    }
    const numbers = [];
    for (const number of [...found.keys()].sort((a, b) => a - b)) {
      let score = found.get(number);
      let isIn = true;
      for (const word of others) {
        const level = this.records.level(number, word);
        if (level === 0) {
          isIn = false;
          break;
        }
        score += SCORES[level];
      }
      if (isIn) numbers.push([number, score]);
    }
    await hits.take(numbers);
    return hits;
  }

  // Sets of the products that each group of filters lets through.
  async masks(filters) {
    const groups = Object.entries(filters).filter(([, slugs]) => slugs?.length);
    return Promise.all(groups.map(async ([key, slugs]) => {
      if (key === IDS) return [await this.listed(slugs)];
      const group = this.groups.get(key);
      return group ? Promise.all(slugs.map((slug) => this.set(group, slug))) : [];
    }));
  }

  // The set of the products with these ids, which somebody keeps in a list.
  async listed(ids) {
    const numbers = (await this.items(ids)).map(({ number }) => number);
    return {
      isDivided: false,
      fill: (segment, out) => {
        const start = segment * this.segment;
        for (const number of numbers) if (number >= start && number < start + this.segment) out[number - start] = 1;
      },
    };
  }

  async only(number, filters) {
    const hits = new Hits(this, [], await this.masks(filters));
    await hits.take([[number, 1]]);
    return hits;
  }

  // MARK: Article numbers

  // The product with an article number that is the whole query.
  async identified(query) {
    const { identifiers } = this.entry.pieces;
    const joined = tokens(query).join('');
    if (!/\d/.test(joined) || joined.length < 3 || identifiers === '') return null;
    let hash = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(joined)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
    const count = identifiers.length / nameAt(identifiers, 0).length;
    const place = Math.floor(hash / (2 ** 32 / count));
    const table = await this.store.piece(nameAt(identifiers, place), (bytes) => {
      const out = new Map();
      let at = 0, before = place * (2 ** 32 / count);
      const next = () => {
        let value = 0, scale = 1, byte;
        do {
          byte = bytes[at++];
          value += (byte & 127) * scale;
          scale *= 128;
        } while (byte & 128);
        return value;
      };
      while (at < bytes.length) {
        before += next();
        const number = next();
        if (!out.has(before)) out.set(before, number);
      }
      return out;
    });
    return table.get(hash) ?? null;
  }

  // MARK: Typing errors

  // The words with those that nothing begins with replaced by what was probably meant; null if there is nothing near.
  async correct(words, signal) {
    let isChanged = false;
    const out = [];
    for (const word of words) {
      const match = await this.match(word);
      checkpoint(signal);
      if (!match.isEmpty) {
        out.push(word);
        continue;
      }
      const near = await this.near(word, match.place, signal);
      if (near === null) return null;
      isChanged = true;
      out.push(near);
    }
    return isChanged ? out : null;
  }

  async near(word, place, signal) {
    const letters = [...word];
    if (letters.length < 4) return null;
    const half = Math.floor(letters.length / 2);
    const best = { term: null, rank: null };
    const consider = (term, frequency) => {
      const isWhole = isNear(word, term);
      if (!isWhole) {
        const all = [...term];
        if (all.length <= letters.length) return;
        const lengths = [letters.length, letters.length + 1, letters.length - 1];
        if (!lengths.some((length) => isNear(word, all.slice(0, length).join('')))) return;
      }
      const rank = [isWhole ? 1 : 0, frequency];
      if (best.rank === null || rank[0] > best.rank[0]
        || (rank[0] === best.rank[0] && (rank[1] > best.rank[1] || (rank[1] === best.rank[1] && compare(term, best.term) < 0)))) {
        Object.assign(best, { term, rank });
      }
    };
    const considerPiece = async (at) => {
      const piece = await this.terms('words', at);
      checkpoint(signal);
      piece.lines.forEach(([term], i) => consider(term, piece.entries[i].count));
    };
    const { words, reversed } = this.directories;
    if (words.count === 0) return null;
    // An error towards the end: the word meant stands near, mostly in the piece that was looked into already.
    place ??= words.place(word);
    await considerPiece(place);
    if (best.rank?.[0] === 1) return best.term;
    // One towards the beginning: it stands near backwards.
    const backwards = [...letters].reverse().slice(0, letters.length - half - 1).join('');
    const [first, last] = reversed.places(backwards);
    for (let at = first; at <= Math.min(last, first + 1); at++) {
      const lines = await this.store.piece(reversed.name(at), (bytes) => text.decode(bytes).split('\n').filter(Boolean));
      checkpoint(signal);
      for (const line of lines) {
        if (line.startsWith(backwards)) consider([...line.slice(0, -2)].reverse().join(''), 2 ** (line.charCodeAt(line.length - 1) - 98));
      }
    }
    if (best.rank?.[0] === 1) return best.term;
    const [low, high] = words.places(letters.slice(0, Math.max(half, 3)).join(''));
    for (let at = Math.max(low, place - 1); at <= Math.min(high, place + 1); at++) if (at !== place) await considerPiece(at);
    return best.term;
  }

  // MARK: Order

  // The numbers of one page of results.
  async page(hits, sort, offset, limit, signal) {
    if (sort === 'relevance' && hits.words.length > 0) return hits.best(offset, limit);
    const order = sort === 'relevance' ? this.entry.order : sort;
    const total = hits.total;
    const { numbers } = hits;
    const unknown = numbers === null ? Infinity : numbers.reduce((sum, number) => sum + (this.records.has(number) ? 0 : 1), 0);
    if (unknown <= Math.max(FEW, limit) || unknown === 0) {
      await this.recordsOf(numbers, { signal });
      return { numbers: this.sorted(numbers, order).slice(offset, offset + limit), total, isExact: true };
    }
    return { numbers: await this.walk(hits, order, offset, limit, signal), total, isExact: true };
  }

  sorted(numbers, order) {
    const out = [...numbers];
    if (order === 'name') {
      const key = (number) => {
        if (!this.collation.has(number)) this.collation.set(number, collationKey(this.records.name(number)));
        return this.collation.get(number);
      };
      return out.sort((a, b) => compare(key(a), key(b)) || a - b);
    }
    const isTurned = order === 'price-desc';
    const values = new Map(out.map((number) => [number, this.records.value(number, isTurned ? 'price' : order)]));
    return out.sort((a, b) => {
      const [x, y] = [values.get(a), values.get(b)];
      if (x === y) return a - b;
      if (x === null || y === null) return x === null ? 1 : -1;
      return isTurned ? y - x : x - y;
    });
  }

  // Takes products in an order of all, until a page is full.
  async walk(hits, order, offset, limit, signal) {
    const isTurned = order === 'price-desc';
    const [names, lengths, valued] = this.entry.pieces.orders[isTurned ? 'price' : order];
    const counts = lengths.split(',').map(Number);
    const out = [];
    let skipped = 0;
    const take = (number) => {
      if (!hits.has(number)) return;
      if (skipped < offset) skipped += 1;
      else out.push(number);
    };
    const piece = async (at) => {
      const result = await this.store.piece(nameAt(names, at), (bytes) => decodeOrder(bytes, counts[at], this.count));
      checkpoint(signal);
      return result;
    };
    const starts = [];
    let sum = 0;
    for (const count of counts) {
      starts.push(sum);
      sum += count;
    }
    if (isTurned) {
      // From the last product with a price; equal ones keep their order.
      let run = [];
      for (let at = counts.length - 1; at >= 0 && out.length < limit; at--) {
        if (starts[at] >= valued) continue;
        const { numbers, ties } = await piece(at);
        for (let i = Math.min(counts[at], valued - starts[at]) - 1; i >= 0 && out.length < limit; i--) {
          run.push(numbers[i]);
          if (ties[i]) continue;
          for (const number of run.reverse()) take(number);
          run = [];
        }
      }
    }
    for (let at = 0; at < counts.length && out.length < limit; at++) {
      const start = isTurned ? Math.max(0, valued - starts[at]) : 0;
      if (start >= counts[at]) continue;
      const { numbers } = await piece(at);
      for (let i = start; i < counts[at] && out.length < limit; i++) take(numbers[i]);
    }
    return out.slice(0, limit);
  }

  // MARK: Filters

  // How many of the results each value of a group would leave: a map from slug to count. The group's own filter does not
  // count, and values without any result are left out.
  counts({ words = '', filters = {}, group: key, signal }) {
    return this.current(async () => {
      const group = this.groups.get(key);
      const out = new Map();
      if (!group) return out;
      const others = Object.fromEntries(Object.entries(filters).filter(([name]) => this.groups.get(name) !== group));
      const isOpen = tokens(words).length === 0 && !Object.values(others).some((slugs) => slugs?.length);
      const values = group.values ?? await this.values(key);
      if (isOpen) {
        for (const { slug, count } of values) if (count > 0) out.set(slug, count);
        return out;
      }
      const hits = await this.hits(words, others, signal);
      await Promise.all(values.map(async ({ slug, count }) => {
        if (count === 0 || hits.total === 0) return;
        const set = await this.set(group, slug);
        checkpoint(signal);
        const number = await set.countIn(hits);
        if (number > 0) out.set(slug, number);
      }));
      return out;
    });
  }

  // How many pieces hold the sets of a group: what its counts take at most.
  cost(key) {
    const group = this.groups.get(key);
    if (!group) return 0;
    return ['sets', 'furtherSets'].reduce((sum, kind) => {
      const [first, last] = this.directories[kind].places(group.prefix);
      return sum + last - first + 1;
    }, 0);
  }

  // All values of a group, those that are too many for the entry included.
  values(key) {
    return this.current(async () => {
      const group = this.groups.get(key);
      if (!group) return [];
      group.values ??= (await this.store.piece(group.piece, json)).map(value);
      return group.values;
    });
  }

  // MARK: Suggestions

  // What a person may be about to type: products, the query with its last word completed, and values of facets.
  suggest(query, { limit = 8, signal, onPartial } = {}) {
    return this.current(async () => {
      const words = tokens(query);
      if (words.length === 0) return { products: [], words: [], values: [], corrected: null };
      const products = await this.run({ words: query, limit, signal, onPartial: onPartial && ((part) => onPartial({ products: part.items, words: [], values: [], corrected: part.corrected })) });
      const known = products.corrected ? tokens(products.corrected) : words;
      const match = products.total > 0 ? await this.match(known.at(-1)) : null;
      checkpoint(signal);
      const before = known.slice(0, -1).join(' ');
      const completed = (match?.completions ?? []).filter((word) => word !== known.at(-1)).slice(0, limit)
        .map((word) => (before ? before + ' ' : '') + word);
      return { products: products.items, words: completed, values: this.matching(known, limit), corrected: products.corrected };
    });
  }

  // Values of facets, as far as they were read, in whose names all words are.
  matching(words, limit) {
    const out = [];
    for (const { key, values } of new Set(this.groups.values())) {
      if (!values || !this.entry.facets.some((facet) => facet.key === key)) continue;
      for (const { slug, label, count } of values) {
        if (count === 0) continue;
        const own = indexWords(label);
        if (words.every((word) => own.some((one) => one.startsWith(word)))) out.push({ group: key, slug, label, count });
      }
    }
    return out.sort((a, b) => b.count - a.count || compare(a.label, b.label)).slice(0, limit);
  }

  // MARK: Products by id

  // The products with these ids, in their order; what the catalogue has not is left out.
  items(ids) {
    return this.current(async () => {
      const first = await this.store.piece(this.entry.pieces.keys, (bytes) => text.decode(bytes).split('\n').slice(0, -1));
      const numeric = this.entry.pieces.numericKeys;
      const places = ids.map((id) => this.placesOf(String(id), first, numeric));
      await Promise.all([...new Set(places.flat())].map((place) => this.recordPiece(place)));
      const { perPiece } = this.entry.pieces;
      return ids.flatMap((id, i) => {
        for (const place of places[i]) {
          for (let number = place * perPiece; number < Math.min((place + 1) * perPiece, this.count); number++) {
            if (this.records.id(number) === String(id)) return [this.records.item(number)];
          }
        }
        return [];
      });
    });
  }

  // Which pieces of records may have an id. Keys that are whole numbers come first, by their value, then the others.
  placesOf(id, first, numeric) {
    const { perPiece } = this.entry.pieces;
    const search = (low, high, isAfter) => {
      // The last piece of the range that does not begin after the id.
      while (low < high) {
        const middle = (low + high) >> 1;
        if (isAfter(first[middle])) high = middle;
        else low = middle + 1;
      }
      return low - 1;
    };
    const out = [];
    const border = Math.ceil(numeric / perPiece);
    if (numeric > 0 && /^-?\d{1,19}$/.test(id)) {
      const value = BigInt(id);
      const place = search(0, border, (key) => BigInt(key) > value);
      if (place >= 0) out.push(place);
    }
    if (numeric < this.count) {
      const place = search(border, first.length, (key) => compare(key, id) > 0);
      out.push(Math.max(place, 0));
    }
    return [...new Set(out)];
  }
}

function value([slug, label, count, depth = 0]) {
  return { slug, label, count, depth };
}

// What one word or filter matches.
class Match {
  constructor(index, word, parts, completions, place) {
    Object.assign(this, { index, word, parts, completions, place });
    this.isEmpty = parts.length === 0;
    this.isInline = parts.length > 0 && parts.every(({ entry }) => entry.isInline);
    this.isDivided = parts.some(({ entry }) => entry.isDivided);
    this.count = parts.length === 1 ? parts[0].entry.count : null;
  }

  // Calls a function with each list of a segment: its level and its numbers, counted from the segment's first.
  async forEachList(segment, body) {
    const start = segment * this.index.segment;
    for (const { term, entry, further, level } of this.parts) {
      let { lists } = entry;
      if (entry.isDivided && segment > 0) {
        const directory = this.index.directories[further];
        const key = `${term}\t${String.fromCharCode(0x30 + segment)}`;
        const piece = await this.index.store.piece(directory.name(directory.place(key)), (bytes) => decodeFurther(bytes));
        lists = piece.get(key)?.lists ?? [];
      }
      for (const list of lists) body(level(list.level), list, entry.isDivided ? 0 : start);
    }
  }

  // Sets a place for each product of a segment to the highest level.
  async fill(segment, out) {
    await this.forEachList(segment, (level, list, start) => {
      forEachNumber(list, start, this.index.segment, (number) => { if (out[number] < level) out[number] = level; });
    });
  }

  // How many of the hits are in this set.
  async countIn(hits) {
    let count = 0;
    for (let segment = 0; segment < this.index.segments; segment++) {
      const marks = hits.marks[segment];
      if (!marks) continue;
      await this.forEachList(segment, (level, list, start) => {
        forEachNumber(list, start, this.index.segment, (number) => { count += marks[number] ? 1 : 0; });
      });
    }
    return count;
  }
}

// The lines of further segments have a tab in them, which parts nothing.
function decodeFurther(bytes) {
  const { lines, entries } = decodeTerms(bytes);
  return new Map(lines.map((line, i) => [line.join('\t'), entries[i]]));
}

// Calls a function with the numbers of a list from `start` on, less `start`, of one segment.
function forEachNumber({ numbers, bits }, start, length, body) {
  if (numbers) {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] < start) low = middle + 1;
      else high = middle;
    }
    for (; low < numbers.length && numbers[low] < start + length; low++) body(numbers[low] - start);
    return;
  }
  const first = start >> 3;
  const last = Math.min(bits.length, (start + length) >> 3);
  for (let at = first; at < last; at++) {
    for (let byte = bits[at], bit = 0; byte; byte >>= 1, bit++) if (byte & 1) body(at * 8 + bit - start);
  }
}

// The products that match, each with its score.
class Hits {
  constructor(index, matches, masks) {
    Object.assign(this, { index, matches, masks, size: index.segment, total: 0, isExact: true });
    // For each segment that was looked at, the score of each of its products.
    this.marks = [];
    // All numbers, if they are few.
    this.numbers = [];
    this.words = [];
  }

  get isEmpty() {
    return this.total === 0;
  }

  has(number) {
    return (this.marks[Math.floor(number / this.size)]?.[number % this.size] ?? 0) > 0;
  }

  // Takes numbers with scores, ascending, as far as the filters let them through.
  async take(scored) {
    const segments = [...new Set(scored.map(([number]) => Math.floor(number / this.size)))];
    for (const segment of segments) {
      const marks = new Uint8Array(this.size);
      for (const [number, score] of scored) if (Math.floor(number / this.size) === segment) marks[number % this.size] = score;
      await this.filter(segment, marks);
      this.keep(segment, marks);
    }
  }

  async filter(segment, marks) {
    for (const sets of this.masks) {
      const mask = new Uint8Array(marks.length);
      for (const set of sets) await set.fill(segment, mask);
      for (let i = 0; i < marks.length; i++) if (!mask[i]) marks[i] = 0;
    }
  }

  keep(segment, marks) {
    this.marks[segment] = marks;
    for (let i = 0; i < marks.length; i++) {
      if (marks[i] === 0) continue;
      this.total += 1;
      if (this.numbers !== null) this.numbers.push(segment * this.size + i);
    }
    if (this.numbers?.length > 5000) this.numbers = null;
  }

  // Works out the segments one after the other. When words are so frequent that their products are divided, it stops as
  // soon as there are as many as are needed: the total is an estimate then.
  async evaluate(needs, signal) {
    const { index } = this;
    const isDivided = [...this.matches, ...this.masks.flat()].some((match) => match.isDivided);
    for (let segment = 0; segment < index.segments; segment++) {
      const length = Math.min(this.size, index.count - segment * this.size);
      const marks = new Uint8Array(length);
      if (this.matches.length === 0) marks.fill(1);
      for (const [i, match] of this.matches.entries()) {
        const levels = new Uint8Array(length);
        await match.fill(segment, levels);
        checkpoint(signal);
        for (let j = 0; j < length; j++) {
          if (levels[j] && (i === 0 || marks[j])) marks[j] += SCORES[levels[j]];
          else marks[j] = 0;
        }
      }
      await this.filter(segment, marks);
      checkpoint(signal);
      this.keep(segment, marks);
      if (isDivided && this.total >= needs && segment + 1 < index.segments) {
        this.numbers = null;
        this.isExact = false;
        const done = (segment + 1) * this.size;
        const only = this.matches.length === 1 && this.masks.length === 0 ? this.matches[0].count : null;
        this.isExact = only !== null;
        this.estimate = only ?? Math.round(this.total / done * index.count);
        return;
      }
    }
  }

  // The page of the best: by score, then by number.
  best(offset, limit) {
    const total = this.estimate ?? this.total;
    const isDivided = this.estimate !== undefined;
    const page = { numbers: [], total, isExact: this.isExact };
    // Words so frequent that only the beginning was looked at: the results of one segment come before those of the next.
    if (isDivided) {
      let skip = offset;
      this.marks.forEach((marks, segment) => {
        const best = Hits.bestOf([[segment, marks]], skip + limit - page.numbers.length, this.index.segment);
        page.numbers.push(...best.slice(skip));
        skip = Math.max(0, skip - best.length);
      });
      page.numbers.length = Math.min(page.numbers.length, limit);
      return page;
    }
    page.numbers = Hits.bestOf([...this.marks.entries()].filter(([, marks]) => marks), offset + limit, this.index.segment).slice(offset);
    return page;
  }

  static bestOf(segments, count, size) {
    const places = new Array(256).fill(0);
    for (const [, marks] of segments) for (let i = 0; i < marks.length; i++) places[marks[i]] += 1;
    // The lowest score that is needed.
    let least = 255;
    for (let sum = places[255]; least > 1 && sum < count; ) sum += places[--least];
    const byScore = new Map();
    for (const [segment, marks] of segments) {
      for (let i = 0; i < marks.length; i++) {
        const score = marks[i];
        if (score < least) continue;
        let list = byScore.get(score);
        if (!list) byScore.set(score, list = []);
        if (list.length < count) list.push(segment * size + i);
      }
    }
    return [...byScore.entries()].sort((a, b) => b[0] - a[0]).flatMap(([, list]) => list).slice(0, count);
  }
}
