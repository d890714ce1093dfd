import Testing

@testable import Site

@Suite struct StyleSheetTests {
    private func packed(_ css: String) -> String {
        String(decoding: packedStyleSheet(Array(css.utf8)), as: UTF8.self)
    }

    @Test(arguments: [
        ("a { color: red; }\n\n b{ }", "a{color:red}b{}"),
        ("/* a */ a > b , c { margin : 0 auto ; }", "a>b,c{margin :0 auto}"),
        // Space that means something.
        (
            "a b :is(c, d) .e { width: calc(1px + 2px - (3px * 4)) }",
            "a b :is(c,d) .e{width:calc(1px + 2px - (3px * 4))}"
        ),
        (
            "@media (min-width: 4em) and (height < 3em) { a { --x: ; } }",
            "@media (min-width:4em) and (height < 3em){a{--x:}}"
        ),
        ("a { color: red !important }", "a{color:red !important}"),
        // Texts and addresses stay as they are.
        ("a::after { content: \"  /* } \\\" ; \" / '  ' }", "a::after{content:\"  /* } \\\" ; \" / '  '}"),
        (
            "a { background: url( data:a;b,/*c ) , url(\"d ) e\") }",
            "a{background:url(data:a;b,/*c ),url(\"d ) e\")}"
        ),
        (".a\\ b , .c\\; { }", ".a\\ b,.c\\;{}"),
        // What only a comment keeps apart.
        ("a/**/b{} a/* x */.b{} a /* x */ b{}", "a/**/b{}a.b{}a b{}"),
        ("/*/ a /*/ b{} /***/ c{} /* d **/ e{}", "b{}c{}e{}"),
        ("a{} /* never ends", "a{}"), ("a{content:\"never", "a{content:\"never"), ("", ""),
        ("a{}\\", "a{}\\"),
    ])
    func dropsOnlyWhatMeansNothing(_ css: String, _ expected: String) {
        #expect(packed(css) == expected)
        #expect(packed(expected) == expected)
    }
}
