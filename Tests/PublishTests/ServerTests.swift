import Basics
import Foundation
import TestSupport
import Testing

@testable import Publish

/// Publishing to real servers on loopback, with a visitor who reads all the time.
@Suite struct ServerTests {
    private func visitor(of shop: PublishedShop, at server: TestServer) -> Crawler {
        let acceptable = shop.acceptable
        let replacement = server.kind.replacement
        let crawler = Crawler(
            mayMiss: replacement == .afterRemoval,
            isWhole: { replacement == .inPlace || acceptable.contains($0) }, read: server.reader)
        shop.crawler = crawler
        return crawler
    }

    /// What the target has besides the site is exactly what somebody else put there.
    private func expectSame(
        _ shop: PublishedShop, _ server: TestServer, foreign: [String: String] = [:], _ when: String
    ) throws {
        let there = try server.files()
        for (path, text) in foreign { #expect(there[path] == Array(text.utf8), "\(when): \(path)") }
        let wrong = try server.differences(from: shop.output).filter { foreign[$0] == nil }
        #expect(wrong.isEmpty, "\(when): \(wrong.prefix(10))")
    }

    @Test(arguments: TestServer.Kind.chosen)
    func sendsWhatDiffersAndSurvivesEverything(_ kind: TestServer.Kind) throws {
        let server = try TestServer(kind)
        let shop = try PublishedShop(products: 312, target: server.target())
        shop.environment = try server.environment()
        try shop.build()
        let foreign = ["CNAME": "shop.example\n", "products/5/note.txt": "mine\n"]
        for (path, text) in foreign { try server.putForeign(path, text) }
        let crawler = visitor(of: shop, at: server)

        // First, and again with nothing to do.
        let first = try shop.publish()
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.errors.contains("[in-place]") == (kind.replacement != .whole), "\(first.errors)")
        try expectSame(shop, server, foreign: foreign, "first")
        let nothing = try shop.run("publish", "--no-build")
        #expect(
            nothing.output.hasPrefix("live: 0 files sent (0 bytes), 0 removed, "),
            "\(nothing.output)\(nothing.errors)")

        // One product: exactly the files that the build wrote.
        let before = try Tree(shop.output)
        try shop.changePrices(of: 1, from: 7)
        try shop.build()
        let changed = try Tree(shop.output).changed(since: before)
        #expect(changed.contains("products/3f/bottle-7-7.html"))
        #expect(try shop.plan().sent == changed)
        let one = try shop.run("publish", "--no-build")
        #expect(one.output.hasPrefix("live: \(changed.count) files sent ("), "\(one.output)\(one.errors)")
        try expectSame(shop, server, foreign: foreign, "one product")

        // Cut at ten random moments, and taken up: every other time by a machine that knows nothing but what is there.
        var random = SeededGenerator()
        var longest = 0.5
        var cuts = 0
        for round in 1...10 {
            try shop.changePrices(of: 40, from: 1 + round * 20)
            try shop.database("DELETE FROM products WHERE id = \(300 + round)")
            try shop.database(
                "INSERT INTO products(id, name, price_minor) VALUES (\(1000 + round), 'New \(round)', 900)")
            try shop.build()
            let delay = Double.random(in: 0...longest, using: &random)
            let wasCut = try shop.publishAndKill(after: delay)
            if wasCut { cuts += 1 } else { longest = delay * 0.8 }
            // The shop goes on: what is taken up is not always what was cut.
            if round.isMultiple(of: 3) {
                try shop.database(
                    "INSERT INTO products(id, name, price_minor) VALUES (\(2000 + round), 'Newer \(round)', 1)"
                )
                try shop.database("DELETE FROM products WHERE id = \(1000 + round)")
                try shop.build()
            }
            if round.isMultiple(of: 2) { try shop.folder.removeFile("shop/.build-site/public/published") }
            let start = Date()
            let again = try shop.publish()
            if wasCut { longest = min(longest * 1.5, Date().timeIntervalSince(start)) }
            #expect(again.status == 0, "round \(round), cut after \(delay): \(again.errors)")
            try expectSame(shop, server, foreign: foreign, "round \(round), cut after \(delay)")
        }

        #expect(cuts >= 3, "most runs had ended before they were to be killed")

        // Three hundred products fewer: refused, then allowed.
        try shop.database("DELETE FROM products WHERE id <= 300")
        try shop.build()
        let there = try server.files()
        let refused = try shop.publish()
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains("if that is right, say --allow-delete [many-deletions]"),
            "\(refused.errors)")
        #expect(try server.files() == there)
        let allowed = try shop.publish("--allow-delete")
        #expect(allowed.status == 0, "\(allowed.errors)")
        try expectSame(shop, server, foreign: foreign, "allowed")

        let (faults, rounds, pages) = crawler.stop()
        #expect(faults.isEmpty, "after \(rounds) rounds, \(pages) pages")
        #expect(pages > 0)
    }

    /// In the middle of a first publishing, and of a later one, which is seen by a visitor.
    @Test(arguments: TestServer.Kind.chosen)
    func fullTargetIsSaidAndTakenUpWhenThereIsRoom(_ kind: TestServer.Kind) throws {
        let server = try TestServer(kind)
        // So many that a list of them is longer than a file may be on the disk that is full.
        let shop = try PublishedShop(products: 40, target: server.target())
        shop.environment = try server.environment()
        try shop.build()
        let crawler = visitor(of: shop, at: server)
        for round in ["first", "changed"] {
            if kind == .folder { shop.fileLimit = 20 } else { try server.fill() }
            let full = try shop.publish()
            #expect(full.status == 1, "\(round)")
            // WebDAV knows no word for a full disk that rclone passes on, and SFTP knows none at all.
            let id = kind == .webdav || kind == .sftp ? "target" : "target-full"
            #expect(
                full.errors.hasSuffix("publish again to go on from where it stopped [\(id)]\n"),
                "\(round): \(full.errors)")
            if round == "first", kind != .git {
                #expect(!FileManager.default.fileExists(atPath: server.root + "/index.html"))
            }
            if kind == .folder { shop.fileLimit = nil } else { try server.makeRoom() }
            let again = try shop.run("publish", "--no-build")
            #expect(again.status == 0, "\(round): \(again.errors)")
            // FTP and S3 take nothing at all when they are full, and git takes all or nothing.
            if ![.git, .ftp, .s3].contains(kind) {
                #expect(again.output.contains("(taken up where the last run stopped)"), "\(again.output)")
            }
            try expectSame(shop, server, "\(round) again")
            try shop.changePrices(of: 40)
            try shop.build()
        }
        let (faults, _, pages) = crawler.stop()
        // Written in place, a page that did not fit is gone until the next run.
        #expect(faults.isEmpty || kind == .webdav)
        #expect(pages > 0)
    }

    @Test(arguments: TestServer.Kind.chosen)
    func wrongPasswordIsSaidAndNotPrinted(_ kind: TestServer.Kind) throws {
        // Nobody, not even root, makes a folder there.
        let target = "{type: folder, to: /sys/build-site-shop}"
        let server = try TestServer(kind)
        let shop = try PublishedShop(
            products: 3,
            target: kind == .folder ? target : server.target(password: "battery staple"))
        shop.environment = try server.environment(password: "battery staple")
        try shop.build()
        let denied = try shop.publish()
        #expect(denied.status == 1)
        #expect(denied.errors.contains("[target-denied]"), "\(denied.errors)")
        #expect(!denied.errors.contains("battery"))
        #expect(!denied.output.contains("battery"))
    }

    /// Also when a test fails or is killed: nothing but an open descriptor of this process keeps a server.
    @Test(arguments: TestServer.Kind.chosen)
    func serversEndWithTheirTest(_ kind: TestServer.Kind) throws {
        if kind == .folder { return }
        // The server of another test may be given the port as soon as it is free, but hardly three times.
        let isQuiet = try (1...3).contains { _ in
            var server: TestServer? = try TestServer(kind)
            let port = try #require(server).port
            #expect(TestServer.answers(port))
            server = nil
            return !TestServer.answers(port)
        }
        #expect(isQuiet)
    }
}
