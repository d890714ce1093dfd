"""The search field, the search page and the filters, as people use them."""
import json, os, re, sqlite3

import harness, pages

OPEN = "!document.querySelector('.suggest').hidden"
FOUND = "document.querySelectorAll('.found .item').length"
# The demo shop's own texts decide what there is to find.
NAMES = "[...document.querySelectorAll('#results .item h3')].map(e => e.textContent)"


def product(site): return next(site.pages('<picture', '<p class="price">'))


def back(view): view.ask('void history.back()')


def asked(view, part): return [path for path, _ in view.site.server.requests if part in path]


def search(visit, words, **more):
    view = visit.open('search.html?q=' + words, **more)
    view.until(FOUND)
    return view


def choose(view, group, value):
    """Opens a group of the panel, if it is not, and ticks a value, as a person does."""
    box = f'input[name="{group}"][value="{value}"]'
    closed = view.ask(f"(() => {{ const d = [...document.querySelectorAll('#filters details')].find(d => d.dataset.group === {json.dumps(group)}); return d && !d.open; }})()")
    if closed: view.click(f'#filters details[data-group="{group}"] summary')
    view.until(f"!!document.querySelector('#filters {box}')")
    view.click(f'#filters label:has({box})')
    view.until(f"new URLSearchParams(location.search).getAll('{group}').includes('{value}') && !document.querySelector('#results').hasAttribute('aria-busy')")


def settled(view, condition="document.querySelector('.found')"):
    return view.until(f"({condition}) && !document.querySelector('#results').hasAttribute('aria-busy') && true")


def open_filters(view):
    view.click('[data-open=filters]')
    view.until("!!document.querySelector('#filters')?.isConnected")


# The field

def test_a_page_loads_nothing_of_the_search_before_somebody_goes_to_it(visit):
    site = visit.site()
    site.server.requests.clear()
    view = visit.open(product(site))
    names = [re.sub(r'.*/(.*)-[0-9a-f]+\.js.*', r'\1', path) for path in asked(view, '.js')]
    assert 'search-box' in names and not {'suggest', 'search-engine', 'listing'} & set(names), names
    assert not asked(view, 'search/'), asked(view, 'search/')
    view.click('#q')
    view.until("!!document.querySelector('[role=combobox]')")
    view.shifts()


def test_suggestions_while_typing(visit):
    view = visit.open(product(visit.site()))
    view.click('#q')
    view.type('gin')
    view.until(OPEN)
    view.until("document.querySelectorAll('.suggest .thumb').length")
    assert view.count('.suggest mark') > 0
    assert view.ask("[...document.querySelectorAll('.suggest [role=option]:has(.thumb)')].every(e => e.querySelector('b').textContent.trim())"), 'a product without a price'
    view.until("[...document.querySelectorAll('[role=status]')].some(e => /\\d+ suggestions/.test(e.textContent))")
    assert view.ask("document.querySelector('#q').getAttribute('aria-expanded')") == 'true'
    view.axe().look('search-suggestions')
    view.keys('Escape')
    view.until("document.querySelector('.suggest').hidden")
    assert view.ask("document.querySelector('#q').value") == 'gin', 'Escape closes first, and keeps the words'
    view.keys('ArrowDown')
    view.until(OPEN)
    view.click('h1')
    view.until("document.querySelector('.suggest').hidden")


def test_the_keyboard_chooses_a_suggestion(visit):
    view = visit.open('index.html')
    view.click('#q')
    view.type('balmorrow')
    view.until("document.querySelector('.suggest')?.lastElementChild?.textContent.includes('balmorrow') && document.querySelectorAll('.suggest .thumb').length")
    last = view.count('.suggest [role=option]')
    current = "document.querySelector('.suggest [aria-selected=true]')"
    view.keys('ArrowUp')
    view.expect(f'[...document.querySelectorAll(".suggest [role=option]")].indexOf({current})', last - 1)
    view.keys('ArrowDown')
    view.expect(f'{current} === null', True)
    assert view.ask("document.querySelector('#q').hasAttribute('aria-activedescendant')") is False
    for _ in range(last):
        view.keys('ArrowDown')
        if view.ask(f"!!{current}.querySelector('.thumb')"): break
    assert view.ask(f"{current}.id === document.querySelector('#q').getAttribute('aria-activedescendant')")
    assert view.ask("document.activeElement.id") == 'q', 'the focus stays in the field'
    there = view.ask(f'{current}.href')
    view.keys('Enter')
    view.until(f"location.href === {json.dumps(there)} && document.querySelector('main')?.textContent.toLowerCase().includes('balmorrow')")


def test_enter_goes_to_the_search_page(visit):
    view = visit.open(product(visit.site()))
    view.click('#q')
    view.type('dark rum')
    view.keys('Enter')
    view.until("location.pathname.endsWith('/search.html')")
    assert view.ask('location.search') == '?q=dark+rum'
    settled(view, "document.querySelector('#results-h').textContent.includes('dark rum')")


def test_a_finger_chooses_a_suggestion(visit):
    view = visit.open('search.html', phone=True, touch=True)
    view.click('#q2')
    view.focus('#q2').type('gin')
    view.until("document.querySelectorAll('.suggest [role=option]:has(.thumb)').length")
    view.axe().no_sideways().look('search-suggestions-phone')
    view.click('.suggest [role=option]:has(.thumb)')
    view.until("location.pathname.includes('/products/')")


def test_a_field_without_its_script_is_a_form(visit):
    view = visit.open('index.html', script=False)
    view.page.fill('#q', 'gin')
    view.page.press('#q', 'Enter')
    view.page.wait_for_url('**/search.html?q=gin')


# Results

def test_results_say_what_a_product_is_and_why_it_was_found(visit):
    view = search(visit, 'gin', scheme='light')
    n = view.ask(FOUND)
    assert view.text('#results-h') == f'{n} products for “gin”', view.text('#results-h')
    first = view.ask("(() => { const e = document.querySelector('.found .item'); return [!!e.querySelector('.thumb'), e.querySelector('.by').textContent, e.querySelector('h3 a').href, e.querySelector('.price').textContent, e.querySelectorAll('mark').length]; })()")
    assert first[0] and first[1] and '/products/' in first[2] and first[3] and first[4], first
    assert view.ask("[...document.querySelectorAll('.found mark')].every(e => e.textContent.toLowerCase() === 'gin')"), view.texts('.found mark')
    assert view.ask('document.title').startswith('gin – '), view.ask('document.title')
    view.until("[...document.querySelectorAll('#results [role=status]')].some(e => e.textContent.includes('products for'))")
    view.axe().no_sideways().shifts().look('search-results')
    view.click('.found .item a')
    view.until("location.pathname.includes('/products/')")
    back(view)
    view.until(FOUND)


def test_results_load_pictures_that_fit(visit):
    """A tile is 240 px wide, a suggestion's picture 40."""
    files = "[...document.querySelectorAll('{} img')].map(i => i.complete && i.currentSrc.match(/-(\\d+)\\.webp$/)?.[1])"
    view = search(visit, 'gin')
    view.until(f"{files.format('.found')}.slice(0, 3).join() === '320,320,320'", why='the size for tiles')
    view.page.fill('#q2', 'whisky')
    view.until("document.querySelectorAll('.suggest .thumb img').length > 2")
    view.until(f"{files.format('.suggest')}.slice(0, 3).join() === '160,160,160'", why='the smallest size')


def test_the_search_page_has_one_field(visit):
    for more in ({}, {'phone': True, 'touch': True}, {'script': False}):
        view = visit.open('search.html', **more)
        assert view.page.locator('input[name=q]:visible').count() == 1
    view = visit.open('index.html')
    assert view.page.locator('input[name=q]:visible').count() == 1


def test_results_on_a_phone_in_the_dark(visit):
    view = search(visit, 'whisky', phone=True, touch=True, scheme='dark')
    view.axe().no_sideways().shifts().look('search-results-phone-dark')


def test_new_words_are_a_new_search_and_back_brings_the_old_one(visit):
    view = search(visit, 'gin')
    old = view.ask(NAMES)
    view.page.fill('#q2', 'rum')
    view.keys('Enter')
    view.until("document.querySelector('#results-h').textContent.includes('“rum”')")
    view.focus('#results-h')
    assert view.ask('location.search') == '?q=rum'
    back(view)
    view.until("document.querySelector('#results-h').textContent.includes('“gin”')")
    assert view.ask(NAMES) == old
    assert view.ask("document.querySelector('#q2').value") == 'gin'
    view.page.go_forward()
    view.until("document.querySelector('#results-h').textContent.includes('“rum”')")


def test_more_results_and_the_way_back_to_them(visit):
    view = visit.open('search.html?q=a')
    view.until(f'{FOUND} === 24')
    view.click('.more-results a')
    view.until(f'{FOUND} === 48')
    assert view.ask("[...document.querySelectorAll('.found .item')].indexOf(document.activeElement.closest('.item'))") == 24, 'the focus is at the first new one'
    view.until("[...document.querySelectorAll('#results [role=status]')].some(e => e.textContent.startsWith('48 of'))")
    assert view.ask('location.search') == '?q=a&page=2'
    names, place = view.ask(NAMES), view.ask('scrollY')
    assert len(set(names)) == 48, 'a product twice'
    view.keys('Enter')
    view.until("location.pathname.includes('/products/')")
    back(view)
    view.until(f'{FOUND} === 48')
    assert view.ask(NAMES) == names
    view.until(f'Math.abs(scrollY - {place}) < 60', why='the height of before')
    view.page.reload()
    view.until(f'{FOUND} === 48')
    view.until(f'Math.abs(scrollY - {place}) < 60', why='the height of before')


def test_a_page_far_on_stands_alone(visit):
    view = visit.open('search.html?sort=name&page=11')
    settled(view)
    assert view.ask(FOUND) == 260 - 240
    view.click('.more-results a')
    view.until("location.search === '?sort=name'")
    view.until(f'{FOUND} === 24')


def test_a_typo_is_forgiven(visit):
    view = visit.open('search.html?q=balmorow')
    view.until(FOUND)
    assert 'Showing results for' in view.text('.corrected') and 'balmorrow' in view.text('.corrected').lower(), view.text('.corrected')
    assert view.ask("[...document.querySelectorAll('.found .item')].every(e => /balmorrow/i.test(e.textContent))")
    view.axe().look('search-typo')


def test_nothing_found_leads_on(visit):
    view = visit.open('search.html?q=xyzzyplugh')
    settled(view, "document.querySelector('#results-h').textContent.startsWith('Nothing found')")
    assert view.text('#results-h') == 'Nothing found for “xyzzyplugh”'
    assert 'spelling' in view.text('.found')
    assert view.count('#filters') == 0, 'there is nothing to filter'
    assert len(view.texts('.start .chip')) > 6
    view.axe().no_sideways().look('search-nothing')
    view.click('.start .chip')
    view.until("location.pathname.includes('/categories/')")


def test_an_empty_search_is_a_place_to_start(visit):
    view = visit.open('search.html')
    view.until("!document.querySelector('.start').hidden")
    assert view.ask("document.querySelector('#results').hidden && !document.querySelector('.unsearched').checkVisibility()")
    view.focus('#q2').axe().shifts().look('search-start')


# What can go wrong

def test_a_fault_is_said_and_can_be_tried_again(visit):
    site = visit.own_site()
    site.server.faults = {'/search/': 500}
    view = visit.open('search.html?q=gin', site=site, messages=['500'])
    settled(view, "document.querySelector('#results-h').textContent === 'The search did not work'")
    view.axe().look('search-failed')
    assert len(view.texts('.start .chip')) > 6, 'the ways on'
    site.server.faults = {}
    view.click('.failed button')
    view.until(FOUND)
    assert 'products for' in view.text('#results-h')


def test_missing_data_is_said(visit):
    site = visit.own_site()
    site.server.faults = {'/search/': 404}
    view = visit.open('search.html?q=gin', site=site, messages=['404'])
    settled(view, "/missing|could not be loaded/.test(document.querySelector('.failed')?.textContent)")


def test_a_script_that_does_not_come_is_said(visit):
    site = visit.own_site()
    site.server.faults = {'/listing-': 503}
    view = visit.open('search.html?q=gin', site=site, messages=['503', 'Failed to fetch'])
    settled(view, "document.querySelector('#results-h').textContent === 'The search did not work'")
    assert len(view.texts('.start .chip')) > 6
    view.axe()


def test_a_slow_line_is_said_after_a_moment(visit):
    site = visit.own_site()
    view = visit.open('search.html', site=site)
    view.until("!!document.querySelector('[role=combobox]')")
    site.server.delay = 1.2
    view.page.fill('#q2', 'whisky')
    view.keys('Enter')
    view.until("document.querySelector('#results').getAttribute('aria-busy') === 'true' && document.querySelector('#results-h').textContent === 'Searching…'")
    view.until("[...document.querySelectorAll('#results [role=status]')].some(e => e.textContent === 'Searching…')")
    view.axe().look('search-slow')
    site.server.delay = 0
    view.until(FOUND, seconds=20)
    assert view.ask("document.querySelector('#results').hasAttribute('aria-busy')") is False


def test_pages_opened_as_files_say_why_they_cannot_search(visit):
    site = visit.site()
    view = visit.open('file://' + site.folder + '/search.html?q=gin', messages=['file://', 'CORS', 'ERR_FAILED', 'preload'])
    view.until("document.querySelector('.unsearched').checkVisibility({ visibilityProperty: true })")
    assert 'opened as files' in view.text('.unsearched')
    assert view.ask("document.querySelector('#results').checkVisibility()") is False
    view.axe().look('search-file')
    view.click('.start .chip')
    view.until("location.pathname.endsWith('.html') && location.pathname.includes('/categories/')")
    view.until("getComputedStyle(document.querySelector('[data-open=filters]')).visibility === 'hidden'")


def test_without_script_the_search_page_leads_to_the_indexes(visit):
    view = visit.open('search.html?q=gin', script=False)
    view.page.wait_for_timeout(700)
    assert view.page.is_visible('.unsearched') and view.page.is_visible('.start .chip')
    assert not view.page.is_visible('#results')
    view.look('search-no-script')
    view.go('categories/spirits.html')
    assert not view.page.is_visible('[data-open=filters]') and view.page.is_visible('#results .item')


def test_below_a_sub_path(visit):
    view = visit.open(product(visit.site()), mount='/x/y/')
    view.click('#q')
    view.type('gin')
    view.until("document.querySelectorAll('.suggest [role=option]:has(.thumb)').length")
    view.keys('Enter')
    view.until(FOUND)
    assert view.ask('location.pathname') == '/x/y/search.html'
    assert view.ask("[...document.querySelectorAll('.found a')].every(a => a.pathname.startsWith('/x/y/products/'))")
    view.until("[...document.querySelectorAll('.found img')].slice(0, 3).every(i => i.complete && i.naturalWidth)")


def test_right_to_left(visit):
    site = visit.site(language='ar')
    for phone in (True, False):
        view = search(visit, 'gin', site=site, phone=phone)
        view.page.fill('#q2', 'gi')
        view.until(OPEN)
        view.no_sideways().look('search-rtl-suggestions' + ('-phone' if phone else ''))
        view.keys('Escape')
        if phone: open_filters(view)
        view.axe().no_sideways().look('search-rtl' + ('-phone' if phone else ''))


def test_forced_colours_and_zoom(visit):
    view = search(visit, 'gin', forced_colors='active')
    view.look('search-forced-colours')
    # 400 % of 1280 × 1024.
    view = search(visit, 'gin', size=(320, 256))
    view.no_sideways().axe()
    open_filters(view)
    view.no_sideways().axe().look('search-zoom')


# Filters

def test_filters_of_a_category(visit):
    view = visit.open('categories/spirits.html')
    built, heading = view.ask("[...document.querySelectorAll('#results .grid .item')].map(e => e.innerText)"), view.text('#results-h')
    view.shifts()
    open_filters(view)
    view.axe().shifts()
    assert view.ask("[...document.querySelectorAll('#results .grid .item')].map(e => e.innerText)") == built, 'without a filter the page stays as it was written'
    choose(view, 'country', 'scotland')
    settled(view)
    n = int(view.text('#results-h').split()[0])
    assert 0 < n < int(heading.split()[0])
    assert view.ask('location.search') == '?country=scotland'
    assert view.texts('.chosen button')[0].startswith('Scotland')
    assert view.ask("document.querySelectorAll('#results .pages').length") == 0
    view.until("[...document.querySelectorAll('#results [role=status]')].some(e => e.textContent === document.querySelector('#results-h').textContent)")
    view.axe().no_sideways().look('filters-category')
    view.page.reload()
    settled(view, FOUND)
    assert int(view.text('#results-h').split()[0]) == n
    back(view)
    view.until("!document.querySelector('.found')")
    assert view.ask("[...document.querySelectorAll('#results .grid .item')].map(e => e.innerText)") == built
    view.expect("document.querySelector('#results-h').textContent", heading)
    view.page.go_forward()
    view.until(FOUND)


def test_every_group_leaves_what_it_says(visit):
    """Counts beside the values are those of the results that they lead to."""
    view = visit.open('categories/spirits.html')
    open_filters(view)
    seen = []
    for group in view.ask("[...document.querySelectorAll('#filters details')].map(d => d.dataset.group)"):
        view.click(f'#filters details[data-group="{group}"] summary')
        view.until(f"[...document.querySelectorAll('#filters details[data-group=\"{group}\"] li small')].some(e => /\\d/.test(e.textContent))")
        found = view.ask(f"(() => {{ const e = [...document.querySelectorAll('#filters details[data-group=\"{group}\"] li')].find(e => parseInt(e.querySelector('small')?.textContent) > 0); return e && [e.querySelector('input').value, +e.querySelector('small').textContent]; }})()")
        if not found: continue
        value, count = found
        seen.append(group)
        choose(view, group, value)
        view.until(f"parseInt(document.querySelector('#results-h').textContent) === {count}", why=f'{group}={value} to leave {count}')
        view.click('.chosen .chip')
        view.until("!document.querySelector('.found')")
        view.click(f'#filters details[data-group="{group}"] summary')
    assert {'price', 'abv', 'rating', 'country', 'style'} <= set(seen), seen


def test_two_filters_and_an_order(visit):
    view = visit.open('categories/spirits.html')
    open_filters(view)
    choose(view, 'country', 'scotland')
    choose(view, 'stock', 'yes')
    view.page.select_option('#filters select', 'price')
    view.until("location.search.includes('sort=price')")
    settled(view, FOUND)
    assert view.ask("[...document.querySelectorAll('.found .av')].every(e => ['in', 'low'].includes(e.dataset.av))")
    prices = view.ask("[...document.querySelectorAll('.found .item')].map(e => parseFloat(e.querySelector('.price').firstChild.textContent.replace(/[^\\d.]/g, ''))).filter(n => n)")
    assert prices == sorted(prices) and len(prices) > 5, prices
    assert view.ask("document.querySelector('[data-open=filters]').dataset.n") == '2'
    back(view)
    settled(view, "!location.search.includes('sort')")
    assert view.ask("document.querySelector('#filters select').value") == ''
    back(view)
    settled(view, "document.querySelectorAll('.chosen .chip').length === 1")
    assert view.ask("document.querySelector('#filters input[name=stock]').checked") is False


def test_chips_undo(visit):
    view = visit.open('categories/spirits.html?country=scotland&country=france&stock=yes')
    view.until("document.querySelectorAll('.chosen .chip').length === 3")
    assert 'remove' in view.ask("document.querySelector('.chosen .chip').getAttribute('aria-label')")
    view.click('.chosen .chip')
    view.until("document.querySelectorAll('.chosen .chip').length === 2")
    view.focus('.chosen .chip')
    assert view.ask('location.search') == '?country=france&stock=yes'
    view.click('.chosen .txt')
    view.until("!document.querySelector('.found')")
    assert view.ask('location.search') == ''


def test_filters_that_leave_nothing_can_be_cleared(visit):
    view = visit.open('categories/spirits.html?country=scotland&country=nowhere&stock=yes')
    view.until(FOUND)
    view = visit.open('categories/wine.html?style=nothing-such')
    settled(view, "document.querySelector('#results-h').textContent === 'No product matches these filters'")
    view.axe().look('filters-nothing')
    view.click('.found button')
    view.until("!document.querySelector('.found')")


def test_a_parameter_of_somebody_else_changes_nothing(visit):
    view = visit.open('categories/spirits.html?utm_source=letter')
    view.page.wait_for_timeout(300)
    assert view.ask("!document.querySelector('.found') && !!document.querySelector('#results .grid .item')")


def test_the_panel_is_a_sheet_on_a_phone(visit):
    view = visit.open('categories/spirits.html', phone=True, touch=True)
    open_filters(view)
    view.until("document.querySelector('dialog').open")
    assert view.ask("document.querySelector('dialog').contains(document.activeElement)")
    view.axe().no_sideways().look('filters-sheet')
    choose(view, 'country', 'scotland')
    view.until("/Show \\d+ products/.test(document.querySelector('.panel-foot .pri').textContent)")
    view.look('filters-sheet-chosen')
    view.click('.panel-foot .pri')
    view.until("!document.querySelector('dialog').open")
    view.focus('[data-open=filters]')
    view.axe().no_sideways().look('filters-phone')
    # Not every browser gives the focus to a button that is pressed, so that it would have none to give back.
    view.ask("(button => { button.blur(); button.click(); })(document.querySelector('[data-open=filters]'))")
    view.until("document.querySelector('dialog').open")
    view.keys('Escape')
    view.until("!document.querySelector('dialog').open")
    view.focus('[data-open=filters]')


def test_filters_by_keyboard_alone(visit):
    view = visit.open('categories/spirits.html')
    view.tab_to('[data-open=filters]')
    view.keys('Enter')
    view.until("!!document.querySelector('#filters')?.isConnected")
    assert view.ask("document.querySelector('[data-open=filters]').getAttribute('aria-expanded')") == 'true'
    view.tab_to('#filters input[name=stock]')
    view.keys('Space')
    settled(view, FOUND)
    view.focus('#filters input[name=stock]')
    view.tab_to('#filters details[data-group=country] summary')
    view.keys('Enter')
    view.until("!!document.querySelector('#filters input[name=country]')")
    view.tab_to('#filters input[name=country]')
    view.keys('Space')
    settled(view, "document.querySelectorAll('.chosen .chip').length === 2")
    view.tab_to('.chosen .chip')
    view.keys('Enter')
    settled(view, "document.querySelectorAll('.chosen .chip').length === 1")
    view.focus('.chosen .chip')


def test_a_large_group_can_be_searched(visit):
    view = visit.open('products/index.html')
    open_filters(view)
    group = '#filters details[data-group=style]'
    view.click(group + ' summary')
    view.until(f"!!document.querySelector('{group} .fgfind')")
    assert view.count(f'{group} li:has(input)') <= 8
    view.page.fill(group + ' .fgfind', 'whisk')
    view.until(f"[...document.querySelectorAll('{group} li:has(input) span')].every(e => /whisk/i.test(e.textContent)) && document.querySelectorAll('{group} li').length")
    view.axe().look('filters-large')
    view.page.fill(group + ' .fgfind', 'zzzz')
    view.expect(f"document.querySelector('{group} .opts').textContent", 'None')
    view.page.fill(group + ' .fgfind', '')
    view.click(group + ' .opts .txt')
    view.until(f"document.querySelectorAll('{group} li:has(input)').length > 100")
    assert view.ask(f"document.activeElement.closest('{group}') !== null")


def test_a_group_of_hundreds_of_values_counts_what_a_filter_leaves(visit):
    source = os.path.join(visit.browser.work, 'makers')
    os.makedirs(os.path.join(source, 'content'), exist_ok=True)
    with open(os.path.join(source, 'content/site.yaml'), 'w', encoding='utf-8') as file:
        file.write('title: Makers\ndatabase: shop.db\nproducts: SELECT id, name, producer, style FROM products\nbrowse_by: [producer, style]\n')
    database = sqlite3.connect(os.path.join(source, 'content/shop.db'))
    database.execute('CREATE TABLE IF NOT EXISTS products(id INTEGER PRIMARY KEY, name, producer, style)')
    # Each of 400 makers has a dry one and two sweet ones.
    database.executemany('INSERT OR IGNORE INTO products VALUES (?, ?, ?, ?)',
                         [(i, f'Bottle {i}', f'Maker {i % 400}', 'Dry' if i < 400 else 'Sweet') for i in range(1200)])
    database.commit()
    database.close()
    view = visit.open('products/index.html?style=sweet', site=visit.site(source))
    settled(view, "document.querySelector('#results-h').textContent === '800 products'")
    open_filters(view)
    group = '#filters details[data-group=producer]'
    view.click(group + ' summary')
    counts = f"[...document.querySelectorAll('{group} li:has(input) small')].map(e => e.textContent)"
    view.until(f"({counts}).length && ({counts}).every(n => n === '2')", why='two of each maker')


def test_long_names_are_read_whole_on_a_phone(visit):
    source = os.path.join(visit.browser.work, 'long-names')
    os.makedirs(os.path.join(source, 'content'), exist_ok=True)
    names = ['Sparkling wines from the traditional method and their cousins', 'Donaudampfschifffahrtsgesellschaftskapitänsbranntweinkellerei',
             'Low and no alcohol: aperitifs, spirits, wines and cordials']
    facet = 'Method of fermentation and of maturation in the cellar'
    with open(os.path.join(source, 'content/site.yaml'), 'w', encoding='utf-8') as file:
        file.write('title: Long names\nproducts: SELECT id, name, price, category_id FROM products\ncategories: SELECT id, name, parent_id FROM categories\n'
                   f"facets: SELECT id AS product_id, '{facet}' AS facet, id % 2 AS value FROM products\n")
    database = sqlite3.connect(os.path.join(source, 'content/shop.db'))
    database.execute('CREATE TABLE IF NOT EXISTS categories(id INTEGER PRIMARY KEY, name, parent_id)')
    database.execute('CREATE TABLE IF NOT EXISTS products(id INTEGER PRIMARY KEY, name, price, category_id)')
    database.executemany('INSERT OR IGNORE INTO categories VALUES (?, ?, ?)', [(i, name, 1 if i > 1 else None) for i, name in enumerate(names, 1)] + [(9, names[2], None)])
    database.executemany('INSERT OR IGNORE INTO products VALUES (?, ?, ?, ?)', [(i, f'Bottle {i}', i * 2, i % 3 + 1) for i in range(1, 40)])
    database.commit()
    database.close()
    # Where the lines of a text are, and the box that they are in.
    lines = """(e => { const r = document.createRange(); r.selectNodeContents(e); const b = e.getBoundingClientRect(), all = [...r.getClientRects()].filter(l => l.width);
      return { left: Math.min(...all.map(l => l.left)), right: Math.max(...all.map(l => l.right)), rows: new Set(all.map(l => Math.round(l.bottom))).size, box: [b.left, b.right] }; })"""
    view = visit.open('search.html', site=visit.site(source), phone=True, touch=True)
    chips = view.ask(f"[...document.querySelectorAll('.start .chip')].map({lines})")
    assert len(chips) == 3 and all(c['left'] >= c['box'][0] and c['right'] <= c['box'][1] <= 390 for c in chips), chips
    category = next(visit.site(source).pages('class="chips scroll"', top='categories/'))
    view = visit.open(category, site=visit.site(source), phone=True, touch=True)
    chips = view.ask(f"[...document.querySelectorAll('.chips.scroll .chip')].map({lines})")
    assert len(chips) == 2 and all(c['right'] - c['left'] <= 390 - 2 * 16 for c in chips), chips
    # A name that goes over to a second line stays beside the mark before it.
    crumb = view.ask("(li => { const b = li.getBoundingClientRect(), a = li.querySelector('a').getBoundingClientRect(); return b.height - a.height; })(document.querySelector('.crumbs li:last-child'))")
    assert abs(crumb) < 2, crumb
    open_filters(view)
    # Two lines of a group's name do not touch the lines around it.
    space = view.ask("""(s => { const b = s.getBoundingClientRect(), t = s.firstElementChild.getBoundingClientRect(); return [t.height > 30, t.top - b.top, b.bottom - t.bottom]; })
      (document.querySelector(`#filters details[data-group^="Method"] summary`))""")
    assert space[0] and min(space[1:]) >= 7, space
    view.axe().look('filters-long-names')
    for box in ('#filters details[data-group=price] li:nth-child(1) input', '#filters details[data-group=price] li:nth-child(2) input'):
        view.ask("document.querySelector('#filters details[data-group=price]').open = true")
        view.until(f"document.querySelector('{box}')")
        view.click(box)
    view.page.keyboard.press('Escape')
    view.until("document.querySelectorAll('.chosen .chip').length === 2")
    heights = view.ask("[...document.querySelectorAll('.chosen :is(.chip, .txt)')].map(e => e.getBoundingClientRect().height)")
    assert all(height < 50 for height in heights), heights
    view.look('long-names')


def test_the_page_of_a_value_filters_among_its_products(visit):
    view = visit.open('country/scotland.html')
    before = int(view.text('#results-h').split()[0])
    open_filters(view)
    assert view.ask("[...document.querySelectorAll('#filters details')].every(d => d.dataset.group !== 'country')"), 'the page is the country already'
    choose(view, 'stock', 'yes')
    settled(view, FOUND)
    assert 0 < int(view.text('#results-h').split()[0]) <= before
    assert view.ask("[...document.querySelectorAll('.found .av')].every(e => ['in', 'low'].includes(e.dataset.av))")


def test_filters_of_search_results(visit):
    view = search(visit, 'whisky')
    before = view.ask("parseInt(document.querySelector('#results-h').textContent)")
    view.until("!!document.querySelector('.with-panel #filters')", why='the column, where there is room')
    choose(view, 'country', 'scotland')
    settled(view, f"parseInt(document.querySelector('#results-h').textContent) < {before}")
    assert view.ask('location.search') == '?q=whisky&country=scotland'
    view.axe().look('filters-search')
    view.click('[data-open=filters]')
    view.until("!document.querySelector('#filters')")


def test_the_visitors_own_lists_are_a_filter(visit):
    view = visit.open('categories/spirits.html')
    name = view.text('.item h3')
    view.click('.item > .plus')
    view.click('.menu [data-list=wish]')
    view.keys('Escape')
    open_filters(view)
    choose(view, 'my', 'wish')
    settled(view, FOUND)
    assert view.ask(NAMES) == [name]
    assert view.texts('.chosen .chip')[0].startswith('Wish list')
    # Results can be put on lists as the tiles of the page can, and leave them.
    view.click('.found .item > .plus')
    view.click('.menu [data-list=wish]')
    view.until("document.querySelector('#results-h').textContent === 'No product matches these filters'")
    view = visit.open('search.html?q=gin', context=view.page.context)
    view.until("document.querySelectorAll('.found .item > .plus').length")
    view.axe()
