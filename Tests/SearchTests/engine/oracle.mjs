// Asks a built site's search random questions and compares the answers with those of looking at every record.
//
//   node oracle.mjs FOLDER SEED QUESTIONS
//
// The records are those that the build keeps for the next one, beside the site; no piece has all of their words.
//
// Prints what differs as JSON, an empty list if nothing does.
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { collationKey, compare, tokens } from '../../../templates/search-words.js';
import { isNear } from '../../../templates/search-engine.js';
import { openSite, random } from './site.mjs';

const [folder, seed, questions] = process.argv.slice(2);
const index = await openSite(folder);
const dice = random(seed);
const { records, entry } = index;
const all = Array.from({ length: index.count }, (_, number) => number);
const FIELDS = 27;
const kept = await readFile(`${dirname(folder)}/.build-site/${basename(folder)}/search.records`);
const fields = kept.toString('latin1').split('\x1f').slice(0, all.length * FIELDS).map((field) => Buffer.from(field, 'latin1').toString());
records.add(all, { cell: (column, row) => fields[row * FIELDS + column] }, true);
// The questions are answered by an index that knows no records yet.
const asked = await openSite(folder);
const faults = [];
const SCORES = [0, 2, 3, 4, 6, 8, 12];
const NAME = 1, PRODUCER = 2, STYLE = 4, STRENGTH = 6, COUNTRY = 17, REGION = 18, CATEGORIES = 20, VALUES = 21;
const key = (text) => text.trim().replace(/\s+/g, ' ').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');

function has(number, group, slug) {
  const item = records.item(number);
  const inRange = (value) => {
    const [from, to] = slug.split('-').map((text) => (text === '' ? null : Number(text)));
    return value !== null && value >= (from ?? 0) && value < (to ?? Infinity);
  };
  switch (group) {
    case 'price': return inRange(item.currency === entry.currency ? item.priceMinor / 10 ** entry.money[entry.currency][2] : null);
    case 'abv': return inRange(records.text(number, STRENGTH) === '' ? null : parseFloat(records.text(number, STRENGTH)));
    case 'stock': return item.availability?.key === 'in' || item.availability?.key === 'low';
    case 'rating': return item.rating !== null && Number(item.rating.text) >= Number(slug);
    default: {
      const label = entry.facets.find((facet) => facet.key === group).values.find(([own]) => own === slug)[1];
      if (group === 'category') {
        // Records have the words of categories, each once: enough to tell 'Shelf 3' from others.
        const words = records.text(number, CATEGORIES).split('\x1e');
        return tokens(label).every((word) => words.includes(word));
      }
      const column = { producer: PRODUCER, style: STYLE, country: COUNTRY, region: REGION }[group] ?? VALUES;
      return records.text(number, column).split('\x1e').some((text) => key(text) === key(label));
    }
  }
}

function score(number, words) {
  let sum = 0;
  for (const word of words) {
    const level = records.level(number, word);
    if (level === 0) return 0;
    sum += SCORES[level];
  }
  return sum;
}

function passes(number, filters) {
  return Object.entries(filters).every(([group, slugs]) => slugs.length === 0 || slugs.some((slug) => has(number, group, slug)));
}

function answer(words, filters, sort) {
  const hits = all.filter((number) => passes(number, filters)).map((number) => [number, score(number, words)])
    .filter(([, value]) => words.length === 0 || value > 0);
  const order = sort !== 'relevance' ? sort : words.length > 0 ? null : entry.order;
  if (order === null) return hits.sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([number]) => number);
  const numbers = hits.map(([number]) => number);
  if (order === 'name') {
    const keys = new Map(numbers.map((number) => [number, collationKey(records.name(number))]));
    return numbers.sort((a, b) => compare(keys.get(a), keys.get(b)) || a - b);
  }
  const own = (number) => {
    const item = records.item(number);
    const price = item.currency === entry.currency ? item.priceMinor : null;
    switch (order) {
      case 'price': return price;
      case 'price-desc': return price === null ? null : -price;
      case 'price-per-litre': return records.value(number, order);
      case 'rating': return item.rating === null ? null : -(Number(item.rating.text) * 1e6 + item.rating.count);
      default: return records.value(number, order);
    }
  };
  const last = (value) => value ?? Infinity;
  return numbers.sort((a, b) => (last(own(a)) === last(own(b)) ? a - b : last(own(a)) - last(own(b))));
}

function differ(question, what, ours, theirs) {
  faults.push({ question, what, ours, theirs });
}

function word() {
  for (;;) {
    const own = records.words(dice.below(index.count));
    if (own.length === 0) continue;
    const letters = [...dice.of(own)[0]];
    return letters.slice(0, dice.below(3) ? letters.length : 1 + dice.below(letters.length)).join('');
  }
}

function mangled(word) {
  const letters = [...word];
  const at = dice.below(letters.length);
  switch (dice.below(4)) {
    case 0: letters.splice(at, 1); break;
    case 1: letters.splice(at, 0, 'q'); break;
    case 2: letters[at] = 'q'; break;
    default: [letters[at], letters[at - 1]] = [letters[at - 1] ?? letters[at], letters[at]].slice(0, 2);
  }
  return letters.filter(Boolean).join('');
}

const areNumbered = (facet) => facet.key !== 'category' || facet.values.every(([, label]) => /^Shelf \d+$/.test(label));
const groups = [...entry.facets.filter((facet) => facet.values && areNumbered(facet)).map(({ key }) => key), 'price', 'abv', 'stock', 'rating'];
// Records do not say which facet a value is of: labels that two facets share are not asked for.
const labels = new Map();
for (const { values } of entry.facets) for (const [, label] of values ?? []) labels.set(key(label), (labels.get(key(label)) ?? 0) + 1);
const slugs = (group) => asked.groups.get(group).values.filter(({ label }) => !label || (labels.get(key(label)) ?? 1) === 1).map(({ slug }) => slug);

for (let n = 0; n < Number(questions) && faults.length < 5; n++) {
  const words = Array.from({ length: dice.of([0, 1, 1, 1, 2, 2, 3, 4]) }, word);
  const isMangled = words.length > 0 && dice.below(5) === 0;
  if (isMangled) words[0] = mangled(words[0]);
  const filters = {};
  for (let i = dice.of([0, 0, 1, 1, 2]); i > 0; i--) {
    const group = dice.of(groups);
    if (slugs(group).length) filters[group] = [...new Set(Array.from({ length: 1 + dice.below(2) }, () => dice.of(slugs(group))))];
  }
  const sort = dice.of(['relevance', 'relevance', 'relevance', 'name', 'price', 'price-desc', 'price-per-litre', 'rating', 'newest']);
  const limit = dice.of([5, 24, 24, 10 ** 6]);
  const offset = limit > 100 ? 0 : dice.of([0, 0, 7, 24]);
  const question = { words: words.join(' '), filters, sort, offset, limit };
  let own = [...new Set(tokens(question.words))].slice(0, 8);
  const partials = [];
  const result = await asked.query({ ...question, onPartial: (part) => partials.push(part.items.map(({ number }) => number)) });
  if (result.corrected) {
    const corrected = tokens(result.corrected);
    if (all.some((number) => score(number, own) > 0 && passes(number, filters))) differ(question, 'corrected although there are results', result.corrected);
    corrected.forEach((word, i) => {
      const near = [own[i].length, own[i].length + 1, own[i].length - 1].some((length) => isNear(own[i], word.slice(0, length)));
      if (word !== own[i] && !isNear(own[i], word) && !near) differ(question, 'corrected to what is not near', result.corrected);
    });
    own = corrected;
  }
  const numbers = result.items.map(({ number }) => number);
  const wanted = answer(own, filters, sort);
  for (const part of partials) if (part.some((number, i) => number !== numbers[i])) differ(question, 'a part is no beginning', part, numbers);
  if (result.isExact && result.total !== wanted.length) differ(question, 'total', result.total, wanted.length);
  if (result.isComplete) {
    if (!result.isExact) differ(question, 'complete but not exact', result.total, wanted.length);
    const page = wanted.slice(offset, offset + limit);
    if (numbers.join() !== page.join()) differ(question, 'page', numbers.slice(0, 12), page.slice(0, 12));
  } else if (numbers.some((number) => !wanted.includes(number)) || numbers.length < Math.min(limit, wanted.length - offset)) {
    differ(question, 'not among the results', numbers.slice(0, 12), wanted.length);
  }
  if (dice.below(3) === 0 && !result.corrected && own.length === words.length) {
    const group = dice.of(groups);
    const counts = await asked.counts({ words: question.words, filters, group });
    const others = Object.fromEntries(Object.entries(filters).filter(([name]) => name !== group));
    const hits = answer(own, others, 'relevance');
    for (const slug of slugs(group)) {
      const count = hits.filter((number) => has(number, group, slug)).length;
      if ((counts.get(slug) ?? 0) !== count && wanted.length > 0) differ(question, `count of ${group} ${slug}`, counts.get(slug), count);
    }
  }
  if (dice.below(4) === 0 && !result.corrected && own.length > 0) {
    const suggested = await asked.suggest(question.words, { limit: 6 });
    const best = answer(own, {}, 'relevance').length;
    for (const text of suggested.words) {
      if (suggested.corrected || answer([tokens(text).at(-1)], {}, 'relevance').length === 0) differ(question, 'suggested', text, best);
    }
  }
}

// Products by their ids, some of which are not there.
const numbers = Array.from({ length: 20 }, () => dice.below(index.count));
const found = await asked.items(numbers.flatMap((number) => [records.id(number), 'no such id ' + number]));
if (found.map(({ number }) => number).join() !== numbers.join()) differ(numbers, 'items', found.map(({ number }) => number), numbers);

process.stdout.write(JSON.stringify(faults, null, 1));
