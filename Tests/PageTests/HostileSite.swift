import CSQLite
import Glibc
import Site
import TestSupport

/// A small site whose every field holds hostile text, built once for all tests.
///
/// `Tests/Hostile/check` does the same with thousands of inputs and a browser; this is what can be told without one.
enum HostileSite {
    /// What marks every payload: were it markup anywhere, `<x7q` or ` onx7q=` would stand there as it is.
    static let payloads = [
        #"<x7q a="1">"#, #"</script><x7q>"#, #"" onx7q="1"#, #"' onx7q='1"#, "--><x7q>", "]]><x7q>",
        "</title><x7q>", "</textarea><x7q>",
        "javascript:x7q()", "<!--<script><x7q>", "&lt;x7q&gt;", "&amp;lt;x7q&amp;gt;",
        #"{{{x7q}}} {{^root}}<x7q>"#, "x7q\u{2028}\u{2029}\u{FEFF}", "\u{F8FE}x7q", "\u{F8FE}\u{301}x7q",
        "`x7q`", #"\u003cx7q\"\\"#, "x7q\u{202E}", "<svg onx7q=1><x7q>", "\u{FFFE}x7q\u{FFFF}",
    ]
    /// What stands in private lists only.
    static let canary = "canary7q"

    /// Every file of the built site by its path.
    static let files: [String: String] = try! built()

    /// A name, by the number of its product.
    static func name(_ n: Int) -> String { "\(payloads[n]) q\(n)q" }

    private struct Quiet: BuildProgress {
        func begin(_ stage: String, total: Int) {}
        func advance(_ steps: Int) {}
    }

    private static func built() throws -> [String: String] {
        var pattern = Array("/tmp/build-site-hostile-XXXXXX".utf8CString)
        guard mkdtemp(&pattern) != nil else { fatalError("no temporary folder") }
        let folder = String(decoding: pattern.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { remove(folder) }
        for name in ["/content", "/content/pages"] { mkdir(folder + name, 0o755) }
        makeDatabase(folder + "/content/shop.db")
        write(
            folder + "/content/site.yaml",
            """
            title: "<x7q> & \\" onx7q=\\"1"
            tagline: "</title><x7q>"
            description: "\\" onx7q=\\"1"
            url: https://hostile.example/
            footer: "</footer><x7q>"
            reviews: {mode: deferred, format: html}
            notes: {bottling_note: html, tasting_note: markdown}

            """)
        for (i, payload) in payloads.enumerated()
        where !payload.unicodeScalars.contains(where: { $0.value >= 0xFFFE }) {
            write(
                folder + "/content/pages/page-\(i).md",
                "---\ntitle: \(quoted(payload))\n---\n\n## \(payload)\n\n\(payload)\n")
        }
        let items = payloads.enumerated().map { i, payload in
            #"{"product": "\#(i % 2 == 0 ? String(i) : "x7q<x7q>\(i)")", "note": \#(quoted(canary + payload))}"#
        }
        write(
            folder + "/content/lists.json",
            #"{"version": 1, "customers": [{"id": "\#(canary)<x7q>", "name": \#(quoted(canary + payloads[0])), "lists": {"wish": [\#(items.joined(separator: ", "))]}}]}"#
        )
        var options = BuildOptions()
        options.site = folder
        options.jobs = 2
        _ = try build(options, progress: Quiet())
        var files: [String: String] = [:]
        collect(folder + "/public", "", &files)
        return files
    }

    /// A text as JSON and double-quoted YAML write it.
    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": out += "\\\(scalar)"
            case _ where scalar.value > 0x7E:
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    private static func makeDatabase(_ path: String) {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let db = handle else { fatalError("no database") }
        defer { sqlite3_close(db) }
        func run(_ sql: String) {
            guard sqlite3_exec(db, sql, nil, nil, nil) == SQLITE_OK else {
                fatalError(String(cString: sqlite3_errmsg(db)))
            }
        }
        func insert(_ table: String, _ values: [(String, String?)]) {
            let cells = values.map {
                $0.1.map {
                    "'" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
                        + "'"
                } ?? "NULL"
            }
            run(
                "INSERT INTO \(table)(\(values.map(\.0).joined(separator: ","))) VALUES(\(cells.joined(separator: ",")))"
            )
        }
        run(Project.text(of: "docs/schema.sql"))
        let texts = [
            "sku", "producer", "style", "country", "region", "summary", "bottling_note", "tasting_note",
            "nose", "palate", "finish", "colour", "availability", "gtin", "age", "abv",
        ]
        for (i, payload) in payloads.enumerated() {
            func next(_ n: Int) -> String { payloads[(i + n) % payloads.count] }
            insert(
                "categories",
                [
                    ("id", "\(i)"), ("name", payload), ("slug", next(1)), ("description", next(2)),
                    ("colour", next(3)), ("picture", next(4)),
                ])
            insert(
                "products",
                [
                    ("id", "\(i)"), ("name", name(i)), ("slug", i % 2 == 0 ? next(5) : nil),
                    ("created", "2026-01-0\(i % 9 + 1)"), ("price_minor", "\(100 + i)"),
                ]
                    + texts.enumerated().map { ($1, next($0)) })
            insert("product_categories", [("product_id", "\(i)"), ("category_id", "\(i)")])
            insert("facets", [("product_id", "\(i)"), ("facet", next(6)), ("value", next(7))])
            insert(
                "pictures", [("product_id", "\(i)"), ("position", "0"), ("file", next(8)), ("alt", next(9))])
            for j in 0..<payloads.count {
                insert(
                    "facts",
                    [("product_id", "\(i)"), ("position", "\(j)"), ("name", next(j)), ("value", next(j + 1))])
            }
            for j in 0..<3 {
                insert(
                    "reviews",
                    [
                        ("product_id", "\(i)"), ("rating", "\(j + 1)"), ("author", next(j)),
                        ("title", next(j + 1)), ("body", next(j + 2)), ("language", next(j + 3)),
                    ])
            }
        }
    }

    private static func write(_ path: String, _ text: String) {
        guard let file = fopen(path, "wb") else { fatalError("cannot write \(path)") }
        let bytes = Array(text.utf8)
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    private static func names(_ folder: String) -> [String] {
        guard let open = opendir(folder) else { return [] }
        defer { closedir(open) }
        var names: [String] = []
        while let entry = readdir(open) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func collect(_ folder: String, _ prefix: String, _ files: inout [String: String]) {
        for name in names(folder) {
            let path = folder + "/" + name
            var status = stat()
            lstat(path, &status)
            if status.st_mode & S_IFMT == S_IFDIR {
                collect(path, prefix + name + "/", &files)
            } else if let file = fopen(path, "rb") {
                var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
                fread(&bytes, 1, bytes.count, file)
                fclose(file)
                files[prefix + name] = String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    private static func remove(_ folder: String) {
        for name in names(folder) {
            let path = folder + "/" + name
            if unlink(path) != 0 { remove(path) }
        }
        rmdir(folder)
    }
}
