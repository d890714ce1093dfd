import Basics
import Glibc
public import Site

/// What a preview is asked for.
public struct PreviewOptions: Sendable {
    /// The site, as for a build.
    public var build = BuildOptions()
    /// The port to listen on; the next ones are tried if it is taken. 0 is any.
    public var port = 8080
    /// An address of this machine that others can reach; nil listens on the loopback addresses only.
    public var address: String?
    /// Whether the finished output is served rather than pages made when they are asked for.
    public var isBuilt = false
    /// Whether pages are loaded again when something changes.
    public var reloads = true
    /// Whether to look at the files now and then rather than to be told of changes, as network drives need it.
    public var polls = false

    /// How many connections are served at once, a thread of some 20 kB each; browsers keep half a dozen.
    public var connections = 1100

    /// The defaults.
    public init() {}
}

/// A preview that runs: a server on this machine that shows the site as it is at the moment.
public final class Preview: Sendable {
    /// Something to tell the person at the terminal.
    public enum Event: Sendable {
        /// What becomes of the site.
        case site(LiveSite.Event)
        /// Nobody tells of changes here, so the files are looked at.
        case polling(reason: String)
    }

    /// The port that it got.
    public let port: Int
    /// The address to open.
    public let url: String
    /// Whether programs of this machine alone can reach it.
    public let isLocal: Bool

    private let responder: Responder
    private let site: any ServedSite
    private let watcher: Watcher?
    private let server: ServerBox

    /// The server, from the thread that started it to the one that ends it.
    private final class ServerBox: @unchecked Sendable {
        // Set once before the preview is handed out, and used once more, by `stop`.
        let server: Server

        init(_ server: Server) { self.server = server }
    }

    /// Starts to listen and to read the site; pages are answered as soon as they can be made.
    ///
    /// - Throws: ``Failure`` when it cannot listen, or when there is no output to serve.
    public init(_ options: PreviewOptions, tell: @escaping @Sendable (Event) -> Void = { _ in }) throws {
        if let address = options.address, !address.isIPv4Address, !address.isIPv6Address {
            throw Failure(
                "listen",
                "'\(address)' is no address of this machine such as 192.168.1.5; '--host 0.0.0.0' is all")
        }
        raiseFileLimit()
        limitHeaps(to: 2)
        isLocal = options.address.map { $0 == "::1" || $0.hasPrefix("127.") } ?? true
        let token = isLocal ? nil : Self.makeToken()
        if options.isBuilt {
            let built = try BuiltSite(options.build)
            site = built
            watcher =
                options.reloads
                ? Watcher(built.places, polls: options.polls, tell: { tell(.polling(reason: $0)) }) {
                    changes in built.note(changes.map { ($0.path, $0.kind) })
                } : nil
        } else {
            let live = LiveSite(options.build) { tell(.site($0)) }
            site = live
            watcher =
                options.reloads
                ? Watcher(live.places, polls: options.polls, tell: { tell(.polling(reason: $0)) }) { paths in
                    let places = live.places
                    let parts = Set(paths.compactMap { places.part(of: $0.path, $0.kind) })
                    if !parts.isEmpty { live.note(parts) }
                } : nil
        }
        let responder = Responder(site, folder: options.build.site, reloads: options.reloads)
        self.responder = responder
        let site = self.site
        var started: (Server, Int)?
        var port = options.port
        // Twenty tries: whoever has that many previews open will name a port.
        for _ in 0..<20 where started == nil {
            let found: Int?
            do { found = try freePort(port, address: options.address) } catch {
                site.close()
                watcher?.close()
                throw Failure(
                    "listen",
                    "port \(port) takes rights that this program has not; name one above 1023 with --port")
            }
            if let free = found {
                let address = options.address
                let main = address.map { $0.isIPv6Address ? "[\($0)]" : $0 } ?? "127.0.0.1"
                responder.gate = Gate(port: free, address: address, token: token)
                // Machines without IPv6 have no ::1.
                for addresses in address == nil ? [[main, "[::1]"], [main]] : [[main]] where started == nil {
                    if let server = Server(
                        addresses.map { "\($0):\(free)" }, connections: options.connections,
                        handler: responder)
                    {
                        started = (server, free)
                    }
                }
            }
            if port == 0 || port >= 65535 { break }
            port += 1
        }
        guard let (server, port) = started else {
            site.close()
            watcher?.close()
            let name = options.address.map { " of \($0)" } ?? ""
            throw Failure(
                "listen",
                "no port from \(options.port) on\(name) can be listened on; end what has them, or name another with --port"
            )
        }
        self.server = ServerBox(server)
        self.port = port
        let host =
            options.address.map { $0 == "0.0.0.0" ? "127.0.0.1" : $0 == "::" ? "::1" : $0 } ?? "localhost"
        url =
            "http://\(host.isIPv6Address ? "[\(host)]" : host):\(port)/"
            + (token.map { "?token=\($0)" } ?? "")
        if watcher?.start() == false {
            stop()
            throw Failure("internal", "no thread can be started; end other programs and try again")
        }
    }

    /// How often there was news so far.
    var generation: Int { site.standing.generation }

    /// Ends watching, streams of events and the making of pictures, and waits a moment for answers that are under way: for a
    /// program that ends itself next, and with it the connections.
    public func finish() {
        watcher?.close()
        site.close()
        // Nothing that an answer waits for still comes; who reads slowly is not waited for.
        server.server.finish(seconds: 0.5)
    }

    /// Ends it: streams of events end, answers that are under way are finished. May take two seconds.
    public func stop() {
        watcher?.close()
        site.close()
        server.server.stop()
    }

    private static func makeToken() -> String {
        Array("abcdefghijklmnopqrstuvwxyz234567".utf8).token(of: randomBytes(26))
    }
}

extension [UInt8] {
    /// A letter or digit for each byte.
    fileprivate func token(of bytes: [UInt8]) -> String {
        String(decoding: bytes.map { self[Int($0) & (count - 1)] }, as: UTF8.self)
    }
}

/// The system gives the port to nobody but privileged programs, and the next ones as well.
private struct NeedsRights: Error {}

/// The port if it is free on the address, or on the loopback addresses; for 0 any that is. Nil when it is taken.
private func freePort(_ port: Int, address: String?) throws(NeedsRights) -> Int? {
    func bound(_ family: Int32, _ body: (Int32) -> Int32) throws(NeedsRights) -> Int? {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard body(descriptor) == 0 else {
            if errno == EACCES { throw NeedsRights() }
            return errno == EADDRNOTAVAIL ? -1 : nil
        }
        var name = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // Both kinds of address have the port in the same place.
        return code == 0 ? Int(UInt16(bigEndian: name.sin6_port)) : nil
    }
    func four(_ address: String, _ port: Int) throws(NeedsRights) -> Int? {
        try bound(AF_INET) { descriptor in
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = in_port_t(port).bigEndian
            inet_pton(AF_INET, address, &name.sin_addr)
            return withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
    }
    func six(_ address: String, _ port: Int) throws(NeedsRights) -> Int? {
        try bound(AF_INET6) { descriptor in
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = in_port_t(port).bigEndian
            inet_pton(AF_INET6, address, &name.sin6_addr)
            return withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
    }
    guard (0...65535).contains(port) else { return nil }
    if let address {
        let found = address.isIPv6Address ? try six(address, port) : try four(address, port)
        return found.flatMap { $0 > 0 ? $0 : nil }
    }
    guard let found = try four("127.0.0.1", port), found > 0 else { return nil }
    // A machine without IPv6 has no address to be taken: -1, or no socket at all.
    if let descriptor = Optional(socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)), descriptor >= 0 {
        close(descriptor)
        return try six("::1", found) == nil ? nil : found
    }
    return found
}
