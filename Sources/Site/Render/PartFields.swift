import Markup
import Templates

// The records that pages are made of. docs/templates.md describes every field; a test compares the two.

/// A file of the site.
final class FileFields: Sendable {
    let path: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a file")
        path = fields.text("path", "Its path from the top of the site.", sample: "assets/style-1f0c2a9b.css")
        schema = fields.schema()
    }

    func callAsFunction(_ path: String) -> Record {
        var record = Record(schema)
        record[self.path] = path
        return record
    }
}

/// A name that leads to a page.
final class LinkFields: Sendable {
    let name: Field<String>, path: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a link")
        name = fields.text("name", "What it is called.", sample: "Shipping")
        path = fields.text("path", "The page.", sample: "shipping.html")
        schema = fields.schema()
    }

    func callAsFunction(_ name: String, _ path: String) -> Record {
        var record = Record(schema)
        record[self.name] = name
        record[self.path] = path
        return record
    }
}

/// A button that leads to a page.
final class ActionFields: Sendable {
    let text: Field<String>, path: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("an action")
        text = fields.text("text", "What it says.", sample: "Browse all 4,561 products")
        path = fields.text("path", "The page.", sample: "products/index.html")
        schema = fields.schema()
    }

    func callAsFunction(_ text: String, _ path: String) -> Record {
        var record = Record(schema)
        record[self.text] = text
        record[self.path] = path
        return record
    }
}

/// An Atom feed.
final class FeedFields: Sendable {
    let title: Field<String>, path: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a feed")
        title = fields.text("title", "What it is called.", sample: "New at Longshelf")
        path = fields.text("path", "The file.", sample: "feed.xml")
        schema = fields.schema()
    }

    func callAsFunction(_ title: String, _ path: String) -> Record {
        var record = Record(schema)
        record[self.title] = title
        record[self.path] = path
        return record
    }
}

/// An entry of the menu, or of the trail of breadcrumbs.
final class TrailFields: Sendable {
    let name: Field<String>, path: Field<String>, current: Field<Bool>
    let schema: Schema

    init(_ what: String) {
        var fields = Schema.Builder(what)
        name = fields.text("name", "What it is called.", sample: "Spirits")
        path = fields.text("path", "The page.", sample: "categories/spirits.html")
        current = fields.flag("current", "Whether the page is, or lies in, this one.")
        schema = fields.schema()
    }

    func callAsFunction(_ name: String, _ path: String, current: Bool = false) -> Record {
        var record = Record(schema)
        record[self.name] = name
        record[self.path] = path
        if current { record[self.current] = true }
        return record
    }
}

/// A picture as tiles, lines of lists and the home page show it.
final class ImageFields: Sendable {
    let src: Field<String>, width: Field<String>, height: Field<String>
    let photo: Field<Bool>, sources: Field<[Record]>
    let schema: Schema
    private let source: PictureSourceFields

    init(_ source: PictureSourceFields) {
        self.source = source
        var fields = Schema.Builder("a picture")
        src = fields.text(
            "src", "The small file that every browser shows, from the top of the site.",
            sample: "assets/pictures/5f0c2a9b115f0c2a-320.jpg")
        width = fields.text("width", "Pixels.", sample: "320")
        height = fields.text("height", "Pixels.", sample: "427")
        photo = fields.flag("photo", "Whether no part of it is transparent.")
        sources = fields.records("sources", "Better formats, best first.", of: source.schema)
        schema = fields.schema()
    }

    func callAsFunction(_ picture: Picture) -> Record {
        var record = Record(schema)
        let small = picture.small
        record[src] = picture.path(small)
        record[width] = String(small.width)
        record[height] = String(small.height)
        if picture.isOpaque { record[photo] = true }
        record[sources] = source.records(of: picture, upTo: Picture.widestTile)
        return record
    }
}

/// One size of a picture.
final class CandidateFields: Sendable {
    let src: Field<String>, width: Field<String>, last: Field<Bool>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a size of a picture")
        src = fields.text("src", "The file, from the top of the site.")
        width = fields.text("width", "Pixels.", sample: "640")
        last = fields.flag("last", "Whether it is the last, so that no comma follows.")
        schema = fields.schema()
    }
}

/// A format of a picture.
final class PictureSourceFields: Sendable {
    let type: Field<String>, candidates: Field<[Record]>
    let schema: Schema
    private let candidate: CandidateFields

    init(_ candidate: CandidateFields) {
        self.candidate = candidate
        var fields = Schema.Builder("a format of a picture")
        type = fields.text("type", "The media type.", sample: "image/webp")
        candidates = fields.records("candidates", "Its sizes, smallest first.", of: candidate.schema)
        schema = fields.schema()
    }

    /// The formats of a picture that are worth offering, with their sizes up to a width.
    ///
    /// A picture that is WebP from the start is offered in its sizes as well: what every browser shows is one of them.
    fileprivate func records(of picture: Picture, upTo most: Int) -> [Record] {
        let formats = picture.betterFormats + (picture.family == .webp ? [.webp] : [])
        return formats.map { format in
            let sizes = picture.variants(format, upTo: most)
            var record = Record(schema)
            record[type] = format.mediaType
            record[candidates] = sizes.enumerated().map { i, variant in
                var size = Record(candidate.schema)
                size[candidate.src] = picture.path(variant)
                size[candidate.width] = String(variant.width)
                if i == sizes.count - 1 { size[candidate.last] = true }
                return size
            }
            return record
        }
    }
}

/// A picture on a product's page.
final class LargePictureFields: Sendable {
    let src: Field<String>, width: Field<String>, height: Field<String>, alt: Field<String>
    let photo: Field<Bool>, sources: Field<[Record]>, large: Field<String>, id: Field<String>
    let first: Field<Bool>, small: Field<String>, smallSources: Field<[Record]>
    let schema: Schema
    private let source: PictureSourceFields

    init(_ source: PictureSourceFields) {
        self.source = source
        var fields = Schema.Builder("a product's picture")
        src = fields.text(
            "src", "The file that every browser shows.", sample: "assets/pictures/5f0c2a9b115f0c2a-960.jpg")
        width = fields.text("width", "Pixels.", sample: "960")
        height = fields.text("height", "Pixels.", sample: "1280")
        alt = fields.text("alt", "Alternative text.", sample: "Tall clear bottle with a cream label")
        photo = fields.flag("photo", "Whether no part of it is transparent.")
        sources = fields.records("sources", "Better formats, best first.", of: source.schema)
        large = fields.text(
            "large", "The largest file.", sample: "assets/pictures/5f0c2a9b115f0c2a-1600.webp")
        id = fields.text("id", "Its id in the page.", sample: "picture-1")
        first = fields.flag("first", "Whether it is the first, which is loaded at once.")
        small = fields.text("small", "The small file that every browser shows.")
        smallSources = fields.records("small_sources", "Better formats for the small one.", of: source.schema)
        schema = fields.schema()
    }

    func callAsFunction(_ picture: Picture, alt text: String, number: Int) -> Record {
        var record = Record(schema)
        record[src] = picture.path
        record[width] = String(picture.main.width)
        record[height] = String(picture.main.height)
        record[alt] = text
        if picture.isOpaque { record[photo] = true }
        record[sources] = source.records(of: picture, upTo: .max)
        record[large] = picture.path(picture.largest)
        record[id] = "picture-\(number)"
        if number == 1 { record[first] = true }
        record[small] = picture.path(picture.small)
        record[smallSources] = source.records(of: picture, upTo: 160)
        return record
    }
}

/// A price as text.
final class PriceFields: Sendable {
    let text: Field<String>, was: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a price")
        text = fields.text("text", "The price.", sample: "£54.50")
        was = fields.text("was", "What it was before.", sample: "was £62.00", optional: true)
        schema = fields.schema()
    }
}

/// Whether a product can be had.
final class AvailabilityFields: Sendable {
    let key: Field<String>, text: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("an availability")
        key = fields.choice("key", "For the style sheet.", of: ["in", "low", "out", "soon", "gone"])
        text = fields.text("text", "In words.", sample: "3 left")
        schema = fields.schema()
    }
}

/// A word in a box.
final class TagFields: Sendable {
    let text: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a tag")
        text = fields.text("text", "What it says.", sample: "No longer sold")
        schema = fields.schema()
    }

    func callAsFunction(_ text: String) -> Record {
        var record = Record(schema)
        record[self.text] = text
        return record
    }
}

/// A date for people and for machines.
final class DateFields: Sendable {
    let datetime: Field<String>, text: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a date")
        datetime = fields.text("datetime", "As ISO 8601 writes it.", sample: "2026-03-02")
        text = fields.text("text", "As people write it.", sample: "2 March 2026")
        schema = fields.schema()
    }
}

/// A subcategory or a facet's value, with its count.
final class BranchFields: Sendable {
    let name: Field<String>, path: Field<String>, count: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a branch")
        name = fields.text("name", "What it is called.", sample: "Whisky")
        path = fields.text("path", "Its page.", sample: "categories/whisky.html")
        count = fields.text("count", "How many products; for categories with all below.", sample: "1,204")
        schema = fields.schema()
    }

    func callAsFunction(_ name: String, _ path: String, _ count: String) -> Record {
        var record = Record(schema)
        record[self.name] = name
        record[self.path] = path
        record[self.count] = count
        return record
    }
}
