"""Reviews that come after the page: of the site itself, and of a web service that may be slow, broken, huge or hostile."""
import html, os, re, threading

import pages

REVIEW = '<review rating="{rating}" date="{date}"><title>Title {n}</title><author>A. {n}</author><body>Body {n}.\n\nSecond.</body></review>'
EXAMPLE = re.search(r'```xml\n(.*?)```', pages.text(pages.ROOT, 'docs/reviews.md'), re.S).group(1)
CARDS = "[...document.querySelectorAll('.pan > .card')].map(c => c.id)"
TITLES = "[...document.querySelectorAll('#reviews li')].filter(li => li.checkVisibility() && li.querySelector('.rev')).map(li => li.querySelector('h3')?.textContent)"


def many(n): return '<reviews>' + ''.join(REVIEW.format(n=i, rating=i % 6, date=f'20{10 + i % 15}-0{1 + i % 9}-11') for i in range(n)) + '</reviews>'


def whole(body, kind='application/xml', status=200): return lambda query: (status, {'Content-Type': kind, 'Access-Control-Allow-Origin': '*'}, body if isinstance(body, bytes) else body.encode())


def remote(visit, path='/service'): return visit.own_site(reviews='{mode: remote, address: "service?id={id}"}')


def test_late_card_comes_without_moving_what_is_read(visit):
    for phone in (False, True):
        site = visit.own_site()
        path = site.product
        gate = threading.Event()
        late = '/' + re.search(r'href="[./]*(reviews/[^"]+)" data-late', pages.text(site.folder, path)).group(1)
        body = pages.text(site.folder, late[1:]).encode()
        site.server.routes[late] = lambda query: (gate.wait(20), (200, {'Content-Type': 'text/html; charset=utf-8'}, body))[1]
        page = visit.open(path, site=site, phone=phone, touch=phone)
        page.click('.tabs a[href="#note"]')
        where = "['overview', 'facts', 'note'].map(id => { const r = document.getElementById(id).getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; }).concat(scrollY, document.querySelector('#note').scrollTop, document.activeElement.id)"
        before = page.ask(where)
        gate.set()
        page.until("document.getElementById('reviews')")
        assert page.ask(where) == before, 'the cards have moved'
        page.status('added as the last card')
        page.shifts()
        page.expect(f'{CARDS}.at(-1)', 'reviews')
        assert page.texts('.tabs a')[-1] == 'Reviews'
        page.click('.tabs a[href="#reviews"]').expect("document.querySelector('.tabs [aria-current]').hash", '#reviews')
        page.axe().look(f'reviews-{"phone" if phone else "desktop"}')


def test_late_card_can_be_linked_to(visit):
    page = visit.open(visit.site().product + '#reviews')
    page.until("(r => r && r.left < innerWidth && r.right > 0)(document.getElementById('reviews')?.getBoundingClientRect())", why='the card of reviews in view')
    page.expect("document.querySelector('.tabs [aria-current]').hash", '#reviews')


def test_pages_own_reviews_that_fail_leave_the_link(visit):
    for fault in (500, 404):
        site = visit.own_site()
        site.server.faults['/reviews/'] = fault
        page = visit.open(site.product, site=site, messages=[str(fault)])
        page.until("performance.getEntriesByType('resource').some(r => r.name.includes('/reviews/'))")
        assert 'reviews' not in page.ask(CARDS)
        assert page.ask("document.querySelector('a[data-late]').getAttribute('href').includes('reviews/')")


def test_many_reviews_are_sorted_and_shown_by_and_by(visit):
    site = remote(visit)
    site.server.routes['/service'] = whole(many(200))
    page = visit.open(site.product, site=site)
    page.until("document.getElementById('reviews')")
    page.expect(f'{TITLES}.length', 10)
    page.click('.tabs a[href="#reviews"]')
    dates = page.ask("[...document.querySelectorAll('#reviews time')].map(t => t.dateTime)")
    assert dates == sorted(dates, reverse=True) and len(dates) == 200
    stars = "[...document.querySelectorAll('#reviews li .stars rect')].map(r => parseFloat(r.getAttribute('width')))"
    page.page.select_option('select.sort', 'highest')
    page.until(f"{stars}.every((s, i, all) => !i || all[i - 1] >= s)")
    page.page.select_option('select.sort', 'lowest')
    page.until(f"{stars}.every((s, i, all) => !i || all[i - 1] <= s)")
    page.page.select_option('select.sort', 'newest')
    page.expect("[...document.querySelectorAll('#reviews time')].map(t => t.dateTime)", dates)
    assert page.text('#reviews .btn') == 'Show more (190 left)'
    page.click('#reviews .btn').expect(f'{TITLES}.length', 30)
    page.focus('#reviews li:nth-child(11)')
    page.axe().look('reviews-many')
    for n in range(9): page.click('#reviews .btn')
    page.expect(f'{TITLES}.length', 200)
    assert page.ask("document.querySelector('#reviews .btn').hidden")


def test_reviews_page_can_be_sorted_and_needs_no_script(visit):
    site = visit.site()
    path = max(site.pages('class="rev"', top='reviews/'), key=lambda p: os.path.getsize(os.path.join(site.folder, p)))
    plain = visit.open(path, script=False)
    n = plain.count('.rev')
    assert n > 3 and plain.count('select') == 0
    page = visit.open(path)
    page.until("document.querySelector('select.sort')").__class__
    page.shifts()
    assert page.count('.rev') == n and page.ask("[...document.querySelectorAll('.rev')].every(r => r.checkVisibility())")
    page.page.select_option('select.sort', 'lowest')
    page.until("[...document.querySelectorAll('#reviews li .stars rect')].map(r => parseFloat(r.getAttribute('width'))).every((s, i, all) => !i || all[i - 1] <= s)")
    page.axe()


def test_inline_reviews_fetch_the_rest_when_asked(visit):
    site = visit.site(reviews='inline')
    path = next(site.pages('class="card c-reviews"', '<p class="more">'))
    page = visit.open(path, site=site)
    assert page.count('#reviews .rev') == 5
    page.click('.tabs a[href="#reviews"]')
    page.click('#reviews .more a').until("document.querySelectorAll('#reviews .rev').length > 5")
    page.until("document.querySelector('#reviews select.sort')")
    page.focus('#reviews li:nth-child(6)')


def test_service_answers_as_documented(visit):
    site = remote(visit)
    asked = []
    site.server.routes['/service'] = lambda query: (asked.append(query), whole(EXAMPLE)(query))[1]
    page = visit.open(site.product, site=site)
    page.until("document.getElementById('reviews')")
    assert asked and asked[0]['id'] == page.ask("document.querySelector('[data-product]').dataset.product")
    assert page.text('#reviews h3') == 'Like a walk on the pier'
    assert page.texts('#reviews .rev > div p') == ['Salt first, then apples.', 'Better on the second evening.']
    assert page.texts('#reviews .who')[0].replace('\n', ' ') == 'Maren 1 May 2026'
    assert page.ask("document.querySelector('#reviews .rev .stars').ariaLabel") == '4.5 out of 5'
    assert page.ask("document.querySelector('#reviews .sum .stars rect').getAttribute('width')") == '90%'
    assert page.text('#reviews h2') == 'One review'
    page.shifts().axe()


def test_service_is_asked_on_another_host_and_only_there(visit):
    other = visit.own_site()   # any second host
    other.server.routes['/other'] = whole(EXAMPLE)
    site = visit.own_site(reviews='{mode: remote, address: "%s/other?x={sku}"}' % other.base)
    page = visit.open(site.product, site=site)
    page.until("document.getElementById('reviews')")
    policy = lambda path: re.search('connect-src ([^;]*);', html.unescape(pages.text(site.folder, path))).group(1)
    assert policy(site.product).split()[-1] == other.base, policy(site.product)
    for path in ('index.html', 'products/index.html', 'my-lists.html'): assert other.base not in policy(path)
    assert other.base not in pages.text(visit.site().folder, visit.site().product)
    assert not list(site.pages('class="rate"')), 'the table of reviews is used'


HOSTILE = '''<?xml version="1.0"?>
<!DOCTYPE reviews [<!ENTITY file SYSTEM "file:///etc/passwd"><!ENTITY net SYSTEM "/entity">]>
<reviews xmlns:h="http://www.w3.org/1999/xhtml">
<review rating="5" date="2026-01-01"><title>&lt;img src=x onerror=hacked()&gt;<h:b>bold</h:b></title><author><h:script>window.hacked = 1</h:script>Eve</author>
<body><h:img src="/pixel" onerror="window.hacked = 1"/><![CDATA[<script>window.hacked = 1</script>]]></body></review>
<review rating="1e9" date="yesterday" lang="en&quot; onload=&quot;x"><body>numbers</body></review>
<review rating="-1" date="2026-13-45"><body>more</body></review>
<review/><h:script>window.hacked = 1</h:script><other>x</other>
</reviews>'''
LAUGHS = '<?xml version="1.0"?><!DOCTYPE reviews [<!ENTITY a "ha">' + ''.join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 12}">' for i in range(10)) + ']><reviews><review rating="5"><body>&k;</body></review></reviews>'


def test_hostile_service_gets_text_in_and_nothing_else(visit):
    site = remote(visit)
    site.server.routes['/service'] = whole(HOSTILE)
    page = visit.open(site.product, site=site, messages=['XML', 'entity', 'Content Security Policy'])
    page.until("document.getElementById('reviews')")
    assert page.ask("window.hacked === undefined && !document.querySelector('#reviews img, #reviews script, #reviews b:not(.avg b)')")
    assert page.ask("document.querySelector('#reviews h3').textContent").startswith('<img src=x onerror=hacked()>')
    assert '<script>' in page.ask("document.querySelector('#reviews .rev > div').textContent")
    assert page.count('#reviews .rev') == 3 and page.count('#reviews .rev .stars') == 1 and page.count('#reviews .rev time') == 1 and page.count('#reviews [lang]') == 0
    assert not [p for p, _ in site.server.requests if p in ('/pixel', '/entity')]


def test_long_words_of_a_service_are_cut(visit):
    site = remote(visit)
    site.server.routes['/service'] = whole('<reviews><review><title>' + 't' * 300 + '</title><author>' + 'a' * 300 + '</author><body>' + 'b' * 6000 + '</body></review></reviews>')
    page = visit.open(site.product, site=site)
    page.until("document.getElementById('reviews')")
    page.expect("['h3', '.who span', '.rev > div'].map(part => document.querySelector('#reviews ' + part).textContent.length)", [200, 100, 5000])


def test_service_that_calls_its_xml_html_is_understood(visit):
    site = remote(visit)
    site.server.routes['/service'] = whole(EXAMPLE, kind='text/html')
    page = visit.open(site.product, site=site)
    page.until("document.querySelector('#reviews h3')?.textContent === 'Like a walk on the pier'")


def test_bad_service_leaves_the_page_as_it_was(visit):
    answers = {
        'broken': whole('<reviews><review rating="5"><body>half'), 'not reviews': whole('<rss><review rating="5"><body>x</body></review></rss>'),
        'html': whole('<!DOCTYPE html><title>x</title><section id="reviews"><h2>x</h2><script>window.hacked=1</script></section>', 'text/html'),
        'json': whole('{"reviews": []}', 'application/json'), 'nothing': whole(''), 'none': whole('<reviews/>'), 'failing': whole('oops', status=500), 'absent': whole('', status=404),
        'huge': whole(many(40000)), 'endless': lambda query: (200, {'Content-Type': 'application/xml'}, (b'<reviews>' if not i else b'<!-- ' + b'x' * 65000 + b' -->' for i in range(100))),
        'laughing': whole(LAUGHS), 'deep': whole('<reviews>' + '<review>' * 60000 + '</review>' * 60000 + '</reviews>'),
    }
    site = remote(visit)
    for name, answer in answers.items():
        done = threading.Event()
        site.server.routes['/service'] = lambda query, answer=answer: (done.set(), answer(query))[1]
        page = visit.open(site.product, site=site, messages=['500', '404', 'ERR_', 'XML', 'inline style'])  # of Chromium's own report on broken XML
        cards = page.ask(CARDS)
        assert done.wait(8), f'{name}: not asked'
        page.until("performance.getEntriesByType('resource').some(r => r.name.includes('/service'))", why=f'{name}: an end of the request')
        assert page.ask(CARDS) == cards and page.ask('window.hacked === undefined'), name
        page.click('.tabs a[href="#facts"]').expect("document.querySelector('.tabs [aria-current]').hash", '#facts')
        page.quiet()
        page.page.close()
        visit.views.remove(page)


def test_slow_service_never_holds_up_the_page(visit):
    site = remote(visit)
    site.server.hanging = ['/service']
    page = visit.open(site.product, site=site, messages=['ERR_'])
    page.until("document.querySelector('.tabs [aria-current]')")
    page.click('.plus').click('#add [data-list=wish]').status('Added')
    assert 'reviews' not in page.ask(CARDS)
