"""What the browser tests share: sites, a host on the loopback, and visitors with a phone or a desktop.

    def test_something(visit):
        page = visit.open('products/…/….html', phone=True, touch=True)
        page.click('.plus')
        page.until("document.querySelector('#say').textContent")

A test says what a person does and what is to be seen then. It waits for conditions, never for a time.
"""
import functools, http.server, json, os, re, threading, time, urllib.parse

import pages

# How long anything may take before a test fails: only failures wait that long, and a busy machine is no fault.
PATIENCE = float(os.environ.get('PATIENCE', 20))
PHONE, DESKTOP = (390, 844), (1440, 900)
ARTEFACTS = os.path.join(pages.ROOT, 'artefacts', 'browser')

# Layout shifts from the very start; those within half a second of input do not count.
SHIFTS = """(() => { const all = window.__shifts = []; new PerformanceObserver(list => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) all.push([e.value, ...e.sources.map(s => s.node?.nodeType === 1 ? s.node.outerHTML.slice(0, 120) : '')]);
}).observe({ type: 'layout-shift', buffered: true }); })()"""

STORAGE = {
    'blocked': "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError'); } });",
    # Really full: every further write fails in the browser's own way.
    'full': "for (let text = 'x'.repeat(1 << 20), n = 0; text;) try { localStorage.setItem('filler' + n++, text); } catch { text = text.slice(text.length / 2 + .5); if (text.length < 2) text = ''; }",
}


class Server(http.server.ThreadingHTTPServer):
    """A static host as shops have them: the site at every mount, hashed files cacheable, its 404 page, no folders listed."""
    daemon_threads = True

    def __init__(self, folder, mounts=('/', '/x/y/'), port=0):
        self.folder, self.mounts = os.path.realpath(folder), mounts
        # Seconds that every answer takes; paths (by what they hold) that fail with a status, or never answer.
        self.delay, self.faults, self.hanging = 0, {}, []
        # Answers of our own: path → function of the query that gives (status, headers, bytes or an iterable of bytes).
        self.routes = {}
        # What was asked for since it was last cleared: (path, bytes of the body).
        self.requests = []
        super().__init__(('127.0.0.1', port), Handler)
        self.base = f'http://127.0.0.1:{self.server_port}'
        self.ending = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={'poll_interval': .02}, daemon=True).start()

    def handle_error(self, *_): pass  # a browser that hangs up

    def stop(self):
        self.ending.set()
        self.shutdown()
        self.server_close()

    def file(self, path):
        for mount in sorted(self.mounts, key=len, reverse=True):
            if not path.startswith(mount): continue
            file = os.path.normpath(os.path.join(self.folder, path[len(mount):]))
            if not (file + '/').startswith(self.folder + '/'): return None
            if os.path.isdir(file): file = os.path.join(file, 'index.html')
            return file if os.path.isfile(file) else None
        return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_GET(self):
        server = self.server
        if server.ending.is_set():  # a host that is gone answers on no line that is still open
            self.close_connection = True
            return
        path, _, query = self.path.partition('?')
        path = urllib.parse.unquote(path)
        if server.delay: server.ending.wait(server.delay)
        if any(part in path for part in server.hanging): server.ending.wait(60)
        for part, status in server.faults.items():
            if part in path: return self.answer(status, {'Content-Type': 'text/plain'}, b'')
        if path in server.routes: return self.answer(*server.routes[path](dict(urllib.parse.parse_qsl(query))))
        file, status = server.file(path), 200
        if not file: file, status = os.path.join(server.folder, '404.html'), 404
        with open(file, 'rb') as f: data = f.read()
        kind = pages.Host.TYPES.get(file.rsplit('.', 1)[-1], 'application/octet-stream')
        hashed = '/assets/' in path or path.endswith('.bin')
        self.answer(status, {'Content-Type': kind, 'Cache-Control': 'max-age=31536000, immutable' if hashed else 'no-cache'}, data)

    def answer(self, status, headers, body):
        parts = [body] if isinstance(body, bytes) else body
        whole = isinstance(body, bytes)
        self.send_response(status)
        for name, value in headers.items(): self.send_header(name, value)
        if whole: self.send_header('Content-Length', str(len(body)))
        else: self.close_connection = True
        self.end_headers()
        try:
            sent = 0
            for part in parts:
                self.wfile.write(part)
                sent += len(part)
            self.server.requests.append((self.path, sent))
        except (BrokenPipeError, ConnectionResetError): pass

    def log_message(self, *_): pass


class Site:
    """A built site and its host."""

    def __init__(self, source, folder, server):
        self.source, self.folder, self.server = source, folder, server
        self.base = server.base

    @functools.cached_property
    def kinds(self):
        """A page of each kind, see pages.kinds."""
        return pages.kinds(self.folder)

    def pages(self, *texts, top='products/'):
        """Pages whose HTML holds all the texts, in order."""
        for path in pages.files(self.folder, '.html'):
            if path.startswith(top) and all(text in pages.text(self.folder, path) for text in texts): yield path

    @functools.cached_property
    def product(self):
        """A product with a picture, a price, notes and late reviews: the whole row of cards."""
        wanted = ['class="card c-note"', 'class="card c-tasting"', '<p class="price">', '<picture']
        return next(self.pages('data-late', *wanted), None) or next(self.pages(*wanted))

    def settings(self, **changes):
        """Builds the site again with other settings, to the same place."""
        text = pages.text(self.source, 'content/site.yaml')
        for key, value in changes.items():
            text = re.sub(rf'(?m)^{key}:.*\n', '', text) + f'\n{key}: {value}\n'
        with open(os.path.join(self.source, 'content/site.yaml'), 'w', encoding='utf-8') as file: file.write(text)
        pages.build(self.source, self.folder)


class Browser:
    def __init__(self, playwright, work):
        self.work, self.sites, self.built = work, {}, 0
        # Without the back/forward cache one of the things that people do all day would not be tested.
        self.chromium = playwright.chromium.launch(
            executable_path=pages.CHROMIUM, args=['--no-sandbox', '--disable-dev-shm-usage'], ignore_default_args=['--disable-back-forward-cache'])
        with open(pages.tool('axe_playwright_python', 'axe.min.js'), encoding='utf-8') as file: self.axe = file.read()

    def site(self, source=pages.ROOT, own=False, **settings):
        """A site like one of the project with other settings, built once for all tests, or for one alone."""
        key = (source, *sorted(settings.items()))
        if own or key not in self.sites:
            self.built += 1
            copy, folder = os.path.join(self.work, f'site-{self.built}'), os.path.join(self.work, f'public-{self.built}')
            pages.copy_site(source, copy, settings)
            pages.build(copy, folder)
            site = Site(copy, folder, Server(folder))
            if own: return site
            self.sites[key] = site
        return self.sites[key]

    def close(self):
        self.chromium.close()
        for site in self.sites.values(): site.server.stop()


class Visit:
    """One test: its pages are closed when it ends."""

    def __init__(self, browser, title):
        self.browser, self.title, self.contexts, self.views, self.own = browser, title, [], [], []

    def site(self, source=pages.ROOT, **settings): return self.browser.site(source, **settings)

    def own_site(self, source=pages.ROOT, **settings):
        """A site that the test may change and whose host it may stop."""
        site = self.browser.site(source, own=True, **settings)
        self.own.append(site)
        return site

    def context(self, phone=False, touch=False, script=True, storage=None, size=None, scheme='light', calm=True, forced_colors=None, locale='en-GB', workers=False, **more):
        """A visitor with a device of their own: nothing is kept from other ones.

        - calm: asks for reduced motion, so that nothing has to be waited for.
        - storage: 'blocked' or 'full'.
        - workers: lets the site have its service worker.
        """
        width, height = size or (PHONE if phone else DESKTOP)
        if touch: more |= {'has_touch': True, 'is_mobile': True}
        context = self.browser.chromium.new_context(
            viewport={'width': width, 'height': height}, java_script_enabled=script, color_scheme=scheme, locale=locale, accept_downloads=True,
            reduced_motion='reduce' if calm else 'no-preference', forced_colors=forced_colors, **more)
        # As in a private window of some browsers; what Playwright offers for this says so on the console.
        if not workers: context.add_init_script("Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined });")
        context.add_init_script(SHIFTS)
        if storage: context.add_init_script(STORAGE[storage])
        self.contexts.append(context)
        return context

    def open(self, path, site=None, mount='/', context=None, messages=(), **device):
        """Opens a page of a site (the demo shop unless told otherwise) in a new context, or a given one.

        - messages: parts of what the console may say.
        """
        site = site or self.site()
        view = View(self, (context or self.context(**device)).new_page(), site, mount, messages)
        self.views.append(view)
        view.go(path)
        return view

    def finish(self):
        for view in self.views: view.quiet()

    def keep_evidence(self):
        os.makedirs(ARTEFACTS, exist_ok=True)
        for n, view in enumerate(self.views):
            name = re.sub(r'[^a-z0-9]+', '-', self.title.lower()).strip('-')
            try: view.page.screenshot(path=os.path.join(ARTEFACTS, f'FAILED-{name}-{n + 1}.png'), timeout=5000)
            except Exception as e: print('       no screenshot:', str(e).split('\n')[0])
            if view.messages: print('       console:', *view.messages, sep='\n         ')

    def close(self):
        for context in self.contexts: context.close()
        for site in self.own:
            try: site.server.stop()
            except OSError: pass


class View(pages.Page):
    """A page in a tab."""

    def __init__(self, visit, page, site, mount, messages):
        super().__init__(page)
        self.visit, self.site, self.mount, self.allowed = visit, site, mount, list(messages)
        page.set_default_timeout(PATIENCE * 1000)

    # What a person does

    def go(self, path):
        self.page.goto(path if '://' in path else self.site.base + self.mount + path, wait_until='load', timeout=3000 * PATIENCE)
        return self

    def click(self, selector, **more):
        (self.page.tap if self.touch else self.page.click)(selector, **more)
        return self

    @functools.cached_property
    def touch(self): return self.ask("matchMedia('(pointer: coarse)').matches")

    def keys(self, *names):
        for name in names: self.page.keyboard.press(name)
        return self

    def type(self, text): self.page.keyboard.type(text)

    def tab_to(self, selector, limit=80, back=False):
        """Presses Tab until the focus is there, as somebody without a mouse does; every stop must be visible."""
        stops = []
        for _ in range(limit):
            self.keys('Shift+Tab' if back else 'Tab')
            at = self.ask(f"""(() => {{ const e = document.activeElement, r = e.getBoundingClientRect();
              return {{ there: e.matches({json.dumps(selector)}), seen: e === document.body || (r.width > 0 && r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth), html: e.outerHTML.slice(0, 90) }}; }})()""")
            assert at['seen'], f'the focus is out of sight at {at["html"]}'
            if at['there']: return self
            stops.append(at['html'])
        raise AssertionError(f'Tab does not lead to {selector}: ' + ' · '.join(stops[-12:]))

    def swipe(self, selector, dx, dy=0):
        """Drags with a finger."""
        x, y, w, h = self.box(selector)
        x, y, steps = min(max(x, 0) + min(w, 390) / 2, 370) - dx / 2, y + min(h, 500) / 2, 10
        touch = lambda kind, *points: self.debugger.send('Input.dispatchTouchEvent', {'type': kind, 'touchPoints': [{'x': round(a), 'y': round(b)} for a, b in points]})
        touch('touchStart', (x, y))
        for n in range(1, steps + 1):
            touch('touchMove', (x + dx * n / steps, y + dy * n / steps))
            time.sleep(.016)  # a finger has a speed, and what it flings depends on it
        touch('touchEnd')
        return self.rest(selector)

    def rest(self, selector):
        """Waits until something has come to rest."""
        was = None
        for _ in range(100):
            now = self.box(selector)
            if now == was: return self
            was = now
            time.sleep(.1)
        raise AssertionError(f'{selector} never comes to rest')

    # What is to be seen

    def until(self, condition, seconds=PATIENCE, why=None):
        """Waits until an expression is true, and gives its value."""
        end, value = time.time() + seconds, None
        while time.time() < end:
            try: value = self.ask(f'Promise.resolve({condition}).then(v => v && typeof v === "object" ? true : v)')
            except RuntimeError as e: value = e
            except Exception as e:  # the page is being replaced by the next
                if 'navigat' not in str(e) and 'context' not in str(e).lower(): raise
                value = e
            if value and not isinstance(value, Exception): return value
            time.sleep(.03)
        raise AssertionError(f'{why or condition} did not come true: {value!r}')

    def expect(self, expression, value):
        """Waits until an expression has a value."""
        wanted = json.dumps(value)
        try: self.until(f'JSON.stringify({expression}) === JSON.stringify({wanted})')
        except AssertionError: raise AssertionError(f'{expression} is {self.ask(expression)!r}, not {value!r}') from None
        return self

    def text(self, selector): return self.ask(f'document.querySelector({json.dumps(selector)})?.innerText ?? null')

    def texts(self, selector): return self.ask(f'[...document.querySelectorAll({json.dumps(selector)})].filter(e => e.checkVisibility()).map(e => e.innerText.trim())')

    def count(self, selector): return self.ask(f'document.querySelectorAll({json.dumps(selector)}).length')

    def box(self, selector): return self.ask(f'(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }})()')

    def status(self, part):
        """Waits until the status region says something."""
        self.until(f"document.getElementById('say').textContent.includes({json.dumps(part)})", why=f'the status to say {part!r}')
        return self

    def focus(self, selector):
        """Waits until the focus is somewhere."""
        self.until(f'document.activeElement.matches({json.dumps(selector)})', why=f'the focus at {selector}')
        return self

    def shifts(self):
        # What is less than half a thousandth is the line below the current tab, which slides.
        found = [shift for shift in self.ask('window.__shifts') if shift[0] > .0005]
        assert not found, f'the layout shifts: {found}'
        return self

    def axe(self, where='document'):
        """No rule of axe is broken, WCAG 2.2 A and AA and best practice."""
        self.ask(f'window.axe ? 0 : (() => {{ {self.visit.browser.axe}; }})() ?? 0')
        found = self.ask(f"""axe.run({where}, {{ resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }})
          .then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 140) + ' ' + (n.any[0]?.message ?? '').slice(0, 120)).join(' | ')))""")
        assert not found, 'axe: ' + '\n'.join(found)
        return self

    def no_sideways(self):
        far = self.ask("(() => { const s = document.scrollingElement, was = s.scrollLeft; let far = 0; for (const x of [1e5, -1e5]) { s.scrollLeft = x; far = Math.max(far, Math.abs(s.scrollLeft)); } s.scrollLeft = was; return far; })()")
        assert not far, f'the page scrolls {far} px sideways'
        return self

    def quiet(self):
        """The console has said nothing but what it may."""
        said = [m for m in self.messages if not any(part in m for part in self.allowed)]
        assert not said, 'the console says: ' + ' · '.join(said)
        return self

    def look(self, name):
        """Keeps a picture of what is to be seen now, to look at."""
        os.makedirs(ARTEFACTS, exist_ok=True)
        self.page.screenshot(path=os.path.join(ARTEFACTS, name + '.png'))
        return self
