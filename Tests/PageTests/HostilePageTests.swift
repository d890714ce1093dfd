import Basics
import Formats
import Testing

@Suite struct HostilePageTests {
    static let pages = HostileSite.files.filter { $0.key.hasSuffix(".html") }

    /// Parts of a page between two marks, in order: by scalars, since an accent after a mark makes one character of both.
    static func parts(of page: String, from start: String, to end: String) -> [String] {
        var out: [String] = []
        var rest = page.unicodeScalars[...]
        while let from = rest.firstRange(of: start.unicodeScalars) {
            rest = rest[from.upperBound...]
            guard let to = rest.firstRange(of: end.unicodeScalars) else { return out + ["never ends"] }
            out.append(String(rest[..<to.lowerBound]))
            rest = rest[to.upperBound...]
        }
        return out
    }

    static func count(_ text: String, in page: String) -> Int { page.ranges(of: text).count }

    @Test func everyKindOfPageIsThere() {
        #expect(Self.pages.count > 150)
        for prefix in ["products/", "reviews/", "categories/", "lists/", "producer/", "style/", "page-"] {
            #expect(Self.pages.keys.contains { $0.hasPrefix(prefix) }, "\(prefix)")
        }
        #expect(
            Self.pages.count { $0.key.hasPrefix("products/") && $0.value.contains("body class=\"product\"") }
                == HostileSite.payloads.count)
    }

    @Test func noPayloadIsMarkup() {
        let pages = HostileSite.files.filter { path, _ in
            !path.hasPrefix("assets/") && !path.hasSuffix(".bin") && path != "sw.js"
        }
        for (path, page) in pages {
            for raw in ["<x7q", " href=\"javascript:", " src=\"javascript:", "<svg onx7q", "<!--"] {
                #expect(!page.contains(raw), "\(raw) in \(path)")
            }
            // Neither texts nor values hold a bare bracket, so that these are the tags; every second part is in quotes.
            for tag in Self.parts(of: page, from: "<", to: ">") {
                let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
                #expect(parts.count % 2 == 1, "\(tag) in \(path)")
                for i in stride(from: 0, to: parts.count, by: 2) {
                    #expect(!parts[i].contains("x7q") && !parts[i].contains("'"), "\(tag) in \(path)")
                }
            }
        }
    }

    @Test func everyPageHasThePolicy() {
        for (path, page) in Self.pages {
            let policies = Self.parts(
                of: page, from: "<meta http-equiv=\"Content-Security-Policy\" content=\"", to: "\"")
            #expect(policies.count == 1, "\(path)")
            for part in [
                "default-src 'none'", "script-src 'self'", "base-uri 'none'",
                "require-trusted-types-for 'script'",
            ] {
                #expect(policies.first?.contains(part) == true, "\(part) in \(path)")
            }
            #expect(policies.first?.contains("unsafe") == false)
            // Before anything that could load.
            #expect(
                page.firstRange(of: "Content-Security-Policy")!.lowerBound
                    < page.firstRange(of: "<link")!.lowerBound, "\(path)")
        }
    }

    @Test func partsOfPagesLieSideBySide() {
        for (path, page) in Self.pages {
            let order = [
                "<head>", "</head>", "<body class=", "<header class=\"top\">", "</header><main id=\"main\"",
                "</main><footer class=\"foot\">", "</footer><p class=\"toast\"", "</body>", "</html>",
            ]
            let places = order.map { page.firstRange(of: $0)?.lowerBound }
            #expect(!places.contains(nil), "\(path)")
            #expect(places.compactMap { $0 } == places.compactMap { $0 }.sorted(), "\(path)")
            for tag in [
                "<main", "</main>", "<body", "</body>", "<title>", "</title>", "<h1", "</h1>",
                "class=\"foot\"",
            ] {
                #expect(Self.count(tag, in: page) == 1, "\(tag) in \(path)")
            }
            let scripts = Self.count("<script type=\"module\" src=", in: page)
            #expect((1...8).contains(scripts), "\(path)")
            #expect(
                Self.count("<script", in: page) == scripts
                    + Self.count("<script type=\"application/ld+json\">", in: page), "\(path)")
            #expect(Self.count("<script", in: page) == Self.count("</script>", in: page), "\(path)")
        }
    }

    @Test func idsAreOfTheClosedSet() {
        let fixed: Set<String> = [
            "main", "say", "hint", "overview", "facts", "note", "tasting", "reviews", "results", "results-h",
            "v-grid", "v-list", "wish", "basket", "collection", "q", "q2", "start-h", "count", "add", "add-h",
            "trouble",
        ]
        for (path, page) in Self.pages {
            for id in Self.parts(of: page, from: " id=\"", to: "\"") {
                let isPrefixed = ["h-", "letter-", "note-", "picture-"].contains { id.hasPrefix($0) }
                #expect(fixed.contains(id) || isPrefixed && !id.contains("x7q"), "\(id) in \(path)")
            }
        }
    }

    @Test func structuredDataIsTheData() throws {
        var found = 0
        for (path, page) in Self.pages {
            for text in Self.parts(of: page, from: "<script type=\"application/ld+json\">", to: "</script>") {
                #expect(!text.contains { "<>&\u{2028}\u{2029}".contains($0) }, "\(path)")
                let root = try JSON.read(SourceText(file: path, text: text))
                guard case .array(let items)? = root["@graph"]?.content else { continue }
                for item in items where item["@type"]?.text == "Product" {
                    found += 1
                    let name = item["name"]?.text ?? ""
                    let n = Int(name.split(separator: " ").last?.filter { $0.isNumber } ?? "") ?? 0
                    #expect(
                        name.filter { !$0.isWhitespace } == HostileSite.name(n).filter { !$0.isWhitespace },
                        "\(path)")
                    #expect(
                        item["offers"]?["price"]?.text == "\(1 + n / 100).\(n < 10 ? "0" : "")\(n)", "\(path)"
                    )
                }
            }
        }
        #expect(found == HostileSite.payloads.count)
    }

    /// Well-formed as far as these files go: tags that match, attributes in double quotes, the five entities (XML 1.0, 2.1).
    @Test func feedsAreWellFormed() {
        let feeds = HostileSite.files.filter { $0.key.hasSuffix(".xml") }
        #expect(feeds.keys.contains("feed.xml") && feeds.keys.contains("sitemap.xml") && feeds.count > 10)
        for (path, feed) in feeds {
            #expect(
                !feed.unicodeScalars.contains {
                    $0.value < 0x20 && $0 != "\n" || $0.value == 0xFFFE || $0.value == 0xFFFF
                }, "\(path)")
            for reference in Self.parts(of: feed, from: "&", to: ";") {
                #expect(
                    ["amp", "lt", "gt", "quot", "apos"].contains(reference) || reference.hasPrefix("#"),
                    "&\(reference); in \(path)")
            }
            var open: [Substring] = []
            for tag in Self.parts(of: feed, from: "<", to: ">") where !tag.hasPrefix("?") {
                let name = tag.drop { $0 == "/" }.prefix { $0 != " " && $0 != "/" }
                if tag.hasPrefix("/") {
                    #expect(open.popLast() == name, "\(path)")
                } else if !tag.hasSuffix("/") {
                    open.append(name)
                }
            }
            #expect(open.isEmpty, "\(path)")
        }
    }

    @Test func privateListsAreNowhereElse() {
        for (path, text) in HostileSite.files {
            #expect(!path.contains(HostileSite.canary))
            if path.hasPrefix("lists/") {
                if path != "lists/index.html" {
                    #expect(
                        text.contains("content=\"noindex, nofollow, noarchive\"")
                            && text.contains("content=\"no-referrer\""))
                }
                let title = Self.parts(of: text, from: "<title>", to: "</title>").first
                #expect(title?.contains(HostileSite.canary) == false)
            } else {
                #expect(!text.contains(HostileSite.canary), "\(path)")
                #expect(!text.contains("lists/"), "\(path)")
            }
        }
        #expect(Self.pages.contains { $0.key.hasPrefix("lists/") && $0.value.contains(HostileSite.canary) })
    }

    /// A private-use character stands for the way to the top while tiles are made; in a name it is a character.
    @Test func marksOfTheGeneratorInDataAreData() {
        let marked = HostileSite.payloads.indices.filter {
            HostileSite.payloads[$0].unicodeScalars.first == "\u{F8FE}"
        }
        #expect(marked.count == 2)
        let page = Self.pages["products/index.html"]!
        #expect(page.contains(">x7q q\(marked[0])q</a>") && page.contains(">\u{301}x7q q\(marked[1])q</a>"))
        for (path, page) in Self.pages { #expect(!page.contains(">../"), "\(path)") }
    }
}
