public import Basics

/// A value of a YAML file with its place, typed by whoever reads it: `no`, `1.10` and `010` are text here.
public struct YAMLNode: Hashable, Sendable {
    /// What a node holds.
    public enum Content: Hashable, Sendable {
        /// Nothing, `~` or `null` without quotes: the setting counts as not given.
        case absent
        /// Text, whatever YAML would make of it.
        case scalar(YAMLScalar)
        /// Values in order.
        case sequence([YAMLNode])
        /// Values by name in the order of the file; no name comes twice.
        case mapping([YAMLMember])
    }

    /// What it holds.
    public let content: Content
    /// Where it starts, in bytes from the start of the file.
    public let offset: Int
    /// How many bytes it takes in the file.
    public let length: Int

    /// A node at a place.
    public init(_ content: Content, offset: Int, length: Int = 1) {
        self.content = content
        self.offset = offset
        self.length = length
    }

    /// The value of a name, for mappings; nil when the name is not there.
    public subscript(key: String) -> YAMLNode? {
        guard case .mapping(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }
}

/// A name and its value in a YAML mapping.
public struct YAMLMember: Hashable, Sendable {
    /// The name, never empty.
    public let key: String
    /// Where the name starts, in bytes from the start of the file.
    public let offset: Int
    /// How many bytes the name takes in the file.
    public let length: Int
    /// What stands after the colon.
    public let value: YAMLNode
}

/// Text of a YAML file, how it was written and where its first character is.
public struct YAMLScalar: Hashable, Sendable {
    /// How a scalar is written.
    public enum Style: Hashable, Sendable {
        /// Without quotes.
        case plain
        /// Between single or double quotes.
        case quoted
        /// A block after `|`: line ends stay.
        case literal
        /// A block after `>`: lines are joined.
        case folded
    }

    /// The text after quotes, escapes and indentation are taken off.
    public let text: String
    /// How it was written.
    public let style: Style
    /// Where the text itself starts, in bytes from the start of the file: after the quote, or at the first
    /// content line of a block, after its indentation.
    public let offset: Int
    /// By how many blanks the lines of a block are indented; 0 for other styles.
    public let indentation: Int

    /// Where a byte of the text stands in the file, to report a fault inside it, such as a fault of SQL.
    ///
    /// Exact for literal blocks and for text of one line without escapes; else the start of the text.
    public func offset(ofByte index: Int, in source: SourceText) -> Int {
        switch style {
        case .folded: return offset
        case .plain, .quoted:
            let end = min(offset + text.utf8.count, source.bytes.count)
            return source.bytes[offset..<end].elementsEqual(text.utf8) ? offset + index : offset
        case .literal:
            let before = text.utf8.prefix(index)
            var at = offset
            for byte in before where byte == 0x0A {
                guard let end = source.bytes[at...].firstIndex(of: 0x0A) else { return at }
                at = end + 1
                // A blank line may be shorter than the indentation.
                var left = indentation
                while left > 0, at < source.bytes.count, source.bytes[at] == 0x20 {
                    at += 1
                    left -= 1
                }
            }
            let column = before.reversed().prefix { $0 != 0x0A }.count
            return min(at + column, source.bytes.count)
        }
    }
}
