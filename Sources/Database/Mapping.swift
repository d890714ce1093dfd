import Basics
import CSQLite
public import Model

/// How a database becomes a catalogue: where each kind of row comes from, and how its texts are written.
public struct Mapping: Sendable {
    /// The kinds of row a catalogue has; the raw value is the default table and the setting's name.
    public enum Source: String, CaseIterable, Sendable {
        case products, categories, productCategories = "product_categories", facts, facets, pictures, reviews
    }

    /// The SQL of each source that the site maps; the others are read from the default tables, if there are any.
    public var queries: [Source: String]
    /// The currency of prices whose row names none.
    public var currency: Currency
    /// The format of note columns; a column that is not listed is HTML.
    public var noteFormats: [String: Note.Format]

    public init(
        queries: [Source: String] = [:], currency: Currency, noteFormats: [String: Note.Format] = [:]
    ) {
        self.queries = queries
        self.currency = currency
        self.noteFormats = noteFormats
    }
}

/// A mapped query, or a default table, that cannot be used.
public struct MappingError: Error, Sendable {
    /// The stable id of the diagnostic.
    public let id: String
    public let source: Mapping.Source
    public let message: String
    /// Byte offset into the mapped SQL, if the fault has a place there.
    public let offset: Int?
}

/// A source whose columns are known: `SELECT … FROM (query)`.
struct Relation {
    let source: Mapping.Source
    /// What stands after FROM.
    let expression: String
    let columns: [String]
    /// Whether the site wrote the query, so that an unknown column is its mistake.
    let isMapped: Bool

    /// The source's relation; nil when the site maps none and the database has no such table.
    static func find(
        _ source: Mapping.Source, in connection: Connection, mapping: Mapping
    ) throws(any Error) -> Relation? {
        if let query = mapping.queries[source] {
            let text = query.trimmedQuery
            let statement: Statement
            do {
                // On its own first: SQLite's offset is then an offset into what the site wrote.
                statement = try connection.prepare(text)
            } catch {
                throw MappingError(
                    id: "bad-query", source: source, message: "the query of '\(source.rawValue)': \(error.message)",
                    offset: error.offset)
            }
            let columns = statement.columnNames
            guard !columns.isEmpty else {
                throw MappingError(
                    id: "bad-query", source: source, message: "the query of '\(source.rawValue)' gives no columns",
                    offset: 0)
            }
            var seen: Set<String> = []
            for column in columns where !seen.insert(column).inserted {
                throw MappingError(
                    id: "duplicate-column", source: source,
                    message: "the query of '\(source.rawValue)' gives two columns named '\(column)'", offset: nil)
            }
            // The line feed ends a comment that the query may end in.
            return Relation(source: source, expression: "(\(text)\n)", columns: columns, isMapped: true)
        }
        let tables = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND lower(name) = '\(source.rawValue)'"
        ) { $0.text(0) }
        guard let table = tables.first else { return nil }
        let quoted = table.quotedIdentifier
        let columns = try connection.prepare("SELECT * FROM \(quoted)").columnNames
        return Relation(
            source: source, expression: quoted, columns: columns.map { $0.lowercased() }, isMapped: false)
    }

    /// The error for a field that must be there.
    func missing(_ field: String) -> MappingError {
        let near = suggestion(for: field, among: columns)
        return MappingError(
            id: "missing-column", source: source,
            message: "'\(source.rawValue)' gives no column '\(field)'"
                + (near.map { "; is it the one called '\($0)'? write \($0.quotedIdentifier) AS \(field)" } ?? ""),
            offset: isMapped ? 0 : nil)
    }

    /// The error for a column that is no field.
    func unknown(_ column: String, known: [String]) -> MappingError {
        let near = suggestion(for: column, among: known)
        return MappingError(
            id: "unknown-column", source: source,
            message: "'\(column)' is not a field of '\(source.rawValue)'"
                + (near.map { "; did you mean '\($0)'?" } ?? "; name it \"fact:\(column)\" to show it as a fact"),
            offset: nil)
    }
}

extension String {
    /// The query without white space and semicolons at its end.
    var trimmedQuery: String {
        var bytes = Array(utf8)
        while let last = bytes.last, last == 0x3B || last <= 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    var quotedIdentifier: String {
        var out = "\""
        for character in self { out += character == "\"" ? "\"\"" : String(character) }
        return out + "\""
    }
}
