import CSystem
import Glibc

/// Opens a path below a folder; no part of it may be a link or lead out (RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS).
///
/// - Returns: a descriptor, or -1 with `errno`: ELOOP for a link, EXDEV for a path that leads out.
func openBeneath(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    let fd = bs_openat2(folder, path, UInt(flags), 0)
    // Kernels before 5.6 have no openat2, and some sandboxes refuse what they do not know.
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? openPartByPart(folder, path, flags) : fd
}

/// What ``openBeneath(_:_:_:)`` does, with the calls that every system has.
///
/// Each part is opened without following links, relative to the one before, so that nobody who renames folders in the
/// meantime leads us out.
func openPartByPart(_ folder: Int32, _ path: String, _ flags: Int32) -> Int32 {
    guard !path.isEmpty else {
        errno = ENOENT
        return -1
    }
    let parts = path.split(separator: "/").filter { $0 != "." }
    guard !path.hasPrefix("/"), !parts.contains("..") else {
        errno = EXDEV
        return -1
    }
    var at = folder
    for (i, part) in parts.enumerated() {
        let isLast = i == parts.count - 1
        let kind = isLast ? flags : O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let next = openat(at, String(part), kind | O_NOFOLLOW)
        if next < 0 {
            // O_DIRECTORY calls a link no folder; openat2 calls it a link.
            let code = errno
            var status = stat()
            let isLink =
                fstatat(at, String(part), &status, AT_SYMLINK_NOFOLLOW) == 0
                && status.st_mode & S_IFMT == S_IFLNK
            if at != folder { _ = close(at) }
            errno = isLink ? ELOOP : code
            return -1
        }
        if at != folder { _ = close(at) }
        at = next
    }
    return at == folder ? openat(folder, ".", flags) : at
}

/// Whether the folder of that name below another is on another mount; nil with `errno` when it cannot be opened.
func isOtherMount(_ folder: Int32, _ name: String) -> Bool? {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    var fd = bs_openat2_same_mount(folder, name, UInt(flags))
    if fd < 0, errno == EXDEV { return true }
    var isOther = false
    if fd < 0, errno == ENOSYS || errno == EPERM {
        // Without openat2 a second mount of the same file system looks like a folder of it.
        fd = openPartByPart(folder, name, flags)
        var outer = stat()
        var inner = stat()
        if fd >= 0, fstat(folder, &outer) == 0, fstat(fd, &inner) == 0 {
            isOther = outer.st_dev != inner.st_dev
        }
    }
    guard fd >= 0 else { return nil }
    _ = close(fd)
    return isOther
}
