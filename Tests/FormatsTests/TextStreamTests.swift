import Basics
import TestSupport
import Testing

@testable import Formats

@Suite struct TextStreamTests {
    private let folder = TemporaryFolder(inMemory: true)

    private func file(_ bytes: [UInt8]) throws -> InputFile {
        try folder.write("a.txt", bytes)
        return try InputFile(path: folder.file("a.txt"))
    }

    private func lines(_ bytes: [UInt8], _ encoding: TextEncoding? = nil) throws -> [String] {
        let file = try file(bytes)
        let stream = try TextStream(file, encoding: try encoding ?? TextEncoding.of(file).encoding)
        var out: [String] = []
        var line: [UInt8] = []
        while try stream.appendLine(to: &line) {
            out.append(String(decoding: line, as: UTF8.self))
            line = []
            #expect(stream.line == out.count)
        }
        return out
    }

    static func utf16(_ text: String, bigEndian: Bool, mark: Bool = true) -> [UInt8] {
        ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return bigEndian ? [high, low] : [low, high]
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        let encoding: String
        var isGuess = false
        let text: String
        var testDescription: String { name }
    }

    private static let russian = "Товар;Цена\nКоньяк старый;1200\n"
    private static let russian1251: [UInt8] = [
        0xD2, 0xEE, 0xE2, 0xE0, 0xF0, 0x3B, 0xD6, 0xE5, 0xED, 0xE0, 0x0A, 0xCA, 0xEE, 0xED, 0xFC, 0xFF, 0xEA,
        0x20, 0xF1,
        0xF2, 0xE0, 0xF0, 0xFB, 0xE9, 0x3B, 0x31, 0x32, 0x30, 0x30, 0x0A,
    ]

    @Test(arguments: [
        Case(name: "ASCII", bytes: Array("a,b\n".utf8), encoding: "UTF-8", text: "a,b\n"),
        Case(name: "UTF-8", bytes: Array("Ä,価格\n".utf8), encoding: "UTF-8", text: "Ä,価格\n"),
        Case(
            name: "UTF-8 with mark", bytes: [0xEF, 0xBB, 0xBF] + Array("Ä\n".utf8), encoding: "UTF-8",
            text: "Ä\n"),
        Case(
            name: "UTF-16LE", bytes: utf16("Ä,価格😀\n", bigEndian: false), encoding: "UTF-16LE", text: "Ä,価格😀\n"
        ),
        Case(name: "UTF-16BE", bytes: utf16("Ä,価格\n", bigEndian: true), encoding: "UTF-16BE", text: "Ä,価格\n"),
        Case(
            name: "UTF-16LE without mark", bytes: utf16("name,price\n", bigEndian: false, mark: false),
            encoding: "UTF-16LE", text: "name,price\n"),
        Case(
            name: "UTF-16BE without mark", bytes: utf16("name,price\n", bigEndian: true, mark: false),
            encoding: "UTF-16BE", text: "name,price\n"),
        Case(
            name: "Latin-1", bytes: Array("Gew".utf8) + [0xFC] + Array("rztraminer\n".utf8),
            encoding: "windows-1252",
            isGuess: true, text: "Gewürztraminer\n"),
        Case(
            name: "cp1252",
            bytes: [0x80] + Array(" 12 ".utf8) + [0x96] + Array(" Ch".utf8) + [0xE2] + Array("teau\n".utf8),
            encoding: "windows-1252", isGuess: true, text: "€ 12 – Château\n"),
        Case(name: "cp1251", bytes: russian1251, encoding: "windows-1251", isGuess: true, text: russian),
    ])
    func tellsTheEncoding(_ c: Case) throws {
        let finding = try TextEncoding.of(file(c.bytes))
        #expect(finding.encoding.name == c.encoding)
        #expect(finding.isGuess == c.isGuess)
        #expect(try lines(c.bytes).joined() == c.text)
    }

    @Test func anEncodingThatIsNamedWins() throws {
        let latin = try #require(TextEncoding(named: "latin-1"))
        #expect(try lines([0xD2, 0xEE], latin) == ["Òî"])
        #expect(TextEncoding(named: "UTF-7") == nil)
        #expect(TextEncoding(named: "CP1251")?.name == "windows-1251")
    }

    @Test func linesEndInAnyWay() throws {
        #expect(try lines(Array("a\nb\r\nc\rd".utf8)) == ["a\n", "b\r\n", "c\r", "d"])
        #expect(try lines(Array("a\r\r\nb\r".utf8)) == ["a\r", "\r\n", "b\r"])
        #expect(try lines([]) == [])
    }

    @Test func bytesThatAreNoCharacterAreMarked() throws {
        // Enough that is UTF-8 for the file to be UTF-8 all the same.
        let good = String(repeating: "ä", count: 40)
        let text = try lines(Array(good.utf8) + [0x61, 0xE4, 0x62, 0x0A, 0xC3])
        #expect(text == [good + "a\u{FFFE}b\n", "\u{FFFE}"])
        #expect(try lines([0x61, 0x81, 0x62], TextEncoding(named: "cp1252")) == ["a\u{FFFE}b"])
        // Half a pair, and half a unit at the end.
        #expect(
            try lines([0x00, 0xD8, 0x62, 0x00, 0x63], TextEncoding(named: "utf-16le")) == [
                "\u{FFFE}b\u{FFFE}"
            ])
    }

    @Test func piecesOfTheFileBorderAnywhere() throws {
        // A piece has 262,144 bytes: a character and a line end stand across the border.
        for shift in 0...3 {
            let start = String(repeating: "x", count: (1 << 18) - 1 - shift)
            #expect(try lines(Array((start + "価\r\nb").utf8)) == [start + "価\r\n", "b"])
            #expect(try lines(Array((start + "\r\nb").utf8)) == [start + "\r\n", "b"])
            let wide = try lines(
                Self.utf16(String(repeating: "x", count: (1 << 17) - shift) + "😀\r\nb", bigEndian: false))
            #expect(wide.last == "b")
            #expect(wide.first?.hasSuffix("x😀\r\n") == true)
        }
    }
}
