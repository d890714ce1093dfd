import Basics
import Formats

/// An element of XML that is one product or review, with the texts inside it.
struct XMLRecord {
    /// A text or attribute.
    struct Entry {
        /// Names from the record's child down, `ratings/overall`; an attribute's name stands after `@`.
        var path: String
        var prefix: String
        var text: String
        var line: Int, column: Int
    }

    /// The record's own name and where it begins.
    var name: String
    var line: Int, column: Int
    var entries: [Entry] = []
    /// Attributes of the elements around it, the outermost first, with the element's name.
    var around: [(element: String, attribute: String, value: String)] = []
    /// What makes it of no use.
    var fault: (message: String, line: Int, column: Int)?

    /// The texts of a path; those with a prefix (`g:id`) before those without, for feeds that have both.
    func all(_ path: String) -> [Entry] {
        let found = entries.filter { $0.path == path && !$0.text.isEmpty }
        return found.contains { !$0.prefix.isEmpty } ? found.filter { !$0.prefix.isEmpty } : found
    }
}

/// Reads the records of an XML file one at a time.
enum XMLRecords {
    /// Bytes of one text, and texts of one record (S27).
    private static let textLimit = 16 << 10, entryLimit = 500

    /// The elements that are records.
    static let names: Set<String> = ["item", "entry", "review"]

    /// An element that is open.
    private struct Open {
        var name: String, prefix: String
        var attributes: [(name: String, value: String)]
        var line: Int, column: Int
        var text: [UInt8] = []
    }

    private final class State {
        var above: [Open] = []
        /// Elements inside the record, the record first.
        var inside: [Open] = []
        var record: XMLRecord?
    }

    /// Calls `body` with every record; what it throws ends the reading.
    static func read(
        _ source: TextStream, isLarge: Bool, _ body: @escaping (XMLRecord, XMLStream) throws(Failure) -> Void
    ) throws(Failure) {
        let state = State()
        try XMLStream.read(source, isLarge: isLarge) { event, stream throws(Failure) in
            switch event {
            case .start(let name, let prefix, let attributes):
                let (line, column) = (stream.place.line ?? 0, stream.place.column ?? 0)
                let open = Open(
                    name: name, prefix: prefix, attributes: attributes, line: line, column: column)
                if state.record == nil {
                    guard names.contains(name) else {
                        state.above.append(open)
                        return
                    }
                    var record = XMLRecord(name: name, line: line, column: column)
                    for element in state.above {
                        record.around += element.attributes.map { (element.name, $0.name, $0.value) }
                    }
                    state.record = record
                }
                state.inside.append(open)
                let path = state.inside.dropFirst().map(\.name).joined(separator: "/")
                for attribute in attributes {
                    add(path + "@" + attribute.name, prefix, attribute.value, line, column, to: state)
                }
            case .text(let bytes):
                guard let last = state.inside.indices.last else { return }
                if state.inside[last].text.count + bytes.count > textLimit {
                    state.inside[last].text = []
                    fail("'\(state.inside[last].name)' has more than 16 kB", state.inside[last], in: state)
                    return
                }
                if state.record?.fault == nil { state.inside[last].text.append(contentsOf: bytes) }
            case .end:
                guard let closed = state.inside.last else {
                    state.above.removeLast()
                    return
                }
                let path = state.inside.dropFirst().map(\.name).joined(separator: "/")
                state.inside.removeLast()
                if !path.isEmpty {
                    let text = String(decoding: closed.text, as: UTF8.self).trimmed
                    add(path, closed.prefix, text, closed.line, closed.column, to: state)
                }
                if state.inside.isEmpty, let record = state.record {
                    state.record = nil
                    try body(record, stream)
                }
            }
        }
    }

    private static func add(
        _ path: String, _ prefix: String, _ text: String, _ line: Int, _ column: Int, to state: State
    ) {
        guard let count = state.record?.entries.count else { return }
        if count >= entryLimit {
            if let record = state.record {
                fail(
                    "more than \(entryLimit) texts",
                    Open(
                        name: record.name, prefix: "", attributes: [], line: record.line,
                        column: record.column), in: state)
            }
            return
        }
        state.record?.entries.append(
            .init(path: path, prefix: prefix, text: text, line: line, column: column))
    }

    private static func fail(_ message: String, _ element: Open, in state: State) {
        if state.record?.fault == nil { state.record?.fault = (message, element.line, element.column) }
    }
}
