/// The one gate for every address that goes into a page, feed, sitemap or redirect (S4).
public enum SafeURL {
    /// Where an address is going to stand; it decides which schemes may pass.
    public enum Place: Hashable, Sendable, CaseIterable {
        /// The `href` of a link in a page or a note: relative, http, https, mailto, tel.
        case link
        /// The `href` of a link in a review: http, https.
        case reviewLink
        /// The `src` or `srcset` of a picture: relative only, since pages load nothing from elsewhere.
        case picture
        /// Canonical, Open Graph, feed, sitemap and JSON-LD: http, https.
        case absolute
        /// The target of a redirect stub: relative, http, https.
        case redirect
        /// A review service asked by the page: relative, https.
        case service
    }

    /// Longer addresses are refused; sitemaps allow 2,048 characters.
    static let maximumLength = 2000

    /// The address in its canonical form, or nil if it may not stand there. Canonical addresses stay as they are.
    ///
    /// White space and C0 controls at the ends and every tab, CR and LF are dropped; bytes that no URL may hold
    /// are percent-encoded; the scheme is in lower case. Hosts are ASCII: names with other letters must be given
    /// in their `xn--` form.
    public static func checked(_ url: String, for place: Place) -> String? {
        var url = url
        return url.withUTF8 { bytes in canonical(bytes, for: place) }.map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Whether an address leads to another host; of canonical addresses only those with a host do.
    static func hasHost(_ canonical: some Sequence<UInt8>) -> Bool {
        canonical.starts(with: "http".utf8) && canonical.contains(UInt8(ascii: ":"))
    }

    static func canonical(_ bytes: Bytes, for place: Place) -> [UInt8]? {
        var from = 0
        var to = bytes.count
        while from < to, bytes[from] <= 0x20 { from += 1 }
        while to > from, bytes[to - 1] <= 0x20 { to -= 1 }
        var out: [UInt8] = []
        out.reserveCapacity(to - from)
        for byte in bytes.slice(from..<to) {
            switch byte {
            case 0x09, 0x0A, 0x0D: continue
            case 0..<0x20, 0x7F, UInt8(ascii: "\\"): return nil
            case _ where isPlain(byte) || byte == UInt8(ascii: "&"): out.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        guard let colon = schemeEnd(out.withUnsafeBufferPointer { $0 }) else {
            return out.withUnsafeBufferPointer { isAllowed($0, for: place) } ? out : nil
        }
        for i in 0..<colon { out[i] = out[i].lowercasedASCII }
        return out.withUnsafeBufferPointer { isAllowed($0, for: place) } ? out : nil
    }

    /// Whether a byte may stand in an address, and in an attribute, as it is. `&` may not: it is written `&amp;`.
    @inline(__always)
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
            true
        case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "+"):
            true
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "@"), UInt8(ascii: "!"):
            true
        case UInt8(ascii: "$"), UInt8(ascii: "*"), UInt8(ascii: "("), UInt8(ascii: ")"): true
        case UInt8(ascii: "["), UInt8(ascii: "]"): true
        default: false
        }
    }

    /// The offset of the colon after a scheme, if the address has one.
    private static func schemeEnd(_ url: Bytes) -> Int? {
        guard let first = url.first, first.isASCIILetter else { return nil }
        for i in 1..<url.count {
            switch url[i] {
            case UInt8(ascii: ":"): return i
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): continue
            case let byte where byte.isASCIILetter || byte.isASCIIDigit: continue
            default: return nil
            }
        }
        return nil
    }

    /// The rules for an address whose bytes are in order already and whose scheme is in lower case.
    static func isAllowed(_ url: Bytes, for place: Place) -> Bool {
        guard !url.isEmpty, url.count <= maximumLength else { return false }
        guard let colon = schemeEnd(url) else {
            guard place == .link || place == .picture || place == .redirect || place == .service else {
                return false
            }
            if url.starts(with: "//", at: 0) { return false }
            for byte in url {
                if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
                    break
                }
                if byte == UInt8(ascii: ":") { return false }
            }
            return true
        }
        switch url.slice(0..<colon) {
        case let scheme where scheme.elementsEqual("https".utf8):
            return place != .picture && hasPlainHost(url.slice(colon + 1..<url.count))
        case let scheme where scheme.elementsEqual("http".utf8):
            return place != .picture && place != .service && hasPlainHost(url.slice(colon + 1..<url.count))
        case let scheme where scheme.elementsEqual("mailto".utf8) || scheme.elementsEqual("tel".utf8):
            return place == .link && colon + 1 < url.count
        default: return false
        }
    }

    /// `//`, a host of letters, digits, dots and hyphens (or an IPv6 address), a port, then the path.
    private static func hasPlainHost(_ rest: Bytes) -> Bool {
        guard rest.starts(with: "//", at: 0) else { return false }
        var i = 2
        if i < rest.count, rest[i] == UInt8(ascii: "[") {
            i += 1
            let start = i
            while i < rest.count,
                rest[i].hexValue != nil || rest[i] == UInt8(ascii: ":") || rest[i] == UInt8(ascii: ".")
            {
                i += 1
            }
            guard i > start, i < rest.count, rest[i] == UInt8(ascii: "]") else { return false }
            i += 1
        } else {
            let start = i
            while i < rest.count, rest[i].isASCIILetter || rest[i].isASCIIDigit || isHostPunctuation(rest[i])
            {
                i += 1
            }
            guard i > start, rest[start].isASCIILetter || rest[start].isASCIIDigit else { return false }
        }
        if i < rest.count, rest[i] == UInt8(ascii: ":") {
            i += 1
            let start = i
            while i < rest.count, rest[i].isASCIIDigit { i += 1 }
            guard (1...5).contains(i - start) else { return false }
        }
        return i == rest.count || rest[i] == UInt8(ascii: "/") || rest[i] == UInt8(ascii: "?")
            || rest[i] == UInt8(ascii: "#")
    }

    private static func isHostPunctuation(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
