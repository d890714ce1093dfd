import Basics
import Glibc
import Site

/// Tells of files that were changed: by inotify, with one descriptor and one watch for each folder; by looking at all of
/// them now and then where that is not to be had.
///
/// What comes within some milliseconds is told together: a program that saves a file does it in several steps.
final class Watcher: Sendable {
    /// A file that was changed.
    struct Change: Hashable, Sendable {
        /// Absolute.
        let path: String
        let kind: WatchedPlaces.Change
    }

    private let places: @Sendable () -> WatchedPlaces
    private let polls: Bool
    private let tell: @Sendable (String) -> Void
    private let changed: @Sendable ([Change]) -> Void
    private let state = Monitor(isClosed: false)

    /// How long it must be quiet before changes are told, and how long they may wait for that; in milliseconds. A save by
    /// an editor takes one or two.
    private static let quiet = 8, longest = 60
    /// How often all files are looked at where nobody tells of changes, in seconds.
    private static let interval = 0.5

    /// - Parameters:
    ///   - places: where to watch; asked again after each change.
    ///   - polls: whether to look rather than to be told.
    ///   - tell: hears that files are looked at, and why.
    ///   - changed: gets what was changed.
    init(
        _ places: @autoclosure @escaping @Sendable () -> WatchedPlaces, polls: Bool,
        tell: @escaping @Sendable (String) -> Void, changed: @escaping @Sendable ([Change]) -> Void
    ) {
        self.places = places
        self.polls = polls
        self.tell = tell
        self.changed = changed
    }

    /// Begins; false when the system has no thread left.
    func start() -> Bool { detachThread { self.run() } }

    func close() { state.withLock { $0 = true } }

    private var isClosed: Bool { state.withLock { $0 } }

    private func run() {
        if polls { return look() }
        do { try listen() } catch {
            tell(error.reason)
            // What was told of last, and what came between, may not have been passed on.
            look { [places, changed] in changed(places().all.map { Change(path: $0, kind: .found) }) }
        }
    }

    // MARK: Being told

    private func listen() throws(FileError) {
        let inotify = try Inotify()
        var known: WatchedPlaces?
        while !isClosed {
            let now = places()
            if now != known {
                try inotify.watch(now)
                known = now
                // What was saved after the site was read and before its folders were watched is told by nobody.
                changed(now.small.map { Change(path: $0, kind: .found) })
            }
            guard inotify.waits(milliseconds: 500) else { continue }
            var changes = Set(try inotify.read())
            let end = monotonicSeconds() + Double(Self.longest) / 1000
            while monotonicSeconds() < end, inotify.waits(milliseconds: Self.quiet) {
                changes.formUnion(try inotify.read())
            }
            if inotify.hasOverflowed {
                // What was changed is not known: everything may have been.
                inotify.hasOverflowed = false
                changes.formUnion(now.all.map { Change(path: $0, kind: .found) })
                known = nil
            }
            // A folder that has come is watched from here on; what is in it already counts as changed with it.
            try inotify.watch(now)
            if !changes.isEmpty { changed(changes.sorted { $0.path < $1.path }) }
        }
    }

    // MARK: Looking

    /// - Parameter begin: is called when all files have been looked at for the first time.
    private func look(_ begin: () -> Void = {}) {
        var known = FileTimes(places())
        begin()
        while state.wait(seconds: Self.interval, for: { $0 ? true : nil }) == nil {
            let now = FileTimes(places())
            let changes = now.changes(since: known)
            known = now
            if !changes.isEmpty { changed(changes) }
        }
    }
}

extension Monitor<Bool> {
    fileprivate convenience init(isClosed: Bool) { self.init(isClosed) }
}

/// The times and sizes of all files that are watched.
private struct FileTimes {
    private struct Entry: Equatable {
        let size: Int, modified: Int64, inode: UInt64
        /// Who may read it, too.
        let mode: UInt32
    }

    private var entries: [String: Entry] = [:]

    init(_ places: WatchedPlaces) {
        var folders = places.folders.map { ($0.path, $0.isDeep) }
        while let (path, isDeep) = folders.popLast() {
            guard let folder = try? Directory(path: path), let names = try? folder.names() else { continue }
            for name in names where !name.hasPrefix(".") {
                var status = stat()
                let file = path + "/" + name
                guard lstat(file, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    if isDeep { folders.append((file, true)) }
                    continue
                }
                let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
                entries[file] = Entry(
                    size: Int(status.st_size), modified: modified, inode: UInt64(status.st_ino),
                    mode: status.st_mode)
            }
        }
    }

    func changes(since before: FileTimes) -> [Watcher.Change] {
        let gone = before.entries.keys.filter { entries[$0] == nil }
        let other = entries.filter { before.entries[$0.key] != $0.value }.keys
        return (gone + other).sorted().map { Watcher.Change(path: $0, kind: .found) }
    }
}
