import Foundation
import TestSupport
import Testing

/// A build on top of an earlier one is the build from nothing, byte for byte, and writes what has changed and nothing else.
///
/// `SEED=…` repeats a run or makes another, `EDITS=…` makes it longer.
@Suite struct IncrementalTests {
    @Test func equalsACleanBuildAfterAnyEdits() throws {
        var generator = SeededGenerator()
        let total = ProcessInfo.processInfo.environment["EDITS"].flatMap { Int($0) } ?? 60
        var (done, kept) = (0, 0)
        while done < total {
            let edits = (0..<min(20, total - done)).map { _ in Edit.random(using: &generator) }
            done += edits.count
            guard let failure = try firstFailure(of: edits, kept: &kept) else { continue }
            let (shortest, faults) = try shrink(Array(edits[...failure.at]), failure.faults)
            Issue.record(
                "seed \(generator.seed): after \(shortest), \(faults.prefix(6).joined(separator: "\n"))")
            return
        }
        print("incremental: \(kept) of \(total) builds kept the plan")
        // Each third edit changes rows alone, and some others do; few of those decide the plan.
        #expect(kept > total / 8, "seed \(generator.seed)")
    }

    /// Plays the edits on a new site; where the first comparison fails, and how.
    private func firstFailure(of edits: [Edit]) throws -> (at: Int, faults: [String])? {
        var kept = 0
        return try firstFailure(of: edits, kept: &kept)
    }

    /// - Parameter kept: raised by the number of builds that kept the plan.
    private func firstFailure(of edits: [Edit], kept: inout Int) throws -> (at: Int, faults: [String])? {
        let workshop = try Workshop()
        defer { kept += workshop.keptPlans }
        _ = try workshop.compare()
        for (i, edit) in edits.enumerated() {
            try workshop.apply(edit)
            let faults: [String]
            do { faults = try workshop.compare() } catch { faults = ["the build failed: \(error)"] }
            if !faults.isEmpty { return (i, faults) }
        }
        return nil
    }

    /// Drops edits, halves first, for as long as it still fails. Each try builds twice an edit, so there is a limit.
    private func shrink(_ edits: [Edit], _ faults: [String]) throws -> ([Edit], [String]) {
        var (edits, faults) = (edits, faults)
        var size = max(1, edits.count / 2)
        var tries = 0
        while tries < 80 {
            var at = 0
            var isShorter = false
            while at < edits.count, tries < 80 {
                tries += 1
                let fewer = Array(edits[..<at] + edits[min(at + size, edits.count)...])
                if !fewer.isEmpty, let failure = try firstFailure(of: fewer) {
                    edits = Array(fewer[...failure.at])
                    faults = failure.faults
                    isShorter = true
                } else {
                    at += size
                }
            }
            if size == 1, !isShorter { break }
            size = max(1, size / 2)
        }
        return (edits, faults)
    }
}
