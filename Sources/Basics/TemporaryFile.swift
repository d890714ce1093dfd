import Glibc

extension Directory {
    /// A file for reading and writing that has no name any more.
    public func temporaryFile(_ name: String) throws(FileError) -> (descriptor: Int32, path: String) {
        try removeFile(name)
        let descriptor = openat(
            self.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError("create", joined(name)) }
        try removeFile(name)
        return (descriptor, joined(name))
    }
}

/// Writes bytes at a place of a file, however many calls that takes.
public func writeAll(
    _ bytes: RawSpan, to descriptor: Int32, at offset: Int64, _ path: String
) throws(FileError) {
    var done = 0
    while done < bytes.byteCount {
        let n = bytes.withUnsafeBytes {
            pwrite(descriptor, $0.baseAddress! + done, bytes.byteCount - done, off_t(offset) + done)
        }
        if n < 0, errno == EINTR { continue }
        guard n > 0 else { throw FileError("write", path, code: n == 0 ? EIO : errno) }
        done += n
    }
}

/// Fills a buffer from a place of a file, however many calls that takes.
public func readAll(
    into buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32, at offset: Int64, _ path: String
) throws(FileError) {
    var done = 0
    while done < buffer.count {
        let n = pread(descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + done)
        if n < 0, errno == EINTR { continue }
        guard n > 0 else { throw FileError("read", path, code: n == 0 ? EIO : errno) }
        done += n
    }
}
