import Database
import Model
import Testing

@Suite struct MappingTests {
    /// Names with spaces, capitals, quotes and SQL's own words, as Northwind and others have them.
    private func northwind() throws -> Shop {
        try Shop(
            """
            CREATE TABLE "Order Details"(ProductID INTEGER, "Unit Price" REAL, "select" TEXT, "Peat (ppm)" TEXT);
            INSERT INTO "Order Details" VALUES(2, 18, 'Chang', '3'), (1, 12.5, 'Chai', NULL);
            CREATE TABLE "group"("order" INTEGER, "from" TEXT);
            INSERT INTO "group" VALUES(1, 'Beverages'), (1, 'Tea');
            CREATE TABLE [we"ird](a, b);
            INSERT INTO [we"ird] VALUES(1, 'x');
            """)
    }

    private let products = #"SELECT ProductID AS id, "select" AS name FROM "Order Details""#

    @Test func readsTablesOfAnyShape() throws {
        let reading = try northwind().read(
            [
                .products: """
                SELECT ProductID AS id, "select" AS name, "Unit Price" AS price, "Peat (ppm)" AS "fact:Peat (ppm)",
                  'Rum' AS "facet:Cask", upper("select") AS "fact:LOUD", '*Neat*' AS "note:Serving", 'x' AS "note:Häfen"
                FROM "Order Details"
                """,
                .facets: #"SELECT "order" AS product_id, 'Kind' AS facet, "from" AS value FROM "group""#,
                .facts: #"SELECT a AS product_id, 'we"ird' AS name, b AS value FROM "we""ird""#,
                .reviews: #"SELECT "order" AS product_id, 5 AS rating, NULL AS id FROM [group]"#,
            ], notes: ["note:Serving": .markdown])
        #expect(reading.faults == [])
        let p = try #require(reading.products.first)
        #expect(p.id == .integer(1) && p.name == "Chai" && p.price?.decimal == "12.50")
        #expect(p.facts == [Fact(label: "LOUD", value: "CHAI"), Fact(label: "we\"ird", value: "x")])
        #expect(
            p.facets == [
                Fact(label: "Cask", value: "Rum"), Fact(label: "Kind", value: "Beverages"),
                Fact(label: "Kind", value: "Tea"),
            ])
        #expect(p.reviews.map(\.rating) == [50, 50])
        #expect(
            p.notes == [
                Note(label: "Serving", text: "*Neat*", format: .markdown, column: "note:Serving"),
                Note(label: "Häfen", text: "x", format: .html, column: "note:Häfen"),
            ])
        #expect(reading.products.last?.facts.first == Fact(label: "Peat (ppm)", value: "3"))
    }

    @Test func labelsKeepTheOrderOfTheQuery() throws {
        let query = """
            SELECT 1 AS id, 'a' AS name, 1 AS "note:Z", 2 AS "facet:M", 3 AS "fact:B", 4 AS "note:A", 5 AS "facet:C", 6 AS "fact:A"
            """
        let reader = try northwind().reader([.products: query])
        #expect(try reader.noteColumns() == ["Z", "A"])
        #expect(try reader.facetColumns() == ["M", "C"])
        let reading = try northwind().read([.products: query])
        #expect(reading.products.first?.facts.map(\.label) == ["B", "A"])
    }

    /// Nothing else of a row is looked at, faults included.
    @Test func aBriefWalkReadsWhatListsShow() throws {
        let query = """
            SELECT 1 AS id, 'K-1' AS sku, 'a' AS name, 'Stout' AS style, 4.5 AS abv, 330 AS volume_ml, 5 AS price, 2 AS stock,
              '#ffffff' AS colour, 'a.jpg' AS picture, 'Peru' AS country, 'long ago' AS created, 'Dark.' AS summary
            """
        let reading = try northwind().read([.products: query], .brief)
        let product = try #require(reading.products.first)
        #expect(product.name == "a" && product.sku == "K-1" && product.style == "Stout")
        #expect(product.abv == 450 && product.volume == 330 && product.price?.decimal == "5.00")
        #expect(product.availability == .limited && product.colour != nil)
        #expect(product.pictures.map(\.file) == ["a.jpg"])
        #expect(product.country == nil && product.summary == nil && reading.faults == [])
    }

    @Test func columnNamesMayBeInCapitals() throws {
        let reading = try northwind().read([.products: "SELECT 1 AS ID, 'a' AS Name, 40 AS ABV"])
        #expect(reading.products.first?.abv == 4000)
    }

    @Test(arguments: [
        "", ";", " ; ; ", "\n;\n", "-- the end", "; -- the end", "; -- the end\n", "\n-- a;\n-- b",
        "/* the end */", "; /* the end */ ;",
        "/* never ended", "; /* never ended", "-- x;", "\t\n",
    ])
    func aQueryMayEndInSemicolonsAndComments(_ end: String) throws {
        #expect(try northwind().read([.products: products + end]).ids == [.integer(1), .integer(2)])
    }

    @Test(arguments: [
        "WITH t AS (SELECT 1 AS id, 'a' AS name) SELECT * FROM t", "VALUES(1, 'a')",
        "SELECT 1 AS id, 'a' AS name UNION SELECT 2, 'b'",
        "SELECT 1 AS id, 'a' AS name ORDER BY 1 LIMIT 1", "-- first\nSELECT 1 AS id, 'a;b' AS name",
        "SELECT 1 AS id, ';' AS name;",
        "SELECT 1 AS id, json_extract('{\"a\":\"b\"}', '$.a') AS name",
        "SELECT 1 AS id, value AS name FROM json_each('[1]')",
    ])
    func aQueryMayBeAnySelect(_ query: String) throws {
        if query.hasPrefix("VALUES") {
            #expect(
                complaint { try northwind().reader([.products: query]) }
                    == "products at 0: 'products' gives no column 'id' [missing-column]")
        } else {
            #expect(try northwind().read([.products: query]).ids.first == .integer(1))
        }
    }

    struct Fault: CustomTestStringConvertible {
        let source: Mapping.Source, query: String, expected: String
        var testDescription: String { query }

        init(_ source: Mapping.Source, _ query: String, _ expected: String) {
            self.source = source
            self.query = query
            self.expected = expected
        }
    }

    @Test(arguments: [
        Fault(
            .products, #"SELECT ProductID AS id, "select" AS nmae FROM "Order Details""#,
            "products at 0: 'products' gives no column 'name'; is it the one called 'nmae'? write \"nmae\" AS name [missing-column]"
        ),
        Fault(
            .products, "SELECT 'a' AS name", "products at 0: 'products' gives no column 'id' [missing-column]"
        ),
        Fault(
            .products, "SELECT 1 AS id, 'a' AS name, 'b' AS prodcuer",
            "products: 'prodcuer' is not a field of 'products'; did you mean 'producer'? [unknown-column]"),
        Fault(
            .products, "SELECT 1 AS id, 'a' AS name, 'b' AS \"Peat ppm\"",
            "products: 'Peat ppm' is not a field of 'products'; name it \"fact:Peat ppm\" to show it as a fact [unknown-column]"
        ),
        Fault(
            .products, "SELECT 1 AS id, 'a' AS name, 'b' AS \"fact: \"",
            "products: 'fact: ' is not a field of 'products'; name it \"fact:fact: \" to show it as a fact [unknown-column]"
        ),
        Fault(
            .reviews, "SELECT 1 AS product_id, 5 AS ratnig",
            "reviews: 'ratnig' is not a field of 'reviews'; did you mean 'rating'? [unknown-column]"),
        Fault(
            .reviews, "SELECT 1 AS product_id, 5 AS zzzzzz",
            "reviews: 'zzzzzz' is not a field of 'reviews'; leave it out [unknown-column]"),
        Fault(
            .reviews, "SELECT 5 AS rating",
            "reviews at 0: 'reviews' gives no column 'product_id' [missing-column]"),
        Fault(
            .facts, "SELECT 1 AS productid, '' AS name, '' AS value",
            "facts at 0: 'facts' gives no column 'product_id'; is it the one called 'productid'? write \"productid\" AS product_id [missing-column]"
        ),
        Fault(
            .products, "SELECT 1 AS id, 'a' AS name, 'b' AS NAME",
            "products: the query of 'products' gives two columns named 'NAME' [duplicate-column]"),
        Fault(
            .products, "SELECT id, nam FROM \"Order Details\"",
            "products at 7: the query of 'products': no such column: id [bad-query]"),
        Fault(
            .products, "SELECT 'é' AS name, idd FROM \"group\"",
            "products at 21: the query of 'products': no such column: idd [bad-query]"),
        Fault(
            .products, "SELECT * FROM missing",
            "products: the query of 'products': no such table: missing [bad-query]"),
        Fault(
            .products, "SELEC 1",
            "products at 0: the query of 'products': near \"SELEC\": syntax error [bad-query]"),
        Fault(
            .products, "SELECT 1 AS id, 'a",
            "products at 16: the query of 'products': unrecognized token: \"'a\" [bad-query]"),
        Fault(
            .products, "SELECT 1 AS id,", "products: the query of 'products': incomplete input [bad-query]"),
        Fault(
            .products, "SELECT \"mising\" AS id, 1 AS name",
            "products at 7: the query of 'products': no such column: mising [bad-query]"),
        Fault(.products, "", "products at 0: the query of 'products' is empty [bad-query]"),
        Fault(.products, " -- nothing", "products at 0: the query of 'products' is empty [bad-query]"),
        Fault(.products, ";;", "products at 0: the query of 'products' is empty [bad-query]"),
        Fault(
            .products, "SELECT 1 AS id, 'a' AS name; SELECT 2",
            "products at 28: the query of 'products' is followed by another [bad-query]"),
        Fault(
            .products, "SELECT 1 AS id, 'a' AS name;\n-- c\n;SELECT 2",
            "products at 28: the query of 'products' is followed by another [bad-query]"),
        Fault(
            .products, "SELECT 1 AS id, 'a' AS name; x",
            "products at 28: the query of 'products' is followed by another [bad-query]"),
        Fault(
            .products, "SELECT 1 AS id, 'a' AS name\0 x",
            "products at 27: the query of 'products' is followed by another [bad-query]"),
        Fault(
            .products, "SELECT 1 AS id) UNION SELECT (2",
            "products at 14: the query of 'products': near \")\": syntax error [bad-query]"),
        Fault(
            .products, "SELECT 1 AS id, ? AS name",
            "products at 0: the query of 'products' leaves a value open; write values instead of '?', ':name', '@name' and '$name' [bad-query]"
        ),
        Fault(.products, "BEGIN", "products at 0: the query of 'products' gives no columns [bad-query]"),
        Fault(.products, "COMMIT", "products at 0: the query of 'products' gives no columns [bad-query]"),
        Fault(
            .products, "EXPLAIN SELECT 1", "products at 0: the query of 'products' is no SELECT [bad-query]"),
    ])
    func saysWhatIsWrongAndWhere(_ fault: Fault) throws {
        let shop = try northwind()
        var queries = [Mapping.Source.products: products]
        queries[fault.source] = fault.query
        #expect(complaint { try shop.reader(queries) } == fault.expected)
    }

    @Test func aDatabaseWithoutProductsNeedsAMapping() throws {
        #expect(
            complaint { try northwind().reader() }
                == "products: the database has no table 'products'; map one with 'products:' in site.yaml [no-products]"
        )
    }

    @Test func defaultTablesNeedTheirColumnsToo() throws {
        let shop = try Shop("CREATE TABLE products(id, titel); CREATE TABLE facts(product_id, label, value)")
        #expect(
            complaint { try shop.reader() } == "products: 'products' gives no column 'name' [missing-column]")
        try shop.execute("ALTER TABLE products ADD COLUMN name")
        #expect(complaint { try shop.reader() } == "facts: 'facts' gives no column 'name' [missing-column]")
    }
}
