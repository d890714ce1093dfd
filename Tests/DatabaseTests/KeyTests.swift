import Database
import Model
import TestSupport
import Testing

@Suite struct KeyTests {
    /// Tables whose rows belong to products with keys of all types, one in five of them to none.
    private func shop(encoding: String, collation: String, index: Bool) throws -> Shop {
        try Shop(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE keys(key);
            INSERT INTO keys VALUES(1), (2), (10), (-3), (1.5), (1.25), (9007199254740993), (9.3e18), (-1e300),
              ('1'), ('10'), ('a'), ('A'), ('b'), ('Zz'), ('é'), ('Ā'), ('ā'), ('山崎'), ('😀'), (char(0xFFFD)), ('it''s'),
              ('a b'), (char(0x7FF)), (char(0x800)), (char(0x180)), (char(0x1FF)), (char(0x20AC));
            CREATE TABLE products(id \(collation), name);
            INSERT INTO products SELECT key, 'n' || key FROM keys WHERE rowid % 5 > 0;
            CREATE TABLE reviews(product_id \(collation), rating, body);
            INSERT INTO reviews SELECT key, 1, 'r' || key FROM keys UNION ALL SELECT key, 2, 'r' || key FROM keys;
            CREATE TABLE facts(product_id \(collation), name, value);
            INSERT INTO facts SELECT key, 'key', '' || key FROM keys WHERE rowid % 2;
            """ + (index ? "CREATE INDEX i ON reviews(product_id); CREATE INDEX j ON products(id);" : ""))
    }

    @Test(
        arguments: ["UTF-8", "UTF-16le", "UTF-16be"],
        [("", false), ("", true), ("COLLATE NOCASE", true), ("COLLATE RTRIM", false)])
    func rowsFindTheirProductsWhateverTheTypeOfKeys(_ encoding: String, _ table: (String, Bool)) throws {
        let shop = try shop(encoding: encoding, collation: table.0, index: table.1)
        let reading = try shop.read()
        #expect(reading.entries.count == 23)
        #expect(reading.ids == reading.ids.sorted())
        for entry in reading.entries {
            #expect(
                entry.product.reviews.map(\.body)
                    == entry.product.reviews.map { _ in "r\(entry.product.name.dropFirst())" })
            #expect(entry.product.reviews.map(\.rating) == [10, 20])
            #expect(entry.product.facts.allSatisfy { "n" + $0.value == entry.product.name })
        }
        #expect(reading.orphans.last?.hasPrefix("reviews 10 ") == true)
        #expect(reading.products.map(\.facts.count).reduce(0, +) + 3 == 14)
        // Any subset gives what the full walk gave, also by statements that are kept for the next.
        let reader = try shop.reader()
        var random = SeededGenerator()
        for _ in 0..<10 {
            let picked = reading.entries.filter { _ in Bool.random(using: &random) }
            let keys =
                picked.map(\.product.id).shuffled(using: &random) + [
                    .text("nobody"), .text("\0"), .integer(.min),
                ]
            #expect(try shop.read(keys: keys).text == picked.map { "\($0)" })
            var kept: [String] = []
            try reader.products(keys, .full) { kept.append("\($0)") }
            #expect(kept == picked.map { "\($0)" })
        }
        #expect(try shop.read(keys: []).text == [])
    }

    /// The list of keys is cut into chunks by number and by length.
    @Test(arguments: [1, 400])
    func manyKeysAreReadInChunks(_ length: Int) throws {
        let shop = try Shop(
            """
            CREATE TABLE products(id, name);
            INSERT INTO products WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
              SELECT printf('%0*d', \(length + 4), i), 'x' FROM n;
            """)
        let all = try shop.read([:], .survey)
        #expect(all.entries.count == 5000)
        #expect(try shop.read([:], .survey, keys: all.ids.reversed()).ids == all.ids)
        let reader = try shop.reader()
        for count in [0, 1, 2, 16, 17, 64, 65, 300] {
            var ids: [ProductID] = []
            try reader.products(all.ids.prefix(count).reversed(), .tile) { ids.append($0.product.id) }
            #expect(ids == all.ids.prefix(count).map { $0 })
        }
    }

    @Test(arguments: [
        (
            "(1, 'a'), (1, 'b')",
            "error: 'products' gives two rows with the id '1'; an id must be unique [duplicate-id]"
        ),
        (
            "(1, 'a'), (1.0, 'b')",
            "error: 'products' gives two rows with the id '1'; an id must be unique [duplicate-id]"
        ),
        (
            "('a', 'a'), ('a', 'b')",
            "error: 'products' gives two rows with the id 'a'; an id must be unique [duplicate-id]"
        ),
        (
            "(NULL, 'a')",
            "error: 'products' gives a row whose id is no key; it must be a number or text [no-id]"
        ),
        (
            "('', 'a')",
            "error: 'products' gives a row whose id is no key; it must be a number or text [no-id]"
        ),
        (
            "(x'4142', 'a')",
            """
            error: 'products' gives a row whose id is no key; it must be a number or text [no-id]
            products, row ?, column 'id': warning: holds a BLOB of 2 bytes, not text; shown as absent [not-text]
            """
        ),
        (
            "(CAST(x'ff' AS TEXT), 'a')",
            """
            error: 'products' gives a row whose id is no key; it must be a number or text [no-id]
            products, row ?, column 'id': warning: holds text that is not UTF-8; shown as absent [not-utf8]
            """
        ),
    ])
    func everyRowNeedsAKeyOfItsOwn(_ rows: String, _ expected: String) throws {
        let shop = try Shop("CREATE TABLE products(id, name); INSERT INTO products VALUES \(rows)")
        #expect(complaint { try shop.read() } == expected)
    }

    /// Also behind the last product, where no entry follows.
    @Test func rowsWithoutReadableKeyAreReported() throws {
        let shop = try Shop(
            """
            CREATE TABLE products(id, name); INSERT INTO products VALUES(1, 'a');
            CREATE TABLE reviews(product_id, rating); INSERT INTO reviews VALUES(NULL, 1), (1, 2), (x'01', 3), ('', 4);
            """)
        let reading = try shop.read()
        #expect(reading.products.first?.reviews.map(\.rating) == [20])
        #expect(
            reading.faults == [
                "reviews, row ?, column 'product_id': warning: holds a BLOB of 1 bytes, not text; shown as absent [not-text]"
            ])
    }
}
