import Basics
import Formats
import Importers

extension Option {
    static let importJSON = Option(
        name: "json", value: "FILE", help: "write what came of it for programs; - is standard output",
        about: """
            Writes what came of it as JSON, whether it went well or not: `status` (`ok` or `failed`), `database`, whether it was \
            `written`, `files`, each with `path`, `format`, `kind` (`products` or `reviews`), the numbers of rows that are `new`, \
            `changed`, `same` and `refused`, and `leftOut` with reasons; `warnings`, `warningCount` and `errors` as in the report \
            of a build. With `-` it goes to standard output, and the summary to standard error.
            """
    ) { request, value in request.report = value }
}

extension ImportReport {
    /// The report for programs.
    ///
    /// - Parameter said: the warnings and errors in the order in which they came.
    static func json(_ report: ImportReport?, said: [Diagnostic], database: String, isOK: Bool) -> String {
        var writer = JSONWriter(isPretty: true)
        func list(_ diagnostics: [Diagnostic], to writer: inout JSONWriter) {
            writer.array { writer in
                for diagnostic in diagnostics { Report.append(diagnostic, to: &writer) }
            }
        }
        let warnings = said.filter { $0.severity == .warning }
        writer.object { writer in
            writer.key("status")
            writer.value(isOK ? "ok" : "failed")
            writer.key("database")
            writer.value(database.printable(limit: 4096))
            writer.key("written")
            writer.value(report?.isWritten ?? false)
            writer.key("files")
            writer.array { writer in
                for file in report?.files ?? [] { file.append(to: &writer) }
            }
            writer.key("warnings")
            list(warnings, to: &writer)
            writer.key("warningCount")
            writer.value(report?.warningCount ?? warnings.count)
            writer.key("errors")
            list(said.filter { $0.severity == .error }, to: &writer)
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }
}

extension ImportReport.File {
    fileprivate func append(to writer: inout JSONWriter) {
        writer.object { writer in
            for (key, text) in [
                ("path", path.printable(limit: 4096)), ("format", description),
                ("kind", isReviews ? "reviews" : "products"),
            ] {
                writer.key(key)
                writer.value(text)
            }
            for (key, number) in [
                ("new", counts.new), ("changed", counts.changed), ("same", counts.same),
                ("refused", counts.refused),
            ] {
                writer.key(key)
                writer.value(number)
            }
            writer.key("leftOut")
            writer.array { writer in
                for (reason, count) in leftOut {
                    writer.object { writer in
                        writer.key("reason")
                        writer.value(reason)
                        writer.key("count")
                        writer.value(count)
                    }
                }
            }
        }
    }
}
