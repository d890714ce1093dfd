import Foundation
import Site
import TestSupport
import Testing

@testable import Preview

/// HTTP as hosts and browsers speak it.
@Suite(.serialized) struct AnswerTests {
    private static let stage = Result { try Stage() }

    @Test func everyAnswerKeepsOthersOutAndIsKeptByNobody() throws {
        let stage = try Self.stage.get()
        for path in ["/", "/nothing", "/__reload.js", "/products", "/%00"] {
            let answer = try #require(stage.get(path))
            #expect(answer["cache-control"] == "no-store", "\(path)")
            #expect(answer["x-content-type-options"] == "nosniff", "\(path)")
            #expect(answer["cross-origin-resource-policy"] == "same-origin", "\(path)")
            #expect(answer["access-control-allow-origin"] == nil, "\(path)")
            #expect(answer["date"]?.hasSuffix(" GMT") == true, "\(path)")
        }
    }

    /// Its threads run on until the program has ended, and browsers connect again.
    @Test func whoAsksAPreviewThatEndedIsToldSo() throws {
        let folder = TemporaryFolder(inMemory: true)
        try folder.write("site/content/site.yaml", Stage.settings)
        var options = PreviewOptions()
        options.build.site = folder.file("site")
        options.port = 0
        options.connections = 40
        var preview: Preview? = try Preview(options)
        let port = try #require(preview?.port)
        preview?.finish()
        preview = nil
        for _ in 0..<20 {
            let connection = try #require(HTTPConnection(port: port))
            #expect(connection.ask("/", port: port)?.status == 500)
        }
    }

    @Test func headSaysWhatGetWould() throws {
        let stage = try Self.stage.get()
        let get = try #require(stage.get("/index.html"))
        let head = try #require(stage.get("/index.html", method: "HEAD"))
        #expect(head.status == 200 && head.body.isEmpty)
        for name in ["content-length", "content-type", "etag"] { #expect(head[name] == get[name], "\(name)") }
    }

    @Test func connectionsAreKept() throws {
        let stage = try Self.stage.get()
        let connection = try #require(HTTPConnection(port: stage.port))
        for path in ["/", "/nothing.html", "/products/", "/robots.txt"] {
            #expect(connection.ask(path, port: stage.port)?["connection"] == "keep-alive")
        }
        // Several requests at once, answered in their order.
        let host = "Host: localhost:\(stage.port)\r\n\r\n"
        connection.send("GET /robots.txt HTTP/1.1\r\n\(host)GET /index.html HTTP/1.1\r\n\(host)")
        #expect(connection.answer()?["content-type"] == "text/plain; charset=utf-8")
        #expect(connection.answer()?["content-type"] == "text/html; charset=utf-8")
        let old = try #require(HTTPConnection(port: stage.port))
        old.send("GET / HTTP/1.0\r\nHost: localhost:\(stage.port)\r\n\r\n")
        #expect(old.answer()?.status == 200)
        #expect(old.rest() == [])
    }

    @Test func typesAreThoseOfTheFiles() throws {
        let stage = try Self.stage.get()
        let home = try #require(stage.get("/"))
        #expect(home["content-type"] == "text/html; charset=utf-8")
        #expect(stage.get("/feed.xml")?["content-type"] == "application/atom+xml; charset=utf-8")
        #expect(stage.get("/sitemap.xml")?["content-type"] == "application/xml; charset=utf-8")
        #expect(stage.get("/robots.txt")?["content-type"] == "text/plain; charset=utf-8")
        func asset(_ ending: String) -> String? {
            home.text.split(separator: "\"").first { $0.hasPrefix("assets/") && $0.hasSuffix(ending) }.map {
                "/" + $0
            }
        }
        #expect(stage.get(try #require(asset(".css")))?["content-type"] == "text/css; charset=utf-8")
        #expect(stage.get(try #require(asset(".js")))?["content-type"] == "text/javascript; charset=utf-8")
        #expect(stage.get(try #require(asset(".svg")))?["content-type"] == "image/svg+xml")
    }

    @Test func theSitesOwnPageSaysThatThereIsNone() throws {
        let stage = try Self.stage.get()
        let own = try #require(stage.get("/404.html"))
        let missing = try #require(stage.get("/products/00/nothing.html"))
        #expect(own.status == 200 && missing.status == 404 && missing.body == own.body)
    }

    @Test func conditionsAreKept() throws {
        let stage = try Self.stage.get()
        let tag = try #require(stage.get("/index.html")?["etag"])
        for header in [
            "If-None-Match: \(tag)", "If-None-Match: W/\(tag)", "If-None-Match: \"x\", \(tag)",
            "If-None-Match: *",
        ] {
            let answer = try #require(stage.get("/index.html", [header]))
            #expect(
                answer.status == 304 && answer["content-length"] == nil && answer["etag"] == tag, "\(header)")
        }
        #expect(stage.get("/index.html", ["If-None-Match: \"x\""])?.status == 200)
        #expect(stage.get("/index.html", ["If-Match: \(tag)"])?.status == 200)
        #expect(stage.get("/index.html", ["If-Match: \"x\""])?.status == 412)
        #expect(stage.get("/nothing", ["If-None-Match: *"])?.status == 404)
    }

    @Test func rangesAreParts() throws {
        let stage = try Self.stage.get()
        let whole = try #require(stage.get("/index.html"))
        let tag = try #require(whole["etag"])
        let count = whole.body.count
        for (range, part) in [
            ("0-0", 0..<1), ("5-9", 5..<10), ("100-", 100..<count), ("-7", count - 7..<count),
            ("0-999999999", 0..<count), ("-999999999", 0..<count),
        ] {
            let answer = try #require(stage.get("/index.html", ["Range: bytes=\(range)"]))
            #expect(answer.status == 206 && answer.body == Array(whole.body[part]), "\(range)")
            #expect(answer["content-range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(count)")
        }
        let beyond = try #require(stage.get("/index.html", ["Range: bytes=\(count)-"]))
        #expect(beyond.status == 416 && beyond["content-range"] == "bytes */\(count)")
        #expect(stage.get("/index.html", ["Range: bytes=0-1,4-5"])?.body == whole.body)
        #expect(stage.get("/index.html", ["Range: bytes=0-1", "If-Range: \"x\""])?.body == whole.body)
        #expect(stage.get("/index.html", ["Range: bytes=0-1", "If-Range: \(tag)"])?.status == 206)
    }

    /// A program gets the bytes of the build; only a browser that navigates gets the script with them.
    @Test func onlyNavigationsGetTheScript() throws {
        let stage = try Self.stage.get()
        let plain = try #require(stage.get("/index.html"))
        let page = try #require(stage.get("/index.html", navigation))
        #expect(
            !plain.text.contains("__reload")
                && page.text.contains("<script type=\"module\" src=\"/__reload.js?page="))
        let start = try #require(page.text.range(of: "<script type=\"module\" src=\"/__reload.js"))
        let end = try #require(
            page.text.range(of: "</script>\n", range: start.lowerBound..<page.text.endIndex))
        #expect(page.text.replacingCharacters(in: start.lowerBound..<end.upperBound, with: "") == plain.text)
        #expect(stage.get("/robots.txt", navigation)?.text.contains("__reload") == false)
    }

    /// A worker that keeps pages would hide what has changed.
    @Test func browsersDoNotKeepPagesOfThePreview() throws {
        let stage = try Self.stage.get()
        let built = try #require(stage.get("/sw.js"))
        let given = try #require(
            stage.get("/sw.js", ["Service-Worker: script", "Sec-Fetch-Site: same-origin"]))
        #expect(built.status == 200 && given.status == 200 && given.body != built.body)
        #expect(given.text.contains("unregister()"))
    }

    /// What cannot be made is shown by itself when there is no page to show it over, and says nothing of where the site is.
    @Test func aSiteThatCannotBeMadeSaysWhy() throws {
        let stage = try Stage(settings: "title: Shop\nurl: nowhere<b>\n")
        let answer = try #require(stage.get("/", navigation))
        #expect(answer.status == 500)
        #expect(
            answer.text.contains("content/site.yaml:2:6\n&#39;url&#39; is no web address")
                || answer.text.contains("content/site.yaml:2:6"))
        #expect(answer.text.contains("[setting-value]") && answer.text.contains("nowhere&lt;b&gt;"))
        #expect(!answer.text.contains(stage.folder.path) && !answer.text.contains("nowhere<b>"))
    }

    /// S53: where the shop's own database lies is nobody's business.
    @Test func aDatabaseElsewhereIsNamedWithoutItsFolder() throws {
        let other = TemporaryFolder(inMemory: true)
        try other.write("bad.db", "no database")
        let stage = try Stage(settings: Stage.settings + "database: \(other.path)/bad.db\n")
        let answer = try #require(stage.get("/", navigation))
        #expect(answer.status == 500)
        #expect(answer.text.contains("bad.db") && !answer.text.contains(other.path), "\(answer.text)")
    }

    /// The version that docs/security.md names.
    @Test func theLibraryIsNotOlderThanTheOneThatWasChecked() {
        let numbers = Server.libraryVersion.split(separator: ".").compactMap { Int($0) }
        #expect(numbers.count >= 2 && !numbers.lexicographicallyPrecedes([1, 15]))
        #expect(
            Project.text(of: "docs/security.md").contains(
                "CivetWeb, HTTP of the preview, has no pkg-config file: at least 1.15."))
    }

    // MARK: Others on the network

    @Test func anAddressForOthersWantsTheToken() throws {
        let stage = try Stage(options: { $0.address = "0.0.0.0" })
        let token = try #require(stage.preview.url.split(separator: "=").last.map(String.init))
        #expect(token.count == 26)
        func ask(_ path: String, _ headers: String...) -> HTTPConnection.Answer? { stage.get(path, headers) }
        let refused = try #require(ask("/"))
        #expect(refused.status == 403 && !refused.text.contains("Corner Shop"))
        #expect(ask("/?token=\(String(token.reversed()))")?.status == 403)
        #expect(ask("/__events")?.status == 403 && ask("/__reload.js")?.status == 403)
        let entry = try #require(ask("/products/?token=\(token)"))
        #expect(entry.status == 302 && entry["location"] == "/products/")
        let cookie = try #require(entry["set-cookie"])
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
        #expect(ask("/", "Cookie: a=b; preview-token=\(token)")?.status == 200)
        #expect(ask("/", "Cookie: preview-token=x")?.status == 403)
        // By any address of the machine, but by no name.
        let gate = Gate(port: 8080, address: "0.0.0.0", token: token)
        func status(_ host: String) -> Int? {
            gate.refusal(
                of: Request(method: "GET", target: "/", query: nil, version: "1.1", headers: [("host", host)])
            )?.status
        }
        #expect(status("192.168.1.5:8080") == nil && status("[fe80::1]:8080") == nil)
        #expect(status("evil.example:8080") == 403 && status("192.168.1.5") == 403)
    }

    @Test func theNextPortIsTakenWhenOneIsTaken() throws {
        let stage = try Self.stage.get()
        let other = try Stage(options: { $0.port = stage.port })
        #expect(other.port > stage.port && other.port < stage.port + 20)
        #expect(other.get("/")?.status == 200)
    }
}
