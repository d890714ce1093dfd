// The standard library's normalisation is what `==` on strings runs on, but it is offered as SPI only. The
// alternatives are Foundation (slow to start, large) or tables of our own that age with each Unicode version.
@_spi(_Unicode) import Swift

/// The text in Unicode normalisation form C: one spelling for texts that are canonically equal.
///
/// Text that is ASCII is returned as it stands. https://unicode.org/reports/tr15/
public func normalisedNFC(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var out = String.UnicodeScalarView()
    for scalar in text._nfc { out.append(scalar) }
    return String(out)
}

/// The scalars of a text in normalisation form D: base letters, each followed by its marks.
public func decomposed(_ text: String) -> some Sequence<Unicode.Scalar> { text._nfd }

/// What two values of a facet have in common when they are one term: compare these keys, show either.
///
/// White space is trimmed and its inner runs become one blank, letters are lower-cased (a final sigma is a
/// sigma), and the result is in normalisation form C. The locale plays no part.
public func termKey(_ text: String) -> String {
    if isTermKey(text) { return text }
    var out = String.UnicodeScalarView()
    var blank = false
    for scalar in text.lowercased().unicodeScalars {
        if scalar.properties.isWhitespace {
            blank = !out.isEmpty
            continue
        }
        if blank { out.append(" ") }
        blank = false
        out.append(scalar == "ς" ? "σ" : scalar)
    }
    return normalisedNFC(String(out))
}

/// Whether a text is its own term key for certain: lower-case ASCII with single blanks inside.
private func isTermKey(_ text: String) -> Bool {
    var previous = UInt8(ascii: " ")
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: " ") where previous == UInt8(ascii: " "): return false
        case 0x09...0x0D, UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: return false
        default: previous = byte
        }
    }
    return previous != UInt8(ascii: " ") || text.isEmpty
}
