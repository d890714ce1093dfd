extension [UInt8] {
    /// Appends the UTF-8 of a string as it stands.
    @inline(__always)
    public mutating func append(_ text: borrowing String) { text.withBytes { append(contentsOf: $0) } }

    /// Appends the bytes of fixed markup.
    @inline(__always)
    public mutating func append(_ markup: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: markup.utf8Start, count: markup.utf8CodeUnitCount))
    }

    /// Appends text for element content or a double-quoted attribute (S2).
    ///
    /// `& < > " ' backtick` become references; NUL and the C0 controls but tab and line feed, and DEL, are
    /// left out. Runs of clean bytes are copied whole.
    public mutating func appendEscaped(_ text: borrowing String) { text.withBytes { appendEscaped($0) } }

    /// Appends well-formed UTF-8 bytes escaped as by ``appendEscaped(_:)-(String)``.
    public mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var i = 0
        while true {
            i = firstSpecial(in: bytes, from: i)
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<i]))
            if i == bytes.count { return }
            append(htmlReference(for: bytes[i]))
            i += 1
            start = i
        }
    }

    /// Appends a decimal number.
    public mutating func append(decimal number: Int) {
        if number < 10, number >= 0 { return append(UInt8(0x30 + number)) }
        withDecimalDigits(of: number) { append(contentsOf: $0) }
    }
}

/// Calls a function with the digits of a number, after a minus if it is below zero.
@inline(__always)
func withDecimalDigits(of number: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    // 20 places hold every number of 64 bits and its sign.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { places in
        var rest = number.magnitude
        var at = places.count
        repeat {
            at -= 1
            places[at] = UInt8(0x30 + rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 {
            at -= 1
            places[at] = UInt8(ascii: "-")
        }
        body(UnsafeBufferPointer(rebasing: places[at...]))
    }
}
