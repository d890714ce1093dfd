public import Basics
import CExpat

/// Reads XML as a stream of elements with bounded depth, names and texts. Belongs to one thread.
///
/// A document type is refused, and with it every entity but the five of XML; nothing outside the file is ever
/// asked for; processing instructions and comments mean nothing (S27).
public final class XMLStream {
    /// The largest file that is read unless told otherwise: 64 MB.
    public static let sizeLimit = 64 << 20
    /// Limits of one document: levels, attributes of an element, bytes of a name.
    static let depthLimit = 32, attributeLimit = 100, nameLimit = 256
    /// Bytes between two points at which expat can go on: a tag that never ends must not fill the memory.
    private static let tokenLimit = 1 << 20

    /// What comes next in the file.
    public enum Event {
        /// An element begins. Its prefix is no part of its name: `g:price` is `price` with prefix `g`.
        case start(name: String, prefix: String, attributes: [(name: String, value: String)])
        /// A piece of text; a text may come in several.
        case text(UnsafeBufferPointer<UInt8>)
        /// The element that began last and is still open ends.
        case end
    }

    private let source: TextStream
    private let parser: XML_Parser
    private let body: (Event, XMLStream) throws(Failure) -> Void
    private var depth = 0
    private var failure: Failure?

    /// Reads a whole document and hands its elements and texts to `body` in their order.
    ///
    /// - Parameter isLarge: read it even if it is larger than ``sizeLimit``.
    /// - Throws: a ``Failure`` with ids `xml-syntax`, `xml-doctype`, `xml-limit`; what `body` throws.
    public static func read(
        _ source: TextStream, isLarge: Bool = false,
        _ body: @escaping (Event, XMLStream) throws(Failure) -> Void
    ) throws(Failure) {
        if source.file.size > sizeLimit, !isLarge {
            throw Failure(
                "xml-limit",
                "XML is read up to 64 MB; this is \(source.file.size) bytes: split it, or say --large",
                at: .file(source.file.path))
        }
        guard let parser = XML_ParserCreate("UTF-8") else {
            throw Failure("xml-limit", "no memory is left", at: .file(source.file.path))
        }
        let stream = XMLStream(source, parser, body)
        defer { XML_ParserFree(parser) }
        try stream.run()
    }

    /// The encoding of a document by its declaration, for one without byte order mark; nil when none is declared.
    ///
    /// - Throws: `text-encoding` when the one that is declared is none that is read.
    public static func declaredEncoding(in start: [UInt8], file: String) throws(Failure) -> TextEncoding? {
        let head = String(decoding: start.prefix(256), as: UTF8.self)
        guard head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>"),
            let name = head[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let parts = head[name.upperBound..<end.lowerBound].split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "\"" || $0 == "'" })
        guard parts.count > 1 else { return nil }
        guard let encoding = TextEncoding(named: String(parts[1])) else {
            throw Failure(
                "text-encoding", "'\(parts[1])' is no encoding that is read; save the file as UTF-8",
                at: .text(file: file, line: 1, column: 1))
        }
        return encoding
    }

    private init(
        _ source: TextStream, _ parser: XML_Parser,
        _ body: @escaping (Event, XMLStream) throws(Failure) -> Void
    ) {
        self.source = source
        self.parser = parser
        self.body = body
    }

    /// Where the event that is being handled begins.
    public var place: Diagnostic.Place {
        .text(file: source.file.path, line: line, column: Int(XML_GetCurrentColumnNumber(parser)) + 1)
    }

    /// The line of the event that is being handled, from 1.
    public var line: Int { Int(XML_GetCurrentLineNumber(parser)) }

    private func run() throws(Failure) {
        // expat calls only while it parses, and the stream lives as long as this call.
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { XMLStream.of($0).start($1, $2) }, { stream, _ in XMLStream.of(stream).end() })
        XML_SetCharacterDataHandler(parser) { XMLStream.of($0).text($1, $2) }
        XML_SetStartDoctypeDeclHandler(parser) { stream, _, _, _, _ in
            XMLStream.of(stream).stop(
                "xml-doctype",
                "a document type (<!DOCTYPE …>) is not read: it can make a small file huge, or read others; remove it"
            )
        }
        XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER)
        var fed = 0
        while true {
            let chunk = try source.chunk()
            let bytes = chunk ?? []
            fed += bytes.count
            let status = bytes.withUnsafeBytes { bytes in
                XML_Parse(
                    parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
                    chunk == nil ? 1 : 0)
            }
            if let failure { throw failure }
            guard status == XML_STATUS_OK else {
                let code = XML_GetErrorCode(parser)
                throw Failure("xml-syntax", Self.words(code), at: place)
            }
            if chunk == nil { return }
            if fed - Int(XML_GetCurrentByteIndex(parser)) > Self.tokenLimit {
                throw Failure("xml-limit", "a tag or comment of more than 1 MB", at: place)
            }
        }
    }

    private static func words(_ code: XML_Error) -> String {
        switch code {
        case XML_ERROR_NO_ELEMENTS: return "the file ends before its elements do; is it cut off?"
        case XML_ERROR_UNCLOSED_TOKEN: return "the file ends inside a tag; is it cut off?"
        case XML_ERROR_UNDEFINED_ENTITY:
            return "this entity is not one of &amp; &lt; &gt; &quot; &apos;; write the character itself"
        case XML_ERROR_TAG_MISMATCH: return "this tag closes an element that is not the one that is open"
        case XML_ERROR_DUPLICATE_ATTRIBUTE: return "an attribute comes twice in this tag"
        case XML_ERROR_INVALID_TOKEN:
            return "this is not XML: a character that may not stand here, or bytes that are none"
        default:
            let words = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
            return "this is not XML: \(words)"
        }
    }

    // MARK: expat's calls

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLStream {
        guard let pointer else { preconditionFailure("expat lost its user data") }
        return Unmanaged<XMLStream>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func stop(_ id: String, _ message: String) { stop(Failure(id, message, at: place)) }

    private func stop(_ failure: Failure) {
        if self.failure == nil { self.failure = failure }
        XML_StopParser(parser, 0)
    }

    private func hand(_ event: Event) {
        do throws(Failure) { try body(event, self) } catch { stop(error) }
    }

    private func start(
        _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        // expat may call once more after it was told to stop.
        guard failure == nil, let name else { return }
        depth += 1
        if depth > Self.depthLimit {
            return stop("xml-limit", "nested more than \(Self.depthLimit) levels deep")
        }
        guard let short = Self.localName(name) else {
            return stop("xml-limit", "a name of more than \(Self.nameLimit) bytes")
        }
        var found: [(name: String, value: String)] = []
        var i = 0
        while let attributes, let name = attributes[i], let value = attributes[i + 1] {
            guard let short = Self.localName(name) else {
                return stop("xml-limit", "a name of more than \(Self.nameLimit) bytes")
            }
            found.append((short.name, String(cString: value)))
            i += 2
            if found.count > Self.attributeLimit {
                return stop("xml-limit", "more than \(Self.attributeLimit) attributes in a tag")
            }
        }
        hand(.start(name: short.name, prefix: short.prefix, attributes: found))
    }

    private func end() {
        guard failure == nil else { return }
        depth -= 1
        hand(.end)
    }

    private func text(_ text: UnsafePointer<CChar>?, _ count: Int32) {
        guard failure == nil, let text else { return }
        text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
            hand(.text(UnsafeBufferPointer(start: $0, count: Int(count))))
        }
    }

    /// The name and its prefix; nil when it is too long.
    private static func localName(_ name: UnsafePointer<CChar>) -> (name: String, prefix: String)? {
        let text = String(cString: name)
        guard text.utf8.count <= nameLimit else { return nil }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return (text, "") }
        return (String(text[text.utf8.index(after: colon)...]), String(text[..<colon]))
    }
}

@available(*, unavailable)
extension XMLStream: Sendable {}
