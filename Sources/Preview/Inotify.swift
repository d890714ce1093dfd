import Basics
import Glibc
import Site

/// The kernel's news of folders (inotify(7)). Belongs to one thread.
final class Inotify {
    private let descriptor: Int32
    /// The folders by the number of their watch.
    private var folders: [Int32: (path: String, isDeep: Bool)] = [:]
    private var numbers: [String: Int32] = [:]
    /// Whether there was more than the kernel keeps.
    var hasOverflowed = false

    /// Written to, closed after writing, given other rights, made, moved here, removed, moved away.
    private static let mask =
        UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_CREATE)
        | UInt32(IN_MOVED_TO)
        | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW)

    init() throws(FileError) {
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { throw FileError("watch", "the site") }
    }

    deinit { close(descriptor) }

    /// Watches the folders of the places that are there, and those in them.
    func watch(_ places: WatchedPlaces) throws(FileError) {
        for folder in places.folders { try watch(folder.path, isDeep: folder.isDeep) }
    }

    private func watch(_ path: String, isDeep: Bool) throws(FileError) {
        var waiting = [path]
        while let path = waiting.popLast() {
            let number = inotify_add_watch(descriptor, path, Self.mask)
            if number < 0 {
                // Gone, or no folder; the one above tells when it comes.
                if [ENOENT, ENOTDIR, ELOOP].contains(errno) { continue }
                throw FileError("watch", path)
            }
            let before = folders[number]
            folders[number] = (path, isDeep || before?.path == path && before?.isDeep == true)
            numbers[path] = number
            guard isDeep, let entries = try? Directory(path: path).entries() else { continue }
            for entry in entries where entry.kind == .directory && !entry.name.hasPrefix(".") {
                waiting.append(path + "/" + entry.name)
            }
        }
    }

    /// Whether there is news within a time.
    func waits(milliseconds: Int) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, Int32(milliseconds)) > 0
    }

    /// What there is at the moment.
    func read() throws(FileError) -> [Watcher.Change] {
        var changes: [Watcher.Change] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return changes }
            guard count > 0 else { throw FileError("watch", "the site") }
            buffer.withUnsafeBytes { bytes in
                var at = 0
                let head = MemoryLayout<inotify_event>.size
                while at + head <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
                    let name = bytes[at + head..<at + head + Int(event.len)].prefix { $0 != 0 }
                    at += head + Int(event.len)
                    if let change = change(event, String(decoding: name, as: UTF8.self)) {
                        changes.append(change)
                    }
                }
            }
        }
    }

    private func change(_ event: inotify_event, _ name: String) -> Watcher.Change? {
        func has(_ flag: Int) -> Bool { event.mask & UInt32(flag) != 0 }
        if has(Int(IN_Q_OVERFLOW)) {
            hasOverflowed = true
            return nil
        }
        if has(Int(IN_IGNORED)) {
            if let folder = folders.removeValue(forKey: event.wd) { numbers[folder.path] = nil }
            return nil
        }
        guard let folder = folders[event.wd], !name.isEmpty else { return nil }
        let kind: WatchedPlaces.Change =
            if has(Int(IN_CREATE)) { has(Int(IN_ISDIR)) ? .came : .made } else if has(Int(IN_MODIFY)) {
                .written
            } else if has(Int(IN_CLOSE_WRITE)) || has(Int(IN_ATTRIB)) {
                .closed
            } else if has(Int(IN_MOVED_TO)) { .came } else {
                .gone
            }
        return Watcher.Change(path: folder.path + "/" + name, kind: kind)
    }
}
