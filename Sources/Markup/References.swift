/// Reads a character reference at an `&`: numeric, or one of the names that old shops use.
///
/// Only for text that is not parsed by gumbo, which knows all 2,231 names. The semicolon is required.
func decodeReference(_ source: Bytes, at offset: Int) -> (Unicode.Scalar, end: Int)? {
    var i = offset + 1
    guard i < source.count else { return nil }
    if source[i] == UInt8(ascii: "#") {
        i += 1
        var radix = 10
        if i < source.count, source[i] | 0x20 == UInt8(ascii: "x") {
            radix = 16
            i += 1
        }
        var value = 0
        let start = i
        while i < source.count, let digit = source[i].hexValue, digit < radix, value <= 0x10FFFF {
            value = value * radix + digit
            i += 1
        }
        guard i > start, i < source.count, source[i] == UInt8(ascii: ";"), value > 0 else { return nil }
        return (Unicode.Scalar(UInt32(value)) ?? "\u{FFFD}", i + 1)
    }
    let start = i
    while i < source.count, i - start < 8, source[i].isASCIILetter || source[i].isASCIIDigit { i += 1 }
    guard i < source.count, source[i] == UInt8(ascii: ";"),
        let scalar = namedReferences[String(decoding: source.slice(start..<i), as: UTF8.self)]
    else { return nil }
    return (scalar, i + 1)
}

/// HTML 2's names of Latin-1 in order of code points, and the marks of typesetting.
private let namedReferences: [String: Unicode.Scalar] = {
    let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
        micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring \
        AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml \
        times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil \
        egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash \
        ugrave uacute ucirc uuml yacute thorn yuml
        """
    var table: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "ndash": "–", "mdash": "—", "lsquo": "‘",
        "rsquo": "’", "ldquo": "“", "rdquo": "”", "hellip": "…", "bull": "•", "euro": "€", "trade": "™",
    ]
    for (name, value) in zip(latin1.split(separator: " "), UInt8(160)...255) {
        table[String(name)] = Unicode.Scalar(value)
    }
    return table
}()

/// HTML that a shop's export has encoded as text, once or twice, decoded; nil if the text is not of that kind (S10).
///
/// It is of that kind if it has no tag itself but has one once its references are decoded. Only the five characters
/// that encoders encode are decoded, so that a layer is taken off exactly: `&amp;eacute;` becomes `&eacute;`.
func decodedMarkup(_ source: Bytes) -> [UInt8]? {
    guard !hasTag(source), source.contains(UInt8(ascii: "&")) else { return nil }
    let once = takeOffLayer(source)
    if once.withUnsafeBufferPointer({ hasKnownTag($0) }) { return once }
    guard once.withUnsafeBufferPointer({ !hasTag($0) }) else { return nil }
    let twice = once.withUnsafeBufferPointer { takeOffLayer($0) }
    return twice.withUnsafeBufferPointer({ hasKnownTag($0) }) ? twice : nil
}

/// Whether a browser would find anything but text.
private func hasTag(_ source: Bytes) -> Bool {
    for i in source.indices where source[i] == UInt8(ascii: "<") && i + 1 < source.count {
        let next = source[i + 1]
        if next.isASCIILetter || next == UInt8(ascii: "/") || next == UInt8(ascii: "!")
            || next == UInt8(ascii: "?")
        {
            return true
        }
    }
    return false
}

/// Whether there is a whole tag with a name of HTML: `a < b` and `<3` are none.
private func hasKnownTag(_ source: Bytes) -> Bool {
    var i = 0
    while i < source.count {
        guard source[i] == UInt8(ascii: "<"), let tag = SourceTag(source, at: i) else {
            i += 1
            continue
        }
        // Not from the next byte: that would be quadratic.
        i = tag.end
        guard source[tag.end - 1] == UInt8(ascii: ">") else { continue }
        if knownNames.contains(String(decoding: tag.name.map(\.lowercasedASCII), as: UTF8.self)) {
            return true
        }
    }
    return false
}

private let knownNames = Set(Treatment.table(for: .notes).keys).union([
    "section", "article", "body", "html", "form", "input", "button",
])

private func takeOffLayer(_ source: Bytes) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(source.count)
    var i = 0
    while i < source.count {
        if source[i] == UInt8(ascii: "&"), let (scalar, end) = decodeReference(source, at: i) {
            switch scalar {
            case "&", "<", ">", "\"", "'":
                out.append(UInt8(ascii: scalar))
                i = end
                continue
            default: break
            }
        }
        out.append(source[i])
        i += 1
    }
    return out
}
