import Basics
import Markup

/// The theme's style sheets, scripts and pictures, under names that hold a hash of their content.
///
/// A name covers all that the file refers to: pictures are named first, then the style sheets that hold their names;
/// and a script after those that it imports.
struct Assets: Sendable {
    /// A file to write.
    struct File: Sendable {
        let path: String
        let bytes: [UInt8]
    }

    private(set) var files: [File] = []
    private(set) var styleSheet = ""
    /// The colours that notes may have; few pages need them.
    private(set) var palette = ""
    private(set) var icon = ""
    /// Where each script of the theme is, by its path there.
    private var scripts: [String: String] = [:]
    /// Where each further style sheet is, by its path in the theme.
    private var styleSheets: [String: String] = [:]

    /// What a kind of page loads besides `style.css`. Each script is a module of its own element, so that a fault in one
    /// does not stop another; a file that a site's theme lacks is left out.
    private static let scripts: [(file: String, kinds: Set<PageKind>)] = [
        ("cards.js", Set(PageKind.allCases)),
        ("pictures.js", [.product, .index, .home, .customer]),
    ]
    private static let styleSheets: [(file: String, kinds: Set<PageKind>)] = [
        ("home.css", [.home]),
        ("pictures.css", [.product, .index, .home, .customer]),
    ]

    /// The scripts of a kind of page, in the order in which they run.
    func scripts(of kind: PageKind) -> [String] {
        Self.scripts.filter { $0.kinds.contains(kind) }.compactMap { scripts[$0.file] }
    }

    /// The style sheets of a kind of page besides ``styleSheet``.
    func styleSheets(of kind: PageKind) -> [String] {
        Self.styleSheets.filter { $0.kinds.contains(kind) }.compactMap { styleSheets[$0.file] }
    }

    /// Changes whenever a name does.
    var fingerprint: Fingerprint { Fingerprint(of: files.map(\.path).joined(separator: "\n")) }

    init(_ theme: Theme) throws(Failure) {
        var names: [String: String] = [:]
        for path in theme.paths(below: "images") {
            guard let source = theme[path] else { continue }
            names[path] = add(source.bytes, path)
        }
        guard let icon = names["images/icon.svg"], let style = theme["style.css"] else {
            throw Failure(
                "missing-theme-file", "the theme needs 'style.css' and 'images/icon.svg'",
                at: .file("templates"))
        }
        self.icon = icon
        let css = try Self.replacingAddresses(in: style, with: names)
        styleSheet = add(packedStyleSheet(css), "style.css")
        palette = add(Array(Sanitiser.paletteStylesheet.utf8), "palette.css")
        for path in theme.paths(suffix: ".css") where path != "style.css" {
            guard let source = theme[path] else { continue }
            let css = try Self.replacingAddresses(in: source, with: names)
            styleSheets[path] = add(packedStyleSheet(css), path)
        }
        for path in theme.paths(suffix: ".js") { try addScript(path, of: theme, importedBy: []) }
    }

    /// Adds a script after those that it imports, with their names in place of their paths.
    ///
    /// - Parameter importers: the scripts that led here, to find a circle.
    private mutating func addScript(_ path: String, of theme: Theme, importedBy importers: [String])
        throws(Failure)
    {
        guard scripts[path] == nil, let source = theme[path] else { return }
        var out: [UInt8] = []
        var copied = 0
        for specifier in ModuleSpecifiers(source.bytes) {
            let imported = String(specifier.text.dropFirst(2))
            guard theme[imported] != nil, imported.hasSuffix(".js") else {
                let near = suggestion(for: imported, among: theme.paths(suffix: ".js"))
                throw Failure(
                    [
                        source.diagnostic(
                            .error, "unknown-asset",
                            "'\(specifier.text)' is no script of the theme"
                                + (near.map { "; did you mean './\($0)'?" } ?? ""),
                            at: specifier.range.lowerBound, length: specifier.range.count)
                    ])
            }
            guard imported != path, !importers.contains(imported) else {
                throw Failure(
                    [
                        source.diagnostic(
                            .error, "unknown-asset",
                            "'\(specifier.text)' imports this script in turn, so that neither can be named by its "
                                + "content; move what both need into a third",
                            at: specifier.range.lowerBound, length: specifier.range.count)
                    ])
            }
            try addScript(imported, of: theme, importedBy: importers + [path])
            out.append(contentsOf: source.bytes[copied..<specifier.range.lowerBound])
            out.append(contentsOf: "./\(scripts[imported]!.dropFirst("assets/".count))".utf8)
            copied = specifier.range.upperBound
        }
        out.append(contentsOf: source.bytes[copied...])
        scripts[path] = add(out, path)
    }

    private mutating func add(_ bytes: [UInt8], _ path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let dot = file.lastIndex(of: ".") ?? file.endIndex
        let name = "assets/\(slug(of: String(file[..<dot])))-\(Fingerprint(of: bytes).short)\(file[dot...])"
        files.append(File(path: name, bytes: bytes))
        return name
    }

    /// The style sheet with each `url(images/…)` replaced by the name of that file, which lies beside it.
    private static func replacingAddresses(in source: SourceText, with names: [String: String])
        throws(Failure) -> [UInt8]
    {
        let mark = Array("url(".utf8)
        var out: [UInt8] = []
        var faults: [Diagnostic] = []
        var at = 0
        while at < source.bytes.count {
            guard source.bytes[at] == mark[0], source.bytes[at...].starts(with: mark) else {
                out.append(source.bytes[at])
                at += 1
                continue
            }
            let start = at + mark.count
            let end = source.bytes[start...].firstIndex(of: UInt8(ascii: ")")) ?? source.bytes.count
            var address = String(decoding: source.bytes[start..<end], as: UTF8.self)
            if let quote = address.first, quote == "\"" || quote == "'" {
                address = String(address.dropFirst().dropLast())
            }
            if address.hasPrefix("data:") {
                out.append(contentsOf: source.bytes[at..<min(end + 1, source.bytes.count)])
            } else if let name = names[address] {
                out.append("url(\(name.dropFirst("assets/".count)))")
            } else {
                let near =
                    suggestion(for: address, among: names.keys.sorted()).map { "; did you mean '\($0)'?" }
                    ?? ""
                faults.append(
                    source.diagnostic(
                        .error, "unknown-asset", "'\(address)' is no file of the theme\(near)", at: start,
                        length: end - start))
            }
            at = end + 1
        }
        if !faults.isEmpty { throw Failure(faults) }
        return out
    }
}
