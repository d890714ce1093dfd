import Basics
import Glibc
import Site

/// Publishes with rsync over ssh. rsync writes each file under another name and renames it over the old one.
final class RsyncTransport: Transport {
    private let place: Workplace
    private let destination: String
    /// Whether every file named is sent, be its size and time what they may.
    private var isExact = false

    let isAtomic = false
    let replacement = Replacement.whole

    init(_ place: Workplace) {
        self.place = place
        let text = place.target.destination
        destination = text.hasSuffix("/") ? text : text + "/"
    }

    /// How ssh is called; it never asks anything, since nobody may be there to answer.
    private var shell: String {
        var words = ["ssh"] + Self.sharing(in: place)
        if let port = place.target.port { words += ["-p", String(port)] }
        if let file = place.target.configuration { words += ["-F", place.absolute(file)] }
        // rsync takes the words apart itself and knows quotes; it doubles as the only place where one is needed.
        return words.map {
            $0.contains(" ") || $0.contains("'") ? "'" + $0.replacing("'", with: "''") + "'" : $0
        }
        .joined(separator: " ")
    }

    /// A folder with a blank in its name goes to the other side apart from the command line. Any other does not: rrsync, with
    /// which a server holds a key to one folder, refuses what it cannot see there, and all other paths of ours are plain.
    private var quoting: [String] {
        let plain = destination.utf8.allSatisfy {
            ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || (0x2D...0x3A).contains($0)
                || [0x40, 0x5F, 0x7E].contains($0)
                || $0 >= 0x80
        }
        return plain ? [] : ["-s"]
    }

    /// Options of ssh for programs that call it one after the other: the first connection serves them all.
    static func sharing(in place: Workplace) -> [String] {
        let options = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=20"]
        // A socket's path has room for 108 bytes, with some 20 that ssh adds while it makes it.
        let socket = place.scratchPath + "/ssh"
        guard socket.utf8.count < 85, !socket.contains(where: { $0.isWhitespace || "%'\\\"".contains($0) })
        else {
            return options
        }
        return options + [
            "-o", "ControlMaster=auto", "-o", "ControlPath=\(socket)", "-o", "ControlPersist=10",
        ]
    }

    /// - Parameter allowed: exit statuses that are no fault.
    @discardableResult
    private func run(
        _ arguments: [String], allowed: Set<Int32> = [0], onLine: (String) throws -> Void = { _ in }
    ) throws -> ProgramResult {
        let program = place.program("rsync", quoting + ["--timeout=60", "-e", shell] + arguments)
        let result: ProgramResult
        do {
            result = try program.run { stream, line in if stream == .output { try onLine(line) } }
        } catch let error as FileError {
            throw error.code == ENOENT
                ? TransportFault(.missingProgram, "rsync is not installed") : TransportFault(error)
        }
        guard allowed.contains(result.status) else {
            // rsync(1), EXIT VALUES: broken connections and timeouts; 255 is ssh's own.
            let isBroken: Set<Int32> = [10, 12, 30, 35, 255]
            throw TransportFault(
                "rsync", result.errors, status: result.status,
                kind: result.status == 127
                    ? .missingProgram : isBroken.contains(result.status) ? .unreachable : nil)
        }
        return result
    }

    func open() throws {}

    /// Runs something that reads from the target's folder; that it is missing is no fault, which rrsync says in its own words.
    private func ifThere(_ body: () throws -> Void) throws {
        do { try body() } catch let fault as TransportFault
            where ["change_dir", "rrsync error"].contains(where: fault.message.contains)
            && fault.message.contains("No such file or directory")
        {}
    }

    func read(_ name: String) throws -> [UInt8]? {
        let inbox = try place.scratch.makingDirectory("inbox")
        try inbox.removeFile(name)
        try ifThere {
            try run(["--ignore-missing-args", "--", destination + name, place.scratchPath + "/inbox/"])
        }
        guard try inbox.status(name) != nil else { return nil }
        return try inbox.contents(of: name, limit: 1 << 30)
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let outbox = try place.scratch.makingDirectory("outbox")
        try outbox.replace(name, with: bytes)
        try run(["--mkpath", "-I", "--chmod=F644", "--", place.scratchPath + "/outbox/" + name, destination])
        try outbox.removeFile(name)
    }

    /// Items by the folder that they come from.
    private func groups(_ items: [Outgoing]) -> [(root: String, items: [Outgoing])] {
        [(place.sitePath, items.filter { !$0.isMade }), (place.madePath, items.filter(\.isMade))].filter {
            !$0.1.isEmpty
        }
    }

    private func listFile(_ paths: some Sequence<String>) throws -> String {
        try place.list("paths", paths, separator: 0)
    }

    func list(_ folder: String) throws -> [String] { try names(["-r"], below: folder).sorted() }

    func existing(_ paths: [String]) throws -> [String] {
        if paths.isEmpty { return [] }
        let known = Set(paths)
        return try names(["--from0", "--files-from=\(try listFile(paths))"], below: "").filter(known.contains)
    }

    /// What rsync would fetch into an empty folder.
    private func names(_ options: [String], below folder: String) throws -> [String] {
        var out: [String] = []
        _ = try place.scratch.makingDirectory("nowhere")
        let nowhere = place.scratchPath + "/nowhere/"
        try ifThere {
            try run(
                ["-n", "--ignore-missing-args", "--out-format=%n"] + options + [
                    "--", destination + folder, nowhere,
                ]
            ) { line in if !line.hasSuffix("/") { out.append(line) } }
        }
        return out
    }

    /// What rsync would send if it compared the bytes of everything.
    private func compare(_ items: [Outgoing], _ options: [String]) throws -> [String] {
        var out: [String] = []
        for (root, items) in groups(items) {
            let known = Set(items.map(\.path))
            try run(
                [
                    "-n", "-c", "--no-implied-dirs", "--from0",
                    "--files-from=\(try listFile(items.map(\.path)))", "--out-format=%n",
                ]
                    + options + ["--", root + "/", destination]
            ) { line in if known.contains(line) { out.append(line) } }
        }
        return out
    }

    func differing(_ items: [Outgoing]) throws -> [String] { try compare(items, ["--existing", "--mkpath"]) }

    func mismatches(_ items: [Outgoing]) throws -> [String] {
        let out = try compare(items, [])
        // Sizes and times told rsync that these are the same.
        if !out.isEmpty { isExact = true }
        return out
    }

    func send(_ items: [Outgoing], moved: (Int) -> Void, done: ([Outgoing]) throws -> Void) throws {
        // A part at a time, so that what is there is known when the connection breaks. rsync's own look at size and time
        // passes over what is there from a run that was cut; the comparison at the end looks at the bytes.
        for part in items.parts(files: 2000, bytes: 64 << 20) {
            for (root, items) in groups(part) {
                let list = try listFile(items.map(\.path))
                let known = Set(items.map(\.path))
                var left = items.count
                // It names a file when it has written it to the connection, which is not to say that it arrived.
                try run(
                    (isExact ? ["-I"] : []) + [
                        "-t", "-z", "--omit-dir-times", "--from0", "--files-from=\(list)", "--out-format=%n",
                        "--", root + "/", destination,
                    ]
                ) { line in
                    if known.contains(line) {
                        moved(1)
                        left -= 1
                    }
                }
                moved(left)
            }
            try done(part)
        }
    }

    func remove(_ paths: [String]) throws {
        if paths.isEmpty { return }
        // rsync removes what is named and missing here, so the folders must be here and the files must not. It ends with 23
        // for whatever stays, for a good reason or not: who called asks what is there.
        try inSkeleton(of: Set(paths.map { splitPath($0).folder })) { root in
            try run(
                [
                    "-r", "--delete-missing-args", "--omit-dir-times", "--no-implied-dirs", "--from0",
                    "--files-from=\(try listFile(paths))", "--", root, destination,
                ], allowed: [0, 23, 24])
        }
        // A folder that still holds something stays, which rsync reports and we do not mind. Deepest first.
        let folders = foldersAbove(paths)
        var depth = folders.map { $0.split(separator: "/").count }.max() ?? 0
        while depth > 0 {
            let level = folders.filter { $0.split(separator: "/").count == depth }
            try inSkeleton(of: Set(level.map { splitPath($0).folder })) { root in
                try run(
                    [
                        "-d", "--delete-missing-args", "--omit-dir-times", "--no-implied-dirs", "--from0",
                        "--files-from=\(try listFile(level))", "--", root, destination,
                    ], allowed: [0, 23, 24, 25])
            }
            depth -= 1
        }
    }

    /// Runs something with a folder that holds empty folders of some names.
    private func inSkeleton(of folders: Set<String>, _ body: (String) throws -> Void) throws {
        let skeleton = try place.scratch.makingDirectory("skeleton")
        try skeleton.removeContents()
        for folder in folders where !folder.isEmpty { _ = try skeleton.makingDirectory(folder) }
        defer { try? skeleton.removeContents() }
        try body(place.scratchPath + "/skeleton/")
    }

    func finish(_ message: String, progress: any BuildProgress) throws {}

    func close() {
        let socket = place.scratchPath + "/ssh"
        guard access(socket, F_OK) == 0 else { return }
        // The host is needed but not looked at.
        _ = try? ChildProgram("ssh", ["-o", "ControlPath=\(socket)", "-O", "exit", "host"]).run()
    }
}

extension [Outgoing] {
    /// The files in parts of at most so many, and so many bytes unless one alone is larger.
    func parts(files: Int, bytes: Int) -> [[Outgoing]] {
        var out: [[Outgoing]] = []
        var part: [Outgoing] = []
        var size = 0
        for item in self {
            if !part.isEmpty, part.count == files || size + item.file.size > bytes {
                out.append(part)
                part = []
                size = 0
            }
            part.append(item)
            size += item.file.size
        }
        return part.isEmpty ? out : out + [part]
    }
}
