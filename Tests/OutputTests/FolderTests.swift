import Basics
import Database
import Glibc
import TestSupport
import Testing

@testable import Site

@Suite struct FolderTests {
    // MARK: S35

    @Test func s35PlantedLinksLeadNowhere() throws {
        let site = try TestSite()
        try site.build()
        site.makeFolder("outside")
        site.write("outside/victim.html", "victim")
        // A folder, and a file, of ours become links that lead outside.
        run("/bin/sh", ["-c", "cd \(site.output) && rm -r products && ln -s ../../outside products"])
        try site.sql("UPDATE products SET name = 'Renamed ' || id")
        #expect(site.failure().contains("symbolic link"))
        #expect(files(below: site.root + "/outside") == ["victim.html": Array("victim".utf8)])
        unlink(site.output + "/products")
        run(
            "/bin/sh",
            ["-c", "cd \(site.output) && rm index.html && ln -s ../../outside/victim.html index.html"])
        for swapsAbove in [1000, 0] {
            try site.sql("UPDATE products SET name = name || '!'")
            try site.build(swapsAbove: swapsAbove)
            #expect(files(below: site.root + "/outside") == ["victim.html": Array("victim".utf8)])
            #expect(site.tree() == (try site.cleanTree()))
        }
    }

    /// Somebody swaps a folder of ours for a link and back, 1,000 times, while builds run.
    @Test func s35LinkSwapRaceNeverLeadsOutside() async throws {
        let site = try TestSite(products: 6)
        try site.build()
        site.makeFolder("outside")
        // Whatever a product's page is called, it would find its shard outside.
        for shard in 0..<256 {
            let name = (shard < 16 ? "0" : "") + String(shard, radix: 16)
            site.makeFolder("outside/\(name)")
        }
        site.write("outside/index.html", "victim")
        let before = run("/usr/bin/find", [site.root + "/outside", "-printf", "%p %y %s %m %T@\n"]).text
        let output = site.output
        let outside = site.root + "/outside"
        let racer = Task.detached {
            for _ in 0..<1000 {
                if rename(output + "/products", output + "/products.real") == 0 {
                    symlink(outside, output + "/products")
                    usleep(300)
                    unlink(output + "/products")
                    rename(output + "/products.real", output + "/products")
                }
                usleep(300)
            }
        }
        for round in 0..<12 {
            try site.sql("UPDATE products SET name = 'Malt \(round) ' || id")
            _ = site.failure(swapsAbove: round % 2 == 0 ? 0 : 1000)
        }
        await racer.value
        #expect(
            run("/usr/bin/find", [site.root + "/outside", "-printf", "%p %y %s %m %T@\n"]).text == before)
        unlink(output + "/products")
        run("/bin/rm", ["-rf", output + "/products.real"])
        try site.build()
        #expect(difference(site.tree(), try site.cleanTree()) == "")
    }

    /// As where the shop's own database lies elsewhere: it is the file that changes, not the link, and SQLite's journals lie beside
    /// the file.
    @Test(arguments: ["DELETE", "WAL"])
    func aDatabaseBehindALinkIsLookedAt(_ journal: String) throws {
        let site = try TestSite()
        site.makeFolder("elsewhere")
        #expect(
            run("/bin/mv", [site.root + "/site/content/shop.db", site.root + "/elsewhere/live.db"]).status
                == 0)
        #expect(symlink("../../elsewhere/live.db", site.root + "/site/content/shop.db") == 0)
        let shop = try Connection(own: site.root + "/elsewhere/live.db")
        try shop.execute("PRAGMA journal_mode = \(journal)")
        usleep(150_000)
        try site.build()
        #expect(try site.build().counts.written == 0)
        try shop.execute("UPDATE products SET name = 'Malt renamed' WHERE id = 3")
        #expect(try site.build().counts.written > 0)
        #expect(difference(site.tree(), try site.cleanTree()) == "")
        // Into the folder of the file nothing is built.
        site.output = site.root + "/elsewhere"
        #expect(site.failure() != "")
    }

    @Test func s35FilesHaveMode0644() throws {
        let site = try TestSite()
        try site.build()
        #expect(run("/usr/bin/find", [site.output, "-type", "f", "!", "-perm", "0644"]).text == "")
        #expect(run("/usr/bin/find", [site.output, "-type", "d", "!", "-perm", "0755"]).text == "")
    }

    // MARK: S36

    static let foreign = [
        ".git/HEAD", ".git/refs/heads/main", "CNAME", ".well-known/x", "notes.txt", "products/foreign.txt",
    ]

    private func plant(_ site: TestSite) {
        for path in Self.foreign {
            site.makeFolder("site/public/" + OutputFolder.split(path).folder)
            site.write("site/public/" + path, "canary of \(path)")
        }
        symlink("notes.txt", site.output + "/link")
    }

    private func areThere(_ site: TestSite) -> Bool {
        Self.foreign.allSatisfy { site.read("site/public/" + $0) == "canary of \($0)" }
            && run("/usr/bin/readlink", [site.output + "/link"]).text == "notes.txt\n"
    }

    @Test func s36ForeignFilesSurviveEverything() throws {
        let site = try TestSite()
        let others = Set(Self.foreign + ["link"])
        try site.build()
        plant(site)
        try site.sql("UPDATE products SET name = 'One' WHERE id = 1")
        try site.build()
        #expect(areThere(site))
        try site.sql("UPDATE products SET name = name || ' again'")
        try site.build(swapsAbove: 0)
        #expect(areThere(site))
        #expect(difference(site.tree(without: others), try site.cleanTree()) == "")
        site.write("site/content/site.yaml", "title: Renamed\n")
        try site.build(swapsAbove: 0)
        #expect(areThere(site))
        try site.sql("DELETE FROM products WHERE id > 1; DELETE FROM categories")
        try site.build(swapsAbove: 0)
        #expect(areThere(site))
        try site.sql("DELETE FROM products")
        try site.build()
        #expect(areThere(site))
        #expect(difference(site.tree(without: others), try site.cleanTree()) == "")
        // Everything of ours deleted by hand: made again, beside what is not ours.
        run("/usr/bin/find", [site.output, "-name", "*.html", "-delete"])
        try site.build()
        #expect(areThere(site))
        #expect(difference(site.tree(without: others), try site.cleanTree()) == "")
    }

    @Test func s36ForeignFileInTheWayIsNotOverwritten() throws {
        let site = try TestSite()
        try site.build()
        site.write("site/content/pages/about.md", "---\ntitle: About\n---\nWe.\n")
        site.write("site/public/about.html", "mine")
        for swapsAbove in [1000, 0] {
            #expect(site.failure(swapsAbove: swapsAbove).contains("public/about.html: error: is not ours"))
            #expect(site.read("site/public/about.html") == "mine")
        }
        site.remove("site/public/about.html")
        try site.build()
        #expect(site.tree() == (try site.cleanTree()))
    }

    @Test(arguments: [1000, 0])
    func s36ChangedByHandIsKeptWhenItLeaves(swapsAbove: Int) throws {
        let site = try TestSite()
        try site.build()
        let page = try #require(site.tree().keys.first { $0.hasPrefix("products/") && $0.contains("malt-5") })
        site.write("site/public/" + page, "by hand")
        try site.sql(
            "DELETE FROM products WHERE id = 5; DELETE FROM product_categories WHERE product_id = 5; UPDATE products SET name = name || '!'"
        )
        let report = try site.build(swapsAbove: swapsAbove)
        #expect(report.warnings.map(\.id).contains("changed-by-hand"))
        #expect(site.read("site/public/" + page) == "by hand")
        #expect(site.tree(without: [page]) == (try site.cleanTree()))
        // It is not ours any more, so the next build says nothing of it.
        try site.sql("UPDATE products SET name = name || '!'")
        #expect(try site.build().warnings == [])
        #expect(site.read("site/public/" + page) == "by hand")
    }

    @Test func s36MissingFilesAreMadeAgain() throws {
        let site = try TestSite()
        try site.build()
        let clean = site.tree()
        // The build looks at nothing else when the database has not changed for a while.
        usleep(150_000)
        try site.build()
        for path in [
            "index.html", clean.keys.first { $0.hasPrefix("products/") && $0.contains("malt-5") }!,
            "lists/index.html",
        ] {
            unlink(site.output + "/" + path)
            let report = try site.build()
            #expect(report.counts.written == 1)
            #expect(difference(site.tree(), clean) == "")
        }
        run("/bin/rm", ["-r", site.output + "/products"])
        try site.build()
        #expect(difference(site.tree(), clean) == "")
        // Replaced by an editor, which writes beside and renames.
        site.write("site/public/new", "by hand")
        rename(site.output + "/new", site.output + "/404.html")
        #expect(try site.build().warnings.map(\.id) == ["changed-by-hand"])
        #expect(difference(site.tree(), clean) == "")
        #expect(try site.build().counts.written == 0)
    }

    @Test func s36RefusesPlacesThatAreNotForOutput() throws {
        let site = try TestSite()
        site.makeFolder("site/content/pictures")
        site.makeFolder("site/templates")
        site.makeFolder("full")
        site.write("full/x", "x")
        site.write("file", "x")
        site.makeFolder("empty")
        symlink("empty", site.root + "/link")
        site.makeFolder("way/in")
        symlink("../../site", site.root + "/way/in/site")
        let before = files(below: site.root)
        let cases = [
            ("/", "root of the file system"), (site.root, "is, or contains"),
            (site.root + "/site", "is, or contains"),
            (site.root + "/site/content", "is, or contains"),
            (site.root + "/site/templates", "is, or contains"),
            (site.root + "/site/content/public", "is inside"), (site.root + "/site/templates/x", "is inside"),
            (site.root + "/way/in/site/content", "is, or contains"),
            (site.root + "/site/../site", "is, or contains"),
            (site.root + "/full", "has files and no manifest"), (site.root + "/file", "is a file"),
            (site.root + "/link", "is a symbolic link"),
            (site.root + "/site/.build-site/x", "holds what builds note"),
        ]
        for (output, message) in cases {
            site.output = output
            #expect(site.failure().contains(message), "\(output)")
        }
        let after = files(below: site.root).filter { !$0.key.contains(".build-site/") }
        #expect(difference(after, before) == "")
        // The home folder and what is above a repository; the database may lie anywhere.
        site.output = site.root + "/home"
        site.makeFolder("home")
        let home = run(
            program("build-site"), ["--site", site.root + "/site", "--output", site.output],
            ["HOME": site.output])
        #expect(home.status == 1 && home.text.contains("is, or contains"))
        site.makeFolder(".git")
        site.output = site.root + "/.git/hooks"
        #expect(site.failure().contains("is inside"))
    }

    // MARK: S37, S38

    @Test(arguments: [
        ("UPDATE files SET path = '../../victim' WHERE path = 'index.html'", "names the path '../../victim'"),
        ("UPDATE files SET path = '/etc/passwd' WHERE path = 'index.html'", "names the path '/etc/passwd'"),
        (
            "UPDATE files SET path = printf('%.*c', 100000, 'a') WHERE path = 'index.html'",
            "names the path 'aaa"
        ),
        ("UPDATE files SET path = '404.html' WHERE path = 'index.html'", ""),
        ("UPDATE files SET size = -1", "below zero"),
        ("UPDATE files SET content = 'x', size = 1e300", ""),
        ("PRAGMA user_version = 99", "no manifest of this version"),
        ("PRAGMA application_id = 1", "no manifest of this version"),
        ("CREATE TABLE more(a)", "no manifest of this version"),
        (
            "CREATE TRIGGER t AFTER INSERT ON files BEGIN DELETE FROM files; END",
            "no manifest of this version"
        ),
        ("DROP TABLE files; CREATE VIEW files AS SELECT 1 hash", "no manifest of this version"),
        ("INSERT INTO pending VALUES (0, 'remove', '../../victim', 0, 0)", "names the path '../../victim'"),
        ("INSERT INTO pending VALUES (0, 'place', '../../victim', 0, 0)", "names the path '../../victim'"),
        (
            "INSERT INTO pending VALUES (0, 'move', '../victim', 0, 0); INSERT INTO meta VALUES ('swap', '1')",
            "names the folder"
        ),
        ("INSERT INTO pending VALUES (0, 'remove', 'notes.txt', 0, 7)", ""),
        ("INSERT INTO pending VALUES (0, 'erase', 'index.html', 0, 7)", "unknown step"),
        ("INSERT INTO meta VALUES ('swap', 'x')", ""),
        ("INSERT INTO meta VALUES ('tree', '1')", ""),
        ("UPDATE folders SET path = '../..' WHERE path = ''", "names the path '../..'"),
        ("UPDATE meta SET value = '../other' WHERE key = 'site'", "holds another site"),
        ("DELETE FROM files", ""),
    ])
    func s37ManifestIsHostileInput(_ sql: String, _ message: String) throws {
        let site = try TestSite()
        try site.build()
        site.write("victim", "victim")
        site.write("site/public/notes.txt", "notes!!")
        let before = site.tree()
        try Connection(own: site.root + "/site/.build-site/public/manifest.db").execute(sql)
        try site.sql("DELETE FROM products WHERE id = 3; UPDATE products SET name = 'New' WHERE id = 4")
        // Whatever page it names, one that leaves makes the build read the row.
        site.write("site/content/site.yaml", "title: Shop\n")
        let said = site.failure()
        #expect(message.isEmpty || said.contains(message), "\(said)")
        #expect(site.read("victim") == "victim")
        #expect(site.read("site/public/notes.txt") == "notes!!")
        if !said.isEmpty { #expect(difference(site.tree(), before) == "") }
    }

    @Test(arguments: [0, 1, 100, 5000, 20_000])
    func s37CutManifestIsRefused(length: Int) throws {
        let site = try TestSite()
        try site.build()
        let before = site.tree()
        let path = site.root + "/site/.build-site/public/manifest.db"
        #expect(truncate(path, length) == 0)
        #expect(site.failure().contains(length <= 1 ? "has files and no manifest" : "start anew"))
        #expect(site.tree() == before)
    }

    @Test func s38AnotherSiteIsNoticed() throws {
        let site = try TestSite()
        let other = try TestSite()
        try site.build()
        let before = site.tree()
        other.output = site.output
        #expect(other.failure().contains("holds another site (.., seen from there)"))
        #expect(site.tree() == before)
        // A site that is moved as a whole is still the same one.
        rename(site.root + "/site", site.root + "/moved")
        site.output = site.root + "/moved/public"
        rename(site.root + "/moved", site.root + "/site")
        site.output = site.root + "/site/public"
        try site.build()
    }

    // MARK: S42, S43

    @Test func s42SecondBuildSaysWhoIsFirst() throws {
        let site = try TestSite()
        try site.build()
        let state = try Directory(path: site.root + "/site/.build-site/public")
        let lock = try FileLock(in: state, name: "lock")
        #expect(lock != nil)
        #expect(site.failure().contains("another build is writing to this folder (process \(getpid()))"))
        withExtendedLifetime(lock) {}
    }

    @Test func s42TwoBuildsAtOnceGiveOneSite() throws {
        let site = try TestSite(products: 200)
        let both = (0..<4).map { _ in
            Process(program("build-at"), [site.root + "/site", site.output, "1000"])
        }
        let results = both.map { $0.wait() }
        #expect(results.contains { $0.status == 0 })
        for result in results where result.status != 0 {
            #expect(result.text.contains("another build is writing"))
        }
        #expect(site.tree() == (try site.cleanTree()))
    }

    @Test func s42StagingOfTheDeadIsRemoved() throws {
        let site = try TestSite()
        try site.build()
        site.makeFolder("site/.build-site/public/stage/products/aa/deep")
        site.write("site/.build-site/public/stage/products/aa/x.html", "left")
        try site.build()
        #expect(site.isTidy)
    }

    @Test func s43StrictChangesNothing() throws {
        let site = try TestSite()
        try site.build()
        let before = site.tree()
        try site.sql(
            "UPDATE products SET updated = 'never' WHERE id = 1; UPDATE products SET producer = 'New' WHERE id = 2"
        )
        #expect(throws: Failure.self) { try site.build(isStrict: true) }
        #expect(site.tree() == before)
        #expect(site.isTidy)
        let report = try site.build()
        #expect(report.counts.products == 12)
        #expect(
            site.tree().keys.count { $0.hasPrefix("products/") && $0.split(separator: "/").count == 3 } == 12)
    }
}
