import Glibc
import Synchronization

/// A file without a name, to which many append bytes that each belong to one of a few parts, and which is read part by
/// part: what is too much for memory is sorted out into portions that are not.
///
/// Threads may append at once; a part is read after all of it was appended.
public final class PartedFile: Sendable {
    private struct Extent {
        let offset: Int64
        let length: Int
    }

    private let descriptor: Int32
    /// For messages.
    private let path: String
    private let end = Atomic<Int64>(0)
    private let extents: Mutex<[[Extent]]>

    /// - Parameters:
    ///   - name: what the file is called until it is unlinked, which is at once, and in messages.
    ///   - folder: where it is made.
    public init(_ name: String, parts: Int, in folder: Directory) throws(FileError) {
        (descriptor, path) = try folder.temporaryFile(name)
        extents = Mutex([[Extent]](repeating: [], count: parts))
    }

    deinit { _ = close(descriptor) }

    /// Appends bytes to a part. Each time costs a system call and 16 bytes of memory.
    public func append(_ bytes: RawSpan, to part: Int) throws(FileError) {
        let offset = end.add(Int64(bytes.byteCount), ordering: .relaxed).oldValue
        try writeAll(bytes, to: descriptor, at: offset, path)
        extents.withLock { $0[part].append(Extent(offset: offset, length: bytes.byteCount)) }
    }

    /// How many bytes a part has.
    public func count(of part: Int) -> Int {
        extents.withLock { $0[part].reduce(0) { $0 + $1.length } }
    }

    /// Reads a part, in the order in which it was appended, into a buffer of at least its length.
    public func read(_ part: Int, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) {
        var at = 0
        for extent in extents.withLock({ $0[part] }) {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[at..<(at + extent.length)])
            try readAll(into: room, from: descriptor, at: extent.offset, path)
            at += extent.length
        }
    }
}
