import Basics
import Glibc

/// The text of a note on one line, for summaries, descriptions and search.
///
/// It has at most `limit` characters: longer text is cut after a word and ends in `…`, which counts. It is text, not
/// markup, so nothing can be left open (hugo#14044); it is escaped where it is used.
public func plainText(of html: SafeHTML, limit: Int = .max) -> String {
    html.bytes.withUnsafeBufferPointer { source in
        guard limit < 1 << 20 else { return cut(oneLine(readableText(of: source)), limit: limit) }
        // What lies beyond the cut need not be read. Most texts need little more than a byte a character; four are the
        // longest scalar.
        let little = limit + limit / 8 + 32
        let text = readableText(of: source, enough: little)
        let line = oneLine(text)
        if text.count < little || line.isCertain(upTo: limit) { return cut(line, limit: limit) }
        return cut(oneLine(readableText(of: source, enough: limit * 4 + 64)), limit: limit)
    }
}

/// The same of untrusted text in one of the formats for notes.
public func plainText(of text: String, format: NoteFormat, limit: Int = .max) -> String {
    switch format {
    case .plain: cut(oneLine(Array(text.utf8)), limit: limit)
    case .html, .markdown: plainText(of: note(text, format: format).html, limit: limit)
    }
}

/// The first characters of a line of text, as far as scalars tell: without looking for grapheme clusters.
private struct Beginning {
    /// Where they end.
    var end = 0
    var scalars = 0
    /// Whether each scalar is a character for certain, as it is below U+0300 and among the dashes and quotes from U+2010 to
    /// U+2026. Most texts hold no other.
    var isPlain = true

    /// Goes on until there are so many scalars, or to the end of the line.
    mutating func extend(to limit: Int, in line: Bytes) {
        guard let base = line.baseAddress else { return }
        while end < line.count, scalars < limit {
            if scalars <= limit - 8, end <= line.count - 8,
                UnsafeRawPointer(base + end).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 == 0
            {
                // Eight characters of ASCII at once.
                end += 8
                scalars += 8
                continue
            }
            let byte = line[end]
            end += 1
            scalars += 1
            if byte < 0x80 { continue }
            if byte >= 0xCC {
                let isPunctuation =
                    byte == 0xE2 && end + 1 < line.count && line[end] == 0x80
                    && (0x90...0xA6).contains(line[end + 1])
                isPlain = isPlain && isPunctuation
            }
            while end < line.count, line[end] & 0xC0 == 0x80 { end += 1 }
        }
    }

    /// Where the last space among them is.
    func lastSpace(in line: Bytes) -> Int? {
        var at = end
        while at > 0 {
            at -= 1
            if line[at] == 0x20 { return at }
        }
        return nil
    }
}

extension [UInt8] {
    /// Whether a text, cut to so many characters, is the same whatever may follow it.
    fileprivate func isCertain(upTo limit: Int) -> Bool {
        withUnsafeBufferPointer { line in
            var beginning = Beginning()
            // One more is cut away; another may be the first part of one that the end has cut.
            beginning.extend(to: limit + 2, in: line)
            return beginning.isPlain && beginning.scalars == limit + 2
        }
    }
}

/// Joins words with single spaces.
private func oneLine(_ text: [UInt8]) -> [UInt8] {
    text.withUnsafeBufferPointer { text in
        let text = text.trimmed
        // Most texts are one line, but for what begins and ends a paragraph.
        let traits = ByteTraits(of: UnsafeRawBufferPointer(text))
        if traits.isDisjoint(with: [.control, .lineEndOrTab, .twoSpaces, .c2]) { return Array(text) }
        return [UInt8](unsafeUninitializedCapacity: text.count) { out, count in
            var i = 0
            while i < text.count {
                let byte = text[i]
                let isSpace = byte.isHTMLSpace || byte == 0xC2 && i + 1 < text.count && text[i + 1] == 0xA0
                if isSpace {
                    if count > 0, out[count - 1] != 0x20 {
                        out[count] = 0x20
                        count += 1
                    }
                    i += byte == 0xC2 ? 2 : 1
                } else {
                    if byte >= 0x20, byte != 0x7F {
                        out[count] = byte
                        count += 1
                    }
                    i += 1
                }
            }
            if count > 0, out[count - 1] == 0x20 { count -= 1 }
        }
    }
}

/// Cuts a line after a word, so that it has at most `limit` characters with the `…` that says so.
private func cut(_ line: [UInt8], limit: Int) -> String {
    guard line.count > limit else { return String(decoding: line, as: UTF8.self) }
    guard limit > 0 else { return "" }
    return line.withUnsafeBufferPointer { bytes in
        var beginning = Beginning()
        beginning.extend(to: limit, in: bytes)
        if beginning.end == bytes.count { return String(decoding: bytes, as: UTF8.self) }
        if beginning.isPlain, let space = beginning.lastSpace(in: bytes), space > beginning.end / 2 {
            return ended(bytes.slice(0..<space))
        }
        // One long word, or other scripts: whole characters are kept.
        let line = String(decoding: bytes, as: UTF8.self)
        guard line.count > limit else { return line }
        var cut = line.prefix(limit - 1)
        if line[cut.endIndex] != " ", let space = cut.lastIndex(of: " ") { cut = cut[..<space] }
        return Array(cut.utf8).withUnsafeBufferPointer { ended($0) }
    }
}

/// A text that was cut after a word, without what points to more words, and with `…`.
private func ended(_ text: Bytes) -> String {
    var end = text.count
    trimming: while end > 0 {
        switch text[end - 1] {
        case UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"): end -= 1
        case _ where end >= 3 && text.starts(with: "–", at: end - 3): end -= 3
        default: break trimming
        }
    }
    return String(utf8Count: end + 3) { out in
        out.append(wellFormed: UnsafeBufferPointer(rebasing: text[..<end]))
        out.append("…")
    }
}

/// Plain text as paragraphs: blank lines part them, single line ends are kept as `br`; addresses are not linked.
func paragraphs(of text: Bytes) -> [UInt8] {
    if let text = text.cleaned() { return text.withUnsafeBufferPointer { paragraphs(ofClean: $0) } }
    return paragraphs(ofClean: text)
}

/// The same for well-formed text if it is one line in which nothing has to be written otherwise, as most reviews are; else nil.
func paragraph(ofPlain text: Bytes) -> [UInt8]? {
    guard let first = text.first, first != 0x20, text.last != 0x20, ByteTraits.arePlainText(text) else {
        return nil
    }
    let (start, end): (StaticString, StaticString) = ("<p>", "</p>")
    let length = start.utf8CodeUnitCount + text.count + end.utf8CodeUnitCount
    return [UInt8](unsafeUninitializedCapacity: length) { out, count in
        let base = out.baseAddress!
        base.update(from: start.utf8Start, count: start.utf8CodeUnitCount)
        (base + start.utf8CodeUnitCount).update(from: text.baseAddress!, count: text.count)
        (base + length - end.utf8CodeUnitCount).update(from: end.utf8Start, count: end.utf8CodeUnitCount)
        count = length
    }
}

private func paragraphs(ofClean text: Bytes) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(text.count + text.count / 8 + 16)
    var isOpen = false
    var start = 0
    // The next line feed and carriage return; each is looked for again only when it has been passed.
    var feed = -1
    var carriage = -1
    while start <= text.count {
        if feed < start { feed = text.next(0x0A, from: start) }
        if carriage < start { carriage = text.next(0x0D, from: start) }
        let end = min(feed, carriage)
        let line = text.slice(start..<end).withoutUnseen
        if line.isEmpty {
            if isOpen { out.append("</p>" as StaticString) }
            isOpen = false
        } else {
            if isOpen {
                out.append("<br>\n" as StaticString)
            } else {
                if !out.isEmpty { out.append(UInt8(ascii: "\n")) }
                out.append("<p>" as StaticString)
            }
            isOpen = true
            out.appendCanonicalText(line)
        }
        start = end + 1
        if end + 1 < text.count, text[end] == 0x0D, text[end + 1] == 0x0A { start += 1 }
    }
    if isOpen { out.append("</p>" as StaticString) }
    return out
}

extension Bytes {
    /// Where a byte is met next, or the end. By memchr, which looks at 32 bytes at once.
    fileprivate func next(_ byte: UInt8, from start: Int) -> Int {
        guard start < count, let base = baseAddress else { return count }
        return memchr(base + start, Int32(byte), count - start).map {
            $0 - UnsafeMutableRawPointer(mutating: base)
        } ?? count
    }

    /// The bytes without white space and controls at both ends, which would make a line look empty.
    fileprivate var withoutUnseen: Bytes {
        var from = 0
        var to = count
        while from < to, self[from] <= 0x20 || self[from] == 0x7F { from += 1 }
        while to > from, self[to - 1] <= 0x20 || self[to - 1] == 0x7F { to -= 1 }
        return slice(from..<to)
    }
}

/// The text that a reader of some HTML would see, line ends where blocks and `br` are.
///
/// No parser: one pass whatever the source, for texts that are beyond the limits of one. What comes out is text and is
/// escaped afterwards, so a tag that is mistaken for text does no harm.
func readableText(of source: Bytes, enough: Int = .max) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(min(source.count, enough) + 2)
    var i = 0
    while i < source.count, out.count < enough {
        switch source[i] {
        case UInt8(ascii: "<"):
            guard let tag = SourceTag(source, at: i) else {
                out.append(source[i])
                i += 1
                continue
            }
            i = tag.end
            if tag.isHidden { i = endOfHidden(tag.name, in: source, from: i) }
            if tag.breaksLine { out.append(0x0A) }
            if tag.breaksParagraph { out.append("\n\n" as StaticString) }
        case UInt8(ascii: "&"):
            if let (scalar, end) = decodeReference(source, at: i) {
                out.append(contentsOf: UTF8.encode(scalar)!)
                i = end
            } else {
                out.append(source[i])
                i += 1
            }
        // In HTML a line end is a space; br and blocks make the lines.
        case 0x0A, 0x0D, 0x09, 0x0C:
            out.append(0x20)
            i += 1
        default:
            // All that is text up to the next of those, in one piece.
            let start = i
            i += ByteTraits.lengthOfText(
                source.slice(start..<(start + min(source.count - start, enough - out.count))))
            // Some control, which is not text but is not for this function to leave out.
            if i == start { i += 1 }
            out.append(contentsOf: source.slice(start..<i))
        }
    }
    return out
}

/// The offset after the end tag that ends an element whose content is not for readers.
private func endOfHidden(_ name: Bytes, in source: Bytes, from start: Int) -> Int {
    var i = start
    while i < source.count {
        if source[i] == UInt8(ascii: "<"), i + 2 + name.count <= source.count,
            source[i + 1] == UInt8(ascii: "/"),
            source.slice(i + 2..<i + 2 + name.count).elementsEqual(
                name, by: { $0.lowercasedASCII == $1.lowercasedASCII })
        {
            while i < source.count, source[i] != UInt8(ascii: ">") { i += 1 }
            return min(i + 1, source.count)
        }
        i += 1
    }
    return source.count
}

/// Something between `<` and `>` in source text that has not been parsed: a tag, a comment, a declaration.
struct SourceTag {
    /// The name as it is spelt; empty for comments and declarations.
    let name: Bytes
    /// The offset after the `>`.
    let end: Int
    private let isStart: Bool

    /// Reads what starts at `offset`; nil if a browser would take the `<` for text.
    init?(_ source: Bytes, at offset: Int) {
        var i = offset + 1
        guard i < source.count else { return nil }
        if source.starts(with: "<!--", at: offset) {
            i = offset + 4
            while i < source.count, !source.starts(with: "-->", at: i) { i += 1 }
            name = source.slice(0..<0)
            end = min(i + 3, source.count)
            isStart = false
            return
        }
        isStart = source[i] != UInt8(ascii: "/")
        if !isStart { i += 1 }
        let nameStart = i
        guard i < source.count else { return nil }
        if source[i].isASCIILetter {
            while i < source.count, source[i].isASCIILetter || source[i].isASCIIDigit { i += 1 }
        } else if !isStart || source[i] != UInt8(ascii: "!") && source[i] != UInt8(ascii: "?") {
            return nil
        }
        name = source.slice(nameStart..<i)
        var quote: UInt8?
        while i < source.count {
            let byte = source[i]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: ">") {
                break
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                if source[i - 1] == UInt8(ascii: "=") { quote = byte }
            }
            i += 1
        }
        end = min(i + 1, source.count)
    }

    /// Whether the element's content is left out.
    var isHidden: Bool { isStart && Self.dropped.contains(packedName) }
    var breaksLine: Bool {
        name.equalsIgnoringCase("br") || name.equalsIgnoringCase("tr") || name.equalsIgnoringCase("li")
    }
    var breaksParagraph: Bool { Self.blocks.contains(packedName) }

    private var packedName: UInt128 { name.count > 16 ? 0 : Self.packed(name) }

    /// A name of at most 16 bytes in lower case as one number: comparing a few of those is cheaper than hashing a text.
    private static func packed(_ name: some Collection<UInt8>) -> UInt128 {
        name.reduce(0) { $0 << 8 | UInt128($1.lowercasedASCII) }
    }

    /// Void elements and those that merely wrap a page are no reason to skip what follows.
    private static let dropped = Set(Treatment.dropped)
        .subtracting(["frame", "embed", "base", "meta", "link", "plaintext", "head", "noscript"])
        .sorted().map { packed($0.utf8) }
    private static let blocks: [UInt128] = [
        "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "dt", "dd", "table", "caption",
        "blockquote", "center", "pre", "hr", "figure", "figcaption", "section", "article", "address",
        "header",
        "footer",
    ].map { packed($0.utf8) }
}
