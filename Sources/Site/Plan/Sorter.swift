import Basics
import Glibc
import Model

/// Sorts products by name, date or price, absent last, ties by name and then by key.
struct Sorter: Sendable {
    let order: Catalogue.Order
    private var primary: [Int64] = []
    private var names: CollationKeys

    init(order: Catalogue.Order, expecting count: Int) {
        self.order = order
        names = CollationKeys(expecting: count)
        if order != .name { primary.reserveCapacity(count) }
    }

    mutating func append(_ product: Product) {
        names.append(collationKey(product.name))
        switch order {
        case .name: break
        case .newest: primary.append(product.created.map { -Int64($0.ordinal) } ?? .max)
        case .price: primary.append(product.price?.minorUnits ?? .max)
        }
    }

    /// The order of indexes, and that by name if it is wanted as well; empty otherwise.
    func sorted(alsoByName: Bool, jobs: Int) -> (order: [Int32], names: [Int32]) {
        if order == .name {
            let order = sorted(by: [])
            return (order, alsoByName ? order : [])
        }
        if !alsoByName { return (sorted(by: primary), []) }
        // Neither throws.
        return try! concurrently(workers: jobs, { sorted(by: primary) }, { sorted(by: []) })
    }

    private func sorted(by primary: [Int64]) -> [Int32] {
        (0..<Int32(names.count)).sorted { a, b in
            let (i, j) = (Int(a), Int(b))
            if !primary.isEmpty, primary[i] != primary[j] { return primary[i] < primary[j] }
            let order = names.compare(i, j)
            return order == 0 ? a < b : order < 0
        }
    }
}

/// Many collation keys, back to back in blocks of memory that stay where they are: an array would be there twice whenever
/// it grows. 12 bytes and the key itself for each.
private final class CollationKeys: @unchecked Sendable {
    // Appended to by one thread, and read by others only after that.
    private var blocks: [UnsafeMutableRawBufferPointer] = []
    private var free = 0
    /// Where each key is: its length, then its bytes.
    private var places: [UnsafeRawPointer] = []
    /// The first eight bytes of each key, which decide most comparisons without touching the rest.
    private var heads: [UInt64] = []

    private static let blockSize = 1 << 20

    init(expecting count: Int) {
        places.reserveCapacity(count)
        heads.reserveCapacity(count)
    }

    deinit { for block in blocks { block.deallocate() } }

    var count: Int { places.count }

    func append(_ key: [UInt8]) {
        let size = 4 + key.count
        if free < size {
            // A small catalogue needs no large block; a name may be larger than one.
            free = max(size, places.capacity < 10_000 ? 1 << 14 : Self.blockSize)
            blocks.append(.allocate(byteCount: free, alignment: 1))
        }
        let block = blocks[blocks.count - 1]
        let place = block.baseAddress! + (block.count - free)
        free -= size
        place.storeBytes(of: UInt32(key.count), as: UInt32.self)
        key.withUnsafeBytes { (place + 4).copyMemory(from: $0.baseAddress!, byteCount: key.count) }
        places.append(UnsafeRawPointer(place))
        let head = key.prefix(8)
        heads.append(head.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - head.count)))
    }

    /// Below, at or above zero, as the first key is before, the same as, or after the second.
    func compare(_ i: Int, _ j: Int) -> Int {
        if heads[i] != heads[j] { return heads[i] < heads[j] ? -1 : 1 }
        let (a, b) = (places[i], places[j])
        let (m, n) = (Int(a.loadUnaligned(as: UInt32.self)), Int(b.loadUnaligned(as: UInt32.self)))
        let order = Int(memcmp(a + 4, b + 4, min(m, n)))
        return order == 0 ? m - n : order
    }
}
