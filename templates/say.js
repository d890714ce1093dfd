/* The one status region of a page: shown as a toast and read out politely. */
const status = document.getElementById('say');
let until = 0, fading = 0;

/** Says a text for six seconds. Quietly: to screen readers only, and not over something that is being said. */
export default function say(text, quietly = false) {
  if (!status) return;
  const wait = until - Date.now();
  if (quietly && wait > 0) { setTimeout(say, wait, text, true); return; }
  status.classList.toggle('vh', quietly);
  status.textContent = text;
  clearTimeout(fading);
  until = Date.now() + 6000;
  fading = setTimeout(() => { status.textContent = ''; }, 6000);
}
