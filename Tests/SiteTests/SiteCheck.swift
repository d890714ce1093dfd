import Basics
import Formats
import TestSupport

/// Checks a built site as a whole: every address leads somewhere wherever the site is mounted, no page has a hole.
struct SiteCheck {
    /// Where a site may be put. Files have no server that adds `index.html`, so no address may lean on one.
    enum Mount: CaseIterable {
        case top, subfolder, files

        /// Of the folder that holds the site.
        var base: String { self == .subfolder ? "/x/y/" : "/" }
    }

    /// The address that `site.yaml` gives, ending in `/`.
    let url: String?
    private let paths: Set<String>
    private(set) var faults: [String] = []
    private(set) var pages = 0, links = 0

    private var ids: [String: Set<String>] = [:]
    private var wanted: [String: (fragment: String, page: String)] = [:]
    private var resolved: [String: String?] = [:]
    private var canonicals: Set<String> = []
    private var linkedTo: Set<String> = []

    /// Reads the whole tree.
    init(_ tree: Tree, url: String?) throws {
        self.url = url
        paths = Set(tree.files.keys)
        for path in tree.paths {
            if path.hasSuffix(".html") {
                pages += 1
                check(page: path, try tree.bytes(of: path))
            } else if path.hasSuffix(".css") {
                check(css: path, try tree.bytes(of: path))
            } else if path.hasSuffix(".xml") {
                check(xml: path, try tree.bytes(of: path))
            }
        }
        for (address, use) in wanted.sorted(by: { $0.key < $1.key }) {
            let target = String(address.dropLast(use.fragment.utf8.count + 1))
            if ids[target]?.contains(use.fragment) != true {
                fault(use.page, "no id '\(use.fragment)' in \(target)")
            }
        }
        // Pages that nothing leads to are no part of the site; private pages must be just that.
        for path in paths.sorted() where path.hasSuffix(".html") {
            let isPrivate = path.hasPrefix("lists/")
            let isApart = path == "404.html" || path == "index.html" || isPrivate
            if !isApart, !linkedTo.contains(path) { fault(path, "is linked from nowhere") }
        }
    }

    private mutating func fault(_ path: String, _ message: String) {
        // A fault of the theme is on every page: some are enough.
        if faults.count < 40 { faults.append("\(path): \(message)") }
    }

    // MARK: Pages

    private static let filled: Set<String> = [
        "h1", "h2", "h3", "a", "title", "dt", "dd", "li", "button", "p", "summary",
    ]
    private static let void: Set<String> = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]

    private static let endParagraphs: Set<String> = [
        "article", "aside", "div", "dl", "fieldset", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
        "h6",
        "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul",
    ]

    /// Whether an element whose end tag may be omitted ends before a tag.
    private static func isEnded(_ name: String, before tag: String, isEnd: Bool) -> Bool {
        switch name {
        case "p": isEnd ? tag != "a" : endParagraphs.contains(tag)
        case "li": isEnd || tag == "li"
        case "dt": !isEnd && (tag == "dt" || tag == "dd")
        case "dd": isEnd || tag == "dt" || tag == "dd"
        default: false
        }
    }

    private mutating func check(page: String, _ bytes: [UInt8]) {
        let (pieces, problems) = PageScanner.pieces(of: bytes)
        for problem in problems { fault(page, problem) }
        var own: Set<String> = []
        var open: [(name: String, hasContent: Bool, isNote: Bool)] = []
        var headings = 0, titles = 0
        func fill() { for i in open.indices { open[i].hasContent = true } }
        /// Ends elements whose end tags are not needed before a tag.
        func endOmitted(before name: String, isEnd: Bool) {
            while let last = open.last, Self.isEnded(last.name, before: name, isEnd: isEnd) {
                if Self.filled.contains(last.name), !last.hasContent {
                    fault(page, "an empty <\(last.name)>")
                }
                open.removeLast()
            }
        }
        for piece in pieces {
            switch piece {
            case .open(let name, let attributes):
                endOmitted(before: name, isEnd: false)
                headings += name == "h1" ? 1 : 0
                titles += name == "title" ? 1 : 0
                for (attribute, value) in attributes {
                    switch attribute {
                    case "id":
                        if value.isEmpty || !own.insert(value).inserted {
                            fault(page, "id '\(value)' is not unique")
                        }
                    case "href", "src", "action": follow(value, from: page, of: name, attributes)
                    case "srcset":
                        for candidate in value.split(separator: ",") {
                            let address = candidate.split(separator: " ").first.map(String.init) ?? ""
                            follow(address, from: page, of: name, attributes)
                        }
                    case "alt", "aria-label": if !value.isEmpty { fill() }
                    case "aria-labelledby", "aria-describedby", "aria-controls", "for", "popovertarget":
                        for id in value.split(separator: " ") { wanted["\(page)#\(id)"] = (String(id), page) }
                    case "content":
                        if value.isEmpty { fault(page, "an empty content in <\(name)>") }
                        if let url, value.hasPrefix(url) { follow(absolute: value, from: page) }
                    default: break
                    }
                    if value.contains("{{") { fault(page, "'{{' in '\(attribute)'") }
                }
                if Self.void.contains(name) { continue }
                // Scripts fill a status; a label says what an icon does not.
                let hasLabel = attributes.contains {
                    ($0.name == "aria-label" && !$0.value.isEmpty) || $0 == ("role", "status")
                }
                let isNote = attributes.contains {
                    $0.name == "class" && $0.value.split(separator: " ").contains("rich")
                }
                open.append((name, hasLabel, isNote))
            case .close(let name):
                if Self.void.contains(name) { continue }
                if open.last?.name != name { endOmitted(before: name, isEnd: true) }
                guard let last = open.popLast(), last.name == name else {
                    fault(page, "</\(name)> closes another element")
                    return
                }
                if Self.filled.contains(name), !last.hasContent { fault(page, "an empty <\(name)>") }
            case .text(let text):
                guard text.contains(where: { !$0.isWhitespace }) else { continue }
                fill()
                if text.contains("{{") || text.contains("}}") { fault(page, "braces in a text: '\(text)'") }
                // A list made of absent values; what a note says is the shop's own.
                let isNote = open.contains { $0.name == "div" && $0.isNote }
                if !isNote,
                    text.contains(", ,") || text.contains(",,") || text.hasPrefix(", ,")
                        || text.contains("( )")
                {
                    fault(page, "a gap in a list: '\(text)'")
                }
            case .raw(let text):
                guard open.last?.name == "script" else { continue }
                check(data: text, in: page)
            }
        }
        if !open.isEmpty { fault(page, "<\(open.last!.name)> is never closed") }
        if headings != 1 { fault(page, "\(headings) h1") }
        if titles != 1 { fault(page, "\(titles) titles") }
        ids[page] = own
    }

    /// JSON-LD parses, and its addresses are pages of the site.
    private mutating func check(data: String, in page: String) {
        do {
            let root = try JSON.read(SourceText(file: page, bytes: Array(data.utf8)), depth: 32)
            var nodes = [root]
            while let node = nodes.popLast() {
                switch node.content {
                case .text(let text): if let url, text.hasPrefix(url) { follow(absolute: text, from: page) }
                case .array(let elements): nodes += elements
                case .object(let members): nodes += members.map(\.value)
                default: break
                }
            }
        } catch { fault(page, "JSON-LD: \(error)") }
    }

    // MARK: Addresses

    private mutating func follow(
        _ address: String, from page: String, of element: String,
        _ attributes: [(name: String, value: String)]
    ) {
        links += 1
        if address.isEmpty { return fault(page, "an empty address in <\(element)>") }
        if let url, address.hasPrefix(url) {
            // Only what must be absolute is: the canonical address, and a page that is shown anywhere.
            let relation = attributes.first { $0.name == "rel" }?.value
            if relation != "canonical", page != "404.html" { fault(page, "an absolute address: \(address)") }
            if relation == "canonical", !canonicals.insert(address).inserted {
                fault(page, "shares its canonical address")
            }
            return follow(absolute: address, from: page)
        }
        let scheme = address.prefix { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        if !scheme.isEmpty, address.dropFirst(scheme.count).first == ":" {
            if !["http", "https", "mailto", "tel"].contains(scheme.lowercased()) {
                fault(page, "the scheme of \(address)")
            }
            return
        }
        let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count > 1 ? String(parts[1]) : nil
        let path = String(parts[0].prefix { $0 != "?" })
        if fragment == "" { fault(page, "an empty fragment") }
        guard let target = path.isEmpty ? page : resolve(path, from: page) else {
            return fault(page, "\(address) leads nowhere")
        }
        if target != page { linkedTo.insert(target) }
        if !page.hasPrefix("lists/"), target.hasPrefix("lists/") {
            fault(page, "leads to a private page: \(address)")
        }
        if let fragment, !fragment.isEmpty { wanted["\(target)#\(fragment)"] = (fragment, page) }
    }

    private mutating func follow(absolute address: String, from page: String) {
        guard let url else { return }
        var path = String(address.dropFirst(url.utf8.count).prefix { $0 != "#" && $0 != "?" })
        if path.isEmpty || path.hasSuffix("/") { path += "index.html" }
        if !paths.contains(path) { fault(page, "\(address) is no page") }
        if path.hasPrefix("lists/") { fault(page, "names a private page: \(address)") }
    }

    /// The file that a relative address leads to, the same at every mount; nil when there is none.
    private mutating func resolve(_ path: String, from page: String) -> String? {
        let folder = page.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let key = (page == "404.html" ? page : folder) + "\u{0}" + path
        if let known = resolved[key] { return known }
        var targets: Set<String?> = []
        // 404.html is shown at any depth, so that its addresses begin at the top: those are right for that mount only.
        for mount in Mount.allCases where page != "404.html" || !path.hasPrefix("/") || mount == .top {
            targets.insert(
                Self.target(of: path, in: mount.base + (folder.isEmpty ? "" : folder + "/"), mount, paths))
        }
        let target = targets.count == 1 ? targets.first! : nil
        resolved[key] = target
        return target
    }

    /// RFC 3986, section 5.2, for a path reference; then what a server or a file system makes of it.
    private static func target(of reference: String, in folder: String, _ mount: Mount, _ paths: Set<String>)
        -> String?
    {
        guard let decoded = percentDecoded(reference) else { return nil }
        var segments: [Substring] = decoded.hasPrefix("/") ? [] : folder.split(separator: "/")
        let parts = decoded.split(separator: "/", omittingEmptySubsequences: false)
        for (i, part) in parts.enumerated() {
            switch part {
            case "..":
                // A browser stops at the root; a file system does not have the site there.
                if segments.isEmpty { if mount == .files { return nil } } else { segments.removeLast() }
            case ".", "": if part.isEmpty, i > 0, i < parts.count - 1 { return nil }
            default: segments.append(part)
            }
        }
        var path = "/" + segments.joined(separator: "/")
        if parts.last == "" || parts.last == "." || parts.last == ".." { path += path == "/" ? "" : "/" }
        guard path.hasPrefix(mount.base) else { return nil }
        var file = String(path.dropFirst(mount.base.utf8.count))
        if mount != .files, file.isEmpty || file.hasSuffix("/") { file += "index.html" }
        return paths.contains(file) ? file : nil
    }

    private static func percentDecoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: Other files

    private mutating func check(css path: String, _ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for part in text.split(separator: "url(").dropFirst() {
            let address = part.prefix { $0 != ")" }.filter { $0 != "\"" && $0 != "'" }
            if address.hasPrefix("data:") { continue }
            links += 1
            if resolve(address, from: path) == nil { fault(path, "url(\(address)) leads nowhere") }
        }
    }

    private mutating func check(xml path: String, _ bytes: [UInt8]) {
        let document = XMLScanner(bytes)
        for problem in document.faults { fault(path, problem) }
        var seen: Set<String> = []
        for (element, value) in document.values {
            switch element {
            case "loc":
                guard let url, value.hasPrefix(url) else {
                    return fault(path, "\(value) is not an address of the site")
                }
                if !seen.insert(value).inserted { fault(path, "\(value) twice") }
                links += 1
                follow(absolute: value, from: path)
            case "link@href", "id", "uri":
                guard let url, value.hasPrefix(url) else {
                    return fault(path, "\(value) is not an address of the site")
                }
                links += 1
                follow(absolute: value, from: path)
            case "title", "name": if value.isEmpty { fault(path, "an empty \(element)") }
            default: break
            }
        }
    }
}
