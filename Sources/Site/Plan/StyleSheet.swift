/// A style sheet made smaller without being understood: comments and white space that mean nothing go, all else stays.
///
/// Strings, `url(…)` and escapes are copied as they are. Space is dropped at the ends, beside `{ } ; , >` and after `:`, where
/// no grammar of CSS gives it a meaning, and kept everywhere else (`a b`, `1px + 2px`, `and (`).
func packedStyleSheet(_ css: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(css.count)
    var at = 0
    var space = false
    /// Appends the next byte that matters, after the space that was due unless it means nothing here.
    func put(_ byte: UInt8) {
        let closes = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") || isFree(byte)
        if space, !closes, let last = out.last, !opens(last) { out.append(0x20) }
        space = false
        if byte == UInt8(ascii: "}"), out.last == UInt8(ascii: ";"), out.dropLast().last != UInt8(ascii: "\\")
        {
            out.removeLast()
        }
        out.append(byte)
    }
    func isFree(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ">")
    }
    func opens(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: ":") || isFree(byte)
    }
    func isName(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte >= 0x80 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || (0x30...0x39).contains(byte)
            || (0x61...0x7A).contains(byte | 0x20)
    }
    /// Copies as it is up to and including the next `end`.
    func copy(to end: UInt8) {
        while at < css.count {
            out.append(css[at])
            at += 1
            if css[at - 1] == end { return }
            if css[at - 1] == UInt8(ascii: "\\"), at < css.count {
                out.append(css[at])
                at += 1
            }
        }
    }
    while at < css.count {
        let byte = css[at]
        switch byte {
        case 0x09, 0x0A, 0x0C, 0x0D, 0x20:
            space = true
            at += 1
        case UInt8(ascii: "/") where at + 1 < css.count && css[at + 1] == UInt8(ascii: "*"):
            at += 3
            while at < css.count, css[at] != UInt8(ascii: "/") || css[at - 1] != UInt8(ascii: "*") { at += 1 }
            at += 1
            // What a comment alone kept apart stays apart.
            if !space, isName(out.last), at < css.count, isName(css[at]) {
                out.append(contentsOf: "/**/".utf8)
            }
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            put(byte)
            at += 1
            copy(to: byte)
        case UInt8(ascii: "\\"):
            put(byte)
            at += 1
            if at < css.count { out.append(css[at]) }
            at += 1
        case UInt8(ascii: "(") where out.suffix(3).map({ $0 | 0x20 }).elementsEqual("url".utf8) && !space:
            put(byte)
            at += 1
            // A quoted address is a string, which may hold a bracket.
            while at < css.count, css[at] <= 0x20 { at += 1 }
            if at < css.count, css[at] != UInt8(ascii: "\""), css[at] != UInt8(ascii: "'") {
                copy(to: UInt8(ascii: ")"))
            }
        default:
            put(byte)
            at += 1
        }
    }
    return out
}
