import Basics
import Database
import Model
import Testing

@Suite struct DigestTests {
    // Keys far apart, so that two connections share them.
    private func shop() throws -> Shop {
        try Shop(
            """
            INSERT INTO products(id, name, abv) VALUES(1, 'A', 40), (2, 'B', 40), (5000, 'C', NULL), (9000, 'D', 50);
            INSERT INTO categories(id, name) VALUES(1, 'W'), (2, 'X');
            INSERT INTO product_categories VALUES(1, 1, 0), (5000, 1, 0);
            INSERT INTO facts VALUES(1, 1, 'a', 'b'), (9000, 1, 'a', 'b'), (7, 1, 'a', 'b'), (8000, 1, 'a', 'b');
            INSERT INTO facets VALUES(1, 'a', 'b'), (2, 'a', 'b');
            INSERT INTO pictures VALUES(1, 1, 'a.jpg', NULL, NULL), (5000, 1, 'a.jpg', NULL, NULL);
            INSERT INTO reviews(id, product_id, rating, body) VALUES(1, 1, 5, 'x'), (2, 9000, 5, 'x');
            CREATE TABLE orders(id, product_id);
            """, schema: true)
    }

    /// As one connection takes it; two, and walks over all products, must take the same.
    private func digest(of shop: Shop) throws -> CatalogueDigest? {
        let one = try shop.reader().digest(workers: 1) { try shop.reader() }
        let two = try shop.reader().digest(workers: 2) { try shop.reader() }
        #expect(two == one)
        for detail in [CatalogueReader.Detail.full, .fingerprinted] {
            let reader = try shop.reader()
            try reader.forEachProduct(detail) { _ in }
            #expect(reader.digest == one)
        }
        return one
    }

    @Test(arguments: [
        "UPDATE products SET name = 'D' WHERE id = 2", "UPDATE products SET stock = 0 WHERE id = 9000",
        "DELETE FROM products WHERE id = 2", "INSERT INTO products(id, name) VALUES(3, 'E')",
        "UPDATE products SET id = 3 WHERE id = 2",
        "UPDATE reviews SET body = 'y' WHERE id = 2", "UPDATE reviews SET product_id = 1 WHERE id = 2",
        "INSERT INTO product_categories VALUES(2, 2, 1)", "UPDATE categories SET name = 'Z' WHERE id = 2",
        "INSERT INTO categories(id, name) VALUES(3, 'Y')", "UPDATE pictures SET alt = 'c'",
        // Warnings tell of rows whose product is not there, and a facet's name makes a facet.
        "INSERT INTO facts VALUES(99, 1, 'a', 'b')", "DELETE FROM facts WHERE product_id = 8000",
        "UPDATE facts SET product_id = 6 WHERE product_id = 7",
        "INSERT INTO facts VALUES(x'ff', 1, 'a', 'b')",
        "INSERT INTO facets VALUES(99, 'a', 'b')",
        "DELETE FROM facts; DELETE FROM facets; DELETE FROM pictures; DELETE FROM reviews",
        "ALTER TABLE products ADD COLUMN 'facet:peat'",
        "ALTER TABLE reviews RENAME COLUMN language TO tongue",
    ])
    func changesWithWhateverASiteTakes(_ sql: String) throws {
        let shop = try shop()
        let before = try #require(try digest(of: shop))
        try shop.execute(sql)
        #expect(try digest(of: shop) != before)
    }

    @Test(arguments: [
        "VACUUM", "REINDEX", "INSERT INTO orders VALUES(1, 2)", "UPDATE products SET name = name",
        "DELETE FROM reviews WHERE id = 2; INSERT INTO reviews(id, product_id, rating, body) VALUES(2, 9000, 5, 'x')",
    ])
    func changesWithNothingElse(_ sql: String) throws {
        let shop = try shop()
        let before = try #require(try digest(of: shop))
        try shop.execute(sql)
        #expect(try digest(of: shop) == before)
    }

    /// What is not of a product's rows is told apart, and so are the rows of each product.
    @Test func tellsTheRowsOfProductsFromAllElse() throws {
        let shop = try shop()
        func state() throws -> (surroundings: Fingerprint?, rows: [Fingerprint]) {
            let reader = try shop.reader()
            let digest = try reader.digest(workers: 2) { try shop.reader() }
            return (digest?.surroundings, try #require(reader.rowFingerprints))
        }
        let before = try state()
        try shop.execute(
            "UPDATE products SET name = 'E' WHERE id = 5000; INSERT INTO reviews(product_id) VALUES (2)")
        let rows = try state()
        #expect(rows.surroundings == before.surroundings)
        #expect(rows.rows.indices.filter { rows.rows[$0] != before.rows[$0] } == [1, 2])
        for sql in [
            "UPDATE categories SET name = 'Z' WHERE id = 2", "INSERT INTO facts VALUES(99, 1, 'a', 'b')",
            "INSERT INTO products(id, name) VALUES (6, 'F')", "ALTER TABLE products ADD COLUMN 'facet:peat'",
        ] {
            let before = try state()
            try shop.execute(sql)
            #expect(try state().surroundings != before.surroundings, "\(sql)")
        }
    }

    /// Two connections may see two states; no digest is taken of both.
    @Test func isNoneOfADatabaseThatChangesMeanwhile() throws {
        let shop = try shop()
        try shop.execute("PRAGMA journal_mode = WAL")
        let reader = try shop.reader()
        let digest = try reader.digest(workers: 2) {
            try shop.execute("UPDATE products SET name = 'E' WHERE id = 9000")
            return try shop.reader()
        }
        #expect(digest == nil)
    }

    /// A build that finds nothing changed asks once more whether nobody wrote since, when its stamp is not old enough to tell.
    @Test func tellsAfterItsEndWhetherTheDatabaseIsStillTheSame() throws {
        let shop = try shop()
        let reader = try shop.reader()
        _ = try reader.digest(workers: 1) { try shop.reader() }
        #expect(try reader.isCurrent())
        try shop.execute("UPDATE products SET name = 'E' WHERE id = 9000")
        #expect(try !reader.isCurrent())
    }

    @Test(arguments: [1, 2])
    func fingerprintsAreTakenOnce(workers: Int) throws {
        let shop = try shop()
        func entries(_ reader: CatalogueReader) throws -> ([CatalogueReader.Entry], [String]) {
            var entries: [CatalogueReader.Entry] = []
            let orphans = try reader.forEachProduct(.fingerprinted) { entries.append($0) }
            return (entries, orphans.map { "\($0.source.rawValue) \($0.count) \($0.first)" }.sorted())
        }
        let (plain, orphans) = try entries(shop.reader())
        let reader = try shop.reader()
        _ = try reader.digest(workers: workers) { try shop.reader() }
        #expect(try reader.resumeUnchanged())
        let (known, found) = try entries(reader)
        #expect(known.map(\.fingerprint) == plain.map(\.fingerprint))
        #expect(
            known.map { "\($0.product.name) \($0.product.pictures)" }
                == plain.map { "\($0.product.name) \($0.product.pictures)" })
        #expect(known.map(\.reviewCount) == plain.map(\.reviewCount))
        #expect(found == orphans)
        #expect(orphans == ["facts 2 7"])
    }
}
