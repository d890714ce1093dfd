import Basics
import Formats
import TestSupport
import Testing

@testable import Site

/// What the build makes of the theme's scripts: names that hold a hash, and the texts that they say.
@Suite struct ScriptTests {
    // MARK: Specifiers

    struct Case: CustomTestStringConvertible, Sendable {
        let script: String, expected: [String]
        var testDescription: String { script }
    }

    @Test(arguments: [
        Case(script: "import x from './a.js';", expected: ["./a.js"]),
        Case(script: "import './a.js'; import \"./b.js\"", expected: ["./a.js", "./b.js"]),
        Case(script: "import { a, b } from './a.js'\nexport * from'./b.js'", expected: ["./a.js", "./b.js"]),
        Case(script: "import\n  './a.js'", expected: ["./a.js"]),
        Case(
            script: "const m = await import('./a.js'), n = import ( \"./b.js\" )",
            expected: ["./a.js", "./b.js"]),
        Case(
            script: "new URL('./a.css', import.meta.url); new URL(\"./b.css\", b)",
            expected: ["./a.css", "./b.css"]),
        // Not the theme's, or no specifier at all.
        Case(script: "import x from 'https://elsewhere.example/a.js'", expected: []),
        Case(script: "import x from './a.css'; from('./b.js'); f('./c.js'); x = './d.js'", expected: []),
        Case(script: "new URL('./a.js', import.meta.url); import('./b.css')", expected: []),
        Case(script: "import x from './a.js", expected: []),
        Case(script: "import x from './a\n.js'", expected: []),
        Case(script: "import x from './a.js\"", expected: []),
        Case(script: "'", expected: []), Case(script: "", expected: []),
    ])
    func findsWhatAScriptImports(_ c: Case) {
        let bytes = Array(c.script.utf8)
        #expect(Array(ModuleSpecifiers(bytes)).map(\.text) == c.expected)
        for found in ModuleSpecifiers(bytes) {
            #expect(String(decoding: bytes[found.range], as: UTF8.self) == found.text)
        }
    }

    // MARK: Names

    /// The theme with some files of the site's own.
    private func assets(
        _ files: KeyValuePairs<String, String>, language: String = "en", settings: String = "title: Shop"
    ) throws -> Assets {
        let folder = TemporaryFolder()
        for (name, text) in files { try folder.write(name, text) }
        let theme = try Theme(overrides: Directory(path: folder.path))
        let strings = try Strings(theme.strings, locale: Locale(language), overrides: [:])
        let source = SourceText(file: "site.yaml", text: settings)
        return try Assets(theme, SiteSettings(source), strings: strings, language: language)
    }

    private func text(_ assets: Assets, _ stem: String) -> String? {
        assets.files.first { $0.path.hasPrefix("assets/\(stem)-") && $0.path.hasSuffix(".js") }
            .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func importsAreWrittenWithHashedNamesAndChangeWithThem() throws {
        func name(_ assets: Assets, _ stem: String) throws -> String {
            try #require(
                assets.files.map(\.path).first { $0.hasPrefix("assets/\(stem)-") && $0.hasSuffix(".js") })
        }
        let one = try assets([
            "a.js": "import { b } from './b.js';\nb(import('./c.js'));\n", "b.js": "export const b = 1;",
            "c.js": "import './b.js';",
        ])
        let b = try name(one, "b").dropFirst("assets/".count)
        let c = try name(one, "c").dropFirst("assets/".count)
        #expect(text(one, "a") == "import { b } from './\(b)';\nb(import('./\(c)'));\n")
        #expect(text(one, "c") == "import './\(b)';")
        // A change of the innermost gives all that lead to it new names.
        let two = try assets([
            "a.js": "import { b } from './b.js';\nb(import('./c.js'));\n", "b.js": "export const b = 2;",
            "c.js": "import './b.js';",
        ])
        for stem in ["a", "b", "c"] { #expect(try name(one, stem) != name(two, stem)) }
        #expect(one.fingerprint != two.fingerprint)
    }

    @Test func theAddressOfAStyleSheetIsWrittenWithItsHashedName() throws {
        let assets = try assets(["a.js": "load(new URL('./home.css', import.meta.url));"])
        let name = try #require(assets.files.map(\.path).first { $0.hasPrefix("assets/home-") })
        #expect(
            text(assets, "a") == "load(new URL('./\(name.dropFirst("assets/".count))', import.meta.url));")
    }

    @Test(arguments: [
        (
            ["a.js": "new URL('./hom.css', import.meta.url)"],
            "templates/a.js:1:10: error: './hom.css' is no style sheet of the theme; did you mean './home.css'? [unknown-asset]"
        ),
        (
            ["a.js": "import './lists-stor.js';"],
            "templates/a.js:1:9: error: './lists-stor.js' is no script of the theme; did you mean './lists-store.js'? [unknown-asset]"
        ),
        (
            ["a.js": "\nimport './b.js';", "b.js": "import './a.js';"],
            "templates/b.js:1:9: error: './a.js' imports this script in turn, so that neither can be named by its content; move what both need into a third [unknown-asset]"
        ),
        (
            ["a.js": "import './a.js';"],
            "templates/a.js:1:9: error: './a.js' imports this script in turn, so that neither can be named by its content; move what both need into a third [unknown-asset]"
        ),
        (
            ["a.js": "import text from './texts.js';\nsay(text('add_to'), text('aded_to'));"],
            "templates/a.js:2:27: error: 'aded_to' is no text of the theme; did you mean 'add_to'? [unknown-text]"
        ),
    ])
    func saysWhatIsWrongWithAScript(_ files: [String: String], _ message: String) throws {
        let folder = TemporaryFolder()
        for (name, text) in files { try folder.write(name, text) }
        let theme = try Theme(overrides: Directory(path: folder.path))
        let strings = try Strings(theme.strings, locale: Locale("en"), overrides: [:])
        do {
            let settings = try SiteSettings(SourceText(file: "site.yaml", text: "title: Shop"))
            _ = try Assets(theme, settings, strings: strings, language: "en")
            Issue.record("nothing was wrong")
        } catch {
            #expect(error.diagnostics.map { String($0.description.split(separator: "\n")[0]) } == [message])
        }
    }

    /// The names of the theme's files in assets, without their hashes.
    private func names(_ settings: String) throws -> Set<String> {
        let files = try assets([:], settings: "title: Shop\n" + settings).files
        return Set(
            files.map { file in
                let name = file.path.dropFirst("assets/".count)
                let (dash, dot) = (name.lastIndex(of: "-")!, name.lastIndex(of: ".")!)
                return String(name[..<dash] + name[dot...])
            })
    }

    @Test func whatTheSettingsSwitchOffIsNotWritten() throws {
        let all = try names("")
        #expect(
            try all.subtracting(names("search: no")) == [
                "search.js", "search.css", "search-box.js", "search-engine.js", "search-words.js",
                "search-pieces.js", "search-records.js", "search-index.js", "search-address.js", "suggest.js",
                "results.js", "dom.js", "listing.js", "filters.js", "filter-panel.js", "filter-groups.js",
                "product-search.js",
            ])
        #expect(
            try all.subtracting(names("my_lists: no")) == [
                "lists.js", "my-lists.js", "lists-file.js", "product-data.js", "product-search.js",
            ])
        #expect(try all.subtracting(names("offline: no")) == ["offline.js"])
    }

    // MARK: Texts

    @Test func aScriptGetsTheTextsThatItNamesAndNoOthers() throws {
        let made = try assets(
            [
                "a.js":
                    "import text from './texts.js';\ntext('add_to'); context('total'); x.text('list_wish'); text(\"products\", { n });"
            ],
            language: "de")
        let module = try #require(
            made.files.map { String(decoding: $0.bytes, as: UTF8.self) }
                .first { $0.contains("const texts={\"add_to\"") })
        #expect(module.contains("export let language=\"de\";"))
        #expect(module.contains("\"products\":{\"one\":\"{n} Produkt\",\"other\":\"{n} Produkte\"}"))
        #expect(!module.contains("total") && !module.contains("list_wish"))
        let name = try #require(
            made.files.first { String(decoding: $0.bytes, as: UTF8.self) == module }?.path.dropFirst(
                "assets/".count))
        #expect(text(made, "a")?.hasPrefix("import text from './\(name)';") == true)
    }
}
