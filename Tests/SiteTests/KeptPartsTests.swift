import Database
import Foundation
import TestSupport
import Testing

@testable import Site

/// What products have alike is kept from one to the next; none may be shown what is another's.
@Suite struct KeptPartsTests {
    private static let count = 1200

    /// More values of each kind than are kept, each of two products that do not follow one another.
    @Test func eachPageSaysWhatItsOwnRowSays() throws {
        let folder = TemporaryFolder(inMemory: true)
        try folder.write(
            "content/site.yaml",
            "title: Shop\nlanguage: en-GB\nbrowse_by: [producer]\nreviews: inline\n")
        let shop = try Connection(own: folder.path + "/content/shop.db")
        try shop.execute(
            """
            \(Project.text(of: "docs/schema.sql"))
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(2 * Self.count - 1))
            INSERT INTO products(id, name, abv, volume_ml, vintage, bottled, age, region, country)
            SELECT i, 'Gin ' || i, (1000 + i % \(Self.count)) / 100.0, 1 + i % \(Self.count), 1000 + i % \(Self.count),
                date('1990-01-01', '+' || (i % \(Self.count)) || ' days'), 1 + i % 90,
                'Region ' || (i % \(Self.count)), 'Country ' || (i % \(Self.count)) FROM n;
            INSERT INTO reviews(product_id, rating, author, date, body)
            SELECT id, 1 + id % 5, 'Ann', date('1990-01-01', '+' || (id % \(Self.count)) || ' days'), 'Good.' FROM products;
            """)
        var options = BuildOptions()
        options.site = folder.path
        options.jobs = 2
        let report = try Site.build(options, progress: Silence())
        #expect(report.warningCount == 0)
        let dates = try shop.rows("SELECT bottled FROM products ORDER BY id") { $0.text(0) }
        for id in 0..<(2 * Self.count) {
            let n = id % Self.count
            let slug = "gin-\(id)-\(id)"
            let file = folder.path + "/public/products/\(SitePath.shard(slug))/\(slug).html"
            let page = try String(contentsOfFile: file, encoding: .utf8)
            let whole = (1000 + n) / 100
            let rest = (1000 + n) % 100
            let hundredths = rest < 10 ? "0\(rest)" : "\(rest)"
            let strength =
                rest == 0 ? "\(whole)" : "\(whole)." + (rest % 10 == 0 ? "\(rest / 10)" : hundredths)
            for text in [
                "<dd>Region \(n)<", "<dd>Country \(n)<", "<dd>\(1000 + n)<", ">\(strength)% ABV<",
                "datetime=\"\(dates[id])\"",
            ] where !page.contains(text) {
                Issue.record("'\(text)' is not on the page of \(id)")
                return
            }
            // Its own date twice: when it was bottled and when it was reviewed.
            #expect(page.split(separator: "datetime=\"\(dates[id])\"").count == 3)
        }
    }
}
