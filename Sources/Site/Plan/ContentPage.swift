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
    let fingerprint: Fingerprint

    /// Reads all `*.md` of a folder, in the order of their place in the footer.
    static func read(_ folder: Directory?, taken: Set<String>, log: inout [Diagnostic]) throws -> [ContentPage] {
        guard let folder else { return [] }
        var pages: [ContentPage] = []
        var faults: [Diagnostic] = []
        var owners: [String: String] = [:]
        for name in try folder.names() where name.hasSuffix(".md") && !name.hasPrefix(".") {
            let source = SourceText(file: folder.joined(name), bytes: try folder.contents(of: name, limit: 1 << 20))
            do {
                let page = try ContentPage(source, name: String(name.dropLast(3)), log: &log)
                let segment = String(page.path.dropLast(5))
                if taken.contains(segment) || isReservedName(segment) {
                    faults.append(
                        Diagnostic(
                            .error, "page-clash", "the address '\(page.path)' is the generator's own; rename the file",
                            at: .file(source.file)))
                }
                if let other = owners.updateValue(source.file, forKey: page.path) {
                    faults.append(
                        Diagnostic(
                            .error, "page-clash", "has the address '\(page.path)', as \(other) has; rename one of them",
                            at: .file(source.file)))
                }
                pages.append(page)
            } catch {
                faults += error.diagnostics
            }
        }
        if !faults.isEmpty { throw Failure(faults.sortedByPlace()) }
        return pages.sorted { ($0.order, $0.path) < ($1.order, $1.path) }
    }

    private init(_ source: SourceText, name: String, log: inout [Diagnostic]) throws(Failure) {
        guard let text = String(validating: source.bytes, as: UTF8.self) else {
            throw Failure("text-encoding", "the page is not UTF-8", at: .file(source.file))
        }
        let front = try FrontMatter(of: source)
        let reader = SettingsReader(front.settings, of: source)
        let settings = reader.settings
        title = settings.required("title").text() ?? ""
        summary = settings["description"].text()
        isInFooter = settings["menu"].choice(of: ["footer", "none"]) != "none"
        order = settings["order"].integer(in: 0...10_000) ?? 1000
        let address = settings["slug"].text()
        try reader.finish()
        let segment = slug(of: address ?? name)
        guard !segment.isEmpty else {
            throw Failure("empty-slug", "gives no address; name one with 'slug:'", at: .file(source.file))
        }
        path = segment + ".html"
        let body = String(decoding: text.utf8.dropFirst(front.bodyOffset), as: UTF8.self)
        let result = contentPage(markdown: Self.linkingPages(Self.withoutHeading(body)))
        html = result.html
        for issue in result.issues {
            log.append(Diagnostic(.warning, issue.id, issue.message, at: .file(source.file)))
        }
        fingerprint = Fingerprint(of: source.bytes)
    }

    /// The body with links to Markdown files (`[us](about.md#team)`), as editors write them, leading to their pages.
    private static func linkingPages(_ text: String) -> String {
        guard text.contains(".md") else { return text }
        var out = ""
        var rest = Substring(text)
        while let start = rest.firstRange(of: "](")?.upperBound {
            out += rest[..<start]
            let end = rest[start...].firstIndex { $0 == ")" || $0.isWhitespace } ?? rest.endIndex
            let target = rest[start..<end]
            let file = target.prefix { $0 != "#" }
            if file.hasSuffix(".md"), !file.contains("/"), !file.contains(":") {
                out += slug(of: String(file.dropLast(3))) + ".html" + target.dropFirst(file.count)
            } else {
                out += target
            }
            rest = rest[end...]
        }
        return out + rest
    }

    /// The body without a first-level heading at its start: the page's title stands there already.
    private static func withoutHeading(_ text: String) -> String {
        let trimmed = text.drop { $0.isWhitespace }
        guard trimmed.hasPrefix("# ") else { return text }
        return trimmed.firstIndex(where: \.isNewline).map { String(trimmed[$0...]) } ?? ""
    }
}
