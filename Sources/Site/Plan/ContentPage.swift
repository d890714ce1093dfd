import Basics
import Formats
import Markup

/// A page that the site's owner wrote in Markdown.
struct ContentPage: Sendable {
    let title: String
    let summary: String?
    let path: String
    /// Whether the footer leads to it, and where it stands there.
    let isInFooter: Bool
    let order: Int
    let html: SafeHTML

    /// Reads all `*.md` of a folder, in the order of their place in the footer.
    static func read(_ folder: Directory?, taken: Set<String>, log: inout [Diagnostic]) throws
        -> [ContentPage]
    {
        guard let folder else { return [] }
        var drafts: [Draft] = []
        var faults: [Diagnostic] = []
        for name in try folder.names() where name.hasSuffix(".md") && !name.hasPrefix(".") {
            let source = SourceText(
                file: folder.joined(name), bytes: try folder.contents(of: name, limit: 1 << 20))
            do {
                drafts.append(try Draft(source, name: name))
            } catch {
                faults += error.diagnostics
            }
        }
        var owners: [String: String] = [:]
        for draft in drafts {
            let segment = String(draft.path.dropLast(5))
            if taken.contains(segment) || isReservedName(segment) {
                faults.append(
                    Diagnostic(
                        .error, "page-clash",
                        "the address '\(draft.path)' is the generator's own; rename the file",
                        at: .file(draft.source.file)))
            }
            if let other = owners.updateValue(draft.source.file, forKey: draft.path) {
                faults.append(
                    Diagnostic(
                        .error, "page-clash",
                        "has the address '\(draft.path)', as \(other) has; rename one of them",
                        at: .file(draft.source.file)))
            }
        }
        if !faults.isEmpty { throw Failure(faults.sortedByPlace()) }
        // All addresses are known before the first page is rendered: pages link to each other by file name.
        let paths = Dictionary(drafts.map { ($0.name, $0.path) }) { first, _ in first }
        return drafts.map { ContentPage($0, paths: paths, log: &log) }
            .sorted { ($0.order, $0.path) < ($1.order, $1.path) }
    }

    /// A page whose settings are read and whose text is not yet rendered.
    private struct Draft {
        let source: SourceText
        /// The file's name.
        let name: String
        let title: String
        let summary: String?
        let path: String
        let isInFooter: Bool
        let order: Int
        let body: String

        init(_ source: SourceText, name: String) throws(Failure) {
            guard let text = String(validating: source.bytes, as: UTF8.self) else {
                throw Failure("text-encoding", "the page is not UTF-8", at: .file(source.file))
            }
            let front = try FrontMatter(of: source)
            let reader = SettingsReader(front.settings, of: source)
            let settings = reader.settings
            self.source = source
            self.name = name
            title = settings.required("title").text() ?? ""
            summary = settings["description"].text()
            isInFooter = settings["menu"].choice(of: ["footer", "none"]) != "none"
            order = settings["order"].integer(in: 0...10_000) ?? 1000
            let address = settings["slug"].text()
            try reader.finish()
            let segment = slug(of: address ?? String(name.dropLast(3)))
            guard !segment.isEmpty else {
                throw Failure("empty-slug", "gives no address; name one with 'slug:'", at: .file(source.file))
            }
            path = segment + ".html"
            body = String(decoding: text.utf8.dropFirst(front.bodyOffset), as: UTF8.self)
        }
    }

    private init(_ draft: Draft, paths: [String: String], log: inout [Diagnostic]) {
        title = draft.title
        summary = draft.summary
        path = draft.path
        isInFooter = draft.isInFooter
        order = draft.order
        var unknown: [String] = []
        let body = Self.linking(Self.withoutHeading(draft.body), to: paths, unknown: &unknown)
        let result = contentPage(markdown: body)
        html = result.html
        for issue in result.issues {
            log.append(Diagnostic(.warning, issue.id, issue.message, at: .file(draft.source.file)))
        }
        for target in unknown {
            let near =
                suggestion(for: target, among: paths.keys.sorted()).map { "; did you mean '\($0)'?" } ?? ""
            log.append(
                Diagnostic(
                    .warning, "unknown-page", "links to '\(target)', which is no page\(near)",
                    at: .file(draft.source.file)))
        }
    }

    /// The body with inline links to Markdown files (`[us](about.md#team)`), as editors write them, leading to their
    /// pages. Code is left as it is.
    private static func linking(_ text: String, to paths: [String: String], unknown: inout [String]) -> String
    {
        guard text.contains(".md") else { return text }
        var isFenced = false
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let start = line.drop { $0 == " " }
            if start.hasPrefix("```") || start.hasPrefix("~~~") { isFenced.toggle() }
            if isFenced || line.hasPrefix("    ") || line.hasPrefix("\t") || line.contains("`") {
                lines.append(String(line))
                continue
            }
            var out = ""
            var rest = line
            while let start = rest.firstRange(of: "](")?.upperBound {
                out += rest[..<start]
                let end = rest[start...].firstIndex { $0 == ")" || $0 == " " } ?? rest.endIndex
                let target = rest[start..<end]
                let file = String(target.prefix { $0 != "#" })
                if file.hasSuffix(".md"), !file.contains("/"), !file.contains(":") {
                    if paths[file] == nil { unknown.append(file) }
                    out += (paths[file] ?? file) + target.dropFirst(file.count)
                } else {
                    out += target
                }
                rest = rest[end...]
            }
            lines.append(out + rest)
        }
        return lines.joined(separator: "\n")
    }

    /// The body without a first-level heading at its start: the page's title stands there already.
    private static func withoutHeading(_ text: String) -> String {
        let trimmed = text.drop { $0.isWhitespace }
        guard trimmed.hasPrefix("# ") else { return text }
        return trimmed.firstIndex(where: \.isNewline).map { String(trimmed[$0...]) } ?? ""
    }
}
