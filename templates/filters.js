// Filters and sort orders of a page that lists products. The page is as it was written until one is chosen; what they
// need is loaded when the panel is opened, or at once where the address already says one.
import say from './say.js';
import text from './texts.js';
import { read, isFiltered } from './search-address.js';

const section = document.querySelector('#results[data-filter]');
const button = section?.querySelector('[data-open=filters]');
if (button) {
  document.documentElement.classList.add('js');
  let listing;
  const get = async () => {
    const { Listing } = await import('./listing.js');
    const { group, value } = section.dataset;
    return listing ??= new Listing({ section, scope: group ? { group, value } : null });
  };
  // The list stays as it is; the next press tries again.
  const fail = () => say(text('search_offline'));
  const state = read(location.search);
  if (isFiltered(state) || state.sort) get().then(l => l.start(), fail);
  // So that it opens at once: what a pointer comes near to is fetched.
  button.addEventListener('pointerenter', () => { get().catch(() => {}); }, { once: true });
  button.addEventListener('click', async () => {
    button.setAttribute('aria-busy', 'true');
    try { await (await get()).toggle(); } catch { fail(); } finally { button.removeAttribute('aria-busy'); }
  });
}
