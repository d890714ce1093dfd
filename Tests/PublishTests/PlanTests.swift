import Basics
import TestSupport
import Testing

@testable import Publish
@testable import Site

/// What is sent and removed, in which order, and what is known of a target.
@Suite struct PlanTests {
    private func site(_ files: [String: UInt64]) -> [Outgoing] {
        known(files).map { Outgoing(file: $0, isMade: $0.path.hasSuffix(".gz")) }
    }

    private func known(_ files: [String: UInt64]) -> [FinishedSite.File] {
        files.map { FinishedSite.File(path: $0, content: $1, size: 10) }
            .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// The paths of each step.
    private func order(_ plan: PublishPlan) -> [[String]] {
        PublishPlan.Step.allCases.map { plan.outgoing($0).map(\.path) + plan.removals($0).joined() }
    }

    @Test func sendsInAnOrderInWhichNothingIsMissing() {
        let before: [String: UInt64] = [
            "index.html": 1, "a/old.html": 1, "a/gone.html": 1, "a/feed.xml": 1, "lists/k/index.html": 1,
            "assets/style-1.css": 1, "a/same.html": 1, "about.html": 1, "search/index.json": 1,
        ]
        let after: [String: UInt64] = [
            "index.html": 2, "a/old.html": 2, "a/new.html": 1, "a/feed.xml": 2, "lists/index.html": 1,
            "assets/style-2.css": 1,
            "a/same.html": 1, "about.html": 2, "news.html": 1, "sitemap.xml": 1, "a/new.html.gz": 1,
            "search/index.json": 2,
            "search/0f.bin": 1,
        ]
        let plan = PublishPlan(site: site(after), known: known(before), uncertain: [], there: [], sent: [:])
        #expect(
            order(plan) == [
                ["lists/k/index.html"],
                ["assets/style-2.css", "search/0f.bin"],
                ["a/new.html", "a/new.html.gz", "lists/index.html", "news.html"],
                [],
                ["a/old.html"],
                ["a/feed.xml", "about.html", "search/index.json", "sitemap.xml"],
                ["index.html"],
                ["a/gone.html"],
            ])
        #expect(plan.unchanged == 1)
        #expect(plan.kept.map(\.path) == ["assets/style-1.css"])
        #expect(plan.losses == ["lists/k/index.html", "a/gone.html"])
        #expect(
            plan.added.map(\.path) == [
                "a/new.html", "a/new.html.gz", "assets/style-2.css", "lists/index.html", "news.html",
                "search/0f.bin",
                "sitemap.xml",
            ])
    }

    @Test func afterACutOnlyWhatArrivedIsTrusted() {
        let plan = PublishPlan(
            site: site(["a.html": 2, "b.html": 2, "c.html": 2, "d.html": 2, "f.html": 2]),
            known: known(["a.html": 1, "b.html": 1, "c.html": 2, "g.html": 1]),
            // c was to change and has changed back: the record says 2, but something else may be there.
            // f arrived and is gone again, and g was removed before the cut.
            uncertain: ["a.html", "b.html", "c.html", "e.html", "f.html", "g.html"],
            there: ["a.html", "b.html", "c.html", "e.html"],
            sent: ["a.html": 2, "b.html": 3, "f.html": 2])
        #expect(plan.allOutgoing.map(\.path).sorted() == ["b.html", "c.html", "d.html", "f.html"])
        #expect(plan.removed == ["e.html"])
        #expect(plan.added.map(\.path) == ["d.html"])
    }

    /// A run that is cut leaves pages that no record has, and takes away others that one still has.
    @Test func afterACutTheOrderIsThatOfWhatIsThere() {
        let files: [String: UInt64] = [
            "categories/a.html": 2, "index.html": 2, "products/0f/back.html": 1, "products/0f/new.html": 1,
            "search/index.json": 2, "search/pieces/1.bin": 1,
        ]
        let plan = PublishPlan(
            site: site(files), known: known(["products/0f/back.html": 1, "search/pieces/1.bin": 1]),
            uncertain: [
                "categories/a.html", "index.html", "products/0f/back.html", "search/index.json",
                "search/pieces/1.bin",
            ], there: ["categories/a.html", "index.html", "search/index.json"], sent: [:])
        #expect(
            order(plan) == [
                [], ["search/pieces/1.bin"], ["products/0f/back.html", "products/0f/new.html"], [],
                ["categories/a.html"], ["search/index.json"], ["index.html"], [],
            ])
    }

    /// A server shows the packed copy of a page, so that it changes with the page and not with the new ones.
    @Test func packedCopiesGoWithWhatTheyStandBeside() {
        let pages: [String: UInt64] = [
            "a/old.html": 1, "lists/k/index.html": 1, "index.html": 1, "search/index.json": 1,
        ]
        var after = pages.mapValues { _ in UInt64(2) }
        after["a/new.html"] = 1
        let packed = Dictionary(uniqueKeysWithValues: after.map { ($0 + ".gz", $1) })
        let all = after.merging(packed) { a, _ in a }
        let on = PublishPlan(site: site(all), known: known(pages), uncertain: [], there: [], sent: [:])
        #expect(
            order(on) == [
                [], [], ["a/new.html", "a/new.html.gz"], [],
                ["a/old.html", "a/old.html.gz", "lists/k/index.html", "lists/k/index.html.gz"],
                ["search/index.json", "search/index.json.gz"], ["index.html", "index.html.gz"], [],
            ])
        // The other way round, those of pages that stay go before these change; they are no loss.
        let off = PublishPlan(site: site(pages), known: known(all), uncertain: [], there: [], sent: [:])
        #expect(
            order(off) == [
                [], [], [],
                ["a/old.html.gz", "index.html.gz", "lists/k/index.html.gz", "search/index.json.gz"],
                ["a/old.html", "lists/k/index.html"], ["search/index.json"], ["index.html"],
                ["a/new.html", "a/new.html.gz"],
            ])
        #expect(off.losses == ["a/new.html", "a/new.html.gz"])
    }

    /// What the pages of a small site lead to, by the bits of their contents: indexes to products, the home page to both.
    private static let targets =
        (0..<6).map { "products/0f/p\($0).html" } + ["categories/c.html", "news.html", "feed.xml"]

    /// Links to nothing that a visitor meets who begins at the home page, of a server that prefers packed copies or has none.
    private func broken(_ there: [String: UInt64], isPacked: Bool) -> [String] {
        func look(_ path: String) -> UInt64? { (isPacked ? there[path + ".gz"] : nil) ?? there[path] }
        var out: [String] = []
        var pages = ["index.html"]
        while let page = pages.popLast() {
            // Before there is a home page nobody begins.
            guard let content = look(page) else { continue }
            for (bit, target) in Self.targets.enumerated() where content >> bit & 1 == 1 {
                if look(target) == nil { out.append("\(page) leads to \(target)") }
                if page == "index.html", bit >= 6 { pages.append(target) }
            }
        }
        return out
    }

    /// Sites that change, with packed copies or without, runs that are cut anywhere and taken up by one of another site.
    @Test func noCutLeavesALinkToNothing() {
        var random = SeededGenerator()
        for _ in 0..<300 {
            var there: [String: UInt64] = [:]
            var record: [String: UInt64] = [:]
            var uncertain: Set<String> = []
            var sent: [String: UInt64] = [:]
            for _ in 0..<6 {
                let chosen = UInt64.random(in: 0..<512, using: &random)
                var wanted = ["index.html": chosen]
                for (bit, path) in Self.targets.enumerated() where chosen >> bit & 1 == 1 {
                    // Two contents of each product, which lead to nothing.
                    wanted[path] = bit < 6 ? UInt64.random(in: 1...2, using: &random) << 16 : chosen & 63
                }
                for path in Bool.random(using: &random) ? wanted.keys.sorted() : [] {
                    wanted[path + ".gz"] = wanted[path]
                }
                let plan = PublishPlan(
                    site: site(wanted), known: known(record), uncertain: uncertain,
                    there: uncertain.intersection(there.keys), sent: sent)
                let touched = Set(plan.allOutgoing.map(\.path)).union(plan.removed)
                uncertain.formUnion(touched)
                sent = sent.filter { !touched.contains($0.key) }
                var changes: [(path: String, content: UInt64?)] = []
                for step in PublishPlan.Step.allCases {
                    // Some programs send in an order of their own.
                    changes += plan.outgoing(step).shuffled(using: &random).map { ($0.path, $0.file.content) }
                    for part in plan.removals(step) {
                        changes += part.shuffled(using: &random).map { ($0, nil) }
                    }
                }
                let isCut = Bool.random(using: &random)
                for (path, content) in isCut
                    ? changes.prefix(Int.random(in: 0...changes.count, using: &random)) : changes[...]
                {
                    there[path] = content
                    if let content, Bool.random(using: &random) { sent[path] = content }
                    let faults = [false, true].flatMap { broken(there, isPacked: $0) }
                    #expect(faults == [], "seed \(random.seed)")
                }
                if isCut { continue }
                #expect(there == wanted, "seed \(random.seed)")
                (record, uncertain, sent) = (wanted, [], [:])
            }
        }
    }

    /// A page in a browser's cache, or an open tab, still asks for what the new pages do not.
    @Test func whatIsNamedByItsContentStaysForADay() {
        let before: [String: UInt64] = [
            "assets/style-1.css": 1, "assets/style-1.css.gz": 1, "assets/pictures/a.webp": 1, "index.html": 1,
            "search/pieces/1.bin": 1,
        ]
        func plan(_ site: [String: UInt64], _ known: [FinishedSite.File], _ unused: [String: Int], _ now: Int)
            -> PublishPlan
        {
            PublishPlan(
                site: self.site(site), known: known, uncertain: [], there: [], sent: [:], unused: unused,
                now: now)
        }
        let first = plan(["index.html": 2], known(before), [:], 1000)
        #expect(first.removed == [])
        #expect(first.kept == known(before).filter { $0.path != "index.html" })
        #expect(first.unused.count == 4 && first.unused.values.allSatisfy { $0 == 1000 })
        // A picture is a loss when it is no longer shown, not when its file goes.
        #expect(first.losses == ["assets/pictures/a.webp"])
        let there = (first.kept + known(["index.html": 2])).sorted {
            $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
        }
        let later = plan(["index.html": 3], there, first.unused, 1000 + PublishPlan.secondsKept - 1)
        #expect(later.removed == [] && later.unused == first.unused && later.losses == [])
        // What is used again is there and is not kept any more.
        let again = plan(
            ["assets/style-1.css": 1, "assets/style-1.css.gz": 1, "index.html": 2], there, first.unused, 2000)
        #expect(again.isEmpty && again.unused["assets/style-1.css"] == nil && again.unused.count == 2)
        let end = plan(["index.html": 2], there, first.unused, 1000 + PublishPlan.secondsKept)
        #expect(end.removed == first.kept.map(\.path) && end.kept.isEmpty && end.losses == [])
        // A clock that was wrong keeps nothing for ever.
        let future = plan(["index.html": 2], there, first.unused.mapValues { _ in 1 << 40 }, 2000)
        #expect(future.unused.values.allSatisfy { $0 == 2000 })
    }

    /// A visitor who is on an index that goes can still follow its links; one who reads a product sees its pictures.
    @Test func removesPagesBeforeWhatTheyLeadTo() {
        let gone = [
            "assets/pictures/a.webp", "categories/x.html", "feed.xml", "products/0f/a.html",
            "products/page-2.html", "reviews/0f/a.html", "search/pieces/0.bin",
        ]
        let plan = PublishPlan(
            site: [], known: known(Dictionary(uniqueKeysWithValues: gone.map { ($0, 1) })), uncertain: [],
            there: [], sent: [:],
            unused: ["assets/pictures/a.webp": 0, "search/pieces/0.bin": 0], now: PublishPlan.secondsKept)
        #expect(
            plan.removals(.remove) == [
                ["categories/x.html", "feed.xml", "products/page-2.html"], ["products/0f/a.html"],
                ["assets/pictures/a.webp", "reviews/0f/a.html", "search/pieces/0.bin"],
            ])
    }

    /// A plan taken from state to state, cut anywhere, and taken up by another one, ends where the site is.
    @Test func anyNumberOfCutsEndsAtTheSite() {
        var random = SeededGenerator()
        let paths = (0..<12).map { "p\($0).html" }
        for _ in 0..<300 {
            // What is there, what a record says, and what is uncertain: as Publisher keeps them.
            var there: [String: UInt64] = [:]
            var record: [String: UInt64] = [:]
            var uncertain: Set<String> = []
            var sent: [String: UInt64] = [:]
            for run in 0..<6 {
                let wanted = Dictionary(
                    uniqueKeysWithValues: paths.filter { _ in Bool.random(using: &random) }.map {
                        ($0, UInt64.random(in: 1...3, using: &random))
                    })
                let plan = PublishPlan(
                    site: site(wanted), known: known(record), uncertain: uncertain,
                    there: uncertain.intersection(there.keys), sent: sent)
                let touched = Set(plan.allOutgoing.map(\.path)).union(plan.removed)
                uncertain.formUnion(touched)
                sent = sent.filter { !touched.contains($0.key) }
                let steps =
                    plan.allOutgoing.map { ($0.path, Optional($0.file.content)) }
                    + plan.removed.map { ($0, nil) }
                let isLast = run == 5
                for (path, content) in isLast
                    ? steps[...] : steps.prefix(Int.random(in: 0...steps.count, using: &random))
                {
                    there[path] = content
                    // Not everything that arrived is noted before the cut.
                    if let content, Bool.random(using: &random) { sent[path] = content }
                }
                if isLast { #expect(there == wanted, "seed \(random.seed)") }
                if there == wanted, Bool.random(using: &random) {
                    // This one came to its end.
                    (record, uncertain, sent) = (wanted, [], [:])
                }
            }
        }
    }

    @Test func recordsAreReadAsTheyWereWritten() throws {
        var record = TargetRecord(files: known(["a.html": 7, ".htaccess": .max, "p/q.html": 0]))
        record.unused = ["p/q.html": 12]
        let read = try #require(TargetRecord(record.text(isPublic: false)))
        #expect(read.files == record.files && read.generation == record.generation)
        #expect(read.unused == record.unused)
        let other = try #require(TargetRecord(record.text(isPublic: true)))
        #expect(other.files == record.files && other.unused == record.unused)
        let state = TargetState(generation: record.generation, from: nil, isFinished: false)
        #expect(TargetState(state.text) == state)
        #expect(TargetState([]) == nil)
        let text = record.text(isPublic: false)
        #expect(Packing.unpackedGzip(Packing.gzip(text), limit: text.count) == text)
        #expect(Packing.unpackedGzip(Packing.gzip(text), limit: text.count - 1) == nil)
        #expect(Packing.unpackedGzip(Packing.gzip(text).dropLast(1), limit: 1 << 20) == nil)
    }

    @Test func customersStandInAPublicRecordAsHashesAmongOthers() throws {
        let names = (0..<3).map { "lists/secret\($0)/index.html" }
        let record = TargetRecord(
            files: known(["a.html": 1, "lists/index.html": 1, names[0]: 1, names[1]: 1, names[2]: 1]))
        let text = record.text(isPublic: true)
        #expect(!String(decoding: text, as: UTF8.self).contains("secret"))
        let read = try #require(TargetRecord(text))
        #expect(read.files.map(\.path) == ["a.html", "lists/index.html"])
        #expect(read.hashes.count == 64)
        #expect(names.allSatisfy { read.hashes.contains(read.hash(of: $0)) })
        #expect(!read.hashes.contains(read.hash(of: "lists/other/index.html")))
        // A site without customers looks the same.
        #expect(try #require(TargetRecord(TargetRecord(files: []).text(isPublic: true))).hashes.count == 64)
    }

    @Test(arguments: [
        "../a", "/etc/passwd", "a/../b", ".git/config", "a b", "a\u{0}b", "",
        String(repeating: "a", count: 300), "A.html",
    ])
    func aRecordThatNamesWhatWeNeverWriteIsNone(_ path: String) {
        let text =
            "build-site record 1\ngeneration 0123456789abcdef\nsalt \(String(repeating: "00", count: 16))\n"
        #expect(TargetRecord(Array((text + "0000000000000001 5 a.html\nend\n").utf8)) != nil)
        #expect(TargetRecord(Array((text + "0000000000000001 5 \(path)\nend\n").utf8)) == nil)
        #expect(TargetRecord(Array((text + "0000000000000001 -5 a.html\nend\n").utf8)) == nil)
        #expect(TargetRecord(Array((text + "0000000000000001 5 a.html\n").utf8)) == nil)
    }

    @Test func secretsAndAddressesAreTakenOutOfMessages() {
        let fault = TransportFault(
            "git",
            "fatal: could not read from 'https://me:hunter2@git.example/x': lists/abcdefghijklmnopqrstuvwxyz234567/index.html\n",
            status: 1)
        #expect(
            fault.message
                == "git says: fatal: could not read from 'https://…@git.example/x': lists/…/index.html")
        #expect(TransportFault("rsync", "", status: 12).message == "rsync says: nothing, with exit status 12")
    }

    @Test func limitsOfHostsAreWarnings() throws {
        let settings = """
            title: x
            publish:
              c: {type: git, to: ../x, host: cloudflare-pages}
              l: {type: git, to: ../x, host: gitlab-pages}
              h: {type: git, to: ../x, host: github-pages}
              n: {type: git, to: ../x, host: netlify}
            """
        let targets = try SiteSettings(SourceText(file: "site.yaml", text: settings)).publishTargets
        let many = (0..<60_000).map {
            Outgoing(file: FinishedSite.File(path: "p/\($0).html", content: 0, size: 20_000))
        }
        func messages(_ name: String, _ site: [Outgoing], redirects: Int = 0) -> [String] {
            targets.filter { $0.name == name }.flatMap {
                HostLimits.warnings(site, redirects: redirects, target: $0)
            }.map(\.message)
        }
        #expect(
            messages("c", many, redirects: 2001) == [
                "the site has 60000 files, and Cloudflare Pages takes 20000 (100000 in a paid plan); choose another host or fewer things to browse by",
                "'_redirects' has 2001 rules, and Cloudflare Pages takes 2000; the rest stay pages that lead on",
            ])
        #expect(
            messages("h", many) == [
                "the site has 1144 MB, and GitHub Pages takes 1024 MB; choose another host or smaller pictures"
            ])
        #expect(
            messages("n", many) == [
                "'p/' has 60000 files, and Netlify takes 54000 in a folder; choose another host"
            ])
        let large = [Outgoing(file: FinishedSite.File(path: "p/a.webp", content: 0, size: 30 << 20))]
        #expect(
            messages("c", large) == [
                "'p/a.webp' has 30 MB, and Cloudflare Pages takes 25 MB; make it smaller"
            ])
        #expect(messages("n", large) == [])
        // Folders count as files there, and the file of redirects has a size of its own.
        let folders = (0..<100_001).map {
            Outgoing(file: FinishedSite.File(path: "p/\($0)/index.html", content: 0, size: 1))
        }
        let rules = Outgoing(file: FinishedSite.File(path: "_redirects", content: 0, size: 70 << 10))
        #expect(
            messages("l", folders + [rules], redirects: 1001) == [
                "the site has 200004 files, and GitLab Pages takes 200000; choose another host or fewer things to browse by",
                "'_redirects' has 1001 rules, and GitLab Pages takes 1000; the rest stay pages that lead on",
                "'_redirects' has 70 kB, and GitLab Pages takes 64 kB; former addresses stay pages that lead on",
            ])
        let big = [Outgoing(file: FinishedSite.File(path: "p/a.webp", content: 0, size: 101 << 20))]
        #expect(
            messages("h", big) == [
                "'p/a.webp' has 101 MB, and GitHub Pages takes 100 MB; make it smaller"
            ])
    }
}
