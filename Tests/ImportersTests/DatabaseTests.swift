import Basics
import Database
import TestSupport
import Testing

@testable import Importers

@Suite struct DatabaseTests {
    @Test(arguments: [
        (
            "CREATE TABLE Products(ProductID INTEGER PRIMARY KEY, ProductName TEXT)",
            "its table 'products' is not that of docs/schema.sql: it has no column 'id'"
        ),
        (
            "CREATE TABLE products(id TEXT PRIMARY KEY, name TEXT)",
            "its table 'products' is not that of docs/schema.sql: 'id' is no INTEGER PRIMARY KEY"
        ),
        (
            "CREATE TABLE products(id INTEGER PRIMARY KEY, label TEXT)",
            "its table 'products' is not that of docs/schema.sql: it has no column 'name'"
        ),
        (
            "CREATE TABLE a(id, name); CREATE VIEW products AS SELECT * FROM a",
            "'products' is a view, which cannot be written to"
        ),
        (
            "CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT, till TEXT NOT NULL)",
            "its column 'products.till' must be filled in, and no import knows with what"
        ),
    ])
    func aForeignDatabaseIsLeftAlone(_ sql: String, _ reason: String) throws {
        let bench = try Workbench(database: sql)
        let bytes = bench.bytes
        try bench.folder.write("a.csv", "sku,name\nA,Rain\n")
        #expect(
            bench.failure("a.csv")
                == "shop.db: error: \(reason); import into a new file with --into FILE, or map this one in site.yaml (docs/database.md) [import-database]"
        )
        #expect(bench.bytes == bytes)
    }

    @Test func tablesBesideOthersOnlyWhenTold() throws {
        let bench = try Workbench(database: "CREATE TABLE till(x)")
        try bench.folder.write("a.csv", "sku,name\nA,Rain\n")
        #expect(bench.failure("a.csv").hasPrefix("shop.db: error: holds tables, but none named 'products'"))
        bench.options.isExtending = true
        expect(try bench.run(["a.csv"]), new: 1)
        #expect(try bench.rows("SELECT name FROM products") == ["Rain"])
    }

    @Test func whatADatabaseLacksIsLeftOutOrAdded() throws {
        let bench = try Workbench(
            database: "CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT, sku TEXT, own TEXT)")
        try bench.take(
            ("a.csv", "sku,name,vintage,category,picture\nA,Rain,2019,Gin,https://x.example/a.jpg\n"))
        #expect(
            bench.log == [
                "shop.db: warning: the database has no 'pictures'; 1 value left out: say --extend to add it [import-database]",
                "shop.db: warning: the database has no 'product_categories'; 1 value left out: say --extend to add it [import-database]",
                "shop.db: warning: the database has no 'products.vintage'; 1 value left out: say --extend to add it [import-database]",
            ])
        bench.options.isExtending = true
        expect(try bench.run(["a.csv"]), changed: 1)
        #expect(bench.log == [])
        #expect(try bench.rows("SELECT sku, name, vintage, own FROM products") == ["A|Rain|2019|NULL"])
        #expect(
            try bench.rows("SELECT p.file, url FROM pictures p JOIN picture_sources USING (file)") == [
                "x.example/a.jpg|https://x.example/a.jpg"
            ])
        expect(try bench.run(["a.csv"]), same: 1)
    }

    @Test func somethingThatIsNoDatabaseIsNotTouched() throws {
        let bench = try Workbench()
        try bench.folder.write("shop.db", String(repeating: "This is a letter, not a database. ", count: 100))
        try bench.folder.write("a.csv", "sku,name\nA,Rain\n")
        let bytes = bench.bytes
        #expect(
            bench.failure("a.csv")
                == "shop.db: error: this is no SQLite database, or a damaged one; nothing was written [import-database]"
        )
        #expect(bench.bytes == bytes)
        bench.options.database = bench.folder.file("a.csv")
        #expect(
            bench.failure("a.csv")
                == "a.csv: error: is one of the files to import; name another one with --into [import-database]"
        )
        #expect(Project.file(bench.options.database).count == 16)
    }

    @Test func whatTheFileDoesNotSayStays() throws {
        let bench = try Workbench()
        try bench.take(
            (
                "a.csv",
                "sku,name,price,producer,category,fact:Cask,facet:Peat\nA,Rain,12,Wet Rope,Gin,17,smoky\n"
            ))
        try Connection(own: bench.options.database).execute(
            """
            UPDATE products SET nose = 'by hand';
            INSERT INTO facts VALUES (1, 9, 'Own', 'kept'); INSERT INTO facets VALUES (1, 'Own', 'kept');
            INSERT INTO reviews(product_id, body) VALUES (1, 'kept');
            """)
        expect(try bench.take(("prices.csv", "sku,price\nA,14\n")), changed: 1)
        expect(try bench.take(("b.csv", "sku,name,producer,fact:Cask,facet:Peat\nA,Rain,,18,\n")), changed: 1)
        #expect(
            try bench.rows("SELECT name, price_minor, producer, nose FROM products") == [
                "Rain|1400|NULL|by hand"
            ])
        #expect(try bench.rows("SELECT name, value FROM facts ORDER BY position") == ["Own|kept", "Cask|18"])
        #expect(try bench.rows("SELECT facet, value FROM facets") == ["Own|kept"])
        #expect(try bench.rows("SELECT count(*) FROM product_categories") == ["1"])
        #expect(try bench.rows("SELECT body FROM reviews") == ["kept"])
    }

    @Test func aDryRunWritesNothing() throws {
        let bench = try Workbench()
        bench.options.isDryRun = true
        let report = try bench.take(("a.csv", "sku,name\nA,Rain\n"))
        expect(report, new: 1)
        #expect(!report.isWritten && !bench.isThere)
    }

    @Test func twoProductsOfOneKeyAreNotGuessedAt() throws {
        let bench = try Workbench()
        try bench.take(("a.csv", "id,name,sku\n1,Rain,A\n2,Slate,A\n"))
        bench.options.key = "sku"
        let report = try bench.take(("b.csv", "sku,name\nA,Moss\n"))
        expect(report, refused: 1)
        #expect(
            bench.log == [
                "b.csv:2:1: error: more than one product of the database has the sku 'A'; make them differ [import-duplicate]"
            ])
    }

    @Test func aDatabaseThatSomebodyWritesToIsNamed() throws {
        let bench = try Workbench(database: DefaultSchema.sql)
        let other = try Connection(own: bench.options.database)
        try other.execute("BEGIN EXCLUSIVE")
        bench.options.patience = 10
        try bench.folder.write("a.csv", "sku,name\nA,Rain\n")
        #expect(
            bench.failure("a.csv")
                == "shop.db: error: another program is writing to it; try again when it is done [import-database]"
        )
        try other.execute("ROLLBACK")
    }

    @Test func aWrongFileIsGivenUp() throws {
        let bench = try Workbench()
        let text = "sku,name\n" + String(repeating: ",x\n", count: 2000)
        try bench.folder.write("a.csv", text)
        #expect(
            bench.failure("a.csv")
                == "a.csv: error: given up after 1000 rows that cannot be used; is this the right --format? [import-limit]"
        )
        bench.options.skipsBad = true
        expect(try bench.run(["a.csv"]), refused: 2000)
    }
}
