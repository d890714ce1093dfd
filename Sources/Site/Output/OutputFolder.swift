import Basics
import Glibc

/// The folder the site is written to, and the hidden folder beside it with the manifest and what is being staged.
///
/// Nobody else writes to `public/`. How a build becomes visible:
///
/// 1. New and changed files are written to a staging folder on the same file system, then `syncfs`.
/// 2. The manifest gets the new rows *and* what is to follow, in one transaction, which SQLite syncs. From here on
///    the build will be finished, if need be by the next one.
/// 3. The staged files become visible, in one of three ways:
///    - a build into nothing renames the staged tree, which is one step;
///    - one that changes much gives everything that stays a second name in the staged tree and swaps the two trees,
///      which is one step (`OutputFolder+Swap.swift`);
///    - any other renames the files into place: pictures and styles, new pages, changed pages, entry files;
///      removals last, but for the pages of customers who are gone, which go first (S57).
/// 4. `syncfs` again; then the manifest forgets the steps and notes the times of the folders.
///
/// What a crash or a power cut leaves: before 2, the old site; after 3, the new one; between them the old, the new, or,
/// for the renames, a mix of whole files in which no new page misses what it is made with. The next build takes
/// the steps that are left, then compares every file with the manifest and makes again what is not as noted. So
/// nothing hangs on whether the file system kept the order of renames. docs/durability.md tells it to users.
///
/// A step that fails, other than by a crash, is taken back, so that the old site stays.
final class OutputFolder {
    /// The output as it was named, for messages.
    let path: String
    let manifest: Manifest
    let parent: Directory
    let name: String
    /// `.build-site/<name>` beside the output, or `.build-site` in it.
    let state: Directory
    /// Whether ``state`` is in the output: when renames from beside do not reach into it (a file system of its own, a
    /// subvolume, a folder mounted a second time), or when we may not write beside it.
    let isInside: Bool
    private let lock: FileLock
    /// Whether there is no site of ours in it yet.
    private(set) var isFresh = false
    /// Files of ours that are missing or not as we wrote them.
    private(set) var damaged: [Int64] = []
    var warnings: [Diagnostic] = []
    /// Folders whose times are to be noted after this build, whatever it changes; nil is all of them.
    private(set) var stale: Set<String>? = []
    /// Whether the manifest promises steps that need what is staged.
    var hasPromised = false
    /// The way from the output to the site's folder: which site it is (S38).
    let siteName: String
    /// How many files must change before the trees are swapped.
    let swapsAbove: Int

    static let stateName = ".build-site"
    static let stageName = "stage"
    static let swapName = "swap"

    /// Opens the folder: refuses one that is not ours, takes the lock, finishes what a build before has promised.
    ///
    /// - Parameters:
    ///   - path: the output folder; it may be missing.
    ///   - site: the site's folder, whose name the manifest keeps.
    ///   - precious: folders and files that the output must not be or contain.
    ///   - sources: folders that the output must not be inside of either.
    ///   - swapsAbove: how many files must change before the trees are swapped.
    init(path: String, site: String, precious: [String], sources: [String], swapsAbove: Int) throws {
        self.path = path
        self.swapsAbove = swapsAbove
        let absolute = canonicalPath(path)
        let (parentPath, name) = Self.split(absolute)
        self.name = name
        try Self.refuse(path, absolute, precious: precious, sources: sources)
        siteName = relativePath(from: absolute, to: realPath(site) ?? canonicalPath(site))
        do {
            parent = try Directory(path: "/").makingDirectory(String(parentPath.dropFirst()))
            let output = try parent.status(name)
            if let output, output.kind == .link {
                throw Failure(
                    "bad-output", "the output folder is a symbolic link; name the folder it leads to",
                    at: .file(path))
            }
            if let output, output.kind != .directory {
                throw Failure("bad-output", "the output is a file, not a folder", at: .file(path))
            }
            isInside =
                if let output {
                    try output.device != parent.status().device || parent.isMountPoint(name)
                        || !parent.isWritable
                } else { false }
            state =
                isInside
                ? try parent.directory(name).makingDirectory(Self.stateName, mode: 0o700)
                : try parent.makingDirectory(Self.stateName, mode: 0o700).makingDirectory(name, mode: 0o700)
            guard let lock = try FileLock(in: state, name: "lock") else {
                let holder = FileLock.holder(in: state, name: "lock").map { " (process \($0))" } ?? ""
                throw Failure(
                    "locked", "another build is writing to this folder\(holder); wait until it is done",
                    at: .file(path))
            }
            self.lock = lock
            manifest = try Manifest(path: state.path + "/manifest.db")
            if let other = try manifest[meta: "site"], other != siteName {
                throw Failure(
                    "other-site",
                    "the folder holds another site (\(other), seen from there); name another folder with --output",
                    at: .file(path))
            }
            try recover()
            let names =
                try parent.status(name) == nil ? [] : existing().names().filter { $0 != Self.stateName }
            let isOurs = try manifest[meta: "site"] != nil
            if !names.isEmpty, !isOurs {
                throw Failure(
                    "foreign-output",
                    "the folder has files and no manifest; name an empty folder, or one that build-site wrote",
                    at: .file(path))
            }
            isFresh = names.isEmpty
            if isFresh, isOurs { try manifest.forgetFiles() }
            if !isFresh { try findDamage() }
        } catch let error as FileError {
            throw Failure("output", error.advice, at: .file(path))
        }
    }

    /// Refuses a place where a site must not be written, before anything is made there (S36).
    private static func refuse(_ path: String, _ absolute: String, precious: [String], sources: [String])
        throws
    {
        guard absolute != "/" else {
            throw Failure("bad-output", "the root of the file system is no output folder", at: .file(path))
        }
        if absolute.utf8.split(separator: UInt8(ascii: "/")).contains(where: {
            $0.elementsEqual(stateName.utf8)
        }) {
            throw Failure(
                "bad-output", "'\(stateName)' holds what builds note; name another folder with --output",
                at: .file(path))
        }
        let home = getenv("HOME").map { [String(cString: $0)] } ?? []
        for other in (precious + home).map({ realPath($0) ?? canonicalPath($0) })
        where other == absolute || other.hasPrefix(absolute + "/") {
            throw Failure(
                "bad-output", "the output folder is, or contains, \(other); name another with --output",
                at: .file(path))
        }
        for other in sources.map(canonicalPath) where absolute.hasPrefix(other + "/") {
            throw Failure(
                "bad-output", "the output folder is inside \(other); name another with --output",
                at: .file(path))
        }
    }

    /// Where this build writes its files.
    func staging() throws -> Directory { try state.makingDirectory(Self.stageName) }

    /// A folder for scratch files on the same file system.
    var scratch: Directory { state }

    /// The output itself, to look at.
    func existing() throws -> Directory { try parent.directory(name) }

    /// Throws away what a build that failed has staged, so that it does not fill the disk until the next one.
    func abandon() { if !hasPromised { try? clean() } }

    func clean() throws {
        guard try state.status(Self.stageName) != nil else { return }
        try state.directory(Self.stageName).removeContents()
        try state.removeDirectory(Self.stageName)
    }

    /// Whether there is room for what is to be written (S41). The estimate may be rough: writing still fails cleanly.
    func checkSpace(bytes: Int, files: Int) throws {
        var status = statvfs()
        guard fstatvfs(state.descriptor, &status) == 0 else { return }
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        if free < bytes {
            throw Failure(
                "no-space",
                "about \(bytes >> 10) kB are needed and \(free >> 10) kB are free; free some space and build again; "
                    + "the site was not changed",
                at: .file(path))
        }
        if status.f_files > 0, Int(status.f_favail) < files {
            throw Failure(
                "no-space",
                "\(files) files are to be made and the file system has room for \(status.f_favail); the site was "
                    + "not changed", at: .file(path))
        }
    }

    // MARK: What is there

    /// Whether a file is what we wrote. Nothing there, or no file: not.
    func isAsWritten(_ path: String, size: Int, content: UInt64, in root: Directory) throws -> Bool {
        let status: FileStatus?
        do { status = try root.status(path) } catch  where error.isOfPath {
            return false
        }
        guard let status, status.kind == .regular, status.size == size else { return false }
        return Fingerprint(of: try root.contents(of: path, limit: size)).low == content
    }

    /// Finds files of ours that somebody has removed or changed.
    ///
    /// A folder that has the time noted after the last build has lost and gained nothing, so that only folders with
    /// another time are looked into, file by file. (A file that was rewritten in place goes unnoticed.) After a commit
    /// that was cut short nothing is noted, and everything is looked at.
    private func findDamage() throws {
        let output = try existing()
        let isNoted = try manifest[meta: "noted"] != nil
        var changed: Set<String> = []
        stale = nil
        if isNoted {
            for folder in try manifest.folders() {
                if try modified(folder.path, in: output) != folder.modified { changed.insert(folder.path) }
            }
            stale = changed
            if changed.isEmpty { return }
        }
        try manifest.forEachFile { file in
            guard !isNoted || changed.contains(Self.split(file.path).folder),
                try !isAsWritten(file.path, size: file.size, content: file.content, in: output)
            else { return }
            damaged.append(file.hash)
            if isNoted, let status = try? output.status(file.path), status.kind == .regular {
                warnings.append(
                    Diagnostic(
                        .warning, "changed-by-hand", "was changed by hand; made again from the catalogue",
                        at: .file(joined(file.path))))
            }
        }
        if damaged.isEmpty { try noteFolders() }
    }

    private func modified(_ folder: String, in output: Directory) throws -> Int64? {
        let status = folder.isEmpty ? try output.status() : try? output.status(folder)
        return status?.kind == .directory ? status?.modified : nil
    }

    /// Notes the times of folders whose files all are as the manifest has them: of those given and of the stale ones.
    func noteFolders(_ touched: Set<String> = []) throws {
        let output = try existing()
        let folders = try stale?.union(touched) ?? manifest.allFolders()
        if folders.isEmpty { return }
        var times = try folders.sorted().map { (path: $0, modified: try modified($0, in: output)) }
        // A change in the clock tick of our own last one would have the same time and go unnoticed. Ticks are at most
        // 10 ms long.
        if let newest = times.compactMap(\.modified).max(), wallClockNanoseconds() - newest < 10_000_000 {
            usleep(10_000)
            times = try folders.sorted().map { (path: $0, modified: try modified($0, in: output)) }
        }
        try manifest.transaction {
            try manifest.note(times)
            try manifest.set("noted", "1")
        }
        stale = []
    }

    /// What a path of ours looks like: no way out, nothing hidden, no control characters.
    static func isSafe(_ path: String) -> Bool {
        if path == ".nojekyll" { return true }
        guard !path.isEmpty, path.utf8.count <= 240 else { return false }
        return path.withBytes { isSafe($0) }
    }

    private static func isSafe(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = true
        var length = 0
        for byte in path {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                break
            case UInt8(ascii: ".") where !start: break
            case UInt8(ascii: "/") where !start:
                start = true
                length = 0
                continue
            default: return false
            }
            start = false
            length += 1
            if length > 100 { return false }
        }
        return !start
    }

    static func split(_ path: String) -> (folder: String, file: String) {
        path.splitAtLastSlash() ?? ("", path)
    }

    /// A file of the output, for messages.
    func joined(_ file: String) -> String { path + "/" + file }
}

extension FileError {
    /// The reason with what to do about it, where that is known.
    var advice: String {
        switch code {
        case ENOSPC: "\(description); free some space and build again"
        case EDQUOT: "\(description); the disk quota is used up: free some space and build again"
        case EROFS: "\(description); name another folder with --output"
        case EACCES, EPERM: "\(description); check who may write there, or name another folder with --output"
        case EMFILE, ENFILE: "\(description); allow more with 'ulimit -n', or build with fewer --jobs"
        case ELOOP:
            "\(description); there is a symbolic link where a file or folder of the site goes: remove the link"
        case EIO: "\(description); look at the system's log: the disk may be failing"
        default: description
        }
    }
}
