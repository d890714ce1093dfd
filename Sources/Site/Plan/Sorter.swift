import Basics
import Glibc
import Model

/// Sorts products by name, date or price, absent last, ties by name and then by key.
///
/// Collation keys of all names would take as much memory as the rest of the plan. So products are sorted in runs, of which
/// only the names are kept, and the runs are merged.
struct Sorter {
    let order: Catalogue.Order
    private var primary: [Int64] = []
    private var names = TextColumn()
    /// Products in the order of their names, run by run.
    private var runs: [[Int32]] = []
    /// The keys of the run that is being gathered, back to back.
    private var keys: [UInt8] = []
    private var ends: [Int] = []
    private var byName: [Int32]?

    private let runLength: Int
    /// Whether nothing is to be merged, and no name is needed again.
    private let isOneRun: Bool
    private var count = 0

    /// - Parameter runLength: how many products are sorted at once. Merging asks for each key anew, so that most catalogues
    ///   should be one run; the keys of a run take some 15 MB.
    init(order: Catalogue.Order, expecting count: Int, runLength: Int = 1 << 18) {
        self.order = order
        self.runLength = runLength
        isOneRun = count <= runLength
        if !isOneRun { names = TextColumn(expecting: count) }
        if order != .name { primary.reserveCapacity(count) }
    }

    mutating func append(_ product: Product) {
        if ends.count == runLength, !isOneRun { closeRun() }
        keys.append(contentsOf: collationKey(product.name))
        ends.append(keys.count)
        if !isOneRun { names.append(product.name) }
        count += 1
        switch order {
        case .name: break
        case .newest: primary.append(product.created.map { -Int64($0.ordinal) } ?? .max)
        case .price: primary.append(product.price?.minorUnits ?? .max)
        }
    }

    private mutating func closeRun() {
        if ends.isEmpty { return }
        let first = Int32(count - ends.count)
        let sorted = keys.withUnsafeBytes { keys in
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
        }
        runs.append(sorted.map { first + Int32($0) })
        keys.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    /// The products by name alone.
    mutating func sortedByName() -> [Int32] {
        if let byName { return byName }
        closeRun()
        (keys, ends) = ([], [])
        let sorted = runs.count < 2 ? runs.first ?? [] : merged()
        runs = []
        names = TextColumn()
        byName = sorted
        return sorted
    }

    /// The products in the order that was asked for.
    mutating func sorted() -> [Int32] {
        let byName = sortedByName()
        if primary.isEmpty { return byName }
        var ranks = [Int32](repeating: 0, count: byName.count)
        for (rank, product) in byName.enumerated() { ranks[Int(product)] = Int32(rank) }
        return byName.sorted { a, b in
            let (i, j) = (Int(a), Int(b))
            return primary[i] != primary[j] ? primary[i] < primary[j] : ranks[i] < ranks[j]
        }
    }

    private func merged() -> [Int32] {
        /// The next product of a run.
        struct Head {
            var key: [UInt8]
            let run: Int
            var at = 0
        }
        // Products of a run come before those of the next, so that ties are settled by the runs.
        func isBefore(_ a: Head, _ b: Head) -> Bool {
            if a.key.sorts(before: b.key) { return true }
            return a.run < b.run && !b.key.sorts(before: a.key)
        }
        func key(_ product: Int32) -> [UInt8] { collationKey(names[Int(product)]) }
        // A heap whose first is the least.
        var heap = runs.indices.map { Head(key: key(runs[$0][0]), run: $0) }
        heap.sort(by: isBefore)
        var out: [Int32] = []
        out.reserveCapacity(count)
        while !heap.isEmpty {
            let run = runs[heap[0].run]
            out.append(run[heap[0].at])
            heap[0].at += 1
            if heap[0].at < run.count {
                heap[0].key = key(run[heap[0].at])
            } else {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
            }
            var parent = 0
            while 2 * parent + 1 < heap.count {
                var child = 2 * parent + 1
                if child + 1 < heap.count, isBefore(heap[child + 1], heap[child]) { child += 1 }
                guard isBefore(heap[child], heap[parent]) else { break }
                heap.swapAt(child, parent)
                parent = child
            }
        }
        return out
    }
}
