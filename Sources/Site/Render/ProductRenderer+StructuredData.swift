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
        of product: Product, _ rating: Rating, path: String, leaf: Int?, summary: String?, picture: Picture?
    ) -> ScriptJSON? {
        let shown = settings.reviews == .inline ? product.reviews.prefix(settings.reviewsShown) : []
        let rated = Array(
            shown.lazy.filter { $0.rating != nil && $0.author != nil }.prefix(Self.mostReviews))
        let hasProduct = product.price != nil || rating.average != nil || !rated.isEmpty
        let address = absolute(path)
        guard hasProduct || address != nil else { return nil }
        var json = ScriptJSONWriter()
        json.beginObject()
        json.member("@context", "https://schema.org")
        let areBoth = hasProduct && address != nil
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
        if address != nil { prepared.writeBreadcrumbs(to: leaf, of: product.name, to: &json) }
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
    private func write(
        _ product: Product, _ rating: Rating, _ reviews: [Review], summary: String?, picture: Picture?,
        to json: inout ScriptJSONWriter
    ) {
        json.member("@type", "Product")
        json.member("name", product.name)
        if let summary { json.member("description", summary) }
        if let image = picture.flatMap({ absolute($0.path) }) { json.member("image", image) }
        if let sku = product.sku { json.member("sku", sku) }
        if let gtin = product.gtin { json.member("gtin", gtin) }
        if let producer = product.producer {
            json.key("brand")
            json.beginObject()
            json.member("@type", "Brand")
            json.member("name", producer)
            json.endObject()
        }
        if let price = product.price {
            json.key("offers")
            json.beginObject()
            json.member("@type", "Offer")
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
            json.member("@type", "AggregateRating")
            json.member("ratingValue", Self.tenths(average))
            json.key("reviewCount")
            json.value(rating.count)
            json.endObject()
        }
        if !reviews.isEmpty {
            json.key("review")
            json.beginArray()
            for review in reviews {
                json.beginObject()
                json.member("@type", "Review")
                json.key("author")
                json.beginObject()
                json.member("@type", "Person")
                json.member("name", review.author ?? "")
                json.endObject()
                json.key("reviewRating")
                json.beginObject()
                json.member("@type", "Rating")
                json.member("ratingValue", Self.tenths(review.rating ?? 0))
                json.endObject()
                if let title = review.title { json.member("name", title) }
                if let date = review.date { json.member("datePublished", date.description) }
                json.endObject()
            }
            json.endArray()
        }
    }
}
