import Basics
import Database
import Glibc
import TestSupport
import Testing

/// `build-site init`, from outside: what it writes, prints and refuses, and what the sites that come of it show.
@Suite struct InitTests {
    // MARK: Foreign databases

    @Test(arguments: ForeignSchema.all)
    func makesASiteOfADatabase(_ schema: ForeignSchema) throws {
        let folder = TemporaryFolder(inMemory: true)
        try Connection(own: folder.file("shop.db")).execute(schema.sql)
        let made = Program.run(["init", "site", "--database", "shop.db"], in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.hasPrefix("products: \(schema.table) ("), "\(made.output)")
        let settings = try Self.text(folder, "site/content/site.yaml")
        if let picture = schema.picture {
            try folder.write(
                "site/content/pictures/" + picture, Project.bytes(of: "templates/images/grain.png"))
        }
        let built = Program.run(["--site", "site", "--strict"], in: folder.path)
        #expect(built.status == 0, "\(built.errors)\n\(settings)")
        guard built.status == 0 else { return }
        let report = Comment(rawValue: settings)
        #expect(built.output.hasPrefix("\(schema.products) products, "), report)
        for part in schema.settings { #expect(settings.contains(part), report) }

        let site = try BuiltSite(folder.file("site/public"))
        #expect(site.faults() == [], report)
        let page = try #require(site.product(named: schema.product), report)
        func expect(_ words: String?, _ what: String) {
            guard let words else { return }
            #expect(site.plainText(page).contains(words), "\(what) '\(words)' is not in \(page)\n\(settings)")
        }
        expect(schema.price, "the price")
        expect(schema.note, "the note")
        for fact in schema.facts { expect(fact, "the fact") }
        if let category = schema.category {
            #expect(site.categoryNames.contains(category), report)
            let listed = site.categoryPages(named: category).contains { site.links($0, to: page) }
            #expect(listed, "\(category) does not list \(schema.product)\n\(settings)")
        }
        if schema.picture != nil { #expect(site.files[page]?.contains("<img") == true, report) }
        if let review = schema.review { #expect(site.files.values.contains { $0.contains(review) }, report) }
        for name in schema.pages { #expect(site.files[name] != nil, "\(name) is missing\n\(settings)") }
        for words in schema.absent {
            #expect(
                !site.files.values.contains { $0.contains(words) }, "'\(words)' is in the site\n\(settings)")
        }
    }

    /// The databases of examples/, which are other people's, as they are.
    @Test func understandsNorthwind() throws {
        let site = try Self.site(
            of: Project.root + "/examples/northwind/content/northwind.db", isStrict: true)
        #expect(site.products.count == 77)
        #expect(site.faults() == [])
        let page = try #require(site.product(named: "Chai"))
        for words in ["18.00", "Exotic Liquids", "Beverages", "10 boxes x 20 bags", "UK"] {
            #expect(site.plainText(page).contains(words), "\(words)")
        }
        #expect(site.categoryNames.isSuperset(of: ["Beverages", "Meat/Poultry", "Seafood"]))
        // The categories' pictures, on the front page, are BLOBs.
        #expect(site.files["index.html"]?.contains("<img") == true)
        let gone = try #require(site.product(named: "Chef Anton's Gumbo Mix"))
        #expect(site.files[gone]?.contains("data-av=\"gone\"") == true)
    }

    @Test func understandsChinook() throws {
        let site = try Self.site(
            of: Project.root + "/examples/chinook/content/chinook.sqlite", isStrict: true)
        #expect(site.products.count == 3503)
        #expect(site.faults() == [])
        let page = try #require(site.product(named: "Balls to the Wall"))
        for words in ["0.99", "Accept", "Rock", "5:42", "Protected AAC audio file"] {
            #expect(site.plainText(page).contains(words), "\(words)")
        }
        #expect(site.categoryNames.isSuperset(of: ["R&B/Soul", "Jazz", "Opera"]))
        #expect(site.files["playlist/grunge.html"] != nil)
    }

    static let dataFolder = getenv("DATA").map { String(cString: $0) }

    /// Those that are not part of the project: `DATA=/path/to/data swift test --filter InitTests`, see examples/README.md.
    @Test(.enabled(if: dataFolder != nil, "set DATA to the folder that examples/README.md describes"))
    func understandsTheOpenBeerDatabase() throws {
        let site = try Self.site(of: (Self.dataFolder ?? "") + "/openbeerdb/openbeerdb.sqlite")
        #expect(site.products.count == 5901)
        #expect(site.faults() == [])
        let page = try #require(site.product(named: "Hocus Pocus"))
        for words in [
            "4.5%", "Magic Hat", "Light American Wheat Ale or Lager", "A toast to weeds", "Vermont",
        ] {
            #expect(site.plainText(page).contains(words), "\(words)")
        }
        #expect(site.categoryNames.isSuperset(of: ["British Ale", "Porter", "Irish Ale"]))
    }

    @Test(.enabled(if: dataFolder != nil, "set DATA to the folder that examples/README.md describes"))
    func understandsCraftBeers() throws {
        let site = try Self.site(
            of: (Self.dataFolder ?? "") + "/craft-beers/craft-beers.sqlite", isStrict: true)
        #expect(site.products.count == 2410)
        #expect(site.faults() == [])
        let page = try #require(site.product(named: "Devil's Cup"))
        for words in ["6.6%", "18th Street Brewery", "American Pale Ale (APA)", "Gary", "35.5"] {
            #expect(site.plainText(page).contains(words), "\(words)")
        }
        #expect(site.categoryNames.contains("American IPA"))
    }

    @Test(
        .enabled(
            if: dataFolder.map { access($0 + "/vinmonopolet/vinmonopolet.sqlite", R_OK) == 0 } ?? false,
            "set DATA to a folder with vinmonopolet/vinmonopolet.sqlite"))
    func understandsVinmonopolet() throws {
        let site = try Self.site(of: (Self.dataFolder ?? "") + "/vinmonopolet/vinmonopolet.sqlite")
        #expect(site.products.count == 10972)
        #expect(site.faults() == [])
        let page = try #require(site.product(named: "Siglo Saco Crianza 2012"))
        for words in ["124,90", "13,5", "Rødvin", "Spania", "Røde bær, krydder og fat.", "2012"] {
            #expect(site.plainText(page).contains(words), "\(words)")
        }
        #expect(site.categoryNames.contains("Champagne, brut"))
    }

    /// The site that init makes of a file with no edit.
    ///
    /// - Parameter isStrict: whether nothing is to be said of it; real data has faults that a build reports.
    private static func site(of database: String, isStrict: Bool = false) throws -> BuiltSite {
        let folder = TemporaryFolder(inMemory: true)
        let before = Fingerprint(of: Project.file(database))
        let made = Program.run(["init", "site", "--database", database], in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let built = Program.run(["--site", "site"] + (isStrict ? ["--strict"] : []), in: folder.path)
        #expect(built.status == 0, "\(built.errors)")
        #expect(Fingerprint(of: Project.file(database)) == before)
        return try BuiltSite(folder.file("site/public"))
    }

    // MARK: What is written

    @Test func makesASmallSiteOfNothing() throws {
        let folder = TemporaryFolder(inMemory: true)
        let made = Program.run(["init", "new"], in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.hasSuffix("wrote new/content/site.yaml\nbuild it: build-site --site new\n"))
        let built = Program.run(["--site", "new"], in: folder.path)
        #expect(built.status == 0)
        #expect(built.output.hasPrefix("3 products, "))
        // The key of the customers' pages is new, and nothing else is to be said.
        #expect(built.errors.split(separator: "\n").filter { $0.contains("warning") }.count == 1)
        #expect(Program.run(["--site", "new", "--strict"], in: folder.path).status == 0)
        let site = try BuiltSite(folder.file("new/public"))
        #expect(site.faults() == [])
        #expect(site.files["404.html"]?.contains("nopic") == false)
        let again = Program.run(["init", "new"], in: folder.path)
        #expect(again.status == 1)
        #expect(
            again.errors
                == "new/content/site.yaml: error: there is a site here already; nothing was written: name another folder, or take it away first [site-exists]\n"
        )
    }

    @Test func aDryRunWritesNothing() throws {
        let folder = try Self.folder(ForeignSchema.wide)
        let before = try Tree(folder.path)
        let run = Program.run(["init", "site", "--database", "shop.db", "--dry-run"], in: folder.path)
        #expect(run.status == 0)
        #expect(run.output.contains("\nproducts: |\n  SELECT\n"))
        #expect(run.errors.hasPrefix("products: tbl_stock_export (5 rows), "))
        #expect(try Tree(folder.path).differences(from: before) == [])
        #expect(Program.run(["init", "site", "--database", "shop.db"], in: folder.path).status == 0)
        #expect(try Self.text(folder, "site/content/site.yaml") == run.output)
    }

    @Test func refersToTheDatabaseUnlessItIsCopied() throws {
        let folder = try Self.folder(ForeignSchema.paths)
        #expect(Program.run(["init", "a", "--database", "shop.db"], in: folder.path).status == 0)
        #expect(try Self.text(folder, "a/content/site.yaml").contains("\ndatabase: \"../../shop.db\"\n"))
        #expect(
            Program.run(["init", "b", "--database", folder.file("shop.db")], in: folder.path).status == 0)
        #expect(
            try Self.text(folder, "b/content/site.yaml").contains(
                "\ndatabase: \"\(folder.file("shop.db"))\"\n"))
        try folder.copy(folder.file("shop.db"), to: "c/content/till.db")
        #expect(
            Program.run(["init", "c", "--database", folder.file("c/content/till.db")], in: folder.path).status
                == 0)
        #expect(try Self.text(folder, "c/content/site.yaml").contains("\ndatabase: till.db\n"))

        // A copy holds what is in the write-ahead log, too.
        let shop = try Connection(own: folder.file("shop.db"))
        #expect(try shop.rows("PRAGMA journal_mode = WAL") { $0.text(0) } == ["wal"])
        try shop.execute("INSERT INTO inventory VALUES ('N1', 'Night Shirt', 'Men > Clothing', 12, NULL)")
        #expect(Program.run(["init", "d", "--database", "shop.db", "--copy"], in: folder.path).status == 0)
        #expect(try Self.text(folder, "d/content/site.yaml").contains("\ndatabase: shop.db\n"))
        try folder.removeFile("shop.db")
        let built = Program.run(["--site", "d", "--strict"], in: folder.path)
        #expect(built.output.hasPrefix("5 products, "), "\(built.errors)")
    }

    /// Each customer has a page of what the database says, the people's names are nowhere, and nothing is made unasked.
    @Test func makesCustomersListsWhenAsked() throws {
        let folder = try Self.folder(ForeignSchema.wishes)
        let made = Program.run(["init", "site", "--database", "shop.db", "--lists"], in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        #expect(
            made.output.contains("\nlists: 5 products of 2 customers, in content/lists.json\n"),
            "\(made.output)")
        let text = try Self.text(folder, "site/content/lists.json")
        #expect(
            text.split(whereSeparator: \.isWhitespace).joined() == #"""
                {"version":1,"customers":[{"id":"1","lists":{"collection":[{"product":"1"},{"product":"3"}],"wish":[{"product":"2"}]}},{"id":"2","lists":{"collection":[{"product":"4"}],"wish":[{"product":"1"}]}}]}
                """#)
        let built = Program.run(["--site", "site"], in: folder.path)
        #expect(built.status == 0 && !built.errors.contains("unknown-product"), "\(built.errors)")
        let site = try BuiltSite(folder.file("site/public"))
        #expect(site.faults() == [])
        let pages = site.files.filter {
            $0.key.hasPrefix("lists/") && $0.key.hasSuffix("/index.html") && $0.key != "lists/index.html"
        }
        #expect(pages.count == 2)
        #expect(pages.values.contains { $0.contains("The Quiet Tide") && $0.contains("Knots") })
        #expect(!site.files.values.contains { $0.contains("Hedwig") })
        // A database without customers says so; without the option there is no such file.
        let other = try Self.folder(ForeignSchema.wide)
        let none = Program.run(["init", "site", "--database", "shop.db", "--lists"], in: other.path)
        #expect(
            none.output.contains(
                "\nlists: the database names no customers with orders, baskets or wish lists\n"))
        #expect(throws: (any Error).self) { try Self.text(other, "site/content/lists.json") }
    }

    @Test func takesTheTableThatSomebodyNames() throws {
        let folder = try Self.folder(ForeignSchema.wishes)
        let run = Program.run(
            ["init", "site", "--database", "shop.db", "--products", "AUTHOR", "--dry-run"], in: folder.path)
        #expect(run.errors.hasPrefix("products: author (2 rows), sure\n"))
        let wrong = Program.run(
            ["init", "site", "--database", "shop.db", "--products", "autor"], in: folder.path)
        #expect(wrong.status == 1)
        #expect(
            wrong.errors
                == "shop.db: error: has no table 'autor'; did you mean 'author'? [no-product-table]\n")
    }

    // MARK: What is refused

    struct Refusal: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let sql: String?
        let message: String
        var status: Int32 = 1
        var testDescription: String { message }
    }

    @Test(arguments: [
        Refusal(
            arguments: ["--database", "none.db"], sql: nil,
            message: "none.db: error: no such file or directory [no-database]\n"),
        Refusal(arguments: ["--database", "."], sql: nil, message: ".: error: is no file [no-database]\n"),
        Refusal(
            arguments: ["--database", "shop.db"], sql: "CREATE TABLE products(id, name)",
            message:
                "shop.db: error: holds no rows to look at; fill it first, or begin with 'build-site init' alone [no-product-table]\n"
        ),
        Refusal(
            arguments: ["--database", "shop.db"],
            sql: "CREATE TABLE log(at INTEGER, level INTEGER); INSERT INTO log VALUES (1, 2), (2, 2)",
            message:
                "shop.db: error: holds no table that looks like products; name it with --products: 'log' [no-product-table]\n"
        ),
        Refusal(
            arguments: ["--copy"], sql: nil,
            message: "build-site: error: '--copy' wants a database: --database FILE [usage]\n", status: 2),
    ])
    func refusesWhatItCannotUse(_ refusal: Refusal) throws {
        let folder = TemporaryFolder(inMemory: true)
        if let sql = refusal.sql { try Connection(own: folder.file("shop.db")).execute(sql) }
        let before = try Tree(folder.path)
        let run = Program.run(["init", "site"] + refusal.arguments, in: folder.path)
        #expect(run.status == refusal.status)
        #expect(run.errors == refusal.message)
        #expect(try Tree(folder.path).differences(from: before) == [])
    }

    @Test func refusesAFileThatIsNoDatabase() throws {
        let folder = TemporaryFolder(inMemory: true)
        try folder.write("shop.db", "This is a letter, and it is long enough not to be an empty database.")
        let run = Program.run(["init", "site", "--database", "shop.db"], in: folder.path)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("shop.db: error: "))
        #expect(run.errors.hasSuffix("[bad-database]\n"))
    }

    /// Whatever the database calls its things, the file is YAML that says no more than it should.
    @Test func hostileNamesStayNames() throws {
        let folder = TemporaryFolder(inMemory: true)
        try Connection(own: folder.file("a'\"b: # .db")).execute(
            """
            CREATE TABLE "products: x
            url: https://evil.example/"(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO "products: x
            url: https://evil.example/" VALUES (1, 'A');
            CREATE TABLE "pro""ducts' # --"(id INTEGER PRIMARY KEY, "name" TEXT, "co""lour' -- */ /* \\" TEXT, "tab	le" TEXT, "line
            currency: XXX" TEXT, "café ☕" TEXT, price NUMERIC, "{{name}}" TEXT);
            INSERT INTO "pro""ducts' # --" VALUES (1, 'Red Ink', 'red', 'x', 'y', 'c', 5, 'm'), (2, 'Blue Ink', 'blue', 'x', 'y', 'd', 6, 'm'), (3, 'Ink', 'red', 'x', 'y', 'c', 6, 'n'),
              (4, 'Well', 'red', 'x', 'y', 'c', 7, 'n');
            """)
        let made = Program.run(["init", "site", "--database", "a'\"b: # .db"], in: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let built = Program.run(["--site", "site", "--strict"], in: folder.path)
        #expect(built.status == 0, "\(built.errors)")
        #expect(built.output.hasPrefix("4 products, "))
        let settings = try Self.text(folder, "site/content/site.yaml")
        #expect(!settings.contains("\nurl:") && !settings.contains("evil"))
        #expect(settings.contains("currency: EUR"))
    }

    /// A file that is in the way is left alone, and so is everything else.
    @Test func overwritesNothing() throws {
        let folder = try Self.folder(ForeignSchema.paths)
        try folder.write("site/content/site.yaml", "title: Mine\n")
        let run = Program.run(["init", "site", "--database", "shop.db"], in: folder.path)
        #expect(run.status == 1)
        #expect(run.errors.contains("[site-exists]"))
        #expect(try Self.text(folder, "site/content/site.yaml") == "title: Mine\n")
        try folder.removeFile("site/content/site.yaml")
        try folder.write("site/templates/not-found.mustache", "mine")
        let before = try Tree(folder.path)
        let again = Program.run(["init", "site"], in: folder.path)
        #expect(again.status == 1)
        #expect(again.errors.hasPrefix("site/templates/not-found.mustache: error: is there already; "))
        #expect(try Tree(folder.path).differences(from: before) == [])
    }

    /// A small part of a large table is looked at; the answer is the same every time.
    @Test func aLargeTableIsSampled() throws {
        let folder = TemporaryFolder(inMemory: true)
        try Connection(own: folder.file("shop.db")).execute(
            """
            CREATE TABLE articles(no INTEGER PRIMARY KEY, label TEXT, price NUMERIC, picture TEXT, grp TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
            INSERT INTO articles SELECT i * 3, 'Article ' || i, i % 90 + 1, CASE WHEN i % 50 = 0 THEN i || '.jpg' END, 'Group ' || (i % 7) FROM n;
            """)
        let runs = (0..<2).map { _ in
            Program.run(["init", "site", "--database", "shop.db", "--dry-run"], in: folder.path).output
        }
        #expect(runs[0] == runs[1])
        #expect(runs[0].contains("articles (60,000 rows)"))
        #expect(runs[0].contains("picture"))
    }

    @Test func aDatabaseWithTheDefaultSchemaNeedsNoMapping() throws {
        let folder = TemporaryFolder(inMemory: true)
        let shop = try Connection(own: folder.file("shop.db"))
        try shop.execute(Project.text(of: "docs/schema.sql"))
        try shop.execute(
            """
            INSERT INTO products(id, name, price_minor) VALUES (1, 'Rain Gin', 2900), (2, 'Slate Rum', 3400);
            INSERT INTO categories(id, name) VALUES (1, 'Spirits');
            INSERT INTO product_categories(product_id, category_id) VALUES (1, 1), (2, 1);
            """)
        #expect(Program.run(["init", "site", "--database", "shop.db"], in: folder.path).status == 0)
        let settings = try Self.text(folder, "site/content/site.yaml")
        #expect(!settings.contains("SELECT"))
        let built = Program.run(["--site", "site", "--strict"], in: folder.path)
        #expect(built.output.hasPrefix("2 products, "), "\(built.errors)")
    }

    /// Tables and indexes, as `sqlite_schema` has them.
    private static func schema(_ path: String) throws -> [String] {
        try Connection(own: path).rows(
            "SELECT name || ': ' || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        ) { $0.text(0) }
    }

    @Test func newDatabasesHaveTheTablesThatTheDocumentationShows() throws {
        let folder = TemporaryFolder(inMemory: true)
        try Connection(own: folder.file("documented.db")).execute(Project.text(of: "docs/schema.sql"))
        let documented = try Self.schema(folder.file("documented.db"))
        #expect(documented.count == 9)
        #expect(Program.run(["init", "started"], in: folder.path).status == 0)
        #expect(try Self.schema(folder.file("started/content/shop.db")) == documented)
        try folder.write("wines.csv", "id,name\n1,Rain Gin\n")
        let imported = Program.run(["import", "wines.csv", "--into", "imported.db"], in: folder.path)
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try Self.schema(folder.file("imported.db")) == documented)
    }

    private static func folder(_ schema: ForeignSchema) throws -> TemporaryFolder {
        let folder = TemporaryFolder(inMemory: true)
        try Connection(own: folder.file("shop.db")).execute(schema.sql)
        return folder
    }

    private static func text(_ folder: TemporaryFolder, _ name: String) throws -> String {
        String(decoding: try Directory(path: folder.path).contents(of: name, limit: 1 << 20), as: UTF8.self)
    }
}

/// The files of a site that was built, as a test looks at them.
struct BuiltSite {
    /// A page: its bytes are searched, for some sites have 80 MB of them.
    struct Page {
        let bytes: [UInt8]

        func contains(_ text: String) -> Bool { find(text, from: 0) != nil }

        /// Where a text begins at or after a byte.
        func find(_ text: String, from start: Int) -> Int? {
            let needle = Array(text.utf8)
            return bytes.withUnsafeBytes { all in
                guard let base = all.baseAddress, let first = needle.first else { return nil }
                var at = start
                while at + needle.count <= all.count {
                    guard let hit = memchr(base + at, Int32(first), all.count - needle.count + 1 - at) else {
                        return nil
                    }
                    at = UnsafeRawPointer(hit) - base
                    if memcmp(hit, needle, needle.count) == 0 { return at }
                    at += 1
                }
                return nil
            }
        }

        /// What stands between two texts, as bytes.
        func between(_ start: String, _ end: String, from: Int = 0) -> Range<Int>? {
            guard let a = find(start, from: from).map({ $0 + start.utf8.count }), let b = find(end, from: a)
            else {
                return nil
            }
            return a..<b
        }

        /// Whether there is anything to read in a range: a letter, digit or sign outside of tags.
        func hasText(_ range: Range<Int>) -> Bool {
            var isTag = false
            for byte in bytes[range] {
                if byte == UInt8(ascii: "<") {
                    isTag = true
                } else if byte == UInt8(ascii: ">") {
                    isTag = false
                } else if !isTag, byte > 0x20 {
                    return true
                }
            }
            return false
        }
    }

    /// HTML files by their path.
    let files: [String: Page]

    init(_ path: String) throws {
        let tree = try Tree(path)
        var files: [String: Page] = [:]
        for name in tree.paths where name.hasSuffix(".html") {
            files[name] = Page(bytes: try tree.bytes(of: name))
        }
        self.files = files
    }

    /// The pages of products.
    var products: [String] {
        files.keys.filter {
            $0.hasPrefix("products/") && files[$0]?.contains("<section class=\"card c-name\"") == true
        }
        .sorted()
    }

    /// Products without a name, cards without content.
    func faults() -> [String] {
        var out: [String] = []
        for path in products {
            guard let page = files[path] else { continue }
            if page.between("<h1 id=\"h-name\">", "</h1>").map(page.hasText) != true {
                out.append("\(path): no name")
            }
            var at = 0
            while let card = page.between("<section class=\"card ", "</section>", from: at) {
                at = card.upperBound
                // The card with the name has no header: that is looked at above.
                guard let header = page.find("</header>", from: card.lowerBound), header < card.upperBound
                else { continue }
                if !page.hasText((header + 9)..<card.upperBound) {
                    let kind = String(decoding: page.bytes[card].prefix(12), as: UTF8.self)
                    out.append("\(path): empty card \(kind)")
                }
            }
        }
        if products.isEmpty { out.append("no product") }
        return out
    }

    func product(named name: String) -> String? {
        var escaped = name
        for (letter, reference) in [
            ("&", "&amp;"), ("'", "&#39;"), ("\"", "&quot;"), ("<", "&lt;"), (">", "&gt;"),
        ] {
            escaped = escaped.replacing(letter, with: reference)
        }
        return products.first { files[$0]?.contains("<h1 id=\"h-name\">\(escaped)</h1>") == true }
    }

    /// What people read on a page.
    func plainText(_ path: String) -> String {
        Self.strip(String(decoding: files[path]?.bytes ?? [], as: UTF8.self))
    }

    private func heading(_ path: String) -> String {
        guard let page = files[path], let start = page.find("<h1", from: 0),
            let range = page.between(">", "</h1>", from: start)
        else { return "" }
        return Self.strip(String(decoding: page.bytes[range], as: UTF8.self))
    }

    var categoryNames: Set<String> { Set(files.keys.filter { $0.hasPrefix("categories/") }.map(heading)) }

    func categoryPages(named name: String) -> [String] {
        files.keys.filter { $0.hasPrefix("categories/") && heading($0) == name }.sorted()
    }

    /// Whether a page links to another, by the last parts of its address.
    func links(_ page: String, to target: String) -> Bool { files[page]?.contains(target + "\"") == true }

    /// The text without tags, with the few references that pages write, blanks as one.
    private static func strip(_ html: String) -> String {
        var out: [UInt8] = []
        var isTag = false
        for byte in html.utf8 {
            if byte == UInt8(ascii: "<") {
                isTag = true
                out.append(0x20)
            } else if byte == UInt8(ascii: ">"), isTag {
                isTag = false
            } else if !isTag {
                out.append(byte)
            }
        }
        var text = String(decoding: out, as: UTF8.self)
        for (reference, letter) in [
            ("&amp;", "&"), ("&#39;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"),
        ] {
            text = text.replacing(reference, with: letter)
        }
        return text.split { $0.isWhitespace || $0 == "\u{A0}" || $0 == "\u{202F}" }.joined(separator: " ")
    }
}

extension InitTests {
    /// The README's second section, as a newcomer types it.
    @Test func theTwoCommandsOfTheReadmeMakeASite() throws {
        let commands = try #require(
            DocumentationTests.blocks("sh", in: ["README.md"]).dropFirst().first?.text)
        #expect(commands.split(separator: "\n").count == 2)
        let folder = TemporaryFolder(inMemory: true)
        try folder.copy("examples/northwind/content/northwind.db", to: "northwind.db")
        let program = Program.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        let run = Program.run("/bin/sh", ["-ec", "PATH=\(program):$PATH\n\(commands)"], in: folder.path)
        #expect(run.status == 0, "\(run.errors)")
        let site = try BuiltSite(folder.file("shop/public"))
        #expect(site.products.count == 77)
        #expect(
            site.files.keys.filter { $0.hasPrefix("producer/") && $0 != "producer/index.html" }.count == 29)
    }
}
