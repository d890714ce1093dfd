import Basics
import CGumbo

/// Parses a fragment and writes it anew from the allow-list (S10): nothing of the source is copied as markup.
struct Rebuilder {
    let policy: Sanitiser.Policy
    let limits: Sanitiser.Limits
    /// Knows the pictures that may stay.
    let picture: (String) -> NotePicture?

    private(set) var out: [UInt8] = []
    /// Pictures that were asked for and found, by the path they are written with.
    private(set) var written: [String: NotePicture] = [:]
    private(set) var unknownPictures: [String] = []

    init(_ policy: Sanitiser.Policy, limits: Sanitiser.Limits, picture: @escaping (String) -> NotePicture?) {
        self.policy = policy
        self.limits = limits
        self.picture = picture
    }

    /// Fills ``out`` with one pass over `source`; the limit that was met, if one was.
    mutating func rebuild(_ source: Bytes) -> NoteIssue? {
        let issue: NoteIssue?
        if let cleaned = source.cleaned() {
            issue = cleaned.withUnsafeBufferPointer { parseAndWrite($0) }
        } else {
            issue = parseAndWrite(source)
        }
        // References make what was cleaned away before. None of these bytes is part of a tag.
        if let cleaned = out.withUnsafeBufferPointer({ $0.cleaned() }) { out = cleaned }
        return issue
    }

    private mutating func parseAndWrite(_ source: Bytes) -> NoteIssue? {
        let maximumOutput = min(8 * source.count + 4096, limits.bytes)
        let issue = withTree(of: source) { root in write(root, maximumOutput: maximumOutput, source) }
        return issue ?? .tooMuchOutput(limit: maximumOutput)
    }

    private mutating func write(
        _ root: UnsafeMutablePointer<GumboNode>, maximumOutput: Int, _ source: Bytes
    ) -> NoteIssue? {
        let treatments = Self.treatments(for: policy)
        out.removeAll(keepingCapacity: true)
        out.reserveCapacity(source.count + source.count / 4)
        var open = 0
        // The stack is ours: a tree may be deeper than a thread's stack (KNOWN-FAILURES, swift-markdown).
        var stack = [Frame(node: root, next: 0, element: nil)]
        while let frame = stack.last {
            let children = frame.node.pointee.v.element.children
            guard frame.next < children.length else {
                if let element = frame.element {
                    out.append(contentsOf: Element.endTags[Int(element.rawValue)])
                    open -= 1
                }
                stack.removeLast()
                continue
            }
            stack[stack.count - 1].next += 1
            guard let child = children.data[Int(frame.next)]?.assumingMemoryBound(to: GumboNode.self) else {
                continue
            }
            switch child.pointee.type {
            case GUMBO_NODE_TEXT, GUMBO_NODE_WHITESPACE, GUMBO_NODE_CDATA:
                var text = Bytes(cString: child.pointee.v.text.text)
                // Parsers drop a line feed right after <pre>, and browsers do not write it back: there is none.
                if frame.element == .pre, frame.next == 0 {
                    text = text.slice((text.firstIndex { $0 != 0x0A } ?? text.count)..<text.count)
                }
                out.appendCanonicalText(text)
            case GUMBO_NODE_ELEMENT:
                var kept: Element?
                switch treatment(of: child, treatments) {
                case .drop: continue
                case .unwrap: break
                case .keep(let element):
                    if element.isVoid {
                        appendVoid(element, child)
                        continue
                    }
                    kept = element
                    appendStartTag(element, child)
                    open += 1
                    if open > limits.openElements { return .tooDeep(limit: limits.openElements) }
                }
                if out.count > maximumOutput { return .tooMuchOutput(limit: maximumOutput) }
                stack.append(Frame(node: child, next: 0, element: kept))
            default: break
            }
        }
        return out.count > maximumOutput ? .tooMuchOutput(limit: maximumOutput) : nil
    }

    private struct Frame {
        let node: UnsafeMutablePointer<GumboNode>
        var next: UInt32
        /// The element whose end tag is due when the children are done.
        let element: Element?
    }

    // MARK: Elements

    private static let noteTreatments = makeTreatments(for: .notes)
    private static let pageTreatments = makeTreatments(for: .pages)
    private static let reviewTreatments = makeTreatments(for: .reviews)

    private static func treatments(for policy: Sanitiser.Policy) -> [Treatment] {
        switch policy {
        case .notes: noteTreatments
        case .pages: pageTreatments
        case .reviews: reviewTreatments
        }
    }

    /// The treatment of every tag that gumbo knows, by its number.
    private static func makeTreatments(for policy: Sanitiser.Policy) -> [Treatment] {
        let table = Treatment.table(for: policy)
        return (0..<GUMBO_TAG_LAST.rawValue).map { number in
            table[String(cString: gumbo_normalized_tagname(GumboTag(rawValue: number)))] ?? .unwrap
        }
    }

    private func treatment(of node: UnsafeMutablePointer<GumboNode>, _ treatments: [Treatment]) -> Treatment {
        let element = node.pointee.v.element
        guard element.tag_namespace == GUMBO_NAMESPACE_HTML else { return .drop }
        guard element.tag == GUMBO_TAG_UNKNOWN else { return treatments[Int(element.tag.rawValue)] }
        // Word's <xml> islands are the one element to drop that gumbo has no number for.
        var name = element.original_tag
        gumbo_tag_from_original_text(&name)
        guard let start = name.data else { return .unwrap }
        let bytes = UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self)
        return Bytes(start: bytes, count: name.length).equalsIgnoringCase("xml") ? .drop : .unwrap
    }

    private mutating func appendVoid(_ element: Element, _ node: UnsafeMutablePointer<GumboNode>) {
        guard element == .img else { return appendStartTag(element, node) }
        let source = attribute("src", of: node)
        let alternative = attribute("alt", of: node) ?? Bytes(start: nil, count: 0)
        guard let url = source.flatMap({ SafeURL.canonical($0, for: .picture) }) else {
            return out.appendCanonicalText(alternative)
        }
        let path = String(decoding: url, as: UTF8.self)
        guard let found = picture(path), let target = SafeURL.checked(found.path, for: .picture) else {
            unknownPictures.append(path)
            return out.appendCanonicalText(alternative)
        }
        written[target] = found
        append(startOf: element)
        appendGlobalAttributes(of: node, element)
        append("src", value: Array(target.utf8))
        append("alt", value: alternative)
        append("width", number: found.width)
        append("height", number: found.height)
        out.append(UInt8(ascii: ">"))
    }

    private mutating func appendStartTag(_ element: Element, _ node: UnsafeMutablePointer<GumboNode>) {
        append(startOf: element)
        if node.pointee.v.element.attributes.length > 0 || node.pointee.v.element.tag.isLegacyMarkup {
            if policy != .reviews { appendGlobalAttributes(of: node, element) }
            appendOwnAttributes(of: node, element)
        }
        out.append(UInt8(ascii: ">"))
    }

    // MARK: Attributes

    private mutating func appendGlobalAttributes(of node: UnsafeMutablePointer<GumboNode>, _ element: Element)
    {
        let classes = classes(of: node, element)
        if !classes.isEmpty {
            out.append(" class=\"" as StaticString)
            for (i, token) in classes.tokens.enumerated() {
                if i > 0 { out.append(UInt8(ascii: " ")) }
                out.append(contentsOf: ClassToken.names[Int(token.index)])
            }
            out.append(UInt8(ascii: "\""))
        }
        if let title = attribute("title", of: node), title.count < 500 { append("title", value: title) }
        if let language = attribute("lang", of: node), (1...35).contains(language.count),
            language.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
        {
            append("lang", value: language)
        }
        if let direction = attribute("dir", of: node)?.trimmed {
            if direction.equalsIgnoringCase("ltr") { out.append(" dir=\"ltr\"" as StaticString) }
            if direction.equalsIgnoringCase("rtl") { out.append(" dir=\"rtl\"" as StaticString) }
            if direction.equalsIgnoringCase("auto") { out.append(" dir=\"auto\"" as StaticString) }
        }
    }

    private func classes(of node: UnsafeMutablePointer<GumboNode>, _ element: Element) -> ClassTokens {
        var classes = ClassTokens()
        if let value = attribute("class", of: node) { classes.add(classAttribute: value) }
        if let value = attribute("style", of: node) { classes.add(style: value) }
        if let value = attribute("align", of: node) { classes.add(align: value) }
        switch node.pointee.v.element.tag {
        case GUMBO_TAG_FONT:
            if let colour = attribute("color", of: node).flatMap({ PaletteColour(legacy: $0) }) {
                classes.add(.text(colour))
            }
            if let size = attribute("size", of: node) { classes.add(fontSize: size) }
        case GUMBO_TAG_CENTER: classes.add(.center)
        case GUMBO_TAG_NOBR: classes.add(.noWrap)
        case GUMBO_TAG_BIG: classes.add(.size(4))
        default: break
        }
        if element == .td || element == .th || element == .tr || element == .table,
            let colour = attribute("bgcolor", of: node).flatMap({ PaletteColour(legacy: $0) })
        {
            classes.add(.ground(colour))
        }
        if element == .table, let border = attribute("border", of: node), number(border, in: 1...99) != nil {
            classes.add(.border)
        }
        return classes
    }

    private mutating func appendOwnAttributes(of node: UnsafeMutablePointer<GumboNode>, _ element: Element) {
        if element == .a {
            let place: SafeURL.Place = policy != .reviews ? .link : .reviewLink
            guard let url = attribute("href", of: node).flatMap({ SafeURL.canonical($0, for: place) }) else {
                return
            }
            append("href", value: url)
            if let rel = policy.rel(ofLinkTo: url.withUnsafeBufferPointer { SafeURL.hasHost($0) }) {
                out.append(rel)
            }
            return
        }
        guard policy != .reviews else { return }
        switch element {
        case .td, .th:
            append("colspan", of: node, in: 2...100)
            append("rowspan", of: node, in: 2...500)
            if element == .th, let scope = attribute("scope", of: node)?.trimmed {
                if scope.equalsIgnoringCase("row") { out.append(" scope=\"row\"" as StaticString) }
                if scope.equalsIgnoringCase("col") { out.append(" scope=\"col\"" as StaticString) }
                if scope.equalsIgnoringCase("rowgroup") { out.append(" scope=\"rowgroup\"" as StaticString) }
                if scope.equalsIgnoringCase("colgroup") { out.append(" scope=\"colgroup\"" as StaticString) }
            }
        case .col, .colgroup: append("span", of: node, in: 2...100)
        case .ol:
            append("start", of: node, in: 0...100_000)
            if let type = attribute("type", of: node), type.count == 1, "1aAiI".utf8.contains(type[0]) {
                append("type", value: type)
            }
            if attribute("reversed", of: node) != nil { out.append(" reversed=\"\"" as StaticString) }
        case .li: append("value", of: node, in: 0...100_000)
        default: break
        }
    }

    /// The value of an attribute; valid as long as the tree is.
    private func attribute(_ name: StaticString, of node: UnsafeMutablePointer<GumboNode>) -> Bytes? {
        let name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let found = gumbo_get_attribute(&node.pointee.v.element.attributes, name),
            found.pointee.attr_namespace == GUMBO_ATTR_NAMESPACE_NONE
        else { return nil }
        return Bytes(cString: found.pointee.value)
    }

    private mutating func append(startOf element: Element) {
        out.append(UInt8(ascii: "<"))
        out.append(contentsOf: Element.names[Int(element.rawValue)])
    }

    private mutating func append(_ name: StaticString, value: [UInt8]) {
        value.withUnsafeBufferPointer { append(name, value: $0) }
    }

    private mutating func append(_ name: StaticString, value: Bytes) {
        out.append(UInt8(ascii: " "))
        out.append(name)
        out.append("=\"" as StaticString)
        out.appendEscaped(value)
        out.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ name: StaticString, number: Int) {
        append(name, value: Array(String(number).utf8))
    }

    private mutating func append(
        _ name: StaticString, of node: UnsafeMutablePointer<GumboNode>, in range: ClosedRange<Int>
    ) {
        if let number = attribute(name, of: node).flatMap({ number($0, in: range) }) {
            append(name, number: number)
        }
    }
}

extension GumboTag {
    /// Elements whose mapping adds a class even where there is no attribute.
    fileprivate var isLegacyMarkup: Bool {
        self == GUMBO_TAG_CENTER || self == GUMBO_TAG_NOBR || self == GUMBO_TAG_BIG
    }
}

/// Parses the content of a `div` and gives `body` the `html` element, whose children are the fragment's; nil if that
/// would take too much memory.
///
/// The tree points into the source and is gone afterwards.
private func withTree<Result>(
    of source: Bytes, _ body: (UnsafeMutablePointer<GumboNode>) -> Result
) -> Result? {
    // gumbo wants a pointer even for no bytes.
    let empty: StaticString = ""
    let start = UnsafeRawPointer(source.baseAddress ?? empty.utf8Start).assumingMemoryBound(to: CChar.self)
    // S18: 64 MB for a note with everything. Trees of notes take about 20 times their source.
    let budget = max(32 << 20, 64 * source.count)
    var arena: UnsafeMutablePointer<CGumboArena>?
    let root = cgumbo_parse(&arena, start, source.count, budget)
    defer { cgumbo_free(arena) }
    return root.map(body)
}
