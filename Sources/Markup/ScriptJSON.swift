import Basics

/// A JSON value for a `script` element of type `application/json` or `ld+json` (S3).
///
/// `< > &` and U+2028, U+2029 are written as `\u` escapes: no text can end the element, open a comment in it or be
/// taken for a line end. The same bytes are good JSON anywhere else.
public indirect enum ScriptJSON: Hashable, Sendable {
    /// One key of an object with its value.
    public struct Member: Hashable, Sendable {
        /// The key, as it stands in the object.
        public let key: String
        /// What the key stands for.
        public let value: ScriptJSON

        /// A key with its value.
        public init(_ key: String, _ value: ScriptJSON) {
            self.key = key
            self.value = value
        }
    }

    /// Keys in the order in which they are written; the caller sees to it that none occurs twice.
    case object([Member])
    /// Values in order.
    case array([ScriptJSON])
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number as text, such as a price; text that is no JSON number is written as a string.
    case decimal(String)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null
    /// What a ``ScriptJSONWriter`` wrote.
    case written(ScriptJSONWriter.Written)

    /// The value as it goes into the script element.
    public var html: SafeHTML { SafeHTML(trusted: bytes) }

    /// The value as JSON in UTF-8, without white space.
    public var bytes: [UInt8] {
        // What is written is not written once more.
        if case .written(let written) = self { return written.bytes }
        var out = ByteBuffer(capacity: 1024)
        append(to: &out)
        return out.array
    }

    /// Depth is the depth of our own data structures, hence the recursion.
    private func append(to out: inout ByteBuffer) {
        switch self {
        case .object(let members):
            out.append(UInt8(ascii: "{"))
            for (i, member) in members.enumerated() {
                if i > 0 { out.append(UInt8(ascii: ",")) }
                Self.append(member.key, to: &out)
                out.append(UInt8(ascii: ":"))
                member.value.append(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        case .array(let values):
            out.append(UInt8(ascii: "["))
            for (i, value) in values.enumerated() {
                if i > 0 { out.append(UInt8(ascii: ",")) }
                value.append(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .string(let text): Self.append(text, to: &out)
        case .integer(let number): out.append(decimal: Int(number))
        case .decimal(let text):
            if Self.isNumber(Array(text.utf8)) { out.append(text) } else { Self.append(text, to: &out) }
        case .bool(let value): out.append(value ? "true" : "false" as StaticString)
        case .null: out.append("null" as StaticString)
        case .written(let written): out.append(contentsOf: written.bytes)
        }
    }

    fileprivate static func append(_ text: String, to out: inout ByteBuffer) {
        out.append(UInt8(ascii: "\""))
        appendEscaped(text, to: &out)
        out.append(UInt8(ascii: "\""))
    }

    fileprivate static func appendEscaped(_ text: String, to out: inout ByteBuffer) {
        text.withBytes { bytes in
            var start = out.appendScriptPlain(bytes)
            if start == bytes.count { return }
            var i = start
            while start < bytes.count {
                i = firstScriptSpecial(in: bytes, from: i)
                if i == bytes.count { break }
                let byte = bytes[i]
                var length = 1
                let escape: StaticString
                switch byte {
                case UInt8(ascii: "\""): escape = "\\\""
                case UInt8(ascii: "\\"): escape = "\\\\"
                case 0x0A: escape = "\\n"
                case 0x09: escape = "\\t"
                case 0x0D: escape = "\\r"
                case 0xE2
                where bytes.starts(with: "\u{2028}", at: i) || bytes.starts(with: "\u{2029}", at: i):
                    escape = bytes[i + 2] == 0xA8 ? "\\u2028" : "\\u2029"
                    length = 3
                case 0xE2:
                    i += 1
                    continue
                default: escape = "\\u00"
                }
                out.append(UnsafeBufferPointer(rebasing: bytes[start..<i]))
                out.append(escape)
                if escape.utf8CodeUnitCount == 4 {
                    let digits: StaticString = "0123456789abcdef"
                    out.append(digits.utf8Start[Int(byte >> 4)])
                    out.append(digits.utf8Start[Int(byte & 15)])
                }
                i += length
                start = i
            }
            out.append(UnsafeBufferPointer(rebasing: bytes[start...]))
        }
    }

    /// The grammar of RFC 8259, section 6.
    private static func isNumber(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        func digits() -> Int {
            let n = rest.prefix { $0.isASCIIDigit }.count
            rest = rest.dropFirst(n)
            return n
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let leadingZero = rest.first == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !leadingZero || whole == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}

/// Writes JSON for a script element piece by piece, without building a value first: for what every product has.
///
/// Keys are fixed text; brackets must be closed by the caller, which a precondition checks at the end.
public struct ScriptJSONWriter: ~Copyable {
    /// JSON that is whole and escaped; only a writer makes it.
    public struct Written: Hashable, Sendable {
        let bytes: [UInt8]
    }

    /// Many values that are whole and escaped, in one piece of memory: each of its own would be a place to look at that is in no
    /// cache of the processor.
    public struct Collection: Sendable {
        private var bytes: [UInt8] = []
        private var ends: [Int] = []

        /// No values.
        public init() {}

        /// How many there are.
        public var count: Int { ends.count }

        /// Adds a value.
        public mutating func append(_ value: Written) {
            bytes += value.bytes
            ends.append(bytes.count)
        }

        fileprivate func withBytes(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
            let range = (index == 0 ? 0 : ends[index - 1])..<ends[index]
            bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
        }
    }

    private var bytes = ByteBuffer(capacity: 2048)
    private var depth = 0
    private var isFirst = true

    /// Nothing yet.
    public init() {}

    /// Begins an object, as a value or an element.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    /// Ends the object that was begun last.
    public mutating func endObject() { end(UInt8(ascii: "}")) }

    /// Begins an array.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }

    /// Ends the array that was begun last.
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes a key; its value comes next. The key is written as it stands and must need no escape.
    @inline(__always)
    public mutating func key(_ name: StaticString) {
        let comma = isFirst ? 0 : 1
        let length = name.utf8CodeUnitCount
        bytes.write(upTo: length + 4) { out in
            if comma == 1 { out[0] = UInt8(ascii: ",") }
            out[comma] = UInt8(ascii: "\"")
            (out + comma + 1).update(from: name.utf8Start, count: length)
            out[comma + length + 1] = UInt8(ascii: "\"")
            out[comma + length + 2] = UInt8(ascii: ":")
            return comma + length + 3
        }
        isFirst = true
    }

    /// Writes a text.
    public mutating func value(_ text: String) {
        separate()
        ScriptJSON.append(text, to: &bytes)
    }

    /// Writes a text that is made of two.
    public mutating func value(_ start: String, _ end: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        ScriptJSON.appendEscaped(start, to: &bytes)
        ScriptJSON.appendEscaped(end, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number.
    public mutating func value(_ number: Int) {
        separate()
        bytes.append(decimal: number)
    }

    /// Writes the elements of an array that was written before, into the array that is open.
    public mutating func elements(of array: Written) {
        array.bytes.withUnsafeBufferPointer { appendElements(of: $0) }
    }

    /// Writes the elements of one of many arrays that were written before.
    public mutating func elements(of arrays: borrowing Collection, at index: Int) {
        arrays.withBytes(at: index) { appendElements(of: $0) }
    }

    private mutating func appendElements(of array: UnsafeBufferPointer<UInt8>) {
        guard array.count > 2 else { return }
        precondition(array[0] == UInt8(ascii: "["), "only an array has elements")
        separate()
        bytes.append(UnsafeBufferPointer(rebasing: array.dropFirst().dropLast()))
    }

    /// Writes a key with a text.
    @inline(__always)
    public mutating func member(_ name: StaticString, _ text: String) {
        key(name)
        value(text)
    }

    /// Writes a key with fixed text, which must need no escape either.
    @inline(__always)
    public mutating func member(_ name: StaticString, fixed text: StaticString) {
        key(name)
        isFirst = false
        let length = text.utf8CodeUnitCount
        bytes.write(upTo: length + 2) { out in
            out[0] = UInt8(ascii: "\"")
            (out + 1).update(from: text.utf8Start, count: length)
            out[length + 1] = UInt8(ascii: "\"")
            return length + 2
        }
    }

    /// The value that was written.
    public func finish() -> ScriptJSON { .written(written()) }

    /// The value that was written, to be put into others.
    public func written() -> Written {
        precondition(depth == 0 && bytes.count > 0, "every bracket that is opened is closed")
        return Written(bytes: bytes.array)
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        isFirst = true
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        depth -= 1
        isFirst = false
    }
}
