import Glibc
import TestSupport
import Testing

/// `build-site serve` as it is run at a terminal; what it serves is tested in PreviewTests.
@Suite struct ServeCommandTests {
    /// A preview that runs.
    private final class Running {
        let folder = TemporaryFolder(inMemory: true)
        private(set) var child: pid_t = 0
        var output: String { String(decoding: Project.file(folder.file("out")), as: UTF8.self) }
        var errors: String { String(decoding: Project.file(folder.file("err")), as: UTF8.self) }

        /// - Parameters:
        ///   - wrapper: a program that starts another, with its arguments.
        ///   - prepare: adds to the site's folder before it is served.
        init(
            _ arguments: [String], wrapper: [String] = [],
            prepare: (TemporaryFolder) throws -> Void = { _ in }
        ) throws {
            try folder.write("site/content/site.yaml", "title: Corner Shop\n")
            try prepare(folder)
            try folder.write("site/bin/xdg-open", "#!/bin/sh\necho \"$1\" > \"$0-was\"\n")
            chmod(folder.file("site/bin/xdg-open"), 0o755)
            let made = Program.run(
                "/usr/bin/python3",
                [
                    "-c", "import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript(sys.argv[2])",
                    folder.file("site/content/shop.db"),
                    Project.text(of: "docs/schema.sql")
                        + "INSERT INTO products(id, name) VALUES (1, 'Rain Gin');",
                ], in: "/")
            try #require(made.status == 0, "\(made.errors)")
            let ends = ["out", "err"].map { open(folder.file($0), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
            defer { for end in ends { close(end) } }
            let words = wrapper + [Program.path, "serve"] + arguments
            child = Program.start(
                words[0], Array(words.dropFirst()), in: folder.file("site"), output: ends[0], errors: ends[1])
        }

        deinit { _ = stop(SIGKILL) }

        /// Waits for something, for a minute at most; false when it does not come or the preview ends first.
        func waits(for condition: () -> Bool) -> Bool {
            for _ in 0..<6000 {
                if condition() { return true }
                var status: Int32 = 0
                if waitpid(child, &status, WNOHANG) == child {
                    child = 0
                    return condition()
                }
                usleep(10_000)
            }
            return condition()
        }

        /// Ends it; the exit status.
        func stop(_ signal: Int32 = SIGINT) -> Int32 {
            if child == 0 { return -1 }
            kill(child, signal)
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            child = 0
            return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func saysWhereItIsAndEndsCleanly(_ signal: Int32) throws {
        let preview = try Running(["--port", "0"])
        #expect(preview.waits { preview.errors.contains("1 product, read in ") }, "\(preview.errors)")
        #expect(preview.output.wholeMatch(of: /http:\/\/localhost:[0-9]+\/\n/) != nil, "\(preview.output)")
        #expect(preview.errors.contains("Ctrl-C ends the preview\n"))
        #expect(!preview.errors.contains("warning"))
        #expect(preview.stop(signal) == 0)
    }

    @Test func aTakenPortIsSaid() throws {
        let first = try Running(["--port", "0", "--quiet"])
        #expect(first.waits { first.output.hasSuffix("/\n") })
        let port = try #require(first.output.split(separator: ":").last?.prefix { $0.isNumber })
        let second = try Running(["--port", String(port), "--quiet"])
        #expect(second.waits { second.output.hasSuffix("/\n") })
        let next = try #require(second.output.split(separator: ":").last?.prefix { $0.isNumber })
        #expect(next != port && second.errors.contains("port \(port) is taken; this is \(next)\n"))
    }

    /// What root may do, it may give up.
    @Test func aPortThatTakesRightsIsSaid() throws {
        let first = Project.file(ifPresent: "/proc/sys/net/ipv4/ip_unprivileged_port_start") ?? []
        guard (Int(String(decoding: first, as: UTF8.self).prefix { $0.isNumber }) ?? 0) > 1010 else { return }
        let right = "-net_bind_service"
        let preview = try Running(
            ["--port", "1010", "--quiet"],
            wrapper: geteuid() == 0
                ? ["/usr/bin/setpriv", "--bounding-set=" + right, "--inh-caps=" + right] : [])
        #expect(
            preview.waits {
                preview.errors
                    == "error: port 1010 takes rights that this program has not; name one above 1023 with --port [listen]\n"
            }, "\(preview.errors)")
    }

    @Test func anAddressForOthersIsWarnedOfAndHasAToken() throws {
        let open = try Running(["--port", "0", "--host", "0.0.0.0", "--quiet"])
        #expect(open.waits { open.output.hasSuffix("\n") })
        #expect(
            open.errors
                == "warning: the preview listens on 0.0.0.0: whoever reaches this machine and has the token sees the site, "
                + "unencrypted [listen]\n")
        #expect(open.output.wholeMatch(of: /http:\/\/127.0.0.1:[0-9]+\/\?token=[a-z2-7]{26}\n/) != nil)
        // Nobody else reaches that one.
        let local = try Running(["--port", "0", "--host", "127.0.0.1", "--quiet"])
        #expect(local.waits { local.output.hasSuffix("/\n") })
        #expect(local.errors == "" && !local.output.contains("token"))
        let wrong = try Running(["--port", "0", "--host", "shop.example", "--quiet"])
        #expect(wrong.waits { wrong.errors.hasSuffix("[listen]\n") }, "\(wrong.errors)")
    }

    @Test func theBrowserIsOpenedAtTheAddress() throws {
        let preview = try Running(
            ["--port", "0", "--open", "--quiet"],
            wrapper: ["/bin/sh", "-c", "PATH=$PWD/bin:$PATH exec \"$@\"", "sh"])
        let note = preview.folder.file("site/bin/xdg-open-was")
        #expect(preview.waits { access(note, F_OK) == 0 && !Project.file(note).isEmpty })
        #expect(String(decoding: Project.file(note), as: UTF8.self) == preview.output)
    }

    /// Thousands of files are watched by their folders, on one descriptor (hugo#168).
    @Test func watchingTakesFewHandles() throws {
        let preview = try Running(
            ["--port", "0"],
            prepare: { folder in
                for i in 0..<2000 {
                    try folder.write(
                        "site/content/pictures/\(i % 4)/\(i).png", [UInt8](repeating: 0, count: 1))
                    try folder.write("site/public/\(i)/index.html", "not watched")
                }
            })
        #expect(preview.waits { preview.errors.contains("1 product, read in ") }, "\(preview.errors)")
        let process = "/proc/\(preview.child)"
        func watches() -> [Int] {
            TemporaryFolder.names(in: process + "/fdinfo").compactMap { name in
                // The descriptor may have been closed since.
                guard let bytes = Project.file(ifPresent: "\(process)/fdinfo/\(name)") else { return nil }
                let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                let count = lines.count { $0.hasPrefix("inotify ") }
                return count > 0 ? count : nil
            }
        }
        #expect(preview.waits { watches().reduce(0, +) >= 6 })
        #expect(watches().count == 1 && watches().reduce(0, +) < 20, "\(watches())")
        #expect(TemporaryFolder.names(in: process + "/fd").count < 60)
        #expect(preview.stop() == 0)
    }

    /// Neither a stream of events nor somebody who does not finish asking keeps it from ending.
    @Test func endsWhileOthersAreConnected() throws {
        let preview = try Running(["--port", "0", "--quiet"])
        #expect(preview.waits { preview.output.hasSuffix("/\n") })
        let port = try #require(preview.output.split(separator: ":").last?.prefix { $0.isNumber })
        let script = """
            import socket, sys
            port = int(sys.argv[1])
            ends = [socket.create_connection(("127.0.0.1", port)) for _ in range(6)]
            for end in ends[:3]: end.sendall(b"GET /__events HTTP/1.1\\r\\nHost: localhost:%d\\r\\n\\r\\n" % port)
            for end in ends[3:]: end.sendall(b"GET / HTTP/1.1\\r\\nHos")
            for end in ends[:3]: assert b"event-stream" in end.recv(4096)
            open(sys.argv[2], "w").close()
            while ends[0].recv(4096): pass
            """
        let note = preview.folder.file("connected")
        let other = Program.start(
            "/usr/bin/python3", ["-c", script, String(port), note], in: "/", output: 2, errors: 2)
        #expect(preview.waits { access(note, F_OK) == 0 })
        #expect(preview.stop() == 0)
        // What waited for events hears of the end.
        var status: Int32 = 0
        while waitpid(other, &status, 0) < 0, errno == EINTR {}
        #expect(status == 0)
    }

    /// The program with a stand-in for its worker that never answers, beside a shop with a picture.
    @Test(arguments: [SIGINT, SIGTERM]) func endsAtOnceWhileAPictureIsMade(_ signal: Int32) throws {
        let bin = TemporaryFolder()
        let note = bin.file("number")
        try bin.write(
            "picture-worker",
            "#!/bin/sh\necho 'picture-worker 1'; head -c 1 > /dev/null; echo $$ > '\(note)~'; "
                + "mv '\(note)~' '\(note)'; exec sleep 1000\n")
        chmod(bin.file("picture-worker"), 0o755)
        // It looks for the worker beside itself.
        let copy = "cp \"$1\" '\(bin.path)/' && shift && exec '\(bin.file("build-site"))' \"$@\""
        let preview = try Running(["--port", "0", "--quiet"], wrapper: ["/bin/sh", "-c", copy, "sh"]) {
            // A header is enough for a worker that does not look at it.
            try $0.write(
                "site/content/pictures/1.png",
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52]
                    + [0, 0, 0, 9, 0, 0, 0, 9, 8, 2, 0, 0, 0] as [UInt8])
            try $0.write("site/content/site.yaml", "title: Corner Shop\npictures: {match: id}\n")
        }
        #expect(preview.waits { preview.output.hasSuffix("/\n") }, "\(preview.errors)")
        let address = String(preview.output.dropLast())
        let script = """
            import sys, urllib.error, urllib.request
            try: status = urllib.request.urlopen(sys.argv[1]).status
            except urllib.error.HTTPError as e: status = e.code
            sys.exit(0 if status == 500 else 1)
            """
        let visitor = Program.start(
            "/usr/bin/python3", ["-c", script, address], in: "/", output: 2, errors: 2)
        #expect(preview.waits { access(note, F_OK) == 0 })
        #expect(preview.stop(signal) == 0)
        // Whoever waits for the picture is told that there will be none, rather than cut off.
        var status: Int32 = 0
        while waitpid(visitor, &status, 0) < 0, errno == EINTR {}
        #expect(status == 0)
        let worker = String(decoding: Project.file(note), as: UTF8.self).prefix { $0.isNumber }
        func isGone() -> Bool {
            guard let bytes = Project.file(ifPresent: "/proc/\(worker)/stat") else { return true }
            // Nobody may have asked how it ended.
            return String(decoding: bytes, as: UTF8.self).contains(") Z ")
        }
        for _ in 0..<500 where !isGone() { usleep(10_000) }
        #expect(isGone())
        if let number = pid_t(worker), !isGone() { kill(number, SIGKILL) }
        let cache = preview.folder.file("site/.build-site/pictures")
        #expect(TemporaryFolder.names(in: cache) == ["lock"])
    }

    /// A save with more folders than the system watches, where it lets us be a user with fewer: that save counts, and so does the next.
    @Test func aSaveThatIsTooMuchToWatchIsServed() throws {
        let limit = "echo 100 > /proc/sys/user/max_inotify_watches"
        guard Program.run("/usr/bin/unshare", ["-Ur", "sh", "-c", limit], in: "/").status == 0 else { return }
        let preview = try Running(
            ["--port", "0", "--quiet"],
            wrapper: ["/usr/bin/unshare", "-Ur", "sh", "-c", limit + "; exec \"$@\"", "sh"],
            prepare: {
                try $0.write("site/content/pages/about.md", "---\ntitle: About\n---\n\nNothing yet.\n")
            })
        #expect(preview.waits { preview.output.hasSuffix("/\n") }, "\(preview.errors)")
        let port = try #require(preview.output.split(separator: ":").last?.prefix { $0.isNumber })
        func shows(_ text: String) -> Bool {
            Program.run(
                "/usr/bin/python3",
                [
                    "-c", "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())",
                    "http://localhost:\(port)/about.html",
                ], in: "/"
            ).output.contains(text)
        }
        #expect(shows("Nothing yet."))
        #expect(preview.errors == "")
        for i in 0..<150 { try preview.folder.write("site/content/pictures/\(i)/x.txt", "x") }
        #expect(
            preview.waits {
                preview.errors
                    == "warning: the system watches no more folders (fs.inotify.max_user_watches); "
                    + "the files are looked at twice a second instead [polling]\n"
            }, "\(preview.errors)")
        try preview.folder.write("site/content/pages/about.md", "---\ntitle: About\n---\n\nSaved then.\n")
        #expect(preview.waits { shows("Saved then.") })
    }

    /// A user whom the system gives no inotify, where it lets us be one.
    @Test func whereNobodyTellsOfChangesItSaysThatItLooks() throws {
        let limit = "echo 0 > /proc/sys/user/max_inotify_instances"
        guard Program.run("/usr/bin/unshare", ["-Ur", "sh", "-c", limit], in: "/").status == 0 else { return }
        let preview = try Running(
            ["--port", "0", "--quiet"],
            wrapper: ["/usr/bin/unshare", "-Ur", "sh", "-c", limit + "; exec \"$@\"", "sh"])
        #expect(
            preview.waits {
                preview.errors.contains("; the files are looked at twice a second instead [polling]\n")
            }, "\(preview.errors)")
    }
}
