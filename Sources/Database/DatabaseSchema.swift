import CSQLite

/// What a database says of its own tables and views: names, types, keys and references.
public struct DatabaseSchema: Sendable {
    /// A column of a table or view.
    public struct Column: Hashable, Sendable {
        /// As it was written.
        public let name: String
        /// The declared type, which decides nothing: the values' own types count. Empty when there is none.
        public let declaredType: String
        /// Its place in the primary key, from 1; 0 when it is not part of it.
        public let keyPosition: Int
    }

    /// A declared reference of one column to another table.
    public struct Reference: Hashable, Sendable {
        /// The referring column.
        public let column: String
        /// The table it refers to; there may be none of that name.
        public let table: String
        /// The column there; nil is its primary key.
        public let target: String?
    }

    /// A table or a view. Virtual tables and SQLite's own are left out.
    public struct Table: Sendable {
        /// As it was written.
        public let name: String
        /// Whether it is a view.
        public let isView: Bool
        /// Whether rows can be found by `rowid`: not in views, in tables WITHOUT ROWID, or where a column has that name.
        public let hasRowID: Bool
        /// In the order of the declaration.
        public let columns: [Column]
        /// Declared references of single columns.
        public let references: [Reference]
        /// Columns that a primary key or a unique index over them alone keeps unique.
        public let uniqueColumns: Set<String>
    }

    /// In the order of their names, byte by byte.
    public let tables: [Table]
}

extension Connection {
    /// Reads the schema. Lets queries use views from here on: a view's columns cannot be known otherwise.
    ///
    /// A view that cannot be read (its table is gone) is left out.
    public func schema() throws(DatabaseError) -> DatabaseSchema {
        allowViews()
        return try withoutAuthorizer { () throws(DatabaseError) in
            let names = try rows(
                """
                SELECT name, type, wr FROM pragma_table_list
                WHERE schema = 'main' AND type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                ORDER BY name COLLATE BINARY
                """
            ) { (name: $0.text(0), isView: $0.text(1) == "view", isWithoutRowID: $0.integer(2) != 0) }
            var tables: [DatabaseSchema.Table] = []
            for entry in names {
                guard
                    let table = try? table(
                        entry.name, isView: entry.isView, isWithoutRowID: entry.isWithoutRowID)
                else { continue }
                tables.append(table)
            }
            return DatabaseSchema(tables: tables)
        }
    }

    private func table(
        _ name: String, isView: Bool, isWithoutRowID: Bool
    ) throws(DatabaseError) -> DatabaseSchema.Table? {
        let literal = name.quotedLiteral
        // Hidden columns (1) belong to virtual tables; 2 and 3 are generated ones, which read like any other.
        let columns = try rows(
            "SELECT name, type, pk FROM pragma_table_xinfo(\(literal)) WHERE hidden <> 1 ORDER BY cid"
        ) {
            DatabaseSchema.Column(
                name: $0.text(0), declaredType: $0.text(1), keyPosition: Int($0.integer(2)))
        }
        guard !columns.isEmpty else { return nil }
        let references = try rows(
            """
            SELECT "from", "table", "to" FROM pragma_foreign_key_list(\(literal))
            GROUP BY id HAVING count(*) = 1 ORDER BY id
            """
        ) {
            DatabaseSchema.Reference(
                column: $0.text(0), table: $0.text(1),
                target: $0.storageClass(2) == .null ? nil : $0.text(2))
        }
        var unique = Set(
            try rows(
                """
                SELECT max(c.name) FROM pragma_index_list(\(literal)) AS i, pragma_index_info(i.name) AS c
                WHERE i."unique" AND NOT i.partial GROUP BY i.name HAVING count(*) = 1 AND max(c.cid) >= 0
                """
            ) { $0.text(0) })
        let key = columns.filter { $0.keyPosition > 0 }
        if key.count == 1 { unique.insert(key[0].name) }
        return DatabaseSchema.Table(
            name: name, isView: isView,
            hasRowID: !isView && !isWithoutRowID && !columns.contains { $0.name.foldedASCII == "rowid" },
            columns: columns, references: references, uniqueColumns: unique)
    }
}

/// Names and texts as SQL writes them.
public enum SQLText {
    /// The name as it stands in a query: in double quotes only where it must be.
    public static func identifier(_ name: String) -> String {
        let bytes = name.utf8
        let isPlain =
            bytes.first.map { !(0x30...0x39).contains($0) } == true
            && bytes.allSatisfy {
                (0x61...0x7A).contains($0 | 0x20) && $0 < 0x80 || (0x30...0x39).contains($0) || $0 == 0x5F
                    || $0 >= 0x80
            }
        if isPlain, sqlite3_keyword_check(name, Int32(bytes.count)) == 0 { return name }
        return name.quotedIdentifier
    }

    /// The text as a literal, in single quotes.
    public static func literal(_ text: String) -> String { text.quotedLiteral }
}
