import CSQLite
import Glibc

/// What SQLite said, with its codes kept whole. Bound values never appear in the text.
public struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The extended result code, https://sqlite.org/rescode.html.
    public let code: Int32
    /// SQLite's own words, or ours where they say more.
    public let message: String
    /// Byte offset into the SQL at which the fault was found, if SQLite knows.
    public let offset: Int?

    /// The message.
    public var description: String { message }

    /// Whether the file is damaged or is no database.
    public var isCorruption: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }
    /// Whether somebody else holds a lock that was not released in time.
    public var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) }
}

/// A connection to an SQLite file. Belongs to one thread at a time.
///
/// While it is open, nothing else in the process may open or close the file or its -wal and -shm: POSIX locks
/// belong to the process, and closing any descriptor of a file drops them all (S24). Several connections are
/// fine; SQLite knows of each other's.
public final class Connection {
    let handle: OpaquePointer
    /// The file, for messages.
    public let path: String
    /// Nil for databases of our own.
    private let watch: Watch?

    /// Ends a query that has made no row for too long (S22). SQLite calls it every 100,000 instructions.
    private final class Watch {
        /// Nanoseconds without a row.
        let limit: UInt64
        /// When the row must be there; 0 until the first call, so that a quick step never asks for the time.
        var deadline: UInt64 = 0
        var hasExpired = false

        init(limit: Duration) {
            precondition(limit >= .zero, "a time limit is below zero")
            self.limit = UInt64(limit / .nanoseconds(1))
        }

        func isLate() -> Bool {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            let now = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
            if deadline == 0 {
                deadline = now + limit
                return false
            }
            if now > deadline { hasExpired = true }
            return hasExpired
        }
    }

    /// Opens somebody's database for reading, hardened: nothing in it is trusted (S21, S22).
    ///
    /// Never `immutable`: the shop may be writing to it. Views are off until ``allowViews()``.
    ///
    /// - Parameters:
    ///   - rowTimeLimit: how long a query may run without making a row.
    ///   - busyTimeout: how long to wait for a program that is writing.
    public convenience init(
        reading path: String, rowTimeLimit: Duration = .seconds(10), busyTimeout: Duration = .seconds(5)
    ) throws(DatabaseError) {
        // A URI so that mode=ro holds whatever flags a build of SQLite adds; the path is percent-encoded.
        var uri = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        try self.init(
            open: uri + "?mode=ro", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
            path: path, limit: rowTimeLimit)
        for (option, value) in [
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        ] as [(Int32, Int32)] {
            bs_db_config(handle, option, value)
        }
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 16_000_000)
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        // LIKE takes the product of both lengths, inside one instruction that nothing can end.
        sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500)
        sqlite3_hard_heap_limit64(512 << 20)
        sqlite3_busy_timeout(handle, Int32(busyTimeout / .milliseconds(1)))
        try execute("PRAGMA mmap_size = 0")
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA query_only = ON")
        // Sorting a mapped query may spill; a file keeps memory bounded.
        try execute("PRAGMA temp_store = FILE")
        sqlite3_progress_handler(
            handle, 100_000, { Unmanaged<Watch>.fromOpaque($0!).takeUnretainedValue().isLate() ? 1 : 0 },
            // The connection keeps the watch for as long as the handler can be called.
            watch.map { Unmanaged.passUnretained($0).toOpaque() })
        // The first look at the file: from here on it is known to be a database, and in which encoding.
        let isUTF8 = try rows("PRAGMA encoding") { $0.text(0) } == ["UTF-8"]
        if !isUTF8 {
            keyCollation = "key"
            let code = sqlite3_create_collation_v2(handle, "key", SQLITE_UTF8, nil, compareBytes, nil)
            guard code == SQLITE_OK else { throw error(code) }
        }
        // Declaring a virtual table takes rights that queries do not get; these two are declared only once.
        _ = try prepare("SELECT 1 FROM json_each('[]'), json_tree('[]')")
        sqlite3_set_authorizer(handle, authorize, nil)
    }

    /// The collation that orders text by its UTF-8 bytes, as ``Model/ProductID`` does.
    ///
    /// BINARY does so unless the database is UTF-16: it then compares UTF-16, in the byte order of the machine
    /// that made it. Only there the order costs a sort.
    private(set) var keyCollation = "BINARY"

    /// Runs statements of ours that a mapping may not use: what the schema says can only be asked by pragmas.
    func withoutAuthorizer<T>(_ body: () throws(DatabaseError) -> T) throws(DatabaseError) -> T {
        sqlite3_set_authorizer(handle, nil, nil)
        defer { sqlite3_set_authorizer(handle, authorize, nil) }
        return try body()
    }

    /// Lets queries use views, which are SQL of the database's author.
    func allowViews() { bs_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 1) }

    /// Opens a database of our own, making it if it is missing.
    public convenience init(own path: String) throws(DatabaseError) {
        try self.init(
            open: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, path: path,
            limit: nil)
        bs_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        bs_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sqlite3_busy_timeout(handle, 5000)
    }

    /// Opens a database of our own without ever writing to it.
    public convenience init(ownToRead path: String) throws(DatabaseError) {
        try self.init(
            open: path, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, path: path, limit: nil)
        bs_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        bs_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sqlite3_busy_timeout(handle, 5000)
    }

    private init(open name: String, flags: Int32, path: String, limit: Duration?) throws(DatabaseError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let message =
                handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw DatabaseError(code: code, message: message, offset: nil)
        }
        sqlite3_extended_result_codes(handle, 1)
        self.handle = handle
        self.path = path
        watch = limit.map { Watch(limit: $0) }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Whether somebody is about to change a database that is not in WAL mode: a commit then has to wait until nobody reads,
    /// and who wants to read has to wait for the commit.
    ///
    /// https://sqlite.org/lockingv3.html
    func isBeingChanged() -> Bool { bs_is_reserved(handle) != 0 }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many bytes of the file are kept in memory, at most.
    func keep(bytes: Int) throws(DatabaseError) {
        try withoutAuthorizer { () throws(DatabaseError) in
            try execute("PRAGMA cache_size = -\(bytes / 1024)")
        }
    }

    /// Runs a statement that gives no rows.
    public func execute(_ sql: String) throws(DatabaseError) {
        startWatch()
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Prepares a statement.
    public func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        guard let first = try firstStatement(of: sql).statement else {
            throw DatabaseError(code: SQLITE_MISUSE, message: "the query is empty", offset: 0)
        }
        return first
    }

    /// Prepares the first statement of some SQL, and says at which byte the rest begins; nil when there are only
    /// comments and white space.
    func firstStatement(of sql: String) throws(DatabaseError) -> (statement: Statement?, rest: Int) {
        startWatch()
        var statement: OpaquePointer?
        var rest = 0
        var sql = sql
        let code = sql.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { text in
                var tail: UnsafePointer<CChar>?
                let code = sqlite3_prepare_v3(
                    handle, text.baseAddress, Int32(text.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &statement, &tail)
                if let start = text.baseAddress, let tail { rest = tail - start }
                return code
            }
        }
        guard code == SQLITE_OK else { throw error(code) }
        return (statement.map { Statement($0, of: self) }, rest)
    }

    /// Rows of a query that has few.
    public func rows<T>(
        _ sql: String, _ body: (Statement) throws(DatabaseError) -> T
    ) throws(DatabaseError) -> [T] {
        let statement = try prepare(sql)
        var out: [T] = []
        while try statement.step() { out.append(try body(statement)) }
        return out
    }

    /// A number that changes when another connection commits to the file (`PRAGMA data_version`).
    func dataVersion() throws(DatabaseError) -> Int64 {
        try rows("PRAGMA data_version") { $0.integer(0) }.first ?? 0
    }

    /// Rows changed by the last statement.
    public var changes: Int { Int(sqlite3_changes64(handle)) }

    func startWatch() {
        watch?.deadline = 0
        watch?.hasExpired = false
    }

    func error(_ code: Int32) -> DatabaseError {
        if let watch, watch.hasExpired {
            let seconds = watch.limit / 1_000_000_000
            return DatabaseError(
                code: SQLITE_INTERRUPT,
                message:
                    "the query made no row for \(seconds) second\(seconds == 1 ? "" : "s") and was ended",
                offset: nil)
        }
        let known = sqlite3_extended_errcode(handle)
        let extended = known == SQLITE_OK ? code : known
        let offset = sqlite3_error_offset(handle)
        let words = String(cString: sqlite3_errmsg(handle))
        return DatabaseError(
            code: extended,
            message: watch == nil ? words : Self.clearer(extended, words),
            offset: offset >= 0 ? Int(offset) : nil)
    }

    /// Our words where SQLite's say too little to somebody who did not write the program.
    private static func clearer(_ code: Int32, _ words: String) -> String {
        switch code & 0xFF {
        case SQLITE_TOOBIG: "a value is larger than 16 MB"
        case SQLITE_NOMEM: "the query needs more than 512 MB of memory"
        case SQLITE_READONLY where code == readOnlyRollback:
            "a program that was writing to it ended half-way, and mending that needs the right to write: "
                + "let the shop's program open it once"
        case SQLITE_READONLY, SQLITE_CANTOPEN:
            "it cannot be opened for reading; a database in WAL mode can only be read by who may write to its "
                + "folder, or while its -wal and -shm files are there"
        case SQLITE_ERROR where words.hasPrefix("vtable constructor failed: "):
            "'\(words.dropFirst(27))' is a virtual table, which is not read: take the table behind it"
        case SQLITE_AUTH where words == "not authorized": "not authorized: a query may only SELECT"
        default: words
        }
    }
}

@available(*, unavailable)
extension Connection: Sendable {}

/// SQLITE_READONLY_ROLLBACK, a macro that Swift does not import.
private let readOnlyRollback = SQLITE_READONLY | (3 << 8)

private func compareBytes(
    _: UnsafeMutableRawPointer?, _ count: Int32, _ a: UnsafeRawPointer?, _ otherCount: Int32,
    _ b: UnsafeRawPointer?
) -> Int32 {
    let common = Int(min(count, otherCount))
    if common > 0, let a, let b {
        let order = memcmp(a, b, common)
        if order != 0 { return order }
    }
    return count - otherCount
}

/// Functions that a mapping may call: text, numbers, dates, JSON; nothing that reads files, changes settings,
/// gives another answer each time (`random`) or tells of the program (`sqlite_version`).
private let allowedFunctions: Set<String> = [
    "->", "->>", "abs", "avg", "ceil", "ceiling", "char", "coalesce", "concat", "concat_ws", "count",
    "cume_dist", "date", "datetime", "dense_rank", "exp", "first_value", "floor", "format", "glob",
    "group_concat", "hex", "ifnull", "iif", "instr", "json", "json_array", "json_array_length", "json_each",
    "json_extract", "json_group_array", "json_group_object", "json_insert", "json_object", "json_patch",
    "json_quote", "json_remove", "json_replace", "json_set", "json_tree", "json_type", "json_valid",
    "julianday", "lag", "last_value", "lead", "length", "like", "likelihood", "likely", "ln", "log", "log10",
    "log2", "lower", "ltrim", "max", "min", "mod", "nth_value", "ntile", "nullif", "octet_length",
    "percent_rank", "pow", "power", "printf", "quote", "rank", "replace", "round", "row_number", "rtrim",
    "sign", "soundex", "sqrt", "strftime", "string_agg", "substr", "substring", "sum", "time", "total",
    "trim",
    "trunc", "typeof", "unhex", "unicode", "unixepoch", "unlikely", "upper",
]

/// Allows reading and the functions above, and refuses everything else when a statement is prepared (S21).
private func authorize(
    _: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?,
    _ second: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
) -> Int32 {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_TRANSACTION, SQLITE_RECURSIVE: return SQLITE_OK
    case SQLITE_PRAGMA:
        guard let first, second == nil else { return SQLITE_DENY }
        return String(cString: first) == "data_version" ? SQLITE_OK : SQLITE_DENY
    case SQLITE_FUNCTION:
        guard let second else { return SQLITE_DENY }
        return allowedFunctions.contains(String(cString: second).lowercased()) ? SQLITE_OK : SQLITE_DENY
    default: return SQLITE_DENY
    }
}
