import Basics
import Glibc

/// An answer with all its bytes.
struct Response: Sendable {
    var status: Int
    /// Besides those that every answer has.
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Whether the connection ends with this answer.
    var closes = false

    /// A short text, for people and programs.
    static func plain(_ status: Int, _ text: String, closes: Bool = false) -> Response {
        Response(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array("\(text)\n".utf8), closes: closes)
    }

    static func redirect(to location: String) -> Response {
        Response(status: 302, headers: [("Location", location)])
    }

    /// What every answer says (S50): no other site may use it, and nothing keeps it.
    static let always = [
        ("Cache-Control", "no-store"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "SAMEORIGIN"),
        ("Referrer-Policy", "same-origin"),
    ]

    /// The bytes for the wire.
    ///
    /// - Parameter hasBody: false for `HEAD`, whose answer says how long the body would be.
    func bytes(hasBody: Bool) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(512 + (hasBody ? body.count : 0))
        out.append("HTTP/1.1 \(status) \(Self.reason(status))\r\n")
        out.append("Date: \(Self.date())\r\n")
        for (name, value) in Self.always + headers { out.append("\(name): \(value.headerSafe)\r\n") }
        // 304 has no length of its own: it would be taken for that of the page.
        if status != 304 { out.append("Content-Length: \(body.count)\r\n") }
        out.append(closes ? "Connection: close\r\n\r\n" : "Connection: keep-alive\r\n\r\n")
        if hasBody, status != 304 { out.append(contentsOf: body) }
        return out
    }

    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 206: "Partial Content"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 412: "Precondition Failed"
        case 416: "Range Not Satisfiable"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Error"
        }
    }

    /// The time in the form of RFC 9110, section 5.6.7, whatever the locale.
    private static func date() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
            + "\(Int(parts.tm_year) + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

extension String {
    /// Without what would end the header.
    fileprivate var headerSafe: String {
        utf8.contains { $0 < 0x20 || $0 == 0x7F } ? String(unicodeScalars.filter { $0.value >= 0x20 }) : self
    }
}
