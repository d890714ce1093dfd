import Basics

/// The addresses a page refers to: the values of `href` and `src`, with character references decoded.
func references(in page: [UInt8]) -> [String] {
    var out: [String] = []
    page.withUnsafeBufferPointer { bytes in
        var i = 0
        while i < bytes.count {
            // Attributes are found by their equals sign, which is rare in text.
            guard bytes[i] == UInt8(ascii: "="), i + 1 < bytes.count, bytes[i + 1] == UInt8(ascii: "\""),
                ends(bytes, at: i, with: " href") || ends(bytes, at: i, with: " src")
            else {
                i += 1
                continue
            }
            let start = i + 2
            var end = start
            while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += 1 }
            out.append(unescaped(String(decoding: bytes[start..<end], as: UTF8.self)))
            i = end + 1
        }
    }
    return out
}

private func ends(_ bytes: UnsafeBufferPointer<UInt8>, at end: Int, with word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard end >= count else { return false }
    return (0..<count).allSatisfy { bytes[end - count + $0] == word.utf8Start[$0] }
}

private func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var out = text
    for (reference, character) in [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#96;", "`"), ("&amp;", "&"),
    ] {
        out = out.split(separator: reference, omittingEmptySubsequences: false).joined(separator: character)
    }
    return out
}

/// Where in the site an address leads, seen from a page: a path from the top; nil when it leads elsewhere, or within the
/// page.
///
/// - Parameter base: the path that the site has on its host, with slashes at both ends.
func target(of address: String, from page: String, base: String) -> String? {
    var path = Substring(address)
    if let end = path.firstIndex(where: { $0 == "#" || $0 == "?" }) { path = path[..<end] }
    guard !path.isEmpty, !path.hasPrefix("//") else { return nil }
    if let colon = path.firstIndex(of: ":"),
        path[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "+" || $0 == "-" })
    {
        return nil
    }
    var parts: [Substring]
    if path.hasPrefix("/") {
        guard path.hasPrefix(base) else { return nil }
        path = path.dropFirst(base.count)
        parts = []
    } else {
        parts = page.split(separator: "/").dropLast()
    }
    for part in path.split(separator: "/", omittingEmptySubsequences: false) {
        switch part {
        case ".", "": continue
        case "..":
            // Above the top of the site nobody can say what is there.
            guard parts.popLast() != nil else { return nil }
        default: parts.append(part)
        }
    }
    let isFolder = path.isEmpty || path.hasSuffix("/") || path.hasSuffix("..") || path == "."
    let joined = parts.joined(separator: "/")
    return percentDecoded(isFolder ? (joined.isEmpty ? "index.html" : joined + "/index.html") : joined)
}

private func percentDecoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    var i = 0
    while i < bytes.count {
        if bytes[i] == UInt8(ascii: "%"), i + 2 < bytes.count,
            let value = UInt8(String(decoding: bytes[i + 1...i + 2], as: UTF8.self), radix: 16)
        {
            out.append(value)
            i += 3
        } else {
            out.append(bytes[i])
            i += 1
        }
    }
    return String(decoding: out, as: UTF8.self)
}
