import Basics
import TestSupport
import Testing

@testable import Formats

/// Hostile XML is refused where it becomes hostile (S27).
@Suite struct XMLTests {
    private let folder = TemporaryFolder(inMemory: true)

    private func events(_ text: String, encoding: TextEncoding = .utf8) throws -> String {
        try folder.write("a.xml", text)
        final class Log { var text = "" }
        let log = Log()
        try XMLStream.read(try TextStream(try InputFile(path: folder.file("a.xml")), encoding: encoding)) {
            event, _ in
            switch event {
            case .start(let name, let prefix, let attributes):
                log.text += "<" + (prefix.isEmpty ? "" : prefix + ":") + name
                log.text += attributes.map { " \($0.name)=\($0.value)" }.joined() + ">"
            case .text(let bytes): log.text += String(decoding: bytes, as: UTF8.self)
            case .end: log.text += "</>"
            }
        }
        return log.text
    }

    private func failure(_ text: String) -> String {
        do { return try events(text) } catch { return "\(error)".replacing(folder.path + "/", with: "") }
    }

    @Test func givesElementsTextsAndPrefixes() throws {
        #expect(
            try events(
                "<?xml version='1.0'?><r a='1'><g:x b=\"&lt;\">Ann &amp; <![CDATA[<b>]]></g:x><!-- no --><?no?></r>"
            )
                == "<r a=1><g:x b=<>Ann & <b></></>")
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let text: String
        let error: String
        var testDescription: String { name }
    }

    private static let doctype =
        "a document type (<!DOCTYPE …>) is not read: it can make a small file huge, or read others; remove it [xml-doctype]"

    @Test(arguments: [
        Case(
            name: "billion laughs",
            text:
                "<?xml version=\"1.0\"?><!DOCTYPE r [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;&a;\">]><r>&b;</r>",
            error: "a.xml:1:34: error: \(doctype)"),
        Case(
            name: "external entity",
            text: "<!DOCTYPE r [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><r>&e;</r>",
            error: "a.xml:1:13: error: \(doctype)"),
        Case(
            name: "external subset", text: "<!DOCTYPE r SYSTEM \"http://127.0.0.1:9/x.dtd\"><r/>",
            error: "a.xml:1:46: error: \(doctype)"),
        Case(
            name: "entity of HTML", text: "<r>&nbsp;</r>",
            error:
                "a.xml:1:4: error: this entity is not one of &amp; &lt; &gt; &quot; &apos;; write the character itself [xml-syntax]"
        ),
        Case(
            name: "cut off", text: "<r>\n<a>x",
            error: "a.xml:2:5: error: the file ends before its elements do; is it cut off? [xml-syntax]"),
        Case(
            name: "twice the attribute", text: "<r a='1' a='2'/>",
            error: "a.xml:1:10: error: an attribute comes twice in this tag [xml-syntax]"),
        Case(
            name: "wrong end", text: "<r><a></r>",
            error:
                "a.xml:1:9: error: this tag closes an element that is not the one that is open [xml-syntax]"),
        Case(
            name: "deep", text: String(repeating: "<a>", count: 40),
            error: "a.xml:1:97: error: nested more than 32 levels deep [xml-limit]"),
        Case(
            name: "attributes", text: "<r " + (0..<200).map { "a\($0)='' " }.joined() + "/>",
            error: "a.xml:1:1: error: more than 100 attributes in a tag [xml-limit]"),
        Case(
            name: "long name", text: "<" + String(repeating: "a", count: 300) + "/>",
            error: "a.xml:1:1: error: a name of more than 256 bytes [xml-limit]"),
        Case(
            name: "endless tag", text: "<r a='" + String(repeating: "x", count: 3 << 20),
            error: "a.xml:1:1: error: a tag or comment of more than 1 MB [xml-limit]"),
        Case(
            name: "damage", text: "<r>a\u{FFFE}</r>",
            error:
                "a.xml:1:5: error: this is not XML: a character that may not stand here, or bytes that are none [xml-syntax]"
        ),
    ])
    func refuses(_ c: Case) { #expect(failure(c.text) == c.error) }

    @Test func instructionsAndInclusionsMeanNothing() throws {
        #expect(
            try events(
                "<?xml-stylesheet href='http://127.0.0.1:9/x'?><r><xi:include href='file:///etc/hostname'/></r>"
            )
                == "<r><xi:include href=file:///etc/hostname></></>")
    }

    @Test func readsTheEncodingThatIsDeclared() throws {
        func declared(_ text: String) throws -> String? {
            try XMLStream.declaredEncoding(in: Array(text.utf8), file: "a.xml")?.name
        }
        #expect(try declared("<?xml version=\"1.0\" encoding='windows-1251'?><r/>") == "windows-1251")
        #expect(try declared("<?xml version=\"1.0\"?><r encoding='x'/>") == nil)
        #expect(try declared("<r/>") == nil)
        #expect(throws: Failure.self) { try declared("<?xml version=\"1.0\" encoding=\"UTF-7\"?><r/>") }
    }
}
