import Basics
import Testing

@Suite struct SourceTextTests {
    @Test func columnsAreScalarsAndAByteOrderMarkIsNotCounted() {
        let source = SourceText(file: "a", text: "\u{FEFF}é: x\nüü: y\n")
        #expect(source.place(at: 3) == .text(file: "a", line: 1, column: 1))
        #expect(source.place(at: 5) == .text(file: "a", line: 1, column: 2))
        #expect(source.place(at: 13) == .text(file: "a", line: 2, column: 3))
        #expect(
            source.diagnostic(.error, "x", "m", at: 3, length: 2).description
                == "a:1:1: error: m [x]\n  1 │ é: x\n    │ ^")
    }

    @Test func printsThePartOfALongLineAroundTheFault() {
        let source = SourceText(
            file: "a",
            text: String(repeating: "ab", count: 1000) + "é!" + String(repeating: "cd", count: 1000))
        let excerpt = source.diagnostic(.error, "x", "m", at: 2000).excerpt
        #expect(excerpt?.column == 62)
        #expect(
            excerpt?.line.unicodeScalars.dropFirst(61).prefix(3).elementsEqual("é!c".unicodeScalars) == true)
        #expect((excerpt?.line.utf8.count ?? 0) < 200)
    }

    @Test func aTabIsOneColumnOfTheExcerpt() {
        let source = SourceText(file: "a", text: "\tx\r\n")
        #expect(
            source.diagnostic(.error, "x", "m", at: 1).description
                == "a:1:2: error: m [x]\n  1 │  x\n    │  ^")
    }
}
