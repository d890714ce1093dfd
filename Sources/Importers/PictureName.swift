import Basics

/// Where a picture of a file lies below the folder of pictures, and where it can be had.
struct PictureName: Equatable {
    /// A path below the folder of pictures.
    let file: String
    /// The web address, for pictures of other hosts: pages never load from there (S1).
    let address: String?

    /// Nil when the text names neither a file nor a web address.
    init?(_ text: String) {
        var text = text
        if text.hasPrefix("//") { text = "https:" + text }
        let lower = text.lowercased()
        if lower.hasPrefix("http://") || lower.hasPrefix("https://") {
            // Quotes, blanks and controls are written as escapes in addresses; one that has them is none.
            guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F && $0 != 0x3C })
            else {
                return nil
            }
            let rest = text.drop { $0 != ":" }.dropFirst(3)
            let end = rest.firstIndex { $0 == "?" || $0 == "#" } ?? rest.endIndex
            let path = rest[..<end].split(separator: "/", omittingEmptySubsequences: true)
            // With the host: the same path at two of them is two pictures.
            guard path.count > 1, var file = Self.safe(path.map { Self.decoded(String($0)) }) else {
                return nil
            }
            let isPicture = [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif"].contains {
                file.lowercased().hasSuffix($0)
            }
            // `image.php?id=5`: what tells pictures apart is not in the path. (`a.jpg?v=17` is a version.)
            if !isPicture { file += "-" + Fingerprint(of: text).short }
            self.file = file
            address = text
        } else {
            guard !lower.contains("://"), !lower.hasPrefix("data:") else { return nil }
            let path = text.replacing("\\", with: "/").split(separator: "/").map(String.init)
            guard !path.contains(".."), let last = path.last, !last.isEmpty else { return nil }
            file = path.filter { $0 != "." }.joined(separator: "/")
            address = nil
        }
    }

    /// The path without anything that a file system or shell could take for something else.
    private static func safe(_ path: [String]) -> String? {
        var parts: [String] = []
        for part in path {
            var name = ""
            for scalar in part.unicodeScalars {
                let isPlain =
                    scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    || "._-~+@,()".unicodeScalars.contains(scalar)
                name.unicodeScalars.append(isPlain ? scalar : "-")
            }
            while name.hasPrefix(".") || name.hasPrefix("-") { name.removeFirst() }
            if !name.isEmpty { parts.append(String(name.prefix(120))) }
        }
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    /// Percent escapes as characters; as it is when they are not UTF-8.
    private static func decoded(_ text: String) -> String {
        guard text.contains("%") else { return text }
        var out: [UInt8] = []
        let bytes = Array(text.utf8)
        var i = 0
        while i < bytes.count {
            if bytes[i] == UInt8(ascii: "%"), i + 2 < bytes.count,
                let byte = UInt8(String(decoding: bytes[(i + 1)...(i + 2)], as: UTF8.self), radix: 16)
            {
                out.append(byte)
                i += 3
            } else {
                out.append(bytes[i])
                i += 1
            }
        }
        return String(validating: out, as: UTF8.self) ?? text
    }
}
