import Basics

/// What names stand for.
extension Compiler {
    /// The way to a name's value and what kind it has; nil, and reported, if there is none.
    mutating func resolve(_ tag: Tag, _ scope: Scope) -> (Program.Path, Schema.Kind)? {
        if tag.name == ".", let kind = scope.shape.last {
            return (Program.Path(level: Int16(scope.shape.count - 1), count: 0, first: 0), kind)
        }
        let parts = tag.name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for level in scope.shape.indices.reversed() {
            guard case .record(let schema) = scope.shape[level],
                let (index, kind) = schema.field(parts[0])
            else { continue }
            return follow(parts, from: (level, index, kind), tag, scope)
        }
        if rules == .checked {
            var owners: [String] = []
            var known: [String] = []
            for case .record(let schema) in scope.shape.reversed() where !owners.contains(schema.name) {
                owners.append(schema.name)
                known += schema.entries.map(\.name)
            }
            let owner = owners.isEmpty ? "anything here" : owners.joined(separator: " or ")
            let near = suggestion(for: parts[0], among: known).map { near in
                ([near] + parts.dropFirst()).joined(separator: ".")
            }
            report(
                "unknown-field", "'\(tag.name)' is not a field of \(owner)" + hint(near), tag, scope.source)
        }
        return nil
    }

    private mutating func follow(
        _ parts: [String], from first: (level: Int, index: Int, kind: Schema.Kind), _ tag: Tag, _ scope: Scope
    ) -> (Program.Path, Schema.Kind)? {
        var indices = [Int32(first.index)]
        var kind = first.kind
        for i in parts.indices.dropFirst() {
            guard case .record(let schema) = kind else {
                let owner = parts[..<i].joined(separator: ".")
                let advice = if case .list = kind { "; write {{#\(owner)}}…{{/\(owner)}}" } else { "" }
                if rules == .checked {
                    report(
                        "not-a-record", "'\(owner)' is \(kind.noun) and has no field '\(parts[i])'\(advice)",
                        tag,
                        scope.source)
                }
                return nil
            }
            guard let (index, next) = schema.field(parts[i]) else {
                if rules == .checked {
                    let near = suggestion(for: parts[i], among: schema.entries.map(\.name)).map { near in
                        (parts[..<i] + [near] + parts[(i + 1)...]).joined(separator: ".")
                    }
                    report(
                        "unknown-field", "'\(parts[i])' is not a field of \(schema.name)" + hint(near), tag,
                        scope.source)
                }
                return nil
            }
            indices.append(Int32(index))
            kind = next
        }
        var path = Program.Path(level: Int16(first.level), count: Int16(indices.count), first: indices[0])
        if indices.count > 1 {
            path.first = Int32(program.fields.count)
            program.fields += indices
        }
        return (path, kind)
    }
}
