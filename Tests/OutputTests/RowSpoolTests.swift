import Basics
import Database
import TestSupport
import Testing

@testable import Site

@Suite struct RowSpoolTests {
    private func file(_ i: Int) -> Manifest.File {
        Manifest.File(
            path: i % 50 == 0 ? "page-\(i).html" : "products/\(i % 40)/malt-\(i * 37).html",
            fingerprint: UInt64(i) &* 0x9E37_79B9_7F4A_7C15, content: UInt64(i) << 40, size: i,
            product: i % 3 == 0 ? "" : "\(i)")
    }

    /// All in memory; all but the last in the file; all in the file.
    @Test(arguments: [1 << 20, 5000, 1])
    func putsInWhatWasAddedInTheOrderOfHashes(_ limit: Int) throws {
        let folder = TemporaryFolder(inMemory: true)
        let directory = try Directory(path: folder.path)
        let files = (0..<3000).map(file)
        let spool = RowSpool(in: directory, limit: limit)
        for start in stride(from: 0, to: files.count, by: 70) {
            try spool.add(Array(files[start..<min(start + 70, files.count)]))
        }
        #expect(TemporaryFolder.names(in: folder.path).isEmpty)
        var hashes: [Int64] = []
        try spool.forEachPart { part in hashes += (0..<part.count).map { part[$0].hash } }
        #expect(hashes == files.map(\.hash).sorted())

        let manifest = try Manifest(path: folder.file("manifest.db"))
        try manifest.begin()
        let folders = try manifest.put(spool)
        try manifest.commit()
        var rows: [String: Manifest.File] = [:]
        try manifest.forEachFile { rows[$0.path] = $0 }
        #expect(rows.count == files.count)
        for file in files {
            let row = try #require(rows[file.path])
            #expect(row.fingerprint == file.fingerprint && row.content == file.content)
            #expect(row.size == file.size && row.product == file.product)
        }
        #expect(folders == (try manifest.allFolders()))
        #expect(folders.count == 42)
    }

    @Test func givesNothingWhereNothingWasAdded() throws {
        let folder = TemporaryFolder(inMemory: true)
        let manifest = try Manifest(path: folder.file("manifest.db"))
        #expect(try manifest.put(RowSpool(in: Directory(path: folder.path), limit: 1)) == [""])
        #expect(try manifest.count().files == 0)
    }

    /// A build leaves the same manifest whether its rows stayed in memory or not, and counts what it names.
    @Test func manifestIsTheSameByWayOfAFile() throws {
        let site = try TestSite(products: 40)
        let other = try TestSite(copying: site)
        let report = try site.build()
        #expect(report.counts.files == site.tree().count)
        #expect(report.counts.bytes == site.tree().values.reduce(0) { $0 + $1.count })
        // The customer's address hangs on the key.
        run("/bin/mkdir", ["-p", other.root + "/site/.build-site"])
        run("/bin/cp", ["-a", site.root + "/site/.build-site/list-key", other.root + "/site/.build-site"])
        let result = other.buildAt()
        #expect(result.status == 0, "\(result.text)")
        func rows(_ site: TestSite) throws -> [[String]] {
            let path = site.root + "/site/.build-site/public/manifest.db"
            return try Connection(ownToRead: path).rows("SELECT * FROM files ORDER BY hash") { row in
                (0..<6).map { row.text($0) }
            }
        }
        #expect(try rows(site).count == report.counts.files)
        #expect(try rows(site) == rows(other))
    }
}
