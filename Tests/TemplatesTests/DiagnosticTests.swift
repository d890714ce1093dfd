import Basics
import Templates
import TestSupport
import Testing

@Suite struct DiagnosticTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let template: String
        var others: [String: String] = [:]
        let log: String
        var testDescription: String { template.debugDescription }
    }

    @Test(arguments: [
        Case(
            template: "<dl>\n    <dd>{{distilery}}</dd>",
            log: """
                page.mustache:2:11: error: 'distilery' is not a field of a product page; did you mean 'distillery'? [unknown-field]
                  2 │     <dd>{{distilery}}</dd>
                    │           ^~~~~~~~~
                """),
        Case(
            template: "{{#reviews}}{{autor}}{{/reviews}}",
            log: """
                page.mustache:1:15: error: 'autor' is not a field of a review or a product page; did you mean 'author'? [unknown-field]
                  1 │ {{#reviews}}{{autor}}{{/reviews}}
                    │               ^~~~~
                """),
        Case(
            template: "{{brand.nme}} {{qqqq}}",
            log: """
                page.mustache:1:3: error: 'nme' is not a field of a brand; did you mean 'brand.name'? [unknown-field]
                  1 │ {{brand.nme}} {{qqqq}}
                    │   ^~~~~~~~~
                page.mustache:1:17: error: 'qqqq' is not a field of a product page [unknown-field]
                  1 │ {{brand.nme}} {{qqqq}}
                    │                 ^~~~
                """),
        Case(
            template: "{{reviews.author}}{{name.x}}",
            log: """
                page.mustache:1:3: error: 'reviews' is a list and has no field 'author'; write {{#reviews}}…{{/reviews}} [not-a-record]
                  1 │ {{reviews.author}}{{name.x}}
                    │   ^~~~~~~~~~~~~~
                page.mustache:1:21: error: 'name' is text and has no field 'x' [not-a-record]
                  1 │ {{reviews.author}}{{name.x}}
                    │                     ^~~~~~
                """),
        Case(
            template: "{{reviews}}{{in_stock}}",
            log: """
                page.mustache:1:3: error: 'reviews' is a list; write a section, {{#reviews}}…{{/reviews}} [not-text]
                  1 │ {{reviews}}{{in_stock}}
                    │   ^~~~~~~
                page.mustache:1:14: error: 'in_stock' is a flag; write a section, {{#in_stock}}…{{/in_stock}} [not-text]
                  1 │ {{reviews}}{{in_stock}}
                    │              ^~~~~~~~
                """),
        Case(
            template: "{{{name}}}{{&url}}{{note}}",
            log: """
                page.mustache:1:4: error: 'name' is text; write {{name}} [raw-text]
                  1 │ {{{name}}}{{&url}}{{note}}
                    │    ^~~~
                page.mustache:1:14: error: 'url' is text; write {{url}} [raw-text]
                  1 │ {{{name}}}{{&url}}{{note}}
                    │              ^~~
                page.mustache:1:21: error: 'note' is HTML; write {{{note}}} [escaped-html]
                  1 │ {{{name}}}{{&url}}{{note}}
                    │                     ^~~~
                """),
        Case(
            template: "{{>hed}}{{<layuot}}{{/layuot}}", others: ["head": "", "layout": ""],
            log: """
                page.mustache:1:4: error: 'hed' is not a template; did you mean 'head'? [unknown-partial]
                  1 │ {{>hed}}{{<layuot}}{{/layuot}}
                    │    ^~~
                page.mustache:1:12: error: 'layuot' is not a template; did you mean 'layout'? [unknown-parent]
                  1 │ {{>hed}}{{<layuot}}{{/layuot}}
                    │            ^~~~~~
                """),
        Case(
            template: "{{>*layout}}{{>*name}}", others: ["wide": ""],
            log: """
                page.mustache:1:5: error: 'layout' may be 'narrow', which is not a template [unknown-partial]
                  1 │ {{>*layout}}{{>*name}}
                    │     ^~~~~~
                page.mustache:1:17: error: 'name' is text; a partial is chosen by a field that lists its names [not-a-choice]
                  1 │ {{>*layout}}{{>*name}}
                    │                 ^~~~
                """),
    ])
    func reportsNamesThatAreNotFields(_ test: Case) {
        #expect(Fixture.shared.log(test.template, test.others) == test.log)
    }

    @Test(arguments: [
        Case(
            template: "a\n{{#reviews}}\nb",
            log: """
                page.mustache:2:1: error: section 'reviews' is never closed [unclosed-section]
                  2 │ {{#reviews}}
                    │ ^~~~~~~~~~~~
                """),
        Case(
            template: "{{#reviews}}{{#in_stock}}{{/reviews}}",
            log: """
                page.mustache:1:13: error: section 'in_stock' is never closed [unclosed-section]
                  1 │ {{#reviews}}{{#in_stock}}{{/reviews}}
                    │             ^~~~~~~~~~~~~
                """),
        Case(
            template: "{{#reviews}}\n{{/review}}{{nam}}",
            log: """
                page.mustache:2:4: error: section 'reviews' of line 1 is closed as 'review' [mismatched-close]
                  2 │ {{/review}}{{nam}}
                    │    ^~~~~~
                page.mustache:2:14: error: 'nam' is not a field of a product page; did you mean 'name'? [unknown-field]
                  2 │ {{/review}}{{nam}}
                    │              ^~~
                """),
        Case(
            template: "x{{/reviews}}",
            log: """
                page.mustache:1:5: error: 'reviews' is closed here and was never opened [stray-close]
                  1 │ x{{/reviews}}
                    │     ^~~~~~~
                """),
        Case(
            template: "<p>{{name</p>\n<p>{{url}}</p>{{{note}}",
            log: """
                page.mustache:1:4: error: tag '{{name</p>' is never closed; '}}' is missing [unclosed-tag]
                  1 │ <p>{{name</p>
                    │    ^~~~~~~~~~
                page.mustache:2:15: error: tag '{{{note}}' is never closed; '}}}' is missing [unclosed-tag]
                  2 │ <p>{{url}}</p>{{{note}}
                    │               ^~~~~~~~~
                """),
        Case(
            template: "{{=<%=}}{{name}}",
            log: """
                page.mustache:1:1: error: new delimiters are two words without '=', as in '{{=<% %>=}}'; the old ones stay [bad-delimiters]
                  1 │ {{=<%=}}{{name}}
                    │ ^~~~~~~~
                """),
        Case(
            template: "{{full name}}{{}}",
            log: """
                page.mustache:1:3: error: 'full name' is not a name: it has white space [bad-name]
                  1 │ {{full name}}{{}}
                    │   ^~~~~~~~~
                page.mustache:1:14: error: a tag without a name [bad-name]
                  1 │ {{full name}}{{}}
                    │              ^~~~
                """),
    ])
    func reportsTagsThatDoNotFit(_ test: Case) {
        #expect(Fixture.shared.log(test.template, test.others) == test.log)
    }

    @Test(arguments: [
        Case(
            template: "{{<layout}}{{$titel}}{{/titel}}{{name}}{{/layout}}",
            others: ["layout": "{{$title}}{{/title}}"],
            log: """
                page.mustache:1:15: warning: 'titel' is not a block of 'layout' and is left out; did you mean 'title'? [unknown-block]
                  1 │ {{<layout}}{{$titel}}{{/titel}}{{name}}{{/layout}}
                    │               ^~~~~
                page.mustache:1:34: warning: 'name' stands in parent 'layout' outside its blocks and is left out [ignored-in-parent]
                  1 │ {{<layout}}{{$titel}}{{/titel}}{{name}}{{/layout}}
                    │                                  ^~~~
                """),
        Case(
            template: "{{<layout}}{{$a}}{{/a}}{{/layout}}",
            others: ["layout": "{{>part}}", "part": "{{$a}}{{/a}}"],
            log: ""),
    ])
    func warnsAboutWhatIsLeftOutOfAParent(_ test: Case) {
        #expect(Fixture.shared.log(test.template, test.others) == test.log)
    }

    @Test(arguments: [
        Case(
            template: "{{>page}}",
            log: """
                page.mustache:1:4: error: 'page' includes itself with the same fields and so never ends; include it in a section over a part of them [endless-recursion]
                  1 │ {{>page}}
                    │    ^~~~
                """),
        Case(
            template: "{{#in_stock}}{{>b}}{{/in_stock}}", others: ["b": "{{>page}}"],
            log: """
                b.mustache:1:4: error: 'page' includes itself with the same fields and so never ends; include it in a section over a part of them [endless-recursion]
                  1 │ {{>page}}
                    │    ^~~~
                page.mustache:1:17: error: 'b' includes itself with the same fields and so never ends; include it in a section over a part of them [endless-recursion]
                  1 │ {{#in_stock}}{{>b}}{{/in_stock}}
                    │                 ^
                """),
        Case(
            template: "{{#reviews}}{{#brand}}{{>page}}{{/brand}}{{/reviews}}",
            log: """
                page.mustache:1:16: error: 'brand' is inside more than 64 sections, by templates that include each other [endless-recursion]
                  1 │ {{#reviews}}{{#brand}}{{>page}}{{/brand}}{{/reviews}}
                    │                ^~~~~
                """),
        Case(
            template: "{{#brand}}{{>b}}{{/brand}}", others: ["b": "{{#brand}}{{>b}}{{/brand}}"],
            log: """
                b.mustache:1:14: error: 'b' includes itself with the same fields and so never ends; include it in a section over a part of them [endless-recursion]
                  1 │ {{#brand}}{{>b}}{{/brand}}
                    │              ^
                """),
        Case(
            template: "{{<page}}{{$x}}{{/x}}{{/page}}{{$x}}{{/x}}",
            log: """
                page.mustache:1:4: error: 'page' includes itself with the same fields and so never ends; include it in a section over a part of them [endless-recursion]
                  1 │ {{<page}}{{$x}}{{/x}}{{/page}}{{$x}}{{/x}}
                    │    ^~~~
                """),
    ])
    func reportsRecursionThatDoesNotGoDownInTheData(_ test: Case) {
        #expect(Fixture.shared.log(test.template, test.others) == test.log)
    }

    @Test(arguments: [
        ("<script>x = '{{name}}'</script>", "stands in a script element, which is code and not text"),
        ("<STYLE media=all>{{name}}</STYLE>", "stands in a style element, which is code and not text"),
        (
            "<script>\"<p>\"</scrip>{{name}}</script>",
            "stands in a script element, which is code and not text"
        ),
        ("<p {{name}}>", "stands where an attribute's name would be"),
        ("<p class=\"a\"{{name}}>", "stands where an attribute's name would be"),
        ("<p data-{{name}}=\"x\">", "stands where an attribute's name would be"),
        ("<{{name}}>", "stands where an element's name would be"),
        ("<h{{name}}>", "stands where an element's name would be"),
        ("<a href={{name}}>", "stands in an attribute value without quotes; write it between \" and \""),
        ("<a href = x{{name}}>", "stands in an attribute value without quotes; write it between \" and \""),
        ("<a onclick=\"go('{{name}}')\">", "stands in an event attribute, which is code and not text"),
        ("<a OnPointerRawUpdate='{{name}}'>", "stands in an event attribute, which is code and not text"),
        ("<a style=\"color: {{name}}\">", "stands in a style attribute, which is code and not text"),
        ("<!doctype {{name}}>", "stands in a declaration"),
        ("<script>{{>p}}</script>", "stands in a script element, which is code and not text"),
        ("{{<q}}{{$b}}{{name}}{{/b}}{{/q}}", "stands in a style element, which is code and not text"),
    ])
    func refusesValuesWhereEscapingDoesNotProtect(template: String, objection: String) {
        let log = Fixture.shared.log(
            template, ["p": "{{name}}", "q": "<style>{{$b}}{{/b}}</style>"])
        #expect(log.contains("error: 'name' \(objection) [unsafe-place]"), "\(log)")
    }

    /// The apostrophes of the Content-Security-Policy are not escaped, which saves every page some bytes.
    @Test(arguments: [
        ("\n<meta content='{{policy}}'>", "page.mustache:2:18"),
        ("<meta content='a {{>p}}'>", "p.mustache:1:3"),
        ("{{#policy}}<meta content='{{.}}'>{{/policy}}", "page.mustache:1:29"),
    ])
    func refusesApostrophesBetweenApostrophes(template: String, place: String) {
        let name = template.contains(".") ? "." : "policy"
        let log = Fixture.shared.log(template, ["p": "{{policy}}"])
        #expect(
            log.hasPrefix(
                "\(place): error: '\(name)' has ' in it, which would end the attribute value; "
                    + "write it between \" and \" [unsafe-place]\n"), "\(log)")
        let quoted = template.replacing("'", with: "\"")
        #expect(Fixture.shared.log(quoted, ["p": "{{policy}}"]).isEmpty)
    }

    @Test(arguments: [
        ("<p title=\"{{{note}}}\">", "is HTML and stands in an attribute value, where only text can be"),
        ("<title>{{{note}}}</title>", "is HTML and stands in an element that holds only text"),
        ("<!-- {{{note}}} -->", "is HTML and stands in a comment, which it could end"),
    ])
    func refusesHTMLWhereOnlyTextCanBe(template: String, objection: String) {
        let log = Fixture.shared.log(template)
        #expect(log.contains("error: 'note' \(objection) [unsafe-place]"), "\(log)")
    }

    @Test(arguments: [
        "<a href=\"{{url}}\" title='{{name}}' class=\"a {{#in_stock}}b{{/in_stock}}\">{{name}}</a>{{{note}}}",
        "<title>{{name}}</title><textarea rows=2>{{name}}</textarea ><p>{{name}}",
        "<script src=\"a.js\"></script>{{name}}<style>p > a { }</style>{{{note}}}",
        "<!-- {{name}} -- > <p --->{{{note}}}<!doctype html>{{{note}}}<?xml version=\"1.0\"?>{{name}}",
        "1 < 2 {{name}} <3 {{{note}}} <br/>{{{note}}}<input disabled>{{{note}}}<a href=x>{{{note}}}</a>",
        "<p title=\"on{{name}}\" one=\"{{name}}\" x=\"a>b\">{{{note}}}</p>",
        "<p {{#in_stock}}class=\"{{name}}\"{{/in_stock}} id=\"{{url}}\">",
    ])
    func acceptsValuesInTextAndQuotedAttributes(template: String) {
        let log = Fixture.shared.log(template)
        // `one` begins with "on": there is no telling it from an event, and no attribute is called so.
        #expect(log.isEmpty || (template.contains("one=") && log.contains("event")), "\(log)")
    }

    @Test func reportsTemplatesThatEndInTheMiddleOfHTML() {
        #expect(
            Fixture.shared.log("<p>\n<script>\nlet a = 1\n")
                == """
                page.mustache:3:9: error: the template ends in a script element; end it in the file in which it begins [unfinished-html]
                  3 │ let a = 1
                    │         ^
                """)
        #expect(
            Fixture.shared.log("<p {{>attributes}}>{{name}}", ["attributes": " hidden title=\"{{name}}\""])
                == "")
    }

    @Test func limitsNestingWithAnErrorInsteadOfTheStack() {
        let deep =
            String(repeating: "{{#in_stock}}", count: 15_000)
            + String(repeating: "{{/in_stock}}", count: 15_000)
        let log = Fixture.shared.log(deep)
        #expect(
            log.hasPrefix(
                "page.mustache:1:2601: error: sections are nested more than 200 deep; the rest is not read [too-deep]"
            ))
        #expect(log.split(separator: "\n").count == 3)
        let limit =
            String(repeating: "{{#in_stock}}", count: 200) + "{{url}}"
            + String(repeating: "{{/in_stock}}", count: 200)
        #expect(throws: Never.self) { try #expect(Fixture.shared.render(limit) == "glen-ord/") }
    }

    @Test func reportsAFaultOfASharedPartialOnceForAllPages() {
        let set = TemplateSet([
            "a": SourceText(file: "a.mustache", text: "{{>part}}{{nam}}"),
            "b": SourceText(file: "b.mustache", text: "{{#reviews}}{{>part}}{{/reviews}}"),
            "part": SourceText(file: "part.mustache", text: "{{#reviews}}"),
        ])
        let failure = #expect(throws: Failure.self) {
            try set.compile([
                ("a", Fixture.shared.product), ("b", Fixture.shared.product), ("c", Fixture.shared.product),
            ])
        }
        #expect(failure?.diagnostics.map(\.id) == ["unknown-field", "unclosed-section", "unknown-template"])
    }
}

@Suite struct RandomTemplateTests {
    /// Whatever is in a template, it compiles or is refused, and what compiles renders.
    @Test func anyTextIsReadWithoutATrap() throws {
        var generator = SeededGenerator()
        let pieces = [
            "{{", "}}", "{{{", "}}}", "#", "/", "^", "$", "<", ">", "&", "!", "=", "{{=| |=}}", "|",
            "|=<% %>=|", "name",
            "reviews", "children", "note", ".", "*layout", "page", "part", " ", "\n", "\r\n", "  ", "é",
            "{{#reviews}}",
            "{{/reviews}}", "{{<part}}", "{{/part}}", "{{$a}}", "{{/a}}", "{{>part}}", "<p a=\"", "<script>",
            "-->",
            "{{name}}", "{{#tags}}", "{{/tags}}", "{{^note}}", "{{/note}}", "  {{>page}}\n",
        ]
        var compiled = 0
        for _ in 0..<4_000 {
            func text() -> String {
                (0..<Int.random(in: 0...12, using: &generator))
                    .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
            }
            let page = text()
            let part = text()
            if (try? Fixture.shared.render(page, ["part": part, "wide": part, "narrow": page])) != nil {
                compiled += 1
            }
        }
        #expect(compiled > 100, "seed \(generator.seed)")
    }

    @Test func anyBytesAreReadWithoutATrap() {
        var generator = SeededGenerator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...255, using: &generator) : UInt8(ascii: "{")
            }
            let set = TemplateSet(["page": SourceText(file: "page", bytes: bytes)])
            _ = try? set.compile("page", for: Fixture.shared.product)
        }
    }
}
