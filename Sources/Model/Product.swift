/// One row, one page. What is nil is unknown, which is not zero.
public struct Product: Sendable {
    /// Unique in the catalogue.
    public var id: ProductID
    /// The shop's article number, and the GTIN with digits only and a right check digit.
    public var sku: String?, gtin: String?
    /// Never empty: `#` and the id when the database has none.
    public var name: String
    /// The address the shop wants, as the database has it.
    public var slug: String?
    /// The fields that can always be browsed by.
    public var producer: String?, style: String?, country: String?, region: String?
    /// As the label states it.
    public var age: Age?
    /// The year of distillation or harvest.
    public var vintage: Int?
    /// When it was filled.
    public var bottled: PartialDate?
    /// Alcohol by volume in hundredths of a percent.
    public var abv: Int?
    /// Content in millilitres.
    public var volume: Double?
    /// What it costs now.
    public var price: Money?
    /// What it cost before, when it is on sale.
    public var regularPrice: Money?
    /// From the column of that name, else from the stock.
    public var availability: Availability?
    /// Pieces left.
    public var stock: Int?
    /// A sentence of plain text.
    public var summary: String?
    /// The two notes with a card of their own.
    public var bottlingNote: Note?, tastingNote: Note?
    /// Parts of the tasting note, plain text of one line each.
    public var nose: String?, palate: String?, finish: String?
    /// Further note cards, in the order of the mapping.
    public var notes: [Note] = []
    /// Labelled values: columns of the mapping first, then rows, each in their order.
    public var facts: [Fact] = []
    /// Values of facets that are not fields of their own, by the facet's name.
    public var facets: [Fact] = []
    /// The first is the main one.
    public var pictures: [PictureSource] = []
    /// Keys of its categories; the first is the main one.
    public var categories: [ProductID] = []
    /// Newest first.
    public var reviews: [Review] = []
    /// Rank on the home page.
    public var featured: Int?
    /// When the row was made and last changed.
    public var created: PartialDate?, updated: PartialDate?
    /// Six hexadecimal digits.
    public var colour: String?

    /// A product of which only the key and the name are known.
    public init(id: ProductID, name: String) {
        self.id = id
        self.name = name
    }
}

/// How long a spirit matured, as its label says.
public enum Age: Hashable, Sendable {
    case years(Int)
    /// The label makes no age statement: known, and not the same as unknown.
    case noStatement
}

/// Whether a product can be had, in schema.org's terms.
public enum Availability: String, Hashable, Sendable, CaseIterable {
    case inStock = "InStock"
    case limited = "LimitedAvailability"
    case soldOut = "SoldOut"
    case comingSoon = "PreOrder"
    case discontinued = "Discontinued"
}

/// Rich text of the database, before it is made safe.
public struct Note: Hashable, Sendable {
    /// How a column writes its text.
    public enum Format: String, Hashable, Sendable { case html, markdown, plain }

    /// The card's title; empty for the two notes that have a card of their own.
    public let label: String
    /// What the column holds, untouched.
    public let text: String
    /// How to read it.
    public let format: Format
    /// The column, for messages.
    public let column: String

    /// A text of a column.
    public init(label: String, text: String, format: Format, column: String) {
        self.label = label
        self.text = text
        self.format = format
        self.column = column
    }
}

/// A labelled value.
public struct Fact: Hashable, Sendable {
    /// One line each, never empty.
    public let label: String, value: String

    /// A value and what it is.
    public init(label: String, value: String) {
        self.label = label
        self.value = value
    }
}

/// Where a picture comes from.
public struct PictureSource: Hashable, Sendable {
    /// The file below the site's picture folder, as the database names it; or ``blobMark`` and what stands for a picture that
    /// is in the database itself.
    public let file: String
    /// What is to be seen, for those who cannot see it.
    public let alternativeText: String?

    /// A character that no text of a database has: such a name is no file's.
    public static let blobMark = "\u{1}"

    /// A file with its text.
    public init(file: String, alternativeText: String?) {
        self.file = file
        self.alternativeText = alternativeText
    }
}

/// A visitor's words.
public struct Review: Sendable {
    /// Tenths of a star, 0 to 50; nil when the visitor gave none.
    public let rating: Int?
    /// Plain text; only the body may have several lines.
    public let author: String?, title: String?, body: String?
    /// When it was written.
    public let date: PartialDate?
    /// A BCP 47 tag.
    public let language: String?

    /// A review as read.
    public init(
        rating: Int?, author: String? = nil, title: String? = nil, body: String? = nil,
        date: PartialDate? = nil, language: String? = nil
    ) {
        self.rating = rating
        self.author = author
        self.title = title
        self.body = body
        self.date = date
        self.language = language
    }
}

/// A node of the category tree, as the database has it.
public struct Category: Sendable {
    /// Unique among categories.
    public let id: ProductID
    /// The category it stands below; that one may be missing, or stand below this one.
    public let parent: ProductID?
    /// Never empty: the id when the database has none.
    public let name: String
    /// The part of its address that the shop wants.
    public let slug: String?
    /// The place among its siblings.
    public let position: Int?
    /// One or two plain sentences.
    public let summary: String?
    /// Six hexadecimal digits.
    public let colour: String?
    /// The file below the site's picture folder, as ``PictureSource/file``.
    public let picture: String?

    /// A category as read.
    public init(
        id: ProductID, parent: ProductID?, name: String, slug: String?, position: Int?, summary: String?,
        colour: String?, picture: String?
    ) {
        self.id = id
        self.parent = parent
        self.name = name
        self.slug = slug
        self.position = position
        self.summary = summary
        self.colour = colour
        self.picture = picture
    }
}
