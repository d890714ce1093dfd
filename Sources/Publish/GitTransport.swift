import Basics
import Glibc
import Site

/// Publishes as one commit on a branch: visitors of the branch see the site before or the site after.
///
/// Works in a bare repository of its own among the scratch files; no working tree is ever checked out.
final class GitTransport: Transport {
    private let place: Workplace
    private let repository: String
    private let url: String
    private let prefix: String
    /// The tip of the branch; nil while there is none.
    private var tip: String?
    /// The commit that is pushed, until it is known to be there.
    private var outbound: String?
    /// What is to change in the tree, as `git update-index --index-info` reads it.
    private var changes: [UInt8] = []

    let isAtomic = true
    let replacement = Replacement.whole
    private static let base = "refs/publish/base"

    init(_ place: Workplace) {
        self.place = place
        repository = place.scratchPath + "/git"
        let text = place.target.destination
        url = text.contains(":") ? text : place.absolute(text)
        prefix = place.target.folder.map { $0 + "/" } ?? ""
    }

    private var branch: String { "refs/heads/" + place.target.branch }

    private func run(
        _ arguments: [String], input: Int32? = nil, index: Bool = false, allowed: Set<Int32> = [0],
        limit: Int = 256 << 20, onProgress: ((String) -> Void)? = nil
    ) throws -> ProgramResult {
        var program = place.program(
            "git", ["--git-dir", repository, "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"] + arguments)
        program.environment = [
            "GIT_TERMINAL_PROMPT": "0",
            // What a person has set counts; else ssh never asks anything.
            "GIT_SSH_COMMAND": ChildProgram.cleanEnvironment()["GIT_SSH_COMMAND"]
                ?? "ssh -o BatchMode=yes -o ConnectTimeout=20",
        ]
        if index { program.environment["GIT_INDEX_FILE"] = place.scratchPath + "/index" }
        program.input = input
        program.outputLimit = limit
        let result: ProgramResult
        var said: [String] = []
        do {
            result = try program.run { stream, line in
                guard stream == .errors else { return }
                if Self.isProgress(line) { onProgress?(line) } else { said.append(line) }
            }
        } catch let error as FileError {
            throw error.code == ENOENT
                ? TransportFault(.missingProgram, "git is not installed") : TransportFault(error)
        }
        guard allowed.contains(result.status) else {
            throw TransportFault("git", said.joined(separator: "\n"), status: result.status)
        }
        return result
    }

    /// Whether a line tells how far git is.
    private static func isProgress(_ line: String) -> Bool {
        let starts = [
            "Enumerating objects", "Counting objects", "Delta compression", "Compressing objects",
            "Writing objects", "Total ",
        ]
        return starts.contains { line.hasPrefix($0) }
    }

    /// The files and their number of a line such as `Writing objects:  42% (84/200), 1.20 MiB | 600.00 KiB/s`.
    static func written(_ line: String) -> (done: Int, total: Int)? {
        guard line.hasPrefix("Writing objects"), let open = line.firstIndex(of: "(") else { return nil }
        let numbers = line[open...].dropFirst().prefix { $0 != ")" }.split(separator: "/").compactMap {
            Int($0)
        }
        return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
    }

    /// Runs git with some bytes as its input.
    private func run(_ arguments: [String], feeding bytes: [UInt8], index: Bool = false) throws
        -> ProgramResult
    {
        try place.scratch.replace("input", with: bytes, mode: 0o600)
        let descriptor = Glibc.open(place.scratchPath + "/input", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", "input") }
        defer { _ = Glibc.close(descriptor) }
        return try run(arguments, input: descriptor, index: index)
    }

    private func text(_ result: ProgramResult) -> String {
        String(decoding: result.output, as: UTF8.self).trimmed
    }

    func open() throws {
        if try place.scratch.status("git/HEAD") == nil {
            _ = try run(["init", "--quiet", "--bare", repository])
        }
        changes = []
        tip = try remoteTip()
        guard let tip else { return }
        let known = try run(["rev-parse", "--verify", "--quiet", Self.base], allowed: [0, 1])
        if text(known) == tip { return }
        _ = try run(["fetch", "--quiet", "--no-tags", "--depth=1", "--", url, "+\(branch):\(Self.base)"])
        self.tip = text(try run(["rev-parse", "--verify", Self.base]))
    }

    private func remoteTip() throws -> String? {
        let result = try run(["ls-remote", "--", url, branch])
        let line = text(result)
        return line.isEmpty ? nil : String(line.prefix { !$0.isWhitespace })
    }

    /// The objects of files in the branch, by their path below the site's top.
    private func objects(_ paths: [String]) throws -> [String: String] {
        guard let tip else { return [:] }
        let result = try run(["ls-tree", "-r", "-z", "--full-tree", tip] + paths.map { prefix + $0 })
        var out: [String: String] = [:]
        for entry in result.output.split(separator: 0) {
            let parts = String(decoding: entry, as: UTF8.self).split(separator: "\t", maxSplits: 1)
            guard parts.count == 2, parts[1].hasPrefix(prefix) else { continue }
            out[String(parts[1].dropFirst(prefix.count))] = parts[0].split(separator: " ").last.map(
                String.init)
        }
        return out
    }

    func read(_ name: String) throws -> [UInt8]? {
        guard let object = try objects([name])[name] else { return nil }
        return try run(["cat-file", "blob", object], limit: 1 << 30).output
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let object = text(try run(["hash-object", "-w", "--no-filters", "--stdin"], feeding: bytes))
        changes.append("100644 \(object)\t\(prefix)\(name)\n")
    }

    func list(_ folder: String) throws -> [String] {
        try objects([]).keys.filter { folder.isEmpty || $0.hasPrefix(folder + "/") }.sorted()
    }

    func existing(_ paths: [String]) throws -> [String] {
        let there = try objects([])
        return paths.filter { there[$0] != nil }
    }

    /// Writes files as objects, and gives these in the same order.
    private func store(_ items: [Outgoing], isDry: Bool = false) throws -> [String] {
        let paths = items.map { ($0.isMade ? place.madePath : place.sitePath) + "/" + $0.path + "\n" }
        let result = try run(
            ["hash-object"] + (isDry ? [] : ["-w"]) + ["--no-filters", "--stdin-paths"],
            feeding: Array(paths.joined().utf8))
        let objects = text(result).split(separator: "\n").map(String.init)
        guard objects.count == items.count else {
            throw TransportFault(
                "git", "hash-object gave \(objects.count) objects for \(items.count) files", status: 0)
        }
        return objects
    }

    func differing(_ items: [Outgoing]) throws -> [String] {
        let there = try objects([])
        let items = items.filter { there[$0.path] != nil }
        if items.isEmpty { return [] }
        return zip(items, try store(items, isDry: true)).filter { there[$0.path] != $1 }.map(\.0.path)
    }

    func send(_ items: [Outgoing], moved: (Int) -> Void, done: ([Outgoing]) throws -> Void) throws {
        for part in items.parts(files: 1000, bytes: 64 << 20) {
            for (item, object) in zip(part, try store(part)) {
                changes.append("100644 \(object)\t\(prefix)\(item.path)\n")
            }
            moved(part.count)
            try done(part)
        }
    }

    func remove(_ paths: [String]) throws {
        let nothing = String(repeating: "0", count: 40)
        for path in paths { changes.append("0 \(nothing)\t\(prefix)\(path)\n") }
    }

    func finish(_ message: String, progress: any BuildProgress) throws {
        // When the connection broke after the push had arrived, the branch is not where we saw it, but where we want it.
        let isThere = try outbound != nil && remoteTip() == outbound
        if !isThere { try push(message, progress: progress) }
        guard let commit = outbound else { return }
        _ = try run(["update-ref", Self.base, commit])
        tip = commit
        outbound = nil
        changes = []
        // Nobody else packs what each publishing leaves here, and nobody else uses it. Looking for likeness between files, as
        // git does by itself, takes minutes for a large site. What is not packed now is packed the next time.
        _ = try? run([
            "-c", "gc.auto=6700", "-c", "gc.autoDetach=false", "-c", "pack.window=0", "gc", "--auto",
            "--quiet",
            "--prune=now",
        ])
    }

    /// Makes a commit of what is to change.
    private func commit(_ message: String) throws -> String {
        _ = try run(["read-tree", tip ?? "--empty"], index: true)
        _ = try run(["update-index", "--index-info"], feeding: changes, index: true)
        let tree = text(try run(["write-tree"], index: true))
        var words = ["commit-tree", tree, "-m", message]
        if place.target.keepsHistory, let tip { words += ["-p", tip] }
        // Who has not told git a name gets one: nobody is to be asked in the middle of this.
        let named = try run(["var", "GIT_COMMITTER_IDENT"], allowed: Set(0...255))
        let identity = ["-c", "user.name=build-site", "-c", "user.email=build-site@localhost"]
        return text(try run((named.status == 0 ? [] : identity) + words))
    }

    private func push(_ message: String, progress: any BuildProgress) throws {
        let commit = try outbound ?? commit(message)
        outbound = commit
        var told: Int?
        // Only if the branch still is where we saw it: what somebody else pushed in the meantime is not lost.
        do {
            _ = try run([
                "push", "--progress", "--force-with-lease=\(branch):\(tip ?? "")", "--", url,
                "\(commit):\(branch)",
            ]) { line in
                guard let (done, total) = Self.written(line) else { return }
                if told == nil { progress.begin("push", total: total) }
                progress.advance(done - (told ?? 0))
                told = done
            }
        } catch let fault as TransportFault {
            let isStale = [
                "stale info", "fetch first", "non-fast-forward", "failed to lock", "cannot lock ref",
            ].contains { fault.message.contains($0) }
            throw isStale
                ? TransportFault(
                    .overtaken, "somebody else has pushed to '\(place.target.branch)' in the meantime")
                : fault
        }
    }

    func mismatches(_ items: [Outgoing]) throws -> [String] {
        // git checks every object by its hash; that leaves whether the branch is where we put it, and what it has.
        guard try remoteTip() == tip else { return items.map(\.path) }
        let there = try objects([])
        return zip(items, try store(items, isDry: true)).filter { there[$0.path] != $1 }.map(\.0.path)
    }
}
