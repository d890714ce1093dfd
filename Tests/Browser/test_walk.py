"""One whole visit, home → category → filter → product → each card → + → my lists → saved file: with a keyboard alone, and with a thumb alone."""
import json

CURRENT = "document.querySelector('.tabs [aria-current]')?.hash"
# A link of the home page's tiles to a category, and of its products.
CATEGORY, PRODUCT = '.tile a', '.item h3 a'
FILTERS, IN_STOCK = '[data-open=filters]', '#filters input[name=stock]'
# The filter is in force: the address says so, and what is shown can be had.
FILTERED = "location.search === '?stock=yes' && document.querySelectorAll('.found .item').length && [...document.querySelectorAll('.found .av')].every(e => ['in', 'low'].includes(e.dataset.av)) && !document.querySelector('#results').hasAttribute('aria-busy')"


def saved(download):
    with open(download.value.path(), encoding='utf-8') as file: return json.load(file)['customers'][0]['lists']


def test_keyboard_alone(visit):
    page = visit.open('index.html')
    page.keys('Tab').focus('.skip')
    page.tab_to(CATEGORY).keys('Enter').until("document.querySelector('#results')")
    page.tab_to(FILTERS).keys('Enter').until(f"document.querySelector('{IN_STOCK}')?.checkVisibility()")
    page.tab_to(IN_STOCK).keys('Space').until(FILTERED)
    page.focus(IN_STOCK)
    page.tab_to('.found ' + PRODUCT).keys('Enter').until("document.querySelector('.pan')")
    page.until("document.querySelector('.tabs [aria-current]')")
    page.tab_to('.plus').keys('Enter').until("document.querySelector('#add:popover-open')")
    page.keys('ArrowDown').focus('[data-list=wish]').keys('Enter').status('Added to: Wish list.')
    page.keys('Escape').focus('.plus')
    page.tab_to('.pan')
    ids = page.ask("[...document.querySelectorAll('.pan > .card')].map(c => '#' + c.id)")
    assert len(ids) >= 3
    for i in ids[1:]: page.keys('ArrowRight').expect(CURRENT, i)
    page.tab_to('.mine', back=True, limit=200).keys('Enter').until("document.querySelector('#wish .line')")
    page.tab_to('[data-do=export]')
    with page.page.expect_download() as download: page.keys('Enter')
    assert len(saved(download)['wish']) == 1


def test_thumb_alone(visit):
    page = visit.open('index.html', phone=True, touch=True)
    page.click(CATEGORY).until("document.querySelector('#results')")
    page.click(FILTERS).until("document.querySelector('dialog').open")
    page.click(f'#filters label:has({IN_STOCK[9:]})').until("/Show [\\d,]+ products/.test(document.querySelector('.panel-foot .pri').textContent)")
    page.click('.panel-foot .pri').until("!document.querySelector('dialog').open")
    page.until(FILTERED)
    page.click('.found .item > .plus').until("document.querySelector('.menu:popover-open')")
    page.click('.menu [data-list=basket]').status('Added to: Basket.')
    page.page.touchscreen.tap(195, 60)
    page.until("!document.querySelector('.menu:popover-open')")
    page.click('.found ' + PRODUCT).until("document.querySelector('.pan')")
    page.until("document.querySelector('.tabs [aria-current]')")
    ids = page.ask("[...document.querySelectorAll('.pan > .card')].map(c => c.id)")
    for here, there in zip(ids, ids[1:]): page.swipe('#' + here, -300).expect(CURRENT, '#' + there)
    page.click('.plus').until("document.querySelector('#add:popover-open')")
    page.click('#add [data-list=wish]').status('Added to: Wish list.')
    page.page.touchscreen.tap(195, 60)
    page.until("!document.querySelector('#add:popover-open')")
    page.click('.mine').until("document.querySelector('#wish .line')")
    with page.page.expect_download() as download: page.click('[data-do=export]')
    lists = saved(download)
    assert len(lists['wish']) == 1 and len(lists['basket']) == 1, lists
