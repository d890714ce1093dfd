import Basics
import Formats

/// What is wrong with the site, as the preview shows it: over the last good page, or as a page of its own.
///
/// Paths are shown from the site's folder on, and nothing goes into a page but as text (S53).
struct Faults: Sendable {
    private let diagnostics: [Diagnostic]
    private let site: String
    /// As many as anybody reads.
    private static let limit = 20

    /// - Parameter site: the site's folder, whose name is taken off the paths.
    init(_ failure: Failure, site: String) {
        diagnostics = Array(failure.diagnostics.prefix(Self.limit))
        self.site = site == "." ? "" : site.hasSuffix("/") ? site : site + "/"
    }

    /// For the script, on one line.
    var json: [UInt8] {
        var json = JSONWriter()
        json.array { json in
            for diagnostic in diagnostics {
                json.object { json in
                    func member(_ name: String, _ text: String) {
                        json.key(name)
                        json.value(text)
                    }
                    member("id", diagnostic.id)
                    member("message", shown(diagnostic.message.printable(limit: 1000), of: diagnostic))
                    if let place = place(of: diagnostic) { member("place", place) }
                    if let excerpt = diagnostic.excerpt {
                        member("source", excerpt.line.printable)
                        member("line", diagnostic.place.line.map(String.init) ?? "")
                        json.key("column")
                        json.value(excerpt.column)
                        json.key("length")
                        json.value(excerpt.length)
                    }
                }
            }
        }
        return json.bytes
    }

    /// A page that says it all without a script.
    ///
    /// - Parameter script: the address of the preview's script, which loads the site when it is mended; nil for none.
    func page(script: String?) -> [UInt8] {
        var out: [UInt8] = []
        out.append(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>build-site</title>\n"
                + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'; "
                + "style-src 'self'; connect-src 'self'\">\n")
        if let script { out.append("<script type=\"module\" src=\"\(script)\"></script>\n") }
        out.append("</head>\n<body>\n<h1>The site cannot be built as it is</h1>\n")
        for diagnostic in diagnostics {
            out.append("<pre>")
            if let place = place(of: diagnostic) {
                out.appendEscaped(place)
                out.append("\n")
            }
            out.appendEscaped(
                "\(shown(diagnostic.message.printable(limit: 1000), of: diagnostic)) [\(diagnostic.id)]")
            if let excerpt = diagnostic.excerpt {
                out.appendEscaped("\n\n  \(excerpt.line.printable)\n  ")
                out.append(String(repeating: " ", count: max(0, excerpt.column - 1)))
                out.append("^" + String(repeating: "~", count: max(0, excerpt.length - 1)))
            }
            out.append("</pre>\n")
        }
        out.append("</body>\n</html>\n")
        return out
    }

    private func place(of diagnostic: Diagnostic) -> String? {
        if let file = diagnostic.place.file {
            let numbers = [diagnostic.place.line, diagnostic.place.column].compactMap { $0 }
            return ([shown(file, of: diagnostic).printable(limit: 4096)] + numbers.map(String.init)).joined(
                separator: ":")
        }
        switch diagnostic.place {
        case .product(let id, let name):
            return "product \(id.printable)\(name.isEmpty ? "" : " (\(name.printable))")"
        case .cell(let table, let row, let column):
            return "\(table.printable), row \(row.printable), column '\(column.printable)'"
        default: return nil
        }
    }

    /// A text with its paths from the site's folder on; of a file that is elsewhere, as a shop's own database, the name alone.
    private func shown(_ text: String, of diagnostic: Diagnostic) -> String {
        let text = relative(text)
        guard let file = diagnostic.place.file.map(relative), file.hasPrefix("/"),
            let slash = file.lastIndex(of: "/"), slash > file.startIndex
        else { return text }
        return text.replacing(file[...slash], with: "")
    }

    private func relative(_ text: String) -> String {
        guard !site.isEmpty else { return text }
        return text.hasPrefix(site) ? String(text.dropFirst(site.count)) : text.replacing(site, with: "")
    }
}
