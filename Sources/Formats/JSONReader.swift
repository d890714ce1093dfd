public import Basics

/// Reads the values of a JSON document and collects what is wrong with them, all of it, for one report.
///
/// ```swift
/// let reader = JSONReader(source)
/// let root = try JSON.read(source, each: ["customers"]) { node, index in
///     let customer = reader.value(node, at: "customers", index: index)
///     guard let name = customer["name"].text() else { return }
/// }
/// ```
///
/// Belongs to one thread.
public final class JSONReader {
    /// The file.
    public let source: SourceText
    /// What was found so far.
    public private(set) var diagnostics: [Diagnostic] = []
    /// Line and column at every 4096th byte: a file may have a fault in each of a million lines.
    private lazy var marks = makeMarks()
    private static let stride = 4096
    /// The place that was asked for last: whoever asks for many does so from the first to the last.
    private var latest = (offset: 0, line: 1, column: 1)

    /// A reader of values from this file.
    public init(_ source: SourceText) { self.source = source }

    /// The outermost value.
    public func value(_ root: JSONNode) -> JSONValue { JSONValue(node: root, way: nil, reader: self) }

    /// An element of an array that was handed over by ``JSON/read(_:depth:each:_:)``.
    public func value(_ element: JSONNode, at names: String..., index: Int) -> JSONValue {
        let array = names.reduce(nil) { JSONWay($0, .key($1)) }
        return JSONValue(node: element, way: JSONWay(array, .index(index)), reader: self)
    }

    /// Throws everything if any of it is an error; warnings alone are left in ``diagnostics``.
    public func finish() throws(Failure) {
        if diagnostics.contains(where: { $0.severity == .error }) {
            throw Failure(diagnostics.sortedByPlace())
        }
    }

    fileprivate func add(
        _ severity: Diagnostic.Severity, _ id: String, _ message: String, at offset: Int, _ way: JSONWay?
    ) {
        diagnostics.append(Diagnostic(severity, id, message, at: place(at: offset, way)))
    }

    fileprivate func place(at offset: Int, _ way: JSONWay?) -> Diagnostic.Place {
        let (line, column) = position(at: offset)
        return .json(file: source.file, line: line, column: column, path: way.path)
    }

    fileprivate func position(at offset: Int) -> (line: Int, column: Int) {
        let end = min(offset, source.bytes.count)
        if end < latest.offset || end - latest.offset > Self.stride {
            let mark = min(end / Self.stride, marks.count - 1)
            latest = (min(mark * Self.stride, source.bytes.count), marks[mark].line, marks[mark].column)
        }
        var (start, line, column) = latest
        source.bytes.withUnsafeBufferPointer { bytes in
            while start < end {
                Self.advance(&line, &column, bytes[start])
                start += 1
            }
        }
        latest = (end, line, column)
        return (line, column)
    }

    private func makeMarks() -> [(line: Int, column: Int)] {
        var marks: [(line: Int, column: Int)] = []
        var line = 1
        var column = 1
        for (i, byte) in source.bytes.enumerated() {
            if i % Self.stride == 0 { marks.append((line, column)) }
            Self.advance(&line, &column, byte)
        }
        if marks.isEmpty || source.bytes.count % Self.stride == 0 { marks.append((line, column)) }
        return marks
    }

    private static func advance(_ line: inout Int, _ column: inout Int, _ byte: UInt8) {
        if byte == 0x0A {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
    }
}

@available(*, unavailable)
extension JSONReader: Sendable {}

/// The way to a value, from its end: values share what leads to them, and one that nobody asks for costs one step.
final class JSONWay: Sendable {
    private let before: JSONWay?
    private let step: JSONStep

    init(_ before: JSONWay?, _ step: JSONStep) {
        self.before = before
        self.step = step
    }

    fileprivate var steps: [JSONStep] { (before?.steps ?? []) + [step] }
}

extension JSONWay? {
    fileprivate var path: String { (self?.steps ?? []).path }
}

/// A value of a JSON document with the way to it: `customers[3].lists.wish[0].product`.
///
/// The reading functions return nil for `null` and names that are not there, and also, after an error is noted,
/// for a value of another kind.
public struct JSONValue {
    /// The value in the file.
    public let node: JSONNode
    let way: JSONWay?
    let reader: JSONReader
    var isMissing = false

    /// The way from the outermost value, for messages.
    public var path: String { way.path }

    /// Where the value is, or the object it is missing from.
    public var place: Diagnostic.Place { reader.place(at: node.offset, way) }

    /// The same without the way, for a message that may never be needed. Both count from 1.
    public var position: (line: Int, column: Int) { reader.position(at: node.offset) }

    /// Whether there is a value other than `null`.
    public var isGiven: Bool { if case .null = node.content { false } else { true } }

    /// The value of a name; one that is not there counts as `null`.
    public subscript(key: String) -> JSONValue {
        let way = JSONWay(way, .key(key))
        if let value = node[key] { return JSONValue(node: value, way: way, reader: reader) }
        return JSONValue(
            node: JSONNode(.null, offset: node.offset), way: way, reader: reader, isMissing: true)
    }

    /// The elements of an array.
    public func elements() -> [JSONValue] {
        switch node.content {
        case .array(let nodes):
            return nodes.enumerated().map { index, node in
                JSONValue(node: node, way: JSONWay(way, .index(index)), reader: reader)
            }
        case .null: return []
        default:
            expects("an array")
            return []
        }
    }

    /// The members of an object with the place of their names.
    public func members() -> [(key: String, place: Diagnostic.Place, value: JSONValue)] {
        switch node.content {
        case .object(let members):
            return members.map { member in
                let way = JSONWay(way, .key(member.key))
                let value = JSONValue(node: member.value, way: way, reader: reader)
                return (member.key, reader.place(at: member.offset, way), value)
            }
        case .null: return []
        default:
            expects("an object")
            return []
        }
    }

    /// A text.
    public func text() -> String? {
        if let text = node.text { return text }
        if isGiven { expects("text") }
        return nil
    }

    /// A text, or a number as it is written: an id may be either.
    public func textOrNumber() -> String? {
        if case .number(let text) = node.content { return text }
        return text()
    }

    /// A whole number.
    public func integer(in range: ClosedRange<Int>? = nil) -> Int? {
        guard let number = node.integer else {
            if isGiven { expects("a whole number") }
            return nil
        }
        if let range, !range.contains(number) {
            error("json-range", "\(number) is outside \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// A number.
    public func number() -> Double? {
        if let number = node.number { return number }
        if isGiven { expects("a number") }
        return nil
    }

    /// `true` or `false`.
    public func flag() -> Bool? {
        if let flag = node.flag { return flag }
        if isGiven { expects("true or false") }
        return nil
    }

    /// Reports the names of an object that are not among those known, as warnings.
    public func warnUnknown(known: [String]) {
        guard case .object(let members) = node.content else { return }
        for member in members where !known.contains(member.key) {
            let near =
                suggestion(for: member.key, among: known).map { "; did you mean '\($0)'?" } ?? "; left out"
            reader.add(
                .warning, "unknown-member", "'\(member.key)' is not known here\(near)", at: member.offset,
                way)
        }
    }

    /// Adds an error about this value.
    public func error(_ id: String, _ message: String) {
        reader.add(.error, id, message, at: node.offset, way)
    }

    /// Adds a warning about this value.
    public func warning(_ id: String, _ message: String) {
        reader.add(.warning, id, message, at: node.offset, way)
    }

    /// Adds an error that says what is expected here and what was seen.
    public func expects(_ what: String) {
        let seen =
            switch node.content {
            case .null: isMissing ? "nothing" : "null"
            case .flag(let flag): "\(flag)"
            case .number(let text): text
            case .text(let text): "'\(text.prefix(60))'"
            case .array: "an array"
            case .object: "an object"
            }
        error("json-type", "\(what) is expected, saw \(seen)")
    }
}

@available(*, unavailable)
extension JSONValue: Sendable {}
