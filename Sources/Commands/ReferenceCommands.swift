import Basics
import Formats
import Site
import Templates

extension Command {
    static let templates = Command(
        name: "templates", summary: "list the kinds of page with the fields that templates may use",
        about: """
            Prints each kind of page with the fields its template may use: name, type, whether a page may lack it, what it \
            is, and a value as it might be. With a KIND, only that one and the records inside it.
            """,
        operands: Operands(usage: "[KIND]", help: "a template's name, such as product", count: 0...1),
        options: [.printJSON], run: { request in answering(request) { try templateReference(request) } })

    static let config = Command(
        name: "config", summary: "print the settings in force, and where each comes from",
        about: """
            Prints every setting with its value and where it comes from: the file, line and column, or the default.
            """,
        options: [.site, .printJSON],
        run: { request in answering(request) { try settingsReference(request) } })
}

extension Option {
    static let printJSON = Option(
        name: "json", value: nil, help: "print JSON", about: "Prints JSON on standard output, for programs."
    ) { request, _ in request.report = "-" }
}

/// Prints what a command says, or why it cannot.
func answering(_ request: Request, _ text: () throws -> String) -> Int32 {
    do {
        let text = try text()
        guard write(text, to: 1) else {
            throw Failure("report", FileError("write", "standard output").description)
        }
        return 0
    } catch {
        printDiagnostics((error as? Failure ?? Failure("internal", "\(error)")).diagnostics)
        return 1
    }
}

// MARK: Templates

private func templateReference(_ request: Request) throws -> String {
    var kinds = try pageSchemas()
    if let name = request.operands.first {
        let known = kinds.map(\.template)
        kinds = kinds.filter { $0.template == name }
        if kinds.isEmpty {
            let near =
                suggestion(for: name, among: known).map { "; did you mean '\($0)'?" } ?? "; there are "
                + known.joined(separator: ", ")
            throw Failure("unknown-template", "'\(name)' is not a template\(near)")
        }
    }
    if request.report != nil { return templateJSON(kinds) }
    var out = ""
    for kind in kinds {
        out += "\(kind.template).mustache: \(kind.schema.name)\n"
        // What all pages have is said once, when all kinds are asked for.
        let shared = request.operands.isEmpty && kind.template != kinds[0].template ? commonFields(kinds) : []
        if !shared.isEmpty { out += "  (and the fields of every page, see \(kinds[0].template).mustache)\n" }
        out += table(of: kind.schema, without: shared) + "\n"
        for part in parts(of: kind.schema) where request.operands.first != nil {
            out += "  \(part.name)\n" + table(of: part, without: []) + "\n"
        }
    }
    if request.operands.isEmpty {
        out += "'build-site templates KIND' also lists the records inside a kind of page.\n"
    }
    return out
}

/// Names of the fields that every page has: those of all kinds but the tile.
private func commonFields(_ kinds: [PageSchema]) -> Set<String> {
    let pages = kinds.filter { $0.template != "tile" }.map { Set($0.schema.entries.map(\.name)) }
    guard let first = pages.first else { return [] }
    return pages.dropFirst().reduce(first) { $0.intersection($1) }
}

private func table(of schema: Schema, without left: Set<String>) -> String {
    let entries = schema.entries.filter { !left.contains($0.name) }
    let width = min(24, (entries.map(\.name.count).max() ?? 0) + 2)
    return entries.map { entry in
        let name = entry.name.count < width ? entry.name.padded(to: width) : entry.name + "  "
        var text = "\(entry.kind.description)\(entry.isOptional ? ", optional" : ""): \(entry.documentation)"
        if !entry.sample.isEmpty { text += " E.g. \(entry.sample)" }
        return "  \(name)\(text)\n"
    }.joined()
}

/// The records inside a kind of page, at any depth, each once; the theme's texts are not listed one by one.
private func parts(of schema: Schema) -> [Schema] {
    var out: [Schema] = []
    var waiting = [schema]
    while !waiting.isEmpty {
        for entry in waiting.removeFirst().entries {
            var kind = entry.kind
            if case .list(let element) = kind { kind = element }
            guard case .record(let part) = kind, entry.name != "text", part != schema, !out.contains(part)
            else {
                continue
            }
            out.append(part)
            waiting.append(part)
        }
    }
    return out
}

private func templateJSON(_ kinds: [PageSchema]) -> String {
    var writer = JSONWriter(isPretty: true)
    func fields(_ schema: Schema, _ writer: inout JSONWriter, within: [Schema]) {
        writer.array { writer in
            for entry in schema.entries {
                writer.object { writer in
                    for (key, text) in [
                        ("name", entry.name), ("type", entry.kind.description),
                        ("about", entry.documentation),
                        ("sample", entry.sample),
                    ] where !text.isEmpty {
                        writer.key(key)
                        writer.value(text)
                    }
                    writer.key("optional")
                    writer.value(entry.isOptional)
                    var kind = entry.kind
                    if case .list(let element) = kind { kind = element }
                    if case .record(let part) = kind, !within.contains(part), entry.name != "text" {
                        writer.key("fields")
                        fields(part, &writer, within: within + [part])
                    }
                }
            }
        }
    }
    writer.object { writer in
        for kind in kinds {
            writer.key(kind.template)
            fields(kind.schema, &writer, within: [kind.schema])
        }
    }
    return String(decoding: writer.bytes, as: UTF8.self) + "\n"
}

// MARK: Settings

private func settingsReference(_ request: Request) throws -> String {
    let settings = try settingsInForce(request.build)
    if request.report != nil {
        var writer = JSONWriter(isPretty: true)
        writer.object { writer in
            for setting in settings {
                writer.key(setting.key)
                writer.object { writer in
                    writer.key("value")
                    if let value = setting.value { writer.value(value) } else { writer.null() }
                    writer.key("origin")
                    writer.value(origin(setting))
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
    let width = (settings.map(\.key.count).max() ?? 0) + 2
    return settings.map { setting in
        let value = setting.value.map { $0.printable(limit: 80) } ?? "–"
        return "\(setting.key.padded(to: width))\(value.padded(to: 44))  \(origin(setting))\n"
    }.joined()
}

private func origin(_ setting: SettingInForce) -> String {
    guard let place = setting.place, let file = place.file else { return "default" }
    return "\(file):\(place.line ?? 1):\(place.column ?? 1)"
}

extension String {
    /// The text with spaces after it, so that it takes a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
