/// Bytes that sort names as a catalogue lists them, the same on every machine: compare them with `<` by byte.
///
/// Accents and case do not count (É stands with e, Å with a), numbers sort by value (`Château 9` before
/// `Château 12`), words before longer words (`Glen Ord` before `Glenallachie`), punctuation in front is ignored,
/// apostrophes everywhere. Other scripts follow Latin by code point. Where all that is equal the original code
/// points decide, so that only equal texts have equal keys. No locale is asked. ASCII costs about 0.1 µs.
public func collationKey(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { asciiCollationKey($0) ?? unicodeCollationKey($0) }
}

extension [UInt8] {
    /// Whether these bytes come before others: the order of two collation keys.
    public func sorts(before other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}

// The key: folded letters as themselves; before them numbers (0x10 and up), before those the blank between
// two words (0x02); other scripts as UTF-8, whose bytes are above `z`; then 0 and the text itself.
private let blank: UInt8 = 0x02
private let end: UInt8 = 0x00
private let number: UInt8 = 0x10
/// Longer numbers have their length written out; 14 digits are enough for a GTIN.
private let shortNumber = 14

private enum Class {
    static let separator: UInt8 = 0
    static let ignored: UInt8 = 1
    static let digit: UInt8 = 2
    static let letter: UInt8 = 3
}

@inline(__always)
private func classOf(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): Class.letter
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Class.digit
    case UInt8(ascii: "'"), UInt8(ascii: "`"): Class.ignored
    default: Class.separator
    }
}

/// The key of text that is ASCII; nil for other text.
private func asciiCollationKey(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    // A letter takes a byte, a digit at most two (and a long number four more), then the end and the text.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * text.count + 8) { key in
        var n = 0
        var isSeparated = false
        var i = 0
        while i < text.count {
            let byte = text[i]
            if byte >= 0x80 { return nil }
            let kind = classOf(byte)
            if kind < Class.digit {
                if kind == Class.separator { isSeparated = true }
                i += 1
                continue
            }
            if isSeparated, n > 0 {
                key[n] = blank
                n += 1
            }
            isSeparated = false
            if kind == Class.letter {
                key[n] = byte | 0x20
                n += 1
                i += 1
                continue
            }
            while i < text.count, text[i] == UInt8(ascii: "0") { i += 1 }
            let start = i
            while i < text.count, classOf(text[i]) == Class.digit { i += 1 }
            let length = i - start
            if length <= shortNumber {
                key[n] = number + UInt8(length)
                n += 1
            } else {
                key[n] = number + UInt8(shortNumber) + 1
                for shift in 0..<4 {
                    key[n + 1 + shift] = UInt8(truncatingIfNeeded: length >> (24 - 8 * shift))
                }
                n += 5
            }
            for k in start..<i {
                key[n] = text[k]
                n += 1
            }
        }
        key[n] = end
        n += 1
        for byte in text {
            key[n] = byte
            n += 1
        }
        return [UInt8](UnsafeBufferPointer(rebasing: key[..<n]))
    }
}

private func unicodeCollationKey(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(2 * text.count + 8)
    var digits: [UInt8] = []
    var isNumber = false
    var isSeparated = false

    func closeNumber() {
        guard isNumber else { return }
        isNumber = false
        if digits.count <= shortNumber {
            key.append(number + UInt8(digits.count))
        } else {
            key.append(number + UInt8(shortNumber) + 1)
            for shift in 0..<4 { key.append(UInt8(truncatingIfNeeded: digits.count >> (24 - 8 * shift))) }
        }
        key.append(contentsOf: digits)
        digits.removeAll(keepingCapacity: true)
    }
    func separate() {
        if isSeparated, !key.isEmpty { key.append(blank) }
        isSeparated = false
    }

    // Apart, because what it asks of a scalar is looked up before it is known whether it is asked for.
    @inline(never)
    func addBeyondASCII(_ raw: Unicode.Scalar) {
        if Folding.isIgnorable(raw) { return }
        let scalar = Folding.narrow(raw)
        if let digit = Folding.digit(scalar) {
            if !isNumber { separate() }
            isNumber = true
            if digit > 0 || !digits.isEmpty { digits.append(UInt8(ascii: "0") + digit) }
            return
        }
        closeNumber()
        if let letters = Folding.latinLetters(scalar) {
            separate()
            key.append(letters)
            return
        }
        if Folding.isApostrophe(scalar) { return }
        for letter in scalar.properties.lowercaseMapping.unicodeScalars {
            if "a"..."z" ~= letter {
                separate()
                key.append(UInt8(letter.value))
            } else if let letters = Folding.latin(letter) {
                separate()
                key.append(letters)
            } else if letter.properties.isAlphabetic || letter.properties.numericType != nil {
                separate()
                key.append(contentsOf: String(letter).utf8)
            } else if !Folding.isIgnorable(letter) {
                isSeparated = true
            }
        }
    }

    forEachDecomposed(text) { raw in
        // Most letters of a Latin name are ASCII, and the properties of a scalar are slow to ask for.
        if raw.isASCII {
            let byte = UInt8(raw.value)
            switch classOf(byte) {
            case Class.digit:
                if !isNumber { separate() }
                isNumber = true
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            case Class.letter:
                closeNumber()
                separate()
                key.append(byte | 0x20)
            case Class.separator:
                closeNumber()
                isSeparated = true
            default: closeNumber()
            }
        } else {
            addBeyondASCII(raw)
        }
    }
    closeNumber()
    key.append(end)
    key.append(contentsOf: text)
    return key
}
