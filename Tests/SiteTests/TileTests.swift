import Database
import Glibc
import TestSupport
import Testing

@testable import Site

/// A preview makes the tiles of index pages before they are asked for.
@Suite struct TileTests {
    private let folder = TemporaryFolder(inMemory: true)

    private func makeSite() throws -> BuildOptions {
        try folder.write("content/site.yaml", "title: Shop\npage_size: 24\n")
        try sql(
            """
            \(Project.text(of: "docs/schema.sql"))
            INSERT INTO categories(id, name) VALUES (1, 'Spirits');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO products(id, name, producer, price_minor) SELECT i, 'Gin ' || i, 'Rope', 100 FROM n;
            INSERT INTO product_categories(product_id, category_id) SELECT id, 1 FROM products;
            """)
        var options = BuildOptions()
        options.site = folder.path
        return options
    }

    private func sql(_ text: String) throws {
        try Connection(own: folder.path + "/content/shop.db").execute(text)
    }

    /// Waits until all tiles of the latest snapshot are kept.
    private func whenAllAreKept(_ site: LiveSite) throws -> Snapshot {
        for _ in 0..<600 {
            if let snapshot = site.exact(), snapshot.keptTiles == 300 { return snapshot }
            usleep(50_000)
        }
        throw Missing()
    }

    private struct Missing: Error {}

    @Test func allAreMadeWithoutBeingAskedFor() throws {
        let site = LiveSite(try makeSite())
        defer { site.close() }
        let snapshot = try whenAllAreKept(site)
        let page = try #require(try snapshot.file("products/page-2.html"))
        #expect(String(decoding: page, as: UTF8.self).contains("Gin 30"))
    }

    @Test func newOnesAreMadeWhenARowChanges() throws {
        let site = LiveSite(try makeSite())
        defer { site.close() }
        let former = try whenAllAreKept(site)
        try sql("UPDATE products SET price_minor = 7700")
        site.note([.database])
        var snapshot = former
        for _ in 0..<600 where snapshot === former || snapshot.keptTiles < 300 {
            usleep(50_000)
            snapshot = site.exact() ?? former
        }
        let page = try #require(try snapshot.file("products/index.html"))
        #expect(String(decoding: page, as: UTF8.self).contains("77.00"))
        #expect(snapshot.keptTiles == 300)
    }
}
