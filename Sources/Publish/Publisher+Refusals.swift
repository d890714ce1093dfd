import Basics
import Site

/// What is not done without being told to.
extension Publisher {
    /// The most that may be removed without being asked: files, and hundredths of what is there.
    static let deletionLimit = 256, deletionShare = 10

    func checkDeletions(_ plan: PublishPlan, of count: Int) throws {
        let losses = plan.losses
        guard !options.allowsDeletions, !losses.isEmpty,
            losses.count > Self.deletionLimit || losses.count * 100 > count * Self.deletionShare
        else { return }
        let revoked = plan.revoked.isEmpty ? "" : "; pages of customers that are revoked are still online"
        throw Failure(
            "many-deletions",
            "\(losses.count) of \(count) files at target '\(target.name)' would be removed (\(Self.examples(losses)))\(revoked); "
                + "if that is right, say --allow-delete", at: target.place)
    }

    /// Files of others that have the names of new ones of ours stay.
    func checkForeign(_ plan: PublishPlan) throws {
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
}
