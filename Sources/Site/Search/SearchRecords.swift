import Basics
import Database
import Model
import Search

/// Makes the records by which the search shows and finds products.
///
/// A class, because every worker uses it for every product, and a renderer is large to copy.
final class SearchRecords: Sendable {
    private let renderer: SiteRenderer
    /// For each category, the words of its name and of those above it, each once.
    private let categoryWords: [[String]]
    private let availabilities: [Availability: String]

    init(renderer: SiteRenderer) {
        self.renderer = renderer
        let tree = renderer.catalogue.tree
        var tokeniser = Tokeniser()
        var words: [[String]] = []
        // Parents stand before their children.
        for node in tree.nodes {
            var own = node.parent.map { words[$0] } ?? []
            for word in tokeniser.words(of: node.category.name, forIndex: true) where !own.contains(word) {
                own.append(word)
            }
            words.append(own)
        }
        categoryWords = words
        availabilities = Dictionary(
            uniqueKeysWithValues: Availability.allCases.enumerated().map { ($1, String($0)) })
    }

    /// Appends the record of a product.
    func append(
        _ entry: CatalogueReader.Entry, number: Int, fingerprint: UInt64, using record: inout SearchRecord,
        to bytes: inout [UInt8]
    ) {
        let product = entry.product
        let catalogue = renderer.catalogue
        let locale = renderer.locale
        let id = product.id.description
        record[.id] = id
        record[.name] = product.name
        record[.producer] = product.producer
        let slug = catalogue.slugs[number]
        record.setAddress(shard: SitePath.shard(slug), slug: slug, name: product.name, id: id)
        record[.style] = product.style
        record[.volume] = product.volume.map { locale.volume(millilitres: $0) }
        record[.strength] = product.abv.map { locale.percent($0) }
        record[.price] = product.price.map(text)
        record[.regularPrice] = product.price == nil ? nil : product.regularPrice.map(text)
        if let availability = product.availability {
            record[.availability] = availabilities[availability]! + lowStock(product)
        }
        let rating = Rating(product.reviews)
        if let average = rating.average {
            record[.rating] = String(average)
            record[.ratingCount] = String(rating.count)
        }
        let main = renderer.main(of: catalogue.categories[number].first.map(Int.init))
        let tint = renderer.colour(
            product.colour, of: product.style ?? main.map { catalogue.tree.nodes[$0].category.name })
        record[.colour] = String(tint.dropFirst())
        var nowhere: [Diagnostic] = []
        if let picture = renderer.pictures(of: product, log: &nowhere).first?.picture {
            // WebP is known to every browser that can unpack the pieces.
            let files = picture.variants(.webp, upTo: Picture.widestTile)
            let usual = files.last { $0.width <= 320 } ?? files[0]
            record[.picture] = picture.key
            record[.pictureSizes] = (["\(usual.width)×\(usual.height)"] + files.map { String($0.width) })
                .joined(separator: " ")
        }
        record[.country] = product.country
        record[.region] = product.region
        if case .years(let years) = product.age {
            record.append(renderer.strings("years", count: years), to: .age)
        }
        if let vintage = product.vintage { record.append(String(vintage), to: .age) }
        let categories = catalogue.categories[number]
        if let main = categories.first {
            var words = categoryWords[Int(main)]
            for node in categories.dropFirst() {
                for word in categoryWords[Int(node)] where !words.contains(word) { words.append(word) }
            }
            record[.categories] = words.joined(separator: " ")
        }
        for facet in product.facets { record.append(facet.value, to: .values) }
        record[.millilitres] = product.volume?.plainDescription
        record[.created] = product.created.map { String($0.ordinal) }
        record[.abv] = product.abv.map { String($0) }
        record[.reviewCount] = String(product.reviews.count)
        record[.sku] = product.sku
        record[.gtin] = product.gtin
        record[.fingerprint] = Self.text(fingerprint)
        record.finish(into: &bytes)
    }

    /// A fingerprint as records have it.
    static func text(_ fingerprint: UInt64) -> String { String(fingerprint, radix: 36) }

    private func text(_ money: Money) -> String {
        let amount = String(money.minorUnits)
        return money.currency == renderer.settings.currency ? amount : amount + money.currency.code
    }

    private func lowStock(_ product: Product) -> String {
        guard product.availability == .limited, let stock = product.stock else { return "" }
        return renderer.strings("low_stock", count: stock)
    }
}
