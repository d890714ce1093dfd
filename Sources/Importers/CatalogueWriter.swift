import Basics
import Database

/// Writes products and reviews into the default tables, inside a transaction that its owner begins and ends.
final class CatalogueWriter {
    /// What writing a row came to.
    enum Outcome: Equatable {
        case new, changed, same
        /// Not written, and why.
        case refused(id: String, String)
    }

    let connection: Connection
    let schema: CatalogueSchema
    private var statements: [String: Statement] = [:]
    private var keys: [String: KeyTable] = [:]
    private var categories: [String: Int64] = [:]
    private var hasCategoryPaths = false
    /// Columns that the file has and the database has not, with how many values were left out for it.
    private(set) var missing: [String: Int] = [:]

    /// Statements and categories kept in memory; arbitrary, far above what a shop has.
    private static let statementLimit = 200, categoryLimit = 10_000

    init(_ connection: Connection, isExtending: Bool) throws {
        self.connection = connection
        schema = try CatalogueSchema(connection, isExtending: isExtending)
        for table in ["seen_products", "seen_reviews"] {
            try connection.execute(
                "CREATE TABLE temp.\(table)(id INTEGER PRIMARY KEY, line INTEGER NOT NULL)")
        }
    }

    /// Begins another file: keys are looked up in what is there now, and none of them came yet.
    func beginFile() throws {
        keys = [:]
        statements = [:]
        try connection.execute("DELETE FROM temp.seen_products; DELETE FROM temp.seen_reviews")
    }

    /// Runs a statement that is kept, with its values.
    private func run(_ sql: String, _ values: ColumnValue...) throws { try run(sql, values) }

    private func run(_ sql: String, _ values: [ColumnValue]) throws { try bound(sql, values).run() }

    private func bound(_ sql: String, _ values: [ColumnValue]) throws -> Statement {
        let statement: Statement
        if let kept = statements[sql] {
            statement = kept
        } else {
            if statements.count >= Self.statementLimit { statements = [:] }
            statement = try connection.prepare(sql)
            statements[sql] = statement
        }
        for (i, value) in values.enumerated() {
            switch value {
            case .null: statement.bindNull(Int32(i + 1))
            case .integer(let number): statement.bind(Int32(i + 1), number)
            case .text(let text): statement.bind(Int32(i + 1), text)
            }
        }
        return statement
    }

    private func rows<T>(_ sql: String, _ values: ColumnValue..., body: (Statement) -> T) throws -> [T] {
        let statement = try bound(sql, values)
        defer { statement.reset() }
        var out: [T] = []
        while try statement.step() { out.append(body(statement)) }
        return out
    }

    private func keyTable(_ column: String) throws -> KeyTable? {
        guard schema.has("products", column) else { return nil }
        if let table = keys[column] { return table }
        let table = try KeyTable(connection, column: column)
        keys[column] = table
        return table
    }

    // MARK: Products

    /// Writes a product, if the database has it not yet as it is here.
    func write(_ row: ProductRow, line: Int) throws -> Outcome {
        let id: Int64?
        switch row.key {
        case .id(let number): id = try existing(number)
        case .column(let column, let key):
            guard let table = try keyTable(column) else {
                return .refused(
                    id: "import-database",
                    "the database's table 'products' has no column '\(column)', which tells the products apart; say --extend"
                )
            }
            switch try table.answer(key) {
            case .one(let found): id = found
            case .none: id = nil
            case .several:
                return .refused(
                    id: "import-duplicate",
                    "more than one product of the database has the \(column) '\(key)'; make them differ")
            }
        }
        if let id {
            if case .id = row.key, let other = try otherProduct(id, row) {
                return .refused(
                    id: "import-other-product",
                    "the database's product \(id) is '\(other)', with another sku; choose what tells products apart with "
                        + "--key sku, or change one of the numbers")
            }
            if let first = try seen("seen_products", id, line) {
                return .refused(
                    id: "import-duplicate", "this product was already in line \(first); one row each")
            }
            return try update(id, row) ? .changed : .same
        }
        guard case .text? = row["name"] else {
            return .refused(
                id: "import-value",
                "the product is new and has no name; fill it in, or map a column to 'name'")
        }
        let new = try insert(row)
        _ = try seen("seen_products", new, line)
        if case .column(let column, let key) = row.key { try keyTable(column)?.insert(key, new) }
        return .new
    }

    private func existing(_ id: Int64) throws -> Int64? {
        try rows("SELECT id FROM main.products WHERE id = ?1", .integer(id)) { $0.integer(0) }.first
    }

    /// The name of the product that has this number, when both its sku and its name say that it is another one.
    private func otherProduct(_ id: Int64, _ row: ProductRow) throws -> String? {
        guard schema.has("products", "sku"), case .text(let sku)? = row["sku"],
            case .text(let name)? = row["name"]
        else {
            return nil
        }
        return try rows(
            "SELECT name FROM main.products WHERE id = ?1 AND sku <> ?2 AND name <> ?3", .integer(id),
            .text(sku), .text(name)
        ) { $0.text(0) }.first
    }

    /// Notes that an id came; the line in which it came before, if it did.
    private func seen(_ table: String, _ id: Int64, _ line: Int) throws -> Int64? {
        if let first = try rows(
            "SELECT line FROM temp.\(table) WHERE id = ?1", .integer(id), body: { $0.integer(0) }
        ).first {
            return first
        }
        try run("INSERT INTO temp.\(table) VALUES (?1, ?2)", .integer(id), .integer(Int64(line)))
        return nil
    }

    /// The columns that the database has too; the others are counted.
    private func known(_ columns: [(name: String, value: ColumnValue)], in table: String) -> [(
        name: String, value: ColumnValue
    )] {
        columns.filter { column in
            if schema.has(table, column.name) { return true }
            if column.value != .null { missing["\(table).\(column.name)", default: 0] += 1 }
            return false
        }
    }

    private func insert(_ row: ProductRow) throws -> Int64 {
        var columns = known(row.columns, in: "products")
        // A number that another product has; this one is told apart by something else.
        if case .column = row.key, case .integer(let id)? = row["id"], try existing(id) != nil {
            columns.removeAll { $0.name == "id" }
        }
        let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        try run("INSERT INTO main.products(\(names)) VALUES (\(marks))", columns.map(\.value))
        let id = try rows("SELECT last_insert_rowid()") { $0.integer(0) }[0]
        _ = try writeParts(of: id, row)
        return id
    }

    private func update(_ id: Int64, _ row: ProductRow) throws -> Bool {
        let changed = try updateColumns("products", id, row.columns)
        return try writeParts(of: id, row) || changed
    }

    /// Sets columns of a row unless they have these values; whether one had not. SQLite compares: it alone knows what
    /// a column makes of a value.
    private func updateColumns(_ table: String, _ id: Int64, _ columns: [(name: String, value: ColumnValue)])
        throws -> Bool
    {
        let columns = known(columns, in: table).filter { $0.name != "id" }
        if columns.isEmpty { return false }
        let sets = columns.enumerated().map { "\"\($1.name)\" = ?\($0 + 2)" }.joined(separator: ", ")
        let tests = columns.enumerated().map { "\"\($1.name)\" IS ?\($0 + 2)" }.joined(separator: " AND ")
        try run(
            "UPDATE main.\(table) SET \(sets) WHERE id = ?1 AND NOT (\(tests))",
            [.integer(id)] + columns.map(\.value))
        return connection.changes > 0
    }

    /// Whether a row has these values.
    private func holds(_ table: String, _ id: Int64, _ columns: [(name: String, value: ColumnValue)]) throws
        -> Bool
    {
        let columns = known(columns, in: table)
        let tests = columns.enumerated().map { " AND \"\($1.name)\" IS ?\($0 + 2)" }.joined()
        let statement = try bound(
            "SELECT 1 FROM main.\(table) WHERE id = ?1" + tests, [.integer(id)] + columns.map(\.value))
        defer { statement.reset() }
        return try statement.step()
    }

    // MARK: What belongs to a product

    /// Writes categories, facts, facets and pictures where they differ; whether any did.
    private func writeParts(of id: Int64, _ row: ProductRow) throws -> Bool {
        var isChanged = false
        if let paths = row.categories, has("product_categories", paths.count), schema.has("categories") {
            let wanted = try paths.map { try category($0) }
            let present = try rows(
                "SELECT category_id FROM main.product_categories WHERE product_id = ?1 ORDER BY position, category_id",
                .integer(id)
            ) { $0.integer(0) }
            if wanted != present {
                isChanged = true
                try run("DELETE FROM main.product_categories WHERE product_id = ?1", .integer(id))
                for (i, category) in wanted.enumerated() {
                    try run(
                        "INSERT OR IGNORE INTO main.product_categories(product_id, category_id, position) VALUES (?1, ?2, ?3)",
                        .integer(id), .integer(category), .integer(Int64(i)))
                }
            }
        }
        if try writeFacets(of: id, row) { isChanged = true }
        if try writeFacts(of: id, row) { isChanged = true }
        if try writePictures(of: id, row) { isChanged = true }
        return isChanged
    }

    private func has(_ table: String, _ count: Int) -> Bool {
        if schema.has(table) { return true }
        if count > 0 { missing[table, default: 0] += count }
        return false
    }

    private func writeFacets(of id: Int64, _ row: ProductRow) throws -> Bool {
        guard row.isWhole || !row.facets.isEmpty, has("facets", row.facets.count) else { return false }
        let named = Set(row.facets.map(\.name))
        let present = try rows("SELECT facet, value FROM main.facets WHERE product_id = ?1", .integer(id)) {
            [$0.text(0), $0.text(1)]
        }
        let wanted = Set(row.facets.filter { !$0.value.isEmpty }.map { [$0.name, $0.value] })
        let going = present.filter { (row.isWhole || named.contains($0[0])) && !wanted.contains($0) }
        let coming = wanted.subtracting(present)
        for pair in going {
            try run(
                "DELETE FROM main.facets WHERE product_id = ?1 AND facet = ?2 AND value = ?3", .integer(id),
                .text(pair[0]),
                .text(pair[1]))
        }
        for pair in coming.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            try run(
                "INSERT INTO main.facets(product_id, facet, value) VALUES (?1, ?2, ?3)", .integer(id),
                .text(pair[0]), .text(pair[1]))
        }
        return !going.isEmpty || !coming.isEmpty
    }

    private func writeFacts(of id: Int64, _ row: ProductRow) throws -> Bool {
        guard row.isWhole || !row.facts.isEmpty, has("facts", row.facts.count) else { return false }
        let named = Set(row.facts.map(\.name))
        let all = try rows(
            "SELECT name, value, position FROM main.facts WHERE product_id = ?1 ORDER BY position",
            .integer(id)
        ) {
            (name: $0.text(0), value: $0.text(1), position: $0.integer(2))
        }
        let present = all.filter { row.isWhole || named.contains($0.name) }
        let wanted = row.facts.filter { !$0.value.isEmpty }
        if present.count == wanted.count,
            zip(present, wanted).allSatisfy({ $0.name == $1.name && $0.value == $1.value })
        {
            return false
        }
        for fact in present {
            try run(
                "DELETE FROM main.facts WHERE product_id = ?1 AND position = ?2", .integer(id),
                .integer(fact.position))
        }
        // At the place where they were, if that is free for all of them; else at the end.
        let others = all.filter { fact in !present.contains { $0.position == fact.position } }
        let last = others.last?.position ?? 0
        for (i, fact) in wanted.enumerated() {
            try run(
                "INSERT INTO main.facts(product_id, position, name, value) VALUES (?1, ?2, ?3, ?4)",
                .integer(id),
                .integer(last + Int64(i) + 1), .text(fact.name), .text(fact.value))
        }
        return true
    }

    private func writePictures(of id: Int64, _ row: ProductRow) throws -> Bool {
        guard let wanted = row.pictures, has("pictures", wanted.count) else { return false }
        let hasText = schema.has("pictures", "alt")
        let present = try rows(
            "SELECT file, \(hasText ? "alt" : "NULL") FROM main.pictures WHERE product_id = ?1 ORDER BY position",
            .integer(id)
        ) { statement in
            (0..<2).map { statement.storageClass($0) == .null ? nil : statement.text($0) }
        }
        var isChanged = false
        if present != wanted.map({ [$0.file, hasText ? $0.text : nil] }) {
            isChanged = true
            try run("DELETE FROM main.pictures WHERE product_id = ?1", .integer(id))
            for (i, picture) in wanted.enumerated() {
                var values: [ColumnValue] = [.integer(id), .integer(Int64(i)), .text(picture.file)]
                if hasText { values.append(picture.text.map { .text($0) } ?? .null) }
                try run(
                    "INSERT INTO main.pictures(product_id, position, file\(hasText ? ", alt" : "")) VALUES (?1, ?2, ?3"
                        + "\(hasText ? ", ?4" : ""))", values)
            }
        }
        for case (let file, let address?) in wanted.map({ ($0.file, $0.address) })
        where has("picture_sources", 1) {
            try run(
                "INSERT INTO main.picture_sources(file, url) VALUES (?1, ?2) "
                    + "ON CONFLICT(file) DO UPDATE SET url = excluded.url WHERE url <> excluded.url",
                .text(file),
                .text(address))
            // It is no change of the product: two may have the same picture in two versions, each with its address.
        }
        return isChanged
    }

    // MARK: Categories

    /// The number of a category by its path; those that are missing are made.
    private func category(_ path: [String]) throws -> Int64 {
        if !hasCategoryPaths {
            hasCategoryPaths = true
            try connection.execute(
                "CREATE TABLE temp.category_paths(path TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID")
            // A cycle has no root and is never reached.
            let parent = schema.has("categories", "parent_id") ? "parent_id" : "NULL"
            try connection.execute(
                """
                INSERT OR IGNORE INTO temp.category_paths
                WITH RECURSIVE tree(id, path, depth) AS (
                  SELECT id, name, 1 FROM main.categories WHERE \(parent) IS NULL
                  UNION ALL SELECT c.id, t.path || char(31) || c.name, t.depth + 1
                    FROM main.categories AS c JOIN tree AS t ON c.\(parent == "NULL" ? "id IS NULL AND t.id" : parent) = t.id
                    WHERE t.depth < 64)
                SELECT path, id FROM tree ORDER BY id
                """)
        }
        var key = ""
        var above: Int64?
        for name in path {
            key += (key.isEmpty ? "" : "\u{1F}") + name
            if let known = categories[key] {
                above = known
                continue
            }
            let found = try rows("SELECT id FROM temp.category_paths WHERE path = ?1", .text(key)) {
                $0.integer(0)
            }.first
            let id: Int64
            if let found {
                id = found
            } else {
                if let above, schema.has("categories", "parent_id") {
                    try run(
                        "INSERT INTO main.categories(name, parent_id) VALUES (?1, ?2)", .text(name),
                        .integer(above))
                } else {
                    try run("INSERT INTO main.categories(name) VALUES (?1)", .text(name))
                }
                id = try rows("SELECT last_insert_rowid()") { $0.integer(0) }[0]
                try run("INSERT INTO temp.category_paths VALUES (?1, ?2)", .text(key), .integer(id))
            }
            if categories.count >= Self.categoryLimit { categories = [:] }
            categories[key] = id
            above = id
        }
        guard let above else { preconditionFailure("a category's path is empty") }
        return above
    }

    // MARK: Reviews

    /// Writes a review, if the database has it not yet as it is here.
    func write(_ row: ReviewRow, line: Int) throws -> Outcome {
        var product: Int64?
        for (column, value) in row.products {
            if column == "id" {
                if let id = Int64(value), let found = try existing(id) { product = found }
            } else if let table = try keyTable(column) {
                switch try table.answer(value) {
                case .one(let id): product = id
                case .none: break
                case .several:
                    return .refused(
                        id: "import-duplicate",
                        "more than one product of the database has the \(column) '\(value)'; make them differ"
                    )
                }
            }
            if product != nil { break }
        }
        guard let product else {
            let names = row.products.map { "\($0.column) '\($0.value)'" }
            let shown =
                Set(row.products.map(\.value)).count == 1
                ? "'\(row.products[0].value)'" : names.joined(separator: ", ")
            return .refused(
                id: "import-unknown-product",
                "no product of the database is \(shown); import the products first")
        }
        let columns = [("product_id", ColumnValue.integer(product))] + row.columns
        let exists = try !rows("SELECT 1 FROM main.reviews WHERE id = ?1", .integer(row.id)) { _ in true }
            .isEmpty
        if exists {
            if let first = try seen("seen_reviews", row.id, line) {
                if try holds("reviews", row.id, columns) { return .same }
                return .refused(
                    id: "import-duplicate", "this review was already in line \(first), with other words")
            }
            return try updateColumns("reviews", row.id, columns) ? .changed : .same
        }
        let known = [("id", ColumnValue.integer(row.id))] + known(columns, in: "reviews")
        try run(
            "INSERT INTO main.reviews(\(known.map { "\"\($0.0)\"" }.joined(separator: ", "))) VALUES ("
                + known.indices.map { "?\($0 + 1)" }.joined(separator: ", ") + ")", known.map(\.1))
        _ = try seen("seen_reviews", row.id, line)
        return .new
    }
}
