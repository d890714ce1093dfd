// The database is the shop's: its own programs write to it while we read.
extension CatalogueReader {
    /// Whether the database is still what this reader sees: ends the transaction and asks SQLite, which knows of commits
    /// by others whatever the clock says.
    public func isCurrent() throws(DatabaseError) -> Bool {
        try connection.execute("COMMIT")
        return try connection.dataVersion() == dataVersion
    }

    /// Whether another program is about to change the database, and has to wait for this reader's transaction to end. Never in
    /// WAL mode, where nobody waits.
    public func isInTheWay() -> Bool { connection.isBeingChanged() }

    /// Keeps more of the file in memory than the two megabytes that are usual: for a reader that goes to and fro in it.
    public func keep(bytes: Int) throws(DatabaseError) { try connection.keep(bytes: bytes) }

    /// Ends the transaction, so that the shop's programs may write; ``resume()`` begins the next.
    public func pause() throws(DatabaseError) { try connection.execute("COMMIT") }

    /// Begins a transaction, which sees the database as it is at the first read.
    public func resume() throws(DatabaseError) { try connection.execute("BEGIN") }
}
