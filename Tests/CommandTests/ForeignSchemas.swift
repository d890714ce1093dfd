import Testing

/// Databases such as shops have, with what the site that is made of each must show. All rows are invented.
struct ForeignSchema: CustomTestStringConvertible, Sendable {
    let name: String
    /// The table that has the products.
    let table: String
    /// How many products the site has.
    let products: Int
    /// A product and what its page says: price, category, words of its notes.
    let product: String
    var price: String?
    var category: String?
    var note: String?
    /// A file that is put into content/pictures; the product's page must show it.
    var picture: String?
    /// Words of a review.
    var review: String?
    /// Further words of the product's page.
    var facts: [String] = []
    /// Addresses of pages that must be there, from the top of the site.
    var pages: [String] = []
    /// Words that must not be in any file: rows that are gone, what the shop paid, who people are.
    var absent: [String] = []
    /// Parts of site.yaml.
    var settings: [String] = []
    let sql: String

    var testDescription: String { name }

    static let all = [
        magento, wide, links, reserved, russian, japanese, views, keyless, rowOnly, symbols, softDeleted,
        columnsByLanguage, translations, paths, listInCell, severalColumns, tree, variants, wishes, norwegian,
        wordPress, wooCommerce, django,
    ]

    /// Attributes in tables by type, as Magento keeps them.
    static let magento = ForeignSchema(
        name: "magento", table: "catalog_product_entity", products: 5, product: "Brass Lamp", price: "79",
        category: "Lamps", note: "Spun from one sheet", picture: "b/r/brass.png",
        facts: ["Brass"], absent: ["31.5", "tax_class", "Stool"],
        sql: """
            CREATE TABLE eav_entity_type(entity_type_id INTEGER PRIMARY KEY, entity_type_code TEXT);
            INSERT INTO eav_entity_type VALUES (3, 'catalog_category'), (4, 'catalog_product');
            CREATE TABLE eav_attribute(attribute_id INTEGER PRIMARY KEY, entity_type_id INTEGER REFERENCES eav_entity_type, attribute_code TEXT, backend_type TEXT, frontend_label TEXT);
            INSERT INTO eav_attribute VALUES (41, 3, 'name', 'varchar', 'Name'), (73, 4, 'name', 'varchar', 'Product Name'),
              (75, 4, 'description', 'text', 'Description'), (77, 4, 'price', 'decimal', 'Price'), (81, 4, 'cost', 'decimal', 'Cost'),
              (87, 4, 'image', 'varchar', 'Base Image'), (93, 4, 'material', 'varchar', 'Material'), (97, 4, 'status', 'int', 'Status'),
              (122, 4, 'tax_class_id', 'int', 'Tax Class'), (119, 4, 'url_key', 'varchar', 'URL Key');
            CREATE TABLE catalog_product_entity(entity_id INTEGER PRIMARY KEY, attribute_set_id INTEGER, type_id TEXT, sku TEXT UNIQUE, has_options INTEGER, created_at TEXT, updated_at TEXT);
            INSERT INTO catalog_product_entity VALUES (1, 4, 'simple', 'L-1', 0, '2024-01-02 10:00:00', '2024-02-02 10:00:00'),
              (2, 4, 'simple', 'L-2', 0, '2024-01-03 10:00:00', '2024-02-02 10:00:00'), (3, 4, 'simple', 'L-3', 0, '2024-01-04 10:00:00', '2024-02-02 10:00:00'),
              (4, 4, 'simple', 'C-1', 0, '2024-01-05 10:00:00', '2024-02-02 10:00:00'), (5, 4, 'simple', 'C-2', 0, '2024-01-06 10:00:00', '2024-02-02 10:00:00'),
              (6, 4, 'simple', 'C-3', 0, '2024-01-07 10:00:00', '2024-02-02 10:00:00');
            CREATE TABLE catalog_product_entity_varchar(value_id INTEGER PRIMARY KEY, attribute_id INTEGER REFERENCES eav_attribute, store_id INTEGER, entity_id INTEGER REFERENCES catalog_product_entity, value TEXT);
            INSERT INTO catalog_product_entity_varchar(attribute_id, store_id, entity_id, value) VALUES
              (73, 0, 1, 'Brass Lamp'), (73, 1, 1, 'Lampe en laiton'), (73, 0, 2, 'Clip Lamp'), (73, 0, 3, 'Ceiling Lamp'), (73, 0, 4, 'Oak Chair'), (73, 0, 5, 'Folding Chair'), (73, 0, 6, 'Stool'),
              (87, 0, 1, '/b/r/brass.png'), (93, 0, 1, 'Brass'), (93, 0, 2, 'Steel'), (93, 0, 3, 'Brass'), (93, 0, 4, 'Oak'), (93, 0, 5, 'Beech'), (93, 0, 6, 'Oak'),
              (119, 0, 1, 'brass-lamp'), (119, 0, 2, 'clip-lamp'), (119, 0, 3, 'ceiling-lamp'), (119, 0, 4, 'oak-chair'), (119, 0, 5, 'folding-chair'), (119, 0, 6, 'stool');
            CREATE TABLE catalog_product_entity_decimal(value_id INTEGER PRIMARY KEY, attribute_id INTEGER REFERENCES eav_attribute, store_id INTEGER, entity_id INTEGER REFERENCES catalog_product_entity, value REAL);
            INSERT INTO catalog_product_entity_decimal(attribute_id, store_id, entity_id, value) VALUES
              (77, 0, 1, 79.0), (77, 0, 2, 24.9), (77, 0, 3, 149.0), (77, 0, 4, 210.0), (77, 0, 5, 65.0), (77, 0, 6, 48.5), (81, 0, 1, 31.5), (81, 0, 2, 9.1), (81, 0, 3, 60.0);
            CREATE TABLE catalog_product_entity_text(value_id INTEGER PRIMARY KEY, attribute_id INTEGER REFERENCES eav_attribute, store_id INTEGER, entity_id INTEGER REFERENCES catalog_product_entity, value TEXT);
            INSERT INTO catalog_product_entity_text(attribute_id, store_id, entity_id, value) VALUES
              (75, 0, 1, '<p>Spun from one sheet, and then left to grow dull on its own.</p>'), (75, 0, 4, '<p>Held by wedges; there is no screw in it.</p>');
            CREATE TABLE catalog_product_entity_int(value_id INTEGER PRIMARY KEY, attribute_id INTEGER REFERENCES eav_attribute, store_id INTEGER, entity_id INTEGER REFERENCES catalog_product_entity, value INTEGER);
            INSERT INTO catalog_product_entity_int(attribute_id, store_id, entity_id, value) VALUES (97, 0, 1, 1), (97, 0, 2, 1), (97, 0, 3, 1), (97, 0, 4, 1), (97, 0, 5, 1), (97, 0, 6, 2), (122, 0, 1, 2), (122, 0, 2, 2);
            CREATE TABLE catalog_category_entity(entity_id INTEGER PRIMARY KEY, parent_id INTEGER, position INTEGER, level INTEGER);
            INSERT INTO catalog_category_entity VALUES (1, 0, 0, 0), (2, 1, 1, 1), (3, 1, 2, 1);
            CREATE TABLE catalog_category_entity_varchar(value_id INTEGER PRIMARY KEY, attribute_id INTEGER REFERENCES eav_attribute, store_id INTEGER, entity_id INTEGER REFERENCES catalog_category_entity, value TEXT);
            INSERT INTO catalog_category_entity_varchar(attribute_id, store_id, entity_id, value) VALUES (41, 0, 1, 'House'), (41, 0, 2, 'Lamps'), (41, 0, 3, 'Chairs'), (45, 0, 2, 'lamps');
            CREATE TABLE catalog_category_product(category_id INTEGER REFERENCES catalog_category_entity, product_id INTEGER REFERENCES catalog_product_entity, position INTEGER, PRIMARY KEY(category_id, product_id));
            INSERT INTO catalog_category_product VALUES (2, 1, 1), (2, 2, 2), (2, 3, 3), (3, 4, 1), (3, 5, 2), (3, 6, 3);
            """)

    /// Everything in one table, as a spreadsheet has it.
    static let wide = ForeignSchema(
        name: "single wide table", table: "tbl_stock_export", products: 5, product: "Pour-over Kettle",
        price: "64.50",
        category: "Kettles", note: "A neck like a heron", picture: "kettle.png",
        facts: ["Fernhill", "0.9 kg"],
        absent: ["22.10", "do not tell"],
        sql: """
            CREATE TABLE tbl_stock_export(ItemNo TEXT, ItemDescription TEXT, LongText TEXT, Brand TEXT, ProductGroup TEXT, RetailPrice REAL, CostPrice REAL,
              StockQty INTEGER, EAN TEXT, ImageFile TEXT, Weight TEXT, Colour TEXT, Width_mm INTEGER, Height_mm INTEGER, InternalNote TEXT, VAT REAL,
              ReorderLevel INTEGER, WebPage TEXT, ModifiedBy TEXT, DateAdded TEXT);
            INSERT INTO tbl_stock_export VALUES
              ('K-10', 'Pour-over Kettle', 'A neck like a heron, and a handle that stays cool for as long as anybody has held it.', 'Fernhill', 'Kettles', 64.5, 22.10, 12, '4006381333931', 'kettle.png', '0.9 kg', 'Black', 280, 190, 'do not tell', 20, 3, 'https://x.example/k10', 'jo', '2025-02-01'),
              ('K-11', 'Whistling Kettle', 'It whistles in thirds; the neighbours have learned to like it over the years they have had it.', 'Fernhill', 'Kettles', 38, 12, 0, '9780201379624', NULL, '1.2 kg', 'Red', 220, 230, NULL, 20, 3, NULL, 'jo', '2025-02-02'),
              ('P-01', 'Enamel Teapot', 'White with a blue rim. Holds four cups, five if nobody minds, and pours without a drop.', 'Oddny', 'Teapots', 29, 9, 4, NULL, NULL, '0.8 kg', 'White', 210, 160, NULL, 20, 3, NULL, 'al', '2025-02-03'),
              ('P-02', 'Iron Teapot', 'Cast in sand. It keeps tea warm for an hour and will outlive whoever buys it by a good deal.', 'Oddny', 'Teapots', 58, 21, 2, NULL, NULL, '1.9 kg', 'Black', 170, 140, NULL, 20, 3, NULL, 'al', '2025-02-03'),
              ('S-01', 'Tea Strainer', 'Fine enough for rooibos. The drip bowl is part of it and cannot be lost, which others can.', 'Fernhill', 'Strainers', 12, 3, 40, NULL, NULL, '0.1 kg', 'Steel', 80, 60, NULL, 20, 3, NULL, 'al', '2025-02-05');
            """)

    /// A product with everything else in tables of links.
    static let links = ForeignSchema(
        name: "many link tables", table: "items", products: 5, product: "Linen Shirt", price: "89",
        category: "Shirts", note: "Washed twice", picture: "shirt-front.png", review: "Softer every week",
        facts: ["Indigo", "Linen", "Ilse Ravn"],
        pages: ["colour/indigo.html", "material/linen.html", "tag/summer.html"],
        absent: ["ilse@", "Hidden remark"],
        sql: """
            CREATE TABLE items(item_id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT, price NUMERIC, designer_id INTEGER REFERENCES designers(designer_id));
            CREATE TABLE designers(designer_id INTEGER PRIMARY KEY, full_name TEXT, email TEXT);
            CREATE TABLE colours(colour_id INTEGER PRIMARY KEY, colour TEXT);
            CREATE TABLE materials(material_id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE categories(category_id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE tags(tag_id INTEGER PRIMARY KEY, tag TEXT);
            CREATE TABLE item_colours(item_id INTEGER REFERENCES items, colour_id INTEGER REFERENCES colours, PRIMARY KEY(item_id, colour_id));
            CREATE TABLE item_materials(item_id INTEGER REFERENCES items, material_id INTEGER REFERENCES materials, PRIMARY KEY(item_id, material_id));
            CREATE TABLE item_categories(item_id INTEGER REFERENCES items, category_id INTEGER REFERENCES categories, PRIMARY KEY(item_id, category_id));
            CREATE TABLE item_tags(item_id INTEGER REFERENCES items, tag_id INTEGER REFERENCES tags, PRIMARY KEY(item_id, tag_id));
            CREATE TABLE related_items(item_id INTEGER REFERENCES items, other_id INTEGER REFERENCES items);
            CREATE TABLE item_images(image_id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES items, file_name TEXT, alt_text TEXT, sort_order INTEGER);
            CREATE TABLE item_reviews(review_id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES items, stars INTEGER, nickname TEXT, comment TEXT, approved INTEGER, created_at TEXT);
            INSERT INTO designers VALUES (1, 'Ilse Ravn', 'ilse@ravn.example'), (2, 'Tom Pask', 'tom@pask.example');
            INSERT INTO items VALUES (1, 'Linen Shirt', 'Washed twice before it is cut, so that it fits as it did in the shop.', 89, 1), (2, 'Wool Scarf', 'From one farm.', 45, 1), (3, 'Cotton Shirt', NULL, 59, 2), (4, 'Felt Hat', NULL, 72, 2), (5, 'Silk Scarf', NULL, 95, 1);
            INSERT INTO colours VALUES (1, 'Indigo'), (2, 'Moss'), (3, 'Chalk');
            INSERT INTO materials VALUES (1, 'Linen'), (2, 'Wool'), (3, 'Cotton'), (4, 'Silk');
            INSERT INTO categories VALUES (1, 'Shirts'), (2, 'Scarves'), (3, 'Hats');
            INSERT INTO tags VALUES (1, 'Summer'), (2, 'Winter');
            INSERT INTO item_colours VALUES (1, 1), (1, 3), (2, 2), (3, 3), (4, 2), (5, 1);
            INSERT INTO item_materials VALUES (1, 1), (2, 2), (3, 3), (4, 2), (5, 4);
            INSERT INTO item_categories VALUES (1, 1), (2, 2), (3, 1), (4, 3), (5, 2);
            INSERT INTO item_tags VALUES (1, 1), (2, 2), (3, 1), (4, 2);
            INSERT INTO related_items VALUES (1, 3), (2, 5);
            INSERT INTO item_images VALUES (1, 1, 'shirt-front.png', 'The shirt on a line', 1);
            INSERT INTO item_reviews VALUES (1, 1, 5, 'Birte', 'Softer every week.', 1, '2025-06-01 12:00:00'), (2, 1, 1, 'X', 'Hidden remark.', 0, '2025-06-02 12:00:00'), (3, 2, 4, 'Olm', 'Warm enough.', 1, '2025-06-03 12:00:00');
            """)

    /// Blanks and words of SQL in every name.
    static let reserved = ForeignSchema(
        name: "spaces and reserved words", table: "Items For Sale", products: 4, product: "Garden Twine",
        price: "4.20",
        category: "Garden", note: "Three-ply jute", facts: ["Low Mill"],
        sql: """
            CREATE TABLE "Items For Sale"("primary" INTEGER PRIMARY KEY, "Item Name" TEXT, "group" INTEGER REFERENCES "Group"("index"), "from" TEXT, "Unit Price" NUMERIC, "select" TEXT, "Maker" TEXT, "a ""quoted"" name" TEXT, "Long Description" TEXT);
            CREATE TABLE "Group"("index" INTEGER PRIMARY KEY, "table" TEXT, "Name" TEXT);
            INSERT INTO "Group" VALUES (1, 'g', 'Garden'), (2, 'h', 'House');
            INSERT INTO "Items For Sale" VALUES (1, 'Garden Twine', 1, 'Dundee', 4.2, 'one', 'Low Mill', 'x1', 'Three-ply jute that knots well when it is wet.'), (2, 'Dibber', 1, 'Leeds', 9.5, 'two', 'Low Mill', 'x2', NULL),
              (3, 'Dustpan', 2, 'Leeds', 14, 'three', 'Hask', 'x3', NULL), (4, 'Bellows', 2, 'Dundee', 38, 'four', 'Hask', 'x4', NULL);
            """)

    static let russian = ForeignSchema(
        name: "Cyrillic names", table: "товары", products: 4, product: "Чайник медный", price: "4,900",
        category: "Чайники", note: "Кован вручную", picture: "chainik.png", review: "Кипит быстро",
        facts: ["Артель"],
        settings: ["language: ru", "currency: RUB"],
        sql: """
            CREATE TABLE категории(код INTEGER PRIMARY KEY, название TEXT);
            CREATE TABLE товары(код INTEGER PRIMARY KEY, наименование TEXT, цена NUMERIC, описание TEXT, производитель TEXT, категория_код INTEGER, фото TEXT, остаток INTEGER);
            CREATE TABLE отзывы(номер INTEGER PRIMARY KEY, товар_код INTEGER, оценка INTEGER, имя TEXT, текст TEXT, дата TEXT);
            INSERT INTO категории VALUES (1, 'Чайники'), (2, 'Самовары');
            INSERT INTO товары VALUES (1, 'Чайник медный', 4900, 'Кован вручную из одного листа, лужён внутри.', 'Артель', 1, 'chainik.png', 5), (2, 'Чайник синий', 1900, NULL, 'Артель', 1, NULL, 2),
              (3, 'Самовар на углях', 18500, 'Пять литров.', 'Завод', 2, NULL, 1), (4, 'Самовар дорожный', 9900, NULL, 'Завод', 2, NULL, 0);
            INSERT INTO отзывы VALUES (1, 1, 5, 'Анна', 'Кипит быстро, держит тепло.', '2025-01-10'), (2, 3, 4, 'Пётр', 'Тяжёлый.', '2025-02-10');
            """)

    static let japanese = ForeignSchema(
        name: "Japanese names", table: "商品", products: 4, product: "鉄瓶 南部", price: "28,000",
        category: "鉄瓶", note: "砂型で鋳た", settings: ["language: ja", "currency: JPY"],
        sql: """
            CREATE TABLE カテゴリ(カテゴリコード TEXT PRIMARY KEY, 名称 TEXT);
            CREATE TABLE 商品(商品コード TEXT PRIMARY KEY, 商品名 TEXT, 価格 INTEGER, カテゴリコード TEXT, 説明 TEXT, 在庫数 INTEGER);
            INSERT INTO カテゴリ VALUES ('T', '鉄瓶'), ('K', '急須');
            INSERT INTO 商品 VALUES ('A-1', '鉄瓶 南部', 28000, 'T', '砂型で鋳た鉄瓶です。湯がまろやかになり、長く使うほど味が出ます。', 3), ('A-2', '鉄瓶 小', 19000, 'T', NULL, 0),
              ('B-1', '急須 常滑', 6800, 'K', NULL, 8), ('B-2', '急須 萬古', 5400, 'K', NULL, 5);
            """)

    /// Tables that nobody can read, and views that say what is in them.
    static let views = ForeignSchema(
        name: "views only", table: "products", products: 4, product: "Birch Tray", price: "42",
        category: "Trays", note: "Steamed and bent", facts: ["Vik"],
        sql: """
            CREATE TABLE t0815(f1 INTEGER PRIMARY KEY, f2 INTEGER, f3 BLOB);
            CREATE TABLE t0816(f1 INTEGER, k TEXT, v TEXT);
            INSERT INTO t0815 VALUES (1, 10, NULL), (2, 10, NULL), (3, 11, NULL), (4, 11, NULL);
            INSERT INTO t0816 VALUES (1, 'n', 'Birch Tray'), (1, 'p', '42.00'), (1, 'd', 'Steamed and bent around a form, then oiled.'), (1, 'm', 'Vik'), (2, 'n', 'Ash Tray'), (2, 'p', '38.00'), (2, 'm', 'Vik'),
              (3, 'n', 'Bread Board'), (3, 'p', '29.00'), (3, 'm', 'Strand'), (4, 'n', 'Butter Knife'), (4, 'p', '9.50'), (4, 'm', 'Strand'), (10, 'n', 'Trays'), (11, 'n', 'Table');
            CREATE VIEW products AS SELECT f1 AS id, (SELECT v FROM t0816 WHERE f1 = t.f1 AND k = 'n') AS name, CAST((SELECT v FROM t0816 WHERE f1 = t.f1 AND k = 'p') AS REAL) AS price,
              (SELECT v FROM t0816 WHERE f1 = t.f1 AND k = 'd') AS description, (SELECT v FROM t0816 WHERE f1 = t.f1 AND k = 'm') AS brand, f2 AS category_id FROM t0815 AS t;
            CREATE VIEW product_groups AS SELECT f1 AS category_id, v AS category_name FROM t0816 WHERE f1 >= 10;
            """)

    /// Imported from a text file: every column a text, nothing declared.
    static let keyless = ForeignSchema(
        name: "no primary key", table: "catalog", products: 4, product: "Blue Mug", price: "11.90",
        category: "Mugs", facts: ["Stoneware"],
        sql: """
            CREATE TABLE catalog("code" TEXT, "name" TEXT, "price" TEXT, "category" TEXT, "material" TEXT, "stock" TEXT);
            INSERT INTO catalog VALUES ('M1', 'Blue Mug', '11.90', 'Mugs', 'Stoneware', '5'), ('M2', 'Grey Mug', '11.90', 'Mugs', 'Stoneware', ''), ('B1', 'Soup Bowl', '16.00', 'Bowls', 'Porcelain', '2'), ('B2', 'Blue Mug', '18.00', 'Bowls', 'N/A', '0');
            """)

    /// Not even a column without repetition.
    static let rowOnly = ForeignSchema(
        name: "no key at all", table: "wines", products: 4, product: "Riesling trocken", price: "9.80",
        facts: ["2021", "12.5"],
        settings: ["w.rowid AS id,  -- a guess"],
        sql: """
            CREATE TABLE wines(wine TEXT, winery TEXT, vintage INTEGER, price REAL, alcohol REAL, volume TEXT);
            INSERT INTO wines VALUES ('Riesling trocken', 'Alte Kelter', 2021, 9.8, 12.5, '0,75 l'), ('Riesling feinherb', 'Alte Kelter', 2022, 9.8, 12, '0,75 l'), ('Silvaner', 'Alte Kelter', 2021, 8.5, 12, '1 l'), ('Silvaner', 'Alte Kelter', 2021, 8.5, 12, '1 l');
            """)

    /// Prices as people write them.
    static let symbols = ForeignSchema(
        name: "text prices with symbols", table: "artikel", products: 5, product: "Eichentisch",
        price: "1.249,50",
        category: "Tische", note: "Aus einem Stamm", facts: ["Hoblwerk"],
        settings: ["currency: EUR", "language: de"],
        sql: """
            CREATE TABLE artikel(artikelnr TEXT PRIMARY KEY, bezeichnung TEXT, preis TEXT, warengruppe TEXT, beschreibung TEXT, hersteller TEXT, lieferbar TEXT);
            INSERT INTO artikel VALUES ('1001', 'Eichentisch', '1.249,50 €', 'Tische', 'Aus einem Stamm, mit der Hand geölt und ohne eine Schraube.', 'Hoblwerk', 'ja'), ('1002', 'Beistelltisch', '89,- €', 'Tische', NULL, 'Hoblwerk', 'ja'),
              ('1003', 'Bank', '349,00 €', 'Bänke', NULL, 'Hoblwerk', 'nein'), ('1004', 'Hocker', '79,90 €', 'Bänke', NULL, 'Span & Sohn', 'ja'), ('1005', 'Truhe', '1.020,00 €', 'Truhen', NULL, 'Span & Sohn', 'ja');
            """)

    /// Rows that are marked as gone, and drafts.
    static let softDeleted = ForeignSchema(
        name: "soft-deleted rows", table: "products", products: 3, product: "Plain Notebook", price: "7.50",
        category: "Notebooks", note: "Ninety-six pages", review: "Lies flat",
        absent: ["Ghost Pad", "Draft Diary", "Old Remark", "Lost Things"],
        sql: """
            CREATE TABLE categories(id INTEGER PRIMARY KEY, name TEXT, deleted_at TEXT);
            CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT, price_cents INTEGER, description TEXT, status TEXT, deleted_at TEXT, created_at INTEGER);
            CREATE TABLE product_categories(product_id INTEGER, category_id INTEGER, PRIMARY KEY(product_id, category_id));
            CREATE TABLE reviews(id INTEGER PRIMARY KEY, product_id INTEGER, rating INTEGER, body TEXT, user_id INTEGER, is_deleted INTEGER);
            CREATE TABLE users(id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT);
            INSERT INTO users VALUES (1, 'Mara', 'Quillfeather', 'mara@example.org');
            INSERT INTO categories VALUES (1, 'Notebooks', NULL), (2, 'Pens', NULL), (3, 'Lost Things', '2024-01-01');
            INSERT INTO products VALUES (1, 'Plain Notebook', 750, 'Ninety-six pages, sewn, that lie open on their own.', 'published', NULL, 1735689600), (2, 'Ruled Notebook', 790, NULL, 'published', NULL, 1735776000),
              (3, 'Ghost Pad', 300, NULL, 'published', '2024-05-05 10:00:00', 1735862400), (4, 'Draft Diary', 1900, NULL, 'draft', NULL, 1735948800), (5, 'Fine Pen', 1200, NULL, 'published', NULL, 1736035200);
            INSERT INTO product_categories VALUES (1, 1), (2, 1), (3, 1), (4, 1), (5, 2);
            INSERT INTO reviews VALUES (1, 1, 5, 'Lies flat, as it says.', 1, 0), (2, 1, 1, 'Old Remark of somebody.', 1, 1), (3, 3, 4, 'Nobody can read this one.', 1, 0);
            """)

    /// A column for each language.
    static let columnsByLanguage = ForeignSchema(
        name: "multi-language columns", table: "products", products: 4, product: "Mountain Honey",
        price: "12.80",
        category: "Honey", note: "From hives above",
        absent: ["Berghonig", "Miel de montagne", "Brotaufstriche"],
        sql: """
            CREATE TABLE product_groups(id INTEGER PRIMARY KEY, name_de TEXT, name_en TEXT, name_fr TEXT);
            INSERT INTO product_groups VALUES (1, 'Honig', 'Honey', 'Miel'), (2, 'Brotaufstriche', 'Spreads', 'Tartinades');
            CREATE TABLE products(id INTEGER PRIMARY KEY, name_de TEXT, name_en TEXT, name_fr TEXT, description_de TEXT, description_en TEXT, description_fr TEXT, price NUMERIC, group_id INTEGER REFERENCES product_groups);
            INSERT INTO products VALUES (1, 'Berghonig', 'Mountain Honey', 'Miel de montagne', 'Aus Stöcken oberhalb der Baumgrenze.', 'From hives above the last trees, once a year.', 'De ruches au-dessus des arbres.', 12.8, 1), (2, 'Waldhonig', 'Forest Honey', 'Miel de forêt', NULL, NULL, NULL, 9.9, 1),
              (3, 'Nussmus', 'Nut Butter', 'Purée de noix', NULL, NULL, NULL, 7.2, 2), (4, 'Mandelmus', 'Almond Butter', 'Purée d''amandes', NULL, NULL, NULL, 8.4, 2);
            """)

    /// A table with a row for each language, as PrestaShop and OpenCart have it.
    static let translations = ForeignSchema(
        name: "translation tables", table: "ps_product", products: 3, product: "Wooden Train", price: "34",
        category: "Toys", note: "Six wagons", absent: ["Holzzug", "11.25"],
        sql: """
            CREATE TABLE ps_lang(id_lang INTEGER PRIMARY KEY, name TEXT, iso_code TEXT);
            INSERT INTO ps_lang VALUES (1, 'English', 'en'), (2, 'Deutsch', 'de');
            CREATE TABLE ps_product(id_product INTEGER PRIMARY KEY, id_category_default INTEGER, price NUMERIC, wholesale_price NUMERIC, reference TEXT, active INTEGER, date_add TEXT);
            CREATE TABLE ps_product_lang(id_product INTEGER, id_lang INTEGER, name TEXT, description TEXT, link_rewrite TEXT, PRIMARY KEY(id_product, id_lang));
            CREATE TABLE ps_category(id_category INTEGER PRIMARY KEY, id_parent INTEGER, position INTEGER);
            CREATE TABLE ps_category_lang(id_category INTEGER, id_lang INTEGER, name TEXT, PRIMARY KEY(id_category, id_lang));
            INSERT INTO ps_product VALUES (1, 2, 34, 11.25, 'T-1', 1, '2024-03-01 00:00:00'), (2, 2, 12.5, 4, 'T-2', 1, '2024-03-01 00:00:00'), (3, 3, 8, 2.5, 'B-1', 1, '2024-03-02 00:00:00');
            INSERT INTO ps_product_lang VALUES (1, 1, 'Wooden Train', '<p>Six wagons and a bell that cannot be switched off.</p>', 'wooden-train'), (1, 2, 'Holzzug', '<p>Sechs Wagen.</p>', 'holzzug'), (2, 1, 'Spinning Top', '', 'spinning-top'), (2, 2, 'Kreisel', '', 'kreisel'), (3, 1, 'Picture Book', '', 'picture-book'), (3, 2, 'Bilderbuch', '', 'bilderbuch');
            INSERT INTO ps_category VALUES (1, 0, 0), (2, 1, 1), (3, 1, 2);
            INSERT INTO ps_category_lang VALUES (1, 1, 'Home'), (1, 2, 'Start'), (2, 1, 'Toys'), (2, 2, 'Spielzeug'), (3, 1, 'Books'), (3, 2, 'Bücher');
            """)

    /// Categories as paths.
    static let paths = ForeignSchema(
        name: "category paths", table: "inventory", products: 4, product: "Rain Coat", price: "129",
        category: "Coats",
        pages: ["categories/men-clothing-coats.html"],
        sql: """
            CREATE TABLE inventory(sku TEXT PRIMARY KEY, product_name TEXT, category TEXT, price REAL, sale_price REAL);
            INSERT INTO inventory VALUES ('C1', 'Rain Coat', 'Men > Clothing > Coats', 149, 129), ('C2', 'Wool Coat', 'Men > Clothing > Coats', 320, NULL), ('S1', 'Canvas Shoes', 'Men > Shoes', 65, NULL), ('H1', 'Straw Hat', 'Women > Hats', 28, NULL);
            """)

    /// Several categories in one cell.
    static let listInCell = ForeignSchema(
        name: "list in a cell", table: "products", products: 5, product: "Oolong", price: "14",
        category: "Gifts",
        pages: ["categories/tea.html", "categories/gifts.html", "tags/roasted.html"],
        sql: """
            CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT, price REAL, categories TEXT, tags TEXT);
            INSERT INTO products VALUES (1, 'Oolong', 14, 'Gifts, Tea', 'roasted, dark'), (2, 'Sencha', 12, 'Tea', 'green'), (3, 'Tea Tin', 9, 'Gifts, Tins', NULL), (4, 'Rooibos', 8, 'Tea, Herbs', 'dark'), (5, 'Camomile', 7, 'Herbs', 'green, roasted');
            """)

    /// A column for each level.
    static let severalColumns = ForeignSchema(
        name: "categories in several columns", table: "goods", products: 5, product: "Claw Hammer",
        price: "24",
        category: "Hammers", pages: ["categories/tools-hammers.html", "categories/tools.html"],
        sql: """
            CREATE TABLE goods(goods_id INTEGER PRIMARY KEY, title TEXT, category TEXT, subcategory TEXT, price REAL);
            INSERT INTO goods VALUES (1, 'Claw Hammer', 'Tools', 'Hammers', 24), (2, 'Mallet', 'Tools', 'Hammers', 18), (3, 'Rip Saw', 'Tools', 'Saws', 32), (4, 'Wood Glue', 'Supplies', 'Glue', 6), (5, 'Sandpaper', 'Supplies', NULL, 3);
            """)

    /// A tree by a parent column, with references that nothing declares, labels and values in a table, flags and Unix times.
    static let tree = ForeignSchema(
        name: "parent column and facts", table: "article", products: 4, product: "Field Recorder",
        price: "349",
        category: "Recorders", note: "Two capsules", facts: ["24 bit / 96 kHz", "Sold out"],
        pages: ["categories/recorders-2.html"],
        sql: """
            CREATE TABLE article(number TEXT PRIMARY KEY, caption TEXT, amount_cents INTEGER, maker INTEGER, grp INTEGER, info TEXT, in_stock INTEGER, added INTEGER);
            CREATE TABLE maker(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE article_group(article TEXT, group_id INTEGER);
            CREATE TABLE groups(id INTEGER PRIMARY KEY, parent INTEGER, caption TEXT, sort INTEGER);
            CREATE TABLE article_specs(id INTEGER PRIMARY KEY, article TEXT, name TEXT, value TEXT);
            INSERT INTO maker VALUES (1, 'Zimmer Ton'), (2, 'Loft');
            INSERT INTO groups VALUES (1, 0, 'Sound', 1), (2, 1, 'Recorders', 1), (3, 1, 'Microphones', 2);
            INSERT INTO article VALUES ('R-1', 'Field Recorder', 34900, 1, 2, 'Two capsules that turn away from each other, and a limiter that can be trusted.', 0, 1717200000), ('R-2', 'Pocket Recorder', 12900, 1, 2, NULL, 1, 1717300000),
              ('M-1', 'Lavalier', 5900, 2, 3, NULL, 1, 1717400000), ('M-2', 'Shotgun', 18900, 2, 3, NULL, 1, 1717500000);
            INSERT INTO article_group VALUES ('R-1', 2), ('R-2', 2), ('M-1', 3), ('M-2', 3);
            INSERT INTO article_specs VALUES (1, 'R-1', 'Resolution', '24 bit / 96 kHz'), (2, 'R-1', 'Weight', '280 g'), (3, 'R-2', 'Resolution', '16 bit / 48 kHz'), (4, 'R-2', 'Weight', '90 g'), (5, 'M-1', 'Connector', 'TRRS'), (6, 'M-2', 'Connector', 'XLR'), (7, 'M-2', 'Weight', '110 g');
            """)

    /// Prices and sizes in a table of variants.
    static let variants = ForeignSchema(
        name: "variants", table: "products", products: 3, product: "Merino Socks", price: "14",
        category: "Socks",
        picture: "socks.png", pages: ["size/m.html"], absent: ["6.66"],
        sql: """
            CREATE TABLE products(id INTEGER PRIMARY KEY, title TEXT, handle TEXT UNIQUE, vendor TEXT, product_type TEXT, published_at TEXT);
            CREATE TABLE variants(id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products, size TEXT, price NUMERIC, cost NUMERIC, sku TEXT);
            CREATE TABLE product_sizes(product_id INTEGER REFERENCES products, size TEXT);
            CREATE TABLE product_images(product_id INTEGER REFERENCES products, src TEXT, position INTEGER);
            INSERT INTO products VALUES (1, 'Merino Socks', 'merino-socks', 'Hollow Wool', 'Socks', '2025-01-01T10:00:00Z'), (2, 'Bed Socks', 'bed-socks', 'Hollow Wool', 'Socks', '2025-01-02T10:00:00Z'), (3, 'Mittens', 'mittens', 'Fell', 'Gloves', '2025-01-03T10:00:00Z');
            INSERT INTO variants VALUES (1, 1, 'M', 14, 6.66, 'a'), (2, 1, 'L', 15, 6.66, 'b'), (3, 2, 'M', 18, 6.66, 'c'), (4, 3, 'M', 22, 6.66, 'd');
            INSERT INTO product_sizes VALUES (1, 'M'), (1, 'L'), (2, 'M'), (3, 'M');
            INSERT INTO product_images VALUES (1, 'socks.png', 1);
            """)

    /// What customers chose and bought.
    static let wishes = ForeignSchema(
        name: "customers' lists", table: "book", products: 4, product: "The Quiet Tide", price: "18",
        category: "Novels",
        note: "A lighthouse", facts: ["R. Amsel"], absent: ["Hedwig", "Nobody Street"],
        settings: ["Customers' wish lists: wishlist_item", "Customers' orders: order_line"],
        sql: """
            CREATE TABLE book(book_id INTEGER PRIMARY KEY, isbn TEXT, title TEXT, author_id INTEGER REFERENCES author(author_id), genre TEXT, price NUMERIC, blurb TEXT, published DATE, description TEXT);
            CREATE TABLE author(author_id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE customer(customer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT, address TEXT);
            CREATE TABLE orders(order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, order_date TEXT);
            CREATE TABLE order_line(order_id INTEGER REFERENCES orders, book_id INTEGER REFERENCES book, quantity INTEGER, unit_price NUMERIC, PRIMARY KEY(order_id, book_id));
            CREATE TABLE wishlist_item(customer_id INTEGER REFERENCES customer, book_id INTEGER REFERENCES book, added TEXT);
            INSERT INTO author VALUES (1, 'R. Amsel'), (2, 'J. Birk');
            INSERT INTO book VALUES (1, '9780306406157', 'The Quiet Tide', 1, 'Novels', 18, NULL, '2021-03-01', 'A lighthouse, two sisters, and a winter that does not want to end.'), (2, '9783161484100', 'Low Water', 1, 'Novels', 16, NULL, '2022-03-01', NULL),
              (3, '9780201379624', 'Knots', 2, 'Handbooks', 22, NULL, '2019-03-01', NULL), (4, '9781861972712', 'Splices', 2, 'Handbooks', 24, NULL, '2020-03-01', NULL);
            INSERT INTO customer VALUES (1, 'Hedwig', 'Kern', 'h@kern.example', '1 Nobody Street'), (2, 'Omar', 'Sand', 'o@sand.example', '2 Nobody Street');
            INSERT INTO orders VALUES (1, 1, '2025-01-01'), (2, 2, '2025-01-02');
            INSERT INTO order_line VALUES (1, 1, 1, 18), (1, 3, 2, 22), (2, 4, 1, 24);
            INSERT INTO wishlist_item VALUES (1, 2, '2025-02-01'), (2, 1, '2025-02-02');
            """)

    /// One table with Norwegian names, as a liquor store's price list has it.
    static let norwegian = ForeignSchema(
        name: "Norwegian price list", table: "vare", products: 5, product: "Fjellbrenneri Akevitt",
        price: "449",
        category: "Akevitt", facts: ["Karve", "41,5", "Norge"],
        settings: ["language: nb", "currency: NOK", "v.Volum * 1000"],
        sql: """
            CREATE TABLE vare("Varenummer","Varenavn","Volum","Pris","Literpris","Varetype","Farge","Lukt","Smak","Land","Distrikt","Argang","Alkohol");
            INSERT INTO vare VALUES (101, 'Fjellbrenneri Akevitt', 0.7, 449, 641.4, 'Akevitt', 'Gylden.', 'Karve og anis.', 'Rund, lang.', 'Norge', 'Innlandet', NULL, 41.5), (102, 'Dal Rødvin', 0.75, 149.9, 199.9, 'Rødvin', 'Dyp rød.', 'Bær.', 'Frisk.', 'Italia', 'Piemonte', 2019, 13.5),
              (103, 'Dal Hvitvin', 0.75, 139.9, 186.5, 'Hvitvin', NULL, NULL, NULL, 'Italia', 'Piemonte', 2021, 12), (104, 'Brut Nord', 0.75, 299, 398.7, 'Musserende vin, brut', NULL, NULL, NULL, 'Frankrike', 'Øvrige', NULL, 12), (105, 'Kart Rødvin', 3, 399.9, 133.3, 'Rødvin', NULL, NULL, NULL, 'Spania', 'Øvrige', 2020, 14);
            """)

    /// Products among pages and attachments, with their prices in a table of labels and values.
    static let wordPress = ForeignSchema(
        name: "WordPress", table: "wp_posts", products: 3, product: "Hoodie", price: "45",
        note: "A hoodie of heavy cotton",
        absent: ["Welcome", "hoodie-img", "Belt", "a@b.example", "categories/"],
        sql: """
            CREATE TABLE wp_posts(ID INTEGER PRIMARY KEY, post_author INTEGER, post_date TEXT, post_content TEXT, post_title TEXT, post_excerpt TEXT, post_status TEXT, post_name TEXT, post_parent INTEGER, guid TEXT, post_type TEXT);
            CREATE TABLE wp_postmeta(meta_id INTEGER PRIMARY KEY, post_id INTEGER, meta_key TEXT, meta_value TEXT);
            CREATE TABLE wp_users(ID INTEGER PRIMARY KEY, user_login TEXT, user_pass TEXT, user_email TEXT, display_name TEXT);
            CREATE TABLE wp_options(option_id INTEGER PRIMARY KEY, option_name TEXT, option_value TEXT);
            INSERT INTO wp_users VALUES (1, 'admin', 'x', 'a@b.example', 'Admin');
            INSERT INTO wp_posts VALUES (1, 1, '2024-01-01 10:00:00', 'Hello, world.', 'Welcome', '', 'publish', 'hello-world', 0, 'https://x.example/?p=1', 'post'),
              (2, 1, '2024-01-02 10:00:00', '<p>A hoodie of heavy cotton that outlives its zip.</p>', 'Hoodie', 'Heavy.', 'publish', 'hoodie', 0, 'https://x.example/?p=2', 'product'),
              (3, 1, '2024-01-03 10:00:00', '<p>A cap of light cotton that sits well.</p>', 'Cap', 'Light.', 'publish', 'cap', 0, 'https://x.example/?p=3', 'product'),
              (4, 1, '2024-01-03 10:00:00', '', 'hoodie-img', '', 'inherit', 'hoodie-img', 2, 'https://x.example/hoodie.jpg', 'attachment'),
              (5, 1, '2024-01-05 10:00:00', 'Not yet.', 'Belt', '', 'draft', 'belt', 0, 'https://x.example/?p=5', 'product'),
              (6, 1, '2024-01-06 10:00:00', '<p>Socks of wool, knit by hand.</p>', 'Socks', 'Warm.', 'publish', 'socks', 0, 'https://x.example/?p=6', 'product');
            INSERT INTO wp_postmeta(post_id, meta_key, meta_value) VALUES (2, '_price', '45'), (2, '_sku', 'H1'), (2, '_stock', '5'), (3, '_price', '16'), (3, '_sku', 'C1'), (3, '_stock', '0'), (6, '_price', '9'), (6, '_sku', 'S1'), (1, '_edit_lock', '1'), (5, '_price', '20');
            """)

    /// The tables of a shop with WooCommerce under a prefix of its own, as a conversion from MySQL has them: types of columns and all
    /// the posts, terms and comments that are no part of the shop.
    static let wooCommerce = ForeignSchema(
        name: "WooCommerce", table: "abc_posts", products: 4, product: "Slate & Tar Rum", price: "£34",
        category: "Rum", note: "Tar and rope", picture: "2025/03/slate.png", review: "Like rain on a roof.",
        facts: ["Wet Rope", "was £40", "Size", "70 cl", "Tag", "gift", "Reviews 4.0"],
        absent: [
            "Sample page", "News of today", "Hidden Gin", "Draft Ale", "Secret Stout", "Uncategorized",
            "ann@example.com",
            "A word on the news", "Not yet approved", "Thank you, Ann", "edit_lock",
        ],
        settings: [
            "title: Rope & Tar", "currency: GBP   # as the shop has it", "{key: Size, plural: Sizes}",
            "wp-content/uploads",
        ],
        sql: """
            CREATE TABLE abc_options(option_id INTEGER PRIMARY KEY, option_name TEXT, option_value TEXT, autoload TEXT);
            INSERT INTO abc_options VALUES (1, 'blogname', 'Rope &amp; Tar', 'yes'), (2, 'woocommerce_currency', 'GBP', 'yes');
            CREATE TABLE abc_users(ID INTEGER PRIMARY KEY, user_login TEXT, user_pass TEXT, user_email TEXT, display_name TEXT);
            CREATE TABLE abc_posts(ID INTEGER PRIMARY KEY, post_author INTEGER, post_date TEXT, post_content TEXT, post_title TEXT, post_excerpt TEXT, post_status TEXT, post_password TEXT, post_name TEXT, post_modified TEXT, post_parent INTEGER, guid TEXT, menu_order INTEGER, post_type TEXT, post_mime_type TEXT, comment_count INTEGER);
            INSERT INTO abc_posts SELECT value ->> 0, 1, '2025-03-01 10:00:00', value ->> 4, value ->> 2, value ->> 5, value ->> 3, value ->> 6, lower(replace(value ->> 2, ' ', '-')), '2025-04-01 10:00:00', 0, 'https://rope.example/?p=' || (value ->> 0), 0, value ->> 1, '', 0 FROM json_each('[
              [2, "page", "Sample page", "publish", "About us", "", ""], [3, "post", "News of today", "publish", "News of today", "", ""],
              [10, "product", "Slate &amp; Tar Rum", "publish", "Tar and rope.\\n\\nLong in the barrel.", "Short and strong.", ""], [11, "product", "Oak Rum", "publish", "<p>Oak.</p>", "<b>Bold</b>", ""],
              [12, "product", "Rain Ale", "publish", "", "", ""], [13, "product", "Loose Thing", "publish", "", "", ""], [14, "product", "Hidden Gin", "publish", "", "", ""],
              [15, "product", "Draft Ale", "draft", "", "", ""], [16, "product", "Secret Stout", "publish", "", "", "pass"],
              [20, "product_variation", "Oak Rum - 70 cl", "publish", "", "", ""], [21, "product_variation", "Oak Rum - 20 cl", "publish", "", "", ""],
              [30, "attachment", "slate", "inherit", "", "", ""], [31, "attachment", "back", "inherit", "", "", ""]]');
            CREATE TABLE abc_postmeta(meta_id INTEGER PRIMARY KEY, post_id INTEGER, meta_key TEXT, meta_value TEXT);
            INSERT INTO abc_postmeta(post_id, meta_key, meta_value) VALUES (10, '_sku', 'S-10'), (10, '_regular_price', '40'), (10, '_sale_price', '34'), (10, '_price', '34'), (10, '_stock', '7'), (10, '_stock_status', 'instock'), (10, '_manage_stock', 'yes'), (10, '_thumbnail_id', '30'), (10, '_product_image_gallery', '30'), (10, '_edit_lock', '1:1'),
              (11, '_sku', ''), (11, '_price', '12'), (11, '_price', '34'), (11, '_stock_status', 'instock'), (12, '_price', '3.50'), (12, '_regular_price', '3.50'), (12, '_stock_status', 'outofstock'), (13, '_price', '9'), (14, '_price', '9'), (16, '_price', '9'), (20, '_price', '34'), (21, '_price', '12'),
              (30, '_wp_attached_file', '2025/03/slate.png'), (30, '_wp_attachment_image_alt', 'A bottle on slate');
            CREATE TABLE abc_terms(term_id INTEGER PRIMARY KEY, name TEXT, slug TEXT, term_group INTEGER);
            INSERT INTO abc_terms VALUES (1, 'Uncategorized', 'uncategorized', 0), (2, 'Spirits', 'spirits', 0), (3, 'Rum', 'rum', 0), (4, 'Beer', 'beer', 0), (5, 'simple', 'simple', 0), (7, 'gift', 'gift', 0), (8, '70 cl', '70-cl', 0), (9, '20 cl', '20-cl', 0), (11, 'exclude-from-catalog', 'exclude-from-catalog', 0), (12, 'News', 'news', 0), (13, 'Wet Rope', 'wet-rope', 0);
            CREATE TABLE abc_term_taxonomy(term_taxonomy_id INTEGER PRIMARY KEY, term_id INTEGER, taxonomy TEXT, description TEXT, parent INTEGER, count INTEGER);
            INSERT INTO abc_term_taxonomy VALUES (101, 1, 'product_cat', '', 0, 0), (102, 2, 'product_cat', 'Strong ones.', 0, 0), (103, 3, 'product_cat', '', 2, 2), (104, 4, 'product_cat', '', 0, 1), (105, 5, 'product_type', '', 0, 4), (107, 7, 'product_tag', '', 0, 1), (108, 8, 'pa_size', '', 0, 1), (109, 9, 'pa_size', '', 0, 1), (111, 11, 'product_visibility', '', 0, 1), (112, 12, 'category', '', 0, 1), (113, 13, 'product_brand', '', 0, 2);
            CREATE TABLE abc_term_relationships(object_id INTEGER, term_taxonomy_id INTEGER, term_order INTEGER, PRIMARY KEY(object_id, term_taxonomy_id));
            INSERT INTO abc_term_relationships VALUES (10, 103, 0), (10, 105, 0), (10, 107, 0), (10, 108, 0), (10, 113, 0), (11, 103, 0), (11, 108, 0), (11, 109, 0), (12, 104, 0), (13, 101, 0), (14, 103, 0), (14, 111, 0), (15, 104, 0), (3, 112, 0);
            CREATE TABLE abc_woocommerce_attribute_taxonomies(attribute_id INTEGER PRIMARY KEY, attribute_name TEXT, attribute_label TEXT);
            INSERT INTO abc_woocommerce_attribute_taxonomies VALUES (1, 'size', 'Size');
            CREATE TABLE abc_comments(comment_ID INTEGER PRIMARY KEY, comment_post_ID INTEGER, comment_author TEXT, comment_author_email TEXT, comment_author_IP TEXT, comment_date TEXT, comment_content TEXT, comment_approved TEXT, comment_type TEXT, comment_parent INTEGER);
            INSERT INTO abc_comments VALUES (1, 10, 'Ann', 'ann@example.com', '192.0.2.1', '2025-05-01 10:00:00', 'Like rain on a roof.', '1', 'review', 0), (2, 3, 'Bob', 'b@example.com', '', '2025-05-01 10:00:00', 'A word on the news.', '1', 'comment', 0), (3, 10, 'Eve', 'e@example.com', '', '2025-05-02 10:00:00', 'Not yet approved.', '0', 'review', 0), (4, 10, 'Shop', 's@example.com', '', '2025-05-02 10:00:00', 'Thank you, Ann.', '1', 'review', 1);
            CREATE TABLE abc_commentmeta(meta_id INTEGER PRIMARY KEY, comment_id INTEGER, meta_key TEXT, meta_value TEXT);
            INSERT INTO abc_commentmeta(comment_id, meta_key, meta_value) VALUES (1, 'rating', '4');
            """)

    /// The names that Django gives, users' reviews, orders.
    static let django = ForeignSchema(
        name: "Django", table: "catalog_product", products: 3, product: "Phone One", price: "499",
        category: "Phones",
        note: "opened with a coin", picture: "products/one.jpg", review: "Mended it twice",
        facts: ["Acme", "Brand"],
        absent: ["Doe", "j@d.example"], settings: ["producers: Brands"],
        sql: """
            CREATE TABLE django_migrations(id INTEGER PRIMARY KEY, app TEXT, name TEXT, applied TEXT);
            CREATE TABLE auth_user(id INTEGER PRIMARY KEY, password TEXT, username TEXT, first_name TEXT, last_name TEXT, email TEXT, is_active INTEGER);
            CREATE TABLE catalog_category(id INTEGER PRIMARY KEY, name TEXT, slug TEXT UNIQUE, parent_id INTEGER REFERENCES catalog_category, lft INTEGER, rght INTEGER);
            CREATE TABLE catalog_brand(id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE catalog_product(id INTEGER PRIMARY KEY, title TEXT, slug TEXT UNIQUE, description TEXT, price DECIMAL, is_available BOOL, brand_id INTEGER REFERENCES catalog_brand, category_id INTEGER REFERENCES catalog_category, created_at DATETIME, image TEXT);
            CREATE TABLE catalog_review(id INTEGER PRIMARY KEY, text TEXT, stars INTEGER, user_id INTEGER REFERENCES auth_user, product_id INTEGER REFERENCES catalog_product, created_at DATETIME);
            CREATE TABLE orders_order(id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES auth_user, created DATETIME);
            CREATE TABLE orders_orderitem(id INTEGER PRIMARY KEY, price DECIMAL, quantity INTEGER, order_id INTEGER REFERENCES orders_order, product_id INTEGER REFERENCES catalog_product);
            INSERT INTO django_migrations VALUES (1, 'catalog', '0001_initial', '2024-01-01');
            INSERT INTO auth_user VALUES (1, 'x', 'joe', 'Joe', 'Doe', 'j@d.example', 1), (2, 'x', 'ann', 'Ann', 'Poe', 'a@d.example', 1);
            INSERT INTO catalog_brand VALUES (1, 'Acme'), (2, 'Zenit');
            INSERT INTO catalog_category VALUES (1, 'Phones', 'phones', NULL, 1, 2), (2, 'Cases', 'cases', 1, 3, 4);
            INSERT INTO catalog_product VALUES (1, 'Phone One', 'phone-one', 'A phone that can be opened with a coin, and mended.', 499, 1, 1, 1, '2024-02-03 10:20:30.123456', 'products/one.jpg'), (2, 'Phone Two', 'phone-two', 'A bigger one.', 599, 0, 2, 1, '2024-02-04 10:20:30.123456', NULL), (3, 'Case', 'case', 'Cork.', 19.9, 1, 1, 2, '2024-02-04 10:20:30.123456', NULL);
            INSERT INTO catalog_review VALUES (1, 'Mended it twice.', 5, 1, 1, '2024-03-01 00:00:00'), (2, 'Too big.', 3, 2, 2, '2024-03-01 00:00:00');
            INSERT INTO orders_order VALUES (1, 1, '2024-03-03');
            INSERT INTO orders_orderitem VALUES (1, 499, 1, 1, 1), (2, 19.9, 2, 1, 3);
            """)
}
