import Basics
import Database
import Foundation
import TestSupport
import Testing

/// What is not sent, and what is said instead.
@Suite struct RefusalTests {
    private func shop(_ products: Int = 5) throws -> (PublishedShop, TestServer) {
        let server = try TestServer(.folder)
        return (try PublishedShop(products: products, target: server.target()), server)
    }

    @Test func aSiteThatWasNeverBuiltIsNotPublished() throws {
        let (shop, server) = try shop()
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(
            run.errors.hasSuffix(
                "public: error: there is no finished site here; run 'build-site' first [no-output]\n"),
            "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: server.root))
    }

    @Test func aFailedBuildIsNotPublished() throws {
        let (shop, server) = try shop()
        try shop.build()
        let settings = String(decoding: Project.file(shop.path + "/content/site.yaml"), as: UTF8.self)
        try shop.folder.write("shop/content/site.yaml", settings + "prodcuts: x\n")
        #expect(try shop.run("publish", "--quiet").status == 1)
        try shop.folder.write("shop/content/site.yaml", settings)
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(run.errors.contains("the last build failed, and what is here is older"))
        #expect(run.errors.hasSuffix("[failed-build]\n"))
        #expect(!FileManager.default.fileExists(atPath: server.root))
        // The older site may be sent if that is meant; and a build that goes well takes the mark away.
        #expect(try shop.publish("--force").status == 0)
        try shop.build()
        #expect(try shop.publish().status == 0)
    }

    @Test func filesChangedByHandAreNamed() throws {
        let (shop, server) = try shop()
        try shop.build()
        #expect(try shop.publish().status == 0)
        // In place and of the same length, so that neither name nor size tells.
        let path = "products/index.html"
        var bytes = Project.file(shop.output + "/" + path)
        bytes[bytes.count - 20] ^= 1
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: shop.output + "/" + path))
        try file.write(contentsOf: Data(bytes))
        try file.close()
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(
            run.errors
                == "public/products/index.html: error: is missing or was changed since it was built; build again, or send it with --force "
                + "[output-changed]\n", "\(run.errors)")
        #expect(try shop.publish("--force").status == 0)
        #expect(try server.files()[path] == bytes)
    }

    @Test func aFileOfSomebodyElseIsNotReplaced() throws {
        let (shop, server) = try shop()
        try server.putForeign("index.html", "<p>The old site.</p>")
        try shop.build()
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(
            run.errors.hasSuffix(
                "'index.html' at target 'live' is not ours and is where a file of the site goes; move it away, or replace it with "
                    + "--force [foreign-target-file]\n"), "\(run.errors)")
        #expect(try server.files() == ["index.html": Array("<p>The old site.</p>".utf8)])
        #expect(try shop.publish("--force").status == 0)
    }

    @Test func anEmptySiteDoesNotReplaceAFullOne() throws {
        let (shop, server) = try shop(60)
        try shop.build()
        #expect(try shop.publish().status == 0)
        let before = try server.files()
        try shop.database("DELETE FROM products")
        try shop.build()
        let run = try shop.publish()
        #expect(run.status == 1 && run.errors.contains("[many-deletions]"))
        #expect(try server.files() == before)
    }

    @Test func anotherMachineGoesOnWithoutSendingTwice() throws {
        let (shop, server) = try shop(30)
        try shop.build()
        #expect(try shop.publish().status == 0)
        // What this machine knows of the target is gone.
        try shop.folder.removeFile("shop/.build-site/public/published")
        #expect(
            try shop.run("publish", "--no-build").output.hasPrefix(
                "live: 0 files sent (0 bytes), 0 removed, "))
        try shop.database("DELETE FROM products WHERE id = 3")
        try shop.build()
        try shop.folder.removeFile("shop/.build-site/public/published")
        #expect(try shop.publish().status == 0)
        #expect(try Set(server.files().keys) == Set(Tree(shop.output).paths))
    }

    @Test func aDamagedRecordRemovesNothing() throws {
        let (shop, server) = try shop(30)
        try shop.build()
        #expect(try shop.publish().status == 0)
        let record = try #require(
            TemporaryFolder.names(in: server.root).first { $0.hasPrefix("build-site-files-") })
        let good = Project.file(server.root + "/" + record)
        for bytes in [Array(good.dropLast(9)), [], Array("../../etc/passwd".utf8)] {
            try shop.folder.removeFile("shop/.build-site/public/published")
            try server.place.write("data/site/" + record, bytes)
            let run = try shop.publish()
            #expect(run.status == 1 && run.errors.contains("[bad-record]"), "\(run.errors)")
        }
        try shop.database("DELETE FROM products WHERE id = 3")
        try shop.build()
        #expect(try shop.publish("--force").status == 0)
        // What nobody knows to be ours stays.
        #expect(try Set(server.files().keys).isStrictSuperset(of: Tree(shop.output).paths))
    }

    @Test func customersAreNotInWhatOthersCanRead() throws {
        let (shop, server) = try shop(30)
        try shop.folder.write(
            "shop/content/lists.json",
            #"{"version": 1, "customers": [{"id": "c1", "name": "Ann", "lists": {"wish": [{"product": 1}]}}]}"#
        )
        let built = try shop.build()
        let pages = try Tree(shop.output).paths.filter { $0.hasPrefix("lists/") && $0 != "lists/index.html" }
        try #require(!pages.isEmpty, "\(built.errors)")
        let address = pages[0].split(separator: "/")[1]
        #expect(!(try shop.run("publish", "--no-build", "--dry-run").output.contains(address)))
        #expect(try shop.publish().status == 0)
        for name in TemporaryFolder.names(in: server.root) where name.hasPrefix("build-site-") {
            let text =
                name.hasSuffix(".gz")
                ? String(
                    decoding: try ChildProgram("gzip", ["-dc", server.root + "/" + name]).run().output,
                    as: UTF8.self)
                : String(decoding: Project.file(server.root + "/" + name), as: UTF8.self)
            #expect(!text.contains(address) && text.contains("build-site"), "\(name)")
        }
        // Revoked on another machine: its page goes all the same.
        try shop.folder.write("shop/content/lists.json", #"{"version": 1, "customers": []}"#)
        try shop.build()
        try shop.folder.removeFile("shop/.build-site/public/published")
        let run = try shop.publish("--allow-delete")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try server.files().keys.filter { $0.contains(address) } == [])
    }

    /// The guard against deletions holds revocations back as well.
    @Test func customersPagesThatAreStillOnlineAreSaid() throws {
        let (shop, server) = try shop(60)
        try shop.folder.write(
            "shop/content/lists.json",
            #"{"version": 1, "customers": [{"id": "c1", "name": "Ann", "lists": {"wish": [{"product": 1}]}}]}"#
        )
        try shop.build()
        #expect(try shop.publish().status == 0)
        let before = try server.files()
        try shop.folder.write("shop/content/lists.json", #"{"version": 1, "customers": []}"#)
        try shop.database("DELETE FROM products WHERE id > 10")
        try shop.build()
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(
            run.errors.hasSuffix(
                "pages of customers that are revoked are still online; if that is right, say --allow-delete [many-deletions]\n"
            ), "\(run.errors)")
        #expect(try server.files() == before)
    }

    /// A page that a browser has kept finds its styles, and what it loads late, after the next publishing.
    @Test func pagesInCachesFindWhatTheyAskFor() throws {
        let (shop, server) = try shop(30)
        try shop.folder.write("shop/templates/style.css", "a { color: red }")
        try shop.build()
        #expect(try shop.publish().status == 0)
        let first = try Tree(shop.output).paths
        try shop.folder.write("shop/templates/style.css", "a { color: blue }")
        try shop.changePrices(of: 3)
        try shop.build()
        #expect(try shop.publish().status == 0)
        let now = try Set(Tree(shop.output).paths)
        let old = first.filter { !now.contains($0) }
        #expect(
            old.contains { $0.hasPrefix("assets/") } && old.contains { $0.hasPrefix("search/pieces/") },
            "\(old)")
        #expect(try Set(server.files(isExact: true).keys) == now.union(old))
        #expect(try shop.publish().status == 0)
        #expect(try Set(server.files(isExact: true).keys) == now.union(old))
        // A day later.
        let record = "shop/.build-site/public/published/live/record"
        let text = String(decoding: Project.file(shop.folder.file(record)), as: UTF8.self)
        let earlier = text.split(separator: "\n").map { line in
            line.hasPrefix("~ ") ? "~ 0 " + line.split(separator: " ")[2] : String(line)
        }
        try shop.folder.write(record, earlier.joined(separator: "\n") + "\n")
        let run = try shop.run("publish", "--no-build")
        #expect(run.output.hasPrefix("live: 0 files sent (0 bytes), \(old.count) removed, "), "\(run.output)")
        #expect(try Set(server.files(isExact: true).keys) == now)
    }

    struct Wrong: CustomTestStringConvertible, Sendable {
        let target: String, message: String
        var testDescription: String { target }
    }

    @Test(arguments: [
        Wrong(target: "{type: folder, to: .}", message: "is, or contains, "),
        Wrong(target: "{type: folder, to: public/more}", message: "is inside "),
        Wrong(target: "{type: folder, to: content/more}", message: "is inside "),
        Wrong(target: "{type: folder, to: /}", message: "is, or contains, /; name another [bad-target]"),
        Wrong(
            target: "{type: git, to: 'https://me:hunter2@git.example/x'}",
            message: "'publish.live.to' holds a password"),
        Wrong(
            target: "{type: rclone, to: ':ftp,host=x,pass=hunter2:'}",
            message: "'publish.live.to' holds a password"),
        Wrong(
            target: "{type: rclone, to: 'x:y', flags: ['--ftp-pass=hunter2']}",
            message: "'--ftp-pass' holds a password or key"),
        Wrong(
            target: "{type: rclone, to: 'x:y', flags: ['--header=Authorization: Basic hunter2']}",
            message: "'--header' holds a password or key"),
        Wrong(
            target: "{type: rclone, to: 'x:y', flags: ['--webdav-url=https://me:hunter2@dav.example']}",
            message: "'--webdav-url' holds a password or key"),
        Wrong(
            target:
                "{type: rclone, to: 'x:y', flags: ['--azureblob-sas-url=https://a.example/?sv=1&s=hunter2']}",
            message: "'--azureblob-sas-url' holds a password or key"),
        Wrong(
            target: "{type: folder, to: ../there, url: 'https://me:hunter2@shop.example/'}",
            message: "'publish.live.url' holds a password, and is printed"),
        Wrong(
            target: "{type: folder, to: ../there, url: 'shop.example'}",
            message: "'shop.example' is no web address, as in 'https://shop.example/'"),
        Wrong(
            target: "{type: rclone, to: 'x:y', flags: ['--password-command=reboot']}",
            message: "[publish-secret]"),
        Wrong(
            target: "{type: rclone, to: 'x:y', flags: ['--config=hunter3']}",
            message: "'--config' is not passed on; name the file with 'rclone_config'"),
        Wrong(target: "{type: rsync, to: -e reboot}", message: "'-e reboot' is no place to publish to"),
        Wrong(target: "{type: rsync, to: /var/www}", message: "'/var/www' is no host and folder"),
        Wrong(
            target: "{type: git, to: 'ext::reboot'}",
            message: "'ext::reboot' runs a program; name a repository"),
        Wrong(target: "{type: git, to: ../x, branch: -x}", message: "'-x' is no name of a branch"),
        Wrong(
            target: "{type: rsync, to: 'a:b', branch: x}",
            message: "'branch' is not a setting of 'publish.live'"),
        Wrong(target: "{type: fodler, to: x}", message: "did you mean 'folder'?"),
    ])
    func wrongTargetsAreRefused(_ wrong: Wrong) throws {
        let shop = try PublishedShop(products: 1, target: wrong.target)
        try shop.run("build", "--quiet")
        let run = try shop.run("publish", "--quiet")
        #expect(run.status == 1)
        #expect(run.errors.contains(wrong.message), "\(run.errors)")
        #expect(!run.errors.contains("hunter2"))
    }

    @Test func theTargetMustBeNamedWhenThereAreSeveral() throws {
        let (shop, server) = try shop()
        try shop.build()
        try shop.write(target: "{type: folder, to: \(server.root)}\n  trial: {type: folder, to: ../trial}")
        try shop.build()
        #expect(
            try shop.run("publish", "--no-build", "--quiet").errors
                == "error: there are several targets; say which: 'live', 'trial' [unknown-target]\n")
        #expect(
            try shop.run("publish", "trail", "--no-build", "--quiet").errors
                == "error: 'trail' is no target of content/site.yaml; did you mean 'trial'? [unknown-target]\n"
        )
        #expect(try shop.run("publish", "trial", "--no-build", "--quiet").status == 0)
    }

    @Test func aServerThatIsNotThereIsSaid() throws {
        let server = try TestServer(.ftp)
        let shop = try PublishedShop(products: 1, target: server.target())
        try shop.build()
        server.stop()
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(
            run.errors.contains("connection refused; check the address and the network, then publish again"),
            "\(run.errors)")
        #expect(run.errors.hasSuffix("[target-unreachable]\n"))
    }

    /// A disk of 200 kB, where the system lets us have one.
    @Test func aFullDiskIsSaidAndTakenUpWhenThereIsRoom() throws {
        let place = TemporaryFolder()
        let disk = place.file("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mounted = try? ChildProgram("mount", ["-t", "tmpfs", "-o", "size=200k", "tmpfs", disk]).run()
        guard mounted?.status == 0 else { return }
        defer { _ = try? ChildProgram("umount", [disk]).run() }
        let shop = try PublishedShop(products: 60, target: "{type: folder, to: \(disk)/site}")
        try shop.build()
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(
            run.errors.contains("no space left on device; make room there, then publish again"),
            "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: disk + "/site/index.html"))
        try TestServer.check("mount", ["-o", "remount,size=20m", disk])
        let again = try shop.run("publish", "--no-build")
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("(taken up where the last run stopped)"))
        let differences = try Tree(disk + "/site").differences(from: Tree(shop.output)).filter {
            !$0.hasPrefix("build-site-")
        }
        #expect(differences == [])
    }
}
