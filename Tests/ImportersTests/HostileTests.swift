import Basics
import TestSupport
import Testing

@testable import Importers

/// Whatever is in a file, an import ends in rows, refusals or a failure, and never in a trap.
@Suite struct HostileTests {
    private static let seeds: [(String, String)] =
        DocumentationTests.examples.map { ("a.\($0.kind)", $0.text) }
        + [("a.csv", ShopifyTests.products), ("a.csv", WooCommerceTests.products), ("a.xml", FeedTests.rss)]

    @Test func damagedFilesNeverTrap() throws {
        var generator = SeededGenerator()
        for round in 0..<260 {
            let (name, text) = Self.seeds[round % Self.seeds.count]
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: at)
                case 2:
                    bytes.insert(
                        Array("\",;\n\r\t<>&{}[]'\\0-.".utf8).randomElement(using: &generator) ?? 0, at: at)
                case 3: bytes.removeLast(min(bytes.count - 1, Int.random(in: 0...40, using: &generator)))
                case 4: bytes += bytes[at...].prefix(60)
                default: bytes.replaceSubrange(at..<at, with: Array("99999999999999999999,-1e999".utf8))
                }
            }
            let bench = try Workbench()
            bench.options.skipsBad = true
            _ = try? bench.take(("shop.csv", "sku,name,slug\nA-1,Slate Rum,slate-rum\n"))
            do {
                let first = try bench.take(name, bytes)
                guard first.isWritten else { continue }
                let rows = try bench.dump()
                // What was taken once is there, and a second time changes nothing.
                let second = try bench.run([name])
                #expect(second.files[0].counts.new == 0)
                #expect(try bench.dump() == rows, "\(String(decoding: bytes, as: UTF8.self))")
            } catch is Failure {}
        }
    }

    @Test func namesOfTheDataAreOnlyData() throws {
        let bench = try Workbench()
        bench.options.mapping = [("x'); DROP TABLE products; --", "facet:a\"'; DROP TABLE facets; --")]
        try bench.take(
            (
                "a.csv",
                "sku,name,\"x'); DROP TABLE products; --\"\n\"'; DROP TABLE products; --\",{{name}}<script>,\"v'\"\"\"\n"
            ))
        #expect(try bench.rows("SELECT sku, name FROM products") == ["'; DROP TABLE products; --|{{name}}"])
        #expect(try bench.rows("SELECT facet, value FROM facets") == ["a\"'; DROP TABLE facets; --|v'\""])
    }
}
