/// The text of a file with the places of its lines, so that a byte offset can be printed as line and column.
///
/// Parsers keep byte offsets; line and column are worked out here, only when a message is made.
public struct SourceText: Sendable {
    /// The path as it is printed, relative to the site.
    public let file: String
    /// The file as it is, with its byte order mark if it has one: offsets count from its first byte.
    public let bytes: [UInt8]

    /// The bytes of a file.
    public init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    /// A text that is not a file's bytes: a query, an example in a test.
    public init(file: String, text: String) { self.init(file: file, bytes: Array(text.utf8)) }

    /// Where the text starts: after the byte order mark, which no editor shows or counts.
    public var start: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// The 1-based line and column (in Unicode scalars) of a byte offset. Reads the text up to there.
    public func position(at offset: Int) -> (line: Int, column: Int) {
        let end = min(max(offset, 0), bytes.count)
        var line = 1
        var start = min(self.start, end)
        for i in 0..<end where bytes[i] == 0x0A {
            line += 1
            start = i + 1
        }
        var column = 1
        for i in start..<end where bytes[i] & 0xC0 != 0x80 { column += 1 }
        return (line, column)
    }

    /// A place to attach to a diagnostic.
    public func place(at offset: Int) -> Diagnostic.Place {
        let (line, column) = position(at: offset)
        return .text(file: file, line: line, column: column)
    }

    /// A diagnostic about `length` bytes at `offset`, with the source line and the part underlined.
    public func diagnostic(
        _ severity: Diagnostic.Severity, _ id: String, _ message: String, at offset: Int, length: Int = 1
    ) -> Diagnostic {
        let at = min(max(offset, 0), bytes.count)
        var from = bytes[..<at].lastIndex(of: 0x0A).map { $0 + 1 } ?? min(start, at)
        var to = bytes[from...].firstIndex(of: 0x0A) ?? bytes.count
        let isCutBefore = at - from > 100
        // A JSON file may be one line of megabytes: what is printed is the part around the fault.
        if isCutBefore {
            from = at - 60
            while from < at, bytes[from] & 0xC0 == 0x80 { from += 1 }
        }
        if to - at > 120 {
            to = at + 120
            while to > at, bytes[to] & 0xC0 == 0x80 { to -= 1 }
        }
        if to > at, bytes[to - 1] == 0x0D { to -= 1 }
        // A tab would be printed as two characters and shift the mark.
        let text = String(decoding: bytes[from..<to].map { $0 == 0x09 ? 0x20 : $0 }, as: UTF8.self)
        let scalars = bytes[min(at, to)..<min(at + max(0, length), to)].count { $0 & 0xC0 != 0x80 }
        let before = bytes[from..<at].count { $0 & 0xC0 != 0x80 }
        return Diagnostic(
            severity, id, message, at: place(at: offset),
            excerpt: .init(
                line: isCutBefore ? "…" + text : text, column: before + (isCutBefore ? 2 : 1),
                length: max(1, scalars)))
    }
}
