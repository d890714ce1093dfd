// Opens the search of a built site without a browser: files in place of a server.
import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';

try {
  new DecompressionStream('deflate-raw');
} catch {
  // Node before 20.12 has no raw DEFLATE among its streams.
  globalThis.DecompressionStream = class {
    constructor() {
      const chunks = [];
      const { readable, writable } = new TransformStream({
        transform: (chunk) => { chunks.push(chunk); },
        flush: (out) => out.enqueue(new Uint8Array(inflateRawSync(Buffer.concat(chunks)))),
      });
      Object.assign(this, { readable, writable });
    }
  };
}

const ROOT = 'http://shop.invalid/sub/';

// Requests go to the folder; `requests` has the paths that were asked for.
export function serve(folder) {
  const requests = [];
  globalThis.fetch = async (url) => {
    const path = String(url).slice(ROOT.length);
    requests.push(path);
    try {
      const bytes = await readFile(`${folder}/${path}`);
      return new Response(bytes, { headers: { 'content-length': String(bytes.length) } });
    } catch {
      return new Response('', { status: 404 });
    }
  };
  return requests;
}

export async function openSite(folder) {
  serve(folder);
  const { open } = await import('../../../templates/search-engine.js');
  return open(ROOT);
}

// SplitMix64, as Tests/TestSupport has it.
export function random(seed) {
  let state = BigInt(seed);
  const mask = (1n << 64n) - 1n;
  const next = () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
  };
  return { below: (n) => Math.floor(next() * n), of: (list) => list[Math.floor(next() * list.length)] };
}
