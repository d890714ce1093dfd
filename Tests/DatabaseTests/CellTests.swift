import Basics
import Model
import Testing

@testable import Database

@Suite struct CellTests {
    struct Case: CustomTestStringConvertible {
        let column: String, value: String, fault: String
        var testDescription: String { "\(column) = \(value)" }

        init(_ column: String, _ value: String, _ fault: String) {
            self.column = column
            self.value = value
            self.fault = fault
        }
    }

    /// The columns that have no affinity, so that every value arrives as the type it has.
    private func reading(_ column: String, _ value: String) throws -> Reading {
        try Shop(
            "CREATE TABLE products(id, name, \"\(column)\"); INSERT INTO products VALUES(7, 'Glen', \(value))"
        ).read()
    }

    @Test(arguments: [
        Case(
            "producer", "CAST(x'41ff42' AS TEXT)", "holds text that is not UTF-8; shown as absent [not-utf8]"),
        Case("producer", "CAST(x'c3' AS TEXT)", "holds text that is not UTF-8; shown as absent [not-utf8]"),
        Case(
            "producer", "CAST(x'eda080' AS TEXT)", "holds text that is not UTF-8; shown as absent [not-utf8]"),
        Case("producer", "CAST(x'c080' AS TEXT)", "holds text that is not UTF-8; shown as absent [not-utf8]"),
        Case(
            "producer", "'a' || char(0) || 'b'", "holds the control character U+0000; shown as absent [nul]"),
        Case(
            "producer", "'a' || char(0x1f)",
            "holds the control character U+001F; shown as absent [control-character]"),
        Case(
            "producer", "char(27) || '[31mred'",
            "holds the control character U+001B; shown as absent [control-character]"),
        Case(
            "producer", "'abcdefghijkl' || char(11)",
            "holds the control character U+000B; shown as absent [control-character]"),
        Case(
            "producer", "'0123456789abcdef' || char(127) || 'x'",
            "holds the control character U+007F; shown as absent [control-character]"),
        Case(
            "producer", "'0123456é' || char(0x85) || 'x'",
            "holds the control character U+0085; shown as absent [control-character]"),
        Case(
            "producer", "'0123456' || char(0x9f)",
            "holds the control character U+009F; shown as absent [control-character]"),
        Case("producer", "x'414243'", "holds a BLOB of 3 bytes, not text; shown as absent [not-text]"),
        Case("bottling_note", "x'00'", "holds a BLOB of 1 bytes, not text; shown as absent [not-text]"),
        Case(
            "tasting_note", "'<p>' || char(8)",
            "holds the control character U+0008; shown as absent [control-character]"),
        Case("fact:Peat", "x'00'", "holds a BLOB of 1 bytes, not text; shown as absent [not-text]"),
        Case(
            "facet:Cask", "char(1)", "holds the control character U+0001; shown as absent [control-character]"
        ),
        Case(
            "note:Serving", "CAST(x'ff' AS TEXT)", "holds text that is not UTF-8; shown as absent [not-utf8]"),
        Case("abv", "'cask'", "holds the text 'cask', not a number; shown as absent [not-a-number]"),
        Case("abv", "'43%'", "holds the text '43%', not a number; shown as absent [not-a-number]"),
        Case("abv", "'43,5'", "holds the text '43,5', not a number; shown as absent [not-a-number]"),
        Case("abv", "'nan'", "holds the text 'nan', not a number; shown as absent [not-a-number]"),
        Case("abv", "'inf'", "holds the text 'inf', not a number; shown as absent [not-a-number]"),
        Case("abv", "'0x10'", "holds the text '0x10', not a number; shown as absent [not-a-number]"),
        Case("abv", "x'00'", "holds a BLOB of 1 bytes, not a number; shown as absent [not-a-number]"),
        Case("abv", "9e999", "holds inf, which is outside 0 to 100; shown as absent [out-of-range]"),
        Case("abv", "-9e999", "holds -inf, which is outside 0 to 100; shown as absent [sentinel]"),
        Case("abv", "'1e999'", "holds inf, which is outside 0 to 100; shown as absent [out-of-range]"),
        Case(
            "abv", "1e20",
            "holds 100000000000000000000, which is outside 0 to 100; shown as absent [out-of-range]"),
        Case("abv", "-1", "holds -1, which is outside 0 to 100; shown as absent [sentinel]"),
        Case("abv", "999", "holds 999, which is outside 0 to 100; shown as absent [out-of-range]"),
        Case("volume_ml", "0", "holds 0, which is outside 0.1 to 10000000; shown as absent [out-of-range]"),
        Case("vintage", "0", "holds 0, which is outside 1000 to 2999; shown as absent [out-of-range]"),
        Case("vintage", "-1", "holds -1, which is outside 1000 to 2999; shown as absent [sentinel]"),
        Case("vintage", "1999.5", "holds 1999.5, not a whole number; shown as absent [not-a-number]"),
        Case("age", "-1", "holds -1, which is outside 0 to 200; shown as absent [sentinel]"),
        Case("age", "'old'", "holds the text 'old', not a number; shown as absent [not-a-number]"),
        Case("age", "'a' || char(0)", "holds the control character U+0000; shown as absent [nul]"),
        Case("stock", "-1", "holds -1, which is outside 0 to 2147483647; shown as absent [sentinel]"),
        Case(
            "featured", "1e300",
            "holds 1\(String(repeating: "0", count: 59))…, which is outside 0 to 1000000; shown as absent [out-of-range]"
        ),
        Case(
            "price_minor", "9007199254740993",
            "holds 9007199254740993, which is outside 0 to 9007199254740992; shown as absent [out-of-range]"),
        Case(
            "price_minor", "'9007199254740993'",
            "holds 9007199254740993, which is outside 0 to 9007199254740992; shown as absent [out-of-range]"),
        Case(
            "price_minor", "9223372036854775807",
            "holds 9223372036854775807, which is outside 0 to 9007199254740992; shown as absent [out-of-range]"
        ),
        Case(
            "price_minor", "-1",
            "holds -1, which is outside 0 to 9007199254740992; shown as absent [sentinel]"),
        Case("price_minor", "12.5", "holds 12.5, not a whole number; shown as absent [not-a-number]"),
        Case("price", "-1", "holds -1, which is below zero; shown as absent [sentinel]"),
        Case("price", "'1,50'", "holds '1,50', not an amount such as 12.50; shown as absent [not-a-number]"),
        Case("price", "9e999", "holds 'inf', not an amount such as 12.50; shown as absent [not-a-number]"),
        Case(
            "price", "90071992547409.93",
            "holds '90071992547409.94', which is too large an amount; shown as absent [out-of-range]"),
        Case("price", "x'31'", "holds a BLOB of 1 bytes, not text; shown as absent [not-text]"),
        Case(
            "sale_price", "'free'",
            "holds 'free', not an amount such as 12.50; shown as absent [not-a-number]"),
        Case(
            "currency", "'pounds'", "holds 'pounds', not a code such as GBP; shown as absent [not-a-currency]"
        ),
        Case(
            "bottled", "'2000-02-30'",
            "holds '2000-02-30', not a date such as 1999, 2000-03 or 2000-03-17; shown as absent [not-a-date]"
        ),
        Case(
            "created", "1584403200",
            "holds '1584403200', not a date such as 1999, 2000-03 or 2000-03-17; shown as absent [not-a-date]"
        ),
        Case("updated", "x'00'", "holds a BLOB of 1 bytes, not text; shown as absent [not-text]"),
        Case(
            "gtin", "'4006381333932'",
            "holds '4006381333932', not a GTIN with a right check digit; shown as absent [not-a-gtin]"),
        Case(
            "gtin", "'123'", "holds '123', not a GTIN with a right check digit; shown as absent [not-a-gtin]"),
        Case(
            "gtin", "'0000000000000'",
            "holds '0000000000000', not a GTIN with a right check digit; shown as absent [not-a-gtin]"),
        Case(
            "gtin", "'４006381333931'",
            "holds '４006381333931', not a GTIN with a right check digit; shown as absent [not-a-gtin]"),
        Case("colour", "'red'", "holds 'red', not a colour such as #b9772e; shown as absent [not-a-colour]"),
        Case(
            "colour", "'#12345g'",
            "holds '#12345g', not a colour such as #b9772e; shown as absent [not-a-colour]"),
        Case(
            "availability", "'perhaps'",
            "holds 'perhaps', not a word such as in-stock or sold-out; shown as absent [not-an-availability]"),
        Case(
            "producer", "'x' || printf('%.*c', 100, 'y') || char(2)",
            "holds the control character U+0002; shown as absent [control-character]"),
        Case(
            "created", "printf('%.*c', 1000, 'y')",
            "holds '\(String(repeating: "y", count: 60))…', not a date such as 1999, 2000-03 or 2000-03-17; shown as absent [not-a-date]"
        ),
    ])
    func isReportedAndShownAsAbsent(_ c: Case) throws {
        let reading = try reading(c.column, c.value)
        #expect(reading.faults == ["products, row 7, column '\(c.column)': warning: \(c.fault)"])
        #expect("\(reading.products)" == "\([Product(id: .integer(7), name: "Glen")])")
        // The survey reads on as well.
        let shop = try Shop(
            "CREATE TABLE products(id, name, \"\(c.column)\"); INSERT INTO products VALUES(7, 'Glen', \(c.value))"
        )
        #expect(try shop.read([:], .survey).ids == [.integer(7)])
    }

    @Test(arguments: [
        "sku", "gtin", "slug", "producer", "age", "vintage", "bottled", "abv", "volume_ml", "price",
        "price_minor", "sale_price",
        "sale_price_minor", "currency", "availability", "stock", "summary", "bottling_note", "tasting_note",
        "nose", "colour",
        "featured", "created", "updated", "picture", "category_id", "fact:A", "facet:B", "note:C",
    ])
    func emptyTextAndNullAreAbsent(_ column: String) throws {
        for value in ["NULL", "''", "' '", "char(10) || ' '"]
        where column != "category_id" || !value.contains(" ") {
            let reading = try reading(column, value)
            #expect(reading.faults == [])
            #expect("\(reading.products)" == "\([Product(id: .integer(7), name: "Glen")])", "\(value)")
        }
    }

    @Test func namesOfTheRowAndTableAreThoseOfTheSource() throws {
        let shop = try Shop(
            """
            INSERT INTO products(id, name) VALUES(7, 'a'), (8, 'b');
            INSERT INTO reviews VALUES(1, 8, 11, x'00', 'soon', char(7), 'ok', NULL);
            INSERT INTO facts VALUES(8, 1, 'a', x'00'); INSERT INTO facets VALUES(8, CAST(x'ff' AS TEXT), 'b');
            INSERT INTO pictures VALUES(8, 1, x'00', NULL, NULL), (8, 2, 'a.jpg', NULL, char(7));
            INSERT INTO product_categories VALUES(8, x'00', 0);
            """, schema: true)
        let reading = try shop.read()
        #expect(
            reading.faults == [
                "product_categories, row 8, column 'category_id': warning: holds a BLOB of 1 bytes, not text; shown as absent [not-text]",
                "facts, row 8, column 'value': warning: holds a BLOB of 1 bytes, not text; shown as absent [not-text]",
                "facets, row 8, column 'facet': warning: holds text that is not UTF-8; shown as absent [not-utf8]",
                "pictures, row 8, column 'file': warning: holds a BLOB of 1 bytes, not text; shown as absent [not-text]",
                "pictures, row 8, column 'alt': warning: holds the control character U+0007; shown as absent [control-character]",
                "reviews, row 8, column 'rating': warning: holds 11, which is outside 0 to 5; shown as absent [out-of-range]",
                "reviews, row 8, column 'author': warning: holds a BLOB of 1 bytes, not text; shown as absent [not-text]",
                "reviews, row 8, column 'title': warning: holds the control character U+0007; shown as absent [control-character]",
                "reviews, row 8, column 'date': warning: holds 'soon', not a date such as 1999, 2000-03 or 2000-03-17; shown as absent [not-a-date]",
            ])
        #expect(reading.products.last?.reviews.first?.body == "ok")
        #expect(reading.entries.first?.faults.isEmpty == true)
    }

    /// A name that moves the cursor must not reach the terminal, neither as a value nor as a key (S25).
    @Test func escapesDoNotReachTheTerminal() throws {
        let shop = try Shop(
            "CREATE TABLE products(id, name, created); INSERT INTO products VALUES('a' || char(0x202E) || 'b', 'x', 'no' || char(0x2028))"
        )
        let faults = try shop.read().faults
        #expect(
            faults == [
                "products, row a\\u{202e}b, column 'created': warning: holds 'no', not a date such as 1999, 2000-03 or 2000-03-17; shown as absent [not-a-date]"
            ])
    }

    @Test(arguments: [
        ("abv", "'43.5'", "4350"), ("abv", "' 43 '", "4300"), ("abv", "'4.3e1'", "4300"), ("abv", "0", "0"),
        ("abv", "100", "10000"),
    ])
    func textThatIsANumberIsOne(_ column: String, _ value: String, _ expected: String) throws {
        #expect(try reading(column, value).products.first?.abv == Int(expected))
    }

    @Test(arguments: [
        ("'12'", Age.years(12)), ("12", .years(12)), ("12.0", .years(12)), ("0", .years(0)),
        ("'NAS'", .noStatement), ("' nas '", .noStatement),
        ("'No age statement'", .noStatement),
    ])
    func anAgeIsYearsOrNone(_ value: String, _ age: Age) throws {
        let reading = try reading("age", value)
        #expect(reading.products.first?.age == age)
        #expect(reading.faults == [])
    }

    @Test(arguments: [
        ("4006381333931", "4006381333931"), ("'4006381333931'", "4006381333931"),
        ("'4-006381-333931'", "4006381333931"),
        ("'96385074'", "96385074"), ("'036000291452'", "036000291452"),
        ("'00012345600012'", "00012345600012"),
    ])
    func aGTINMayHaveHyphens(_ value: String, _ gtin: String) throws {
        #expect(try reading("gtin", value).products.first?.gtin == gtin)
    }

    @Test func numbersInTextColumnsAreText() throws {
        #expect(try reading("sku", "12345").products.first?.sku == "12345")
        #expect(try reading("sku", "1e-5").products.first?.sku == "0.00001")
        #expect(try reading("bottled", "1999").products.first?.bottled == PartialDate(year: 1999))
    }

    @Test func aByteOrderMarkIsDropped() throws {
        #expect(try reading("producer", "char(0xFEFF) || 'Ord'").products.first?.producer == "Ord")
        #expect(try reading("producer", "char(0xFEFF)").products.first?.producer == nil)
    }

    @Test func readsUTF16() throws {
        let text = "Größe 山崎 😀 \u{2013} long enough to leave the small string"
        for encoding in ["UTF-16le", "UTF-16be"] {
            let shop = try Shop(
                "PRAGMA encoding = '\(encoding)'; CREATE TABLE products(id, name, bottling_note); INSERT INTO products VALUES('é', '\(text)', '\(text)')"
            )
            let reading = try shop.read()
            #expect(reading.products.first?.name == text)
            #expect(reading.products.first?.bottlingNote?.text == text)
            #expect(reading.ids == [.text("é")])
        }
    }
}

@Suite struct CollapsedTests {
    @Test(arguments: [
        ("a", "a"), ("a b", "a b"), ("é ü", "é ü"), (" a", "a"), ("a ", "a"), ("a  b", "a b"),
        ("a\n\tb\r\n", "a b"),
        ("a\u{3000}b", "a b"), ("a\u{2003}\u{2003}b", "a b"), ("\u{2028}a\u{2029}", "a"),
        ("a\u{1680}b\u{205F}", "a b"),
        ("so\u{AD}da", "soda"), ("a\u{A0}b", "a\u{A0}b"), ("5\u{202F}%", "5\u{202F}%"), ("a – b", "a – b"),
        ("£5", "£5"),
        ("山\u{3000}崎 ウ", "山 崎 ウ"), ("a \u{AD} b", "a b"), ("\u{A0}", "\u{A0}"), ("E", "E"),
    ])
    func leavesOneSpaceBetweenWords(_ text: String, _ line: String) {
        #expect(text.collapsed == line)
        #expect(line.collapsed == line)
    }

    @Test(arguments: ["", " ", "\n\t ", "\u{3000}\u{2003}", "\u{AD}", " \u{AD} "])
    func isNilWhenNothingIsLeft(_ text: String) { #expect(text.collapsed == nil) }
}
