import Basics

/// A value for a column.
enum ColumnValue: Equatable {
    case null
    case integer(Int64)
    case text(String)
}

/// A product as it goes into the database.
struct ProductRow {
    /// What tells which product it is.
    enum Key {
        case id(Int64)
        /// `sku`, `slug`, `gtin` or `name`, and its value.
        case column(String, String)
    }

    struct Picture: Equatable {
        var file: String
        var text: String?
        var address: String?
    }

    var key: Key
    /// Columns of `products` that the file speaks of, by name.
    var columns: [(name: String, value: ColumnValue)] = []
    /// Paths from the top; nil when the file does not speak of categories.
    var categories: [[String]]?
    /// Labelled values in the order of the file; an empty one says that there is none.
    var facts: [(name: String, value: String)] = []
    var facets: [(name: String, value: String)] = []
    /// Facts and facets that are not named here are to go.
    var isWhole = false
    /// Nil when the file does not speak of pictures.
    var pictures: [Picture]?

    subscript(column: String) -> ColumnValue? { columns.first { $0.name == column }?.value }

    mutating func set(_ column: String, _ value: ColumnValue) {
        if let i = columns.firstIndex(where: { $0.name == column }) {
            columns[i].value = value
        } else {
            columns.append((column, value))
        }
    }
}

/// A review as it goes into the database.
struct ReviewRow {
    /// What names its product, to be tried in this order: a column of `products` and its value.
    var products: [(column: String, value: String)]
    /// A number that is always the same for the same review.
    var id: Int64
    /// Columns of `reviews` that the file speaks of, but id and product.
    var columns: [(name: String, value: ColumnValue)]
}
