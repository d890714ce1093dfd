// Asks a built site's search what a visitor might, and prints what it took, one line of JSON each.
//
//   node search-queries.mjs FOLDER                     ten queries, each of a visitor who has only just come
//   node search-queries.mjs FOLDER ours QUERIES.json   the ids of the first ten answers to each query
//   node search-queries.mjs FOLDER pagefind QUERIES.json   the same by Pagefind, whose files are in FOLDER/pagefind
//
// Files stand in for a server; the entry, and everything else that a server would pack, counts as gzip makes it.
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { open, serve } from '../Tests/SearchTests/engine/site.mjs';

const [folder, mode = 'ten', file] = process.argv.slice(2);
const print = (value) => process.stdout.write(JSON.stringify(value) + '\n');

async function ten() {
  serve(folder);
  const first = await open();
  const { info } = first;
  // A producer, a rare word and a frequent one, as this catalogue has them.
  const some = async (sort) => (await first.query({ sort, limit: 24 })).items;
  const rare = (await some('newest')).find(({ producer, name }) => producer && /^[A-Z]?[a-z]{6,}/.test(producer) && name);
  const word = rare.producer.split(' ').sort((a, b) => b.length - a.length)[0];
  const typo = word.slice(0, 4) + word[5] + word[4] + word.slice(6);
  const style = info.facets.find(({ key }) => key === 'style').values.slice().sort((a, b) => b.count - a.count)[0];
  const top = (await first.values('category'))[0];
  const price = info.ranges.price[0]?.key;
  const asked = [
    ['one frequent word', { words: 'whisky' }],
    ['one letter', { words: 'g' }],
    ['three letters', { words: word.slice(0, 3) }],
    ['a rare word', { words: word }],
    ['a rare and a frequent word', { words: `${word} year` }],
    ['two frequent words', { words: 'single malt' }],
    ['a typing error', { words: typo }],
    ['an article number', { words: 'D0000042' }],
    ['two filters and a sort', { filters: { category: [top.slug], style: [style.slug] }, sort: 'price' }],
    ['a word, two filters and a sort', { words: 'cask', filters: { price: [price], stock: ['yes'] }, sort: 'name' }],
  ];
  for (const [what, question] of asked) {
    const traffic = serve(folder);
    const index = await open();
    let shown = null;
    const onPartial = () => { shown ??= traffic.length; };
    let start = process.cpuUsage();
    const result = await index.query({ ...question, onPartial });
    const used = process.cpuUsage(start);
    const bytes = await size(traffic);
    const before = await size(traffic.slice(0, shown ?? traffic.length));
    // And again, with everything there: what the engine itself takes.
    start = performance.now();
    await index.query(question);
    print({
      what, query: question.words ?? '', isFiltered: !!question.filters, total: result.total, first: result.items[0]?.name ?? null, corrected: result.corrected,
      requests: traffic.length, bytes, firstRequests: shown ?? traffic.length, firstBytes: before,
      cpu: Math.round((used.user + used.system) / 1000), again: Math.round((performance.now() - start) * 10) / 10,
    });
  }
}

async function size(paths) {
  let sum = 0;
  for (const path of paths) {
    const bytes = await readFile(`${folder}/${path}`);
    sum += path.endsWith('.bin') ? bytes.length : gzipSync(bytes, { level: 6 }).length;
  }
  return sum;
}

async function ours(queries) {
  serve(folder);
  const index = await open();
  for (const query of queries) {
    const before = index.stats.bytes;
    const { items, corrected } = await index.query({ words: query, limit: 10 });
    print({ query, ids: items.map(({ id }) => id), corrected, bytes: index.stats.bytes - before });
  }
}

async function pagefind(queries) {
  let requests = 0, bytes = 0;
  const root = 'http://shop.invalid/';
  globalThis.location = new URL(root);
  globalThis.fetch = async (url) => {
    const path = new URL(String(url), root).pathname;
    const content = await readFile(folder + path);
    // The engine is no data.
    if (!/\/wasm\.[^/]*$/.test(path)) {
      requests += 1;
      bytes += path.endsWith('.json') ? gzipSync(content, { level: 6 }).length : content.length;
    }
    return new Response(content, { headers: { 'content-type': path.endsWith('json') ? 'application/json' : 'application/octet-stream' } });
  };
  const engine = await import(`${folder}/pagefind/pagefind.js`);
  await engine.options({ basePath: root + 'pagefind/', baseUrl: '/' });
  for (const query of queries) {
    const before = { requests, bytes };
    const { results } = await engine.search(query);
    // Only pages of products count as answers, ten of them; of what it takes to show results, the first ten.
    const ids = [];
    let shown = null;
    for (const [i, result] of results.slice(0, 40).entries()) {
      if (i === 10) shown = { requests, bytes };
      const { url } = await result.data();
      const id = /^\/products\/[0-9a-f]{2}\/.*?(\d+)\.html$/.exec(url);
      if (id) ids.push(id[1]);
      if (ids.length === 10) break;
    }
    shown ??= { requests, bytes };
    print({ query, ids, requests: shown.requests - before.requests, bytes: shown.bytes - before.bytes });
  }
  process.exit(0);
}

const queries = file ? JSON.parse(await readFile(file, 'utf8')) : [];
await { ten, ours, pagefind }[mode](queries);
