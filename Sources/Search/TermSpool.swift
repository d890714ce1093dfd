import Basics
import Glibc

/// Words with the products that they are found in, in the order in which workers come upon them: sorted out into a few
/// parts by their first byte, and kept in a file without a name, so that memory holds one part at a time.
final class TermSpool: @unchecked Sendable {
    // Each worker has buffers of its own, and the file takes bytes of all of them at once.
    /// A product and the level of a word in it: `number << 3 | level`.
    typealias Posting = UInt32

    /// Bytes that grow at their end. Words are many and short: an array would check for each whether it is shared.
    private struct Buffer {
        var base: UnsafeMutableRawPointer?
        var count = 0, capacity = 0

        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

        mutating func grow(to size: Int) {
            base = realloc(base, size)
            precondition(base != nil, "no memory")
            capacity = size
        }

        mutating func append(_ word: UnsafeBufferPointer<UInt8>, _ posting: Posting) {
            let end = base! + count
            end.storeBytes(of: UInt8(word.count), as: UInt8.self)
            memcpy(end + 1, word.baseAddress!, word.count)
            (end + 1 + word.count).storeBytes(of: posting, as: Posting.self)
            count += word.count + 5
        }
    }

    private final class Buffers {
        let parts: UnsafeMutableBufferPointer<Buffer>

        init(_ count: Int) {
            parts = .allocate(capacity: count)
            parts.initialize(repeating: Buffer())
        }

        deinit {
            for part in parts { free(part.base) }
            parts.deallocate()
        }
    }

    let parts: Int
    /// Nil while all words are in one part, which stays in memory.
    private let file: PartedFile?
    private let buffers: [Buffers]
    private static let bufferSize = 32 << 10

    /// - Parameter isParted: false puts all words in one part.
    init(isParted: Bool, workers: Int, in folder: Directory) throws(FileError) {
        let parts = isParted ? Self.partCount : 1
        self.parts = parts
        file = isParted ? try PartedFile("terms", parts: parts, in: folder) : nil
        buffers = (0..<workers).map { _ in Buffers(parts) }
    }

    private static let partCount = 1 + 10 + 26 + 2

    /// Parts are in the order of their words.
    private static func part(of byte: UInt8) -> Int {
        switch byte {
        case 0x30...0x39: 1 + Int(byte - 0x30)
        case 0x61...0x7A: 11 + Int(byte - 0x61)
        case 0xE3...: 38
        case 0x7B...: 37
        default: 0
        }
    }

    /// Adds a word of a product, found by a worker.
    func add(_ word: UnsafeBufferPointer<UInt8>, _ posting: Posting, worker: Int) throws(FileError) {
        guard let first = word.first, word.count < 256 else { return }
        let part = parts == 1 ? 0 : Self.part(of: first)
        let buffer = buffers[worker].parts.baseAddress! + part
        if buffer.pointee.count + word.count + 5 > buffer.pointee.capacity {
            if parts > 1, buffer.pointee.capacity > 0 {
                try flush(part, of: buffers[worker])
            } else {
                buffer.pointee.grow(to: max(Self.bufferSize, 2 * buffer.pointee.capacity))
            }
        }
        buffer.pointee.append(word, posting)
    }

    /// Writes what is left, after all words were added.
    func finish() throws(FileError) {
        if parts == 1 { return }
        for buffers in buffers {
            for part in 0..<parts {
                try flush(part, of: buffers)
                free(buffers.parts[part].base)
                buffers.parts[part] = Buffer()
            }
        }
    }

    private func flush(_ part: Int, of buffers: Buffers) throws(FileError) {
        let bytes = buffers.parts[part].bytes
        guard let file, !bytes.isEmpty else { return }
        try file.append(bytes.bytes, to: part)
        buffers.parts[part].count = 0
    }

    /// The words of a part, each as its length, its bytes and its posting; the caller frees the memory.
    func bytes(of part: Int) throws(FileError) -> UnsafeMutableRawBufferPointer {
        if let file {
            let out = UnsafeMutableRawBufferPointer.allocate(byteCount: file.count(of: part), alignment: 8)
            try file.read(part, into: out)
            return out
        }
        let all = buffers.map { $0.parts[0].bytes }
        let out = UnsafeMutableRawBufferPointer.allocate(
            byteCount: all.reduce(0) { $0 + $1.count }, alignment: 8)
        var at = 0
        for bytes in all where !bytes.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: out[at...]).copyMemory(from: bytes)
            at += bytes.count
        }
        return out
    }
}
