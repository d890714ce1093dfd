import Basics
import Database
import Formats
import Glibc
import Templates
import TestSupport
import Testing

@testable import Commands
@testable import Database
@testable import Site

/// What the documentation says is what the program does.
@Suite struct DocumentationTests {
    static let pages = [
        "CHANGELOG.md", "README.md", "docs/architecture.md", "docs/commands.md", "docs/database.md",
        "docs/diagnostics.md", "docs/import.md", "docs/lists.md", "docs/preview.md", "docs/publishing.md",
        "docs/reviews.md", "docs/security.md", "docs/settings.md", "docs/templates.md",
    ]

    // MARK: Commands

    @Test func commandsPageIsWhatTheOptionTableGives() throws {
        if getenv("UPDATE_GOLDEN") != nil {
            let docs = try Directory(path: Project.root + "/docs")
            try docs.replace("commands.md", with: Array(Help.manual.utf8))
        }
        #expect(Project.text(of: "docs/commands.md") == Help.manual)
    }

    // MARK: Settings

    @Test func everySettingIsDescribedAndNoOther() throws {
        let all = """
            title: x
            home: {heading: y}
            reviews: {mode: remote, address: "https://r.example/{id}"}
            pictures: {folder: z}
            browse_by: [{key: producer}]
            publish:
              a: {type: folder, to: ../there}
              b: {type: rsync, to: "host:there"}
              c: {type: rclone, to: "remote:there"}
              d: {type: git, to: ../there.git}
            """
        let settings = try SiteSettings(SourceText(file: "site.yaml", text: all))
        let known = Set(
            settings.knownNames.map { name in
                let parts = name.replacing("[1]", with: "[]").split(separator: ".")
                return (parts[0] == "publish" && parts.count == 3 ? ["publish", "TARGET", parts[2]] : parts)
                    .joined(separator: ".")
            })
        #expect(known.isSuperset(of: ["title", "reviews.query", "browse_by[].folder", "pictures.query"]))
        let page = Project.text(of: "docs/settings.md")
        let parts = page.split(separator: "## Markdown pages")
        #expect(Set(tableKeys(String(parts[0]))) == known)
    }

    @Test func everyKeyOfFrontMatterIsDescribedAndNoOther() throws {
        let page = Project.text(of: "docs/settings.md").split(separator: "## Markdown pages")[1]
        var known: Set<String> = []
        let source = Project.text(of: "Sources/Site/Plan/ContentPage.swift")
        for mark in ["settings[\"", "settings.required(\""] {
            for part in source.split(separator: mark).dropFirst() {
                known.insert(String(part.prefix { $0 != "\"" }))
            }
        }
        #expect(Set(tableKeys(String(page))) == known)
    }

    /// The first code span of each row of each table.
    private func tableKeys(_ text: String) -> [String] {
        rows(text).compactMap { row in
            guard let cell = row.first, cell.hasPrefix("`") else { return nil }
            return String(cell.dropFirst().prefix { $0 != "`" })
        }
    }

    // MARK: Examples

    struct Example: CustomTestStringConvertible, Sendable {
        let page: String, text: String
        var testDescription: String { "\(page): \(text.prefix(60))" }
    }

    /// Code blocks of a language.
    static func blocks(_ language: String, in pages: [String] = pages) -> [Example] {
        pages.flatMap { page in
            Project.blocks(language, in: page).map { Example(page: page, text: $0) }
        }
    }

    @Test(arguments: blocks("yaml"))
    func everyExampleOfSettingsIsRead(_ example: Example) throws {
        let text = example.text.contains("title:") ? example.text : "title: Example\n" + example.text
        #expect(throws: Never.self) { try SiteSettings(SourceText(file: example.page, text: text)) }
    }

    @Test(arguments: blocks("json"))
    func everyExampleOfJSONIsRead(_ example: Example) throws {
        #expect(throws: Never.self) { try JSON.read(SourceText(file: example.page, text: example.text)) }
    }

    /// The till of docs/database.md, as the page builds it up.
    @Test func theExampleOfAForeignDatabaseBuilds() throws {
        let create = try #require(Self.blocks("sql", in: ["docs/database.md"]).first?.text)
        let settings = Self.blocks("yaml", in: ["docs/database.md"]).map(\.text)
        try #require(settings.count == 3)
        for text in settings {
            let shop = try Shop(settings: text)
            let till = try Connection(own: shop.path + "/content/till.db")
            try till.execute(create)
            if text.contains("AS picture") {
                try shop.write("content/pictures/a-100.jpg", Project.bytes(of: "templates/images/grain.png"))
            }
            let run = shop.build("--strict")
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("2 products, "))
        }
        let shop = try Shop(settings: settings[2])
        try Connection(own: shop.path + "/content/till.db").execute(create)
        #expect(shop.build("--quiet").status == 0)
        let page = try shop.tree().first { $0.contains("harbour-cask") && $0.hasPrefix("public/products") }
        let text = try shop.text(String(try #require(page).prefix { $0 != " " }))
        for words in [
            "£54.50", "46.3%", "Peat (ppm)", "Serving", "<em>one</em>", "Bourbon", "Wet rope and lemon oil.",
            "Balnacorrie",
        ] {
            #expect(text.contains(words), "\(words)")
        }
        #expect(try shop.exists("public/cask/bourbon.html"))
    }

    @Test func theExampleOfTheReadmeBuilds() throws {
        let settings = try #require(Self.blocks("yaml", in: ["README.md"]).first?.text)
        let shop = try Shop(settings: settings)
        try shop.database {
            """
            DELETE FROM reviews; DELETE FROM product_categories; DELETE FROM categories; DELETE FROM products;
            CREATE TABLE articles(article_no, label, maker, cents, html, colour, weight);
            INSERT INTO articles VALUES (1, 'Button', 'Knopf & Co', 120, '<p>Horn.</p>', 'black', '2 g');
            """
        }
        #expect(shop.build("--strict", "--quiet").status == 0)
        try shop.write("content/site.yaml", settings.replacing("price_minor", with: "pirce"))
        #expect(
            shop.build("--quiet").errors.contains(
                "'pirce' is not a field of 'products'; did you mean 'price'? [unknown-column]"))
    }

    // MARK: Links

    @Test(arguments: pages)
    func linksLeadSomewhere(_ page: String) {
        let folder = page.split(separator: "/").dropLast().joined(separator: "/")
        for part in Project.text(of: page).split(separator: "](").dropFirst() {
            let target = part.prefix { $0 != ")" }
            // Pictures of pages are taken by a browser, when there is one.
            if target.contains(":") || target.contains("screenshots/") { continue }
            let pieces = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let file = pieces[0].isEmpty ? page : (folder.isEmpty ? "" : folder + "/") + pieces[0]
            #expect(access(Project.root + "/" + file, F_OK) == 0, "\(target)")
            guard pieces.count == 2, file.hasSuffix(".md") else { continue }
            let headings = Project.text(of: file).split(separator: "\n").filter { $0.hasPrefix("#") }.map(
                Self.anchor)
            #expect(headings.contains(String(pieces[1])), "\(target)")
        }
    }

    private static func anchor(_ heading: Substring) -> String {
        String(
            heading.drop { $0 == "#" || $0 == " " }.lowercased()
                .compactMap {
                    $0 == " " ? "-" : $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : nil
                })
    }

    // MARK: Database

    @Test func everyFieldOfTheDatabaseIsDescribedAndNoOther() {
        let page = Project.text(of: "docs/database.md").split(separator: "## How cells are read")[0]
        var described: [String: Set<String>] = [:]
        for section in page.split(separator: "\n### ").dropFirst() {
            let name = String(section.prefix { $0 != "\n" })
            for row in rows(String(section)) {
                let names = row[0].split(separator: "`").filter {
                    $0.contains { $0.isLetter } && !$0.contains("\"")
                }
                described[name, default: []].formUnion(names.map(String.init))
            }
        }
        for source in Mapping.Source.allCases {
            #expect(described[source.rawValue] == Set(source.fields), "\(source)")
        }
    }

    @Test func theDefaultSchemaHasFieldsOnly() throws {
        let shop = try Shop()
        let database = try Connection(own: shop.path + "/content/shop.db")
        for source in Mapping.Source.allCases {
            let columns = try database.rows("SELECT name FROM pragma_table_info('\(source.rawValue)')") {
                $0.text(0)
            }
            #expect(!columns.isEmpty)
            #expect(Set(columns).isSubset(of: source.fields), "\(source)")
        }
    }

    // MARK: Templates

    @Test func theFieldsOfTemplatesAreThoseOfThePages() throws {
        let documented = Self.fieldTables()
        let sections = [
            "product": "product", "tile": "tile", "reviews": "reviews-page", "category": "index",
            "index": "index",
            "categories": "categories", "facet": "facet", "home": "home", "page": "content",
            "not-found": "not-found",
            "redirect": "redirect", "list": "customer", "list-single": "customer", "my-lists": "my-lists",
            "search": "search-page",
        ]
        let page = try #require(documented["page"])
        var left = Set(documented.keys).subtracting(["page"])
        var compared: Set<String> = []
        func compare(_ entries: some Collection<Schema.Entry>, _ section: String) throws {
            left.remove(section)
            let fields = try #require(documented[section], "\(section)")
            #expect(entries.map(\.name) == fields.map(\.name), "\(section)")
            for (entry, field) in zip(entries, fields) {
                let (type, schema) = Self.type(of: entry.kind)
                #expect(field.type == type, "\(section).\(entry.name)")
                let mayBeEmpty = field.condition == "may be empty"
                let isConditional = !field.condition.isEmpty && !mayBeEmpty
                // A flag always is there; the column says when it is set. A list may be empty.
                if type == "flag" {
                    #expect(isConditional, "\(section).\(entry.name)")
                } else {
                    #expect(isConditional == entry.isOptional, "\(section).\(entry.name)")
                }
                guard let schema, field.of != "text" else { continue }
                if compared.insert("\(field.of) \(schema.name)").inserted {
                    try compare(schema.entries, field.of)
                }
            }
        }
        for kind in try Site.pageSchemas() {
            let section = try #require(sections[kind.template], "\(kind.template)")
            var entries = kind.schema.entries[...]
            if section != "tile" {
                try compare(entries.prefix(page.count), "page")
                entries = entries.dropFirst(page.count)
            }
            try compare(entries, section)
        }
        #expect(left.isEmpty)
    }

    @Test func everyFileOfTheThemeIsNamed() throws {
        let page = Project.text(of: "docs/templates.md")
        for name in try Directory(path: Project.root + "/templates").names() {
            let bare = name.hasSuffix(".mustache") ? String(name.dropLast(9)) : name
            #expect(
                page.contains("`\(bare)`") || page.contains("`\(name)`") || page.contains("`\(name)/"),
                "\(name)")
        }
    }

    private struct DocumentedField {
        let name: String, type: String, of: String, condition: String
    }

    private static func fieldTables() -> [String: [DocumentedField]] {
        var out: [String: [DocumentedField]] = [:]
        let fields = Project.text(of: "docs/templates.md").split(separator: "\n## Fields\n")[1].split(
            separator: "\n## ")[0]
        for section in fields.split(separator: "\n### ").dropFirst() {
            let name = String(section.prefix { $0 != "\n" })
            if name == "text" { continue }
            out[name] = rows(String(section)).map {
                DocumentedField(
                    name: $0[0].replacing("`", with: ""), type: $0[1], of: $0[2], condition: $0[3])
            }
        }
        return out
    }

    private static func type(of kind: Schema.Kind) -> (String, Schema?) {
        switch kind {
        case .text, .escaped, .choice: ("text", nil)
        case .html: ("html", nil)
        case .json: ("json", nil)
        case .flag: ("flag", nil)
        case .record(let schema): ("record", schema)
        case .list(.record(let schema)): ("list", schema)
        case .list, .itself: ("list", nil)
        }
    }

    // MARK: Diagnostics

    @Test func everyIdThatIsPrintedIsDescribedAndNoOther() throws {
        let described = Set(tableKeys(Project.text(of: "docs/diagnostics.md")))
        var found: Set<String> = ["usage"]
        var literals: Set<String> = []
        for file in try Self.sources() {
            let text = Project.text(of: file)
            found.formUnion(Self.ids(in: text))
            literals.formUnion(text.split(separator: "\"").filter(Self.isID).map(String.init))
        }
        #expect(found.subtracting(described) == [])
        // An id that is handed on as an argument is not found by its place, but it is there.
        #expect(described.subtracting(found).subtracting(literals) == [])
    }

    @Test func idsAreDescribedOnce() {
        let keys = tableKeys(Project.text(of: "docs/diagnostics.md"))
        let twice = Dictionary(grouping: keys) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        // One word, two meanings: a BLOB in a column of text, and a list where a template wants text.
        #expect(twice == ["not-text"])
    }

    private static func sources() throws -> [String] {
        var out: [String] = []
        var folders = ["Sources"]
        while let at = folders.popLast() {
            let folder = try Directory(path: Project.root + "/" + at)
            for name in try folder.names() {
                if try folder.status(name)?.kind == .directory {
                    folders.append(at + "/" + name)
                } else if name.hasSuffix(".swift") {
                    out.append(at + "/" + name)
                }
            }
        }
        return out
    }

    /// The literals of a source that stand where an id stands.
    private static func ids(in source: String) -> Set<String> {
        let calls = [
            "Failure(", " error(", ".error(", " warning(", ".warning(", "fault(", "report(", ".error,",
            ".warning,", "template(tag,",
        ]
        var out: Set<String> = []
        var before = ""
        let pieces = source.split(separator: "\"", omittingEmptySubsequences: false)
        for (i, piece) in pieces.enumerated() {
            defer { before = (before + "\"" + piece).suffix(200).description }
            guard i > 0, isID(piece) else { continue }
            let stripped = before.trimmedEnd
            let line = before.split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
            let isCall = calls.contains { stripped.hasSuffix($0) }
            let isLabel =
                (stripped.hasSuffix("id:") || stripped.hasSuffix("id: String =")) && piece.contains("-")
            let isChoice =
                (line.contains("fault(") || line.contains("let id =") || line.contains("= self {"))
                && (stripped.hasSuffix("?") || stripped.hasSuffix(":") || stripped.hasSuffix("{"))
            if isCall || isLabel || isChoice { out.insert(String(piece)) }
        }
        return out
    }

    private static func isID(_ text: Substring) -> Bool {
        guard let first = text.first, first.isLowercase else { return false }
        return text.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D || (0x30...0x39).contains($0) }
    }

    // MARK: Lists

    @Test(arguments: ["content/lists.json"])
    func theDemoListsFollowTheSchema(_ file: String) throws {
        let document = try JSON.read(SourceText(file: file, bytes: Project.bytes(of: file)))
        #expect(try Self.validator().faults(document) == [])
    }

    @Test func theExampleOfListsFollowsTheSchema() throws {
        let example = try #require(Self.blocks("json", in: ["docs/lists.md"]).first?.text)
        let shop = try Shop()
        try shop.write("content/lists.json", example)
        #expect(try Self.validator().faults(JSON.read(SourceText(file: "x", text: example))) == [])
        #expect(shop.build("--quiet").status == 0)
    }

    struct WrongList: CustomTestStringConvertible, Sendable {
        let text: String
        var testDescription: String { text }
    }

    /// What the schema refuses, the program refuses or warns of.
    @Test(arguments: [
        WrongList(text: #"{"customers": []}"#),
        WrongList(text: #"{"version": 2, "customers": []}"#),
        WrongList(text: #"{"version": 1, "customers": {}}"#),
        WrongList(text: #"{"version": 1, "costumers": []}"#),
        WrongList(text: #"{"version": 1, "customers": [{}]}"#),
        WrongList(text: #"{"version": 1, "customers": [{"id": ""}]}"#),
        WrongList(text: #"{"version": 1, "customers": [{"id": true}]}"#),
        WrongList(text: #"{"version": 1, "customers": [{"id": "a", "nmae": "b"}]}"#),
        WrongList(text: #"{"version": 1, "customers": [{"id": "a", "generation": -1}]}"#),
        WrongList(text: #"{"version": 1, "customers": [{"id": "a", "lists": {"whish": []}}]}"#),
        WrongList(text: #"{"version": 1, "customers": [{"id": "a", "lists": {"wish": [{}]}}]}"#),
        WrongList(
            text:
                #"{"version": 1, "customers": [{"id": "a", "lists": {"wish": [{"product": "1", "quantity": 0}]}}]}"#
        ),
        WrongList(
            text:
                #"{"version": 1, "customers": [{"id": "a", "lists": {"wish": [{"product": "1", "added": "May"}]}}]}"#
        ),
        WrongList(
            text:
                #"{"version": 1, "customers": [{"id": "a", "lists": {"wish": [{"product": "1", "note": 5}]}}]}"#
        ),
    ])
    func whatTheSchemaRefusesTheProgramRefuses(_ wrong: WrongList) throws {
        #expect(try !Self.validator().faults(JSON.read(SourceText(file: "x", text: wrong.text))).isEmpty)
        let shop = try Shop()
        try shop.write("content/lists.json", wrong.text)
        #expect(shop.build("--quiet", "--strict").status == 1)
    }

    private static func validator() throws -> SchemaValidator {
        SchemaValidator(
            schema: try JSON.read(
                SourceText(file: "docs/lists.schema.json", bytes: Project.bytes(of: "docs/lists.schema.json"))
            ))
    }

    // MARK: Libraries

    @Test func librariesAreNotOlderThanThoseThatWereChecked() {
        let page = Project.text(of: "docs/security.md").split(separator: "## Libraries")[1]
        let libraries = rows(String(page))
        #expect(libraries.count == 11)
        for row in libraries {
            let name = row[2].replacing("`", with: "")
            let found = Program.run("/usr/bin/pkg-config", ["--modversion", name], in: "/").output
            func numbers(_ text: String) -> [Int] { text.split { !$0.isNumber }.compactMap { Int($0) } }
            #expect(numbers(row[3]).count >= 2, "\(name)")
            #expect(!numbers(found).lexicographicallyPrecedes(numbers(row[3])), "\(name) is \(found)")
        }
    }

    @Test func librariesAreThoseOfThePackage() {
        let page = Project.text(of: "docs/security.md").split(separator: "## Libraries")[1]
        let described = Set(rows(String(page)).map { $0[2].replacing("`", with: "") })
        let named = Project.text(of: "Package.swift").split(separator: "pkgConfig: \"").dropFirst()
            .map { String($0.prefix { $0 != "\"" }) }
        // Its module does without pkg-config.
        #expect(described == Set(named + ["vips"]))
    }
}

/// The cells of every row of the tables of a page, but the headings.
private func rows(_ text: String) -> [[String]] {
    var out: [[String]] = []
    var isTable = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        guard line.hasPrefix("|") else {
            isTable = false
            continue
        }
        if line.hasPrefix("|---") {
            isTable = true
        } else if isTable {
            // A bar inside a code span is no border; none of our tables has one.
            out.append(
                line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
                    cell in
                    String(cell.drop { $0 == " " }).trimmedEnd
                })
        }
    }
    return out
}

extension String {
    /// The text without white space at its end.
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// As much of JSON Schema 2020-12 as the schema of lists uses.
private struct SchemaValidator {
    let schema: JSONNode

    func faults(_ document: JSONNode) -> [String] { faults(document, schema, "") }

    private func faults(_ value: JSONNode, _ schema: JSONNode, _ path: String) -> [String] {
        var out: [String] = []
        for case let (key, rule) in Self.members(schema) {
            switch key {
            case "$ref":
                let name = (rule.text ?? "").split(separator: "/").last.map(String.init) ?? ""
                guard let target = self.schema["$defs"]?[name] else {
                    out.append("\(path): no definition '\(name)'")
                    continue
                }
                out += faults(value, target, path)
            case "type":
                let types = rule.text.map { [$0] } ?? Self.elements(rule).compactMap(\.text)
                if !types.contains(where: { Self.isType(value, $0) }) {
                    out.append("\(path): is no \(types)")
                }
            case "const":
                if value.integer != rule.integer || value.integer == nil {
                    out.append("\(path): is another value")
                }
            case "required":
                for name in Self.elements(rule).compactMap(\.text) where value[name] == nil {
                    out.append("\(path): lacks \(name)")
                }
            case "properties":
                for (name, rule) in Self.members(rule) {
                    if let member = value[name] { out += faults(member, rule, path + "/" + name) }
                }
            case "additionalProperties":
                let known = schema["properties"].map { Self.members($0).map(\.0) } ?? []
                for (name, _) in Self.members(value) where !known.contains(name) {
                    out.append("\(path): '\(name)' is unknown")
                }
            case "items":
                for (i, element) in Self.elements(value).enumerated() {
                    out += faults(element, rule, "\(path)/\(i)")
                }
            case "minimum":
                if let n = value.integer, n < rule.integer ?? 0 { out.append("\(path): is too small") }
            case "maximum":
                if let n = value.integer, n > rule.integer ?? 0 { out.append("\(path): is too large") }
            case "minLength":
                if let text = value.text, text.unicodeScalars.count < rule.integer ?? 0 {
                    out.append("\(path): is too short")
                }
            case "pattern":
                let pattern = try? Regex(rule.text ?? "")
                if let text = value.text, let pattern, text.firstMatch(of: pattern) == nil {
                    out.append("\(path): does not match")
                }
                if pattern == nil { out.append("\(path): the pattern is none") }
            case "$schema", "$defs", "title", "description", "default": break
            default: out.append("the validator of the tests does not know '\(key)'")
            }
        }
        return out
    }

    private static func members(_ node: JSONNode) -> [(String, JSONNode)] {
        if case .object(let members) = node.content { members.map { ($0.key, $0.value) } } else { [] }
    }

    private static func elements(_ node: JSONNode) -> [JSONNode] {
        if case .array(let elements) = node.content { elements } else { [] }
    }

    private static func isType(_ node: JSONNode, _ type: String) -> Bool {
        switch (node.content, type) {
        case (.object, "object"), (.array, "array"), (.text, "string"), (.flag, "boolean"), (.null, "null"):
            true
        case (.number, "number"): true
        case (.number, "integer"): node.integer != nil
        default: false
        }
    }
}
