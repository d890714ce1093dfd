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
        // Once as it stands, and once with a database that was touched, so that every row has to be compared.
        for isTouched in [false, true] {
            if isTouched {
                let content = driver.site + "/content/"
                let name = try #require(
                    try FileManager.default.contentsOfDirectory(atPath: content).first {
                        $0.hasSuffix(".db") || $0.hasSuffix(".sqlite")
                    })
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
                    ofItemAtPath: content + name)
            }
            let second = try driver.build(to: output)
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
}
