public import Glibc

/// A file that is read from its start to its end, a piece at a time. Belongs to one thread at a time.
public final class InputFile {
    private let descriptor: Int32
    /// The path as it was given, for messages.
    public let path: String
    /// Its length in bytes when it was opened.
    public let size: Int
    /// How many bytes were read since the start.
    public private(set) var position = 0

    /// Opens a regular file; pipes and folders are refused, for importers read twice.
    public init(path: String) throws(FileError) {
        self.path = path
        // Not to wait for the writer of a pipe, which is refused below.
        descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) }
        guard descriptor >= 0 else { throw FileError("open", path) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = FileError("open", path)
            close(descriptor)
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw FileError("open", path, code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ESPIPE)
        }
        size = Int(status.st_size)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Puts the next bytes, at most `count`, in place of what is in the buffer; none are left at the end.
    public func read(_ count: Int, into buffer: inout [UInt8]) throws(FileError) {
        var n = 0
        buffer = [UInt8](unsafeUninitializedCapacity: count) { space, initialised in
            n = retrying { Glibc.read(descriptor, space.baseAddress, count) }
            initialised = max(0, n)
        }
        if n < 0 { throw FileError("read", path) }
        position += n
    }

    /// Whether it is the file with these numbers, under whatever name.
    public func isSame(as device: dev_t, _ number: ino_t) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == number
    }

    /// Goes back to the start.
    public func rewind() throws(FileError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError("read", path) }
        position = 0
    }
}

@available(*, unavailable)
extension InputFile: Sendable {}
