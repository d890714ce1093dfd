import Basics
import Formats
import TestSupport
import Testing

@Suite struct JSONTests {
    static let folder = "Tests/Corpora/json-test-suite/test_parsing"

    /// Grammatical, but with a name twice in one object: RFC 8259 leaves the meaning open, S29 makes it an error.
    static let duplicates = ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"]

    private func complaint(_ source: SourceText, depth: Int = 16) -> String? {
        do {
            _ = try JSON.read(source, depth: depth)
            return nil
        } catch {
            return error.diagnostics.map {
                Diagnostic($0.severity, $0.id, $0.message, at: $0.place).description
            }
            .joined(separator: "\n")
        }
    }

    private func complaint(_ text: String, depth: Int = 16) -> String? {
        complaint(SourceText(file: "a", text: text), depth: depth)
    }

    @Test func agreesWithTheTestSuite() {
        let names = files(in: Self.folder)
        #expect(names.count == 318)
        for name in names {
            let result = complaint(SourceText(file: name, bytes: Project.bytes(of: "\(Self.folder)/\(name)")))
            if Self.duplicates.contains(name) {
                #expect(result?.contains("[json-duplicate]") == true)
            } else if name.hasPrefix("y_") {
                #expect(result == nil, "\(name)")
            } else if name.hasPrefix("n_") {
                #expect(result != nil, "\(name)")
            }
        }
    }

    /// Where the RFC leaves a choice ours is fixed here, so that it does not change unnoticed.
    @Test func freeChoicesOfTheSuiteStayAsTheyAre() {
        let accepted = files(in: Self.folder).filter { $0.hasPrefix("i_") }.filter {
            complaint(SourceText(file: $0, bytes: Project.bytes(of: "\(Self.folder)/\($0)"))) == nil
        }
        // Numbers are kept as text, so that none is too large or too small to be read.
        #expect(accepted.allSatisfy { $0.hasPrefix("i_number_") })
        #expect(accepted.count == 10)
    }

    @Test(arguments: [
        (
            "{\"a\":1,\n \"b\":{\"a\":1,\"ü\":2,\"a\":3}}",
            "a:2:19: b.a: error: 'a' comes twice in this object; the first is at 2:7 [json-duplicate]"
        ),
        (
            "{\"a\":1,\"\\u0061\":2}",
            "a:1:8: a: error: 'a' comes twice in this object; the first is at 1:2 [json-duplicate]"
        ),
        ("[1,]", "a:1:4: [1]: error: a value is expected after ',' [json-syntax]"),
        ("{\"a\":1,}", "a:1:8: error: a name in double quotes is expected after ',', saw '}' [json-syntax]"),
        ("{a:1}", "a:1:2: error: a name in double quotes is expected, saw 'a' [json-syntax]"),
        (
            "{\"customers\":[{},{\"my list\":[1,01]}]}",
            "a:1:32: customers[1][\"my list\"][1]: error: a number has no leading zeros [json-syntax]"
        ),
        ("", "a:1:1: error: the file is empty; a value is expected [json-syntax]"),
        ("[1 2]", "a:1:4: error: ',' or ']' is expected, saw '2' [json-syntax]"),
        ("{\"a\" 1}", "a:1:6: a: error: ':' is expected after a name, saw '1' [json-syntax]"),
        ("[1]é", "a:1:4: error: nothing more is expected after the value, saw 'é' [json-syntax]"),
        (
            "[\"a\nb\"]",
            "a:1:4: [0]: error: a text ends on its line; write '\\n' for a line break, or close the quote [json-syntax]"
        ),
        ("[\"a", "a:1:2: [0]: error: this quote is never closed [json-syntax]"),
        (
            "[\"\\ud800x\"]",
            "a:1:3: [0]: error: this escape is half of a pair; the other half is missing [json-syntax]"
        ),
        (
            "[\"\\ud800\\u0041\"]",
            "a:1:3: [0]: error: this escape is half of a pair; the other half is missing [json-syntax]"
        ),
        (
            "[\"\\udc00\"]",
            "a:1:3: [0]: error: this escape is half of a pair; the other half is missing [json-syntax]"
        ),
        (
            "[\"\\x\"]",
            "a:1:3: [0]: error: this escape is not one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u [json-syntax]"
        ),
        ("[nul]", "a:1:2: [0]: error: a value is expected, saw 'n'; texts go in double quotes [json-syntax]"),
        (
            "\u{FEFF}[]",
            "a:1:1: error: JSON starts with a byte order mark; save the file as UTF-8 without it [text-encoding]"
        ),
        ("[NaN]", "a:1:2: [0]: error: a value is expected, saw 'N' [json-syntax]"),
    ])
    func reportsFaultsWithPlaceAndPath(_ text: String, _ expected: String) {
        #expect(complaint(text) == expected)
    }

    @Test func manyNamesAreComparedToo() {
        let members = (0..<5000).map { "\"k\($0)\":\($0)" }
        #expect(complaint("{" + members.joined(separator: ",") + "}") == nil)
        #expect(
            complaint("{" + (members + ["\"k9\":1", "\"k4000\":1"]).joined(separator: ",") + "}")?.split(
                separator: "\n"
            ).count == 2)
    }

    @Test func depthIsLimitedAndNeverTheStack() {
        #expect(complaint(String(repeating: "[", count: 16) + String(repeating: "]", count: 16)) == nil)
        #expect(
            complaint(String(repeating: "[", count: 17))?.hasSuffix(
                "nested more than 16 levels deep [json-limit]") == true)
        #expect(
            complaint(String(repeating: "{\"a\":[", count: 100_000), depth: 512)?.hasSuffix(
                "nested more than 512 levels deep [json-limit]") == true)
    }

    @Test func hostileNamesAreReadAndGiveSafeSegments() throws {
        let path = "Tests/Corpora/paths/names.json"
        let reader = JSONReader(SourceText(file: path, bytes: Project.bytes(of: path)))
        let names = try reader.value(JSON.read(reader.source)).elements().compactMap { $0.text() }
        #expect(names.count == 134)
        for name in names {
            let segment = slug(of: name)
            #expect(segment.utf8.count <= 80 && segment.first != "-" && segment.last != "-")
            #expect(segment.unicodeScalars.allSatisfy { "a"..."z" ~= $0 || "0"..."9" ~= $0 || $0 == "-" })
            #expect(slug(of: normalisedNFC(name)) == segment)
        }
        #expect(Set(names.map { collationKey($0) }).count == 134)
    }

    @Test func numbersKeepTheirDigits() throws {
        let node = try JSON.read(
            SourceText(file: "a", text: "[1.10, 9007199254740993, 1e400, -0, 12, 1.5e3]"))
        guard case .array(let all) = node.content else { throw Failure("x", "no array") }
        #expect(all[0].content == .number("1.10"))
        #expect(all.map(\.integer) == [nil, 9_007_199_254_740_993, nil, 0, 12, nil])
        #expect(all.map(\.number) == [1.1, 9_007_199_254_740_992, nil, 0, 12, 1500])
    }

    @Test func elementsOfOneArrayAreHandedOver() throws {
        let source = SourceText(
            file: "a", text: "{\"v\":1,\"customers\":[{\"id\":1,\"customers\":[5]},{\"id\":2}],\"z\":[3]}")
        var seen: [String] = []
        let root = try JSON.read(source, each: ["customers"]) { node, index in
            seen.append("\(index):\(node["id"]?.integer ?? 0):\(node["customers"] != nil)")
        }
        #expect(seen == ["0:1:true", "1:2:false"])
        #expect(root["customers"]?.content == .array([]))
        #expect(root["z"] != nil)
        var top = 0
        _ = try JSON.read(SourceText(file: "a", text: "[1,[2],3]"), each: []) { _, _ in top += 1 }
        #expect(top == 3)
    }

    @Test func whatIsKnownIsSkippedAndTheRestIsAsStrictAsEver() throws {
        func read(_ text: String, skipping: [Int: Int]) throws -> [String] {
            var seen: [String] = []
            _ = try JSON.read(SourceText(file: "a", text: text), each: ["a"]) {
                skipping[$0]
            } _: {
                seen.append("\($1) \($2)")
            }
            return seen
        }
        let text = #"{"a":[{"b":1}, {"b":2} ,{"b":3}]}"#
        #expect(try read(text, skipping: [:]) == ["0 6..<13", "1 15..<22", "2 24..<31"])
        #expect(try read(text, skipping: [6: 13, 15: 22]) == ["2 24..<31"])
        #expect(try read(text, skipping: [24: 31]) == ["0 6..<13", "1 15..<22"])
        // What follows an element is looked at, whether it was skipped or not.
        #expect(throws: Failure.self) {
            _ = try read(#"{"a":[{"b":1}{"b":2}]}"#, skipping: [6: 13])
        }
    }

    @Test func readerNamesTheWay() throws {
        let source = SourceText(
            file: "l.json",
            text:
                "{\n \"customers\": [{\"näme\": 5, \"lists\": {\"wish\": [{\"product\": []}]}, \"on\": 1, \"size\": 70, \"nick\": null}]}"
        )
        let reader = JSONReader(source)
        let customer = try #require(reader.value(JSON.read(source))["customers"].elements().first)
        #expect(customer["näme"].text() == nil)
        #expect(customer["näme"].textOrNumber() == "5")
        #expect(customer["nick"].text() == nil)
        #expect(customer["lists"]["wish"].elements().first?["product"].textOrNumber() == nil)
        #expect(customer["on"].flag() == nil)
        #expect(customer["size"].integer(in: 0...50) == nil)
        #expect(customer["lists"].members().map(\.key) == ["wish"])
        customer["nick"].expects("text")
        customer["id"].expects("an id")
        customer.warnUnknown(known: ["name", "lists", "on", "size", "nickname"])
        #expect(
            reader.diagnostics.map(\.description) == [
                "l.json:2:25: customers[0][\"näme\"]: error: text is expected, saw 5 [json-type]",
                "l.json:2:59: customers[0].lists.wish[0].product: error: text is expected, saw an array [json-type]",
                "l.json:2:72: customers[0].on: error: true or false is expected, saw 1 [json-type]",
                "l.json:2:83: customers[0].size: error: 70 is outside 0 to 50 [json-range]",
                "l.json:2:95: customers[0].nick: error: text is expected, saw null [json-type]",
                "l.json:2:16: customers[0].id: error: an id is expected, saw nothing [json-type]",
                "l.json:2:17: customers[0]: warning: 'näme' is not known here; did you mean 'name'? [unknown-member]",
                "l.json:2:87: customers[0]: warning: 'nick' is not known here; left out [unknown-member]",
            ])
        #expect(throws: Failure.self) { try reader.finish() }
    }

    @Test func placesAreRightFarIntoALargeFile() throws {
        let rows = (0..<3000).map { "  {\"id\": \"é\($0)\"}" }
        let source = SourceText(file: "l", text: "[\n" + rows.joined(separator: ",\n") + "\n]")
        let reader = JSONReader(source)
        for (index, value) in try reader.value(JSON.read(source)).elements().enumerated()
        where index % 97 == 0 {
            #expect(value.place == .json(file: "l", line: index + 2, column: 3, path: "[\(index)]"))
        }
    }

    @Test func randomBytesNeverCrash() {
        var random = SeededGenerator()
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\\u", "d83d", "\\ude00", "1", "-", ".", "e", "0",
            "true", "null", " ", "\n", "é", "😀",
        ]
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                if Int.random(in: 0..<60, using: &random) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                } else {
                    bytes.append(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8)
                }
            }
            _ = complaint(SourceText(file: "r", bytes: bytes))
        }
    }
}

@Suite struct JSONWriterTests {
    @Test func writesPrettyAndCompact() {
        func write(_ writer: inout JSONWriter) {
            writer.object { writer in
                writer.key("b")
                writer.value("x\"\\\n\u{1}\u{7F}</script>&\u{2028}é😀")
                writer.key("a")
                writer.array { writer in
                    writer.value(1)
                    writer.value(1.5)
                    writer.value(true)
                    writer.null()
                    writer.value(Double.nan)
                }
                writer.key("none")
                writer.array { _ in }
                writer.key("o")
                writer.object { _ in }
            }
        }
        var compact = JSONWriter()
        write(&compact)
        let text = "\"x\\\"\\\\\\n\\u0001\\u007f\\u003c/script\\u003e\\u0026\\u2028é😀\""
        #expect(
            String(decoding: compact.bytes, as: UTF8.self)
                == "{\"b\":\(text),\"a\":[1,1.5,true,null,null],\"none\":[],\"o\":{}}")
        var pretty = JSONWriter(isPretty: true)
        write(&pretty)
        #expect(
            String(decoding: pretty.bytes, as: UTF8.self)
                == "{\n  \"b\": \(text),\n  \"a\": [\n    1,\n    1.5,\n    true,\n    null,\n    null\n  ],\n  \"none\": [],\n  \"o\": {}\n}"
        )
    }

    @Test(arguments: [false, true])
    func whatIsWrittenIsReadBackTheSame(_ isPretty: Bool) throws {
        var random = SeededGenerator()
        for _ in 0..<1000 {
            let tree = randomTree(&random, depth: 0)
            var writer = JSONWriter(isPretty: isPretty)
            writer.value(tree)
            let back = try JSON.read(SourceText(file: "w", bytes: writer.bytes))
            var again = JSONWriter(isPretty: isPretty)
            again.value(back)
            #expect(again.bytes == writer.bytes, "seed \(random.seed)")
            #expect(strip(back) == tree, "seed \(random.seed)")
        }
    }

    private func randomTree(_ random: inout SeededGenerator, depth: Int) -> JSONNode {
        let scalars = Array(
            "aé\"\\/<>&\n\r\t\0\u{1F}\u{7F}\u{2028}\u{2029}\u{202A}😀\u{FFFF}\u{10FFFF}".unicodeScalars)
        func text(_ random: inout SeededGenerator) -> String {
            var view = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0..<8, using: &random) {
                view.append(scalars.randomElement(using: &random) ?? "x")
            }
            return String(view)
        }
        switch Int.random(in: 0..<(depth > 4 ? 4 : 6), using: &random) {
        case 0: return JSONNode(.null)
        case 1: return JSONNode(.flag(Bool.random(using: &random)))
        case 2:
            return JSONNode(
                .number(
                    ["0", "-1", "1.50", "1e9", "123456789012345678901234567890"].randomElement(using: &random)
                        ?? "0"))
        case 3: return JSONNode(.text(text(&random)))
        case 4:
            return JSONNode(
                .array(
                    (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                        randomTree(&random, depth: depth + 1)
                    }))
        default:
            return JSONNode(
                .object(
                    (0..<Int.random(in: 0..<4, using: &random)).map {
                        JSONMember(key: "\($0)" + text(&random), value: randomTree(&random, depth: depth + 1))
                    }))
        }
    }

    private func strip(_ node: JSONNode) -> JSONNode {
        switch node.content {
        case .array(let nodes): JSONNode(.array(nodes.map(strip)))
        case .object(let members):
            JSONNode(.object(members.map { JSONMember(key: $0.key, value: strip($0.value)) }))
        default: JSONNode(node.content)
        }
    }
}
