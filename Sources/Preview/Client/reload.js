/* The preview's own script: build-site serve adds it to pages that a browser navigates to. It loads a page again when its
   bytes have changed, swaps style sheets without loading anything, and shows what is wrong over the page. */
const place = 'build-site.preview:' + location.pathname;
let page = new URL(import.meta.url).searchParams.get('page');

// Where an element is, whatever other scripts have added beside it.
function way(e) {
  const steps = [];
  for (; e.parentElement; e = e.parentElement) {
    let n = 1;
    for (let s = e.previousElementSibling; s; s = s.previousElementSibling) if (s.localName === e.localName) n++;
    steps.unshift(`${e.localName}:nth-of-type(${n})`);
  }
  return [':root', ...steps].join('>');
}

// Where the reader was: the window, and whatever else scrolls, such as the cards of a product.
function keepPlace() {
  const scrolled = [...document.querySelectorAll('*')].flatMap(e => e.scrollLeft || e.scrollTop ? [[way(e), e.scrollLeft, e.scrollTop]] : []);
  try { sessionStorage.setItem(place, JSON.stringify(scrolled)); } catch { /* blocked or full */ }
}

function restorePlace() {
  let scrolled = null;
  try { scrolled = JSON.parse(sessionStorage.getItem(place)); sessionStorage.removeItem(place); } catch { /* blocked */ }
  if (!Array.isArray(scrolled)) return;
  const restore = () => {
    for (const [way, left, top] of scrolled) document.querySelector(way)?.scrollTo({ left, top, behavior: 'instant' });
  };
  restore();
  // Pictures and other scripts move things until all is loaded.
  if (document.readyState === 'complete') requestAnimationFrame(restore);
  else addEventListener('load', () => requestAnimationFrame(restore), { once: true });
}

const stem = path => path.replace(/^.*\//, '').replace(/-[0-9a-f]+\.css$/, '');

function swapStyles(paths) {
  for (const old of document.querySelectorAll('link[rel=stylesheet]:not([data-old])')) {
    const path = paths.find(p => stem(p) === stem(old.pathname ?? new URL(old.href).pathname));
    if (!path || new URL(old.href).pathname.endsWith('/' + path)) continue;
    const link = old.cloneNode();
    link.href = old.getAttribute('href').replace(/assets\/[^/]*$/, path);
    old.dataset.old = '';
    // The old one stays until the new one is there: no moment without style.
    for (const event of ['load', 'error']) link.addEventListener(event, () => old.remove(), { once: true });
    old.after(link);
  }
}

let checks = 0;
async function check() {
  const own = ++checks;
  let answer;
  try {
    answer = await fetch(location.pathname + location.search, { method: 'HEAD', cache: 'no-store', headers: { 'X-Preview': 'page' } });
  } catch { return; }
  if (own !== checks) return;
  const now = answer.headers.get('X-Preview-Page');
  if (!now) return;
  if (now !== page) {
    keepPlace();
    location.reload();
    return;
  }
  swapStyles((answer.headers.get('X-Preview-Styles') ?? '').split(' ').filter(Boolean));
}

let overlay = null;
function hide() { overlay?.remove(); overlay = null; }

function element(name, text, className) {
  const e = document.createElement(name);
  if (text) e.textContent = text;
  if (className) e.className = className;
  return e;
}

// In a shadow tree, so that the page's own style does not touch it.
function show(faults) {
  hide();
  overlay = element('build-site-overlay');
  const root = overlay.attachShadow({ mode: 'open' });
  const style = element('link');
  style.rel = 'stylesheet';
  style.href = '/__reload.css';
  const panel = element('section');
  panel.setAttribute('role', 'alert');
  panel.append(element('h1', 'The site cannot be built as it is'));
  for (const fault of faults) {
    const item = element('article');
    if (fault.place) item.append(element('p', fault.place, 'place'));
    item.append(element('p', fault.message, 'message'));
    if (fault.source !== undefined) {
      const source = element('pre');
      source.append(element('span', fault.line + ' │ ', 'line'));
      const marked = [...fault.source];
      const start = Math.max(0, fault.column - 1), end = start + Math.max(1, fault.length);
      source.append(marked.slice(0, start).join(''), element('mark', marked.slice(start, end).join('') || ' '),
        marked.slice(end).join(''));
      item.append(source);
    }
    item.append(element('p', fault.id, 'id'));
    panel.append(item);
  }
  const close = element('button', 'Hide');
  close.type = 'button';
  close.addEventListener('click', hide);
  panel.append(close);
  root.append(style, panel);
  document.body.append(overlay);
}

function tell({ name, data }) {
  if (name === 'page') { hide(); check(); } else show(JSON.parse(data));
}

function listen(heard) {
  const events = new EventSource('/__events');
  for (const name of ['page', 'faults']) events.addEventListener(name, e => heard({ name, data: e.data }));
  return events;
}

// A browser opens six connections to a host, whatever the number of tabs: so one page listens, and tells the others. When it
// goes, the next one listens.
function share() {
  const channel = new BroadcastChannel('build-site.preview');
  const own = Math.random(), end = new AbortController();
  let last = null;
  channel.onmessage = ({ data: { asker, to, news } }) => {
    if (asker !== undefined) { if (last) channel.postMessage({ to: asker, news: last }); }
    else if (to === undefined || to === own) tell(news);
  };
  navigator.locks.request('build-site.preview', { signal: end.signal }, () => new Promise(done => {
    const events = listen(news => {
      last = news;
      channel.postMessage({ news });
      tell(news);
    });
    end.signal.addEventListener('abort', () => { events.close(); done(); });
  })).catch(() => { /* left while it waited */ });
  // What is so at the moment: one that begins to listen is told that by the preview.
  channel.postMessage({ asker: own });
  return () => { end.abort(); channel.close(); };
}

// Without locks, as at an address that is not this machine's, a page listens while it can be seen.
function listenWhileSeen() {
  let events = null;
  const turn = () => {
    if (document.visibilityState === 'hidden') { events?.close(); events = null; }
    else events ??= listen(tell);
  };
  turn();
  document.addEventListener('visibilitychange', turn);
  return () => events?.close();
}

restorePlace();
const leave = navigator.locks ? share() : listenWhileSeen();
addEventListener('pagehide', leave);
// A page that comes back from the browser's memory listens again.
addEventListener('pageshow', e => { if (e.persisted) location.reload(); });
