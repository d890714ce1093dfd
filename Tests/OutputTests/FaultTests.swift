import Basics
import Glibc
import Testing

@testable import Site

/// S39 to S41: a build that is cut short, at any system call, leaves the old site or the new one, and the next build
/// repairs. `FAULTS=all` tries every call, `FAULTS=kill` those of one fault; else some, evenly spread.
@Suite(.serialized) struct FaultTests {
    enum Way: String, CaseIterable, Sendable {
        /// Into nothing, file by file, tree for tree; file by file where the plan is kept.
        case fresh, renames, swap, rows

        var isByFile: Bool { self == .renames || self == .rows }

        var swapsAbove: Int { self == .swap ? 0 : 1000 }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        var error: Int32 = 0
        var lasting = false, short = false, opens = false
        /// How many places are tried in a usual run.
        var places = 10

        var testDescription: String { name }

        func environment(_ site: TestSite, at n: Int) -> [String: String] {
            [
                "FAULT_ROOT": site.root + "/site", "FAULT_AT": String(n), "FAULT_ERROR": String(error),
                "FAULT_LASTING": lasting ? "1" : "0", "FAULT_SHORT": short ? "1" : "0",
                "FAULT_OPENS": opens ? "1" : "0",
            ]
        }
    }

    static let faults = [
        Fault(name: "kill", places: 24), Fault(name: "no space, once", error: ENOSPC),
        Fault(name: "no space", error: ENOSPC, lasting: true, short: true),
        Fault(name: "quota", error: EDQUOT, lasting: true, places: 5),
        Fault(name: "disk error, once", error: EIO, places: 12),
        Fault(name: "disk error", error: EIO, lasting: true, places: 6),
        Fault(name: "too many files", error: EMFILE, opens: true, places: 8),
        Fault(name: "read-only", error: EROFS, lasting: true, places: 5),
    ]

    /// The site as it was, and as it is to be, with what is not ours between.
    private struct Scene {
        let site: TestSite
        let old: [String: [UInt8]], new: [String: [UInt8]]
        static let foreign: Set = ["CNAME", ".git/HEAD", "products/foreign.txt"]

        init(_ way: Way) throws {
            site = try TestSite(products: 4)
            if way != .fresh {
                try site.build()
                for path in Self.foreign {
                    site.makeFolder("site/public/" + OutputFolder.split(path).folder)
                    site.write("site/public/" + path, "canary")
                }
            }
            old = site.tree(without: Self.foreign)
            try site.sql(
                way == .rows
                    ? "UPDATE products SET sku = 'A' || id, abv = 40 WHERE id <> 2"
                    : "UPDATE products SET name = name || '!'; DELETE FROM products WHERE id = 2; INSERT INTO products(id, name) VALUES (9, 'New')"
            )
            // The customer's address hangs on the key, which the first build makes.
            if way == .fresh {
                let other = try TestSite(copying: site)
                try other.build()
                run("/bin/cp", ["-a", other.root + "/site/.build-site/list-key", site.root + "/key"])
                site.makeFolder("site/.build-site")
                run("/bin/mv", [site.root + "/key", site.root + "/site/.build-site/list-key"])
            }
            new = try site.cleanTree()
        }
    }

    @Test func keepsThePlanWhereOnlyRowsChange() throws {
        let site = try Scene(.rows).site
        #expect(try site.build().isPlanKept)
    }

    @Test(arguments: Way.allCases, faults)
    func s39OldSiteOrNewAndNextBuildRepairs(_ way: Way, _ fault: Fault) throws {
        let scene = try Scene(way)
        let asked = getenv("FAULTS").map { String(cString: $0) }
        let all = asked == "all" || asked == fault.name
        let counting = try TestSite(copying: scene.site)
        var environment = fault.environment(counting, at: 0)
        environment["FAULT_LOG"] = counting.root + "/log"
        #expect(counting.buildAt(swapsAbove: way.swapsAbove, environment).status == 0)
        let calls = (readFile(counting.root + "/log") ?? []).count { $0 == 0x0A }
        try #require(calls > 100)
        let step = all ? 1 : max(1, calls / fault.places)
        var cases = 0
        for n in stride(from: all ? 1 : 1 + step / 2, through: calls, by: step) {
            cases += 1
            let site = try TestSite(copying: scene.site)
            let result = site.buildAt(swapsAbove: way.swapsAbove, fault.environment(site, at: n))
            let visible = site.tree(without: Scene.foreign)
            let here = Comment(rawValue: "call \(n) of \(calls): \(result.text)")
            if fault.error == 0 {
                // Which worker opens which folders first differs from run to run, and with it the number of calls.
                #expect(result.status == 128 + SIGKILL || (result.status == 0 && n + 20 > calls), here)
            } else {
                #expect(result.status == 0 || (result.status == 1 && result.text.contains("error: ")), here)
                #expect(!result.text.contains("[internal]"), here)
            }
            if way.isByFile, fault.error == 0 || fault.lasting {
                for (path, bytes) in visible {
                    #expect(bytes == scene.old[path] || bytes == scene.new[path], here)
                }
            } else {
                // A removal that fails leaves the new site with a file too many.
                let rest = visible.filter { scene.new[$0.key] != nil || scene.old[$0.key] != $0.value }
                #expect(
                    visible == scene.old || visible == scene.new || (way.isByFile && rest == scene.new),
                    "\(here): \(difference(visible, scene.old))")
            }
            // The next build repairs, with nobody's help.
            let repair = site.buildAt(swapsAbove: way.swapsAbove)
            #expect(repair.status == 0, "\(here), then \(repair.text)")
            #expect(difference(site.tree(without: Scene.foreign), scene.new) == "", here)
            if way != .fresh {
                for path in Scene.foreign {
                    #expect(site.read("site/public/" + path) == "canary", "\(here) \(path)")
                }
            }
            #expect(site.isTidy, here)
        }
        print("faults: \(way.rawValue), \(fault.name): \(cases) of \(calls) calls")
    }

    /// The staging is gone after a crash in the middle of the renames: what it held is made again.
    @Test func s39RecoversWithoutItsStaging() throws {
        let scene = try Scene(.renames)
        for n in [0.6, 0.7, 0.8, 0.9] {
            let site = try TestSite(copying: scene.site)
            var environment = Self.faults[0].environment(site, at: 0)
            environment["FAULT_LOG"] = site.root + "/log"
            let counting = try TestSite(copying: scene.site)
            _ = counting.buildAt(environment.merging(["FAULT_ROOT": counting.root + "/site"]) { $1 })
            let lines = String(decoding: readFile(site.root + "/log") ?? [], as: UTF8.self).split(
                separator: "\n")
            let renames = lines.indices.filter {
                lines[$0].hasPrefix("rename ") && lines[$0].contains("/public/")
            }
            let at = renames[Int(Double(renames.count) * n)] + 1
            #expect(site.buildAt(Self.faults[0].environment(site, at: at)).status == 128 + SIGKILL)
            run("/bin/rm", ["-r", site.root + "/site/.build-site/public/stage"])
            #expect(site.buildAt().status == 0)
            #expect(difference(site.tree(without: Scene.foreign), scene.new) == "")
        }
    }

    /// Killed when all is visible and before the former addresses are noted: a build into nothing, later, has their stubs.
    @Test func s39FormerAddressesOutliveAKill() throws {
        let site = try TestSite(products: 4)
        try site.build()
        try site.sql("UPDATE products SET name = 'Malt 3b' WHERE id = 3")
        let counting = try TestSite(copying: site)
        var environment = Self.faults[0].environment(counting, at: 0)
        environment["FAULT_LOG"] = counting.root + "/log"
        #expect(counting.buildAt(environment).status == 0)
        let lines = String(decoding: readFile(counting.root + "/log") ?? [], as: UTF8.self).split(
            separator: "\n")
        let at = try #require(lines.firstIndex { $0.contains("/.build-site/moved") })
        let killed = site.buildAt(Self.faults[0].environment(site, at: at + 1))
        #expect(killed.status == 128 + SIGKILL)
        #expect(!site.exists("site/.build-site/moved"))
        try site.build()
        #expect(difference(site.tree(), try site.cleanTree()) == "")
        #expect(site.tree().keys.count { $0.hasPrefix("products/") && $0.contains("malt-3") } == 2)
    }

    /// A call fails that concerns the file by way of which the rows of a build into nothing are put into the manifest.
    @Test(arguments: faults.filter { $0.error == ENOSPC || $0.error == EIO })
    func s39NothingIsMadeWhereRowsCannotBePutIn(_ fault: Fault) throws {
        let scene = try Scene(.fresh)
        func environment(_ site: TestSite, at n: Int) -> [String: String] {
            fault.environment(site, at: n).merging(
                ["FAULT_ROOT": site.root + "/site/.build-site/public/rows"]) { $1 }
        }
        let counting = try TestSite(copying: scene.site)
        let log = counting.root + "/log"
        let counted = counting.buildAt(environment(counting, at: 0).merging(["FAULT_LOG": log]) { $1 })
        #expect(counted.status == 0)
        let calls = (readFile(log) ?? []).count { $0 == 0x0A }
        // The first ones make the file and take its name away; each of the others brings some rows. How many there are
        // differs a little from run to run, as rows come from several threads.
        try #require(calls > 20)
        for n in [1, 2, 3, calls / 2, calls * 3 / 4] {
            let site = try TestSite(copying: scene.site)
            let result = site.buildAt(environment(site, at: n))
            #expect(result.status == 1, "call \(n): \(result.text)")
            #expect(result.text.contains("error: ") && !result.text.contains("[internal]"))
            #expect(site.tree().isEmpty, "call \(n)")
            #expect(site.buildAt().status == 0)
            #expect(difference(site.tree(), scene.new) == "")
            #expect(site.isTidy)
        }
    }

    @Test func s39KilledAtRandomMoments() throws {
        var random = SystemRandomNumberGenerator()
        let scene = try Scene(.swap)
        let site = try TestSite(copying: scene.site)
        for round in 0..<20 {
            try site.sql("UPDATE products SET name = name || '\(round)'")
            let process = Process(
                program("build-at"), [site.root + "/site", site.output, round % 2 == 0 ? "0" : "1000"])
            usleep(UInt32.random(in: 0..<150_000, using: &random))
            kill(process.pid, SIGKILL)
            _ = process.wait()
            for path in Scene.foreign { #expect(site.read("site/public/" + path) == "canary") }
        }
        try site.build()
        let rest = difference(site.tree(without: Scene.foreign), try site.cleanTree())
        #expect(rest == "", "\(rest)")
    }

    // MARK: S40

    /// The order of calls that power loss asks for: everything staged is on the disk before the manifest promises it,
    /// the promise before the first file becomes visible, and removals come last.
    @Test(arguments: Way.allCases)
    func s40SyncsInOrder(_ way: Way) throws {
        let scene = try Scene(way)
        let site = scene.site
        var environment = Self.faults[0].environment(site, at: 0)
        environment["FAULT_LOG"] = site.root + "/log"
        #expect(site.buildAt(swapsAbove: way.swapsAbove, environment).status == 0)
        let lines = String(decoding: readFile(site.root + "/log") ?? [], as: UTF8.self).split(separator: "\n")
            .map(String.init)
        let state = site.root + "/site/.build-site/public/"
        let output = site.root + "/site/public"
        func indexes(_ matches: (String) -> Bool) -> [Int] { lines.indices.filter { matches(lines[$0]) } }

        let visible = indexes { $0.hasPrefix("rename \(output)/") || $0 == "rename \(output)" }
        let first = try #require(visible.first)
        let staged = indexes {
            ($0.hasPrefix("write ") || $0.hasPrefix("open ") || $0.hasPrefix("link "))
                && $0.contains(state + "stage/")
        }
        let syncs = indexes { $0.hasPrefix("syncfs ") }
        // A transaction of SQLite's is done when its journal has an empty header again, and that is on the disk.
        let promises = lines.indices.dropFirst().filter {
            lines[$0] == "sync \(state)manifest.db-journal"
                && lines[..<$0].last == "write \(state)manifest.db-journal"
                && lines[..<($0 - 1)].last { !$0.hasPrefix("write ") } == "sync \(state)manifest.db"
        }
        let promise = try #require(promises.last { $0 < first })
        let sync = try #require(syncs.last { $0 < promise })
        #expect(staged.filter { $0 < first }.allSatisfy { $0 < sync })
        #expect(lines[sync..<promise].contains { $0.hasPrefix("sync \(state)manifest.db") })
        let last = visible.last!
        let after = try #require(syncs.first { $0 > last })
        #expect(promises.contains { $0 > after })
        let removals = indexes { $0.hasPrefix("unlink \(output)/") || $0.hasPrefix("unlink \(state)swap/") }
        #expect(removals.allSatisfy { $0 > last })
        if way != .fresh, way != .rows { #expect(!removals.isEmpty) }
        #expect(indexes { $0.hasPrefix("write \(output)") || $0.hasPrefix("open \(output)") }.isEmpty)
    }

    // MARK: S41

    /// Runs a body with a small file system in memory below the site's folder; where mounting is not allowed, not.
    private func withSmallDisk(_ size: String, _ body: (TestSite, String) throws -> Void) throws {
        let site = try TestSite(products: 40)
        let disk = site.root + "/disk"
        site.makeFolder("disk")
        guard run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(size)", "tmpfs", disk]).status == 0 else {
            print("skipped: mounting is not allowed here")
            return
        }
        defer { run("/bin/umount", ["-l", disk]) }
        try body(site, disk)
    }

    /// On a disk beside the site, and as a disk of its own.
    @Test(arguments: ["/public", ""])
    func s41FullDiskLeavesTheOldSite(_ folder: String) throws {
        try withSmallDisk("4m") { site, disk in
            site.output = disk + folder
            try site.build()
            let old = site.tree()
            try site.sql("UPDATE products SET name = name || '!'")
            let filler = disk + "/filler"
            run("/bin/dd", ["if=/dev/zero", "of=\(filler)", "bs=4k"])
            // Some room, so that the build fails while it writes.
            truncate(filler, (try Directory(path: disk).status("filler")!.size) - 120_000)
            for swapsAbove in [1000, 0] {
                let result = site.buildAt(swapsAbove: swapsAbove)
                #expect(result.status == 1)
                #expect(result.text.contains("space"), "\(result.text)")
                #expect(difference(site.tree(without: ["filler"]), old) == "")
            }
            unlink(filler)
            #expect(site.buildAt(swapsAbove: 0).status == 0)
            #expect(difference(site.tree(), try site.cleanTree()) == "")
        }
    }

    @Test func s41FullBeforeTheFirstBuild() throws {
        try withSmallDisk("200k") { site, disk in
            site.output = disk + "/public"
            let result = site.buildAt()
            #expect(result.status == 1)
            #expect(result.text.contains("space"), "\(result.text)")
            #expect(site.tree() == [:])
        }
    }

    @Test func s41ReadOnlyOutput() throws {
        try withSmallDisk("4m") { site, disk in
            site.output = disk + "/public"
            try site.build()
            let old = site.tree()
            try site.sql("UPDATE products SET name = name || '!'")
            run("/bin/mount", ["-o", "remount,ro", disk])
            let result = site.buildAt()
            #expect(result.status == 1)
            #expect(result.text.contains("name another folder with --output"), "\(result.text)")
            #expect(site.tree() == old)
            run("/bin/mount", ["-o", "remount,rw", disk])
            #expect(site.buildAt().status == 0)
            #expect(difference(site.tree(), try site.cleanTree()) == "")
        }
    }

    @Test func s41FewFilesMayBeOpen() throws {
        let site = try TestSite(products: 300)
        let limited = run(
            "/bin/sh",
            ["-c", "ulimit -n 64; exec \(program("build-at")) \(site.root)/site \(site.output) 1000"])
        #expect(limited.status == 0, "\(limited.text)")
        let fewer = run(
            "/bin/sh",
            ["-c", "ulimit -n 12; exec \(program("build-at")) \(site.root)/site \(site.root)/other 1000"])
        #expect(fewer.status == 1)
        #expect(fewer.text.contains("error: "), "\(fewer.text)")
    }
}
