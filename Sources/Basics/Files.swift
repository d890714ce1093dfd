import CSystem
import Glibc

/// A system call that failed, with what it was asked for.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, as a verb: "open", "write", "rename".
    public let operation: String
    /// The file or folder, as it is to be printed.
    public let path: String
    /// The system's error number.
    public let code: Int32

    /// Makes an error from `errno`, or from the number given.
    public init(_ operation: String, _ path: String, code: Int32? = nil) {
        self.operation = operation
        self.path = path
        self.code = code ?? errno
    }

    /// The system's words as our messages write them: "no space left on device".
    public var reason: String {
        // What openat2 says of a path that leaves its folder would send people looking for devices.
        if code == EXDEV, operation == "open" { return "the path leads out of its folder" }
        if code == ELOOP, operation == "open" { return "a symbolic link is on the way" }
        // Of inotify(7): no disk is full.
        if code == ENOSPC, operation == "watch" {
            return "the system watches no more folders (fs.inotify.max_user_watches)"
        }
        let words = String(cString: strerror(code))
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    /// Whether there is nothing of that name.
    public var isMissing: Bool { code == ENOENT || code == ENOTDIR }

    /// Whether it says something of what lies at the path, such as a link on the way, and nothing of the system, such as
    /// too many open files.
    public var isOfPath: Bool { isMissing || [ELOOP, EXDEV, EACCES, ENAMETOOLONG].contains(code) }

    /// What was tried, on what, and the reason.
    public var description: String { "cannot \(operation) \(path.printable): \(reason)" }
}

/// What `fstatat` tells of a file, as far as we look at it.
public struct FileStatus: Hashable, Sendable {
    /// The kinds of file that matter here.
    public enum Kind: Sendable { case regular, directory, link, other }

    /// What it is.
    public let kind: Kind
    /// Bytes of a regular file.
    public let size: Int
    /// Modification time in nanoseconds since 1970.
    public let modified: Int64
    /// Time of the last change of content, name or permissions, which nobody can set, in nanoseconds since 1970.
    public let changed: Int64
    /// Together they tell whether two names are one file.
    public let device: UInt64, inode: UInt64
    /// The permission bits.
    public let mode: UInt32
    /// The numbers of the user and the group it belongs to.
    public let owner: UInt32, group: UInt32

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        size = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
    }
}

/// An open folder: everything in it is reached relative to its descriptor, so that nobody who renames or links
/// a folder above it in the meantime can lead us elsewhere (S35).
public final class Directory: Sendable {
    /// The descriptor, open until the object goes.
    public let descriptor: Int32
    /// The path for messages.
    public let path: String

    private init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }

    /// Opens a folder by its path; links in the path are followed, because the person named it.
    public convenience init(path: String) throws(FileError) {
        let fd = retrying { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard fd >= 0 else { throw FileError("open", path) }
        self.init(descriptor: fd, path: path)
    }

    /// Opens a folder below this one; no part of `name` may be a link or lead out (`openat2`, RESOLVE_BENEATH).
    public func directory(_ name: String) throws(FileError) -> Directory {
        let fd = retrying { openBeneath(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard fd >= 0 else { throw FileError("open", joined(name)) }
        return Directory(descriptor: fd, path: joined(name))
    }

    /// Opens a folder below this one, making it and the folders above it where they are missing.
    public func makingDirectory(_ name: String, mode: UInt32 = 0o755) throws(FileError) -> Directory {
        do { return try directory(name) } catch  where error.code == ENOENT {}
        var at = 0
        let bytes = Array(name.utf8)
        while at < bytes.count {
            let end = bytes[at...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.count
            let part = String(decoding: bytes[..<end], as: UTF8.self)
            // The parent is opened without following links, so that mkdirat lands inside.
            let parent = at == 0 ? self : try directory(String(decoding: bytes[..<(at - 1)], as: UTF8.self))
            let leaf = String(decoding: bytes[at..<end], as: UTF8.self)
            if mkdirat(parent.descriptor, leaf, mode) != 0, errno != EEXIST {
                throw FileError("make the folder", joined(part))
            }
            at = end + 1
        }
        return try directory(name)
    }

    /// Whether the name can be reached, and what is there. No link is followed: one in the way is an error.
    public func status(_ name: String) throws(FileError) -> FileStatus? {
        if let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) {
            // fstatat follows links in all but the last part.
            let folder: Directory
            do { folder = try directory(String(name[..<slash])) } catch  where error.isMissing { return nil }
            return try folder.status(String(name[name.utf8.index(after: slash)...]))
        }
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw FileError("look at", joined(name))
        }
        return FileStatus(status)
    }

    /// Whether something is mounted there, be it this file system a second time: renames do not cross it.
    public func isMountPoint(_ name: String) throws(FileError) -> Bool {
        guard let isOther = isOtherMount(descriptor, name) else { throw FileError("open", joined(name)) }
        return isOther
    }

    /// Whether the process may make and rename files here.
    public var isWritable: Bool { faccessat(descriptor, ".", W_OK, 0) == 0 }

    /// The status of the folder itself.
    public func status() throws(FileError) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError("look at", path) }
        return FileStatus(status)
    }

    /// Writes a new file with mode 0644; fails if the name is taken, even by a dangling link.
    public func create(_ name: String, _ bytes: UnsafeRawBufferPointer, mode: UInt32 = 0o644)
        throws(FileError)
    {
        // As it lies in the string: where C's type is asked for, it is copied first.
        let fd = name.withCString { name in
            retrying { openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode) }
        }
        guard fd >= 0 else { throw FileError("create", joined(name)) }
        do {
            try write(all: bytes, to: fd, path: name)
        } catch {
            _ = close(fd)
            throw error
        }
        // A failed close can be a failed write (quota, network file systems).
        guard close(fd) == 0 || errno == EINTR else { throw FileError("write", joined(name)) }
    }

    /// Writes a new file from an array.
    public func create(_ name: String, _ bytes: [UInt8], mode: UInt32 = 0o644) throws(FileError) {
        let result: Result<Void, FileError> = bytes.withUnsafeBytes { buffer in
            do throws(FileError) { return .success(try create(name, buffer, mode: mode)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Writes a new file that is whole and on the disk when it appears under its name; fails if the name is taken.
    public func createDurably(_ name: String, _ bytes: [UInt8], mode: UInt32 = 0o644) throws(FileError) {
        let new = name + ".new"
        try removeFile(new)
        try create(new, bytes, mode: mode)
        let fd = retrying { openat(descriptor, new, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard fd >= 0 else { throw FileError("open", joined(new)) }
        let code = fsync(fd)
        let error = FileError("write", joined(name))
        _ = close(fd)
        guard code == 0 else { throw error }
        try renameWithoutReplacing(new, to: self, as: name)
        guard fsync(descriptor) == 0 else { throw FileError("write", path) }
    }

    /// Writes a file whole: beside its name, then renamed over it.
    public func replace(_ name: String, with bytes: [UInt8], mode: UInt32 = 0o644) throws(FileError) {
        let new = name + ".new"
        _ = unlinkat(descriptor, new, 0)
        try create(new, bytes, mode: mode)
        try rename(new, to: self, as: name)
    }

    /// Reads a regular file whole; links, devices and FIFOs are refused (S32), as is more than `limit` bytes.
    public func contents(of name: String, limit: Int) throws(FileError) -> [UInt8] {
        let fd = retrying { openBeneath(descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard fd >= 0 else { throw FileError("open", joined(name)) }
        defer { _ = close(fd) }
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw FileError("look at", joined(name)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError("read", joined(name), code: EINVAL) }
        guard Int(status.st_size) <= limit else { throw FileError("read", joined(name), code: EFBIG) }
        var out: [UInt8] = []
        out.reserveCapacity(Int(status.st_size) + 1)
        var chunk = [UInt8](repeating: 0, count: min(max(Int(status.st_size) + 1, 512), 1 << 20))
        while true {
            let n = retrying { Glibc.read(fd, &chunk, chunk.count) }
            guard n >= 0 else { throw FileError("read", joined(name)) }
            if n == 0 { return out }
            out.append(contentsOf: chunk[..<n])
            guard out.count <= limit else { throw FileError("read", joined(name), code: EFBIG) }
        }
    }

    /// Renames a file or folder into a folder, replacing what has the new name.
    public func rename(_ name: String, to folder: Directory, as new: String) throws(FileError) {
        guard retrying({ bs_renameat2(descriptor, name, folder.descriptor, new, 0) }) == 0 else {
            throw FileError("rename", folder.joined(new))
        }
    }

    /// Renames only if the new name is free.
    public func renameWithoutReplacing(_ name: String, to folder: Directory, as new: String) throws(FileError)
    {
        guard retrying({ bs_renameat2(descriptor, name, folder.descriptor, new, 1) }) != 0 else { return }
        let error = FileError("rename", folder.joined(new))
        // NFS and some FUSE file systems know no flags.
        guard error.code == EINVAL, try folder.status(new) == nil else { throw error }
        try rename(name, to: folder, as: new)
    }

    /// Swaps two names in one step; both must exist. Not every file system can (`EINVAL`).
    public func exchange(_ name: String, with folder: Directory, _ other: String) throws(FileError) {
        guard retrying({ bs_renameat2(descriptor, name, folder.descriptor, other, 2) }) == 0 else {
            throw FileError("exchange", folder.joined(other))
        }
    }

    /// Gives a file a second name in another folder; the file is the same one (inode, time).
    public func link(_ name: String, to folder: Directory, as new: String) throws(FileError) {
        guard linkat(descriptor, name, folder.descriptor, new, 0) == 0 else {
            throw FileError("link", folder.joined(new))
        }
    }

    /// Removes a file; "already gone" is fine. Whether there was one.
    @discardableResult
    public func removeFile(_ name: String) throws(FileError) -> Bool {
        if unlinkat(descriptor, name, 0) == 0 { return true }
        if errno == ENOENT { return false }
        throw FileError("remove", joined(name))
    }

    /// Removes a folder if it is empty. Whether it went.
    @discardableResult
    public func removeDirectory(_ name: String) throws(FileError) -> Bool {
        if unlinkat(descriptor, name, AT_REMOVEDIR) == 0 { return true }
        if errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR { return false }
        throw FileError("remove", joined(name))
    }

    /// The names in the folder, but `.` and `..`, in byte order.
    public func names() throws(FileError) -> [String] { try entries().map(\.name) }

    /// What is in the folder, but `.` and `..`, in byte order; links are told as links.
    public func entries() throws(FileError) -> [(name: String, kind: FileStatus.Kind)] {
        let fd = retrying { openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard fd >= 0 else { throw FileError("list", path) }
        guard let stream = fdopendir(fd) else {
            let error = FileError("list", path)
            _ = close(fd)
            throw error
        }
        defer { closedir(stream) }
        var entries: [(name: String, kind: FileStatus.Kind)] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." {
                switch Int(entry.pointee.d_type) {
                case DT_REG: entries.append((name, .regular))
                case DT_DIR: entries.append((name, .directory))
                case DT_LNK: entries.append((name, .link))
                // Some file systems do not tell; one that is gone again is left out.
                default: if let kind = try status(name)?.kind { entries.append((name, kind)) }
                }
            }
            errno = 0
        }
        guard errno == 0 else { throw FileError("list", path) }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Removes everything in the folder, without following links and without recursion. Only for folders that
    /// are wholly ours (staging); never for the output (S36).
    public func removeContents() throws(FileError) {
        var open: [(Directory, [String])] = [(self, try names())]
        while var (folder, left) = open.popLast() {
            guard let name = left.popLast() else {
                if let parent = open.last?.0 {
                    _ = try parent.removeDirectory(String(folder.path.split(separator: "/").last ?? ""))
                }
                continue
            }
            open.append((folder, left))
            if unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT { continue }
            guard errno == EISDIR || errno == EPERM else { throw FileError("remove", folder.joined(name)) }
            if unlinkat(folder.descriptor, name, AT_REMOVEDIR) == 0 { continue }
            folder = try folder.directory(name)
            open.append((folder, try folder.names()))
        }
    }

    /// Waits until everything written to the file system is on the disk (`syncfs`): once a build, not once a page.
    public func synchronise() throws(FileError) {
        guard bs_syncfs(descriptor) == 0 else { throw FileError("synchronise", path) }
    }

    /// The name below this folder, for messages.
    public func joined(_ name: String) -> String {
        path.isEmpty || path == "." ? name : path == "/" ? "/" + name : path + "/" + name
    }

    private func write(all bytes: UnsafeRawBufferPointer, to fd: Int32, path name: String) throws(FileError) {
        var rest = bytes
        while !rest.isEmpty {
            let n = retrying { Glibc.write(fd, rest.baseAddress, rest.count) }
            guard n > 0 else { throw FileError("write", joined(name), code: n == 0 ? EIO : errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest[n...])
        }
    }
}

/// A lock on a file, held until the object goes or the process dies (`flock`).
public final class FileLock: Sendable {
    /// For programs that are to hold the lock as long as they run (``ChildProgram/kept``).
    public let descriptor: Int32

    /// Takes the lock if it is free; nil if somebody else holds it.
    public init?(in folder: Directory, name: String) throws(FileError) {
        descriptor = retrying {
            openat(folder.descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
        }
        guard descriptor >= 0 else { throw FileError("open", folder.joined(name)) }
        if retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) != 0 {
            guard errno == EWOULDBLOCK else { throw FileError("lock", folder.joined(name)) }
            return nil
        }
        let holder = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, holder, holder.count, 0)
    }

    /// The process that wrote its number into the lock file.
    public static func holder(in folder: Directory, name: String) -> String? {
        guard let bytes = try? folder.contents(of: name, limit: 64) else { return nil }
        return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Not by closing alone: a program that another thread starts at this moment has the descriptor until its exec.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }
}

/// A lock that many may hold at once, and whoever holds it alone may clear up (`flock`).
public final class SharedLock: Sendable {
    private let descriptor: Int32

    /// Waits until nobody holds the lock alone.
    public init(in folder: Directory, name: String) throws(FileError) {
        descriptor = retrying {
            openat(folder.descriptor, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
        }
        guard descriptor >= 0 else { throw FileError("open", folder.joined(name)) }
        guard retrying({ flock(descriptor, LOCK_SH) }) == 0 else {
            throw FileError("lock", folder.joined(name))
        }
    }

    /// Holds it alone from now on if nobody else has it. If somebody has, ours may be lost: this is for the end.
    public func becomeOnly() -> Bool { retrying { flock(descriptor, LOCK_EX | LOCK_NB) } == 0 }

    deinit {
        guard descriptor >= 0 else { return }
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }
}

/// Calls a system call again while a signal interrupts it.
@inline(__always)
func retrying<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
