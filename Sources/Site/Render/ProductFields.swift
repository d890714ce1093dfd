import Markup
import Templates

/// A tile: the product on index pages.
final class TileFields: Sendable {
    let root: Field<String>, path: Field<String>, id: Field<String>, name: Field<String>
    let producer: Field<String>, meta: Field<String>, picture: Field<Record>, colour: Field<String>
    let price: Field<Record>, noPrice: Field<String>, availability: Field<Record>, rating: Field<Record>
    let text: Field<Record>
    let ratingText: Field<String>, ratingCount: Field<String>, ratingLabel: Field<String>
    let ratingSchema: Schema
    let schema: Schema

    init(image: ImageFields, price: PriceFields, availability: AvailabilityFields, texts: Schema) {
        var rating = Schema.Builder("a rating")
        ratingText = rating.text("text", "The average.", sample: "4.4")
        ratingCount = rating.text("count_text", "The number of reviews.", sample: "(200)")
        ratingLabel = rating.text("label", "Both in words.", sample: "4.4 out of 5, 200 reviews")
        ratingSchema = rating.schema()
        var fields = Schema.Builder("a product tile")
        root = fields.text("root", "The way to the top of the site.", sample: "../")
        path = fields.text("path", "The product's page.", sample: "products/3f/harbour-cask-12.html")
        id = fields.text("id", "The product's id, as lists hold it.", sample: "812")
        name = fields.text("name", "The full name.", sample: "Balnacorrie 12 Year Old Harbour Cask")
        producer = fields.text("producer", "Who made it.", sample: "Balnacorrie Distillery", optional: true)
        meta = fields.text(
            "meta", "Style, size and strength.", sample: "Single malt, 70 cl, 46.3%", optional: true)
        picture = fields.record("picture", "Its first picture.", image.schema, optional: true)
        colour = fields.text("colour", "The tint behind the picture.", sample: "#b9772e")
        self.price = fields.record("price", "What it costs.", price.schema, optional: true)
        noPrice = fields.text(
            "no_price_text", "What stands for a price.", sample: "Price on request", optional: true)
        self.availability = fields.record(
            "availability", "Whether it can be had.", availability.schema, optional: true)
        self.rating = fields.record("rating", "What reviews say.", ratingSchema, optional: true)
        text = fields.record("text", "The theme's texts.", texts)
        schema = fields.schema()
    }
}

/// A card of rich text.
final class NoteFields: Sendable {
    let id: Field<String>, title: Field<String>, html: Field<SafeHTML>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a note")
        id = fields.text("id", "The card's id.", sample: "note")
        title = fields.text("title", "Its heading.", sample: "Bottling note")
        html = fields.html("html", "Its text.", sample: "<p>…</p>")
        schema = fields.schema()
    }

    func callAsFunction(id: String, title: String, html: SafeHTML) -> Record {
        var record = Record(schema)
        record[self.id] = id
        record[self.title] = title
        record[self.html] = html
        return record
    }
}

/// The reviews of a product.
final class ReviewsFields: Sendable {
    let heading: Field<String>, averageText: Field<String>, starsWidth: Field<String>,
        starsLabel: Field<String>
    let countText: Field<String>, distribution: Field<[Record]>, items: Field<[Record]>, more: Field<Record>
    let schema: Schema

    let barStars: Field<String>, barLabel: Field<String>, barCount: Field<String>, barPercent: Field<String>
    let barSchema: Schema

    let title: Field<String>, author: Field<String>, date: Field<Record>, width: Field<String>,
        label: Field<String>
    let html: Field<SafeHTML>, language: Field<String>
    let reviewSchema: Schema

    init(date: DateFields, action: ActionFields) {
        var bar = Schema.Builder("a bar of the distribution")
        barStars = bar.text("stars", "How many stars.", sample: "5")
        barLabel = bar.text("label", "The row in words.", sample: "5 of 5 stars: 118 reviews")
        barCount = bar.text("count", "How many reviews.", sample: "118")
        barPercent = bar.text("percent", "Their share.", sample: "59")
        barSchema = bar.schema()
        var review = Schema.Builder("a review")
        title = review.text("title", "Its title.", sample: "The one I keep replacing", optional: true)
        author = review.text("author", "Who wrote it.", sample: "Maren T.", optional: true)
        self.date = review.record("date", "When.", date.schema, optional: true)
        width = review.text(
            "stars_width", "The rating as percent of five stars.", sample: "80", optional: true)
        label = review.text("stars_label", "The rating in words.", sample: "4 out of 5", optional: true)
        html = review.html("html", "What they wrote.", sample: "<p>…</p>")
        language = review.text(
            "language", "Its language, where it is not the site's.", sample: "de", optional: true)
        reviewSchema = review.schema()
        var fields = Schema.Builder("the reviews of a product")
        heading = fields.text("heading", "How many.", sample: "200 reviews")
        averageText = fields.text("average_text", "The average.", sample: "4.4", optional: true)
        starsWidth = fields.text("stars_width", "It as percent of five stars.", sample: "88", optional: true)
        starsLabel = fields.text("stars_label", "It in words.", sample: "4.4 out of 5", optional: true)
        countText = fields.text(
            "count_text", "What it is the average of.", sample: "average of 200", optional: true)
        distribution = fields.records("distribution", "How many of each, five stars first.", of: barSchema)
        items = fields.records("items", "The reviews, newest first.", of: reviewSchema)
        more = fields.record("more", "The page of all.", action.schema, optional: true)
        schema = fields.schema()
    }
}

/// The page of a product.
final class ProductFields: Sendable {
    let page: PageFields
    let id: Field<String>, name: Field<String>, longName: Field<Bool>, producer: Field<Record>,
        meta: Field<String>
    let breadcrumbs: Field<[Record]>, picture: Field<Record>, hasMorePictures: Field<Bool>
    let pictures: Field<[Record]>, colour: Field<String>, price: Field<Record>, noPrice: Field<String>
    let availability: Field<Record>, offerNote: Field<String>, discontinued: Field<Record>,
        cards: Field<[Record]>
    let hasFacts: Field<Bool>, facts: Field<[Record]>, note: Field<Record>, tasting: Field<Record>
    let notes: Field<[Record]>, reviews: Field<Record>, lateReviews: Field<Record>
    let remoteReviews: Field<String>
    let schema: Schema

    let makerName: Field<String>, makerPath: Field<String>
    let makerSchema: Schema

    let cardID: Field<String>, cardTab: Field<String>, cardTitle: Field<String>
    let cardSchema: Schema

    let factLabel: Field<String>, factValues: Field<[Record]>
    let factSchema: Schema
    let valueText: Field<String>, valuePath: Field<String>, valueTime: Field<String>, valueLast: Field<Bool>
    let valueSchema: Schema

    let tastingTitle: Field<String>, tastingParts: Field<[Record]>, tastingHTML: Field<SafeHTML>
    let tastingSource: Field<String>
    let tastingSchema: Schema
    let partTitle: Field<String>, partText: Field<String>
    let partSchema: Schema

    let lateLabel: Field<String>, latePath: Field<String>, lateText: Field<String>,
        lateAnnouncement: Field<String>
    let lateAverage: Field<String>, lateWidth: Field<String>, lateStars: Field<String>,
        lateCount: Field<String>
    let lateSchema: Schema

    init(parts: Parts) {
        var maker = Schema.Builder("a producer")
        makerName = maker.text("name", "What it is called.", sample: "Balnacorrie Distillery")
        makerPath = maker.text("path", "Its page.", sample: "producer/balnacorrie.html", optional: true)
        makerSchema = maker.schema()

        var card = Schema.Builder("a card's tab")
        cardID = card.text("id", "The card's id.", sample: "facts")
        cardTab = card.text("tab", "The tab.", sample: "Facts")
        cardTitle = card.text("title", "The card's heading.", sample: "Facts")
        cardSchema = card.schema()

        var value = Schema.Builder("a fact's value")
        valueText = value.text("text", "The value.", sample: "Highland")
        valuePath = value.text("path", "The page of all with this value.", optional: true)
        valueTime = value.text("datetime", "The value as a date.", sample: "2026-01", optional: true)
        valueLast = value.flag("last", "Whether it is the last, so that no comma follows.")
        valueSchema = value.schema()
        var fact = Schema.Builder("a fact")
        factLabel = fact.text("label", "What it is.", sample: "Region")
        factValues = fact.records("values", "Its values.", of: valueSchema)
        factSchema = fact.schema()

        var part = Schema.Builder("a part of the tasting note")
        partTitle = part.text("title", "Which part.", sample: "Nose")
        partText = part.text("text", "What it says.", sample: "Wet rope and lemon oil.")
        partSchema = part.schema()
        var tasting = Schema.Builder("a tasting note")
        tastingTitle = tasting.text("title", "The card's heading.", sample: "Tasting note")
        tastingParts = tasting.records("parts", "Nose, palate and finish, as far as known.", of: partSchema)
        tastingHTML = tasting.html("html", "The note as running text.", optional: true)
        tastingSource = tasting.text("source", "Who tasted, and when.", optional: true)
        tastingSchema = tasting.schema()

        var late = Schema.Builder("a link to reviews")
        lateLabel = late.text("label", "What it is.", sample: "Reviews")
        latePath = late.text("path", "The page of the reviews.", sample: "reviews/3f/harbour-cask-12.html")
        lateText = late.text("text", "The link.", sample: "Read 200 reviews")
        lateAnnouncement = late.text("announcement", "What is said when the card arrives.")
        lateAverage = late.text("average_text", "The average.", sample: "4.4", optional: true)
        lateWidth = late.text("stars_width", "It as percent of five stars.", sample: "88", optional: true)
        lateStars = late.text("stars_label", "It in words.", sample: "4.4 out of 5", optional: true)
        lateCount = late.text(
            "count_text", "What it is the average of.", sample: "average of 200", optional: true)
        lateSchema = late.schema()

        var fields = Schema.Builder("a product page")
        page = PageFields(&fields, parts: parts)
        id = fields.text("id", "The product's id, as lists hold it.", sample: "812")
        name = fields.text(
            "name", "The full name, never cut.", sample: "Balnacorrie 12 Year Old Harbour Cask")
        longName = fields.flag("long_name", "Whether the name has more than 60 characters.")
        producer = fields.record("producer", "Who made it.", makerSchema, optional: true)
        meta = fields.text(
            "meta", "Style, size and strength.", sample: "Single malt, 70 cl, 46.3%", optional: true)
        breadcrumbs = fields.records(
            "breadcrumbs", "Home and the main category's path.", of: parts.crumb.schema)
        picture = fields.record("picture", "The first picture.", parts.largePicture.schema, optional: true)
        hasMorePictures = fields.flag("has_more_pictures", "Whether there are two pictures or more.")
        pictures = fields.records("pictures", "All its pictures.", of: parts.largePicture.schema)
        colour = fields.text("colour", "The tint behind the picture.", sample: "#b9772e")
        price = fields.record("price", "What it costs.", parts.price.schema, optional: true)
        noPrice = fields.text(
            "no_price_text", "What stands for a price.", sample: "Price on request", optional: true)
        availability = fields.record(
            "availability", "Whether it can be had.", parts.availability.schema, optional: true)
        offerNote = fields.text(
            "offer_note", "The price for a litre.", sample: "£77.86 per litre", optional: true)
        discontinued = fields.record(
            "discontinued", "A tag: it is no longer sold.", parts.tag.schema, optional: true)
        cards = fields.records("cards", "The cards in their order, for the tabs.", of: cardSchema)
        hasFacts = fields.flag("has_facts", "Whether the facts card has anything to show.")
        facts = fields.records("facts", "Facts with a value.", of: factSchema)
        self.note = fields.record("note", "The bottling note.", parts.note.schema, optional: true)
        self.tasting = fields.record("tasting", "The tasting note.", tastingSchema, optional: true)
        notes = fields.records("notes", "Further notes.", of: parts.note.schema)
        reviews = fields.record(
            "reviews", "Reviews that stand in this page.", parts.reviews.schema, optional: true)
        remoteReviews = fields.text(
            "remote_reviews", "The address that is asked for reviews.",
            sample: "https://reviews.example/812", optional: true)
        lateReviews = fields.record(
            "late_reviews", "Reviews that have a page of their own.", lateSchema, optional: true)
        schema = fields.schema()
    }
}

/// The page of all reviews of a product.
final class ReviewsPageFields: Sendable {
    let page: PageFields
    let heading: Field<String>, breadcrumbs: Field<[Record]>, product: Field<Record>, reviews: Field<Record>
    let schema: Schema

    init(parts: Parts) {
        var fields = Schema.Builder("a page of reviews")
        page = PageFields(&fields, parts: parts)
        heading = fields.text("heading", "Whose reviews.", sample: "Reviews of Harbour Cask 12")
        breadcrumbs = fields.records("breadcrumbs", "The product's, and the product.", of: parts.crumb.schema)
        product = fields.record("product", "The product.", parts.link.schema)
        reviews = fields.record("reviews", "The reviews.", parts.reviews.schema)
        schema = fields.schema()
    }
}
