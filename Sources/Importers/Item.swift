import Basics

/// What a format makes of one product or review of a file: texts, and what they say.
///
/// A cell that is there and empty says that there is no such value; a field without a cell says nothing, and what
/// the database has stays.
struct Item {
    /// A text with its field and its place.
    struct Cell {
        var field: Field
        var text: String
        /// From 1.
        var line: Int, column: Int
        /// What the file calls it.
        var label: String
    }

    enum Kind { case product, review }

    var kind: Kind
    /// Where it begins.
    var line: Int
    var cells: [Cell] = []
    /// Whether the file says all that can be said: facets and facts it does not name go.
    var isWhole = false
    /// What the format itself found wrong, at a line and column; the item is then refused.
    var fault: (message: String, line: Int, column: Int)?

    mutating func add(_ field: Field, _ text: String, line: Int? = nil, column: Int = 1, label: String) {
        cells.append(Cell(field: field, text: text, line: line ?? self.line, column: column, label: label))
    }

    /// The texts of a field.
    func texts(_ field: Field) -> [String] { cells.filter { $0.field == field }.map(\.text) }
}

/// What a file's rows become; a format calls it in the order of the file.
protocol ItemSink: AnyObject {
    /// Takes a product or review.
    func take(_ item: Item) throws
    /// Notes that a row is left out on purpose, and why.
    func leaveOut(_ reason: String)
    /// Refuses a row that could not be read.
    func refuse(_ message: String, line: Int, column: Int) throws
    /// Notes something about a row that is taken.
    func warn(_ id: String, _ message: String, line: Int, column: Int)
}
