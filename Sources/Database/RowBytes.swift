import Basics
import CSQLite

/// The bytes of rows one after the other, for their fingerprint; kept from product to product.
final class RowBytes {
    // Every value of every row goes through here: an array would check for each append whether it is shared.
    private var base: UnsafeMutableRawPointer
    private var capacity = 4096
    private(set) var count = 0

    init() { base = .allocate(byteCount: capacity, alignment: 16) }

    deinit { base.deallocate() }

    func removeAll() { count = 0 }

    /// Of all that was appended.
    var fingerprint: Fingerprint { Fingerprint(of: UnsafeRawBufferPointer(start: base, count: count)) }

    fileprivate func append(type: UInt8, _ number: UInt64, _ bytes: UnsafeRawBufferPointer? = nil) {
        let size = 9 + (bytes?.count ?? 0)
        if count + size > capacity { grow(by: size) }
        (base + count).storeBytes(of: type, as: UInt8.self)
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
        for i in 0..<columnCount {
            switch storageClass(i) {
            case .null: rows.append(0)
            case .integer: rows.append(type: 1, UInt64(bitPattern: integer(i)))
            case .real: rows.append(type: 2, real(i).bitPattern)
            case .text:
                let bytes = textBytes(i)
                rows.append(type: 3, UInt64(bytes.count), bytes)
            case .blob:
                let bytes = blob(i)
                rows.append(type: 4, UInt64(bytes.count), bytes)
            }
        }
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
