/* Reviews that come after the page, and what can be done with many of them: sort, show more. */
import text from './texts.js';

/** Reads a page of the site, or nothing: any failure leaves the page that asked as it was. */
function read(address, use, late) {
  const x = new XMLHttpRequest();   // "document" parses without innerHTML, so Trusted Types stays happy
  x.open('GET', address);
  x.responseType = 'document';
  x.timeout = 10000;
  x.onprogress = e => { if (e.loaded > 1e6) x.abort(); };
  x.onload = () => {
    const section = x.status < 400 && x.response?.querySelector('#reviews');
    if (!section) return late?.();
    // Relative addresses in there are relative to that page.
    for (const a of section.querySelectorAll('a[href]')) a.setAttribute('href', a.href);
    use(document.importNode(section, true));
  };
  x.onerror = x.ontimeout = x.onabort = () => late?.();
  x.send();
}

const FIRST = 10, STEP = 20;   // reviews a card shows at first, and more at a time; arbitrary

/** Gives a section of reviews its sorting, and a card of many a button for more of them. */
export function enhance(section) {
  const list = section.querySelector('.body > ul'), all = [...list?.children ?? []];
  const button = section.querySelector('.more a');
  if (button && section.classList.contains('card')) {
    button.addEventListener('click', e => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      const go = () => { location.href = button.href; };
      read(button.href, whole => {
        list.replaceChildren(...whole.querySelectorAll('.body > ul > li'));
        button.closest('.more').remove();
        enhance(section);
        const next = list.children[all.length];
        if (next) { next.hidden = false; next.tabIndex = -1; next.focus(); }
      }, go);
    });
    return;
  }
  if (all.length < 3) return;
  let shown = section.classList.contains('solo') ? all.length : FIRST;
  const rating = li => parseFloat(li.querySelector('.stars rect')?.getAttribute('width')) || 0;
  const stars = new Map(all.map((li, i) => [li, { i, stars: rating(li), isRated: !!li.querySelector('.stars') }]));
  const orders = {
    newest: (a, b) => a.i - b.i,
    highest: (a, b) => b.isRated - a.isRated || b.stars - a.stars || a.i - b.i,
    lowest: (a, b) => b.isRated - a.isRated || a.stars - b.stars || a.i - b.i,
  };
  const select = document.createElement('select');
  select.className = 'sort';
  select.setAttribute('aria-label', text('reviews_sort'));
  for (const [value, label] of [['newest', text('reviews_newest')], ['highest', text('reviews_highest')], ['lowest', text('reviews_lowest')]]) select.append(new Option(label, value));
  const more = document.createElement('button');
  more.type = 'button';
  more.className = 'btn';
  function paint() {
    all.forEach((li, i) => { li.hidden = i >= shown; });
    more.textContent = text('reviews_more', { n: all.length - shown });
    more.hidden = shown >= all.length;
  }
  select.addEventListener('change', () => {
    all.sort((a, b) => orders[select.value](stars.get(a), stars.get(b)));
    list.append(...all);
    paint();
  });
  more.addEventListener('click', () => {
    const next = all[shown];
    shown += STEP;
    paint();
    next.tabIndex = -1;
    next.focus();
  });
  section.querySelector('header h2').after(select);
  if (shown < all.length) list.after(more);
  paint();
}

/** Looks for the reviews of a product's page; `add` puts a card onto the end of the row and gives the way to it. */
export function start(pan, add) {
  const here = document.getElementById('reviews'), late = document.querySelector('a[data-late]');
  if (here) enhance(here);
  if (location.protocol === 'file:') return;
  const arrive = (section, announcement) => {
    if (document.getElementById('reviews')) return null;
    const card = document.importNode(section, true);
    card.classList.replace('solo', 'card');
    enhance(card);
    return add(card, card.dataset.tab || card.querySelector('h2').textContent, announcement);
  };
  const begin = () => setTimeout(() => {
    if (late) read(late.href, section => {
      const go = arrive(section, late.dataset.late);
      if (!go) return;
      late.href = '#reviews';
      late.addEventListener('click', e => { e.preventDefault(); go(); });
    });
    if (pan?.dataset.remote) import('./reviews-remote.js').then(m => m.ask(pan.dataset.remote, arrive), () => {});
  }, 300);
  if (document.readyState === 'complete') begin(); else addEventListener('load', begin, { once: true });
}

// The page of all reviews has no row of cards.
if (!document.querySelector('.pan')) start(null, () => {});
