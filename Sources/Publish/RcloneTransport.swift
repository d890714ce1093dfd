import Basics
import Glibc
import Site

/// Publishes with rclone, to whatever it reaches.
///
/// Object stores take a file as a whole. Elsewhere files go to a folder beside the site first and are moved into place.
///
/// SFTP before rclone 1.63 asks for a rename that takes no other's place (OpenSSH: `link` and `unlink`), so there the old page is
/// removed first; a later one removes it by itself where the server does not know `posix-rename@openssh.com`. By WebDAV files
/// are written where they are: `MOVE` must remove what it finds (RFC 4918 §9.9.3), while the usual servers keep what a `PUT`
/// brings apart until it is whole.
final class RcloneTransport: Transport {
    private let place: Workplace
    private let destination: String
    /// How the remote behaves, remembered between runs: two questions less.
    private var behaviour: Behaviour?

    private enum Behaviour: String {
        /// Files appear whole.
        case store
        /// Files are moved over others.
        case moves
        /// Files are moved to where others have been removed.
        case removes
        /// Files are written where they are.
        case inPlace
    }

    private static let stageName = "build-site-new"
    private static let behaviourName = "behaviour"

    let isAtomic = false

    init(_ place: Workplace) {
        self.place = place
        let text = place.target.destination
        destination = text.hasSuffix("/") || text.hasSuffix(":") ? text : text + "/"
    }

    var replacement: Replacement {
        get throws {
            switch try learned() {
            case .store, .moves: .whole
            case .removes: .afterRemoval
            case .inPlace: .inPlace
            }
        }
    }

    @discardableResult
    private func run(
        _ command: String, _ arguments: [String], allowed: Set<Int32> = [0],
        onLog: (String) throws -> Void = { _ in }
    ) throws -> ProgramResult {
        var options = [
            "--ask-password=false", "--retries", "1", "--low-level-retries", "3", "--contimeout", "20s",
            "--timeout", "60s",
            "--use-json-log", "--log-level", "INFO", "--stats", "0",
        ]
        if let file = place.target.configuration { options += ["--config", place.absolute(file)] }
        options += place.target.flags
        var program = place.program("rclone", [command] + options + arguments)
        program.outputLimit = 1 << 30
        var messages = ""
        let result: ProgramResult
        do {
            result = try program.run { stream, line in
                guard stream == .errors else { return }
                if let message = Self.field("msg", of: line) {
                    if Self.field("level", of: line) != "info", Self.field("level", of: line) != "notice" {
                        let object = Self.field("object", of: line).map { "\($0): " } ?? ""
                        messages += "\(object)\(message)\n"
                    }
                } else if !line.hasPrefix("20") || line.contains("Failed") || line.contains("Fatal") {
                    // The last line is in rclone's older form: date, time, words.
                    messages += line.split(separator: " ", maxSplits: 2).last.map { "\($0)\n" } ?? ""
                }
                try onLog(line)
            }
        } catch let error as FileError {
            throw error.code == ENOENT
                ? TransportFault(.missingProgram, "rclone is not installed") : TransportFault(error)
        }
        guard allowed.contains(result.status) else {
            // A remote that changed its ways is looked at again next time.
            _ = try? place.scratch.removeFile(Self.behaviourName)
            // https://rclone.org/docs/#exit-code: 5 is a temporary error.
            throw TransportFault(
                "rclone", messages.isEmpty ? result.errors : messages, status: result.status,
                kind: result.status == 5 ? .unreachable : nil)
        }
        return result
    }

    /// A text of rclone's log, which is one flat JSON object a line.
    private static func field(_ name: String, of line: String) -> String? {
        guard line.hasPrefix("{"), let start = line.firstRange(of: "\"\(name)\":\"") else { return nil }
        var out = ""
        var rest = line[start.upperBound...]
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\", let next = rest.popFirst() else {
                out.append(character)
                continue
            }
            out.append(next == "n" ? "\n" : next)
        }
        return out
    }

    // MARK: What the remote can do

    func open() throws {}

    private func learned() throws -> Behaviour {
        if let behaviour { return behaviour }
        if let bytes = try? place.scratch.contents(of: Self.behaviourName, limit: 4096) {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            if let known = lines.dropFirst().first.flatMap({ Behaviour(rawValue: $0) }),
                try lines == noted(known)
            {
                behaviour = known
                return known
            }
        }
        let features = String(decoding: try run("backend", ["features", destination]).output, as: UTF8.self)
            .filter { !$0.isWhitespace }
        let found: Behaviour =
            if features.contains("\"BucketBased\":true") {
                .store
            } else if !features.contains("\"Move\":true") || features.contains("\"String\":\"webdav") {
                .inPlace
            } else if try canMoveOver() {
                .moves
            } else {
                features.contains("\"String\":\"sftp://") ? .removes : .inPlace
            }
        try place.scratch.replace(Self.behaviourName, with: Array(noted(found).joined(separator: "\n").utf8))
        behaviour = found
        return found
    }

    /// What is remembered of a behaviour. Where it is not the best, the version too: a later rclone may do better.
    private func noted(_ behaviour: Behaviour) throws -> [String] {
        let note = [destination, behaviour.rawValue]
        if behaviour == .store || behaviour == .moves { return note }
        let version = try run("version", []).output.prefix { $0 != 0x0A }
        return note + [String(decoding: version, as: UTF8.self)]
    }

    /// Tries with two files of some bytes whether one can be moved over the other.
    private func canMoveOver() throws -> Bool {
        let outbox = try place.scratch.makingDirectory("probe")
        for name in ["a", "b"] { try outbox.replace(name, with: Array("probe \(name)\n".utf8)) }
        let probe = destination + Self.stageName + "/probe"
        try run("copy", ["--ignore-times", "--", place.scratchPath + "/probe", probe])
        let moved = try run(
            "moveto", ["--no-check-dest", "--", probe + "/b", probe + "/a"], allowed: Set(0...255))
        try run("delete", ["--", probe], allowed: Set(0...255))
        try run("rmdirs", ["--", destination + Self.stageName], allowed: Set(0...255))
        return moved.status == 0
    }

    // MARK: Notes

    func read(_ name: String) throws -> [UInt8]? {
        // 3: no such folder, 4: no such file. A store that finds neither gives nothing.
        let result = try ifThere { try run("cat", ["--", destination + name], allowed: [0, 3, 4]) }
        guard let result, result.status == 0 else { return nil }
        // A file that is empty is not one that is missing.
        return try result.output.isEmpty && existing([name]).isEmpty ? nil : result.output
    }

    /// Runs something that needs the target's folder; that it is missing is no fault. rclone has exit statuses for that,
    /// but not all FTP servers have the code that it waits for.
    private func ifThere(_ body: () throws -> ProgramResult) throws -> ProgramResult? {
        do { return try body() } catch let fault as TransportFault
            where fault.message.lowercased().contains("no such directory")
        { return nil }
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let outbox = try place.scratch.makingDirectory("outbox")
        try outbox.replace(name, with: bytes)
        let control = place.target.setsCacheControl ? ["--header-upload", "Cache-Control: no-store"] : []
        try run(
            "copyto",
            ["--ignore-times"] + control + ["--", place.scratchPath + "/outbox/" + name, destination + name])
        try outbox.removeFile(name)
    }

    // MARK: Files

    private func listFile(_ paths: some Sequence<String>) throws -> String {
        try place.list("paths", paths, separator: 0x0A)
    }

    private func groups(_ items: [Outgoing]) -> [(root: String, items: [Outgoing])] {
        [(place.sitePath, items.filter { !$0.isMade }), (place.madePath, items.filter(\.isMade))].filter {
            !$0.1.isEmpty
        }
    }

    func list(_ folder: String) throws -> [String] {
        let result = try ifThere {
            try run("lsf", ["-R", "--files-only", "--", destination + folder], allowed: [0, 3])
        }
        guard let result, result.status == 0 else { return [] }
        let prefix = folder.isEmpty ? "" : folder + "/"
        return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map { prefix + $0 }
            .sorted()
    }

    func existing(_ paths: [String]) throws -> [String] {
        // Many look-ups cost more than one list.
        if paths.count <= Self.fewLookups {
            let list = try listFile(paths)
            let result = try ifThere {
                try run(
                    "lsf",
                    [
                        "-R", "--files-only", "--no-traverse", "--files-from-raw", list, "--", destination,
                    ], allowed: [0, 3])
            }
            if let result, result.status == 0 {
                return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
            }
            // A folder of one of them is missing, which says nothing of the others.
        }
        let there = Set(try list(""))
        return paths.filter(there.contains)
    }

    /// How many files are looked up one by one: arbitrary.
    private static let fewLookups = 50

    func differing(_ items: [Outgoing]) throws -> [String] {
        var items = items
        if items.count > Self.fewLookups {
            let there = Set(try list(""))
            items = items.filter { there.contains($0.path) }
        }
        return try check(items, ["--download"]).filter { !$0.isMissing }.map(\.path)
    }

    func mismatches(_ items: [Outgoing]) throws -> [String] { try check(items, []).map(\.path) }

    /// Files that are missing or other at the target.
    private func check(_ items: [Outgoing], _ options: [String]) throws -> [(path: String, isMissing: Bool)] {
        var out: [(path: String, isMissing: Bool)] = []
        for (root, items) in groups(items) {
            let list = try listFile(items.map(\.path))
            // 1: there are differences, which it lists; anything else it cannot read is marked '!'.
            let result = try ifThere {
                try run(
                    "check",
                    ["--one-way", "--no-traverse", "--files-from-raw", list, "--combined", "-"] + options
                        + ["--", root, destination], allowed: [0, 1, 3])
            }
            guard let result, result.status != 3 else {
                out += items.map { ($0.path, true) }
                continue
            }
            let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
            for line in lines where line.hasPrefix("* ") || line.hasPrefix("+ ") || line.hasPrefix("! ") {
                out.append((String(line.dropFirst(2)), line.hasPrefix("+")))
            }
            guard result.status == 0 || !out.isEmpty else {
                throw TransportFault("rclone", result.errors, status: result.status)
            }
        }
        return out
    }

    func send(_ items: [Outgoing], moved: (Int) -> Void, done: ([Outgoing]) throws -> Void) throws {
        let behaviour = try learned()
        let classes =
            place.target.setsCacheControl
            ? Dictionary(grouping: items) { HostFiles.cacheControl(of: $0.path) } : ["": items]
        for (control, items) in classes.sorted(by: { $0.key < $1.key }) {
            let header = control.isEmpty ? [] : ["--header-upload", "Cache-Control: \(control)"]
            for part in items.parts(files: 1000, bytes: 64 << 20) {
                for (root, items) in groups(part) {
                    switch behaviour {
                    case .store, .inPlace:
                        try copy(items, from: root, to: destination, header) { items in
                            moved(items.count)
                            try done(items)
                        }
                    case .moves, .removes:
                        let stage = destination + Self.stageName
                        try copy(items, from: root, to: stage, header) { moved($0.count) }
                        try move(items, from: stage, done: done)
                    }
                }
            }
        }
    }

    private func copy(
        _ items: [Outgoing], from root: String, to destination: String, _ header: [String],
        done: ([Outgoing]) throws -> Void
    ) throws {
        let list = try listFile(items.map(\.path))
        var left = Dictionary(items.map { ($0.path, $0) }) { a, _ in a }
        // Size and time do not tell a page from the one before on every remote, so nothing is passed over.
        try run(
            "copy",
            ["--ignore-times", "--no-traverse", "--files-from-raw", list] + header + [
                "--", root, destination,
            ]
        ) { line in
            guard let message = Self.field("msg", of: line), message.hasPrefix("Copied"),
                let path = Self.field("object", of: line), let item = left.removeValue(forKey: path)
            else { return }
            try done([item])
        }
        if !left.isEmpty { try done(items.filter { left[$0.path] != nil }) }
    }

    /// Moves files from the stage to their places: folder by folder, since rclone moves nothing into a folder that it comes
    /// out of.
    private func move(_ items: [Outgoing], from stage: String, done: ([Outgoing]) throws -> Void) throws {
        // What rclone finds at the place of a file, it removes just before it moves that file there.
        let found = try learned() == .removes ? "--ignore-times" : "--no-check-dest"
        // In the order of the items, as far as they share their first folder.
        var order: [String] = []
        var groups: [String: [Outgoing]] = [:]
        for item in items {
            let top = item.path.contains("/") ? String(item.path.prefix { $0 != "/" }) : "/" + item.path
            if groups[top] == nil { order.append(top) }
            groups[top, default: []].append(item)
        }
        for top in order {
            guard let items = groups[top] else { continue }
            if top.hasPrefix("/") {
                let name = String(top.dropFirst())
                try run("moveto", [found, "--", "\(stage)/\(name)", destination + name])
            } else {
                let list = try listFile(items.map { String($0.path.dropFirst(top.count + 1)) })
                try run(
                    "move",
                    [
                        found, "--no-traverse", "--files-from-raw", list, "--", "\(stage)/\(top)",
                        destination + top,
                    ])
            }
            try done(items)
        }
    }

    func remove(_ paths: [String]) throws {
        if paths.isEmpty { return }
        let list = try listFile(paths)
        // It goes on after a file that it cannot delete; one that is gone is no fault (hugo#8388).
        do { try run("delete", ["--files-from-raw", list, "--", destination], allowed: [0, 3]) } catch let
            fault as TransportFault
            where fault.kind == .other
            && ["not exist", "not found", "no such file"].contains(where: fault.message.lowercased().contains)
        {}
        if try learned() == .store { return }
        // Only folders of files that went are looked at, and only empty ones go; a server may refuse some.
        let rules = foldersAbove(paths).map { "+ /\($0)/**" } + ["- *"]
        let filter = try place.list("filter", rules, separator: 0x0A)
        try run(
            "rmdirs", ["--leave-root", "--filter-from", filter, "--", destination], allowed: Set(0...255))
    }

    func finish(_ message: String, progress: any BuildProgress) throws {
        // Empty by now, unless an earlier run was cut: all in it is ours.
        if behaviour == .moves || behaviour == .removes {
            try run("purge", ["--", destination + Self.stageName], allowed: Set(0...255))
        }
    }
}
