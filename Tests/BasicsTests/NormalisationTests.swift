import Basics
@_spi(_Unicode) import Swift
import Testing

/// Form D by a table where the letters are those of western and central Europe, by the standard library elsewhere.
@Suite struct NormalisationTests {
    private func decomposed(_ text: String) -> [Unicode.Scalar] {
        var out: [Unicode.Scalar] = []
        var text = text
        text.withUTF8 { forEachDecomposed($0) { out.append($0) } }
        return out
    }

    @Test func isWhatTheStandardLibraryGivesForEveryScalarAlone() {
        for value in UInt32(0)..<0x3100 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(decomposed(String(scalar)) == Array(String(scalar)._nfd), "U+\(String(value, radix: 16))")
        }
    }

    @Test func isWhatTheStandardLibraryGivesForScalarsSideBySide() {
        // Letters with and without marks, marks in an order that form D changes, dashes, Hangul, what lies beyond 16 bits.
        let parts: [Unicode.Scalar] = [
            "a", "é", "Ł", "ø", "ſ", "\u{1F0}", "\u{301}", "\u{327}", "\u{323}", "–", "…", "\u{2000}", "가",
            "山", "😀", "\u{2126}",
        ]
        for a in parts {
            for b in parts {
                for c in parts {
                    var text = String.UnicodeScalarView()
                    for scalar in [a, b, c] { text.append(scalar) }
                    let string = String(text)
                    #expect(decomposed(string) == Array(string._nfd))
                }
            }
        }
    }

    @Test func termKeysOfASCIIAreThoseOfTheGeneralRule() {
        #expect(termKey("  Single\t Malt \n") == "single malt")
        #expect(termKey("A") == "a")
        #expect(termKey(" ") == "")
        // The same with a letter that takes the long way.
        #expect(termKey("  Single\t Malt É\n") == "single malt é")
    }
}
