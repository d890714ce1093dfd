import Basics
import Markup
import Testing

@testable import Templates

/// What is left out of templates that are known to be HTML.
@Suite struct CondensingTests {
    let fixture = Fixture.shared

    struct Case: CustomTestStringConvertible, Sendable {
        let template: String, expected: String
        var others: [String: String] = [:]
        var testDescription: String { template.debugDescription }
    }

    private func render(_ page: String, _ others: [String: String], condensing: Bool = true) throws -> String
    {
        let all = others.merging(["page": page]) { $1 }
            .mapValues { SourceText(file: "x.mustache", text: $0) }
        let set = TemplateSet(all, condensing: condensing ? Set(all.keys) : [])
        var out: [UInt8] = []
        try set.compile("page", for: fixture.product).render(fixture.record(), into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    @Test(arguments: [
        Case(template: "<div>\n<ul>\n  <li>a\n</ul>\n</div>\n", expected: "<div><ul><li>a</ul></div>"),
        Case(
            template: "<!DOCTYPE html>\n<head>\n<meta a>\n<title>\nx\n</title>\n",
            expected: "<!DOCTYPE html><head><meta a><title>\nx\n</title>"),
        Case(
            template: "<section>\r\n\r\n<h2 class=\"a\">x</h2>\r\n</section>",
            expected: "<section><h2 class=\"a\">x</h2></section>"),
        Case(
            template: "{{#tags}}\n<div>\n{{.}}\n</div>\n{{/tags}}",
            expected: "<div>peated</div><div>cask &amp; bottle</div>"),
        Case(
            template: "<div class=\"{{#in_stock}}a{{/in_stock}}\">\n<hr>\n</div>",
            expected: "<div class=\"a\"><hr></div>"),
    ])
    func leavesOutLineEndsBesideBlocks(_ test: Case) throws {
        #expect(try render(test.template, test.others) == test.expected)
    }

    @Test(arguments: [
        "<a>x</a>\n<b>y</b>\n", "<label>x</label>\n<input>", "a\n<i></i>\nb", "<div> <p>x</p> </div>",
        "<textarea>\n<div>\n</div>\n</textarea>", "<pre>\n\n x</pre>", "<span title=\"\n<div>\n\">x</span>",
        "<!-- \n<div>\n -->", "a <\n<b>",
    ])
    func leavesWhatMayBeSeen(_ template: String) throws {
        #expect(try render(template, [:]) == template)
    }

    @Test(arguments: [
        Case(template: "<ul><li>a</li>\n<li>b</li>\n</ul>", expected: "<ul><li>a<li>b</ul>"),
        Case(
            template:
                "<ul>{{#tags}}\n<li>{{.}}</li>\n{{/tags}}\n{{#in_stock}}\n<li>x</li>\n{{/in_stock}}\n</ul>",
            expected: "<ul><li>peated<li>cask &amp; bottle<li>x</ul>"),
        Case(
            template: "<dl>{{#tags}}<dt>a</dt><dd>{{.}}</dd>{{/tags}}</dl>",
            expected: "<dl><dt>a<dd>peated<dt>a<dd>cask &amp; bottle</dl>"),
        Case(
            template: "<dl><div><dt>a</dt><dt>b</dt><dd>c</dd></div></dl>",
            expected: "<dl><div><dt>a<dt>b<dd>c</div></dl>"),
        Case(template: "<div><p>a</p><p>b</p>\n</div>", expected: "<div><p>a<p>b</div>"),
        Case(template: "<li><p>a</p></li><li></li>", expected: "<li><p>a<li></li>"),
        Case(
            template: "<p>a</p>{{^in_stock}}<p>b</p>{{/in_stock}}<h1>c</h1>", expected: "<p>a<h1>c</h1>"),
    ])
    func leavesOutEndTagsThatWhatFollowsMakesNeedless(_ test: Case) throws {
        #expect(try render(test.template, test.others) == test.expected)
    }

    @Test(arguments: [
        Case(template: "<p>a</p>b", expected: "<p>a</p>b"),
        Case(template: "<p>a</p>{{name}}", expected: "<p>a</p>{{name}}"),
        Case(template: "<p>a</p>", expected: "<p>a</p>"),
        // The end of a link is not that of a paragraph in it, nor is an element that can be part of one.
        Case(template: "<a><p>a</p></a>", expected: "<a><p>a</p></a>"),
        Case(
            template: "<div><p>a</p><small>b</small></div>", expected: "<div><p>a</p><small>b</small></div>"),
        Case(
            template: "<ul><li>a</li><template></template></ul>",
            expected: "<ul><li>a</li><template></template></ul>"),
        // What follows only when something is there, only when it is not, or when it comes again.
        Case(template: "<p>a</p>{{^in_stock}}b{{/in_stock}}<h1></h1>", expected: "<p>a</p><h1></h1>"),
        Case(template: "<p>a</p>{{#in_stock}}<h1></h1>{{/in_stock}}b", expected: "<p>a</p><h1></h1>b"),
        Case(template: "{{#tags}}x<p>a</p>{{/tags}}<h1></h1>", expected: "x<p>a</p>x<p>a</p><h1></h1>"),
        Case(template: "<p>a</p>{{>b}}", expected: "<p>a</p><h1></h1>", others: ["b": "<h1></h1>"]),
        Case(
            template: "{{<b}}{{$c}}<p>a</p>{{/c}}{{/b}}", expected: "<p>a</p>b",
            others: ["b": "{{$c}}{{/c}}b"]),
    ])
    func keepsEndTagsThatMayBeNeeded(_ test: Case) throws {
        let name = "&lt;b&gt;Glen &amp; &quot;Ord&quot;&lt;/b&gt; &#39;n&#39; &#96;x&#96;"
        #expect(
            try render(test.template, test.others) == test.expected.replacing("{{name}}", with: name))
    }

    /// A tag that holds other templates cannot be followed: all stays.
    @Test func leavesATemplateAloneWhoseTagsHoldOthers() throws {
        let template = "<div class=\"{{>b}}\">\n</div>\n"
        #expect(try render(template, ["b": "x"]) == "<div class=\"x\">\n</div>\n")
    }

    @Test func placesOfFaultsStay() throws {
        let text = "<ul>\n<li>a</li>\n</ul>\n{{nme}}"
        let set = TemplateSet(["page": SourceText(file: "x.mustache", text: text)], condensing: ["page"])
        let fault = #expect(throws: Failure.self) { try set.compile("page", for: fixture.product) }
        #expect(try #require(fault).diagnostics[0].description.hasPrefix("x.mustache:4:3: error: 'nme'"))
    }

    @Test func aCondensedTemplateHasAFingerprintOfItsOwn() throws {
        let sources = ["page": SourceText(file: "x.mustache", text: "<p>\n")]
        let prints = try [[], ["page"]].map {
            try TemplateSet(sources, condensing: $0).compile("page", for: fixture.product).fingerprint
        }
        #expect(prints[0] != prints[1])
    }

    @Test func aTextMayBeEscapedAlready() throws {
        var record = fixture.record()
        record[fixture.policy] = .fixed("default-src 'none' & \"x\" <")
        let expected = "<a b=\"default-src 'none' &amp; &quot;x&quot; &lt;\">"
        let template = try Fixture.set("{{#policy}}<a b=\"{{policy}}\">{{/policy}}").compile(
            "page", for: fixture.product)
        for template in [template, template.bound(to: record)] {
            var out: [UInt8] = []
            template.render(record, into: &out)
            #expect(String(decoding: out, as: UTF8.self) == expected)
        }
    }
}
