import Basics
import Database
import Glibc
import TestSupport
import Testing

@testable import Site

/// A preview keeps the tiles of index pages, and makes them before they are asked for.
@Suite struct TileTests {
    private let folder = TemporaryFolder(inMemory: true)

    /// A site of 300 products.
    ///
    /// - Parameter further: SQL that is run after they are there.
    private func makeSite(_ further: String = "") throws -> BuildOptions {
        try folder.write("content/site.yaml", "title: Shop\npage_size: 24\n")
        try sql(
            """
            \(Project.text(of: "docs/schema.sql"))
            INSERT INTO categories(id, name) VALUES (1, 'Spirits');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO products(id, name, producer, price_minor) SELECT i, 'Gin ' || i, 'Rope', 100 FROM n;
            INSERT INTO product_categories(product_id, category_id) SELECT id, 1 FROM products;
            \(further)
            """)
        var options = BuildOptions()
        options.site = folder.path
        return options
    }

    private func sql(_ text: String) throws {
        let shop = try Connection(own: folder.path + "/content/shop.db")
        try shop.execute(text)
    }

    private struct Missing: Error {}

    /// Waits until all tiles of a later snapshot are kept.
    private func whenAllAreKept(_ site: LiveSite, after former: Snapshot? = nil) throws -> Snapshot {
        for _ in 0..<4800 {
            if let snapshot = site.exact(), snapshot !== former, snapshot.tileStore?.count == 300 {
                return snapshot
            }
            usleep(25_000)
        }
        throw Missing()
    }

    @Test func allAreMadeWithoutBeingAskedFor() throws {
        let site = LiveSite(try makeSite())
        defer { site.close() }
        let snapshot = try whenAllAreKept(site)
        let page = try #require(try snapshot.file("products/page-2.html"))
        #expect(String(decoding: page, as: UTF8.self).contains("Gin 30"))
    }

    @Test func thoseOfAChangedRowAreMadeAnew() throws {
        let site = LiveSite(try makeSite(), calm: 0)
        defer { site.close() }
        let former = try whenAllAreKept(site)
        try sql("UPDATE products SET price_minor = 7700")
        site.note([.database])
        let page = try #require(try whenAllAreKept(site, after: former).file("products/index.html"))
        #expect(String(decoding: page, as: UTF8.self).contains("77.00"))
    }

    @Test func aSiteThatHasJustChangedIsLeftAlone() throws {
        let site = LiveSite(try makeSite(), calm: 1e6)
        defer { site.close() }
        let former = try whenAllAreKept(site)
        try sql("UPDATE products SET price_minor = 7700")
        site.note([.database])
        let snapshot = try #require(site.exact())
        #expect(snapshot !== former)
        _ = try snapshot.file("products/index.html")
        #expect(snapshot.tileStore?.count == 24)
    }

    @Test func noPictureIsAskedForOrTakenOutOfTheDatabase() throws {
        let site = LiveSite(
            try makeSite(
                """
                INSERT INTO pictures(product_id, position, file) SELECT id, 1, 'gin.jpg' FROM products WHERE id % 3 = 0;
                INSERT INTO pictures(product_id, position, data) SELECT id, 1, x'FFD8FF' FROM products WHERE id % 3 = 1;
                """))
        defer { site.close() }
        let snapshot = try #require(site.exact())
        try snapshot.makeTiles { true }
        #expect(snapshot.tileStore?.count == 100)
        #expect(snapshot.renderer.pictures.state.withLock { $0.counts.asked + $0.contents.count } == 0)
    }

    /// Those with a picture that is not known are read each time.
    @Test func theDatabaseCanBeWrittenToMeanwhile() throws {
        let site = LiveSite(
            try makeSite(
                "INSERT INTO pictures(product_id, position, file) SELECT id, 1, 'gin.jpg' FROM products;"))
        defer { site.close() }
        let snapshot = try #require(site.exact())
        var written = 0
        try snapshot.makeTiles {
            // With a time limit of five seconds.
            if (try? sql("UPDATE products SET price_minor = price_minor + 1")) != nil { written += 1 }
            return true
        }
        #expect(written == 5)
    }

    @Test func keptTilesComeInTheOrderAskedFor() throws {
        let sources = try SiteSources(try makeSite())
        let nothing = Fingerprint(of: "")
        let store = try #require(
            TileStore(
                TileStore.Key(
                    survey: SurveyKey(sources, version: 1), site: nothing, template: nothing,
                    pictures: sources.pictures),
                products: 8, in: sources))
        store.add([(4, Array("four ".utf8)), (1, Array("one ".utf8)), (7, [])])
        store.add([(2, Array("two ".utf8))])
        let places = store.places(of: [2, 4, 1, 0, 7, 2])
        #expect(places.map(\.isNone) == [false, false, false, true, true, false])
        #expect(store.bytes(at: places).map { String(decoding: $0, as: UTF8.self) } == "two four one two ")
        #expect(store.count == 3)
    }
}
