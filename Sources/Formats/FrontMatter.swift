public import Basics

/// The YAML between `---` lines at the top of a Markdown page, and where the page itself begins.
public struct FrontMatter: Hashable, Sendable {
    /// The size of the largest front matter that is read: 64 KB (S28).
    public static let sizeLimit = 64 << 10

    /// The settings of the page; absent when there are none.
    public let settings: YAMLNode
    /// Where the Markdown starts, in bytes from the start of the file.
    public let bodyOffset: Int

    /// Splits a page and reads its settings. A page that does not start with a line `---` is all Markdown.
    ///
    /// - Throws: a ``Failure`` with id `front-matter` when the end is missing or too far away, and those of
    ///   ``YAML/read(_:)``.
    public init(of source: SourceText) throws(Failure) {
        let (range, body) = try Self.split(source)
        bodyOffset = body
        settings =
            range.isEmpty
            ? YAMLNode(.absent, offset: range.lowerBound, length: 0) : try YAML.read(source, in: range)
    }

    /// The range of the YAML between the lines `---`, and the offset of what follows them.
    public static func split(_ source: SourceText) throws(Failure) -> (yaml: Range<Int>, body: Int) {
        let bytes = source.bytes
        let start = source.start
        guard let (first, next) = line(at: start, in: bytes), isFence(bytes[first]) else {
            return (start..<start, start)
        }
        var at = next
        while let (line, after) = line(at: at, in: bytes) {
            if line.lowerBound - next > sizeLimit { break }
            if isFence(bytes[line]) { return (next..<line.lowerBound, after) }
            at = after
        }
        let message =
            at >= bytes.count
            ? "front matter starts here and never ends; a line '---' is missing"
            : "front matter is read up to 64 KB; a line '---' is missing"
        throw Failure([source.diagnostic(.error, "front-matter", message, at: start, length: 3)])
    }

    /// The line at an offset without its end, and where the next one starts.
    private static func line(at start: Int, in bytes: [UInt8]) -> (line: Range<Int>, next: Int)? {
        guard start < bytes.count else { return nil }
        guard let end = bytes[start...].firstIndex(of: 0x0A) else {
            return (start..<bytes.count, bytes.count)
        }
        return (start..<end, end + 1)
    }

    /// Whether a line is `---`, white space after it aside.
    private static func isFence(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: [0x2D, 0x2D, 0x2D])
            && line.dropFirst(3).allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }
}
