import Basics
import Glibc
import Model

/// Sorts products by name, date or price, absent last, ties by name and then by key.
///
/// Collation keys of all names would take more memory than the rest of the plan. So products are sorted in runs, which are put
/// aside in a file, keys and all, and merged as they are read again.
final class Sorter: @unchecked Sendable {
    // Products are appended by one thread, and the rest is called after it has finished.

    /// What a product is sorted by.
    struct Item: Sendable {
        let name: String
        /// What comes before the name.
        let primary: Int64

        init(_ product: Product, by order: Catalogue.Order) {
            name = product.name
            switch order {
            case .name: primary = 0
            case .newest: primary = product.created.map { -Int64($0.ordinal) } ?? .max
            case .price: primary = product.price?.minorUnits ?? .max
            }
        }
    }

    private let order: Catalogue.Order
    private var primary: [Int64] = []
    /// The keys of the run that is being gathered, back to back.
    private var keys: [UInt8] = []
    private var ends: [Int] = []
    private var byName: [Int32]?

    private let runLength: Int
    /// The runs before; nil when all is one.
    private let runs: SortedRuns?
    private var count = 0

    /// - Parameters:
    ///   - runLength: how many products are sorted at once; the keys of a run take some 25 MB.
    ///   - blockSize: how much of a run is written and read at once, in bytes.
    ///   - folder: where runs are put aside if there is more than one; without it everything is sorted in memory.
    init(
        order: Catalogue.Order, expecting count: Int, runLength: Int = 1 << 18, blockSize: Int = 64 << 10,
        in folder: Directory?
    ) throws(FileError) {
        self.order = order
        self.runLength = runLength
        if let folder, count > runLength {
            runs = try SortedRuns(in: folder, blockSize: blockSize)
        } else {
            runs = nil
        }
        if order != .name { primary.reserveCapacity(count) }
    }

    /// Adds the next product.
    func append(_ item: Item) throws(FileError) {
        if let runs, ends.count == runLength { try putAside(runs) }
        keys.append(contentsOf: collationKey(item.name))
        ends.append(keys.count)
        count += 1
        if order != .name { primary.append(item.primary) }
    }

    /// The key of a product of the run that is being gathered.
    private func key(_ product: Int32) -> ArraySlice<UInt8> {
        let i = Int(product) - (count - ends.count)
        return keys[(i == 0 ? 0 : ends[i - 1])..<ends[i]]
    }

    /// The products of the run that is being gathered, by name.
    private func sortedRun() -> [Int32] {
        let first = Int32(count - ends.count)
        return keys.withUnsafeBytes { keys in
            func key(_ i: Int) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: keys[(i == 0 ? 0 : ends[i - 1])..<ends[i]])
            }
            // The first eight bytes of the key decide nearly all comparisons without touching the rest.
            let heads = ends.indices.map { i in
                let key = key(i).prefix(8)
                return key.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - key.count))
            }
            return ends.indices.sorted { a, b in
                if heads[a] != heads[b] { return heads[a] < heads[b] }
                let (x, y) = (key(a), key(b))
                let order = memcmp(x.baseAddress!, y.baseAddress!, min(x.count, y.count))
                if order != 0 { return order < 0 }
                return x.count != y.count ? x.count < y.count : a < b
            }
        }.map { first + Int32($0) }
    }

    private func putAside(_ runs: SortedRuns) throws(FileError) {
        try runs.add(sortedRun(), key: key)
        keys.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// The products by name alone.
    func sortedByName() throws -> [Int32] {
        if let byName { return byName }
        var sorted: [Int32]
        if let runs {
            try putAside(runs)
            (keys, ends) = ([], [])
            sorted = []
            sorted.reserveCapacity(count)
            try runs.merge { sorted.append($0) }
        } else {
            sorted = sortedRun()
            (keys, ends) = ([], [])
        }
        byName = sorted
        return sorted
    }

    /// The products in the order that was asked for.
    func sorted() throws -> [Int32] {
        let byName = try sortedByName()
        if order == .name { return byName }
        var ranks = [Int32](repeating: 0, count: byName.count)
        for (rank, product) in byName.enumerated() { ranks[Int(product)] = Int32(rank) }
        return byName.sorted { a, b in
            let (i, j) = (Int(a), Int(b))
            return primary[i] != primary[j] ? primary[i] < primary[j] : ranks[i] < ranks[j]
        }
    }
}

/// Sorted runs of products in a file without a name, each with its key, and what comes out when they are merged.
private final class SortedRuns {
    private let file: (descriptor: Int32, path: String)
    private let blockSize: Int
    private var extents: [Range<Int64>] = []

    init(in folder: Directory, blockSize: Int) throws(FileError) {
        self.blockSize = blockSize
        file = try folder.temporaryFile("order-\(getpid())-\(wallClockNanoseconds())")
    }

    deinit { close(file.descriptor) }

    /// Writes the products of a run, which come after those of all runs before.
    func add(_ products: [Int32], key: (Int32) -> ArraySlice<UInt8>) throws(FileError) {
        let start = extents.last?.upperBound ?? 0
        var end = start
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * blockSize)
        for (i, product) in products.enumerated() {
            let key = key(product)
            withUnsafeBytes(of: (product, UInt32(key.count))) { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: key)
            guard bytes.count >= blockSize || i == products.count - 1 else { continue }
            try writeAll(bytes.span.bytes, to: file.descriptor, at: end, file.path)
            end += Int64(bytes.count)
            bytes.removeAll(keepingCapacity: true)
        }
        extents.append(start..<end)
    }

    /// Gives all products in the order of their keys, equal ones in the order in which they were added.
    func merge(_ body: (Int32) -> Void) throws {
        // A heap whose first is the least. Runs do not move while readers are compared.
        var heap: [Reader] = []
        for (number, extent) in extents.enumerated() {
            let reader = Reader(file, extent, blockSize, run: number)
            if try reader.next() { heap.append(reader) }
        }
        heap.sort { $0.isBefore($1) }
        while let first = heap.first {
            body(first.product)
            if try !first.next() {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
            }
            var parent = 0
            while 2 * parent + 1 < heap.count {
                var child = 2 * parent + 1
                if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
                guard heap[child].isBefore(heap[parent]) else { break }
                heap.swapAt(child, parent)
                parent = child
            }
        }
    }

    /// Reads a run, one product after the other.
    private final class Reader {
        private let file: (descriptor: Int32, path: String)
        private let blockSize: Int
        private let run: Int
        /// What is still to be read.
        private var rest: Range<Int64>
        private var bytes: [UInt8] = []
        private var key = 0..<0
        private(set) var product: Int32 = 0

        init(
            _ file: (descriptor: Int32, path: String), _ extent: Range<Int64>, _ blockSize: Int, run: Int
        ) {
            self.file = file
            self.blockSize = blockSize
            self.run = run
            rest = extent
        }

        /// Goes to the next product; false at the end of the run.
        func next() throws -> Bool {
            guard try has(8) else { return false }
            let count: UInt32
            (product, count) = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: key.upperBound, as: (Int32, UInt32).self)
            }
            guard try has(8 + Int(count)) else { throw FileError("read", file.path, code: EIO) }
            key = key.upperBound + 8..<key.upperBound + 8 + Int(count)
            return true
        }

        /// Whether so many bytes come after the key, which is forgotten if more have to be read.
        private func has(_ count: Int) throws -> Bool {
            if key.upperBound + count <= bytes.count { return true }
            bytes.removeFirst(key.upperBound)
            key = 0..<0
            let kept = bytes.count
            let more = min(Int(rest.upperBound - rest.lowerBound), max(blockSize, count - kept))
            bytes.append(contentsOf: repeatElement(0, count: more))
            try bytes.withUnsafeMutableBytes { room in
                try readAll(
                    into: UnsafeMutableRawBufferPointer(rebasing: room[kept...]), from: file.descriptor,
                    at: rest.lowerBound, file.path)
            }
            rest = rest.lowerBound + Int64(more)..<rest.upperBound
            return bytes.count >= count
        }

        /// Whether the product comes before that of another run. Ties are settled by the runs.
        func isBefore(_ other: Reader) -> Bool {
            bytes.withUnsafeBytes { mine in
                other.bytes.withUnsafeBytes { theirs in
                    let order = memcmp(
                        mine.baseAddress! + key.lowerBound, theirs.baseAddress! + other.key.lowerBound,
                        min(key.count, other.key.count))
                    if order != 0 { return order < 0 }
                    return key.count != other.key.count ? key.count < other.key.count : run < other.run
                }
            }
        }
    }
}
