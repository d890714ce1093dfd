import Basics
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

    public var description: String { message }

    /// Whether the file is damaged or is no database.
    public var isCorruption: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }
    /// Whether somebody else holds a lock that was not released in time.
    public var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) }
}

/// A connection to an SQLite file. Belongs to one thread at a time.
public final class Connection {
    let handle: OpaquePointer
    /// The file, for messages.
    public let path: String
    private let watch = Watch()

    /// Ends a query that has made no row for too long (S22). SQLite calls it every 100,000 instructions.
    final class Watch {
        var deadline: UInt64 = .max
        var expired = false
        static let limit: UInt64 = 10_000_000_000
        static var now: UInt64 { clock_gettime_nsec() }

        private static func clock_gettime_nsec() -> UInt64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        }
    }

    /// Opens somebody's database for reading, hardened: nothing in it is trusted (S21, S22).
    ///
    /// Never `immutable`: the shop may be writing to it. Views stay off unless the mapping names one.
    public convenience init(reading path: String, allowingViews: Bool = false) throws(DatabaseError) {
        // A URI so that mode=ro holds whatever flags a build of SQLite adds; the path is percent-encoded.
        var uri = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        try self.init(
            open: uri + "?mode=ro", flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, path: path)
        for (option, value) in [
            (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_DEFENSIVE, 1),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, allowingViews ? 1 : 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
            (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
        ] as [(Int32, Int32)] {
            bs_db_config(handle, option, value)
        }
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 16_000_000)
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_hard_heap_limit64(512 << 20)
        sqlite3_busy_timeout(handle, 5000)
        try execute("PRAGMA mmap_size = 0")
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA query_only = ON")
        // Sorting a mapped query may spill; a file keeps memory bounded.
        try execute("PRAGMA temp_store = FILE")
        sqlite3_set_authorizer(handle, authorize, nil)
        sqlite3_progress_handler(
            handle, 100_000,
            { context in
                let watch = Unmanaged<Watch>.fromOpaque(context!).takeUnretainedValue()
                guard Watch.now > watch.deadline else { return 0 }
                watch.expired = true
                return 1
            }, Unmanaged.passUnretained(watch).toOpaque())
    }

    /// Opens a database of our own, making it if it is missing.
    public convenience init(own path: String) throws(DatabaseError) {
        try self.init(
            open: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, path: path)
        bs_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        bs_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        sqlite3_busy_timeout(handle, 5000)
    }

    private init(open name: String, flags: Int32, path: String) throws(DatabaseError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(handle)
            throw DatabaseError(code: code, message: message, offset: nil)
        }
        sqlite3_extended_result_codes(handle, 1)
        self.handle = handle
        self.path = path
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs a statement that gives no rows.
    public func execute(_ sql: String) throws(DatabaseError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Prepares a statement.
    public func prepare(_ sql: String) throws(DatabaseError) -> Statement {
        startWatch()
        var statement: OpaquePointer?
        var sql = sql
        let code = sql.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    handle, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
            }
        }
        guard code == SQLITE_OK else { throw error(code) }
        guard let statement else {
            throw DatabaseError(code: SQLITE_MISUSE, message: "the query is empty", offset: 0)
        }
        return Statement(statement, of: self)
    }

    /// Rows of a query that has few.
    public func rows<T>(_ sql: String, _ body: (Statement) throws(DatabaseError) -> T) throws(DatabaseError) -> [T] {
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

    func startWatch() { watch.deadline = Watch.now + Watch.limit }

    func error(_ code: Int32) -> DatabaseError {
        if watch.expired {
            watch.expired = false
            return DatabaseError(
                code: SQLITE_INTERRUPT, message: "the query made no row for 10 seconds and was ended", offset: nil)
        }
        let extended = sqlite3_extended_errcode(handle)
        var message = String(cString: sqlite3_errmsg(handle))
        if extended & 0xFF == SQLITE_TOOBIG { message = "a value is larger than 16 MB" }
        let offset = sqlite3_error_offset(handle)
        return DatabaseError(
            code: extended == SQLITE_OK ? code : extended, message: message, offset: offset >= 0 ? Int(offset) : nil)
    }
}

@available(*, unavailable)
extension Connection: Sendable {}

/// Functions that a mapping may call: text, numbers, dates, JSON; nothing that reads files or changes settings.
private let allowedFunctions: Set<String> = [
    "abs", "avg", "ceil", "ceiling", "char", "coalesce", "concat", "concat_ws", "count", "cume_dist", "date", "datetime",
    "dense_rank", "first_value", "floor", "format", "glob", "group_concat", "hex", "ifnull", "iif", "instr", "json",
    "json_array", "json_array_length", "json_each", "json_extract", "json_group_array", "json_group_object",
    "json_object", "json_quote", "json_tree", "json_type", "json_valid", "julianday", "lag", "last_value", "lead",
    "length", "like", "likelihood", "likely", "lower", "ltrim", "max", "min", "nth_value", "ntile", "nullif",
    "percent_rank", "pow", "power", "printf", "quote", "rank", "replace", "round", "row_number", "rtrim", "sign",
    "soundex", "sqrt", "strftime", "string_agg", "substr", "substring", "sum", "time", "total", "trim", "trunc",
    "typeof", "unhex", "unicode", "unixepoch", "unlikely", "upper", "->", "->>", "mod", "ln", "log", "exp", "octet_length",
]

/// Allows reading and the functions above, and refuses everything else when a statement is prepared (S21).
private func authorize(
    _: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?
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
