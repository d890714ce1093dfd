import Basics
import Database
import Formats
import Glibc
import Site
import TestSupport
import Testing

/// What a build prints and reports, and what its options do.
@Suite struct BuildTests {
    /// The text with digits that differ from run to run made one.
    private func steady(_ text: String) -> String {
        var out = ""
        for character in text where !character.isNumber || out.last != "0" {
            out.append(character.isNumber ? "0" : character)
        }
        return out
    }

    /// A shelf without goods is no place to send visitors to; who looks through all categories finds it.
    @Test func anEmptyCategoryIsNeitherInTheMenuNorOnTheHomePage() throws {
        let shop = try Shop()
        try shop.database { "INSERT INTO categories(id, name) VALUES (3, 'Vermouth'), (4, 'Mead')" }
        try shop.database {
            "INSERT INTO products(id, name) VALUES (9, 'Heath'); INSERT INTO product_categories(product_id, category_id) VALUES (9, 4)"
        }
        #expect(shop.build().status == 0)
        func has(_ page: String, _ name: String) throws -> Bool {
            String(decoding: try shop.bytes("public/" + page), as: UTF8.self).contains(name)
        }
        #expect(try has("index.html", "Mead") && !has("index.html", "Vermouth"))
        #expect(try has("categories/index.html", "Mead") && has("categories/index.html", "Vermouth"))
        // It comes with its first product, and every page has it in its menu.
        try shop.database { "INSERT INTO product_categories(product_id, category_id) VALUES (9, 3)" }
        #expect(shop.build().status == 0)
        #expect(try has("index.html", "Vermouth") && has("404.html", "Vermouth"))
    }

    @Test func printsStagesAndASummary() throws {
        let shop = try Shop()
        let run = shop.build()
        #expect(run.status == 0)
        #expect(
            steady(run.errors) == """
                read  0.0 s
                plan  0.0 s
                products 0  0.0 s
                indexes 0  0.0 s
                pages  0.0 s
                search  0.0 s
                commit  0.0 s

                """)
        #expect(
            steady(run.output) == """
                0 products, 0 pages, 0 files (0 kB): 0 written, 0 unchanged, 0 removed; 0 warnings; 0.0 s, 0 MB of memory
                open public/index.html

                """)
        #expect(run.output.hasPrefix("3 products, "))
        let again = shop.build()
        #expect(again.output.contains(": 0 written, "))
        #expect(again.output.contains(", 0 removed; 0 warnings; "))
    }

    @Test func quietPrintsNothingWhenAllIsWell() throws {
        let shop = try Shop()
        let run = shop.build("--quiet")
        #expect(run.status == 0)
        #expect(run.output.isEmpty)
        #expect(run.errors.isEmpty)
    }

    @Test func theReportHasItsShape() throws {
        let shop = try Shop()
        try shop.database { "UPDATE products SET abv = 'cask' WHERE id = 2" }
        let run = shop.build("--quiet", "--json", "report.json")
        #expect(run.status == 0)
        let report = try JSON.read(SourceText(file: "report.json", bytes: try shop.bytes("report.json")))
        let root = JSONReader(SourceText(file: "report.json", bytes: try shop.bytes("report.json"))).value(
            report)
        #expect(root["status"].text() == "ok")
        #expect(root["counts"]["products"].integer() == 3)
        let pages = try #require(root["counts"]["pages"].integer())
        #expect(try shop.tree().count { $0.contains(".html ") } == pages)
        #expect(try shop.tree().count == root["counts"]["files"].integer())
        for name in ["written", "unchanged", "removed", "bytes"] {
            #expect(root["counts"][name].integer() != nil)
        }
        #expect(root["warningCount"].integer() == 1)
        let warnings = root["warnings"].elements()
        #expect(warnings.count == 1)
        let warning = try #require(warnings.first)
        #expect(warning["code"].text() == "not-a-number")
        #expect(warning["message"].text() == "holds the text 'cask', not a number; shown as absent")
        #expect(warning["product"].text() == "2")
        #expect(warning["columnName"].text() == "abv")
        #expect(root["errors"].elements().isEmpty)
        for stage in ["total", "read", "plan", "products", "indexes", "pages", "commit"] {
            #expect(root["seconds"][stage].isGiven, "\(stage)")
        }
        #expect(root["peakMemoryBytes"].integer() ?? 0 > 1_000_000)
    }

    @Test func theReportOfAFailureSaysWhere() throws {
        let shop = try Shop(settings: "title: x\ntagline: [a]\n")
        let run = shop.build("--json", "-")
        #expect(run.status == 1)
        let report = SourceText(file: "report", text: run.output)
        let root = JSONReader(report).value(try JSON.read(report))
        #expect(root["status"].text() == "failed")
        let error = try #require(root["errors"].elements().first)
        #expect(error["code"].text() == "setting-type")
        #expect(error["file"].text() == "content/site.yaml")
        #expect(error["line"].integer() == 2)
        #expect(error["column"].integer() == 10)
        // The stage that failed leaves no line: what went wrong is all there is.
        #expect(run.errors.hasPrefix("content/site.yaml:2:10: error: "))
    }

    @Test func theReportOnStandardOutputIsAllThereIs() throws {
        let shop = try Shop()
        let run = shop.build("--json", "-")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("{\n  \"status\": \"ok\""))
        #expect(throws: Never.self) { try JSON.read(SourceText(file: "report", text: run.output)) }
        #expect(run.errors.contains("3 products, "))
    }

    @Test func aReportReplacesAReport() throws {
        let shop = try Shop()
        _ = shop.build("--json", "report.json")
        let run = shop.build("--json", "report.json")
        #expect(run.status == 0)
        let text = try shop.text("report.json")
        #expect(text.contains("\"written\": 0"))
        #expect(throws: Never.self) { try JSON.read(SourceText(file: "report", text: text)) }
    }

    @Test func aReportOnAFullDiskFailsAfterTheSiteIsBuilt() throws {
        let shop = try Shop()
        let run = shop.build("--quiet", "--json", "/dev/full")
        #expect(run.status == 1)
        #expect(
            run.errors == "error: cannot write the report to /dev/full: no space left on device [report]\n")
        #expect(try shop.exists("public/index.html"))
    }

    @Test func aReaderThatLeavesIsNoError() throws {
        let shop = try Shop()
        let run = Program.run(
            "/bin/sh", ["-c", "('\(Program.path)' --json -; echo $? >status) 2>&1 | true"], in: shop.path)
        #expect(run.status == 0)
        #expect(try shop.text("status") == "0\n")
        #expect(try shop.exists("public/index.html"))
    }

    @Test func strictIsFineWithoutWarnings() throws {
        let shop = try Shop()
        #expect(shop.build("--strict", "--quiet").status == 0)
    }

    @Test func strictWritesNothingWhereThereIsNothing() throws {
        let shop = try Shop()
        try shop.database { "UPDATE products SET abv = 'cask'" }
        #expect(shop.build("--strict", "--quiet").status == 1)
        #expect(try !shop.exists("public"))
    }

    @Test(arguments: ["1", "2", "7"])
    func anyNumberOfJobsMakesTheSameBytes(_ jobs: String) throws {
        let shop = try Shop()
        #expect(shop.build("--quiet").status == 0)
        #expect(shop.build("--quiet", "--jobs", jobs, "--output", "other").status == 0)
        let run = Program.run("/usr/bin/diff", ["-r", "public", "other"], in: shop.path)
        #expect(run.output.isEmpty)
        #expect(run.status == 0)
    }

    @Test func outputSiteAndDatabaseMayBeElsewhere() throws {
        let shop = try Shop()
        let other = try Shop()
        try other.database { "DELETE FROM products WHERE id > 1" }
        let run = Program.run(
            [
                "build", "--site", shop.path, "--output", other.path + "/made/here/", "--database",
                other.path + "/content/shop.db",
            ], in: "/")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("1 product, "))
        #expect(run.output.hasSuffix("open \(other.path)/made/here/index.html\n"))
        #expect(try other.exists("made/here/index.html"))
        #expect(try !shop.exists("public"))
    }

    @Test func ofEachKindOfWarningTenArePrinted() throws {
        let shop = try Shop()
        try shop.database {
            "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 34) "
                + "INSERT INTO products(id, name, abv) SELECT i, 'No ' || i, 'much' FROM n"
        }
        let run = shop.build("--quiet", "--json", "report.json")
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 11)
        #expect(
            lines.first
                == "products, row 10, column 'abv': warning: holds the text 'much', not a number; shown as absent [not-a-number]"
        )
        #expect(lines.last == "… and 15 more [not-a-number]")
        #expect(try shop.text("report.json").contains("\"warningCount\": 25"))
        // A build that changes nothing still tells them.
        #expect(
            shop.build("--quiet").errors.hasSuffix("… and 15 more [not-a-number]; --json FILE lists them\n"))
    }

    @Test func somethingToBrowseByThatNoProductHasIsAWarning() throws {
        let shop = try Shop(settings: "title: Corner Shop\nbrowse_by:\n  - countri\n  - key: Cask\n")
        let run = shop.build("--quiet")
        #expect(run.status == 0)
        #expect(
            run.errors == """
                content/site.yaml:3:5: warning: no product has 'countri' to browse by; did you mean 'country'? [unknown-facet]
                content/site.yaml:4:5: warning: no product has 'Cask' to browse by; left out [unknown-facet]

                """)
    }

    @Test func oneWordIsTheFolderOfPicturesAndMoreIsAQuery() throws {
        let picture = Project.bytes(of: "templates/images/grain.png")
        for (settings, name) in [
            ("pictures: photos", "photos/a.png"),
            ("pictures: SELECT 1 AS product_id, 'a.png' AS file", "pictures/a.png"),
            (
                "pictures: {folder: photos, query: \"SELECT 1 AS product_id, 'a.png' AS file\"}",
                "photos/a.png"
            ),
        ] {
            let shop = try Shop(settings: "title: Corner Shop\n\(settings)\n")
            try shop.write("content/" + name, picture)
            if !settings.contains("SELECT") {
                try shop.database {
                    "INSERT INTO pictures(product_id, position, file) VALUES (1, 1, 'a.png')"
                }
            }
            let run = shop.build("--quiet")
            #expect(run.errors.isEmpty, "\(settings)")
            #expect(try !shop.tree("public/assets/pictures").isEmpty)
        }
    }

    /// A default table's columns are found in any case, but a label is what people read.
    @Test func labelsOfDefaultColumnsKeepTheirCase() throws {
        let shop = try Shop(settings: "title: Corner Shop\nnotes: {'note:Serving': markdown}\n")
        try shop.database {
            """
            ALTER TABLE products ADD COLUMN "fact:Peat (ppm)"; ALTER TABLE products ADD COLUMN "note:Serving";
            ALTER TABLE products RENAME COLUMN producer TO Producer;
            UPDATE products SET "fact:Peat (ppm)" = 35, "note:Serving" = 'With *ice*.' WHERE id = 1
            """
        }
        #expect(shop.build("--quiet").errors.isEmpty)
        let path = try #require(try shop.tree("public/products").first { $0.contains("rain-gin") })
        let page = try shop.text(String(path.prefix { $0 != " " }))
        for words in ["Peat (ppm)", ">Serving<", "With <em>ice</em>.", "Wet Rope"] {
            #expect(page.contains(words), "\(words)")
        }
    }

    /// S25: what the data holds does not drive the terminal.
    @Test func controlCharactersOfTheDataDoNotReachTheTerminal() throws {
        let shop = try Shop()
        try shop.database {
            """
            UPDATE products SET name = 'Red ' || char(27) || '[31mRum', country = char(27) || ']0;title' || char(7) WHERE id = 1;
            UPDATE products SET vintage = 'old ' || char(8238) || 'dlo', abv = 'a' || char(0x202E) || 'b' WHERE id = 2;
            INSERT INTO categories(id, name, parent_id) VALUES (9, 'Odd', 'gone' || char(8296));
            """
        }
        let run = shop.build("--json", "report.json")
        #expect(run.status == 0)
        for text in [run.errors, run.output, try shop.text("report.json")] {
            for scalar in text.unicodeScalars {
                let isPlain =
                    scalar == "\n" || (scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value))
                #expect(
                    isPlain && ![0x202E, 0x200E, 0x2068].contains(scalar.value),
                    "U+\(String(scalar.value, radix: 16))")
            }
        }
        #expect(
            run.errors.contains(
                "products, row 2, column 'abv': warning: holds the text 'a\\u{202e}b', not a number; shown as absent [not-a-number]"
            ))
        #expect(run.errors.contains("row 1, column 'name': warning: holds the control character U+001B"))
    }

    /// S24: the shop writes while the site is built.
    @Test func buildsFromADatabaseInWALModeWhileSomebodyWrites() throws {
        let shop = try Shop()
        let writer = try Connection(own: shop.path + "/content/shop.db")
        _ = try writer.rows("PRAGMA journal_mode = WAL") { $0.text(0) }
        try writer.execute("UPDATE products SET name = 'Rain Gin 2' WHERE id = 1")
        try writer.execute("BEGIN IMMEDIATE; UPDATE products SET name = 'Half a transaction' WHERE id = 2")
        let run = shop.build("--quiet")
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        let all = try shop.text("products/index.html", in: "public")
        #expect(all.contains("Rain Gin 2"))
        #expect(all.contains("Slate Rum"))
        #expect(!all.contains("Half a transaction"))
        try writer.execute("COMMIT")
        #expect(shop.build("--quiet").status == 0)
        #expect(try shop.text("products/index.html", in: "public").contains("Half a transaction"))
    }

    @Test func aSecondBuildSaysThatTheFirstIsAtWork() throws {
        let shop = try Shop()
        #expect(shop.build("--quiet").status == 0)
        let state = try Directory(path: shop.path + "/.build-site/public")
        let lock = try FileLock(in: state, name: "lock")
        #expect(lock != nil)
        let run = shop.build("--quiet")
        #expect(run.status == 1)
        #expect(
            run.errors
                == "public: error: another build is writing to this folder (process \(getpid())); wait until it is done [locked]\n"
        )
        _ = lock
    }

    @Test func whatIsNoLongerSoldIsRemovedAndCounted() throws {
        let shop = try Shop()
        #expect(shop.build("--quiet").status == 0)
        try shop.database {
            "DELETE FROM product_categories WHERE product_id = 3; DELETE FROM products WHERE id = 3"
        }
        let run = shop.build()
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("2 products, "))
        #expect(!run.output.contains(", 0 removed"))
    }

    // MARK: Disks

    /// Whether this machine lets a test mount a small file system of its own.
    static let canMount =
        Program.run("/usr/bin/unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], in: "/").status == 0

    /// Runs commands with a small file system at `disk`, which is gone when they end.
    private func withDisk(_ size: String, in shop: Shop, _ commands: String) -> Run {
        let script = "mkdir -p disk && mount -t tmpfs -o size=\(size) none disk && { \(commands); }"
        return Program.run("/usr/bin/unshare", ["-m", "/bin/sh", "-c", script], in: shop.path)
    }

    /// Which file is the first that finds no room, is chance.
    private func expectOneLine(_ text: String, _ end: String, at location: SourceLocation = #_sourceLocation)
    {
        #expect(text.hasSuffix(end + "\n"), "\(text)", sourceLocation: location)
        #expect(text.contains("error: cannot ") || text.contains("error: about "), sourceLocation: location)
        #expect(text.count(where: \.isNewline) == 1, sourceLocation: location)
    }

    @Test(.enabled(if: canMount, "mounting is not allowed here"))
    func aFullDiskLeavesTheLastGoodSite() throws {
        let shop = try Shop()
        let program = "'\(Program.path)' --quiet --output disk/public"
        let run = withDisk(
            "4m", in: shop,
            "\(program) && (cd disk; find public -type f -exec sha256sum {} + | sort) >before && "
                + "printf 'title: Another Shop\\n' >content/site.yaml && "
                + "dd if=/dev/zero of=disk/ballast bs=4k 2>/dev/null; \(program); echo $?; "
                + "(cd disk; find public -type f -exec sha256sum {} + | sort) >after; "
                + "rm disk/ballast; \(program); echo $?; grep -c 'Another Shop' disk/public/index.html")
        #expect(try shop.text("before").count > 100)
        #expect(try shop.text("before") == shop.text("after"))
        expectOneLine(
            run.errors, "kB are free; free some space and build again; the site was not changed [no-space]")
        #expect(run.output.hasPrefix("1\n0\n"))
    }

    @Test(.enabled(if: canMount, "mounting is not allowed here"))
    func aDiskThatIsTooSmallFromTheStart() throws {
        let shop = try Shop()
        let run = withDisk(
            "64k", in: shop, "'\(Program.path)' --quiet --output disk/public; echo $?; ls disk")
        expectOneLine(
            run.errors,
            "no space left on device; free some space and build again; the site was not changed [file]")
        #expect(run.output == "1\n")
    }

    @Test(.enabled(if: canMount, "mounting is not allowed here"))
    func aReadOnlyDiskLeavesTheLastGoodSite() throws {
        let shop = try Shop()
        let program = "'\(Program.path)' --quiet --output disk/public"
        let run = withDisk(
            "8m", in: shop,
            "\(program) && printf 'title: Another Shop\\n' >content/site.yaml && mount -o remount,ro disk && "
                + "\(program); echo $?; grep -c 'Corner Shop' disk/public/index.html")
        expectOneLine(
            run.errors,
            "cannot make the folder \(shop.path)/disk/public/.build-site: read-only file system; name another folder with --output "
                + "[output]")
        #expect(run.output.hasPrefix("1\n"))
    }

    @Test(.enabled(if: canMount, "mounting is not allowed here"))
    func aReadOnlyDiskWithoutASite() throws {
        let shop = try Shop()
        let run = withDisk(
            "8m", in: shop,
            "mount -o remount,ro disk && '\(Program.path)' --quiet --output disk/public; echo $?")
        #expect(
            run.errors
                == "disk/public: error: cannot make the folder \(shop.path)/disk/.build-site: read-only file system; "
                + "name another folder with --output [output]\n")
        #expect(run.output == "1\n")
    }
}

extension Shop {
    func text(_ name: String, in folder: String) throws -> String { try text(folder + "/" + name) }
}
