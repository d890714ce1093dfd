import Glibc
public import Model

// What a preview needs: it reads little at a time, while the shop's own programs write.
extension CatalogueReader {
    /// Whether the database is still what this reader saw: ends the transaction, if it has not ended yet, and asks SQLite,
    /// which knows of commits by others whatever the clock says.
    public func isCurrent() throws(DatabaseError) -> Bool {
        if connection.isInTransaction { try connection.execute("COMMIT") }
        return try connection.dataVersion() == dataVersion
    }

    /// Whether another program is about to change the database, and has to wait for this reader's transaction to end. Never in
    /// WAL mode, where nobody waits.
    public func isInTheWay() -> Bool { connection.isBeingChanged() }

    /// Waits until nobody is about to change the database, which takes moments, or two seconds; this reader must have paused.
    public func waitForWriter() {
        for _ in 0..<100 where isInTheWay() { usleep(20_000) }
    }

    /// Keeps more of the file in memory than the two megabytes that are usual: for a reader that goes to and fro in it.
    public func keep(bytes: Int) throws(DatabaseError) { try connection.keep(bytes: bytes) }

    /// Ends the transaction, so that the shop's programs may write; ``resume()`` begins the next.
    public func pause() throws(DatabaseError) { try connection.execute("COMMIT") }

    /// Begins a transaction, which sees the database as it is at the first read.
    public func resume() throws(DatabaseError) { try connection.execute("BEGIN") }

    /// The lowest keys of products, at most `count`.
    public func firstKeys(_ count: Int) throws(DatabaseError) -> [ProductID] {
        guard let relation = relations[.products] else { return [] }
        let statement = try connection.prepare(
            "SELECT id FROM \(relation.expression) ORDER BY id COLLATE \(connection.keyCollation) LIMIT \(count)"
        )
        let rows = RowCursor(statement)
        var cells = CellReader(rows.values, table: "products")
        var keys: [ProductID] = []
        while try rows.next() {
            if let key = cells.key(0, "id") { keys.append(key) }
        }
        return keys
    }

    /// The keys of the products whose `slug` is this text to the byte, at most a few; none without such a column.
    public func keys(slug: String) throws(DatabaseError) -> [ProductID] {
        guard let relation = relations[.products], relation.columns.contains("slug") else { return [] }
        let statement = try connection.prepare(
            "SELECT id FROM \(relation.expression) WHERE slug = ?1 LIMIT 4")
        statement.bind(1, slug)
        let rows = RowCursor(statement)
        var cells = CellReader(rows.values, table: "products")
        var keys: [ProductID] = []
        while try rows.next() {
            if let key = cells.key(0, "id") { keys.append(key) }
        }
        return keys
    }
}
