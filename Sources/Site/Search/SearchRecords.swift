import Basics
import Database
import Model
import Search

/// Makes the records by which the search shows and finds products.
///
/// A class, because every worker uses it for every product, and a renderer is large to copy.
final class SearchRecords: Sendable {
    private let renderer: SiteRenderer
    /// All words of categories' names, as they are appended to records.
    private let words: [[UInt8]]
    /// For each category, those of its name and of the names above it, each once; and the same as values of one field.
    private let categoryWords: [[Int32]]
    private let categoryTexts: [[UInt8]]
    private let availabilities: [Availability: String]

    init(renderer: SiteRenderer) {
        self.renderer = renderer
        let tree = renderer.catalogue.tree
        var tokeniser = Tokeniser()
        var words: [[UInt8]] = []
        var numbers: [String: Int32] = [:]
        var categoryWords: [[Int32]] = []
        // Parents stand before their children.
        for node in tree.nodes {
            var own = node.parent.map { categoryWords[$0] } ?? []
            for word in tokeniser.words(of: node.category.name, forIndex: true) {
                let number = numbers[word] ?? Int32(words.count)
                if number == words.count {
                    numbers[word] = number
                    words.append(Array(word.utf8))
                }
                if !own.contains(number) { own.append(number) }
            }
            categoryWords.append(own)
        }
        self.words = words
        self.categoryWords = categoryWords
        categoryTexts = categoryWords.map { own in
            Array(own.map { words[Int($0)] }.joined(separator: [SearchRecord.valueEnd]))
        }
        availabilities = Dictionary(
            uniqueKeysWithValues: Availability.allCases.enumerated().map { ($1, String($0)) })
    }

    /// Appends the record of a product.
    func append(
        _ entry: CatalogueReader.Entry, number: Int, fingerprint: UInt64, using record: inout SearchRecord,
        to bytes: inout [UInt8]
    ) {
        let product = entry.product
        var nowhere: [Diagnostic] = []
        let tint = renderer.tint(
            of: product, leaf: renderer.catalogue.categories[number].first.map(Int.init),
            picture: renderer.pictures(of: product, log: &nowhere).first?.picture)
        append(
            entry, number: number, fingerprint: fingerprint, rating: Rating(product.reviews), tint: tint,
            using: &record, to: &bytes)
    }

    /// The same for a product that was just rendered, of which the rating and the colour are known.
    func append(
        _ entry: CatalogueReader.Entry, number: Int, fingerprint: UInt64, rating: Rating, tint: String,
        using record: inout SearchRecord, to bytes: inout [UInt8]
    ) {
        let product = entry.product
        let catalogue = renderer.catalogue
        let categories = catalogue.categories[number]
        let id = product.id.description
        record.append(id, to: .id)
        record.append(product.name, to: .name)
        if let producer = product.producer { record.append(producer, to: .producer) }
        let slug = catalogue.slugs[number]
        record.setAddress(shard: SitePath.shard(slug), slug: slug, name: product.name, id: id)
        if let style = product.style { record.append(style, to: .style) }
        if let volume = product.volume {
            record.append(renderer.settings.locale.volume(millilitres: volume), to: .volume)
        }
        if let abv = product.abv { record.append(renderer.settings.locale.percent(abv), to: .strength) }
        if let price = product.price {
            append(price, to: .price, of: &record)
            if let regular = product.regularPrice { append(regular, to: .regularPrice, of: &record) }
        }
        if let availability = product.availability {
            record.append(availabilities[availability]! + lowStock(product), to: .availability)
        }
        if let average = rating.average {
            record.append(average, to: .rating)
            record.append(rating.count, to: .ratingCount)
        }
        record.append(String(tint.dropFirst()), to: .colour)
        var nowhere: [Diagnostic] = []
        if let picture = renderer.pictures(of: product, log: &nowhere).first?.picture {
            // WebP is known to every browser that can unpack the pieces.
            let files = picture.variants(.webp, upTo: Picture.widestTile)
            let usual = files.last { $0.width <= 320 } ?? files[0]
            record.append(picture.key, to: .picture)
            let sizes = ["\(usual.width)×\(usual.height)"] + files.map { String($0.width) }
            record.append(sizes.joined(separator: " "), to: .pictureSizes)
        }
        if let volume = product.volume { record.append(volume.plainDescription, to: .millilitres) }
        if let created = product.created { record.append(Int(created.ordinal), to: .created) }
        if let country = product.country { record.append(country, to: .country) }
        if let region = product.region { record.append(region, to: .region) }
        if case .years(let years) = product.age {
            record.append(renderer.strings("years", count: years), to: .age)
        }
        if let vintage = product.vintage { record.append(vintage, to: .age) }
        append(categories, to: &record)
        for facet in product.facets { record.append(facet.value, to: .values) }
        if let abv = product.abv { record.append(abv, to: .abv) }
        record.append(product.reviews.count, to: .reviewCount)
        if let sku = product.sku { record.append(sku, to: .sku) }
        if let gtin = product.gtin { record.append(gtin, to: .gtin) }
        record.finish(fingerprint, into: &bytes)
    }

    /// The words of several categories, each once.
    private func append(_ categories: ArraySlice<Int32>, to record: inout SearchRecord) {
        guard let main = categories.first.map({ Int($0) }) else { return }
        record.append(values: categoryTexts[main], to: .categories)
        guard categories.count > 1 else { return }
        var known = categoryWords[main]
        for node in categories.dropFirst() {
            for word in categoryWords[Int(node)] where !known.contains(word) {
                known.append(word)
                record.append(values: words[Int(word)], to: .categories)
            }
        }
    }

    /// Smallest units, with the currency's code if it is not the site's.
    private func append(_ money: Money, to field: SearchField, of record: inout SearchRecord) {
        if money.currency == renderer.settings.currency {
            record.append(Int(money.minorUnits), to: field)
        } else {
            record.append(String(money.minorUnits) + money.currency.code, to: field)
        }
    }

    private func lowStock(_ product: Product) -> String {
        guard product.availability == .limited, let stock = product.stock else { return "" }
        return renderer.strings("low_stock", count: stock)
    }
}
