/// The text of a file with the places of its lines, so that a byte offset can be printed as line and column.
///
/// Parsers keep byte offsets; line and column are worked out here, only when a message is made.
public struct SourceText: Sendable {
    /// The path as it is printed, relative to the site.
    public let file: String
    public let bytes: [UInt8]

    public init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    public init(file: String, text: String) { self.init(file: file, bytes: Array(text.utf8)) }

    /// The 1-based line and column (in Unicode scalars) of a byte offset.
    public func position(at offset: Int) -> (line: Int, column: Int) {
        let end = min(max(offset, 0), bytes.count)
        var line = 1
        var start = 0
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
        let (_, column) = position(at: offset)
        let from = bytes[..<min(max(offset, 0), bytes.count)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let to = bytes[from...].firstIndex(of: 0x0A) ?? bytes.count
        let line = String(decoding: bytes[from..<to], as: UTF8.self)
        let marked = bytes[min(offset, to)..<min(offset + length, to)]
        let scalars = marked.count { $0 & 0xC0 != 0x80 }
        return Diagnostic(
            severity, id, message, at: place(at: offset),
            excerpt: .init(line: line, column: column, length: max(1, scalars)))
    }
}
