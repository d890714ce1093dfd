import Database
import Model
import Testing

@Suite struct FingerprintTests {
    private func shop() throws -> Shop {
        try Shop(
            """
            INSERT INTO products(id, name, abv) VALUES(1, 'A', 40), (2, 'B', 40), (3, 'C', NULL);
            INSERT INTO categories(id, name) VALUES(1, 'W'), (2, 'X');
            INSERT INTO product_categories VALUES(1, 1, 0), (2, 1, 0);
            INSERT INTO facts VALUES(1, 1, 'a', 'b'), (2, 1, 'a', 'b');
            INSERT INTO facets VALUES(1, 'a', 'b'), (2, 'a', 'b');
            INSERT INTO pictures VALUES(1, 1, 'a.jpg', NULL, NULL), (2, 1, 'a.jpg', NULL, NULL);
            INSERT INTO reviews(id, product_id, rating, body) VALUES(1, 1, 5, 'x'), (2, 2, 5, 'x');
            CREATE TABLE orders(id, product_id);
            """, schema: true)
    }

    private func changed(_ sql: String) throws -> [Int64] {
        let shop = try shop()
        let before = try shop.read().entries
        try shop.execute(sql)
        let after = try shop.read().entries
        return after.filter { entry in
            !before.contains { $0.product.id == entry.product.id && $0.fingerprint == entry.fingerprint }
        }.map { if case .integer(let id) = $0.product.id { id } else { -1 } }
    }

    @Test(arguments: [
        "UPDATE products SET name = 'D' WHERE id = 2", "UPDATE products SET abv = 40.5 WHERE id = 2",
        "UPDATE products SET sku = '' WHERE id = 2", "UPDATE products SET sku = x'' WHERE id = 2",
        "UPDATE products SET finish = 'x' WHERE id = 2", "UPDATE products SET stock = 0 WHERE id = 2",
        "UPDATE product_categories SET position = 1 WHERE product_id = 2",
        "INSERT INTO product_categories VALUES(2, 2, 1)",
        "DELETE FROM product_categories WHERE product_id = 2",
        "UPDATE facts SET value = 'c' WHERE product_id = 2", "INSERT INTO facts VALUES(2, 2, 'a', 'b')",
        "UPDATE facets SET value = 'c' WHERE product_id = 2", "DELETE FROM facets WHERE product_id = 2",
        "UPDATE pictures SET alt = 'c' WHERE product_id = 2",
        "INSERT INTO pictures VALUES(2, 2, 'b.jpg', NULL, NULL)",
        "UPDATE reviews SET body = 'y' WHERE id = 2", "UPDATE reviews SET rating = '5x' WHERE id = 2",
        "DELETE FROM reviews WHERE id = 2", "INSERT INTO reviews(id, product_id) VALUES(3, 2)",
        "UPDATE reviews SET date = '2020' WHERE id = 2",
        // From one table to another of the same shape.
        "DELETE FROM facets WHERE product_id = 2; INSERT INTO facets SELECT 2, 'c', 'd' WHERE 0; DELETE FROM facts WHERE product_id = 2",
    ])
    func aRowOfTheProductChangesIt(_ sql: String) throws { #expect(try changed(sql) == [2]) }

    @Test(arguments: [
        "VACUUM", "REINDEX", "INSERT INTO orders VALUES(1, 2)", "UPDATE products SET name = name",
        "INSERT INTO facts VALUES(99, 1, 'a', 'b')", "UPDATE categories SET name = 'Z'",
        "DELETE FROM reviews WHERE id = 2; INSERT INTO reviews(id, product_id, rating, body) VALUES(2, 2, 5, 'x')",
    ])
    func nothingElseDoes(_ sql: String) throws { #expect(try changed(sql) == []) }

    @Test func tablesOfOneShapeAreToldApart() throws {
        let tables = "CREATE TABLE products(id, name); INSERT INTO products VALUES(1, 'A');"
        let queries: [Mapping.Source: String] = [
            .facets: "SELECT product_id, facet, value FROM facets",
            .facts: "SELECT product_id, name, value FROM facts",
        ]
        let shape =
            "CREATE TABLE facets(product_id, facet, value); CREATE TABLE facts(product_id, name, value);"
        let a = try Shop(tables + shape + "INSERT INTO facts VALUES(1, 'a', 'b')").read(queries)
        let b = try Shop(tables + shape + "INSERT INTO facets VALUES(1, 'a', 'b')").read(queries)
        #expect(a.entries.first?.fingerprint != b.entries.first?.fingerprint)
    }

    /// Reviews of one day without an id: an index of another order must not show.
    @Test func doesNotDependOnTheQueryPlan() throws {
        let shop = try Shop(
            """
            CREATE TABLE products(id INTEGER PRIMARY KEY, name);
            INSERT INTO products WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
              SELECT i, 'p' || i FROM n;
            CREATE TABLE reviews(product_id, rating, date, body);
            INSERT INTO reviews SELECT id, 1 + (id * 7 + k) % 5, '2020', 'b' || (k * 31 % 7)
              FROM products, (VALUES(1), (2), (3), (4), (5)) AS t, (SELECT column1 AS k FROM (VALUES(3), (1), (2)));
            """)
        let before = try shop.read()
        try shop.execute(
            "CREATE INDEX i ON reviews(product_id, date DESC, body); CREATE INDEX j ON reviews(body, product_id); ANALYZE"
        )
        #expect(try shop.read().text == before.text)
        #expect(
            try shop.read(keys: before.ids.filter { $0 < .integer(20) }).text == Array(before.text.prefix(19))
        )
    }
}
