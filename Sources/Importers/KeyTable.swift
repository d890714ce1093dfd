import Basics
import Database

/// Which product has which sku, slug, GTIN or name: a temporary table, so that memory stays small and the shop's
/// database gets no index that it did not ask for.
final class KeyTable {
    /// What a key leads to.
    enum Answer: Equatable {
        case none
        case one(Int64)
        /// Two products or more have it.
        case several
    }

    let column: String
    private let find: Statement
    private let add: Statement

    /// Reads the keys of the products that are there.
    init(_ connection: Connection, column: String) throws {
        self.column = column
        let table = "temp.key_\(column)"
        try connection.execute(
            "DROP TABLE IF EXISTS \(table); CREATE TABLE \(table)(key TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID"
        )
        find = try connection.prepare("SELECT id FROM \(table) WHERE key = ?1")
        // −1 says that there are several.
        add = try connection.prepare(
            "INSERT INTO \(table) VALUES (?1, ?2) ON CONFLICT(key) DO UPDATE SET id = CASE WHEN id = ?2 THEN id ELSE -1 END"
        )
        let products = try connection.prepare(
            "SELECT id, \(column) FROM main.products WHERE \(column) IS NOT NULL")
        while try products.step() { try insert(products.text(1), products.integer(0)) }
    }

    func insert(_ key: String, _ id: Int64) throws {
        add.bind(1, normalised(key))
        add.bind(2, id)
        try add.run()
    }

    func answer(_ key: String) throws -> Answer {
        find.bind(1, normalised(key))
        defer { find.reset() }
        guard try find.step() else { return .none }
        let id = find.integer(0)
        return id < 0 ? .several : .one(id)
    }

    private func normalised(_ key: String) -> String {
        guard column == "gtin", let gtin = GTINText.read(key) else { return key }
        return GTINText.key(gtin.digits)
    }
}
