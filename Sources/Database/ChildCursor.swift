import Basics
import Model

/// Rows that belong to products, walked in step with the products: both are sorted by the product's key.
///
/// ```
/// while try cursor.next(of: id) { cursor.appendRow(to: rows) }
/// ```
final class ChildCursor {
    let source: Mapping.Source
    /// The current row; column 0 is the product's key.
    private let rows: RowCursor
    private let mark: UInt8
    /// Reads the keys.
    private var cells: CellReader
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
        let source: Mapping.Source
        private let columns: [Int32]

        /// What its rows hold.
        var form: ProductForm.Child { .init(source: source, columns: columns, count: statement.columnCount) }

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
        self.source = source.source
        mark = source.source.mark
        rows = RowCursor(source.statement)
        cells = CellReader(rows.values, table: source.source.rawValue)
        try advance()
    }

    /// Goes to the product's next row; false when it has no more. Keys must come in ascending order.
    func next(of key: ProductID) throws(DatabaseError) -> Bool {
        if isTaken { try advance() }
        while let at = current {
            if at == key {
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

    private func addOrphan() { orphanSum.add(rows.bytes.fingerprint) }

    private func advance() throws(DatabaseError) {
        isTaken = false
        // A key that cannot be read is reported; its row belongs to nobody.
        repeat {
            guard try rows.next() else {
                current = nil
                return
            }
            current = cells.key(0, "product_id")
            if current == nil { addOrphan() }
        } while current == nil
    }
}

extension ChildCursor {
    /// Appends the current row, and which source it is of.
    func appendRow(to rows: RowBytes) {
        rows.append(mark)
        rows.append(self.rows.bytes)
    }

    var hasFaults: Bool { !cells.faults.isEmpty }

    /// The faults of keys since the last call.
    func takeFaults() -> [Diagnostic] { cells.takeFaults() }

    var foundOrphans: CatalogueReader.Orphans? {
        firstOrphan.map { .init(source: source, count: orphans, first: $0) }
    }
}
