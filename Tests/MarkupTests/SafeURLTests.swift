import Markup
import TestSupport
import Testing

@Suite struct SafeURLTests {
    @Test(arguments: [
        Case("/about/", "/about/"), Case("a/b.html?c=d&e=f#g", "a/b.html?c=d&e=f#g"), Case("#top", "#top"),
        Case("?x=1:2", "?x=1:2"),
        Case("./a:b", "./a:b"), Case("HTTPS://A.example/B", "https://A.example/B"),
        Case("http://a.example:8080", "http://a.example:8080"),
        Case("http://[2001:db8::1]/x", "http://[2001:db8::1]/x"),
        Case("mailto:a@b.example?subject=c", "mailto:a@b.example?subject=c"),
        Case("TEL:+44123", "tel:+44123"), Case("  \u{1}/a\n/b\t \u{0}", "/a/b"),
        Case("/a b\"<>'`{}|^", "/a%20b%22%3C%3E%27%60%7B%7D%7C%5E"),
        Case("/ü", "/%C3%BC"), Case("/100%25", "/100%25"),
    ])
    func bringsLinksIntoOrder(_ c: Case) {
        #expect(SafeURL.checked(c.source, for: .link) == c.expected)
        #expect(SafeURL.checked(c.expected, for: .link) == c.expected)
    }

    @Test(arguments: [
        "", " ", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:x", "\u{1}javascript:x",
        "data:text/html,x", "vbscript:x",
        "file:///etc/passwd", "blob:x", "//a.example", "/\t/a.example", "\\\\a.example", "/\\a.example",
        "http:a", "http:/a", "http://",
        "http:///a", "http://u@a.example", "http://u:p@a.example", "https://a.example:x/",
        "https://a.example:/", "https://?a", "http://ü.example",
        "http://a b.example", "http://-a", "a:b", "1:b", "a%3ab:c", "mailto:", "/a\u{1}b", "http://[::1",
        "ftp://a.example", "x\u{7F}",
        "/" + String(repeating: "a", count: 2000),
    ])
    func refusesLinks(_ url: String) { #expect(SafeURL.checked(url, for: .link) == nil) }

    struct Row: CustomTestStringConvertible, Sendable {
        let url: String
        let places: Set<SafeURL.Place>
        var testDescription: String { url }
    }

    @Test(arguments: [
        Row(url: "a.jpg", places: [.link, .picture, .redirect, .service]),
        Row(url: "http://a.example/", places: [.link, .reviewLink, .absolute, .redirect]),
        Row(url: "https://a.example/", places: [.link, .reviewLink, .absolute, .redirect, .service]),
        Row(url: "mailto:a@b.example", places: [.link]), Row(url: "tel:1", places: [.link]),
        Row(url: "data:image/png;base64,x", places: []), Row(url: "javascript:x", places: []),
        Row(url: "//a.example/", places: []),
    ])
    func allowsSchemesByPlace(_ row: Row) {
        for place in SafeURL.Place.allCases {
            #expect((SafeURL.checked(row.url, for: place) != nil) == row.places.contains(place), "\(place)")
        }
    }

    @Test func checkingTwiceIsCheckingOnce() {
        for input in Corpus.all {
            for place in SafeURL.Place.allCases {
                guard let once = SafeURL.checked(input.input, for: place) else { continue }
                #expect(SafeURL.checked(once, for: place) == once, "\(input.id)")
            }
        }
    }
}
