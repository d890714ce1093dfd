import Basics
import Glibc
import Site

/// Makes the answers: who may ask (``Gate``), what for (``TargetPath``), and the file (``ServedSite``).
final class Responder: RequestHandler {
    private let site: any ServedSite
    /// The site's folder, for messages.
    private let folder: String
    private let reloads: Bool
    private let gateBox = Monitor(Gate(port: 0))

    /// Set once the port is known, before the first request.
    var gate: Gate {
        get { gateBox.withLock(waking: .none) { $0 } }
        set { gateBox.withLock(waking: .none) { $0 = newValue } }
    }

    /// - Parameters:
    ///   - folder: the site's folder, whose name is taken off paths in messages.
    ///   - reloads: whether pages get the script that loads them again.
    init(_ site: any ServedSite, folder: String, reloads: Bool) {
        self.site = site
        self.folder = folder
        self.reloads = reloads
    }

    static let eventsPath = "/__events", scriptPath = "/__reload.js", stylePath = "/__reload.css"

    func reply(to request: Request, waited: Double) -> Reply {
        let gate = self.gate
        if let refusal = gate.refusal(of: request) { return .answer(refusal) }
        if let answer = gate.tokenAnswer(to: request) { return .answer(answer) }
        var target = request.target
        if !target.hasPrefix("/") {
            // In absolute form; the gate has looked at the host.
            target = String(target.dropFirst("http://".count).drop { $0 != "/" })
            if target.isEmpty { target = "/" }
        }
        guard let path = TargetPath(target) else {
            return .answer(.plain(400, "the address is malformed"))
        }
        let type = contentType(of: path.text)
        switch path.text {
        case Self.eventsPath:
            guard gate.isOurs(origin: request["origin"]), request["upgrade"] == nil else {
                return .answer(.plain(403, "only for pages of this preview"))
            }
            if !reloads { return .answer(.plain(404, "nothing is watched")) }
            if request.method == "HEAD" {
                return .answer(Response(status: 200, headers: Self.eventHeaders, closes: true))
            }
            var head = "HTTP/1.1 200 OK\r\n"
            for (name, value) in Response.always + Self.eventHeaders { head += "\(name): \(value)\r\n" }
            return .stream(head: Array((head + "Connection: close\r\n\r\nretry: 500\n\n").utf8))
        case Self.scriptPath:
            return .answer(fileAnswer(to: request, with: PackageResources.reload_js, type: type))
        case Self.stylePath:
            return .answer(fileAnswer(to: request, with: PackageResources.reload_css, type: type))
        default: return page(request, path.text, waited: waited).map { .answer($0) } ?? .wait
        }
    }

    /// The answer with a file of the site; nil when it cannot be told yet whether there is one.
    private func page(_ request: Request, _ path: String, waited: Double) -> Response? {
        // As it stands in the settings, where it may be encoded.
        let root = TargetPath(site.root)?.text ?? site.root
        let query = request.query.map { "?" + $0 } ?? ""
        guard path.hasPrefix(root) else {
            // The site is below a folder of its host; people type the host.
            if path == "/" || path + "/" == root { return .redirect(to: site.root + query) }
            return .plain(404, "the site is at \(root)")
        }
        var file = String(path.dropFirst(root.count))
        if file.isEmpty || file.hasSuffix("/") { file += "index.html" }
        do {
            switch try site.find(file, waited: waited) {
            case .file(let bytes): return answer(request, file, bytes)
            case .folder: return .redirect(to: request.target + "/" + query)
            case .nothing(let page):
                guard let page else { return .plain(404, "the site has no such file") }
                return answer(request, "404.html", page, status: 404)
            case .broken(let failure): return broken(request, failure)
            case .unknown: return nil
            }
        } catch {
            return broken(request, (error as? Failure) ?? Failure("file", "\(error)"))
        }
    }

    private func answer(_ request: Request, _ file: String, _ bytes: [UInt8], status: Int = 200) -> Response {
        let type = contentType(of: file)
        // The site's own worker would answer with what it kept, and hide what has changed. Whoever fetches the file as a
        // file gets it as it is built.
        if !site.isFinished, file == Snapshot.worker.path, request["service-worker"] == "script" {
            return fileAnswer(to: request, with: Snapshot.worker.retiring, type: type)
        }
        let isPage = reloads && type.hasPrefix("text/html")
        let asksForPage = isPage && request["x-preview"] == "page"
        guard isPage, asksForPage || (request.isNavigation && request["range"] == nil) else {
            return fileAnswer(to: request, with: bytes, type: type, status: status)
        }
        let styles = site.styleSheets
        let identity = PageIdentity.of(bytes, styleSheets: styles)
        var response: Response
        if asksForPage {
            response = fileAnswer(to: request, with: bytes, type: type, status: status)
            response.headers.append(("X-Preview-Page", identity))
            response.headers.append(("X-Preview-Styles", styles.joined(separator: " ")))
        } else {
            response = fileAnswer(
                to: request, with: bytes.addingScript("\(Self.scriptPath)?page=\(identity)"), type: type,
                status: status)
        }
        return response
    }

    private func broken(_ request: Request, _ failure: Failure) -> Response {
        let script = reloads && request.isNavigation ? Self.scriptPath + "?page=" : nil
        return Response(
            status: 500, headers: [("Content-Type", "text/html; charset=utf-8")],
            body: Faults(failure, site: folder).page(script: script))
    }

    // MARK: Events

    private static let eventHeaders = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]

    func waitForPlan() { site.waitForPlan() }

    func news(after count: Int?) -> Int? {
        if site.isClosed { return nil }
        guard let count else { return site.standing.generation }
        let news = site.news(after: count, seconds: 5) ?? count
        return site.isClosed ? nil : news
    }

    func event() -> (bytes: [UInt8], count: Int) {
        let (failure, generation) = site.standing
        var bytes: [UInt8] = []
        if let failure {
            bytes.append("event: faults\ndata: ")
            bytes.append(contentsOf: Faults(failure, site: folder).json)
            bytes.append("\n\n")
        } else {
            bytes.append("event: page\ndata: \(generation)\n\n")
        }
        return (bytes, generation)
    }
}

/// What a page is but for the names of its style sheets.
enum PageIdentity {
    static func of(_ bytes: [UInt8], styleSheets: [String]) -> String {
        var bytes = bytes
        for path in styleSheets {
            // The hash before the dot; the length stays, and with it every other offset.
            let needle = Array(path.utf8)
            guard let dash = path.lastIndex(of: "-") else { continue }
            let from = path.utf8.distance(from: path.startIndex, to: dash)
            var at = 0
            while let found = bytes.firstRange(of: needle, from: at) {
                for i in found.lowerBound + from..<found.upperBound { bytes[i] = UInt8(ascii: "-") }
                at = found.upperBound
            }
        }
        return Fingerprint(of: bytes).short
    }
}

extension [UInt8] {
    /// The first place of some bytes, from an index on.
    func firstRange(of needle: [UInt8], from start: Int = 0) -> Range<Int>? {
        guard let first = needle.first else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var at = start
            while at + needle.count <= bytes.count,
                let found = memchr(base + at, Int32(first), bytes.count - needle.count - at + 1)
            {
                at = base.distance(to: UnsafeRawPointer(found))
                if memcmp(base + at, needle, needle.count) == 0 { return at..<at + needle.count }
                at += 1
            }
            return nil
        }
    }

    /// The page with a script at the end of its head; the rest stays as it is.
    fileprivate func addingScript(_ address: String) -> [UInt8] {
        let at = firstRange(of: Array<UInt8>("</head>".utf8))?.lowerBound ?? count
        return self[..<at] + Array("<script type=\"module\" src=\"\(address)\"></script>\n".utf8)
            + self[at...]
    }
}
