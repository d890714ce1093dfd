import Basics
import Markup
import Model
import Templates

/// What search engines read of a product (schema.org, as JSON-LD).
extension SiteRenderer {
    /// How many of a product's reviews are data as well as text: results show one or two, and the rating counts them all.
    private static let mostReviews = 5

    /// For search engines: the product, only when there is an offer, a rating or a review, as their rules want, and its
    /// breadcrumbs.
    func structuredData(
        of product: Product, _ rating: Rating, leaf: Int?, summary: String?, picture: Picture?
    ) -> ScriptJSON? {
        let reviews = product.reviews.span
        var rated: [Int] = []
        if settings.reviews == .inline {
            for i in 0..<min(settings.reviewsShown, reviews.count) where rated.count < Self.mostReviews {
                if reviews[i].rating != nil, reviews[i].author != nil { rated.append(i) }
            }
        }
        let hasProduct = product.price != nil || rating.average != nil || !rated.isEmpty
        // Breadcrumbs need whole addresses.
        let hasAddress = settings.url != nil
        guard hasProduct || hasAddress else { return nil }
        var json = ScriptJSONWriter()
        json.beginObject()
        json.member("@context", fixed: "https://schema.org")
        let areBoth = hasProduct && hasAddress
        if areBoth {
            json.key("@graph")
            json.beginArray()
            json.beginObject()
        }
        if hasProduct { write(product, rating, rated, summary: summary, picture: picture, to: &json) }
        if areBoth {
            json.endObject()
            json.beginObject()
        }
        if hasAddress { prepared.writeBreadcrumbs(to: leaf, of: product.name, to: &json) }
        if areBoth {
            json.endObject()
            json.endArray()
        }
        json.endObject()
        return json.finish()
    }

    /// A number in tenths, as data.
    private static func tenths(_ number: Int) -> String {
        String(short: { out in
            let (whole, rest) = UInt64(number.magnitude).quotientAndRemainder(dividingBy: 10)
            out.append(whole)
            out.append("." as Unicode.Scalar)
            out.append(rest)
        })
    }

    /// Writes the members of a product. Its offer has no address of its own: it is that of the page.
    ///
    /// - Parameter rated: which of its reviews are written.
    private func write(
        _ product: Product, _ rating: Rating, _ rated: [Int], summary: String?, picture: Picture?,
        to json: inout ScriptJSONWriter
    ) {
        json.member("@type", fixed: "Product")
        json.member("name", product.name)
        if let summary { json.member("description", summary) }
        if let image = picture.flatMap({ absolute($0.path) }) { json.member("image", image) }
        if let sku = product.sku { json.member("sku", sku) }
        if let gtin = product.gtin { json.member("gtin", gtin) }
        if let producer = product.producer {
            json.key("brand")
            json.beginObject()
            json.member("@type", fixed: "Brand")
            json.member("name", producer)
            json.endObject()
        }
        if let price = product.price {
            json.key("offers")
            json.beginObject()
            json.member("@type", fixed: "Offer")
            json.member("price", price.decimal)
            json.member("priceCurrency", price.currency.code)
            if let availability = product.availability {
                json.key("availability")
                json.value("https://schema.org/", availability.rawValue)
            }
            json.endObject()
        }
        if let average = rating.average {
            json.key("aggregateRating")
            json.beginObject()
            json.member("@type", fixed: "AggregateRating")
            json.member("ratingValue", Self.tenths(average))
            json.key("reviewCount")
            json.value(rating.count)
            json.endObject()
        }
        if !rated.isEmpty {
            let reviews = product.reviews.span
            json.key("review")
            json.beginArray()
            for i in rated {
                json.beginObject()
                json.member("@type", fixed: "Review")
                json.key("author")
                json.beginObject()
                json.member("@type", fixed: "Person")
                json.member("name", reviews[i].author ?? "")
                json.endObject()
                json.key("reviewRating")
                json.beginObject()
                json.member("@type", fixed: "Rating")
                json.member("ratingValue", Self.tenths(reviews[i].rating ?? 0))
                json.endObject()
                if let title = reviews[i].title { json.member("name", title) }
                if let date = reviews[i].date { json.member("datePublished", date.description) }
                json.endObject()
            }
            json.endArray()
        }
    }
}
