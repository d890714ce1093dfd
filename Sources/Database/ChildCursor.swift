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

    /// The statement of such rows, and where its columns are.
    struct Source {
        let statement: Statement
        let columns: [Int32]
        let source: Mapping.Source

        /// - Parameters:
        ///   - wanted: the columns to read; the first is `product_id`.
        ///   - order: columns to sort by after the product's key; those the relation lacks are left out.
        ///   - keys: only rows of these products, as a parenthesised SQL list.
        ///   - collation: how the reader orders keys.
        ///   - prepare: gives a statement for SQL.
        init(
            _ relation: Relation, columns wanted: [String], order: [String], keys: String?, collation: String,
            prepare: (String) throws(DatabaseError) -> Statement
        ) throws(DatabaseError) {
            let present = wanted.filter(relation.columns.contains)
            let sorted = order.filter {
                relation.columns.contains($0.hasSuffix(" DESC") ? String($0.dropLast(5)) : $0)
            }
            // The key's own collation may call two keys equal that are not (NOCASE); BINARY never does.
            statement = try prepare(
                "SELECT \(present.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(relation.expression)"
                    + (keys.map { " WHERE product_id COLLATE BINARY IN \($0)" }
                        ?? " WHERE product_id IS NOT NULL")
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
        try advance()
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
        } while current == nil
    }
}

extension Statement {
    /// Appends every value of the current row, each with its type and length, so that two rows append the same
    /// bytes only if they are equal.
    func appendRow(to buffer: inout [UInt8]) {
        for i in 0..<columnCount {
            switch storageClass(i) {
            case .null: buffer.append(0)
            case .integer: buffer.append(type: 1, UInt64(bitPattern: integer(i)))
            case .real: buffer.append(type: 2, real(i).bitPattern)
            case .text:
                let bytes = textBytes(i)
                buffer.append(type: 3, UInt64(bytes.count), bytes)
            case .blob:
                let bytes = blob(i)
                buffer.append(type: 4, UInt64(bytes.count), bytes)
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(type: UInt8, _ number: UInt64, _ bytes: UnsafeRawBufferPointer? = nil) {
        append(type)
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
        if let bytes { append(contentsOf: bytes) }
    }
}
