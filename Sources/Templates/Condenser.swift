import Basics

/// Leaves out of a template what stands there for those who read its source and means nothing in a page.
///
/// That is, first, the line ends beside the tags of block elements and of the head. Second, end tags that HTML lets one
/// omit, `</p>`, `</li>`, `</dt>` and `</dd>`, where all that can follow in the template ends the element as well.
/// What a browser makes of the page is the same but for white space that is never shown: nothing moves between inline
/// elements, and the text of values is not looked at.
/// https://html.spec.whatwg.org/multipage/syntax.html#optional-tags
///
/// It takes it that a block is shown as one, which a style sheet may change. So it is for templates whose style sheet is
/// known.
struct Condenser {
    /// An HTML tag in fixed text.
    private struct Element {
        var name: String
        var isEnd: Bool
        /// Where the tag is, if it is an end tag.
        var place: Range<Int>
    }

    /// A template as far as it matters here: what may come after what.
    private indirect enum Piece {
        case element(Element)
        /// Shown any number of times.
        case section([Piece])
        /// Text, a value, or another template: it may begin with anything.
        case anything
    }

    /// Elements beside whose tags white space is not shown. Scripts are among them because they stand in the head.
    private static let blocks = Set(
        """
        !doctype html head title meta link script body header footer main nav section article aside div figure figcaption \
        form fieldset legend h1 h2 h3 h4 h5 h6 p ul ol li dl dt dd table thead tbody tr th td
        """.split(separator: " ").map(String.init))

    private let bytes: [UInt8]
    private var place = HTMLPlace()
    /// The tag that was read last.
    private var last = ""
    private var cuts: [Range<Int>] = []
    /// Whether a tag holds other templates, whose text is not known here.
    private var isUnclear = false

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The same tree with less text.
    static func condense(_ tree: Tree) -> Tree {
        var condenser = Condenser(tree.source.bytes)
        let pieces = condenser.read(tree.nodes)
        guard !condenser.isUnclear else { return tree }
        condenser.omitEnds(in: pieces) { _ in false }
        condenser.cuts.sort { $0.lowerBound < $1.lowerBound }
        return Tree(
            source: tree.source, nodes: condenser.cut(tree.nodes), diagnostics: tree.diagnostics)
    }

    // MARK: Reading

    private mutating func read(_ nodes: [Node]) -> [Piece] {
        var pieces: [Piece] = []
        for node in nodes {
            switch node {
            case .text(let range, _): read(range, into: &pieces)
            case .value: if place.mode == .text { pieces.append(.anything) }
            case .section(_, let body, _): pieces.append(.section(read(body)))
            case .partial:
                checkPlace()
                pieces.append(.anything)
            case .parent(_, _, let blocks):
                checkPlace()
                for block in blocks { readApart(block) }
                pieces.append(.anything)
            case .block(let block):
                checkPlace()
                readApart(block)
                pieces.append(.anything)
            }
        }
        return pieces
    }

    /// Reads what stands before and after things that are not known.
    private mutating func readApart(_ block: Block) {
        let pieces = read(block.body)
        omitEnds(in: pieces) { _ in false }
        checkPlace()
    }

    private mutating func checkPlace() {
        if place.mode != .text { isUnclear = true }
    }

    private mutating func read(_ range: Range<Int>, into pieces: inout [Piece]) {
        /// The last tag, if nothing came after it in this text.
        var before: String?
        var i = range.lowerBound
        while i < range.upperBound {
            let wasText = place.mode == .text
            if wasText, isSpace(bytes[i]) {
                let end = bytes[i..<range.upperBound].firstIndex { !isSpace($0) } ?? range.upperBound
                let after = end < range.upperBound ? element(at: end, to: range.upperBound)?.name : nil
                let isBesideBlock = [before, after].contains { $0.map(Self.blocks.contains) ?? false }
                if isBesideBlock, bytes[i..<end].contains(0x0A) {
                    cuts.append(i..<end)
                } else {
                    pieces.append(.anything)
                }
                i = end
                continue
            }
            if wasText, let element = element(at: i, to: range.upperBound) {
                last = element.name
                pieces.append(.element(element))
            } else if wasText {
                before = nil
                if bytes[i] != UInt8(ascii: "<") { pieces.append(.anything) }
            }
            place.advance(over: bytes[i])
            i += 1
            if !wasText, place.mode == .text { before = last }
        }
    }

    /// The tag that begins at `start`.
    private func element(at start: Int, to end: Int) -> Element? {
        guard bytes[start] == UInt8(ascii: "<"), start + 1 < end else { return nil }
        let isEnd = bytes[start + 1] == UInt8(ascii: "/")
        let from = isEnd ? start + 2 : start + 1
        let to =
            bytes[from..<end].firstIndex { isSpace($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
            ?? end
        let name = String(decoding: bytes[from..<to], as: UTF8.self).lowercased()
        guard let first = name.utf8.first, (0x61...0x7A).contains(first) || name == "!doctype" else {
            return nil
        }
        let close = isEnd && to < end && bytes[to] == UInt8(ascii: ">") ? to + 1 : start
        return Element(name: name, isEnd: isEnd, place: start..<close)
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    // MARK: Omitting end tags

    /// Notes the end tags that are not needed; `next` says whether an element of that name is ended by all that can come
    /// after the pieces.
    private mutating func omitEnds(in pieces: [Piece], next: (String) -> Bool) {
        for (i, piece) in pieces.enumerated() {
            let rest = pieces[(i + 1)...]
            switch piece {
            case .element(let element) where element.isEnd && !element.place.isEmpty:
                if Self.isEnded(element.name, by: rest, next: next) { cuts.append(element.place) }
            case .section(let body):
                // After its end comes its beginning again, or what follows it.
                omitEnds(in: body) { name in
                    Self.isEnded(name, by: body[...]) { _ in true }
                        && Self.isEnded(name, by: rest, next: next)
                }
            default: break
            }
        }
    }

    /// Whether an element of that name ends at whatever tag comes first, and nothing can come before one.
    private static func isEnded(
        _ name: String, by pieces: ArraySlice<Piece>, next: (String) -> Bool
    ) -> Bool {
        for piece in pieces {
            switch piece {
            case .element(let element): return ends(name, before: element)
            case .anything: return false
            case .section(let body):
                guard isEnded(name, by: body[...], next: { _ in true }) else { return false }
            }
        }
        return next(name)
    }

    /// Tags that end a paragraph by beginning, and those that end it by ending what it is in.
    private static let afterParagraph = Set(
        """
        address article aside blockquote div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr \
        main nav ol p pre section table ul
        """.split(separator: " ").map(String.init))
    private static let aroundParagraph = Set(
        "article aside blockquote body dd div figure footer form header li main nav section td".split(
            separator: " "
        )
        .map(String.init))

    /// Whether the element ends where the tag stands, without an end tag of its own.
    private static func ends(_ name: String, before tag: Element) -> Bool {
        switch name {
        case "p": tag.isEnd ? aroundParagraph.contains(tag.name) : afterParagraph.contains(tag.name)
        case "li": tag.isEnd ? tag.name == "ul" || tag.name == "ol" : tag.name == "li"
        case "dt": !tag.isEnd && (tag.name == "dt" || tag.name == "dd")
        case "dd": tag.isEnd ? tag.name == "dl" || tag.name == "div" : tag.name == "dt" || tag.name == "dd"
        default: false
        }
    }

    // MARK: Cutting

    private func cut(_ nodes: [Node]) -> [Node] {
        nodes.flatMap { node -> [Node] in
            switch node {
            case .text(let range, let startsLine): cut(range, startsLine: startsLine)
            case .section(let tag, let body, let isInverted):
                [.section(tag, body: cut(body), isInverted: isInverted)]
            case .parent(let tag, let indentation, let blocks):
                [.parent(tag, indentation: indentation, blocks: blocks.map(cut))]
            case .block(let block): [.block(cut(block))]
            case .value, .partial: [node]
            }
        }
    }

    private func cut(_ block: Block) -> Block {
        Block(
            tag: block.tag, body: cut(block.body), hasLines: block.hasLines,
            indentation: block.indentation, margin: block.margin)
    }

    /// The parts of a text that stay.
    private func cut(_ range: Range<Int>, startsLine: Bool) -> [Node] {
        var nodes: [Node] = []
        var from = range.lowerBound
        for cut in cuts where cut.lowerBound >= from && cut.upperBound <= range.upperBound {
            if cut.lowerBound > from {
                nodes.append(
                    .text(from..<cut.lowerBound, startsLine: startsLine && from == range.lowerBound))
            }
            from = cut.upperBound
        }
        if from < range.upperBound || nodes.isEmpty {
            nodes.append(.text(from..<range.upperBound, startsLine: startsLine && from == range.lowerBound))
        }
        return nodes
    }
}
