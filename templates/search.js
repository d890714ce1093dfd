// The search page. What the results need is loaded by this script and not by the page, so that it can say what is wrong
// where it does not come.
import text from './texts.js';

const doc = document, html = doc.documentElement;
html.classList.add('js', 'can-search');
const section = doc.getElementById('results'), start = doc.querySelector('.start');
const fields = [...doc.querySelectorAll('form[role=search] input[name=q]')];

if (section) {
  const heading = section.querySelector('h2');
  const asks = new URLSearchParams(location.search).size > 0;
  if (start) start.hidden = asks;
  const slow = asks && setTimeout(() => {
    section.hidden = false;
    section.setAttribute('aria-busy', 'true');
    heading.textContent = text('search_loading');
  }, 300);
  import('./listing.js').then(({ Listing }) => {
    clearTimeout(slow);
    const listing = new Listing({ section, isSearch: true, rest: isRest => { if (start) start.hidden = !isRest; } });
    // What somebody has typed and not yet asked for stays in its field.
    listing.onstate = ({ q }) => {
      for (const field of fields) {
        const isBeingTyped = field === doc.activeElement && field.value !== field.defaultValue;
        if (!isBeingTyped && field.value.trim() !== q) field.value = q;
        field.defaultValue = q;
      }
    };
    for (const field of fields) field.form.addEventListener('submit', e => {
      e.preventDefault();
      // Other words are another search: what was chosen among the results of the last one goes.
      listing.go({ q: field.value.trim(), filters: {}, sort: '', page: 1 }, { focus: true });
    });
    listing.onstate(listing.state);
    listing.button?.addEventListener('click', () => listing.toggle().catch(() => {}));
    listing.start();
    const own = doc.querySelector('.big input');
    if (!listing.state.q && own && doc.activeElement === doc.body) own.focus({ preventScroll: true });
  }, () => {
    clearTimeout(slow);
    section.hidden = !asks;
    section.removeAttribute('aria-busy');
    heading.textContent = text('search_failed');
    const note = doc.createElement('p'), again = doc.createElement('a');
    note.className = 'note';
    again.href = location.href;
    again.textContent = text('try_again');
    note.append(text('search_offline'), ' ', again);
    section.append(note);
    if (start) start.hidden = false;
  });
}
