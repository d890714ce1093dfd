/// Bytes that no page should hold: controls, code points that are no characters, ill-formed UTF-8.
///
/// Controls and noncharacters are left out, since gumbo would show each of them as U+FFFD, and only where it stands in the
/// source and not where a reference makes it: a second pass would then change something. Ill-formed sequences, which
/// gumbo makes of `&#11111111111;`, become U+FFFD.
extension Bytes {
    /// The bytes without unwanted ones; nil if there are none.
    func cleaned() -> [UInt8]? {
        var i = 0
        while true {
            i = skippingPlain(from: i)
            if i == count { return nil }
            if unwanted(at: i) != nil { break }
            i += length(at: i)
        }
        var out: [UInt8] = []
        out.reserveCapacity(count)
        var start = 0
        while i < count {
            guard let unwanted = unwanted(at: i) else {
                i += length(at: i)
                continue
            }
            out.append(contentsOf: slice(start..<i))
            if unwanted.isIllFormed { out.append(contentsOf: Array("\u{FFFD}".utf8)) }
            i += unwanted.length
            start = i
        }
        out.append(contentsOf: slice(start..<count))
        return out
    }

    /// What is wrong at the start of a character, and for how many bytes.
    @inline(__always)
    func unwanted(at i: Int) -> (length: Int, isIllFormed: Bool)? {
        let byte = self[i]
        if byte < 0x80 {
            guard byte < 0x20 && !byte.isHTMLSpace || byte == 0x7F else { return nil }
            return (1, false)
        }
        return unwantedBeyondASCII(at: i)
    }

    /// Table 3-7 of the Unicode standard, and the code points that are no characters.
    func unwantedBeyondASCII(at i: Int) -> (length: Int, isIllFormed: Bool)? {
        let lead = self[i]
        let length = length(at: i)
        guard lead >= 0xC2, lead <= 0xF4, i + length <= count else { return (1, true) }
        let second = self[i + 1]
        let from: UInt8 = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80
        let to: UInt8 = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF
        guard second >= from, second <= to else { return (1, true) }
        for j in i + 2..<Swift.max(i + length, i + 2) where self[j] & 0xC0 != 0x80 { return (1, true) }
        switch length {
        // C1 controls.
        case 2: return lead == 0xC2 && second < 0xA0 ? (2, false) : nil
        case 3:
            guard lead == 0xEF else { return nil }
            let third = self[i + 2]
            let isNoncharacter =
                second == 0xB7 ? (0x90...0xAF).contains(third) : second == 0xBF && third >= 0xBE
            return isNoncharacter ? (3, false) : nil
        default:
            let isNoncharacter = second & 0x0F == 0x0F && self[i + 2] == 0xBF && self[i + 3] >= 0xBE
            return isNoncharacter ? (4, false) : nil
        }
    }

    /// The length of the character whose first byte stands at `i`, as that byte has it.
    @inline(__always)
    private func length(at i: Int) -> Int {
        let byte = self[i]
        return byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    }
}
