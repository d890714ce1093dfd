import Basics
import Glibc
import Testing

@testable import Site

@Suite struct SwapTests {
    private func inodes(_ site: TestSite) -> [String: String] {
        let lines = run("/usr/bin/find", [site.output, "-type", "f", "-printf", "%P\t%i %T@\n"]).text.split(
            separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.split(separator: "\t")
                return (String(parts[0]), String(parts[1]))
            })
    }

    private func folder(_ site: TestSite) -> UInt64? { try? Directory(path: site.output).status().inode }

    @Test func swapsWhenMuchChangesAndKeepsWhatDoesNot() throws {
        let site = try TestSite(products: 60)
        try site.build()
        let (before, old, place) = (inodes(site), site.tree(), folder(site))
        try site.sql("UPDATE products SET name = name || '!' WHERE id > 10")
        try site.build(swapsAbove: 10)
        #expect(folder(site) != place)
        let (after, new) = (inodes(site), site.tree())
        #expect(difference(new, try site.cleanTree()) == "")
        for (path, bytes) in new where old[path] == bytes { #expect(after[path] == before[path], "\(path)") }
        #expect(run("/usr/bin/find", [site.output, "-type", "f", "-links", "+1"]).text == "")
        #expect(site.isTidy)
    }

    @Test func renamesWhenLittleChanges() throws {
        let site = try TestSite(products: 60)
        try site.build()
        let place = folder(site)
        try site.sql("UPDATE products SET producer = 'X' WHERE id = 1")
        try site.build(swapsAbove: 5)
        #expect(folder(site) == place)
        #expect(difference(site.tree(), try site.cleanTree()) == "")
    }

    @Test func keepsOwnerAndModeOfTheFolder() throws {
        let site = try TestSite()
        try site.build()
        chmod(site.output, 0o2775)
        try site.sql("UPDATE products SET name = name || '!'")
        try site.build(swapsAbove: 0)
        #expect(try Directory(path: site.output).status().mode == 0o2775)
    }

    /// A folder that cannot be exchanged (network and union file systems) gets its files one by one.
    @Test(arguments: [EINVAL, EXDEV])
    func fallsBackToRenames(code: Int32) throws {
        let site = try TestSite()
        try site.build()
        try site.sql("UPDATE products SET name = name || '!'")
        let copy = try TestSite(copying: site)
        let log = copy.root + "/log"
        #expect(
            copy.buildAt(swapsAbove: 0, ["FAULT_LOG": log, "FAULT_ROOT": copy.root + "/site"]).status == 0)
        let lines = String(decoding: readFile(log) ?? [], as: UTF8.self).split(separator: "\n")
        let exchange = try #require(lines.firstIndex { $0 == "rename \(copy.root)/site/public" })
        let place = folder(site)
        let result = site.buildAt(
            swapsAbove: 0,
            [
                "FAULT_ROOT": site.root + "/site", "FAULT_AT": String(exchange + 1),
                "FAULT_ERROR": String(code),
            ])
        #expect(result.status == 0, "\(result.text)")
        #expect(folder(site) == place)
        #expect(difference(site.tree(), try site.cleanTree()) == "")
    }

    /// The manifest is removed while an old tree with somebody's files waits to be taken apart.
    @Test func nothingOfOthersIsLostWithTheManifest() throws {
        let site = try TestSite()
        try site.build()
        site.makeFolder("site/.build-site/public/swap/.git")
        site.write("site/.build-site/public/swap/.git/HEAD", "canary")
        #expect(try site.build().warnings.map(\.id).contains("kept-files"))
        #expect(site.read("site/.build-site/public/kept-1/.git/HEAD") == "canary")
    }
}
