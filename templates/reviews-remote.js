/* Reviews of a web service (docs/reviews.md): asked when the page is shown, taken as text only, and none of it trusted.

   Whatever goes wrong, the page stays as it was: no answer in ten seconds, more than 1 MB, not XML, no reviews. */
import text, { language } from './texts.js';

const MOST = 200;
const number = (value, digits = 0) => new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);

function make(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}
function drawn(name, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}
const stars = rating => drawn('svg', { class: 'stars', role: 'img', 'aria-label': text('rating_label', { rating: number(rating, Number.isInteger(rating) ? 0 : 1) }) },
  drawn('rect', { width: `${rating * 20}%` }));

/* What a review says, or null. Direct children only, their text only, cut to length. */
function understood(element) {
  const part = (name, most) => [...element.children].find(child => child.localName === name)?.textContent.trim().slice(0, most) || undefined;
  const rating = Number(element.getAttribute('rating') || NaN), date = element.getAttribute('date') ?? '', language = element.getAttribute('lang') ?? '';
  const body = part('body', 5000), title = part('title', 200);
  const given = rating >= 0 && rating <= 5 ? Number(rating.toFixed(1)) : undefined;
  if (!body && !title && given === undefined) return null;
  return {
    body, title, author: part('author', 100), rating: given,
    date: /^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/.test(date) ? date : undefined,
    language: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(language) ? language : undefined,
  };
}

function dated(date) {
  const [year, month, day] = date.split('-').map(Number), form = day ? { dateStyle: 'long' } : month ? { year: 'numeric', month: 'long' } : { year: 'numeric' };
  return make('time', { datetime: date }, new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' }).format(Date.UTC(year, (month ?? 1) - 1, day ?? 1)));
}

function card(review) {
  const article = make('article', { class: 'rev', ...review.language && { lang: review.language } });
  if (review.title) article.append(make('h3', {}, review.title));
  const who = make('p', { class: 'who' });
  if (review.rating !== undefined) who.append(stars(review.rating));
  if (review.author) who.append(make('span', {}, review.author));
  if (review.date) who.append(dated(review.date));
  article.append(who, make('div', {}, ...(review.body ?? '').split(/\n\s*\n/).filter(part => part.trim()).map(part => make('p', {}, part.trim()))));
  return make('li', {}, article);
}

function section(reviews) {
  const rated = reviews.map(review => review.rating).filter(rating => rating !== undefined), body = make('div', { class: 'body' });
  if (rated.length) {
    const sum = rated.reduce((sum, rating) => sum + rating, 0), average = Number((sum / rated.length).toFixed(1)), bars = make('ol', { class: 'dist' });
    for (let star = 5; star >= 1; star--) {
      const n = rated.filter(rating => Math.min(5, Math.max(1, Math.round(rating))) === star).length;
      bars.append(make('li', {}, make('span', { class: 'vh' }, text('stars_count_label', { n, stars: number(star) })), make('div', { 'aria-hidden': 'true' }, make('span', {}, number(star)),
        drawn('svg', { class: 'track' }, drawn('rect', { width: `${Math.round(n * 100 / rated.length)}%` })), make('span', {}, number(n)))));
    }
    body.append(make('div', { class: 'sum' },
      make('p', { class: 'avg' }, make('b', { 'aria-hidden': 'true' }, number(average, 1)), stars(average), make('span', {}, text('average_of', { n: rated.length }))), bars));
  }
  body.append(make('ul', {}, ...reviews.map(card)));
  return make('section', { class: 'card c-reviews', id: 'reviews', 'aria-labelledby': 'h-reviews', tabindex: '0', 'data-tab': text('tab_reviews') },
    make('header', {}, make('h2', { id: 'h-reviews' }, text('reviews_count', { n: reviews.length }))), body);
}

/** Asks a service; `arrive` gets the section and what to announce, once, if there is anything. */
export function ask(address, arrive) {
  const x = new XMLHttpRequest();
  x.open('GET', address);
  x.responseType = 'document';
  x.overrideMimeType('application/xml');   // never as HTML, whatever the service calls it
  x.timeout = 10000;
  x.onprogress = e => { if (e.loaded > 1e6 || e.total > 1e6) x.abort(); };
  x.onload = () => {
    const root = x.status < 400 && x.response?.documentElement;
    if (!root || root.localName !== 'reviews' || root.querySelector('parsererror')) return;
    // Newest first, as everywhere; those without a date last, in the service's order.
    const reviews = [...root.children].filter(child => child.localName === 'review').slice(0, MOST).map(understood).filter(Boolean)
      .sort((a, b) => (a.date ?? '') < (b.date ?? '') ? 1 : (a.date ?? '') > (b.date ?? '') ? -1 : 0);
    if (reviews.length) arrive(section(reviews), text('reviews_added', { n: reviews.length }));
  };
  x.send();
}
