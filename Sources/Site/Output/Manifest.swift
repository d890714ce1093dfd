import Basics
import Database

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
        /// The key of the product whose page it is, so that an address that moves can lead to the new one; else empty.
        var product = ""

        var hash: Int64 { Int64(bitPattern: hash64(path)) }
    }

    private let path: String
    let connection: Connection
    private let insert: Statement
    private let keep: Statement
    private let findFile: Statement

    /// Identifies the file as ours in its header: "BSm1".
    private static let applicationID = 0x4253_6D31
    /// Another version is refused, not guessed at.
    static let version = 3

    /// `previous` holds rows as they were before an unfinished commit, `pending` its steps that are still to be done,
    /// `folders` the times by which a folder that somebody changed is noticed.
    private static let schema = [
        "CREATE TABLE files(hash INTEGER PRIMARY KEY, path TEXT NOT NULL, fingerprint INTEGER NOT NULL, "
            + "content INTEGER NOT NULL, size INTEGER NOT NULL, product TEXT NOT NULL)",
        "CREATE TABLE folders(path TEXT PRIMARY KEY, modified INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE pending(position INTEGER PRIMARY KEY, kind TEXT NOT NULL, path TEXT NOT NULL, "
            + "content INTEGER NOT NULL, size INTEGER NOT NULL)",
        "CREATE TABLE previous(hash INTEGER PRIMARY KEY, path TEXT NOT NULL, fingerprint INTEGER NOT NULL, "
            + "content INTEGER NOT NULL, size INTEGER NOT NULL, product TEXT NOT NULL)",
        "CREATE TABLE warnings(hash INTEGER NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, "
            + "message TEXT NOT NULL, kind TEXT NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL, c TEXT NOT NULL, "
            + "PRIMARY KEY(hash, position)) WITHOUT ROWID",
    ]

    /// Opens a manifest, making it if it is missing; nobody else can open it then.
    convenience init(path: String) throws {
        try self.init(path, isReading: false) { () throws(DatabaseError) in try Connection(own: path) }
    }

    /// Opens a manifest to look at: it is not written to, nor kept from others.
    convenience init(reading path: String) throws {
        try self.init(path, isReading: true) { () throws(DatabaseError) in try Connection(ownToRead: path) }
    }

    private init(_ path: String, isReading: Bool, _ open: () throws(DatabaseError) -> Connection) throws {
        self.path = path
        do {
            connection = try open()
            let id = try connection.rows("PRAGMA application_id") { $0.integer(0) }.first ?? 0
            let version = try connection.rows("PRAGMA user_version") { $0.integer(0) }.first ?? 0
            // Every table, index, view and trigger: one that is not ours could make our statements do something else.
            let schema = try connection.rows(
                "SELECT substr(sql, 1, 1000) FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
            ) {
                $0.text(0)
            }
            let isNew = !isReading && schema.isEmpty && id == 0 && version == 0
            guard isNew || (id == Self.applicationID && version == Self.version && schema == Self.schema)
            else {
                throw Failure(
                    "foreign-manifest", "is no manifest of this version of build-site; \(Self.advice)",
                    at: .file(path))
            }
            if !isReading {
                try connection.execute("PRAGMA journal_mode = DELETE")
                try connection.execute("PRAGMA synchronous = FULL")
                try connection.execute("PRAGMA cache_size = -16000")
                try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            }
            if isNew {
                try connection.execute(
                    "BEGIN; \(Self.schema.joined(separator: "; ")); PRAGMA application_id = \(Self.applicationID); "
                        + "PRAGMA user_version = \(Self.version); COMMIT;")
            }
            insert = try connection.prepare("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)")
            keep = try connection.prepare("INSERT OR IGNORE INTO previous SELECT * FROM files WHERE hash = ?")
            findFile = try connection.prepare(
                "SELECT substr(path, 1, 256), fingerprint, content, size, substr(product, 1, 1000) FROM files WHERE hash = ?"
            )
        } catch let error as DatabaseError {
            throw Self.failure(error, path)
        }
    }

    private static let advice = "remove its folder and the output folder to start anew; nothing was changed"

    /// What to do about what SQLite said.
    private static func failure(_ error: DatabaseError, _ path: String) -> Failure {
        let place = Diagnostic.Place.file(path)
        switch error.code & 0xFF {
        case 11, 26:  // SQLITE_CORRUPT, SQLITE_NOTADB
            return Failure("bad-manifest", "\(error.message); \(advice)", at: place)
        case 13:  // SQLITE_FULL
            return Failure("no-space", "\(error.message); free some space and build again", at: place)
        case 3, 8, 14:  // SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN
            return Failure(
                "output", "\(error.message); check who may write there, or name another folder with --output",
                at: place)
        default:
            return Failure("output", "\(error.message); build again when that is mended", at: place)
        }
    }

    /// Runs statements; what SQLite finds wrong becomes a message for the person.
    func run<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as DatabaseError { throw Self.failure(error, path) }
    }

    subscript(meta key: String) -> String? {
        get throws {
            try run {
                let statement = try connection.prepare(
                    "SELECT substr(value, 1, 4096) FROM meta WHERE key = ?")
                statement.bind(1, key)
                return try statement.step() ? statement.text(0) : nil
            }
        }
    }

    func set(_ key: String, _ value: String?) throws {
        try run {
            let statement = try connection.prepare(
                value == nil ? "DELETE FROM meta WHERE key = ?" : "INSERT OR REPLACE INTO meta VALUES (?, ?)")
            statement.bind(1, key)
            if let value { statement.bind(2, value) }
            try statement.run()
        }
    }

    /// Sets several notes together.
    func note(_ notes: [(key: String, value: String)]) throws {
        try transaction { for note in notes { try set(note.key, note.value) } }
    }

    /// Everything until ``commit()`` is kept or lost together.
    func begin() throws { try run { try connection.execute("BEGIN IMMEDIATE") } }
    func commit() throws { try run { try connection.execute("COMMIT") } }
    func rollBack() { try? connection.execute("ROLLBACK") }

    /// Runs some changes as one transaction.
    func transaction(_ body: () throws -> Void) throws {
        try begin()
        do {
            try run(body)
            try commit()
        } catch {
            rollBack()
            throw error
        }
    }

    /// Forgets all files: the output is gone, or is written from nothing.
    func forgetFiles() throws {
        try transaction {
            for table in ["files", "previous", "pending", "warnings", "folders", "meta"] {
                try connection.execute("DELETE FROM \(table)")
            }
        }
    }

    /// Writes or replaces rows; those that were there are kept for ``restorePrevious()``.
    func put(_ files: some Sequence<File>) throws {
        try run {
            for file in files {
                keep.bind(1, file.hash)
                try keep.run()
                insert.bind(1, file.hash)
                insert.bind(2, file.path)
                insert.bind(3, Int64(bitPattern: file.fingerprint))
                insert.bind(4, Int64(bitPattern: file.content))
                insert.bind(5, Int64(file.size))
                insert.bind(6, file.product)
                try insert.run()
            }
        }
    }

    /// How many rows a statement puts in: starting one takes as long as half a row.
    private static let rowsAtOnce = 32

    /// Puts in all rows of a build into nothing.
    ///
    /// - Returns: what ``allFolders()`` gives then.
    func put(_ spool: RowSpool) throws -> Set<String> {
        try run {
            let values = Array(repeating: "(?, ?, ?, ?, ?, ?)", count: Self.rowsAtOnce)
            let insertMany = try connection.prepare(
                "INSERT OR REPLACE INTO files VALUES \(values.joined(separator: ", "))")
            var folders = FolderSet()
            try spool.forEachPart { part in
                var i = 0
                while i < part.count {
                    let isMany = part.count - i >= Self.rowsAtOnce
                    let statement = isMany ? insertMany : insert
                    for at in 0..<Int32(isMany ? Self.rowsAtOnce : 1) {
                        let row = part[i]
                        statement.bind(at * 6 + 1, row.hash)
                        statement.bind(at * 6 + 2, lying: row.path)
                        statement.bind(at * 6 + 3, row.fingerprint)
                        statement.bind(at * 6 + 4, row.content)
                        statement.bind(at * 6 + 5, Int64(row.size))
                        statement.bind(at * 6 + 6, lying: row.product)
                        try folders.add(of: row.path, check)
                        i += 1
                    }
                    try statement.run()
                }
            }
            return folders.all
        }
    }

    /// Removes a row, kept for ``restorePrevious()``.
    func remove(hash: Int64) throws {
        try run {
            keep.bind(1, hash)
            try keep.run()
            try connection.execute("DELETE FROM files WHERE hash = \(hash)")
            try connection.execute("DELETE FROM warnings WHERE hash = \(hash)")
        }
    }

    private func checked(_ row: Statement) throws -> File {
        let file = File(
            path: row.text(0), fingerprint: UInt64(bitPattern: row.integer(1)),
            content: UInt64(bitPattern: row.integer(2)), size: Int(row.integer(3)), product: row.text(4))
        try check(file.path)
        guard file.size >= 0 else { throw damaged("a size is below zero") }
        return file
    }

    /// Refuses a path that no build of ours can have noted (S37).
    func check(_ path: String) throws {
        guard OutputFolder.isSafe(path) else { throw damaged("it names the path '\(path)'") }
    }

    func damaged(_ what: String) -> Failure {
        Failure("bad-manifest", "is damaged: \(what); \(Self.advice)", at: .file(path))
    }

    /// The row of a file.
    func file(hash: Int64) throws -> File? {
        try run {
            findFile.bind(1, hash)
            defer { findFile.reset() }
            guard try findFile.step() else { return nil }
            let file = try checked(findFile)
            guard file.hash == hash else { throw damaged("'\(file.path)' stands in another's place") }
            return file
        }
    }

    /// Whether a build of ours has written a file of this name: the last one, or the one before it.
    func isOurs(_ path: String) throws -> Bool {
        try run {
            let hash = Int64(bitPattern: hash64(path))
            return try !connection.rows(
                "SELECT 1 FROM files WHERE hash = \(hash) UNION ALL SELECT 1 FROM previous WHERE hash = \(hash)"
            ) { _ in true }.isEmpty
        }
    }

    /// Calls a function with every row, in the order of hashes.
    func forEachFile(_ body: (File) throws -> Void) throws {
        try run {
            let statement = try connection.prepare(
                "SELECT substr(path, 1, 256), fingerprint, content, size, substr(product, 1, 1000) FROM files ORDER BY hash"
            )
            while try statement.step() { try body(checked(statement)) }
        }
    }

    func count() throws -> (files: Int, bytes: Int) {
        try run {
            try connection.rows("SELECT count(*), total(size) FROM files") {
                (Int($0.integer(0)), Int($0.integer(1)))
            }[0]
        }
    }

    /// What is known of all files, without their paths.
    func known() throws -> KnownFiles {
        try run {
            var known = KnownFiles()
            let statement = try connection.prepare(
                "SELECT hash, fingerprint, content FROM files ORDER BY hash")
            while try statement.step() {
                known.append(
                    hash: statement.integer(0), fingerprint: UInt64(bitPattern: statement.integer(1)),
                    content: UInt64(bitPattern: statement.integer(2)))
            }
            return known
        }
    }

    // MARK: Folders

    /// Folders of files, with the folders above them.
    private struct FolderSet {
        private(set) var all: Set<String> = [""]
        /// Most files share their folder with others: a look at its hash saves making the text.
        private var seen: Set<UInt64> = []

        /// Adds the folder of a file; one that is new is checked first.
        mutating func add(of path: UnsafeRawBufferPointer, _ check: (String) throws -> Void) throws {
            guard let slash = path.lastIndex(of: UInt8(ascii: "/")),
                seen.insert(Fingerprint(of: UnsafeRawBufferPointer(rebasing: path[..<slash])).low).inserted
            else { return }
            var folder = String(decoding: path[..<slash], as: UTF8.self)
            try check(folder)
            while all.insert(folder).inserted { folder = OutputFolder.split(folder).folder }
        }
    }

    /// All folders that hold files of ours, or did before the unfinished commit, with the folders above them.
    func allFolders() throws -> Set<String> {
        try run {
            var folders = FolderSet()
            let statement = try connection.prepare(
                "SELECT substr(path, 1, 256) FROM files UNION ALL SELECT substr(path, 1, 256) FROM previous")
            while try statement.step() { try folders.add(of: statement.textBytes(0), check) }
            return folders.all
        }
    }

    /// The folders with the time of their last change, as noted when the last build had finished.
    func folders() throws -> [(path: String, modified: Int64)] {
        try run {
            let statement = try connection.prepare(
                "SELECT substr(path, 1, 256), modified FROM folders ORDER BY path")
            var folders: [(path: String, modified: Int64)] = []
            while try statement.step() {
                folders.append((statement.text(0), statement.integer(1)))
                if folders.last?.path != "" { try check(folders.last!.path) }
            }
            return folders
        }
    }

    /// Notes the time of folders; nil forgets one.
    func note(_ folders: [(path: String, modified: Int64?)]) throws {
        try run {
            let put = try connection.prepare("INSERT OR REPLACE INTO folders VALUES (?, ?)")
            let forget = try connection.prepare("DELETE FROM folders WHERE path = ?")
            for (path, modified) in folders {
                let statement = modified == nil ? forget : put
                statement.bind(1, path)
                if let modified { statement.bind(2, modified) }
                try statement.run()
            }
        }
    }

    // MARK: Warnings, kept so that a build that changes nothing still tells them

    /// In place of a file's hash: of the site as a whole; of the plan, and of customers' lists, which stay where those are kept.
    static let siteWarnings: Int64 = 0, planWarnings: Int64 = 1, listWarnings: Int64 = 2

    func setWarnings(_ warnings: [Diagnostic], of hash: Int64, known: Bool) throws {
        try run { try insertWarnings(warnings, of: hash, known: known) }
    }

    private func insertWarnings(_ warnings: [Diagnostic], of hash: Int64, known: Bool) throws {
        if known { try connection.execute("DELETE FROM warnings WHERE hash = \(hash)") }
        if warnings.isEmpty { return }
        let statement = try connection.prepare(
            "INSERT OR REPLACE INTO warnings VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        for (i, warning) in warnings.enumerated() {
            statement.bind(1, hash)
            statement.bind(2, Int64(i))
            statement.bind(3, warning.id)
            statement.bind(4, warning.message)
            let place: [String] =
                switch warning.place {
                case .file(let file): ["file", file, "", ""]
                case .text(let file, let line, let column): ["text", file, String(line), String(column)]
                case .json(let file, let line, let column, let path):
                    ["json", file, "\(line):\(column)", path]
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
        try run { try readWarnings(limit: limit) }
    }

    private func readWarnings(limit: Int) throws -> (first: [Diagnostic], count: Int) {
        let count = try connection.rows("SELECT count(*) FROM warnings") { Int($0.integer(0)) }[0]
        let first = try connection.rows(
            "SELECT id, substr(message, 1, 4096), kind, substr(a, 1, 4096), b, c FROM warnings LIMIT \(limit)"
        ) {
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
