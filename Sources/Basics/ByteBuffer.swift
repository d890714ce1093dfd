import CBytes
import Glibc

/// Bytes that are written one after the other, in memory that is kept for the next time.
///
/// An array checks with every append whether somebody else holds it; a page is thousands of appends. Nobody else can hold
/// this one.
public struct ByteBuffer: ~Copyable {
    @usableFromInline var base: UnsafeMutablePointer<UInt8>
    @usableFromInline var capacity: Int
    /// How many bytes there are.
    public private(set) var count = 0

    /// An empty buffer.
    public init(capacity: Int = 4096) {
        self.capacity = max(capacity, 64)
        base = .allocate(capacity: self.capacity)
    }

    deinit { base.deallocate() }

    /// Forgets the bytes and keeps the memory.
    public mutating func removeAll() { count = 0 }

    /// The bytes, for as long as the closure runs.
    @inline(__always)
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        try body(UnsafeBufferPointer(start: base, count: count))
    }

    /// A copy of the bytes.
    public var array: [UInt8] { withBytes { Array($0) } }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.update(from: base, count: count)
        base.deallocate()
        base = larger
    }

    /// Makes room for up to so many bytes, and appends those that a closure puts there; it says how many.
    @inline(__always)
    public mutating func write(upTo most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        if most > capacity - count { grow(most) }
        count += body(base + count)
    }

    /// Appends one byte.
    @inline(__always)
    public mutating func append(_ byte: UInt8) {
        if count == capacity { grow(1) }
        base[count] = byte
        count += 1
    }

    /// Appends bytes as they stand.
    @inline(__always)
    public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        if bytes.count > capacity - count { grow(bytes.count) }
        memcpy(base + count, start, bytes.count)
        count += bytes.count
    }

    /// Appends bytes as they stand.
    @inline(__always)
    public mutating func append(contentsOf bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append($0) } }

    /// Appends bytes as they stand.
    @inline(__always)
    public mutating func append(_ start: UnsafePointer<UInt8>, count length: Int) {
        if length > capacity - count { grow(length) }
        memcpy(base + count, start, length)
        count += length
    }

    /// Appends bytes as they stand.
    @inline(__always)
    public mutating func append(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { append($0) } }

    /// Appends the UTF-8 of a string as it stands.
    @inline(__always)
    public mutating func append(_ text: borrowing String) {
        text.withBytes { append($0) }
    }

    /// Appends the bytes of fixed markup.
    @inline(__always)
    public mutating func append(_ markup: StaticString) {
        append(UnsafeBufferPointer(start: markup.utf8Start, count: markup.utf8CodeUnitCount))
    }

    /// Appends a decimal number.
    public mutating func append(decimal number: Int) {
        if number >= 0, number < 10 { return append(UInt8(0x30 + number)) }
        withDecimalDigits(of: number) { append($0) }
    }

    /// Appends text for element content or a double-quoted attribute; see ``Swift/Array/appendEscaped(_:)-(String)``.
    @inline(__always)
    public mutating func appendEscaped(_ text: borrowing String) {
        text.withBytes { appendEscaped($0) }
    }

    /// Appends well-formed UTF-8 bytes escaped.
    public mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        var start = appendPlain(bytes, isPlain: hasNoSpecial) { bs_is_plain_html($0) != 0 }
        if start == bytes.count { return }
        var i = start
        while start < bytes.count {
            i = firstSpecial(in: bytes, from: i)
            append(UnsafeBufferPointer(rebasing: bytes[start..<i]))
            if i == bytes.count { return }
            append(htmlReference(for: bytes[i]))
            i += 1
            start = i
        }
    }

    /// Appends bytes from the start on up to about the first that ``firstScriptSpecial(in:from:)`` looks for, and says how
    /// many.
    public mutating func appendScriptPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        appendPlain(bytes, isPlain: hasNoScriptSpecial) { bs_is_plain_script($0) != 0 }
    }

    /// Appends bytes from the start on as long as they are plain, and says how many; most texts are plain to their end, and
    /// then need nothing else.
    ///
    /// - Parameters:
    ///   - isPlain: whether none of the eight bytes of a word needs anything; may say no too often. A zero byte is not plain.
    ///   - isPlainBlock: the same of sixteen bytes.
    @inline(__always)
    private mutating func appendPlain(
        _ bytes: UnsafeBufferPointer<UInt8>, isPlain: (UInt64) -> Bool,
        isPlainBlock: (UnsafePointer<UInt8>) -> Bool
    ) -> Int {
        let length = bytes.count
        guard length > 0, let from = bytes.baseAddress.map(UnsafeRawPointer.init) else { return 0 }
        if max(length, 8) > capacity - count { grow(max(length, 8)) }
        let to = UnsafeMutableRawPointer(base + count)
        if length < 8 {
            // What comes next is written over the rest of the word.
            let word = shortWord(from, length)
            guard isPlain(word) else { return 0 }
            to.storeBytes(of: word, as: UInt64.self)
            count += length
            return length
        }
        var i = 0
        while i <= length - 16, isPlainBlock(bytes.baseAddress! + i) {
            (to + i).copyMemory(from: from + i, byteCount: 16)
            i += 16
        }
        while i <= length - 8 {
            let word = from.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            guard isPlain(word) else {
                count += i
                return i
            }
            to.storeBytes(of: word, toByteOffset: i, as: UInt64.self)
            i += 8
        }
        if i < length {
            // The last eight, some of them for the second time.
            let word = from.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
            guard isPlain(word) else {
                count += i
                return i
            }
            to.storeBytes(of: word, toByteOffset: length - 8, as: UInt64.self)
        }
        count += length
        return length
    }
}

/// What stands for a byte that HTML does not show as it is (S2): a reference, or nothing for a control character.
@inline(__always)
func htmlReference(for byte: UInt8) -> StaticString {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    case UInt8(ascii: "`"): "&#96;"
    default: ""
    }
}

/// Whether none of eight bytes is one that ``firstSpecial(in:from:)`` looks for; says no for a few others too, never yes
/// for one of them.
@inline(__always)
func hasNoSpecial(_ word: UInt64) -> Bool {
    let low = (word &- each(0x20)) & ~word
    // And 0x23.
    let quote = (word & each(0xFA)) ^ each(0x22)
    let angle = (word & each(0xFD)) ^ each(0x3C)
    let tick = word ^ each(0x60)
    let delete = word ^ each(0x7F)
    let zero =
        (quote &- each(1)) & ~quote | (angle &- each(1)) & ~angle | (tick &- each(1)) & ~tick
        | (delete &- each(1)) & ~delete
    return (zero | low) & each(0x80) == 0
}

/// The same for ``firstScriptSpecial(in:from:)``.
@inline(__always)
func hasNoScriptSpecial(_ word: UInt64) -> Bool {
    let low = (word &- each(0x20)) & ~word
    // And 0x23 and 0x27.
    let quote = (word & each(0xFA)) ^ each(0x22)
    let angle = (word & each(0xFD)) ^ each(0x3C)
    let slash = word ^ each(0x5C)
    let delete = word ^ each(0x7F)
    let separator = word ^ each(0xE2)
    let zero =
        (quote &- each(1)) & ~quote | (angle &- each(1)) & ~angle | (slash &- each(1)) & ~slash
        | (delete &- each(1)) & ~delete | (separator &- each(1)) & ~separator
    return (zero | low) & each(0x80) == 0
}

/// Where the next byte is that HTML does not show as it is: `& < > " ' backtick`, a control but tab and line feed.
func firstSpecial(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    // One bit for each such byte below 64. One test a byte, and nearly always the answer is no.
    let special: UInt64 = 0xFFFF_F9FF | 1 << 0x22 | 1 << 0x26 | 1 << 0x27 | 1 << 0x3C | 1 << 0x3E
    var i = start
    while i < bytes.count {
        // Eight bytes at once while none of them can be one.
        while i + 8 <= bytes.count {
            let word = UnsafeRawPointer(bytes.baseAddress! + i).loadUnaligned(as: UInt64.self)
            guard hasNoSpecial(word) else { break }
            i += 8
        }
        let end = min(i + 8, bytes.count)
        while i < end {
            let byte = bytes[i]
            if byte < 64 ? special >> UInt64(byte) & 1 != 0 : byte == 0x60 || byte == 0x7F { return i }
            i += 1
        }
    }
    return i
}

/// Where the next byte is that may not stand as it is in a JSON string inside a `script` element: controls, `" \ & < >`, and
/// 0xE2, which begins U+2028 and U+2029.
public func firstScriptSpecial(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let special: UInt64 = 0xFFFF_FFFF | 1 << 0x22 | 1 << 0x26 | 1 << 0x3C | 1 << 0x3E
    var i = start
    while i < bytes.count {
        while i + 8 <= bytes.count {
            let word = UnsafeRawPointer(bytes.baseAddress! + i).loadUnaligned(as: UInt64.self)
            guard hasNoScriptSpecial(word) else { break }
            i += 8
        }
        let end = min(i + 8, bytes.count)
        while i < end {
            let byte = bytes[i]
            if byte < 64 ? special >> UInt64(byte) & 1 != 0 : byte == 0x5C || byte == 0x7F || byte == 0xE2 {
                return i
            }
            i += 1
        }
    }
    return i
}

/// One to seven bytes as a word whose rest is filled with a letter, by as few loads as there can be.
@inline(__always)
private func shortWord(_ from: UnsafeRawPointer, _ length: Int) -> UInt64 {
    func load<T: FixedWidthInteger & UnsignedInteger>(_ offset: Int, as type: T.Type) -> UInt64 {
        UInt64(T(littleEndian: from.loadUnaligned(fromByteOffset: offset, as: T.self)))
    }
    var word: UInt64
    if length >= 4 {
        // Those in the middle are loaded twice.
        word = load(0, as: UInt32.self) | load(length - 4, as: UInt32.self) << UInt64(8 * (length - 4))
    } else {
        word = load(0, as: UInt8.self) | load(length / 2, as: UInt8.self) << UInt64(8 * (length / 2))
        word |= load(length - 1, as: UInt8.self) << UInt64(8 * (length - 1))
    }
    return UInt64(littleEndian: word | 0x6161_6161_6161_6161 << UInt64(8 * length))
}

/// The byte in each of eight places.
@inline(__always)
private func each(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }
