/// A product's or category's key, of whatever type the database gives it.
///
/// Ordered as SQLite's BINARY collation orders values: numbers before text, text by its bytes. The merge of
/// sorted streams (reviews, facts …) relies on exactly that order.
public enum ProductID: Hashable, Sendable {
    case integer(Int64)
    case text(String)
}

extension ProductID: Comparable {
    public static func < (a: ProductID, b: ProductID) -> Bool {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a < b
        case (.integer, .text): true
        case (.text, .integer): false
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        }
    }
}

extension ProductID: CustomStringConvertible {
    /// The id as list files and messages write it.
    public var description: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): text
        }
    }
}
