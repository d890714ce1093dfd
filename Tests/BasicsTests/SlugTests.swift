import Basics
import TestSupport
import Testing

@Suite struct SlugTests {
    @Test(arguments: [
        ("Glen Ord 12, Sherry", "glen-ord-12-sherry"), ("O'Brien", "obrien"), ("O’Brien’s", "obriens"),
        ("Château d’Yquem", "chateau-dyquem"), ("Cha\u{302}teau d'Yquem", "chateau-dyquem"),
        ("Øl & Æbler", "ol-aebler"), ("Łódź", "lodz"), ("Straße", "strasse"), ("ẞ", "ss"),
        ("Ísland þ ð", "island-th-d"),
        ("ıİ", "ii"), ("Œuvre Å Đ", "oeuvre-a-d"), ("Водка Русский", "vodka-russkiy"), ("И́й ѝ и", "iy-i-i"),
        ("Ούζο Μίνι", "oyzo-mini"), ("山崎", ""), ("山崎 12", "12"), ("響 Hibiki 響", "hibiki"), ("😀", ""),
        ("!!!", ""),
        ("C", "c"), ("C++", "c"), ("--a--b--", "a-b"), ("５０％ Ａｂｖ", "50-abv"), ("٤٢", "42"),
        ("a\u{200B}b\u{202E}c", "abc"),
        ("", ""), ("  ", ""), ("../..", ""), ("É", "e"), ("E\u{301}", "e"), ("ﬁn", "fin"),
        ("\u{212A}elvin", "kelvin"),
    ])
    func makesAnAddressOfAName(_ name: String, _ expected: String) {
        #expect(slug(of: name) == expected)
    }

    @Test(arguments: [
        ("abc def", 3, "abc"), ("abc def", 4, "abc"), ("abc def", 5, "abc-d"), ("é é é", 2, "e"),
        ("æ", 1, "a"), ("abc", 0, ""),
    ])
    func isCutWithoutATrailingHyphen(_ name: String, _ limit: Int, _ expected: String) {
        #expect(slug(of: name, limit: limit) == expected)
    }

    @Test func everyHostileNameGivesASafeSegment() {
        // The file is an array with one JSON string a line; what the escapes mean does not matter here.
        let names = Project.text(of: "Tests/Corpora/paths/names.json").split(separator: "\n").map(String.init)
        #expect(names.count >= 134)
        for name in names { #expect(isSafe(slug(of: name))) }
    }

    @Test func randomTextGivesASafeSegmentAndTheSameOnceMore() {
        var random = SeededGenerator()
        for _ in 0..<3000 {
            let text = randomText(&random)
            let once = slug(of: text)
            #expect(isSafe(once), "seed \(random.seed): \(text.debugDescription)")
            #expect(slug(of: once) == once)
            #expect(slug(of: normalisedNFC(text)) == once, "seed \(random.seed): \(text.debugDescription)")
        }
    }

    private func isSafe(_ slug: String) -> Bool {
        slug.utf8.count <= 80 && slug.first != "-" && slug.last != "-" && !slug.contains("--")
            && slug.unicodeScalars.allSatisfy { "a"..."z" ~= $0 || "0"..."9" ~= $0 || $0 == "-" }
    }

    @Test(arguments: [
        "con", "CON", "nul.html", "com1", "lpt0", "COM¹", "index", "Index", "404", "assets", "robots.txt",
        "page",
    ])
    func knowsReservedNames(_ name: String) { #expect(isReservedName(name)) }

    @Test(arguments: ["cons", "com10", "glen-ord", "indexes", "", "4040"])
    func leavesOtherNames(_ name: String) { #expect(!isReservedName(name)) }
}

@Suite struct TermTests {
    @Test(arguments: [
        (["test", "Test", "test ", " TEST\t", "\u{A0}test"], "test"), (["é", "E\u{301}", "É "], "é"),
        (["a  b", "A\nB", "a\u{3000}b"], "a b"), (["ΟΔΟΣ", "οδος", "οδοσ"], "οδοσ"), (["", " "], ""),
    ])
    func valuesThatReadAlikeAreOneTerm(_ values: [String], _ key: String) {
        for value in values { #expect(Array(termKey(value).utf8) == Array(key.utf8)) }
    }

    @Test func otherValuesStayApart() {
        #expect(termKey("a b") != termKey("a-b"))
        #expect(termKey("C") != termKey("C++"))
        #expect(termKey("e") != termKey("é"))
    }

    @Test func aKeyIsItsOwnKey() {
        var random = SeededGenerator()
        for _ in 0..<2000 {
            let key = termKey(randomText(&random))
            #expect(termKey(key).utf8.elementsEqual(key.utf8), "seed \(random.seed): \(key.debugDescription)")
        }
    }

    @Test func composesToFormC() {
        #expect(Array(normalisedNFC("e\u{301}\u{323}").unicodeScalars) == Array("ẹ\u{301}".unicodeScalars))
        #expect(Array(normalisedNFC("\u{1100}\u{1161}").unicodeScalars) == ["가"])
        #expect(Array(normalisedNFC("\u{212B}").unicodeScalars) == ["\u{C5}"])
    }
}

/// Text of letters, marks and signs that have tripped up slugs and sorting, and a few from anywhere.
func randomText(_ random: inout SeededGenerator) -> String {
    let pieces = Array(
        "aZz09 -'’.&éÉøßıİłæœÅđþð\u{301}\u{306}\u{327}иИйЮσςΣ山崎😀\u{200B}\u{202E}５％٤ﬁ½가\u{1100}\u{1161}\0\n"
            .unicodeScalars)
    var out = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0...(Bool.random(using: &random) ? 12 : 120), using: &random) {
        if Int.random(in: 0..<20, using: &random) == 0 {
            out.append(Unicode.Scalar(UInt32.random(in: 0..<0x3_0000, using: &random)) ?? "x")
        } else {
            out.append(pieces.randomElement(using: &random) ?? "x")
        }
    }
    return String(out)
}
