public import Basics
public import Model

/// Reads a catalogue out of a database by a mapping, inside one read transaction (S21).
///
/// Products come as a stream in the order of their keys; everything that belongs to one (categories, facts,
/// facets, pictures, reviews) is merged in from streams of the same order, so that memory holds one product.
/// Belongs to one thread.
public final class CatalogueReader {
    private let connection: Connection
    private let mapping: Mapping
    private let relations: [Mapping.Source: Relation]
    private let dataVersion: Int64

    /// How much of a product a walk reads.
    public enum Detail: Sendable {
        /// What the plan needs: key, name, address, categories, facets, dates, price, number of reviews.
        case survey
        /// Everything, and a fingerprint of it.
        case full
    }

    /// A product as read: with the faults of its cells, and a fingerprint of all its rows if the walk was full.
    public struct Entry: Sendable {
        public var product: Product
        public var reviewCount: Int
        public var fingerprint: Fingerprint?
        public var faults: [Diagnostic]
    }

    /// Rows that refer to products that are not there.
    public struct Orphans: Sendable {
        public let source: Mapping.Source
        public let count: Int
        public let first: ProductID
    }

    /// Opens the database and starts the transaction; the mapping is checked column by column.
    public init(path: String, mapping: Mapping) throws {
        let plain = try Connection(reading: path)
        // The first read also finds out whether the file is a database at all.
        let views = try plain.rows("SELECT name FROM sqlite_schema WHERE type = 'view'") { $0.text(0).lowercased() }
        let text = mapping.queries.values.joined(separator: "\n").lowercased()
        let named = views.contains { text.contains($0) }
        connection = named ? try Connection(reading: path, allowingViews: true) : plain
        self.mapping = mapping
        // BEGIN alone takes no snapshot: the first read does.
        try connection.execute("BEGIN")
        _ = try connection.rows("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }
        dataVersion = try connection.dataVersion()
        var relations: [Mapping.Source: Relation] = [:]
        for source in Mapping.Source.allCases {
            relations[source] = try Relation.find(source, in: connection, mapping: mapping)
        }
        self.relations = relations
        guard let products = relations[.products] else {
            throw MappingError(
                id: "no-products", source: .products,
                message: "the database has no table 'products'; map one with 'products:' in site.yaml", offset: nil)
        }
        _ = try ProductColumns(products, light: false)
        for (source, needed) in Self.needed {
            guard let relation = relations[source] else { continue }
            for column in needed where !relation.columns.contains(column) { throw relation.missing(column) }
            guard relation.isMapped else { continue }
            let known = Self.known[source]!
            for column in relation.columns where !known.contains(column) {
                throw relation.unknown(column, known: known)
            }
        }
    }

    /// Whether the database is still what this reader sees: ends the transaction and asks SQLite, which knows of commits
    /// by others whatever the clock says.
    public func isCurrent() throws(DatabaseError) -> Bool {
        try connection.execute("COMMIT")
        return try connection.dataVersion() == dataVersion
    }

    private static let needed: [Mapping.Source: [String]] = [
        .categories: ["id", "name"], .productCategories: ["product_id", "category_id"],
        .facts: ["product_id", "name", "value"], .facets: ["product_id", "facet", "value"],
        .pictures: ["product_id", "file"], .reviews: ["product_id"],
    ]

    private static let known: [Mapping.Source: [String]] = [
        .categories: ["id", "parent_id", "position", "name", "slug", "description", "colour", "picture"],
        .productCategories: ["product_id", "category_id", "position"],
        .facts: ["product_id", "position", "name", "value"], .facets: ["product_id", "facet", "value"],
        .pictures: ["product_id", "position", "file", "alt", "data"],
        .reviews: ["id", "product_id", "rating", "author", "date", "title", "body", "language"],
    ]

    /// The number of rows of the products query: pages written must equal it (S43).
    public func productCount() throws(DatabaseError) -> Int {
        let products = relations[.products]!
        return try connection.rows("SELECT count(*) FROM \(products.expression)") { Int($0.integer(0)) }.first ?? 0
    }

    /// The labels of the `facet:` columns, in the order of the query.
    public func facetColumns() throws(MappingError) -> [String] {
        try ProductColumns(relations[.products]!, light: true).facets.map(\.label)
    }

    /// The names in the facets table, sorted.
    public func facetNames() throws(DatabaseError) -> [String] {
        guard let relation = relations[.facets] else { return [] }
        let statement = try connection.prepare("SELECT DISTINCT facet FROM \(relation.expression) ORDER BY facet COLLATE BINARY")
        var cells = CellReader(statement: statement, table: "facets", row: "", faults: CellFaults())
        var out: [String] = []
        while try statement.step() {
            if let name = cells.line(0, "facet"), !out.contains(name) { out.append(name) }
        }
        return out
    }

    /// The labels of the `note:` columns, in the order of the query.
    public func noteColumns() throws(MappingError) -> [String] {
        try ProductColumns(relations[.products]!, light: false).notes.map(\.label)
    }

    /// All categories in the order of their keys, with the faults of their cells.
    public func categories() throws -> (categories: [Category], faults: [Diagnostic]) {
        guard let relation = relations[.categories] else { return ([], []) }
        let wanted = Self.known[.categories]!.filter(relation.columns.contains)
        let statement = try connection.prepare(
            "SELECT \(wanted.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(relation.expression) "
                + "ORDER BY id COLLATE BINARY")
        var cells = CellReader(statement: statement, table: "categories", row: "", faults: CellFaults())
        func index(_ name: String) -> Int32 { wanted.firstIndex(of: name).map(Int32.init) ?? -1 }
        let columns = Self.known[.categories]!.map(index)
        var out: [Category] = []
        while try statement.step() {
            guard let id = cells.key(columns[0], "id") else { continue }
            cells.row = id.description
            if let last = out.last, last.id == id {
                cells.faults.report(
                    "duplicate-id", "is used by two categories; the second is left out", table: "categories",
                    row: cells.row, column: "id")
                continue
            }
            out.append(
                Category(
                    id: id, parent: cells.key(columns[1], "parent_id"),
                    name: cells.line(columns[3], "name") ?? id.description, slug: cells.line(columns[4], "slug"),
                    position: cells.integer(columns[2], "position", in: Int(Int32.min)...Int(Int32.max)),
                    summary: cells.line(columns[5], "description"), colour: cells.line(columns[6], "colour"),
                    picture: cells.line(columns[7], "picture")))
        }
        return (out, cells.faults.take())
    }

    /// Walks the products in the order of their keys.
    ///
    /// - Parameters:
    ///   - keys: only these products; nil for all.
    /// - Returns: rows of other sources whose product is not there (only when all are walked).
    @discardableResult
    public func forEachProduct(
        _ detail: Detail, keys: [ProductID]? = nil, _ body: (Entry) throws -> Void
    ) throws -> [Orphans] {
        guard let keys else { return try walk(detail, keys: nil, body) }
        // SQLite reads a list of literals once into a sorted table, so that chunks may be large.
        for start in stride(from: 0, to: keys.count, by: 2000) {
            let chunk = keys[start..<min(start + 2000, keys.count)]
            let list = chunk.map { key in
                switch key {
                case .integer(let number): String(number)
                case .text(let text): "'" + text.split(separator: "'", omittingEmptySubsequences: false)
                    .joined(separator: "''") + "'"
                }
            }
            _ = try walk(detail, keys: "(" + list.joined(separator: ",") + ")", body)
        }
        return []
    }

    private func walk(_ detail: Detail, keys: String?, _ body: (Entry) throws -> Void) throws -> [Orphans] {
        let full = detail == .full
        let relation = relations[.products]!
        let columns = try ProductColumns(relation, light: !full)
        let statement = try connection.prepare(
            "SELECT \(columns.selection) FROM \(relation.expression)" + (keys.map { " WHERE id IN \($0)" } ?? "")
                + " ORDER BY id COLLATE BINARY")
        var cells = CellReader(statement: statement, table: "products", row: "", faults: CellFaults())
        var cursors: [(Mapping.Source, ChildCursor)] = []
        func cursor(_ source: Mapping.Source, _ wanted: [String], _ order: [String]) throws -> ChildCursor? {
            guard let relation = relations[source] else { return nil }
            let cursor = try ChildCursor(
                relation, columns: wanted, order: order, keys: keys, connection: connection)
            cursors.append((source, cursor))
            return cursor
        }
        let links = try cursor(.productCategories, ["product_id", "category_id", "position"], ["position", "category_id"])
        let facets = try cursor(.facets, ["product_id", "facet", "value"], ["facet", "value"])
        let reviews = try cursor(
            .reviews,
            full ? ["product_id", "rating", "author", "date", "title", "body", "language"] : ["product_id"],
            full ? ["date DESC", "id"] : [])
        let facts = full ? try cursor(.facts, ["product_id", "name", "value", "position"], ["position", "name"]) : nil
        let pictures = full ? try cursor(.pictures, ["product_id", "file", "alt", "position"], ["position"]) : nil

        var buffer: [UInt8] = []
        let decoder = ProductDecoder(columns: columns, mapping: mapping)
        var previous: ProductID?
        while try statement.step() {
            guard let id = cells.key(columns.index(.id), "id") else {
                throw Failure("no-id", "'products' gives a row whose id is NULL or cannot be read")
            }
            if id == previous {
                throw Failure("duplicate-id", "'products' gives two rows with the id '\(id)'; an id must be unique")
            }
            previous = id
            cells.row = id.description
            var product = decoder.product(id, from: &cells, light: !full)
            buffer.removeAll(keepingCapacity: true)
            if full { statement.appendRow(to: &buffer) }
            try links?.rows(of: id) { (row, _) throws(DatabaseError) in
                if full { row.statement.appendRow(to: &buffer) }
                guard let category = row.key(1, "category_id"), !product.categories.contains(category) else { return }
                product.categories.append(category)
            }
            try facets?.rows(of: id) { (row, _) throws(DatabaseError) in
                if full { row.statement.appendRow(to: &buffer) }
                guard let name = row.line(1, "facet"), let value = row.line(2, "value") else { return }
                product.facets.append(Fact(label: name, value: value))
            }
            try facts?.rows(of: id) { (row, _) throws(DatabaseError) in
                row.statement.appendRow(to: &buffer)
                guard let name = row.line(1, "name"), let value = row.line(2, "value") else { return }
                product.facts.append(Fact(label: name, value: value))
            }
            try pictures?.rows(of: id) { (row, names) throws(DatabaseError) in
                row.statement.appendRow(to: &buffer)
                guard let file = row.line(1, "file") else { return }
                product.pictures.append(
                    PictureSource(file: file, alternativeText: row.line(names["alt"] ?? -1, "alt")))
            }
            var reviewCount = 0
            try reviews?.rows(of: id) { (row, names) throws(DatabaseError) in
                reviewCount += 1
                guard full else { return }
                row.statement.appendRow(to: &buffer)
                func index(_ name: String) -> Int32 { names[name] ?? -1 }
                let rating = row.number(index("rating"), "rating", in: 0...5)
                product.reviews.append(
                    Review(
                        rating: rating.map { Int(($0 * 10).rounded()) }, author: row.line(index("author"), "author"),
                        title: row.line(index("title"), "title"), body: row.text(index("body"), "body"),
                        date: row.date(index("date"), "date"), language: row.line(index("language"), "language")))
            }
            var entry = Entry(product: product, reviewCount: reviewCount, fingerprint: nil, faults: [])
            if full {
                entry.fingerprint = Fingerprint(of: buffer)
                entry.faults = cells.faults.take() + cursors.flatMap { $0.1.takeFaults() }
            }
            try body(entry)
        }
        guard keys == nil else { return [] }
        return try cursors.compactMap { source, cursor in
            try cursor.finish()
            return cursor.firstOrphan.map { Orphans(source: source, count: cursor.orphans, first: $0) }
        }
    }
}

@available(*, unavailable)
extension CatalogueReader: Sendable {}
