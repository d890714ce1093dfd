import Basics
import Foundation
import TestSupport
import Testing

@testable import Publish

/// What happens when the way to a target is not what it should be.
@Suite struct ArrivalTests {
    @Test func brokenConnectionsAreTriedAgainWithLongerAndLongerWaits() throws {
        var pauses: [Int] = []
        var tries = 0
        let broken = TransportFault(.unreachable, "connection reset")
        func attempt(failing count: Int, with fault: TransportFault) throws -> Int {
            (pauses, tries) = ([], 0)
            return try retrying(pause: { pauses.append($0) }) {
                tries += 1
                if tries <= count { throw fault }
                return tries
            }
        }
        #expect(try attempt(failing: 3, with: broken) == 4)
        #expect(pauses == [500, 2000, 8000])
        #expect(throws: TransportFault.self) { try attempt(failing: 4, with: broken) }
        #expect(tries == 4)
        // A wrong password is wrong the second time too, and many servers count.
        #expect(throws: TransportFault.self) { try attempt(failing: 1, with: TransportFault(.denied, "no")) }
        #expect(tries == 1 && pauses == [])
    }

    @Test func aConnectionThatBreaksInTheMiddleIsNoFault() throws {
        let server = try TestServer(.rsync)
        let shop = try PublishedShop(products: 3, target: server.target())
        try shop.build()
        // The first two attempts to send files end in the middle.
        try shop.interpose(
            "rsync",
            """
            case " $* " in *" -z "*)
              if [ ! -e "$0-twice" ]; then
                if [ -e "$0-once" ]; then touch "$0-twice"; else touch "$0-once"; fi
                echo 'rsync: connection unexpectedly closed (7 bytes received so far)' >&2
                exit 12
              fi
            esac
            """)
        let run = try shop.publish()
        #expect(run.status == 0, "\(run.errors)")
        #expect(FileManager.default.fileExists(atPath: shop.folder.file("bin/rsync-twice")))
        #expect(try Set(server.files().keys) == Set(Tree(shop.output).paths))
    }

    /// Kinds whose servers notice at once what is changed behind their back; WebDAV is asked by the same program.
    static let damaged = TestServer.Kind.chosen.filter { [.rsync, .sftp, .ftp, .s3].contains($0) }

    @Test(arguments: damaged)
    func whatDoesNotArriveAsItWasSentIsSentAgainOrSaid(_ kind: TestServer.Kind) throws {
        let server = try TestServer(kind)
        let shop = try PublishedShop(products: 3, target: server.target())
        try shop.build()
        // Just before the program looks what arrived, something there changes a page: of the same size, where hashes are to
        // be had; FTP has none, and neither has SFTP where there is no shell.
        let page = server.root + "/products/index.html"
        let change =
            kind == .ftp || kind == .sftp
            ? "printf x > '\(page)'"
            : "printf '\\001' | dd of='\(page)' bs=1 seek=100 conv=notrunc status=none"
        try shop.interpose(
            kind == .rsync ? "rsync" : "rclone",
            """
            case " $* " in *" -n -c "*|" check "*)
              if [ -e '\(page)' ] && [ -e "$0-damages" ]; then
                \(change)
                [ -e "$0-always" ] || rm "$0-damages"
              fi
            esac
            """)
        let mark = "bin/\(kind == .rsync ? "rsync" : "rclone")"
        try shop.folder.write(mark + "-damages", "")
        let once = try shop.publish()
        #expect(once.status == 0, "\(once.errors)")
        #expect(!FileManager.default.fileExists(atPath: shop.folder.file(mark + "-damages")))
        #expect(try server.differences(from: shop.output) == [])

        // Again and again: it is said, and the next run sends it.
        try shop.changePrices(of: 3)
        try shop.build()
        for name in ["-damages", "-always"] { try shop.folder.write(mark + name, "") }
        let always = try shop.publish()
        #expect(always.status == 1)
        #expect(
            always.errors.contains(
                "1 files at target 'live' are not what was sent ('products/index.html'); look whether something there changes them, "
                    + "then publish again [target-differs]"), "\(always.errors)")
        for name in ["-damages", "-always"] { try shop.folder.removeFile(mark + name) }
        // A product goes whose page is gone there already.
        try shop.database("DELETE FROM products WHERE id = 3")
        try shop.build()
        let gone = try #require(Tree(server.root).paths.first { $0.hasSuffix("/bottle-3-3.html") })
        unlink(server.root + "/" + gone)
        let mended = try shop.publish("--allow-delete")
        #expect(mended.status == 0, "\(mended.errors)")
        #expect(try server.differences(from: shop.output) == [])
    }

    @Test func whatSomebodyElsePushedInTheMeantimeIsNotLost() throws {
        let server = try TestServer(.folder)
        let repository = server.place.file("pages.git")
        try TestServer.check("git", ["init", "--quiet", "--bare", repository])
        let shop = try PublishedShop(products: 3, target: "{type: git, to: \(repository)}")
        try shop.build()
        #expect(try shop.publish().status == 0)
        try shop.changePrices(of: 1)
        try shop.build()
        try shop.interpose(
            "git",
            """
            case " $* " in *" push "*)
              if mkdir "$0-pushed" 2>/dev/null; then
                export GIT_DIR='\(repository)'
                tree=$( (git ls-tree gh-pages; printf '100644 blob %s\\tnote.txt\\n' "$(echo mine | git hash-object -w --stdin)") | git mktree)
                commit=$(git -c user.name=x -c user.email=x@localhost commit-tree "$tree" -p gh-pages -m x)
                git update-ref refs/heads/gh-pages "$commit"
                unset GIT_DIR
              fi
            esac
            """)
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(
            run.errors.hasSuffix(
                "target 'live': somebody else has pushed to 'gh-pages' in the meantime; publish again [target-overtaken]\n"
            ), "\(run.errors)")
        #expect(try shop.publish().status == 0)
        let note = try TestServer.check("git", ["--git-dir", repository, "show", "gh-pages:note.txt"])
        #expect(note == "mine\n")
        let page = try TestServer.check(
            "git", ["--git-dir", repository, "show", "gh-pages:products/index.html"])
        #expect(Array(page.utf8) == Project.file(shop.output + "/products/index.html"))
    }

    /// Else a push that arrived would be taken for somebody else's.
    @Test func aPushWhoseAnswerGetsLostHasArrived() throws {
        let server = try TestServer(.folder)
        let repository = server.place.file("pages.git")
        try TestServer.check("git", ["init", "--quiet", "--bare", repository])
        let shop = try PublishedShop(products: 3, target: "{type: git, to: \(repository)}")
        try shop.build()
        try shop.interpose(
            "git",
            """
            case " $* " in *" push "*)
              if mkdir "$0-pushed" 2>/dev/null; then
                git "$@" && sleep 1
                echo 'fatal: the remote end hung up unexpectedly' >&2
                exit 128
              fi
            esac
            """)
        let run = try shop.publish()
        #expect(run.status == 0, "\(run.errors)")
        let log = try TestServer.check("git", ["--git-dir", repository, "log", "--format=%s", "gh-pages"])
        #expect(log.split(separator: "\n").count == 1, "\(log)")
        #expect(try shop.publish().status == 0)
    }

    /// Each publishing leaves a file for each file that it sends.
    @Test func whatGitRemembersIsPackedNowAndThen() throws {
        let server = try TestServer(.folder)
        let pages = server.place.file("pages.git")
        try TestServer.check("git", ["init", "--quiet", "--bare", pages])
        let shop = try PublishedShop(products: 3, target: "{type: git, to: \(pages)}")
        try shop.build()
        #expect(try shop.publish().status == 0)
        let ours = shop.path + "/.build-site/public/published/live/git"
        func loose() throws -> Int {
            let text = try TestServer.check("git", ["--git-dir", ours, "count-objects"])
            return try #require(text.split(separator: " ").first.flatMap { Int($0) })
        }
        let few = try loose()
        #expect(few > 50)
        let objects = (0..<8000).map { "blob\nmark :\($0 + 1)\ndata <<.\n\($0)\n.\n\n" }.joined()
        try shop.folder.write("objects", objects)
        try TestServer.check(
            "sh",
            [
                "-c", "git --git-dir \"$1\" -c fastimport.unpackLimit=100000 fast-import --quiet < \"$2\"",
                "sh", ours,
                shop.folder.file("objects"),
            ])
        try #require(loose() > 8000)
        try shop.changePrices(of: 1)
        try shop.build()
        let run = try shop.publish()
        #expect(run.status == 0, "\(run.errors)")
        #expect(try loose() < few)
    }

    /// Kinds whose programs end as well as ever, or nearly, when a file stays that was to go.
    static let stubborn = TestServer.Kind.chosen.filter { [.rsync, .webdav, .s3].contains($0) }

    @Test(arguments: stubborn)
    func whatCannotBeRemovedIsSaidAndRemovedTheNextTime(_ kind: TestServer.Kind) throws {
        let server = try TestServer(kind)
        let shop = try PublishedShop(products: 60, target: server.target())
        shop.environment = try server.environment()
        try shop.folder.write(
            "shop/content/lists.json",
            #"{"version": 1, "customers": [{"id": "c1", "name": "Ann", "lists": {"wish": [{"product": 1}]}}]}"#
        )
        try shop.build()
        #expect(try shop.publish().status == 0)
        func customers() throws -> [String] {
            try server.files().keys.filter { $0.hasPrefix("lists/") && $0 != "lists/index.html" }.sorted()
        }
        let pages = try customers()
        try #require(!pages.isEmpty)
        try shop.folder.write("shop/content/lists.json", #"{"version": 1, "customers": []}"#)
        try shop.database("DELETE FROM products WHERE id = 3")
        try shop.build()
        let home = try server.files()["index.html"]
        try shop.interpose(
            kind == .rsync ? "rsync" : "rclone",
            """
            [ -e "$0-may" ] || case " $* " in
            *" --delete-missing-args "*)
              echo 'rsync: [generator] delete_file: unlink(x) failed: Permission denied (13)' >&2
              exit 23;;
            " delete "*) exit 0;;
            esac
            """)
        let refused = try shop.publish("--allow-delete")
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains(
                "target 'live': \(pages.count) of \(pages.count) files are still there after they were removed ('lists/…/"
            ) && refused.errors.hasSuffix("[target-denied]\n"), "\(refused.errors)")
        // Nothing else is done before that.
        #expect(try server.files()["index.html"] == home)
        try shop.folder.write("bin/\(kind == .rsync ? "rsync" : "rclone")-may", "")
        let again = try shop.publish("--allow-delete")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try customers() == [])
        #expect(try Set(server.files().keys) == Set(Tree(shop.output).paths))
    }

    /// Where a file is written in place, the note of what is there can be cut as well.
    @Test func aNoteThatWasCutIsKnownHere() throws {
        let server = try TestServer(.webdav)
        let shop = try PublishedShop(products: 30, target: server.target())
        try shop.build()
        #expect(try shop.publish().status == 0)
        try server.putForeign("build-site-target.txt", "")
        try shop.changePrices(of: 1)
        try shop.database("DELETE FROM products WHERE id = 3")
        try shop.build()
        let run = try shop.publish()
        #expect(run.status == 0, "\(run.errors)")
        #expect(try server.differences(from: shop.output) == [])
        // Another machine cannot know.
        try server.putForeign("build-site-target.txt", "")
        try shop.folder.removeFile("shop/.build-site/public/published")
        let other = try shop.publish()
        #expect(other.status == 1 && other.errors.hasSuffix("[bad-record]\n"), "\(other.errors)")
    }

    @Test(arguments: [TestServer.Kind.folder, .rsync, .webdav, .git])
    func whatTheTargetLostIsSentAgainWithForce(_ kind: TestServer.Kind) throws {
        guard TestServer.Kind.chosen.contains(kind) else { return }
        let server = try TestServer(kind)
        let shop = try PublishedShop(
            products: 3,
            target: server.target().replacing("{type", with: "{precompressed: [gz], type"))
        shop.environment = try server.environment()
        try shop.build()
        let first = try shop.publish()
        #expect(first.status == 0, "\(first.errors)")
        let whole = try server.files()
        let lost = ["index.html", "products/index.html", "products/index.html.gz"]
        try server.lose(lost)
        #expect(try server.files().count == whole.count - lost.count)
        let run = try shop.run("publish", "--no-build", "--force")
        #expect(run.output.hasPrefix("live: \(lost.count) files sent ("), "\(run.output)\(run.errors)")
        #expect(try server.files() == whole)
    }

    /// A run that ends between its two first notes leaves one that nothing leads to.
    @Test func aNoteOfARunThatNeverBeganGoes() throws {
        let server = try TestServer(.folder)
        let shop = try PublishedShop(products: 3, target: server.target())
        try shop.build()
        #expect(try shop.publish().status == 0)
        let note = "build-site-sending-0123456789abcdef.gz"
        try Data().write(to: URL(fileURLWithPath: server.root + "/" + note))
        try shop.folder.write(
            "shop/.build-site/public/published/live/sending",
            "build-site record 1\ngeneration 0123456789abcdef\nsalt \(String(repeating: "00", count: 16))\nend\n"
        )
        try shop.changePrices(of: 1)
        try shop.build()
        #expect(try shop.publish().status == 0)
        let notes = TemporaryFolder.names(in: server.root).filter { $0.hasPrefix("build-site-") }
        #expect(notes.count == 2 && !notes.contains(note), "\(notes)")
    }

    struct Said: CustomTestStringConvertible, Sendable {
        let program: String, text: String
        var status: Int32 = 1
        var kind: TransportFault.Kind?
        let meaning: TransportFault.Kind
        var testDescription: String { text }
    }

    @Test(arguments: [
        Said(
            program: "rsync",
            text: "rsync: connection unexpectedly closed (1530 bytes received so far)",
            status: 12, kind: .unreachable, meaning: .unreachable),
        Said(
            program: "rsync",
            text: "rsync: connection unexpectedly closed (1552 bytes received so far)",
            status: 12, kind: .unreachable, meaning: .unreachable),
        Said(
            program: "rsync", text: "rsync: read error: 530 bytes, 552 more", status: 12, kind: .unreachable,
            meaning: .unreachable),
        Said(program: "rclone", text: "1552 files: 1530 of them other", meaning: .other),
        Said(program: "rclone", text: "530 Not logged in.", meaning: .denied),
        Said(program: "rclone", text: "a.html: Failed to copy: update stor: 552 Exceeded.", meaning: .full),
        Said(program: "rclone", text: "a.html: 552 Exceeded.", kind: .unreachable, meaning: .full),
        // What the disk says comes before what that does to the connection.
        Said(
            program: "rsync",
            text: "rsync: write failed: No space left on device (28)\nrsync: connection unexpectedly closed",
            status: 12, kind: .unreachable, meaning: .full),
        Said(
            program: "rsync",
            text:
                "www@a: Permission denied (publickey).\nrsync: connection unexpectedly closed",
            status: 255, kind: .unreachable, meaning: .denied),
    ])
    func whatAProgramSaysIsUnderstood(_ said: Said) {
        let fault = TransportFault(said.program, said.text, status: said.status, kind: said.kind)
        #expect(fault.kind == said.meaning)
    }

    @Test(arguments: [
        ("rsync", "{type: rsync, to: 'a.example:x'}"), ("rclone", "{type: rclone, to: 'x:y'}"),
        ("git", "{type: git, to: ../x.git}"),
    ])
    func aProgramThatIsMissingIsNamed(_ program: String, _ target: String) throws {
        let shop = try PublishedShop(products: 1, target: target)
        try shop.build()
        shop.environment["PATH"] = shop.folder.file("nothing")
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(
            run.errors.hasSuffix(
                "\(program) is not installed; install it (apt install \(program)) [missing-program]\n"),
            "\(run.errors)")
    }

    /// While a site is sent, nothing may change it, and nobody sends to the same target.
    @Test func oneAtATime() throws {
        let server = try TestServer(.rsync)
        let shop = try PublishedShop(products: 3, target: server.target())
        try shop.build()
        try shop.interpose("rsync", "touch \"$0-runs\"; while [ ! -e \"$0-goes-on\" ]; do sleep 0.05; done")
        let (child, finish) = try shop.start(["publish", "live", "--no-build", "--quiet"])
        let runs = shop.folder.file("bin/rsync-runs")
        while access(runs, F_OK) != 0, child.poll() == nil { usleep(5000) }
        for command in [["build", "--quiet"], ["publish", "live", "--no-build", "--quiet"]] {
            let run = try shop.start(command).1()
            #expect(run.status == 1)
            #expect(
                run.errors.contains("process \(child.id)") && run.errors.hasSuffix("[locked]\n"),
                "\(run.errors)")
        }
        try shop.folder.write("bin/rsync-goes-on", "")
        let run = finish()
        #expect(run.status == 0, "\(run.errors)")
    }

    /// Else it would send on, and the next run would have to wait for it.
    @Test func aRunThatIsKilledTakesItsProgramsWithIt() throws {
        let server = try TestServer(.rsync)
        let shop = try PublishedShop(products: 3, target: server.target())
        try shop.build()
        try shop.interpose("rsync", "touch \"$0-runs\"; [ -e \"$0-goes-on\" ] || exec sleep 1000")
        let (child, finish) = try shop.start(["publish", "live", "--no-build", "--quiet"])
        let runs = shop.folder.file("bin/rsync-runs")
        while access(runs, F_OK) != 0, child.poll() == nil { usleep(5000) }
        child.kill()
        _ = finish()
        try shop.folder.write("bin/rsync-goes-on", "")
        let run = try shop.publish()
        #expect(run.status == 0, "\(run.errors)")
    }

    /// A server that answers with another key is not the one that was meant.
    @Test func aHostWithAnotherKeyGetsNothing() throws {
        let server = try TestServer(.rsync)
        let shop = try PublishedShop(products: 1, target: server.target())
        try shop.build()
        try server.know("wrong")
        let run = try shop.publish()
        #expect(run.status == 1)
        #expect(run.errors.contains("[target-denied]"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: server.root))
    }
}
