import Basics
import Formats
import TestSupport
import Testing

@Suite struct FrontMatterTests {
    private func source(_ text: String) -> SourceText { SourceText(file: "p.md", text: text) }

    @Test(arguments: [
        ("---\ntitle: é\n---\n# x\n", "# x\n"), ("---\r\ntitle: é\r\n---\r\n# x\r\n", "# x\r\n"),
        ("\u{FEFF}---\ntitle: é\n---  \nx", "x"), ("---\ntitle: é\n---", ""),
    ])
    func splitsSettingsFromText(_ text: String, _ body: String) throws {
        let source = source(text)
        let matter = try FrontMatter(of: source)
        #expect(String(decoding: source.bytes[matter.bodyOffset...], as: UTF8.self) == body)
        let title = try #require(matter.settings["title"])
        #expect(source.position(at: title.offset) == (2, 8))
    }

    @Test(arguments: ["# x\n---\n", "", "--- x\n---\n", "----\n", "---x\n", " ---\n---\n"])
    func aPageWithoutFenceIsAllText(_ text: String) throws {
        let matter = try FrontMatter(of: source(text))
        #expect(matter.settings.content == .absent)
        #expect(matter.bodyOffset == 0)
    }

    @Test func emptyFrontMatterIsAbsent() throws {
        let matter = try FrontMatter(of: source("---\n---\nx"))
        #expect(matter.settings.content == .absent)
        #expect(matter.bodyOffset == 8)
    }

    @Test func hostileValuesAreOnlyText() throws {
        let source = SourceText(
            file: "p.md", bytes: Project.bytes(of: "Tests/Corpora/yaml-bombs/front-matter-escape.md"))
        let matter = try FrontMatter(of: source)
        let reader = SettingsReader(matter.settings, of: source)
        #expect(reader.settings["slug"].text() == "../../etc/x")
        #expect(reader.settings["title"].text() == "</title><script>alert(1)</script>")
        #expect(String(decoding: source.bytes[matter.bodyOffset...], as: UTF8.self) == "# x\n")
    }

    @Test func reportsAMissingEnd() {
        let bomb = SourceText(
            file: "p.md", bytes: Project.bytes(of: "Tests/Corpora/yaml-bombs/front-matter-unclosed.md"))
        #expect(
            complaint(bomb)
                == "p.md:1:1: error: front matter starts here and never ends; a line '---' is missing [front-matter]\n  1 │ ---\n    │ ^~~"
        )
    }

    @Test func isReadUpToALimit() {
        let line = String(repeating: "# x\n", count: 20_000)
        #expect(
            complaint(source("---\n\(line)---\nx"))
                == "p.md:1:1: error: front matter is read up to 64 KB; a line '---' is missing [front-matter]\n  1 │ ---\n    │ ^~~"
        )
    }

    @Test func faultsHaveTheirLineInThePage() {
        #expect(
            complaint(source("---\na: 1\na: é\n---\n"))
                == "p.md:3:1: error: 'a' comes twice; the first is in line 2 [yaml-duplicate]\n  3 │ a: é\n    │ ^"
        )
    }

    private func complaint(_ source: SourceText) -> String? {
        do {
            _ = try FrontMatter(of: source)
            return nil
        } catch { return error.description }
    }
}
