public import Basics

/// A value of a JSON document with its place.
public struct JSONNode: Hashable, Sendable {
    /// What a node holds.
    public enum Content: Hashable, Sendable {
        case null
        case flag(Bool)
        /// A number as it is written: no digit is lost.
        case number(String)
        case text(String)
        case array([JSONNode])
        /// Values by name in the order of the file; no name comes twice.
        case object([JSONMember])
    }

    /// What it holds.
    public let content: Content
    /// Where it starts, in bytes from the start of the file.
    public let offset: Int

    /// A node at a place; places do not matter to a writer.
    public init(_ content: Content, offset: Int = 0) {
        self.content = content
        self.offset = offset
    }

    /// The value of a name, for objects; nil when the name is not there.
    public subscript(key: String) -> JSONNode? {
        guard case .object(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text, for texts.
    public var text: String? { if case .text(let text) = content { text } else { nil } }

    /// The number, for whole numbers that fit: written without a point and an exponent.
    public var integer: Int? { if case .number(let text) = content { Int(text) } else { nil } }

    /// The number, for numbers that fit; the nearest there is.
    public var number: Double? {
        guard case .number(let text) = content, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// `true` or `false`.
    public var flag: Bool? { if case .flag(let flag) = content { flag } else { nil } }
}

/// A name and its value in a JSON object.
public struct JSONMember: Hashable, Sendable {
    /// The name; it may be empty.
    public let key: String
    /// Where the name starts (its quote), in bytes from the start of the file.
    public let offset: Int
    /// What stands after the colon.
    public let value: JSONNode

    /// A member at a place; places do not matter to a writer.
    public init(key: String, value: JSONNode, offset: Int = 0) {
        self.key = key
        self.value = value
        self.offset = offset
    }
}

/// Reads JSON as RFC 8259 has it, and nothing that only looks like it.
///
/// No byte order mark, no trailing commas, no comments; UTF-8 must be well formed and escapes of surrogates
/// come in pairs. A name that comes twice in an object is an error: which one is meant nobody can know (S29).
public enum JSON {
    /// The size of the largest file that is read: 256 MB.
    public static let sizeLimit = 256 << 20
    /// Duplicate names reported before the reading is given up; arbitrary, a screenful.
    static let faultLimit = 20

    /// The value of a whole file.
    ///
    /// - Parameter depth: how deep arrays and objects may be nested, at most 512.
    /// - Throws: a ``Failure`` with ids `json-syntax`, `json-duplicate`, `json-limit` or `text-encoding`.
    public static func read(_ source: SourceText, depth: Int = 16) throws(Failure) -> JSONNode {
        try parse(source, depth: depth, each: nil, skipping: { _ in nil }) { _, _, _ in }
    }

    /// The value of a whole file, but the elements of one array are handed over one by one and not kept.
    ///
    /// For files whose tree would not fit: `each: ["customers"]` gives the elements of the array of that name in
    /// the outermost object, an empty path those of an outermost array; `body` gets the element and its index.
    /// A fault after an element is found after the element was handed over: keep nothing if this throws.
    public static func read(
        _ source: SourceText, depth: Int = 16, each path: [String], _ body: (JSONNode, Int) -> Void
    ) throws(Failure) -> JSONNode {
        try parse(source, depth: depth, each: path, skipping: { _ in nil }) { node, index, _ in
            body(node, index)
        }
    }

    /// The same, for a file of which parts are known from a reading before.
    ///
    /// - Parameters:
    ///   - skipping: gets where an element begins; where it ends, if the bytes there are known to be one whole value: it is then
    ///     neither read nor handed over. Nil for any other.
    ///   - body: gets where the element is as well.
    public static func read(
        _ source: SourceText, depth: Int = 16, each path: [String], skipping: (Int) -> Int?,
        _ body: (JSONNode, Int, Range<Int>) -> Void
    ) throws(Failure) -> JSONNode {
        try parse(source, depth: depth, each: path, skipping: skipping, body)
    }

    private static func parse(
        _ source: SourceText, depth: Int, each path: [String]?, skipping: (Int) -> Int?,
        _ body: (JSONNode, Int, Range<Int>) -> Void
    ) throws(Failure) -> JSONNode {
        precondition(depth <= 512, "the parser recurses; deeper documents need a bigger stack")
        if source.bytes.count > sizeLimit {
            throw Failure(
                "json-limit", "JSON is read up to 256 MB; this is \(source.bytes.count) bytes",
                at: .file(source.file))
        }
        let head = source.bytes.prefix(2)
        if head.elementsEqual([0xFF, 0xFE]) || head.elementsEqual([0xFE, 0xFF]) {
            throw Failure("text-encoding", "this is UTF-16; save the file as UTF-8", at: .file(source.file))
        }
        if source.start > 0 {
            throw Failure(
                "text-encoding", "JSON starts with a byte order mark; save the file as UTF-8 without it",
                at: .json(file: source.file, line: 1, column: 1, path: ""))
        }
        if let fault = UTF8Check.firstFault(in: source.bytes, range: 0..<source.bytes.count) {
            let byte = String(source.bytes[fault], radix: 16, uppercase: true)
            let (line, column) = source.position(at: fault)
            throw Failure(
                "text-encoding", "byte 0x\(byte) is not UTF-8; save the file as UTF-8",
                at: .json(file: source.file, line: line, column: column, path: ""))
        }
        let result = source.bytes.withUnsafeBufferPointer { bytes in
            withoutActuallyEscaping(skipping) { skipping in
                withoutActuallyEscaping(body) { body in
                    var parser = JSONParser(
                        source: source, bytes: bytes, depthLimit: depth, streamed: path, skipping: skipping,
                        body: body)
                    return Result<JSONNode, Failure> { () throws(Failure) in try parser.document() }
                }
            }
        }
        return try result.get()
    }
}

/// A step from a JSON value to one inside it.
enum JSONStep: Hashable {
    case key(String)
    case index(Int)
}

extension [JSONStep] {
    /// The way as in JavaScript: `customers[3].lists["my wishes"][0]`.
    var path: String {
        var out = ""
        for step in self {
            switch step {
            case .index(let index): out += "[\(index)]"
            case .key(let key):
                let isName =
                    key.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) } ?? false
                    && key.unicodeScalars.allSatisfy {
                        "a"..."z" ~= $0 || "A"..."Z" ~= $0 || "0"..."9" ~= $0 || $0 == "_" || $0 == "-"
                    }
                out += isName ? (out.isEmpty ? key : "." + key) : "[\"\(key)\"]"
            }
        }
        return out
    }
}

/// A recursive parser over well-formed UTF-8; recursion is bounded by the limit on depth.
private struct JSONParser {
    let source: SourceText
    let bytes: UnsafeBufferPointer<UInt8>
    let depthLimit: Int
    /// The way to the array whose elements are handed over.
    let streamed: [String]?
    let skipping: (Int) -> Int?
    let body: (JSONNode, Int, Range<Int>) -> Void
    var at = 0
    /// The way to the value that is being read, for messages.
    var steps: [JSONStep] = []
    var faults: [Diagnostic] = []
    /// Bytes of a text with escapes; kept for its memory.
    var buffer: [UInt8] = []

    init(
        source: SourceText, bytes: UnsafeBufferPointer<UInt8>, depthLimit: Int, streamed: [String]?,
        skipping: @escaping (Int) -> Int?, body: @escaping (JSONNode, Int, Range<Int>) -> Void
    ) {
        self.source = source
        self.bytes = bytes
        self.depthLimit = depthLimit
        self.streamed = streamed
        self.skipping = skipping
        self.body = body
    }

    mutating func document() throws(Failure) -> JSONNode {
        skipBlanks()
        if at == bytes.count { throw failure("the file is empty; a value is expected") }
        let node = try value()
        skipBlanks()
        if at < bytes.count { throw failure("nothing more is expected after the value, saw \(seen)") }
        if !faults.isEmpty { throw Failure(faults) }
        return node
    }

    private func place(at offset: Int) -> Diagnostic.Place {
        let (line, column) = source.position(at: offset)
        return .json(file: source.file, line: line, column: column, path: steps.path)
    }

    private func failure(_ message: String, at offset: Int? = nil, id: String = "json-syntax") -> Failure {
        let offset = offset ?? at
        let plain = source.diagnostic(.error, id, message, at: offset)
        return Failure(
            faults + [Diagnostic(.error, id, message, at: place(at: offset), excerpt: plain.excerpt)])
    }

    /// What stands here, for messages.
    private var seen: String {
        guard at < bytes.count else { return "the end of the file" }
        var end = at + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return "'\(String(decoding: bytes[at..<end], as: UTF8.self))'"
    }

    private mutating func skipBlanks() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x0A, 0x0D, 0x09: at += 1
            default: return
            }
        }
    }

    private mutating func value() throws(Failure) -> JSONNode {
        guard at < bytes.count else { throw failure("a value is expected, saw the end of the file") }
        let start = at
        switch bytes[at] {
        case UInt8(ascii: "{"): return JSONNode(.object(try object()), offset: start)
        case UInt8(ascii: "["): return JSONNode(.array(try array()), offset: start)
        case UInt8(ascii: "\""): return JSONNode(.text(try text()), offset: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONNode(.number(try number()), offset: start)
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw failure("a value is expected, saw \(seen)")
        }
    }

    private mutating func word(_ word: StaticString, _ content: JSONNode.Content) throws(Failure) -> JSONNode
    {
        let start = at
        let end = at + word.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[at..<end].elementsEqual(expected) else {
            throw failure("a value is expected, saw \(seen); texts go in double quotes")
        }
        at = end
        return JSONNode(content, offset: start)
    }

    private mutating func enter() throws(Failure) {
        if steps.count >= depthLimit {
            throw failure("nested more than \(depthLimit) levels deep", id: "json-limit")
        }
        at += 1
        skipBlanks()
    }

    private mutating func array() throws(Failure) -> [JSONNode] {
        let isStreamed =
            streamed.map { $0.count == steps.count && zip(steps, $0).allSatisfy { $0 == .key($1) } } ?? false
        try enter()
        var elements: [JSONNode] = []
        if at < bytes.count, bytes[at] == UInt8(ascii: "]") {
            at += 1
            return elements
        }
        var index = 0
        steps.append(.index(0))
        while true {
            if !isStreamed {
                elements.append(try value())
            } else if let end = skipping(at) {
                precondition(end > at && end <= bytes.count, "what is skipped is not in the file")
                at = end
            } else {
                let start = at
                body(try value(), index, start..<at)
            }
            skipBlanks()
            guard at < bytes.count, bytes[at] == UInt8(ascii: ",") else { break }
            at += 1
            index += 1
            steps[steps.count - 1] = .index(index)
            skipBlanks()
            if at < bytes.count, bytes[at] == UInt8(ascii: "]") {
                throw failure("a value is expected after ','")
            }
        }
        steps.removeLast()
        guard at < bytes.count, bytes[at] == UInt8(ascii: "]") else {
            throw failure("',' or ']' is expected, saw \(seen)")
        }
        at += 1
        return elements
    }

    private mutating func object() throws(Failure) -> [JSONMember] {
        try enter()
        var members: [JSONMember] = []
        if at < bytes.count, bytes[at] == UInt8(ascii: "}") {
            at += 1
            return members
        }
        // Few names are compared one by one, many through a table: a file of one object must not be quadratic.
        var places: [String: Int] = [:]
        steps.append(.key(""))
        while true {
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
                steps.removeLast()
                throw failure(
                    members.isEmpty
                        ? "a name in double quotes is expected, saw \(seen)"
                        : "a name in double quotes is expected after ',', saw \(seen)")
            }
            let start = at
            let key = try text()
            steps[steps.count - 1] = .key(key)
            skipBlanks()
            guard at < bytes.count, bytes[at] == UInt8(ascii: ":") else {
                throw failure("':' is expected after a name, saw \(seen)")
            }
            at += 1
            skipBlanks()
            let node = try value()
            if members.count == 16 { for member in members { places[member.key] = member.offset } }
            let first =
                members.count < 16
                ? members.first { $0.key == key }?.offset : places.updateValue(start, forKey: key)
            if let first { try reportDuplicate(key, at: start, first: first) }
            members.append(JSONMember(key: key, value: node, offset: start))
            skipBlanks()
            guard at < bytes.count, bytes[at] == UInt8(ascii: ",") else { break }
            at += 1
            skipBlanks()
        }
        steps.removeLast()
        guard at < bytes.count, bytes[at] == UInt8(ascii: "}") else {
            throw failure("',' or '}' is expected, saw \(seen)")
        }
        at += 1
        return members
    }

    private mutating func reportDuplicate(_ key: String, at offset: Int, first: Int) throws(Failure) {
        let (line, column) = source.position(at: first)
        let fault = failure(
            "'\(key)' comes twice in this object; the first is at \(line):\(column)", at: offset,
            id: "json-duplicate")
        faults = fault.diagnostics
        if faults.count >= JSON.faultLimit { throw fault }
    }

    private mutating func number() throws(Failure) -> String {
        let start = at
        if bytes[at] == UInt8(ascii: "-") { at += 1 }
        if at < bytes.count, bytes[at] == UInt8(ascii: "0") {
            at += 1
            if at < bytes.count, isDigit(bytes[at]) {
                throw failure("a number has no leading zeros", at: start)
            }
        } else {
            try digits(since: start)
        }
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            at += 1
            try digits(since: start)
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") { at += 1 }
            try digits(since: start)
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private mutating func digits(since start: Int) throws(Failure) {
        guard at < bytes.count, isDigit(bytes[at]) else {
            throw failure("a digit is expected in a number, saw \(seen)")
        }
        while at < bytes.count, isDigit(bytes[at]) { at += 1 }
    }

    private mutating func text() throws(Failure) -> String {
        let open = at
        at += 1
        var start = at
        var isSimple = true
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""):
                let run = UnsafeBufferPointer(rebasing: bytes[start..<at])
                at += 1
                if isSimple { return String(decoding: run, as: UTF8.self) }
                buffer.append(contentsOf: run)
                return String(decoding: buffer, as: UTF8.self)
            case UInt8(ascii: "\\"):
                if isSimple { buffer.removeAll(keepingCapacity: true) }
                isSimple = false
                buffer.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<at]))
                try escape()
                start = at
            case 0..<0x20:
                let code = String(bytes[at], radix: 16, uppercase: true)
                throw failure(
                    bytes[at] == 0x0A
                        ? "a text ends on its line; write '\\n' for a line break, or close the quote"
                        : "control character U+00\(code.count < 2 ? "0" : "")\(code) must be escaped in a text"
                )
            default: at += 1
            }
        }
        throw failure("this quote is never closed", at: open)
    }

    private mutating func escape() throws(Failure) {
        let start = at
        at += 1
        guard at < bytes.count else { throw failure("this escape is cut short", at: start) }
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal(since: start)
            if 0xD800..<0xDC00 ~= code, at + 1 < bytes.count, bytes[at] == UInt8(ascii: "\\"),
                bytes[at + 1] == UInt8(ascii: "u")
            {
                at += 2
                let low = try hexadecimal(since: start)
                if 0xDC00..<0xE000 ~= low { code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00) }
            }
            guard let scalar = Unicode.Scalar(code) else {
                throw failure("this escape is half of a pair; the other half is missing", at: start)
            }
            buffer.append(contentsOf: String(scalar).utf8)
        default: throw failure("this escape is not one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", at: start)
        }
    }

    private mutating func hexadecimal(since start: Int) throws(Failure) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard at < bytes.count else { throw failure("this escape is cut short", at: start) }
            let digit: UInt8
            switch bytes[at] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = bytes[at] - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = bytes[at] - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = bytes[at] - UInt8(ascii: "A") + 10
            default: throw failure("'\\u' wants four hexadecimal digits", at: start)
            }
            code = code << 4 | UInt32(digit)
            at += 1
        }
        return code
    }
}
