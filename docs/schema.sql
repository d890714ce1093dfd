-- The default schema of a build-site catalogue (SQLite).
--
-- Only `products(id, name)` is needed. Every other table and column may be missing: what is absent is not shown.
-- A database of any other shape works as well: see "Mapping another database" in docs/database.md.

CREATE TABLE products(
  id INTEGER PRIMARY KEY,           -- any type, unique; appears in addresses when there is no slug
  sku TEXT,                         -- the shop's own article number
  gtin TEXT,                        -- EAN, UPC, ISBN: 8, 12, 13 or 14 digits
  name TEXT NOT NULL,
  slug TEXT,                        -- the last part of the page's address; made from name and id when absent
  producer TEXT,
  style TEXT,
  country TEXT,
  region TEXT,
  age TEXT,                         -- whole years, or 'NAS' for "no age statement"; NULL is unknown
  vintage INTEGER,                  -- a year
  bottled TEXT,                     -- a date, maybe partial: 1999, 2000-03, 2000-03-17
  abv REAL,                         -- percent by volume
  volume_ml REAL,
  price_minor INTEGER,              -- in the smallest unit of the currency (pence, yen); or price TEXT, a decimal
  sale_price_minor INTEGER,         -- the price now, when it is lower; price_minor is then the one before
  currency TEXT,                    -- ISO 4217; the site's `currency` when absent
  availability TEXT,                -- in-stock, low-stock, sold-out, coming-soon, discontinued, or schema.org's names
  stock INTEGER,                    -- pieces left; decides availability when that is absent
  summary TEXT,                     -- one plain sentence, for descriptions
  bottling_note TEXT,               -- HTML, unless site.yaml says markdown or plain
  tasting_note TEXT,
  nose TEXT, palate TEXT, finish TEXT, -- parts of the tasting note, plain text
  colour TEXT,                      -- '#b9772e': the tint behind the picture
  featured INTEGER,                 -- rank on the home page, 1 first; NULL is not featured
  created TEXT,                     -- dates; created orders "new", updated goes into the sitemap
  updated TEXT);

CREATE TABLE categories(
  id INTEGER PRIMARY KEY,
  parent_id INTEGER REFERENCES categories(id),
  position INTEGER,                 -- order among its siblings; then by name
  name TEXT NOT NULL,
  slug TEXT,
  description TEXT,                 -- one or two plain sentences
  colour TEXT,
  picture TEXT);                    -- a file below content/pictures

CREATE TABLE product_categories(
  product_id INTEGER NOT NULL REFERENCES products(id),
  category_id INTEGER NOT NULL REFERENCES categories(id),
  position INTEGER NOT NULL DEFAULT 0, -- the lowest is the main category: its path is the breadcrumb
  PRIMARY KEY(product_id, category_id)) WITHOUT ROWID;

CREATE TABLE facts(                 -- further labelled values, in the order to show them
  product_id INTEGER NOT NULL REFERENCES products(id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(product_id, position)) WITHOUT ROWID;

CREATE TABLE facets(                -- values that can be browsed by, beside producer, style, country and region
  product_id INTEGER NOT NULL REFERENCES products(id),
  facet TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(product_id, facet, value)) WITHOUT ROWID;

CREATE TABLE pictures(
  product_id INTEGER NOT NULL REFERENCES products(id),
  position INTEGER NOT NULL,
  file TEXT,                        -- a file below content/pictures; or
  data BLOB,                        -- the picture itself (kept, not shown yet)
  alt TEXT,
  PRIMARY KEY(product_id, position)) WITHOUT ROWID;

CREATE TABLE picture_sources(       -- for you and 'build-site import': no page is made of it, none loads from there
  file TEXT PRIMARY KEY,            -- as in pictures
  url TEXT NOT NULL) WITHOUT ROWID; -- where the file can be had

CREATE TABLE reviews(
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES products(id),
  rating REAL,                      -- 1 to 5
  author TEXT,
  date TEXT,
  title TEXT,
  body TEXT,                        -- plain text, unless site.yaml says html
  language TEXT);

CREATE INDEX reviews_product ON reviews(product_id, date DESC, id);
