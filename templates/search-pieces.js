// Fetches the pieces of the search's data and takes them apart. docs/search.md has the format. No DOM.

import { compare } from './search-words.js';

// What can go wrong, for a page to say in words: 'offline' (nothing comes), 'file' (a page opened as a file may not read
// others), 'absent' (the site has no search), 'version' (the data is of another version than this script).
export class SearchError extends Error {
  constructor(kind, message) {
    super(message);
    this.name = 'SearchError';
    this.kind = kind;
  }
}

const NAME_LENGTH = 10;
const decoder = new TextDecoder();

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  byte() {
    return this.bytes[this.at++];
  }

  number() {
    let out = 0, scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      out += (byte & 127) * scale;
      if (!(byte & 128)) return out;
      scale *= 128;
    }
  }

  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  // Numbers that ascend, written as gaps.
  ascending(count) {
    const out = new Uint32Array(count);
    let before = 0;
    for (let i = 0; i < count; i++) {
      before += this.number();
      out[i] = before;
    }
    return out;
  }
}

// Columns of records, taken apart only when one of their cells is asked for.
export class Columns {
  constructor(bytes) {
    this.bytes = bytes;
    this.texts = null;
    this.columns = [];
  }

  cell(column, row) {
    this.texts ??= decoder.decode(this.bytes).split('\x1d');
    this.columns[column] ??= column === 0 ? decodeIDs(this.texts[0]) : decodeColumn(this.texts[column] ?? '');
    const text = this.columns[column](row);
    return text[0] === '\x1b' ? this.cell(column + 1, row) + text.slice(1) : text;
  }
}

// A function that gives the value of a row, as for columns. Ids that follow one another are differences.
function decodeIDs(text) {
  let before = 0;
  const ids = text.split('\n').map((text) => {
    if (text[0] === '+') before += Number(text.slice(1));
    else before = Number(text);
    return text[0] === '+' ? String(before) : text[0] === '=' ? text.slice(1) : text;
  });
  return (row) => ids[row] ?? '';
}

// Values of all rows, or the different ones before a mark and behind it a character for each row, or for each of the values that a
// row has.
function decodeColumn(text) {
  const [, lines, mark, codes] = /^([^\x1f\x1c]*)(.?)(.*)$/s.exec(text);
  const values = lines.split('\n');
  const value = (code) => values[code - 32];
  if (mark === '') return (row) => values[row] ?? '';
  if (mark === '\x1f') return (row) => value(row < codes.length ? codes.charCodeAt(row) : 32);
  const rows = codes.split('\n');
  return (row) => Array.from(rows[row], (code) => value(code.charCodeAt(0))).join('\x1e');
}

// Terms with their products: `lines` in order, for each an entry { count, isDivided, lists, top }. A list has a level,
// how many products there are in all, and their numbers or bits; what is divided goes on in other pieces.
export function decodeTerms(bytes) {
  const reader = new Reader(bytes);
  const count = reader.number();
  const lines = decoder.decode(reader.take(reader.number())).split('\n').slice(0, count).map((line) => line.split('\t'));
  const numbers = reader.ascending(reader.number());
  const columns = new Columns(reader.take(reader.number()));
  const entries = lines.map(() => {
    const flags = reader.byte();
    const entry = { count: 0, isInline: (flags & 1) === 1, isDivided: (flags & 2) === 2, lists: [], top: [] };
    for (let i = flags >> 2; i > 0; i--) {
      const head = reader.byte();
      const list = { level: head >> 2, count: reader.number(), numbers: null, bits: null };
      entry.count += list.count;
      if (entry.isInline) list.numbers = reader.ascending(list.count).map((place) => numbers[place]);
      else if ((head & 3) === 2) list.bits = reader.take(reader.number());
      else list.numbers = reader.ascending(reader.number());
      entry.lists.push(list);
    }
    if (!entry.isInline) for (let i = reader.number(); i > 0; i--) entry.top.push(numbers[reader.number()]);
    return entry;
  });
  return { lines, entries, numbers, columns };
}

// Numbers of the given width, each with a bit that says whether it is equal to the one before.
export function decodeOrder(bytes, count, products) {
  let width = 1;
  while (2 ** width < products) width += 1;
  const numbers = new Uint32Array(count), ties = new Uint8Array(count);
  let at = 0, buffer = 0, bits = 0;
  for (let i = 0; i < count; i++) {
    // At most 32 bits are taken at a time: the width is below 25 for any catalogue that can be built.
    while (bits < width + 1) {
      buffer += bytes[at++] * 2 ** bits;
      bits += 8;
    }
    ties[i] = buffer % 2;
    numbers[i] = Math.floor(buffer / 2) % 2 ** width;
    buffer = Math.floor(buffer / 2 ** (width + 1));
    bits -= width + 1;
  }
  return { numbers, ties };
}

// A sorted sequence that is cut into pieces: which piece a text is in.
export class Directory {
  constructor([separators, names] = ['', '']) {
    this.count = names.length / NAME_LENGTH;
    this.names = names;
    this.separators = this.count > 1 ? separators.split('\n') : [];
  }

  // The place of the piece that would hold a text.
  place(text) {
    let low = 0, high = this.separators.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.separators[middle], text) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The places of the pieces with texts that begin so.
  places(prefix) {
    return this.count ? [this.place(prefix), this.place(prefix + '\u{10ffff}')] : [0, -1];
  }

  name(place) {
    return nameAt(this.names, place);
  }
}

export function nameAt(names, place) {
  return names.slice(place * NAME_LENGTH, (place + 1) * NAME_LENGTH);
}

// Fetches, and counts what it fetches.
export class Store {
  constructor(root) {
    this.root = root;
    this.stats = { requests: 0, bytes: 0 };
    this.pieces = new Map();
  }

  async entry() {
    const response = await this.fetch('index.json', { cache: 'no-cache' });
    if (!response.ok) throw new SearchError('absent', `search/index.json: ${response.status}`);
    const text = await response.text().catch(() => { throw new SearchError('offline', 'search/index.json'); });
    this.stats.bytes += Number(response.headers.get('content-length')) || text.length;
    try {
      return JSON.parse(text);
    } catch {
      throw new SearchError('absent', 'search/index.json is no JSON');
    }
  }

  async fetch(name, options) {
    if (new URL(this.root).protocol === 'file:') throw new SearchError('file', 'a page opened as a file cannot search');
    this.stats.requests += 1;
    try {
      return await fetch(new URL('search/' + name, this.root), options);
    } catch {
      throw new SearchError('offline', `search/${name}`);
    }
  }

  // A piece, taken apart by a function; fetched once.
  piece(name, decode) {
    let promise = this.pieces.get(name);
    if (!promise) {
      promise = this.load(name).then(decode);
      this.pieces.set(name, promise);
      // A piece that did not come is asked for again the next time.
      promise.catch(() => this.pieces.delete(name));
    }
    return promise;
  }

  async load(name) {
    const response = await this.fetch(`pieces/${name}.bin`);
    // The site was built anew since the entry was read.
    if (!response.ok) throw new SearchError('changed', `${name}.bin: ${response.status}`);
    try {
      const packed = await response.arrayBuffer();
      this.stats.bytes += packed.byteLength;
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
      throw new SearchError('offline', `${name}.bin`);
    }
  }
}
