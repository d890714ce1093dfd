import Basics
import Glibc

/// Who may ask: programs and pages of this machine, under a name that nobody else can have pointed at it.
struct Gate: Sendable {
    let port: Int
    /// The address that was asked for with `--host`; nil for the loopback addresses.
    let address: String?
    /// What every request must carry when others can reach the server (S48); nil on loopback.
    let token: String?

    init(port: Int, address: String? = nil, token: String? = nil) {
        self.port = port
        self.address = address
        self.token = token
    }

    static let methods = ["GET", "HEAD"]
    static let wrongMethod: Response = {
        var response = Response.plain(405, "only GET and HEAD", closes: true)
        response.headers.append(("Allow", "GET, HEAD"))
        return response
    }()

    static let cookie = "preview-token"

    /// Refuses a request that is malformed, or that is not for us, or not from us; nil lets it in.
    func refusal(of request: Request) -> Response? {
        guard request.version == "1.1" || request.version == "1.0" else {
            return .plain(505, "HTTP/1.1 is spoken here", closes: true)
        }
        guard request.isWellFormed else { return .plain(400, "the request is malformed", closes: true) }
        // The library reads no more than 64 headers, so that with 64 there may have been others.
        guard request.headers.count < 64 else { return .plain(431, "too many headers", closes: true) }
        guard request.headers.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) < 32_768
        else { return .plain(431, "the headers are too long", closes: true) }
        guard request.target.utf8.count + (request.query?.utf8.count ?? 0) < 8192 else {
            return .plain(400, "the address is too long", closes: true)
        }
        guard Self.methods.contains(request.method) else { return Self.wrongMethod }
        guard request["transfer-encoding"] == nil,
            request.values("content-length").allSatisfy({ $0 == "0" })
        else { return .plain(400, "a request has no body here", closes: true) }
        let hosts = request.values("host")
        guard hosts.count == 1 else { return .plain(400, "one Host, please", closes: true) }
        guard isOurs(hosts[0]) else { return .plain(403, "not a name of this preview", closes: true) }
        if !request.target.hasPrefix("/") {
            guard let authority = Self.authority(of: request.target) else {
                return .plain(400, "the address is malformed", closes: true)
            }
            guard isOurs(authority) else {
                return .plain(403, "not a name of this preview", closes: true)
            }
        }
        // Other sites may lead here, by a link that somebody follows; nothing else of them gets an answer (S50).
        if let site = request["sec-fetch-site"], site != "same-origin", site != "none",
            !request.isNavigation
        {
            return .plain(403, "only for pages of this preview")
        }
        return nil
    }

    /// Refuses a request without the token, where one is needed; a first request that has it in the address gets it as a
    /// cookie.
    func tokenAnswer(to request: Request) -> Response? {
        guard let token else { return nil }
        for cookie in request.values("cookie").flatMap({ $0.split(separator: ";") }) {
            let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == Self.cookie, Self.isEqual(String(parts[1]), token) { return nil }
        }
        for part in (request.query ?? "").split(separator: "&") {
            guard part.hasPrefix("token="), Self.isEqual(String(part.dropFirst(6)), token) else { continue }
            var response = Response.redirect(to: request.target)
            response.headers.append(
                ("Set-Cookie", "\(Self.cookie)=\(token); Path=/; HttpOnly; SameSite=Strict"))
            return response
        }
        return .plain(403, "open the address that build-site printed, with its token")
    }

    /// Whether an `Origin` is ours; a request without one is no page's of another site.
    func isOurs(origin: String?) -> Bool {
        guard let origin else { return true }
        guard origin.hasPrefix("http://") else { return false }
        return isOurs(String(origin.dropFirst(7)))
    }

    /// Whether a `Host` names this server: an address or `localhost`, with our port (S49). A name that somebody else
    /// could let lead here is none.
    private func isOurs(_ host: String) -> Bool {
        let name: String
        if host.hasSuffix(":\(port)") {
            name = String(host.dropLast("\(port)".utf8.count + 1))
        } else if port == 80 {
            name = host
        } else {
            return false
        }
        if ["localhost", "127.0.0.1", "[::1]"].contains(name) { return true }
        guard let address else { return false }
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        let bare = isBracketed ? String(name.dropFirst().dropLast()) : name
        if address == "0.0.0.0" || address == "::" {
            return isBracketed ? bare.isIPv6Address : bare.isIPv4Address
        }
        return bare == address && isBracketed == address.isIPv6Address
    }

    /// The host and port of a target in absolute form.
    private static func authority(of target: String) -> String? {
        guard target.lowercased().hasPrefix("http://") else { return nil }
        return String(target.dropFirst(7).prefix { $0 != "/" })
    }

    /// In the same time whatever differs.
    private static func isEqual(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        return zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension String {
    /// Whether it is an address such as `192.168.1.5`.
    var isIPv4Address: Bool {
        var address = in_addr()
        return inet_pton(AF_INET, self, &address) == 1
    }

    /// Whether it is an address such as `fe80::1`, without brackets.
    var isIPv6Address: Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, self, &address) == 1
    }
}
