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

/// Calls a function with the scalars of a text in normalisation form D: base letters, each followed by its marks.
///
/// Most texts are of letters of western and central Europe, each of which is one base letter and at most one mark; they
/// take a look into a table.
///
/// - Parameter text: UTF-8; what is not comes as U+FFFD.
public func forEachDecomposed(_ text: UnsafeBufferPointer<UInt8>, _ body: (Unicode.Scalar) -> Void) {
    guard isSimple(text) else {
        for scalar in String(decoding: text, as: UTF8.self)._nfd { body(scalar) }
        return
    }
    simpleDecompositions.withUnsafeBufferPointer { table in
        var i = 0
        while i < text.count {
            let byte = UInt32(text[i])
            if byte < 0x80 {
                body(Unicode.Scalar(UInt8(byte)))
                i += 1
            } else if byte < 0xE0 {
                let (base, mark) = table[Int((byte & 0x1F) << 6 | UInt32(text[i + 1]) & 0x3F)]
                body(base)
                if let mark { body(mark) }
                i += 2
            } else {
                body(Unicode.Scalar(0x2000 | UInt32(text[i + 2]) & 0x3F)!)
                i += 3
            }
        }
    }
}

/// Whether a text has only scalars below U+0180 and U+2010 to U+203F, dashes and quotes, which have no form D of their own.
private func isSimple(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var i = 0
    while i < text.count {
        switch text[i] {
        case 0x00..<0x80: i += 1
        case 0xC2...0xC5:
            guard i + 1 < text.count, text[i + 1] & 0xC0 == 0x80 else { return false }
            i += 2
        case 0xE2:
            guard i + 2 < text.count, text[i + 1] == 0x80, (0x90...0xBF).contains(text[i + 2]) else {
                return false
            }
            i += 3
        default: return false
        }
    }
    return true
}

/// Of each scalar below U+0180.
private let simpleDecompositions: [(base: Unicode.Scalar, mark: Unicode.Scalar?)] = (0..<0x180).map { value in
    let parts = Array(String(Unicode.Scalar(UInt16(value))!)._nfd)
    precondition(parts.count <= 2, "a letter below U+0180 has one mark at most")
    return (parts[0], parts.count > 1 ? parts[1] : nil)
}

/// What two values of a facet have in common when they are one term: compare these keys, show either.
///
/// White space is trimmed and its inner runs become one blank, letters are lower-cased (a final sigma is a
/// sigma), and the result is in normalisation form C. The locale plays no part.
public func termKey(_ text: String) -> String {
    if isTermKey(text) { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return asciiTermKey(text) }
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

/// The same of ASCII, where nobody has to look up what is a letter and what a blank.
private func asciiTermKey(_ text: String) -> String {
    String(unsafeUninitializedCapacity: text.utf8.count) { out in
        var count = 0
        var blank = false
        for byte in text.utf8 {
            if byte == 0x20 || 0x09...0x0D ~= byte {
                blank = count > 0
                continue
            }
            if blank {
                out[count] = 0x20
                count += 1
            }
            blank = false
            out[count] = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
            count += 1
        }
        return count
    }
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
