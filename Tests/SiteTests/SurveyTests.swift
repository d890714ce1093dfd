import Basics
import Database
import TestSupport
import Testing

@testable import Site

/// A plan is kept when nothing that decides it has changed, and only then.
@Suite struct SurveyTests {
    private let folder = TemporaryFolder(inMemory: true)

    private func makeSite(_ settings: String = "", products: Int = 300) throws {
        try folder.write("content/site.yaml", "title: Shop\n" + settings)
        try sql(
            """
            \(Project.text(of: "docs/schema.sql"))
            INSERT INTO categories(id, name) VALUES (1, 'Spirits'), (2, 'Perry');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(products))
            INSERT INTO products(id, name, producer, price_minor, created) SELECT i, 'Gin ' || i, 'Rope', 100, '2026-01-05' FROM n;
            INSERT INTO product_categories(product_id, category_id) SELECT id, 1 FROM products;
            """)
    }

    private func sql(_ text: String) throws {
        try Connection(own: folder.path + "/content/shop.db").execute(text)
    }

    private func sources() throws -> SiteSources {
        var options = BuildOptions()
        options.site = folder.path
        return try SiteSources(options)
    }

    private func survey() throws -> Survey {
        let sources = try sources()
        return try Survey(sources, SurveyKey(sources, version: 0), givesWay: true)
    }

    private func renewed(_ survey: Survey) throws -> Survey? {
        let sources = try sources()
        return try survey.renewed(sources, SurveyKey(sources, version: 1), givesWay: true)
    }

    @Test(arguments: [
        "UPDATE products SET price_minor = 5 WHERE id = 7",
        "UPDATE products SET bottling_note = 'New words', stock = 3, abv = 40",
        "UPDATE reviews SET rating = 1",
    ])
    func whatThePlanDoesNotSayKeepsIt(_ change: String) throws {
        try makeSite()
        try sql("INSERT INTO reviews(product_id, rating) VALUES (1, 4)")
        let before = try survey()
        try sql(change)
        let after = try #require(try renewed(before))
        #expect(after.key != before.key)
        #expect(after.catalogue.order == before.catalogue.order)
        #expect(try renewed(after) != nil)
    }

    @Test(arguments: [
        "UPDATE products SET name = 'Rum' WHERE id = 7",
        "UPDATE products SET slug = 'rum' WHERE id = 7",
        "UPDATE products SET producer = 'Sail' WHERE id = 7",
        "UPDATE products SET producer = NULL WHERE id = 7",
        "UPDATE products SET created = '2026-01-06' WHERE id = 7",
        "UPDATE products SET updated = '2026-01-06' WHERE id = 7",
        "UPDATE products SET featured = 1 WHERE id = 7",
        "UPDATE product_categories SET category_id = 2 WHERE product_id = 7",
        "UPDATE categories SET name = 'Cider' WHERE id = 2",
        "INSERT INTO categories(id, name) VALUES (3, 'Mead')",
        "INSERT INTO products(id, name) VALUES (301, 'Rum')",
        "DELETE FROM products WHERE id = 300",
        "INSERT INTO facets(product_id, facet, value) VALUES (7, 'Cask', 'Oak')",
        "INSERT INTO reviews(product_id, rating) VALUES (7, 4)",
        "PRAGMA foreign_keys = OFF; INSERT INTO reviews(product_id, rating) VALUES (999, 4)",
    ])
    func whatThePlanSaysMakesANewOne(_ change: String) throws {
        try makeSite()
        let before = try survey()
        try sql(change)
        #expect(try renewed(before) == nil)
    }

    @Test func aPriceIsOfThePlanWhereItDecidesTheOrder() throws {
        try makeSite("order: price\n")
        let before = try survey()
        try sql("UPDATE products SET stock = 3")
        #expect(try renewed(before) != nil)
        try sql("UPDATE products SET price_minor = 5 WHERE id = 7")
        #expect(try renewed(before) == nil)
        #expect(try survey().catalogue.order.first == 6)
    }

    @Test func otherSettingsMakeANewPlan() throws {
        try makeSite()
        let before = try survey()
        try folder.write("content/site.yaml", "title: Shop\npage_size: 12\n")
        #expect(try renewed(before) == nil)
    }

    /// Without WAL a program that writes has to wait for those who read: a survey of a million products takes seconds.
    @Test func aSurveyGivesWayToAProgramThatWrites() throws {
        try makeSite()
        let before = try survey()
        let shop = try Connection(own: folder.path + "/content/shop.db")
        try shop.execute("BEGIN IMMEDIATE; UPDATE products SET price_minor = 7 WHERE id = 7")
        let sources = try sources()
        let key = SurveyKey(sources, version: 1)
        #expect(
            try before.renewed(sources, key, givesWay: false) != nil,
            "a survey that does not give way is made all the same")
        // Whoever wrote gets through at once.
        func commit(_: CatalogueReader) {
            #expect(throws: Never.self) { try shop.execute("PRAGMA busy_timeout = 0; COMMIT") }
        }
        #expect(throws: Survey.GaveWay.self) {
            _ = try before.renewed(sources, key, givesWay: true, wait: commit)
        }
        try shop.execute("BEGIN IMMEDIATE; UPDATE products SET price_minor = 8 WHERE id = 7")
        #expect(throws: Survey.GaveWay.self) {
            _ = try Survey(sources, key, givesWay: true, wait: commit)
        }
        try shop.execute("PRAGMA journal_mode = WAL")
        try shop.execute("BEGIN IMMEDIATE; UPDATE products SET price_minor = 8")
        #expect(try survey().catalogue.count == 300, "nobody has to wait")
    }
}
