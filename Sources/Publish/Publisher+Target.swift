import Basics
import Site

/// What is at the target.
extension Publisher {
    /// What is known of a target.
    struct KnownTarget {
        var files: [FinishedSite.File] = []
        /// Paths of ours at which there may be anything.
        var uncertain: Set<String> = []
        /// Those of them at which there is something.
        var there: Set<String> = []
        /// What a run that was cut had sent.
        var sent: [String: UInt64] = [:]
        var generation: String?
        /// The run that was cut.
        var pending: String?
        var isFinished = false
        var isCut = false
        /// Files that were kept: since when they are of no use.
        var unused: [String: Int] = [:]
        /// Names of what earlier runs noted at the target.
        var old: [String] = []
    }

    func knownTarget() throws -> KnownTarget {
        var known = KnownTarget()
        guard let bytes = try retrying({ try transport.read(TargetState.name) }) else { return known }
        // Where files are written in place, a run that is cut can leave this one empty: then ours counts.
        let ours = (try? place.scratch.contents(of: Self.stateName, limit: 4096)).flatMap { TargetState($0) }
        guard let state = TargetState(bytes) ?? ours else { return try damaged(TargetState.name) }
        // It may be another machine's run that was cut, so that what we know is older than what is there.
        let isDoubtful = TargetState(bytes) == nil
        known.isFinished = state.isFinished && !isDoubtful
        known.isCut = !known.isFinished
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
            known.unused = record.unused
            known.uncertain.formUnion(try privatePages(record))
            if isDoubtful { known.uncertain.formUnion(record.files.map(\.path)) }
        }
        guard !state.isFinished else { return known }
        // From a run that was cut: what it was sending may be there or not, but it is ours.
        known.pending = state.generation
        let name = TargetRecord.pendingName(state.generation)
        guard let pending = try record(name, local: Self.pendingName, state.generation) else {
            return try damaged(name)
        }
        known.uncertain.formUnion(pending.files.map(\.path))
        known.uncertain.formUnion(try privatePages(pending))
        if isDoubtful { return known }
        known.sent =
            (try? Journal.read(in: place.scratch, name: Self.journalName, generation: state.generation))
            ?? [:]
        return known
    }

    /// Takes for uncertain what the target lost, or has otherwise than it is noted.
    func doubt(_ site: [Outgoing], _ known: inout KnownTarget) throws {
        let ours = known.uncertain.union(known.files.map(\.path))
        let items = site.filter { ours.contains($0.path) }
        // Packed copies are made only when they are to be sent, so there is nothing to compare them with.
        let copies = items.filter { $0.isMade && PublishPlan.unpacked($0.path) != $0.path }.map(\.path)
        let files = items.filter { !$0.isMade || PublishPlan.unpacked($0.path) == $0.path }
        var wrong: Set<String> = []
        if !files.isEmpty { wrong.formUnion(try retrying { try transport.mismatches(files) }) }
        if !copies.isEmpty {
            wrong.formUnion(Set(copies).subtracting(try retrying { try transport.existing(copies) }))
        }
        for path in wrong {
            known.uncertain.insert(path)
            known.sent[path] = nil
        }
    }

    func damaged(_ name: String) throws -> KnownTarget {
        if options.isForced { return KnownTarget() }
        throw Failure(
            "bad-record",
            "'\(name)' at target '\(target.name)' is missing, damaged or of another version; with --force everything is sent "
                + "again and nothing is removed", at: target.place)
    }

    /// The record of a run: our own copy, else that of the target.
    func record(_ name: String, local: String, _ generation: String) throws -> TargetRecord? {
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
    func privatePages(_ record: TargetRecord) throws -> [String] {
        if record.hashes.isEmpty { return [] }
        return try retrying { try transport.list("lists") }.filter {
            TargetRecord.isPrivate($0) && TargetRecord.isOurs($0)
                && record.hashes.contains(record.hash(of: $0))
        }
    }
}
