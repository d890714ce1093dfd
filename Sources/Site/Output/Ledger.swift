import Basics
import Database
import Glibc
import Model

/// Keeps book of a build: which files are as they were, which were written, and where new bytes go.
///
/// Used by all workers at once.
final class Ledger: @unchecked Sendable {
    // `seen` has a byte for each known file, set but never cleared, so that it does not matter who sets it; the rest of
    // the mutable state is guarded by `mutex`. That makes the unchecked conformance sound.
    private let known: KnownFiles
    private let seen: UnsafeMutableBufferPointer<UInt8>
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let manifest: Manifest
    private let stage: Directory
    /// The rows of a build into nothing; nil in any other, whose rows the manifest gets as they come.
    let rows: RowSpool?

    /// Hashes of the paths that were staged; none in a fresh build, which renames the whole tree.
    private var staged: [Int64] = []
    private let foldersPerWriter: Int
    private(set) var counts = Counts()

    struct Counts: Sendable {
        var written = 0
        var unchanged = 0
        var bytes = 0
        var pages = 0
    }

    /// - Parameters:
    ///   - rows: where the rows go until all are known, in a build into nothing.
    ///   - damaged: files of ours that somebody removed or changed; they are made again.
    ///   - writers: how many write at once.
    init(_ manifest: Manifest, stage: Directory, rows: RowSpool?, damaged: [Int64], writers: Int) throws {
        self.manifest = manifest
        self.stage = stage
        self.rows = rows
        var known = rows != nil ? KnownFiles() : try manifest.known()
        for hash in damaged { known.invalidate(hash) }
        self.known = known
        // Half of what the process may open, shared out. 320: shards and the folders at the top fit in it.
        foldersPerWriter = min(320, max(4, openFileLimit() / (2 * writers)))
        seen = .allocate(capacity: known.count)
        seen.initialize(repeating: 0)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        seen.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Whether the file was made from the same things by the build before; it then stays as it is.
    func isCurrent(_ path: String, _ fingerprint: UInt64) -> Bool {
        guard let at = known.index(of: Int64(bitPattern: hash64(path))) else { return false }
        seen[at] = 1
        return known.fingerprint(at) == fingerprint
    }

    /// Takes it that all files of the build before stay, of which this one then asks about no more than it wants.
    func keepAll() { seen.update(repeating: 1) }

    /// Takes it that files of the build before go, unless they are asked about from now on.
    func forget(_ paths: some Sequence<String>) {
        for path in paths {
            if let at = known.index(of: Int64(bitPattern: hash64(path))) { seen[at] = 0 }
        }
    }

    /// Counts files that stay as they are: pages, and others.
    func keep(pages: Int = 0, others: Int = 0) {
        pthread_mutex_lock(mutex)
        counts.unchanged += pages + others
        counts.pages += pages
        pthread_mutex_unlock(mutex)
    }

    /// Files that the build before had and this one has not.
    func removed() -> [Int64] { (0..<known.count).filter { seen[$0] == 0 }.map { known.hash($0) } }

    /// Hashes of the paths of files that were staged, sorted.
    func stagedHashes() -> [Int64] { staged.sorted() }

    /// Whether the build before had a file of this name.
    func isKnown(_ hash: Int64) -> Bool { known.index(of: hash) != nil }

    /// Writes files for one worker: it keeps the folders open that it writes to.
    final class Writer {
        private let ledger: Ledger
        /// By the hash of their paths.
        private var folders: [UInt64: (path: String, Directory)] = [:]
        private var rows: [Manifest.File] = []
        private var warnings: [(hash: Int64, [Diagnostic])] = []
        private var counts = Counts()
        private var staged: [Int64] = []

        init(_ ledger: Ledger) { self.ledger = ledger }

        /// Takes the bytes of a file; they are written only when they differ from what is there.
        func put(
            _ path: String, _ fingerprint: UInt64, _ bytes: [UInt8], isPage: Bool = true,
            product: String = ""
        ) throws {
            try bytes.withUnsafeBytes { try put(path, fingerprint, $0, isPage: isPage, product: product) }
        }

        /// The same with the bytes of a buffer.
        func put(
            _ path: String, _ fingerprint: UInt64, _ bytes: borrowing ByteBuffer, warnings: [Diagnostic] = [],
            isPage: Bool = true, product: String = ""
        ) throws {
            try bytes.withBytes {
                try put(
                    path, fingerprint, UnsafeRawBufferPointer($0), warnings: warnings, isPage: isPage,
                    product: product)
            }
        }

        private func put(
            _ path: String, _ fingerprint: UInt64, _ bytes: UnsafeRawBufferPointer,
            warnings: [Diagnostic] = [], isPage: Bool, product: String
        ) throws {
            guard OutputFolder.isSafe(path) else {
                throw Failure(
                    "bad-path", "'\(path)' is no address of a file; this is a fault of build-site", at: .none)
            }
            let hash = Int64(bitPattern: hash64(path))
            let content = Fingerprint(of: bytes).low
            let at = ledger.known.index(of: hash)
            if let at {
                ledger.seen[at] = 1
            }
            rows.append(
                Manifest.File(
                    path: path, fingerprint: fingerprint, content: content, size: bytes.count,
                    product: product))
            if !warnings.isEmpty || at != nil { self.warnings.append((hash, warnings)) }
            if isPage { counts.pages += 1 }
            if let at, ledger.known.content(at) == content {
                counts.unchanged += 1
            } else {
                let (folder, file) = try place(of: path)
                try folder.create(file, bytes)
                counts.written += 1
                counts.bytes += bytes.count
                if ledger.rows == nil { staged.append(hash) }
            }
            if rows.count >= 256 { try flush() }
        }

        /// Hands in the rows.
        func flush() throws {
            pthread_mutex_lock(ledger.mutex)
            defer { pthread_mutex_unlock(ledger.mutex) }
            if let spool = ledger.rows { try spool.add(rows) } else { try ledger.manifest.put(rows) }
            for (hash, list) in warnings {
                try ledger.manifest.setWarnings(list, of: hash, known: ledger.rows == nil)
            }
            ledger.staged += staged
            ledger.counts.written += counts.written
            ledger.counts.unchanged += counts.unchanged
            ledger.counts.bytes += counts.bytes
            ledger.counts.pages += counts.pages
            rows.removeAll(keepingCapacity: true)
            warnings.removeAll(keepingCapacity: true)
            staged.removeAll(keepingCapacity: true)
            counts = Counts()
        }

        /// The folder of a file, open, and the file's name in it. Most files go to one that is open: it is found by the
        /// bytes of its path, without a text being made of them.
        private func place(of path: String) throws -> (Directory, file: String) {
            let (known, file) = path.withBytes { bytes in
                let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
                let folder = UnsafeBufferPointer(rebasing: bytes[..<(slash ?? 0)])
                // As well-formed as the whole: a slash is a whole character.
                let file = String(
                    copying: UTF8Span(
                        unchecked: UnsafeBufferPointer(rebasing: bytes[((slash ?? -1) + 1)...]).span))
                let open = folders[hash64(folder)]
                let isIt = open?.path.withBytes {
                    $0.count == folder.count && memcmp($0.baseAddress!, folder.baseAddress!, $0.count) == 0
                }
                return (isIt == true ? open?.1 : nil, file)
            }
            return (try known ?? open(OutputFolder.split(path).folder), file)
        }

        /// Opens a folder, making it if it is missing, by the one above it, which is often open.
        private func open(_ path: String) throws -> Directory {
            if path.isEmpty { return ledger.stage }
            let hash = hash64(path)
            if let open = folders[hash], open.path == path { return open.1 }
            let (above, name) = OutputFolder.split(path)
            let folder = try open(above).makingDirectory(name)
            if folders.count >= ledger.foldersPerWriter { folders.removeAll(keepingCapacity: true) }
            folders[hash] = (path, folder)
            return folder
        }
    }
}
