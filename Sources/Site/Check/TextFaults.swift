import Basics

/// Text that was read in the wrong encoding somewhere on its way into the database, set right; nil if it looks fine.
///
/// "CafÃ©" is "Café" in UTF-8 read as Windows-1252. Only text that turns into good UTF-8, and into fewer characters, counts,
/// so that a name that really has an Ã keeps it.
func ungarbled(_ text: String) -> String? {
    guard text.unicodeScalars.contains(where: { 0xC2...0xF4 ~= $0.value }) else { return nil }
    var bytes: [UInt8] = []
    var hasPair = false
    for scalar in text.unicodeScalars {
        guard let byte = windows1252(scalar) else { return nil }
        if byte & 0xC0 == 0x80, let last = bytes.last, last >= 0xC2 { hasPair = true }
        bytes.append(byte)
    }
    guard hasPair, let right = String(validating: bytes, as: UTF8.self) else { return nil }
    return right
}

/// The byte that stands for a character in Windows-1252; a C1 control stands for itself, as browsers have it.
private func windows1252(_ scalar: Unicode.Scalar) -> UInt8? {
    if scalar.value < 0x100 { return UInt8(scalar.value) }
    let specials: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
        0x017D, 0, 0,
        0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,
        0x017E, 0x0178,
    ]
    return specials.firstIndex(of: scalar.value).map { UInt8(0x80 + $0) }
}

/// Whether a text that should be plain holds markup: a tag of HTML or a character reference. `<DOK>` is a name.
func hasMarkup(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    func isWord(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) }
    for i in bytes.indices {
        if bytes[i] == UInt8(ascii: "<"), bytes[i...].contains(UInt8(ascii: ">")) {
            let rest = bytes[(i + 1)...].drop { $0 == UInt8(ascii: "/") }
            if tags.contains(String(decoding: rest.prefix(while: isWord), as: UTF8.self).lowercased()) {
                return true
            }
        }
        if bytes[i] == UInt8(ascii: "&"), let end = bytes[i...].firstIndex(of: UInt8(ascii: ";")),
            (3...9).contains(end - i),
            bytes[(i + 1)..<end].allSatisfy({ $0 == UInt8(ascii: "#") || isWord($0) })
        {
            return true
        }
    }
    return false
}

private let tags: Set<String> = [
    "a", "b", "i", "u", "p", "br", "em", "strong", "span", "div", "font", "small", "sup", "sub", "img",
    "script", "style", "h1",
    "h2", "h3", "ul", "ol", "li", "table", "tr", "td", "center", "blockquote", "hr", "iframe", "svg",
]

/// What is left of a text when only letters and digits count: equal for "Chasse-Spleen" and "Chasse Spleen".
func skeleton(_ text: String) -> String {
    let slug = slug(of: text, limit: 200).filter { $0 != "-" }
    return slug.isEmpty ? termKey(text) : slug
}
