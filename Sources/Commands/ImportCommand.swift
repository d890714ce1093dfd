import Basics
import Formats
import Glibc
import Importers
import Model
import Site

/// The line on a terminal that says how far a file is read.
private final class ProgressLine {
    private var drawn = ""
    private var lastDrawn = 0.0

    func draw(_ file: String, percent: Int) {
        let text = "\(file.printable(limit: 60)) \(percent) %"
        let now = monotonicSeconds()
        guard text != drawn, now - lastDrawn >= 0.1 else { return }
        (drawn, lastDrawn) = (text, now)
        write("\r\u{1B}[2K" + text, to: 2)
    }

    func clear() {
        if !drawn.isEmpty { write("\r\u{1B}[2K", to: 2) }
        drawn = ""
    }
}

/// `build-site import`.
struct ImportCommand {
    private let request: Request

    init(_ request: Request) { self.request = request }

    /// Reads the files into the database and prints what came of it. The exit status.
    func run() -> Int32 {
        let start = monotonicSeconds()
        var options = request.importing
        var ask: ((ColumnQuestion) -> String?)?
        var said: [Diagnostic] = []
        var file: Report.File?
        if !request.isQuiet, isatty(0) == 1, isatty(2) == 1 { ask = askOnTerminal }
        do throws(Failure) {
            file = try request.report.map { (path) throws(Failure) in try Report.File(path) }
            let site = try SiteDatabase(site: request.build.site)
            if options.database.isEmpty {
                guard let site else {
                    throw Failure(
                        "no-site",
                        "no 'content/site.yaml' here, which names the database; name one with --into FILE or the "
                            + "site's folder with --site", at: .file(request.build.site))
                }
                if site.isMapped {
                    throw Failure(
                        "import-database",
                        "site.yaml reads products by a query of its own, so rows of the default tables would not be shown; "
                            + "name a database with --into FILE", at: .file(site.path))
                }
                options.database = site.path
            }
            options.currency = request.currency ?? site?.currency ?? Currency("EUR")
            let bar = isatty(2) == 1 && !request.isQuiet ? ProgressLine() : nil
            let importer = Importer(
                options,
                log: { diagnostic in
                    bar?.clear()
                    said.append(diagnostic)
                    write(diagnostic.description + "\n", to: 2)
                }, ask: ask, progress: bar.map { bar in { bar.draw($0, percent: $1) } })
            defer { bar?.clear() }
            let report = try importer.run(request.operands)
            bar?.clear()
            if !request.isQuiet || report.refused > 0 {
                write(
                    summary(report, options, monotonicSeconds() - start), to: request.report == "-" ? 2 : 1)
            }
            let isOK = report.refused == 0 || options.skipsBad
            try file?.write(ImportReport.json(report, said: said, database: options.database, isOK: isOK))
            return isOK ? 0 : 1
        } catch {
            printDiagnostics(error.diagnostics)
            try? file?.write(
                ImportReport.json(
                    nil, said: said + error.diagnostics, database: options.database, isOK: false))
            return 1
        }
    }

    private func summary(_ report: ImportReport, _ options: ImportOptions, _ seconds: Double) -> String {
        var out = ""
        for file in report.files {
            let counts = file.counts
            out += "\(file.path.printable(limit: 4096)): \(file.description)\n"
            out +=
                "  \(file.isReviews ? "reviews" : "products"): \(counts.new) new, \(counts.changed) changed, "
                + "\(counts.same) same, \(counts.refused) refused"
            for (reason, count) in file.leftOut { out += "; \(count) left out: \(reason)" }
            out += "\n"
        }
        if report.addressCount > 0, let sample = report.sampleAddress {
            out += """
                \(report.addressCount.of("picture")) named by web addresses, such as \(sample.printable)
                  pages never load from other hosts: fetch them into the folder of pictures (docs/import.md, "Pictures")

                """
        }
        let database = options.database.printable(limit: 4096)
        let time = "\(seconds.rounded(digits: 2)) s, \(peakMemory().asBytes) of memory"
        if report.isWritten {
            return out + "\(report.isNew ? "made" : "written to") \(database); \(time)\n"
        }
        if report.refused > 0, !options.skipsBad {
            return out + "nothing was written: mend the rows above, or say --skip-bad to go on without them\n"
        }
        return out + "nothing was written: --dry-run\n"
    }

    /// Asks for a column's field until there is an answer that is one.
    private func askOnTerminal(_ question: ColumnQuestion) -> String? {
        let samples = question.samples.map { "'\($0.printable(limit: 40))'" }.joined(separator: ", ")
        write(
            "\(question.file.printable(limit: 4096)): what is column '\(question.column.printable)'"
                + (samples.isEmpty ? "?\n" : ", with values such as \(samples)?\n"), to: 2)
        while true {
            write("  field, or Enter to leave it out, ? for the fields: ", to: 2)
            guard let answer = readLine() else { return nil }
            let name = answer.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if name.isEmpty { return nil }
            let names = Field.names(inReviews: question.isReviews)
            if Field(named: name, inReviews: question.isReviews) != nil { return name }
            if name != "?" {
                let near = suggestion(for: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
                write("  '\(name.printable)' is no field\(near)\n", to: 2)
                if !near.isEmpty { continue }
            }
            write(
                Help.wrapped(names.joined(separator: ", "), width: 76).map { "  " + $0 + "\n" }.joined(),
                to: 2)
        }
    }
}
