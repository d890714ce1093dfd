import Basics
import Foundation
import TestSupport
import Testing

@testable import Search

/// Records as texts, to be written as columns.
struct Table {
    typealias Row = [SearchField: String]

    let rows: [Row]
    let fields: Int

    init(_ rows: [Row], fields: Int = SearchField.searched) {
        self.rows = rows
        self.fields = fields
    }

    /// Rows of which only one field differs, or is there at all.
    init(_ field: SearchField, _ values: [String]) {
        self.init(values.enumerated().map { [.id: String($0), field: $1] })
    }

    /// All columns as pieces have them.
    func written(isMapped: Bool = true) throws -> String {
        let folder = TemporaryFolder()
        let records = rows.map { row in
            var record = SearchRecord()
            for (field, text) in row.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                for value in text.split(separator: "\u{1E}", omittingEmptySubsequences: false) {
                    record.append(String(value), to: field)
                }
            }
            var bytes: [UInt8] = []
            record.finish(0, into: &bytes)
            return bytes
        }
        let file = try RecordFile.create(in: Directory(path: folder.path), name: "r", count: records.count) {
            records[$0].count
        }
        for (number, record) in records.enumerated() { try file.write(record, from: number) }
        try file.map()
        var table = RecordTable(fields: fields)
        var out: [UInt8] = []
        // Twice: what is kept of one piece does not show in the next.
        for _ in 0..<2 {
            out.removeAll()
            try table.append(records.indices, of: file, isMapped: isMapped, to: &out)
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// One column as pieces have it.
    func written(_ field: SearchField) throws -> String {
        try written().split(separator: "\u{1D}", omittingEmptySubsequences: false).map { String($0) }[
            field.rawValue]
    }
}

/// How columns of pieces are written, and that the browser reads what was written.
@Suite struct RecordTableTests {
    struct Case: CustomTestStringConvertible {
        let field: SearchField
        let values: [String]
        let column: String
        var testDescription: String { "\(field) \(values)" }

        init(_ field: SearchField, _ values: [String], _ column: String) {
            self.field = field
            self.values = values
            self.column = column
        }
    }

    @Test(arguments: [
        Case(.style, ["", "", ""], ""), Case(.picture, ["", "", ""], ""), Case(.categories, ["", ""], ""),
        // Rows without a character have the first value.
        Case(.style, ["Rum", "Rum", "Rum"], "Rum\n\u{1F}"),
        Case(.style, ["Rum", "", "Rum", "Gin", "", "Rum"], "Rum\n\nGin\n\u{1F} ! \"! "),
        // The other way would be longer.
        Case(.style, ["Rum", "Gin"], "Rum\nGin\n"), Case(.style, ["Rum"], "Rum\n"),
        Case(.price, ["100", "100", "100", "100"], "100\n100\n100\n100\n"),
        Case(
            .categories, ["wine\u{1E}red", "wine", "", "wine\u{1E}red", "red"],
            "wine\nred\n\u{1C} !\n \n\n !\n!\n"),
        Case(
            .values, ["Sherry Cask\u{1E}Smoke", "Smoke\u{1E}Sherry Cask"],
            "Sherry Cask\nSmoke\n\u{1C} !\n! \n"),
    ])
    func columnsOfWhichManyRowsAreAlikeHaveEachValueOnce(_ c: Case) throws {
        #expect(try Table(c.field, c.values).written(c.field) == c.column)
    }

    @Test func namesAreWrittenWithoutTheProducerThatTheyBeginWith() throws {
        let names = [
            ("Ord 12", "Ord"), ("Ord", "Ord"), ("Glen Ord", "Ord"), ("Or", "Ord"), ("Ord 12", ""),
            ("", "Ord"),
        ]
        let table = Table(
            names.enumerated().map { [.id: String($0), .name: $1.0, .producer: $1.1] })
        #expect(try table.written(.name) == "\u{1B} 12\n\u{1B}\nGlen Ord\nOr\nOrd 12\n\n")
    }

    /// Tables whose values are hard to tell from one another or from what stands between them.
    private static let tables: [Table] = {
        var generator = SeededGenerator()
        var tables: [Table] = []
        let parts = [
            "", " ", "  ", "a", "b", "a b", " a", "a ", "+1", "=", "-", "é", "e\u{301}", "山崎", "12345678",
            "1234567", "123456789", "Château of a long name", "Château of a lang name", "🍺", "\u{7F}",
            "\u{80}", "0", "00",
        ]
        let fields = SearchField.allCases[1..<SearchField.searched]
        for _ in 0..<300 {
            let count = Int.random(in: 1...60, using: &generator)
            let kinds = Int.random(in: 1...20, using: &generator)
            let texts = (0..<kinds).map { _ in
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    parts.randomElement(using: &generator)!
                }.joined()
            }
            tables.append(
                Table(
                    (0..<count).map { number in
                        var row: Table.Row = [.id: String(number)]
                        for field in fields where Bool.random(using: &generator) {
                            row[field] = texts.randomElement(using: &generator)!
                        }
                        return row
                    }))
        }
        for field in fields { tables.append(Table(field, ["", "a", "a", "", "a", "b c", "b c", "a"])) }
        let many = { (values: Int, rows: Int) in (0..<rows).map { "\($0 * 7919 % values)" } }
        for field in [SearchField.name, .style, .categories, .values] {
            // Characters of one byte, of two, and as many as there can be and one more.
            for (values, rows) in [
                (96, 400), (97, 400), (300, 1000), (1000, 1000), (2016, 5000), (2017, 5000),
            ] {
                tables.append(Table(field, many(values, rows)))
            }
            tables.append(Table(field, many(30, 1000).map { "\($0) a \($0)x \($0)" }))
            tables.append(Table(field, many(40, 500).map { "a\u{1E}\($0)\u{1E}\($0) b" }))
        }
        return tables
    }()

    private struct Piece: Encodable {
        let bytes: Data
        let rows: Int, fields: Int
    }

    @Test func theBrowserReadsWhatWasWritten() throws {
        let pieces = try Self.tables.map {
            Piece(bytes: Data(try $0.written().utf8), rows: $0.rows.count, fields: $0.fields)
        }
        let out = try Node.run("Tests/SearchTests/engine/columns.mjs", input: JSONEncoder().encode(pieces))
        let read = try JSONDecoder().decode([[[String]]].self, from: out)
        try #require(read.count == Self.tables.count)
        for (table, read) in zip(Self.tables, read) {
            let wanted = table.rows.map { row in
                SearchField.allCases[..<table.fields].map { row[$0] ?? "" }
            }
            // As bytes: `==` takes canonically equal texts for equal.
            let differs = zip(wanted.joined(), read.joined()).first { !$0.utf8.elementsEqual($1.utf8) }
            #expect(differs == nil && wanted.count == read.count)
        }
    }

    /// What looks like a mark in a product's texts becomes a blank before it could be one.
    @Test func textsHoldNoMarks() throws {
        let marks = (0..<0x20).filter { $0 != 0x1E }.map { "a" + String(UnicodeScalar(UInt8($0))) + "b" }
        #expect(try Table(.style, marks).written(.style) == "a b\n\u{1F}")
    }

    /// Long values that begin, end and are in the middle alike are told apart.
    @Test func valuesWithEqualHashesAreDifferent() throws {
        let values = (0..<10).map { "A beginning \($0) and the middle, and here \($0) is an end" }
        let column = try Table(.style, values + values + values).written(.style)
        #expect(column.hasPrefix(values.joined(separator: "\n") + "\n\u{1F} !\"#$%&'() !"))
    }
}
