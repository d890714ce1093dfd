import Basics
import Formats

/// JSON lines: an object on every line, whose names are fields.
///
/// A list is several values; `facts` and `facets` are objects of labelled values.
final class JSONLines {
    let source: PreparedFile
    /// The fields of names that came; a file has few.
    private var fields: [String: Field?] = [:]
    private static let fieldLimit = 1000

    init(source: PreparedFile) { self.source = source }

    private func field(_ name: String, _ isReviews: Bool) -> Field? {
        if let known = fields[name] { return known }
        if fields.count > Self.fieldLimit { fields = [:] }
        let field = source.mapping[Synonyms.bare(name)] ?? Synonyms.field(for: name, inReviews: isReviews)
        fields[name] = .some(field)
        return field
    }

    func read(_ sink: any ItemSink) throws {
        let stream = try TextStream(source.file, encoding: source.encoding)
        var bytes: [UInt8] = []
        let isReviews = source.format.isReviews
        while true {
            bytes.removeAll(keepingCapacity: true)
            guard try stream.appendLine(to: &bytes) else { return }
            if bytes.allSatisfy({ $0 <= 0x20 }) { continue }
            let text = SourceText(file: source.path, bytes: bytes)
            let line = stream.line
            let root: JSONNode
            do throws(Failure) { root = try JSON.read(text) } catch {
                let first = error.diagnostics.first
                try sink.refuse(
                    first?.message ?? "this is not JSON", line: line, column: first?.place.column ?? 1)
                continue
            }
            guard case .object(let members) = root.content else {
                try sink.refuse("an object is expected on every line", line: line, column: 1)
                continue
            }
            var item = Item(kind: isReviews ? .review : .product, line: line)
            for member in members { add(member, text, line, isReviews, to: &item, sink) }
            try sink.take(item)
        }
    }

    private func add(
        _ member: JSONMember, _ text: SourceText, _ line: Int, _ isReviews: Bool, to item: inout Item,
        _ sink: any ItemSink
    ) {
        let column = text.position(at: member.offset).column
        if !isReviews, case .object(let values) = member.value.content,
            ["facts", "facets"].contains(member.key)
        {
            for value in values {
                let field: Field = member.key == "facts" ? .fact(value.key) : .facet(value.key)
                for text in Self.texts(value.value) ?? [] {
                    item.add(field, text, line: line, column: column, label: value.key)
                }
            }
            return
        }
        if !source.ignored.isEmpty, source.ignored.contains(Synonyms.bare(member.key)) { return }
        guard let field = field(member.key, isReviews) else {
            sink.warn(
                "import-column", "'\(member.key)' is no field that is known; left out", line: line,
                column: column)
            return
        }
        guard let texts = Self.texts(member.value, isPath: field == .category) else {
            sink.warn(
                "import-cell", "'\(member.key)' is an object, not a value; left out", line: line,
                column: column)
            return
        }
        for text in texts { item.add(field, text, line: line, column: column, label: member.key) }
    }

    /// The values of a node as texts, numbers as they are written; nil for an object.
    ///
    /// - Parameter isPath: whether a list in a list is a path of categories.
    private static func texts(_ node: JSONNode, isPath: Bool = false) -> [String]? {
        switch node.content {
        case .null: return [""]
        case .flag(let flag): return [flag ? "true" : "false"]
        case .number(let text): return [text]
        case .text(let text): return [text]
        case .object: return nil
        case .array(let nodes):
            if nodes.isEmpty { return [""] }
            var out: [String] = []
            for node in nodes {
                guard let texts = texts(node) else { return nil }
                if isPath, case .array = node.content {
                    out.append(texts.joined(separator: " > "))
                } else {
                    out += texts
                }
            }
            return out
        }
    }
}
