import Basics
import Database
import Foundation
import Search
import Site
import TestSupport
import Testing

/// What the search in the browser answers is what a look at every product answers.
///
/// `SEED=…` repeats a run or makes another.
@Suite struct SearchTests {
    /// A catalogue of random products of a language of its own: words that begin alike, frequent and rare ones.
    private struct Shop {
        let folder = TemporaryFolder(inMemory: true)
        let database: Connection
        var generator: SeededGenerator

        var site: String { folder.path + "/site" }

        private static let syllables = [
            "glen", "ar", "bal", "mo", "dor", "ach", "tul", "lis", "é", "ø", "kin", "ben", "ros", "ly",
            "wick", "ty",
        ]
        private static let others = [
            "山崎", "余市", "O'Brien", "12 Year Old", "J&B", "20.5%", "Straße", "İstanbul", "X-treme", "👍", "№ 7",
            "d’Or",
        ]

        init(products: Int, seed: UInt64, settings: String = "") throws {
            generator = SeededGenerator(seed: seed)
            try folder.write(
                "site/content/site.yaml", "title: Shop\nurl: https://shop.example/\n" + settings)
            database = try Connection(own: folder.path + "/site/content/shop.db")
            try database.execute(Project.text(of: "docs/schema.sql"))
            try database.execute("PRAGMA synchronous = OFF; BEGIN")
            for i in 1...30 {
                try database.execute(
                    "INSERT INTO categories(id, parent_id, name) VALUES (\(i), \(i > 5 ? String(i / 3) : "NULL"), 'Shelf \(i)')"
                )
            }
            for i in 0..<products { try add(id: i * 3 + 7) }
            try database.execute("COMMIT")
        }

        /// Small numbers are much more frequent than large ones, as words are.
        private mutating func zipf(_ count: Int) -> Int {
            let x = Double.random(in: 0..<1, using: &generator)
            return min(count - 1, Int(x * x * x * x * Double(count)))
        }

        private mutating func word() -> String {
            if Int.random(in: 0..<12, using: &generator) == 0 {
                return Self.others.randomElement(using: &generator)!
            }
            let number = zipf(900)
            let n = Self.syllables.count
            var word = Self.syllables[number % n] + Self.syllables[number / n % n]
            if number > n * n { word += Self.syllables[number / n / n % n] }
            return word.prefix(1).uppercased() + word.dropFirst()
        }

        private static func quoted(_ text: String?) -> String {
            text.map { "'" + $0.replacingOccurrences(of: "'", with: "''") + "'" } ?? "NULL"
        }

        mutating func add(id: Int) throws {
            func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &generator) == 0 }
            let name = (0..<Int.random(in: 1...5, using: &generator)).map { _ in word() }.joined(
                separator: " ")
            let producer = zipf(150)
            let age = Int.random(in: 3...30, using: &generator)
            let price = Int.random(in: 100...30_000, using: &generator) / 50 * 50
            let values = [
                chance(9) ? nil : "Maker \(producer)", chance(5) ? nil : "Kind \(zipf(12))",
                "Land \(zipf(9))",
                chance(3) ? "Part \(zipf(30))" : nil, chance(3) ? "\(age)" : nil,
            ]
            let numbers = [
                chance(8) ? "NULL" : "\([50, 350, 700, 750][zipf(4)])", chance(9) ? "NULL" : String(price),
            ]
            let abv =
                chance(8)
                ? "NULL"
                : "\(Int.random(in: 0...64, using: &generator)).\(Int.random(in: 0...9, using: &generator))"
            try database.execute(
                "INSERT INTO products(id, name, producer, style, country, region, age, abv, volume_ml, price_minor, currency, "
                    + "stock, sku, gtin, created) VALUES (\(id), \(Self.quoted(name)), \(values.map(Self.quoted).joined(separator: ", ")), "
                    + "\(abv), \(numbers[0]), \(numbers[1]), \(chance(30) ? "'USD'" : "NULL"), \(zipf(9)), 'SKU-\(id)', NULL, "
                    + "\(chance(6) ? "NULL" : "'20\(Int.random(in: 10...25, using: &generator))-0\(Int.random(in: 1...9, using: &generator))'"))"
            )
            try database.execute(
                "INSERT OR IGNORE INTO product_categories VALUES (\(id), \(zipf(30) + 1), 0), (\(id), \(zipf(30) + 1), 1)"
            )
            if chance(2) {
                try database.execute("INSERT INTO facets VALUES (\(id), 'Cask', 'Cask \(zipf(20))')")
            }
            for n in 0..<zipf(6) {
                try database.execute(
                    "INSERT INTO reviews(product_id, rating, author, date, body) VALUES "
                        + "(\(id), \(Int.random(in: 1...5, using: &generator)), 'Maren', '2026-0\(n + 1)-02', 'Words')"
                )
            }
        }

        func build(_ limits: SearchLimits, to name: String = "public") throws -> String {
            var options = BuildOptions()
            options.site = site
            options.output = folder.path + "/out/" + name
            options.jobs = 2
            options.search = limits
            _ = try Site.build(options, progress: Silence())
            return folder.path + "/out/" + name
        }
    }

    private func faults(_ output: String, seed: UInt64, questions: Int) throws -> String {
        let out = try Node.run(
            "Tests/SearchTests/engine/oracle.mjs", [output, String(seed), String(questions)])
        return String(decoding: out, as: UTF8.self)
    }

    /// Pieces so small that a thousand products make many of each kind.
    private static let small: SearchLimits = {
        var limits = SearchLimits()
        limits.parted = 300
        (limits.inlined, limits.manyInlined) = (12, 30)
        limits.top = 5
        (limits.least, limits.usual, limits.most) = (900, 1200, 4000)
        limits.records = 7
        limits.manyRecords = 11
        return limits
    }()

    /// And of several segments.
    private static let divided: SearchLimits = {
        var limits = small
        limits.segment = 256
        limits.divided = 40
        limits.mapped = 0
        return limits
    }()

    @Test(arguments: ["small": small, "divided": divided, "usual": SearchLimits()])
    func answersAsALookAtEveryProductDoes(_ name: String, _ limits: SearchLimits) throws {
        let seed = SeededGenerator().seed
        let shop = try Shop(products: 1100, seed: seed, settings: "order: price\n")
        let output = try shop.build(limits)
        let faults = try faults(output, seed: seed, questions: 500)
        #expect(faults == "[]", "\(name), seed \(seed): \(faults.prefix(3000))")
    }

    @Test func answersForShopsOfNoneAndOfOne() throws {
        for count in [0, 1] {
            let shop = try Shop(products: count, seed: 5)
            let output = try shop.build(SearchLimits())
            if count > 0 { #expect(try faults(output, seed: 5, questions: 30) == "[]") }
            let entry = try String(contentsOfFile: output + "/search/index.json", encoding: .utf8)
            #expect(entry.contains("\"products\":\(count)"))
        }
    }

    /// One changed product rewrites the pieces that show it and no others, and what comes out is a clean build's.
    @Test func oneChangedPriceChangesFewPieces() throws {
        var shop = try Shop(products: 1100, seed: 11)
        let output = try shop.build(Self.divided)
        let before = try Tree(output)
        try shop.database.execute("UPDATE products SET price_minor = 12345 WHERE id = 700")
        _ = try shop.build(Self.divided)
        let after = try Tree(output)
        let clean = try Tree(try shop.build(Self.divided, to: "clean"))
        #expect(after.differences(from: clean) == [])
        let pieces = before.files.keys.filter { $0.hasPrefix("search/") }
        let new = after.files.keys.filter { $0.hasPrefix("search/") && before.files[$0] == nil }
        #expect(pieces.count > 200, "\(pieces.count) pieces")
        // Its record and its words, and where it stood and stands in two orders.
        #expect(new.count < 40, "\(new.count) of \(pieces.count) pieces are new")
        try shop.add(id: 100_000)
        _ = try shop.build(Self.divided)
        let third = try Tree(output)
        let added = third.files.keys.filter { $0.hasPrefix("search/") && after.files[$0] == nil }
        #expect(added.count < 80, "\(added.count) of \(pieces.count) pieces are new")
    }

    /// Row after row changes, in ways that leave all words as they were and in others: what comes out is a clean build's, and the
    /// lists of words are only written again when a word has changed.
    @Test(arguments: ["small": small, "divided": divided])
    func keepsThePiecesThatHoldNothingNew(_ name: String, _ limits: SearchLimits) throws {
        let shop = try Shop(products: 1100, seed: 15)
        let output = try shop.build(limits)
        let kept = shop.folder.path + "/out/.build-site/public/search.words"
        for (change, isOfWords) in [
            ("price_minor = 12345", false), ("availability = 'discontinued'", false), ("abv = 41.5", false),
            ("volume_ml = 30", false), ("name = 'Glenbal Quuxian'", true), ("currency = 'USD'", false),
            ("price_minor = NULL", false), ("region = 'Part 3'", true), ("sku = 'SKU-X'", true),
            ("colour = '#7c2430'", false), ("price_minor = 700", false), ("currency = NULL", false),
        ] {
            let before = try number(of: kept)
            let tree = try Tree(output)
            try shop.database.execute("UPDATE products SET \(change) WHERE id IN (10, 700, 1300)")
            _ = try shop.build(limits)
            let after = try Tree(output)
            let clean = try Tree(try shop.build(limits, to: "clean"))
            #expect(after.differences(from: clean) == [], "\(name), \(change)")
            #expect(after.written(since: tree).contains { $0.hasPrefix("search/") }, "\(change)")
            #expect((try number(of: kept) != before) == isOfWords, "\(change)")
            try shop.folder.removeFile("out/clean")
            try shop.folder.removeFile("out/.build-site/clean")
        }
    }

    /// Of a file, which is another when it was written anew.
    private func number(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
    }

    /// What is in no record changes no piece.
    @Test func aChangedNoteChangesNoPiece() throws {
        let shop = try Shop(products: 60, seed: 12)
        let output = try shop.build(SearchLimits())
        let before = try Tree(output)
        try shop.database.execute("UPDATE products SET bottling_note = '<p>Other' WHERE id = 10")
        _ = try shop.build(SearchLimits())
        let written = try Tree(output).written(since: before).filter { $0.hasPrefix("search/") }
        #expect(written.isEmpty)
    }

    @Test func aSiteCanDoWithoutSearch() throws {
        let shop = try Shop(products: 10, seed: 13, settings: "search: false\n")
        let output = try shop.build(SearchLimits())
        #expect(!FileManager.default.fileExists(atPath: output + "/search"))
    }

    /// Records of the build before are lost: they are made again from the rows.
    @Test func buildsOnWhenTheKeptRecordsAreGoneOrDamaged() throws {
        let shop = try Shop(products: 60, seed: 14)
        let output = try shop.build(SearchLimits())
        let state = shop.folder.path + "/out/.build-site/public/"
        let damages = [nil, Data("nonsense".utf8), Data(count: 5000)]
        for (kept, damage) in ["search.records", "search.words"].flatMap({ name in
            damages.map { (state + name, $0) }
        }) {
            try FileManager.default.removeItem(atPath: kept)
            if let damage { try damage.write(to: URL(fileURLWithPath: kept)) }
            try shop.database.execute("UPDATE products SET price_minor = price_minor + 1 WHERE id = 10")
            _ = try shop.build(SearchLimits())
            let clean = try Tree(try shop.build(SearchLimits(), to: "clean"))
            #expect(try Tree(output).differences(from: clean) == [])
            try shop.folder.removeFile("out/clean")
            try shop.folder.removeFile("out/.build-site/clean")
        }
    }
}
