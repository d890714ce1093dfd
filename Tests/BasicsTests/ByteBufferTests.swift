import Testing

@testable import Basics

@Suite struct ByteBufferTests {
    /// Every byte at every place of texts of all lengths that the loop over eight treats differently.
    @Test func everyByteIsEscapedWhereverItStands() {
        for byte in UInt8.min...UInt8.max {
            let expected: String?
            switch byte {
            case UInt8(ascii: "&"): expected = "&amp;"
            case UInt8(ascii: "<"): expected = "&lt;"
            case UInt8(ascii: ">"): expected = "&gt;"
            case UInt8(ascii: "\""): expected = "&quot;"
            case UInt8(ascii: "'"): expected = "&#39;"
            case UInt8(ascii: "`"): expected = "&#96;"
            case 0x09, 0x0A: expected = nil
            case 0..<0x20, 0x7F: expected = ""
            default: expected = nil
            }
            for length in 1...19 {
                for place in 0..<length {
                    for around in [UInt8(ascii: "a"), 0xC3] {
                        var bytes = [UInt8](repeating: around, count: length)
                        bytes[place] = byte
                        var buffer = ByteBuffer(capacity: 1)
                        bytes.withUnsafeBufferPointer { buffer.appendEscaped($0) }
                        var right = bytes
                        if let expected { right.replaceSubrange(place...place, with: expected.utf8) }
                        guard buffer.array == right else {
                            Issue.record("byte \(byte) at \(place) of \(length): \(buffer.array)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: [0, 7, 10, 99, 1_234_567, -1, Int.max, Int.min])
    func numbersAreDecimal(number: Int) {
        var buffer = ByteBuffer(capacity: 1)
        buffer.append(decimal: number)
        #expect(buffer.array == Array(String(number).utf8))
    }

    @Test func theMemoryIsUsedAgain() {
        var buffer = ByteBuffer(capacity: 8)
        for _ in 0..<3 {
            buffer.removeAll()
            for _ in 0..<100 { buffer.append("abc" as StaticString) }
            buffer.append(UInt8(ascii: "!"))
            #expect(buffer.count == 301)
            #expect(buffer.array.suffix(4) == Array("abc!".utf8))
        }
    }
}
