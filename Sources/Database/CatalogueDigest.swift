public import Basics
import Model

/// Of everything that a site can take from the database: equal digests mean equal sites, as far as the database decides.
public struct CatalogueDigest: Hashable, Sendable {
    /// Of everything but the rows of products: how many there are, categories, names of facets, columns, and rows that belong to
    /// no product.
    public let surroundings: Fingerprint
    /// Of that and of the rows.
    public let whole: Fingerprint
}

/// Which products a walk goes through.
enum WalkPart {
    case all
    /// Those of a parenthesised SQL list of keys.
    case listed(String)
    /// Those with keys up to a number, and the others.
    case upTo(Int64), above(Int64)

    /// The condition on a column of keys; nil for all.
    func condition(on column: String) -> String? {
        switch self {
        case .all: nil
        // The key's own collation may call two keys equal that are not (NOCASE); BINARY never does.
        case .listed(let keys): " WHERE \(column) COLLATE BINARY IN \(keys)"
        case .upTo(let key): " WHERE \(column) <= \(key)"
        case .above(let key): " WHERE \(column) > \(key)"
        }
    }
}

/// Fingerprints of all rows of a part of the products, in no order: those of two halves add up to that of all.
struct RowSum: Sendable {
    fileprivate var rows = FingerprintSum()
    fileprivate var products = 0
    /// Of each product, in the order of keys; only when they are asked for.
    fileprivate(set) var fingerprints: [Fingerprint] = []
    /// Of each other source, rows that belong to no product. Their number and the first are told in warnings.
    fileprivate var orphans: [(source: Mapping.Source, sum: FingerprintSum, count: Int, first: ProductID?)] =
        []

    mutating func add(_ fingerprint: Fingerprint, isKept: Bool = false) {
        rows.add(fingerprint)
        products += 1
        if isKept { fingerprints.append(fingerprint) }
    }

    mutating func add(_ cursor: ChildCursor) {
        orphans.append((cursor.source, cursor.orphanSum, cursor.orphans, cursor.firstOrphan))
    }

    /// Rows whose product is not there.
    func found(in source: Mapping.Source) -> CatalogueReader.Orphans? {
        orphans.first { $0.source == source }.flatMap { orphans in
            orphans.first.map { .init(source: source, count: orphans.count, first: $0) }
        }
    }

    fileprivate mutating func add(_ other: RowSum) {
        rows.add(other.rows)
        products += other.products
        fingerprints += other.fingerprints
        for i in orphans.indices {
            orphans[i].sum.add(other.orphans[i].sum)
            orphans[i].count += other.orphans[i].count
            if let first = other.orphans[i].first {
                orphans[i].first = min(orphans[i].first ?? first, first)
            }
        }
    }
}

extension CatalogueReader {
    /// Of everything that a site can take from the database.
    ///
    /// It costs half of what a fingerprinted walk does, since nothing is decoded, and that is shared by two connections.
    ///
    /// The fingerprints of products are kept for a walk over all of them.
    ///
    /// - Parameter another: opens a second connection; called on the thread that uses it, if there is more than one worker.
    /// - Returns: nil if the database was changed meanwhile, or has a row that no walk takes. The transaction has ended.
    public func digest(
        workers: Int, another: @escaping @Sendable () throws -> CatalogueReader
    ) throws -> CatalogueDigest? {
        guard workers > 1, let (low, high) = try numericKeys(), high - low > 1000 else {
            return try sum(of: .all).flatMap { try finishedDigest(of: $0) }
        }
        // By the value, which is good enough: keys without large gaps are the rule, and others only take longer.
        let middle = low + (high - low) / 2
        let (upper, lower) = try concurrently(workers: workers) {
            try another().sum(of: .above(middle))
        } _: {
            try sum(of: .upTo(middle))
        }
        guard var all = lower, let upper else { return nil }
        all.add(upper)
        return try finishedDigest(of: all)
    }

    /// Of the rows of each product, in the order of keys, as ``digest(workers:another:)`` took them.
    public var rowFingerprints: [Fingerprint]? { known?.fingerprints }

    /// Goes on where ``isCurrent()`` has ended the transaction; false if the database is another by now.
    public func resumeUnchanged() throws(DatabaseError) -> Bool {
        try resume()
        _ = try connection.rows("SELECT 1 FROM sqlite_schema LIMIT 1") { _ in }
        return try connection.dataVersion() == dataVersion
    }

    /// The digest; nil if another connection may have seen another state of the database than this one.
    private func finishedDigest(of sum: RowSum) throws -> CatalogueDigest? {
        let digest = try digest(of: sum)
        guard try isCurrent() else { return nil }
        known = sum
        self.digest = digest
        return digest
    }

    /// The digest of all rows that products have, and of what else a site takes: categories, names of facets, and the columns.
    func digest(of sum: RowSum) throws -> CatalogueDigest {
        var text = "\(sum.products)\n"
        for orphans in sum.orphans {
            text += "\(orphans.source.rawValue) \(orphans.count) \(orphans.first?.description ?? "") "
            text += orphans.sum.fingerprint.hex + "\n"
        }
        let surroundings = Fingerprint(of: text + (try surroundings()))
        return CatalogueDigest(
            surroundings: surroundings,
            whole: Fingerprint(of: sum.rows.fingerprint.hex + surroundings.hex))
    }

    /// The lowest and the highest key of products, if all are whole numbers.
    private func numericKeys() throws -> (low: Int64, high: Int64)? {
        let order = "ORDER BY id COLLATE \(connection.keyCollation)"
        let products = relations[.products]!.expression
        let ends = try ["", " DESC"].compactMap { direction in
            try connection.rows("SELECT id FROM \(products) \(order)\(direction) LIMIT 1") { row -> Int64? in
                row.storageClass(0) == .integer ? row.integer(0) : nil
            }.first ?? nil
        }
        // Numbers stand before all other keys. A difference must not overflow.
        guard ends.count == 2, ends.allSatisfy({ $0.magnitude < 1 << 60 }) else { return nil }
        return (ends[0], ends[1])
    }

    /// Fingerprints of all rows of some products, as a walk makes them, without decoding any; nil when there is a product that
    /// no walk takes.
    private func sum(of part: WalkPart) throws -> RowSum? {
        let walk = try walk(.fingerprinted, part)
        let cursors = try walk.children.map { source throws(DatabaseError) in try ChildCursor(source) }
        let rows = RowBytes()
        let values = RowValues(columns: walk.products.columnCount)
        var cells = CellReader(values, table: "products")
        var sum = RowSum()
        while try walk.products.step() {
            rows.removeAll()
            walk.products.appendRow(to: rows)
            _ = values.move(to: rows.all.baseAddress!)
            guard let key = cells.key(walk.id, "id") else { return nil }
            for cursor in cursors {
                while try cursor.next(of: key) { cursor.appendRow(to: rows) }
            }
            sum.add(rows.fingerprint, isKept: true)
        }
        for cursor in cursors {
            try cursor.finish()
            sum.add(cursor)
        }
        return sum
    }

    /// What a site takes from the database besides the rows of products: the names of columns, the categories, and names of
    /// facets in rows of no product.
    private func surroundings() throws -> String {
        var text = ""
        for source in Mapping.Source.allCases {
            guard let relation = relations[source] else { continue }
            text += "\(source.rawValue)\n\(relation.columns.joined(separator: "\u{0}"))\n"
        }
        let rows = RowBytes()
        func append(_ sql: String) throws {
            let statement = try connection.prepare(sql)
            while try statement.step() { statement.appendRow(to: rows) }
        }
        if let categories = relations[.categories] {
            let columns = Mapping.Source.categories.fields.filter(categories.columns.contains)
            try append(
                "SELECT \(columns.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(categories.expression) "
                    + "ORDER BY id COLLATE \(connection.keyCollation)")
        }
        if let facets = relations[.facets] {
            try append(
                "SELECT DISTINCT facet FROM \(facets.expression) WHERE product_id IS NULL "
                    + "ORDER BY facet COLLATE \(connection.keyCollation)")
        }
        return text + rows.fingerprint.hex
    }
}
