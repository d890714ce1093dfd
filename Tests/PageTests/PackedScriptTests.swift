import Basics
import TestSupport
import Testing

@testable import Site

@Suite struct PackedScriptTests {
    private func packed(_ script: String) -> String {
        String(decoding: packedScript(Array(script.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        ("/* a\n b */\nlet a = 1;   // one\n\n    let b = 2;\n", "let a = 1;\nlet b = 2;\n"),
        ("a /* x */ b/**/c", "a b c"), ("a/* x\n */b", "a\nb"), ("return/* x\n */a", "return\na"),
        // Texts, templates and expressions stay as they are.
        ("x = '// no /* c */' + \"\\\"//\"; // yes", "x = '// no /* c */' + \"\\\"//\"; "),
        ("x = `  // a\n  ${ y /* z */ }  /* b */\n`;", "x = `  // a\n  ${ y }  /* b */\n`;"),
        ("x = `a${ { b: `//${c}` } }//d`; //e", "x = `a${ { b: `//${c}` } }//d`; "),
        ("x = /[/'\"]\\/* ' /g; // z", "x = /[/'\"]\\/* ' /g; "),
        ("return /'/.test(a) // z", "return /'/.test(a) "),
        ("x = a / b // c / d\n/ e", "x = a / b\n/ e"), ("x = a[1] / 2 / '3' // y", "x = a[1] / 2 / '3' "),
        ("if (a) { b(/\\//) }", "if (a) { b(/\\//) }"),
        // Not to be told apart, or never ending: as it is.
        ("f(a) / 2  // c", "f(a) / 2  // c"), ("{} /'/  // c", "{} /'/  // c"), ("'a\n  // c", "'a\n  // c"),
        ("`a  // c", "`a  // c"), ("`${ a  // c", "`${ a  // c"), ("x = /a\n  // c", "x = /a\n  // c"),
        ("a /* b", "a /* b"), ("x++ / 2  // c", "x++ / 2  // c"), ("", ""),
    ])
    func dropsOnlyWhatMeansNothing(_ script: String, _ expected: String) {
        #expect(packed(script) == expected)
        #expect(packed(expected) == expected || packed(expected) + " " == expected)
    }

    @Test func allScriptsOfTheThemeArePacked() throws {
        let theme = try Theme(overrides: nil)
        for path in theme.paths(suffix: ".js") {
            let source = try #require(theme[path]).bytes
            let packed = packedScript(source)
            #expect(packed.count < source.count, "\(path) has a slash that cannot be told apart")
            #expect(packedScript(packed) == packed, "\(path)")
        }
    }
}
