import TestSupport
import Testing

@testable import Importers

@Suite struct FeedTests {
    static let rss = """
        <?xml version="1.0" encoding="UTF-8"?>
        <rss xmlns:g="http://base.google.com/ns/1.0" version="2.0">
        <channel>
        <title>Corner Shop</title><link>https://shop.example</link><description>All of it</description>
        <item>
          <g:id>A-1</g:id><id>not this one</id>
          <title>Slate Rum &amp; Lime</title>
          <g:description><![CDATA[Tar & rope.
        Two lines.]]></g:description>
          <g:image_link>https://shop.example/img/a1.jpg</g:image_link>
          <g:additional_image_link>https://shop.example/img/a1-b.jpg</g:additional_image_link>
          <g:additional_image_link>https://shop.example/img/a1-c.jpg</g:additional_image_link>
          <g:availability>in_stock</g:availability>
          <g:price>39.00 GBP</g:price><g:sale_price>34.00 GBP</g:sale_price>
          <g:brand>Wet Rope</g:brand><g:gtin>4006381333931</g:gtin>
          <g:product_type>Spirits &gt; Rum</g:product_type><g:product_type>Gifts</g:product_type>
          <g:shipping><g:price>4.90 GBP</g:price></g:shipping>
        </item>
        <item><g:id>A-2</g:id><g:title>Rain Gin</g:title><g:price>29 GBP</g:price><g:availability>out of stock</g:availability></item>
        </channel></rss>
        """

    @Test func readsAMerchantFeedInXML() throws {
        let bench = try Workbench()
        let report = try bench.take(("feed.xml", Self.rss))
        #expect(bench.log == [])
        expect(report, new: 2)
        #expect(report.files[0].description == "Google Merchant products, UTF-8, XML")
        #expect(
            try bench.rows(
                "SELECT sku, name, producer, gtin, price_minor, sale_price_minor, currency, availability, bottling_note FROM products"
            )
                == [
                    "A-1|Slate Rum & Lime|Wet Rope|4006381333931|3900|3400|GBP|in-stock|<p>Tar &amp; rope.<br>Two lines.</p>",
                    "A-2|Rain Gin|NULL|NULL|2900|NULL|GBP|sold-out|NULL",
                ])
        #expect(try bench.rows("SELECT count(*) FROM pictures") == ["3"])
        #expect(try bench.rows("SELECT name FROM categories ORDER BY id") == ["Spirits", "Rum", "Gifts"])
        let rows = try bench.dump()
        expect(try bench.run(["feed.xml"]), same: 2)
        #expect(try bench.dump() == rows)
    }

    /// Variants of two products, and a product without, in no order.
    @Test func foldsTheVariantsOfAGroup() throws {
        func item(_ id: String, _ group: String?, _ rest: String) -> String {
            "<item><g:id>\(id)</g:id>" + (group.map { "<g:item_group_id>\($0)</g:item_group_id>" } ?? "")
                + rest + "</item>\n"
        }
        let feed =
            "<rss xmlns:g=\"http://base.google.com/ns/1.0\" version=\"2.0\"><channel>\n"
            + item(
                "H-1", "H",
                "<g:title>Hat, Blue</g:title><g:color>Blue</g:color><g:price>20 EUR</g:price><g:availability>out_of_stock</g:availability><g:gtin>4006381333931</g:gtin><g:image_link>https://shop.example/blue.jpg</g:image_link>"
            )
            + item("S-1", "S", "<g:title>Scarf</g:title><g:size>L</g:size><g:price>9 EUR</g:price>")
            + item("A-1", nil, "<g:title>Slate Rum</g:title><g:price>30 EUR</g:price>")
            + item(
                "H-2", "H",
                "<g:title>Hat, Red</g:title><g:description>Warm.</g:description><g:color>Red</g:color><g:price>22 EUR</g:price><g:sale_price>18 EUR</g:sale_price><g:availability>in_stock</g:availability><g:image_link>https://shop.example/red.jpg</g:image_link>"
            )
            + item(
                "H-3", "H",
                "<g:title>Hat, Red</g:title><g:color>Red</g:color><g:price>25 EUR</g:price><g:availability>preorder</g:availability>"
            )
            + "</channel></rss>"
        let bench = try Workbench()
        expect(try bench.take(("feed.xml", feed)), new: 3)
        #expect(bench.log == [])
        #expect(
            try bench.rows(
                "SELECT sku, name, gtin, price_minor, sale_price_minor, availability, bottling_note FROM products ORDER BY sku"
            )
                == [
                    "A-1|Slate Rum|NULL|3000|NULL|NULL|NULL", "H-1|Hat|NULL|2200|1800|in-stock|Warm.",
                    "S-1|Scarf|NULL|900|NULL|NULL|NULL",
                ])
        #expect(
            try bench.rows(
                "SELECT f.facet, f.value FROM facets f JOIN products p ON p.id = f.product_id ORDER BY p.sku, f.facet, f.value"
            )
                == ["Colour|Blue", "Colour|Red", "Size|L"])
        #expect(try bench.rows("SELECT count(*) FROM pictures") == ["2"])
        let rows = try bench.dump()
        expect(try bench.run(["feed.xml"]), same: 3)
        #expect(try bench.dump() == rows)
        // The same as a table.
        let table = try Workbench()
        expect(
            try table.take(
                (
                    "feed.tsv",
                    "id\titem group id\ttitle\tlink\timage link\tavailability\tprice\tsize\n"
                        + "R-70\tR\tSlate Rum – 70 cl\thttps://shop.example/1\t\tin stock\t34.00 GBP\t70 cl\n"
                        + "R-20\tR\tSlate Rum – 20 cl\thttps://shop.example/1\t\tout of stock\t12.00 GBP\t20 cl\n"
                        + "G\t\tGin\thttps://shop.example/2\t\tin stock\t20.00 GBP\t\n"
                )), new: 2)
        #expect(
            try table.rows("SELECT sku, name, price_minor, availability FROM products ORDER BY sku") == [
                "G|Gin|2000|in-stock", "R-70|Slate Rum|1200|in-stock",
            ])
    }

    /// What is wrong with one of them is said at its place, and refuses the product.
    @Test func aVariantWithoutAReadablePriceIsRefused() throws {
        let bench = try Workbench()
        let failing =
            "id\titem group id\ttitle\tlink\tavailability\tprice\n"
            + "R-70\tR\tRum\thttps://shop.example/1\tin stock\t34.00 GBP\n"
            + "R-20\tR\tRum\thttps://shop.example/1\tin stock\tdear\n"
        try bench.take(("feed.tsv", failing))
        #expect(bench.log == ["feed.tsv:3:44: error: 'price' is 'dear', not a price [import-value]"])
    }

    @Test func readsAnAtomFeed() throws {
        let bench = try Workbench()
        try bench.take(
            (
                "feed.xml",
                """
                <feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0">
                <title>Shop</title><link rel="self" href="https://shop.example"/>
                <entry><g:id>A-1</g:id><g:title>Slate Rum</g:title><g:description>Tar</g:description><g:price>3400 JPY</g:price></entry>
                </feed>
                """
            ))
        #expect(
            try bench.rows("SELECT sku, name, price_minor, currency FROM products") == [
                "A-1|Slate Rum|3400|JPY"
            ])
    }

    @Test func readsAMerchantFeedInTSV() throws {
        let bench = try Workbench()
        try bench.take(
            (
                "feed.tsv",
                "id\ttitle\tdescription\tlink\timage link\tadditional image link\tavailability\tprice\tsale price\tbrand\tproduct type\n"
                    + "A-1\tSlate Rum\tTar, 12\" long\thttps://shop.example/1\thttps://shop.example/a.jpg\thttps://shop.example/b.jpg,https://shop.example/c.jpg\tin stock\t39.00 GBP\t34.00 GBP\tWet Rope\tSpirits > Rum\n"
                    + "A-2\tRain Gin\t\thttps://shop.example/2\t\t\tpreorder\t1,234.50 EUR\t\t\t\n"
            ))
        #expect(bench.log == [])
        #expect(
            try bench.rows(
                "SELECT sku, name, price_minor, sale_price_minor, currency, availability FROM products")
                == ["A-1|Slate Rum|3900|3400|GBP|in-stock", "A-2|Rain Gin|123450|NULL|EUR|coming-soon"])
        #expect(
            try bench.rows("SELECT file FROM pictures ORDER BY position") == [
                "shop.example/a.jpg", "shop.example/b.jpg", "shop.example/c.jpg",
            ])
        #expect(try bench.rows("SELECT bottling_note FROM products WHERE id = 1") == ["Tar, 12\" long"])
    }

    @Test func aBrokenFeedWritesNothing() throws {
        let bench = try Workbench()
        try bench.take(("shop.csv", "sku,name\nA-1,Slate Rum\n"))
        let (rows, bytes) = (try bench.dump(), bench.bytes)
        try bench.folder.write("cut.xml", String(Self.rss.dropLast(40)))
        bench.options.skipsBad = true
        #expect(bench.failure("cut.xml").hasSuffix("[xml-syntax]"))
        #expect(try bench.dump() == rows)
        #expect(bench.bytes == bytes)
        try bench.folder.write("dtd.xml", "<!DOCTYPE rss [<!ENTITY a \"b\">]>" + Self.rss.dropFirst(39))
        #expect(bench.failure("dtd.xml").hasPrefix("dtd.xml:1:15: error: a document type"))
        #expect(bench.bytes == bytes)
    }

    @Test func itemsThatCannotBeUsedAreNamed() throws {
        let bench = try Workbench()
        let report = try bench.take(
            (
                "feed.xml",
                """
                <rss xmlns:g="http://base.google.com/ns/1.0"><channel>
                <item><g:title>No number</g:title></item>
                <item><g:id>1</g:id><g:title>Price</g:title>
                  <g:price>free</g:price></item>
                <item><g:id>2</g:id><g:title>Long</g:title><g:description>\(String(repeating: "x", count: 20_000))</g:description></item>
                <item><g:id>3</g:id><g:title>Good</g:title><g:price>1 EUR</g:price></item>
                </channel></rss>
                """
            ))
        expect(report, new: 1, refused: 3)
        #expect(
            bench.log == [
                "feed.xml:2:1: error: no 'sku', which tells the products apart; fill it in, or choose another one with --key [import-value]",
                "feed.xml:4:3: error: 'price' is 'free', not a price [import-value]",
                "feed.xml:5:44: error: 'description' has more than 16 kB [import-row]",
            ])
    }

    // MARK: Reviews

    static let shop = "sku,name,slug,gtin\nA1,Slate Rum,slate-rum,4006381333931\nA2,Rain Gin,rain-gin,\n"

    @Test func readsGoogleProductReviews() throws {
        let bench = try Workbench()
        let feed = """
            <?xml version="1.0" encoding="UTF-8"?>
            <feed xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" xsi:noNamespaceSchemaLocation="http://www.google.com/shopping/reviews/schema/product/2.3/product_reviews.xsd" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
            <version>2.3</version><aggregator><name>Agg</name></aggregator><publisher><name>Shop</name></publisher>
            <reviews>
            <review><review_id>r-1</review_id><reviewer><name is_anonymous="false">Ann</name><reviewer_id>7</reviewer_id></reviewer>
              <review_timestamp>2026-01-05T13:00:00Z</review_timestamp><title>Good</title><content>Like rain,
            in a glass.</content><pros><pro>cheap</pro></pros><ratings><overall min="1" max="5">4</overall></ratings>
              <products><product><product_ids><gtins><gtin>04006381333931</gtin></gtins><brands><brand>Wet Rope</brand></brands></product_ids>
              <product_name>Slate</product_name></product></products><is_spam>false</is_spam><review_language>en</review_language></review>
            <review><review_id>r-2</review_id><reviewer><name is_anonymous="true">Secret Person</name></reviewer>
              <content>Fine</content><ratings><overall min="1" max="10">9</overall></ratings>
              <products><product><product_ids><skus><sku>A2</sku></skus></product_ids></product></products></review>
            <review><review_id>r-3</review_id><content>Buy pills</content><ratings><overall min="1" max="5">5</overall></ratings>
              <products><product><product_ids><skus><sku>A2</sku></skus></product_ids></product></products><is_spam>true</is_spam></review>
            </reviews></feed>
            """
        try bench.folder.write("reviews.xml", feed)
        try bench.folder.write("shop.csv", Self.shop)
        // The products come first, in whatever order the files are named.
        let report = try bench.run(["reviews.xml", "shop.csv"])
        #expect(bench.log == [])
        expect(report, 0, new: 2)
        expect(report, 1, new: 2)
        #expect(report.files[1].leftOut.map { "\($0.count) \($0.reason)" } == ["1 marked as spam"])
        #expect(
            try bench.rows(
                "SELECT product_id, rating, author, date, title, body, language FROM reviews ORDER BY product_id"
            )
                == ["1|4.0|Ann|2026-01-05|Good|Like rain,\nin a glass.|en", "2|4.5|NULL|NULL|NULL|Fine|NULL"])
        let rows = try bench.dump()
        expect(try bench.run(["reviews.xml"]), same: 2)
        #expect(try bench.dump() == rows)
        // A review that was changed is changed, not doubled.
        try bench.folder.write("reviews.xml", feed.replacing("Fine", with: "Fine!"))
        expect(try bench.run(["reviews.xml"]), changed: 1, same: 1)
        #expect(try bench.rows("SELECT count(*) FROM reviews") == ["2"])
    }

    @Test func readsAnyXMLOfReviews() throws {
        let bench = try Workbench()
        try bench.take(("shop.csv", Self.shop))
        let report = try bench.take(
            (
                "a.xml",
                """
                <reviews>
                <review sku="A1" rating="5"><author>Ann &amp; Bob</author><text>Fine &lt;b&gt;thing&lt;/b&gt; <![CDATA[<script>alert(1)</script>]]></text></review>
                <review sku="A1" rating="9"><author>x</author></review>
                <review sku="ZZ" rating="3"><author>x</author></review>
                <product sku="A2"><review><stars>4/5</stars><reviewer><name>Cat</name></reviewer><date>05.01.2026</date></review></product>
                <product id="rain-gin"><review><rating>★★★</rating><body>Short</body></review></product>
                <review sku="A1"><author>nobody</author></review>
                </reviews>
                """
            ))
        expect(report, new: 3, refused: 3)
        #expect(
            bench.log == [
                "a.xml:3:1: error: 'rating' is '9', not a rating from 0 to 5 [import-value]",
                "a.xml:4:1: error: no product of the database is 'ZZ'; import the products first [import-unknown-product]",
                "a.xml:7:1: error: neither words nor a rating [import-value]",
            ])
        bench.options.skipsBad = true
        try bench.run(["a.xml"])
        #expect(
            try bench.rows(
                "SELECT product_id, rating, author, date, body FROM reviews ORDER BY product_id, rating")
                == [
                    "1|5.0|Ann & Bob|NULL|Fine <b>thing</b> <script>alert(1)</script>",
                    "2|3.0|NULL|NULL|Short", "2|4.0|Cat|2026-01-05|NULL",
                ])
    }

    @Test func xmlSaysItsEncoding() throws {
        let bench = try Workbench()
        try bench.take(("shop.csv", Self.shop))
        let text =
            "<?xml version=\"1.0\" encoding=\"windows-1251\"?><reviews><review sku=\"A1\"><author>Анна</author>"
            + "<text>Дождь</text></review></reviews>"
        let bytes: [UInt8] = text.unicodeScalars.map { scalar in
            (0x410...0x44F).contains(scalar.value) ? UInt8(scalar.value - 0x410 + 0xC0) : UInt8(scalar.value)
        }
        #expect(try bench.take("r.xml", bytes).files[0].description == "reviews, windows-1251, XML")
        let wide = text.replacing("windows-1251", with: "UTF-16").replacing("Дождь", with: "雨")
        try bench.take("w.xml", [0xFF, 0xFE] + wide.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        #expect(bench.log == [])
        #expect(try bench.rows("SELECT author, body FROM reviews ORDER BY body") == ["Анна|Дождь", "Анна|雨"])
    }

    @Test func readsJudgeMe() throws {
        let bench = try Workbench()
        try bench.take(("shop.csv", Self.shop))
        let report = try bench.take(
            (
                "judgeme.csv",
                """
                title,body,rating,review_date,source,curated,reviewer_name,reviewer_email,product_id,product_handle,reply,reply_date,picture_urls,ip_address,location
                Great,"Like rain,
                in ""a"" glass.",5,2026-01-05 12:11:20 UTC,web,ok,Ann,ann@example.com,6754,slate-rum,,,,192.0.2.1,
                Spam,Buy pills,5,2026-01-06 12:11:20 UTC,web,spam,Bot,bot@example.com,6754,slate-rum,,,,192.0.2.1,
                Lost,Where?,4,2026-01-07 12:11:20 UTC,web,ok,Cat,cat@example.com,1,gone,,,,192.0.2.1,

                """
            ))
        expect(report, new: 1, refused: 1)
        #expect(report.files[0].description == "Judge.me reviews, UTF-8, comma")
        #expect(report.files[0].leftOut.map(\.count) == [1])
        #expect(
            bench.log == [
                "judgeme.csv:5:1: error: no product of the database is 'gone'; import the products first [import-unknown-product]"
            ])
        bench.options.skipsBad = true
        try bench.run(["judgeme.csv"])
        #expect(
            try bench.rows("SELECT product_id, rating, author, date, title, body FROM reviews")
                == ["1|5.0|Ann|2026-01-05|Great|Like rain,\nin \"a\" glass."])
        // Addresses of people are nowhere in the file.
        #expect(!String(decoding: bench.bytes, as: UTF8.self).contains("example.com"))
        #expect(!String(decoding: bench.bytes, as: UTF8.self).contains("192.0.2.1"))
    }

    @Test func readsYotpo() throws {
        let bench = try Workbench()
        try bench.take(("shop.csv", Self.shop))
        let report = try bench.take(
            (
                "yotpo.csv",
                """
                Review ID,SKU,Product Title,Display Name,Email,Review Title,Review Content,Review Score,Date,Published
                901,A1,Slate Rum,Ann,ann@example.com,Good,Like rain,4,2026-01-05,true
                902,A1,Slate Rum,Bob,bob@example.com,Bad,No,1,2026-01-05,false
                903,A2,Rain Gin,Bob,bob@example.com,Odd,No,six,2026-01-05,true

                """
            ))
        expect(report, new: 1, refused: 1)
        #expect(
            bench.log == [
                "yotpo.csv:4:44: error: 'Review Score' is 'six', not a rating from 0 to 5 [import-value]"
            ])
        #expect(report.files[0].leftOut.map(\.count) == [1])
    }

    @Test func aTableOfReviewsIsToldByItsColumns() throws {
        let bench = try Workbench()
        try bench.take(("shop.csv", Self.shop))
        let report = try bench.take(
            (
                "r.csv",
                "Artikelnummer;Sterne;Autor;Datum;Kommentar\nA1;4,5;Jörg;31.12.2025;Gut\nA1;4,5;Jörg;31.12.2025;Gut\n"
            ))
        #expect(report.files[0].isReviews)
        // The same words twice are one review.
        expect(report, new: 1, same: 1)
        #expect(
            try bench.rows("SELECT rating, author, date, body FROM reviews") == ["4.5|Jörg|2025-12-31|Gut"])
    }
}
