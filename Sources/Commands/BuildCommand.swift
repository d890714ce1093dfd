import Basics
import Formats
import Glibc
import Site

/// `build-site build`.
struct BuildCommand {
    private let options: BuildOptions
    private let isQuiet: Bool
    private let json: String?

    init(_ arguments: Arguments) throws {
        var options = BuildOptions()
        options.site = arguments["site"] ?? "."
        options.output = arguments["output"]
        options.database = arguments["database"]
        options.isStrict = arguments.has("strict")
        if let jobs = arguments["jobs"] {
            guard let number = Int(jobs), (1...64).contains(number) else {
                throw Arguments.UsageError(messages: ["'--jobs' is '\(jobs)'; it goes from 1 to 64"])
            }
            options.jobs = number
        }
        for name in ["site", "output", "database", "json"] where arguments[name] == "" {
            throw Arguments.UsageError(messages: ["'--\(name)' is empty"])
        }
        self.options = options
        isQuiet = arguments.has("quiet")
        json = arguments["json"]
    }

    /// Runs the build and prints what came of it. The exit status.
    func run() -> Int32 {
        let start = monotonicSeconds()
        let progress = ProgressPrinter(isQuiet: isQuiet)
        do {
            let report = try build(options, progress: progress)
            progress.finish()
            let seconds = monotonicSeconds() - start
            print(report.warnings, of: report.warningCount)
            if !isQuiet { write(summary(report, seconds), to: json == "-" ? 2 : 1) }
            return writeReport(report, failure: nil, seconds) ? 0 : 1
        } catch let failure as Failure {
            progress.finish()
            print(failure.diagnostics, of: failure.diagnostics.count { $0.severity == .warning })
            _ = writeReport(nil, failure: failure, monotonicSeconds() - start)
            return 1
        } catch {
            progress.finish()
            let failure = Failure("internal", "\(error)")
            print(failure.diagnostics, of: 0)
            _ = writeReport(nil, failure: failure, monotonicSeconds() - start)
            return 1
        }
    }

    /// Prints diagnostics, of each id the first ones: a column with 100,000 bad cells needs no 100,000 lines.
    private func print(_ diagnostics: [Diagnostic], of total: Int) {
        var shown: [String: Int] = [:]
        var text = ""
        for diagnostic in diagnostics {
            shown[diagnostic.id, default: 0] += 1
            if diagnostic.severity == .error || shown[diagnostic.id, default: 0] <= 10 { text += diagnostic.description + "\n" }
        }
        for (id, count) in shown.sorted(by: { $0.key < $1.key }) where count > 10 {
            if diagnostics.contains(where: { $0.id == id && $0.severity == .warning }) {
                text += "… and \(count - 10) more [\(id)]; --json FILE lists them\n"
            }
        }
        write(text, to: 2)
    }

    private func summary(_ report: BuildReport, _ seconds: Double) -> String {
        let counts = report.counts
        return """
            \(counts.products) products, \(counts.pages) pages, \(counts.files) files (\(counts.bytes.asBytes)): \
            \(counts.written) written, \(counts.unchanged) unchanged, \(counts.removed) removed; \
            \(report.warningCount) warnings; \(seconds.rounded(digits: 2)) s, \(peakMemory() >> 20) MB
            open \(report.output)/index.html

            """
    }

    /// The report for programs. Whether it could be written.
    private func writeReport(_ report: BuildReport?, failure: Failure?, _ seconds: Double) -> Bool {
        guard let json else { return true }
        var writer = JSONWriter(isPretty: true)
        let warnings = report?.warnings ?? failure?.diagnostics.filter { $0.severity == .warning } ?? []
        let errors = failure?.diagnostics.filter { $0.severity == .error } ?? []
        writer.object { writer in
            writer.key("status")
            writer.value(failure == nil ? "ok" : "failed")
            writer.key("counts")
            let counts = report?.counts ?? BuildReport.Counts()
            writer.object { writer in
                for (name, number) in [
                    ("products", counts.products), ("pages", counts.pages), ("files", counts.files), ("written", counts.written),
                    ("unchanged", counts.unchanged), ("removed", counts.removed), ("bytes", counts.bytes),
                ] {
                    writer.key(name)
                    writer.value(number)
                }
            }
            writer.key("warnings")
            writer.array { writer in for warning in warnings { append(warning, to: &writer) } }
            writer.key("warningCount")
            writer.value(report?.warningCount ?? warnings.count)
            writer.key("errors")
            writer.array { writer in for error in errors { append(error, to: &writer) } }
            writer.key("seconds")
            writer.object { writer in
                writer.key("total")
                writer.value(seconds)
                for stage in report?.stages ?? [] {
                    writer.key(stage.name)
                    writer.value(stage.seconds)
                }
            }
            writer.key("peakMemoryBytes")
            writer.value(peakMemory())
        }
        let text = String(decoding: writer.bytes, as: UTF8.self) + "\n"
        if json == "-" {
            write(text, to: 1)
            return true
        }
        guard let file = fopen(json, "wb") else {
            let failure = FileError("open", json)
            write(Failure("report", failure.description, at: .file(json)).description + "\n", to: 2)
            return false
        }
        defer { fclose(file) }
        return fputs(text, file) >= 0
    }

    private func append(_ diagnostic: Diagnostic, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("code")
            writer.value(diagnostic.id)
            writer.key("message")
            writer.value(diagnostic.message.printable)
            func add(_ name: String, _ text: String?) {
                guard let text else { return }
                writer.key(name)
                writer.value(text.printable)
            }
            add("file", diagnostic.place.file)
            if let line = diagnostic.place.line {
                writer.key("line")
                writer.value(line)
            }
            if let column = diagnostic.place.column {
                writer.key("column")
                writer.value(column)
            }
            switch diagnostic.place {
            case .product(let id, _): add("product", id)
            case .cell(let table, let row, let column):
                add("product", table == "categories" ? nil : row)
                add("table", table)
                add("row", row)
                add("columnName", column)
            case .json(_, _, _, let path): add("path", path)
            case .file, .text, .none: break
            }
        }
    }
}
