// The search field is a form that leads to the search page. What more it can do is loaded when somebody goes to it.
for (const form of document.querySelectorAll('form[role=search]')) {
  const input = form.querySelector('input[name=q]');
  if (!input) continue;
  // What the browser remembers would lie over the suggestions.
  input.autocomplete = 'off';
  const load = () => import('./suggest.js').then(m => m.attach(form, input), () => {
    // It stays a form; the next focus tries again.
    input.addEventListener('focus', load, { once: true });
  });
  if (document.activeElement === input) load();
  else input.addEventListener('focus', load, { once: true });
}
