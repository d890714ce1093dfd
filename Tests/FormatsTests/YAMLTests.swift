import Basics
import Formats
import TestSupport
import Testing

@Suite struct YAMLTests {
    private func read(_ text: String) throws -> YAMLNode {
        try YAML.read(SourceText(file: "a.yaml", text: text))
    }

    private func complaints(_ source: SourceText) -> [String] {
        do {
            _ = try YAML.read(source)
            return []
        } catch {
            return error.diagnostics.map {
                Diagnostic($0.severity, $0.id, $0.message, at: $0.place).description
            }
        }
    }

    private func complaints(_ text: String) -> [String] { complaints(SourceText(file: "a.yaml", text: text)) }

    @Test func scalarsStayText() throws {
        let node = try YAML.read(
            SourceText(file: "a", text: "a: no\nb: 1.10\nc: 010\nd: 190:20:30\ne: .inf\nyes: on"))
        #expect(
            ["a", "b", "c", "d", "e", "yes"].map { text(node[$0]) } == [
                "no", "1.10", "010", "190:20:30", ".inf", "on",
            ])
    }

    @Test func nothingAndNullWithoutQuotesAreAbsent() throws {
        let node = try read("a:\nb: ~\nc: null\nd: ''\ne: 'null'\nf: \"~\"\ng: Null")
        for key in ["a", "b", "c"] { #expect(node[key]?.content == .absent) }
        #expect(["d", "e", "f", "g"].map { text(node[$0]) } == ["", "null", "~", "Null"])
        #expect(try read("").content == .absent)
        #expect(try read("# only a remark\n").content == .absent)
        #expect(try read("---\n...\n").content == .absent)
    }

    @Test func keepsTheOrderAndThePlacesOfNames() throws {
        let source = SourceText(
            file: "a", text: "\u{FEFF}# ü€😀\nzoë: é # ä\r\nb:\r\n  - 'ü'\r\n  - {ñ: 😀, y: x}\r\n")
        guard case .mapping(let members) = try YAML.read(source).content else {
            throw Failure("x", "no mapping")
        }
        #expect(members.map(\.key) == ["zoë", "b"])
        #expect(members.map { source.position(at: $0.offset).line } == [2, 3])
        #expect(slice(source, members[0].offset, members[0].length) == "zoë")
        #expect(slice(source, members[0].value.offset, members[0].value.length) == "é")
        guard case .sequence(let list) = members[1].value.content else { throw Failure("x", "no list") }
        #expect(slice(source, list[0].offset, list[0].length) == "'ü'")
        let y = try #require(list[1]["y"])
        #expect(source.position(at: y.offset) == (5, 15))
        #expect(slice(source, y.offset, y.length) == "x")
    }

    @Test func placesStayRightAfterLineEndsThatOnlyYAMLHas() throws {
        let source = SourceText(file: "a", text: "a: \"x\u{2028}y\u{85}z\"\nb: 1\n")
        #expect(try source.position(at: #require(YAML.read(source)["b"]).offset) == (2, 4))
    }

    @Test(arguments: [
        "products: |\n  select 1\n  from é\n  where x", "products: |2\n    select 1\n  from é\n  where x",
        "products: |  # remark\n\n\n    select 1\n\n     from é",
        "a:\n  products: |-\n    select\n      from é\n",
        "products: select from é", "products: 'select from é'", "products: |\r\n  select\r\n  from é\r\n",
    ])
    func aPlaceInsideABlockIsFoundInTheFile(_ text: String) throws {
        let source = SourceText(file: "a", text: text)
        let root = try YAML.read(source)
        guard case .scalar(let scalar) = (root["products"] ?? root["a"]?["products"])?.content else {
            throw Failure("x", "no scalar")
        }
        for byte in [0xC3, UInt8(ascii: "s")] {
            let index = try #require(Array(scalar.text.utf8).firstIndex(of: byte))
            let start = try #require(source.bytes.firstIndex(of: UInt8(ascii: ":"))) + 1
            let inValue = text.hasPrefix("a:") ? start + 12 : start
            let wanted = try #require(source.bytes[inValue...].firstIndex(of: byte))
            #expect(scalar.offset(ofByte: index, in: source) == wanted)
        }
    }

    // MARK: What is refused

    static let bombs: [(String, [String])] = [
        ("bom-utf16.yaml", ["B: error: this is UTF-16; save the file as UTF-8 [text-encoding]"]),
        (
            "control-chars.yaml",
            ["B:1:10: error: control character U+0000 is not allowed in YAML [yaml-syntax]"]
        ),
        (
            "cyclic-map.yaml",
            [
                "B:1:4: error: anchors ('&…') are not used here; write the value out, or put it in quotes [yaml-feature]",
                "B:1:11: error: aliases ('*…') are not used here; write the value out, or put it in quotes [yaml-feature]",
            ]
        ),
        (
            "duplicate-keys.yaml",
            ["B:2:1: error: 'slug' comes twice; the first is in line 1 [yaml-duplicate]"]
        ),
        ("long-key.yaml", []),
        (
            "norway.yaml",
            ["B:6:9: error: tags ('!…') are not used here; put the text in quotes [yaml-feature]"]
        ),
        (
            "self-alias.yaml",
            [
                "B:1:1: error: anchors ('&…') are not used here; write the value out, or put it in quotes [yaml-feature]",
                "B:2:3: error: aliases ('*…') are not used here; write the value out, or put it in quotes [yaml-feature]",
            ]
        ),
        (
            "tags.yaml",
            (1...3).map {
                "B:\($0):4: error: tags ('!…') are not used here; put the text in quotes [yaml-feature]"
            }
        ),
    ]

    @Test(arguments: bombs)
    func refusesBombsWithAllTheirFaults(_ file: String, _ expected: [String]) {
        #expect(
            complaints(SourceText(file: "B", bytes: Project.bytes(of: "Tests/Corpora/yaml-bombs/\(file)")))
                == expected)
    }

    @Test(arguments: ["billion-laughs.yaml", "merge-bomb.yaml"])
    func givesUpAfterAScreenfulOfFaults(_ file: String) {
        let all = complaints(
            SourceText(file: "B", bytes: Project.bytes(of: "Tests/Corpora/yaml-bombs/\(file)")))
        #expect(all.count == 20)
        #expect(all.first?.contains("anchors ('&…') are not used here") == true)
    }

    @Test(arguments: [
        (
            "a: " + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
            ["a.yaml:1:35: error: nested more than 32 levels deep [yaml-limit]"]
        ),
        (
            String(repeating: "--- a\n", count: 50_000),
            ["a.yaml:2:1: error: a second document starts here; one file holds one [yaml-feature]"]
        ),
        (
            (0..<1000).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
            ["a.yaml:33:33: error: nested more than 32 levels deep [yaml-limit]"]
        ),
        (
            String(repeating: "a", count: 1 << 20) + "a",
            ["a.yaml: error: YAML is read up to 1 MB; this is 1048577 bytes [yaml-limit]"]
        ),
        ("a: 1\n\tb: 2", ["a.yaml:2:1: error: indentation is made of blanks, not tabs [yaml-syntax]"]),
        (
            "a: b: c",
            [
                "a.yaml:1:5: error: a ':' is not expected here; put text that holds ': ' in quotes [yaml-syntax]"
            ]
        ),
        ("a: 'x\nb: 2\n", ["a.yaml:1:4: error: a quote is never closed [yaml-syntax]"]),
        (
            "a: [1, 2\n",
            ["a.yaml:1:4: error: a list in '[' never ends with ']', or a ',' is missing [yaml-syntax]"]
        ),
        (
            "ü: {a: 1\n",
            ["a.yaml:1:4: error: a mapping in '{' never ends with '}', or a ',' is missing [yaml-syntax]"]
        ),
        ("é: 1\nb\n", ["a.yaml:2:1: error: a ':' is expected after a name [yaml-syntax]"]),
        ("a: @x", ["a.yaml:1:4: error: text that starts with this character needs quotes [yaml-syntax]"]),
        ("%YAML 1.1\n---\na: 1", ["a.yaml:1:1: error: directives ('%…') are not used here [yaml-feature]"]),
        (
            "a:\n  <<: {b: 1}\n  '<<': 2",
            ["a.yaml:2:3: error: merge keys ('<<') are not used here; write the settings out [yaml-feature]"]
        ),
        (
            "[a]: b\n? {x: y}\n: 1\n",
            [
                "a.yaml:1:1: error: a name must be text, not a list or a mapping [yaml-feature]",
                "a.yaml:2:3: error: a name must be text, not a list or a mapping [yaml-feature]",
            ]
        ),
        ("?\n: 2", ["a.yaml:1:2: error: a name is missing before ':' [yaml-syntax]"]),
        (
            "[a, :x]",
            [
                "a.yaml:1:5: error: a value is expected here; put text that starts with a sign in quotes [yaml-syntax]"
            ]
        ),
        (
            "a: x\u{FEFF}y\u{7F}",
            ["a.yaml:1:7: error: control character U+007F is not allowed in YAML [yaml-syntax]"]
        ),
        ("é: x\u{81}y", ["a.yaml:1:5: error: character U+81 is not allowed in YAML [yaml-syntax]"]),
        (
            "a: 1\nb: 2\na: 3\nb: 4",
            [
                "a.yaml:3:1: error: 'a' comes twice; the first is in line 1 [yaml-duplicate]",
                "a.yaml:4:1: error: 'b' comes twice; the first is in line 2 [yaml-duplicate]",
            ]
        ),
    ])
    func reportsEveryFaultAtItsPlace(_ text: String, _ expected: [String]) {
        #expect(complaints(text) == expected)
    }

    @Test func refusesWhatIsNotUTF8() {
        #expect(
            complaints(SourceText(file: "a", bytes: Array("a: é".utf8) + [0xE9, 0x0A])) == [
                "a:1:5: error: byte 0xE9 is not UTF-8; save the file as UTF-8 [text-encoding]"
            ])
    }

    // MARK: The suite and random input

    /// Cases of YAML 1.2 that libyaml, a parser of YAML 1.1, refuses or reads otherwise: tabs between tokens,
    /// a `:` or `?` glued to text inside `{` or `[`, a `:` on the line after its name, unknown directives.
    static let readOtherwise = [
        "2LFX", "4ABK", "4MUZ-0", "4MUZ-1", "4MUZ-2", "58MP", "5MUD", "5T43", "652Z", "6BCT", "6CA3", "6LVF",
        "96NN-0",
        "96NN-1", "9SA2", "A2M4", "DBG4", "DK3J", "DK95-0", "DK95-3", "DK95-4", "FP8R", "HM87-0", "HM87-1",
        "JEF9-2",
        "K3WX", "L24T-1", "MUS6-5", "NJ66", "Q5MG", "R4YG", "VJP3-1", "Y79Y-1", "Y79Y-10",
    ]

    /// Inputs that are not YAML 1.2 and are read all the same, all harmless: remarks without a blank before `#`,
    /// indentation inside quotes and brackets; and inputs without a document, which are absent here.
    static let readLeniently = [
        "8G76", "98YD", "9C9N", "9JBA", "AVM7", "CVW2", "DK95-1", "G5U8", "QB6E", "S98Z", "SU5Z", "X4QW",
        "XLQ9",
        "Y79Y-3", "YJV2",
    ]

    @Test func agreesWithTheTestSuite() throws {
        var other: [String] = []
        var lenient: [String] = []
        var count = 0
        for line in Project.text(of: "Tests/Corpora/yaml-test-suite/cases.jsonl").split(separator: "\n") {
            let row = try JSON.read(SourceText(file: "cases", text: String(line)))
            let id = row["id"]?.text ?? ""
            count += 1
            let node = try? read(row["yaml"]?.text ?? "")
            if row["refused"] != nil {
                if node != nil { lenient.append(id) }
                continue
            }
            guard case .array(let expected) = row["events"]?.content else {
                throw Failure("x", "\(id) has no events")
            }
            var events: [String] = []
            if let node { append(node, to: &events) } else { events = ["refused"] }
            if events != expected.map({ absentAsNothing($0.text ?? "") }) { other.append(id) }
        }
        #expect(count > 350)
        #expect(other == Self.readOtherwise)
        #expect(lenient == Self.readLeniently)
    }

    @Test func randomBytesNeverCrash() {
        var random = SeededGenerator()
        let pieces = [
            "a", ": ", "- ", "\n", "  ", "[", "]", "{", "}", ",", "'", "\"", "|\n", ">-\n", "&a ", "*a ",
            "!t ", "#", "? ", "---\n", "...\n", "é", "\t", "%", "\\x41", "<<", "~", "\u{85}", "\u{2028}",
            "\r",
        ]
        for _ in 0..<4000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                if Int.random(in: 0..<40, using: &random) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                } else {
                    bytes.append(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8)
                }
            }
            let source = SourceText(file: "r", bytes: bytes)
            _ = complaints(source)
            if let node = try? YAML.read(source) { checkPlaces(node, source) }
            _ = try? FrontMatter(
                of: SourceText(file: "r", bytes: Array("---\n".utf8) + bytes + Array("\n---\n".utf8)))
        }
    }

    private func checkPlaces(_ node: YAMLNode, _ source: SourceText) {
        #expect(0...source.bytes.count ~= node.offset)
        #expect(node.offset + max(0, node.length - 1) <= source.bytes.count)
        switch node.content {
        case .absent: break
        case .scalar(let scalar):
            for i in 0...scalar.text.utf8.count {
                #expect(0...source.bytes.count ~= scalar.offset(ofByte: i, in: source))
            }
        case .sequence(let nodes): for node in nodes { checkPlaces(node, source) }
        case .mapping(let members): for member in members { checkPlaces(member.value, source) }
        }
    }

    private func text(_ node: YAMLNode?) -> String? {
        if case .scalar(let scalar) = node?.content { scalar.text } else { nil }
    }

    private func slice(_ source: SourceText, _ offset: Int, _ length: Int) -> String {
        String(decoding: source.bytes[offset..<offset + length], as: UTF8.self)
    }

    private func append(_ node: YAMLNode, to events: inout [String]) {
        switch node.content {
        case .absent: events.append("=:")
        case .scalar(let scalar):
            let style =
                switch scalar.style {
                case .plain: ":";
                case .quoted: "\"";
                case .literal: "|";
                case .folded: ">"
                }
            events.append("=" + style + scalar.text)
        case .sequence(let nodes):
            events.append("+SEQ")
            for node in nodes { append(node, to: &events) }
            events.append("-SEQ")
        case .mapping(let members):
            events.append("+MAP")
            for member in members {
                events.append("=k" + member.key)
                append(member.value, to: &events)
            }
            events.append("-MAP")
        }
    }

    private func absentAsNothing(_ event: String) -> String {
        event == "=:~" || event == "=:null"
            ? "=:" : event.hasPrefix("='") ? "=\"" + event.dropFirst(2) : event
    }
}
