import Basics
import Markup

/// Turns texts of files into what the columns of notes hold, which is HTML.
enum NoteText {
    /// HTML as it is; plain text with its characters escaped and its lines kept.
    static func html(_ text: String) -> String {
        if text.isEmpty { return text }
        let isHTML = looksLikeHTML(text)
        if isHTML, hasBlocks(text) { return text }
        guard isHTML || text.utf8.contains(where: { [0x0A, 0x0D, 0x26, 0x3C, 0x3E].contains($0) }) else {
            return text
        }
        var bytes: [UInt8] = []
        if isHTML { bytes = Array(text.utf8) } else { bytes.appendEscaped(text) }
        let lines = String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").replacing(
            "\r", with: "\n")
        let paragraphs = lines.split(separator: "\n\n").map { $0.trimmed }.filter { !$0.isEmpty }
        if paragraphs.count == 1, !lines.trimmed.contains("\n") { return paragraphs[0] }
        return paragraphs.map { "<p>" + $0.replacing("\n", with: "<br>") + "</p>" }.joined()
    }

    /// One line without markup.
    static func line(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "<")) || text.utf8.contains(UInt8(ascii: "&")) else {
            return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        return plainText(of: text, format: .html)
    }

    /// A tag, or a character written as a reference.
    private static func looksLikeHTML(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        for i in bytes.indices.dropLast(2) {
            if bytes[i] == UInt8(ascii: "<") {
                let next = bytes[i + 1] == UInt8(ascii: "/") ? bytes[i + 2] : bytes[i + 1]
                if (0x61...0x7A).contains(next | 0x20), bytes[i...].contains(UInt8(ascii: ">")) {
                    return true
                }
            }
            if bytes[i] == UInt8(ascii: "&") {
                let name = bytes[(i + 1)...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
                if name.count < 10, i + 1 + name.count < bytes.count, !name.isEmpty,
                    name.allSatisfy({
                        (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x23
                    })
                {
                    return true
                }
            }
        }
        return false
    }

    private static func hasBlocks(_ text: String) -> Bool {
        let lower = text.lowercased()
        return ["<p", "<br", "<ul", "<ol", "<div", "<table", "<h1", "<h2", "<h3", "<h4", "<blockquote"]
            .contains {
                lower.contains($0)
            }
    }
}

extension Substring {
    var trimmed: String { String(self).trimmed }
}
