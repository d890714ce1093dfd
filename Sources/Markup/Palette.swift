import Glibc

/// One of the 64 colours that notes can have: four levels of red, green and blue.
///
/// Colours of notes are moved to the nearest of them. So the classes of a site are known beforehand, one style
/// sheet holds them all, and no note's colours depend on the notes sanitised before it.
struct PaletteColour: Hashable {
    /// Two bits each of red, green and blue.
    let index: UInt8

    init(index: UInt8) { self.index = index }

    /// The nearest colour of the palette.
    init(red: Int, green: Int, blue: Int) {
        func level(_ value: Int) -> Int { (value + 42) / 85 }
        index = UInt8(level(red) << 4 | level(green) << 2 | level(blue))
    }

    /// Three or six hexadecimal digits.
    init?(hex digits: Bytes) {
        var values: [Int] = []
        for digit in digits {
            guard values.count < 6, let value = digit.hexValue else { return nil }
            values.append(value)
        }
        switch values.count {
        case 3: self.init(red: values[0] * 17, green: values[1] * 17, blue: values[2] * 17)
        case 6:
            self.init(
                red: values[0] << 4 | values[1], green: values[2] << 4 | values[3],
                blue: values[4] << 4 | values[5])
        default: return nil
        }
    }

    /// A value of `color`, `bgcolor` and the like: `#rgb`, `#rrggbb`, with or without the `#`, or a name.
    init?(legacy value: Bytes) {
        let value = value.trimmed
        if let named = Self.named.first(where: { value.equalsIgnoringCase($0.name) }) {
            self = named.hex.withUTF8Buffer { PaletteColour(hex: $0) ?? PaletteColour(index: 0) }
            return
        }
        let digits = value.first == UInt8(ascii: "#") ? value.slice(1..<value.count) : value
        self.init(hex: digits)
    }

    private static let named: [(name: StaticString, hex: StaticString)] = [
        ("red", "ff0000"), ("blue", "0000ff"), ("green", "008000"), ("black", "000000"), ("white", "ffffff"),
        ("gray", "808080"), ("grey", "808080"), ("silver", "c0c0c0"), ("maroon", "800000"),
        ("purple", "800080"),
        ("fuchsia", "ff00ff"), ("magenta", "ff00ff"), ("lime", "00ff00"), ("olive", "808000"),
        ("yellow", "ffff00"), ("navy", "000080"), ("teal", "008080"), ("aqua", "00ffff"), ("cyan", "00ffff"),
        ("orange", "ffa500"), ("brown", "a52a2a"), ("gold", "ffd700"), ("crimson", "dc143c"),
        ("darkred", "8b0000"), ("darkgreen", "006400"), ("darkblue", "00008b"),
    ]

    /// Red, green and blue, each 0, 85, 170 or 255.
    var components: [Double] { [index >> 4 & 3, index >> 2 & 3, index & 3].map { Double($0) * 85 } }

    /// Six lower-case hexadecimal digits.
    var hex: String { Palette.hex(components) }
}

/// The colours of notes.
enum Palette {
    static let colours = (0..<64).map { PaletteColour(index: $0) }

    /// The share of the colour in a ground; the rest is white or black. So a ground is always a tint, and the
    /// page's own text, and every text colour below, can be read on it.
    private static let tint = 0.2

    /// The darkest light ground and the lightest dark one.
    static let darkestLight = ground(PaletteColour(index: 0), light: true)
    static let lightestDark = ground(PaletteColour(index: 63), light: false)

    static func ground(_ colour: PaletteColour, light: Bool) -> [Double] {
        mix(colour.components, with: light ? 255 : 0, share: 1 - tint)
    }

    /// The colour itself if it can be read on every light (dark) ground, else darkened (lightened) until it can.
    static func text(_ colour: PaletteColour, light: Bool) -> [Double] {
        let worst = light ? darkestLight : lightestDark
        var share = 0.0
        while share < 1 {
            // To the next that three digits can say: the style sheet is shorter by a quarter.
            let candidate = mix(colour.components, with: light ? 0 : 255, share: share).map {
                ($0 / 17).rounded() * 17
            }
            if contrast(candidate, worst) >= 4.5 { return candidate }
            share += 0.05
        }
        return light ? [0, 0, 0] : [255, 255, 255]
    }

    private static func mix(_ colour: [Double], with level: Double, share: Double) -> [Double] {
        colour.map { ($0 * (1 - share) + level * share).rounded() }
    }

    /// WCAG 2.2, "contrast ratio".
    static func contrast(_ a: [Double], _ b: [Double]) -> Double {
        let (x, y) = (luminance(a), luminance(b))
        return (max(x, y) + 0.05) / (min(x, y) + 0.05)
    }

    private static func luminance(_ colour: [Double]) -> Double {
        let linear = colour.map { value in
            let c = value / 255
            return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    static func hex(_ colour: [Double]) -> String {
        colour.map { value in
            let digits = String(Int(value), radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }

    /// Rules for the colour classes; the other classes look as the theme's own style sheet says.
    static let stylesheet: String = {
        /// Three digits: every channel is a multiple of 17.
        func short(_ colour: [Double]) -> String {
            "#" + colour.map { String(Int($0 / 17), radix: 16) }.joined()
        }
        let rules = colours.map { c in
            ".fc-\(c.hex){color:light-dark(\(short(text(c, light: true))),\(short(text(c, light: false))))}"
                + ".bg-\(c.hex){--g:\(short(c.components))}"
        }
        // What ``ground(_:light:)`` says, once for all. A theme's own classes that are called alike win.
        let grounds = ":where([class*=bg-]){background:color-mix(in srgb,var(--g) 20%,light-dark(#fff,#000))}"
        return (rules + [grounds]).joined(separator: "\n") + "\n"
    }()
}
