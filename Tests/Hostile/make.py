"""Makes a site of hostile texts: every field of the default schema, of the lists and of content pages holds a payload."""
import json, os, sqlite3, zlib, struct, re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Stand for data that must not leave the private pages (S55).
CANARY = 'canary7q'


def payloads(path):
    """Every input plain, and encoded as entities once and twice."""
    def encoded(text): return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;').replace('"', '&quot;').replace("'", '&#39;')
    out = []
    for line in open(path, encoding='utf-8'):
        text = json.loads(line)['input']
        out += [text, encoded(text), encoded(encoded(text))]
    return out


class Supply:
    """Hands out the payloads in turn, in an order that mixes their sources; none is longer than `limit` bytes."""

    def __init__(self, texts, limit=4096, step=7919):
        self.texts = [t for t in texts if len(t.encode('utf-8', 'surrogatepass')) <= limit]
        self.step, self.at, self.used = step, 0, 0
        while len(self.texts) % step == 0: step += 1

    def __call__(self):
        text = self.texts[self.at]
        self.at = (self.at + self.step) % len(self.texts)
        self.used += 1
        return text


def png(width, height):
    def chunk(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + b'\x80\x40\x20' * width for _ in range(height))
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


NOTES = 8


def make(folder, inputs, products=240, facts=30, reviews=24, mode='deferred', html_reviews=True, seed=0):
    texts = payloads(inputs)
    line = Supply(texts[seed:] + texts[:seed], 4096)
    # Texts that become paragraphs: names are short, so that each can be told from the others.
    note = Supply(texts[seed:] + texts[:seed], 100_000, step=6007)
    content = os.path.join(folder, 'content')
    os.makedirs(os.path.join(content, 'pictures'))
    os.makedirs(os.path.join(content, 'pages'))
    with open(os.path.join(content, 'pictures/a.png'), 'wb') as file: file.write(png(30, 40))
    path = os.path.join(content, 'shop.db')
    db = sqlite3.connect(path)
    schema = open(os.path.join(ROOT, 'docs/schema.sql'), encoding='utf-8').read()
    # Keys of any type, and further notes as a mapping may name them.
    schema = schema.replace('  id INTEGER PRIMARY KEY,           -- any type', '  id PRIMARY KEY,           -- any type')
    schema = schema.replace('  nose TEXT,', ''.join(f'  note_{i} TEXT,' for i in range(NOTES)) + '  nose TEXT,')
    db.executescript(schema)

    def put(table, **values):
        """Texts go in as bytes, so that those that are no UTF-8 do too."""
        marks = ','.join('CAST(? AS TEXT)' if isinstance(v, str) else '?' for v in values.values())
        data = [v.encode('utf-8', 'surrogatepass') if isinstance(v, str) else v for v in values.values()]
        db.execute(f'INSERT INTO {table}({",".join(values)}) VALUES({marks})', data)

    few = {key: [line() for _ in range(n)] for key, n in (('producer', 30), ('style', 30), ('country', 20), ('region', 20), ('facet', 12), ('value', 80), ('category', 30))}
    few['facet'] = [f[:300] for f in few['facet']]
    for i in range(30):
        put('categories', id=i + 1, parent_id=None if i < 6 else i // 3 + (i % 2), position=i, name=f'{few["category"][i]} c{i}c', slug=line() if i % 3 == 0 else None,
            description=line(), colour=line() if i % 4 else '#b9772e', picture='a.png' if i % 2 else line())
    ids = []
    for n in range(products):
        key = n if n % 3 else f'{line()[:200]} {n}'
        if not str(key).replace(' ', '').isprintable(): key = n  # a key that cannot be read ends the build, as it should
        ids.append(key)
        values = dict(
            id=key, sku=line(), gtin=line() if n % 5 else '4006381333931', name=f'{line()[:1500]} q{n}q', slug=line() if n % 2 else None,
            producer=few['producer'][n % 30], style=few['style'][n * 7 % 30], country=few['country'][n * 3 % 20], region=few['region'][n * 11 % 20],
            age=line() if n % 4 else 12, vintage=line() if n % 4 else 1999, bottled=line() if n % 4 else '2000-03', abv=line() if n % 4 else 46.3, volume_ml=line() if n % 4 else 700,
            price_minor=line() if n % 4 == 1 else 1234 + n, sale_price_minor=line() if n % 4 else 999, currency=line() if n % 6 == 1 else 'GBP',
            availability=line() if n % 5 else 'in-stock', stock=line() if n % 5 else 3, summary=line() if n % 3 else None, bottling_note=note(), tasting_note=note(),
            nose=line(), palate=line(), finish=line(), colour=line() if n % 5 else '#b9772e', featured=n if n < 20 else None,
            created=f'2026-0{n % 9 + 1}-11' if n % 7 else line(), updated=line() if n % 3 else '2026-10')
        for i in range(NOTES): values[f'note_{i}'] = note()
        put('products', **values)
        for j, c in enumerate({n % 30, n * 13 % 30}): put('product_categories', product_id=key, category_id=c + 1, position=j)
        for j in range(facts): put('facts', product_id=key, position=j, name=line(), value=line())
        for j in range(4):
            try: put('facets', product_id=key, facet=few['facet'][(n + j) % 12], value=few['value'][(n * 5 + j) % 80])
            except sqlite3.IntegrityError: pass
        for j in range(3): put('pictures', product_id=key, position=j, file='a.png' if j < 2 else line(), alt=line())
        for j in range(reviews):
            put('reviews', product_id=key, rating=line() if j % 5 == 4 else j % 5 + 1, author=line(), date=line() if j % 3 else '2026-01-02', title=line(), body=note(), language=line() if j % 3 else 'fr')
    db.commit()
    db.close()

    def whole(text): return text.encode('utf-8', 'replace').decode()
    def scalar(text): return json.dumps(re.sub(r'[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]', '', whole(text)))
    columns = ', '.join(f'note_{i} AS "note:Further {i}"' for i in range(NOTES))
    fields = 'id, sku, gtin, name, slug, producer, style, country, region, age, vintage, bottled, abv, volume_ml, price_minor, sale_price_minor, currency, availability, stock, ' \
        'summary, bottling_note, tasting_note, nose, palate, finish, colour, featured, created, updated'
    formats = ''.join(f'  "note:Further {i}": {("html", "markdown", "plain", "html")[i % 4]}\n' for i in range(NOTES))
    with open(os.path.join(content, 'site.yaml'), 'w', encoding='utf-8') as file:
        file.write(f'''title: {scalar(line()[:200])}
tagline: {scalar(line())}
description: {scalar(line())}
url: https://hostile.example/
language: en-GB
currency: GBP
lists: lists.json
footer: {scalar(line())}
products: |
  SELECT {fields}, {columns} FROM products
notes:
  bottling_note: html
  tasting_note: markdown
{formats}reviews:
  mode: {mode}
  format: {'html' if html_reviews else 'plain'}
home:
  heading: {scalar(line())}
  lead: {scalar(line())}
''')
    for i in range(40):
        with open(os.path.join(content, f'pages/page-{i}.md'), 'w', encoding='utf-8') as file:
            body = '\n\n'.join(whole(note()) for _ in range(3))
            file.write(f'---\ntitle: {scalar(line())}\ndescription: {scalar(line())}\nmenu: {"footer" if i < 6 else "none"}\n---\n\n{body.replace(chr(0), "")}\n')
    customers = []
    for i in range(12):
        lists = {kind: [{'product': ids[(i * 17 + j * 5) % products] if j % 4 else whole(line())[:200] + str(j), 'added': '2026-05-01', 'note': f'{CANARY} {whole(line())}', 'quantity': j + 1}
                        for j in range(9)] for kind in ('wish', 'basket', 'collection')}
        customers.append({'id': f'{CANARY}-{i} {whole(line())[:200]}', 'name': f'{CANARY} {whole(line())[:200]}', 'lists': lists})
    with open(os.path.join(content, 'lists.json'), 'w', encoding='utf-8') as file: json.dump({'version': 1, 'customers': customers}, file)
    return line.used + note.used, len(texts)
