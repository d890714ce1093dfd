/// The elements that the sanitiser can write; there are no others (S11, S16).
///
/// The case is the name of the element as it is written, see ``names``.
enum Element: UInt8, CaseIterable {
    case p, div, span, br, hr, b, strong, i, em, u, s, del, ins, small, sub, sup, code, kbd, samp, `var`, pre
    case cite, q, abbr, dfn, blockquote, h2, h3, h4, h5, h6, ul, ol, li, dl, dt, dd, a, img, figure,
        figcaption
    case table, caption, colgroup, col, thead, tbody, tfoot, tr, td, th

    /// The name of each element, by raw value.
    static let names: [[UInt8]] = allCases.map { Array(String(describing: $0).utf8) }

    /// `</name>` of each element, by raw value.
    static let endTags: [[UInt8]] = names.map { Array("</".utf8) + $0 + Array(">".utf8) }

    /// Whether the element has neither content nor an end tag.
    var isVoid: Bool { self == .br || self == .hr || self == .img || self == .col }

    /// The place of the element in a set of elements.
    @inline(__always)
    var bit: UInt64 { 1 << UInt64(rawValue) }
}

/// What becomes of an element of the source.
enum Treatment: Equatable {
    /// Written as this element, with the attributes that may stay.
    case keep(Element)
    /// Left out, its content stays.
    case unwrap
    /// Left out with everything in it.
    case drop

    /// The treatment of each element that is not unwrapped, by its name in the source.
    static func table(for policy: Sanitiser.Policy) -> [String: Treatment] {
        let kept: [Element]
        let mapped: [String: Element]
        switch policy {
        case .notes, .pages:
            // A note stands below its card's heading of the second level, a page's text below the page's of the first.
            kept = Element.allCases.filter { $0 != .h2 || policy == .pages }
            let top: Element = policy == .pages ? .h2 : .h3
            mapped = [
                "h1": top, "h2": top, "font": .span, "big": .span, "nobr": .span, "center": .div,
                "address": .div, "tt": .code, "strike": .s, "acronym": .abbr, "dir": .ul, "menu": .ul,
            ]
        case .reviews:
            kept = [.p, .br, .b, .strong, .i, .em, .ul, .ol, .li, .blockquote, .code, .a]
            // Old forms wrote a div a paragraph; without it the paragraphs would run together.
            mapped = ["div": .p]
        }
        var table: [String: Treatment] = [:]
        for name in dropped { table[name] = .drop }
        for element in kept { table[String(describing: element)] = .keep(element) }
        for (name, element) in mapped { table[name] = .keep(element) }
        return table
    }

    /// S12: what these hold is not for readers, or is parsed by other rules than the rest.
    static let dropped = [
        "script", "style", "template", "noscript", "noembed", "noframes", "iframe", "frame", "frameset",
        "object",
        "embed", "applet", "svg", "math", "title", "textarea", "select", "xmp", "plaintext", "listing",
        "head",
        "audio", "video", "canvas", "base", "meta", "link", "xml",
    ]
}
