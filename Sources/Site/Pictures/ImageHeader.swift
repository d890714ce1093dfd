/// The format and size of a picture, told by its first bytes and not by its name.
struct ImageHeader: Hashable, Sendable {
    enum Format: String, Sendable { case jpg, png, gif, webp, avif }

    let format: Format
    let width: Int, height: Int
    let isOpaque: Bool

    /// Nil when it is none of the five formats, or has no size.
    init?(_ bytes: [UInt8]) {
        func big(_ at: Int, _ count: Int) -> Int {
            at + count <= bytes.count ? bytes[at..<(at + count)].reduce(0) { $0 << 8 | Int($1) } : 0
        }
        func little(_ at: Int, _ count: Int) -> Int {
            at + count <= bytes.count
                ? bytes[at..<(at + count)].reversed().reduce(0) { $0 << 8 | Int($1) } : 0
        }
        func text(_ at: Int) -> String {
            at + 4 <= bytes.count ? String(decoding: bytes[at..<(at + 4)], as: UTF8.self) : ""
        }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            (format, width, height) = (.png, big(16, 4), big(20, 4))
            isOpaque = bytes.count > 25 && [0, 2].contains(bytes[25])
        } else if bytes.starts(with: Array("GIF8".utf8)) {
            (format, width, height) = (.gif, little(6, 2), little(8, 2))
            isOpaque = false
        } else if text(0) == "RIFF", text(8) == "WEBP" {
            format = .webp
            switch text(12) {
            case "VP8X":
                (width, height) = (little(24, 3) + 1, little(27, 3) + 1)
                isOpaque = little(20, 1) & 0x10 == 0
            case "VP8L":
                let bits = little(21, 4)
                (width, height) = ((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1)
                isOpaque = bits & 1 << 28 == 0
            default:
                isOpaque = true
                (width, height) = (little(26, 2) & 0x3FFF, little(28, 2) & 0x3FFF)
            }
        } else if text(4) == "ftyp", ["avif", "avis"].contains(text(8)) {
            // The image spatial extents property (ISO/IEC 23008-12, 6.5.3).
            format = .avif
            isOpaque = true
            let mark = Array("ispe".utf8)
            var at = 0
            while at + 16 <= bytes.count, at < 4096, !bytes[at...].starts(with: mark) { at += 1 }
            (width, height) = (big(at + 8, 4), big(at + 12, 4))
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            format = .jpg
            isOpaque = true
            var at = 2
            var size = (0, 0)
            var turned = false
            while at + 9 < bytes.count, bytes[at] == 0xFF {
                let marker = bytes[at + 1]
                if marker == 0xFF {
                    at += 1
                    continue
                }
                if marker == 0xE1 { turned = Self.isTurned(bytes, from: at + 4) }
                if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                    size = (big(at + 7, 2), big(at + 5, 2))
                    break
                }
                at += 2 + big(at + 2, 2)
            }
            (width, height) = turned ? (size.1, size.0) : size
        } else {
            return nil
        }
        if width == 0 || height == 0 { return nil }
    }

    /// Whether the EXIF orientation swaps width and height (5 to 8).
    private static func isTurned(_ bytes: [UInt8], from start: Int) -> Bool {
        let tiff = start + 6
        guard bytes.count > tiff + 8, bytes[start..<(start + 4)].elementsEqual("Exif".utf8) else {
            return false
        }
        let isLittle = bytes[tiff] == 0x49
        func number(_ at: Int, _ count: Int) -> Int {
            guard at + count <= bytes.count else { return 0 }
            let part = bytes[at..<(at + count)]
            return isLittle
                ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
        }
        let directory = tiff + number(tiff + 4, 4)
        for i in 0..<min(number(directory, 2), 64) where number(directory + 2 + 12 * i, 2) == 0x112 {
            return (5...8).contains(number(directory + 2 + 12 * i + 8, 2))
        }
        return false
    }
}

extension [UInt8] {
    /// Whether it begins like markup in which an `svg` element comes first. A guess for the message; librsvg decides.
    var looksLikeSVG: Bool {
        let text = prefix(4096).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let first = text.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }), first == 0x3C
        else {
            return false
        }
        func contains(_ mark: String) -> Bool {
            let mark = Array(mark.utf8)
            return text.indices.contains { text[$0...].starts(with: mark) }
        }
        return contains("<svg") && !contains("<html")
    }
}

extension UnsafeRawBufferPointer {
    /// The picture without what old databases of Microsoft's put before it: an OLE object's header, which says the name of the
    /// program that the picture is to be opened with, and is of no fixed length.
    var withoutWrapping: UnsafeRawBufferPointer {
        guard count > 100, self[0] == 0x15, self[1] == 0x1C else { return self }
        let starts: [[UInt8]] = [[0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], Array("GIF8".utf8)]
        for at in 20..<Swift.min(512, count - 8)
        where starts.contains(where: { self[at...].starts(with: $0) }) {
            return UnsafeRawBufferPointer(rebasing: self[at...])
        }
        return self
    }
}
