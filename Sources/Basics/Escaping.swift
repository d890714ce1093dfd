extension [UInt8] {
    /// Appends the UTF-8 of a string as it stands.
    @inline(__always)
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    /// Appends the bytes of fixed markup.
    @inline(__always)
    public mutating func append(_ markup: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: markup.utf8Start, count: markup.utf8CodeUnitCount))
    }

    /// Appends text for element content or a double-quoted attribute (S2).
    ///
    /// `& < > " ' backtick` become references; NUL and the C0 controls but tab and line feed, and DEL, are
    /// left out. Runs of clean bytes are copied whole.
    public mutating func appendEscaped(_ text: String) {
        var text = text
        text.withUTF8 { appendEscaped($0) }
    }

    /// Appends well-formed UTF-8 bytes escaped as by ``appendEscaped(_:)-(String)``.
    public mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        // The bytes below 64 that are not written as they are, one bit each: all controls but tab and line feed, and
        // " & ' < >. One test a byte, and nearly always the answer is no.
        let special: UInt64 = 0xFFFF_F9FF | 1 << 0x22 | 1 << 0x26 | 1 << 0x27 | 1 << 0x3C | 1 << 0x3E
        var start = 0
        for i in 0..<bytes.count {
            let byte = bytes[i]
            guard byte < 64 ? special >> UInt64(byte) & 1 != 0 : byte == 0x60 || byte == 0x7F else {
                continue
            }
            let replacement: StaticString
            switch bytes[i] {
            case UInt8(ascii: "&"): replacement = "&amp;"
            case UInt8(ascii: "<"): replacement = "&lt;"
            case UInt8(ascii: ">"): replacement = "&gt;"
            case UInt8(ascii: "\""): replacement = "&quot;"
            case UInt8(ascii: "'"): replacement = "&#39;"
            case UInt8(ascii: "`"): replacement = "&#96;"
            case 0x00..<0x09, 0x0B..<0x20, 0x7F: replacement = ""
            default: continue
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<i]))
            append(replacement)
            start = i + 1
        }
        append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
    }

    /// Appends a decimal number.
    public mutating func append(decimal number: Int) {
        if number < 10, number >= 0 { return append(UInt8(0x30 + number)) }
        append(String(number))
    }
}
