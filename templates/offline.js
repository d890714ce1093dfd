/* Starts the service worker, which keeps visited pages for when there is no connection, and names the web app's manifest. */
const root = new URL('..', import.meta.url);

async function start() {
  const link = document.createElement('link');   // not in the HTML: from file:// browsers refuse manifests, loudly
  link.rel = 'manifest';
  link.href = new URL('site.webmanifest', root).href;
  document.head.append(link);
  if (!navigator.serviceWorker) return;
  // The one policy that the pages allow, and it gives this one address whatever it is asked for.
  const address = new URL('sw.js', root).href;
  const policy = window.trustedTypes?.createPolicy('service-worker', { createScriptURL: () => address });
  try {
    const first = !navigator.serviceWorker.controller;
    await navigator.serviceWorker.register(policy ? policy.createScriptURL('') : address, { scope: root.pathname, updateViaCache: 'none' });
    if (!first) return;
    const { active } = await navigator.serviceWorker.ready;
    active.postMessage({ visited: [location.href, ...performance.getEntriesByType('resource').map(entry => entry.name)] });
  } catch { /* private windows and full disks have none: everything works without */ }
}
if (document.readyState === 'complete') start(); else addEventListener('load', start, { once: true });
