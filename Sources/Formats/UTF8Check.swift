import Basics

/// Where bytes stop being well-formed UTF-8 (Unicode 16, table 3-7).
enum UTF8Check {
    /// The offset of the first byte that does not belong, nil if all is well.
    static func firstFault(in bytes: [UInt8], range: Range<Int>) -> Int? {
        bytes.withUnsafeBufferPointer { firstFault(in: $0, range: range) }
    }

    static func firstFault(in bytes: UnsafeBufferPointer<UInt8>, range: Range<Int>) -> Int? {
        let part = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[range]))
        return ByteTraits.firstUTF8Fault(in: part).map { range.lowerBound + $0 }
    }
}

extension UTF8Check {
    /// How many bytes there are before a character at the end whose rest is missing.
    static func wholeLength(of bytes: [UInt8]) -> Int {
        var start = bytes.count
        // A character has at most four bytes.
        for _ in 0..<min(4, bytes.count) {
            start -= 1
            if bytes[start] & 0xC0 != 0x80 { break }
        }
        guard start < bytes.count else { return bytes.count }
        let needed =
            switch bytes[start] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        return bytes.count - start < needed ? start : bytes.count
    }
}
