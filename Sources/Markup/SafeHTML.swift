import Basics
import Glibc

/// Markup that goes into a page as it stands: made by the sanitiser or an escaper, and by nothing else (S1).
///
/// Every value is balanced, so values can be joined. It belongs into a flow container (`div`, `section`, `li`,
/// `td`), never into an attribute, a `p`, a heading or a link (S17).
public struct SafeHTML: Hashable, Sendable {
    /// The markup, in UTF-8.
    public private(set) var bytes: [UInt8]

    /// The only way in. Whoever calls it answers for the bytes, hence it stays inside this module.
    init(trusted bytes: [UInt8]) { self.bytes = bytes }

    /// No markup at all.
    public static let empty = SafeHTML(trusted: [])

    /// Whether there are no bytes; see ``isBlank`` for markup that shows nothing.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Text for element content or a double-quoted attribute, escaped by the rules of S2.
    public static func escaped(_ text: String) -> SafeHTML {
        var out: [UInt8] = []
        out.appendEscaped(text)
        return SafeHTML(trusted: out)
    }

    /// Fixed text of ours for element content or a double-quoted attribute, in which quotes of other kinds stay as
    /// they are: not for what comes from data, whose every quote is escaped (S2).
    public static func fixed(_ text: String) -> SafeHTML {
        SafeHTML(
            trusted: Array(
                text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
                    .replacing("\"", with: "&quot;").utf8))
    }

    /// Both, one after the other.
    public static func + (a: SafeHTML, b: SafeHTML) -> SafeHTML { SafeHTML(trusted: a.bytes + b.bytes) }

    /// Appends other markup.
    public static func += (a: inout SafeHTML, b: SafeHTML) { a.bytes.append(contentsOf: b.bytes) }

    /// Whether an element has a colour class: the page then needs ``Sanitiser/paletteStylesheet``.
    public var usesPalette: Bool {
        bytes.withUnsafeBufferPointer { bytes in
            // A text that spells out such an attribute costs its page a style sheet, no more.
            guard let start = bytes.baseAddress else { return false }
            var i = 0
            while let found = memchr(start + i, Int32(UInt8(ascii: "=")), bytes.count - i) {
                i = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
                guard i >= 6, bytes.starts(with: "class=\"", at: i - 6) else { continue }
                i += 1
                while i < bytes.count, bytes[i] != UInt8(ascii: "\"") {
                    if bytes.starts(with: "fc-", at: i) || bytes.starts(with: "bg-", at: i) { return true }
                    i += 1
                }
            }
            return false
        }
    }

    /// Whether a reader would see nothing: only white space, empty paragraphs and line breaks.
    public var isBlank: Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var i = 0
            while i < bytes.count {
                switch bytes[i] {
                case UInt8(ascii: "<"):
                    if bytes.starts(with: "<img", at: i) || bytes.starts(with: "<hr", at: i) { return false }
                    while i < bytes.count, bytes[i] != UInt8(ascii: ">") { i += 1 }
                    i += 1
                case 0x09, 0x0A, 0x20: i += 1
                case UInt8(ascii: "&") where bytes.starts(with: "&nbsp;", at: i): i += 6
                default: return false
                }
            }
            return true
        }
    }
}

extension SafeHTML: CustomStringConvertible {
    /// The markup as text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
