import Basics
import Markup

/// The theme's style sheet, script and pictures, under names that hold a hash of their content.
///
/// A name covers all that the file refers to: pictures are named first, then the style sheet that holds their names.
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
    private(set) var scripts: [String] = []
    private(set) var icon = ""

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
        if let script = theme["cards.js"] { scripts.append(add(script.bytes, "cards.js")) }
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
