/* How pictures arrive, the gallery on the first card, and the large view. Without it every picture is there, swipes,
   and its link opens the large file. */
const doc = document;
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const make = (name, props, ...children) => {
  const node = Object.assign(doc.createElement(name), props);
  node.append(...children);
  return node;
};

// Fades a picture in over its placeholder; says after a while that it is on its way, and in the end that it is not.
function watch(img, box, failed) {
  let slow = 0;
  const settle = () => {
    clearTimeout(slow);
    box.classList.remove('slow');
    img.classList.remove('wait');
    box.querySelector(':scope > .says')?.remove();
    const isBroken = !img.naturalWidth;
    box.classList.toggle('failed', isBroken);
    if (!box.matches('.large')) box.classList.toggle('nopic', isBroken);
    if (isBroken && failed) box.append(make('p', { className: 'says', textContent: failed }));
  };
  const begin = () => {
    if (img.complete && img.currentSrc) return settle();
    img.classList.add('wait');
    clearTimeout(slow);
    // A lazy picture that nobody has scrolled to is not slow.
    slow = setTimeout(() => box.classList.add('slow'), 300);
  };
  img.addEventListener('load', settle);
  img.addEventListener('error', settle);
  if (img.loading !== 'lazy' || img.complete) return begin();
  const seen = new IntersectionObserver(list => {
    if (!list.some(e => e.isIntersecting)) return;
    seen.disconnect();
    begin();
  });
  seen.observe(img);
}

const stage = doc.querySelector('.stage');
const text = stage?.dataset ?? {};
for (const img of doc.querySelectorAll('.thumb img')) watch(img, img.closest('.thumb'));
for (const img of doc.querySelectorAll('.stage img')) watch(img, img.closest('li') ?? stage, text.failed);

// The gallery: a small picture shows its large one, and which that is is marked.
const reel = stage?.querySelector('.reel');
if (reel) {
  const slides = [...reel.children], links = [...doc.querySelectorAll('.pics a')];
  for (const [i, link] of links.entries()) link.addEventListener('click', e => {
    if (e.ctrlKey || e.metaKey || e.shiftKey || !slides[i]) return;
    e.preventDefault();
    reel.scrollTo({ left: slides[i].offsetLeft - slides[0].offsetLeft, behavior: calm.matches ? 'instant' : 'smooth' });
  });
  const shown = new IntersectionObserver(list => {
    for (const e of list) if (e.isIntersecting) {
      const at = slides.indexOf(e.target);
      for (const [i, link] of links.entries()) {
        if (i === at) link.setAttribute('aria-current', 'true'); else link.removeAttribute('aria-current');
      }
    }
  }, { root: reel, threshold: .6 });
  for (const slide of slides) shown.observe(slide);
}

// The large view: a dialog, so that Escape, the way back and what a screen reader says are the browser's.
const zooms = [...doc.querySelectorAll('.zoom')];
if (stage && zooms.length && typeof HTMLDialogElement === 'function') {
  let dialog, at = 0;
  const icon = d => {
    const ns = 'http://www.w3.org/2000/svg', svg = doc.createElementNS(ns, 'svg'), path = doc.createElementNS(ns, 'path');
    for (const [k, v] of [['class', 'ic fl'], ['viewBox', '0 0 24 24'], ['aria-hidden', 'true']]) svg.setAttribute(k, v);
    path.setAttribute('d', d);
    svg.append(path);
    return svg;
  };
  const button = (name, label, d, act) => {
    const b = make('button', { type: 'button', className: 'rnd ' + name, ariaLabel: label }, icon(d));
    b.addEventListener('click', e => { e.stopPropagation(); act(); });
    return b;
  };
  const step = n => { at = (at + n + zooms.length) % zooms.length; show(); };
  function show() {
    const small = zooms[at].querySelector('img');
    // Until the large file is there, the one of the card is.
    const img = make('img', { src: zooms[at].href, alt: small.alt });
    dialog.replaceChildren(img, make('p', { textContent: small.alt, ariaHidden: 'true' }), button('', text.close, 'M6 6l12 12M18 6L6 18', () => dialog.close()));
    if (zooms.length > 1) dialog.append(button('back', text.back, 'M19 12H5M11 6l-6 6 6 6', () => step(-1)), button('on', text.on, 'M5 12h14M13 6l6 6-6 6', () => step(1)));
    dialog.setAttribute('aria-label', small.alt);
    dialog.classList.remove('slow', 'failed');
    watch(img, dialog, text.failed);
  }
  function open(i) {
    if (!dialog) {
      dialog = make('dialog', { className: 'large' });
      dialog.addEventListener('click', () => dialog.close());
      dialog.addEventListener('keydown', e => {
        const rtl = getComputedStyle(dialog).direction === 'rtl';
        if (zooms.length > 1 && (e.key === 'ArrowLeft' || e.key === 'ArrowRight')) step((e.key === 'ArrowRight') === !rtl ? 1 : -1);
      });
      doc.body.append(dialog);
    }
    at = i;
    show();
    dialog.showModal();
  }
  for (const [i, a] of zooms.entries()) {
    a.setAttribute('aria-haspopup', 'dialog');
    a.addEventListener('click', e => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      open(i);
    });
  }
}
