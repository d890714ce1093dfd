import Basics
import Publish
import Site

/// `build-site publish`.
struct PublishCommand {
    private let request: Request

    init(_ request: Request) { self.request = request }

    /// Builds, publishes and prints what came of it. The exit status.
    func run() -> Int32 {
        let start = monotonicSeconds()
        let progress = ProgressPrinter(isQuiet: request.isQuiet)
        do {
            if !request.skipsBuild {
                let result = try build(request.build, progress: progress)
                progress.finish()
                printDiagnostics(result.warnings, of: result.warningCount)
            }
            let site = try FinishedSite(request.build, allowsFailed: request.publish.isForced)
            var options = request.publish
            options.target = request.operands.first
            options.jobs = request.build.jobs
            // Said at once: whoever sees that the host will refuse the site can end this before hours of sending.
            let report = try publish(site, base: request.build.site, options, progress: progress) {
                warnings in
                if warnings.isEmpty { return }
                progress.finish()
                printDiagnostics(warnings)
            }
            progress.finish()
            if options.isDryRun {
                write(plan(report), to: 1)
            } else if !request.isQuiet {
                write(summary(report, monotonicSeconds() - start), to: 1)
            }
            return 0
        } catch {
            progress.abandon()
            printDiagnostics((error as? Failure ?? Failure("internal", "\(error)")).diagnostics)
            return 1
        }
    }

    private func summary(_ report: PublishReport, _ seconds: Double) -> String {
        let resumed = report.isResumed ? " (taken up where the last run stopped)" : ""
        return """
            \(report.target): \(report.sent.of("file")) sent (\(report.bytes.asBytes)), \(report.removed) removed, \
            \(report.unchanged) unchanged\(resumed); \(seconds.rounded(digits: 2)) s
            open \((report.url ?? report.destination).printable(limit: 4096))

            """
    }

    /// Every file, step by step, then the counts.
    private func plan(_ report: PublishReport) -> String {
        var out = ""
        for step in report.steps {
            let bytes = step.files.contains { $0.bytes != nil } ? " (\(step.bytes.asBytes))" : ""
            out += "\(step.title): \(step.files.count.of("file"))\(bytes)\n"
            for file in step.files {
                out += "  \(file.path.printable(limit: 4096))" + (file.bytes.map { "  \($0)" } ?? "") + "\n"
            }
        }
        return out + """
            \(report.target): \(report.sent.of("file")) to send (\(report.bytes.asBytes)), \(report.removed) to remove, \
            \(report.unchanged) unchanged; nothing was changed there

            """
    }
}
