/// A class that a note may carry, from a closed set (S14): what is left of `font`, `align`, `bgcolor` and `style`.
struct ClassToken: Equatable {
    /// The place in ``names``.
    let index: UInt8

    /// Every class there is: 64 text colours, 64 grounds, and the rest.
    static let names: [[UInt8]] =
        (Palette.colours.map { "fc-" + $0.hex } + Palette.colours.map { "bg-" + $0.hex } + plain).map {
            Array($0.utf8)
        }

    private static let plain = [
        "fs-1", "fs-2", "fs-3", "fs-4", "fs-5", "fs-6", "fs-7", "ta-left", "ta-right", "ta-center",
        "ta-justify",
        "fw-b", "fi", "tu", "tl", "nw", "bd",
    ]

    static func text(_ colour: PaletteColour) -> ClassToken { ClassToken(index: colour.index) }
    static func ground(_ colour: PaletteColour) -> ClassToken { ClassToken(index: 64 + colour.index) }
    /// A font size of the old scale, 1 to 7.
    static func size(_ size: Int) -> ClassToken { ClassToken(index: 128 + UInt8(size - 1)) }
    static let left = ClassToken(index: 135), right = ClassToken(index: 136)
    static let center = ClassToken(index: 137), justify = ClassToken(index: 138)
    static let bold = ClassToken(index: 139), italic = ClassToken(index: 140),
        underline = ClassToken(index: 141)
    static let lineThrough = ClassToken(index: 142), noWrap = ClassToken(index: 143)
    static let border = ClassToken(index: 144)

    /// The class with exactly this name. Colours off the palette are moved to the nearest one.
    init?(_ name: Bytes) {
        if name.starts(with: "fc-", at: 0) || name.starts(with: "bg-", at: 0) {
            guard name.count == 9, let colour = PaletteColour(hex: name.slice(3..<9)) else { return nil }
            self = name[0] == UInt8(ascii: "f") ? .text(colour) : .ground(colour)
            return
        }
        guard let found = Self.names[128...].firstIndex(where: { name.elementsEqual($0) }) else { return nil }
        index = UInt8(found)
    }

    private init(index: UInt8) { self.index = index }
}

/// The classes of one element, in the order in which they were found, each once.
struct ClassTokens {
    private(set) var tokens: [ClassToken] = []

    /// More than an element can have of use; keeps an attribute from growing.
    static let maximum = 8

    var isEmpty: Bool { tokens.isEmpty }

    mutating func add(_ token: ClassToken) {
        if tokens.count < Self.maximum, !tokens.contains(token) { tokens.append(token) }
    }

    /// Adds those names of a `class` attribute that the sanitiser itself makes, so that a second pass keeps them.
    mutating func add(classAttribute value: Bytes) {
        value.forEachPart(separatedBy: { $0.isHTMLSpace }) { if let token = ClassToken($0) { add(token) } }
    }

    /// Adds the value of an `align` attribute or a `text-align` property.
    mutating func add(align value: Bytes) {
        let value = value.trimmed
        if value.equalsIgnoringCase("left") { add(.left) }
        if value.equalsIgnoringCase("right") { add(.right) }
        if value.equalsIgnoringCase("center") || value.equalsIgnoringCase("middle") { add(.center) }
        if value.equalsIgnoringCase("justify") { add(.justify) }
    }

    /// Adds the size of a `font` element: 1 to 7, or relative to 3.
    mutating func add(fontSize value: Bytes) {
        let value = value.trimmed
        guard let first = value.first else { return }
        if first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
            guard let step = number(value.slice(1..<value.count), in: 0...99) else { return }
            add(.size(min(max(first == UInt8(ascii: "+") ? 3 + step : 3 - step, 1), 7)))
        } else if let size = number(value, in: 1...7) {
            add(.size(size))
        }
    }

    /// Adds what can be kept of a `style` attribute: seven properties with plain words.
    ///
    /// A declaration that holds any character of CSS syntax is skipped, so that nothing needs to be understood.
    mutating func add(style value: Bytes) {
        value.forEachPart(separatedBy: { $0 == UInt8(ascii: ";") }) { declaration in
            guard !declaration.contains(where: Self.isSyntax),
                let colon = declaration.firstIndex(of: UInt8(ascii: ":"))
            else { return }
            let property = declaration.slice(0..<colon).trimmed
            let value = declaration.slice(colon + 1..<declaration.count).trimmed
            if property.equalsIgnoringCase("color") {
                if let colour = PaletteColour(legacy: value) { add(.text(colour)) }
            } else if property.equalsIgnoringCase("background-color") {
                if let colour = PaletteColour(legacy: value) { add(.ground(colour)) }
            } else if property.equalsIgnoringCase("text-align") {
                add(align: value)
            } else if property.equalsIgnoringCase("font-weight") {
                if value.equalsIgnoringCase("bold") || value.equalsIgnoringCase("700") { add(.bold) }
            } else if property.equalsIgnoringCase("font-style") {
                if value.equalsIgnoringCase("italic") { add(.italic) }
            } else if property.equalsIgnoringCase("text-decoration") {
                if value.equalsIgnoringCase("underline") { add(.underline) }
                if value.equalsIgnoringCase("line-through") { add(.lineThrough) }
            }
        }
    }

    private static func isSyntax(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "@"), UInt8(ascii: "<"), UInt8(ascii: ">"):
            true
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "&"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "!"): true
        default: false
        }
    }
}

extension Bytes {
    /// Calls `body` with each part that is not empty.
    func forEachPart(separatedBy isSeparator: (UInt8) -> Bool, _ body: (Bytes) -> Void) {
        var start = 0
        for i in 0...count where i == count || isSeparator(self[i]) {
            if i > start { body(slice(start..<i)) }
            start = i + 1
        }
    }
}

/// A decimal number at the start of an attribute's value, as browsers read it, if it lies in `range`.
func number(_ value: Bytes, in range: ClosedRange<Int>) -> Int? {
    var digits = 0
    var number = 0
    for byte in value.trimmed {
        guard byte.isASCIIDigit else { break }
        number = min(number * 10 + Int(byte - UInt8(ascii: "0")), 10_000_000)
        digits += 1
    }
    return digits > 0 && range.contains(number) ? number : nil
}
