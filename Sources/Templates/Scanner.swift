import Basics

/// Reads the tags of a template into a tree (Mustache spec 1.4).
///
/// It goes on after a fault, so that one run reports them all, and uses a stack of its own for nested tags.
struct Scanner {
    /// How deep sections, blocks and parents may stand in each other. Arbitrary: far above what anybody writes,
    /// and low enough for the compiler, which recurses, on any thread's stack.
    static let deepest = 200

    /// A section, block or parent whose closing tag has not come yet.
    private struct Opening {
        enum Kind { case section(isInverted: Bool), parent, block }
        let kind: Kind
        let tag: Tag
        var nodes: [Node] = []
        var blocks: [Block] = []
        /// Whether the opening tag ended its line.
        var hasLines = false
        /// Where the body begins.
        var body = 0
        /// The white space before the tag if it is the first thing of its line.
        var leading: Range<Int>?

        var isParent: Bool { if case .parent = kind { true } else { false } }
    }

    private let source: SourceText
    private let bytes: [UInt8]
    private var open: [UInt8] = [0x7B, 0x7B]
    private var close: [UInt8] = [0x7D, 0x7D]
    /// Where the text begins that is not in a node yet.
    private var textStart = 0
    /// The first byte of the template, after a byte order mark.
    private var origin = 0
    private var openings: [Opening] = []
    private var isTooDeep = false
    private var nodes: [Node] = []
    private var diagnostics: [Diagnostic] = []

    /// The tree of a template and what is wrong with it.
    static func scan(_ source: SourceText) -> Tree {
        var scanner = Scanner(source)
        scanner.scan()
        return Tree(source: source, nodes: scanner.nodes, diagnostics: scanner.diagnostics)
    }

    private init(_ source: SourceText) {
        self.source = source
        bytes = source.bytes
    }

    private mutating func scan() {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { origin = 3 }
        if String(validating: bytes, as: UTF8.self) == nil {
            diagnostics.append(
                Diagnostic(.error, "not-utf8", "a template is UTF-8 text", at: .file(source.file)))
        }
        textStart = origin
        var i = origin
        while let start = find(open, from: i) {
            guard let next = readTag(at: start) else { break }
            i = next
        }
        pushText(to: bytes.count)
        // Inside a parent or section that is never closed, the rest of the file is its body.
        while let last = openings.last {
            if !isTooDeep {
                report("unclosed-section", "\(noun(of: last)) is never closed", last.tag.whole)
            }
            closeLast(end: bytes.count..<bytes.count)
        }
    }

    /// Reads the tag at `start`; where to go on, or nil if nothing can follow.
    private mutating func readTag(at start: Int) -> Int? {
        var inside = start + open.count
        let sigil: UInt8 = inside < bytes.count ? bytes[inside] : 0
        let isSigil = "#^/>!<$&{=".utf8.contains(sigil)
        if isSigil { inside += 1 }
        let ending: [UInt8] =
            switch sigil {
            case UInt8(ascii: "{"): [UInt8(ascii: "}")] + close
            case UInt8(ascii: "="): [UInt8(ascii: "=")] + close
            default: close
            }
        // Looking no further than the next tag keeps a file of nothing but openings from taking quadratic time.
        let foundNext =
            sigil == UInt8(ascii: "!") || sigil == UInt8(ascii: "=") ? nil : find(open, from: inside)
        let foundEnd = find(ending, from: inside, to: foundNext.map { $0 + ending.count })
        guard let end = foundEnd, foundNext.map({ $0 >= end }) ?? true else {
            let line = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            let stop = min(line, foundNext ?? bytes.count)
            let text = String(decoding: bytes[start..<stop].prefix(40), as: UTF8.self)
            let missing = String(decoding: ending, as: UTF8.self)
            report("unclosed-tag", "tag '\(text)' is never closed; '\(missing)' is missing", start..<stop)
            return foundNext
        }
        let whole = start..<(end + ending.count)

        var name = inside..<end
        var isDynamic = false
        if sigil == UInt8(ascii: "!") { return readComment(whole) }
        if sigil == UInt8(ascii: "=") {
            setDelimiters(name, whole)
            return readComment(whole)
        }
        trim(&name)
        if sigil == UInt8(ascii: ">"), !name.isEmpty, bytes[name.lowerBound] == UInt8(ascii: "*") {
            isDynamic = true
            name = (name.lowerBound + 1)..<name.upperBound
            trim(&name)
        }
        let tag = Tag(name: String(decoding: bytes[name], as: UTF8.self), place: name, whole: whole)
        if name.isEmpty || bytes[name].contains(where: { isSpace($0) }) {
            report(
                "bad-name",
                name.isEmpty ? "a tag without a name" : "'\(tag.name)' is not a name: it has white space",
                name.isEmpty ? whole : name)
            pushText(to: start)
            textStart = whole.upperBound
            return whole.upperBound
        }
        switch sigil {
        case UInt8(ascii: "#"): return begin(.section(isInverted: false), tag)
        case UInt8(ascii: "^"): return begin(.section(isInverted: true), tag)
        case UInt8(ascii: "<"): return begin(.parent, tag)
        case UInt8(ascii: "$"): return begin(.block, tag)
        case UInt8(ascii: "/"): readClosing(tag)
        case UInt8(ascii: ">"):
            warnIfInParent(tag)
            let line = standalone(whole)
            pushText(to: line?.lowerBound ?? start, before: line == nil ? whole : nil)
            textStart = line?.upperBound ?? whole.upperBound
            append(.partial(tag, indentation: line.map { $0.lowerBound..<start }, isDynamic: isDynamic))
        default:
            warnIfInParent(tag)
            pushText(to: start, before: whole)
            textStart = whole.upperBound
            append(.value(tag, isRaw: sigil == UInt8(ascii: "{") || sigil == UInt8(ascii: "&")))
        }
        return whole.upperBound
    }

    /// Leaves out a tag that writes nothing.
    private mutating func readComment(_ whole: Range<Int>) -> Int {
        let line = standalone(whole)
        pushText(to: line?.lowerBound ?? whole.lowerBound, before: line == nil ? whole : nil)
        textStart = line?.upperBound ?? whole.upperBound
        return whole.upperBound
    }

    private mutating func setDelimiters(_ content: Range<Int>, _ whole: Range<Int>) {
        let parts = bytes[content].split(whereSeparator: { isSpace($0) })
        guard parts.count == 2, !bytes[content].contains(UInt8(ascii: "=")) else {
            report(
                "bad-delimiters",
                "new delimiters are two words without '=', as in '{{=<% %>=}}'; the old ones stay", whole)
            return
        }
        open = Array(parts[0])
        close = Array(parts[1])
    }

    // MARK: Nested tags

    /// Opens a section, parent or block; where to go on, or nil when they are nested too deeply.
    private mutating func begin(_ kind: Opening.Kind, _ tag: Tag) -> Int? {
        guard openings.count < Self.deepest else {
            report(
                "too-deep", "sections are nested more than \(Self.deepest) deep; the rest is not read",
                tag.whole)
            textStart = bytes.count
            isTooDeep = true
            return nil
        }
        var opening = Opening(kind: kind, tag: tag)
        let start = tag.whole.lowerBound
        let lineStart = startOfBlank(before: start)
        opening.leading = lineStart.map { $0..<start }
        switch kind {
        case .parent:
            // Whether the pair is standalone shows at its end; until then the white space stays out.
            warnIfInParent(tag)
            pushText(to: lineStart ?? start, before: lineStart == nil ? tag.whole : nil)
            textStart = tag.whole.upperBound
        case .block where isInParent:
            // Everything around a block in a parent is left out, so only what follows counts.
            let end = endOfBlank(after: tag.whole.upperBound)
            opening.hasLines = end.map { $0 > tag.whole.upperBound && bytes[$0 - 1] == 0x0A } ?? false
            textStart = opening.hasLines ? end ?? tag.whole.upperBound : tag.whole.upperBound
        case .section, .block:
            warnIfInParent(tag)
            let line = standalone(tag.whole)
            pushText(to: line?.lowerBound ?? start, before: line == nil ? tag.whole : nil)
            textStart = line?.upperBound ?? tag.whole.upperBound
            opening.hasLines = line != nil
        }
        opening.body = textStart
        openings.append(opening)
        return tag.whole.upperBound
    }

    private mutating func readClosing(_ tag: Tag) {
        if let last = openings.last, last.tag.name == tag.name {
            closeLast(end: tag.whole)
        } else if let match = openings.lastIndex(where: { $0.tag.name == tag.name }) {
            while openings.count - 1 > match, let last = openings.last {
                report("unclosed-section", "\(noun(of: last)) is never closed", last.tag.whole)
                closeLast(end: tag.whole.lowerBound..<tag.whole.lowerBound)
            }
            closeLast(end: tag.whole)
        } else if let last = openings.last {
            // Most likely a misspelt end of the innermost; taking it so avoids a second message about that.
            let (line, _) = source.position(at: last.tag.whole.lowerBound)
            report(
                "mismatched-close", "\(noun(of: last)) of line \(line) is closed as '\(tag.name)'", tag.place)
            closeLast(end: tag.whole)
        } else {
            report("stray-close", "'\(tag.name)' is closed here and was never opened", tag.place)
            _ = readComment(tag.whole)
        }
    }

    /// Ends the innermost opening with the closing tag at `end` (empty where one is missing).
    private mutating func closeLast(end: Range<Int>) {
        guard let opening = openings.last else { return }
        switch opening.kind {
        case .section(let isInverted):
            let line = standalone(end)
            pushText(to: line?.lowerBound ?? end.lowerBound, before: line == nil && !end.isEmpty ? end : nil)
            textStart = line?.upperBound ?? end.upperBound
            let body = openings.removeLast().nodes
            append(.section(opening.tag, body: body, isInverted: isInverted))
        case .block:
            let isOverride = openings.count > 1 && openings[openings.count - 2].isParent
            let line =
                isOverride
                ? startOfBlank(before: end.lowerBound).map { $0..<end.upperBound } : standalone(end)
            let bodyEnd = max(textStart, line?.lowerBound ?? end.lowerBound)
            pushText(to: bodyEnd)
            textStart = line?.upperBound ?? end.upperBound
            let margin = opening.hasLines ? firstMargin(opening.body..<max(opening.body, bodyEnd)) : nil
            let nothing = opening.body..<opening.body
            let body = openings.removeLast().nodes
            append(
                .block(
                    Block(
                        tag: opening.tag, body: body, hasLines: opening.hasLines,
                        indentation: margin ?? opening.leading ?? nothing, margin: margin ?? nothing)))
        case .parent:
            let blocks = openings.removeLast().blocks
            let after = endOfBlank(after: end.upperBound)
            if let leading = opening.leading, let after, !end.isEmpty {
                textStart = after
                append(.parent(opening.tag, indentation: leading, blocks: blocks))
            } else {
                if let leading = opening.leading {
                    append(.text(leading, startsLine: true))
                }
                textStart = end.upperBound
                append(.parent(opening.tag, indentation: nil, blocks: blocks))
            }
        }
    }

    private var isInParent: Bool { openings.last?.isParent ?? false }

    private mutating func warnIfInParent(_ tag: Tag) {
        guard isInParent, let parent = openings.last?.tag.name else { return }
        diagnostics.append(
            source.diagnostic(
                .warning, "ignored-in-parent",
                "'\(tag.name)' stands in parent '\(parent)' outside its blocks and is left out",
                at: tag.place.lowerBound, length: tag.place.count))
    }

    private func noun(of opening: Opening) -> String {
        switch opening.kind {
        case .section: "section '\(opening.tag.name)'"
        case .parent: "parent '\(opening.tag.name)'"
        case .block: "block '\(opening.tag.name)'"
        }
    }

    // MARK: Nodes

    private mutating func append(_ node: Node) {
        guard let last = openings.indices.last else {
            nodes.append(node)
            return
        }
        if openings[last].isParent {
            if case .block(let block) = node { openings[last].blocks.append(block) }
        } else {
            openings[last].nodes.append(node)
        }
    }

    /// Makes a node of the text up to `end`; `tag` is what follows on the same line, if anything does.
    private mutating func pushText(to end: Int, before tag: Range<Int>? = nil) {
        guard textStart <= end else { return }
        if textStart < end {
            let startsLine = textStart == origin || bytes[textStart - 1] == 0x0A
            append(.text(textStart..<end, startsLine: startsLine))
        }
        if tag != nil, end == origin || bytes[end - 1] == 0x0A {
            append(.text(end..<end, startsLine: true))
        }
        textStart = end
    }

    // MARK: Lines

    /// The bytes of the line that a tag has for itself: white space, tag, line end. Nil if it shares the line.
    private func standalone(_ tag: Range<Int>) -> Range<Int>? {
        guard !tag.isEmpty, let start = startOfBlank(before: tag.lowerBound),
            let end = endOfBlank(after: tag.upperBound)
        else { return nil }
        return start..<end
    }

    /// Where the line begins, if there is only white space between that and `offset`.
    private func startOfBlank(before offset: Int) -> Int? {
        var i = offset
        while i > origin, bytes[i - 1] == 0x20 || bytes[i - 1] == 0x09 { i -= 1 }
        return i == origin || bytes[i - 1] == 0x0A ? i : nil
    }

    /// Where the next line begins, if there is only white space between `offset` and that.
    private func endOfBlank(after offset: Int) -> Int? {
        var i = offset
        while i < bytes.count, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 }
        if i == bytes.count { return i }
        if bytes[i] == 0x0A { return i + 1 }
        if bytes[i] == 0x0D, i + 1 < bytes.count, bytes[i + 1] == 0x0A { return i + 2 }
        return nil
    }

    /// The white space at the start of the first line that is not blank, or nil if all are.
    private func firstMargin(_ body: Range<Int>) -> Range<Int>? {
        var i = body.lowerBound
        while i < body.upperBound {
            let start = i
            while i < body.upperBound, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 }
            if i == body.upperBound { return nil }
            if bytes[i] != 0x0A && bytes[i] != 0x0D { return start..<i }
            i += 1
        }
        return nil
    }

    private func find(_ pattern: [UInt8], from start: Int, to end: Int? = nil) -> Int? {
        guard let first = pattern.first else { return nil }
        let end = min(end ?? bytes.count, bytes.count)
        var i = start
        while i + pattern.count <= end {
            guard let hit = bytes[i...(end - pattern.count)].firstIndex(of: first) else { return nil }
            if bytes[hit..<(hit + pattern.count)].elementsEqual(pattern) { return hit }
            i = hit + 1
        }
        return nil
    }

    private func trim(_ range: inout Range<Int>) {
        var (from, to) = (range.lowerBound, range.upperBound)
        while from < to, isSpace(bytes[from]) { from += 1 }
        while from < to, isSpace(bytes[to - 1]) { to -= 1 }
        range = from..<to
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private mutating func report(_ id: String, _ message: String, _ place: Range<Int>) {
        diagnostics.append(
            source.diagnostic(.error, id, message, at: place.lowerBound, length: max(1, place.count)))
    }
}
