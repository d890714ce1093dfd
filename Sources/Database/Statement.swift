import CSQLite
import Model

/// A prepared statement and the row it stands on. Belongs to the thread that made it.
///
/// https://sqlite.org/c3ref/stmt.html
public final class Statement {
    private let handle: OpaquePointer
    private let connection: Connection

    init(_ handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// The names of the result's columns.
    public var columnNames: [String] {
        (0..<columnCount).map { String(cString: sqlite3_column_name(handle, $0)) }
    }

    var columnCount: Int32 { sqlite3_column_count(handle) }

    /// Whether the query leaves a value open: `?`, `:name`.
    var hasParameters: Bool { sqlite3_bind_parameter_count(handle) > 0 }

    /// Goes to the next row; false after the last. Damage met on the way is an error, never an end of data (S23).
    public func step() throws(DatabaseError) -> Bool {
        connection.startWatch()
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = connection.error(code)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement that gives no rows, and makes it ready for the next run.
    public func run() throws(DatabaseError) {
        while try step() {}
        reset()
    }

    /// Makes the statement ready to run again; bound values stay.
    public func reset() { sqlite3_reset(handle) }

    /// Binds a number to the parameter with the 1-based index.
    public func bind(_ index: Int32, _ number: Int64) { check(sqlite3_bind_int64(handle, index, number)) }

    /// Binds text.
    public func bind(_ index: Int32, _ text: String) {
        var text = text
        let code = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                bs_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
            }
        }
        check(code)
    }

    /// Binds UTF-8 without copying it: it must lie where it is until the statement has run.
    public func bind(_ index: Int32, lying text: UnsafeRawBufferPointer) {
        check(
            sqlite3_bind_text64(
                handle, index, text.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(text.count), nil,
                UInt8(SQLITE_UTF8)))
    }

    /// Binds NULL.
    public func bindNull(_ index: Int32) { check(sqlite3_bind_null(handle, index)) }

    /// Binds bytes.
    public func bind(_ index: Int32, _ bytes: [UInt8]) {
        check(bs_bind_blob(handle, index, bytes, UInt64(bytes.count)))
    }

    /// Binds a double.
    public func bind(_ index: Int32, _ number: Double) { check(sqlite3_bind_double(handle, index, number)) }

    /// Binds a key with its type.
    func bind(_ index: Int32, _ key: ProductID) {
        switch key {
        case .integer(let number): bind(index, number)
        case .real(let number): bind(index, number)
        case .text(let text): bind(index, text)
        }
    }

    private func check(_ code: Int32) {
        precondition(code == SQLITE_OK, "a parameter index of a statement of ours is wrong: \(code)")
    }

    /// The storage class of a value in the current row.
    public enum StorageClass: Sendable { case null, integer, real, text, blob }

    /// The value's own type, whatever the column was declared as.
    public func storageClass(_ column: Int32) -> StorageClass {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        default: .blob
        }
    }

    /// The value as an integer, converted as SQLite does.
    public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The value as a floating-point number.
    public func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    /// The bytes of a blob; they are only valid until the next step.
    public func blob(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// The bytes of a text as UTF-8, whatever the database's encoding; they are only valid until the next step.
    ///
    /// They need not be UTF-8: SQLite does not check what it is given.
    public func textBytes(_ column: Int32) -> UnsafeRawBufferPointer {
        // The pointer first: it converts UTF-16, and the length is that of the converted text. (As a blob the
        // text would stay UTF-16, and asking for its length would free what the pointer points to.)
        let start = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// A value of the current row; bytes are only valid until the next step.
    enum Value {
        case null
        case integer(Int64)
        case real(Double)
        /// UTF-8, whatever the database's encoding.
        case text(UnsafeRawBufferPointer)
        case blob(UnsafeRawBufferPointer)
    }

    /// Calls a function with each value of the current row.
    ///
    /// Asks SQLite for the value as a whole, and then the value itself: each of the functions for columns looks it up anew. That is
    /// for one thread only, as statements are. https://sqlite.org/c3ref/column_blob.html
    @inline(__always)
    func forEachValue(_ body: (Value) -> Void) {
        for i in 0..<columnCount {
            let value = sqlite3_column_value(handle, i)
            switch sqlite3_value_type(value) {
            case SQLITE_NULL: body(.null)
            case SQLITE_INTEGER: body(.integer(sqlite3_value_int64(value)))
            case SQLITE_FLOAT: body(.real(sqlite3_value_double(value)))
            case SQLITE_TEXT:
                // The pointer first, as above.
                let start = sqlite3_value_text(value)
                body(.text(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
            default:
                let start = sqlite3_value_blob(value)
                body(.blob(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
            }
        }
    }

    /// A text of our own databases.
    public func text(_ column: Int32) -> String {
        String(decoding: textBytes(column), as: UTF8.self)
    }
}

@available(*, unavailable)
extension Statement: Sendable {}
