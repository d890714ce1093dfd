import Basics
import Model

/// Rows that belong to products, walked in step with the products: both are sorted by the product's key.
final class ChildCursor {
    private var reader: CellReader
    private let statement: Statement
    private var current: ProductID?
    private let names: [String: Int32]
    /// Rows whose product is not in the catalogue, and the first such key.
    private(set) var orphans = 0
    private(set) var firstOrphan: ProductID?

    /// - Parameters:
    ///   - order: columns to sort by after the product's key; those the relation lacks are left out.
    ///   - keys: only rows of these products, as a parenthesised SQL list.
    init(
        _ relation: Relation, columns wanted: [String], order: [String], keys: String?, connection: Connection
    ) throws(DatabaseError) {
        let present = wanted.filter(relation.columns.contains)
        var names: [String: Int32] = [:]
        for (i, name) in present.enumerated() { names[name] = Int32(i) }
        let selection = present.map(\.quotedIdentifier).joined(separator: ", ")
        let sorted = (["product_id COLLATE BINARY"]
            + order.filter { relation.columns.contains($0.split(separator: " ").first.map(String.init) ?? "") })
            .joined(separator: ", ")
        statement = try connection.prepare(
            "SELECT \(selection) FROM \(relation.expression)"
                + (keys.map { " WHERE product_id IN \($0)" } ?? " WHERE product_id IS NOT NULL")
                + " ORDER BY \(sorted)")
        self.names = names
        reader = CellReader(
            statement: statement, table: relation.source.rawValue, row: "", faults: CellFaults())
        try advance()
    }

    /// Calls `body` with each row of the product, in order. Keys must come in ascending order.
    func rows(
        of key: ProductID, _ body: (inout CellReader, [String: Int32]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        while let at = current, at < key {
            orphans += 1
            if firstOrphan == nil { firstOrphan = at }
            try advance()
        }
        while current == key {
            reader.row = key.description
            try body(&reader, names)
            try advance()
        }
    }

    /// Counts the rows that are left after the last product.
    func finish() throws(DatabaseError) {
        while let at = current {
            orphans += 1
            if firstOrphan == nil { firstOrphan = at }
            try advance()
        }
    }

    func takeFaults() -> [Diagnostic] { reader.faults.take() }

    /// The bytes of the current row, for a fingerprint.
    func hashRow(into buffer: inout [UInt8]) { statement.appendRow(to: &buffer) }

    private func advance() throws(DatabaseError) {
        repeat {
            guard try statement.step() else {
                current = nil
                return
            }
            current = reader.key(0, "product_id")
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
            case .integer:
                buffer.append(1)
                withUnsafeBytes(of: integer(i).littleEndian) { buffer.append(contentsOf: $0) }
            case .real:
                buffer.append(2)
                withUnsafeBytes(of: real(i).bitPattern.littleEndian) { buffer.append(contentsOf: $0) }
            case .text, .blob:
                let bytes = self.bytes(i)
                buffer.append(storageClass(i) == .text ? 3 : 4)
                withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { buffer.append(contentsOf: $0) }
                buffer.append(contentsOf: bytes)
            }
        }
    }
}
