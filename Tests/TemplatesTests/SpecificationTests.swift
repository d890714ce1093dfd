import Basics
import Foundation
import TestSupport
import Testing

@testable import Templates

/// One case of the specification.
struct SpecificationCase: Decodable, Sendable, CustomTestStringConvertible {
    let name: String, template: String, expected: String
    let data: JSON
    let partials: [String: String]?
    var file: String? = ""

    var testDescription: String { "\(file ?? ""): \(name)" }

    static let all: [SpecificationCase] = {
        struct File: Decodable { let tests: [SpecificationCase] }
        let files = [
            "comments", "delimiters", "interpolation", "inverted", "partials", "sections", "~dynamic-names",
            "~inheritance",
        ]
        return files.flatMap { file in
            let bytes = Project.bytes(of: "Tests/TemplatesTests/Spec/\(file).json")
            guard let content = try? JSONDecoder().decode(File.self, from: Data(bytes)) else {
                fatalError("\(file).json is not what it was")
            }
            return content.tests.map { test in
                var test = test
                test.file = file
                return test
            }
        }
    }()
}

/// The cases' data, which has no schema until one is made up from it.
indirect enum JSON: Decodable, Sendable {
    case null, bool(Bool), text(String), list([JSON]), object([String: JSON])

    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let value = try? single.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? single.decode(Decimal.self) {
            self = .text("\(value)")
        } else if let value = try? single.decode(String.self) {
            self = .text(value)
        } else if let value = try? single.decode([JSON].self) {
            self = .list(value)
        } else {
            self = .object(try single.decode([String: JSON].self))
        }
    }

    /// The kind that fits all of some values. Null and empty lists say nothing; text is as good as any.
    static func kind(of values: [JSON]) -> Schema.Kind {
        var texts = false
        var flags = false
        var items: [JSON]?
        var fields: [String: [JSON]]?
        for value in values {
            switch value {
            case .null: break
            case .bool: flags = true
            case .text: texts = true
            case .list(let list): items = (items ?? []) + list
            case .object(let object):
                fields = (fields ?? [:]).merging(object.mapValues { [$0] }) { $0 + $1 }
            }
        }
        if let fields {
            var builder = Schema.Builder("the data")
            for (name, values) in fields.sorted(by: { $0.key < $1.key }) {
                let _: Field<String> = builder.add(name, kind(of: values))
            }
            return .record(builder.schema())
        }
        if let items { return .list(kind(of: items)) }
        return flags && !texts ? .flag : .text
    }

    func value(_ kind: Schema.Kind) -> Value {
        switch (self, kind) {
        case (.bool(let flag), .flag): return .flag(flag)
        case (.text(let text), .text): return .text(text)
        case (.list(let items), .list(let element)): return .list(items.map { $0.value(element) })
        case (.object(let object), .record(let schema)):
            return .record(
                Values(
                    schema.entries.map { entry in object[entry.name].map { $0.value(entry.kind) } ?? .absent }
                ))
        default: return .absent
        }
    }
}

@Suite struct SpecificationTests {
    @Test(arguments: SpecificationCase.all)
    func rendersWhatTheSpecificationExpects(_ test: SpecificationCase) throws {
        var sources = (test.partials ?? [:]).mapValues { SourceText(file: "partial", text: $0) }
        sources["the case itself"] = SourceText(file: "case", text: test.template)
        let kind = JSON.kind(of: [test.data])
        let template = try TemplateSet(sources, rules: .lenient).compile("the case itself", for: kind)
        var out: [UInt8] = []
        template.render(test.data.value(kind), into: &out)
        #expect(String(decoding: out, as: UTF8.self) == test.expected)
    }

    /// With each of the case's fields alone, and with all of them, known before.
    @Test(arguments: SpecificationCase.all)
    func rendersTheSameWhenBound(_ test: SpecificationCase) throws {
        var sources = (test.partials ?? [:]).mapValues { SourceText(file: "partial", text: $0) }
        sources["the case itself"] = SourceText(file: "case", text: test.template)
        let kind = JSON.kind(of: [test.data])
        let template = try TemplateSet(sources, rules: .lenient).compile("the case itself", for: kind)
        guard case .record(let fields) = test.data.value(kind) else { return }
        for known in fields.indices.map({ [$0] }) + [Array(fields.indices)] {
            let page = fields.indices.map { known.contains($0) ? fields[$0] : .absent }
            var out: [UInt8] = []
            template.bound(to: Values(page)).render(.record(fields), into: &out)
            #expect(String(decoding: out, as: UTF8.self) == test.expected, "\(known)")
        }
    }

    @Test func boundTemplateHasWhatIsKnownAndAsksForTheRest() throws {
        let fixture = Fixture.shared
        let template = try Fixture.set("{{#brand}}{{name}}{{/brand}}: {{name}}{{#tags}} {{.}}{{/tags}}")
            .compile("page", for: fixture.product)
        var known = Record(fixture.product)
        var maker = Record(fixture.brand)
        maker[fixture.brandName] = "Ord & Co"
        known[fixture.maker] = maker
        known[fixture.tags] = ["a", "b"]
        var page = Record(fixture.product)
        page[fixture.name] = "Twelve"
        var out: [UInt8] = []
        template.bound(to: known).render(page, into: &out)
        #expect(String(decoding: out, as: UTF8.self) == "Ord &amp; Co: Twelve a b")
    }

    @Test func hasAllCases() { #expect(SpecificationCase.all.count == 184) }
}
