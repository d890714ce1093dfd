import Basics
import Markup
import Model
import Templates

extension SiteRenderer {
    func reviews(
        of product: Product, _ rating: Rating, limit: Int, more: String?, _ kept: inout KeptParts,
        log: inout [Diagnostic]
    ) -> Record {
        let fields = views.parts.reviews
        let total = product.reviews.count
        var record = Record(fields.schema)
        record[fields.heading] = strings("reviews_count", count: total)
        if let average = rating.average {
            record[fields.averageText] = locale.tenths(average)
            record[fields.starsWidth] = String(decimal: average * 2)
            record[fields.starsLabel] = strings("rating_label", ["rating": locale.tenths(average)])
            record[fields.countText] = strings("average_of", count: rating.count)
            record[fields.distribution] = (1...5).reversed().map { stars in
                let count = rating.stars[stars - 1]
                let percent = (count * 200 + rating.count) / (2 * rating.count)
                // Numbers of reviews are below 2⁴⁰.
                let key = UInt64(count) << 16 | UInt64(percent) << 8 | UInt64(stars)
                return kept.bars.value(for: key) {
                    var bar = Record(fields.barSchema)
                    bar[fields.barStars] = locale.number(stars)
                    bar[fields.barLabel] = prepared.starsLabel(stars, count: count)
                    bar[fields.barCount] = locale.number(count)
                    bar[fields.barPercent] = String(decimal: percent)
                    return bar
                }
            }
        }
        // Looked at where they lie: a review has half a dozen texts to copy.
        let reviews = product.reviews.span
        record[fields.items] = (0..<min(limit, total)).map { i in
            var review = Record(fields.reviewSchema)
            review[fields.title] = reviews[i].title
            review[fields.author] = reviews[i].author
            if let date = reviews[i].date {
                review[fields.date] = kept.dates.value(for: UInt64(date.ordinal)) {
                    var record = Record(views.parts.date.schema)
                    record[views.parts.date.datetime] = date.description
                    record[views.parts.date.text] = locale.date(date)
                    return record
                }
            }
            if let rating = reviews[i].rating {
                review[fields.width] = String(decimal: rating * 2)
                review[fields.label] = ratingLabels[rating]
            }
            review[fields.html] = html(ofReview: reviews[i].body, of: product, log: &log)
            if let language = reviews[i].language, language.isLanguageTag,
                Locale(language).language != locale.language
            {
                review[fields.language] = language
            }
            return review
        }
        if let more {
            record[fields.more] = views.parts.action(strings("read_all_reviews", count: total), more)
        }
        return record
    }

    private func html(ofReview body: String?, of product: Product, log: inout [Diagnostic]) -> SafeHTML {
        let result = review(body ?? "", isHTML: settings.reviewsAreHTML)
        for issue in result.issues {
            log.append(
                Diagnostic(
                    .warning, issue.id, issue.message,
                    at: .cell(table: "reviews", row: product.id.description, column: "body")))
        }
        return result.html
    }

    func lateReviews(of product: Product, _ rating: Rating, path: String) -> Record {
        let fields = views.product
        let total = product.reviews.count
        var record = Record(fields.lateSchema)
        record[fields.lateLabel] = strings["card_reviews"]
        record[fields.latePath] = path
        record[fields.lateText] = strings("read_reviews", count: total)
        record[fields.lateAnnouncement] = strings("reviews_added", count: total)
        if let average = rating.average {
            record[fields.lateAverage] = locale.tenths(average)
            record[fields.lateWidth] = String(decimal: average * 2)
            record[fields.lateStars] = strings("rating_label", ["rating": locale.tenths(average)])
            record[fields.lateCount] = strings("average_of", count: rating.count)
        }
        return record
    }

    func reviewsPage(
        of product: Product, number: Int, _ rating: Rating, into out: inout ByteBuffer,
        _ kept: inout KeptParts, log: inout [Diagnostic]
    ) {
        let fields = views.reviews
        let leaf = catalogue.categories[number].first.map(Int.init)
        let heading = strings("reviews_of", ["name": product.name])
        var record = Record(fields.schema)
        record[fields.heading] = heading
        let path = catalogue.path(number)
        record[fields.breadcrumbs] = prepared.trail(to: leaf) + [views.parts.crumb(product.name, path)]
        record[fields.product] = views.parts.link(product.name, path)
        record[fields.reviews] = reviews(of: product, rating, limit: .max, more: nil, &kept, log: &log)
        var head = Head(path: catalogue.reviewsPath(number), title: heading)
        head.main = main(of: leaf)
        render(&record, .reviews, fields.page, bound.reviews, head, into: &out)
    }
}

/// What reviews come to.
struct Rating: Hashable, Sendable {
    /// Reviews that gave stars.
    private(set) var count = 0
    /// How many gave one to five.
    private(set) var stars = SIMD8<Int>()
    /// In tenths of a star, rounded half up; nil when nobody gave any.
    let average: Int?

    init(_ reviews: [Review]) {
        var sum = 0
        for i in reviews.indices {
            guard let rating = reviews[i].rating else { continue }
            count += 1
            sum += rating
            stars[min(max((rating + 5) / 10, 1), 5) - 1] += 1
        }
        average = count == 0 ? nil : (2 * sum + count) / (2 * count)
    }
}
