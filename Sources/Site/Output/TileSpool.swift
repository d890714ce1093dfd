import Basics
import Glibc
import Synchronization

/// Where index pages and feeds get what they show of products.
protocol TileSource {
    /// The tiles of some products one after the other, the mark in them replaced by the way to the top.
    func tiles(of products: some Collection<Int32>, root: String, mark: String) throws -> [UInt8]
    /// The feed entries of some products one after the other.
    func entries(of products: some Collection<Int32>) throws -> [UInt8]
}

extension [UInt8] {
    /// Appends tiles with the mark in them, which has three bytes, replaced by the way to the top.
    mutating func append(tile buffer: [UInt8], root: [UInt8], mark: [UInt8]) {
        buffer.withUnsafeBytes { bytes in
            var start = 0
            Self.forEachPlace(of: mark, in: bytes) { place in
                append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<place]))
                append(contentsOf: root)
                start = place + mark.count
            }
            append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }

    /// Replaces each mark by other bytes of its length.
    fileprivate mutating func replace(_ mark: [UInt8], withSameLength root: [UInt8]) {
        withUnsafeMutableBytes { bytes in
            Self.forEachPlace(of: mark, in: UnsafeRawBufferPointer(bytes)) { place in
                for i in mark.indices { bytes[place + i] = root[i] }
            }
        }
    }

    /// Calls a closure with each place where the mark begins. Its first byte is rare in other text, and memchr finds it
    /// faster than a loop does.
    private static func forEachPlace(
        of mark: [UInt8], in bytes: UnsafeRawBufferPointer, _ body: (Int) -> Void
    ) {
        var from = 0
        while from + mark.count <= bytes.count,
            let found = memchr(
                bytes.baseAddress! + from, Int32(mark[0]), bytes.count - from - mark.count + 1)
        {
            let place = found - UnsafeMutableRawPointer(mutating: bytes.baseAddress!)
            from = place + 1
            if bytes[place..<place + mark.count].elementsEqual(mark) {
                body(place)
                from = place + mark.count
            }
        }
    }
}

/// What products look like on index pages and in feeds, rendered once each and kept until the pages that paste them are
/// made.
///
/// The first of them stay in memory, all others go to a file: every product is on half a dozen pages, and a system call
/// for each of those is dearer than all else that is done with a tile. So memory is 16 bytes a product, and some
/// megabytes, whatever the length of the tiles.
///
/// The file has no name, so nothing is left of it when the process dies. Threads may add and read at once.
final class TileSpool: TileSource, @unchecked Sendable {
    // Slots are written by the one worker that renders the product and read after all have finished: no slot is ever
    // written and read at the same time, which makes the unchecked conformance sound.
    private struct Slot {
        var offset: Int64 = 0
        var tile: UInt32 = 0
        var entry: UInt32 = 0
    }

    /// How many of the first bytes are in memory: those of some 190,000 products. A plan of a million takes twice that, and what
    /// the search takes is not needed before the spool is gone.
    static let kept = 80 << 20
    /// Pages that nobody wrote to take no memory.
    private let memory: UnsafeMutableRawPointer
    private let descriptor: Int32
    /// For messages.
    private let path: String
    private let slots: UnsafeMutableBufferPointer<Slot>
    private let end = Atomic<Int64>(0)

    init(products: Int, in folder: Directory) throws(FileError) {
        (descriptor, path) = try folder.temporaryFile("tiles")
        slots = .allocate(capacity: products)
        slots.initialize(repeating: Slot())
        let memory = mmap(nil, Self.kept, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { throw FileError("get memory for", path) }
        self.memory = memory
    }

    deinit {
        _ = close(descriptor)
        munmap(memory, Self.kept)
        slots.deallocate()
    }

    /// Adds the tiles and feed entries of some products, which stand back to back in `bytes`.
    func append(_ bytes: [UInt8], of products: [(number: Int, tile: Int, entry: Int)]) throws(FileError) {
        var offset = end.add(Int64(bytes.count), ordering: .relaxed).oldValue
        let done = Self.kept(of: bytes.count, at: offset)
        bytes.withUnsafeBytes { if done > 0 { memcpy(memory + Int(offset), $0.baseAddress!, done) } }
        try writeAll(bytes.span.bytes.extracting(done...), to: descriptor, at: offset + Int64(done), path)
        for product in products {
            slots[product.number] = Slot(
                offset: offset, tile: UInt32(product.tile), entry: UInt32(product.entry))
            offset += Int64(product.tile + product.entry)
        }
    }

    func tiles(of products: some Collection<Int32>, root: String, mark: String) throws -> [UInt8] {
        let (mark, root) = (Array(mark.utf8), Array(root.utf8))
        precondition(mark.count == 3, "the mark is a scalar of three bytes")
        var tiles = try bytes(of: products) { ($0.offset, Int($0.tile)) }
        // Most indexes are one folder deep, and the way to the top from there is as long as the mark.
        if root.count == mark.count {
            tiles.replace(mark, withSameLength: root)
            return tiles
        }
        var out: [UInt8] = []
        out.reserveCapacity(tiles.count + products.count * 4)
        out.append(tile: tiles, root: root, mark: mark)
        return out
    }

    func entries(of products: some Collection<Int32>) throws -> [UInt8] {
        try bytes(of: products) { ($0.offset + Int64($0.tile), Int($0.entry)) }
    }

    /// A part of what was added of each product, one after the other.
    private func bytes(
        of products: some Collection<Int32>, _ place: (Slot) -> (offset: Int64, count: Int)
    ) throws -> [UInt8] {
        let count = products.reduce(0) { $0 + place(slots[Int($1)]).count }
        return try [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            let room = UnsafeMutableRawBufferPointer(room)
            for product in products {
                let (offset, count) = place(slots[Int(product)])
                try read(offset, into: UnsafeMutableRawBufferPointer(rebasing: room[filled..<filled + count]))
                filled += count
            }
        }
    }

    /// How many of some bytes that begin at an offset are in memory.
    private static func kept(of count: Int, at offset: Int64) -> Int {
        min(max(kept - Int(offset), 0), count)
    }

    private func read(_ offset: Int64, into room: UnsafeMutableRawBufferPointer) throws(FileError) {
        let done = Self.kept(of: room.count, at: offset)
        if done > 0 { memcpy(room.baseAddress!, memory + Int(offset), done) }
        try readAll(
            into: UnsafeMutableRawBufferPointer(rebasing: room[done...]), from: descriptor,
            at: offset + Int64(done), path)
    }
}
