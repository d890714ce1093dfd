import Basics
import TestSupport
import Testing

@testable import Search

/// What the build keeps of a product to make pieces of.
@Suite struct RecordTests {
    /// Fields are found eight bytes at a time: as a walk byte by byte finds them, whatever bytes stand before a mark.
    @Test func fieldsEndWhereAWalkByteByByteFindsThem() {
        var generator = SeededGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<Int.random(in: 0...70, using: &generator)).map { _ -> UInt8 in
                [0x1E, 0x1F, 0x20, 0x9F, 0xFF, 0, UInt8.random(in: 0...255, using: &generator)].randomElement(
                    using: &generator)!
            }
            let room = Int.random(in: 1...30, using: &generator)
            let marks = bytes.indices.filter { bytes[$0] == 0x1F }.prefix(room).map { UInt32($0) }
            var found = [UInt32](repeating: 0, count: room)
            bytes.withUnsafeBytes { bytes in
                found.withUnsafeMutableBufferPointer { SearchRecord.findEnds(of: bytes, $0) }
            }
            let missing = repeatElement(UInt32(bytes.count), count: room - marks.count)
            #expect(found == marks + missing, "\(bytes)")
        }
    }

    struct Number: CustomTestStringConvertible {
        let text: String
        let value: Int64?
        var testDescription: String { text.debugDescription }
    }

    @Test(arguments: [
        Number(text: "0", value: 0), Number(text: "-12", value: -12), Number(text: "12a", value: 12),
        Number(text: "", value: nil), Number(text: "-", value: nil), Number(text: "a1", value: nil),
        Number(text: "9223372036854775807", value: .max),
        // Too large by its last digit, and by its number of digits.
        Number(text: "9223372036854775808", value: nil), Number(text: "92233720368547758070", value: nil),
    ])
    func numbersThatDoNotFitAreNone(_ number: Number) {
        let bytes = Array(number.text.utf8)
        #expect(bytes.withUnsafeBytes { RecordView.number($0) } == number.value)
    }

    /// Records that were added together and apart come back in their order.
    @Test func spooledRecordsComeBackInTheOrderOfTheirNumbers() throws {
        let folder = TemporaryFolder()
        let spool = try RecordSpool(products: 9, in: Directory(path: folder.path))
        let texts = ["zero", "", "two", "three", "four", "", "six", "", "eight"]
        func add(_ numbers: [Int]) throws {
            try spool.append(
                numbers.flatMap { Array(texts[$0].utf8) },
                of: numbers.map { (number: $0, length: texts[$0].utf8.count) })
        }
        try add([6])
        try add([2, 3, 4])
        try add([8, 0])
        for lower in 0...9 {
            for upper in lower...9 {
                var bytes = Array("before ".utf8)
                try spool.append(lower..<upper, to: &bytes)
                #expect(
                    String(decoding: bytes, as: UTF8.self) == "before " + texts[lower..<upper].joined())
            }
        }
    }

    struct IDs: CustomTestStringConvertible {
        let ids: [String]
        let column: String
        var testDescription: String { "\(ids)" }
    }

    /// Only ids that are written as numbers are may be differences: the browser writes them so.
    @Test(arguments: [
        IDs(ids: ["7", "9", "20"], column: "7\n+2\n+11\n"),
        IDs(ids: ["-5", "-2", "0"], column: "-5\n+3\n+2\n"),
        IDs(ids: ["9", "7"], column: "9\n+-2\n"), IDs(ids: ["1", "01", "2"], column: "1\n01\n2\n"),
        IDs(ids: ["0", "-0", "00", "1"], column: "0\n-0\n00\n1\n"),
        IDs(ids: ["1", "a", "2"], column: "1\na\n2\n"),
        IDs(ids: ["1", "+2", "=3", "-"], column: "1\n=+2\n==3\n-\n"),
        IDs(ids: ["1", "2x"], column: "1\n2x\n"),
        // 2⁵² and what is below.
        IDs(ids: ["1", "4503599627370495"], column: "1\n+4503599627370494\n"),
        IDs(ids: ["1", "4503599627370496"], column: "1\n4503599627370496\n"),
        IDs(ids: ["1", "9223372036854775809"], column: "1\n9223372036854775809\n"),
    ])
    func idsAreWrittenAsDifferences(_ c: IDs) throws {
        let table = Table(c.ids.map { [.id: $0, .name: "Name"] }, fields: 3)
        let names = String(repeating: "Name\n", count: c.ids.count)
        for isMapped in [true, false] {
            #expect(try table.written(isMapped: isMapped) == c.column + "\u{1D}" + names + "\u{1D}\u{1D}")
        }
    }
}
