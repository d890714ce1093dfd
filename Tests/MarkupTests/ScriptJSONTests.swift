import Foundation
import Markup
import TestSupport
import Testing

@Suite struct ScriptJSONTests {
    private func parse(_ value: ScriptJSON) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(value.bytes), options: .fragmentsAllowed)
    }

    @Test func writesNoByteThatHTMLKnows() {
        let value = ScriptJSON.object([
            .init("</script>", .string("<!-- & \u{2028}\u{2029} \" \\ \n\t\r\u{0}\u{1B}\u{7F}")),
            .init(
                "b",
                .array([.integer(-7), .decimal("12.50"), .decimal("12,50"), .bool(true), .bool(false), .null])
            ),
        ])
        #expect(
            value.html.description
                == #"{"\u003c/script\u003e":"\u003c!-- \u0026 \u2028\u2029 \" \\ \n\t\r\u0000\u001b\u007f","b":[-7,12.50,"12,50",true,false,null]}"#
        )
    }

    @Test func parsesBackEqual() throws {
        struct Parsed: Decodable, Equatable { let key: String, list: [String] }
        // JSONSerialization leaves out U+FEFF, JSONDecoder does not.
        let decoder = JSONDecoder()
        for input in Corpus.all {
            let text = input.input
            let value = ScriptJSON.object([
                .init("key", .string(text)), .init("list", .array([.string(text + text)])),
                .init("-" + text, .integer(1)),
            ])
            let bytes = value.bytes
            #expect(!bytes.contains { "<>&".utf8.contains($0) })
            #expect(
                try decoder.decode(Parsed.self, from: Data(bytes)) == Parsed(key: text, list: [text + text]))
        }
    }

    /// Texts are looked through eight bytes at a time: what is special must be so in each of the places.
    @Test(arguments: [
        ("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"),
        ("\u{1F}", "\\u001f"),
        ("\u{7F}", "\\u007f"), ("\u{2028}", "\\u2028"), ("–", "–"), ("é", "é"), ("!", "!"), ("~", "~"),
        ("=", "="), ("'", "'"),
    ])
    func escapesInEveryPlace(_ text: String, _ escaped: String) {
        for before in 0..<18 {
            for after in [0, 1, 7, 8, 9] {
                let (a, b) = (String(repeating: "a", count: before), String(repeating: "z", count: after))
                #expect(ScriptJSON.string(a + text + b).html.description == "\"" + a + escaped + b + "\"")
            }
        }
    }

    @Test func elementsOfAWrittenArrayGoIntoAnother() {
        func written(_ texts: [String]) -> ScriptJSONWriter.Written {
            var json = ScriptJSONWriter()
            json.beginArray()
            for text in texts { json.value(text) }
            json.endArray()
            return json.written()
        }
        var json = ScriptJSONWriter()
        json.beginArray()
        json.elements(of: written([]))
        json.elements(of: written(["a<", "b"]))
        json.elements(of: written([]))
        json.value(3)
        json.elements(of: written(["c"]))
        json.endArray()
        #expect(json.finish().html.description == #"["a\u003c","b",3,"c"]"#)
    }

    @Test func keepsTheOrderOfKeys() {
        #expect(
            ScriptJSON.object([.init("b", .integer(1)), .init("a", .object([]))]).html.description
                == #"{"b":1,"a":{}}"#)
    }

    @Test(arguments: ["0", "-0", "1", "-12", "1.5", "0.10", "1e5", "1E-5", "12345678901234567890.5"])
    func writesNumbersAsTheyAre(_ text: String) {
        #expect(ScriptJSON.decimal(text).bytes == Array(text.utf8))
    }

    @Test(arguments: ["", "01", "1.", ".5", "+1", "1e", "-", "0x1", "NaN", "1 ", "1<", "--1"])
    func writesWhatIsNoNumberAsText(_ text: String) throws {
        #expect(try parse(.decimal(text)) as? String == text)
    }
}
