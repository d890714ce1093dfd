import Basics
import Database
import Foundation
import TestSupport
import Testing

@testable import Site

/// What pages no longer say twice, or at all: every byte of them is written as often as there are products.
@Suite struct LeanPageTests {
    private let folder = TemporaryFolder(inMemory: true)

    /// A page of a site with one product, eight reviews of it and a customer; the reviews are in its page.
    private func pages(inCategory: Bool = true) throws -> (String) throws -> String {
        try folder.write(
            "content/site.yaml",
            "title: Shop\nurl: https://shop.example/\nreviews: {mode: inline, shown: 10}\nlists: lists.json\n"
        )
        try folder.write(
            "content/lists.json",
            #"{"version": 1, "customers": [{"id": "c-1", "name": "Ann", "lists": {"wish": [{"product": "1"}]}}]}"#
        )
        let shop = try Connection(own: folder.path + "/content/shop.db")
        try shop.execute(
            """
            \(Project.text(of: "docs/schema.sql"))
            INSERT INTO categories(id, name, slug) VALUES (1, 'Spirits', 'spirits');
            INSERT INTO products(id, name, slug, price_minor, currency, bottling_note)
                VALUES (1, 'Rope', 'rope', 100, 'EUR', 'Made of hemp.');
            INSERT INTO product_categories(product_id, category_id) SELECT 1, 1 WHERE \(inCategory);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
            INSERT INTO reviews(product_id, author, rating, body) SELECT 1, 'Bo ' || i, 4, 'Good.' FROM n;
            """)
        let output = folder.path + "/public"
        _ = try Driver(site: folder.path).build(to: output)
        return { try String(contentsOfFile: "\(output)/\($0)", encoding: .utf8) }
    }

    /// The only page below a folder of the output, whose name is not of interest.
    private func path(below top: String) throws -> String {
        let all = FileManager.default.enumerator(atPath: "\(folder.path)/public/\(top)")
        return try "\(top)/"
            + #require(all?.compactMap { $0 as? String }.first { $0.hasSuffix(".html") && $0.contains("/") })
    }

    private func data(_ page: String) throws -> String {
        let start = try #require(page.range(of: "<script type=\"application/ld+json\">")).upperBound
        let end = try #require(page[start...].range(of: "</script>")).lowerBound
        return String(page[start..<end])
    }

    /// Else a category of half the products would have thousands of pages that each list the hundreds below it.
    @Test func subcategoriesAreOnTheFirstPageOnly() throws {
        try folder.write("content/site.yaml", "title: Shop\npage_size: 12\n")
        let shop = try Connection(own: folder.path + "/content/shop.db")
        try shop.execute(
            """
            \(Project.text(of: "docs/schema.sql"))
            INSERT INTO categories(id, parent_id, name, slug)
                VALUES (1, NULL, 'Spirits', 'spirits'), (2, 1, 'Gin', 'gin'), (3, 1, 'Rum', 'rum');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
            INSERT INTO products(id, name) SELECT i, 'Rope ' || i FROM n;
            INSERT INTO product_categories(product_id, category_id) SELECT id, 2 FROM products;
            """)
        let output = folder.path + "/public"
        let driver = Driver(site: folder.path)
        _ = try driver.build(to: output)
        func page(_ path: String) throws -> String {
            try String(contentsOfFile: "\(output)/categories/\(path)", encoding: .utf8)
        }
        #expect(try page("spirits.html").contains("gin.html\">Gin <small>30</small>"))
        for number in 2...3 {
            let page = try page("spirits/page-\(number).html")
            #expect(page.contains("spirits.html") && !page.contains("gin.html"))
        }
        // So that they are not written when one comes to be.
        let former = try Tree(output)
        try shop.execute("INSERT INTO categories(id, parent_id, name, slug) VALUES (4, 1, 'Rye', 'rye')")
        _ = try driver.build(to: output)
        let now = try Tree(output)
        func isSame(_ path: String) -> Bool { now.files[path]?.inode == former.files[path]?.inode }
        #expect(!isSame("categories/spirits.html"))
        #expect(isSame("categories/spirits/page-2.html") && isSame("categories/spirits/page-3.html"))
    }

    @Test func aListSaysItsBreadcrumbsAndNotItsProducts() throws {
        let data = try data(pages()("categories/spirits.html"))
        #expect(
            data == """
                {"@context":"https://schema.org","@type":"BreadcrumbList","itemListElement":[\
                {"@type":"ListItem","position":1,"name":"Home","item":"https://shop.example/"},\
                {"@type":"ListItem","position":2,"name":"Spirits","item":"https://shop.example/categories/spirits.html"}]}
                """)
    }

    @Test func aProductSaysWhereItIsAndNotTwiceWhatItIs() throws {
        let page = try pages()
        let data = try data(page(path(below: "products")))
        #expect(
            data.hasPrefix(
                """
                {"@context":"https://schema.org","@graph":[{"@type":"Product","name":"Rope",\
                "description":"Made of hemp.","offers":{"@type":"Offer","price":"1.00","priceCurrency":"EUR"},
                """))
        #expect(
            data.hasSuffix(
                """
                {"@type":"BreadcrumbList","itemListElement":[\
                {"@type":"ListItem","position":1,"name":"Home","item":"https://shop.example/"},\
                {"@type":"ListItem","position":2,"name":"Spirits","item":"https://shop.example/categories/spirits.html"}]}]}
                """))
    }

    @Test func theBreadcrumbsOfAProductInNoCategoryEndWithItsName() throws {
        let page = try pages(inCategory: false)
        #expect(
            try data(page(path(below: "products"))).hasSuffix(
                """
                {"@type":"ListItem","position":1,"name":"Home","item":"https://shop.example/"},\
                {"@type":"ListItem","position":2,"name":"Rope"}]}]}
                """))
    }

    @Test func thePolicyStandsAsItIs() throws {
        let page = try pages()
        #expect(try page("index.html").contains("content=\"default-src 'none'; script-src 'self'; "))
    }

    /// Only of templates that a site has changed pages hold what means nothing.
    @Test(arguments: [(nil, true), ("", true), ("{{! ours }}\n", false)])
    func linesOfTheThemesTemplatesAreJoined(_ change: String?, isCondensed: Bool) throws {
        if let change {
            let body = Project.text(of: "templates/list-body.mustache")
            try folder.write("templates/list-body.mustache", change + body)
        }
        let page = try pages()
        let list = try page(path(below: "lists"))
        #expect(list.contains("<div class=\"body\"><ul><li class=\"line\"><div") == isCondensed)
        #expect(list.contains("<div class=\"body\">\n<ul>\n<li class=\"line\">\n<div") != isCondensed)
    }

    @Test func theRatingCountsReviewsThatAreNotData() throws {
        let page = try pages()
        let product = try page(path(below: "products"))
        #expect(product.components(separatedBy: "class=\"rev\"").count == 1 + 8)
        let data = try data(product)
        #expect(data.components(separatedBy: "\"@type\":\"Review\"").count == 1 + 5)
        #expect(data.contains("\"reviewCount\":8"))
    }

    @Test func theDescriptionIsSaidOnceAndPrivatePagesHaveNone() throws {
        let page = try pages()
        let product = try page(path(below: "products"))
        let description = #"<meta name="description" property="og:description" content="Made of hemp.">"#
        #expect(product.contains(description))
        #expect(product.components(separatedBy: "og:description").count == 2)
        let list = try page(path(below: "lists"))
        #expect(!list.contains("og:") && !list.contains("description"))
    }

    @Test func aProductWithoutPicturesSaysNothingOfThem() throws {
        let page = try pages()
        let product = try page(path(below: "products"))
        #expect(product.contains("class=\"stage nopic\">") && !product.contains("data-failed"))
        // One style sheet does for all that is not a list.
        #expect(product.components(separatedBy: "rel=\"stylesheet\"").count == 2)
    }

    /// A name without a picture would be an empty square that nobody is told of.
    @Test func everyIconThatTheThemeNamesIsDrawn() throws {
        let templates = Project.root + "/templates"
        // Those that a script names stand in no markup.
        var named = ["add": "lists.js", "heart": "lists.js", "basket": "lists.js", "box": "lists.js"]
        var drawn: Set<Substring> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: templates) {
            guard file.hasSuffix(".mustache") || file.hasSuffix(".css") else { continue }
            let text = Project.text(of: "templates/" + file)
            for match in text.matches(of: /<i class="ic ([a-z]+)/) { named[String(match.1)] = file }
            for match in text.matches(of: /(?m)^\.ic\.([a-z]+) \{ mask-image: url\("data:/) {
                drawn.insert(match.1)
            }
        }
        #expect(named.count > 8)
        for (name, file) in named { #expect(drawn.contains(name[...]), "\(name) in \(file)") }
    }
}
