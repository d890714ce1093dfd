/* Keeps visited pages, their files and pictures on the device, for when there is no connection.

   With a connection a page always comes from the network, so that no price is older than the site. Files whose name
   holds a hash of their content are taken from the device: they cannot be old. The build puts two lines before this
   one: `version`, which changes when a script, style sheet or picture of the theme does, and `texts`. */
const scope = new URL(registration.scope).pathname;
const PREFIX = `build-site:${scope}:`;
const PAGES = `${PREFIX}${version}:pages`, FILES = `${PREFIX}${version}:files`, PICTURES = `${PREFIX}pictures`;
const MOST = { [PAGES]: 200, [FILES]: 200, [PICTURES]: 400 };   // arbitrary: some 20 MB at the usual sizes
const LARGEST = 4e6;

addEventListener('install', () => skipWaiting());
addEventListener('activate', e => e.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && !(name in MOST)) await caches.delete(name);
  await clients.claim();
})()));

/* Where an address of the site is kept, and under which name; null: nowhere. Private pages of customers never are. */
function place(address) {
  const url = new URL(address);
  if (url.origin !== location.origin || !url.pathname.startsWith(scope)) return null;
  const path = url.pathname.slice(scope.length);
  if (/^lists\/|^sw\.js$/.test(path)) return null;
  const name = /^pictures\//.test(path) ? PICTURES : /^assets\/|\.bin$/.test(path) ? FILES : PAGES;
  return { name, key: url.origin + url.pathname.replace(/\/index\.html$/, '/'), isFixed: name !== PAGES };
}

async function keep({ name, key }, response) {
  if (response.status !== 200 || response.type !== 'basic' || Number(response.headers.get('content-length')) > LARGEST) return;
  try {
    const cache = await caches.open(name);
    // A new response: one that was redirected would not be taken for a page.
    await cache.put(key, new Response(await response.blob(), { headers: response.headers }));
    const keys = await cache.keys();
    for (const old of keys.slice(0, Math.max(0, keys.length - MOST[name]))) await cache.delete(old);
  } catch { /* no room: then it is not kept */ }
}

async function kept({ name, key }) { return (await caches.open(name)).match(key); }

async function fixed(e, at) {
  const there = await kept(at);
  if (there) return there;
  const response = await fetch(e.request);
  e.waitUntil(keep(at, response.clone()));
  return response;
}

async function fresh(e, at) {
  let response;
  try { response = await fetch(e.request, { cache: 'no-cache' }); } catch (fault) {
    const there = await kept(at);
    if (there) {
      const headers = new Headers(there.headers);
      headers.set('x-kept', '1');
      return new Response(there.body, { headers });
    }
    if (e.request.mode !== 'navigate') throw fault;
    const clean = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
    return new Response(
      `<!DOCTYPE html><html lang="${clean(texts.language)}" dir="${texts.direction}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${clean(texts.title)}</title><main><h1>${clean(texts.title)}</h1><p>${clean(texts.text)}</p><p><a href="${clean(scope)}">${clean(texts.home)}</a></p></main></html>`,
      { status: 503, headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  }
  e.waitUntil(keep(at, response.clone()));
  return response;
}

addEventListener('fetch', e => {
  const { request } = e;
  if (request.method !== 'GET' || request.headers.has('range')) return;
  const at = place(request.url);
  if (at) e.respondWith(at.isFixed ? fixed(e, at) : fresh(e, at));
});

/* The page that was open before this worker was there says what it is made of. */
addEventListener('message', e => e.waitUntil(Promise.all((e.data?.visited ?? []).slice(0, 200).map(async address => {
  const at = place(address);
  if (!at || await kept(at)) return;
  try { await keep(at, await fetch(address)); } catch { /* another time */ }
}))));
