import Database
import TestSupport
import Testing

@testable import Site

/// The data of the search in a preview.
@Suite struct SnapshotSearchTests {
    private let folder = TemporaryFolder(inMemory: true)

    /// Without WAL a program that writes has to wait for those who read, and all products are read for the search.
    @Test func itsReadingGivesWayToAProgramThatWrites() throws {
        try folder.write("content/site.yaml", "title: Shop\n")
        let shop = try Connection(own: folder.path + "/content/shop.db")
        try shop.execute(
            """
            \(Project.text(of: "docs/schema.sql"))
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO products(id, name, price_minor) SELECT i, 'Gin ' || i, 100 FROM n;
            """)
        var options = BuildOptions()
        options.site = folder.path
        let site = LiveSite(options)
        defer { site.close() }
        let renderer = try #require(site.exact()).renderer
        let sources = try SiteSources(options)
        let entry = SearchRun.entryPath

        try shop.execute("BEGIN IMMEDIATE; UPDATE products SET price_minor = 7 WHERE id = 7")
        let made = try SnapshotSearch.make(renderer, sources, givesWay: false)
        #expect(try made.bytes(of: entry) != nil, "one that does not give way is made all the same")
        var hasCommitted = false
        func commit(_: CatalogueReader) { hasCommitted = (try? shop.execute("COMMIT")) != nil }
        #expect(throws: Survey.GaveWay.self) {
            _ = try SnapshotSearch.make(renderer, sources, givesWay: true, wait: commit)
        }
        #expect(hasCommitted)
        let again = try SnapshotSearch.make(renderer, sources, givesWay: true)
        #expect(try again.bytes(of: entry) != nil)
    }
}
