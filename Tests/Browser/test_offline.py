"""The service worker: what was visited can be read without a connection, and nothing old is shown with one."""
import glob, json, os, re, sqlite3

import pages

ACTIVE = "navigator.serviceWorker?.getRegistration().then(r => !!r?.active && r.active.state === 'activated')"
KEPT = """(async () => { const out = []; for (const name of await caches.keys()) for (const r of await (await caches.open(name)).keys()) out.push(new URL(r.url).pathname); return out.sort(); })()"""


def visited(visit, site, path, context, mount='/'):
    page = visit.open(path, site=site, context=context, mount=mount, messages=['ERR_', '503'])
    page.until(ACTIVE)
    page.until(f"{KEPT}.then(all => all.includes(location.pathname.replace(/index\\.html$/, '')))", why='the first page to be kept')
    return page


def test_visited_pages_files_and_pictures_work_without_a_connection(visit):
    site, context = visit.own_site(), visit.context(workers=True)
    page = visited(visit, site, site.product, context)
    name = page.text('h1')
    page.go('products/index.html').until("document.querySelector('.item img')?.complete")
    page.until(f"{KEPT}.then(all => all.includes('/products/'))")
    page.quiet()
    site.server.stop()
    page.go(site.product)
    assert page.text('h1') == name
    assert page.ask("getComputedStyle(document.body).backgroundColor") != 'rgba(0, 0, 0, 0)', 'no style sheet'
    page.until("document.querySelector('.stage img').naturalWidth > 0", why='the picture')
    page.until("document.documentElement.classList.contains('js') && document.querySelector('.tabs [aria-current]')", why='the scripts')
    page.click('.plus').click('#add [data-list=wish]').status('Added')
    page.go('products/index.html').until("document.querySelector('.item')")
    # A page that was never visited says so and leads on.
    page.go('categories/index.html')
    assert page.text('h1') == 'You are offline'
    page.look('offline')
    assert page.ask("document.querySelector('a').pathname") == '/'


def test_prices_are_never_old_with_a_connection(visit):
    site, context = visit.own_site(), visit.context(workers=True)
    page = visited(visit, site, site.product, context)
    before = page.text('.c-facts .price')
    # The shop changes every price and builds; the worker stays the one it was.
    worker = pages.text(site.folder, 'sw.js')
    os.unlink(os.path.join(site.source, 'content/shop.db'))
    pages.subprocess.run(['cp', os.path.join(pages.ROOT, 'content/shop.db'), os.path.join(site.source, 'content/shop.db')], check=True)
    with sqlite3.connect(os.path.join(site.source, 'content/shop.db')) as shop: shop.execute('UPDATE products SET price_minor = price_minor + 11100, sale_price_minor = NULL')
    pages.build(site.source, site.folder)
    assert pages.text(site.folder, 'sw.js') == worker, 'the worker changes with prices'
    page.go(site.product)
    after = page.text('.c-facts .price')
    assert after != before, f'{after} is old'
    page.click('.plus').click('#add [data-list=basket]').status('Added')
    page.go('my-lists.html').until("document.querySelector('#basket .price').textContent")
    assert page.text('#basket .price') in after
    # Without one: the price of the last visit, and said so.
    site.server.stop()
    page.go('my-lists.html').until("document.querySelector('#basket .price').textContent")
    page.expect("document.querySelector('#basket small').textContent", 'You are offline: prices as of your last visit.')


def test_a_new_build_drops_what_is_old(visit):
    site, context = visit.own_site(), visit.context(workers=True)
    page = visited(visit, site, site.product, context)
    names = page.ask('caches.keys()')
    site.settings(texts='{list_wish: "Wants"}')
    page.go(site.product)
    page.until(f"caches.keys().then(all => !all.includes({json.dumps(names[0])}))", why='the old cache to go')
    page.go(site.product).until(f"{KEPT}.then(all => all.length && all.filter(p => /lists-store/.test(p)).length <= 1)")
    assert page.text('#add .mi') == 'Wants'


def test_private_pages_are_never_kept(visit):
    site, context = visit.own_site(), visit.context(workers=True)
    page = visited(visit, site, site.product, context)
    private = next(p for p in pages.files(site.folder, 'index.html') if re.match('lists/[^/]+/', p))
    page.go(private).until("document.querySelector('.c-list')")
    page.go(site.product)
    assert not [p for p in page.ask(KEPT) if p.startswith('/lists/')]
    site.server.stop()
    try: page.go(private)
    except Exception as e: assert 'ERR_CONNECTION_REFUSED' in str(e)
    assert page.text('.c-list') is None


def test_it_works_below_a_sub_path_only(visit):
    site, context = visit.own_site(), visit.context(workers=True)
    page = visited(visit, site, site.product, context, mount='/x/y/')
    assert page.ask("navigator.serviceWorker.getRegistration().then(r => r.scope)") == site.base + '/x/y/'
    assert all(p.startswith('/x/y/') for p in page.ask(KEPT))
    site.server.stop()
    page.go(site.product).until("document.querySelector('.pan')")


def test_switched_off_it_leaves(visit):
    site, context = visit.own_site(), visit.context(workers=True)
    page = visited(visit, site, site.product, context)
    site.settings(offline='no')
    page.go(site.product)
    page.until("navigator.serviceWorker.getRegistration().then(r => !r)", why='the worker to leave')
    page.until('caches.keys().then(all => all.length === 0)')
    assert "trusted-types 'none'" in page.ask("document.querySelector('meta[http-equiv]').content")
    assert not os.path.exists(os.path.join(site.folder, 'site.webmanifest'))
    other = visit.open(site.product, site=site, workers=True)
    assert other.ask("navigator.serviceWorker.getRegistration().then(r => !r)")


def test_what_is_kept_is_bounded(visit):
    site, context = visit.own_site(), visit.context(workers=True)
    page = visited(visit, site, site.product, context)
    page.until('navigator.serviceWorker.controller')
    paths = [p for p in pages.files(site.folder, '.html') if not p.startswith('lists/')][:330]
    page.ask(f"(async () => {{ for (const p of {json.dumps(paths)}) await fetch('/' + p).then(r => r.text()); }})()")
    page.until("caches.keys().then(async all => (await (await caches.open(all.find(n => n.endsWith(':pages')))).keys()).length <= 200)")


def test_the_manifest_is_one_that_browsers_take(visit):
    site = visit.site()
    page = visit.open('index.html', workers=True)
    page.until("document.querySelector('link[rel=manifest]')")
    answer = page.debugger.send('Page.getAppManifest')
    assert not answer['errors'], answer['errors']
    manifest = json.loads(answer['data'])
    assert manifest['name'] == 'Pennywether' and {i['sizes'] for i in manifest['icons']} == {'any', '192x192', '512x512'}
    for icon in manifest['icons']: assert os.path.exists(os.path.join(site.folder, icon['src'])), icon
