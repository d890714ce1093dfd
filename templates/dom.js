// Elements are made, never parsed: the pages' policy has no place for HTML in a string.

/** An element with properties and attributes, and what it holds; null is left out. */
export function el(name, given = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'class') e.className = value;
    else if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? '' : value);
  }
  e.append(...children.flat().filter(c => c !== null && c !== undefined && c !== false));
  return e;
}

const SVG = 'http://www.w3.org/2000/svg';

/** An icon: one path in a square of 24. */
export function icon(d, name = 'ic') {
  const svg = document.createElementNS(SVG, 'svg'), path = document.createElementNS(SVG, 'path');
  svg.setAttribute('class', name);
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', d);
  svg.append(path);
  return svg;
}

/** The tint behind a product's picture. */
export function tint(colour) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'ph');
  svg.setAttribute('color', colour || '#8b8071');
  return svg;
}
