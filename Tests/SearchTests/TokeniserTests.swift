import Basics
import Foundation
import Search
import TestSupport
import Testing

/// The words of a text are the same in the build and in the browser.
@Suite struct TokeniserTests {
    struct Words: Codable, Equatable {
        let text: String
        let query: [String], index: [String]

        init(_ text: String) {
            var tokeniser = Tokeniser()
            self.text = text
            query = tokeniser.words(of: text)
            index = tokeniser.words(of: text, forIndex: true)
        }
    }

    private struct InBrowser: Codable {
        let text: String
        let query: [String], index: [String]
        let key: String
    }

    private static let vectors: [Words] = {
        let bytes = Project.bytes(of: "Tests/SearchTests/engine/tokens.json")
        return (try? JSONDecoder().decode([Words].self, from: Data(bytes))) ?? []
    }()

    /// Compares as code points: `==` on texts takes canonically equal ones for equal.
    private func isSame(_ a: [String], _ b: [String]) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    @Test func readsAllVectors() { #expect(Self.vectors.count > 100) }

    @Test(arguments: vectors) func cutsTextsAsTheVectorsSay(_ vector: Words) {
        let words = Words(vector.text)
        #expect(isSame(words.query, vector.query), "\(words.query) for \(vector.text)")
        #expect(isSame(words.index, vector.index), "\(words.index) for \(vector.text)")
    }

    private func inBrowser(_ texts: [String]) throws -> [InBrowser] {
        let out = try Node.run("Tests/SearchTests/engine/words.mjs", input: JSONEncoder().encode(texts))
        return try JSONDecoder().decode([InBrowser].self, from: out)
    }

    @Test func theBrowserCutsThemAlike() throws {
        for (vector, words) in zip(Self.vectors, try inBrowser(Self.vectors.map(\.text))) {
            #expect(isSame(words.query, vector.query), "\(words.query) for \(vector.text)")
            #expect(isSame(words.index, vector.index), "\(words.index) for \(vector.text)")
        }
    }

    /// Any texts: parts that have rules, put together at random.
    @Test func theBrowserCutsRandomTextsAlike() throws {
        var generator = SeededGenerator()
        let parts =
            [
                "a", "Z", "é", "e\u{301}", "ß", "ø", "İ", "ı", "ς", "Σ", "1", "23", "٣", "९", "½", "'", "’",
                "&", "-", "–", "—",
                ".", ",", " ", "  ", "\u{A0}", "\t", "%", "山", "崎", "サ", "ｻ", "ﾞ", "ー", "々", "Ж", "й", "한",
                "א", "ไ", "ि",
                "🍺", "👩‍🔬", "\u{200D}", "\u{AD}", "Ａ", "４", "＇", "𠮷", "𝔄", "ﬁ", "ŉ", "Ŀ", "ⅷ", "“", "\u{FFFD}",
                "\u{E000}", "\u{378}",
            ] + LatinLetters.all
        let texts = (0..<3000).map { _ in
            (0..<Int.random(in: 1...12, using: &generator)).map { _ in parts.randomElement(using: &generator)!
            }.joined()
        }
        for (text, words) in zip(texts, try inBrowser(texts)) {
            let own = Words(text)
            guard isSame(own.query, words.query), isSame(own.index, words.index) else {
                Issue.record(
                    "seed \(generator.seed): \(text.debugDescription) is \(own.query), \(own.index) here and \(words.query), \(words.index) there"
                )
                return
            }
        }
    }

    /// Names sort in the browser as the build sorts them.
    @Test func theBrowserOrdersNamesAlike() throws {
        var generator = SeededGenerator()
        let parts = [
            "Glen", "glen", "Glén", " ", " ", "-", "9", "12", "007", "'", "’s", "É", "Ø", "ß", "山崎", "サ", "Ж",
            "(", "&", "٣", "４", "🍺", "𠮷", "ﾔ",
            "123456789012345",
        ]
        let texts = (0..<400).map { _ in
            (0..<Int.random(in: 1...6, using: &generator)).map { _ in parts.randomElement(using: &generator)!
            }.joined()
        }
        let keys = try inBrowser(texts).map { Array($0.key.unicodeScalars.map(\.value)) }
        for i in texts.indices {
            for j in texts.indices where i < j {
                let here = collationKey(texts[i]).sorts(before: collationKey(texts[j]))
                let there = keys[i].lexicographicallyPrecedes(keys[j])
                guard here == there || texts[i].utf8.elementsEqual(texts[j].utf8) else {
                    Issue.record(
                        "\(texts[i].debugDescription) and \(texts[j].debugDescription) are ordered otherwise")
                    return
                }
            }
        }
    }
}

/// The Latin letters that the build writes with others: all of them, so that no line of the script's table is wrong.
private enum LatinLetters {
    static let all =
        (0x80..<0x2E00).compactMap { Unicode.Scalar($0) }.filter { Folding.latin($0) != nil }.map {
            String($0)
        }
        + ["ﬀ", "ﬁ", "ﬂ"]
}
