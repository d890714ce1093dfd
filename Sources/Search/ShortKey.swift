import Basics

/// Stands for a few bytes in a hash table: if there are fewer than eight, it is those and how many, so that equal keys mean equal
/// bytes.
///
/// Never all bits are set. Of more than 24 bytes it is made by XXH3, which takes longer: texts that only differ in bytes
/// that were left out would all have to be compared.
struct ShortKey: Hashable {
    let bits: UInt64

    /// Of no text, not even an empty one: a free place.
    static let none = ShortKey(bits: .max)

    private init(bits: UInt64) { self.bits = bits }

    /// - Parameter hasWord: whether eight bytes can be read there, however many it has.
    @inline(__always)
    init(_ bytes: UnsafeRawPointer, count: Int, hasWord: Bool) {
        func word(_ at: Int) -> UInt64 {
            bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian
        }
        if count < 8 {
            var first: UInt64 = 0
            if hasWord {
                first = word(0) & (1 &<< UInt64(truncatingIfNeeded: 8 &* count) &- 1)
            } else {
                for i in (0..<count).reversed() {
                    first = first << 8 | UInt64(bytes.load(fromByteOffset: i, as: UInt8.self))
                }
            }
            bits = first | UInt64(truncatingIfNeeded: count) &<< 56
        } else if count > 24 {
            let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
            bits = (Fingerprint(of: bytes).low | 1 &<< 63) & ~1
        } else {
            // The second and third may have bytes of the one before.
            var mixed = word(0) &* 0xC2B2_AE3D_27D4_EB4F ^ word(count &- 8)
            mixed = mixed &* 0xC2B2_AE3D_27D4_EB4F ^ word(count / 2 &- 4) ^ UInt64(truncatingIfNeeded: count)
            // Other than any of a few bytes.
            bits = (mixed | 1 &<< 63) & ~1
        }
    }

    /// Whether equal keys mean equal bytes.
    static func isWhole(_ count: Int) -> Bool { count < 8 }

    /// A place in a table of 2^n slots, by the highest n bits of its hash.
    @inline(__always)
    func slot(_ n: Int) -> Int {
        var hash = bits ^ bits &>> 32
        hash = hash &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: hash &>> UInt64(truncatingIfNeeded: 64 &- n))
    }
}
