import Testing

@testable import Markup

@Suite struct ParagraphTests {
    /// The paragraph made in one step if it can be, and the one made step by step.
    private func both(_ text: String) -> (quick: [UInt8]?, whole: [UInt8]) {
        Array(text.utf8).withUnsafeBufferPointer { (paragraph(ofPlain: $0), paragraphs(of: $0)) }
    }

    /// Whatever may need something, at every place up to beyond the end of two blocks of sixteen bytes.
    @Test func aPlainLineIsTheSameParagraphEitherWay() throws {
        let noncharacters: [UInt32] = [0xFDD0, 0xFFFE, 0x1FFFF]
        let pieces =
            [
                "a", " ", "&", "<", ">", "\"", "'", "`", "\t", "\n", "\r", "\r\n", "\u{0}", "\u{1F}",
                "\u{7F}",
                "\u{80}", "\u{9F}", "\u{A0}", "\u{AD}", "é", "’", "…", "\u{2028}", "\u{FEFF}", "\u{FFFD}",
                "🍺",
            ] + noncharacters.map { String(Unicode.Scalar($0)!) }
        var plain = 0
        for count in 0...34 {
            let rest = String(repeating: "x", count: count)
            for first in pieces {
                for second in ["", "b", "&", " "] {
                    for text in [rest + first + second, first + rest + second] {
                        let (quick, whole) = both(text)
                        guard let quick else { continue }
                        plain += 1
                        try #require(quick == whole, "\(text.debugDescription)")
                    }
                }
            }
        }
        #expect(plain > 500)
    }

    @Test func aReviewAsMostAreIsMadeInOneStep() {
        let text = "Shared it with 6 friends – ‘crème brûlée’, they said."
        #expect(both(text).quick == Array("<p>\(text)</p>".utf8))
    }
}
