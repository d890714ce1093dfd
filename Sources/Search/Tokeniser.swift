import Basics

/// Cuts text into the words that search compares. `search-words.js` does the same; `tokens.json` holds both to it, and
/// docs/search.md has the rules.
public struct Tokeniser {
    /// Longer words are cut off, on both sides alike, so that they still match.
    public static let wordLimit = 32
    /// Words of one text; the rest of a longer one is not found.
    public static let textLimit = 256

    private enum Class {
        static let space: UInt8 = 0
        static let letter: UInt8 = 1
        static let digit: UInt8 = 2
        static let ideograph: UInt8 = 3
        static let apostrophe: UInt8 = 4
        static let ampersand: UInt8 = 5
        static let hyphen: UInt8 = 6
        static let point: UInt8 = 7
        static let symbol: UInt8 = 8
    }

    private static let ascii: [UInt8] = (0..<128).map { byte -> UInt8 in
        switch UInt8(byte) {
        case 0x00...0x20, 0x7F: Class.space
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Class.digit
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): Class.letter
        case UInt8(ascii: "'"), UInt8(ascii: "`"): Class.apostrophe
        case UInt8(ascii: "&"): Class.ampersand
        case UInt8(ascii: "-"): Class.hyphen
        case UInt8(ascii: "."), UInt8(ascii: ","): Class.point
        default: Class.symbol
        }
    }

    /// For each byte the letter or digit that it is folded to; 0 where it is none of ASCII.
    private static let wordLetters: [UInt8] = (0..<256).map { byte in
        guard byte < 128 else { return 0 }
        switch ascii[byte] {
        case Class.letter: return UInt8(byte) | 0x20
        case Class.digit: return UInt8(byte)
        default: return 0
        }
    }

    /// What letters from U+00C0 to U+017F are folded to: one or two letters, in the low byte and the high one; 0 if it is
    /// not that simple.
    private static let latin: [UInt16] = (0..<0x180).map { value in
        guard value >= 0xC0, let scalar = Unicode.Scalar(UInt32(value)) else { return 0 }
        var tokeniser = Tokeniser()
        Array(String(scalar).utf8).withUnsafeBufferPointer { tokeniser.fold($0) }
        let letters = tokeniser.scalars
        guard tokeniser.classes.allSatisfy({ $0 == Class.letter }), letters.allSatisfy({ $0 < 0x80 }),
            1...2 ~= letters.count
        else { return 0 }
        return UInt16(letters[0]) | (letters.count == 2 ? UInt16(letters[1]) << 8 : 0)
    }

    /// The classes of U+2010 to U+201F, the dashes and quotes that many names have; none is part of a word.
    private static let punctuation: [UInt8] = (0x2010...0x201F).map { value in
        var tokeniser = Tokeniser()
        Array(String(Unicode.Scalar(UInt32(value))!).utf8).withUnsafeBufferPointer { tokeniser.fold($0) }
        return tokeniser.classes[0]
    }

    private var scalars: [UInt32] = []
    private var classes: [UInt8] = []
    private var word: [UInt8] = []
    /// The words of a plain text in small letters.
    private var plain: [UInt8] = []
    /// Where words of it begin and end, in turn.
    private var ends = [Int](repeating: 0, count: 2 * Tokeniser.textLimit)
    private var count = 0

    /// A tokeniser with buffers of its own, for one thread.
    public init() {}

    /// Calls a function with each word of a text.
    ///
    /// - Parameter body: gets a word's UTF-8, valid inside only, and whether it is one more way to write what other words
    ///   say already: an index holds those too, a query leaves them out.
    public mutating func forEachWord(
        of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, Bool) -> Void
    ) {
        if scanPlain(text, body) { return }
        fold(text)
        scan(body)
    }

    /// The words of a text, those of a query only or all that an index holds.
    public mutating func words(of text: String, forIndex: Bool = false) -> [String] {
        var text = text
        var out: [String] = []
        text.withUTF8 { bytes in
            forEachWord(of: bytes) { word, isExtra in
                if forIndex || !isExtra { out.append(String(decoding: word, as: UTF8.self)) }
            }
        }
        return out
    }

    /// What an address makes of a text, as far as folding alone tells: ASCII letters and digits, apostrophes left out, other
    /// runs as hyphens. `search-words.js` does the same.
    mutating func slug(of text: String) -> [UInt8] {
        var text = text
        var out: [UInt8] = []
        if text.withUTF8({ Self.appendPlainSlug(of: $0, to: &out) }) { return out }
        out.removeAll(keepingCapacity: true)
        var isSeparated = false
        text.withUTF8 { fold($0) }
        for (scalar, kind) in zip(scalars, classes) where kind != Class.apostrophe {
            guard kind == Class.letter || kind == Class.digit, scalar < 0x80 else {
                isSeparated = true
                continue
            }
            if isSeparated, !out.isEmpty { out.append(UInt8(ascii: "-")) }
            isSeparated = false
            out.append(UInt8(scalar))
        }
        return out
    }

    /// The slug of a text of Latin letters; false if it is another text.
    private static func appendPlainSlug(of text: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) -> Bool {
        var isPlain = true
        // A hyphen stands for a byte at least, and two letters for two.
        out = [UInt8](unsafeUninitializedCapacity: text.count + 1) { out, count in
            var isSeparated = false
            var at = 0
            while at < text.count {
                let byte = text[at]
                at &+= 1
                var letters = UInt16(wordLetters[Int(byte)])
                if letters == 0 {
                    if byte < 0x80 {
                        if ascii[Int(byte)] != Class.apostrophe { isSeparated = true }
                        continue
                    }
                    if let kind = punctuation(byte, text, at) {
                        at &+= 2
                        if kind != Class.apostrophe { isSeparated = true }
                        continue
                    }
                    guard let folded = simpleLetters(byte, at < text.count ? text[at] : 0) else {
                        isPlain = false
                        return
                    }
                    letters = folded
                    at &+= 1
                }
                if isSeparated, count > 0 {
                    out[count] = UInt8(ascii: "-")
                    count &+= 1
                }
                isSeparated = false
                out[count] = UInt8(truncatingIfNeeded: letters)
                count &+= 1
                if letters > 0xFF {
                    out[count] = UInt8(truncatingIfNeeded: letters &>> 8)
                    count &+= 1
                }
            }
        }
        return isPlain
    }

    /// What the two bytes of a Latin letter are folded to; nil if they are of something else.
    @inline(__always)
    private static func simpleLetters(_ first: UInt8, _ second: UInt8) -> UInt16? {
        guard 0xC3...0xC5 ~= first, second & 0xC0 == 0x80 else { return nil }
        let letters = latin[Int(first & 0x1F) << 6 | Int(second & 0x3F)]
        return letters == 0 ? nil : letters
    }

    /// The class of a dash or quote of three bytes, the first of which stands before a place; nil if it is something else.
    @inline(__always)
    private static func punctuation(_ first: UInt8, _ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> UInt8? {
        guard first == 0xE2, at + 1 < text.count, text[at] == 0x80, text[at + 1] & 0xF0 == 0x90 else {
            return nil
        }
        return punctuation[Int(text[at + 1] & 15)]
    }

    // MARK: Folding

    private mutating func fold(_ text: UnsafeBufferPointer<UInt8>) {
        scalars.removeAll(keepingCapacity: true)
        classes.removeAll(keepingCapacity: true)
        let isASCII = text.allSatisfy { $0 < 0x80 }
        if isASCII {
            Self.ascii.withUnsafeBufferPointer { table in
                for byte in text { append(ascii: byte, table) }
            }
            return
        }
        Self.ascii.withUnsafeBufferPointer { table in
            forEachDecomposed(text) { raw in
                if raw.isASCII {
                    append(ascii: UInt8(raw.value), table)
                } else {
                    append(raw, table)
                }
            }
        }
    }

    @inline(__always)
    private mutating func append(ascii byte: UInt8, _ table: UnsafeBufferPointer<UInt8>) {
        let kind = table[Int(byte)]
        var value = UInt32(byte)
        if kind == Class.letter { value |= 0x20 }
        // A decimal comma is written as a point.
        if kind == Class.point { value = 0x2E }
        scalars.append(value)
        classes.append(kind)
    }

    private mutating func append(_ raw: Unicode.Scalar, _ table: UnsafeBufferPointer<UInt8>) {
        if Folding.isIgnorable(raw) { return }
        let scalar = Folding.narrow(raw)
        if scalar.isASCII { return append(ascii: UInt8(scalar.value), table) }
        if 0xFF66...0xFF9D ~= scalar.value {
            return append(Self.halfWidth[Int(scalar.value - 0xFF66)], Class.ideograph)
        }
        // Half-width marks of voice, dropped as full-width ones are.
        if scalar.value == 0xFF9E || scalar.value == 0xFF9F { return }
        if let letters = Folding.latinLetters(scalar) {
            return letters.withUTF8Buffer { for byte in $0 { append(ascii: byte, table) } }
        }
        if Folding.isApostrophe(scalar) { return append(scalar, Class.apostrophe) }
        // Hyphen, non-breaking hyphen, figure dash, en dash.
        if 0x2010...0x2013 ~= scalar.value { return append(scalar, Class.hyphen) }
        for letter in scalar.properties.lowercaseMapping.unicodeScalars {
            if letter.isASCII {
                append(ascii: UInt8(letter.value), table)
            } else if let letters = Folding.latin(letter) {
                letters.withUTF8Buffer { for byte in $0 { append(ascii: byte, table) } }
            } else if letter == "ς" {
                append("σ", Class.letter)
            } else if let digit = Self.digit(letter.value) {
                append(ascii: digit, table)
            } else if Self.isIdeograph(letter.value) {
                append(letter, Class.ideograph)
            } else {
                switch letter.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                    .spacingMark, .decimalNumber, .letterNumber, .otherNumber:
                    append(letter, Class.letter)
                case .nonspacingMark, .enclosingMark, .format: break
                case .control: append(" ", Class.space)
                default: append(letter, letter.properties.isWhitespace ? Class.space : Class.symbol)
                }
            }
        }
    }

    /// From U+FF66 on.
    private static let halfWidth = Array(
        "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン".unicodeScalars)

    private mutating func append(_ scalar: Unicode.Scalar, _ kind: UInt8) {
        scalars.append(scalar.value)
        classes.append(kind)
    }

    /// The digit of Arabic-Indic, Persian, Devanagari, Bengali and Thai digits.
    private static func digit(_ scalar: UInt32) -> UInt8? {
        for zero: UInt32 in [0x660, 0x6F0, 0x966, 0x9E6, 0xE50] where zero..<(zero + 10) ~= scalar {
            return UInt8(0x30 + scalar - zero)
        }
        return nil
    }

    /// Han, Hiragana and Katakana with their marks of repetition and length: no blanks stand between their words.
    private static func isIdeograph(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x3005, 0x3007, 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FC...0x30FF,
            0x31F0...0x31FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }

    // MARK: Words

    /// Calls a function with each word of a text of Latin letters in which nothing joins words, as most are; false if it is
    /// another text, or one without a word.
    private mutating func scanPlain(
        _ text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>, Bool) -> Void
    ) -> Bool {
        if plain.count < text.count { plain = [UInt8](repeating: 0, count: text.count * 2) }
        let words = Self.wordLetters.withUnsafeBufferPointer { letters in
            plain.withUnsafeMutableBufferPointer { plain in
                ends.withUnsafeMutableBufferPointer { Self.findPlainWords(in: text, letters, plain, $0) }
            }
        }
        guard let words, words > 0 else { return false }
        plain.withUnsafeBufferPointer { plain in
            for i in 0..<words {
                let start = ends[2 * i]
                let end = min(ends[2 * i + 1], start + Self.wordLimit)
                body(UnsafeBufferPointer(rebasing: plain[start..<end]), false)
            }
        }
        return true
    }

    /// Writes the letters and digits of a text, and where each word begins and ends among them.
    ///
    /// - Returns: how many words there are; nil if the text is not that simple.
    private static func findPlainWords(
        in text: UnsafeBufferPointer<UInt8>, _ letters: UnsafeBufferPointer<UInt8>,
        _ plain: UnsafeMutableBufferPointer<UInt8>, _ ends: UnsafeMutableBufferPointer<Int>
    ) -> Int? {
        var (words, length, from) = (0, 0, 0)
        var isJoined = false
        while true {
            let start = length
            while from < text.count {
                let byte = text[from]
                let letter = letters[Int(byte)]
                if letter != 0 {
                    plain[length] = letter
                    length &+= 1
                    from &+= 1
                    continue
                }
                guard let folded = simpleLetters(byte, from &+ 1 < text.count ? text[from &+ 1] : 0) else {
                    break
                }
                plain[length] = UInt8(truncatingIfNeeded: folded)
                length &+= 1
                if folded > 0xFF {
                    plain[length] = UInt8(truncatingIfNeeded: folded &>> 8)
                    length &+= 1
                }
                from &+= 2
            }
            let isWord = length > start
            if isWord {
                if isJoined { return nil }
                if words < textLimit {
                    ends[2 &* words] = start
                    ends[2 &* words &+ 1] = length
                    words &+= 1
                }
            }
            guard from < text.count else { return words }
            let byte = text[from]
            from &+= 1
            let kind: UInt8
            if byte < 0x80 {
                kind = ascii[Int(byte)]
            } else if let mark = punctuation(byte, text, from) {
                kind = mark
                from &+= 2
            } else {
                return nil
            }
            isJoined = isWord && kind >= Class.apostrophe && kind <= Class.point
        }
    }

    private mutating func scan(_ body: (UnsafeBufferPointer<UInt8>, Bool) -> Void) {
        count = 0
        var at = 0
        while at < classes.count, count < Self.textLimit {
            switch classes[at] {
            case Class.ideograph: at = scanIdeographs(from: at, body)
            case Class.letter, Class.digit: at = scanCompound(from: at, body)
            default: at += 1
            }
        }
        if count > 0 { return }
        // A text of symbols only is found by them.
        at = 0
        while at < classes.count, count < Self.textLimit {
            if classes[at] == Class.space {
                at += 1
                continue
            }
            let start = at
            while at < classes.count, classes[at] != Class.space { at += 1 }
            emit(CollectionOfOne(start..<at), isExtra: false, body)
        }
    }

    private mutating func scanIdeographs(
        from start: Int, _ body: (UnsafeBufferPointer<UInt8>, Bool) -> Void
    ) -> Int {
        var end = start
        while end < classes.count, classes[end] == Class.ideograph { end += 1 }
        if end - start == 1 {
            emit(CollectionOfOne(start..<end), isExtra: false, body)
            return end
        }
        for at in start..<(end - 1) { emit(CollectionOfOne(at..<(at + 2)), isExtra: false, body) }
        // One character is found as the beginning of a pair; the last begins none.
        emit(CollectionOfOne((end - 1)..<end), isExtra: true, body)
        return end
    }

    /// Letters and digits, and what joins them: `o'brien`, `j&b`, `20.5`, `12-year`.
    private mutating func scanCompound(
        from start: Int, _ body: (UnsafeBufferPointer<UInt8>, Bool) -> Void
    ) -> Int {
        var part = start
        var at = start
        func isWord(_ i: Int) -> Bool {
            i < classes.count && (classes[i] == Class.letter || classes[i] == Class.digit)
        }
        while isWord(at) { at += 1 }
        if !isWord(at + 1) || classes[at] == Class.space {
            emit(CollectionOfOne(start..<at), isExtra: false, body)
            return at
        }
        // Words, each of parts that an apostrophe or an ampersand joins.
        var words: [[Range<Int>]] = [[]]
        while true {
            while isWord(at) { at += 1 }
            guard at < classes.count, isWord(at + 1) else { break }
            let (before, joiner, after) = (classes[at - 1], classes[at], classes[at + 1])
            if joiner == Class.point, before == Class.digit, after == Class.digit {
                at += 1
                continue
            }
            if joiner == Class.apostrophe, after == Class.letter {
                words[words.count - 1].append(part..<at)
            } else if joiner == Class.ampersand {
                var end = at + 1
                while isWord(end) { end += 1 }
                guard at - part <= 2, end - at - 1 <= 2 else { break }
                words[words.count - 1].append(part..<at)
            } else if joiner == Class.hyphen {
                words[words.count - 1].append(part..<at)
                words.append([])
            } else {
                break
            }
            at += 1
            part = at
        }
        words[words.count - 1].append(part..<at)
        for parts in words {
            emit(parts, isExtra: false, body)
            if parts.count > 1 {
                for part in parts where part.count > 1 { emit(CollectionOfOne(part), isExtra: true, body) }
            }
        }
        if words.count == 2 || words.count == 3 {
            let all = words.flatMap { $0 }
            if all.reduce(0, { $0 + $1.count }) <= 16 { emit(all, isExtra: true, body) }
        }
        return at
    }

    private mutating func emit(
        _ parts: some Sequence<Range<Int>>, isExtra: Bool, _ body: (UnsafeBufferPointer<UInt8>, Bool) -> Void
    ) {
        guard count < Self.textLimit else { return }
        count += 1
        word.removeAll(keepingCapacity: true)
        var left = Self.wordLimit
        for part in parts {
            for i in part where left > 0 {
                left -= 1
                let value = scalars[i]
                if value < 0x80 {
                    word.append(UInt8(value))
                } else if let scalar = Unicode.Scalar(value) {
                    word.append(contentsOf: UTF8.encode(scalar)!)
                }
            }
        }
        word.withUnsafeBufferPointer { body($0, isExtra) }
    }
}
