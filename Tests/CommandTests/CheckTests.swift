import TestSupport
import Testing

@testable import Site

@Suite struct CheckTests {
    @Test func findsNothingInAGoodShop() throws {
        let shop = try Shop()
        let before = try shop.tree(".")
        let run = shop.build("check")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "3 products, 10 pages looked at: nothing found\n", "\(run.output)")
        #expect(try shop.tree(".") == before, "a check writes nothing")
    }

    @Test func listsTheWorstFirst() throws {
        let shop = try Shop()
        try shop.write(
            "content/pages/about.md",
            "---\ntitle: About\n---\nSee [us](nowhere.html) and [them](products/index.html).\n")
        try shop.database {
            """
            UPDATE products SET price_minor = NULL WHERE id = 1;
            UPDATE products SET name = 'CafÃ© Rum' WHERE id = 2;
            UPDATE products SET bottling_note = '<p>See <a href="gone.html">this</a>.</p>' WHERE id = 3;
            INSERT INTO products(id, name, producer, price_minor) VALUES
              (4, 'Moss Perry', 'Low Orchard', 700), (5, '<b>Bold</b>', 'Wet  Rope', 100), (6, '?', 'Wet-Rope', 100);
            INSERT INTO categories(id, name) VALUES (3, 'Cider');
            """
        }
        try shop.write(
            "content/lists.json",
            #"{"version":1,"customers":[{"id":"a","lists":{"wish":[{"product":"99"}]}}]}"#)
        let run = shop.build("check", "--quiet")
        #expect(run.status == 1)
        let lines = run.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "broken")
        func place(_ id: String) -> Int? { lines.firstIndex { $0.hasSuffix("[\(id)]") } }
        let order = [
            "broken-link", "garbled-text", "markup-in-name", "empty-name", "missing-price",
            "duplicate-product",
            "unknown-product", "similar-values", "empty-category", "no-category",
        ]
        for id in order { #expect(place(id) != nil, "\(id) in \(run.output)") }
        #expect(order.compactMap(place) == order.compactMap(place).sorted())
        #expect(run.output.contains("it is probably 'Café Rum'"))
        #expect(run.output.contains("product 3 (Moss Perry): error: links to 'gone.html'"))
        #expect(run.output.contains("content/lists.json:1:65: customers[0].lists.wish[0].product"))
    }

    @Test func whatStopsABuildIsBroken() throws {
        let shop = try Shop(settings: "title: x\npage_size: many\n")
        let run = shop.build("check", "--json", "-")
        #expect(run.status == 1)
        #expect(run.output.hasPrefix("{\n  \"status\": \"broken\""))
        #expect(run.output.contains("\"code\": \"setting-type\""))
        #expect(run.output.contains("\"file\": \"content/site.yaml\""))
    }

    @Test func strictFailsOnAnything() throws {
        let shop = try Shop()
        try shop.database { "INSERT INTO categories(id, name) VALUES (3, 'Cider')" }
        #expect(shop.build("check", "--quiet").status == 0)
        #expect(shop.build("check", "--quiet", "--strict").status == 1)
    }

    @Test func manyFindingsAreCountedAndFiveShown() throws {
        let shop = try Shop()
        try shop.database {
            (10..<60).map { "INSERT INTO products(id, name) VALUES (\($0), 'N\($0)');" }.joined()
        }
        let run = shop.build("check", "--quiet")
        #expect(run.output.contains("  … and 45 more [missing-price]\n"))
        #expect(run.output.split(separator: "\n").count { $0.contains("has no price") } == 5)
    }

    @Test(arguments: [
        ("CafÃ©", "Café"), ("GlÃ¼hwein â€“ rot", "Glühwein – rot"), ("Ã…lborg", "Ålborg"),
    ])
    func garbledTextIsSetRight(text: String, right: String) { #expect(ungarbled(text) == right) }

    @Test(arguments: ["Café", "São Paulo", "Ã", "Ångström", "山崎", "O'Brien", "naïve ©"])
    func goodTextIsLeftAlone(text: String) { #expect(ungarbled(text) == nil) }

    @Test(arguments: [
        ("a/b.html", "c.html", "a/c.html"), ("a/b.html", "../c.html#x", "c.html"),
        ("a/b.html", "./", "a/index.html"),
        ("b.html", "?q=1", nil), ("b.html", "#x", nil), ("b.html", "https://x.example/", nil),
        ("b.html", "//x/", nil),
        ("b.html", "mailto:a@b", nil), ("a/b.html", "/shop/c%20d.html", "c d.html"),
        ("a/b.html", "/other/", nil),
        ("a/b.html", "../../x", nil), ("a/b/c.html", "..", "a/index.html"),
    ])
    func linksAreFollowed(page: String, address: String, expected: String?) {
        #expect(target(of: address, from: page, base: "/shop/") == expected)
    }

    @Test func referencesAreTheValuesOfHrefAndSrc() {
        let page = #"<a href="a.html?x=1&amp;y=2">href="no"</a><img alt="" src="b.png"><p data-href="c">"#
        #expect(references(in: Array(page.utf8)) == ["a.html?x=1&y=2", "b.png"])
    }
}
