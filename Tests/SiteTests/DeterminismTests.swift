import Database
import Foundation
import Site
import TestSupport
import Testing

/// The same input makes the same bytes, and nothing is written that is there already.
@Suite struct DeterminismTests {
    @Test(arguments: RealSite.bundled)
    func bytesDependOnTheInputAlone(_ site: RealSite) throws {
        let folder = TemporaryFolder(inMemory: true)
        let driver = try site.driver(in: folder)
        // Built once for the key of the customers' addresses, which is part of the input.
        _ = try driver.build(to: folder.path + "/one")
        let tree = try Tree(folder.path + "/one")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/elsewhere/deep", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: driver.site, toPath: folder.path + "/elsewhere/deep/copy")
        let runs: [(site: String, jobs: String, environment: [String: String])] = [
            (driver.site, "1", [:]), (driver.site, "4", [:]),
            (folder.path + "/elsewhere/deep/copy", "3", ["LANG": "C", "LC_ALL": "C", "TZ": "Asia/Tokyo"]),
            (driver.site, "2", ["LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "TZ": "America/St_Johns"]),
        ]
        for (i, run) in runs.enumerated() {
            let output = folder.path + "/run-\(i)"
            let (status, text) = try Program.run(
                ["--site", run.site, "--output", output, "--jobs", run.jobs, "--quiet"],
                environment: run.environment)
            try #require(status == 0, "\(text)")
            #expect(try Tree(output).differences(from: tree) == [])
        }
    }

    @Test(arguments: RealSite.bundled)
    func aSecondBuildWritesNothing(_ site: RealSite) throws {
        let folder = TemporaryFolder(inMemory: true)
        let driver = try site.driver(in: folder)
        let output = folder.path + "/public"
        let first = try driver.build(to: output)
        let tree = try Tree(output)
        // Once as it stands, once with a database that was touched, so that every row has to be hashed, and once when it is not
        // known what their hash was, so that every page has to be compared.
        for run in 0..<3 {
            if run > 0 {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 + Double(run))],
                    ofItemAtPath: database(of: driver))
            }
            if run == 2 {
                try Connection(own: folder.path + "/.build-site/public/manifest.db").execute(
                    "DELETE FROM meta WHERE key = 'rows'")
            }
            let second = try driver.build(to: output)
            #expect(second.stages.map(\.name).contains("commit") == (run == 2))
            #expect(second.counts.written == 0)
            #expect(second.counts.removed == 0)
            #expect(second.counts.unchanged == first.counts.files)
            #expect(second.counts.pages == first.counts.pages)
            #expect(second.counts.products == first.counts.products)
            let after = try Tree(output)
            #expect(after.written(since: tree) == [])
            #expect(after.differences(from: tree) == [])
        }
    }

    /// A database that was written to is known by the rows that the site takes.
    @Test func whatTheSiteDoesNotTakeChangesNothing() throws {
        let folder = TemporaryFolder(inMemory: true)
        let driver = try #require(RealSite.bundled.first { $0.name == "northwind" }).driver(in: folder)
        let output = folder.path + "/public"
        _ = try driver.build(to: output)
        let path = try database(of: driver)
        for (sql, isTaken) in [
            ("CREATE TABLE beside(x)", false), ("VACUUM", false),
            ("UPDATE Products SET UnitPrice = UnitPrice + 1 WHERE ProductID = 7", true),
            ("INSERT INTO beside VALUES(1)", false),
        ] {
            try Connection(own: path).execute(sql)
            let report = try driver.build(to: output)
            #expect((report.counts.written > 0) == isTaken, "\(sql)")
            #expect(report.stages.map(\.name).contains("commit") == isTaken, "\(sql)")
        }
        _ = try driver.build(to: folder.path + "/clean")
        #expect(try Tree(output).differences(from: Tree(folder.path + "/clean")) == [])
    }

    private func database(of driver: Driver) throws -> String {
        let content = driver.site + "/content/"
        return content
            + (try #require(
                try FileManager.default.contentsOfDirectory(atPath: content).first {
                    $0.hasSuffix(".db") || $0.hasSuffix(".sqlite")
                }))
    }
}
