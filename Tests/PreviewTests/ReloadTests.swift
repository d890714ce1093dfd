import Basics
import Database
import Glibc
import Site
import TestSupport
import Testing

@testable import Preview

/// A saved change is served, and told to whoever looks.
@Suite struct ReloadTests {
    /// How changes are noticed.
    enum Way: CaseIterable { case told, polled }

    private func stage(_ way: Way, settings: String = Stage.settings) throws -> Stage {
        let stage = try Stage(settings: settings, options: { $0.polls = way == .polled })
        #expect(stage.get("/")?.status == 200)
        return stage
    }

    /// A stream of events.
    private struct Stream {
        let connection: HTTPConnection

        init?(_ stage: Stage) {
            guard let connection = HTTPConnection(port: stage.port, timeout: 60) else { return nil }
            self.connection = connection
            connection.send("GET /__events HTTP/1.1\r\nHost: localhost:\(stage.port)\r\n\r\n")
            guard let head = connection.bytes(upTo: "\r\n\r\n"), head.contains("text/event-stream"),
                connection.bytes(upTo: "\n\n") == "retry: 500\n\n"
            else { return nil }
        }

        /// The next event's name and data.
        func next() -> (name: String, data: String)? {
            while let text = connection.bytes(upTo: "\n\n") {
                let lines = text.split(separator: "\n")
                guard lines.count == 2, lines[0].hasPrefix("event: "), lines[1].hasPrefix("data: ") else {
                    continue
                }
                return (String(lines[0].dropFirst(7)), String(lines[1].dropFirst(6)))
            }
            return nil
        }

        func next(named name: String) -> String? {
            while let event = next() { if event.name == name { return event.data } }
            return nil
        }
    }

    @Test(arguments: Way.allCases) func aSavedPageIsServed(_ way: Way) throws {
        let stage = try stage(way)
        let events = try #require(Stream(stage))
        #expect(events.next()?.name == "page")
        try stage.folder.write("site/content/pages/about.md", "---\ntitle: About\n---\n\nSecond words.\n")
        #expect(events.next()?.name == "page")
        #expect(
            stage.get("/about.html") { $0.text.contains("Second words.") }?.text.contains("Second words.")
                == true)
        // As editors save: beside it, and renamed over it.
        try stage.folder.write("site/content/pages/.about.md.swp", "---\ntitle: About\n---\n\nThird words.\n")
        rename(stage.site + "/content/pages/.about.md.swp", stage.site + "/content/pages/about.md")
        #expect(stage.get("/about.html") { $0.text.contains("Third") }?.text.contains("Third words.") == true)
        try stage.folder.removeFile("site/content/pages/about.md")
        #expect(stage.get("/about.html") { $0.status == 404 }?.status == 404)
    }

    /// What mends a file that could not be read.
    @Test(arguments: Way.allCases) func otherRightsOfAFileAreNews(_ way: Way) throws {
        let stage = try stage(way)
        let events = try #require(Stream(stage))
        #expect(events.next()?.name == "page")
        #expect(chmod(stage.site + "/content/pages/about.md", 0o600) == 0)
        #expect(events.next()?.name == "page")
    }

    /// As where the shop's own database lies elsewhere: SQLite keeps its journals beside the file, not beside the link.
    @Test(arguments: Way.allCases, ["DELETE", "WAL"])
    func aDatabaseBehindALinkIsWatched(_ way: Way, _ journal: String) throws {
        let other = TemporaryFolder(inMemory: true)
        let file = other.path + "/live.db"
        let stage = try Stage(
            prepare: { site in
                #expect(rename(site + "/content/shop.db", file) == 0)
                #expect(symlink(file, site + "/content/shop.db") == 0)
            }, options: { $0.polls = way == .polled })
        #expect(stage.get("/products/")?.text.contains("€29") == true)
        let shop = try Connection(own: file)
        try shop.execute("PRAGMA journal_mode = \(journal)")
        for price in [3100, 3200] {
            try shop.execute("UPDATE products SET price_minor = \(price) WHERE id = 1")
            let text = "€\(price / 100)"
            #expect(
                stage.get("/products/") { $0.text.contains(text) }?.text.contains(text) == true, "\(price)")
        }
    }

    /// A page that is not there is waited for while a plan is made, but not for ever.
    @Test func whatIsMissingIsSaidWhileAShopWritesAllTheTime() async throws {
        let stage = try stage(.told)
        try stage.sql {
            """
            PRAGMA journal_mode = WAL;
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
            INSERT INTO products(id, name) SELECT i, 'Gin ' || i FROM n;
            """
        }
        #expect(stage.get("/products/page-2.html") { $0.status == 200 }?.status == 200)
        let isOver = Monitor(false)
        let writer = Task.detached {
            let shop = try Connection(own: stage.site + "/content/shop.db")
            var price = 1
            while !isOver.withLock({ $0 }) {
                price += 1
                try shop.execute("UPDATE products SET price_minor = \(price) WHERE id = 1")
                usleep(20_000)
            }
        }
        usleep(300_000)
        let start = monotonicSeconds()
        #expect(stage.get("/nothing.html")?.status == 404)
        #expect(stage.get("/search/index.json")?.status == 200)
        #expect(monotonicSeconds() - start < 50)
        isOver.withLock { $0 = true }
        try await writer.value
    }

    /// The plan has to be made anew, and then the data.
    @Test func theSearchIsThereAfterASave() throws {
        let stage = try stage(.told)
        #expect(stage.get("/search/index.json")?.status == 200)
        for title in ["One", "Two"] {
            try stage.folder.write("site/content/site.yaml", "title: \(title)\nurl: https://shop.example/\n")
            #expect(stage.get("/") { $0.text.contains("<title>\(title)") }?.status == 200)
            #expect(stage.get("/search/index.json")?.status == 200)
        }
    }

    /// To look at what was built is no change of it.
    @Test func theOutputOfABuildIsNewsOnce() throws {
        let stage = try Stage(
            prepare: { site in
                var options = BuildOptions()
                options.site = site
                _ = try Site.build(options, progress: ServedBytesTests.Silence())
            }, options: { $0.isBuilt = true })
        let events = try #require(Stream(stage))
        #expect(events.next()?.name == "page")
        let before = stage.preview.generation
        usleep(700_000)
        #expect(stage.preview.generation == before)
        try stage.sql { "UPDATE products SET price_minor = 4100 WHERE id = 1" }
        var options = BuildOptions()
        options.site = stage.site
        _ = try Site.build(options, progress: ServedBytesTests.Silence())
        #expect(events.next()?.name == "page")
        #expect(stage.get("/products/")?.text.contains("€41") == true)
    }

    @Test(arguments: Way.allCases, ["DELETE", "WAL"])
    func aPriceInTheDatabaseIsServed(_ way: Way, _ journal: String) throws {
        let stage = try stage(way)
        try stage.sql { "PRAGMA journal_mode = \(journal)" }
        let path = stage.path(ofProduct: "Rain Gin 1")
        #expect(stage.get(path)?.text.contains("€29") == true)
        // A connection that stays open: nothing but what it writes tells of the change.
        let shop = try Connection(own: stage.site + "/content/shop.db")
        for price in [3100, 3200, 3300] {
            try shop.execute("UPDATE products SET price_minor = \(price) WHERE id = 1")
            let text = "€\(price / 100)"
            #expect(stage.get(path) { $0.text.contains(text) }?.text.contains(text) == true, "\(price)")
        }
        try shop.execute("INSERT INTO products(id, name) VALUES (9, 'New Cider')")
        let new = stage.path(ofProduct: "New Cider 9")
        #expect(stage.get(new) { $0.status == 200 }?.status == 200)
        #expect(stage.get("/products/") { $0.text.contains("New Cider") }?.text.contains("New Cider") == true)
        try shop.execute("DELETE FROM products WHERE id = 9")
        #expect(stage.get(new) { $0.status == 404 }?.status == 404)
    }

    /// Tiles are kept from one index page to the next, but not from one state of the site to the next.
    @Test func indexesShowTheTilesOfNow() throws {
        let stage = try stage(.told)
        let pages = ["/products/", "/categories/spirits-1.html", "/producer/wet-rope.html"]
        func all(_ text: String) -> Bool {
            pages.allSatisfy { stage.get($0) { $0.text.contains(text) }?.text.contains(text) == true }
        }
        #expect(all("€29"))
        try stage.sql { "UPDATE products SET price_minor = 3100 WHERE id = 1" }
        #expect(all("€31"))
        try stage.sql { "INSERT INTO reviews(product_id, rating) VALUES (1, 1), (1, 1)" }
        #expect(all("(3)"))
        let tile = Project.text(of: "templates/tile.mustache")
        try stage.folder.write(
            "site/templates/tile.mustache", tile.replacing("<li ", with: "<li data-own "))
        #expect(all("data-own"))
        try stage.folder.write("site/content/site.yaml", Stage.settings + "currency: USD\n")
        #expect(all("$31"))
        #expect(TemporaryFolder.names(in: stage.site + "/.build-site").allSatisfy { !$0.contains("tiles") })
    }

    /// The shop can write while pages are asked for: no transaction of the preview stays open.
    @Test func thePreviewDoesNotKeepTheShopFromWriting() throws {
        let stage = try stage(.told)
        let shop = try Connection(own: stage.site + "/content/shop.db")
        for i in 1...30 {
            #expect(stage.get("/products/")?.status == 200)
            try shop.execute(
                "PRAGMA busy_timeout = 1500; UPDATE products SET price_minor = \(1000 + i) WHERE id = 2")
        }
    }

    @Test(arguments: Way.allCases) func templatesListsPicturesAndSettingsAreServed(_ way: Way) throws {
        let stage = try stage(way)
        // The folder of templates is not there yet.
        let home = Project.text(of: "templates/home.mustache")
        try stage.folder.write(
            "site/templates/home.mustache",
            home.replacing(#"class="hello""#, with: #"class="hello" data-own"#))
        #expect(stage.get("/") { $0.text.contains("data-own") }?.text.contains("data-own") == true)
        try stage.folder.write(
            "site/content/lists.json",
            #"{"version": 1, "customers": [{"id": "ann", "lists": {"wish": [{"product": 1}]}}]}"#)
        #expect(stage.get("/lists/") { $0.text.contains("<!DOCTYPE") && $0.status == 200 }?.status == 200)
        try stage.folder.write("site/content/site.yaml", Stage.settings + "footer: Mind the step.\n")
        #expect(
            stage.get("/") { $0.text.contains("Mind the step.") }?.text.contains("Mind the step.") == true)
        let path = stage.path(ofProduct: "Moss Perry 3")
        try stage.sql { "INSERT INTO pictures(product_id, position, file) VALUES (3, 1, 'perry.png')" }
        #expect(stage.get(path)?.text.contains("assets/pictures/") == false)
        try stage.folder.copy("templates/images/grain.png", to: "site/content/pictures/perry.png")
        let page = try #require(stage.get(path) { $0.text.contains("assets/pictures/") })
        let picture = try #require(
            page.text.split(whereSeparator: { "\"/ ".contains($0) }).first { $0.hasSuffix(".png") })
        let answer = try #require(stage.get("/assets/pictures/\(picture)"))
        #expect(answer.status == 200)
        #expect(answer.body.starts(with: [0x89] + Array("PNG".utf8)), "made anew from its pixels")
    }

    /// Saved faster than plans are made: each plan is of one state of the site, and the last one of the last.
    @Test(arguments: Way.allCases) func ofManySavesTheLastWins(_ way: Way) throws {
        let stage = try stage(way)
        let shop = try Connection(own: stage.site + "/content/shop.db")
        let path = stage.path(ofProduct: "Rain Gin 1")
        for i in 1...40 {
            try stage.folder.write("site/content/pages/about.md", "---\ntitle: About\n---\n\nWords \(i).\n")
            try shop.execute("UPDATE products SET price_minor = \(100_000 + i * 100) WHERE id = 1")
            if i.isMultiple(of: 10) { #expect(stage.get("/about.html")?.status == 200) }
        }
        #expect(
            stage.get("/about.html") { $0.text.contains("Words 40.") }?.text.contains("Words 40.") == true)
        #expect(stage.get(path) { $0.text.contains("1,040") }?.text.contains("1,040") == true)
        // Nothing older comes after it.
        for _ in 0..<20 {
            #expect(stage.get("/about.html")?.text.contains("Words 40.") == true)
            #expect(stage.get(path)?.text.contains("1,040") == true)
        }
    }

    @Test func aFaultIsToldWithItsPlaceAndTheLastGoodPageStays() throws {
        let stage = try stage(.told)
        let good = try #require(stage.get("/"))
        let events = try #require(Stream(stage))
        #expect(events.next()?.name == "page")
        let home = Project.text(of: "templates/home.mustache")
        let wrong = home.replacing(#"<div class="hello">"#, with: #"<div class="hello">{{shelff}}"#)
        try stage.folder.write("site/templates/home.mustache", wrong)
        let faults = try #require(events.next(named: "faults"))
        #expect(faults.contains(#""place":"templates/home.mustache:3:22""#), "\(faults)")
        #expect(faults.contains("'shelff' is not a field of the home page"), "\(faults)")
        #expect(faults.contains(#"hello\"\u003e{{shelff}}","line":"3","column":22,"length":6"#))
        #expect(faults.contains(#""id":"unknown-field""#) && !faults.contains(stage.folder.path))
        #expect(stage.get("/")?.body == good.body)
        // Who comes now hears of it too.
        #expect(Stream(stage)?.next()?.name == "faults")
        try stage.folder.write("site/templates/home.mustache", home)
        #expect(events.next()?.name == "page")
        #expect(stage.get("/")?.body == good.body)
    }

    @Test func aBrokenDatabaseIsAFaultAndAMendedOneIsServed() throws {
        let stage = try stage(.told)
        let path = stage.site + "/content/shop.db"
        let good = Project.file(path)
        try stage.folder.write("site/content/broken.db", Array(good.prefix(5000).map { $0 ^ 0x55 }))
        let events = try #require(Stream(stage))
        #expect(events.next()?.name == "page")
        rename(stage.site + "/content/broken.db", path)
        #expect(events.next(named: "faults")?.contains("bad-database") == true)
        #expect(stage.get("/about.html")?.status == 200)
        try stage.folder.write("site/content/mended.db", good)
        rename(stage.site + "/content/mended.db", path)
        #expect(events.next(named: "page") != nil)
        #expect(stage.get(stage.path(ofProduct: "Rain Gin 1"))?.status == 200)
    }

    /// A style sheet has another name when it has changed; all else of the page is as it was.
    @Test func aStyleSheetAloneLeavesThePageWhatItIs() throws {
        let stage = try stage(.told)
        func ask() throws -> (page: String, styles: String) {
            let answer = try #require(stage.get("/", method: "HEAD", ["X-Preview: page"]))
            return (try #require(answer["x-preview-page"]), try #require(answer["x-preview-styles"]))
        }
        let before = try ask()
        let home = try #require(stage.get("/", navigation))
        #expect(home.text.contains("/__reload.js?page=\(before.page)\""))
        let style = Project.text(of: "templates/style.css")
        try stage.folder.write("site/templates/style.css", style + "\nbody { outline: 1px solid }\n")
        let end = monotonicSeconds() + 60
        while try ask().styles == before.styles, monotonicSeconds() < end { usleep(5000) }
        #expect(try ask().styles != before.styles && ask().page == before.page)
        let after = try #require(stage.get("/"))
        let name = try #require(ask().styles.split(separator: " ").first { $0.contains("/style-") })
        #expect(after.text != home.text && after.text.contains(name))
        try stage.folder.write("site/content/site.yaml", Stage.settings + "footer: Other.\n")
        #expect(stage.get("/") { $0.text.contains("Other.") } != nil)
        #expect(try ask().page != before.page)
    }

    /// The same folder as the output of a build: what a build writes there is no change of the site.
    @Test func nothingIsToldOfWhatIsNoPartOfTheSite() throws {
        let stage = try stage(.told)
        let events = try #require(Stream(stage))
        #expect(events.next()?.name == "page")
        try stage.folder.write("site/public/index.html", "x")
        try stage.folder.write("site/content/shop.db-shm2", "x")
        try stage.folder.write("site/content/notes.txt", "x")
        try stage.folder.write("site/content/pages/.about.md.swp", "x")
        try stage.folder.write("site/content/pages/about.md~", "x")
        try stage.folder.write("site/content/pages/about.md", "---\ntitle: About\n---\n\nSecond words.\n")
        // One event for the page that is part of it, and perhaps one for what may have been saved before all was watched.
        var count = 0
        repeat {
            #expect(events.next()?.name == "page")
            count += 1
        } while count < 3 && stage.get("/about.html")?.text.contains("Second words.") != true
        #expect(count < 3)
    }

    @Test func withoutReloadingNothingIsWatched() throws {
        let stage = try Stage(options: { $0.reloads = false })
        #expect(stage.get("/", navigation)?.text.contains("__reload") == false)
        #expect(stage.get("/__events")?.status == 404)
    }

    /// Streams end with the preview, and quickly.
    @Test func streamsEndWithThePreview() throws {
        var stage: Stage? = try stage(.told)
        let streams = (0..<20).compactMap { _ in stage.flatMap { Stream($0) } }
        #expect(streams.count == 20)
        stage = nil
        for stream in streams { while stream.next() != nil {} }
    }
}
