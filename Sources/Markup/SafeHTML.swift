import Basics

/// HTML that may go into a page as it stands, because this module made it.
public struct SafeHTML: Hashable, Sendable {
    /// The markup, in UTF-8.
    public var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The text as HTML, everything escaped.
    public static func escaped(_ text: String) -> SafeHTML {
        var bytes: [UInt8] = []
        bytes.appendEscaped(text)
        return SafeHTML(bytes: bytes)
    }
}
