import Basics
import Markup
import Templates

/// Fields like those of a catalogue, for templates under test.
struct Fixture: Sendable {
    static let shared = Fixture()

    let brand: Schema, review: Schema, category: Schema, product: Schema
    let brandName: Field<String>
    let author: Field<String>, words: Field<SafeHTML>
    let title: Field<String>, children: Field<[Record]>
    let name: Field<String>, distillery: Field<String>, url: Field<String>, layout: Field<String>
    let note: Field<SafeHTML>, tile: Field<Fragment>, inStock: Field<Bool>, maker: Field<Record>
    let policy: Field<SafeHTML>
    let reviews: Field<[Record]>, tags: Field<[String]>, tiles: Field<[Fragment]>, categories: Field<[Record]>

    init() {
        var fields = Schema.Builder("a brand")
        brandName = fields.text("name", "The brand's name.", sample: "Glen Ord")
        brand = fields.schema()

        fields = Schema.Builder("a review")
        author = fields.text("author", "Who wrote it.")
        words = fields.html("words", "What it says.")
        review = fields.schema()

        fields = Schema.Builder("a category")
        title = fields.text("title", "What it is called.")
        children = fields.recordsOfItself("children", "What is below it.")
        category = fields.schema()

        fields = Schema.Builder("a product page")
        name = fields.text("name", "The full name.", sample: "Glen Ord 12")
        distillery = fields.text("distillery", "Where it was made.", optional: true)
        url = fields.text("url", "Its address.")
        layout = fields.choice("layout", "How it looks.", of: ["wide", "narrow"])
        note = fields.html("note", "The tasting note.", optional: true)
        tile = fields.fragment("tile", "Its tile.", optional: true)
        inStock = fields.flag("in_stock", "Whether it can be bought.")
        policy = fields.escapedText("policy", "What it may load.", optional: true)
        maker = fields.record("brand", "Who made it.", brand, optional: true)
        reviews = fields.records("reviews", "What people say.", of: review)
        tags = fields.texts("tags", "Words for it.")
        tiles = fields.fragments("tiles", "Tiles of others.")
        categories = fields.records("categories", "The tree.", of: category)
        product = fields.schema()
    }

    /// A product with `& < > " '` and a backtick in its name, two reviews and a tree of categories.
    func record() -> Record {
        var record = Record(product)
        record[name] = "<b>Glen & \"Ord\"</b> 'n' `x`"
        record[url] = "glen-ord/"
        record[layout] = "wide"
        record[note] = .escaped("peat & smoke")
        record[inStock] = true
        record[tags] = ["peated", "cask & bottle"]
        var maker = Record(brand)
        maker[brandName] = "Ord"
        record[self.maker] = maker
        record[reviews] = ["Ann", "Bob"].map { name in
            var review = Record(self.review)
            review[author] = name
            return review
        }
        record[categories] = [tree("Whisky", [tree("Malt", [tree("Islay", [])]), tree("Grain", [])])]
        return record
    }

    func tree(_ title: String, _ children: [Record]) -> Record {
        var category = Record(self.category)
        category[self.title] = title
        category[self.children] = children
        return category
    }

    /// The templates of a test, the one to compile being called `page`.
    static func set(_ page: String, _ others: [String: String] = [:]) -> TemplateSet {
        let all = others.merging(["page": page]) { $1 }
        return TemplateSet(
            Dictionary(
                uniqueKeysWithValues: all.map {
                    ($0.key, SourceText(file: "\($0.key).mustache", text: $0.value))
                }))
    }

    /// What a template renders of ``record()``.
    func render(_ page: String, _ others: [String: String] = [:]) throws -> String {
        try render(record(), page, others)
    }

    func render(_ record: Record, _ page: String, _ others: [String: String] = [:]) throws -> String {
        var out: [UInt8] = []
        try Self.set(page, others).compile("page", for: record.schema).render(record, into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// All that is said about a template: errors, or the warnings of one that compiles.
    func log(_ page: String, _ others: [String: String] = [:]) -> String {
        do {
            let template = try Self.set(page, others).compile("page", for: product)
            return template.warnings.map(\.description).joined(separator: "\n")
        } catch {
            return error.description
        }
    }
}
