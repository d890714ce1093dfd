import Basics

/// A piece of a scanned template. Positions are byte offsets into its source.
enum Node: Sendable {
    /// Source bytes as they stand. `startsLine` says that indentation goes before them; an empty one is put
    /// before a tag that is the first thing of a line.
    case text(Range<Int>, startsLine: Bool)
    case value(Tag, isRaw: Bool)
    indirect case section(Tag, body: [Node], isInverted: Bool)
    /// `indentation` is the white space before a standalone tag, and nil for a tag within a line.
    case partial(Tag, indentation: Range<Int>?, isDynamic: Bool)
    case parent(Tag, indentation: Range<Int>?, blocks: [Block])
    case block(Block)
}

/// A name in a tag, and where both are.
struct Tag: Sendable {
    let name: String
    /// The bytes of the name.
    let place: Range<Int>
    /// The bytes of the whole tag with its delimiters.
    let whole: Range<Int>
}

/// A `{{$name}}…{{/name}}`: a place to fill in a parent, or what fills it, depending on where it stands.
final class Block: Sendable {
    let tag: Tag
    let body: [Node]
    /// Whether the opening tag ends its line, so that the body is made of whole lines.
    let hasLines: Bool
    /// As a place to fill: the white space that each line of the filling gets.
    let indentation: Range<Int>
    /// As a filling: the white space that its lines have in common with the first and lose.
    let margin: Range<Int>

    init(tag: Tag, body: [Node], hasLines: Bool, indentation: Range<Int>, margin: Range<Int>) {
        self.tag = tag
        self.body = body
        self.hasLines = hasLines
        self.indentation = indentation
        self.margin = margin
    }
}

/// A scanned template: what can be said about it without knowing any fields.
struct Tree: Sendable {
    let source: SourceText
    let nodes: [Node]
    /// What is wrong with the tags themselves.
    let diagnostics: [Diagnostic]
}
