/// Letters as an English reader would type them, for slugs and for sorting.
///
/// Marks are gone before a scalar comes here (the text is in form D), so only letters that Unicode does not
/// decompose are listed: ø, ł, ß and the like. The choices are the customary ones, without a locale: ö is o.
public enum Folding {
    /// The ASCII letters for a lower-case Latin letter without marks, nil for anything else.
    public static func latin(_ scalar: Unicode.Scalar) -> StaticString? {
        switch scalar {
        case "ß", "ẞ": "ss"
        case "æ", "Æ": "ae"
        case "œ", "Œ": "oe"
        case "ø", "Ø", "ɵ", "º", "ⱺ", "ɔ": "o"
        case "ª", "ɐ", "ɑ", "ⱥ": "a"
        case "đ", "Đ", "ð", "Ð", "ɖ", "ɗ": "d"
        case "þ", "Þ": "th"
        case "ł", "Ł", "ƚ", "ɫ": "l"
        case "ı", "ɨ", "ɩ": "i"
        case "ħ", "Ħ", "ɦ": "h"
        case "ŋ", "Ŋ": "ng"
        case "ŧ", "Ŧ", "ƭ", "ʈ": "t"
        case "ĸ", "ƙ": "k"
        case "ſ": "s"
        case "ə", "ɛ", "ǝ", "ɇ": "e"
        case "ƒ": "f"
        case "ƀ", "ɓ": "b"
        case "ƈ", "ȼ", "ɕ": "c"
        case "ɠ", "ǥ", "ɡ": "g"
        case "ɉ", "ʝ": "j"
        case "ɲ", "ƞ": "n"
        case "ƥ": "p"
        case "ɍ": "r"
        case "ʂ", "ȿ": "s"
        case "ʉ", "ʊ": "u"
        case "ʋ": "v"
        case "ƴ", "ɏ": "y"
        case "ƶ", "ȥ", "ʐ": "z"
        case "ĳ", "Ĳ": "ij"
        case "ŀ", "Ŀ": "l"
        case "ŉ": "n"
        case "ﬀ": "ff"
        case "ﬁ": "fi"
        case "ﬂ": "fl"
        default: nil
        }
    }

    /// The ASCII letters for a Latin letter below U+0180 without marks, in either case; nil for anything else.
    ///
    /// What ``latin(_:)`` gives for the letter in lower case, without asking for that.
    @inline(__always)
    public static func latinLetters(_ scalar: Unicode.Scalar) -> StaticString? {
        scalar.value < 0x180 ? below180[Int(scalar.value)] : nil
    }

    private static let below180: [StaticString?] = (0..<0x180).map { value in
        let lower = Array(Unicode.Scalar(UInt16(value))!.properties.lowercaseMapping.unicodeScalars)
        return value >= 0x80 && lower.count == 1 ? latin(lower[0]) : nil
    }

    /// The ASCII letters for a lower-case Cyrillic or Greek letter without marks, nil for anything else.
    ///
    /// Cyrillic after BGN/PCGN without its context rules, Greek after ISO 843 (UN 1987) likewise; й, which
    /// is и with a breve in form D, is left to the caller.
    static func transliteration(_ scalar: Unicode.Scalar) -> StaticString? {
        switch scalar {
        case "а": "a"
        case "б": "b"
        case "в": "v"
        case "г", "ґ", "ғ": "g"
        case "д": "d"
        case "е", "є": "e"
        case "ж", "җ": "zh"
        case "з": "z"
        case "и", "і": "i"
        case "ј": "j"
        case "к", "қ": "k"
        case "л": "l"
        case "љ": "lj"
        case "м": "m"
        case "н", "ң": "n"
        case "њ": "nj"
        case "о", "ө": "o"
        case "п": "p"
        case "р": "r"
        case "с": "s"
        case "т": "t"
        case "ћ": "c"
        case "ђ": "dj"
        case "у", "ү", "ұ": "u"
        case "ф": "f"
        case "х", "һ": "kh"
        case "ц": "ts"
        case "ч": "ch"
        case "џ": "dz"
        case "ш": "sh"
        case "щ": "shch"
        case "ъ", "ь": ""
        case "ы": "y"
        case "э", "ә": "e"
        case "ю": "yu"
        case "я": "ya"
        case "ѕ": "dz"
        case "α": "a"
        case "β": "v"
        case "γ": "g"
        case "δ": "d"
        case "ε": "e"
        case "ζ": "z"
        case "η", "ι": "i"
        case "θ": "th"
        case "κ": "k"
        case "λ": "l"
        case "μ": "m"
        case "ν": "n"
        case "ξ": "x"
        case "ο", "ω": "o"
        case "π": "p"
        case "ρ": "r"
        case "σ", "ς": "s"
        case "τ": "t"
        case "υ": "y"
        case "φ": "f"
        case "χ": "ch"
        case "ψ": "ps"
        default: nil
        }
    }

    /// Whether a scalar belongs to the letter before it or shows nothing: combining marks, joiners,
    /// direction marks, the BOM. Such scalars neither print nor separate.
    public static func isIgnorable(_ scalar: Unicode.Scalar) -> Bool {
        // The table of categories is asked for the rest only.
        if scalar.value < 0xAD { return false }
        if 0x300..<0x370 ~= scalar.value { return true }
        return switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// Whether a scalar is an apostrophe of some kind: `O'Brien` is one word, `obrien`.
    public static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "'", "’", "‘", "ʼ", "ʻ", "ʹ", "´", "`", "′", "＇": true
        default: false
        }
    }

    /// The scalar a full-width form stands for (`Ａ` U+FF21 → `A`), else the scalar itself.
    public static func narrow(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar }
        return Unicode.Scalar(UInt8(scalar.value - 0xFF01 + 0x21))
    }

    /// The value of a decimal digit of any script.
    static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else {
            return nil
        }
        return UInt8(value)
    }
}
