import Basics
import Model

/// Rows that belong to products, walked in step with the products: both are sorted by the product's key.
///
/// ```
/// while try cursor.next(of: id) { … cursor.cells … }
/// ```
final class ChildCursor {
    /// The current row; column 0 is the product's key.
    var cells: CellReader
    /// Where each wanted column stands in the row; -1 for those that the relation lacks.
    let columns: [Int32]
    let source: Mapping.Source
    /// The key of the row that the statement stands on; nil after the last.
    private var current: ProductID?
    /// Whether that row was handed out already.
    private var isTaken = false
    /// Rows whose product is not in the catalogue, and the first such key.
    private(set) var orphans = 0
    private(set) var firstOrphan: ProductID?
    /// Of all those rows, and of rows with a key that cannot be read.
    private(set) var orphanSum = FingerprintSum()

    /// The statement of such rows, and where its columns are.
    struct Source {
        let statement: Statement
        let columns: [Int32]
        let source: Mapping.Source

        /// - Parameters:
        ///   - wanted: the columns to read; the first is `product_id`.
        ///   - order: columns to sort by after the product's key; those the relation lacks are left out.
        ///   - part: whose rows.
        ///   - collation: how the reader orders keys.
        ///   - prepare: gives a statement for SQL.
        init(
            _ relation: Relation, columns wanted: [String], order: [String], of part: WalkPart,
            collation: String,
            prepare: (String) throws(DatabaseError) -> Statement
        ) throws(DatabaseError) {
            let present = wanted.filter(relation.columns.contains)
            let sorted = order.filter {
                relation.columns.contains($0.hasSuffix(" DESC") ? String($0.dropLast(5)) : $0)
            }
            statement = try prepare(
                "SELECT \(present.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(relation.expression)"
                    + (part.condition(on: "product_id") ?? " WHERE product_id IS NOT NULL")
                    + " ORDER BY product_id COLLATE \(collation)"
                    + sorted.map { ", \($0)" }.joined())
            columns = wanted.map { present.firstIndex(of: $0).map(Int32.init) ?? -1 }
            source = relation.source
        }
    }

    /// Goes to the first row.
    init(_ source: Source) throws(DatabaseError) {
        columns = source.columns
        self.source = source.source
        cells = CellReader(statement: source.statement, table: self.source.rawValue)
        try advance()
    }

    /// Goes to the product's next row; false when it has no more. Keys must come in ascending order.
    func next(of key: ProductID) throws(DatabaseError) -> Bool {
        if isTaken { try advance() }
        while let at = current {
            if at == key {
                cells.row = at
                isTaken = true
                return true
            }
            guard at < key else { return false }
            try countOrphan(at)
        }
        return false
    }

    /// Counts the rows that are left after the last product.
    func finish() throws(DatabaseError) {
        if isTaken { try advance() }
        while let at = current { try countOrphan(at) }
    }

    private func countOrphan(_ key: ProductID) throws(DatabaseError) {
        orphans += 1
        if firstOrphan == nil { firstOrphan = key }
        addOrphan()
        try advance()
    }

    private func addOrphan() {
        let row = RowBytes()
        cells.statement.appendRow(to: row)
        orphanSum.add(row.fingerprint)
    }

    private func advance() throws(DatabaseError) {
        isTaken = false
        // A key that cannot be read is reported; its row belongs to nobody.
        cells.row = nil
        repeat {
            guard try cells.statement.step() else {
                current = nil
                return
            }
            current = cells.key(0, "product_id")
            if current == nil { addOrphan() }
        } while current == nil
    }
}

extension ChildCursor {
    /// A labelled value: column 1 and column 2 of facts and facets.
    func fact(_ label: String) -> Fact? {
        guard let name = cells.line(1, label), let value = cells.line(2, "value") else { return nil }
        return Fact(label: name, value: value)
    }

    /// Tenths of a star.
    func rating() -> Int? {
        cells.number(columns[1], "rating", in: 0...5).map { Int(($0 * 10).rounded()) }
    }

    func review() -> Review {
        Review(
            rating: rating(), author: cells.line(columns[2], "author"),
            title: cells.line(columns[4], "title"), body: cells.text(columns[5], "body"),
            date: cells.date(columns[3], "date"), language: cells.line(columns[6], "language"))
    }

    /// Appends the current row, and which source it is of: a row that moves from one table to another is a change.
    func appendRow(to rows: RowBytes) {
        rows.append(source.mark)
        cells.statement.appendRow(to: rows)
    }

    var foundOrphans: CatalogueReader.Orphans? {
        firstOrphan.map { .init(source: source, count: orphans, first: $0) }
    }
}

extension Mapping.Source {
    /// Distinct from the types of values in a fingerprint's rows.
    fileprivate var mark: UInt8 {
        switch self {
        case .products: 0x10
        case .categories: 0x11
        case .productCategories: 0x12
        case .facts: 0x13
        case .facets: 0x14
        case .pictures: 0x15
        case .reviews: 0x16
        }
    }
}
