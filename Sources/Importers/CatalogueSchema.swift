import Basics
import Database

/// The tables of a database that is to be written to, compared with docs/schema.sql.
struct CatalogueSchema {
    /// The columns that are there, by table, in lower case.
    private(set) var columns: [String: Set<String>] = [:]

    func has(_ table: String, _ column: String) -> Bool { columns[table]?.contains(column) ?? false }
    func has(_ table: String) -> Bool { columns[table] != nil }

    /// Looks at the database, makes the tables of an empty one, and refuses one that is something else.
    ///
    /// - Parameter isExtending: add the tables and columns that are missing.
    init(_ connection: Connection, isExtending: Bool) throws {
        let kinds = try connection.rows(
            "SELECT lower(name), type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        ) { ($0.text(0), $0.text(1)) }
        if kinds.isEmpty {
            try connection.execute(DefaultSchema.sql)
        } else {
            try Self.check(kinds, connection, isExtending: isExtending)
        }
        try read(connection)
        if isExtending, !kinds.isEmpty {
            try extend(connection)
            try read(connection)
        }
    }

    private static let tables = [
        "products", "categories", "product_categories", "facts", "facets", "pictures", "picture_sources",
        "reviews",
    ]

    private mutating func read(_ connection: Connection) throws {
        for table in Self.tables {
            let found = try Self.columns(of: table, connection)
            if !found.isEmpty { columns[table] = Set(found.map(\.name)) }
        }
    }

    private static func columns(
        of table: String, _ connection: Connection
    ) throws -> [(name: String, type: String, isKey: Bool, isNeeded: Bool)] {
        try connection.rows(
            "SELECT lower(name), upper(type), pk, \"notnull\" AND dflt_value IS NULL AND pk = 0 FROM pragma_table_info('\(table)')"
        ) { ($0.text(0), $0.text(1), $0.integer(2) == 1, $0.integer(3) != 0) }
    }

    private static func check(_ kinds: [(String, String)], _ connection: Connection, isExtending: Bool) throws
    {
        func refuse(_ reason: String) -> Failure {
            Failure(
                "import-database",
                reason
                    + "; import into a new file with --into FILE, or map this one in site.yaml (docs/database.md)",
                at: .file(connection.path))
        }
        if let view = kinds.first(where: { tables.contains($0.0) && $0.1 == "view" }) {
            throw refuse("'\(view.0)' is a view, which cannot be written to")
        }
        guard kinds.contains(where: { $0.0 == "products" }) else {
            if isExtending { return }
            throw Failure(
                "import-database",
                "holds tables, but none named 'products'; import into a new file with --into FILE, or say --extend "
                    + "to add the tables of docs/schema.sql beside them", at: .file(connection.path))
        }
        for table in ["products", "categories", "reviews"] {
            let found = try columns(of: table, connection)
            if found.isEmpty { continue }
            // Rows are numbered by SQLite, which it does for such a key only.
            guard let id = found.first(where: { $0.name == "id" }) else {
                throw refuse("its table '\(table)' is not that of docs/schema.sql: it has no column 'id'")
            }
            guard id.type == "INTEGER", id.isKey, found.filter(\.isKey).count == 1 else {
                throw refuse(
                    "its table '\(table)' is not that of docs/schema.sql: 'id' is no INTEGER PRIMARY KEY")
            }
        }
        let products = try columns(of: "products", connection)
        guard products.contains(where: { $0.name == "name" }) else {
            throw refuse("its table 'products' is not that of docs/schema.sql: it has no column 'name'")
        }
        let known = Set(Field.productNames)
        if let own = products.first(where: { $0.isNeeded && !known.contains($0.name) }) {
            throw refuse("its column 'products.\(own.name)' must be filled in, and no import knows with what")
        }
    }

    private func extend(_ connection: Connection) throws {
        let model = try Connection(own: ":memory:")
        try model.execute(DefaultSchema.sql)
        for table in Self.tables {
            if !has(table) {
                let sql = try model.rows("SELECT sql FROM sqlite_schema WHERE name = '\(table)'") {
                    $0.text(0)
                }
                for statement in sql { try connection.execute(statement) }
                continue
            }
            for column in try Self.columns(of: table, model) where !has(table, column.name) {
                // A column that must be filled in cannot be added to rows that have none.
                if column.isKey || column.isNeeded { continue }
                try connection.execute("ALTER TABLE \(table) ADD COLUMN \"\(column.name)\" \(column.type)")
            }
        }
    }
}
