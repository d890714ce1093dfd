import CBytes

/// What some bytes hold that most texts do not, found sixteen bytes at a time.
public struct ByteTraits: OptionSet, Sendable {
    /// The traits as bits.
    public let rawValue: Int32

    /// Traits as bits.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The traits of some bytes.
    public init(of bytes: UnsafeRawBufferPointer) {
        rawValue = bs_traits(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    /// Whether some bytes are well-formed UTF-8.
    public static func areUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool { firstUTF8Fault(in: bytes) == nil }

    /// Where the first sequence begins that is no well-formed UTF-8 (the Unicode Standard, table 3-7); nil if all is well.
    public static func firstUTF8Fault(in bytes: UnsafeRawBufferPointer) -> Int? {
        let place = bs_utf8_fault(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        return place < 0 ? nil : place
    }

    /// Whether well-formed text is one line that HTML shows as it is: no control, none of `& < >`, no no-break space.
    ///
    /// May say no for others that hold U+0080 to U+00BF, or a character from U+F000 on.
    public static func arePlainText(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bs_is_plain_text(bytes.baseAddress, bytes.count) != 0
    }

    /// How many bytes of HTML there are before the first `&` or `<` or control of ASCII but DEL.
    public static func lengthOfText(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        bs_text_length(bytes.baseAddress, bytes.count)
    }

    /// A byte that is not ASCII.
    public static let beyondASCII = Self(rawValue: Int32(BS_BEYOND_ASCII))
    /// A control of ASCII but tab, line feed and carriage return.
    public static let control = Self(rawValue: Int32(BS_CONTROL))
    /// Tab, line feed or carriage return.
    public static let lineEndOrTab = Self(rawValue: Int32(BS_LINE_END_OR_TAB))
    /// Two spaces in a row.
    public static let twoSpaces = Self(rawValue: Int32(BS_TWO_SPACES))
    /// C2, which begins U+0080 to U+00BF: the controls beyond ASCII, the no-break space, the soft hyphen.
    public static let c2 = Self(rawValue: Int32(BS_C2))
    /// E1, E2 or E3, which begin all other white space.
    public static let e1ToE3 = Self(rawValue: Int32(BS_E1_TO_E3))
}
