/// Writes PNGs of any kind, right and wrong ones, without compressing them (PNG, third edition).
enum PNG {
    /// - Parameters:
    ///   - depth: bits a channel; 16 has two bytes each.
    ///   - colour: 0 grey, 2 RGB, 3 palette, 6 RGBA.
    ///   - pixel: the bytes of a pixel.
    static func make(
        _ width: Int, _ height: Int, depth: UInt8 = 8, colour: UInt8 = 2, between: [UInt8] = [],
        _ pixel: (Int, Int) -> [UInt8]
    ) -> [UInt8] {
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width { rows += pixel(x, y) }
        }
        return header(width, height, depth: depth, colour: colour) + between + chunk("IDAT", zlib(rows))
            + chunk("IEND", [])
    }

    /// The signature and the first chunk.
    static func header(_ width: Int, _ height: Int, depth: UInt8 = 8, colour: UInt8 = 2) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", big(width) + big(height) + [depth, colour, 0, 0, 0])
    }

    static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        big(data.count) + Array(type.utf8) + data + big(Int(crc(Array(type.utf8) + data)))
    }

    static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) } }

    /// Stored blocks only (RFC 1950 and 1951).
    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var at = 0
        repeat {
            let end = min(at + 65_535, bytes.count)
            let count = end - at
            out += [end == bytes.count ? 1 : 0, UInt8(count & 0xFF), UInt8(count >> 8)]
            out += [UInt8(~count & 0xFF), UInt8(~count >> 8 & 0xFF)]
            out += bytes[at..<end]
            at = end
        } while at < bytes.count
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return out + big(b << 16 | a)
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
        }
        return ~crc
    }
}
