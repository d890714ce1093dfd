import Basics
import Glibc
import Site

/// One run of publishing: what a target has, what it should have, and the way there.
final class Publisher {
    let site: FinishedSite
    let target: PublishTarget
    let options: PublishOptions
    let progress: any BuildProgress
    let warn: ([Diagnostic]) -> Void
    let place: Workplace
    let transport: any Transport
    var report = PublishReport()

    static let recordName = "record", pendingName = "sending", journalName = "sent"
    static let stateName = "state"

    init(
        _ site: FinishedSite, _ target: PublishTarget, base: String, _ options: PublishOptions,
        _ progress: any BuildProgress, warn: @escaping ([Diagnostic]) -> Void
    ) throws {
        self.site = site
        self.target = target
        self.options = options
        self.progress = progress
        self.warn = warn
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
        var known = try knownTarget()
        let extras = HostFiles.files(
            of: target, site: site, existing: { path in site.files.contains { $0.path == path } })
        let outgoing = try outgoing(extras, known)
        if options.isForced { try doubt(outgoing, &known) }
        if !known.uncertain.isEmpty {
            known.there = Set(try retrying { try transport.existing(Array(known.uncertain)) })
        }
        var plan = PublishPlan(
            site: outgoing, known: known.files, uncertain: known.uncertain, there: known.there,
            sent: known.sent, unused: known.unused,
            now: Int(wallClockNanoseconds() / 1_000_000_000))
        report.isResumed = known.isCut
        report.unchanged = plan.unchanged
        let redirects = target.hostFiles.contains(.redirects) ? site.moved.count : 0
        warn(HostLimits.warnings(outgoing, redirects: redirects, target: target))
        if target.kind == .git, site.files.contains(where: { TargetRecord.isPrivate($0.path) }) {
            warn([
                Diagnostic(
                    .warning, "lists-in-git",
                    "whoever can read the repository finds the customers' lists; keep it private",
                    at: target.place)
            ])
        }
        try checkDeletions(
            plan, of: known.files.count + known.uncertain.subtracting(known.files.map(\.path)).count)
        plan = try pack(plan)
        try checkForeign(plan)
        describe(plan)
        if options.isDryRun || (plan.isEmpty && known.isFinished) { return report }
        try send(plan, known, outgoing)
        return report
    }

    // MARK: What is said

    private func describe(_ plan: PublishPlan) {
        for step in PublishPlan.Step.allCases {
            let files =
                plan.outgoing(step).map { (TargetRecord.concealed($0.path), Optional($0.file.size)) }
                + plan.removals(step).joined().map { (TargetRecord.concealed($0), nil) }
            if !files.isEmpty { report.steps.append(PublishReport.Step(title: step.title, files: files)) }
        }
        report.sent = plan.files
        report.bytes = plan.bytes
        report.removed = plan.removed.count
    }

    // MARK: Sending

    private func send(_ plan: PublishPlan, _ known: KnownTarget, _ outgoing: [Outgoing]) throws {
        // Sizes as the plan has them.
        let made = Dictionary(plan.allOutgoing.map { ($0.path, $0.file) }) { a, _ in a }
        var record = TargetRecord(
            files: (outgoing.map { made[$0.path] ?? $0.file } + plan.kept)
                .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
        record.unused = plan.unused
        if !transport.isAtomic { try announce(plan, known, record) }
        let advice: String? =
            switch try transport.replacement {
            case .whole: nil
            case .afterRemoval:
                "a visitor may miss a page for a moment; rclone from 1.63 on can, and so can rsync"
            case .inPlace:
                "a visitor may meet half a page for a moment, unless the server sees to that; rsync can"
            }
        if let advice {
            warn([
                Diagnostic(
                    .warning, "in-place",
                    "this remote cannot put a file in another's place in one step, so \(advice)",
                    at: target.place)
            ])
        }
        let journal = try Journal(in: place.scratch, name: Self.journalName, generation: record.generation)
        for step in PublishPlan.Step.allCases {
            if step == .remove, !transport.isAtomic { try verify(plan, journal) }
            try send(plan.outgoing(step), step.title, journal)
            try remove(plan.removals(step), step.title)
        }
        progress.begin("note", total: 0)
        try finish(record, plan, known)
    }

    private func send(_ items: [Outgoing], _ title: String, _ journal: Journal) throws {
        if items.isEmpty { return }
        progress.begin(title, total: items.count)
        var left = items
        var shown = 0
        try retrying {
            var isThere: Set<String> = []
            defer { left.removeAll { isThere.contains($0.path) } }
            try transport.send(left) { count in
                // What was on its way when a connection broke goes twice and counts once.
                let count = min(count, items.count - shown)
                shown += count
                if count > 0 { progress.advance(count) }
            } done: { done in
                for item in done { isThere.insert(item.path) }
                try journal.add(done)
            }
        }
    }

    /// Removes files, and looks whether they are gone: what is noted as removed and is not would stay for ever.
    private func remove(_ parts: [[String]], _ title: String) throws {
        if parts.isEmpty { return }
        progress.begin(title, total: parts.reduce(0) { $0 + $1.count })
        for part in parts {
            try retrying { try transport.remove(part) }
            let left = transport.isAtomic ? [] : try retrying { try transport.existing(part) }
            guard left.isEmpty else {
                throw TransportFault(
                    .denied,
                    "\(left.count) of \(part.count) files are still there after they were removed "
                        + "(\(Self.examples(left)))")
            }
            progress.advance(part.count)
        }
    }

    /// Some paths, for a message.
    static func examples(_ paths: [String]) -> String {
        paths.prefix(3).map { "'\(TargetRecord.concealed($0))'" }.joined(separator: ", ")
            + (paths.count > 3 ? ", …" : "")
    }

    /// Notes at the target what is about to be sent, so that it is known as ours whatever happens.
    private func announce(_ plan: PublishPlan, _ known: KnownTarget, _ record: TargetRecord) throws {
        progress.begin("announce", total: 0)
        var paths = Dictionary(
            plan.allOutgoing.map { ($0.path, $0.file) }
        ) { a, _ in a }
        // A file that is being removed may be back in the next run: its old record must not count then.
        for path in known.uncertain.union(plan.removed) where paths[path] == nil {
            paths[path] = FinishedSite.File(path: path, content: 0, size: 0)
        }
        var pending = TargetRecord(
            files: paths.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) })
        pending.generation = record.generation
        // A run that ended before it had noted that it began has left this at the target.
        if let bytes = try? place.scratch.contents(of: Self.pendingName, limit: 1 << 30),
            let stray = TargetRecord(bytes)?.generation, stray != known.pending
        {
            try retrying { try transport.remove([TargetRecord.pendingName(stray)]) }
        }
        try place.scratch.replace(Self.pendingName, with: pending.text(isPublic: false), mode: 0o600)
        // What an earlier run brought there counts on, but for what this one is going to replace.
        let touched = Set(plan.allOutgoing.map(\.path)).union(plan.removed)
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
                "\(wrong.count) files at target '\(target.name)' are not what was sent (\(Self.examples(wrong.sorted()))); "
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
                "Publish \(report.sent) file\(report.sent == 1 ? "" : "s"), remove \(report.removed)",
                progress: progress)
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
}

/// Tries again, after a while, what fails because a connection broke.
///
/// - Parameter pause: waits for some milliseconds.
func retrying<T>(pause: (Int) -> Void = { usleep(UInt32($0) * 1000) }, _ body: () throws -> T) throws -> T {
    for wait in [500, 2000, 8000] {
        do { return try body() } catch let fault as TransportFault where fault.isRetryable { pause(wait) }
    }
    return try body()
}
