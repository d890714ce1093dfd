import TestSupport
import Testing

@testable import Markup

@Suite struct NoteTests {
    @Test(arguments: [
        Case("&lt;p&gt;a &amp;amp; b&lt;/p&gt;", "<p>a &amp; b</p>"),
        Case("&lt;p class=&quot;bd&quot;&gt;caf&amp;eacute;&lt;/p&gt;", "<p class=\"bd\">café</p>"),
        Case("&amp;lt;p&amp;gt;a&amp;lt;/p&amp;gt;", "<p>a</p>"),
        Case("&#60;b&#62;a&#x3c;/b&#x3E;", "<b>a</b>"),
        Case("&lt;script&gt;alert(1)&lt;/script&gt;a", "a"),
    ])
    func decodesMarkupThatWasEncoded(_ c: Case) {
        #expect(note(c.source, format: .html).html.description == c.expected)
    }

    /// A summary stops reading soon after its end; it must be the one that reading everything gives.
    @Test func aSummaryIsThatOfTheWholeText() {
        let parts = [
            "oak ", "smoke, ", "crème brûlée; ", "– ", "… ", "“peat” ", "山崎", "e\u{301} ", "👨‍👩‍👧 ", "Łańelmore",
            "a", ": ",
            "unpronounceablylong", "\u{200D}", "  ", "‰ ",
        ]
        var generator = SeededGenerator()
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 1...90, using: &generator)).map { _ in
                parts.randomElement(using: &generator)!
            }.joined()
            let limit = Int.random(in: 1...170, using: &generator)
            let html = note("<p>\(text)</p>", format: .html).html
            #expect(
                plainText(of: html, limit: limit) == plainText(of: text, format: .plain, limit: limit),
                "\(text)")
        }
    }

    @Test(arguments: [
        Case("a &lt; b and c &gt; d", "a &lt; b and c &gt; d"),
        Case("I &lt;3 whisky", "I &lt;3 whisky"),
        Case("<p>write &lt;b&gt; for bold</p>", "<p>write &lt;b&gt; for bold</p>"),
        Case("&lt;glenord&gt;", "&lt;glenord&gt;"),
        Case("&amp;amp;lt;p&amp;amp;gt;", "&amp;amp;lt;p&amp;amp;gt;"),
        Case("fish & chips", "fish &amp; chips"),
        Case("cafÃ©", "cafÃ©"),
    ])
    func decodesNothingElse(_ c: Case) {
        #expect(note(c.source, format: .html).html.description == c.expected)
    }

    @Test(arguments: [
        Case("a\nb\r\nc\n\n  \r\nd", "<p>a<br>\nb<br>\nc</p>\n<p>d</p>"),
        Case("\n\n a <b> & \"c\" \n", "<p>a &lt;b&gt; &amp; \"c\"</p>"),
        Case("see http://a.example/", "<p>see http://a.example/</p>"),
        Case("a\u{0}b\u{1B}", "<p>ab</p>"),
        Case(" \n\t\n", ""), Case("", ""),
    ])
    func makesParagraphsOfPlainText(_ c: Case) {
        #expect(note(c.source, format: .plain).html.description == c.expected)
        #expect(review(c.source).html.description == c.expected)
    }

    @Test(arguments: [
        Case(
            "# A\n\n*b* **c** `d` \"e\" -- f",
            "<h3>A</h3>\n<p><em>b</em> <strong>c</strong> <code>d</code> \"e\" -- f</p>\n"),
        Case("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        Case("a <b onclick=x>b</b>", "<p>a b</p>\n"),
        Case("<script>alert(1)</script>", "\n"),
        Case(
            "[a](javascript:alert(1)) [b](/c \"t\") [d](http://e.example)",
            "<p><a>a</a> <a title=\"t\" href=\"/c\">b</a> <a href=\"http://e.example\" rel=\"nofollow noopener\">d</a></p>\n"
        ),
        Case("![alt](http://a.example/x.gif)", "<p>alt</p>\n"),
        Case("a\u{0}b", "<p>a\u{FFFD}b</p>\n"),
        Case(
            "| a | b |\n| --- | ---: |\n| *c* | <i>1</i> |",
            "<table>\n<thead>\n<tr>\n<th>a</th>\n<th class=\"ta-right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n"
                + "<td><em>c</em></td>\n<td class=\"ta-right\">1</td>\n</tr>\n</tbody>\n</table>\n"),
        Case("~~a~~ www.a.example", "<p>~~a~~ www.a.example</p>\n"),
        Case("", ""),
    ])
    func rendersMarkdownInSafeMode(_ c: Case) {
        #expect(note(c.source, format: .markdown).html.description == c.expected)
    }

    @Test func limitsMarkdown() {
        let long = String(repeating: "word ", count: 14_000)
        #expect(note(long, format: .markdown).issues == [.tooLong(bytes: 70_000, limit: 65_536)])
        #expect(contentPage(markdown: long).issues == [])
        #expect(
            note(String(repeating: "![[]()", count: 10_000), format: .markdown).issues == [
                .tooManyBrackets(limit: 4000)
            ])
        #expect(
            // Quadratic in cmark-gfm's tables (64 KB: 6 s), so a text with that many delimiter rows has none.
            !note(String(repeating: "a\n|-|-|\n", count: 8000), format: .markdown).html.description.contains(
                "<table"))
        #expect(
            note(String(repeating: ">", count: 60_000) + "a", format: .markdown).issues == [
                .tooDeep(limit: 64)
            ])
        #expect(
            contentPage(markdown: String(repeating: "- ", count: 65) + "a").issues == [.tooDeep(limit: 64)])
    }

    @Test func looksForEncodedTagsInLinearTime() {
        // Took 1.8 s when each `<` was read to the end.
        let source = String(repeating: "&lt;p ", count: 40_000)
        #expect(note(source, format: .html).html.description == source)
    }

    @Test func showsLongContentPages() {
        let result = contentPage(markdown: String(repeating: "*a* [b](c)\n\n", count: 8000))
        #expect(result.issues == [])
        #expect(result.html.description.hasSuffix("<p><em>a</em> <a href=\"c\">b</a></p>\n"))
    }

    @Test(
        arguments: [
            (
                "<p>A <b>peaty</b> &amp; oily dram.</p><ul><li>One</li><li>Two</li></ul>", Int.max,
                "A peaty & oily dram. One Two"
            ),
            ("<p>A <b>peaty, oily</b> dram</p>", 9, "A peaty…"),
            ("<p>A <b>peaty</b> dram</p>", 13, "A peaty dram"),
            ("<p>A <b>peaty</b> dram</p>", 12, "A peaty dram"),
            ("<p>A <b>peaty</b> dram</p>", 11, "A peaty…"),
            ("Incomprehensibilities", 8, "Incompr…"), ("abc", 0, ""), ("", 10, ""),
            ("a<br>b&nbsp;c &lt;d&gt;", 100, "a b c <d>"),
            ("<script>x</script>👩‍👩‍👧 cafe\u{301} noir", 8, "👩‍👩‍👧 cafe\u{301}…"),
        ] as [(String, Int, String)])
    func summarisesAsTextCutAtAWord(_ source: String, _ limit: Int, _ expected: String) {
        let summary = plainText(of: source, format: .html, limit: limit)
        #expect(summary == expected)
        #expect(summary.count <= limit)
    }

    @Test func summarisesOtherFormats() {
        #expect(plainText(of: "# A\n\n*b* <c>", format: .markdown) == "A b")
        #expect(plainText(of: "a\n\nb <c> &amp;", format: .plain) == "a b <c> &amp;")
    }

    @Test func summariesOfTheCorporaStayWithinTheirLimit() {
        for input in Corpus.all {
            for limit in [1, 7, 160] {
                #expect(plainText(of: input.input, format: .html, limit: limit).count <= limit)
            }
        }
    }

    @Test func knowsWhatShowsNothing() {
        for blank in [
            "", " \n", "<p></p>", "<p>&nbsp;<br></p>", "<p><b>\u{A0}</b></p>", "<script>x</script>",
        ] {
            #expect(note(blank, format: .html).html.isBlank, "\(blank)")
        }
        for shown in ["a", "<hr>", "<p>.</p>", "&lt;"] {
            #expect(!note(shown, format: .html).html.isBlank, "\(shown)")
        }
    }

    @Test func joinsAndEscapes() {
        var html = SafeHTML.escaped("<a> & \"b\" 'c' `d`\u{0}\u{1F}\u{7F}\t\n")
        #expect(html.description == "&lt;a&gt; &amp; &quot;b&quot; &#39;c&#39; &#96;d&#96;\t\n")
        html += .escaped("x")
        #expect((html + .empty).description.hasSuffix("x"))
    }

    @Test func headingsOfPagesBeginAtTheSecondLevel() {
        #expect(
            contentPage(markdown: "# a\n\n## b\n\n### c").html.description
                == "<h2>a</h2>\n<h2>b</h2>\n<h3>c</h3>\n")
        #expect(
            note("# a\n\n## b\n\n### c", format: .markdown).html.description
                == "<h3>a</h3>\n<h3>b</h3>\n<h3>c</h3>\n")
        #expect(!note("<h2>a</h2>", format: .html).html.description.contains("h2"))
    }

    @Test func tablesHaveNoEmptyHeaders() {
        let html = contentPage(markdown: "| | a |\n|--|:-:|\n| `<th></th>` | c |\n").html.description
        #expect(
            html.contains("<td></td>") && html.contains("&lt;th&gt;&lt;/th&gt;")
                && !html.contains("<th></th>"))
        #expect(html.contains(">a</th>"))
    }
}
