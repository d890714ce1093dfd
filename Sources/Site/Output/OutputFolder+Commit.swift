import Basics
import Glibc

/// Making what was staged visible.
extension OutputFolder {
    /// Makes what was staged visible, and removes what is no longer part of the site.
    ///
    /// The manifest's transaction is open and holds the new rows of all changed files; those of a build into nothing it
    /// gets here.
    ///
    /// - Parameters:
    ///   - ledger: knows what was staged and what this build no longer has.
    ///   - meta: what to note about the build.
    /// - Returns: the number of files removed.
    func commit(_ ledger: Ledger, meta: [(String, String)]) throws -> Int {
        for (key, value) in meta { try manifest.set(key, value) }
        try manifest.set("site", siteName)
        do {
            if let rows = ledger.rows {
                try commitTree(rows)
                return 0
            }
            let removals = try removals(ledger.removed())
            let staged = ledger.stagedHashes()
            if staged.isEmpty, removals.isEmpty {
                try manifest.clearPending()
                try manifest.commit()
                try noteFolders()
                try clean()
                return 0
            }
            try refuseForeignFiles(staged, ledger)
            let isLarge =
                try staged.count > swapsAbove
                && (swapsAbove == 0 || staged.count * 4 > manifest.count().files)
            if isLarge, !isInside, let moves = try fillStage(ledger, staged, removals) {
                try commitSwap(moves) { try self.steps(ledger, staged, removals) }
            } else {
                try state.synchronise()
                try commitSteps(steps(ledger, staged, removals))
            }
            return removals.count
        } catch let error as FileError {
            throw Failure("output", error.advice + "; the last good site is as it was", at: .file(path))
        }
    }

    /// The site is in place; what fails now is only what is noted of it.
    func finishing(_ body: () throws -> Void) throws {
        do { try body() } catch let error as FileError {
            throw Failure(
                "output", error.advice + "; the new site is in place, build again to finish", at: .file(path))
        }
    }

    /// Files of ours to be removed. One that somebody changed is left alone and reported (S36).
    private func removals(_ hashes: [Int64]) throws -> [Manifest.Step] {
        let output = try existing()
        var removals: [Manifest.Step] = []
        for hash in hashes {
            guard let file = try manifest.file(hash: hash) else { continue }
            try manifest.remove(hash: hash)
            if try isAsWritten(file.path, size: file.size, content: file.content, in: output) {
                removals.append(Manifest.Step(.remove, file))
            } else if try output.status(file.path) != nil {
                warnings.append(
                    Diagnostic(
                        .warning, "changed-by-hand",
                        "is no longer part of the site, but was changed by hand; left in place",
                        at: .file(joined(file.path))))
            }
        }
        return removals
    }

    /// A file of somebody else that has the name of a new page is not overwritten, unless it is the same.
    private func refuseForeignFiles(_ staged: [Int64], _ ledger: Ledger) throws {
        let output = try existing()
        for hash in staged where !ledger.isKnown(hash) {
            guard let file = try manifest.file(hash: hash), let status = try output.status(file.path) else {
                continue
            }
            if status.kind == .regular,
                try isAsWritten(file.path, size: file.size, content: file.content, in: output)
            {
                continue
            }
            throw inTheWay(file.path)
        }
    }

    func inTheWay(_ path: String) -> Failure {
        Failure(
            "foreign-file", "is not ours and is where a file of the site goes; move it away and build again",
            at: .file(joined(path)))
    }

    // MARK: A tree into nothing

    private func commitTree(_ rows: RowSpool) throws {
        // The one waits for the disk, the other is work.
        let (_, folders) = try concurrently(workers: 2) { [state] in
            try state.synchronise()
        } _: {
            try manifest.put(rows)
        }
        try manifest.set("tree", "1")
        try manifest.commit()
        hasPromised = true
        do { try placeTree() } catch {
            // Somebody has put files into the folder since it was looked at.
            hasPromised = false
            try manifest.forgetFiles()
            throw error
        }
        try finishing { try finishTree(folders) }
    }

    private func finishTree(_ folders: Set<String>) throws {
        try state.synchronise()
        try noteFolders(folders)
        try manifest.set("tree", nil)
        hasPromised = false
        try clean()
    }

    /// An empty folder makes way in the same step; one with files does not.
    private func placeTree() throws {
        if isInside { return try placeTreeInside() }
        try keepMode()
        try state.rename(Self.stageName, to: parent, as: name)
    }

    /// The new folder gets owner and permissions of the one it replaces.
    func keepMode() throws {
        guard let status = try parent.status(name) else { return }
        let stage = try staging()
        // Only root may give files away, and only where the file system knows owners: both are tried, none is needed.
        _ = fchown(stage.descriptor, status.owner, status.group)
        _ = fchmod(stage.descriptor, status.mode)
    }

    /// The output is a file system of its own: the top entries are renamed one by one.
    private func placeTreeInside() throws {
        let tree = try staging()
        let output = try existing()
        // Folders first: index.html must not lead to what is not there yet.
        for (entry, kind) in try tree.entries().sorted(by: { $0.kind == .directory && $1.kind != .directory })
        {
            guard try output.status(entry) == nil || kind == .regular else {
                throw FileError("replace", entry, code: ENOTEMPTY)
            }
            try tree.renameWithoutReplacing(entry, to: output, as: entry)
        }
    }

    // MARK: File by file

    /// The steps in their order (S57, S40): pages of customers who are gone; pictures and styles; new pages before the
    /// changed ones that lead to them; entry files; removals.
    private func steps(_ ledger: Ledger, _ staged: [Int64], _ removals: [Manifest.Step]) throws -> [Manifest
        .Step]
    {
        let files = try staged.compactMap { hash in try manifest.file(hash: hash).map { (hash, $0) } }
        let ranked = files.map { hash, file in
            let rank =
                switch file.path {
                case let path where path.hasPrefix("assets/"): 0
                case let path where !path.utf8.contains(UInt8(ascii: "/")): 3
                default: ledger.isKnown(hash) ? 2 : 1
                }
            return (rank, file)
        }
        let isPrivate = { (step: Manifest.Step) in step.path.hasPrefix("lists/") }
        return removals.filter(isPrivate)
            + ranked.sorted { ($0.0, $0.1.path) < ($1.0, $1.1.path) }.map { Manifest.Step(.place, $0.1) }
            + removals.filter { !isPrivate($0) }.sorted { $0.path < $1.path }
    }

    /// Commits the manifest, whose transaction is open, and takes the steps.
    func commitSteps(_ steps: [Manifest.Step]) throws {
        try manifest.set("noted", nil)
        try manifest.setPending(steps)
        try manifest.commit()
        hasPromised = true
        let end = (steps.lastIndex { $0.kind == .place } ?? -1) + 1
        try perform(steps[..<end])
        try finishing {
            let removals = steps[end...]
            // No removal reaches the disk before what takes its place.
            if !removals.isEmpty, end > 0 { try state.synchronise() }
            for step in removals { try remove(step.path) }
            try finishSteps(noting: Set(steps.flatMap { Self.folders(of: $0.path) }))
        }
    }

    private func finishSteps(noting folders: Set<String>) throws {
        try state.synchronise()
        try manifest.transaction { try manifest.clearPending() }
        hasPromised = false
        try noteFolders(folders)
        try clean()
    }

    /// The folder of a file and those above it, the output itself as "".
    private static func folders(of path: String) -> [String] {
        var out: [String] = []
        var folder = path
        while !folder.isEmpty {
            folder = split(folder).folder
            out.append(folder)
        }
        return out
    }

    /// Takes steps. If one fails, those before it are taken back; only removals are not: pages of customers who are
    /// gone stay gone.
    private func perform(_ steps: ArraySlice<Manifest.Step>) throws {
        var done: [(step: Manifest.Step, move: Move)] = []
        do {
            var folders = FolderPair(stage: try staging(), output: try existing())
            for step in steps {
                let (folder, file) = Self.split(step.path)
                if step.kind == .remove {
                    try remove(step.path)
                } else {
                    done.append(
                        (step, try place(file, from: folders.stage(folder), to: folders.output(folder))))
                }
            }
        } catch let error as FileError {
            guard !done.contains(where: { $0.move == .replaced }) else { throw error }
            var folders = FolderPair(stage: try staging(), output: try existing())
            for (step, move) in done.reversed() {
                let (folder, file) = Self.split(step.path)
                switch move {
                case .new: try folders.output(folder).removeFile(file)
                default: try folders.stage(folder).exchange(file, with: folders.output(folder), file)
                }
            }
            try manifest.transaction { try manifest.restorePrevious() }
            hasPromised = false
            throw error
        }
    }

    /// How a file came to its place: what it takes to undo it.
    private enum Move { case new, exchanged, replaced }

    /// The folder of the last file, open in the stage and in the output: files come sorted by folder.
    private struct FolderPair {
        let stage: Directory, output: Directory
        private var staged: (path: String, Directory)?
        private var visible: (path: String, Directory)?

        init(stage: Directory, output: Directory) {
            self.stage = stage
            self.output = output
        }

        mutating func stage(_ path: String) throws -> Directory {
            if path.isEmpty { return stage }
            if let staged, staged.path == path { return staged.1 }
            let folder = try stage.directory(path)
            staged = (path, folder)
            return folder
        }

        mutating func output(_ path: String) throws -> Directory {
            if path.isEmpty { return output }
            if let visible, visible.path == path { return visible.1 }
            let folder = try output.makingDirectory(path)
            visible = (path, folder)
            return folder
        }
    }

    private func place(_ file: String, from: Directory, to: Directory) throws -> Move {
        guard let old = try to.status(file) else {
            try from.renameWithoutReplacing(file, to: to, as: file)
            return .new
        }
        if old.kind == .directory { throw FileError("replace the folder", to.joined(file), code: EISDIR) }
        do { try from.exchange(file, with: to, file) } catch {
            guard error.code == EINVAL else { throw error }
            try from.rename(file, to: to, as: file)
            return .replaced
        }
        return .exchanged
    }

    /// Removes a file, and the folders that are empty then.
    private func remove(_ path: String) throws {
        let output = try existing()
        var (folder, file) = Self.split(path)
        guard let from = folder.isEmpty ? output : try? output.directory(folder) else { return }
        try from.removeFile(file)
        while !folder.isEmpty {
            let (above, name) = Self.split(folder)
            guard let parent = above.isEmpty ? output : try? output.directory(above),
                (try? parent.removeDirectory(name)) == true
            else { return }
            folder = above
        }
    }

    // MARK: After a crash

    /// Finishes, or throws away, what a build that was cut short has left.
    func recover() throws {
        if try state.status(Self.swapName) != nil || manifest[meta: "swap"] != nil { try recoverSwap() }
        if try manifest[meta: "tree"] != nil {
            if try state.status(Self.stageName) != nil {
                do { try placeTree() } catch let error as FileError
                    where error.code == ENOTEMPTY || error.code == EEXIST
                {
                    // Somebody has put files there since: they stay, and the folder is theirs.
                    try manifest.forgetFiles()
                }
            }
            if try parent.status(name) == nil { try manifest.forgetFiles() }
            try manifest.set("tree", nil)
        }
        let steps = try manifest.pending()
        if !steps.isEmpty {
            if try parent.status(name) != nil { for step in steps { try performAgain(step) } }
            try state.synchronise()
            try manifest.transaction { try manifest.clearPending() }
        }
        try clean()
    }

    /// Takes a step that may have been taken already. What was staged and exchanged is the old file by now; so it is
    /// placed only if it is what was to be placed, and removed only if it is what was to be removed.
    private func performAgain(_ step: Manifest.Step) throws {
        let stage = try staging()
        let output = try existing()
        let (folder, file) = Self.split(step.path)
        switch step.kind {
        case .place:
            guard try isAsWritten(step.path, size: step.size, content: step.content, in: stage) else {
                return
            }
            _ = try place(
                file, from: folder.isEmpty ? stage : stage.directory(folder),
                to: folder.isEmpty ? output : output.makingDirectory(folder))
        case .remove:
            guard try isAsWritten(step.path, size: step.size, content: step.content, in: output) else {
                return
            }
            try remove(step.path)
        case .move: break
        }
    }
}
