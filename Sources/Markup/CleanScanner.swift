import Basics

/// Proves in one pass over the bytes that parsing and rebuilding would return a note as it is, or nearly so (S19).
///
/// It knows a small language in which the HTML parser does nothing but what the tags say: balanced, in lower case,
/// no element where the parser would close another one, add one or move one. Whatever is not in that language is
/// `unknown`, never wrong. Besides, it puts right what needs no tree: a few references, `&` before a space,
/// `<br />`, `\r\n`, the `rel` of a link.
///
/// The promise, tested against the full sanitiser with the corpora and their mutations: `clean` ⇒ the full one
/// returns the source; `normalised(y)` ⇒ it returns `y`.
struct CleanScanner {
    enum Verdict: Equatable {
        case clean
        case normalised([UInt8])
        case unknown
    }

    static func scan(_ source: Bytes, policy: Sanitiser.Policy, limits: Sanitiser.Limits) -> Verdict {
        guard source.count <= limits.bytes else { return .unknown }
        var scanner = CleanScanner(source, policy: policy, limits: limits)
        guard scanner.run() else { return .unknown }
        guard scanner.copied > 0 || !scanner.out.isEmpty else { return .clean }
        scanner.out.append(contentsOf: source.slice(scanner.copied..<source.count))
        return scanner.out.count <= limits.bytes ? .normalised(scanner.out) : .unknown
    }

    private let source: Bytes
    private let policy: Sanitiser.Policy
    private let limits: Sanitiser.Limits
    /// The result so far, empty as long as it is the source.
    private var out: [UInt8] = []
    /// How much of the source `out` stands for.
    private var copied = 0

    /// The open elements. The room is that of the deepest note accepted; deeper ones are left to the parser.
    private var stack = InlineArray<16, UInt8>(repeating: 0)
    private var depth = 0
    /// What may follow in the innermost open element.
    private var content = Content.flow
    /// The inline elements that are open, a bit each. None is opened inside itself, so that neither the adoption
    /// agency nor the limit of three equal formatting elements has anything to do.
    private var openInline: UInt64 = 0
    private var tags = 0

    /// The content of an element, in the terms of the parser: what it may hold without anything being closed.
    private enum Content {
        /// The fragment, `div`, `li`, `blockquote`, cells: text, inline elements and blocks.
        case flow
        /// `p`, headings and inline elements: text and inline elements. A block here would close the `p`, or end
        /// up inside a formatting element that is then rebuilt elsewhere.
        case phrasing
        /// `ul`, `ol`: `li` and white space.
        case items
        /// `table`: its parts and white space; anything else would be moved out before the table.
        case parts
        /// `tbody` and its like: rows and white space.
        case rows
        /// `tr`: cells and white space.
        case cells

        /// Whether there may be text that is not white space.
        var isTextual: Bool { self == .flow || self == .phrasing }
    }

    private init(_ source: Bytes, policy: Sanitiser.Policy, limits: Sanitiser.Limits) {
        self.source = source
        self.policy = policy
        self.limits = limits
    }

    private mutating func run() -> Bool {
        var i = 0
        let count = source.count
        // A byte order mark may be taken for what it is.
        if source.starts(with: "\u{FEFF}", at: 0) { return false }
        return Self.isSpecial.withUnsafeBufferPointer { isSpecial in
            while i < count {
                let byte = source[i]
                if !isSpecial[Int(byte)] {
                    if !byte.isHTMLSpace, !content.isTextual { return false }
                    i = content.isTextual ? source.skippingPlain(from: i + 1) : i + 1
                    continue
                }
                let next: Int?
                switch byte {
                case UInt8(ascii: "<"): next = tag(at: i)
                case UInt8(ascii: "&"): next = !content.isTextual ? nil : reference(at: i)
                case UInt8(ascii: ">"): next = !content.isTextual ? nil : replace(i..<i + 1, by: "&gt;")
                case 0xC2 where i + 1 < count && source[i + 1] == 0xA0:
                    next = !content.isTextual ? nil : replace(i..<i + 2, by: "&nbsp;")
                case 0xC2, 0xEF...0xFF:
                    // The other bytes of the character are no special ones.
                    next = !content.isTextual || source.unwantedBeyondASCII(at: i) != nil ? nil : i + 1
                case 0x0D where i + 1 < count && source[i + 1] == 0x0A: next = replace(i..<i + 1, by: "")
                default: next = nil
                }
                guard let next else { return false }
                i = next
            }
            return depth == 0
        }
    }

    /// Bytes that are not simply copied: markup, U+00A0, controls, and the first bytes of what may be no characters.
    ///
    /// Other ill-formed UTF-8 than at these is not looked for: the source is a string, and what gumbo made is cleaned.
    private static let isSpecial: [Bool] = (0..<256).map { byte in
        switch UInt8(byte) {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0xC2, 0xEF...0xFF, 0x7F: true
        case 0x09, 0x0A: false
        case 0..<0x20: true
        default: false
        }
    }

    private mutating func replace(_ range: Range<Int>, by replacement: StaticString) -> Int {
        if out.isEmpty { out.reserveCapacity(source.count + 64) }
        out.append(contentsOf: source.slice(copied..<range.lowerBound))
        out.append(replacement)
        copied = range.upperBound
        return range.upperBound
    }

    private mutating func reference(at i: Int) -> Int? {
        if source.starts(with: "&amp;", at: i) { return i + 5 }
        if source.starts(with: "&lt;", at: i) || source.starts(with: "&gt;", at: i) { return i + 4 }
        if source.starts(with: "&nbsp;", at: i) { return i + 6 }
        if source.starts(with: "&quot;", at: i) { return replace(i..<i + 6, by: "\"") }
        if source.starts(with: "&#x27;", at: i) { return replace(i..<i + 6, by: "'") }
        if source.starts(with: "&#39;", at: i) { return replace(i..<i + 5, by: "'") }
        if source.starts(with: "&#34;", at: i) { return replace(i..<i + 5, by: "\"") }
        if source.starts(with: "& ", at: i) { return replace(i..<i + 1, by: "&amp;") }
        return nil
    }

    // MARK: Tags

    private mutating func tag(at start: Int) -> Int? {
        tags += 1
        guard tags <= limits.tags else { return nil }
        var i = start + 1
        let isEnd = i < source.count && source[i] == UInt8(ascii: "/")
        if isEnd { i += 1 }
        var key: UInt128 = 0
        let nameStart = i
        while i < source.count {
            let byte = source[i]
            guard byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte.isASCIIDigit else { break }
            key = key << 8 | UInt128(byte)
            i += 1
        }
        // Longer names would push their start out of the key.
        guard i < source.count, i - nameStart <= 10, let found = Self.elements(for: policy).find(key) else {
            return nil
        }
        if isEnd {
            guard source[i] == UInt8(ascii: ">"), depth > 0, stack[depth - 1] == found.element.rawValue else {
                return nil
            }
            pop(found)
            return i + 1
        }
        guard isAllowedHere(found.kind), openInline & found.element.bit == 0 else { return nil }
        if found.element.isVoid {
            if source[i] == UInt8(ascii: ">") { return i + 1 }
            if source.starts(with: " />", at: i) { return replace(i..<i + 3, by: ">") }
            if source.starts(with: "/>", at: i) { return replace(i..<i + 2, by: ">") }
            return nil
        }
        if source[i] != UInt8(ascii: ">") {
            guard let end = attributes(of: found.element, at: i) else { return nil }
            i = end
        }
        guard depth < 16 else { return nil }
        push(found)
        return i + 1
    }

    private func isAllowedHere(_ kind: Kind) -> Bool {
        switch content {
        case .flow: kind.isFlow
        case .phrasing: kind == .inline || kind == .void
        case .items: kind == .item
        case .parts: kind == .part
        case .rows: kind == .row
        case .cells: kind == .cell
        }
    }

    private mutating func push(_ found: Found) {
        stack[depth] = found.element.rawValue
        depth += 1
        if found.kind == .inline { openInline |= found.element.bit }
        content = found.kind.content
    }

    private mutating func pop(_ found: Found) {
        depth -= 1
        openInline &= ~found.element.bit
        guard depth > 0 else {
            content = .flow
            return
        }
        content = Self.kinds[Int(stack[depth - 1])].content
    }

    /// Takes the attributes that the sanitiser would write again just so; the offset of the `>`.
    private mutating func attributes(of element: Element, at start: Int) -> Int? {
        if element == .a, source.starts(with: " href=\"", at: start) {
            let from = start + 7
            var to = from
            // `&amp;` counts five bytes instead of one, and is no different from `&` for the rules of addresses.
            while to < source.count {
                if SafeURL.isPlain(source[to]) {
                    to += 1
                } else if source.starts(with: "&amp;", at: to) {
                    to += 5
                } else {
                    break
                }
            }
            guard to < source.count, source[to] == UInt8(ascii: "\"") else { return nil }
            let url = source.slice(from..<to)
            // An upper-case scheme would be written in lower case; it is not allowed here.
            guard SafeURL.isAllowed(url, for: policy != .reviews ? .link : .reviewLink) else { return nil }
            let rel = policy.rel(ofLinkTo: SafeURL.hasHost(url))
            if to + 1 < source.count, source[to + 1] == UInt8(ascii: ">") {
                if let rel { return replace(to + 1..<to + 1, by: rel) }
                return to + 1
            }
            guard let rel, source.starts(with: rel, at: to + 1) else { return nil }
            let end = to + 1 + rel.utf8CodeUnitCount
            return end < source.count && source[end] == UInt8(ascii: ">") ? end : nil
        }
        guard policy != .reviews, source.starts(with: " class=\"", at: start) else { return nil }
        var i = start + 8
        var first: ClassToken?
        while true {
            let from = i
            while i < source.count, source[i] > 0x20, source[i] != UInt8(ascii: "\"") { i += 1 }
            let name = source.slice(from..<i)
            // Two different ones are enough here; and colours must be of the palette.
            guard i < source.count, let token = ClassToken(name), token != first,
                name.elementsEqual(ClassToken.names[Int(token.index)])
            else { return nil }
            if source[i] == UInt8(ascii: "\"") { break }
            guard first == nil, source[i] == 0x20 else { return nil }
            first = token
            i += 1
        }
        return i + 1 < source.count && source[i + 1] == UInt8(ascii: ">") ? i + 1 : nil
    }

    // MARK: The elements of the small language

    private enum Kind {
        case void
        /// `hr`: void as `br` is, but a block, since it closes a `p`.
        case rule
        case inline, paragraph, block, list, item, table, part, row, cell

        var content: Content {
            switch self {
            case .void, .rule, .inline, .paragraph: .phrasing
            case .block, .item, .cell: .flow
            case .list: .items
            case .table: .parts
            case .part: .rows
            case .row: .cells
            }
        }

        var isFlow: Bool {
            switch self {
            case .void, .rule, .inline, .paragraph, .block, .list, .table: true
            case .item, .part, .row, .cell: false
            }
        }
    }

    private struct Found {
        let key: UInt128
        let element: Element
        let kind: Kind
    }

    /// The elements by their names, which are packed into 128 bits: found with a few comparisons of numbers.
    private struct Elements {
        private var buckets = [Found?](repeating: nil, count: 256)

        init(_ elements: [Element]) {
            for element in elements {
                let key = Element.names[Int(element.rawValue)].reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
                var slot = Self.slot(key)
                while buckets[slot] != nil { slot = (slot + 1) & 255 }
                buckets[slot] = Found(key: key, element: element, kind: kinds[Int(element.rawValue)])
            }
        }

        @inline(__always)
        func find(_ key: UInt128) -> Found? {
            var slot = Self.slot(key)
            while let found = buckets[slot] {
                if found.key == key { return found }
                slot = (slot + 1) & 255
            }
            return nil
        }

        @inline(__always)
        private static func slot(_ key: UInt128) -> Int {
            Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15) >> 56)
        }
    }

    private static func elements(for policy: Sanitiser.Policy) -> Elements {
        policy != .reviews ? noteElements : reviewElements
    }

    private static let noteElements = Elements([
        .p, .br, .em, .strong, .b, .i, .ul, .ol, .li, .h3, .h4, .h5, .h6, .blockquote, .a, .div, .span, .hr,
        .u, .s,
        .small, .sub, .sup, .code, .cite, .q, .abbr, .del, .ins, .table, .thead, .tbody, .tfoot, .tr, .td,
        .th,
    ])
    private static let reviewElements = Elements([
        .p, .br, .b, .strong, .i, .em, .ul, .ol, .li, .blockquote, .code, .a,
    ])

    /// The kind of each element, by raw value; those not in the language are never asked for.
    private static let kinds: [Kind] = Element.allCases.map { element in
        switch element {
        case .br: .void
        case .hr: .rule
        case .p, .h2, .h3, .h4, .h5, .h6: .paragraph
        case .div, .blockquote: .block
        case .ul, .ol: .list
        case .li: .item
        case .table: .table
        case .thead, .tbody, .tfoot: .part
        case .tr: .row
        case .td, .th: .cell
        default: .inline
        }
    }
}
