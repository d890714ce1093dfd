import Basics
import Foundation
import TestSupport
import Testing

@testable import Site

@Suite struct PictureCacheTests {
    static func picture(_ seed: Int) -> [UInt8] {
        PNG.make(400, 300) { x, y in [UInt8((x * seed) & 0xFF), UInt8((y * 7) & 0xFF), UInt8(seed & 0xFF)] }
    }

    /// A shop with three pictures, all of them old enough to be told from changed ones by their times.
    private func shop() throws -> PictureShop {
        let shop = try PictureShop()
        for i in 1...3 { try shop.add("\(i).png", Self.picture(i)) }
        for i in 1...3 { age("\(i).png", in: shop) }
        return shop
    }

    private func age(_ name: String, in shop: PictureShop) {
        let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(name.utf8.first ?? 0))
        try? FileManager.default.setAttributes(
            [.modificationDate: date], ofItemAtPath: shop.folder.path + "/content/pictures/" + name)
    }

    private func packs(_ shop: PictureShop, in cache: String = ".build-site/pictures") -> [String] {
        let root = shop.folder.path + "/" + cache
        return TemporaryFolder.names(in: root).filter { $0.utf8.count == 2 }
            .flatMap { TemporaryFolder.names(in: root + "/" + $0) }
    }

    @Test func eachPictureIsMadeOnce() throws {
        let shop = try shop()
        try shop.build()
        #expect(shop.made == 3)
        try shop.build()
        #expect(shop.made == 0)
        // A build that has to look at everything again, and one into nothing.
        try shop.database("UPDATE products SET summary = 'x'")
        try shop.build()
        #expect(shop.made == 0)
        try shop.build(to: "other")
        #expect(shop.made == 0)
        #expect(shop.files() == shop.files(in: "other"))
        try shop.folder.removeFile("public")
        try shop.build()
        #expect(shop.made == 0)
    }

    @Test func aChangedPictureIsMadeAgainAndHasAnotherAddress() throws {
        let shop = try shop()
        try shop.build()
        let before = Set(shop.files())
        try shop.change("2.png", Self.picture(9))
        let report = try shop.build()
        #expect(shop.made == 1)
        let after = Set(shop.files())
        #expect(before.intersection(after).count == before.count * 2 / 3)
        #expect(after.count == before.count)
        #expect(report.counts.removed == before.count / 3)
        // What nobody uses any more is gone from the cache.
        #expect(packs(shop).count == 3)
        try shop.database("DELETE FROM pictures WHERE product_id = 1")
        try shop.build()
        #expect(packs(shop).count == 2)
    }

    @Test func whatAnotherOutputUsesIsKeptUntilItIsGone() throws {
        let shop = try shop()
        try shop.build()
        try shop.build(to: "other")
        try shop.database("DELETE FROM pictures WHERE product_id < 3")
        try shop.build()
        #expect(packs(shop).count == 3)
        try shop.folder.removeFile("other")
        try shop.database("UPDATE products SET summary = 'x'")
        try shop.build()
        #expect(packs(shop).count == 1)
    }

    @Test func twoBuildsAtOnceShareACache() throws {
        let shop = try shop()
        shop.options.pictureCache = shop.folder.path + "/shared/cache"
        let options = shop.options
        let outputs = ["a", "b", "c"].map { shop.folder.path + "/" + $0 }
        DispatchQueue.concurrentPerform(iterations: 3) { i in
            var options = options
            options.output = outputs[i]
            #expect(throws: Never.self) { try Site.build(options, progress: Counter()) }
        }
        #expect(shop.files(in: "a").count == 15)
        #expect(shop.files(in: "a") == shop.files(in: "b") && shop.files(in: "a") == shop.files(in: "c"))
        #expect(packs(shop, in: "shared/cache").count == 3)
        #expect(!FileManager.default.fileExists(atPath: shop.folder.path + "/.build-site/pictures"))
    }

    @Test func aDamagedPackIsMadeAgain() throws {
        let shop = try shop()
        try shop.build()
        let reference = Tree.files(shop.folder.path + "/public/assets/pictures")
        for pack in packs(shop) {
            let path = ".build-site/pictures/\(pack.prefix(2))/\(pack)"
            var bytes = Project.file(shop.folder.path + "/" + path)
            bytes[bytes.count / 2] ^= 1
            try shop.folder.write(path, bytes)
        }
        try shop.build(to: "other")
        #expect(shop.made == 3)
        #expect(Tree.files(shop.folder.path + "/other/assets/pictures") == reference)
    }

    @Test func theBytesDoNotDependOnHowManyAreMadeAtOnce() throws {
        let shop = try shop()
        shop.options.jobs = 1
        try shop.build()
        shop.options.jobs = 3
        shop.options.pictureCache = shop.folder.path + "/elsewhere"
        try shop.build(to: "other")
        #expect(shop.made == 3)
        #expect(Tree.files(shop.folder.path + "/public") == Tree.files(shop.folder.path + "/other"))
    }

    @Test func settingsMakeOtherPictures() throws {
        let shop = try shop()
        try shop.build()
        let before = Set(shop.files())
        try shop.folder.write(
            "content/site.yaml",
            "title: Shop\nurl: https://shop.example/\npictures: {quality: 40, avif: true}\n")
        try shop.build()
        #expect(shop.made == 3)
        let after = Set(shop.files())
        #expect(before.isDisjoint(with: after))
        #expect(after.count(where: { $0.hasSuffix(".avif") }) == 9)
        #expect(try shop.page(1).contains("<source type=\"image/avif\""))
    }

    /// Threads that write when a preview ends come to the end of their file, and begin no other.
    @Test func nothingIsHalfWrittenWhenItIsClosed() throws {
        let folder = TemporaryFolder(inMemory: true)
        let cache = try PictureCache(in: try Directory(path: folder.path), output: "/nowhere")
        let pack = [UInt8](repeating: 1, count: 4 << 20)
        let ended = Monitor(0)
        for thread in 0..<4 {
            detachThread {
                var n = 0
                while (try? cache.keep(pack, "\(thread)0-\(n % 4)")) != nil,
                    (try? cache.keep(original: pack, "\(thread)-\(n % 4)")) != nil
                { n += 1 }
                ended.withLock { $0 += 1 }
            }
        }
        while !cache.has("00-3") { usleep(1000) }
        cache.close()
        let names = TemporaryFolder.names(in: folder.path).flatMap {
            TemporaryFolder.names(in: folder.file($0))
        }
        #expect(names.contains("00-3") && !names.contains { $0.hasPrefix(".") || $0.hasSuffix(".new") })
        for name in names where name.count == 4 { #expect(cache.pack(name) == pack) }
        ended.wait { $0 == 4 ? () : nil }
        #expect(throws: FileError.self) { try cache.keep(pack, "99-0") }
    }
}

extension Tree {
    /// Every file below a folder with its bytes.
    static func files(_ folder: String) -> [String: [UInt8]] {
        var out: [String: [UInt8]] = [:]
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return [:] }
        for case let name as String in walk {
            var isFolder: ObjCBool = false
            let path = folder + "/" + name
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
                out[name] = Project.file(path)
            }
        }
        return out
    }
}
