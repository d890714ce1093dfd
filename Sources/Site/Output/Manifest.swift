import Basics
import Database
import Synchronization

/// What earlier builds wrote: every file of ours in the output, and from what it was made.
///
/// A small SQLite database beside the output. It is input like any other when it is read back (S37): a path from
/// it is checked before a file is touched.
///
/// One connection, used by one thread at a time; the workers hand in their rows in chunks, under a lock.
final class Manifest {
    /// A file as the manifest knows it.
    struct File: Sendable {
        let path: String
        /// Of everything the file is made from.
        let fingerprint: UInt64
        /// Of its bytes.
        let content: UInt64
        let size: Int

        var hash: Int64 { Int64(bitPattern: hash64(path)) }
    }

    private let connection: Connection
    private let insert: Statement
    private let keep: Statement
    private let findPath: Statement

    /// Identifies the file as ours in its header: "BSm1".
    private static let applicationID = 0x4253_6D31
    /// Another version is refused, not guessed at.
    static let version = 1

    init(path: String) throws {
        do {
            connection = try Connection(own: path)
            let id = try connection.rows("PRAGMA application_id") { $0.integer(0) }.first ?? 0
            let version = try connection.rows("PRAGMA user_version") { $0.integer(0) }.first ?? 0
            let isNew = try connection.rows("SELECT count(*) FROM sqlite_schema") { $0.integer(0) }.first == 0
            guard isNew || (id == Self.applicationID && version == Self.version) else {
                throw Failure(
                    "foreign-manifest",
                    "is not a manifest of this version of build-site; remove it and the output folder to start anew",
                    at: .file(path))
            }
            try connection.execute("PRAGMA journal_mode = DELETE")
            try connection.execute("PRAGMA synchronous = FULL")
            try connection.execute("PRAGMA cache_size = -16000")
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            if isNew {
                try connection.execute(
                    """
                    BEGIN;
                    CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
                    CREATE TABLE files(hash INTEGER PRIMARY KEY, path TEXT NOT NULL, fingerprint INTEGER NOT NULL,
                      content INTEGER NOT NULL, size INTEGER NOT NULL);
                    CREATE TABLE previous(hash INTEGER PRIMARY KEY, path TEXT NOT NULL, fingerprint INTEGER NOT NULL,
                      content INTEGER NOT NULL, size INTEGER NOT NULL);
                    CREATE TABLE pending(hash INTEGER PRIMARY KEY, removal INTEGER NOT NULL, path TEXT NOT NULL);
                    CREATE TABLE warnings(hash INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL,
                      message TEXT NOT NULL, kind TEXT NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL, c TEXT NOT NULL,
                      PRIMARY KEY(hash, position)) WITHOUT ROWID;
                    PRAGMA application_id = \(Self.applicationID);
                    PRAGMA user_version = \(Self.version);
                    COMMIT;
                    """)
            }
            insert = try connection.prepare("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)")
            keep = try connection.prepare("INSERT OR IGNORE INTO previous SELECT * FROM files WHERE hash = ?")
            findPath = try connection.prepare("SELECT path FROM files WHERE hash = ?")
        } catch let error as DatabaseError {
            throw Failure(
                "bad-manifest", "\(error.message); remove it and the output folder to start anew", at: .file(path))
        }
    }

    subscript(meta key: String) -> String? {
        get throws {
            let statement = try connection.prepare("SELECT value FROM meta WHERE key = ?")
            statement.bind(1, key)
            return try statement.step() ? statement.text(0) : nil
        }
    }

    func set(_ key: String, _ value: String?) throws {
        let statement = try connection.prepare(
            value == nil ? "DELETE FROM meta WHERE key = ?" : "INSERT OR REPLACE INTO meta VALUES (?, ?)")
        statement.bind(1, key)
        if let value { statement.bind(2, value) }
        try statement.run()
    }

    /// Everything until ``commit()`` is kept or lost together.
    func begin() throws { try connection.execute("BEGIN IMMEDIATE") }
    func commit() throws { try connection.execute("COMMIT") }
    func rollBack() { try? connection.execute("ROLLBACK") }

    /// Forgets all files: the output is gone, or is written from nothing.
    func forgetFiles() throws {
        for table in ["files", "previous", "pending", "warnings", "meta"] {
            try connection.execute("DELETE FROM \(table)")
        }
    }

    /// Writes or replaces rows. With `undoable`, the rows as they were are kept for ``restorePrevious()``.
    func put(_ files: some Sequence<File>, undoable: Bool) throws {
        for file in files {
            if undoable {
                keep.bind(1, file.hash)
                try keep.run()
            }
            insert.bind(1, file.hash)
            insert.bind(2, file.path)
            insert.bind(3, Int64(bitPattern: file.fingerprint))
            insert.bind(4, Int64(bitPattern: file.content))
            insert.bind(5, Int64(file.size))
            try insert.run()
        }
    }

    /// Removes a row, kept for ``restorePrevious()``.
    func remove(hash: Int64) throws {
        keep.bind(1, hash)
        try keep.run()
        try connection.execute("DELETE FROM files WHERE hash = \(hash)")
        try connection.execute("DELETE FROM warnings WHERE hash = \(hash)")
    }

    func path(of hash: Int64) throws -> String? {
        findPath.bind(1, hash)
        defer { findPath.reset() }
        return try findPath.step() ? findPath.text(0) : nil
    }

    /// The row of a file.
    func file(hash: Int64) throws -> File? { try files(where: "hash = \(hash)").first }

    /// All files, in the order of their hashes.
    func files(where condition: String = "1") throws -> [File] {
        try connection.rows("SELECT path, fingerprint, content, size FROM files WHERE \(condition) ORDER BY hash") {
            File(
                path: $0.text(0), fingerprint: UInt64(bitPattern: $0.integer(1)),
                content: UInt64(bitPattern: $0.integer(2)), size: Int($0.integer(3)))
        }
    }

    func count() throws -> (files: Int, bytes: Int) {
        try connection.rows("SELECT count(*), total(size) FROM files") { (Int($0.integer(0)), Int($0.integer(1))) }[0]
    }

    /// What is known of all files, without their paths.
    func known() throws -> KnownFiles {
        var known = KnownFiles()
        let statement = try connection.prepare("SELECT hash, fingerprint, content, size FROM files ORDER BY hash")
        while try statement.step() {
            known.append(
                hash: statement.integer(0), fingerprint: UInt64(bitPattern: statement.integer(1)),
                content: UInt64(bitPattern: statement.integer(2)))
        }
        return known
    }

    // MARK: Steps of a commit that are still to be done

    /// A rename or removal that the commit has promised.
    struct Step: Sendable {
        let path: String
        let isRemoval: Bool
    }

    func setPending(_ steps: [Step]) throws {
        let statement = try connection.prepare("INSERT OR REPLACE INTO pending VALUES (?, ?, ?)")
        for step in steps {
            statement.bind(1, Int64(bitPattern: hash64(step.path)))
            statement.bind(2, step.isRemoval ? 1 : 0)
            statement.bind(3, step.path)
            try statement.run()
        }
    }

    func pending() throws -> [Step] {
        try connection.rows("SELECT path, removal FROM pending ORDER BY removal, path") {
            Step(path: $0.text(0), isRemoval: $0.integer(1) != 0)
        }
    }

    func clearPending() throws {
        try connection.execute("DELETE FROM pending")
        try connection.execute("DELETE FROM previous")
    }

    /// Puts the rows back as they were before the pending steps.
    func restorePrevious() throws {
        try connection.execute("DELETE FROM files WHERE hash IN (SELECT hash FROM pending)")
        try connection.execute("INSERT OR REPLACE INTO files SELECT * FROM previous")
        try clearPending()
    }

    // MARK: Warnings, kept so that a build that changes nothing still tells them

    func setWarnings(_ warnings: [Diagnostic], of hash: Int64, known: Bool) throws {
        if known { try connection.execute("DELETE FROM warnings WHERE hash = \(hash)") }
        if warnings.isEmpty { return }
        let statement = try connection.prepare("INSERT OR REPLACE INTO warnings VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        for (i, warning) in warnings.enumerated() {
            statement.bind(1, hash)
            statement.bind(2, Int64(i))
            statement.bind(3, warning.id)
            statement.bind(4, warning.message)
            let place: [String] =
                switch warning.place {
                case .file(let file): ["file", file, "", ""]
                case .text(let file, let line, let column): ["text", file, String(line), String(column)]
                case .json(let file, let line, let column, let path): ["json", file, "\(line):\(column)", path]
                case .product(let id, let name): ["product", id, name, ""]
                case .cell(let table, let row, let column): ["cell", table, row, column]
                case .none: ["none", "", "", ""]
                }
            for (j, text) in place.enumerated() { statement.bind(Int32(5 + j), text) }
            try statement.run()
        }
    }

    /// The stored warnings, at most `limit`, and how many there are.
    func warnings(limit: Int) throws -> (first: [Diagnostic], count: Int) {
        let count = try connection.rows("SELECT count(*) FROM warnings") { Int($0.integer(0)) }[0]
        let first = try connection.rows("SELECT id, message, kind, a, b, c FROM warnings LIMIT \(limit)") {
            let (a, b, c) = ($0.text(3), $0.text(4), $0.text(5))
            let place: Diagnostic.Place =
                switch $0.text(2) {
                case "file": .file(a)
                case "text": .text(file: a, line: Int(b) ?? 1, column: Int(c) ?? 1)
                case "json":
                    .json(
                        file: a, line: Int(b.split(separator: ":").first ?? "") ?? 1,
                        column: Int(b.split(separator: ":").last ?? "") ?? 1, path: c)
                case "product": .product(id: a, name: b)
                case "cell": .cell(table: a, row: b, column: c)
                default: .none
                }
            return Diagnostic(.warning, $0.text(0), $0.text(1), at: place)
        }
        return (first, count)
    }
}

/// What the manifest knows of each file, 25 bytes a file, sorted by hash.
struct KnownFiles: Sendable {
    private var hashes: [Int64] = []
    private var fingerprints: [UInt64] = []
    private var contents: [UInt64] = []

    var count: Int { hashes.count }

    mutating func append(hash: Int64, fingerprint: UInt64, content: UInt64) {
        hashes.append(hash)
        fingerprints.append(fingerprint)
        contents.append(content)
    }

    /// The place of a file, if it is known.
    func index(of hash: Int64) -> Int? {
        var low = 0
        var high = hashes.count
        while low < high {
            let middle = (low + high) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low < hashes.count && hashes[low] == hash ? low : nil
    }

    func hash(_ i: Int) -> Int64 { hashes[i] }
    func fingerprint(_ i: Int) -> UInt64 { fingerprints[i] }
    func content(_ i: Int) -> UInt64 { contents[i] }
}
