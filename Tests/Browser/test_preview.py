"""build-site serve, as somebody sees it who works on a site."""
import os, shutil, signal, sqlite3, subprocess, tempfile, urllib.request

import harness, pages


class Preview:
    """A preview of a copy of the demo shop."""

    def __init__(self, visit):
        self.visit = visit
        self.folder = tempfile.mkdtemp(dir=visit.browser.work)
        shutil.copytree(os.path.join(pages.ROOT, 'content'), os.path.join(self.folder, 'content'))
        self.keep_pictures()
        self.process = subprocess.Popen([pages.PROGRAM, 'serve', '--site', self.folder, '--port', '0', '--quiet'],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().strip().rstrip('/')
        assert self.base.startswith('http://localhost:'), self.process.stderr.read()

    def __enter__(self): return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(10) == 0, 'the preview does not end'

    def keep_pictures(self):
        """Those that a build of the demo shop has made: a page waits for its pictures, and on a busy machine those of an index
        take longer than a test has patience."""
        self.visit.site()
        for at, _, names in os.walk(pages.PICTURES):
            shelf = os.path.relpath(at, pages.PICTURES)
            if len(shelf) != 2: continue
            os.makedirs(os.path.join(self.folder, '.build-site/pictures', shelf))
            for name in names:
                try: os.link(os.path.join(at, name), os.path.join(self.folder, '.build-site/pictures', shelf, name))
                except FileNotFoundError: pass  # of another test's site, and removed by its build

    def save(self, path, text):
        """As editors do: beside it, and renamed over it."""
        file = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file + '~', 'w', encoding='utf-8') as out: out.write(text)
        os.replace(file + '~', file)

    def theme(self, name): return pages.text(pages.ROOT, 'templates/' + name)

    def open(self, path, **device):
        view = self.visit.open(self.base + path, site=self, **device)
        # Kept for as long as the page is not loaded again.
        view.ask('window.kept = true')
        self.listening(view)
        return view

    def listening(self, view):
        # The stream is asked for by the script; what is saved before would be told at once when it comes.
        view.until("performance.getEntriesByName(location.origin + '/__reload.js' + new URL(document.querySelector('script[src*=__reload]').src).search).length")

    def product(self):
        with sqlite3.connect(os.path.join(self.folder, 'content/shop.db')) as shop:
            name, = shop.execute('SELECT name FROM products WHERE id = (SELECT product_id FROM reviews GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)').fetchone()
        text = urllib.request.urlopen(self.base + '/sitemaps/2.xml').read().decode()
        slug = ''.join(c if c.isalnum() else '-' for c in name.lower()).strip('-')
        found = [part.split('</loc>')[0] for part in text.split('<loc>')[1:]]
        return '/' + next(u for u in found if '/' + slug in u).split('/', 3)[3]


def test_a_saved_template_is_shown_where_the_reader_was(visit):
    with Preview(visit) as preview:
        view = preview.open(preview.product())
        view.until("document.querySelectorAll('.pan > .card').length > 2")
        view.ask("(() => { const pan = document.querySelector('.pan'); pan.scrollTo({ left: pan.children[1].offsetLeft, behavior: 'instant' }); })()")
        # The card whose edge is nearest to that of the row, which snaps to cards.
        shown = """(() => { const pan = document.querySelector('.pan'), edge = pan.getBoundingClientRect().left;
          const far = [...pan.querySelectorAll(':scope > .card')].map(c => Math.abs(c.getBoundingClientRect().left - edge)); return far.indexOf(Math.min(...far)); })()"""
        card = view.until(shown)
        assert card > 0
        preview.save('templates/product.mustache', preview.theme('product.mustache').replace('<h1', '<h1 data-saved', 1))
        view.until("!window.kept && document.querySelector('h1[data-saved]')")
        view.until("document.readyState === 'complete'")
        view.until(f'{shown} === {card}', why=f'card {card} to be shown')


def test_a_page_is_where_it_was_scrolled_to(visit):
    with Preview(visit) as preview:
        view = preview.open('/products/')
        view.ask('scrollTo({ top: 1200, behavior: "instant" })')
        view.until('scrollY > 1100')
        preview.save('templates/tile.mustache', preview.theme('tile.mustache').replace('<a ', '<a data-saved ', 1))
        view.until("!window.kept && document.querySelector('a[data-saved]')")
        view.until('Math.abs(scrollY - 1200) < 3')


def test_a_style_sheet_is_swapped_without_loading_the_page(visit):
    with Preview(visit) as preview:
        view = preview.open('/')
        preview.save('templates/style.css', preview.theme('style.css') + '\n:root { --saved: 7 }\n')
        view.until("getComputedStyle(document.documentElement).getPropertyValue('--saved').trim() === '7'")
        view.until("document.querySelectorAll('link[rel=stylesheet][data-old]').length === 0")
        assert view.ask('window.kept') is True, 'the page was loaded again'
        preview.save('templates/style.css', preview.theme('style.css') + '\n:root { --saved: 3 }\n')
        view.until("getComputedStyle(document.documentElement).getPropertyValue('--saved').trim() === '3'")
        assert view.ask('window.kept') is True, 'the page was loaded again'


def test_what_is_wrong_is_shown_over_the_page_until_it_is_mended(visit):
    with Preview(visit) as preview:
        view = preview.open('/')
        said = "document.querySelector('build-site-overlay')?.shadowRoot.textContent ?? ''"
        home = preview.theme('home.mustache')
        preview.save('templates/home.mustache', home.replace('{{heading}}', '{{headign}}', 1))
        line = home[:home.index('{{heading}}')].count('\n') + 1
        view.until(f"({said}).includes('templates/home.mustache:{line}:')")
        view.until(f"({said}).includes('<h1>{{{{headign}}}}</h1>') && ({said}).includes('heading')")
        assert view.ask('window.kept') is True and view.count('h1') == 1, 'the last good page is gone'
        # It is there on the next page too, and nothing in it is taken for markup.
        other = preview.open('/products/')
        other.until(f"({said}).includes('templates/home.mustache:{line}:')")
        preview.save('templates/home.mustache', home.replace('{{heading}}', '{{heading}} mended', 1))
        view.until("!document.querySelector('build-site-overlay') && document.querySelector('h1').textContent.includes('mended')")
        other.until("!document.querySelector('build-site-overlay')")


def test_a_price_in_the_database_is_shown(visit):
    with Preview(visit) as preview:
        view = preview.open(preview.product())
        with sqlite3.connect(os.path.join(preview.folder, 'content/shop.db')) as shop:
            shop.execute('UPDATE products SET price_minor = 123456, sale_price_minor = NULL')
        view.until("!window.kept && document.querySelector('.price').textContent.includes('1,234.56')")


def test_a_page_of_another_origin_can_read_nothing(visit):
    with Preview(visit) as preview:
        folder = tempfile.mkdtemp(dir=visit.browser.work)
        with open(os.path.join(folder, 'index.html'), 'w') as page: page.write('<!DOCTYPE html><title>Other</title><p>Other</p>')
        # The same machine, another port: the same site to the browser, another origin.
        other = harness.Server(folder)
        try:
            for base in (other.base, other.base.replace('127.0.0.1', 'localhost')):
                view = visit.open(base + '/', site=preview, messages=['Access', 'CORS', 'Failed to load', 'net::ERR', '403'])
                for path in ('/', '/products/', '/__events', '/search/index.json', '/sw.js'):
                    assert view.ask(f"fetch('{preview.base}{path}').then(r => r.text()).then(() => 'read', () => 'refused')") == 'refused', path
                    status = view.ask(f"fetch('{preview.base}{path}', {{ mode: 'no-cors' }}).then(r => r.type, () => 'refused')")
                    assert status in ('refused', 'opaque'), status
                assert view.ask(f"new Promise(f => {{ const s = document.createElement('script'); s.src = '{preview.base}/search/index.json'; s.onload = () => f('loaded'); s.onerror = () => f('refused'); document.head.append(s); }})") == 'refused'
                assert view.ask(f"new Promise(f => {{ const s = new EventSource('{preview.base}/__events'); s.onopen = () => f('open'); s.onerror = () => f('refused'); }})") == 'refused'
                assert view.ask(f"new Promise(f => {{ const s = new Image(); s.src = '{preview.base}/'; s.onload = () => f('loaded'); s.onerror = () => f('refused'); }})") == 'refused'
        finally:
            other.stop()


def test_any_number_of_tabs(visit):
    """A browser has six connections for a host."""
    with Preview(visit) as preview:
        context = visit.context()
        views = [visit.open(preview.base + '/about.html', site=preview, context=context) for _ in range(9)]
        for view in views: view.ask('window.kept = true')
        text = pages.text(preview.folder, 'content/pages/about.md')
        preview.save('content/pages/about.md', text + '\nWords for every tab.\n')
        for view in views: view.until("document.body.textContent.includes('Words for every tab.')")
        # The one that listens for the others goes.
        views[0].page.goto('about:blank')
        preview.save('content/pages/about.md', text + '\nOther words for every tab.\n')
        for view in views[1:]: view.until("document.body.textContent.includes('Other words for every tab.')")
        # A fault is shown in all, and in one that comes later.
        preview.save('templates/page.mustache', '{{#nothing')
        views.append(visit.open(preview.base + '/about.html', site=preview, context=context))
        for view in views[1:]: view.until("document.querySelector('build-site-overlay')")
        # Their streams of events end before the preview does.
        for view in views: view.page.goto('about:blank')
