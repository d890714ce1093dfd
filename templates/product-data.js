/* What the site says of products today: names, prices, pictures. Never what the device remembers of them. */

/** Reads a page of the site; null when it is not there. `kept` tells that it came from the device's cache. */
function page(address) {
  return new Promise((done, fail) => {
    const x = new XMLHttpRequest();   // "document" parses without innerHTML, so Trusted Types stays happy
    x.open('GET', address);
    x.responseType = 'document';
    x.timeout = 15000;
    x.onerror = x.ontimeout = x.onabort = () => fail(new Error('offline'));
    x.onload = () => {
      if (x.status === 404 || x.status === 410) return done(null);
      if (x.status >= 400 || !x.response) return fail(new Error(`status ${x.status}`));
      done({ doc: x.response, address: x.responseURL, kept: !!x.getResponseHeader('x-kept') });
    };
    x.send();
  });
}

function described(doc) {
  for (const script of doc.querySelectorAll('script[type="application/ld+json"]')) {
    try {
      const data = JSON.parse(script.textContent), found = [data['@graph'] ?? data].flat().find(part => part?.['@type'] === 'Product');
      if (found) return found;
    } catch { /* none of ours */ }
  }
  return {};
}

/** One product from its page; follows the stub that a moved page leaves behind. */
async function fromPage(id, address, root, hops = 0) {
  const got = await page(address);
  if (!got) return { gone: true };
  const { doc, kept } = got;
  const moved = doc.querySelector('meta[http-equiv=refresh]') && doc.querySelector('main a');
  if (moved && hops < 3) return fromPage(id, new URL(moved.getAttribute('href'), got.address), root, hops + 1);
  const menu = doc.querySelector('[data-product]');
  if (menu && menu.dataset.product !== id) return { gone: true };
  const part = selector => doc.querySelector(selector)?.textContent.trim() || undefined;
  const offer = described(doc).offers, amount = Number(offer?.price), picture = doc.querySelector('.stage img'), small = doc.querySelector('.stage source')?.getAttribute('srcset').split(' ')[0], av = doc.querySelector('.c-facts .av');
  return {
    name: part('h1'), producer: part('.c-name .by'), meta: part('.c-name .meta'), gone: !!doc.querySelector('.c-name .tag'), kept,
    path: new URL(got.address).href.slice(root.href.length),
    price: offer && Number.isFinite(amount) ? { amount, currency: offer.priceCurrency } : null,
    noPrice: part('.offer .price.none'), availability: av && { key: av.dataset.av, text: av.textContent },
    picture: picture && new URL(small || picture.getAttribute('src'), got.address).href,
  };
}

let search = null;
/** Takes a function of items and the site's top that saves asking each product's page; product-search.js has one. */
export function answerFrom(source) { search = source; }

/**
 * Asks the site for products: calls `each` with a product's id and what is known of it as it arrives, `null` when it cannot be
 * asked just now. From the data of the search if there is one; otherwise from the products' pages, as far as they are known.
 */
export async function products(items, root, each) {
  const found = await search?.(items, root);
  if (found) {
    for (const { product } of items) each(product, found(product));
    return;
  }
  const queue = [...items];
  await Promise.all(Array.from({ length: 4 }, async () => {
    for (let item; item = queue.shift();) {
      let found = null;
      try { if (item.path) found = await fromPage(item.product, new URL(item.path, root), root); } catch { /* not now */ }
      each(item.product, found);
    }
  }));
}
