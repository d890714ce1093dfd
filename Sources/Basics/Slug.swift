/// The part of an address made from a name: `Glen Ord 12, Sherry` becomes `glen-ord-12-sherry`.
///
/// Holds `a`–`z`, `0`–`9` and `-` only, at most `limit` of them, and neither starts nor ends with `-`. Accents
/// are dropped, Cyrillic and Greek are transliterated, apostrophes join (`O'Brien` → `obrien`), all else
/// separates. It is **empty** when nothing is left (山崎), and different names may have one slug (C, C++, C#):
/// the caller falls back to the id and settles clashes. Composed and decomposed spellings give the same.
public func slug(of text: String, limit: Int = 80) -> String {
    var text = text
    let out = text.withUTF8 { bytes in asciiSlug(bytes, limit: limit) ?? unicodeSlug(bytes, limit: limit) }
    return String(decoding: out, as: UTF8.self)
}

/// The letters of a slug as they are found; separators are written only between two of them.
private struct SlugBuilder {
    private(set) var bytes: [UInt8] = []
    let limit: Int
    private var isSeparated = false

    init(limit: Int) {
        self.limit = limit
        bytes.reserveCapacity(min(limit, 32))
    }

    var isFull: Bool { bytes.count >= limit }

    mutating func separate() { isSeparated = true }

    mutating func append(_ byte: UInt8) {
        if isSeparated, !bytes.isEmpty {
            // A hyphen in the last place would have to be taken off again.
            if bytes.count + 2 > limit { return fill() }
            bytes.append(UInt8(ascii: "-"))
        }
        isSeparated = false
        if bytes.count < limit { bytes.append(byte) }
    }

    mutating func append(_ letters: StaticString) {
        letters.withUTF8Buffer { for letter in $0 { append(letter) } }
    }

    /// A character as it stands in a text.
    mutating func append(ascii byte: UInt8) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): append(byte | 0x20)
        case UInt8(ascii: "'"), UInt8(ascii: "`"): break
        default: separate()
        }
    }

    /// No further letter fits: what is there is the slug.
    private(set) var isDone = false
    private mutating func fill() { isDone = true }
}

/// The slug of text that is ASCII; nil for other text.
private func asciiSlug(_ text: UnsafeBufferPointer<UInt8>, limit: Int) -> [UInt8]? {
    var slug = SlugBuilder(limit: limit)
    for byte in text {
        if byte >= 0x80 { return nil }
        if slug.isFull || slug.isDone { continue }
        slug.append(ascii: byte)
    }
    return slug.bytes
}

private func unicodeSlug(_ text: UnsafeBufferPointer<UInt8>, limit: Int) -> [UInt8] {
    var slug = SlugBuilder(limit: limit)
    var previous: Unicode.Scalar = " "
    forEachDecomposed(text) { raw in
        if slug.isFull || slug.isDone { return }
        if !raw.isASCII, Folding.isIgnorable(raw) {
            // й: the breve after и.
            if previous == "и" { slug.append(UInt8(ascii: raw == "\u{306}" ? "y" : "i")) }
            previous = raw
            return
        }
        if previous == "и" { slug.append(UInt8(ascii: "i")) }
        previous = raw
        if raw.isASCII { return slug.append(ascii: UInt8(raw.value)) }
        let scalar = Folding.narrow(raw)
        if let letters = Folding.latinLetters(scalar) { return slug.append(letters) }
        if Folding.isApostrophe(scalar) { return }
        for letter in scalar.properties.lowercaseMapping.unicodeScalars {
            switch letter {
            case "a"..."z", "0"..."9": slug.append(UInt8(letter.value))
            case "и": previous = letter
            case _ where Folding.isIgnorable(letter): break
            default:
                if let letters = Folding.latin(letter) ?? Folding.transliteration(letter) {
                    slug.append(letters)
                } else if let digit = Folding.digit(letter) {
                    slug.append(UInt8(ascii: "0") + digit)
                } else {
                    slug.separate()
                }
            }
        }
    }
    if previous == "и", !slug.isDone { slug.append(UInt8(ascii: "i")) }
    return slug.bytes
}

/// Whether a segment of a path has a meaning of its own, on Windows or in a site, and must not come from data.
///
/// The case plays no part, and neither does what follows the first dot: Windows opens the device for
/// `nul.html` too. https://learn.microsoft.com/windows/win32/fileio/naming-a-file
public func isReservedName(_ segment: String) -> Bool {
    // Asked of every address, and the longest reserved name has eight letters before its first dot.
    if segment.utf8.prefix(16).prefix(while: { $0 != UInt8(ascii: ".") }).count > 10 { return false }
    let name = segment.prefix { $0 != "." }.lowercased()
    return reservedNames.contains(name)
}

private let reservedNames: Set<String> = {
    var names: Set<String> = [
        "con", "prn", "aux", "nul", "conin$", "conout$", "clock$",
        // Places of the site itself, at the top or in any folder.
        "index", "404", "assets", "page", "search", "lists", "feed", "sitemap", "robots", "favicon",
        "manifest",
        "cname",
    ]
    for number in ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"] {
        names.insert("com" + number)
        names.insert("lpt" + number)
    }
    return names
}()
