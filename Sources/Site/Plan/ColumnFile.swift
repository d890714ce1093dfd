import Basics
import Glibc

/// Writes columns of numbers and bytes one after the other, each with its length in bytes before it.
final class ColumnWriter {
    private let descriptor: Int32
    private let path: String
    private var digests: [UInt8] = []
    private var end = 0

    /// - Parameter name: of the file; one that is there is replaced.
    init(_ name: String, in folder: Directory) throws(FileError) {
        try folder.removeFile(name)
        path = folder.joined(name)
        descriptor = openat(
            folder.descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError("create", path) }
    }

    deinit { _ = close(descriptor) }

    func put<Value: BitwiseCopyable>(_ column: [Value]) throws(FileError) {
        let span = column.span.bytes
        try put(span)
    }

    func put(_ text: String) throws(FileError) { try put(Array(text.utf8)) }

    func put(_ bytes: RawSpan) throws(FileError) {
        // The length is part of the digest: it tells where one column ends and the next begins.
        var count = [UInt64(bytes.byteCount)]
        try write(count.span.bytes)
        try write(bytes)
        count += bytes.withUnsafeBytes {
            let digest = Fingerprint(of: $0)
            return [digest.high, digest.low]
        }
        count.withUnsafeBytes { digests.append(contentsOf: $0) }
    }

    /// Of all that was written.
    var digest: Fingerprint { Fingerprint(of: digests) }

    private func write(_ bytes: RawSpan) throws(FileError) {
        var done = 0
        while done < bytes.byteCount {
            let n = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, bytes.byteCount - done, off_t(end))
            }
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { throw FileError("write", path, code: n == 0 ? EIO : errno) }
            done += n
            end += n
        }
    }
}

/// Reads what a ``ColumnWriter`` wrote, column by column into memory of its own.
final class ColumnReader {
    private let descriptor: Int32
    private let size: Int
    private var at = 0
    private var digests: [UInt8] = []

    /// The file ends early, or is none of ours.
    struct Unusable: Error {}

    init(_ name: String, in folder: Directory) throws {
        descriptor = openat(folder.descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        var status = stat()
        size = descriptor >= 0 && fstat(descriptor, &status) == 0 ? Int(status.st_size) : -1
        guard size >= 0, status.st_mode & S_IFMT == S_IFREG else { throw Unusable() }
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    func column<Value: BitwiseCopyable>(of type: Value.Type = Value.self) throws -> [Value] {
        var length: UInt64 = 0
        try withUnsafeMutableBytes(of: &length) { try read(into: $0) }
        let stride = MemoryLayout<Value>.stride
        guard length <= size - at, Int(length) % stride == 0 else { throw Unusable() }
        let count = Int(length) / stride
        let column = try [Value](unsafeUninitializedCapacity: count) { buffer, filled in
            try read(
                into: UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[..<Int(length)]))
            filled = count
        }
        let digest = column.withUnsafeBytes { Fingerprint(of: $0) }
        [length, digest.high, digest.low].withUnsafeBytes { digests.append(contentsOf: $0) }
        return column
    }

    func text() throws -> String { String(decoding: try column(of: UInt8.self), as: UTF8.self) }

    /// Of all that was read: that of the writer, if it is the same and nothing follows.
    var digest: Fingerprint? { at == size ? Fingerprint(of: digests) : nil }

    private func read(into buffer: UnsafeMutableRawBufferPointer) throws {
        var done = 0
        while done < buffer.count {
            let n = pread(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(at))
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { throw Unusable() }
            done += n
            at += n
        }
    }
}

/// Whether the ends of what stands back to back ascend, up to the last.
func areEnds(_ ends: [UInt32], of count: Int) -> Bool {
    var last: UInt32 = 0
    for end in ends {
        if end < last { return false }
        last = end
    }
    return Int(last) == count
}
