import Basics
import Glibc
import Site

/// `build-site build`.
struct BuildCommand {
    private let request: Request

    init(_ request: Request) { self.request = request }

    /// Runs the build and prints what came of it. The exit status.
    func run() -> Int32 {
        let start = monotonicSeconds()
        let progress = ProgressPrinter(isQuiet: request.isQuiet)
        var report: Report.File?
        do {
            // Before the build: nobody wants to wait for a site and then hear that its report has no place.
            report = try request.report.map { try Report.File($0) }
            let result = try build(request.build, progress: progress)
            progress.finish()
            printDiagnostics(result.warnings, of: result.warningCount, hasReport: request.report != nil)
            let seconds = monotonicSeconds() - start
            if !request.isQuiet { write(summary(result, seconds), to: request.report == "-" ? 2 : 1) }
            try report?.write(Report.text(result, failure: nil, seconds: seconds))
            return 0
        } catch {
            progress.abandon()
            let failure = error as? Failure ?? Failure("internal", "\(error)")
            printDiagnostics(failure.diagnostics, hasReport: request.report != nil)
            // A report that cannot be written is what we have just said, or will be clear from its absence.
            try? report?.write(Report.text(nil, failure: failure, seconds: monotonicSeconds() - start))
            return 1
        }
    }

    private func summary(_ report: BuildReport, _ seconds: Double) -> String {
        let counts = report.counts
        var folder = report.output
        while folder.hasSuffix("/"), folder.count > 1 { folder.removeLast() }
        // A shop that shows no pictures at all means it.
        let bare = counts.withoutPicture
        let without =
            bare > 0 && bare < counts.products ? "\(bare.of("product")) without a picture; " : ""
        return """
            \(counts.products.of("product")), \(counts.pages.of("page")), \(counts.files.of("file")) \
            (\(counts.bytes.asBytes)): \(counts.written) written, \(counts.unchanged) unchanged, \
            \(counts.removed) removed; \(without)\(report.warningCount.of("warning")); \(seconds.rounded(digits: 2)) s, \
            \(peakMemory().asBytes) of memory
            open \(folder.printable(limit: 4096))/index.html

            """
    }
}
