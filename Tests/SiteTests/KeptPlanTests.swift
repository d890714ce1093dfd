import Basics
import Database
import Foundation
import Site
import TestSupport
import Testing

/// The plan is taken over from the build before when only rows have changed that decide nothing of it, and never else; what comes out
/// is a clean build either way.
@Suite struct KeptPlanTests {
    private let folder = TemporaryFolder(inMemory: true)
    private var output: String { folder.path + "/out/public" }
    private var kept: String { folder.path + "/out/.build-site/public/plan" }

    private func makeSite(_ settings: String = "") throws {
        try folder.write("content/site.yaml", "title: Shop\nurl: https://shop.example/\n" + settings)
        try folder.copy("content/pictures/cinder-row-mild.webp", to: "content/pictures/1.webp")
        try folder.copy("content/pictures/aldarejo-fino-en-rama.webp", to: "content/pictures/2.webp")
        // One product is on two lists, one is on none, and one is not there.
        try folder.write(
            "content/lists.json",
            #"""
            { "version": 1, "customers": [
              { "id": "z", "lists": { "wish": [{ "product": "7" }, { "product": "30" }], "basket": [], "collection": [] } },
              { "id": "b", "name": "Bé", "lists": { "wish": [{ "product": "40" }, { "product": "5555" }] } },
              { "id": "a", "lists": { "collection": [{ "product": "7", "quantity": 2 }, { "product": "7" }] } }
            ] }
            """#)
        // Two slugs clash, and one link and one fact lead nowhere.
        try sql(
            """
            \(Project.text(of: "docs/schema.sql"))
            INSERT INTO categories(id, name) VALUES (1, 'Spirits'), (2, 'Perry');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO products(id, name, producer, style, price_minor, stock, created) SELECT i, 'Gin ' || i, 'Rope ' || (i % 7), 'Old', i * 100, 9, '2026-01-05' FROM n;
            INSERT INTO product_categories(product_id, category_id) SELECT id, 1 + id % 2 FROM products;
            UPDATE products SET slug = 'same' WHERE id IN (4, 5);
            INSERT INTO pictures(product_id, position, file) VALUES (7, 0, '1.webp'), (8, 0, '2.webp'), (9, 0, '2.webp');
            INSERT INTO reviews(product_id, rating) VALUES (1, 4);
            PRAGMA foreign_keys = OFF;
            INSERT INTO product_categories(product_id, category_id) VALUES (6, 77);
            INSERT INTO facts(product_id, position, name, value) VALUES (999, 0, 'Peat', '1 ppm');
            """)
    }

    private func sql(_ text: String) throws {
        try Connection(own: folder.path + "/content/shop.db").execute(text)
    }

    /// Builds, and compares with a build from nothing, warnings included.
    private func build() throws -> BuildReport {
        let driver = Driver(site: folder.path)
        let report = try driver.build(to: output)
        let clean = try driver.build(to: folder.path + "/out/clean")
        #expect(try Tree(output).differences(from: Tree(folder.path + "/out/clean")) == [])
        func texts(_ report: BuildReport) -> [String] {
            report.warnings.filter { $0.id != "new-list-key" }.map(\.description).sorted()
        }
        #expect(texts(report) == texts(clean))
        #expect(report.counts.pages == clean.counts.pages && report.counts.files == clean.counts.files)
        #expect(report.counts.withoutPicture == clean.counts.withoutPicture)
        #expect(clean.warningCount >= 5)
        try folder.removeFile("out/clean")
        try folder.removeFile("out/.build-site/clean")
        return report
    }

    @Test(arguments: [
        "UPDATE products SET price_minor = 5 WHERE id = 7",
        "UPDATE products SET bottling_note = 'New words', stock = 3, abv = 40 WHERE id < 200",
        "UPDATE products SET abv = 'cask', stock = 2 WHERE id = 9",
        "UPDATE reviews SET rating = 1",
        "INSERT INTO facts(product_id, position, name, value) VALUES (3, 0, 'Peat', '7 ppm')",
        "UPDATE pictures SET alt = 'A bottle' WHERE product_id = 7",
    ])
    func keepsThePlanThatIsNotChanged(_ change: String) throws {
        try makeSite()
        #expect(try !build().isPlanKept)
        try sql(change)
        let report = try build()
        #expect(report.isPlanKept)
        #expect(report.counts.written > 0)
        // What was kept is kept again, with what has changed.
        try sql("UPDATE products SET stock = stock - 1 WHERE id = 30")
        #expect(try build().isPlanKept)
        #expect(try build().counts.written == 0)
    }

    @Test(arguments: [
        "UPDATE products SET name = 'Rum' WHERE id = 7",
        "UPDATE products SET slug = 'rum' WHERE id = 7",
        "UPDATE products SET producer = 'ROPE 1' WHERE id = 7",
        "UPDATE products SET created = '2026-01-06' WHERE id = 7",
        "UPDATE products SET updated = '2026-01-06' WHERE id = 7",
        "UPDATE products SET featured = 1 WHERE id = 7",
        "UPDATE product_categories SET category_id = 2 WHERE product_id = 8",
        "UPDATE categories SET name = 'Cider' WHERE id = 2",
        "INSERT INTO products(id, name) VALUES (301, 'Rum')",
        "DELETE FROM products WHERE id = 300",
        "DELETE FROM products WHERE id = 300; INSERT INTO products(id, name) VALUES (301, 'Rum')",
        "INSERT INTO facets(product_id, facet, value) VALUES (7, 'Cask', 'Oak')",
        "INSERT INTO reviews(product_id, rating) VALUES (7, 4)",
        "PRAGMA foreign_keys = OFF; INSERT INTO facts(product_id, position, name, value) VALUES (998, 0, 'Peat', '1')",
        "DELETE FROM pictures WHERE product_id = 7",
        "UPDATE pictures SET file = '1.webp' WHERE product_id = 8",
    ])
    func makesANewPlanOfWhatDecidesIt(_ change: String) throws {
        try makeSite()
        _ = try build()
        try sql(change)
        #expect(try !build().isPlanKept)
        try sql("UPDATE products SET stock = stock - 1 WHERE id = 30")
        #expect(try build().isPlanKept)
    }

    @Test func makesANewPlanOfPricesThatDecideTheOrder() throws {
        try makeSite("order: price\n")
        _ = try build()
        try sql("UPDATE products SET stock = 3 WHERE id = 7")
        #expect(try build().isPlanKept)
        try sql("UPDATE products SET price_minor = 5 WHERE id = 7")
        #expect(try !build().isPlanKept)
    }

    /// Only pages of customers are made again who have the product, and a new key makes all of them anew.
    @Test func keepsThePagesOfCustomersWhoDoNotHaveIt() throws {
        try makeSite()
        _ = try build()
        for (product, customers) in [(7, 2), (40, 1), (41, 0), (7, 2)] {
            let before = try Tree(output)
            try sql("UPDATE products SET price_minor = price_minor + 100 WHERE id = \(product)")
            #expect(try build().isPlanKept)
            let written = try Tree(output).written(since: before).filter { $0.hasPrefix("lists/") }
            #expect(Set(written.map { $0.split(separator: "/")[1] }).count == customers, "\(written)")
        }
        try folder.removeFile(".build-site/list-key")
        let before = try Tree(output)
        try sql("UPDATE products SET stock = 3 WHERE id = 41")
        #expect(try !build().isPlanKept)
        #expect(
            try Tree(output).written(since: before).filter { $0.hasPrefix("lists/") }.count
                == 4 + 2 + 2)
    }

    @Test func otherFilesThanTheDatabaseMakeANewPlan() throws {
        try makeSite()
        _ = try build()
        try sql("UPDATE products SET stock = 3 WHERE id = 7")
        try folder.removeFile("content/pictures/1.webp")
        try folder.copy("content/pictures/balmorrow-12-year-old.webp", to: "content/pictures/1.webp")
        #expect(try !build().isPlanKept)
    }

    /// It may be lost, cut off, of another build, or anything.
    @Test func trustsNoOtherPlanThanItsOwn() throws {
        try makeSite()
        _ = try build()
        let first = try #require(FileManager.default.contents(atPath: kept))
        try sql("UPDATE products SET stock = 3 WHERE id = 7")
        #expect(try build().isPlanKept)
        let second = try #require(FileManager.default.contents(atPath: kept))
        var flipped = second
        flipped[second.count / 2] ^= 1
        for (i, plan) in [
            nil, Data(), second.prefix(second.count / 2), second + [0], flipped, first, Data("nonsense".utf8),
        ].enumerated() {
            try? FileManager.default.removeItem(atPath: kept)
            if let plan { try plan.write(to: URL(fileURLWithPath: kept)) }
            try sql("UPDATE products SET stock = \(20 + i) WHERE id = 8")
            #expect(try !build().isPlanKept, "\(i)")
        }
    }
}
