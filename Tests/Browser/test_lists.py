"""The + menu, the lists on the device and the page "My lists"."""
import json, os, tempfile

import pages

# Every line of a list: product, whether it is shown as gone, and its price.
LINES = """(kind => [...document.querySelectorAll(`[data-list="${kind}"] > .line:not(.undo)`)].map(li => li.querySelector('h3').textContent))"""
STORED = "Object.keys(localStorage).filter(k => k.startsWith('build-site.lists:')).map(k => k.split(':').slice(2).join(':')).sort()"


def name_of(page): return page.ask("document.querySelector('h1').textContent")


def choose(page, kind, opener='.plus'):
    if not page.ask("!!document.querySelector('.menu:popover-open')"): page.click(opener)
    page.until("document.querySelector('.menu:popover-open')")
    page.click(f'.menu [data-list={kind}]')


def test_plus_puts_a_product_on_lists_and_says_so(visit):
    page = visit.open(visit.site().product)
    page.click('.plus')
    page.until("document.querySelector('#add:popover-open')")
    page.expect("[...document.querySelectorAll('#add [data-list]')].map(b => b.ariaPressed)", ['false', 'false', 'false'])
    page.look('menu').axe()
    page.click('#add [data-list=wish]').status('Added to: Wish list.')
    page.click('#add [data-list=basket]').status('Added to: Basket.')
    page.expect("[...document.querySelectorAll('#add [data-list]')].map(b => b.ariaPressed)", ['true', 'true', 'false'])
    page.expect("document.getElementById('count').textContent", '2')
    page.expect("document.querySelector('.mine').innerText.replace(/\\s+/g, ' ').trim()", 'My lists 2 , 2 products')
    page.expect("document.querySelector('.plus').ariaLabel", 'Add to a list. Now on: Wish list, Basket')
    page.expect("document.querySelector('.plus .badge').textContent", '2')
    page.click('#add [data-list=wish]').status('Removed from: Wish list.')
    page.keys('Escape').until("!document.querySelector('#add:popover-open')")
    page.focus('.plus').shifts()
    page.page.reload()
    page.expect("document.querySelector('.plus .badge').textContent", '1')


def test_menu_answers_to_the_keyboard_alone(visit):
    page = visit.open(visit.site().product)
    page.tab_to('.plus').keys('Enter').until("document.querySelector('#add:popover-open')")
    page.keys('ArrowDown').focus('[data-list=wish]').keys('ArrowUp').focus('[data-list=collection]').keys('Home').focus('[data-list=wish]')
    page.keys('Tab').focus('[data-list=basket]').keys('Space').status('Added to: Basket.')
    page.keys('Escape').focus('.plus').until("!document.querySelector('#add:popover-open')")
    page.keys('ArrowDown').focus('[data-list=wish]')


def test_tiles_share_one_menu(visit):
    page = visit.open('products/index.html')
    page.until("document.querySelectorAll('.item > .plus').length === document.querySelectorAll('.item').length")
    page.shifts()
    name = page.text('.item h3')
    assert page.ask("document.querySelector('.item > .plus').ariaLabel") == f'Add {name} to a list'
    page.click('.item > .plus').until("document.querySelector('.menu:popover-open')")
    assert page.text('.menu p') == f'Add {name} to'
    near = page.ask("(() => { const b = document.querySelector('.item > .plus').getBoundingClientRect(), m = document.querySelector('.menu').getBoundingClientRect(); return Math.abs(m.top - b.bottom); })()")
    assert near < 20, f'the menu opens {near} px below the +'
    page.axe().look('tiles-menu')
    page.click('.menu [data-list=wish]').status('Added to')
    # Another tile: the same menu, for that product. The same one again: it closes.
    page.click('.item:nth-child(2) > .plus').until("document.querySelector('.menu:popover-open')")
    page.expect("document.querySelector('.menu [data-list=wish]').ariaPressed", 'false')
    assert page.count('.menu') == 1
    page.click('.menu [data-list=collection]').status('Added to')
    page.click('.item:nth-child(2) > .plus').until("!document.querySelector('.menu:popover-open')")
    page.expect("document.getElementById('count').textContent", '2')
    # The tile itself still leads to its product.
    page.click('.item:nth-child(3) h3 a').until("document.querySelector('.pan')")


def test_tile_that_comes_later_gets_its_plus(visit):
    page = visit.open('products/index.html')
    page.ask("document.querySelector('.grid').append(document.querySelector('.item').cloneNode(true)); document.querySelector('.grid').lastElementChild.querySelector('.plus').remove()")
    page.until("document.querySelector('.grid').lastElementChild.querySelector('.plus')")


def test_my_lists_shows_counts_moves_notes_and_removes(visit):
    site = visit.site()
    paths = [p for p, _ in zip(site.pages('id="add"', '<p class="price">'), range(3))]
    page = visit.open(paths[0])
    names = []
    for path in paths:
        page.go(path)
        names.append(name_of(page))
        choose(page, 'basket')
        page.status('Added')
    page.go('my-lists.html')
    page.expect(f"{LINES}('basket')", names)
    prices = [float(pages.text(site.folder, p).split('"price":"')[1].split('"')[0]) for p in paths]
    page.until(f"Math.abs(document.querySelector('#basket .total b').textContent.replace(/[^0-9.]/g, '') - {sum(prices)}) < .001", why=f'a total of {sum(prices)}')
    page.until("document.querySelectorAll('#basket .thumb img').length === 3")
    page.axe().look('my-lists')
    # Quantity: by the buttons and by typing.
    page.click('#basket .line:nth-child(1) [data-by="1"]')
    page.expect("document.querySelector('#basket .line input').value", '2')
    page.page.fill('#basket .line:nth-child(2) input', '5')
    page.keys('Tab')
    page.until(f"Math.abs(document.querySelector('#basket .total b').textContent.replace(/[^0-9.]/g, '') - {2 * prices[0] + 5 * prices[1] + prices[2]}) < .001")
    # A note, kept as it is typed, shown as text.
    page.click('#basket .line:nth-child(3) [data-do=note]').focus('textarea')
    page.type('<b>for Dad</b> & me')
    page.expect("document.querySelector('#basket .line:nth-child(3) .said').textContent", '<b>for Dad</b> & me')
    page.axe().look('my-lists-note')
    # Move, with the focus going on.
    page.click('#basket .line:nth-child(3) [data-to=collection]').status('Moved to: Collection.')
    page.expect(f"{LINES}('collection')", names[2:])
    page.expect(f"{LINES}('basket')", names[:2])
    page.focus('#basket .line *')
    # Remove, and think again.
    page.click('#basket .line [data-do=remove]').status('Removed from: Basket.').focus('.undo button')
    page.expect(f"{LINES}('basket')", names[1:2])
    page.keys('Enter')
    page.expect(f"{LINES}('basket')", names[:2])
    page.focus('#basket [data-do=remove]')
    page.page.reload()
    page.expect(f"{LINES}('basket')", names[:2])
    page.expect("document.querySelector('#basket .line input').value", '2')
    page.expect("document.querySelector('#collection .said').textContent", '<b>for Dad</b> & me')


def test_prices_are_those_of_the_site_and_not_of_the_device(visit):
    page = visit.open(visit.site().product)
    choose(page, 'wish')
    page.status('Added')
    # Whatever the device holds of a price means nothing.
    page.ask("for (const key of Object.keys(localStorage)) if (key.startsWith('build-site.lists:')) localStorage[key] = JSON.stringify({ ...JSON.parse(localStorage[key]), price: { amount: 1, currency: 'GBP' }, cost: 1 })")
    page.go('my-lists.html')
    page.until("document.querySelector('#wish .price').textContent")
    price = pages.text(visit.site().folder, visit.site().product).split('<p class="price">')[1].split('<')[0].strip()
    page.expect("document.querySelector('#wish .price').textContent", price)


def test_product_that_cannot_be_asked_is_not_counted(visit):
    site = visit.own_site()
    page = visit.open(site.product, site=site, messages=['500'])
    choose(page, 'basket')
    page.status('Added')
    site.server.faults |= {'products/': 500, 'search/': 500}
    page.go('my-lists.html')
    page.expect("document.querySelector('#basket .price').textContent", 'Price not known right now')
    assert page.ask("document.querySelector('#basket .total').hidden")


def test_without_search_prices_come_from_the_pages(visit):
    site = visit.site(search='no')
    page = visit.open(site.product, site=site)
    choose(page, 'wish')
    page.status('Added')
    page.go('my-lists.html').until("document.querySelector('#wish .price').textContent")
    price = pages.text(site.folder, site.product).split('<p class="price">')[1].split('<')[0].strip()
    page.expect("document.querySelector('#wish .price').textContent", price)
    page.until("document.querySelector('#wish .thumb img')")


def test_products_that_the_site_does_not_have_are_no_longer_sold(visit):
    page = visit.open('my-lists.html')
    bring(page, json.dumps({'version': 1, 'customers': [{'id': 'x', 'lists': {'wish': [{'product': 'no-such-thing'}, {'product': 101}]}}]}))
    page.status('2 products added')
    page.expect("document.querySelector('#wish .line .tag').textContent", 'No longer sold')
    page.until("document.querySelector('#wish .line:nth-child(2) a') && document.querySelector('#wish .line:nth-child(2) .price').textContent", why='a product that only its id was known of')
    page.expect("document.querySelector('#wish small').textContent.startsWith('One product without a price')", True)


def test_storage_blocked_is_kept_in_memory_and_said(visit):
    page = visit.open(visit.site().product, storage='blocked')
    choose(page, 'wish')
    page.status('Added to: Wish list. This browser keeps nothing for this site')
    page.expect("document.querySelector('.plus .badge').textContent", '1')
    page.expect("document.getElementById('count').textContent", '1')
    page.go('my-lists.html').expect("document.getElementById('trouble').textContent", 'This browser keeps nothing for this site: the lists last until you leave this page.')
    page.look('my-lists-blocked').axe()


def test_storage_full_is_kept_in_memory_and_said(visit):
    page = visit.open(visit.site().product, storage='full')
    choose(page, 'wish')
    page.status('There is no room left on this device')
    page.expect("document.querySelector('.plus .badge').textContent", '1')
    # Room again: from then on it is stored.
    page.ask("Object.keys(localStorage).filter(k => k.startsWith('filler')).forEach(k => localStorage.removeItem(k))")
    choose(page, 'basket')
    page.expect(f'{STORED}.length', 1)


def test_damaged_storage_costs_no_product(visit):
    page = visit.open(visit.site().product)
    choose(page, 'wish')
    page.status('Added')
    for junk in ('{{{', 'null', '[]', '7', '{"quantity":-3,"note":{},"path":"javascript:alert(1)","__proto__":{"polluted":1},"name":["x"],"at":"y"}', 'x' * 100_000):
        page.ask(f"for (const k of Object.keys(localStorage)) if (k.startsWith('build-site.lists:')) localStorage[k] = {json.dumps(junk)}")
        page.go('my-lists.html')
        page.expect("document.querySelectorAll('#wish .line').length", 1)
        page.expect("document.querySelector('#wish input').value", '1')
        assert page.ask("({}).polluted === undefined && !document.querySelector('#wish a[href^=javascript]')")
        if junk == '{{{': page.expect("document.getElementById('trouble').textContent", 'Part of what was kept on this device could not be read; the products are still here.')


def test_two_tabs_lose_nothing_and_follow_each_other(visit):
    site, context = visit.site(), visit.context()
    one, two = (visit.open(path, context=context) for path in list(site.pages('id="add"'))[:2])
    names = [name_of(one), name_of(two)]
    # Both at once, without waiting for each other.
    one.ask("document.querySelector('#add').showPopover(); document.querySelector('#add [data-list=basket]').click()")
    two.ask("document.querySelector('#add').showPopover(); document.querySelector('#add [data-list=basket]').click()")
    for tab in (one, two): tab.expect("document.getElementById('count').textContent", '2')
    lists = visit.open('my-lists.html', context=context)
    lists.expect(f"{LINES}('basket').sort()", sorted(names))
    two.ask("document.querySelector('#add [data-list=basket]').click()")
    lists.expect(f"{LINES}('basket')", [names[0]])
    one.expect("document.getElementById('count').textContent", '1')


def test_back_forward_cache_shows_the_truth(visit):
    # Not every browser tells a page that lies in the cache what happens to the storage, so the page hears nothing of it.
    context = visit.context()
    context.add_init_script("addEventListener('storage', e => e.stopImmediatePropagation());")
    page = visit.open(visit.site().product, context=context)
    choose(page, 'wish')
    page.status('Added')
    page.click('.brand').until("document.querySelector('.hello')")
    page.ask("Object.keys(localStorage).forEach(k => localStorage.removeItem(k))")
    page.page.go_back(wait_until='commit')
    page.until("document.querySelector('.plus')")
    assert page.ask("performance.getEntriesByType('navigation')[0].notRestoredReasons === null"), 'the page did not come from the back/forward cache'
    page.expect("document.querySelector('.plus .badge').textContent", '')
    page.expect("document.getElementById('count').textContent", '')


def test_lists_are_saved_as_a_file_and_merged_from_one(visit):
    site = visit.site()
    page = visit.open(site.product)
    choose(page, 'wish')
    page.status('Added')
    name = name_of(page)
    page.go('my-lists.html').expect(f"{LINES}('wish')", [name])
    with page.page.expect_download() as download: page.click('[data-do=export]')
    assert download.value.suggested_filename == 'my-lists.json'
    with open(download.value.path(), encoding='utf-8') as file: saved = json.load(file)
    assert saved['version'] == 1 and len(saved['customers']) == 1 and set(saved['customers'][0]['lists']) == {'wish', 'basket', 'collection'}
    product = saved['customers'][0]['lists']['wish'][0]
    assert set(product) == {'product', 'added'}, product
    # Into a browser that has something else already.
    other = visit.open(list(site.pages('id="add"'))[3])
    choose(other, 'wish')
    other.status('Added')
    other_name = name_of(other)
    saved['customers'][0]['lists']['wish'][0] |= {'note': 'for Dad', 'quantity': 3}
    saved['customers'][0]['lists']['basket'] = [{'product': 'no-such-thing'}]
    other.go('my-lists.html')
    bring(other, json.dumps(saved))
    other.status('2 products added from the file.')
    other.expect("[...document.querySelectorAll('#wish input')].map(i => i.value)", ['1', '3'])
    other.expect(f"{LINES}('wish')[0]", other_name)
    other.expect("document.querySelector('#wish .line:nth-child(2) .said').textContent", 'for Dad')
    bring(other, json.dumps(saved))
    other.status('Everything in that file is on your lists already.')


def bring(page, text):
    page.page.set_input_files('input[type=file]', {'name': 'lists.json', 'mimeType': 'application/json', 'buffer': text.encode()})


def test_nonsense_in_a_file_is_refused_with_a_reason(visit):
    page = visit.open('my-lists.html')
    lists = lambda **more: json.dumps({'version': 1, 'customers': [{'id': 'x', 'lists': more}]})
    for text, reason in [
        ('{', 'not JSON'), ('[]', 'holds no lists'), ('{"version": 2, "customers": []}', 'holds no lists'), ('{"version": 1, "customers": []}', 'exactly one person'),
        (json.dumps({'version': 1, 'customers': [{}, {}]}), 'exactly one person'), (lists(wish=[{}]), 'customers[0].lists.wish[0].product'),
        (lists(wish=[{'product': '1', 'quantity': 0}]), 'wish[0].quantity'), (lists(basket=[{'product': '1'}, {'product': '2', 'note': 3}]), 'basket[1].note'),
        (lists(shelf=[]), 'lists.shelf'), (lists(wish={}), 'lists.wish'), ('{"version":1,"customers":[{"lists":{"__proto__":{"wish":[{"product":"1"}]},"wish":[{"product":"1","added":"soon"}]}}]}', 'lists.__proto__'),
        ('x' * 1_100_000, 'larger than 1 MB'),
    ]:
        bring(page, text)
        page.status(reason)
        assert page.count('.line') == 0, text
        page.ask("document.getElementById('say').textContent = ''")
    bring(page, lists(wish=[{'product': '__proto__'}, {'product': 'a:b', 'added': '2026-05'}]))
    page.status('2 products added')
    page.expect(f"{LINES}('wish')", ['#__proto__', '#a:b'])


def test_print_shows_all_lists_and_no_buttons(visit):
    page = visit.open(visit.site().product)
    choose(page, 'collection')
    page.status('Added')
    page.go('my-lists.html').until("document.querySelector('#collection .line')")
    page.page.emulate_media(media='print')
    page.expect("[...document.querySelectorAll('.card')].map(c => getComputedStyle(c).display)", ['block'] * 3)
    assert page.ask("[...document.querySelectorAll('.do, .owner .btn, .top')].every(e => !e.checkVisibility())")
    page.look('my-lists-print')


def test_my_lists_on_every_size_and_scheme(visit):
    site = visit.site()
    for phone in (True, False):
        for scheme in ('light', 'dark'):
            context = visit.context(phone=phone, touch=phone, scheme=scheme)
            page = visit.open(site.product, context=context)
            choose(page, 'wish')
            choose(page, 'basket')
            page.status('Added')
            page.look(f'product-menu-{"phone" if phone else "desktop"}-{scheme}').axe()
            page.go('my-lists.html').until("document.querySelector('#wish .thumb img')?.complete")
            page.no_sideways().axe().quiet().look(f'my-lists-{"phone" if phone else "desktop"}-{scheme}')
            page.page.close()
            visit.views.remove(page)
            index = visit.open('products/index.html', context=context)
            index.until("document.querySelector('.item .plus')")
            index.look(f'index-{"phone" if phone else "desktop"}-{scheme}').no_sideways()
    page = visit.open('my-lists.html', size=(320, 256))
    page.no_sideways()


def test_lists_work_below_a_sub_path_and_apart_from_another_shop(visit):
    context = visit.context()
    page = visit.open(visit.site().product, mount='/x/y/', context=context)
    choose(page, 'wish')
    page.status('Added')
    page.go('my-lists.html').until("document.querySelector('#wish .price').textContent")
    page.expect("document.querySelectorAll('#wish .line').length", 1)
    other = visit.open('my-lists.html', context=context)
    other.expect("document.getElementById('count').textContent", '')


def test_without_script_the_menu_says_why_it_is_empty(visit):
    page = visit.open(visit.site().product, script=False)
    page.click('.plus')
    page.until("document.querySelector('#add:popover-open')")
    assert page.texts('#add p')[-1].startswith('Lists are kept by a small script')
    assert page.count('#add button') == 0
    page.go('my-lists.html')
    assert page.texts('.no-js')[0].startswith('Lists are kept by a small script')
    page.go('products/index.html')
    assert page.count('.plus') == 0


# As a site may have it of its own, choices and all, with icons that are drawn where they stand.
OWN_MENU = """<button class="rnd plus" type="button" popovertarget="add" aria-label="{{text.add_to_list}}"><svg class="ic" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 5v14M5 12h14"/></svg><b class="badge" aria-hidden="true"></b></button>
<div class="menu" id="add" popover role="group" aria-labelledby="add-h" data-product="{{id}}" data-title="{{name}}">
<p id="add-h">{{text.add_to}}</p>
<ul>
<li><button class="mi" type="button" data-list="basket" aria-pressed="false"><svg class="ic" viewBox="0 0 24 24" aria-hidden="true"><path d="M3.5 9.5h17L18.7 20H5.3z"/></svg><span>{{text.list_basket}}</span></button></li>
</ul>
</div>
"""


def test_a_site_may_write_the_menu_itself(visit):
    site = visit.own_site()
    os.makedirs(os.path.join(site.source, 'templates'))
    with open(os.path.join(site.source, 'templates/add-menu.mustache'), 'w', encoding='utf-8') as file: file.write(OWN_MENU)
    site.settings()
    page = visit.open(site.product, site=site)
    page.click('.plus').until("document.querySelector('#add:popover-open')")
    page.expect("[...document.querySelectorAll('#add [data-list]')].map(b => b.innerText)", ['Basket'])
    drawn = "[...document.querySelectorAll('.plus .ic, #add .ic')].map(i => [getComputedStyle(i).stroke !== 'none', getComputedStyle(i).backgroundColor, i.getBoundingClientRect().width > 16])"
    page.expect(drawn, [[True, 'rgba(0, 0, 0, 0)', True]] * 2)
    page.click('#add [data-list=basket]').status('Added to: Basket.')
    page.expect("document.querySelector('.plus .badge').textContent", '1')


def test_lists_can_be_switched_off(visit):
    site = visit.site(my_lists='no')
    page = visit.open(site.product, site=site)
    assert page.count('.plus, .mine, #add') == 0
    assert not os.path.exists(os.path.join(site.folder, 'my-lists.html'))
    page.go('products/index.html')
    assert page.count('.plus') == 0


def test_right_to_left(visit):
    site = visit.site(language='ar')
    page = visit.open(site.product, site=site, phone=False)
    choose(page, 'wish')
    page.status('Added')
    page.keys('Escape')
    page.go('my-lists.html').until("document.querySelector('#wish .line')")
    lefts = page.ask("[...document.querySelectorAll('.card')].map(c => Math.round(c.getBoundingClientRect().left))")
    assert lefts == sorted(lefts, reverse=True), lefts
    page.no_sideways().look('my-lists-rtl')
