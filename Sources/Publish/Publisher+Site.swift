import Basics
import Glibc
import Site

/// What is to be at the target.
extension Publisher {
    /// Everything is as a build left it (S44).
    func checkSite() throws {
        progress.begin("verify the site", total: site.files.count)
        let start = wallClockNanoseconds()
        let note = "verified"
        let last = (try? site.state.contents(of: note, limit: 64)).flatMap {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        let changed = try site.changedByHand(
            verifiedAt: last ?? 0, jobs: options.jobs ?? availableProcessors(), progress: progress)
        if changed.isEmpty {
            try site.state.replace(note, with: Array(String(start).utf8))
        } else if !options.isForced {
            throw Failure(
                changed.map {
                    Diagnostic(
                        .error, "output-changed",
                        "is missing or was changed since it was built; build again, or send it with --force",
                        at: .file(site.path + "/" + TargetRecord.concealed($0)))
                })
        }
    }

    /// The files of the site, of the host and the packed ones, by path.
    func outgoing(_ extras: [(path: String, bytes: [UInt8])], _ known: KnownTarget) throws
        -> [Outgoing]
    {
        var out = site.files.map { Outgoing(file: $0) }
        if options.isForced {
            // What was changed by hand is sent as it is.
            out = try out.compactMap { item in
                guard let status = try site.folder.status(item.path), status.kind == .regular else {
                    return nil
                }
                let bytes = try site.folder.contents(of: item.path, limit: status.size)
                return Outgoing(
                    file: FinishedSite.File(
                        path: item.path, content: Fingerprint(of: bytes).low, size: bytes.count))
            }
        }
        if !target.packings.isEmpty {
            let sizes = Dictionary(
                known.files.lazy.filter { $0.path.hasSuffix(".gz") || $0.path.hasSuffix(".br") }.map {
                    ($0.path, $0.size)
                }
            ) { a, _ in a }
            for item in out where Packing.isWorthwhile(item.file) {
                for packing in target.packings {
                    let path = "\(item.path).\(packing.rawValue)"
                    // What a packed file holds is decided by what is packed, which spares packing to compare.
                    let content = hash64("\(packing.rawValue) 1 \(item.file.content.hexDigits)")
                    out.append(
                        Outgoing(
                            file: FinishedSite.File(path: path, content: content, size: sizes[path] ?? 0),
                            isMade: true))
                }
            }
        }
        for (path, bytes) in extras {
            let (folder, name) = splitPath(path)
            try (folder.isEmpty ? place.made : place.made.makingDirectory(folder)).replace(name, with: bytes)
            out.append(
                Outgoing(
                    file: FinishedSite.File(
                        path: path, content: Fingerprint(of: bytes).low, size: bytes.count), isMade: true))
        }
        return out.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Makes the packed files that are to be sent, and puts their sizes into the plan.
    func pack(_ plan: PublishPlan) throws -> PublishPlan {
        let paths = plan.allOutgoing.filter { $0.isMade }.compactMap {
            item -> (String, PublishTarget.Packing)? in
            guard let suffix = item.path.split(separator: ".").last.map(String.init),
                let packing = PublishTarget.Packing(rawValue: suffix)
            else { return nil }
            return (item.path, packing)
        }
        if paths.isEmpty { return plan }
        progress.begin("pack", total: paths.count)
        let made = place.made
        let folder = site.folder
        let progress = progress
        let pipeline = Pipeline<ArraySlice<(String, PublishTarget.Packing)>>(
            workers: options.jobs ?? availableProcessors()
        ) {
            _, paths in
            for (path, packing) in paths {
                let bytes = try folder.contents(
                    of: String(path.dropLast(packing.rawValue.utf8.count + 1)), limit: 1 << 30)
                let (above, name) = splitPath(path)
                try (above.isEmpty ? made : made.makingDirectory(above)).replace(
                    name, with: Packing.pack(bytes, packing))
            }
            progress.advance(paths.count)
        }
        var at = 0
        do {
            while at < paths.count {
                try pipeline.send(paths[at..<min(paths.count, at + 16)])
                at += 16
            }
        } catch {
            try pipeline.finish()
            throw error
        }
        try pipeline.finish()
        var plan = plan
        var sizes: [String: Int] = [:]
        for (path, _) in paths { sizes[path] = try made.status(path)?.size }
        plan.update(sizes)
        return plan
    }
}
