import Basics

typealias Bytes = UnsafeBufferPointer<UInt8>

extension Bytes {
    /// Whether the bytes of `text` stand at `offset`.
    @inline(__always)
    func starts(with text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset + length <= count else { return false }
        for i in 0..<length where self[offset + i] != text.utf8Start[i] { return false }
        return true
    }

    /// Whether the bytes are those of `text`, ASCII letters in either case; `text` is in lower case.
    func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for i in 0..<count where self[i].lowercasedASCII != text.utf8Start[i] { return false }
        return true
    }

    /// The bytes from `range`.
    @inline(__always)
    func slice(_ range: Range<Int>) -> Bytes { Bytes(rebasing: self[range]) }

    /// Where to go on looking after a run of letters, digits and such, eight at a time: whatever is skipped is printable ASCII
    /// and none of `& < >`.
    @inline(__always)
    func skippingPlain(from start: Int) -> Int {
        func each(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }
        func zeros(_ word: UInt64) -> UInt64 { (word &- each(1)) & ~word }
        var i = start
        while i + 8 <= count {
            let word = UnsafeRawPointer(baseAddress! + i).loadUnaligned(as: UInt64.self)
            // May say yes for a byte after one that is meant; then the loop of the caller looks at each.
            let special =
                word | (word &- each(0x20)) & ~word | zeros(word ^ each(0x7F)) | zeros(word ^ each(0x26))
                | zeros(word & each(0xFD) ^ each(0x3C))
            if special & each(0x80) != 0 { break }
            i += 8
        }
        return i
    }

    /// The bytes without HTML white space at both ends.
    var trimmed: Bytes {
        var from = 0
        var to = count
        while from < to, self[from].isHTMLSpace { from += 1 }
        while to > from, self[to - 1].isHTMLSpace { to -= 1 }
        return slice(from..<to)
    }

    /// The bytes of a C string, without its NUL.
    init(cString: UnsafePointer<CChar>) {
        var length = 0
        while cString[length] != 0 { length += 1 }
        self.init(start: UnsafeRawPointer(cString).assumingMemoryBound(to: UInt8.self), count: length)
    }
}

extension UInt8 {
    /// Space, tab, line feed, form feed or carriage return.
    @inline(__always)
    var isHTMLSpace: Bool { self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0C || self == 0x0D }

    @inline(__always)
    var isASCIILetter: Bool { (self | 0x20) >= UInt8(ascii: "a") && (self | 0x20) <= UInt8(ascii: "z") }

    @inline(__always)
    var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    var lowercasedASCII: UInt8 {
        self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
    }

    /// The value of a hexadecimal digit.
    var hexValue: Int? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(self - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}

extension [UInt8] {
    /// Appends text content in the sanitiser's canonical form.
    ///
    /// Quotes stay as they are, since the text of a note is never an attribute; U+00A0 is written `&nbsp;`, as
    /// browsers do, because nobody sees it in an editor. The scanner of clean notes knows the same rules.
    mutating func appendCanonicalText(_ bytes: Bytes) {
        var start = 0
        var i = 0
        while true {
            i = bytes.skippingPlain(from: i)
            if i == bytes.count { break }
            let replacement: StaticString
            var length = 1
            switch bytes[i] {
            case UInt8(ascii: "&"): replacement = "&amp;"
            case UInt8(ascii: "<"): replacement = "&lt;"
            case UInt8(ascii: ">"): replacement = "&gt;"
            case 0xC2 where i + 1 < bytes.count && bytes[i + 1] == 0xA0:
                replacement = "&nbsp;"
                length = 2
            case 0x0C, 0x0D: replacement = " "
            case 0x00..<0x09, 0x0B..<0x20, 0x7F: replacement = ""
            default:
                i += 1
                continue
            }
            append(contentsOf: bytes.slice(start..<i))
            append(replacement)
            i += length
            start = i
        }
        append(contentsOf: bytes.slice(start..<bytes.count))
    }
}
