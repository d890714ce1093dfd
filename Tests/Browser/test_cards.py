"""The row of cards: touch, keyboard, buttons, links, sizes, modes."""
import pages

CURRENT = "document.querySelector('.tabs [aria-current]')?.hash"
LEFT = "(id => Math.round(document.getElementById(id).getBoundingClientRect().left - document.querySelector('.pan').getBoundingClientRect().left - parseFloat(getComputedStyle(document.querySelector('.pan')).scrollPaddingInlineStart)))"
ALL = "[...document.querySelectorAll('.pan > .card')].map(c => '#' + c.id)"


def test_a_finger_moves_from_card_to_card(visit):
    page = visit.open(visit.site().product, phone=True, touch=True)
    page.expect(CURRENT, '#overview')
    page.swipe('#overview', -300)
    page.expect(CURRENT, '#facts')
    page.expect(f"{LEFT}('facts')", 0)
    page.swipe('#facts', -300).expect(CURRENT, '#note')
    page.swipe('#note', 300).expect(CURRENT, '#facts')
    page.no_sideways()


def test_next_card_peeks_in(visit):
    for size in ((320, 640), (390, 844), (768, 1024), (1440, 900)):
        page = visit.open(visit.site().product, size=size)
        assert page.ask("(r => r.left < innerWidth - 8)(document.querySelector('.pan > :nth-child(2)').getBoundingClientRect())"), size


def test_arrow_keys_home_and_end(visit):
    page = visit.open(visit.site().product)
    page.until("document.getElementById('reviews')")
    page.tab_to('.pan')
    ids = page.ask(ALL)
    for wanted in ids[1:]: page.keys('ArrowRight').expect(CURRENT, wanted)
    page.keys('ArrowRight').expect(CURRENT, ids[-1])
    page.keys('Home').expect(CURRENT, ids[0])
    page.keys('End').expect(CURRENT, ids[-1])
    page.keys('ArrowLeft').expect(CURRENT, ids[-2])
    assert page.count('.tabs [aria-current]') == 1


def test_buttons_for_a_fine_pointer(visit):
    page = visit.open(visit.site().product)
    page.expect("[...document.querySelectorAll('[data-go]')].map(b => b.ariaDisabled)", ['true', 'false'])
    page.click('[data-go="1"]').expect(CURRENT, '#facts')
    page.expect("[...document.querySelectorAll('[data-go]')].map(b => b.ariaDisabled)", ['false', 'false'])
    page.click('[data-go="-1"]').expect(CURRENT, '#overview')
    phone = visit.open(visit.site().product, phone=True, touch=True)
    assert not phone.texts('[data-go]')


def test_tabs_lead_to_cards_and_take_the_focus(visit):
    page = visit.open(visit.site().product)
    page.click('.tabs a[href="#tasting"]').expect(CURRENT, '#tasting').focus('#tasting')
    assert page.ask('location.hash') == '#tasting'


def test_a_card_can_be_linked_to(visit):
    site = visit.site()
    page = visit.open(site.product + '#note', phone=True)
    page.expect(CURRENT, '#note').expect(f"{LEFT}('note')", 0)
    # Another address of the same page, as typed or by back.
    page.ask("location.hash = '#facts'")
    page.expect(CURRENT, '#facts').expect(f"{LEFT}('facts')", 0)


def test_region_has_a_name_a_hint_and_a_stop(visit):
    page = visit.open(visit.site().product)
    pan = "document.querySelector('.pan')"
    assert page.ask(f"{pan}.getAttribute('role')") == 'region' and page.ask(f'{pan}.tabIndex') == 0
    assert page.ask(f'{pan}.ariaLabel') == 'Product cards'
    assert page.ask(f"document.getElementById({pan}.getAttribute('aria-describedby')).textContent").startswith('The left and right arrow keys')
    assert page.ask(f'getComputedStyle({pan}).overscrollBehaviorInline') == 'contain'


def test_wheel_is_left_alone(visit):
    page = visit.open(visit.site().product, size=(1000, 500))
    page.ask("window.__taken = []; addEventListener('wheel', e => window.__taken.push(e.defaultPrevented))")
    page.page.mouse.move(500, 300)
    page.page.mouse.wheel(0, 300)
    page.until('window.__taken.length')
    assert page.ask('window.__taken.every(taken => !taken)')
    page.until("scrollY > 0 || [...document.querySelectorAll('.card')].some(c => c.scrollTop > 0)", why='the wheel to scroll down')
    assert page.ask("document.querySelector('.pan').scrollLeft") == 0


def test_position_is_kept_when_the_window_is_turned(visit):
    # The page hears of a scroll with the next frame.
    frames = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'
    # Also while nothing snaps, as after reviews that have just come.
    for snaps in (True, False):
        page = visit.open(visit.site().product, phone=True)
        page.click('.tabs a[href="#note"]').expect(f"{LEFT}('note')", 0)
        page.ask(frames)
        if not snaps: page.ask("document.querySelector('.pan').style.scrollSnapType = 'none'")
        for size in ((844, 390), (390, 844), (1000, 800), (500, 900)):
            page.page.set_viewport_size({'width': size[0], 'height': size[1]})
            page.until(f"Math.abs({LEFT}('note')) < 3 || (p => p.scrollWidth - p.clientWidth - p.scrollLeft < 3)(document.querySelector('.pan'))", why=f'the card at the start at {size}')
    arabic = visit.site(language='ar')
    page = visit.open(arabic.product, site=arabic, phone=True)
    page.click('.tabs a[href="#note"]')
    right = "Math.round(document.querySelector('.pan').getBoundingClientRect().right - document.getElementById('note').getBoundingClientRect().right - parseFloat(getComputedStyle(document.querySelector('.pan')).scrollPaddingInlineStart))"
    page.expect(right, 0)
    page.ask(frames)
    page.page.set_viewport_size({'width': 480, 'height': 900})
    page.until(f'Math.abs({right}) < 3')


def test_right_to_left(visit):
    site = visit.site(language='ar')
    page = visit.open(site.product, site=site)
    ids = page.ask(ALL)
    page.ask("document.querySelector('.pan').focus()")
    page.keys('ArrowLeft').expect(CURRENT, ids[1])
    page.keys('ArrowLeft').expect(CURRENT, ids[2])
    page.keys('ArrowRight').expect(CURRENT, ids[1])
    page.no_sideways().look('cards-rtl')
    phone = visit.open(site.product, site=site, phone=True, touch=True)
    phone.swipe('#overview', 220).expect(CURRENT, '#facts')


def test_long_cards_scroll_inside_and_can_be_reached(visit):
    site = visit.site()
    page = visit.open(site.product, size=(1000, 620))
    page.until("[...document.querySelectorAll('.card')].some(c => c.scrollHeight > c.clientHeight + 4)")
    page.until("[...document.querySelectorAll('.card')].every(c => (c.scrollHeight > c.clientHeight + 4) === (c.tabIndex === 0))")


def test_reduced_motion_moves_at_once_and_otherwise_smoothly(visit):
    page = visit.open(visit.site().product, phone=True)
    page.click('.tabs a[href="#note"]')
    assert page.ask(f"{LEFT}('note')") == 0
    assert page.ask("getComputedStyle(document.querySelector('.card')).animationName") == 'none'
    lively = visit.open(visit.site().product, phone=True, calm=False)
    lively.click('.tabs a[href="#note"]').expect(f"{LEFT}('note')", 0)


def test_four_hundred_percent_zoom_stacks_the_cards(visit):
    page = visit.open(visit.site().product, size=(320, 256))
    page.no_sideways()
    lefts = page.ask("[...document.querySelectorAll('.pan > .card')].map(c => Math.round(c.getBoundingClientRect().left))")
    assert len(set(lefts)) == 1, lefts
    assert page.ask("[...document.querySelectorAll('.card')].every(c => c.scrollWidth <= c.clientWidth + 1)")
    # A low window with room beside: cards taller than it, so nothing is forced back to an edge.
    low = visit.open(visit.site().product, size=(700, 400))
    assert 'mandatory' not in low.ask("getComputedStyle(document.querySelector('.pan')).scrollSnapType")


def test_forced_colours_keep_borders_and_words(visit):
    page = visit.open(visit.site().product, forced_colors='active')
    assert page.ask("matchMedia('(forced-colors: active)').matches")
    assert page.ask("[...document.querySelectorAll('.card, .plus')].every(c => parseFloat(getComputedStyle(c).borderTopWidth) >= 1)")
    assert page.ask("getComputedStyle(document.querySelector('.stretch'), '::before').display") == 'none'
    # Icons are backgrounds, which this mode takes away unless told otherwise: theirs is the colour of the words around them.
    icons = page.ask("""[...document.querySelectorAll('.top .rnd .ic, .acts .ic')].filter(i => i.checkVisibility()).map(i =>
      [i.className, getComputedStyle(i).backgroundColor, getComputedStyle(i.parentNode).color])""")
    assert len(icons) > 3 and all(back == fore for _, back, fore in icons), icons
    page.look('cards-forced-colours')
    page.click('.plus').until("document.querySelector('#add:popover-open')")
    page.click('#add [data-list=wish]').status('Added').look('menu-forced-colours')


def test_print_shows_all_cards_stacked(visit):
    page = visit.open(visit.site().product)
    page.until("document.getElementById('reviews')")
    page.page.emulate_media(media='print')
    tops = page.ask("[...document.querySelectorAll('.pan > .card')].map(c => [Math.round(c.getBoundingClientRect().left), Math.round(c.getBoundingClientRect().top)])")
    assert len({left for left, _ in tops}) == 1 and [t for _, t in tops] == sorted({t for _, t in tops}), tops
    assert page.ask("[...document.querySelectorAll('.card')].every(c => c.scrollHeight <= c.clientHeight + 4)")
    assert not page.texts('.top, .bar, .foot')


def test_without_script_all_cards_can_be_read(visit):
    page = visit.open(visit.site().product, script=False, phone=True)
    for i in ('facts', 'note', 'tasting', 'overview'):
        page.click(f'.tabs a[href="#{i}"]')
        page.until(f"(r => r.left >= -2 && r.left < innerWidth / 2)(document.getElementById('{i}').getBoundingClientRect())", why=f'{i} in view')


def test_an_error_in_one_script_stops_no_other(visit):
    site = visit.site()
    for broken, works in (('cards', "document.querySelector('.plus').ariaLabel && document.getElementById('count')"), ('lists', "document.querySelector('.tabs [aria-current]')")):
        context = visit.context()
        context.route(f'**/assets/{broken}-??????????.js', lambda route: route.fulfill(content_type='text/javascript', body='throw new Error("broken on purpose");'))
        page = visit.open(site.product, context=context, messages=['broken on purpose'])
        page.until(works)
        if broken == 'cards':
            page.click('.plus').click('#add [data-list=wish]').status('Added')
