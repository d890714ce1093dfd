import TestSupport
import Testing

@testable import Importers

/// The examples of docs/import.md are files that are read.
@Suite struct DocumentationTests {
    struct Example: CustomTestStringConvertible, Sendable {
        let heading: String, kind: String, text: String
        var testDescription: String { "\(heading) (\(kind))" }
    }

    static let examples: [Example] = {
        var out: [Example] = []
        var heading = "", kind = ""
        var lines: [Substring]?
        for line in Project.text(of: "docs/import.md").split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("### ") { heading = String(line.dropFirst(4)) }
            if line == "```", let text = lines {
                if ["csv", "tsv", "xml", "jsonl"].contains(kind) {
                    out.append(
                        Example(heading: heading, kind: kind, text: text.joined(separator: "\n") + "\n"))
                }
                lines = nil
            } else if lines != nil {
                lines?.append(line)
            } else if line.hasPrefix("```") {
                kind = String(line.dropFirst(3))
                lines = []
            }
        }
        return out
    }()

    @Test func everyFormatHasAnExample() {
        #expect(Self.examples.count == 10)
    }

    @Test(arguments: examples)
    func theExampleIsRead(_ example: Example) throws {
        let bench = try Workbench()
        // What reviews are of.
        try bench.take(
            ("shop.csv", "sku,name,slug\nA-1,Slate Rum,slate-rum\nA-2,Rain Gin,rain-gin\nhat,Hat,hat\n"))
        let report = try bench.take(("example.\(example.kind)", example.text))
        #expect(bench.log.filter { $0.contains("error:") } == [])
        #expect(report.files[0].counts.new + report.files[0].counts.changed > 0)
        #expect(try bench.run(["example.\(example.kind)"]).files[0].counts.changed == 0)
    }

    @Test func everyFormatAndFieldIsNamed() {
        let page = Project.text(of: "docs/import.md")
        for name in Field.reviewNames where name != "product" {
            #expect(page.contains("`\(name)`"), "\(name)")
        }
        for name in ["category", "picture", "picture_alt", "price", "sale_price"] {
            #expect(page.contains("`\(name)`"))
        }
    }
}
