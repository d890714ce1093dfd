"""What a first visit moves, and that nothing jumps or complains: measured in the browser."""
import gzip, re

import pages


def packed(site, requests, pattern):
    """Bytes after gzip -9 of what was asked for."""
    paths = {p.split('?')[0].lstrip('/') for p, _ in requests if re.search(pattern, p)}
    return sum(pages.packed(site.folder, p) for p in paths), sorted(paths)


def test_first_visit_of_products_stays_within_the_budgets(visit):
    site = visit.site()
    products = [p for p in pages.files(site.folder, '.html') if re.match(r'products/../', p)]
    heavy = max(products, key=lambda p: pages.packed(site.folder, p))
    for path in (site.product, heavy, next(site.pages('stage nopic'))):
        for phone in (True, False):
            site.server.requests.clear()
            page = visit.open(path, phone=phone, touch=phone, calm=False, workers=True)
            page.until("document.readyState === 'complete' && (!document.querySelector('a[data-late]') || document.getElementById('reviews'))")
            page.until("document.querySelector('link[rel=manifest]')")
            html, css, js = (packed(site, site.server.requests, pattern) for pattern in (re.escape(path) + '$', r'\.css$', r'(?<!/sw)\.js$'))
            print(f'       {"phone" if phone else "desktop"} {path}: HTML {html[0]:,} CSS {css[0]:,} JS {js[0]:,} bytes, gzip -9')
            assert html[0] <= 12_000, html
            assert css[0] <= 10_240, css
            assert js[0] <= 12_000, js
            page.shifts().quiet()


def test_nothing_jumps_or_complains_on_any_kind_of_page(visit):
    site = visit.site()
    for phone in (True, False):
        context = visit.context(phone=phone, touch=phone, calm=False)
        for kind, path in site.kinds.items():
            page = visit.open('not/here.html' if kind == 'not found' else path, context=context, messages=['404'] if kind == 'not found' else [])
            page.until("document.documentElement.classList.contains('js') || document.querySelector('meta[http-equiv=refresh]')", why=f'{kind}: scripts')
            try: page.shifts().quiet()
            except AssertionError as e: raise AssertionError(f'{kind}, {"phone" if phone else "desktop"}: {e}') from None
            page.page.close()
            visit.views.remove(page)


def test_a_slow_line_moves_nothing(visit):
    site = visit.own_site()
    site.server.delay = .15
    page = visit.open(site.product, site=site, phone=True, touch=True, calm=False)
    page.until("document.getElementById('reviews')")
    page.shifts()
