import Basics
import Formats
import Glibc
import Site

/// The report for programs that `--json` writes.
enum Report {
    /// Where the report goes, opened before the build.
    final class File {
        private let descriptor: Int32
        private let path: String
        private let isRegular: Bool

        /// Opens the file without touching what is in it; `-` is standard output.
        init(_ path: String) throws(Failure) {
            self.path = path == "-" ? "standard output" : path
            var status = stat()
            // A pipe or a device is opened for writing only, so that a pipe waits for its reader.
            let isSpecial = path != "-" && stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
            let flags = (isSpecial ? O_WRONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NOCTTY
            descriptor = path == "-" ? dup(1) : open(path, flags, 0o644)
            guard descriptor >= 0 else {
                let error = FileError("open", path)
                throw Failure("report", "\(error.reason); name another file with --json", at: .file(path))
            }
            isRegular = path != "-" && fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            if isRegular, status.st_size > 0 {
                // `--json content/shop.db` must not cost anybody a database.
                var start = [UInt8](repeating: 0, count: Report.start.utf8.count)
                let n = pread(descriptor, &start, start.count, 0)
                guard n == start.count, start.elementsEqual(Report.start.utf8) else {
                    close(descriptor)
                    throw Failure(
                        "report", "holds something other than a report; name another file with --json",
                        at: .file(path))
                }
            }
        }

        deinit { close(descriptor) }

        func write(_ text: String) throws(Failure) {
            if isRegular { _ = ftruncate(descriptor, 0) }
            guard Commands.write(text, to: descriptor) else {
                throw Failure("report", FileError("write the report to", path).description)
            }
        }
    }

    /// How every report begins.
    private static let start = "{\n  \"status\""

    static func text(_ report: BuildReport?, failure: Failure?, seconds: Double) -> String {
        var writer = JSONWriter(isPretty: true)
        let warnings = report?.warnings ?? failure?.diagnostics.filter { $0.severity == .warning } ?? []
        let errors = failure?.diagnostics.filter { $0.severity == .error } ?? []
        let counts = report?.counts ?? BuildReport.Counts()
        writer.object { writer in
            writer.key("status")
            writer.value(failure == nil ? "ok" : "failed")
            writer.key("counts")
            writer.object { writer in
                for (name, number) in [
                    ("products", counts.products), ("pages", counts.pages), ("files", counts.files),
                    ("written", counts.written), ("unchanged", counts.unchanged), ("removed", counts.removed),
                    ("bytes", counts.bytes),
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
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    static func append(_ diagnostic: Diagnostic, to writer: inout JSONWriter) {
        writer.object { writer in
            func add(_ name: String, _ text: String?) {
                guard let text else { return }
                writer.key(name)
                writer.value(text.printable(limit: 4096))
            }
            func add(_ name: String, _ number: Int?) {
                guard let number else { return }
                writer.key(name)
                writer.value(number)
            }
            add("code", diagnostic.id)
            add("message", diagnostic.message)
            add("file", diagnostic.place.file)
            add("line", diagnostic.place.line)
            add("column", diagnostic.place.column)
            switch diagnostic.place {
            case .product(let id, _): add("product", id)
            case .cell(let table, let row, let column):
                if table != "categories" { add("product", row) }
                add("table", table)
                add("row", row)
                add("columnName", column)
            case .json(_, _, _, let path): add("path", path)
            case .file, .text, .none: break
            }
        }
    }

    /// What docs/commands.md says of the report.
    static let manual = """
        ## The report

        ```json
        {
          "status": "ok",
          "counts": {"products": 260, "pages": 968, "files": 1311, "written": 0, "unchanged": 1311, "removed": 0, "bytes": 12048211},
          "warnings": [
            {
              "code": "unknown-product",
              "message": "no product '88' in the database; shown as no longer sold",
              "file": "content/lists.json",
              "line": 110,
              "column": 24,
              "path": "customers[1].lists.basket[4].product"
            }
          ],
          "warningCount": 1,
          "errors": [],
          "seconds": {"total": 0.021, "read": 0.02},
          "peakMemoryBytes": 20971520
        }
        ```

        | member | |
        |---|---|
        | `status` | `ok` or `failed` |
        | `counts` | of the whole site as it is on disk (`products`, `pages`, `files`, `bytes`) and of this build (`written`, `unchanged`, `removed`); all 0 when it failed |
        | `warnings` | the first 10,000, sorted by place |
        | `warningCount` | all of them |
        | `errors` | why it failed |
        | `seconds` | `total`, and each stage by its name |
        | `peakMemoryBytes` | the most memory that the program had at any time |

        A warning or error has `code` (the id, see [diagnostics.md](diagnostics.md)) and `message`; and, as far as they are known, `file`,
        `line`, `column` (both from 1), `path` (inside a JSON file), `product` (its id), `table`, `row` and `columnName`. Control
        characters of the data are written visibly (`\\u{1b}`), so that the report can be printed.

        """
}
