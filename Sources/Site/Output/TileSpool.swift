import Basics
import Glibc
import Synchronization

/// Where index pages and feeds get what they show of products.
protocol TileSource {
    /// The tiles of some products one after the other, the mark in them replaced by the way to the top.
    func tiles(of products: some Collection<Int32>, root: String, mark: String) throws -> [UInt8]
    /// The feed entries of some products one after the other.
    func entries(of products: some Sequence<Int32>) throws -> [UInt8]
}

extension [UInt8] {
    /// Appends a tile with the mark in it, which has three bytes, replaced by the way to the top.
    mutating func append(tile buffer: [UInt8], root: String, mark: [UInt8]) {
        var start = 0
        buffer.withUnsafeBytes { bytes in
            // The mark's first byte is rare in other text, and memchr finds it faster than a loop does.
            var from = 0
            while from + 3 <= bytes.count,
                let found = memchr(bytes.baseAddress! + from, Int32(mark[0]), bytes.count - from - 2)
            {
                let i = found - UnsafeMutableRawPointer(mutating: bytes.baseAddress!)
                from = i + 1
                guard bytes[i + 1] == mark[1], bytes[i + 2] == mark[2] else { continue }
                append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<i]))
                append(root)
                start = i + 3
                from = start
            }
        }
        append(contentsOf: buffer[start...])
    }
}

/// What products look like on index pages and in feeds, rendered once each and kept in a file until the pages that
/// paste them are made: 16 bytes of memory a product, whatever the length of the tiles.
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

    private let descriptor: Int32
    /// For messages.
    private let path: String
    private let slots: UnsafeMutableBufferPointer<Slot>
    private let end = Atomic<Int64>(0)

    init(products: Int, in folder: Directory) throws(FileError) {
        let name = "tiles"
        try folder.removeFile(name)
        path = folder.joined(name)
        descriptor = openat(
            folder.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError("create", path) }
        slots = .allocate(capacity: products)
        slots.initialize(repeating: Slot())
        try folder.removeFile(name)
    }

    deinit {
        _ = close(descriptor)
        slots.deallocate()
    }

    /// Adds the tiles and feed entries of some products, which stand back to back in `bytes`.
    func append(_ bytes: [UInt8], of products: [(number: Int, tile: Int, entry: Int)]) throws(FileError) {
        var offset = end.add(Int64(bytes.count), ordering: .relaxed).oldValue
        var done = 0
        while done < bytes.count {
            let n = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(offset) + done)
            }
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { throw FileError("write", path, code: n == 0 ? EIO : errno) }
            done += n
        }
        for product in products {
            slots[product.number] = Slot(
                offset: offset, tile: UInt32(product.tile), entry: UInt32(product.entry))
            offset += Int64(product.tile + product.entry)
        }
    }

    func tiles(of products: some Collection<Int32>, root: String, mark: String) throws(FileError) -> [UInt8] {
        let mark = Array(mark.utf8)
        precondition(mark.count == 3, "the mark is a scalar of three bytes")
        var out: [UInt8] = []
        out.reserveCapacity(products.count * 900)
        var buffer: [UInt8] = []
        for product in products {
            let slot = slots[Int(product)]
            try read(slot.offset, Int(slot.tile), into: &buffer)
            out.append(tile: buffer, root: root, mark: mark)
        }
        return out
    }

    func entries(of products: some Sequence<Int32>) throws(FileError) -> [UInt8] {
        var out: [UInt8] = []
        var buffer: [UInt8] = []
        for product in products {
            let slot = slots[Int(product)]
            try read(slot.offset + Int64(slot.tile), Int(slot.entry), into: &buffer)
            out.append(contentsOf: buffer)
        }
        return out
    }

    private func read(_ offset: Int64, _ count: Int, into buffer: inout [UInt8]) throws(FileError) {
        if buffer.count < count { buffer = [UInt8](repeating: 0, count: max(count, 2048)) }
        if buffer.count > count { buffer.removeLast(buffer.count - count) }
        var done = 0
        while done < count {
            let n = buffer.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + done, count - done, off_t(offset) + done)
            }
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { throw FileError("read", path, code: n == 0 ? EIO : errno) }
            done += n
        }
    }
}
