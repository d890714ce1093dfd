import Basics

/// What columns of other people's tables are called, in the languages that came up.
enum Synonyms {
    /// The field that a column's name means; nil when it is not known.
    static func field(for column: String, inReviews: Bool) -> Field? {
        let bare = bare(column)
        if bare.isEmpty { return nil }
        let name = inReviews ? reviews[bare] : products[bare]
        if let name { return Field(named: name, inReviews: inReviews) }
        // `fact:Peat` and `facet:Cask` say themselves what they are; so does any field's own name.
        return Field(named: column.trimmed, inReviews: inReviews)
    }

    /// Letters and digits of a name, lower case: `Sale price (EUR)` is `salepriceeur`.
    static func bare(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.lowercased().unicodeScalars.filter {
                    $0.properties.isAlphabetic || ("0"..."9").contains($0)
                }))
    }

    private static let products = table([
        "id": ["id", "productid", "produktid", "articleid", "artikelid", "itemid"],
        "sku": [
            "sku", "articlenumber", "articleno", "artno", "itemnumber", "itemno", "productnumber",
            "productcode",
            "partnumber", "artikelnummer", "artikelnr", "artnr", "bestellnummer", "référence", "reference",
            "réf",
            "varenummer", "varenr", "артикул", "код", "商品コード", "品番", "品番号", "number", "nummer",
        ],
        "gtin": [
            "gtin", "ean", "ean13", "upc", "barcode", "isbn", "isbn13", "gtin13", "strichcode", "codebarres",
            "codebarre", "strekkode", "штрихкод", "eanupc", "eancode",
        ],
        "name": [
            "name", "title", "productname", "producttitle", "product", "itemname", "bezeichnung",
            "artikelbezeichnung",
            "produktname", "artikel", "titel", "nom", "désignation", "produit", "libellé", "navn",
            "produktnavn",
            "varenavn", "название", "наименование", "товар", "商品名", "品名", "名前",
        ],
        "slug": ["slug", "handle", "urlkey", "permalink"],
        "producer": [
            "producer", "brand", "vendor", "manufacturer", "maker", "distillery", "brewery", "winery",
            "marke",
            "hersteller", "produzent", "lieferant", "marque", "fabricant", "producteur", "produsent", "merke",
            "производитель", "бренд", "марка", "メーカー", "ブランド", "生産者",
        ],
        "style": ["style", "stil", "type", "typ", "kind", "sorte", "grape", "стиль", "тип", "種類", "スタイル"],
        "country": [
            "country", "countryoforigin", "origin", "land", "herkunftsland", "herkunft", "pays",
            "paysdorigine",
            "opprinnelsesland", "страна", "国", "原産国", "生産国",
        ],
        "region": ["region", "anbaugebiet", "gebiet", "région", "distrikt", "регион", "地域", "産地"],
        "age": ["age", "alter", "âge", "alder", "возраст", "熟成年数"],
        "vintage": ["vintage", "jahrgang", "millésime", "årgang", "урожай", "ヴィンテージ"],
        "bottled": ["bottled", "bottlingdate", "abgefüllt", "abfülldatum", "tappet", "embouteillé"],
        "abv": [
            "abv", "alcohol", "alcoholbyvolume", "alcoholpercent", "alkohol", "alkoholgehalt", "volprozent",
            "alcool",
            "degré", "titrealcoométrique", "крепость", "алкоголь", "アルコール度数", "度数",
        ],
        "volume_ml": [
            "volumeml", "volume", "bottlesize", "contentml", "füllmenge", "inhalt", "contenance", "innhold",
            "объём", "объем", "inhaltml", "contenanceml", "объеммл", "объёммл", "容量ml", "容量",
        ],
        "price_minor": ["priceminor", "pricecents", "pricepence", "cents", "pence"],
        "sale_price_minor": ["salepriceminor", "salepricecents"],
        "price": [
            "price", "regularprice", "listprice", "retailprice", "unitprice", "priceeur", "pricegbp",
            "priceusd",
            "preis", "verkaufspreis", "vk", "preiseur", "prix", "prixttc", "prixeur", "pris", "utsalgspris",
            "цена",
            "価格", "値段", "税込価格",
        ],
        "sale_price": [
            "saleprice", "specialprice", "offerprice", "discountprice", "aktionspreis", "angebotspreis",
            "sonderpreis",
            "prixpromo", "prixsoldé", "tilbudspris", "ценасоскидкой", "акционнаяцена", "特価", "セール価格",
        ],
        "currency": ["currency", "währung", "devise", "valuta", "валюта", "通貨"],
        "availability": [
            "availability", "stockstatus", "verfügbarkeit", "disponibilité", "tilgjengelighet", "наличие",
        ],
        "stock": [
            "stock", "quantity", "qty", "inventory", "instock", "bestand", "lagerbestand", "menge",
            "quantité",
            "lager", "lagerbeholdning", "количество", "остаток", "在庫", "在庫数",
        ],
        "summary": ["summary", "shortdescription", "kurzbeschreibung", "résumé", "kortbeskrivelse"],
        "bottling_note": [
            "bottlingnote", "description", "longdescription", "body", "bodyhtml", "beschreibung", "langtext",
            "beskrivelse", "описание", "説明", "商品説明",
        ],
        "tasting_note": [
            "tastingnote", "tastingnotes", "verkostungsnotiz", "notesdedégustation", "smaksnotat",
        ],
        "nose": ["nose", "nase", "nez", "lukt"],
        "palate": ["palate", "gaumen", "bouche", "smak"],
        "finish": ["finish", "abgang", "ettersmak"],
        "colour": ["colour", "tint"],
        "featured": ["featured"],
        "created": [
            "created", "createdat", "dateadded", "listed", "angelegt", "erstellt", "opprettet", "создан",
        ],
        "updated": ["updated", "updatedat", "modified", "lastmodified", "geändert", "oppdatert"],
        "category": [
            "category", "categories", "category1", "categorypath", "大分類", "group", "department",
            "producttype", "kategorie",
            "kategorien",
            "warengruppe", "rubrik", "catégorie", "catégories", "rubrique", "kategori", "varegruppe",
            "категория",
            "категории", "группа", "カテゴリ", "カテゴリー", "分類",
        ],
        "subcategory": [
            "subcategory", "subcategories", "subgroup", "category2", "category3", "categorylevel2",
            "unterkategorie",
            "untergruppe", "unterwarengruppe", "souscatégorie", "underkategori", "подкатегория", "サブカテゴリ",
            "中分類", "小分類",
        ],
        "picture": [
            "picture", "pictures", "image", "images", "imageurl", "imagelink", "photo", "photos", "img",
            "bild",
            "bilder", "bildurl", "foto", "bilde", "фото", "изображение", "картинка", "画像", "写真",
        ],
        "picture_alt": ["picturealt", "imagealt", "imagealttext", "alttext", "alttext"],
    ])

    private static let reviews = table([
        "id": ["id", "reviewid", "uniqueid", "bewertungsid"],
        "product": ["product", "item", "article", "produkt", "artikel", "produit", "vare", "товар", "商品"],
        "product_id": ["productid", "produktid"],
        "product_sku": ["sku", "productsku", "artikelnummer", "varenummer", "référence", "артикул", "商品コード"],
        "product_slug": ["handle", "producthandle", "slug", "productslug"],
        "product_gtin": ["gtin", "ean", "upc", "barcode", "productgtin"],
        "product_name": ["productname", "producttitle", "produktname", "nomduproduit", "produktnavn", "商品名"],
        "rating": [
            "rating", "score", "stars", "reviewscore", "reviewrating", "bewertung", "sterne", "note",
            "étoiles",
            "vurdering", "karakter", "stjerner", "оценка", "рейтинг", "評価", "星",
        ],
        "author": [
            "author", "reviewer", "reviewername", "displayname", "customername", "name", "nickname",
            "verfasser",
            "autor", "auteur", "forfatter", "navn", "автор", "имя", "投稿者", "名前",
        ],
        "date": [
            "date", "reviewdate", "createdat", "datecreated", "submitted", "timestamp", "datum", "dato",
            "дата", "日付",
            "投稿日",
        ],
        "title": [
            "title", "reviewtitle", "headline", "subject", "titel", "titre", "tittel", "заголовок", "タイトル",
        ],
        "body": [
            "body", "text", "review", "content", "comment", "reviewcontent", "reviewbody", "reviewtext",
            "message",
            "kommentar", "bewertungstext", "commentaire", "avis", "omtale", "отзыв", "текст", "комментарий",
            "本文",
            "レビュー", "コメント",
        ],
        "language": ["language", "lang", "locale", "sprache", "langue", "språk", "язык", "言語"],
    ])

    private static func table(_ names: KeyValuePairs<String, [String]>) -> [String: String] {
        var out: [String: String] = [:]
        for (field, synonyms) in names {
            for synonym in synonyms + [field] where out[bare(synonym)] == nil { out[bare(synonym)] = field }
        }
        return out
    }
}
