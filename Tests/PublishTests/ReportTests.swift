import Basics
import Foundation
import TestSupport
import Testing

/// What publishing says, before, while and after it sends.
@Suite struct ReportTests {
    @Test func aBuildComesFirstAndTheEndSaysWhatToOpen() throws {
        let server = try TestServer(.folder)
        let shop = try PublishedShop(products: 3, target: "{type: folder, to: \(server.root)}")
        let first = try shop.run("publish", "live", "--quiet")
        #expect(first.status == 0 && first.output == "" && first.errors == "", "\(first.errors)")
        let tree = try Tree(shop.output)
        #expect(tree.paths.contains("index.html"))
        #expect(try Set(server.files().keys) == Set(tree.paths))
        // A price that changed since: built and sent by one command.
        try shop.changePrices(of: 1)
        let second = try shop.run("publish")
        let changed = try Tree(shop.output).changed(since: tree)
        let bytes = changed.reduce(0) { $0 + Project.file(shop.output + "/" + $1).count }
        #expect(changed.count > 2 && bytes > 10_000)
        let now = try Set(Tree(shop.output).paths)
        // Pieces of the search stay for a day.
        let gone = Set(tree.paths).subtracting(now).filter { !$0.hasPrefix("search/pieces/") }.count
        #expect(
            second.output.hasPrefix(
                "live: \(changed.count) files sent (\(bytes / 1000) kB), \(gone) removed, "
                    + "\(now.count - changed.count) unchanged; "), "\(second.output)")
        #expect(second.output.firstMatch(of: #/unchanged; [0-9]+\.[0-9]{2} s\n/#) != nil)
        #expect(second.output.hasSuffix("\nopen \(server.root)\n"))
        // What is to be opened: the target's own address, else the site's.
        try shop.write(target: "{type: folder, to: \(server.root)}", "url: https://corner.example/\n")
        #expect(try shop.run("publish").output.hasSuffix("\nopen https://corner.example/\n"))
        try shop.write(target: "{type: folder, to: \(server.root), url: 'https://trial.example/a/'}")
        #expect(try shop.run("publish").output.hasSuffix("\nopen https://trial.example/a/\n"))
    }

    @Test func aDryRunListsEveryFileWithItsBytesAndChangesNothing() throws {
        let server = try TestServer(.folder)
        let shop = try PublishedShop(products: 30, target: server.target())
        try shop.build()
        let first = try shop.run("publish", "--no-build", "--dry-run")
        let tree = try Tree(shop.output)
        #expect(first.status == 0 && !FileManager.default.fileExists(atPath: server.root))
        var listed: [String: Int] = [:]
        var announced = 0
        for line in first.output.split(separator: "\n").dropLast() {
            if let title = try #/send [a-z ]+: ([0-9]+) files? \([0-9]+ (bytes|kB)\)/#.wholeMatch(in: line) {
                announced += Int(title.1) ?? 0
            } else {
                let parts = line.split(separator: " ")
                try #require(line.hasPrefix("  ") && parts.count == 2, "\(line)")
                listed[String(parts[0])] = Int(parts[1])
            }
        }
        let sizes = try Dictionary(
            uniqueKeysWithValues: tree.paths.map { ($0, try tree.bytes(of: $0).count) })
        #expect(listed == sizes && announced == sizes.count)
        let total = sizes.values.reduce(0, +) / 1000
        #expect(
            first.output.hasSuffix(
                "\nlive: \(sizes.count) files to send (\(total) kB), 0 to remove, 0 unchanged; nothing was changed there\n"
            ), "\(first.output.suffix(200))")

        // What would be removed is listed too, and stays.
        #expect(try shop.publish().status == 0)
        try shop.database("DELETE FROM products WHERE id = 3")
        try shop.build()
        let before = try server.files()
        let second = try shop.run("publish", "--no-build", "--dry-run")
        let gone = try #require(tree.paths.first { $0.hasSuffix("/bottle-3-3.html") })
        #expect(
            second.output.contains("\nremove: ") && second.output.contains("\n  \(gone)\n"),
            "\(second.output)")
        #expect(try server.files() == before)
    }

    /// Somebody who sees that the host will refuse the site can end it before hours of sending.
    @Test func warningsComeBeforeAnythingIsSent() throws {
        let server = try TestServer(.folder)
        let repository = server.place.file("pages.git")
        try TestServer.check("git", ["init", "--quiet", "--bare", repository])
        try TestServer.check("git", ["--git-dir", repository, "config", "receive.maxInputSize", "1000"])
        let shop = try PublishedShop(
            products: 3, target: "{type: git, to: \(repository), host: cloudflare-pages}")
        try shop.folder.write(
            "shop/content/lists.json",
            #"{"version": 1, "customers": [{"id": "c1", "name": "Ann", "lists": {"wish": [{"product": 1}]}}]}"#
        )
        try shop.build()
        // A page of 26 MB, as it is sent with --force.
        try shop.folder.write("shop/public/404.html", [UInt8](repeating: 0x20, count: 26 << 20))
        let run = try shop.publish("--force")
        #expect(run.status == 1)
        let lines = run.errors.split(separator: "\n")
        try #require(lines.count == 3, "\(run.errors)")
        #expect(
            lines[0].hasSuffix(
                "warning: '404.html' has 26 MB, and Cloudflare Pages takes 25 MB; make it smaller [host-limit]"
            ))
        #expect(
            lines[1].hasSuffix(
                "warning: whoever can read the repository finds the customers' lists; keep it private [lists-in-git]"
            ))
        #expect(lines[2].contains(": error: target 'live': ") && lines[2].hasSuffix("[target-full]"))
        // A dry run warns as well.
        let dry = try shop.publish("--force", "--dry-run")
        #expect(dry.status == 0 && dry.errors.hasSuffix("[host-limit]\n\(lines[1])\n"), "\(dry.errors)")
    }

    /// Each step has a line; at a terminal, one with a rate and the time that is left grows while files go.
    @Test(arguments: [TestServer.Kind.folder, .rsync, .git, .webdav])
    func progressHasARateAndTheTimeLeft(_ kind: TestServer.Kind) throws {
        guard TestServer.Kind.chosen.contains(kind) else { return }
        let server = try TestServer(kind)
        let shop = try PublishedShop(products: 60, target: server.target())
        shop.environment = try server.environment()
        try shop.build()
        let size = try Tree(shop.output).paths.count
        // script(1) gives it a terminal; progress is drawn ten times a second at most.
        shop.environment["TERM"] = "xterm"
        let command = "'\(PublishedShop.program)' publish live --no-build"
        let run = try shop.start(["-qec", command, "/dev/null"], of: "/usr/bin/script").1()
        #expect(run.status == 0, "\(run.output)")
        let lines = run.output.split(whereSeparator: { "\r\n".contains($0) })
        #expect(
            lines.contains { $0.contains(try! Regex("verify the site \(size)  [0-9]+\\.[0-9]{2} s")) },
            "\(run.output)")
        #expect(
            lines.contains {
                $0.contains("send ") && $0.contains(#/send [a-z ]+ [0-9]+  [0-9]+\.[0-9]{2} s/#)
            })
        #expect(
            lines.contains { $0.contains(#/send [a-z ]+ .*[0-9]+/[0-9]+  [0-9]+/s  [0-9]+ (s|min) left/#) },
            "\(run.output)")
    }
}
