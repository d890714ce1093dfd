public import Formats
public import Model

/// The formats of files that are read.
public enum ImportFormat: String, CaseIterable, Sendable {
    /// Shopify's export of products (CSV).
    case shopify
    /// WooCommerce's export of products (CSV).
    case woocommerce
    /// A feed for Google Merchant Center (XML or TSV).
    case google
    /// A feed of product reviews for Google (XML).
    case googleReviews = "google-reviews"
    /// Reviews as Judge.me exports them (CSV).
    case judgeme
    /// Reviews as Yotpo exports them (CSV).
    case yotpo
    /// Any table or JSON lines of products.
    case products
    /// Any table, XML or JSON lines of reviews.
    case reviews

    /// The name for reports.
    var title: String {
        switch self {
        case .shopify: "Shopify products"
        case .woocommerce: "WooCommerce products"
        case .google: "Google Merchant products"
        case .googleReviews: "Google product reviews"
        case .judgeme: "Judge.me reviews"
        case .yotpo: "Yotpo reviews"
        case .products: "products"
        case .reviews: "reviews"
        }
    }

    var isReviews: Bool { [.googleReviews, .judgeme, .yotpo, .reviews].contains(self) }
}

/// How files are to be read and what is to be done with them. What is nil is told by looking.
public struct ImportOptions: Sendable {
    /// The database, made if it is missing.
    public var database = ""
    /// The format.
    public var format: ImportFormat?
    /// The encoding.
    public var encoding: TextEncoding?
    /// What stands between the cells of a table.
    public var delimiter: UInt8?
    /// Whether the first row of a table names the columns.
    public var hasHeader: Bool?
    /// Which mark stands before the fraction of an amount.
    public var decimalMark: DecimalMark?
    /// Which part of a date with slashes comes first.
    public var dateOrder: DateOrder?
    /// The field for a column by the name of the column; an empty one leaves it out.
    public var mapping: [(column: String, field: String)] = []
    /// The column that tells which product a row is: `id`, `sku`, `slug`, `gtin` or `name`.
    public var key: String?
    /// What stands between several values in one cell of a plain table, each character by itself.
    public var valueSeparators = ";|"
    /// The currency of amounts that name none.
    public var currency = Currency("EUR")
    /// Write what can be used even if some rows cannot.
    public var skipsBad = false
    /// Add the tables and columns of the default schema that the database lacks.
    public var isExtending = false
    /// Write nothing, only say what would be.
    public var isDryRun = false
    /// Read XML files above 64 MB too.
    public var isLarge = false
    /// How long to wait for another program that is writing to the database, in milliseconds.
    var patience = 5000

    /// Everything told by looking.
    public init() {}
}

/// A column of a table whose meaning is not known.
public struct ColumnQuestion: Sendable {
    /// The file and the column's name in it.
    public let file: String, column: String
    /// Some of its values.
    public let samples: [String]
    /// Whether the table is one of reviews.
    public let isReviews: Bool
}

/// What an import came to.
public struct ImportReport: Sendable {
    /// Rows by what became of them.
    public struct Counts: Hashable, Sendable {
        /// Not there before; there but different; there already; not usable.
        public var new = 0, changed = 0, same = 0, refused = 0

        /// Numbers of rows.
        public init(new: Int = 0, changed: Int = 0, same: Int = 0, refused: Int = 0) {
            (self.new, self.changed, self.same, self.refused) = (new, changed, same, refused)
        }
    }

    /// What one file came to.
    public struct File: Sendable {
        /// Its path.
        public let path: String
        /// Format, encoding and delimiter in words.
        public let description: String
        /// Whether it holds reviews, not products.
        public let isReviews: Bool
        /// Its rows.
        public var counts = Counts()
        /// Rows left out on purpose, by the reason, in the order of the reasons' first row.
        public var leftOut: [(reason: String, count: Int)] = []
    }

    /// The files, products first.
    public var files: [File] = []
    /// Whether the database was written; not for a dry run, and not when a row was refused.
    public var isWritten = false
    /// Whether the database was made.
    public var isNew = false
    /// Pictures that the files name by web addresses, as far as they are new or changed.
    public var addressCount = 0
    /// One of those addresses, for the message.
    public var sampleAddress: String?
    /// Warnings in all; each kind is handed over a few times only.
    public var warningCount = 0

    /// All rows that could not be used.
    public var refused: Int { files.reduce(0) { $0 + $1.counts.refused } }
}
