public import Basics
import CYAML

/// Reads the YAML that people write by hand: settings and front matter.
///
/// libyaml scans, the tree is ours. What makes a file mean something else than it says is refused: anchors,
/// aliases, tags, merge keys, directives, names that come twice, more than one document (S28). All such faults
/// are reported together; a fault of the syntax ends the reading.
public enum YAML {
    /// The size of the largest file that is read: 1 MB.
    public static let sizeLimit = 1 << 20
    /// How deep lists and mappings may be nested.
    public static let depthLimit = 32
    /// Faults reported before the reading is given up; arbitrary, a screenful.
    static let faultLimit = 20

    /// The value of a whole file; an empty file is ``YAMLNode/Content/absent``.
    ///
    /// - Throws: a ``Failure`` with ids `yaml-syntax`, `yaml-feature`, `yaml-duplicate`, `yaml-limit` or
    ///   `text-encoding`.
    public static func read(_ source: SourceText) throws(Failure) -> YAMLNode {
        try read(source, in: source.start..<source.bytes.count)
    }

    /// The value of a part of a file, with places in the whole of it.
    public static func read(_ source: SourceText, in range: Range<Int>) throws(Failure) -> YAMLNode {
        if range.count > sizeLimit {
            throw Failure(
                "yaml-limit", "YAML is read up to 1 MB; this is \(range.count) bytes", at: .file(source.file))
        }
        try checkText(source, in: range)
        let reader = YAMLEvents(source: source, range: range)
        return try reader.document()
    }

    /// Refuses what is not UTF-8, and the control characters that YAML does not allow, at their place.
    static func checkText(_ source: SourceText, in range: Range<Int>) throws(Failure) {
        let head = source.bytes.prefix(2)
        if head.elementsEqual([0xFF, 0xFE]) || head.elementsEqual([0xFE, 0xFF]) {
            throw Failure(
                "text-encoding", "this is UTF-16; save the file as UTF-8", at: .file(source.file))
        }
        if let fault = UTF8Check.firstFault(in: source.bytes, range: range) {
            let byte = String(source.bytes[fault], radix: 16, uppercase: true)
            throw Failure(
                "text-encoding", "byte 0x\(byte) is not UTF-8; save the file as UTF-8",
                at: source.place(at: fault))
        }
        for i in range where source.bytes[i] < 0x20 || source.bytes[i] == 0x7F {
            switch source.bytes[i] {
            case 0x09, 0x0A, 0x0D: break
            case let byte:
                let code = String(byte, radix: 16, uppercase: true)
                throw Failure([
                    source.diagnostic(
                        .error, "yaml-syntax",
                        "control character U+00\(code.count < 2 ? "0" : "")\(code) is not allowed in YAML",
                        at: i)
                ])
            }
        }
    }
}

/// libyaml's parser over a part of a file. Lives for one document, on one thread.
private final class YAMLEvents {
    private let source: SourceText
    private let range: Range<Int>
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    /// The byte offset of each scalar of the part, if it is not all ASCII: libyaml's marks count scalars.
    /// (Its lines also end at NEL, U+2028 and U+2029, ours do not, so that only the index is of use.)
    private let offsets: [Int]?
    private var faults: [Diagnostic] = []

    init(source: SourceText, range: Range<Int>) {
        self.source = source
        self.range = range
        let bytes = source.bytes[range]
        offsets = bytes.allSatisfy { $0 < 0x80 } ? nil : range.filter { bytes[$0] & 0xC0 != 0x80 }
        let isReady = yaml_parser_initialize(parser)
        precondition(isReady == 1, "libyaml has no memory for a parser")
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    func document() throws(Failure) -> YAMLNode {
        let result = source.bytes.withUnsafeBufferPointer { bytes in
            let part = UnsafeBufferPointer(rebasing: bytes[range])
            // An empty part still needs an address.
            var none: UInt8 = 0
            return withUnsafePointer(to: &none) { none in
                yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
                yaml_parser_set_input_string(parser, part.baseAddress ?? none, part.count)
                return Result<YAMLNode, Failure> { () throws(Failure) in try readDocument() }
            }
        }
        let node = try result.get()
        if !faults.isEmpty { throw Failure(faults) }
        return node
    }

    // MARK: Events

    /// What we need of an event; libyaml's own is freed at once.
    private struct Event {
        var kind: yaml_event_type_t
        var start: Int
        var end: Int
        var text = ""
        var style = YAML_ANY_SCALAR_STYLE
        var hasAnchor = false
        var tag: String?
        var hasDirectives = false
        var isExplicit = false
    }

    private func next() throws(Failure) -> Event {
        var raw = yaml_event_t()
        guard yaml_parser_parse(parser, &raw) == 1 else { throw Failure(faults + [syntaxFault()]) }
        defer { yaml_event_delete(&raw) }
        var event = Event(kind: raw.type, start: offset(raw.start_mark), end: offset(raw.end_mark))
        switch raw.type {
        case YAML_SCALAR_EVENT:
            let scalar = raw.data.scalar
            event.text = String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            event.style = scalar.style
            event.hasAnchor = scalar.anchor != nil
            event.tag = scalar.tag.map { String(cString: $0) }
        case YAML_SEQUENCE_START_EVENT:
            event.hasAnchor = raw.data.sequence_start.anchor != nil
            event.tag = raw.data.sequence_start.tag.map { String(cString: $0) }
        case YAML_MAPPING_START_EVENT:
            event.hasAnchor = raw.data.mapping_start.anchor != nil
            event.tag = raw.data.mapping_start.tag.map { String(cString: $0) }
        case YAML_DOCUMENT_START_EVENT:
            let start = raw.data.document_start
            event.hasDirectives =
                start.version_directive != nil || start.tag_directives.start != start.tag_directives.end
            event.isExplicit = start.implicit == 0
        default: break
        }
        return event
    }

    private func offset(_ mark: yaml_mark_t) -> Int {
        guard let offsets else { return min(range.lowerBound + mark.index, range.upperBound) }
        return mark.index < offsets.count ? offsets[mark.index] : range.upperBound
    }

    /// libyaml's complaint in our words where it is a common one, at the place where it noticed.
    private func syntaxFault() -> Diagnostic {
        let inner = parser.pointee
        let problem = inner.problem.map { String(cString: $0) } ?? "cannot be read"
        if inner.error == YAML_READER_ERROR {
            let code = "U+" + String(inner.problem_value, radix: 16, uppercase: true)
            return source.diagnostic(
                .error, "yaml-syntax", "character \(code) is not allowed in YAML",
                at: range.lowerBound + inner.problem_offset)
        }
        let at = offset(inner.problem_mark)
        let words =
            switch problem {
            case "did not find expected key", "did not find expected '-' indicator":
                "this does not continue what stands above; check the indentation and the quotes"
            case "could not find expected ':'": "a ':' is expected after a name"
            case "mapping values are not allowed in this context":
                "a ':' is not expected here; put text that holds ': ' in quotes"
            case "found character that cannot start any token":
                at < range.upperBound && source.bytes[at] == 0x09
                    ? "indentation is made of blanks, not tabs"
                    : "text that starts with this character needs quotes"
            case "found a tab character where an indentation space is expected",
                "found a tab character that violates indentation":
                "indentation is made of blanks, not tabs"
            case "did not find expected node content":
                "a value is expected here; put text that starts with a sign in quotes"
            case "found unexpected end of stream": "a quote is never closed"
            case "did not find expected ',' or ']'": "a list in '[' never ends with ']', or a ',' is missing"
            case "did not find expected ',' or '}'":
                "a mapping in '{' never ends with '}', or a ',' is missing"
            case "found undefined tag handle": "tags ('!…') are not used here; put the text in quotes"
            default: problem
            }
        // The place of a missing end is the end of the file; where it began helps more.
        let context = offset(inner.context_mark)
        let start = at >= range.upperBound && inner.context != nil && context < at ? context : at
        return source.diagnostic(.error, "yaml-syntax", words, at: start)
    }

    private func report(_ id: String, _ message: String, at offset: Int, length: Int = 1) throws(Failure) {
        faults.append(source.diagnostic(.error, id, message, at: offset, length: length))
        if faults.count >= YAML.faultLimit { throw Failure(faults) }
    }

    // MARK: The tree

    private func readDocument() throws(Failure) -> YAMLNode {
        _ = try next()
        let start = try next()
        if start.kind == YAML_STREAM_END_EVENT {
            return YAMLNode(.absent, offset: range.lowerBound, length: 0)
        }
        if start.hasDirectives {
            try report("yaml-feature", "directives ('%…') are not used here", at: start.start)
        }
        let node = try value(try next(), depth: 0)
        _ = try next()
        let after = try next()
        if after.kind != YAML_STREAM_END_EVENT {
            try report(
                "yaml-feature", "a second document starts here; one file holds one", at: after.start,
                length: 3)
        }
        return node
    }

    /// Reads a value whose first event is here. Recursion is bounded by the limit on depth.
    private func value(_ event: Event, depth: Int) throws(Failure) -> YAMLNode {
        let length = event.end - event.start
        if event.kind == YAML_ALIAS_EVENT {
            try report(
                "yaml-feature", "aliases ('*…') are not used here; write the value out, or put it in quotes",
                at: event.start, length: length)
            return YAMLNode(.absent, offset: event.start, length: length)
        }
        try refuseProperties(of: event)
        switch event.kind {
        case YAML_SCALAR_EVENT: return scalar(event)
        case YAML_SEQUENCE_START_EVENT:
            try checkDepth(depth, at: event.start)
            var elements: [YAMLNode] = []
            while true {
                let next = try next()
                if next.kind == YAML_SEQUENCE_END_EVENT {
                    return YAMLNode(.sequence(elements), offset: event.start, length: max(1, length))
                }
                elements.append(try value(next, depth: depth + 1))
            }
        case YAML_MAPPING_START_EVENT:
            try checkDepth(depth, at: event.start)
            let members = try self.members(depth: depth)
            return YAMLNode(.mapping(members), offset: event.start, length: max(1, length))
        default: preconditionFailure("libyaml gave an event where its grammar has a value")
        }
    }

    private func members(depth: Int) throws(Failure) -> [YAMLMember] {
        var members: [YAMLMember] = []
        var places: [String: Int] = [:]
        while true {
            let name = try next()
            if name.kind == YAML_MAPPING_END_EVENT { return members }
            let length = max(1, name.end - name.start)
            guard name.kind == YAML_SCALAR_EVENT else {
                _ = try value(name, depth: depth + 1)
                if name.kind != YAML_ALIAS_EVENT {
                    try report("yaml-feature", "a name must be text, not a list or a mapping", at: name.start)
                }
                _ = try value(try next(), depth: depth + 1)
                continue
            }
            try refuseProperties(of: name)
            let isPlain = name.style == YAML_PLAIN_SCALAR_STYLE
            let member = YAMLMember(
                key: name.text, offset: name.start, length: length,
                value: try value(try next(), depth: depth + 1))
            if name.text.isEmpty {
                try report("yaml-syntax", "a name is missing before ':'", at: name.start)
            } else if isPlain, name.text == "<<" {
                try report(
                    "yaml-feature", "merge keys ('<<') are not used here; write the settings out",
                    at: name.start,
                    length: 2)
            } else if let first = places[name.text] {
                let line = source.position(at: first).line
                try report(
                    "yaml-duplicate", "'\(name.text)' comes twice; the first is in line \(line)",
                    at: name.start,
                    length: length)
            } else {
                places[name.text] = name.start
                members.append(member)
            }
        }
    }

    private func checkDepth(_ depth: Int, at offset: Int) throws(Failure) {
        if depth < YAML.depthLimit { return }
        throw Failure(
            faults + [
                source.diagnostic(
                    .error, "yaml-limit", "nested more than \(YAML.depthLimit) levels deep", at: offset)
            ])
    }

    private func refuseProperties(of event: Event) throws(Failure) {
        if event.hasAnchor {
            try report(
                "yaml-feature", "anchors ('&…') are not used here; write the value out, or put it in quotes",
                at: event.start)
        }
        if event.tag != nil {
            try report(
                "yaml-feature", "tags ('!…') are not used here; put the text in quotes", at: event.start)
        }
    }

    private func scalar(_ event: Event) -> YAMLNode {
        let length = event.end - event.start
        var style = YAMLScalar.Style.plain
        var start = event.start
        var indentation = 0
        switch event.style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE:
            style = .quoted
            start += 1
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE:
            style = event.style == YAML_LITERAL_SCALAR_STYLE ? .literal : .folded
            (start, indentation) = blockContent(after: event.start, text: event.text)
        default:
            if ["", "~", "null"].contains(event.text) {
                return YAMLNode(.absent, offset: event.start, length: length)
            }
        }
        let scalar = YAMLScalar(text: event.text, style: style, offset: start, indentation: indentation)
        // The mark of a block's end is at the next token; its header is what can be underlined.
        return YAMLNode(
            .scalar(scalar), offset: event.start, length: style == .plain || style == .quoted ? length : 1)
    }

    /// Where the content of a block starts, and its indentation: that of its first line that is not blank,
    /// less the blanks that are part of the text (`|2`).
    private func blockContent(after header: Int, text: String) -> (offset: Int, indentation: Int) {
        let bytes = source.bytes[..<range.upperBound]
        guard let lineEnd = bytes[header...].firstIndex(of: 0x0A) else { return (header, 0) }
        let first = lineEnd + 1
        var at = first
        while let line = bytes[at...].firstIndex(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x0A }) {
            let start = bytes[..<line].lastIndex(of: 0x0A).map { $0 + 1 } ?? at
            let content = text.utf8.first { $0 != 0x0A }
            if content == nil { return (first, 0) }
            let own = text.utf8.drop { $0 == 0x0A }.prefix { $0 == 0x20 }.count
            let indentation = max(0, line - start - own)
            at = first
            while at < line, at - first < indentation, bytes[at] == 0x20 { at += 1 }
            return (at, indentation)
        }
        return (min(first, range.upperBound), 0)
    }
}
