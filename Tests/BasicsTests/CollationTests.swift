import Basics
import TestSupport
import Testing

@Suite struct CollationTests {
    @Test(arguments: [
        ["Ardbeg", "Éclair", "Edradour", "Zuidam"], ["A", "Å", "Ab", "Äc", "B"],
        ["Château 9", "Château 12", "Château 112"],
        ["Glen Ord", "Glenallachie", "Glen-Zebra", "Glenord"].sorted {
            collationKey($0).sorts(before: collationKey($1))
        },
        ["Glen Ord", "Glen-Zebra", "Glenallachie"], ["'Aa", "Ab", "(Ac)"], ["O'Brien", "OBrien", "O’Brien"],
        ["9", "10", "A"], ["e", "é", "e b"], ["E", "e", "É", "é", "f"], ["Zz", "Øz"].reversed(),
        ["Zz", "Водка", "山崎"],
        ["01", "1", "2", "99999999999999", "100000000000000", "100000000000001"], ["1 2", "12"],
        ["Ésa", "Ess", "Eß", "Est"],
        ["", "!", "0", "a"], ["Yamazaki 12", "Yamazaki 18", "山崎 12年", "山崎 18年"],
    ])
    func sortsAsACatalogueDoes(_ names: [String]) {
        var random = SeededGenerator()
        let shuffled = names.shuffled(using: &random)
        #expect(shuffled.sorted { collationKey($0).sorts(before: collationKey($1)) } == names)
    }

    @Test func isATotalOrderInWhichOnlyEqualTextsAreEqual() {
        var random = SeededGenerator()
        let texts = (0..<1500).map { _ in randomText(&random) }
        var seen: [[UInt8]: String] = [:]
        for text in texts {
            let key = collationKey(text)
            if let other = seen.updateValue(text, forKey: key) {
                #expect(other.utf8.elementsEqual(text.utf8))
            }
        }
    }

    @Test func asciiAndOtherTextAreSortedByTheSameRules() throws {
        // A mark at the end counts for nothing, yet sends the text down the slow path.
        var random = SeededGenerator()
        let pieces = Array("aBz019 -'`.".unicodeScalars)
        for _ in 0..<2000 {
            let text = String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 0...30, using: &random)).map { _ in
                        pieces.randomElement(using: &random) ?? "a"
                    }))
            let fast = try #require(
                collationKey(text).split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).first)
            let slow = try #require(
                collationKey(text + "\u{301}").split(
                    separator: 0, maxSplits: 1, omittingEmptySubsequences: false
                ).first)
            #expect(fast == slow, "seed \(random.seed): \(text.debugDescription)")
        }
    }
}
