// The search engine, opened once for all that use it on a page.
import { open } from './search-engine.js';

/** The address of the top of the site: this script lies in assets/. */
export const root = new URL('..', import.meta.url).href;

let opening;
/** The index. What could not be opened is tried again by the next who asks. */
export function index() {
  return opening ??= open(root).catch(error => {
    opening = undefined;
    throw error;
  });
}
