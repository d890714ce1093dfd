import CSQLite
import Database
import Glibc
import Model
import TestSupport
import Testing

/// What a hostile database, or a careless mapping, must not do (S21, S22).
@Suite struct HardeningTests {
    private let tables = "CREATE TABLE products(id, name); INSERT INTO products VALUES(1, 'Glen');"

    @Test(arguments: [
        ("ATTACH 'other.db' AS other", "not authorized"),
        ("PRAGMA writable_schema = ON", "not authorized"),
        ("PRAGMA table_info(products)", "not authorized"),
        ("DELETE FROM products", "not authorized"),
        ("DELETE FROM products RETURNING id, name", "not authorized"),
        ("INSERT INTO products VALUES(2, 'x') RETURNING id, name", "not authorized"),
        ("UPDATE products SET name = 'x'", "not authorized"),
        ("CREATE TABLE t(a)", "not authorized"),
        ("CREATE TEMP TABLE t(a)", "not authorized"),
        ("DROP TABLE products", "not authorized"),
        ("VACUUM INTO 'copy.db'", "gives no columns"),
        ("SELECT load_extension('x') AS id, 1 AS name", "not authorized to use function: load_extension"),
        ("SELECT readfile('/etc/passwd') AS id, 1 AS name", "no such function: readfile"),
        ("SELECT writefile('x', 'y') AS id, 1 AS name", "no such function: writefile"),
        ("SELECT fts3_tokenizer('a') AS id, 1 AS name", "not authorized to use function: fts3_tokenizer"),
        ("SELECT random() AS id, 1 AS name", "not authorized to use function: random"),
        ("SELECT randomblob(9) AS id, 1 AS name", "not authorized to use function: randomblob"),
        ("SELECT sqlite_version() AS id, 1 AS name", "not authorized to use function: sqlite_version"),
        (
            "SELECT sqlite_compileoption_get(1) AS id, 1 AS name",
            "not authorized to use function: sqlite_compileoption_get"
        ),
        ("SELECT id, name FROM products WHERE name REGEXP 'a'", "no such function: REGEXP"),
        ("SELECT \"Glen\" AS id, 1 AS name", "no such column: Glen"),
    ])
    func aMappingOnlyReads(_ query: String, _ message: String) throws {
        let shop = try Shop(tables)
        let before = Array(Project.file(shop.path))
        let text = complaint { try shop.reader([.products: query]).forEachProduct(.full) { _ in } }
        #expect(text.contains(message) && text.hasSuffix("[bad-query]"), "\(text)")
        #expect(Project.file(shop.path) == before)
    }

    /// A pragma behind a table-valued function is prepared when it is first read.
    @Test func pragmasAreRefusedAsTablesToo() throws {
        let text = complaint {
            try Shop(tables).read([.products: "SELECT cid AS id, name FROM pragma_table_info('products')"])
        }
        #expect(text.contains("not authorized"), "\(text)")
    }

    @Test func aViewIsOnlyReadWhenAMappingNamesIt() throws {
        let shop = try Shop(
            "CREATE TABLE t(id, name); INSERT INTO t VALUES(1, 'Glen'); CREATE VIEW products AS SELECT * FROM t; CREATE VIEW v2 AS SELECT * FROM products"
        )
        #expect(
            complaint { try shop.reader() }
                == "products: 'products' is a view; to use it write 'products: SELECT * FROM products' in site.yaml [no-products]"
        )
        #expect(try shop.read([.products: "SELECT * FROM Products"]).ids == [.integer(1)])
        #expect(try shop.read([.products: "SELECT * FROM v2"]).ids == [.integer(1)])
        // Named or not, a view may use what a mapping may use, and no more.
        try shop.execute(
            "CREATE VIEW evil AS SELECT load_extension('x') AS id, 1 AS name; CREATE VIEW e2 AS SELECT randomblob(9) AS id, 1 AS name"
        )
        for view in ["evil", "e2"] {
            let text = complaint { try shop.read([.products: "SELECT * FROM \(view)"]) }
            #expect(text.contains("unsafe use of") || text.contains("not authorized"), "\(text)")
        }
    }

    @Test func virtualTablesAreNotRead() throws {
        let shop = try Shop(
            "CREATE VIRTUAL TABLE products USING fts5(id, name); INSERT INTO products VALUES(1, 'Glen')")
        #expect(complaint { try shop.reader() }.hasSuffix("[no-products]"))
        #expect(
            complaint { try shop.read([.products: "SELECT id, name FROM products"]) }
                == "products: the query of 'products': 'products' is a virtual table, which is not read: take the table behind it [bad-query]"
        )
    }

    @Test func generatedColumnsAndTriggersCannotReachOut() throws {
        let shop = try Shop(
            """
            CREATE TABLE products(id, name AS (upper('x' || id)), sku AS (replace(printf('%.*c', 9000000, 'x'), 'x', 'yy')), finish AS (id || '!') STORED);
            INSERT INTO products(id) VALUES(1);
            CREATE TRIGGER t AFTER INSERT ON products BEGIN SELECT load_extension('x'); END;
            """)
        #expect(
            try shop.read([.products: "SELECT id, name, finish FROM products"]).products.first?.name == "X1")
        #expect(complaint { try shop.read() } == "a value is larger than 16 MB")
    }

    /// evil.db: a view without end, in every place where one can stand.
    @Test(arguments: [
        [Mapping.Source.products: "SELECT * FROM endless"],
        [.products: "SELECT id, name FROM products", .reviews: "SELECT id AS product_id FROM endless"],
        [.products: "SELECT id, name FROM products", .categories: "SELECT id, name FROM endless"],
        [.products: "SELECT id, name FROM products UNION ALL SELECT id, name FROM endless"],
        [.products: "SELECT a.id, a.name FROM endless a JOIN products b ON a.id < 0"],
    ])
    func aQueryWithoutEndIsEnded(_ queries: [Mapping.Source: String]) throws {
        let shop = try Shop(
            tables
                + "CREATE VIEW endless AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT id, 'x' AS name FROM c"
        )
        let reader = try shop.reader(queries, rowTimeLimit: .seconds(1))
        let text = complaint {
            _ = try reader.categories()
            return try reader.forEachProduct(.full) { _ in }
        }
        #expect(text == "the query made no row for 1 second and was ended")
        // The connection is none the worse.
        #expect(try reader.facetNames() == [])
    }

    @Test func countingWithoutEndIsEnded() throws {
        let shop = try Shop(tables)
        let reader = try shop.reader(
            [
                .products:
                    "WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) SELECT id, 'x' AS name FROM c"
            ],
            rowTimeLimit: .seconds(1))
        #expect(complaint { try reader.productCount() } == "the query made no row for 1 second and was ended")
    }

    @Test func valuesHaveALimit() throws {
        let shop = try Shop(
            tables
                + "ALTER TABLE products ADD COLUMN bottling_note; UPDATE products SET bottling_note = zeroblob(20000000)"
        )
        #expect(complaint { try shop.read() } == "a value is larger than 16 MB")
        #expect(try shop.read([:], .survey).ids == [.integer(1)])
        try shop.execute("UPDATE products SET bottling_note = printf('%.*c', 15000000, 'x')")
        #expect(try shop.read().products.first?.bottlingNote?.text.utf8.count == 15_000_000)
    }

    @Test func memoryHasALimit() throws {
        _ = try Shop(tables).reader()
        #expect(sqlite3_hard_heap_limit64(-1) == 512 << 20)
    }

    @Test(arguments: ["", "not a database", "SQLite format 3\0", String(repeating: "x", count: 5000)])
    func whatIsNoDatabaseIsSaidToBeNone(_ content: String) throws {
        let folder = TemporaryFolder()
        let path = folder.file("shop.db")
        let file = try #require(fopen(path, "w"))
        fwrite(content, 1, content.utf8.count, file)
        fclose(file)
        let text = complaint { try CatalogueReader(path: path, mapping: Mapping(currency: pounds)) }
        // An empty file is an empty database to SQLite.
        #expect(
            content.isEmpty ? text.hasSuffix("[no-products]") : text == "file is not a database", "\(text)")
    }

    @Test func aMissingFileIsNotMade() {
        let folder = TemporaryFolder()
        let path = folder.file("missing.db")
        #expect(
            complaint { try CatalogueReader(path: path, mapping: Mapping(currency: pounds)) }
                == "unable to open database file")
        #expect(access(path, F_OK) != 0)
    }

    /// A name of a file is no URI: `?` and `%` and `#` stand for themselves.
    @Test(arguments: ["a?mode=rwc", "a%20b", "a#b", "é ü", "a&vfs=x", "file:x"])
    func anyNameOfAFileWorks(_ name: String) throws {
        let folder = TemporaryFolder()
        try Connection(own: folder.file("plain")).execute(tables)
        #expect(rename(folder.file("plain"), folder.file(name)) == 0)
        let reader = try CatalogueReader(path: folder.file(name), mapping: Mapping(currency: pounds))
        #expect(try reader.productCount() == 1)
    }
}
