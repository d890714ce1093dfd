/// What a test needs of an HTML page: its tags and texts in order.
///
/// Only as much of a parser as well-made pages need; what it does not expect is a fault of the page.
struct PageScanner {
    enum Piece {
        case open(String, [(name: String, value: String)])
        case close(String)
        case text(String)
        /// What a script or style element holds.
        case raw(String)
    }

    private let bytes: [UInt8]
    private var at = 0
    private(set) var faults: [String] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func pieces(of bytes: [UInt8]) -> (pieces: [Piece], faults: [String]) {
        var scanner = PageScanner(bytes)
        var pieces: [Piece] = []
        while let piece = scanner.next() { pieces.append(piece) }
        return (pieces, scanner.faults)
    }

    private var rawElement: String?
    /// An element whose tag closes it as well.
    private var closed: String?

    private mutating func next() -> Piece? {
        if let name = closed {
            closed = nil
            return .close(name)
        }
        guard at < bytes.count else { return nil }
        if let name = rawElement {
            rawElement = nil
            let start = at
            let end = Array("</\(name)>".utf8)
            while at < bytes.count, !bytes[at...].starts(with: end) { at += 1 }
            if at == bytes.count { faults.append("<\(name)> is never closed") }
            if at > start { return .raw(String(decoding: bytes[start..<at], as: UTF8.self)) }
        }
        guard bytes[at] == UInt8(ascii: "<") else {
            let start = at
            while at < bytes.count, bytes[at] != UInt8(ascii: "<") { at += 1 }
            return .text(decoded(bytes[start..<at]))
        }
        if bytes[at...].starts(with: Array("<!".utf8)) {
            let isComment = bytes[at...].starts(with: Array("<!--".utf8))
            let end = Array((isComment ? "-->" : ">").utf8)
            while at < bytes.count, !bytes[at...].starts(with: end) { at += 1 }
            at = min(bytes.count, at + end.count)
            return .text("")
        }
        at += 1
        let closes = at < bytes.count && bytes[at] == UInt8(ascii: "/")
        if closes { at += 1 }
        let name = word().lowercased()
        if name.isEmpty { faults.append("a bare '<' at byte \(at - 1)") }
        var attributes: [(name: String, value: String)] = []
        while at < bytes.count {
            skipBlanks()
            guard at < bytes.count else { break }
            if bytes[at] == UInt8(ascii: ">") {
                at += 1
                break
            }
            if bytes[at] == UInt8(ascii: "/") {
                at += 1
                // HTML passes over the stroke where the element is none of SVG.
                if Self.drawn.contains(name) { closed = name }
                continue
            }
            let attribute = word()
            if attribute.isEmpty {
                faults.append("an unexpected '\(Unicode.Scalar(bytes[at]))' in <\(name)> at byte \(at)")
                at += 1
                continue
            }
            if attributes.contains(where: { $0.name == attribute }) {
                faults.append("<\(name)> has two '\(attribute)'")
            }
            skipBlanks()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
                attributes.append((attribute, ""))
                continue
            }
            at += 1
            skipBlanks()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
                faults.append("'\(attribute)' of <\(name)> has no quotes")
                _ = word()
                continue
            }
            at += 1
            let start = at
            while at < bytes.count, bytes[at] != UInt8(ascii: "\"") { at += 1 }
            attributes.append((attribute, decoded(bytes[start..<at])))
            at += 1
        }
        if closes { return .close(name) }
        if name == "script" || name == "style" { rawElement = name }
        return .open(name, attributes)
    }

    private mutating func skipBlanks() {
        while at < bytes.count, bytes[at] <= 0x20 { at += 1 }
    }

    private mutating func word() -> String {
        let start = at
        while at < bytes.count, bytes[at] > 0x20, !Self.delimiters.contains(bytes[at]) { at += 1 }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private static let drawn: Set<String> = ["svg", "path", "rect", "circle"]
    private static let delimiters = Set("\"'>/=<".utf8)

    /// The text with its character references resolved.
    private mutating func decoded(_ text: ArraySlice<UInt8>) -> String {
        guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
        var out: [UInt8] = []
        var i = text.startIndex
        while i < text.endIndex {
            guard text[i] == UInt8(ascii: "&") else {
                out.append(text[i])
                i += 1
                continue
            }
            let end = text[i...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
            let name = end.map { String(decoding: text[(i + 1)..<$0], as: UTF8.self) } ?? ""
            guard let end, let character = Self.character(name) else {
                faults.append("a bare '&' before '\(String(decoding: text[i...].prefix(12), as: UTF8.self))'")
                i += 1
                continue
            }
            out += Array(String(character).utf8)
            i = end + 1
        }
        return String(decoding: out, as: UTF8.self)
    }

    static func character(_ name: String) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case "nbsp": return "\u{A0}"
        default:
            guard name.hasPrefix("#") else { return nil }
            let digits = name.dropFirst()
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init)
        }
    }
}
