import Basics
import Database
import Glibc
import Testing

/// What is wrong with a site ends the build with one clear message, and the last good site stays as it was.
@Suite struct WrongInputTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        var arguments: [String] = []
        /// The whole of standard error.
        let expected: String
        let spoil: @Sendable (Shop) throws -> Void
        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "a wrong key in site.yaml",
            expected: """
                content/site.yaml:2:1: error: 'langauge' is not a setting; did you mean 'language'? [unknown-setting]
                  2 │ langauge: en
                    │ ^~~~~~~~

                """
        ) { try $0.write("content/site.yaml", "title: Corner Shop\nlangauge: en\n") },
        Case(
            name: "a wrong value in site.yaml, and a title that is missing",
            expected: """
                content/site.yaml:1:1: error: 'title' is missing [missing-setting]
                  1 │ page_size: 0
                    │ ^
                content/site.yaml:1:12: error: 'page_size' is 0; it goes from 1 to 1000 [setting-range]
                  1 │ page_size: 0
                    │            ^
                content/site.yaml:2:10: error: 'defered' is no value of 'reviews'; did you mean 'deferred'? [setting-value]
                  2 │ reviews: defered
                    │          ^~~~~~~

                """
        ) { try $0.write("content/site.yaml", "page_size: 0\nreviews: defered\n") },
        Case(
            name: "a format for a note that is not there",
            expected: """
                content/site.yaml:3:3: error: 'tasting_nte' is no column of notes; did you mean 'tasting_note'? [unknown-note]
                  3 │   tasting_nte: markdown
                    │   ^~~~~~~~~~~

                """
        ) {
            try $0.write("content/site.yaml", "title: Corner Shop\nnotes:\n  tasting_nte: markdown\n")
        },
        Case(
            name: "a wrong key in a mapping of site.yaml",
            expected: """
                content/site.yaml:2:12: error: 'floder' is not a setting of 'pictures'; did you mean 'folder'? [unknown-setting]
                  2 │ pictures: {floder: x}
                    │            ^~~~~~

                """
        ) {
            try $0.write("content/site.yaml", "title: Corner Shop\npictures: {floder: x}\n")
        },
        Case(
            name: "a folder outside the site",
            expected: """
                error: cannot open content/..: the path leads out of its folder; the site was not changed [file]

                """
        ) { try $0.write("content/site.yaml", "title: Corner Shop\npages: ../..\n") },
        Case(
            name: "a list file with a misspelt name",
            expected: """
                content/lists.json:1:1: error: 'customers' is missing [json-type]
                content/lists.json:1:16: warning: 'costumers' is not known here; did you mean 'customers'? [unknown-member]

                """
        ) {
            try $0.write("content/lists.json", "{\"version\": 1, \"costumers\": []}\n")
        },
        Case(
            name: "site.yaml that is no YAML",
            expected: """
                content/site.yaml:1:8: error: a quote is never closed [yaml-syntax]
                  1 │ title: "Corner Shop
                    │        ^

                """
        ) {
            try $0.write("content/site.yaml", "title: \"Corner Shop\nurl: x\n")
        },
        Case(
            name: "no site.yaml",
            expected: """
                content/site.yaml: error: no such file or directory; a site needs this file [no-site]

                """
        ) { try $0.remove("content/site.yaml") },
        Case(
            name: "no site", arguments: ["--site", "elsewhere"],
            expected: """
                elsewhere/content: error: no such file or directory; name the folder that holds 'content/site.yaml' with --site [no-site]

                """
        ) { _ in },
        Case(
            name: "a wrong column",
            expected: """
                content/site.yaml:3:3: error: 'produce' is not a field of 'products'; did you mean 'producer'? [unknown-column]
                  3 │   SELECT id, name, produce FROM (SELECT id, name, producer AS produce FROM products)
                    │   ^

                """
        ) {
            try $0.write(
                "content/site.yaml",
                "title: Corner Shop\nproducts: |\n  SELECT id, name, produce FROM (SELECT id, name, producer AS produce FROM products)\n"
            )
        },
        Case(
            name: "a column that the table lacks",
            expected: """
                content/site.yaml:3:14: error: the query of 'products': no such column: nmae [bad-query]
                  3 │   SELECT id, nmae AS name
                    │              ^

                """
        ) {
            try $0.write(
                "content/site.yaml",
                "title: Corner Shop\nproducts: |\n  SELECT id, nmae AS name\n  FROM products\n")
        },
        Case(
            name: "a query without a name column",
            expected: """
                content/site.yaml:2:11: error: 'products' gives no column 'name'; is it the one called 'nam'? write "nam" AS name [missing-column]
                  2 │ products: SELECT id, producer AS nam FROM products
                    │           ^

                """
        ) {
            try $0.write(
                "content/site.yaml",
                "title: Corner Shop\nproducts: SELECT id, producer AS nam FROM products\n")
        },
        Case(
            name: "a column of the wrong default table",
            expected: """
                content/shop.db: error: 'products' gives no column 'name' [missing-column]

                """
        ) {
            try $0.database { "ALTER TABLE products RENAME COLUMN name TO title" }
        },
        Case(
            name: "no products table",
            expected: """
                content/shop.db: error: the database has no table 'products'; map one with 'products:' in site.yaml [no-products]

                """
        ) { try $0.database { "ALTER TABLE products RENAME TO goods" } },
        Case(
            name: "two products with one id",
            expected: """
                error: 'products' gives two rows with the id '1'; an id must be unique [duplicate-id]

                """
        ) {
            try $0.write(
                "content/site.yaml", "title: Corner Shop\nproducts: SELECT 1 AS id, name FROM products\n")
        },
        Case(
            name: "a misspelt tag in a template",
            expected: """
                templates/tile.mustache:2:32: error: 'nmae' is not a field of a product tile; did you mean 'name'? [unknown-field]
                  2 │   <a href="{{root}}{{path}}">{{nmae}}</a>
                    │                                ^~~~

                """
        ) {
            try $0.write(
                "templates/tile.mustache", "<li>\n  <a href=\"{{root}}{{path}}\">{{nmae}}</a>\n</li>\n")
        },
        Case(
            name: "a section that is never closed",
            expected: """
                templates/tile.mustache:1:5: error: section 'price' is never closed [unclosed-section]
                  1 │ <li>{{#price}}{{text}}</li>
                    │     ^~~~~~~~~~

                """
        ) {
            try $0.write("templates/tile.mustache", "<li>{{#price}}{{text}}</li>\n")
        },
        Case(
            name: "a file that the style sheet lacks",
            expected: """
                templates/style.css:1:24: error: 'images/grian.png' is no file of the theme; did you mean 'images/grain.png'? [unknown-asset]
                  1 │ body { background: url(images/grian.png) }
                    │                        ^~~~~~~~~~~~~~~~

                """
        ) {
            try $0.write("templates/style.css", "body { background: url(images/grian.png) }\n")
        },
        Case(
            name: "lists.json that is no JSON",
            expected: """
                content/lists.json:2:29: customers[0]: error: a name in double quotes is expected after ',', saw '}' [json-syntax]
                  2 │  "customers": [{"id": "c-1",}]}
                    │                             ^

                """
        ) {
            try $0.write("content/lists.json", "{\"version\": 1,\n \"customers\": [{\"id\": \"c-1\",}]}\n")
        },
        Case(
            name: "lists.json with a wrong form",
            expected: """
                content/lists.json:1:13: version: error: 2 is outside 1 to 1 [json-range]
                content/lists.json:1:75: customers[0].lists.wish[0].product: error: text is expected, saw true [json-type]

                """
        ) {
            try $0.write(
                "content/lists.json",
                "{\"version\": 2, \"customers\": [{\"id\": \"c-1\", \"lists\": {\"wish\": [{\"product\": true}]}}]}\n"
            )
        },
        Case(
            name: "a page without a title",
            expected: """
                content/pages/about.md:2:1: error: 'title' is missing [missing-setting]
                  2 │ menu: foot
                    │ ^
                content/pages/about.md:2:7: error: 'foot' is no value of 'menu'; it takes 'footer', 'none' [setting-value]
                  2 │ menu: foot
                    │       ^~~~

                """
        ) { try $0.write("content/pages/about.md", "---\nmenu: foot\n---\nHi.\n") },
        Case(
            name: "a missing database",
            expected: """
                content/shop.db: error: no such file or directory; name it with 'database:' in site.yaml or --database [no-database]

                """
        ) { try $0.remove("content/shop.db") },
        Case(
            name: "a database that is a folder", arguments: ["--database", "content"],
            expected: """
                content: error: is no file [no-database]

                """
        ) { _ in },
        Case(
            name: "a database that is no database",
            expected: """
                content/shop.db: error: file is not a database; the site was not changed: mend the database (sqlite3 FILE .recover) and build again [bad-database]

                """
        ) {
            try $0.write("content/shop.db", String(repeating: "not a database\n", count: 400))
        },
        Case(
            name: "an empty database",
            expected: """
                content/shop.db: error: the database has no table 'products'; map one with 'products:' in site.yaml [no-products]

                """
        ) { try $0.write("content/shop.db", "") },
        Case(
            name: "a damaged database",
            expected: """
                content/shop.db: error: database disk image is malformed; the site was not changed: mend the database (sqlite3 FILE .recover) and build again [bad-database]

                """
        ) { shop in
            var bytes = Array(try shop.bytes("content/shop.db"))
            for i in 4096..<bytes.count { bytes[i] = 0xFF }
            try shop.write("content/shop.db", bytes)
        },
        Case(
            name: "a database cut short",
            expected: """
                content/shop.db: error: database disk image is malformed; the site was not changed: mend the database (sqlite3 FILE .recover) and build again [bad-database]

                """
        ) { shop in
            try shop.write("content/shop.db", Array(try shop.bytes("content/shop.db").prefix(9000)))
        },
        Case(
            name: "an output that is the site", arguments: ["--output", "."],
            expected: """
                .: error: the output folder is, or contains, SITE; name another with --output [bad-output]

                """
        ) { _ in },
        Case(
            name: "an output that holds the content", arguments: ["--output", "content"],
            expected: """
                content: error: the output folder is, or contains, SITE/content; name another with --output [bad-output]

                """
        ) { _ in },
        Case(
            name: "an output that is a file of the site", arguments: ["--output", "content/site.yaml"],
            expected: """
                content/site.yaml: error: the output folder is inside SITE/content; name another with --output [bad-output]

                """
        ) { _ in },
        Case(
            name: "an output with files of somebody else", arguments: ["--output", "other"],
            expected: """
                other: error: the folder has files and no manifest; name an empty folder, or one that build-site wrote [foreign-output]

                """
        ) {
            try $0.write("other/index.html", "mine")
        },
        Case(
            name: "an output that is the root", arguments: ["--output", "/"],
            expected: """
                /: error: the root of the file system is no output folder [bad-output]

                """
        ) { _ in },
        Case(
            name: "a manifest that is no manifest",
            expected: """
                SITE/.build-site/public/manifest.db: error: file is not a database; remove its folder and the output folder to start anew; nothing was changed [bad-manifest]

                """
        ) {
            try $0.write(
                ".build-site/public/manifest.db",
                "nonsense, and long enough for a header of an SQLite database file ........................")
        },
        Case(
            name: "a key that others can read",
            expected: """
                .build-site/list-key: error: the key of the customers' addresses must be a file of 32 bytes that only its owner can read; mend it with chmod 600, or remove it to give every customer a new address [list-key]

                """
        ) { shop in
            try shop.write("content/lists.json", "{\"version\": 1, \"customers\": [{\"id\": \"c-1\"}]}\n")
            try shop.write(".build-site/list-key", [UInt8](repeating: 7, count: 32))
        },
        Case(
            name: "a report over the database", arguments: ["--json", "content/shop.db"],
            expected: """
                content/shop.db: error: holds something other than a report; name another file with --json [report]

                """
        ) { _ in },
        Case(
            name: "a report without a folder", arguments: ["--json", "nowhere/report.json"],
            expected: """
                nowhere/report.json: error: no such file or directory; name another file with --json [report]

                """
        ) { _ in },
        Case(
            name: "warnings under --strict", arguments: ["--strict"],
            expected: """
                products, row 1, column 'gtin': warning: holds '123', not a GTIN with a right check digit; shown as absent [not-a-gtin]
                products, row 2, column 'abv': warning: holds the text 'cask', not a number; shown as absent [not-a-number]
                error: there are 2 warnings, and --strict was asked for; the site was not changed [strict]

                """
        ) {
            try $0.database {
                "UPDATE products SET abv = 'cask' WHERE id = 2; UPDATE products SET gtin = '123' WHERE id = 1"
            }
        },
    ]

    @Test(arguments: cases)
    func saysWhatIsWrongAndLeavesTheSite(_ c: Case) throws {
        let shop = try Shop()
        let first = shop.build("--quiet")
        try #require(first.status == 0, "\(first.errors)")
        #expect(first.errors.isEmpty)
        let before = try shop.tree()
        try c.spoil(shop)
        let run = Program.run(["--quiet"] + c.arguments, in: shop.path)
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        let said = run.errors.replacing(shop.path, with: "SITE")
        #expect(said == c.expected)
        #expect(try shop.tree() == before)
    }
}

extension String {
    /// The text with every occurrence of another text replaced.
    func replacing(_ old: String, with new: String) -> String {
        split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }
}
