import Basics
import Glibc
import TestSupport
import Testing

@testable import Site

/// S54 to S57: private pages stay private.
@Suite struct ListTests {
    private func lists(_ site: TestSite, _ customers: String) {
        site.write("site/content/lists.json", #"{"version": 1, "customers": [\#(customers)]}"#)
    }

    private func folders(_ site: TestSite) -> Set<String> {
        Set(
            site.tree().keys.filter { $0.hasPrefix("lists/") && $0.split(separator: "/").count == 3 }.map {
                $0.split(separator: "/")[1]
            }.map(String.init))
    }

    // MARK: S54

    @Test func s54KeyIsMadeOnceAndPrivate() throws {
        let site = try TestSite()
        let report = try site.build()
        #expect(report.warnings.map(\.id) == ["new-list-key"])
        #expect(report.warningCount == 1)
        let path = site.root + "/site/.build-site/list-key"
        let key = readFile(path)
        #expect(key?.count == 32)
        let status = try Directory(path: site.root + "/site/.build-site").status("list-key")
        #expect(status?.mode == 0o600)
        try site.sql("UPDATE products SET name = 'x' WHERE id = 1")
        #expect(try site.build().warnings.isEmpty)
        #expect(readFile(path) == key)

        let before = site.tree()
        try site.sql("UPDATE products SET name = 'y' WHERE id = 1")
        chmod(path, 0o644)
        #expect(site.failure().contains("chmod 600"))
        chmod(path, 0o600)
        writeFile(path, [1, 2, 3])
        #expect(site.failure().contains("a file of 32 bytes"))
        #expect(site.tree() == before)
        // Losing it is told, and gives new addresses.
        let old = folders(site)
        unlink(path)
        #expect(try site.build().warnings.map(\.id) == ["new-list-key"])
        #expect(folders(site).count == 1 && folders(site).isDisjoint(with: old))
    }

    @Test func s54AddressesAreLongAndStableAndChangeWithTheGeneration() throws {
        let site = try TestSite()
        lists(site, #"{"id": "ann"}, {"id": "bob"}"#)
        try site.build()
        let first = folders(site)
        #expect(first.count == 2)
        // 32 characters of 5 bits.
        #expect(
            first.allSatisfy {
                $0.utf8.count == 32
                    && $0.utf8.allSatisfy { ($0 >= 97 && $0 <= 122) || ($0 >= 50 && $0 <= 55) }
            })
        lists(site, #"{"id": "ann", "name": "Anne"}, {"id": "carl"}, {"id": "bob"}"#)
        try site.build()
        #expect(folders(site).isSuperset(of: first) && folders(site).count == 3)
        lists(site, #"{"id": "ann", "generation": 1}, {"id": "bob"}"#)
        try site.build()
        #expect(folders(site).intersection(first).count == 1 && folders(site).count == 2)
        #expect(
            site.tree()
                == (try { () throws in
                    // The key is the site's own, so a build elsewhere has the same addresses.
                    try site.cleanTree()
                }()))
    }

    /// A list that is given has a page, an empty one too; the overview shows all three, and its headings lead to those pages only.
    @Test func customersHavePagesOfTheListsThatAreGiven() throws {
        let site = try TestSite()
        let kinds = ["wish", "basket", "collection"]
        let cases: [(String, Set<String>)] = [
            (#""wish": [{"product": "1"}], "collection": []"#, ["wish", "collection"]),
            (#""wish": [{"product": "1"}], "basket": [], "collection": null"#, ["wish", "basket"]),
            ("", []), (#""basket": [{"product": "2"}]"#, ["basket"]),
            // The same but for the list that they are on.
            (#""wish": [{"product": "2"}]"#, ["wish"]),
            (#""wish": [{"product": "2"}], "basket": []"#, ["wish", "basket"]),
        ]
        for (text, given) in cases {
            lists(site, #"{"id": "ann", "lists": {\#(text)}}"#)
            try site.build()
            let tree = site.tree()
            #expect(difference(tree, try site.cleanTree()) == "")
            let token = try #require(folders(site).first)
            for kind in kinds {
                #expect(
                    (tree["lists/\(token)/\(kind).html"] != nil) == given.contains(kind), "\(text): \(kind)")
            }
            let overview = String(
                decoding: try #require(tree["lists/\(token)/index.html"]), as: UTF8.self)
            for kind in kinds {
                #expect(overview.contains(#"<h2 id="h-\#(kind)">"#))
                #expect(overview.contains("/\(kind).html") == given.contains(kind), "\(text): \(kind)")
            }
        }
    }

    // MARK: S55, S56

    @Test func s55CanariesAreOnTheirOwnPagesOnly() throws {
        let site = try TestSite()
        lists(
            site,
            #"""
            {"id": "canary-id", "name": "Canaryname", "lists": {"wish": [{"product": "1", "note": "canarynote"}],
            "basket": [{"product": "gone-product", "quantity": 77}]}}
            """#)
        let result = run(
            program("build-site"), ["--site", site.root + "/site", "--json", site.root + "/report.json"],
            ["HOME": site.root + "/nobody"])
        #expect(result.status == 0, "\(result.text)")
        let token = try #require(folders(site).first)
        let report = site.read("report.json") ?? ""
        #expect(report.contains("unknown-product"))
        for canary in ["canary-id", "Canaryname", "canarynote", token] {
            #expect(!result.text.contains(canary) && !report.contains(canary), "\(canary)")
            for (path, bytes) in site.tree() where !path.hasPrefix("lists/\(token)/") {
                #expect(!String(decoding: bytes, as: UTF8.self).contains(canary), "\(canary) in \(path)")
            }
        }
        for path in site.tree().keys { #expect(!path.contains("canary")) }
        // The id is on no page at all.
        for bytes in site.tree().values {
            #expect(!String(decoding: bytes, as: UTF8.self).contains("canary-id"))
        }
        #expect(
            site.tree()["lists/\(token)/wish.html"].map {
                String(decoding: $0, as: UTF8.self).contains("canarynote")
            } == true)
    }

    @Test func s56PrivatePagesAreToldApart() throws {
        let site = try TestSite()
        try site.build()
        let tree = site.tree()
        #expect(tree["lists/index.html"] != nil)
        let token = try #require(folders(site).first)
        for name in ["index", "wish"] {
            let page = String(decoding: try #require(tree["lists/\(token)/\(name).html"]), as: UTF8.self)
            #expect(page.contains("noindex, nofollow, noarchive") && page.contains("no-referrer"))
            for attribute in ["href=\"http", "src=\"http", "href=\"//", "src=\"//", "rel=\"canonical\""] {
                #expect(!page.contains(attribute), "\(attribute)")
            }
        }
        let headers = String(decoding: try #require(tree["_headers"]), as: UTF8.self)
        #expect(
            headers.contains("/lists/*") && headers.contains("private, no-store")
                && headers.contains("noarchive"))
        #expect(!String(decoding: tree["robots.txt"] ?? [], as: UTF8.self).contains("lists"))
    }

    // MARK: S57

    /// The way to an item counts what the file has, also what is not shown.
    @Test func saysWhereAnUnknownProductIs() throws {
        let site = try TestSite()
        site.write(
            "site/content/lists.json",
            """
            {"version": 1, "customers": [
              {"id": "ann", "lists": {"wish": [{"product": "1"}]}},
              {"id": "bob", "lists": {"basket": [{"product": "1"}, {"product": "1"},
                {"product": "gone"}]}}
            ]}
            """)
        let report = try site.build()
        let warning = try #require(report.warnings.first { $0.id == "unknown-product" })
        #expect(
            "\(warning)".contains(
                "content/lists.json:4:17: customers[1].lists.basket[2].product: warning: no product 'gone'"),
            "\(warning)")
    }

    @Test(arguments: [
        (#"{"version": 1, "customers": [}"#, "content/lists.json:1:30"),
        (
            #"{"version": 1, "customers": [{"id": "ann"}, {"id": "ann"}]}"#,
            "content/lists.json:1:52: customers[1].id"
        ),
        (#"{"version": 1, "customers": [{"name": "Ann"}]}"#, "content/lists.json:1:30: customers[0]"),
        (#"{"version": 2, "customers": []}"#, "content/lists.json:1:13: version"),
        (
            #"{"version": 1, "customers": [{"id": "ann", "lists": {"wish": [{"product": true}]}}]}"#,
            "content/lists.json:1:75: customers[0].lists.wish[0].product"
        ),
    ])
    func s57BrokenListsLeaveTheLastGoodPages(_ text: String, _ place: String) throws {
        let site = try TestSite()
        try site.build()
        let before = site.tree()
        site.write("site/content/lists.json", text)
        try site.sql("UPDATE products SET name = 'new'")
        let result = site.buildAt()
        #expect(result.status == 1)
        #expect(result.text.contains(place), "\(result.text)")
        #expect(site.tree() == before)
    }

    /// The pages of a customer who is gone go before anything else becomes visible.
    @Test(arguments: [1000, 0])
    func s57RemovedCustomersGoFirst(swapsAbove: Int) throws {
        let site = try TestSite()
        lists(
            site,
            #"{"id": "ann", "lists": {"wish": [], "basket": [], "collection": []}}, {"id": "bob"}"#)
        try site.build()
        lists(site, #"{"id": "bob"}"#)
        try site.sql("UPDATE products SET name = name || '!'; DELETE FROM products WHERE id = 3")
        let log = site.root + "/log"
        let result = site.buildAt(swapsAbove: swapsAbove, ["FAULT_LOG": log, "FAULT_ROOT": site.output])
        #expect(result.status == 0)
        #expect(folders(site).count == 1)
        #expect(difference(site.tree(), try site.cleanTree()) == "")
        if swapsAbove > 0 {
            let lines = String(decoding: readFile(log) ?? [], as: UTF8.self).split(separator: "\n")
            let gone = lines.indices.filter {
                lines[$0].hasPrefix("unlink \(site.output)/lists/") && lines[$0].hasSuffix(".html")
            }
            #expect(gone.count == 4)
            let shown = try #require(lines.firstIndex { $0.hasPrefix("rename \(site.output)/") })
            #expect(gone.allSatisfy { $0 < shown })
        }
        // The last one goes too.
        unlink(site.root + "/site/content/lists.json")
        try site.build()
        #expect(!site.tree().keys.contains { $0.hasPrefix("lists/") })
        #expect(difference(site.tree(), try site.cleanTree()) == "")
    }
}
