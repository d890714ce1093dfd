import Database
import Foundation
import Site
import TestSupport
import Testing

/// A product whose address changes is still found at the old one (DESIGN §6).
@Suite struct MovedAddressTests {
    private let folder = TemporaryFolder(inMemory: true)

    private func build(_ output: String = "public") throws -> Tree {
        var options = BuildOptions()
        options.site = folder.path
        options.output = folder.path + "/" + output
        _ = try Site.build(options, progress: Silence())
        return try Tree(folder.path + "/" + output)
    }

    private func change(_ sql: String) throws {
        try Connection(own: folder.path + "/content/shop.db").execute(sql)
    }

    private func makeSite() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/content", withIntermediateDirectories: true)
        try "title: Shop\n".write(
            toFile: folder.path + "/content/site.yaml", atomically: true, encoding: .utf8)
        try change(
            """
            CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT);
            INSERT INTO products VALUES (1, 'One', 'one'), (2, 'Two', 'two');
            """)
    }

    /// The files in the folder of products, without their shards.
    private func products(_ tree: Tree) -> [String] {
        tree.paths.filter { $0.hasPrefix("products/") && $0.split(separator: "/").count == 3 }
            .map { String($0.split(separator: "/")[2]) }.sorted()
    }

    private func target(of name: String) throws -> String? {
        let tree = try Tree(folder.path + "/public")
        let path = try #require(tree.paths.first { $0.hasSuffix("/" + name) })
        let text = try String(contentsOfFile: folder.path + "/public/" + path, encoding: .utf8)
        guard let start = text.range(of: "0; url=../../")?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\"" }.split(separator: "/").last ?? "")
    }

    @Test func aFormerAddressLeadsToTheNewOneHoweverOftenItMoves() throws {
        try makeSite()
        #expect(products(try build()) == ["one.html", "two.html"])
        try change("UPDATE products SET slug = 'first' WHERE id = 1")
        #expect(products(try build()) == ["first.html", "one.html", "two.html"])
        #expect(try target(of: "one.html") == "first.html")
        try change("UPDATE products SET slug = 'foremost' WHERE id = 1")
        let tree = try build()
        #expect(try target(of: "one.html") == "foremost.html")
        #expect(try target(of: "first.html") == "foremost.html")
        #expect(try target(of: "foremost.html") == nil)
        // The same site built anew has the same stubs.
        #expect(try build("anew").differences(from: tree) == [])
    }

    @Test func anAddressThatIsTakenAgainIsThePageOfWhoTookIt() throws {
        try makeSite()
        _ = try build()
        try change("UPDATE products SET slug = 'first' WHERE id = 1")
        _ = try build()
        try change("UPDATE products SET slug = 'one' WHERE id = 2")
        _ = try build()
        #expect(try target(of: "one.html") == nil)
        #expect(try target(of: "two.html") == "one.html")
    }

    @Test func theStubsOfAProductThatIsGoneGoToo() throws {
        try makeSite()
        _ = try build()
        try change("UPDATE products SET slug = 'first' WHERE id = 1")
        _ = try build()
        try change("DELETE FROM products WHERE id = 1")
        #expect(products(try build()) == ["two.html"])
    }

    @Test func aStubSurvivesTheLossOfItsNote() throws {
        try makeSite()
        _ = try build()
        try change("UPDATE products SET slug = 'first' WHERE id = 1")
        _ = try build()
        try FileManager.default.removeItem(atPath: folder.path + "/.build-site/moved")
        try change("UPDATE products SET name = 'Uno' WHERE id = 1")
        _ = try build()
        #expect(try target(of: "one.html") == "first.html")
    }

    @Test func linesThatNoBuildWroteAreLeftOut() throws {
        try makeSite()
        _ = try build()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/.build-site", withIntermediateDirectories: true)
        try "../../x.html\ti1\nproducts/00/a.html\tq\nproducts/00/old.html\ti2\nindex.html\ti1\n".write(
            toFile: folder.path + "/.build-site/moved", atomically: true, encoding: .utf8)
        try change("UPDATE products SET name = 'Uno' WHERE id = 1")
        #expect(products(try build()) == ["old.html", "one.html", "two.html"])
    }
}
