import CSodium
import CXXHash

/// A 128-bit fingerprint of some bytes (XXH3): tells changed from unchanged, is no secret and no signature.
public struct Fingerprint: Hashable, Sendable {
    /// The two halves.
    public let high: UInt64, low: UInt64

    /// A fingerprint that was kept.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The fingerprint of bytes; `seed` tells uses apart.
    public init(of bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) {
        let hash = bs_xxh3_128(bytes.baseAddress, bytes.count, seed)
        self.init(high: hash.high64, low: hash.low64)
    }

    /// The fingerprint of bytes; `seed` tells uses apart.
    public init(of bytes: [UInt8], seed: UInt64 = 0) {
        self = bytes.withUnsafeBytes { Fingerprint(of: $0, seed: seed) }
    }

    /// The fingerprint of a text's UTF-8.
    public init(of text: borrowing String) {
        self = text.withBytes { Fingerprint(of: UnsafeRawBufferPointer($0)) }
    }

    /// 32 lower-case hexadecimal digits.
    public var hex: String { Self.hex(high) + Self.hex(low) }

    /// The first ten hexadecimal digits, for the name of a file whose content decides its address.
    public var short: String { String(Self.hex(high).prefix(10)) }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// A 64-bit hash of a text, for tables of paths (XXH3).
public func hash64(_ text: borrowing String) -> UInt64 {
    text.withBytes { bs_xxh3_64($0.baseAddress, $0.count) }
}

/// The same of the UTF-8 of a text.
public func hash64(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 { bs_xxh3_64(text.baseAddress, text.count) }

/// A keyed BLAKE2b hash: what it was made from cannot be found or forged without the key.
///
/// https://doc.libsodium.org/hashing/generic_hashing
public func keyedHash(_ message: [UInt8], key: [UInt8], length: Int) -> [UInt8] {
    precondition((16...64).contains(length) && (16...64).contains(key.count), "BLAKE2b wants 16 to 64 bytes")
    var out = [UInt8](repeating: 0, count: length)
    let code = crypto_generichash(&out, length, message, UInt64(message.count), key, key.count)
    precondition(code == 0, "crypto_generichash refused lengths that were checked")
    return out
}

/// Bytes from the system's random number generator, for keys.
public func randomBytes(_ count: Int) -> [UInt8] {
    precondition(sodium_init() >= 0, "libsodium could not start")
    var out = [UInt8](repeating: 0, count: count)
    randombytes_buf(&out, count)
    return out
}

extension UInt64 {
    /// Sixteen lower-case hexadecimal digits.
    public var hexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
