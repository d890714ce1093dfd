/* Behaviour of cards and index pages. Everything here is an enhancement:
   without it the cards still scroll, snap and answer to their anchor links.
   Modules do not load from file://: there the pages are as they are without script. */
import say from './say.js';

(() => {
  const doc = document;
  doc.documentElement.classList.add('js');

  // Grid or list is remembered. Reading storage throws where it is blocked; then the choice holds for this page.
  const VIEW = 'build-site.view';
  for (const radio of doc.querySelectorAll('.seg input[name=view]')) {
    try { if (localStorage.getItem(VIEW) === radio.id) radio.checked = true; } catch { /* blocked */ }
    radio.addEventListener('change', () => { try { localStorage.setItem(VIEW, radio.id); } catch { /* blocked or full */ } });
  }

  // A private page's address is worth keeping; the clipboard only exists in secure contexts.
  for (const b of doc.querySelectorAll('[data-copy]')) {
    if (!navigator.clipboard) continue;
    b.hidden = false;
    b.addEventListener('click', () => navigator.clipboard.writeText(location.href.split('#')[0]).then(() => say(b.dataset.copy), () => {}));
  }

  const pan = doc.querySelector('.pan'), tabs = doc.querySelector('.tabs ol');
  if (!pan || !tabs) return;
  const calm = matchMedia('(prefers-reduced-motion: reduce)');
  const cards = () => [...pan.querySelectorAll(':scope > .card')];
  const link = id => tabs.querySelector(`a[href="#${CSS.escape(id)}"]`);
  const rtl = () => getComputedStyle(pan).direction === 'rtl';
  let now = null;       // the current card
  let held = false;     // true after an explicit jump, until the reader scrolls by hand
  let moved = false;    // whether the reader has scrolled at all
  let moving = false;   // whether the row is being scrolled

  function mark(card) {
    if (!card || card === now) return;
    now = card;
    for (const a of tabs.querySelectorAll('[aria-current]')) a.removeAttribute('aria-current');
    const a = link(card.id);
    if (!a) return;
    a.setAttribute('aria-current', 'true');
    a.parentNode.classList.remove('new');
    const t = tabs.parentNode, r = a.getBoundingClientRect(), b = t.getBoundingClientRect();
    if (r.left < b.left || r.right > b.right) t.scrollBy({ left: r.left + r.width / 2 - b.left - b.width / 2, behavior: 'auto' });
    steps();
  }

  // Which card is "current"? A reference line that travels from the leading to
  // the trailing edge while the row scrolls from start to end, so that every
  // card gets its turn even when the last ones can never reach the snap edge.
  function find() {
    if (held) return;
    const max = pan.scrollWidth - pan.clientWidth;
    const far = Math.abs(pan.scrollLeft), p = max > 1 ? far / max : 0;
    const box = pan.getBoundingClientRect();
    const x = rtl() ? box.right - 24 - p * (box.width - 48) : box.left + 24 + p * (box.width - 48);
    let best, dist = Infinity;
    for (const c of cards()) {
      const r = c.getBoundingClientRect();
      const d = Math.max(r.left - x, x - r.right, 0);
      if (d < dist) { dist = d; best = c; }
    }
    mark(best);
  }

  function go(card, focus) {
    if (!card) return;
    held = true;
    pan.style.scrollSnapType = '';
    card.scrollIntoView({ inline: 'start', block: 'nearest', behavior: calm.matches ? 'instant' : 'smooth' });
    mark(card);
    if (focus) card.focus({ preventScroll: true });
  }
  const by = n => { const all = cards(); return all[Math.min(all.length - 1, Math.max(0, all.indexOf(now) + n))]; };

  // Previous / next buttons are only worth having with script, so script makes them live.
  const buttons = doc.querySelectorAll('[data-go]');
  function steps() {
    const all = cards(), fits = pan.scrollWidth <= pan.clientWidth + 1;
    for (const b of buttons) b.setAttribute('aria-disabled', String(fits || (+b.dataset.go < 0 ? now === all[0] : now === all.at(-1))));
  }
  for (const b of buttons) b.addEventListener('click', () => go(by(+b.dataset.go)));

  tabs.addEventListener('click', e => {
    const a = e.target.closest('a');
    if (!a || e.ctrlKey || e.metaKey || e.shiftKey) return;
    const card = doc.getElementById(a.hash.slice(1));
    if (!card) return;
    e.preventDefault();
    history.replaceState(null, '', a.hash);
    go(card, true);
  });

  pan.addEventListener('keydown', e => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey || e.target.closest('input, select, textarea, table')) return;
    const ahead = rtl() ? 'ArrowLeft' : 'ArrowRight', back = rtl() ? 'ArrowRight' : 'ArrowLeft';
    const at = e.target.closest('.card');
    let to;
    if (e.key === ahead) to = by(1);
    else if (e.key === back) to = by(-1);
    else if (e.target === pan && e.key === 'Home') to = cards()[0];
    else if (e.target === pan && e.key === 'End') to = cards().at(-1);
    if (!to) return;
    e.preventDefault();
    go(to, !!at);
  });

  // Tabbing into a card makes it the current one and brings it fully into view.
  pan.addEventListener('focusin', e => {
    const card = e.target.closest('.card');
    if (card && card !== now && e.target.matches(':focus-visible')) go(card);
  });

  for (const ev of ['wheel', 'touchstart', 'pointerdown']) pan.addEventListener(ev, () => { held = false; moved = true; pan.style.scrollSnapType = ''; }, { passive: true });
  for (const [ev, now] of [['touchstart', true], ['scroll', true], ['scrollend', false]]) pan.addEventListener(ev, () => { moving = now; }, { passive: true });
  let tick = 0;
  pan.addEventListener('scroll', () => { tick ||= requestAnimationFrame(() => { tick = 0; find(); }); }, { passive: true });

  // The tab strip doubles as a map: tabs of cards in view are darker. A card
  // that has nothing to scroll does not need to be a tab stop.
  const seen = new IntersectionObserver(list => {
    for (const e of list) link(e.target.id)?.toggleAttribute('data-in', e.intersectionRatio > .6);
  }, { root: pan, threshold: [0, .6, 1] });
  const sized = new ResizeObserver(list => {
    for (const { target: c } of list) c.tabIndex = c.scrollHeight > c.clientHeight + 4 ? 0 : -1;
  });

  // A window that is turned or resized keeps the card that stood at the start of the row.
  const offset = c => (rtl() ? -1 : 1) * (c.getBoundingClientRect()[rtl() ? 'right' : 'left'] - pan.getBoundingClientRect()[rtl() ? 'right' : 'left']) - (parseFloat(getComputedStyle(pan).scrollPaddingInlineStart) || 0);
  let first = null, width = pan.clientWidth;
  pan.addEventListener('scroll', () => { if (pan.clientWidth === width) first = cards().findLast(c => offset(c) < 8); }, { passive: true });
  new ResizeObserver(() => {
    if (pan.clientWidth === width) return;
    width = pan.clientWidth;
    // Where the browser has done so already, scrolling by the rest of a pixel would go on to the next card.
    const by = first ? offset(first) : 0;
    if (Math.abs(by) > 2) pan.scrollBy({ left: (rtl() ? -1 : 1) * by, behavior: 'instant' });
    steps();
  }).observe(pan);
  addEventListener('hashchange', () => { const card = doc.getElementById(location.hash.slice(1))?.closest('.card'); if (card) { held = true; mark(card); } });
  // A table wider than its card scrolls by itself and needs to be reachable for that.
  const watch = c => {
    seen.observe(c); sized.observe(c);
    for (const t of c.querySelectorAll('.rich table')) if (t.scrollWidth > t.clientWidth + 1) t.tabIndex = 0;
  };
  cards().forEach(watch);
  held = !!location.hash;
  mark(location.hash && doc.getElementById(location.hash.slice(1))?.closest('.card') || cards()[0]);

  // Reviews come from a page or a service of their own; the scripts for that are only fetched where there are some.
  function add(card, label, announcement) {
    const li = doc.createElement('li'), a = doc.createElement('a');
    card.className = 'card c-reviews pop';
    card.tabIndex = 0;
    card.addEventListener('animationend', () => card.classList.remove('pop'), { once: true });
    a.href = '#' + card.id;
    a.textContent = label;
    li.className = 'new';
    li.append(a);
    tabs.append(li);
    // A row that rests at its end, between two cards, would snap anew with more room there and move what is being read:
    // not before the reader moves it.
    if (!moving && cards().every(c => Math.abs(offset(c)) > 2)) pan.style.scrollSnapType = 'none';
    pan.append(card);
    watch(card);
    steps();
    if (announcement) say(announcement, true);   // seen by the dot on its tab
    if (location.hash === a.hash && !moved) go(card);
    return () => go(card, true);
  }
  if (doc.querySelector('a[data-late], #reviews') || pan.dataset.remote) import('./reviews.js').then(m => m.start(pan, add), () => {});
})();
