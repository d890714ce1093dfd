/// A text that is put together on the stack: for prices, dates and short sentences, of which a page has dozens.
///
/// Adding strings makes one for each step; this makes one at the end, and none on the heap up to 15 bytes.
public struct ShortText: ~Copyable {
    private var bytes: UnsafeMutableBufferPointer<UInt8>
    private var count = 0
    /// All bits of all bytes, eight at a time; the highest of one tells whether there is more than ASCII.
    private var bits: UInt64 = 0

    fileprivate init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { self.bytes = bytes }

    /// Adds a text. What does not fit any more is a fault of the caller.
    @inline(__always)
    public mutating func append(_ text: borrowing String) { text.withBytes { append(wellFormed: $0) } }

    /// Adds bytes that are known to be well-formed UTF-8.
    public mutating func append(wellFormed text: UnsafeBufferPointer<UInt8>) {
        precondition(text.count <= bytes.count - count, "a short text has a limit")
        guard let from = text.baseAddress.map(UnsafeRawPointer.init), text.count > 0 else { return }
        let to = UnsafeMutableRawPointer(bytes.baseAddress!) + count
        var i = 0
        while i &+ 8 <= text.count {
            let word = from.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            to.storeBytes(of: word, toByteOffset: i, as: UInt64.self)
            bits |= word
            i &+= 8
        }
        while i < text.count {
            let byte = from.load(fromByteOffset: i, as: UInt8.self)
            to.storeBytes(of: byte, toByteOffset: i, as: UInt8.self)
            bits |= UInt64(byte)
            i &+= 1
        }
        count += text.count
    }

    /// Adds an ASCII character.
    @inline(__always)
    public mutating func append(_ character: Unicode.Scalar) {
        precondition(count < bytes.count && character.isASCII, "a short text has a limit")
        bytes[count] = UInt8(truncatingIfNeeded: character.value)
        count += 1
    }

    /// Adds a whole number, with zeros before it up to so many digits, and a sign between each three digits if it has one.
    @inline(__always)
    public mutating func append(_ number: UInt64, digits least: Int = 1, group sign: String? = nil) {
        // As most numbers are: days, months, stars, the cents of a price.
        if number < 10, least == 1 {
            append(Unicode.Scalar(UInt8(0x30 + number)))
        } else if number < 100, least == 2 {
            append(Unicode.Scalar(UInt8(0x30 + number / 10)))
            append(Unicode.Scalar(UInt8(0x30 + number % 10)))
        } else {
            appendAny(number, digits: least, group: sign)
        }
    }

    private mutating func appendAny(_ number: UInt64, digits least: Int, group sign: String?) {
        var places: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &places) { places in
            var rest = number
            var at = places.count
            repeat {
                at -= 1
                places[at] = UInt8(0x30 + rest % 10)
                rest /= 10
            } while rest > 0 || places.count - at < least
            let length = places.count - at
            for i in 0..<length {
                if let sign, i > 0, (length - i) % 3 == 0 { append(sign) }
                precondition(count < bytes.count, "a short text has a limit")
                bytes[count] = places[at + i]
                count += 1
            }
        }
    }

    fileprivate consuming func string() -> String {
        // Only whole texts and ASCII were added: that is UTF-8, and need not be looked at once more.
        let isASCII = bits & 0x8080_8080_8080_8080 == 0
        let text = UTF8Span(
            unchecked: UnsafeBufferPointer(rebasing: bytes[..<count]).span, isKnownASCII: isASCII)
        return String(copying: text)
    }
}

/// Counts, stars, percentages: of a hundred numbers on a page nearly all.
private let smallNumbers = (0..<1000).map { String($0) }

extension String {
    /// A whole number in digits; as `String(_:)`, but small ones are made once.
    public init(decimal number: Int) {
        self = smallNumbers.indices ~= number ? smallNumbers[number] : String(number)
    }

    /// A text of up to 256 bytes, put together by a closure.
    public init(short write: (inout ShortText) -> Void) { self.init(utf8Count: 256, write) }

    /// A text of up to so many bytes, put together by a closure.
    public init(utf8Count most: Int, _ write: (inout ShortText) -> Void) {
        self = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { bytes in
            var text = ShortText(bytes)
            write(&text)
            return text.string()
        }
    }
}
