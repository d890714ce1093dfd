import Testing

@testable import Basics

@Suite struct TextTests {
    @Test func shortTextIsWhatIsAdded() {
        let text = String(short: { out in
            out.append("é ")
            out.append("-" as Unicode.Scalar)
            out.append(0)
            out.append("/")
            out.append(7, digits: 3)
            out.append("/")
            out.append(1_234_567, group: "\u{202F}")
            out.append("/")
            out.append(123, group: ",")
            out.append("/")
            out.append(.max, group: ",")
        })
        #expect(text == "é -0/007/1\u{202F}234\u{202F}567/123/18,446,744,073,709,551,615")
    }

    @Test func tableFindsEachNameAndNoOther() {
        let names =
            (0..<500).map { "name_\($0)" } + ["", "é", "e\u{301}x", String(repeating: "n", count: 300)]
        let table = TextTable(names.enumerated().map { ($1, $0) })
        for (i, name) in names.enumerated() { #expect(table[name] == i) }
        for name in ["name_500", "n", "name_", " "] { #expect(table[name] == nil) }
        #expect(TextTable<Int>([])["a"] == nil)
    }
}
