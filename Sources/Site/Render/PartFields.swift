import Markup
import Templates

// The records that pages are made of. docs/templates.md describes every field; a test compares the two.

/// A file of the site.
struct FileFields {
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
struct LinkFields {
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
struct ActionFields {
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
struct FeedFields {
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
struct TrailFields {
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

/// A picture ready to show, in one size.
struct ImageFields {
    let src: Field<String>, width: Field<String>, height: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a picture")
        src = fields.text(
            "src", "The file, from the top of the site.", sample: "assets/pictures/5f0c2a9b11.webp")
        width = fields.text("width", "Pixels.", sample: "420")
        height = fields.text("height", "Pixels.", sample: "560")
        schema = fields.schema()
    }

    func callAsFunction(_ picture: Picture) -> Record {
        var record = Record(schema)
        record[src] = picture.path
        record[width] = String(picture.width)
        record[height] = String(picture.height)
        return record
    }
}

/// One size of a picture.
struct CandidateFields {
    let src: Field<String>, width: Field<String>, last: Field<Bool>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a size of a picture")
        src = fields.text("src", "The file, from the top of the site.")
        width = fields.text("width", "Pixels.", sample: "840")
        last = fields.flag("last", "Whether it is the last, so that no comma follows.")
        schema = fields.schema()
    }
}

/// A format of a picture.
struct PictureSourceFields {
    let type: Field<String>, candidates: Field<[Record]>
    let schema: Schema

    init(_ candidate: CandidateFields) {
        var fields = Schema.Builder("a format of a picture")
        type = fields.text("type", "The media type.", sample: "image/webp")
        candidates = fields.records("candidates", "Its sizes, smallest first.", of: candidate.schema)
        schema = fields.schema()
    }
}

/// The large picture of a product.
struct LargePictureFields {
    let src: Field<String>, width: Field<String>, height: Field<String>, alt: Field<String>
    let photo: Field<Bool>, sources: Field<[Record]>
    let schema: Schema

    init(_ source: PictureSourceFields) {
        var fields = Schema.Builder("a product's picture")
        src = fields.text("src", "The file in its original format.", sample: "assets/pictures/5f0c2a9b11.jpg")
        width = fields.text("width", "Pixels.", sample: "600")
        height = fields.text("height", "Pixels.", sample: "800")
        alt = fields.text("alt", "Alternative text.", sample: "Tall clear bottle with a cream label")
        photo = fields.flag("photo", "Whether no part of it is transparent.")
        sources = fields.records("sources", "Better formats, best first.", of: source.schema)
        schema = fields.schema()
    }

    func callAsFunction(_ picture: Picture, alt text: String) -> Record {
        var record = Record(schema)
        record[src] = picture.path
        record[width] = String(picture.width)
        record[height] = String(picture.height)
        record[alt] = text
        if picture.isOpaque { record[photo] = true }
        return record
    }
}

/// A further picture of a product.
struct ThumbnailFields {
    let src: Field<String>, width: Field<String>, height: Field<String>, alt: Field<String>,
        path: Field<String>
    let schema: Schema

    init() {
        var fields = Schema.Builder("a thumbnail")
        src = fields.text("src", "The small picture.")
        width = fields.text("width", "Pixels.", sample: "420")
        height = fields.text("height", "Pixels.", sample: "560")
        alt = fields.text("alt", "Alternative text.")
        path = fields.text("path", "The large picture.")
        schema = fields.schema()
    }

    func callAsFunction(_ picture: Picture, alt text: String) -> Record {
        var record = Record(schema)
        record[src] = picture.path
        record[width] = String(picture.width)
        record[height] = String(picture.height)
        record[alt] = text
        record[path] = picture.path
        return record
    }
}

/// A price as text.
struct PriceFields {
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
struct AvailabilityFields {
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
struct TagFields {
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
struct DateFields {
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
struct BranchFields {
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
