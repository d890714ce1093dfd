import CSQLite

extension Connection {
    /// Copies the database into a new file as it is at one moment, while others may go on writing to it.
    ///
    /// The copy keeps no write-ahead log, so that it can be read from a folder that cannot be written to.
    /// https://sqlite.org/backup.html
    ///
    /// - Parameter path: a file that is not there yet or is empty.
    public func copy(to path: String) throws(DatabaseError) {
        let target = try Connection(own: path)
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.error(sqlite3_errcode(target.handle))
        }
        var code = SQLITE_OK
        var patience = 100
        while code != SQLITE_DONE {
            code = sqlite3_backup_step(backup, 1000)
            if code == SQLITE_OK { continue }
            guard code == SQLITE_BUSY || code == SQLITE_LOCKED, patience > 0 else { break }
            patience -= 1
            _ = sqlite3_sleep(50)
        }
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw target.error(code == SQLITE_DONE ? end : code)
        }
        try target.execute("PRAGMA journal_mode = DELETE")
    }
}
