import Basics

/// The answer that has a file: its type, and what conditions and ranges make of it (RFC 9110, sections 13 and 14).
func fileAnswer(to request: Request, with bytes: [UInt8], type: String, status: Int = 200) -> Response {
    let tag = "\"\(Fingerprint(of: bytes).hex)\""
    var response = Response(status: status, headers: [("Content-Type", type), ("ETag", tag)], body: bytes)
    guard status == 200 else { return response }
    response.headers.append(("Accept-Ranges", "bytes"))
    func holds(_ list: [String], weak: Bool) -> Bool {
        list.flatMap { $0.split(separator: ",") }.contains { entry in
            var entry = entry.drop { $0 == " " }
            while entry.last == " " { entry = entry.dropLast() }
            if weak, entry.hasPrefix("W/") { entry = entry.dropFirst(2) }
            return entry == "*" || entry == tag
        }
    }
    let match = request.values("if-match")
    if !match.isEmpty, !holds(match, weak: false) { return .plain(412, "the file is another by now") }
    let noneMatch = request.values("if-none-match")
    if !noneMatch.isEmpty, holds(noneMatch, weak: true) {
        response.status = 304
        response.body = []
        return response
    }
    guard request.method == "GET", request.values("range").count == 1, let range = request["range"],
        request["if-range"].map({ $0 == tag }) ?? true,
        // Several ranges at once are more trouble than they are worth, and may be answered with the whole.
        let asked = ByteRange(range)
    else { return response }
    guard let part = asked.resolved(in: bytes.count) else {
        response = .plain(416, "the file has \(bytes.count) bytes")
        response.headers.append(("Content-Range", "bytes */\(bytes.count)"))
        return response
    }
    response.status = 206
    response.headers.append(
        ("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"))
    response.body = Array(bytes[part])
    return response
}

/// One range of bytes, as a request asks for it.
struct ByteRange: Hashable {
    private let first: Int?
    private let last: Int?

    /// Nil for what is no single range of bytes: such a header is passed over.
    init?(_ header: String) {
        guard header.hasPrefix("bytes=") else { return nil }
        let parts = header.dropFirst(6).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        first = Int(parts[0])
        last = Int(parts[1])
        // Also a number that is too large to be one.
        if (first == nil) != parts[0].isEmpty || (last == nil) != parts[1].isEmpty { return nil }
        if first == nil, last == nil { return nil }
        if let first, let last, last < first { return nil }
    }

    /// The part of so many bytes that it is; nil when there is none.
    func resolved(in count: Int) -> Range<Int>? {
        guard let first else {
            let length = min(last ?? 0, count)
            return length == 0 ? nil : count - length..<count
        }
        return first < count ? first..<min((last ?? count - 1) + 1, count) : nil
    }
}

/// The type of a file by its name; hosts give the same.
func contentType(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    switch name.split(separator: ".").last.map(String.init) ?? "" {
    case "html": return "text/html; charset=utf-8"
    case "css": return "text/css; charset=utf-8"
    case "js", "mjs": return "text/javascript; charset=utf-8"
    case "json": return "application/json"
    case "webmanifest": return "application/manifest+json"
    case "xml":
        let isFeed = path == "feed.xml" || path.hasPrefix("feeds/")
        return isFeed ? "application/atom+xml; charset=utf-8" : "application/xml; charset=utf-8"
    case "txt", "_headers", "_redirects": return "text/plain; charset=utf-8"
    case "svg": return "image/svg+xml"
    case "png": return "image/png"
    case "jpg", "jpeg": return "image/jpeg"
    case "gif": return "image/gif"
    case "webp": return "image/webp"
    case "avif": return "image/avif"
    case "ico": return "image/x-icon"
    case "woff2": return "font/woff2"
    case "wasm": return "application/wasm"
    default: return "application/octet-stream"
    }
}
