// Cuts text into the words that search compares, as Sources/Search/Tokeniser.swift does: docs/search.md has the rules, and
// one file of examples holds both to them. No DOM.

const WORD_LIMIT = 32;
const TEXT_LIMIT = 256;
const SPACE = 0, LETTER = 1, DIGIT = 2, IDEOGRAPH = 3, APOSTROPHE = 4, AMPERSAND = 5, HYPHEN = 6, POINT = 7, SYMBOL = 8;

const ASCII = Array.from({ length: 128 }, (_, code) => {
  const ch = String.fromCharCode(code);
  if (code <= 0x20 || code === 0x7f) return SPACE;
  if (/[0-9]/.test(ch)) return DIGIT;
  if (/[a-z]/i.test(ch)) return LETTER;
  return { "'": APOSTROPHE, '`': APOSTROPHE, '&': AMPERSAND, '-': HYPHEN, '.': POINT, ',': POINT }[ch] ?? SYMBOL;
});

// Latin letters that Unicode does not take apart.
const LATIN = new Map();
for (const group of ('ss ßẞ|ae æÆ|oe œŒ|o øØɵºⱺɔ|a ªɐɑⱥ|d đĐðÐɖɗ|th þÞ|l łŁƚɫŀĿ|i ıɨɩ|h ħĦɦ|ng ŋŊ|t ŧŦƭʈ|k ĸƙ|s ſʂȿ|'
  + 'e əɛǝɇ|f ƒ|b ƀɓ|c ƈȼɕ|g ɠǥɡ|j ɉʝ|n ɲƞŉ|p ƥ|r ɍ|u ʉʊ|v ʋ|y ƴɏ|z ƶȥʐ|ij ĳĲ|ff ﬀ|fi ﬁ|fl ﬂ').split('|')) {
  const [letters, from] = group.split(' ');
  for (const ch of from) LATIN.set(ch, letters);
}
const IGNORED = /[\p{Mn}\p{Me}\p{Cf}]/u;
const WORD = /[\p{L}\p{Mc}\p{N}]/u;
const BLANK = /[\p{White_Space}\p{Cc}]/u;
const APOSTROPHES = '’‘ʼʻʹ´′＇';
// From U+FF66 on.
const HALF_WIDTH = 'ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン';
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

function digit(code) {
  for (const zero of ZEROS) if (code >= zero && code < zero + 10) return code - zero;
  return -1;
}

function isIdeograph(code) {
  return code === 0x3005 || code === 0x3007 || (code >= 0x3041 && code <= 0x3096) || (code >= 0x309d && code <= 0x309f)
    || (code >= 0x30a1 && code <= 0x30fa) || (code >= 0x30fc && code <= 0x30ff) || (code >= 0x31f0 && code <= 0x31ff)
    || (code >= 0x3400 && code <= 0x4dbf) || (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff)
    || (code >= 0x20000 && code <= 0x3ffff);
}

// The characters that are compared, what each is, and which place of the text it comes from.
function fold(text) {
  const chars = [], kinds = [], places = [];
  let place = 0;
  const add = (ch, kind) => {
    chars.push(ch);
    kinds.push(kind);
    places.push(place);
  };
  const addASCII = (ch) => {
    const kind = ASCII[ch.charCodeAt(0)];
    add(kind === LETTER ? ch.toLowerCase() : kind === POINT ? '.' : ch, kind);
  };
  const addOther = (raw) => {
    if (IGNORED.test(raw)) return;
    let code = raw.codePointAt(0);
    if (code >= 0xff01 && code <= 0xff5e) return addASCII(String.fromCharCode(code - 0xfee0));
    if (code >= 0xff66 && code <= 0xff9d) return add(HALF_WIDTH[code - 0xff66], IDEOGRAPH);
    // Half-width marks of voice, dropped as full-width ones are.
    if (code === 0xff9e || code === 0xff9f) return;
    if (APOSTROPHES.includes(raw)) return add(raw, APOSTROPHE);
    if (code >= 0x2010 && code <= 0x2013) return add(raw, HYPHEN);
    for (const letter of raw.toLowerCase()) {
      code = letter.codePointAt(0);
      if (code < 0x80) addASCII(letter);
      else if (LATIN.has(letter)) for (const one of LATIN.get(letter)) addASCII(one);
      else if (letter === 'ς') add('σ', LETTER);
      else if (digit(code) >= 0) add(String(digit(code)), DIGIT);
      else if (isIdeograph(code)) add(letter, IDEOGRAPH);
      else if (WORD.test(letter)) add(letter, LETTER);
      else if (!IGNORED.test(letter)) add(letter, BLANK.test(letter) ? SPACE : SYMBOL);
    }
  };
  for (const ch of text) {
    if (ch < '\x80') addASCII(ch);
    else for (const raw of ch.normalize('NFD')) if (raw < '\x80') addASCII(raw); else addOther(raw);
    place += ch.length;
  }
  return { chars, kinds, places, end: place };
}

// Calls a function with each word, whether it is one more way to write what others say, and its parts as ranges.
function scan({ chars, kinds }, body) {
  let count = 0;
  const emit = (parts, isExtra) => {
    if (count >= TEXT_LIMIT) return;
    count += 1;
    const word = [];
    for (const [from, to] of parts) for (let i = from; i < to && word.length < WORD_LIMIT; i++) word.push(chars[i]);
    body(word.join(''), isExtra, parts);
  };
  const isWord = (i) => kinds[i] === LETTER || kinds[i] === DIGIT;
  const length = kinds.length;
  let at = 0;
  while (at < length && count < TEXT_LIMIT) {
    if (kinds[at] === IDEOGRAPH) {
      const start = at;
      while (kinds[at] === IDEOGRAPH) at += 1;
      if (at - start === 1) emit([[start, at]], false);
      else {
        for (let i = start; i < at - 1; i++) emit([[i, i + 2]], false);
        emit([[at - 1, at]], true);
      }
    } else if (isWord(at)) {
      const words = [[]];
      let part = at;
      for (;;) {
        while (isWord(at)) at += 1;
        if (at >= length || !isWord(at + 1)) break;
        const before = kinds[at - 1], joiner = kinds[at], after = kinds[at + 1];
        if (joiner === POINT && before === DIGIT && after === DIGIT) {
          at += 1;
          continue;
        }
        if (joiner === APOSTROPHE && after === LETTER) words.at(-1).push([part, at]);
        else if (joiner === AMPERSAND) {
          let end = at + 1;
          while (isWord(end)) end += 1;
          if (at - part > 2 || end - at - 1 > 2) break;
          words.at(-1).push([part, at]);
        } else if (joiner === HYPHEN) {
          words.at(-1).push([part, at]);
          words.push([]);
        } else break;
        at += 1;
        part = at;
      }
      words.at(-1).push([part, at]);
      for (const parts of words) {
        emit(parts, false);
        if (parts.length > 1) for (const one of parts) if (one[1] - one[0] > 1) emit([one], true);
      }
      if (words.length === 2 || words.length === 3) {
        const all = words.flat();
        if (all.reduce((sum, [from, to]) => sum + to - from, 0) <= 16) emit(all, true);
      }
    } else at += 1;
  }
  if (count > 0) return;
  at = 0;
  while (at < length && count < TEXT_LIMIT) {
    if (kinds[at] === SPACE) {
      at += 1;
      continue;
    }
    const start = at;
    while (at < length && kinds[at] !== SPACE) at += 1;
    emit([[start, at]], false);
  }
}

// The words of a query.
export function tokens(text) {
  const words = [];
  scan(fold(text), (word, isExtra) => { if (!isExtra) words.push(word); });
  return words;
}

// All words by which a text is found, other ways to write them included.
export function indexWords(text) {
  const words = [];
  scan(fold(text), (word) => words.push(word));
  return words;
}

// A text in pieces, [text, isMarked], with the beginnings of words that a query's words match marked.
export function marked(text, words) {
  const folded = fold(text);
  const marks = [];
  scan(folded, (word, isExtra, parts) => {
    for (const wanted of words) {
      if (!word.startsWith(wanted)) continue;
      let left = [...wanted].length;
      for (const [from, to] of parts) {
        const end = Math.min(to, from + left);
        if (end <= from) break;
        left -= end - from;
        // As far as the next character, so that its marks and the rest of a letter that became two are inside.
        marks.push([folded.places[from], folded.places[end] ?? folded.end]);
      }
    }
  });
  marks.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const out = [];
  let at = 0;
  for (let [from, to] of marks) {
    from = Math.max(from, at);
    if (to <= from) continue;
    if (from > at) out.push([text.slice(at, from), false]);
    out.push([text.slice(from, to), true]);
    at = to;
  }
  if (at < text.length) out.push([text.slice(at), false]);
  return out;
}

// Whether a comes before b by code points, which is the order of pieces; `<` compares UTF-16, where 𠮷 comes before ﾔ.
export function compare(a, b) {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i), y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800) {
      x = x >= 0xe000 ? x - 0x800 : x + 0x2000;
      y = y >= 0xe000 ? y - 0x800 : y + 0x2000;
    }
    return x - y;
  }
  return a.length - b.length;
}

const ALPHABETIC = /[\p{Alphabetic}\p{N}]/u;

// A text whose order by code points is the order of names: Sources/Basics/Collation.swift says how.
export function collationKey(text) {
  let key = '', digits = '', isNumber = false, isSeparated = false;
  const closeNumber = () => {
    if (!isNumber) return;
    isNumber = false;
    if (digits.length <= 14) key += String.fromCharCode(0x10 + digits.length);
    else key += String.fromCharCode(0x1f, 0, 0, digits.length >> 8, digits.length & 255);
    key += digits;
    digits = '';
  };
  const separate = () => {
    if (isSeparated && key !== '') key += '\x02';
    isSeparated = false;
  };
  const addDigit = (value) => {
    if (!isNumber) separate();
    isNumber = true;
    if (value !== '0' || digits !== '') digits += value;
  };
  for (const raw of text.normalize('NFD')) {
    if (IGNORED.test(raw)) continue;
    let code = raw.codePointAt(0);
    const ch = code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - 0xfee0) : raw;
    code = ch.codePointAt(0);
    if (code < 0x80 && ASCII[code] === DIGIT) addDigit(ch);
    else if (digit(code) >= 0) addDigit(String(digit(code)));
    else {
      closeNumber();
      if (ch === "'" || ch === '`' || APOSTROPHES.includes(ch)) continue;
      for (const letter of ch.toLowerCase()) {
        const known = LATIN.get(letter) ?? (letter < '\x80' ? (/[a-z]/.test(letter) ? letter : '') : letter);
        if (known !== '' && (known !== letter || letter < '\x80' || ALPHABETIC.test(letter))) {
          separate();
          key += known;
        } else if (!IGNORED.test(letter)) isSeparated = true;
      }
    }
  }
  closeNumber();
  return key + '\0' + text;
}
