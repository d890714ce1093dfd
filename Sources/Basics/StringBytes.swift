import Glibc

// Of the text's UTF-8 as it lies: its view goes through a string one byte at a time.
extension String {
    /// Calls a closure with the text's UTF-8, inlined; `utf8Span` is a call, which for a text of a few bytes is most of the
    /// work.
    @inline(__always)
    public func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard let result = utf8.withContiguousStorageIfAvailable(body) else {
            preconditionFailure("without Objective-C every string lies in memory as UTF-8")
        }
        return result
    }

    /// The texts before and behind the last slash; nil if there is none.
    public func splitAtLastSlash() -> (before: String, after: String)? {
        withBytes { bytes in
            guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
            // A slash is a whole character: both sides are as well-formed as the text.
            func part(_ range: Range<Int>) -> String {
                String(copying: UTF8Span(unchecked: UnsafeBufferPointer(rebasing: bytes[range]).span))
            }
            return (part(0..<slash), part(slash + 1..<bytes.count))
        }
    }

    /// Whether a byte is anywhere in the text's UTF-8.
    public func hasByte(_ byte: UInt8) -> Bool {
        utf8Span.span.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { memchr($0, Int32(byte), bytes.count) != nil } ?? false
        }
    }

    /// How often an ASCII character is in the text.
    public func count(of character: Unicode.Scalar) -> Int {
        let bytes = utf8Span.span
        let byte = UInt8(ascii: character)
        var count = 0
        for i in bytes.indices where bytes[i] == byte { count += 1 }
        return count
    }
}
