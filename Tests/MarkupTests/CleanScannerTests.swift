import Glibc
import TestSupport
import Testing

@_spi(Measuring) @testable import Markup

@Suite struct CleanScannerTests {
    private func scan(_ bytes: [UInt8], _ policy: Sanitiser.Policy = .notes) -> CleanScanner.Verdict {
        let limits: Sanitiser.Limits = policy == .notes ? .notes : .reviews
        return bytes.withUnsafeBufferPointer { CleanScanner.scan($0, policy: policy, limits: limits) }
    }

    /// The promise: whatever the scanner says, the full sanitiser says as well. Whether it said anything.
    private func holds(_ bytes: [UInt8], _ policy: Sanitiser.Policy) -> (holds: Bool, accepted: Bool) {
        let expected: [UInt8]
        switch scan(bytes, policy) {
        case .unknown: return (true, false)
        case .clean: expected = bytes
        case .normalised(let result): expected = result
        }
        let full = bytes.withUnsafeBufferPointer { Sanitiser(policy).sanitiseFully($0) }
        return (full.html.bytes == expected && full.issues.isEmpty, true)
    }

    @Test(arguments: [
        "<p>Text with <em>emphasis</em> &amp; more.</p>",
        "<p>“a” – ‘b’ \"c\" 'd' &nbsp;&lt;é</p>\n<p>x<br>y</p>",
        "<ul><li>a</li>\n<li><strong>b</strong></li></ul>", "<a href=\"/about/\">x</a>", "plain", "",
        "<table class=\"bd\">\n<tbody><tr><td>a</td>\n<th><p>b</p></th></tr></tbody></table>",
        "<a>x</a>", "👩‍👩‍👧 ｆｕｌｌ",
        "<h3>a</h3><hr><blockquote><p>b</p></blockquote>",
        "<div class=\"ta-center\"><span class=\"fc-ff0000 fs-3\">x</span></div>",
        "<a href=\"https://a.example/\" rel=\"nofollow noopener\">x</a>",
    ])
    func acceptsCleanNotes(_ source: String) { #expect(scan(Array(source.utf8)) == .clean) }

    @Test(arguments: [
        Case(
            "<p>a &quot;b&quot; &#x27;c&#39; & d > e\u{A0}f</p>", "<p>a \"b\" 'c' &amp; d &gt; e&nbsp;f</p>"),
        Case("a<br />b<br/>c\r\nd", "a<br>b<br>c\nd"),
        Case(
            "<a href=\"https://a.example/\">x</a>",
            "<a href=\"https://a.example/\" rel=\"nofollow noopener\">x</a>"),
    ])
    func putsRightWhatNeedsNoTree(_ c: Case) {
        #expect(scan(Array(c.source.utf8)) == .normalised(Array(c.expected.utf8)))
    }

    @Test(arguments: [
        "<p>a", "a</p>", "<p><p>a</p></p>", "<p><ul></ul></p>", "<b><p>a</p></b>", "<b><i>a</b></i>",
        "<b><b>a</b></b>",
        "<a href=\"/x\"><em><a href=\"/y\">a</a></em></a>", "<ul>a</ul>", "<ul><b>a</b></ul>", "<li>a</li>",
        "<P>a</P>", "<p >a</p>", "<p id=\"x\">a</p>", "<p class=\"evil\">a</p>",
        "<p class=\"fc-cc0000\">a</p>",
        "<a href=\"javascript:x\">a</a>", "<a href=\"HTTP://a.example\">a</a>", "<script>a</script>",
        "<table><tr><td>a</td></tr></table>", "<table>a<tbody></tbody></table>", "<td>a</td>",
        "<p><table></table></p>", "<tr></tr>",
        "&eacute;", "&#233;", "&ampx", "&", "a\u{1}", "a\u{7F}", "a\u{85}", "\u{FEFF}a", "<!-- a -->", "<",
        "<p", "a\rb",
        "<p><hr></p>", "<h3><h4>a</h4></h3>", "<ul>&nbsp;</ul>", "<br></br>", "<x>a</x>", "<xbr>",
        "<a href=\"/x\" rel=\"nofollow noopener\">x</a>", "<p class=\"bd bd\">a</p>", "<p class=\"\">a</p>",
    ])
    func leavesTheRestToTheParser(_ source: String) { #expect(scan(Array(source.utf8)) == .unknown) }

    @Test func acceptsEveryNoteOfTheCatalogue() {
        for input in Corpus.catalogue { #expect(scan(Array(input.input.utf8)) != .unknown, "\(input.id)") }
    }

    @Test(arguments: [Sanitiser.Policy.notes, .reviews])
    func agreesWithTheParserOnTheCorpora(_ policy: Sanitiser.Policy) {
        let sanitiser = Sanitiser(policy)
        for input in Corpus.all {
            let source = Array(input.input.utf8)
            #expect(holds(source, policy).holds, "\(input.id)")
            // And on what the sanitiser made of it.
            let output = sanitiser.sanitise(input.input).html.bytes
            #expect(holds(output, policy).holds, "output of \(input.id)")
        }
    }

    /// `MUTATIONS=1000000 SEED=…` runs more of them, other ones.
    @Test(arguments: [Sanitiser.Policy.notes, .reviews])
    func agreesWithTheParserOnMutations(_ policy: Sanitiser.Policy) {
        let count = getenv("MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 200_000
        var generator = SeededGenerator()
        let sanitiser = Sanitiser(policy)
        let inputs =
            Corpus.all.map { Array($0.input.utf8) }
            + Corpus.all.map { sanitiser.sanitise($0.input).html.bytes }
        var accepted = 0
        for i in 0..<count {
            let bytes = i % 2 == 0 ? makeNearlyClean(using: &generator) : mutate(inputs, using: &generator)
            let result = holds(bytes, policy)
            if result.accepted { accepted += 1 }
            guard result.holds else {
                Issue.record(
                    "seed \(generator.seed), case \(i): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
                )
                return
            }
        }
        // Else the test would show nothing.
        #expect(accepted * 20 > count, "\(accepted) of \(count) were accepted")
    }

    @Test func sanitisingMutationsTwiceIsSanitisingOnce() {
        let count = (getenv("MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 200_000) / 10
        var generator = SeededGenerator()
        let inputs = Corpus.all.map { Array($0.input.utf8) }
        for i in 0..<count {
            let bytes = mutate(inputs, using: &generator)
            for sanitiser in [Sanitiser(.notes), Sanitiser(.reviews)] {
                let once = bytes.withUnsafeBufferPointer { sanitiser.sanitise($0) }.html.bytes
                let twice = once.withUnsafeBufferPointer { sanitiser.sanitise($0) }.html.bytes
                guard once == twice else {
                    Issue.record(
                        "seed \(generator.seed), case \(i): \(String(decoding: bytes, as: UTF8.self).debugDescription)"
                    )
                    return
                }
            }
        }
    }
}
