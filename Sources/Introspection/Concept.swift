/// What a column or table can be about.
enum Concept: String, CaseIterable, Sendable {
    // Columns of products.
    case id, name, slug, sku, gtin, price, unitPrice, priceMinor, salePrice, cost, currency, stock
    case availability, discontinued, producer, supplier, category, subcategory, genre, type, style, country
    case region, city, age, vintage, abv, volume, colour, note, summary, tasting, nose, palate, finish
    case created, updated, bottled, picture, alternative, featured, tags
    // Of any table.
    case position, parent, deleted, active, language, value, label
    // Of reviews and people.
    case rating, author, title, body, date, firstName, lastName, person, contact, quantity
    /// For the shop only: what it paid, who typed it in, when to order more.
    case inside
    /// Something measured in milliseconds or bytes.
    case milliseconds, seconds, bytes

    /// The words of the concept, best first; each may be several words. Languages are mixed: names of columns are.
    fileprivate var vocabulary: String {
        switch self {
        case .id:
            "id, code, key, no, nr, number, nummer, num, numero, uid, uuid, guid, pk, rowid, kode, kennung, artikelnr, varenr, номер, код, 番号, コード, 编号, 编码"
        case .name:
            """
            name, title, product name, item name, full name, display name, designation, navn, varenavn, navn no, namn, \
            bezeichnung, titel, artikelname, nom, intitule, libelle, nombre, nome, denominacion, denominazione, naam, nazwa, \
            nazev, navnet, nimi, benennung, artikelbezeichnung, caption, label, heading, headline, post title, наименование, \
            название, имя, 商品名, 品名, 名称, 名前, タイトル, 产品名称, 상품명, 이름, όνομα, titre, titulo, titolo, tittel
            """
        case .slug:
            "slug, url key, handle, permalink, seo url, url alias, url slug, url name, alias, post name, uri, link rewrite"
        case .sku:
            """
            sku, article number, article no, item number, item no, item code, product code, product number, part number, \
            part no, stock code, catalog number, catalogue number, artikelnummer, artikelnr, artnr, art nr, art no, \
            bestellnummer, reference, ref, varenummer, varenr, model, model number, артикул, 商品コード, 品番, 型番, 商品番号, \
            货号, accession number, inventory number
            """
        case .gtin:
            "gtin, ean, ean 13, upc, barcode, bar code, isbn, isbn 13, jan, strichcode, strekkode, штрихкод, gtin 13"
        case .price:
            """
            price, unit price, retail price, list price, sales price, selling price, regular price, price amount, price inc \
            vat, price incl tax, gross price, rrp, msrp, preis, verkaufspreis, vk, vk preis, einzelpreis, stueckpreis, \
            bruttopreis, endpreis, prix, prix unitaire, prix de vente, prix ttc, precio, precio unitario, prezzo, pris, \
            utsalgspris, prijs, preco, cena, cijena, hinta, цена, стоимость, 価格, 値段, 単価, 売価, 价格, 单价, 售价, 가격, τιμή, \
            amount, cost price
            """
        case .unitPrice:
            """
            price per litre, price per liter, price per kg, price per unit, price per, literpris, literpreis, grundpreis, \
            kilopris, kilopreis, base price per, prix au litre, prix au kilo, comparison price, unit pricing
            """
        case .priceMinor:
            "price cents, cents, price in cents, price pence, pence, price minor, amount cents, price ore, preis cent, prix centimes, minor units"
        case .salePrice:
            """
            sale price, special price, offer price, discount price, discounted price, promo price, promotional price, action \
            price, price now, current price, reduced price, angebotspreis, sonderpreis, aktionspreis, tilbudspris, \
            prix promo, prix solde, precio oferta, акция цена, 特価, セール価格, offer, promo
            """
        case .cost:
            """
            cost, purchase price, cost price, wholesale price, buying price, buy price, net cost, margin, markup, einkaufspreis, \
            ek, ek preis, innkjopspris, inkoopprijs, prix achat, prix d achat, precio compra, себестоимость, 原価, 仕入価格, dealer price, \
            standard cost
            """
        case .currency:
            "currency, currency code, currency iso, waehrung, valuta, devise, moneda, valuta kode, валюта, 通貨"
        case .stock:
            """
            stock, units in stock, quantity in stock, in stock qty, stock quantity, stock qty, inventory, inventory quantity, \
            on hand, qty on hand, stock on hand, stock level, quantity available, available quantity, qty, quantity, bestand, \
            lagerbestand, lager, lagerbeholdning, beholdning, antall, disponible, existencias, giacenza, voorraad, остаток, \
            количество, 在庫, 在庫数, 库存, стан, pieces left
            """
        case .availability:
            "availability, available, stock status, in stock, is in stock, verfuegbarkeit, lieferbar, disponibilite, disponibilidad, наличие, status"
        case .discontinued:
            "discontinued, is discontinued, obsolete, end of life, eol, ausgelaufen, utgatt, phased out"
        case .producer:
            """
            producer, brand, brand name, manufacturer, maker, make, brewery, brewer, winery, distillery, distiller, house, \
            artist, author, writer, publisher, record label, designer, creator, craftsman, company, studio, \
            hersteller, marke, brauerei, weingut, erzeuger, verlag, produsent, merke, bryggeri, forfatter, kunstner, \
            marque, producteur, fabricant, brasserie, domaine, auteur, editeur, marca, fabricante, productor, productor nombre, \
            autor, produttore, autore, merk, fabrikant, производитель, бренд, автор, メーカー, ブランド, 製造元, 品牌, 厂商, tillverkare, \
            band, foundry, roaster, roastery, garden, farm
            """
        case .supplier:
            "supplier, vendor, distributor, importer, lieferant, leverandor, fournisseur, proveedor, fornitore, поставщик, 仕入先, merchant, seller"
        case .category:
            """
            category, categories, category name, product category, product group, group, groups, department, section, \
            product type, warengruppe, kategorie, kategorien, rubrik, abteilung, varegruppe, varetype, kategori, categorie, \
            rayon, famille, categoria, categorias, familia, seccion, grupo, reparto, productgroep, категория, категории, раздел, группа, カテゴリ, カテゴリー, \
            分類, 类别, 分类, 카테고리, aisle, shelf, collection, taxonomy, category path, breadcrumb, cat
            """
        case .subcategory:
            "subcategory, sub category, subgroup, sub group, unterkategorie, untergruppe, sous categorie, subcategoria, underkategori, undergruppe, подкатегория, subsection, sub department, category 2, category level 2"
        case .genre: "genre, genres, sjanger, genero, жанр, ジャンル, classification, medium"
        case .type: "type, kind, typ, art, class, klasse, tipo, sort, sorte, тип, вид, 種類, 种类, family"
        case .style: "style, stil, varietal, variety, grape, beer style, estilo, stile, стиль, スタイル"
        case .country:
            "country, country of origin, origin, land, herkunft, herkunftsland, opprinnelsesland, pays, pays origine, pais, paese, страна, 国, 原産国, 产地, made in, country name, nation"
        case .region:
            "region, district, underdistrikt, sub region, subregion, appellation, area, province, state, county, distrikt, bundesland, fylke, provincia, регион, область, 地域, 産地"
        case .city: "city, town, ort, stadt, by, ville, ciudad, citta, город, 市, stad"
        case .age: "age, age years, years old, alter, alder, age statement"
        case .vintage:
            "vintage, year, harvest, harvest year, jahrgang, jahr, argang, ar, millesime, annee, anada, ano, annata, anno, год, урожай, 年, 年份, ヴィンテージ, release year, model year, erscheinungsjahr"
        case .abv:
            "abv, alcohol, alcohol by volume, alc, alc vol, alkohol, alkoholgehalt, alkoholprosent, alcool, degre, titre alcool, graduacion, gradazione, strength, vol percent, proof percent, крепость, アルコール, アルコール度数, 酒精度"
        case .volume:
            "volume, volume ml, volume cl, volume l, bottle size, size ml, size cl, ml, cl, litres, liters, litre, liter, volum, volumen, inhalt, fuellmenge, contenance, contenido, capacidad, contenuto, ounces, fl oz, oz, объем, 容量, net content, content ml"
        case .colour:
            "colour hex, color hex, hex colour, hex color, hex, colour code, color code, colour, color, farbcode, tint"
        case .note:
            """
            description, long description, full description, product description, body html, body, content, post content, \
            text, html, details, detail, information, story, about, descript, descr, desc, beschreibung, langtext, artikeltext, \
            beskrivelse, tekst, descriptif, descripcion, descrizione, omschrijving, opis, описание, 説明, 商品説明, 描述, 설명, \
            text html, notes, note, bemerkung, info, overview, review text
            """
        case .summary:
            "short description, summary, short text, teaser, excerpt, post excerpt, intro, subtitle, tagline, kurzbeschreibung, kurztext, kort beskrivelse, descripcion corta, resume, meta description, seo description, 概要, краткое описание"
        case .tasting:
            "tasting note, tasting notes, tasting, verkostung, verkostungsnotiz, degustation, smaksnotat, nota de cata, flavour, flavor"
        case .nose: "nose, aroma, bouquet, smell, lukt, nase, geruch, nez, nariz, naso, 香り, аромат, duft"
        case .palate:
            "palate, taste, smak, gaumen, geschmack, bouche, boca, gusto, palato, 味, 味わい, вкус, gout"
        case .finish: "finish, aftertaste, ettersmak, abgang, nachklang, finale, final, 余韻, послевкусие"
        case .created:
            "created, created at, date created, created on, date added, added, added at, date add, creation date, listed, listed at, published, published at, publish date, available since, on sale since, inserted, insert date, post date, angelegt, erstellt, erstellt am, opprettet, cree le, date creation, fecha alta, creado, создан, дата добавления, 登録日, 作成日, introduced, entry date"
        case .updated:
            "updated, updated at, modified, modified at, last modified, last mod, date modified, last update, changed, changed at, date upd, post modified, geaendert, geaendert am, endret, modifie, modificado, обновлен, 更新日, last edited, edited"
        case .bottled: "bottled, bottling date, bottled on, abgefuellt, tappet, mise en bouteille"
        case .picture:
            """
            picture, image, photo, img, pic, thumbnail, thumb, picture file, image file, photo file, image path, image url, \
            image src, image name, picture url, photo url, photo path, file path, filepath, file name, filename, file, main \
            image, base image, cover, cover image, bild, bilddatei, foto, abbildung, bilde, bildefil, imagen, immagine, afbeelding, \
            obraz, фото, изображение, картинка, 画像, 写真, 图片, 이미지, path, src, media, illustration, artwork
            """
        case .alternative:
            "alt, alt text, alternative text, caption, image alt, alternativtext, label, legend, bildtext"
        case .featured:
            "featured, is featured, featured rank, highlight, promoted, on home page, home rank, bestseller rank, sales rank, empfohlen"
        case .tags:
            "tags, tag, keywords, labels, schlagworte, stichworte, etiquettes, etiquetas, stikkord, теги, метки, タグ, 标签"
        case .position:
            "position, sort order, sort, rank, order, display order, sequence, seq, ordering, sortierung, reihenfolge, rekkefolge, ordre, orden, ordine, порядок, 順番, 表示順, lft, weight, menu order, idx, index"
        case .parent:
            "parent, parent id, parent category, parent code, above, parent category id, over, upper, super, elter, oberkategorie, overordnet, padre, pere, родитель, 親, 親カテゴリ, father, parent key, belongs to, mother"
        case .deleted:
            "deleted, is deleted, deleted at, deletion date, date deleted, removed, removed at, is removed, trashed, archived, is archived, archived at, hidden, is hidden, invisible, blocked, geloescht, geloescht am, slettet, supprime, eliminado, borrado, удален, 削除, 削除日, 削除フラグ, withdrawn, inactive, disabled, retired, void"
        case .active:
            "active, is active, enabled, is enabled, visible, is visible, published, is published, public, online, is online, live, is live, on sale, for sale, status, state, aktiv, sichtbar, synlig, actif, activo, visible online, активен, опубликован, 公開, 有効, show, display, approved, is approved, post status, publish"
        case .language:
            "language, lang, locale, language code, lang id, language id, id lang, sprache, sprak, langue, idioma, lingua, язык, 言語, iso code, store id"
        case .value:
            "value, val, wert, verdi, valeur, valor, valore, значение, 値, meta value, attribute value, text value, content"
        case .label:
            "attribute, attribute name, attribute code, attribute id, key, property, property name, name, meta key, field, field name, label, feature, spec, eigenschaft, merkmal, egenskap, caracteristique, propiedad, характеристика, 属性, option, option name"
        case .rating:
            "rating, stars, score, rate, grade, points, note sur, bewertung, sterne, vurdering, stjerner, evaluation, etoiles, calificacion, valoracion, оценка, рейтинг, 評価, 星, 评分, review rating, star rating, mark"
        case .author:
            "author, reviewer, reviewer name, author name, nickname, nick, user name, username, name, display name, who, customer name, by, verfasser, autor, auteur, nom, forfatter, автор, имя, 投稿者, ニックネーム, written by, screen name, alias"
        case .title:
            "title, subject, headline, heading, review title, summary, titel, betreff, titre, titulo, tittel, заголовок, タイトル, 件名"
        case .body:
            "body, text, comment, review, review text, review body, content, message, said, opinion, feedback, remark, words, kommentar, texte, commentaire, avis, texto, comentario, отзыв, текст, комментарий, 本文, レビュー, コメント, 内容, detail, details, description, pros"
        case .date:
            "date, created, created at, review date, at, posted, posted at, submitted, submitted at, time, timestamp, day, when, written, written at, datum, erstellt, dato, fecha, data, дата, 日付, 投稿日, date added, on, date created, order date, ordered at, added"
        case .firstName:
            "first name, firstname, given name, forename, vorname, fornavn, prenom, nombre de pila, имя"
        case .lastName:
            "last name, lastname, surname, family name, nachname, etternavn, nom de famille, apellido, apellidos, фамилия"
        case .person:
            "customer name, contact name, full name, company name, name, user name, username, display name, nickname, login"
        case .contact:
            "email, e mail, mail, email address, phone, telephone, tel, mobile, fax, telefon, password, passwd, password hash, iban, credit card, birth date, birthday, salary, home phone"
        case .quantity:
            "quantity, qty, amount, count, pieces, menge, anzahl, antall, quantite, cantidad, quantita, количество, 数量"
        case .inside:
            """
            row, add user, created by, updated by, modified by, user id, owner, owner id, reorder level, reorder point, min stock, minimum stock, \
            tax, tax id, tax class, tax class id, vat, mwst, mva, hash, checksum, md 5, version, row version, revision, lock, guid, uuid, token, \
            units on order, on order, warehouse, bin, shelf location, lagerort, internal note, staff note, admin note, remarks internal, import id, \
            external id, legacy id, sync, synced at, batch, account, cost center, weight class id, has options, required options, attribute set id, \
            type id, entity type id, store id, website id, comment count, comment status, ping status, post password, guid, menu order, to ping, \
            pinged, post parent, post type, views, hits, clicks, viewed, sales count, sold, interne notiz, intern, meta title, meta keywords, seo title, \
            password, email, rownum, line, idx, accuracy, latitude, longitude, sort, flag, flags
            """
        case .milliseconds: "milliseconds, duration ms, length ms, ms, millis"
        case .seconds: "duration seconds, seconds, length seconds, runtime seconds, duration sec"
        case .bytes: "bytes, file size, size bytes, filesize"
        }
    }

    /// The phrases, each as its words, with the place in the list as a small difference.
    var phrases: [[String]] { Self.tables[self] ?? [] }

    private static let tables: [Concept: [[String]]] = {
        var out: [Concept: [[String]]] = [:]
        for concept in allCases {
            out[concept] = concept.vocabulary.split(separator: ",").map { words(of: String($0)) }.filter {
                !$0.isEmpty
            }
        }
        return out
    }()

    /// Every word of every phrase that is long enough to be found inside another (`varenummer`).
    private static let knownWords: Set<String> = Set(
        tables.values.flatMap { $0.flatMap { $0 } }.filter { $0.count >= 3 }
    ).union([
        "vare", "artikel", "produkt", "product", "item", "article", "wein", "bier", "bild", "nummer", "num",
        "goods",
        "ware", "mer", "liter", "kilo",
    ])

    /// The words of a column, those of its table that it begins with taken off, and compounds taken apart.
    static func stems(of name: String, in table: String) -> (whole: [String], bare: [String]) {
        var whole = words(of: name)
        if whole.count == 1, let parts = split(whole[0], table: words(of: table)) { whole = parts }
        var bare = whole[...]
        let about = words(of: table) + generalThings
        while bare.count > 1, let first = bare.first, about.contains(where: { isSameThing($0, first) }) {
            bare = bare.dropFirst()
        }
        return (whole, Array(bare))
    }

    /// Words for "product" that add nothing to a column's name.
    private static let generalThings = [
        "product", "produkt", "item", "article", "artikel", "vare", "prod", "produit", "articulo", "producto",
        "art",
        "post", "prodotto", "товар", "pd",
    ]

    private static func split(_ word: String, table: [String]) -> [String]? {
        guard word.utf8.count >= 6, !knownWords.contains(word) else { return nil }
        let letters = Array(word)
        for at in stride(from: letters.count - 2, through: 3, by: -1) {
            let first = String(letters[..<at])
            let second = String(letters[at...])
            guard knownWords.contains(second) || second == "id" || second == "nr" else { continue }
            let isKnown = knownWords.contains(first) || table.contains { isSameThing($0, first) }
            // Artikel-s-nummer.
            let joined = first.hasSuffix("s") ? String(first.dropLast()) : first
            if isKnown { return [first, second] }
            if knownWords.contains(joined) { return [joined, second] }
        }
        return nil
    }

    /// How well a name fits, from 0 to 1.
    func match(_ stems: (whole: [String], bare: [String])) -> Double {
        var best = 0.0
        for (i, phrase) in phrases.enumerated() {
            let fit: Double
            if stems.whole == phrase {
                fit = 1
            } else if stems.bare == phrase {
                fit = 0.97
            } else if stems.whole.count > phrase.count, Array(stems.whole.suffix(phrase.count)) == phrase {
                fit = 0.78
            } else if stems.whole.count > phrase.count, Array(stems.whole.prefix(phrase.count)) == phrase {
                fit = 0.7
            } else if stems.whole.count == 1, phrase.count == 1,
                phrase[0].unicodeScalars.allSatisfy({ $0.value > 0x2E80 }),
                stems.whole[0].hasSuffix(phrase[0]) || stems.whole[0].hasPrefix(phrase[0])
            {
                // Words of Chinese and Japanese have no blanks between them.
                fit = 0.75
            } else {
                continue
            }
            // A longer phrase says more, an earlier one is more usual.
            let exact = fit + 0.01 * Double(min(phrase.count, 3)) - 0.001 * Double(min(i, 60)) / 4
            best = max(best, min(exact, 1.03))
        }
        return best
    }
}

/// What a table can be.
enum TableKind: String, CaseIterable, Sendable {
    case products, goods, category, producer, reviews, pictures, order, orderLine, customer, wishList, basket
    case attribute, translation, inside

    fileprivate var vocabulary: [String] {
        let text: String =
            switch self {
            case .products:
                """
                product, products, item, items, article, articles, goods, catalog, catalogue, catalog product, merchandise, produkt, produkte, \
                artikel, ware, waren, vare, varer, sortiment, produit, produits, articulo, producto, productos, prodotto, prodotti, producten, \
                товар, товары, 商品, 製品, 产品, 상품, inventory, assortment, produto, produtos, tuote, tuotteet, stock items, listing, listings, sku, products list
                """
            case .goods:
                """
                beer, beers, wine, wines, whisky, whiskey, bottle, bottles, spirit, spirits, book, books, track, tracks, song, songs, album, albums, film, films, movie, movies, \
                game, games, artwork, artworks, object, objects, painting, toy, shoe, cheese, coffee, tea, teas, plant, plants, seed, seeds, part, parts, bike, car, cars, vehicle, dish, \
                recipe, bier, biere, wein, weine, buch, buecher, vin, bok, boker, livre, libro, libri, works, exhibit, exhibits, record, records, instrument, garment, jewel, stamp, coin, print, \
                lego set, model, button, food, drink, drinks, cigar, perfume, fabric, yarn
                """
            case .category:
                "category, categories, group, groups, department, section, genre, genres, kategorie, kategorien, warengruppe, kategori, kategorier, rubrik, categorie, rayon, categoria, категория, категории, カテゴリ, カテゴリー, 分類, 类别, type, types, style, styles, collection, collections, taxonomy, term, terms, product group, product category, cat"
            case .producer:
                "brand, brands, manufacturer, manufacturers, producer, producers, maker, brewery, breweries, winery, distillery, artist, artists, author, authors, publisher, house, houses, hersteller, marke, marken, produsent, fabricant, marque, marca, производитель, бренд, メーカー, ブランド, supplier, suppliers, vendor, vendors, lieferant, leverandor, fournisseur"
            case .reviews:
                "review, reviews, rating, ratings, opinion, opinions, comment, comments, feedback, testimonial, bewertung, bewertungen, anmeldelse, anmeldelser, avis, commentaire, critique, resena, opinion, valoracion, recensione, отзыв, отзывы, レビュー, 評価, 评论, kommentar, guestbook"
            case .pictures:
                "picture, pictures, image, images, photo, photos, media, gallery, media gallery, bild, bilder, foto, fotos, bilde, imagen, immagine, изображение, фото, 画像, 写真, 图片, file, files, asset, assets"
            case .order:
                "order, orders, invoice, invoices, sale, sales, purchase, purchases, bestellung, bestellungen, rechnung, ordre, ordrer, commande, commandes, facture, pedido, pedidos, заказ, заказы, 注文, 订单, transaction, transactions, receipt"
            case .orderLine:
                "order line, order lines, order item, order items, order detail, order details, order product, invoice line, invoice lines, invoice item, line item, line items, sales item, sale item, bestellposition, position, ordrelinje, ligne commande, 注文明細, purchase item"
            case .customer:
                "customer, customers, client, clients, user, users, member, members, account, accounts, person, persons, people, employee, employees, staff, contact, contacts, kunde, kunden, kunder, benutzer, utilisateur, cliente, клиент, пользователь, 顧客, ユーザー, 会員, shipper, shippers, address, addresses, visitor, subscriber"
            case .wishList:
                "wish list, wishlist, wishlists, wish list item, wishlist item, wish, favourite, favourites, favorite, favorites, merkliste, wunschliste, onskeliste, liste envies, favoritos, избранное, お気に入り, saved items, watch list"
            case .basket:
                "basket, cart, carts, cart item, cart items, basket item, shopping cart, warenkorb, handlekurv, panier, carrito, carrello, корзина, カート"
            case .attribute:
                "attribute, attributes, property, properties, option, options, feature, features, spec, specs, specification, meta, postmeta, eigenschaft, merkmal, fact, facts, facet, facets, eav, характеристики, 属性, param, params"
            case .translation:
                "translation, translations, lang, language, languages, i18n, locale, text, texts, description, descriptions, uebersetzung"
            case .inside:
                "log, logs, session, sessions, setting, settings, config, configuration, migration, migrations, schema migrations, history, audit, queue, job, jobs, cache, token, tokens, permission, permissions, role, roles, region, regions, territory, territories, geocode, geocodes, country, countries, shipping, payment, payments, tax, taxes, currency, currencies, store, stores, warehouse, stock movement, price history, import, backup, sqlite, playlist, coupon, voucher, page, pages, menu, tag, tags, event, events, stat, stats, visit, visits, newsletter, search, redirect"
            }
        return text.split(separator: ",").map(String.init)
    }

    private static let tables: [TableKind: [[String]]] = {
        var out: [TableKind: [[String]]] = [:]
        for kind in allCases { out[kind] = kind.vocabulary.map { words(of: $0) } }
        return out
    }()

    /// How well a table's name fits: 1 when it is the word, less when it only ends or begins with it.
    func match(_ words: [String]) -> Double {
        var best = 0.0
        for phrase in Self.tables[self] ?? [] {
            if words == phrase {
                best = max(best, 1)
            } else if words.count > phrase.count {
                if Array(words.suffix(phrase.count)) == phrase { best = max(best, 0.7) }
                if Array(words.prefix(phrase.count)) == phrase { best = max(best, 0.6) }
                if words.contains(phrase[0]), phrase.count == 1 { best = max(best, 0.4) }
            }
        }
        return best
    }
}
