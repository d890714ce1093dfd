import Basics

/// Writes JSON piece by piece: objects keep the order in which their members are written.
///
/// `<`, `>`, `&` and the line separators of JavaScript are written as `\u` escapes, so that the result may
/// stand in a `script` element as well (S3).
public struct JSONWriter {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []
    private let isPretty: Bool
    private var depth = 0
    /// Nothing was written yet in the array or object that is open.
    private var isFirst = true
    private var followsKey = false

    /// An empty document; `isPretty` puts every value on a line of its own, indented by two blanks a level.
    public init(isPretty: Bool = false) { self.isPretty = isPretty }

    /// Writes an object; `body` writes its members.
    public mutating func object<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        open(UInt8(ascii: "{"))
        try body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array; `body` writes its elements.
    public mutating func array<E: Error>(_ body: (inout JSONWriter) throws(E) -> Void) throws(E) {
        open(UInt8(ascii: "["))
        try body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes the name of the next value of an object.
    public mutating func key(_ name: String) {
        precondition(!followsKey, "a key has no value")
        separate()
        bytes.appendJSON(name)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
        followsKey = true
    }

    /// Writes a text.
    public mutating func value(_ text: String) {
        separate()
        bytes.appendJSON(text)
    }

    /// Writes a whole number.
    public mutating func value(_ number: Int) {
        separate()
        bytes.append(decimal: number)
    }

    /// Writes a number, `null` for infinities and NaN, which JSON does not have.
    public mutating func value(_ number: Double) {
        separate()
        bytes.append(number.isFinite ? number.description : "null")
    }

    /// Writes `true` or `false`.
    public mutating func value(_ flag: Bool) {
        separate()
        bytes.append(flag ? "true" : "false" as StaticString)
    }

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append("null" as StaticString)
    }

    /// Writes a tree, numbers as they were read.
    public mutating func value(_ node: JSONNode) {
        switch node.content {
        case .null: null()
        case .flag(let flag): value(flag)
        case .text(let text): value(text)
        case .number(let text):
            separate()
            bytes.append(text)
        case .array(let elements): array { writer in for element in elements { writer.value(element) } }
        case .object(let members):
            object { writer in
                for member in members {
                    writer.key(member.key)
                    writer.value(member.value)
                }
            }
        }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        isFirst = true
    }

    private mutating func close(_ bracket: UInt8) {
        precondition(!followsKey, "a key has no value")
        depth -= 1
        if !isFirst { breakLine() }
        bytes.append(bracket)
        isFirst = false
    }

    private mutating func separate() {
        if followsKey {
            followsKey = false
            return
        }
        if depth > 0 {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            breakLine()
        }
        isFirst = false
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { bytes.append("  " as StaticString) }
    }
}

extension [UInt8] {
    /// Appends a text as a JSON string with its quotes, safe inside a `script` element (S3).
    public mutating func appendJSON(_ text: String) {
        var text = text
        append(UInt8(ascii: "\""))
        text.withUTF8 { bytes in
            var start = 0
            var i = 0
            while i < bytes.count {
                var length = 1
                let replacement: StaticString
                switch bytes[i] {
                case UInt8(ascii: "\""): replacement = "\\\""
                case UInt8(ascii: "\\"): replacement = "\\\\"
                case UInt8(ascii: "<"): replacement = "\\u003c"
                case UInt8(ascii: ">"): replacement = "\\u003e"
                case UInt8(ascii: "&"): replacement = "\\u0026"
                case 0x0A: replacement = "\\n"
                case 0x0D: replacement = "\\r"
                case 0x09: replacement = "\\t"
                case 0..<0x20, 0x7F: replacement = "\\u00"
                case 0xE2 where i + 2 < bytes.count && bytes[i + 1] == 0x80 && bytes[i + 2] & 0xFE == 0xA8:
                    replacement = bytes[i + 2] == 0xA8 ? "\\u2028" : "\\u2029"
                    length = 3
                default:
                    i += 1
                    continue
                }
                append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<i]))
                append(replacement)
                // The escapes of other controls get their two digits.
                if replacement.utf8CodeUnitCount == 4 {
                    let hex = Array("0123456789abcdef".utf8)
                    append(hex[Int(bytes[i] >> 4)])
                    append(hex[Int(bytes[i] & 15)])
                }
                i += length
                start = i
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        append(UInt8(ascii: "\""))
    }
}
