import Basics
import Database
import Markup
import Model
import Templates

/// What rendering one product gives, in memory that the next product uses again.
struct ProductBuffers: ~Copyable {
    var page = ByteBuffer(capacity: 32_768)
    /// Where the page is.
    var path = ""
    /// The tile for index pages; ``SiteRenderer/rootMark`` stands where the way to the top goes.
    var tile = ByteBuffer(capacity: 1024)
    /// The page of its reviews; empty if it has none.
    var reviews = ByteBuffer()
    var warnings: [Diagnostic] = []
    /// What the search says of the product as well.
    var rating = Rating([])
    var tint = ""
    /// What products have alike, from one to the next.
    var kept = KeptParts()
}

/// Parts of pages that many products have alike, although nobody can list them beforehand as ``PreparedParts`` does. Half of what
/// a product's facts and the dates of its reviews took to make, and again to forget.
struct KeptParts {
    /// Rows of the facts card, by what they say.
    var strengths = Recent<Record>(), volumes = Recent<Record>(), years = Recent<Record>()
    var vintages = Recent<Record>(), bottlings = Recent<Record>()
    /// The same by fingerprints of their texts, with the text.
    var regions = Recent<(text: String, row: Record)>(), countries = Recent<(text: String, row: Record)>()
    /// Dates of reviews.
    var dates = Recent<Record>()
    /// How many reviews gave so many stars.
    var bars = Recent<Record>()
    /// The ratings of tiles.
    var ratings = Recent<Record>()
}

/// The pages of one product as values of their own.
struct RenderedProduct {
    var page: [UInt8] = []
    /// The page of its reviews, if it has one.
    var reviews: [UInt8]?
    var warnings: [Diagnostic] = []
}

extension SiteRenderer {
    /// Stands for `root` in a tile until the page that it is pasted into is known: a private-use character, three bytes long,
    /// that has no meaning in anybody's text and is left out of a tile's.
    static let rootMark = "\u{F8FE}"

    /// Renders the pages of one product.
    func render(_ entry: CatalogueReader.Entry, number: Int, into out: inout RenderedProduct) {
        var buffers = ProductBuffers()
        render(entry, number: number, into: &buffers)
        out.page = buffers.page.array
        out.reviews = buffers.reviews.count > 0 ? buffers.reviews.array : nil
        out.warnings = buffers.warnings
    }

    /// Renders everything that is made of one product.
    func render(_ entry: CatalogueReader.Entry, number: Int, into out: inout ProductBuffers) {
        if settings.reviews == .remote {
            // What a service says counts, and nobody knows it now.
            render(entry.product.withoutReviews, entry.faults, number: number, into: &out)
        } else {
            render(entry.product, entry.faults, number: number, into: &out)
        }
    }

    private func render(
        _ product: Product, _ faults: [Diagnostic], number: Int, into out: inout ProductBuffers
    ) {
        let path = catalogue.path(number)
        out.path = path
        out.page.removeAll()
        out.tile.removeAll()
        out.reviews.removeAll()
        out.warnings = faults
        let leaf = catalogue.categories[number].first.map(Int.init)
        let pictures = self.pictures(of: product, log: &out.warnings)
        let rating = Rating(product.reviews)
        let tint = self.tint(of: product, leaf: leaf, picture: pictures.first?.picture)
        out.rating = rating
        out.tint = tint
        let meta = self.meta(of: product)

        let views = self.views
        let fields = views.product
        let parts = views.parts
        var record = Record(fields.schema)
        record[fields.id] = product.id.description
        record[fields.name] = product.name
        record[fields.longName] = product.name.utf8.count > 60 && product.name.unicodeScalars.count > 60
        record[fields.meta] = meta
        record[fields.colour] = tint
        record[fields.breadcrumbs] = prepared.trail(to: leaf)
        if let producer = product.producer {
            var maker = Record(fields.makerSchema)
            maker[fields.makerName] = producer
            maker[fields.makerPath] = value(of: number, facet: .producer).map { prepared.path(value: $0) }
            record[fields.producer] = maker
        }
        record[fields.picture] = pictures.first.map { parts.largePicture($0.picture, alt: $0.alt, number: 1) }
        record[fields.pictures] = pictures.enumerated().map { i, picture in
            parts.largePicture(picture.picture, alt: picture.alt, number: i + 1)
        }
        record[fields.hasMorePictures] = pictures.count > 1
        if let price = priceRecord(of: product) {
            record[fields.price] = price
            record[fields.offerNote] = pricePerLitre(of: product)
        } else if settings.showsPriceOnRequest, product.availability != .discontinued {
            record[fields.noPrice] = strings["price_on_request"]
        }
        record[fields.availability] = availabilityRecord(of: product)
        if product.availability == .discontinued {
            record[fields.discontinued] = parts.tag(strings["no_longer_sold"])
        }
        let facts = self.facts(of: product, number: number, &out.kept)
        record[fields.facts] = facts
        var cards: [Record] = []
        cards.reserveCapacity(8)
        cards.append(prepared.card(.overview))

        let hasReviews = !product.reviews.isEmpty
        let isLate = hasReviews && settings.reviews == .deferred
        let hasFacts =
            !facts.isEmpty || product.price != nil || product.availability != nil || isLate
            || record[fields.noPrice] != nil
        record[fields.hasFacts] = hasFacts
        if hasFacts { cards.append(prepared.card(.facts)) }
        var summary = product.summary
        var isColoured = false
        if let note = product.bottlingNote, let html = html(of: note, product, log: &out.warnings) {
            record[fields.note] = parts.note(id: "note", title: strings["card_note"], html: html)
            cards.append(prepared.card(.note))
            isColoured = html.usesPalette
            if summary == nil { summary = plainText(of: html, limit: 160) }
        }
        if let tasting = tasting(of: product, log: &out.warnings) {
            record[fields.tasting] = tasting
            isColoured = isColoured || tasting[fields.tastingHTML]?.usesPalette == true
            cards.append(prepared.card(.tasting))
        }
        var notes: [Record] = []
        for (i, note) in product.notes.enumerated() {
            guard let html = html(of: note, product, log: &out.warnings) else { continue }
            isColoured = isColoured || html.usesPalette
            let id = "note-\(i + 2)"
            notes.append(parts.note(id: id, title: note.label, html: html))
            cards.append(card(id, title: note.label))
        }
        record[fields.notes] = notes
        record[fields.remoteReviews] = settings.reviewService?.address(
            of: product, root: SitePath.root(from: path))
        if hasReviews {
            if isLate {
                record[fields.lateReviews] = lateReviews(
                    of: product, rating, path: catalogue.reviewsPath(number))
                reviewsPage(
                    of: product, number: number, rating, into: &out.reviews, &out.kept, log: &out.warnings)
            } else {
                let isMore = product.reviews.count > settings.reviewsShown
                record[fields.reviews] = reviews(
                    of: product, rating, limit: settings.reviewsShown,
                    more: isMore ? catalogue.reviewsPath(number) : nil, &out.kept, log: &out.warnings)
                cards.append(prepared.card(.reviews))
                if isMore {
                    reviewsPage(
                        of: product, number: number, rating, into: &out.reviews, &out.kept, log: &out.warnings
                    )
                }
            }
        }
        record[fields.cards] = cards

        var head = Head(path: path, title: product.name, summary: summary ?? meta)
        head.bodyClass = Self.productClass
        head.kind = "product"
        head.main = main(of: leaf)
        head.picture = pictures.first?.picture
        head.data = structuredData(
            of: product, rating, leaf: leaf, summary: summary, picture: pictures.first?.picture)
        head.isColoured = isColoured
        renderTile(
            of: product, path: path, meta: meta, picture: pictures.first?.picture, tint: tint,
            price: record[fields.price], noPrice: record[fields.noPrice],
            availability: record[fields.availability], rating, &out.kept, into: &out.tile)
        render(&record, .product, fields.page, bound.product, head, into: &out.page)
    }

    /// Renders the tile alone, for a page that is made on its own.
    func renderTile(of entry: CatalogueReader.Entry, number: Int, into out: inout [UInt8]) {
        let product = entry.product
        let leaf = catalogue.categories[number].first.map(Int.init)
        var nowhere: [Diagnostic] = []
        let price = priceRecord(of: product)
        let isOnRequest =
            price == nil && settings.showsPriceOnRequest && product.availability != .discontinued
        let picture = pictures(of: product, log: &nowhere).first?.picture
        var tile = ByteBuffer(capacity: 1024)
        var kept = KeptParts()
        renderTile(
            of: product, path: catalogue.path(number), meta: meta(of: product), picture: picture,
            tint: tint(of: product, leaf: leaf, picture: picture),
            price: price, noPrice: isOnRequest ? strings["price_on_request"] : nil,
            availability: availabilityRecord(of: product), Rating(product.reviews), &kept, into: &tile)
        tile.withBytes { out.append(contentsOf: $0) }
    }

    private func renderTile(
        of product: Product, path: String, meta: String?, picture: Picture?, tint: String, price: Record?,
        noPrice: String?, availability: Record?, _ rating: Rating, _ kept: inout KeptParts,
        into out: inout ByteBuffer
    ) {
        let parts = views.parts
        var tile = bound.tile.isBound ? Record(parts.tile.schema) : bound.tileRecord
        tile[parts.tile.path] = path
        tile[parts.tile.id] = product.id.description.withoutRootMark
        tile[parts.tile.name] = product.name.withoutRootMark
        tile[parts.tile.producer] = product.producer?.withoutRootMark
        tile[parts.tile.meta] = meta?.withoutRootMark
        tile[parts.tile.picture] = picture.map { parts.image($0) }
        tile[parts.tile.colour] = tint
        tile[parts.tile.price] = price
        tile[parts.tile.noPrice] = noPrice
        tile[parts.tile.availability] = availability
        if let average = rating.average {
            let key = UInt64(average) << 32 | UInt64(rating.count)
            tile[parts.tile.rating] = kept.ratings.value(for: key) {
                var record = Record(parts.tile.ratingSchema)
                record[parts.tile.ratingText] = locale.tenths(average)
                record[parts.tile.ratingCount] = "(\(locale.number(rating.count)))"
                record[parts.tile.ratingLabel] = strings(
                    "rating_count_label", count: rating.count, ["rating": locale.tenths(average)])
                return record
            }
        }
        bound.tile.render(tile, into: &out)
    }

    /// The colour that stands for a product: its own or its picture's, or one that its style or main category decides.
    func tint(of product: Product, leaf: Int?, picture: Picture?) -> String {
        colour(
            product.colour ?? picture?.colour,
            of: product.style ?? main(of: leaf).map { catalogue.tree.nodes[$0].category.name }
        )
    }

    // MARK: Parts of a product

    private func card(_ id: String, title: String) -> Record {
        let fields = views.product
        var record = Record(fields.cardSchema)
        record[fields.cardID] = id
        record[fields.cardTab] = title
        record[fields.cardTitle] = title
        return record
    }

    /// Style, size and strength, as far as known.
    func meta(of product: Product) -> String? {
        guard product.style != nil || product.volume != nil || product.abv != nil else { return nil }
        return String(utf8Count: (product.style?.utf8.count ?? 0) + 256) { out in
            var isFirst = true
            func separate() {
                if !isFirst { out.append(", ") }
                isFirst = false
            }
            if let style = product.style {
                separate()
                out.append(style)
            }
            if let volume = product.volume {
                separate()
                settings.locale.write(millilitres: volume, to: &out)
            }
            if let abv = product.abv {
                separate()
                settings.locale.write(percent: abv, to: &out)
            }
        }
    }

    func priceRecord(of product: Product) -> Record? {
        guard let price = product.price else { return nil }
        let fields = views.parts.price
        var record = Record(fields.schema)
        record[fields.text] = locale.money(price)
        record[fields.was] = product.regularPrice.map { strings("was_price", ["price": locale.money($0)]) }
        return record
    }

    private func pricePerLitre(of product: Product) -> String? {
        guard let price = product.price, let volume = product.volume, volume >= 1 else { return nil }
        let perLitre = Double(price.minorUnits) * 1000 / volume
        guard perLitre < 1e15 else { return nil }
        let money = Money(minorUnits: Int64(perLitre.rounded()), currency: price.currency)
        return strings("price_per_litre", ["price": locale.money(money)])
    }

    func availabilityRecord(of product: Product) -> Record? {
        guard let availability = product.availability else { return nil }
        var record = prepared.availability(availability)
        if availability == .limited, let stock = product.stock {
            record[views.parts.availability.text] = strings("low_stock", count: stock)
        }
        return record
    }

    /// The value that a product has of a facet that is one of its fields, if the facet is browsed by.
    private func value(of number: Int, facet field: FieldFacet) -> Int? {
        guard let facet = prepared.facet(field) else { return nil }
        return catalogue.facetValues[number].first { catalogue.values[Int($0)].facet == facet }.map(Int.init)
    }

    private func facts(of product: Product, number: Int, _ kept: inout KeptParts) -> [Record] {
        let fields = views.product
        let labels = prepared.labels
        var out: [Record] = []
        out.reserveCapacity(16)
        func value(_ text: String, path: String? = nil, date: PartialDate? = nil, last: Bool = true) -> Record
        {
            var record = Record(fields.valueSchema)
            record[fields.valueText] = text
            record[fields.valuePath] = path
            record[fields.valueTime] = date?.description
            if last { record[fields.valueLast] = true }
            return record
        }
        func row(_ label: String, _ values: [Record]) -> Record {
            var record = Record(fields.factSchema)
            record[fields.factLabel] = label
            record[fields.factValues] = values
            return record
        }
        func add(_ label: String, _ text: String) { out.append(row(label, [value(text)])) }
        func addPlace(_ field: FieldFacet, _ text: String?, _ kept: inout Recent<(text: String, row: Record)>)
        {
            guard let text else { return }
            if let value = self.value(of: number, facet: field) {
                return out.append(prepared.row(value: value))
            }
            let found = kept.value(for: text.withBytes { Fingerprint(of: UnsafeRawBufferPointer($0)).low }) {
                (text, row(strings[field.rawValue], [value(text)]))
            }
            out.append(found.text == text ? found.row : row(strings[field.rawValue], [value(text)]))
        }
        func addFacet(_ field: FieldFacet, _ text: String?) {
            guard let text else { return }
            if let value = self.value(of: number, facet: field) {
                out.append(prepared.row(value: value))
            } else {
                add(strings[field.rawValue], text)
            }
        }
        addFacet(.producer, product.producer)
        addFacet(.style, product.style)
        addPlace(.region, product.region, &kept.regions)
        addPlace(.country, product.country, &kept.countries)
        switch product.age {
        case .years(let years):
            out.append(
                kept.years.value(for: UInt64(bitPattern: Int64(years))) {
                    row(labels.age, [value(strings("years", count: years))])
                })
        case .noStatement: add(labels.age, strings["no_age_statement"])
        case nil: break
        }
        if let vintage = product.vintage {
            out.append(
                kept.vintages.value(for: UInt64(bitPattern: Int64(vintage))) {
                    row(labels.vintage, [value(String(vintage))])
                })
        }
        if let bottled = product.bottled {
            out.append(
                kept.bottlings.value(for: UInt64(bottled.ordinal)) {
                    row(labels.bottled, [value(locale.date(bottled), date: bottled)])
                })
        }
        if let abv = product.abv {
            out.append(
                kept.strengths.value(for: UInt64(bitPattern: Int64(abv))) {
                    row(labels.strength, [value(strings("strength_value", ["n": locale.hundredths(abv)]))])
                })
        }
        if let volume = product.volume {
            out.append(
                kept.volumes.value(for: volume.bitPattern) {
                    row(labels.volume, [value(locale.volume(millilitres: volume))])
                })
        }
        let linked = catalogue.facetValues[number]
        for i in prepared.otherFacets {
            let facet = catalogue.facets[i]
            let values = linked.filter { catalogue.values[Int($0)].facet == i }
            if values.count == 1 {
                out.append(prepared.row(value: Int(values[0])))
            } else if !values.isEmpty {
                let records = values.enumerated().map { j, at in
                    value(
                        catalogue.values[Int(at)].name, path: prepared.path(value: Int(at)),
                        last: j == values.count - 1)
                }
                out.append(row(facet.label, records))
            }
        }
        // Facets that the site does not browse by are facts all the same.
        for fact in product.facets where prepared.facetNumbers[fact.label] == nil {
            add(fact.label, fact.value)
        }
        for fact in product.facts { add(fact.label, fact.value) }
        let leaves = catalogue.categories[number]
        if leaves.count > 1 {
            let records = leaves.enumerated().map { i, node in
                value(
                    catalogue.tree.nodes[Int(node)].category.name, path: catalogue.tree.path(Int(node)),
                    last: i == leaves.count - 1)
            }
            out.append(row(strings["categories"], records))
        }
        if let sku = product.sku { add(labels.sku, sku) }
        if let gtin = product.gtin { add(labels.gtin, gtin) }
        return out
    }

    private func html(of source: Note, _ product: Product, log: inout [Diagnostic]) -> SafeHTML? {
        let result = note(source.text, format: NoteFormat(rawValue: source.format.rawValue) ?? .html)
        for issue in result.issues {
            log.append(
                Diagnostic(
                    .warning, issue.id, issue.message,
                    at: .cell(table: "products", row: product.id.description, column: source.column)))
        }
        return result.html.isBlank ? nil : result.html
    }

    private func tasting(of product: Product, log: inout [Diagnostic]) -> Record? {
        let fields = views.product
        var parts: [Record] = []
        func add(_ key: String, _ text: String?) {
            guard let text else { return }
            var record = Record(fields.partSchema)
            record[fields.partTitle] = strings[key]
            record[fields.partText] = text
            parts.append(record)
        }
        add("nose", product.nose)
        add("palate", product.palate)
        add("finish", product.finish)
        let html = product.tastingNote.flatMap { self.html(of: $0, product, log: &log) }
        if parts.isEmpty, html == nil { return nil }
        var record = Record(fields.tastingSchema)
        record[fields.tastingTitle] = strings["card_tasting"]
        record[fields.tastingParts] = parts
        record[fields.tastingHTML] = html
        return record
    }

    /// The pictures of a product that can be shown, each with its alternative text.
    func pictures(of product: Product, log: inout [Diagnostic]) -> [(picture: Picture, alt: String)] {
        pictures.sources(of: product).compactMap { source in
            switch pictures.find(source.file) {
            case .success(let picture):
                return (picture, source.alternativeText ?? strings("picture_of", ["name": product.name]))
            case .failure(let fault):
                log.append(
                    Diagnostic(
                        .warning, fault.id, fault.message(source.file),
                        at: .product(id: product.id.description, name: product.name)))
                return nil
            }
        }
    }
}

extension Product {
    /// The product as if nobody had said anything about it.
    fileprivate var withoutReviews: Product {
        var product = self
        product.reviews = []
        return product
    }
}

extension String {
    /// The text without the character that stands for `root` in tiles; data may hold any character.
    fileprivate var withoutRootMark: String {
        // By scalars: with an accent after it, the mark is another character, yet the same bytes.
        let mark = SiteRenderer.rootMark.unicodeScalars.first!
        guard hasByte(0xEF), unicodeScalars.contains(mark) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.filter { $0 != mark }))
    }
}
