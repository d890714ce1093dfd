/// A product's or category's key, of whatever type the database gives it.
///
/// Ordered as SQLite's BINARY collation orders values: numbers by their value before text, text by its UTF-8
/// bytes. The merge of sorted streams (reviews, facts …) relies on exactly that order.
public enum ProductID: Hashable, Sendable {
    /// A whole number.
    case integer(Int64)
    /// A number that is not whole, or too large for ``integer(_:)``; made by ``init(real:)`` only, so that one
    /// number has one key.
    case real(Double)
    /// A text.
    case text(String)

    /// The key of a floating-point number: 7.0 is the key 7, as it is to SQLite.
    public init(real number: Double) {
        self = Int64(exactly: number).map { .integer($0) } ?? .real(number)
    }
}

extension ProductID {
    /// The keys that a text in a list file may stand for, the likeliest first: a number may be given as text.
    public static func candidates(_ text: String) -> [ProductID] {
        var out: [ProductID] = []
        if let number = Int64(text) { out.append(.integer(number)) }
        out.append(.text(text))
        if out.count == 1, let number = Double(text), number.isFinite { out.append(ProductID(real: number)) }
        return out
    }
}

extension ProductID: Comparable {
    /// Whether SQLite puts `a` before `b`.
    public static func < (a: ProductID, b: ProductID) -> Bool {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
        // Not through Double(a): a whole number above 2⁵³ would be rounded.
        case (.integer(let a), .real(let b)): b >= 0x1p63 || (b >= -0x1p63 && a <= Int64(b.rounded(.down)))
        case (.real, .integer): !(b < a)
        case (_, .text): true
        case (.text, _): false
        }
    }
}

extension ProductID: CustomStringConvertible {
    /// The id as list files and messages write it.
    public var description: String {
        switch self {
        case .integer(let number): String(number)
        case .real(let number): number.plainDescription
        case .text(let text): text
        }
    }
}
