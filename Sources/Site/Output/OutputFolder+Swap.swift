import Basics
import Glibc

/// Changing much in one step.
///
/// When most pages change, renaming them one by one is slow, and a build that is killed leaves a mix of old and new.
/// So the stage is filled up to a whole site: what stays is given a second name in it (a hard link, so that the file
/// keeps its inode and time), files of others too. Then stage and output change names in one step. Folders of others,
/// such as `.git`, cannot have two names; they are brought over right after. Last the old tree is taken apart: only
/// names that the manifest knows, or that the new tree has as well, are removed.
///
/// After a crash the manifest tells, by the inode of the new tree, on which side of the step it was.
extension OutputFolder {
    /// Gives everything of the output that stays a second name in the stage.
    ///
    /// - Returns: folders of others, to be brought over; nil if this file system or these rights do not allow it: the
    ///   stage then still serves for renames.
    func fillStage(_ ledger: Ledger, _ staged: [Int64], _ removals: [Manifest.Step]) throws -> [String]? {
        let stage = try staging()
        let output = try existing()
        let ours = try manifest.allFolders()
        let removed = Set(removals.map { Int64(bitPattern: hash64($0.path)) })
        let stagedSet = Set(staged)
        var moves: [String] = []
        var kept = 0
        do {
            var queue = [""]
            while let folder = queue.popLast() {
                let from = folder.isEmpty ? output : try output.directory(folder)
                var to = folder.isEmpty ? stage : nil
                for (name, kind) in try from.entries() {
                    let path = folder.isEmpty ? name : folder + "/" + name
                    if kind == .directory, ours.contains(path) {
                        // A mount in our own folders: renames reach into it as little as links.
                        if try from.isMountPoint(name) { return nil }
                        queue.append(path)
                        continue
                    }
                    let hash = Int64(bitPattern: hash64(path))
                    if stagedSet.contains(hash), kind != .directory { continue }
                    if removed.contains(hash) { continue }
                    if to == nil { to = try stage.makingDirectory(folder) }
                    guard let target = to else { continue }
                    if kind == .directory {
                        if try from.isMountPoint(name) { return nil }
                        if try target.status(name) != nil { throw inTheWay(path) }
                        moves.append(path)
                        continue
                    }
                    let isKept = kind == .regular && ledger.isKnown(hash)
                    guard try target.status(name) == nil else { throw inTheWay(path) }
                    try from.link(name, to: target, as: name)
                    if isKept, try manifest.file(hash: hash) != nil { kept += 1 }
                }
            }
        } catch let error as FileError {
            if [ENOSPC, EDQUOT, EIO, EROFS, EMFILE, ENFILE].contains(error.code) { throw error }
            return nil
        }
        guard try kept + staged.count == manifest.count().files else {
            throw Failure(
                "changed-meanwhile", "files of the site went while it was built; build again", at: .file(path)
            )
        }
        return moves
    }

    /// Commits the manifest, whose transaction is open, and swaps the trees.
    ///
    /// - Parameter steps: what to do instead where folders cannot be exchanged.
    func commitSwap(_ moves: [String], orElse steps: () throws -> [Manifest.Step]) throws {
        try keepMode()
        try state.synchronise()
        let tree = try staging().status().inode
        try manifest.set("swap", String(tree))
        try manifest.set("noted", nil)
        try manifest.setPending(moves.map { Manifest.Step(.move, path: $0) })
        try manifest.commit()
        hasPromised = true
        do { try exchangeTrees() } catch let error as FileError {
            if try state.status(Self.swapName) != nil {
                try state.renameWithoutReplacing(Self.swapName, to: state, as: Self.stageName)
            }
            // Network and union file systems do not exchange folders.
            let isUnable = [EINVAL, ENOSYS, EXDEV, EBUSY, EOPNOTSUPP, EPERM].contains(error.code)
            try manifest.transaction {
                try manifest.set("swap", nil)
                if !isUnable { try manifest.restorePrevious() }
            }
            hasPromised = false
            guard isUnable else { throw error }
            try manifest.begin()
            return try commitSteps(steps())
        }
        try finishing { try finishSwap(moves) }
    }

    private func exchangeTrees() throws {
        try state.renameWithoutReplacing(Self.stageName, to: state, as: Self.swapName)
        try state.exchange(Self.swapName, with: parent, name)
    }

    private func finishSwap(_ moves: [String]) throws {
        let old = try state.directory(Self.swapName)
        let output = try existing()
        for path in moves { try bring(path, from: old, to: output) }
        try state.synchronise()
        try takeApart(old, output)
        if try !state.removeDirectory(Self.swapName) { try setAside() }
        let folders = try manifest.allFolders()
        try manifest.transaction {
            try manifest.clearPending()
            try manifest.set("swap", nil)
        }
        hasPromised = false
        try noteFolders(folders)
    }

    /// Renames something of somebody else from the old tree to the new one; what is there already stays.
    private func bring(_ path: String, from old: Directory, to output: Directory) throws {
        let (folder, name) = Self.split(path)
        guard try old.status(path) != nil else { return }
        let from = folder.isEmpty ? old : try old.directory(folder)
        let to = folder.isEmpty ? output : try output.makingDirectory(folder)
        if try to.status(name) == nil { try from.renameWithoutReplacing(name, to: to, as: name) }
    }

    /// Empties the old tree. What somebody has put there since the stage was filled is brought over as well.
    private func takeApart(_ old: Directory, _ output: Directory) throws {
        let ours = try manifest.allFolders()
        var queue = [""]
        var folders: [String] = []
        while let folder = queue.popLast() {
            let from = folder.isEmpty ? old : try old.directory(folder)
            folders.append(folder)
            for (name, kind) in try from.entries() {
                let path = folder.isEmpty ? name : folder + "/" + name
                if kind == .directory, ours.contains(path) {
                    queue.append(path)
                } else if kind != .directory,
                    try manifest.isOurs(path) || isSecondName(name, in: from, of: path, output)
                {
                    try from.removeFile(name)
                } else {
                    try bring(path, from: old, to: output)
                }
            }
        }
        // Those inside before those around them.
        for folder in folders.reversed() where !folder.isEmpty {
            let (above, name) = Self.split(folder)
            try (above.isEmpty ? old : old.directory(above)).removeDirectory(name)
        }
    }

    private func isSecondName(_ name: String, in folder: Directory, of path: String, _ output: Directory)
        throws -> Bool
    {
        guard let old = try folder.status(name), let new = try output.status(path) else { return false }
        return (old.device, old.inode) == (new.device, new.inode)
    }

    /// Keeps what is left of an old tree, under a name that no build looks at, and says so.
    private func setAside() throws {
        var number = 1
        while try state.status("kept-\(number)") != nil { number += 1 }
        try state.renameWithoutReplacing(Self.swapName, to: state, as: "kept-\(number)")
        warnings.append(
            Diagnostic(
                .warning, "kept-files",
                "holds files that are not ours and were in the output folder; look through them",
                at: .file(state.joined("kept-\(number)"))))
    }

    func recoverSwap() throws {
        let hasSwap = try state.status(Self.swapName) != nil
        guard let tree = try manifest[meta: "swap"].flatMap({ UInt64($0) }) else {
            // The manifest was removed while an old tree was there.
            if hasSwap { try setAside() }
            return
        }
        let moves = try manifest.pending().filter { $0.kind == .move }.map(\.path)
        if try parent.status(name)?.inode != tree {
            if try state.status(Self.stageName)?.inode == tree {
                try state.renameWithoutReplacing(Self.stageName, to: state, as: Self.swapName)
            }
            if try state.status(Self.swapName)?.inode == tree {
                try state.exchange(Self.swapName, with: parent, name)
            }
        }
        if try parent.status(name)?.inode == tree {
            if try state.status(Self.swapName) != nil { return try finishSwap(moves) }
            return try manifest.transaction {
                try manifest.clearPending()
                try manifest.set("swap", nil)
            }
        }
        // The new tree is gone, as is not to be expected; the old site is what there is.
        if try state.status(Self.swapName) != nil { try setAside() }
        try manifest.transaction {
            try manifest.restorePrevious()
            try manifest.set("swap", nil)
        }
    }
}
