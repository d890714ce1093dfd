import Basics
import Model
import TestSupport
import Testing

@testable import Site

/// What the plan keeps of all products, and how it sorts them.
@Suite struct ColumnTests {
    private func text(_ random: inout SeededGenerator) -> String {
        let words = [
            "glen", "Old", "château", "山崎", "12", "2014", "x", "", "cask", "\u{1F}", "\u{0}", "\u{1}", "’",
            String(repeating: "long", count: 30), "n\(Int.random(in: 0...9999, using: &random))",
            String("abcdefghijklmnopqrstuvwxyz".shuffled(using: &random).prefix(4)),
        ]
        return (0..<Int.random(in: 0...8, using: &random)).map { _ in words.randomElement(using: &random)! }
            .joined(separator: Bool.random(using: &random) ? "-" : " ")
    }

    /// Also when more words were met than have a number.
    @Test(arguments: [0, .max]) func textsComeOutAsTheyWentIn(packsAbove: Int) {
        var random = SeededGenerator()
        let texts = (0..<20_000).map { _ in text(&random) }
        var column = TextColumn(expecting: texts.count, packsAbove: packsAbove)
        for text in texts { column.append(text) }
        #expect(column.count == texts.count)
        for (i, text) in texts.enumerated() where !column[i].utf8.elementsEqual(text.utf8) {
            Issue.record("\(text.debugDescription) is \(column[i].debugDescription), seed \(random.seed)")
            break
        }
        let other = column[1] + "-"
        #expect(column.holds(texts[1], at: 1) && !column.holds(other, at: 1))
        #expect(column.hash(at: 2) == hash64(texts[2]))
    }

    /// However many runs there are, the order is that of all collation keys at once, ties by the products' own.
    @Test(arguments: Catalogue.Order.allCases)
    func sortsByWhatWasAskedForThenByNameThenByKey(_ order: Catalogue.Order) throws {
        let folder = TemporaryFolder(inMemory: true)
        var random = SeededGenerator()
        for count in [0, 1, 15, 16, 17, 500] {
            var products: [Product] = []
            for i in 0..<count {
                var product = Product(id: .integer(Int64(i)), name: text(&random))
                if Bool.random(using: &random) {
                    product.created = PartialDate("2026-0\(Int.random(in: 1...3, using: &random))-01")
                    product.price = Money(
                        minorUnits: Int64.random(in: 1...3, using: &random), currency: Currency("GBP")!)
                }
                products.append(product)
            }
            func primary(_ i: Int) -> Int64 {
                switch order {
                case .name: 0
                case .newest: products[i].created.map { -Int64($0.ordinal) } ?? .max
                case .price: products[i].price?.minorUnits ?? .max
                }
            }
            let keys = products.map { collationKey($0.name) }
            func expected(_ primary: (Int) -> Int64) -> [Int32] {
                products.indices.sorted { a, b in
                    if primary(a) != primary(b) { return primary(a) < primary(b) }
                    return keys[a] == keys[b] ? a < b : keys[a].sorts(before: keys[b])
                }.map { Int32($0) }
            }
            // In runs, of which one key is longer than what is read at once, and all at once.
            for scratch in [try Directory(path: folder.path), nil] {
                let sorter = try Sorter(
                    order: order, expecting: count, runLength: 16, blockSize: 200, in: scratch)
                for product in products { try sorter.append(Sorter.Item(product, by: order)) }
                #expect(try sorter.sorted() == expected(primary), "\(count), seed \(random.seed)")
                #expect(try sorter.sortedByName() == expected { _ in 0 }, "\(count), seed \(random.seed)")
            }
        }
    }
}
