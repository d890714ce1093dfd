import Basics
import TestSupport
import Testing

@testable import Formats

@Suite struct CSVTests {
    private let folder = TemporaryFolder(inMemory: true)

    /// Rows as `line: cells`, faults as `line! message`.
    private func rows(_ text: String, delimiter: Character = ",") throws -> [String] {
        try folder.write("a.csv", text)
        let file = try InputFile(path: folder.file("a.csv"))
        let reader = CSVReader(
            try TextStream(file, encoding: .utf8), delimiter: try #require(delimiter.asciiValue))
        var out: [String] = []
        while let row = try reader.next() {
            switch row {
            case .cells: out.append("\(reader.line): " + reader.cells.joined(separator: "|"))
            case .fault(let message, let line): out.append("\(line)! \(message)")
            }
        }
        return out
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let text: String
        var delimiter: Character = ","
        let rows: [String]
        var testDescription: String { text.debugDescription }
    }

    @Test(arguments: [
        Case(text: "a,b\n1,2\n", rows: ["1: a|b", "2: 1|2"]),
        Case(text: "a,b\r\n1,2", rows: ["1: a|b", "2: 1|2"]),
        Case(text: "a,b\r1,2\r", rows: ["1: a|b", "2: 1|2"]),
        Case(text: "a;b\n1;2,5\n", delimiter: ";", rows: ["1: a|b", "2: 1|2,5"]),
        Case(text: "a\tb\n1\t\n", delimiter: "\t", rows: ["1: a|b", "2: 1|"]),
        Case(text: "\"a \"\"x\"\"\",\"b,c\"\n", rows: ["1: a \"x\"|b,c"]),
        Case(text: "\n\na,b\n\n1,2\n", rows: ["3: a|b", "5: 1|2"]),
        Case(
            text: "a,b\n\"one\ntwo\r\nthree\",2\n3,4\n", rows: ["1: a|b", "2: one\ntwo\r\nthree|2", "5: 3|4"]),
        Case(text: ",,\n", rows: ["1: ||"]),
        // Quotes in unquoted cells are text.
        Case(text: "5\" pipe,2\n3,4\n", rows: ["1: 5\" pipe|2", "2: 3|4"]),
        Case(text: "2,12\" vinyl\n", rows: ["1: 2|12\" vinyl"]),
        // A quote that ends before its cell does: that line is lost and no other.
        Case(text: "1,\"a\"b,2\n3,4\n", rows: ["1! a quote stands inside a cell", "2: 3|4"]),
        // One that is never closed.
        Case(
            text: "1,2\n3,\"4\n5,6\n7,8\n",
            rows: ["1: 1|2", "2! a quote is never closed", "3: 5|6", "4: 7|8"]),
        Case(
            text: "1,\"2\n3,\"4\"\n5,6\n",
            rows: ["1! a quote stands inside a cell", "2: 3|4", "3: 5|6"]),
    ])
    func readsRowsWithTheirLines(_ c: Case) throws {
        #expect(try rows(c.text, delimiter: c.delimiter) == c.rows)
    }

    @Test func aQuoteThatIsNeverClosedDoesNotFillTheMemory() throws {
        let long = String(repeating: "x", count: 1000)
        let found = try rows("1,\"2\n" + String(repeating: "\(long),4\n", count: 5000))
        #expect(found.count == 5001)
        #expect(found.first == "1! a row of more than 4 MB; is a quote never closed?")
        #expect(found.last == "5001: \(long)|4")
    }

    @Test func endlessRetriesAreGivenUp() throws {
        let text = String(repeating: "1,\"2\n\n3\"4\n", count: 200)
        #expect(throws: Failure.self) { try rows(text) }
    }

    @Test func knowsWhereACellBegins() throws {
        try folder.write("a.csv", "a,b,c\n\"ä,\nx\",価,3\n")
        let reader = CSVReader(
            try TextStream(try InputFile(path: folder.file("a.csv")), encoding: .utf8),
            delimiter: UInt8(ascii: ","))
        _ = try reader.next()
        _ = try reader.next()
        #expect(reader.position(ofCell: 0) == (2, 1))
        #expect(reader.position(ofCell: 1) == (3, 4))
        #expect(reader.position(ofCell: 2) == (3, 6))
    }

    @Test(arguments: [
        ("a,b;c,d\n1,2;3,4\n", ","), ("a;b;c\n1,5;2,5;3,5\n", ";"), ("a\tb\n1\t2\n", "\t"),
        ("a|b|c\n1|2|3\n", "|"),
        ("name;text\nx;\"a, b, c, d\"\n", ";"), ("a,b\n\"x;y;z\",2\n", ","),
    ])
    func tellsTheDelimiter(_ text: String, _ delimiter: String) {
        #expect(CSVDialect.delimiter(of: Array(text.utf8)) == delimiter.utf8.first)
    }

    @Test func aSingleColumnHasNoDelimiter() {
        #expect(CSVDialect.delimiter(of: Array("name\nRain Gin\n".utf8)) == nil)
    }
}
