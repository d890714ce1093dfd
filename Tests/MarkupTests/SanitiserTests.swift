import Basics
import TestSupport
import Testing

@_spi(Measuring) @testable import Markup

struct Case: CustomTestStringConvertible, Sendable {
    let source: String
    let expected: String
    var testDescription: String { source.debugDescription }

    init(_ source: String, _ expected: String) {
        self.source = source
        self.expected = expected
    }
}

@Suite struct SanitiserTests {
    private let notes = Sanitiser(.notes)
    private let reviews = Sanitiser(.reviews)

    @Test(arguments: [
        Case("<p>a <b>b</b> <em>c</em></p>", "<p>a <b>b</b> <em>c</em></p>"),
        Case("<h1>a</h1><h2>b</h2><h3>c</h3><h6>d</h6>", "<h3>a</h3><h3>b</h3><h3>c</h3><h6>d</h6>"),
        Case(
            "<tt>a</tt><strike>b</strike><acronym title=\"x\">c</acronym>",
            "<code>a</code><s>b</s><abbr title=\"x\">c</abbr>"),
        Case("<dir><li>a</dir><menu><li>b</menu>", "<ul><li>a</li></ul><ul><li>b</li></ul>"),
        Case("<address>a</address>", "<div>a</div>"),
        Case("<UL><LI>a<LI>b</UL>", "<ul><li>a</li><li>b</li></ul>"),
        Case("<p>a<p>b", "<p>a</p><p>b</p>"),
        Case(
            "<table><tr><th scope=COL colspan=2>a<td rowspan=501>b</table>",
            "<table><tbody><tr><th colspan=\"2\" scope=\"col\">a</th><td>b</td></tr></tbody></table>"),
        Case(
            "<ol start=3 type=a reversed><li value=7>x</ol>",
            "<ol start=\"3\" type=\"a\" reversed=\"\"><li value=\"7\">x</li></ol>"),
        Case("<pre>\n\n\na\n</pre>", "<pre>a\n</pre>"),
        Case("<pre>\n\n<section>\n<b>\na</b></pre>", "<pre><b>\na</b></pre>"),
        Case("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        Case("<q lang=fr dir=RTL title='\"'>a</q>", "<q title=\"&quot;\" lang=\"fr\" dir=\"rtl\">a</q>"),
        Case("5 > 3 & \"4\" < 6\u{A0}'x' `y`", "5 &gt; 3 &amp; \"4\" &lt; 6&nbsp;'x' `y`"),
        Case("a\u{1}b\u{7F}c\r\nd\u{85}e", "abc\nde"),
        Case("&#1;&#x85;&#x9D;&#xFFFE;&#x10FFFF;a&#0;b", "…a\u{FFFD}b"),
        Case(
            "<p title='&#1;&#xFFFE;a&#111111111111;'>&#xD800;b&#111111111111c",
            "<p title=\"a\u{FFFD}\">\u{FFFD}b\u{FFFD}c</p>"),
    ])
    func keepsAndMaps(_ c: Case) { #expect(notes.sanitise(c.source).html.description == c.expected) }

    @Test(arguments: [
        Case("a<script>alert(1)</script>b", "ab"),
        Case("a<style>p{}</style>b", "ab"),
        Case("a<svg><p>x</p></svg>b", "ab"),
        Case("a<math><mi>x</mi></math>b", "ab"),
        Case("a<xml><o:p>x</o:p></xml>b", "ab"),
        Case("a<textarea><b>x</b></textarea>b", "ab"),
        Case("a<template><b>x</b></template>b", "ab"),
        Case("a<iframe src=x>y</iframe>b", "ab"),
        Case("a<!-- x --><?php y ?><!doctype html>b", "ab"),
        Case("<p id=x name=y onclick=z() data-a=b target=c style='position:fixed'>a</p>", "<p>a</p>"),
        Case("<p class='body note'>a</p>", "<p>a</p>"),
        Case("<q cite='http://a.example'>a</q>", "<q>a</q>"),
        Case("<section><custom-thing>a</custom-thing></section>", "a"),
        Case("<form action=x><input value=y><button>a</button></form>", "a"),
        Case("<a href='javascript:alert(1)'>a</a>", "<a>a</a>"),
        Case("<a href='java\nscript:alert(1)'>a</a>", "<a>a</a>"),
    ])
    func dropsAndUnwraps(_ c: Case) { #expect(notes.sanitise(c.source).html.description == c.expected) }

    @Test(arguments: [
        Case("<font color=red size=5>a</font>", "<span class=\"fc-ff0000 fs-5\">a</span>"),
        Case("<font color='#c00' size='+1'>a</font>", "<span class=\"fc-aa0000 fs-4\">a</span>"),
        Case("<font face=Arial>a</font>", "<span>a</span>"),
        Case("<center>a</center>", "<div class=\"ta-center\">a</div>"),
        Case("<big>a</big><nobr>b</nobr>", "<span class=\"fs-4\">a</span><span class=\"nw\">b</span>"),
        Case("<p align=RIGHT>a</p>", "<p class=\"ta-right\">a</p>"),
        Case("<td bgcolor=yellow>a</td>", "a"),
        Case(
            "<table border=1 bgcolor=#eee><tr bgcolor=yellow><td>a</table>",
            "<table class=\"bg-ffffff bd\"><tbody><tr class=\"bg-ffff00\"><td>a</td></tr></tbody></table>"),
        Case(
            "<p style='COLOR: #666; background-color: navy; text-align: center; font-weight: 700'>a</p>",
            "<p class=\"fc-555555 bg-0000aa ta-center fw-b\">a</p>"),
        Case(
            "<p style='font-style:italic;text-decoration:underline;text-decoration:line-through'>a</p>",
            "<p class=\"fi tu tl\">a</p>"),
        Case(
            "<p style='color: expression(alert(1)); color: red!important; color: r\\65 d'>a</p>", "<p>a</p>"),
        Case("<p class='fc-cc0000 evil fc-aa0000 ta-left'>a</p>", "<p class=\"fc-aa0000 ta-left\">a</p>"),
    ])
    func turnsLegacyMarkupIntoClasses(_ c: Case) {
        #expect(notes.sanitise(c.source).html.description == c.expected)
    }

    @Test(arguments: [
        Case("<a href=/about/>a</a>", "<a href=\"/about/\">a</a>"),
        Case(
            "<a href=HTTP://a.example/ target=_blank>a</a>",
            "<a href=\"http://a.example/\" rel=\"nofollow noopener\">a</a>"),
        Case("<a href='mailto:a@b.example'>a</a>", "<a href=\"mailto:a@b.example\">a</a>"),
        Case("<a href='x?a=1&b=2'>a</a>", "<a href=\"x?a=1&amp;b=2\">a</a>"),
        Case("<a href='//evil.example'>a</a>", "<a>a</a>"),
        Case("<a href='https://u@evil.example'>a</a>", "<a>a</a>"),
    ])
    func passesLinksThroughTheGate(_ c: Case) {
        #expect(notes.sanitise(c.source).html.description == c.expected)
    }

    @Test(arguments: [
        Case("<div>a</div><div>b</div>", "<p>a</p><p>b</p>"),
        Case("<h1>a</h1><font color=red>b</font><p class=bd title=x>c", "ab<p>c</p>"),
        Case(
            "<a href='http://a.example'>x</a>",
            "<a href=\"http://a.example\" rel=\"nofollow ugc noopener\">x</a>"),
        Case("<a href='/x'>x</a><a href='mailto:a@b.example'>y</a>", "<a>x</a><a>y</a>"),
        Case("<table><tr><td>a</table><img src=a.jpg alt=b>", "a"),
    ])
    func keepsLessOfReviews(_ c: Case) { #expect(reviews.sanitise(c.source).html.description == c.expected) }

    @Test func keepsPicturesOfTheSiteOnly() {
        let finder: PictureFinder = { path in
            path == "cask.jpg" ? NotePicture(path: "../pictures/cask.1f.webp", width: 40, height: 30) : nil
        }
        let source =
            "<img src=cask.jpg alt='A \"cask\"' width=4 onerror=x><img src='gone.jpg' alt='gone <b>'><img src=http://a.example/x.gif alt=far><img src='data:image/png;base64,x'>"
        let result = notes.sanitise(source, pictures: finder)
        #expect(
            result.html.description
                == "<img src=\"../pictures/cask.1f.webp\" alt=\"A &quot;cask&quot;\" width=\"40\" height=\"30\">gone &lt;b&gt;far"
        )
        #expect(result.issues == [.unknownPicture(path: "gone.jpg")])
        #expect(
            notes.sanitise("<p>x <img src=cask.jpg alt=cask>")
                == Sanitised(html: SafeHTML(trusted: Array("<p>x cask</p>".utf8)), issues: []))
    }

    @Test func leavesOutNoncharacters() throws {
        for value in [0xFFFE, 0xFFFF, 0xFDD0, 0xFDEF, 0x1FFFE, 0x10FFFF] as [UInt32] {
            let text = "a" + String(Character(try #require(Unicode.Scalar(value)))) + "b"
            #expect(notes.sanitise(text).html.description == "ab")
            #expect(notes.sanitise("<p>a&#\(value);b</p>").html.description == "<p>ab</p>")
            #expect(note(text, format: .plain).html.description == "<p>ab</p>")
        }
        for value in [0xFDCF, 0xFDF0, 0xFFFD, 0x10000, 0x1F600] as [UInt32] {
            let text = String(Character(try #require(Unicode.Scalar(value))))
            #expect(notes.sanitise(text).html.description == text)
        }
    }

    @Test func mendsIllFormedBytes() {
        for (bytes, expected) in [
            ([0x61, 0xFF, 0x62], "a\u{FFFD}b"), ([0x61, 0xC3], "a\u{FFFD}"),
            ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0xE0, 0x80, 0x3C], "\u{FFFD}\u{FFFD}&lt;"),
        ] as [([UInt8], String)] {
            #expect(bytes.withUnsafeBufferPointer { notes.sanitiseFully($0) }.html.description == expected)
        }
    }

    @Test func sanitisingTwiceIsSanitisingOnce() {
        let finder: PictureFinder = { NotePicture(path: $0, width: 4, height: 3) }
        for input in Corpus.all {
            for (sanitiser, pictures) in [(notes, nil), (notes, finder), (reviews, nil)]
                as [(Sanitiser, PictureFinder?)]
            {
                let once = sanitiser.sanitise(input.input, pictures: pictures)
                let twice = sanitiser.sanitise(once.html.description, pictures: pictures)
                #expect(once.html == twice.html, "\(input.id)")
                #expect(String(validating: once.html.bytes, as: UTF8.self) != nil, "\(input.id)")
            }
        }
    }

    @Test func plainNotesAreWhatTheSanitiserWouldMakeOfThem() {
        for input in Corpus.all {
            let plain = note(input.input, format: .plain).html
            #expect(notes.sanitise(plain.description).html == plain, "\(input.id)")
        }
    }

    // MARK: Limits

    struct Hostile: CustomTestStringConvertible, Sendable {
        let name: String
        let source: String
        let issue: NoteIssue
        var testDescription: String { name }
    }

    @Test(arguments: [
        Hostile(
            name: "15,000 nested divs", source: String(repeating: "<div>", count: 15_000) + "x",
            issue: .tooManyTags(limit: 4000)),
        Hostile(
            name: "3,999 nested divs", source: String(repeating: "<div>", count: 3999) + "x",
            issue: .tooDeep(limit: 64)),
        Hostile(
            name: "65 nested bs", source: String(repeating: "<b>", count: 65) + "x",
            issue: .tooDeep(limit: 64)),
        Hostile(
            name: "unclosed fonts", source: (0..<100).map { "<p><font title=\($0)>x" }.joined(),
            issue: .tooMuchOutput(limit: 0)),
        // These two took gumbo 2.5 s, and 757 MB.
        Hostile(
            name: "35,000 attributes", source: "<p " + (0..<35_000).map { "a\($0) " }.joined() + ">x",
            issue: .tooManyAttributes(limit: 256)),
        Hostile(
            name: "2,000 different fonts that stay open",
            source: (0..<1990).map { "<font size=\($0)><p>x" }.joined(),
            issue: .tooMuchOutput(limit: 0)),
        Hostile(
            name: "attributes in attributes", source: "<p>" + String(repeating: "<a b=", count: 3000),
            issue: .tooManyAttributes(limit: 256)),
        Hostile(
            name: "a long note", source: String(repeating: "word ", count: 60_000),
            issue: .tooLong(bytes: 300_000, limit: 262_144)),
    ])
    func showsAsPlainTextWhatIsBeyondTheLimits(_ c: Hostile) throws {
        let result = notes.sanitise(c.source)
        #expect(result.html.description.hasPrefix("<p>") || result.html.isEmpty)
        #expect(!result.html.description.contains("<div") && !result.html.description.contains("<span"))
        #expect(result.issues.count == 1)
        if case .tooMuchOutput = c.issue {
            guard case .tooMuchOutput = try #require(result.issues.first) else {
                return #expect(result.issues == [c.issue])
            }
        } else {
            #expect(result.issues == [c.issue])
        }
        #expect(notes.sanitise(result.html.description).html == result.html)
    }

    @Test(arguments: [
        "a1 a2=b a3='>' a4=\">\" a5 = c a6=d/e a7='", "a1/a2/a3", "a1=\"x\"a2 =a3 ==a4",
        "/ a1\ta2\na3\u{C}a4",
    ])
    func countsAttributesAsTheTokeniserDoes(_ attributes: String) {
        let count =
            attributes.contains("a7") ? 7 : attributes.contains("==") ? 3 : attributes.contains("/a3") ? 3 : 4
        for start in ["<p ", "x</p ", "<!-- <p "] {
            Array((start + attributes).utf8).withUnsafeBufferPointer { source in
                #expect(source.hasTag(withMoreAttributesThan: count - 1), "\(start)")
                #expect(!source.hasTag(withMoreAttributesThan: count), "\(start)")
            }
        }
    }

    @Test func limitsReviewsMoreThanNotes() {
        let many = String(repeating: "<b>x</b>", count: 201)
        #expect(reviews.sanitise(many).issues == [.tooManyTags(limit: 400)])
        #expect(
            reviews.sanitise(many).html.description == "<p>" + String(repeating: "x", count: 201) + "</p>")
        #expect(notes.sanitise(many).issues == [])
    }

    @Test func plainTextBeyondTheLimitsStaysAsItIs() {
        let source = String(
            repeating: "<p>5 < 6 &amp; 7 &eacute; <i>x</i><br>y <script>z</script>", count: 2000)
        let once = notes.sanitise(source)
        #expect(once.issues.count == 1)
        #expect(notes.sanitise(once.html.description).html == once.html)
        #expect(once.html.description.hasPrefix("<p>5 &lt; 6 &amp; 7 é x<br>\ny</p>\n<p>5 &lt;"))
    }

    @Test func namesTheLimitInTheMessage() {
        #expect(
            NoteIssue.tooDeep(limit: 64).message
                == "markup is nested deeper than 64; shown without its markup")
        #expect(NoteIssue.tooDeep(limit: 64).id == "markup-limit")
        #expect(NoteIssue.unknownPicture(path: "a.jpg").id == "unknown-picture")
    }

    // MARK: Style sheet

    @Test func everyColourCanBeReadOnEveryGround() {
        for light in [true, false] {
            let grounds =
                Palette.colours.map { Palette.ground($0, light: light) } + [
                    light ? [0xF4, 0xEE, 0xE4] : [0x2E, 0x2A, 0x25]
                ]
            let ink: [Double] = light ? [0x26, 0x21, 0x1A] : [0xF2, 0xEC, 0xE2]
            for ground in grounds {
                #expect(Palette.contrast(ink, ground) >= 4.5)
                for colour in Palette.colours {
                    #expect(
                        Palette.contrast(Palette.text(colour, light: light), ground) >= 4.5,
                        "\(colour.hex) on \(ground)")
                }
            }
        }
    }

    @Test func styleSheetHasEveryClass() {
        #expect(ClassToken.names.count == 64 + 64 + 17)
        let theme = Project.text(of: "templates/style.css")
        for name in ClassToken.names.map({ String(decoding: $0, as: UTF8.self) }) {
            // The third size is that of the text.
            let sheet = name.hasPrefix("fc-") || name.hasPrefix("bg-") ? Sanitiser.paletteStylesheet : theme
            #expect(
                name == "fs-3" || sheet.contains("." + name + "{") || sheet.contains("." + name + " "),
                "\(name)")
        }
    }

    @Test func pagesNeedThePaletteForColoursOnly() {
        #expect(Sanitiser(.notes).sanitise("<p>a <font color=red>b</font>").html.usesPalette)
        #expect(Sanitiser(.notes).sanitise("<table><tr><td bgcolor=#eeeeee>b</table>").html.usesPalette)
        for plain in [
            "", "<p>fc-ff0000 \"bg-\" class=</p>", "<p align=center>a</p>",
            "<p title='class=\"fc-ff0000\"'>a</p>",
        ] {
            #expect(!Sanitiser(.notes).sanitise(plain).html.usesPalette)
        }
    }
}
