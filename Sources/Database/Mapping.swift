import Basics
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

    /// A mapping; without queries it reads the default schema.
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
    /// Which query it is about.
    public let source: Mapping.Source
    /// One line, as diagnostics are written.
    public let message: String
    /// Byte offset into the mapped SQL, if the fault has a place there.
    public let offset: Int?
}

/// A source whose columns are known: `SELECT … FROM (query)`.
struct Relation {
    let source: Mapping.Source
    /// What stands after FROM.
    let expression: String
    /// The names as they are written, but for those of fields, which are in lower case: SQL does not tell them
    /// apart.
    let columns: [String]
    /// Whether the site wrote the query, so that an unknown column is its mistake.
    let isMapped: Bool

    /// The source's relation; nil when the site maps none and the database has no such table.
    static func find(
        _ source: Mapping.Source, in connection: Connection, mapping: Mapping
    ) throws(any Error) -> Relation? {
        if let query = mapping.queries[source] { return try Relation(source, mapped: query, in: connection) }
        // Only a mapping that names a view uses it. Virtual tables have no pages, and are not read at all: what they
        // do with damaged tables behind them is no promise of SQLite's.
        let tables = try connection.rows(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND rootpage > 0 AND lower(name) = '\(source.rawValue)'
            """
        ) { $0.text(0) }
        guard let table = tables.first else { return nil }
        let quoted = table.quotedIdentifier
        let columns = try connection.prepare("SELECT * FROM \(quoted)").columnNames
        return Relation(source, quoted, columns: columns, isMapped: false)
    }

    private init(_ source: Mapping.Source, _ expression: String, columns: [String], isMapped: Bool) {
        self.source = source
        self.expression = expression
        self.columns = columns.map { column in
            let folded = column.foldedASCII
            return source.fields.contains(folded) ? folded : column
        }
        self.isMapped = isMapped
    }

    private init(_ source: Mapping.Source, mapped query: String, in connection: Connection) throws {
        func bad(_ message: String, at offset: Int? = 0, _ id: String = "bad-query") -> MappingError {
            MappingError(
                id: id, source: source, message: "the query of '\(source.rawValue)'\(message)", offset: offset
            )
        }
        let statement: Statement
        let text: String
        do {
            // On its own first: SQLite's offset is then an offset into what the site wrote.
            let (first, end) = try connection.firstStatement(of: query)
            guard let first else { throw bad(" is empty") }
            var rest = end
            while rest < query.utf8.count {
                let next = try? connection.firstStatement(of: query.from(byte: rest))
                guard let next, next.statement == nil, next.rest > 0 else {
                    throw bad(" is followed by another", at: rest)
                }
                rest += next.rest
            }
            statement = first
            text = query.statement(endingAt: end)
        } catch let error as DatabaseError {
            throw bad(": \(error.message)", at: error.offset)
        }
        let columns = statement.columnNames
        guard !columns.isEmpty else { throw bad(" gives no columns") }
        if statement.hasParameters {
            throw bad(" leaves a value open; write values instead of '?', ':name', '@name' and '$name'")
        }
        var seen: Set<String> = []
        for column in columns where !seen.insert(column.foldedASCII).inserted {
            throw bad(" gives two columns named '\(column)'", at: nil, "duplicate-column")
        }
        // A line feed ends a comment of one line at the query's end, and this a comment that nothing ends.
        for end in ["\n", "*/"] where (try? connection.prepare("SELECT 1 FROM (\(text)\(end))")) != nil {
            self.init(source, "(\(text)\(end))", columns: columns, isMapped: true)
            return
        }
        throw bad(" is no SELECT")
    }

    /// The error for a field that must be there.
    func missing(_ field: String) -> MappingError {
        let near = suggestion(for: field, among: columns)
        return MappingError(
            id: "missing-column", source: source,
            message: "'\(source.rawValue)' gives no column '\(field)'"
                + (near.map { "; is it the one called '\($0)'? write \($0.quotedIdentifier) AS \(field)" }
                    ?? ""),
            offset: isMapped ? 0 : nil)
    }

    /// The error for a column that is no field.
    func unknown(_ column: String, known: [String]) -> MappingError {
        let near = suggestion(for: column, among: known)
        return MappingError(
            id: "unknown-column", source: source,
            message: "'\(column)' is not a field of '\(source.rawValue)'"
                + (near.map { "; did you mean '\($0)'?" }
                    ?? (source == .products
                        ? "; name it \"fact:\(column)\" to show it as a fact" : "; leave it out")),
            offset: nil)
    }
}

extension Mapping.Source {
    /// The columns that a source may give, beside those of products that begin with `fact:`, `facet:` and
    /// `note:`; docs/database.md lists them.
    public var fields: [String] {
        switch self {
        case .products: ProductColumns.fields
        case .categories: ["id", "parent_id", "position", "name", "slug", "description", "colour", "picture"]
        case .productCategories: ["product_id", "category_id", "position"]
        case .facts: ["product_id", "position", "name", "value"]
        case .facets: ["product_id", "facet", "value"]
        case .pictures: ["product_id", "position", "file", "alt", "data"]
        case .reviews: ["id", "product_id", "rating", "author", "date", "title", "body", "language"]
        }
    }

    /// The columns without which a source is of no use.
    public var neededFields: [String] {
        switch self {
        case .products, .categories: ["id", "name"]
        case .productCategories: ["product_id", "category_id"]
        case .facts: ["product_id", "name", "value"]
        case .facets: ["product_id", "facet", "value"]
        case .pictures: ["product_id"]
        case .reviews: ["product_id"]
        }
    }
}

extension String {
    fileprivate func from(byte: Int) -> String { String(decoding: utf8.dropFirst(byte), as: UTF8.self) }

    /// The first statement without the semicolon that ends it. (A semicolon that ends a comment goes as well.)
    fileprivate func statement(endingAt byte: Int) -> String {
        var bytes = utf8.prefix(byte)
        while let last = bytes.last, last == UInt8(ascii: ";") || last <= 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// As SQLite compares names: only A to Z have a lower case.
    var foldedASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The name in double quotes, for SQL.
    var quotedIdentifier: String {
        "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// The text in single quotes, for SQL.
    var quotedLiteral: String {
        "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }
}
