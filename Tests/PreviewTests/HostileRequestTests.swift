import Basics
import Foundation
import Preview
import TestSupport
import Testing

/// Requests that nobody honest sends: each gets its status, and no byte from outside the site (S49–S52).
@Suite(.serialized) struct HostileRequestTests {
    private static let secret = "outside-the-site-5e1f"

    private static let stage = Result {
        try Stage(
            prepare: { site in
                // What must not be found: beside the site, in it, and by a link out of it.
                for place in [
                    "secret", "content/secret", ".env", "templates/.git/config", "content/pictures/x.txt",
                ] {
                    try write(secret, to: site + "/" + place)
                }
                try write(secret, to: site + "/../outside/secret")
                symlink("../../outside", site + "/content/pictures/link-to-outside")
                symlink("../outside", site + "/link-to-outside")
            }, options: { $0.connections = 1100 })
    }

    private static func write(_ text: String, to path: String) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        _ = try Directory(path: "/").makingDirectory(
            canonical(parts.dropLast().joined(separator: "/").dropFirst()))
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
    }

    private static func canonical(_ path: Substring) -> String {
        var out: [Substring] = []
        for part in path.split(separator: "/") {
            if part == ".." { out.removeLast() } else { out.append(part) }
        }
        return out.joined(separator: "/")
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let request: String
        /// Statuses that are right; 0 is a connection that is closed without an answer.
        let statuses: Set<Int>
        var testDescription: String { String(request.debugDescription.prefix(100)) }
    }

    /// The corpus: what it says in words, as sets of statuses.
    private static let corpus: [Case] = {
        let data = Data(Project.bytes(of: "Tests/Corpora/preview-requests.json"))
        let entries = (try? JSONSerialization.jsonObject(with: data)) as? [[String: String]] ?? []
        return entries.compactMap { entry in
            guard let request = entry["request"], let expected = entry["expect"] else { return nil }
            var statuses = Set(
                expected.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }.filter {
                    (200...599).contains($0)
                })
            if expected.hasPrefix("not 200") { statuses.remove(200) }
            if expected.contains("closed") { statuses.formUnion([0, 400, 408]) }
            return Case(request: request, statuses: statuses)
        }
    }()

    private static let more: [Case] = {
        func get(_ path: String, _ headers: String...) -> String {
            "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\(headers.map { $0 + "\r\n" }.joined())\r\n"
        }
        return [
            Case(request: get("/content/site.yaml"), statuses: [404]),
            Case(request: get("/content/shop.db"), statuses: [404]),
            Case(request: get("/../content/site.yaml"), statuses: [400]),
            Case(request: get("/secret"), statuses: [404]),
            Case(request: get("/.env"), statuses: [404]),
            Case(request: get("/.build-site/list-key"), statuses: [404]),
            Case(request: get("/assets/../secret"), statuses: [400]),
            Case(request: get("/assets/%2e%2e/secret"), statuses: [400]),
            Case(request: get("/assets/"), statuses: [404]),
            Case(request: get("/assets/pictures/x.txt"), statuses: [404]),
            Case(request: get("/assets/pictures/link-to-outside/secret"), statuses: [404]),
            Case(request: get("/products"), statuses: [302]),
            Case(request: get("/Products/index.html"), statuses: [404]),
            Case(request: get("/products/INDEX.html"), statuses: [404]),
            Case(request: get("/products/page-01.html"), statuses: [404]),
            Case(request: get("/products/page-1.html"), statuses: [404]),
            Case(request: get("/products/page-99999999999999999999.html"), statuses: [404]),
            Case(request: get("/products//index.html"), statuses: [404]),
            Case(request: get("/index.html/"), statuses: [404]),
            Case(request: get("/index.html?file=../../secret"), statuses: [200]),
            Case(request: get("/index.html\u{7F}"), statuses: [400]),
            Case(request: get("/%e2%80%ae.html"), statuses: [400]),
            Case(request: get("/%c2%85"), statuses: [400]),
            Case(request: get("/%5c%5cserver%5cshare"), statuses: [400]),
            Case(request: get("/%2e"), statuses: [400]),
            Case(request: get("/../%cc%81x"), statuses: [400]),
            Case(request: get("/x/../%cc%81/secret"), statuses: [400]),
            Case(request: get("/%2e%2e/%cc%81/etc/passwd"), statuses: [400]),
            Case(request: get("*"), statuses: [400]),
            Case(request: get("http://127.0.0.1:8080/"), statuses: [200]),
            Case(request: get("http://127.0.0.1:8080.evil.example/"), statuses: [400, 403]),
            Case(request: get("http://evil.example@127.0.0.1:8080/"), statuses: [400, 403]),
            Case(request: get("https://127.0.0.1:8080/"), statuses: [400, 403]),
            Case(request: get("/__events", "Origin: http://localhost:3000"), statuses: [403]),
            Case(request: get("/__events", "Origin: null"), statuses: [403]),
            Case(request: get("/__events", "Origin: http://127.0.0.1:8080.evil.example"), statuses: [403]),
            Case(request: get("/__events", "Sec-Fetch-Site: cross-site"), statuses: [403]),
            // Another port of this machine is another origin of the same site.
            Case(request: get("/__events", "Sec-Fetch-Site: same-site"), statuses: [403]),
            Case(
                request: get("/index.html", "Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors"),
                statuses: [403]),
            Case(
                request: get(
                    "/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"),
                statuses: [403]),
            Case(
                request: get(
                    "/", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"),
                statuses: [200]),
            Case(request: get("/", "Range: bytes=9999999-"), statuses: [416]),
            Case(request: get("/", "Range: bytes=5-1"), statuses: [200]),
            Case(request: get("/", "Range: chapters=1"), statuses: [200]),
            Case(request: get("/", "Transfer-Encoding: chunked"), statuses: [400]),
            Case(request: get("/", "Content-Length: 5"), statuses: [400]),
            Case(request: get("/", "Content-Length: -1"), statuses: [400, 411]),
            Case(request: get("/", "Expect: 100-continue"), statuses: [200]),
            Case(request: get("/", "Accept : text/html"), statuses: [400]),
            Case(request: get("/", "Accept\t: text/html"), statuses: [0, 400]),
            Case(request: get("/", "Accept   :text/html"), statuses: [400]),
            Case(request: get("/", "Accept :"), statuses: [400]),
            Case(request: get("/", "Accept:", "Accept-Language:   en"), statuses: [200]),
            Case(request: "GET / HTTP/1.1\r\nHost : 127.0.0.1:8080\r\n\r\n", statuses: [400]),
            Case(request: "OPTIONS / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", statuses: [405]),
            Case(request: "DELETE /index.html HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", statuses: [405]),
            Case(
                request: "PUT /x HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 0\r\n\r\n",
                statuses: [405]),
            Case(
                request: "CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n",
                statuses: [400, 405]),
            Case(request: "get / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", statuses: [400, 405]),
            Case(request: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", statuses: [0, 400, 405, 505]),
            Case(request: "GET / HTTP/1.1\nHost: 127.0.0.1:8080\n\n", statuses: [200, 400]),
            Case(request: "GET /\r\n\r\n", statuses: [0, 400, 505]),
            Case(request: "\r\n\r\n", statuses: [0, 400, 408]),
            Case(request: ": : :\r\n\r\n", statuses: [0, 400]),
        ]
    }()

    @Test func theTableIsLongEnough() {
        #expect(Self.corpus.count == 65 && Self.corpus.count + Self.more.count > 100)
    }

    @Test(arguments: corpus + more)
    func getsTheRightStatusAndNothingFromOutside(_ hostile: Case) throws {
        let stage = try Self.stage.get()
        let request = hostile.request.replacing("8080", with: String(stage.port))
        let connection = try #require(HTTPConnection(port: stage.port, timeout: 16))
        connection.send(request)
        let answer = connection.answer(hasBody: !request.hasPrefix("HEAD"))
        #expect(hostile.statuses.contains(answer?.status ?? 0), "\(answer?.status ?? 0)")
        let raw = String(decoding: answer?.raw ?? [], as: UTF8.self)
        #expect(!raw.contains(Self.secret) && !raw.contains("root:x:"))
        #expect(!raw.lowercased().contains("access-control-allow"))
        if let answer, answer.status == 403 || answer.status == 400 {
            #expect(!answer.text.contains("Corner Shop"))
        }
    }

    /// A second answer would belong to no request.
    @Test(arguments: [
        "GET / HTTP/1.1 \r\nHost: localhost:8080\r\n\r\n",
        "GET http://localhost:8080 HTTP/1.1\r\nHost: localhost:8080\r\n\r\n",
        "GET /index.html HTTP/1.1\r\nHost: other.example\r\n\r\n", "nonsense\r\n\r\n",
    ])
    func whatIsRefusedIsAnsweredOnce(_ request: String) throws {
        let stage = try Self.stage.get()
        let connection = try #require(HTTPConnection(port: stage.port, timeout: 16))
        connection.send(request.replacing("8080", with: String(stage.port)))
        let text = String(decoding: connection.rest(), as: UTF8.self)
        #expect(text.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: true).count <= 1, "\(text)")
    }

    /// Whatever comes in: the preview goes on, and answers the next request.
    @Test func requestsMadeOfNoiseEndNothing() throws {
        let stage = try Self.stage.get()
        var generator = SeededGenerator()
        let seeds = (Self.corpus + Self.more).map { Array($0.request.utf8) }.filter { $0.count < 2000 }
        for _ in 0..<100 {
            var bytes = seeds.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: at)
                default: bytes.insert(contentsOf: bytes[..<min(at, 40)], at: at)
                }
            }
            let connection = try #require(HTTPConnection(port: stage.port, timeout: 1))
            connection.send(bytes + Array("\r\n\r\n".utf8))
            _ = connection.answer()
        }
        #expect(stage.get("/")?.status == 200)
    }

    /// Neither a request that never ends nor an answer that nobody reads keeps others from theirs.
    @Test func slowClientsKeepNobodyWaiting() throws {
        raiseFileLimit()
        let stage = try Self.stage.get()
        let host = "Host: localhost:\(stage.port)\r\n\r\n"
        let stalled = (0..<200).compactMap { _ in HTTPConnection(port: stage.port, timeout: 16) }
        for connection in stalled { connection.send("GET /index.html HTTP/1.1\r\nHos") }
        // More than the buffers of both sides hold.
        let deaf = (0..<50).compactMap { _ in HTTPConnection(port: stage.port) }
        let requests = String(repeating: "GET /sw.js HTTP/1.1\r\n\(host)", count: 300)
        for connection in deaf { connection.send(requests) }
        try #require(stalled.count == 200 && deaf.count == 50)
        for path in ["/", "/products/", "/sitemap.xml", "/nothing"] {
            #expect(stage.get(path)?.status == (path == "/nothing" ? 404 : 200))
        }
        // Who says nothing more is not waited for for ever.
        let status = stalled[0].answer()?.status
        #expect(status == nil || status == 408 || status == 400, "\(status ?? 0)")
    }

    @Test func aThousandConnectionsAtOnceAreServed() throws {
        raiseFileLimit()
        let stage = try Self.stage.get()
        let connections = (0..<1000).compactMap { _ in HTTPConnection(port: stage.port) }
        try #require(connections.count == 1000)
        // All are open and have begun to ask before the first has asked.
        for connection in connections { connection.send("GET /index.html HTTP/1.1\r\nHost: local") }
        for connection in connections { connection.send("host:\(stage.port)\r\n\r\n") }
        var bodies: Set<[UInt8]> = []
        for connection in connections {
            let answer = try #require(connection.answer())
            #expect(answer.status == 200)
            bodies.insert(answer.body)
        }
        #expect(bodies.count == 1)
    }
}
