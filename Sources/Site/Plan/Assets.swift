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
    /// Icons for the web app's manifest: the drawn one at any size, and pixels for systems that want those.
    private(set) var appIcons: [(path: String, sizes: String, type: String)] = []
    /// The service worker's source; it has one address for ever, so it is no asset.
    private(set) var serviceWorker: [UInt8] = []
    /// Where each script of the theme is, by its path there.
    private var scripts: [String: String] = [:]
    /// Where each further style sheet is, by its path in the theme.
    private var styleSheets: [String: String] = [:]

    /// What a kind of page loads besides `style.css`. Each script is a module of its own element, so that a fault in one
    /// does not stop another; a file that a site's theme lacks is left out.
    private static let scripts:
        [(file: String, kinds: Set<PageKind>, isWanted: @Sendable (SiteSettings) -> Bool)] = [
            ("cards.js", Set(PageKind.allCases), { _ in true }),
            ("reviews.js", [.reviews], { _ in true }),
            ("lists.js", Set(PageKind.allCases), { $0.hasMyLists }),
            ("pictures.js", [.product, .index, .home, .customer, .myLists, .search], { _ in true }),
            ("product-search.js", [.myLists], { $0.hasMyLists && $0.hasSearch }),
            ("my-lists.js", [.myLists], { $0.hasMyLists }),
            ("search-box.js", Set(PageKind.allCases), { $0.hasSearch }),
            ("search.js", [.search], { $0.hasSearch }), ("filters.js", [.index], { $0.hasSearch }),
            (
                "offline.js", Set(PageKind.allCases).subtracting([.customer, .notFound, .redirect]),
                { $0.isOffline }
            ),
        ]
    private static let styleSheets:
        [(file: String, kinds: Set<PageKind>, isWanted: @Sendable (SiteSettings) -> Bool)] = [
            ("browse.css", [.index, .home, .search, .categories, .facet], { _ in true }),
            ("home.css", [.home], { _ in true }),
            ("lists.css", [.customer, .myLists], { _ in true }),
            ("search.css", [.index, .search], { $0.hasSearch }),
        ]

    /// The scripts of a kind of page, in the order in which they run.
    func scripts(of kind: PageKind, _ settings: SiteSettings) -> [String] {
        Self.scripts.filter { $0.kinds.contains(kind) && $0.isWanted(settings) }
            .compactMap { scripts[$0.file] }
    }

    /// The style sheets of a kind of page besides ``styleSheet``.
    func styleSheets(of kind: PageKind, _ settings: SiteSettings) -> [String] {
        Self.styleSheets.filter { $0.kinds.contains(kind) && $0.isWanted(settings) }
            .compactMap { styleSheets[$0.file] }
    }

    /// Whether the site's settings have a use for a file that pages load.
    private static func isWanted(_ path: String, _ settings: SiteSettings) -> Bool? {
        (scripts + styleSheets).first { $0.file == path }?.isWanted(settings)
    }

    /// Changes whenever a name does.
    var fingerprint: Fingerprint { Fingerprint(of: files.map(\.path).joined(separator: "\n")) }

    /// - Parameter settings: what they switch off is left out, with the scripts that nothing else imports.
    init(_ theme: Theme, _ settings: SiteSettings, strings: Strings, language: String) throws(Failure) {
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
        appIcons = [(icon, "any", "image/svg+xml")]
        // A site with an icon of its own has no use for the pixels of the theme's.
        for size in ["192", "512"] {
            let path = "images/icon-\(size).png"
            guard let name = names[path], theme.isOwn(path) || !theme.isOwn("images/icon.svg") else {
                continue
            }
            appIcons.append((name, "\(size)x\(size)", "image/png"))
        }
        serviceWorker = packedScript(theme["service-worker.js"]?.bytes ?? [])
        let css = try Self.replacingAddresses(in: style, with: names)
        styleSheet = add(packedStyleSheet(css), "style.css")
        palette = add(Array(Sanitiser.paletteStylesheet.utf8), "palette.css")
        for path in theme.paths(suffix: ".css") where path != "style.css" {
            guard let source = theme[path], Self.isWanted(path, settings) ?? true else { continue }
            let css = try Self.replacingAddresses(in: source, with: names)
            styleSheets[path] = add(packedStyleSheet(css), path)
        }
        for path in theme.paths(suffix: ".js") where path != "service-worker.js" {
            // The theme's other scripts come with those that import them; a site may have scripts for purposes of its own.
            guard Self.isWanted(path, settings) ?? theme.isOwn(path) else { continue }
            try addScript(path, of: theme, importedBy: []) { source throws(Failure) in
                try ScriptTexts(of: source, strings: strings).module(strings, language: language)
            }
        }
    }

    /// Adds a script after those that it imports, with their names in place of their paths.
    ///
    /// - Parameters:
    ///   - importers: the scripts that led here, to find a circle.
    ///   - texts: makes the module of a script's texts.
    private mutating func addScript(
        _ path: String, of theme: Theme, importedBy importers: [String],
        texts: (SourceText) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        guard scripts[path] == nil, let source = theme[path] else { return }
        var out: [UInt8] = []
        var copied = 0
        for specifier in ModuleSpecifiers(source.bytes) {
            let imported = String(specifier.text.dropFirst(2))
            let name: String
            if imported == ScriptTexts.path, theme[imported] == nil {
                name = add(try texts(source), imported)
            } else if let sheet = styleSheets[imported] {
                name = sheet
            } else {
                try check(specifier, of: source, path, importedBy: importers, in: theme)
                try addScript(imported, of: theme, importedBy: importers + [path], texts: texts)
                name = scripts[imported]!
            }
            out.append(contentsOf: source.bytes[copied..<specifier.range.lowerBound])
            out.append(contentsOf: "./\(name.dropFirst("assets/".count))".utf8)
            copied = specifier.range.upperBound
        }
        out.append(contentsOf: source.bytes[copied...])
        scripts[path] = add(packedScript(out), path)
    }

    /// - Throws: that there is no such script or style sheet, or that it imports the one that imports it.
    private func check(
        _ specifier: ModuleSpecifiers.Specifier, of source: SourceText, _ path: String,
        importedBy importers: [String], in theme: Theme
    ) throws(Failure) {
        let imported = String(specifier.text.dropFirst(2))
        let fault: String
        if imported.hasSuffix(".css") {
            let near = suggestion(for: imported, among: styleSheets.keys.sorted())
            fault = "is no style sheet of the theme" + (near.map { "; did you mean './\($0)'?" } ?? "")
        } else if theme[imported] == nil {
            let near = suggestion(for: imported, among: theme.paths(suffix: ".js"))
            fault = "is no script of the theme" + (near.map { "; did you mean './\($0)'?" } ?? "")
        } else if imported == path || importers.contains(imported) {
            fault =
                "imports this script in turn, so that neither can be named by its content; move what both need into "
                + "a third"
        } else {
            return
        }
        throw Failure(
            [
                source.diagnostic(
                    .error, "unknown-asset", "'\(specifier.text)' \(fault)", at: specifier.range.lowerBound,
                    length: specifier.range.count)
            ])
    }

    private mutating func add(_ bytes: [UInt8], _ path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let dot = file.lastIndex(of: ".") ?? file.endIndex
        let name = "assets/\(slug(of: String(file[..<dot])))-\(Fingerprint(of: bytes).short)\(file[dot...])"
        // Two scripts that say the same texts share their module.
        if !files.contains(where: { $0.path == name }) { files.append(File(path: name, bytes: bytes)) }
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
