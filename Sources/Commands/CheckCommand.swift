import Basics
import Formats
import Site

extension Command {
    static let check = Command(
        name: "check", summary: "look through a site for what visitors would stumble over",
        about: """
            Reads everything a build reads and renders every page, but writes no page. Lists what is wrong, the worst \
            first: what is broken (faults that stop a build, links that lead nowhere), what visitors see (garbled names, \
            missing prices and pictures, products that look the same, categories without products), what is untidy. \
            The exit status is 1 when something is broken, with --strict when anything is found.
            """,
        options: [.site, .database, .pictureCache, .checkPictures, .strict, .quiet, .checkJSON],
        run: { CheckCommand($0).run() })
}

extension Option {
    static let checkPictures = Option(
        name: "pictures", value: nil, help: "look at the folder of pictures too: unused ones, small ones",
        about: """
            Looks at every file of the folder of pictures as well: those that nothing shows, and those with fewer pixels than \
            a card shows.
            """
    ) { request, _ in request.looksAtPictures = true }

    static let checkJSON = Option(
        name: "json", value: "FILE", help: "write what was found for programs; - is standard output",
        about: """
            Writes what was found as JSON: `status` (`ok` or `broken`), `products`, `pages`, and `findings`, each with `code`, \
            `rank` (`broken`, `visible`, `tidy`), `count` and the first `examples`, which are as in the report of a build.
            """
    ) { request, value in request.report = value }
}

/// `build-site check`.
struct CheckCommand {
    private let request: Request

    init(_ request: Request) { self.request = request }

    func run() -> Int32 {
        let progress = ProgressPrinter(isQuiet: request.isQuiet)
        do {
            let file = try request.report.map { try Report.File($0) }
            let report: CheckReport
            do {
                report = try Site.check(
                    request.build, pictures: request.looksAtPictures, progress: progress)
                progress.finish()
            } catch let failure as Failure {
                progress.abandon()
                // What stops a build is a finding like any other.
                report = CheckReport(failure: failure)
            }
            if request.report != "-" { write(text(report), to: 1) }
            try file?.write(json(report))
            return report.isBroken || request.build.isStrict && !report.findings.isEmpty ? 1 : 0
        } catch {
            progress.abandon()
            let failure = error as? Failure ?? Failure("internal", "\(error)")
            printDiagnostics(failure.diagnostics)
            return 1
        }
    }

    private func text(_ report: CheckReport) -> String {
        var out = ""
        for rank in Finding.Rank.allCases {
            let findings = report.findings.filter { $0.rank == rank }
            if findings.isEmpty { continue }
            out += Self.headings[rank, default: ""] + "\n"
            for finding in findings {
                for example in finding.examples { out += "  \(example)\n" }
                let more = finding.count - finding.examples.count
                if more > 0 { out += "  … and \(more) more [\(finding.id)]\n" }
            }
            out += "\n"
        }
        guard !request.isQuiet || !report.findings.isEmpty else { return "" }
        let kinds = report.findings.count
        return out + "\(report.products.of("product")), \(report.pages.of("page")) looked at: "
            + (kinds == 0
                ? "nothing found\n"
                : "\(report.findings.reduce(0) { $0 + $1.count }) findings of \(kinds.of("kind"))\n")
    }

    private static let headings: [Finding.Rank: String] = [
        .broken: "broken", .visible: "visitors see", .tidy: "untidy",
    ]

    private func json(_ report: CheckReport) -> String {
        var writer = JSONWriter(isPretty: true)
        writer.object { writer in
            writer.key("status")
            writer.value(report.isBroken ? "broken" : "ok")
            writer.key("products")
            writer.value(report.products)
            writer.key("pages")
            writer.value(report.pages)
            writer.key("findings")
            writer.array { writer in
                for finding in report.findings {
                    writer.object { writer in
                        writer.key("code")
                        writer.value(finding.id)
                        writer.key("rank")
                        writer.value(finding.rank.rawValue)
                        writer.key("count")
                        writer.value(finding.count)
                        writer.key("examples")
                        writer.array { writer in
                            for example in finding.examples { Report.append(example, to: &writer) }
                        }
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}
