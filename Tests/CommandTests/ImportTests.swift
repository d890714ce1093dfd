import Basics
import Database
import TestSupport
import Testing

/// `build-site import` as people run it.
@Suite struct ImportTests {
    @Test func fillsTheDatabaseOfTheSiteAndTheSiteBuilds() throws {
        let shop = try Shop()
        try shop.write(
            "export.csv",
            "sku;name;price;category\nX-1;Peat Stout;4,50;Beer > Stout\nX-2;Dry Cider;3,00;Cider\n")
        let run = shop.build("import", "export.csv")
        #expect(run.status == 0)
        #expect(run.errors == "")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0] == "export.csv: products, UTF-8, semicolon, decimal comma")
        #expect(lines[1] == "  products: 2 new, 0 changed, 0 same, 0 refused")
        #expect(lines[2].hasPrefix("written to ./content/shop.db; "))
        #expect(shop.build("--strict").status == 0)
        let again = shop.build("import", "export.csv", "--quiet")
        #expect(again.status == 0)
        #expect(again.output == "")
    }

    /// The report says the same as the summary, in numbers, and what was wrong with its place.
    @Test func writesAReportForPrograms() throws {
        let shop = try Shop()
        try shop.write("export.csv", "sku,name,price\nA-1,Gin,29\nA-2,Rum,much\n")
        func said(_ part: String) throws -> Bool {
            let text = String(decoding: try shop.bytes("report.json"), as: UTF8.self)
            return text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(part)
        }
        let failed = shop.build("import", "export.csv", "--json", "report.json")
        #expect(failed.status == 1)
        #expect(try said(#"{ "status": "failed", "database": "./content/shop.db", "written": false"#))
        #expect(try said(#""code": "import-value", "message": "'price' is 'much', not a price""#))
        #expect(try said(#""file": "export.csv", "line": 3, "column": 9 }"#))
        let passed = shop.build("import", "--skip-bad", "export.csv", "--json", "report.json")
        #expect(passed.status == 0)
        #expect(try said(#"{ "status": "ok", "database": "./content/shop.db", "written": true"#))
        #expect(
            try said(#""kind": "products", "new": 1, "changed": 0, "same": 0, "refused": 1, "leftOut": []"#))
        // What cannot even begin is reported too; on standard output there is nothing else.
        let missing = shop.build("import", "none.csv", "--json", "-")
        #expect(missing.status == 1)
        #expect(missing.output.hasPrefix("{\n  \"status\": \"failed\""))
        #expect(missing.output.contains("\"import-read\"") && missing.output.hasSuffix("}\n"))
    }

    @Test func oneWrongRowIsEnoughToWriteNothing() throws {
        let shop = try Shop()
        try shop.write("export.csv", "sku,name,price\nX-1,Stout,4.50\nX-2,Cider,much\n")
        let before = Project.file(shop.path + "/content/shop.db")
        let run = shop.build("import", "export.csv")
        #expect(run.status == 1)
        #expect(run.errors == "export.csv:3:11: error: 'price' is 'much', not a price [import-value]\n")
        #expect(
            run.output == """
                export.csv: products, UTF-8, comma
                  products: 1 new, 0 changed, 0 same, 1 refused
                nothing was written: mend the rows above, or say --skip-bad to go on without them

                """)
        #expect(Project.file(shop.path + "/content/shop.db") == before)
        #expect(shop.build("import", "--skip-bad", "export.csv").status == 0)
    }

    @Test func theCurrencyIsThatOfTheSite() throws {
        let shop = try Shop(settings: "title: Corner Shop\ncurrency: JPY\n")
        try shop.write("export.csv", "sku,name,price\nX-1,Stout,450\n")
        #expect(shop.build("import", "export.csv").status == 0)
        let prices = try Connection(own: shop.path + "/content/shop.db").rows(
            "SELECT price_minor FROM products WHERE sku = 'X-1'"
        ) {
            $0.integer(0)
        }
        #expect(prices == [450])
    }

    @Test func makesTheDatabaseThatIsMissing() throws {
        let shop = try Shop()
        try shop.remove("content/shop.db")
        try shop.write("export.csv", "sku,name\nX-1,Stout\n")
        let run = shop.build("import", "export.csv")
        #expect(run.status == 0)
        #expect(run.output.contains("made ./content/shop.db; "))
        #expect(shop.build("--strict").status == 0)
    }

    @Test func aMappedSiteIsNotFilledBehindItsBack() throws {
        let shop = try Shop(settings: "title: Corner Shop\nproducts: SELECT id, name FROM products\n")
        try shop.write("export.csv", "sku,name\nX-1,Stout\n")
        let run = shop.build("import", "export.csv")
        #expect(run.status == 1)
        #expect(run.errors.contains("site.yaml reads products by a query of its own"))
        #expect(shop.build("import", "export.csv", "--into", "other.db").status == 0)
    }

    struct Wrong: CustomTestStringConvertible, Sendable {
        let arguments: [String], message: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Wrong(arguments: [], message: "'import' wants FILE…: the files: CSV, TSV, XML or JSON lines"),
        Wrong(
            arguments: ["a.csv", "--format", "excel"],
            message:
                "'--format' is 'excel'; it is one of shopify, woocommerce, google, google-reviews, judgeme, yotpo, products, reviews"
        ),
        Wrong(
            arguments: ["a.csv", "--map", "price"], message: "'--map' is 'price'; it is written COLUMN=FIELD"),
        Wrong(
            arguments: ["a.csv", "--delimiter", "ab"],
            message: "'--delimiter' is 'ab'; it is one character, or 'tab'"),
        Wrong(
            arguments: ["a.csv", "--currency", "EURO"],
            message: "'--currency' is 'EURO'; it is a code such as EUR"),
        Wrong(arguments: ["a.csv", "--dates", "ymd"], message: "'--dates' is 'ymd'; it is one of dmy, mdy"),
    ])
    func wrongUsage(_ c: Wrong) {
        let run = Program.run(["import"] + c.arguments)
        #expect(run.status == 2)
        #expect(run.errors == "build-site: error: \(c.message) [usage]\ntry 'build-site --help'\n")
    }

    @Test func mapMayBeGivenSeveralTimes() throws {
        let shop = try Shop()
        try shop.write("export.csv", "A,B=C\n1,Stout\n")
        #expect(shop.build("import", "export.csv", "--map", "A=sku", "--map=B=C=name").status == 0)
    }

    @Test func asksOnATerminal() throws {
        let shop = try Shop()
        try shop.write("export.csv", "sku,name,Shelf no.,Margin\nA,Rain,X1,3\n")
        try shop.write("answers", "facts:Shelf\nfact:Shelf\n\n")
        // `script` is part of every Debian and gives the program a terminal.
        let run = Program.run(
            "/bin/sh", ["-c", "script -qec \"'\(Program.path)' import export.csv\" /dev/null < answers"],
            in: shop.path)
        #expect(run.status == 0)
        #expect(run.output.contains("what is column 'Shelf no.', with values such as 'X1'?"))
        #expect(run.output.contains("'facts:Shelf' is no field"))
        #expect(run.output.contains("what is column 'Margin', with values such as '3'?"))
        let facts = try Connection(own: shop.path + "/content/shop.db").rows(
            "SELECT name || '=' || value FROM facts"
        ) {
            $0.text(0)
        }
        #expect(facts == ["Shelf=X1"])
    }

    @Test func memoryDoesNotGrowWithTheFile() throws {
        let shop = try Shop()
        func peak(_ count: Int) throws -> Int {
            var text = "sku,name,price,category,description\n"
            let note = String(repeating: "Rain and slate. ", count: 60)
            for i in 1...count { text += "S-\(i),Product \(i),\(i % 90).50,Group \(i % 50),\(note)\n" }
            try shop.write("export.csv", text)
            // Started by a small process: the highest memory of the one before `exec` counts for the one after.
            let run = Program.run(
                "/bin/sh", ["-c", "'\(Program.path)' import export.csv --into big.db; exit $?"], in: shop.path
            )
            #expect(run.status == 0)
            let words = run.output.split(separator: " ")
            guard let at = words.firstIndex(of: "MB"), let megabytes = Int(words[at - 1]) else { return .max }
            return megabytes
        }
        // 1 MB and 5 MB.
        let small = try peak(1000)
        #expect(try peak(5000) <= small + 16)
        #expect(small < 100)
    }
}
