/// Where bytes stop being well-formed UTF-8 (Unicode 16, table 3-7).
enum UTF8Check {
    /// The offset of the first byte that does not belong, nil if all is well. Runs of ASCII go 8 bytes at a time.
    static func firstFault(in bytes: [UInt8], range: Range<Int>) -> Int? {
        bytes.withUnsafeBufferPointer { firstFault(in: $0, range: range) }
    }

    static func firstFault(in bytes: UnsafeBufferPointer<UInt8>, range: Range<Int>) -> Int? {
        var i = range.lowerBound
        let end = range.upperBound
        let raw = UnsafeRawBufferPointer(bytes)
        while i < end {
            if bytes[i] < 0x80 {
                if i + 8 <= end,
                    raw.loadUnaligned(fromByteOffset: i, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    i += 8
                } else {
                    i += 1
                }
                continue
            }
            let (length, second): (Int, ClosedRange<UInt8>) =
                switch bytes[i] {
                case 0xC2...0xDF: (2, 0x80...0xBF)
                case 0xE0: (3, 0xA0...0xBF)
                case 0xED: (3, 0x80...0x9F)
                case 0xE1...0xEF: (3, 0x80...0xBF)
                case 0xF0: (4, 0x90...0xBF)
                case 0xF1...0xF3: (4, 0x80...0xBF)
                case 0xF4: (4, 0x80...0x8F)
                default: (0, 0x80...0xBF)
                }
            if length == 0 || i + length > end || !(second ~= bytes[i + 1]) { return i }
            for k in 2..<max(2, length) where bytes[i + k] & 0xC0 != 0x80 { return i }
            i += length
        }
        return nil
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
