public import Basics
import Glibc
public import Site

/// What the command line asks of publishing.
public struct PublishOptions: Sendable {
    /// The target's name in the settings; nil when there is only one.
    public var target: String?
    /// Whether only to say what would be done.
    public var isDryRun = false
    /// Whether more files than usual may be removed.
    public var allowsDeletions = false
    /// Whether to send what was changed by hand, what an older build made, and over files of others.
    public var isForced = false
    /// Threads that read and pack files; nil is one for each processor.
    public var jobs: Int?

    /// The defaults.
    public init() {}
}

/// What publishing did, or would do.
public struct PublishReport: Sendable {
    /// A step with what it comes to.
    public struct Step: Sendable {
        /// What is done: "send pages", "remove".
        public let title: String
        /// Paths with their sizes; a size is nil for what is removed.
        public let files: [(path: String, bytes: Int?)]
        /// Of all files that are sent.
        public var bytes: Int { files.reduce(0) { $0 + ($1.bytes ?? 0) } }
    }

    /// The target's name, and where it is.
    public var target = "", destination = ""
    /// What is to be done, in order; nothing for a target that is up to date.
    public var steps: [Step] = []
    /// Files sent and removed, and those that were there already.
    public var sent = 0, removed = 0, unchanged = 0
    /// Bytes sent.
    public var bytes = 0
    /// Whether a run that was cut short was taken up.
    public var isResumed = false
    /// What to look at now.
    public var url: String?
    /// What is worth knowing, though nothing failed.
    public var warnings: [Diagnostic] = []
}

/// Brings a finished site to a target: compares, sends what differs in an order that leaves no page without what it needs,
/// looks whether it arrived, removes what is gone.
///
/// - Parameter base: the folder of the site, to which paths in the settings are relative.
/// - Throws: ``Failure``; the target then has whole pages with all that they need, and the next run goes on.
public func publish(
    _ site: FinishedSite, base: String, _ options: PublishOptions, progress: any BuildProgress
) throws -> PublishReport {
    let target = try chosenTarget(options.target, among: site.targets)
    do {
        return try Publisher(site, target, base: absolutePath(base, in: currentFolder()), options, progress)
            .run()
    } catch let fault as TransportFault {
        throw fault.failure(target)
    } catch let error as FileError {
        throw Failure("publish-file", error.description, at: .file(site.path))
    }
}

private func currentFolder() -> String {
    guard let here = getcwd(nil, 0) else { return "/" }
    defer { free(here) }
    return String(cString: here)
}

private func chosenTarget(_ name: String?, among targets: [PublishTarget]) throws -> PublishTarget {
    let names = targets.map { "'\($0.name)'" }.joined(separator: ", ")
    if targets.isEmpty {
        throw Failure(
            "unknown-target",
            "content/site.yaml names no target; add one under 'publish', see docs/publishing.md")
    }
    guard let name else {
        if targets.count == 1 { return targets[0] }
        throw Failure("unknown-target", "there are several targets; say which: \(names)")
    }
    if let target = targets.first(where: { $0.name == name }) { return target }
    let near = suggestion(for: name, among: targets.map(\.name)).map { "; did you mean '\($0)'?" }
    throw Failure(
        "unknown-target", "'\(name)' is no target of content/site.yaml" + (near ?? "; there are \(names)"))
}

private final class Publisher {
    private let site: FinishedSite
    private let target: PublishTarget
    private let options: PublishOptions
    private let progress: any BuildProgress
    private let place: Workplace
    private let transport: any Transport
    private var report = PublishReport()

    /// The most that may be removed without being asked: files, and hundredths of what is there.
    private static let deletionLimit = 256, deletionShare = 10

    private static let recordName = "record", pendingName = "sending", journalName = "sent"
    private static let stateName = "state"

    init(
        _ site: FinishedSite, _ target: PublishTarget, base: String, _ options: PublishOptions,
        _ progress: any BuildProgress
    ) throws {
        self.site = site
        self.target = target
        self.options = options
        self.progress = progress
        let scratch = try site.state.makingDirectory("published/\(target.name)", mode: 0o700)
        let made = try scratch.makingDirectory("made")
        let scratchPath = try Self.path(of: scratch)
        place = Workplace(
            target: target, site: site.folder, made: made, scratch: scratch, sitePath: site.absolutePath,
            madePath: scratchPath + "/made", scratchPath: scratchPath, base: base,
            lock: try Self.lock(scratch, target))
        transport =
            switch target.kind {
            case .folder: try FolderTransport(place, precious: site.precious, sources: site.sources)
            case .rsync: RsyncTransport(place)
            case .rclone: RcloneTransport(place)
            case .git: GitTransport(place)
            }
        report.target = target.name
        report.destination = target.destination
        report.url = target.url ?? site.url
    }

    /// Where an open folder is, for programs that take paths.
    private static func path(of folder: Directory) throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let n = readlink("/proc/self/fd/\(folder.descriptor)", &buffer, buffer.count)
        guard n > 0, n < buffer.count else { throw FileError("look at", folder.path) }
        return String(decoding: buffer[..<n], as: UTF8.self)
    }

    /// Programs that we started hold the lock as well: when we were killed, they may still be sending for a moment.
    private static func lock(_ scratch: Directory, _ target: PublishTarget) throws -> FileLock {
        for _ in 0..<100 {
            if let lock = try FileLock(in: scratch, name: "lock") { return lock }
            let holder = FileLock.holder(in: scratch, name: "lock").flatMap { Int32($0) }
            if let holder, kill(holder, 0) == 0 || errno == EPERM {
                throw Failure(
                    "locked", "process \(holder) is publishing to '\(target.name)'; wait until it is done",
                    at: target.place)
            }
            usleep(100_000)
        }
        throw Failure(
            "locked",
            "a program of an earlier run still sends to '\(target.name)'; end it, or wait until it is done",
            at: target.place)
    }

    func run() throws -> PublishReport {
        defer { transport.close() }
        try checkSite()
        progress.begin("compare", total: 0)
        try retrying { try transport.open() }
        let known = try knownTarget()
        let extras = HostFiles.files(
            of: target, site: site, existing: { path in site.files.contains { $0.path == path } })
        let outgoing = try outgoing(extras, known)
        var plan = PublishPlan(
            site: outgoing, known: known.files, uncertain: known.uncertain, sent: known.sent)
        report.isResumed = known.isCut
        report.unchanged = plan.unchanged
        report.warnings += HostLimits.warnings(
            outgoing, redirects: target.hostFiles.contains(.redirects) ? site.moved.count : 0, target: target)
        if target.kind == .git, site.files.contains(where: { TargetRecord.isPrivate($0.path) }) {
            report.warnings.append(
                Diagnostic(
                    .warning, "lists-in-git",
                    "whoever can read the repository finds the customers' lists; keep it private",
                    at: target.place))
        }
        try checkDeletions(plan, of: known.files.count)
        plan = try pack(plan)
        try checkForeign(plan)
        describe(plan)
        if options.isDryRun || (plan.isEmpty && known.isFinished) { return report }
        try send(plan, known, outgoing)
        return report
    }

    // MARK: The site

    /// Everything is as a build left it (S44).
    private func checkSite() throws {
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
        } else {
            try place.scratch.removeFile(Self.recordName)
        }
    }

    /// The files of the site, of the host and the packed ones, by path.
    private func outgoing(_ extras: [(path: String, bytes: [UInt8])], _ known: KnownTarget) throws
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
    private func pack(_ plan: PublishPlan) throws -> PublishPlan {
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

    // MARK: The target

    /// What is known of a target.
    private struct KnownTarget {
        var files: [FinishedSite.File] = []
        /// Paths of ours at which there may be anything.
        var uncertain: Set<String> = []
        /// What a run that was cut had sent.
        var sent: [String: UInt64] = [:]
        var generation: String?
        var isFinished = false
        var isCut = false
        /// Names of what earlier runs noted at the target.
        var old: [String] = []
    }

    private func knownTarget() throws -> KnownTarget {
        var known = KnownTarget()
        guard let bytes = try retrying({ try transport.read(TargetState.name) }) else { return known }
        // Where files are written in place, a run that is cut can leave this one empty: then ours counts.
        let ours = (try? place.scratch.contents(of: Self.stateName, limit: 4096)).flatMap { TargetState($0) }
        guard let state = TargetState(bytes) ?? ours else { return try damaged(TargetState.name) }
        known.isFinished = state.isFinished
        known.isCut = !state.isFinished
        known.generation = state.isFinished ? state.generation : state.from
        known.old = [state.from, state.generation].compactMap { $0 }.flatMap {
            [TargetRecord.name($0), TargetRecord.pendingName($0)]
        }
        if let generation = known.generation {
            guard let record = try record(TargetRecord.name(generation), local: Self.recordName, generation)
            else {
                return try damaged(TargetRecord.name(generation))
            }
            known.files = record.files
            known.uncertain.formUnion(try privatePages(record))
        }
        guard !state.isFinished else { return known }
        // From a run that was cut: what it was sending may be there or not, but it is ours.
        let name = TargetRecord.pendingName(state.generation)
        guard let pending = try record(name, local: Self.pendingName, state.generation) else {
            return try damaged(name)
        }
        known.uncertain.formUnion(pending.files.map(\.path))
        known.uncertain.formUnion(try privatePages(pending))
        known.sent =
            (try? Journal.read(in: place.scratch, name: Self.journalName, generation: state.generation))
            ?? [:]
        return known
    }

    private func damaged(_ name: String) throws -> KnownTarget {
        if options.isForced { return KnownTarget() }
        throw Failure(
            "bad-record",
            "'\(name)' at target '\(target.name)' is missing, damaged or of another version; with --force everything is sent "
                + "again and nothing is removed", at: target.place)
    }

    /// The record of a run: our own copy, else that of the target.
    private func record(_ name: String, local: String, _ generation: String) throws -> TargetRecord? {
        if let bytes = try? place.scratch.contents(of: local, limit: 1 << 30),
            let record = TargetRecord(bytes),
            record.generation == generation
        {
            return record
        }
        guard let bytes = try retrying({ try transport.read(name) }) else { return nil }
        // git finds the few lines that differ by itself, if they are not packed.
        let text = bytes.starts(with: [0x1F, 0x8B]) ? Packing.unpackedGzip(bytes, limit: 1 << 30) : bytes
        guard let record = text.flatMap({ TargetRecord($0) }), record.generation == generation else {
            return nil
        }
        return record
    }

    /// Customers' pages of a record that has their hashes only: those at the target whose hashes it has.
    private func privatePages(_ record: TargetRecord) throws -> [String] {
        if record.hashes.isEmpty { return [] }
        return try retrying { try transport.list("lists") }.filter {
            TargetRecord.isPrivate($0) && TargetRecord.isOurs($0)
                && record.hashes.contains(record.hash(of: $0))
        }
    }

    // MARK: Refusals

    private func checkDeletions(_ plan: PublishPlan, of count: Int) throws {
        let losses = plan.losses
        guard !options.allowsDeletions, !losses.isEmpty,
            losses.count > Self.deletionLimit || losses.count * 100 > count * Self.deletionShare
        else { return }
        let examples = losses.prefix(3).map { "'\(TargetRecord.concealed($0))'" }.joined(separator: ", ")
        throw Failure(
            "many-deletions",
            "\(losses.count) of \(count) files at target '\(target.name)' would be removed (\(examples)\(losses.count > 3 ? ", …" : "")); "
                + "if that is right, say --allow-delete", at: target.place)
    }

    /// Files of others that have the names of new ones of ours stay.
    private func checkForeign(_ plan: PublishPlan) throws {
        guard !options.isForced, !plan.added.isEmpty else { return }
        // The plan may know sizes by now that it did not when it was made.
        let added = Set(plan.added.map(\.path))
        let foreign = try retrying {
            try transport.differing(plan.allOutgoing.filter { added.contains($0.path) })
        }
        guard !foreign.isEmpty else { return }
        throw Failure(
            foreign.sorted().prefix(50).map {
                Diagnostic(
                    .error, "foreign-target-file",
                    "'\(TargetRecord.concealed($0))' at target '\(target.name)' is not ours and is where a file of the site goes; move it away, or "
                        + "replace it with --force", at: target.place)
            })
    }

    private func describe(_ plan: PublishPlan) {
        func sends(_ step: PublishPlan.Step) {
            let items = plan.outgoing(step)
            if !items.isEmpty {
                report.steps.append(
                    PublishReport.Step(
                        title: step.title,
                        files: items.map { (TargetRecord.concealed($0.path), $0.file.size) }))
            }
        }
        func removes(_ title: String, _ paths: [String]) {
            if !paths.isEmpty {
                report.steps.append(
                    PublishReport.Step(title: title, files: paths.map { (TargetRecord.concealed($0), nil) }))
            }
        }
        removes(PublishPlan.Step.revoke.title, plan.revoked)
        for step in [PublishPlan.Step.files, .newPages, .pages, .entries] { sends(step) }
        removes(PublishPlan.Step.remove.title, plan.removed)
        report.sent = plan.files
        report.bytes = plan.bytes
        report.removed = plan.revoked.count + plan.removed.count
    }

    // MARK: Sending

    private func send(_ plan: PublishPlan, _ known: KnownTarget, _ outgoing: [Outgoing]) throws {
        // Sizes as the plan has them.
        let made = Dictionary(plan.allOutgoing.map { ($0.path, $0.file) }) { a, _ in a }
        let record = TargetRecord(files: outgoing.map { made[$0.path] ?? $0.file })
        if !transport.isAtomic { try announce(plan, known, record) }
        if try !transport.canReplace {
            report.warnings.append(
                Diagnostic(
                    .warning, "in-place",
                    "this remote cannot put a file in another's place in one step, so a visitor may meet half a page for a moment; "
                        + "rsync can, and so can rclone from 1.63 on by SFTP", at: target.place))
        }
        let journal = try Journal(in: place.scratch, name: Self.journalName, generation: record.generation)
        if !plan.revoked.isEmpty {
            progress.begin(PublishPlan.Step.revoke.title, total: plan.revoked.count)
            try retrying { try transport.remove(plan.revoked) }
            progress.advance(plan.revoked.count)
        }
        for step in [PublishPlan.Step.files, .newPages, .pages, .entries] {
            try send(plan.outgoing(step), step.title, journal)
        }
        if !transport.isAtomic { try verify(plan, journal) }
        if !plan.removed.isEmpty {
            progress.begin(PublishPlan.Step.remove.title, total: plan.removed.count)
            try retrying { try transport.remove(plan.removed) }
            progress.advance(plan.removed.count)
        }
        progress.begin("note", total: 0)
        try finish(record, plan, known)
    }

    private func send(_ items: [Outgoing], _ title: String, _ journal: Journal) throws {
        if items.isEmpty { return }
        progress.begin(title, total: items.count)
        var left = items
        try retrying {
            var isThere: Set<String> = []
            defer { left.removeAll { isThere.contains($0.path) } }
            try transport.send(left) { done in
                for item in done { isThere.insert(item.path) }
                try journal.add(done)
                progress.advance(done.count)
            }
        }
    }

    /// Notes at the target what is about to be sent, so that it is known as ours whatever happens.
    private func announce(_ plan: PublishPlan, _ known: KnownTarget, _ record: TargetRecord) throws {
        progress.begin("announce", total: 0)
        var paths = Dictionary(
            plan.allOutgoing.map { ($0.path, $0.file) }
        ) { a, _ in a }
        // A file that is being removed may be back in the next run: its old record must not count then.
        for path in known.uncertain.union(plan.revoked).union(plan.removed) where paths[path] == nil {
            paths[path] = FinishedSite.File(path: path, content: 0, size: 0)
        }
        var pending = TargetRecord(
            files: paths.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
        pending.generation = record.generation
        try place.scratch.replace(Self.pendingName, with: pending.text(isPublic: false), mode: 0o600)
        // What an earlier run brought there counts on, but for what this one is going to replace.
        let touched = Set(plan.allOutgoing.map(\.path)).union(plan.revoked).union(plan.removed)
        let sent = known.sent.filter { !touched.contains($0.key) }
        try Journal.start(sent, in: place.scratch, name: Self.journalName, generation: record.generation)
        let state = TargetState(generation: record.generation, from: known.generation, isFinished: false)
        try place.scratch.replace(Self.stateName, with: state.text)
        try retrying {
            try transport.write(
                TargetRecord.pendingName(record.generation), Packing.gzip(pending.text(isPublic: true)))
            try transport.write(TargetState.name, state.text)
        }
    }

    /// Looks whether everything arrived, and sends once more what did not.
    private func verify(_ plan: PublishPlan, _ journal: Journal) throws {
        let items = plan.allOutgoing
        if items.isEmpty { return }
        progress.begin("verify", total: 0)
        var wrong = Set(try retrying { try transport.mismatches(items) })
        if !wrong.isEmpty {
            try send(items.filter { wrong.contains($0.path) }, "send again", journal)
            wrong = Set(try retrying { try transport.mismatches(items.filter { wrong.contains($0.path) }) })
        }
        guard wrong.isEmpty else {
            throw Failure(
                "target-differs",
                "\(wrong.count) files at target '\(target.name)' are not what was sent (\(wrong.sorted().prefix(3).map { "'\(TargetRecord.concealed($0))'" }.joined(separator: ", "))); "
                    + "look whether something there changes them, then publish again", at: target.place)
        }
    }

    /// Notes at the target and here what it has now.
    private func finish(_ record: TargetRecord, _ plan: PublishPlan, _ known: KnownTarget) throws {
        let state = TargetState(generation: record.generation, from: known.generation, isFinished: true)
        let text = record.text(isPublic: true)
        try place.scratch.replace(Self.recordName, with: record.text(isPublic: false), mode: 0o600)
        if !transport.isAtomic { try place.scratch.replace(Self.stateName, with: state.text) }
        try retrying {
            try transport.write(
                TargetRecord.name(record.generation), transport.isAtomic ? text : Packing.gzip(text))
            try transport.write(TargetState.name, state.text)
        }
        try retrying { try transport.remove(known.old + [TargetRecord.pendingName(record.generation)]) }
        try retrying {
            try transport.finish(
                "Publish \(report.sent) file\(report.sent == 1 ? "" : "s"), remove \(report.removed)")
        }
        if transport.isAtomic {
            progress.begin("verify", total: 0)
            guard try retrying({ try transport.mismatches(plan.allOutgoing) }).isEmpty else {
                throw TransportFault(.overtaken, "somebody else has published in the meantime")
            }
        }
        try place.scratch.removeFile(Self.pendingName)
        try place.scratch.removeFile(Self.journalName)
        try place.made.removeContents()
    }

    // MARK: Patience

    /// Tries again, after a while, what fails because a connection broke.
    private func retrying<T>(_ body: () throws -> T) throws -> T {
        var wait: UInt32 = 500_000
        for _ in 0..<3 {
            do { return try body() } catch let fault as TransportFault where fault.isRetryable {
                usleep(wait)
                wait *= 4
            }
        }
        return try body()
    }
}
