import Basics
import Glibc

/// The folder the site is written to, and the hidden folder beside it with the manifest and what is being staged.
///
/// Nobody else writes to `public/`. How a build becomes visible:
///
/// 1. New and changed files are written to a staging folder on the same file system, then `syncfs`.
/// 2. The manifest gets the new rows *and* the list of renames and removals that are to follow, in one
///    transaction. From here on the build will be finished, if need be by the next one.
/// 3. The files are renamed into place: assets, then pages, then entry files; removals last.
/// 4. `syncfs` again, then the list is cleared.
///
/// A build into a folder that is not there yet stages the whole tree and renames that, which is one step.
/// If a rename fails, those before it are taken back. After a crash the next build finishes step 3; until then
/// what is visible is a mix of whole files, old and new, in which no new page misses its assets.
final class OutputFolder {
    /// The output as it was named, for messages.
    let path: String
    let manifest: Manifest
    private let parent: Directory
    private let name: String
    /// `.build-site/<name>` beside the output, or `.build-site` inside when that is a file system of its own.
    private let state: Directory
    private let lock: FileLock
    /// Whether there is no site of ours in it yet.
    private(set) var isFresh = false
    private(set) var warnings: [Diagnostic] = []

    static let stageName = "stage"
    static let treeName = "tree"

    /// Opens the folder: refuses one that is not ours, takes the lock, finishes what a build before has promised.
    ///
    /// - Parameters:
    ///   - path: the output folder; it may be missing.
    ///   - site: the site's folder, whose name the manifest keeps.
    ///   - precious: folders and files that the output must not be or contain.
    init(path: String, site: String, precious: [String]) throws {
        self.path = path
        let absolute = absolutePath(path)
        let parts = absolute.split(separator: "/")
        guard let last = parts.last else {
            throw Failure("bad-output", "the root of the file system is no output folder", at: .file(path))
        }
        let parentPath = "/" + parts.dropLast().joined(separator: "/")
        name = String(last)
        let home = getenv("HOME").map { String(cString: $0) }
        for other in precious + (home.map { [$0] } ?? []) {
            let other = realPath(other) ?? absolutePath(other)
            let real = realPath(absolute) ?? absolute
            if other == real || other.hasPrefix(real + "/") {
                throw Failure(
                    "bad-output", "the output folder is, or contains, \(other); name another with --output",
                    at: .file(path))
            }
        }
        let relative = relativePath(from: absolute, to: absolutePath(site))
        siteName = relative
        do {
            if try Directory(path: "/").status(parentPath == "/" ? "." : String(parentPath.dropFirst())) == nil {
                try makeDirectories(parentPath)
            }
            parent = try Directory(path: parentPath)
            let output = try parent.status(name)
            if let output, output.kind == .link {
                throw Failure(
                    "bad-output", "the output folder is a symbolic link; name the folder it leads to", at: .file(path))
            }
            if let output, output.kind != .directory {
                throw Failure("bad-output", "the output is a file, not a folder", at: .file(path))
            }
            let device = try parent.status().device
            if let output, output.device != device {
                state = try parent.directory(name).makingDirectory(".build-site", mode: 0o700)
            } else {
                state = try parent.makingDirectory(".build-site", mode: 0o700).makingDirectory(name, mode: 0o700)
            }
            guard let lock = try FileLock(in: state, name: "lock") else {
                let holder = FileLock.holder(in: state, name: "lock").map { " (process \($0))" } ?? ""
                throw Failure(
                    "locked", "another build is writing to this folder\(holder); wait until it is done", at: .file(path))
            }
            self.lock = lock
            manifest = try Manifest(path: state.path + "/manifest.db")
            try recover()
            let exists = try parent.status(name) != nil
            let names = exists ? try parent.directory(name).names().filter { $0 != ".build-site" } : []
            let isOurs = try manifest[meta: "site"] != nil
            if !names.isEmpty, !isOurs {
                throw Failure(
                    "foreign-output",
                    "the folder has files and no manifest; name an empty folder, or one that build-site wrote",
                    at: .file(path))
            }
            if names.isEmpty {
                isFresh = true
                if isOurs { try manifest.forgetFiles() }
            }
            if let other = try manifest[meta: "site"], other != relative {
                throw Failure(
                    "other-site",
                    "the folder holds another site (\(other), seen from there); name another folder with --output",
                    at: .file(path))
            }
        } catch let error as FileError {
            throw Failure("output", error.advice, at: .file(path))
        }
    }

    private let siteName: String

    /// Where this build writes its files.
    func staging() throws -> Directory {
        try state.makingDirectory(isFresh ? Self.treeName : Self.stageName, mode: 0o755)
    }

    /// A folder for scratch files on the same file system.
    var scratch: Directory { state }

    /// The output itself, to look at.
    func existing() throws -> Directory { try parent.directory(name) }

    /// Whether there is room for what is to be written (S41). The estimate may be rough: writing still fails cleanly.
    func checkSpace(bytes: Int, files: Int) throws {
        var status = statvfs()
        guard fstatvfs(state.descriptor, &status) == 0 else { return }
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        if free < bytes {
            throw Failure(
                "no-space", "\(bytes >> 20) MB are needed and \(free >> 20) MB are free; the site was not changed",
                at: .file(path))
        }
        if status.f_files > 0, Int(status.f_favail) < files {
            throw Failure(
                "no-space", "\(files) files are to be made and the file system has room for \(status.f_favail); the site was "
                    + "not changed", at: .file(path))
        }
    }

    /// Makes what was staged visible, and removes what is no longer part of the site.
    ///
    /// The manifest's transaction is open and holds the new rows of all changed files.
    ///
    /// - Parameters:
    ///   - changed: paths of the staged files.
    ///   - removed: hashes of files that this build no longer has.
    ///   - meta: what to note about the build.
    /// - Returns: the number of files removed.
    func commit(changed: [String], removed: [Int64], meta: [(String, String)]) throws -> Int {
        do {
            try state.synchronise()
            var steps = changed.sorted(by: Self.publishOrder).map { Manifest.Step(path: $0, isRemoval: false) }
            var removals = 0
            for hash in removed {
                guard let file = try manifest.file(hash: hash) else { continue }
                try manifest.remove(hash: hash)
                if try isAsWritten(file) {
                    steps.append(Manifest.Step(path: file.path, isRemoval: true))
                    removals += 1
                }
            }
            for (key, value) in meta { try manifest.set(key, value) }
            try manifest.set("site", siteName)
            if isFresh {
                try manifest.set("tree", "1")
                try manifest.commit()
                try placeTree()
                try state.synchronise()
                try manifest.set("tree", nil)
                return 0
            }
            try manifest.setPending(steps)
            try manifest.commit()
            try perform(steps)
            try finish()
            return removals
        } catch let error as FileError {
            throw Failure("output", error.advice + "; the last good site is untouched", at: .file(path))
        }
    }

    /// Assets before the pages that use them, entry files after all they lead to.
    private static func publishOrder(_ a: String, _ b: String) -> Bool {
        func rank(_ path: String) -> Int {
            if path.hasPrefix("assets/") { return 0 }
            return path.utf8.contains(UInt8(ascii: "/")) ? 1 : 2
        }
        return (rank(a), a) < (rank(b), b)
    }

    /// Whether the file still is what we wrote; one that somebody changed is left alone and reported (S36).
    private func isAsWritten(_ file: Manifest.File) throws -> Bool {
        guard Self.isSafe(file.path) else {
            throw Failure(
                "bad-manifest", "the manifest names the path '\(file.path)'; remove it and the output folder to start anew",
                at: .file(path))
        }
        let output = try parent.directory(name)
        guard let status = try output.status(file.path) else { return false }
        if status.kind == .regular, status.size == file.size,
            Fingerprint(of: try output.contents(of: file.path, limit: file.size)).low == file.content
        {
            return true
        }
        warnings.append(
            Diagnostic(
                .warning, "changed-by-hand", "is no longer part of the site, but was changed by hand; left in place",
                at: .file(output.joined(file.path))))
        return false
    }

    /// What a path of ours looks like: no way out, nothing hidden, no control characters.
    static func isSafe(_ path: String) -> Bool {
        guard !path.isEmpty, path.utf8.count <= 240 else { return false }
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            guard !part.isEmpty, !part.hasPrefix("."), part.utf8.count <= 100,
                part.utf8.allSatisfy({
                    (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
                })
            else { return path == "_headers" || path == ".nojekyll" }
        }
        return true
    }

    // MARK: Renames

    private func placeTree() throws {
        if try parent.status(name) != nil {
            if try existing().status(".build-site") != nil { return try placeTreeInside() }
            // An empty folder makes way; if somebody put a file into it in the meantime, this fails.
            guard try parent.removeDirectory(name) else { throw FileError("replace", path, code: ENOTEMPTY) }
        }
        try state.renameWithoutReplacing(Self.treeName, to: parent, as: name)
    }

    /// The output is a file system of its own: its top entries are renamed one by one.
    private func placeTreeInside() throws {
        let tree = try state.directory(Self.treeName)
        let output = try existing()
        // Folders first: index.html must not lead to what is not there yet.
        for entry in try tree.names().sorted(by: { !$0.contains(".") && $1.contains(".") }) {
            try tree.rename(entry, to: output, as: entry)
        }
        _ = try state.removeDirectory(Self.treeName)
    }

    private func perform(_ steps: [Manifest.Step]) throws {
        let stage = try state.makingDirectory(Self.stageName)
        let output = try existing()
        var done: [(Manifest.Step, wasNew: Bool)] = []
        do {
            for step in steps {
                guard Self.isSafe(step.path) else { throw FileError("write", step.path, code: EINVAL) }
                done.append((step, try perform(step, from: stage, in: output)))
            }
        } catch let error as FileError {
            // Back to the old site: what was exchanged is exchanged again. Removals come last and are not undone:
            // a failed removal leaves a file too many, which the next build removes.
            if steps[done.count].isRemoval { throw error }
            for (step, wasNew) in done.reversed() where !step.isRemoval {
                let (folder, file) = Self.split(step.path)
                let from = folder.isEmpty ? stage : try stage.directory(folder)
                let to = folder.isEmpty ? output : try output.directory(folder)
                if wasNew { try to.removeFile(file) } else { try from.exchange(file, with: to, file) }
            }
            try manifest.begin()
            try manifest.restorePrevious()
            try manifest.set("stamp", nil)
            try manifest.commit()
            throw error
        }
    }

    /// Does one step, or finds it done. Whether it made a file that was not there.
    private func perform(_ step: Manifest.Step, from stage: Directory, in output: Directory) throws -> Bool {
        let (folder, file) = Self.split(step.path)
        if step.isRemoval {
            guard try folder.isEmpty || output.status(folder) != nil else { return false }
            let from = folder.isEmpty ? output : try output.directory(folder)
            try from.removeFile(file)
            removeEmptyFolders(folder, in: output)
            return false
        }
        // Nothing staged: already renamed by the build that was cut short.
        guard try stage.status(step.path) != nil else { return false }
        let from = folder.isEmpty ? stage : try stage.directory(folder)
        let to = folder.isEmpty ? output : try output.makingDirectory(folder)
        if let old = try to.status(file) {
            if old.kind == .directory {
                throw FileError("replace the folder", to.joined(file), code: EISDIR)
            }
            try from.exchange(file, with: to, file)
            return false
        }
        try from.renameWithoutReplacing(file, to: to, as: file)
        return true
    }

    private func removeEmptyFolders(_ folder: String, in output: Directory) {
        var folder = folder
        while !folder.isEmpty {
            let (above, name) = Self.split(folder)
            guard let parent = above.isEmpty ? output : try? output.directory(above),
                (try? parent.removeDirectory(name)) == true
            else { return }
            folder = above
        }
    }

    private func finish() throws {
        try state.synchronise()
        try manifest.begin()
        try manifest.clearPending()
        try manifest.commit()
        try clean(Self.stageName)
    }

    /// Finishes, or throws away, what a build that was cut short has left.
    private func recover() throws {
        if try manifest[meta: "tree"] != nil {
            if try state.status(Self.treeName) != nil { try placeTree() }
            try manifest.set("tree", nil)
        }
        let steps = try manifest.pending()
        if !steps.isEmpty {
            if try parent.status(name) != nil { try perform(steps) }
            try finish()
        }
        try clean(Self.stageName)
        try clean(Self.treeName)
    }

    private func clean(_ folder: String) throws {
        guard try state.status(folder) != nil else { return }
        try state.directory(folder).removeContents()
        try state.removeDirectory(folder)
    }

    static func split(_ path: String) -> (folder: String, file: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
        return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
    }
}

extension FileError {
    /// The reason with what to do about it, where that is known.
    var advice: String {
        switch code {
        case ENOSPC: "\(description); free some space"
        case EDQUOT: "\(description); the disk quota is used up"
        case EROFS: "\(description); name another folder with --output"
        case EACCES, EPERM: "\(description); check who may write there, or name another folder with --output"
        default: description
        }
    }
}

/// A path made absolute and free of `.` and `..`, without looking at the file system.
func absolutePath(_ path: String) -> String {
    var parts: [Substring] = []
    let full: String
    if path.hasPrefix("/") {
        full = path
    } else {
        let here = getcwd(nil, 0)
        defer { free(here) }
        full = (here.map { String(cString: $0) } ?? "") + "/" + path
    }
    for part in full.split(separator: "/") where part != "." {
        if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
}

/// The path with links resolved; nil when there is nothing there.
func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
}

/// The way from one absolute path to another.
func relativePath(from: String, to: String) -> String {
    let a = from.split(separator: "/")
    let b = to.split(separator: "/")
    let shared = zip(a, b).prefix { $0 == $1 }.count
    let up = [Substring](repeating: "..", count: a.count - shared)
    let path = (up + b[shared...]).joined(separator: "/")
    return path.isEmpty ? "." : path
}

private func makeDirectories(_ path: String) throws(FileError) {
    let root = try Directory(path: "/")
    var at = ""
    for part in path.split(separator: "/") {
        at += "/" + part
        if mkdir(at, 0o755) != 0, errno != EEXIST { throw FileError("make the folder", at) }
    }
    _ = root
}
