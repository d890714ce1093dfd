"""How pictures arrive, the gallery on the first card, the large view."""
import json, os

import pages

TWO = ("{query: \"SELECT product_id, 1 AS position, file, alt FROM pictures UNION ALL SELECT product_id, 2, 'balmorrow-12-year-old.webp', 'The second' FROM pictures "
       "UNION ALL SELECT product_id, 3, 'cinder-row-mild.webp', 'The third' FROM pictures\"}")
LARGEST = """new Promise(done => new PerformanceObserver(list => done(list.getEntries().at(-1).element?.tagName ?? '')).observe({ type: 'largest-contentful-paint', buffered: true }))"""
PICTURES = 'assets/pictures/'


def start(visit, path, site, **device):
    """Opens a page without waiting for its pictures."""
    page = visit.open('404.html', site=site, **device)
    page.page.goto(site.base + '/' + path, wait_until='commit')
    page.until("document.readyState !== 'loading' && document.documentElement.classList.contains('js')")
    return page


def test_nothing_moves_and_the_picture_or_the_name_is_the_largest_paint(visit):
    for device in ({}, {'phone': True, 'touch': True}):
        for path in (visit.site().product, 'index.html', 'products/index.html'):
            page = visit.open(path, calm=False, **device)
            page.until("[...document.images].filter(i => i.loading !== 'lazy').every(i => i.complete)")
            page.shifts()
            if path.startswith('products/') and 'index' not in path:
                # A picture that is complete is painted a frame later.
                page.until(f"{LARGEST}.then(name => ['IMG', 'H1'].includes(name))", why='the picture or the name is the largest paint')
                page.expect("[...document.querySelectorAll('.stage img')].map(i => [i.fetchPriority, i.loading])", [['high', 'auto']])
                page.expect("[...document.querySelectorAll('img:not(.stage img)')].every(i => i.loading === 'lazy')", True)


def test_the_file_that_is_loaded_fits_the_screen(visit):
    # Device pixels of the box, and the widths that there are.
    for scale, path, selector in ((1, visit.site().product, '.stage img'), (2, visit.site().product, '.stage img'), (1, 'products/index.html', '.thumb img'), (2, 'products/index.html', '.thumb img')):
        page = visit.open(path, phone=True, touch=True, device_scale_factor=scale)
        page.until(f"document.querySelector('{selector}').complete")
        got = page.ask(f"(() => {{ const i = document.querySelector('{selector}'), s = getComputedStyle(i); return [i.naturalWidth ? +i.currentSrc.match(/-(\\d+)\\.webp$/)[1] : 0, (i.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight)) * devicePixelRatio]; }})()")
        assert got[1] * .8 <= got[0] or got[0] == 600, f'{path}: {got}'
        assert got[0] <= max(got[1] * 2.6, 160), f'{path}: {got}'


def test_a_slow_picture_shows_a_sign_after_a_while_and_then_fades_in(visit):
    site = visit.own_site()
    product = site.product
    site.server.hanging = [PICTURES]
    page = start(visit, product, site)
    page.until("document.querySelector('.stage.slow')")
    page.expect("getComputedStyle(document.querySelector('.stage img')).opacity < .02", True)
    page.look('picture-slow')
    assert page.ask("document.querySelector('.stage').innerText.trim()") == page.ask("document.querySelector('.stage .crumbs')?.innerText ?? ''")
    page.shifts()
    site.server.hanging = []
    page = visit.open(product, site=site)
    page.until("!document.querySelector('.stage.slow, .stage .wait')")
    page.expect("getComputedStyle(document.querySelector('.stage img')).opacity", '1')


def test_a_fast_picture_shows_no_sign(visit):
    page = visit.open(visit.site().product)
    page.until("document.querySelector('.stage img').complete")
    page.page.wait_for_timeout(400)
    page.expect("document.querySelectorAll('.slow, .wait, .failed').length", 0)


def test_a_failing_picture_says_so_and_leaves_the_page_as_it_is(visit):
    site = visit.own_site()
    product = site.product
    site.server.faults = {PICTURES: 500}
    page = visit.open(product, site=site, messages=['Failed to load resource'])
    page.until("document.querySelector('.stage.failed')")
    assert page.text('.says') == 'The picture could not be loaded'
    page.shifts().axe().look('picture-failed')
    page.click('.zoom').until("document.querySelector('dialog.failed .says')")
    page.keys('Escape').until("!document.querySelector('dialog[open]')")
    page.go('products/index.html').until("document.querySelector('.thumb.failed.nopic')")
    page.shifts()


def test_the_large_view_by_mouse_touch_and_keyboard(visit):
    product = visit.site().product
    for device in ({}, {'phone': True, 'touch': True}):
        page = visit.open(product, **device)
        page.click('.zoom').until("document.querySelector('dialog.large[open] img')?.naturalWidth")
        page.expect("document.querySelector('dialog img').alt", page.ask("document.querySelector('.stage img').alt"))
        page.axe().look('picture-large' + ('-phone' if device else ''))
        page.click('dialog img').until("!document.querySelector('dialog[open]')")
        page.focus('.zoom').shifts()
    page = visit.open(product)
    page.tab_to('.zoom').keys('Enter').until("document.querySelector('dialog.large[open]')")
    page.keys('Escape').focus('.zoom').until("!document.querySelector('dialog[open]')")
    page.keys('Enter').until("document.querySelector('dialog.large[open]')")
    page.click('dialog .rnd').focus('.zoom')


def test_several_pictures_swipe_and_open_large_one_after_the_other(visit):
    site = visit.site(pictures=TWO)
    page = visit.open(site.product, site=site)
    page.expect("document.querySelectorAll('.reel > li').length", 3)
    page.expect("[...document.querySelectorAll('.pics a')].map(a => a.ariaCurrent)", ['true', None, None])
    page.axe().shifts().look('gallery')
    page.click('.pics li:nth-child(2) a').expect("[...document.querySelectorAll('.pics a')].map(a => a.ariaCurrent)", [None, 'true', None])
    page.expect("document.scrollingElement.scrollTop", 0)
    page.expect("[...document.querySelectorAll('.stage img')].map(i => [i.fetchPriority, i.loading])", [['high', 'auto'], ['auto', 'lazy'], ['auto', 'lazy']])
    page.click('.reel li:nth-child(2) .zoom').until("document.querySelector('dialog[open] img').alt === 'The second'")
    page.keys('ArrowRight').expect("document.querySelector('dialog img').alt", 'The third')
    page.keys('ArrowRight', 'ArrowLeft').expect("document.querySelector('dialog img').alt", 'The third')
    page.axe()
    page.click('dialog .back').expect("document.querySelector('dialog img').alt", 'The second')
    page.keys('Escape')
    phone = visit.open(site.product, site=site, phone=True, touch=True)
    phone.swipe('.reel', -300).until("Math.abs(document.querySelector('.reel').scrollLeft) > 200")
    phone.until("document.querySelector('.pics li:nth-child(2) a').ariaCurrent").__class__
    phone.no_sideways()


def test_without_script_every_picture_is_there_and_its_link_opens_it(visit):
    site = visit.site(pictures=TWO)
    page = visit.open(site.product, site=site, script=False)
    page.page.click('.pics li:nth-child(3) a')
    assert page.page.evaluate("document.querySelector('.reel').scrollLeft") > 200
    page.page.click('.reel li:nth-child(3) .zoom')
    page.page.wait_for_url('**/assets/pictures/*.webp')


# The lightness of a colour, 0 to 100, as WCAG counts contrast.
LIGHT = "((r, g, b) => { const l = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; return .2126 * l(r) + .7152 * l(g) + .0722 * l(b); })"


def pixel(page, selector, x, y):
    """The colour that is on the screen at a place of an element, from 0 to 1 of its width and height."""
    import base64
    left, top, width, height = page.box(selector)
    image = page.page.screenshot(clip={'x': left + width * x, 'y': top + height * y, 'width': 1, 'height': 1})
    return page.ask(f"""new Promise(done => {{ const i = new Image; i.onload = () => {{ const c = new OffscreenCanvas(1, 1).getContext('2d');
      c.drawImage(i, 0, 0); done([...c.getImageData(0, 0, 1, 1).data].slice(0, 3)); }}; i.src = 'data:image/png;base64,{base64.b64encode(image).decode()}'; }})""")


def test_a_dark_thing_is_seen_on_a_dark_page(visit):
    """Whatever colour stands behind a picture, black is told from it, and so is white."""
    for path, selector in (('products/index.html', '.item .thumb'), ('index.html', '.tile')):
        page = visit.open(path, scheme='dark')
        for colour in ('#000', '#fff', '#311', '#ff0'):
            page.ask(f"document.querySelector('{selector} .ph').setAttribute('color', '{colour}')")
            page.ask(f"document.querySelectorAll('{selector} img').forEach(i => i.remove())")
            light = page.ask(f'{LIGHT}(...{json.dumps(pixel(page, selector, .9, .9))})')
            assert (light + .05) / .05 >= 1.8, f'{path} {colour}: black on {light:.3f}'
            assert 1.05 / (light + .05) >= 4.5, f'{path} {colour}: white on {light:.3f}'


def test_the_name_of_a_category_is_broken_at_no_letter(visit):
    site = visit.site(os.path.join(pages.ROOT, 'examples/northwind'))
    for size in ((320, 700), (390, 844), (700, 900), (1024, 800), (1200, 900), (1366, 768), (1440, 900), (1920, 1080)):
        page = visit.open('index.html', site=site, size=size)
        # Each word is on one line.
        broken = page.ask("""[...document.querySelectorAll('.tile h3 a')].flatMap(a => [...a.firstChild.data.matchAll(/\\S+/g)].filter(m => {
          const r = document.createRange(); r.setStart(a.firstChild, m.index); r.setEnd(a.firstChild, m.index + m[0].length); return r.getClientRects().length > 1; }).map(m => m[0]))""")
        assert not broken, f'{size}: {broken}'
        # What is beside it in the header stays there.
        if size[0] >= 1200: assert page.box('.find')[1] < 60, f'{size}: the search is below the categories'
