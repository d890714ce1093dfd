/// Where in HTML a point of a template is, as far as it matters for what may be written there (S1, S5).
///
/// A rough tokeniser: it is fed the fixed text of a template in the order of the file, and values between the
/// pieces do not move it, because escaped text cannot. https://html.spec.whatwg.org/multipage/parsing.html
struct HTMLPlace: Hashable, Sendable {
    enum Mode: UInt8 {
        case text, tagOpen, tagName, endTagName, beforeName, attributeName, afterName, beforeValue
        case doubleQuoted, singleQuoted, unquoted, declaration, comment
        /// The text of script, style, title or textarea.
        case rawText
    }

    private(set) var mode = Mode.text
    /// The current element's name.
    private var element = Word()
    /// The current attribute's name; in raw text, the name after `</`.
    private var attribute = Word()
    /// How much of `-->` or `</` has been seen.
    private var progress: UInt8 = 0
    /// FNV-1a of a script's type while it is being read; else 0.
    private var valueHash: UInt64 = 0
    /// Whether the script element holds data, which is not run: its type is one of JSON's.
    private var isData = false

    private static func hash(_ text: StaticString) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for i in 0..<text.utf8CodeUnitCount { hash = (hash ^ UInt64(text.utf8Start[i])) &* 0x100_0000_01B3 }
        return hash
    }

    private static let dataTypes = [hash("application/ld+json"), hash("application/json")]

    /// Whether it is the text of a script element that holds JSON.
    var isDataBlock: Bool { mode == .rawText && element == Self.script && isData }

    /// Up to eight letters of a name, lower-cased; longer ones are cut, which the names of interest are not.
    private struct Word: Hashable {
        var letters: UInt64 = 0
        var count: UInt8 = 0

        init() {}

        init(_ text: StaticString) {
            for i in 0..<text.utf8CodeUnitCount { append(text.utf8Start[i]) }
        }

        mutating func append(_ byte: UInt8) {
            if count < 8 {
                letters = letters << 8 | UInt64((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            }
            if count < 9 { count += 1 }
        }

        /// Whether it begins with "on" and is longer.
        var isEvent: Bool {
            count > 2 && letters >> (8 * UInt64(min(count, 8) - 2)) == UInt64(0x6F6E)
        }
    }

    private static let script = Word("script"), style = Word("style")
    private static let title = Word("title"), textarea = Word("textarea")
    private static let srcdoc = Word("srcdoc"), type = Word("type")

    /// Moves over a byte of fixed text.
    mutating func advance(over byte: UInt8) {
        let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
        let isLetter = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        switch mode {
        case .text:
            if byte == UInt8(ascii: "<") { mode = .tagOpen }
        case .tagOpen:
            if isLetter {
                element = Word()
                element.append(byte)
                mode = .tagName
            } else if byte == UInt8(ascii: "/") {
                mode = .endTagName
            } else if byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?") {
                mode = .declaration
                progress = byte == UInt8(ascii: "!") ? 0 : 3
            } else if byte != UInt8(ascii: "<") {
                mode = .text
            }
        case .tagName, .endTagName:
            if byte == UInt8(ascii: ">") {
                endTag()
            } else if isSpace || byte == UInt8(ascii: "/") {
                mode = mode == .tagName ? .beforeName : .endTagName
            } else if mode == .tagName {
                element.append(byte)
            }
        case .beforeName, .attributeName, .afterName:
            if byte == UInt8(ascii: ">") {
                endTag()
            } else if isSpace {
                mode = mode == .attributeName ? .afterName : mode
            } else if byte == UInt8(ascii: "/") {
                mode = .beforeName
            } else if byte == UInt8(ascii: "="), mode != .beforeName {
                mode = .beforeValue
            } else {
                if mode != .attributeName { attribute = Word() }
                attribute.append(byte)
                mode = .attributeName
            }
        case .beforeValue:
            if byte == UInt8(ascii: "\"") {
                mode = .doubleQuoted
                // Only of the one value that matters: places are compared, and any other hash would tell apart places
                // that are alike.
                if element == Self.script, attribute == Self.type { valueHash = Self.hash("") }
            } else if byte == UInt8(ascii: "'") {
                mode = .singleQuoted
            } else if byte == UInt8(ascii: ">") {
                endTag()
            } else if !isSpace {
                mode = .unquoted
            }
        case .doubleQuoted:
            if byte == UInt8(ascii: "\"") {
                mode = .beforeName
                if valueHash != 0 { isData = Self.dataTypes.contains(valueHash) }
                valueHash = 0
            } else if valueHash != 0 {
                valueHash = (valueHash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
        case .singleQuoted:
            if byte == UInt8(ascii: "'") { mode = .beforeName }
        case .unquoted:
            if byte == UInt8(ascii: ">") { endTag() } else if isSpace { mode = .beforeName }
        case .declaration:
            if byte == UInt8(ascii: ">") {
                reset()
            } else if byte == UInt8(ascii: "-"), progress < 2 {
                progress += 1
                if progress == 2 { (mode, progress) = (.comment, 0) }
            } else {
                progress = 3
            }
        case .comment:
            if byte == UInt8(ascii: "-") {
                progress = min(progress + 1, 2)
            } else if byte == UInt8(ascii: ">"), progress == 2 {
                reset()
            } else {
                progress = 0
            }
        case .rawText:
            if progress == 2, byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || isSpace,
                attribute == element
            {
                element = Word()
                if byte == UInt8(ascii: ">") { reset() } else { mode = .beforeName }
            } else if byte == UInt8(ascii: "<") {
                (progress, attribute) = (1, Word())
            } else if byte == UInt8(ascii: "/"), progress == 1 {
                progress = 2
            } else if progress == 2, isLetter {
                attribute.append(byte)
            } else {
                progress = 0
            }
        }
    }

    private mutating func endTag() {
        let opened = mode == .endTagName ? Word() : element
        let isData = self.isData && opened == Self.script
        reset()
        self.isData = isData
        if [Self.script, Self.style, Self.title, Self.textarea].contains(opened) {
            mode = .rawText
            element = opened
        }
    }

    private mutating func reset() { self = HTMLPlace() }

    /// Why no value may stand here, as the end of a sentence that names it; nil if one may.
    ///
    /// `asHTML` is for a value that is written as it stands, `hasApostrophes` for text whose `'` are.
    func objection(asHTML: Bool, hasApostrophes: Bool = false) -> String? {
        switch mode {
        case .text: nil
        case .rawText where element == Self.script: "stands in a script element, which is code and not text"
        case .rawText where element == Self.style: "stands in a style element, which is code and not text"
        case .tagOpen, .tagName, .endTagName: "stands where an element's name would be"
        case .beforeName, .attributeName, .afterName: "stands where an attribute's name would be"
        case .beforeValue, .unquoted:
            "stands in an attribute value without quotes; write it between \" and \""
        case .doubleQuoted, .singleQuoted:
            if attribute.isEvent {
                "stands in an event attribute, which is code and not text"
            } else if attribute == Self.style {
                "stands in a style attribute, which is code and not text"
            } else if attribute == Self.srcdoc {
                "stands in a srcdoc attribute, which is a page and not text"
            } else if asHTML {
                "is HTML and stands in an attribute value, where only text can be"
            } else if hasApostrophes && mode == .singleQuoted {
                "has ' in it, which would end the attribute value; write it between \" and \""
            } else {
                nil
            }
        case .rawText: asHTML ? "is HTML and stands in an element that holds only text" : nil
        case .declaration: "stands in a declaration"
        case .comment: asHTML ? "is HTML and stands in a comment, which it could end" : nil
        }
    }

    /// Whether a template that began at `start` and ends here leaves what follows in the same place.
    func settles(from start: HTMLPlace) -> Bool {
        func isBetween(_ mode: Mode) -> Bool {
            mode == .beforeName || mode == .attributeName || mode == .afterName
        }
        if isBetween(mode) && isBetween(start.mode) { return true }
        return mode == start.mode && (mode != .rawText || element == start.element)
    }

    /// What the place is called, for a template that ends in it.
    var noun: String {
        switch mode {
        case .text: "text"
        case .tagOpen, .tagName, .endTagName, .beforeName, .attributeName, .afterName: "a tag"
        case .beforeValue, .doubleQuoted, .singleQuoted, .unquoted: "an attribute value"
        case .declaration: "a declaration"
        case .comment: "a comment"
        case .rawText where element == Self.script: "a script element"
        case .rawText where element == Self.style: "a style element"
        case .rawText where element == Self.title: "a title element"
        case .rawText: "a textarea element"
        }
    }
}
