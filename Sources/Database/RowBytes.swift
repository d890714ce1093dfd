import Basics
import CSQLite
import Model

/// The bytes of rows one after the other: what a fingerprint is taken of, and what values are read from once the statement has
/// gone on. Kept from product to product.
final class RowBytes {
    // Every value of every row goes through here: an array would check for each append whether it is shared.
    private var base: UnsafeMutableRawPointer
    private var capacity = 4096
    private(set) var count = 0

    init() { base = .allocate(byteCount: capacity, alignment: 16) }

    deinit { base.deallocate() }

    func removeAll() {
        count = 0
        // One picture in a cell must not be paid for to the end.
        if capacity > 1 << 20 {
            base.deallocate()
            capacity = 4096
            base = .allocate(byteCount: capacity, alignment: 16)
        }
    }

    /// All that was appended; valid until more is.
    var all: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Of all that was appended.
    var fingerprint: Fingerprint { Fingerprint(of: all) }

    fileprivate func append(type: RowValues.Class, _ number: UInt64, _ bytes: UnsafeRawBufferPointer? = nil) {
        let size = 9 + (bytes?.count ?? 0)
        if count + size > capacity { grow(by: size) }
        (base + count).storeBytes(of: type.rawValue, as: UInt8.self)
        (base + count + 1).storeBytes(of: number.littleEndian, as: UInt64.self)
        if let bytes, let start = bytes.baseAddress {
            (base + count + 9).copyMemory(from: start, byteCount: bytes.count)
        }
        count += size
    }

    func append(_ byte: UInt8) {
        if count == capacity { grow(by: 1) }
        (base + count).storeBytes(of: byte, as: UInt8.self)
        count += 1
    }

    func append(_ other: RowBytes) {
        if count + other.count > capacity { grow(by: other.count) }
        (base + count).copyMemory(from: other.base, byteCount: other.count)
        count += other.count
    }

    private func grow(by size: Int) {
        capacity = max(2 * capacity, count + size)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = larger
    }
}

extension Statement {
    /// Appends every value of the current row, each with its type and length, so that two rows append the same
    /// bytes only if they are equal.
    func appendRow(to rows: RowBytes) {
        forEachValue { value in
            switch value {
            case .null: rows.append(RowValues.Class.null.rawValue)
            case .integer(let number): rows.append(type: .integer, UInt64(bitPattern: number))
            case .real(let number): rows.append(type: .real, number.bitPattern)
            case .text(let bytes): rows.append(type: .text, UInt64(bytes.count), bytes)
            case .blob(let bytes): rows.append(type: .blob, UInt64(bytes.count), bytes)
            }
        }
    }
}

/// The values of one row, read where they lie in ``RowBytes``.
final class RowValues {
    /// What a value is, whatever its column was declared as, by the first of its bytes.
    enum Class: UInt8 { case null, integer, real, text, blob }

    /// Where each value begins.
    private let places: UnsafeMutablePointer<UnsafeRawPointer>
    private let count: Int

    /// - Parameter columns: how many values each row has.
    init(columns: Int32) {
        count = Int(columns)
        places = .allocate(capacity: max(count, 1))
    }

    deinit { places.deallocate() }

    /// Goes to a row; what is read from then on is valid as long as its bytes are.
    ///
    /// - Returns: where the row ends.
    func move(to start: UnsafeRawPointer) -> UnsafeRawPointer {
        var at = start
        for i in 0..<count {
            places[i] = at
            switch Class(rawValue: at.load(as: UInt8.self)) {
            case .null: at += 1
            case .text, .blob: at += 9 + Int(number(at))
            default: at += 9
            }
        }
        return at
    }

    func storageClass(_ column: Int32) -> Class { Class(rawValue: place(column).load(as: UInt8.self))! }

    /// An integer.
    func integer(_ column: Int32) -> Int64 { Int64(bitPattern: number(place(column))) }

    /// A floating-point number.
    func real(_ column: Int32) -> Double { Double(bitPattern: number(place(column))) }

    /// The bytes of a text, which need not be UTF-8, or of a blob.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let place = place(column)
        return UnsafeRawBufferPointer(start: place + 9, count: Int(number(place)))
    }

    private func place(_ column: Int32) -> UnsafeRawPointer {
        precondition(column >= 0 && column < count, "a row has no such column")
        return places[Int(column)]
    }

    private func number(_ place: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: (place + 1).loadUnaligned(as: UInt64.self))
    }
}

/// The rows of a statement, one at a time, with the bytes of each.
final class RowCursor {
    private let statement: Statement
    /// Of the current row.
    let bytes = RowBytes()
    let values: RowValues

    init(_ statement: Statement) {
        self.statement = statement
        values = RowValues(columns: statement.columnCount)
    }

    /// Goes to the next row; false after the last.
    func next() throws(DatabaseError) -> Bool {
        guard try statement.step() else { return false }
        bytes.removeAll()
        statement.appendRow(to: bytes)
        _ = values.move(to: bytes.all.baseAddress!)
        return true
    }
}

/// Fingerprints of things in no order: a thing more, less or changed changes the sum.
struct FingerprintSum {
    private var high: UInt64 = 0, low: UInt64 = 0

    mutating func add(_ fingerprint: Fingerprint) {
        high &+= fingerprint.high
        low &+= fingerprint.low
    }

    mutating func add(_ other: FingerprintSum) { add(other.fingerprint) }

    var fingerprint: Fingerprint { Fingerprint(high: high, low: low) }
}
