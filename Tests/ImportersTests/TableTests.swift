import Basics
import Formats
import Model
import TestSupport
import Testing

@testable import Importers

@Suite struct TableTests {
    private static let wine = """
        Artikelnummer;Bezeichnung;Preis;Warengruppe;Jahrgang;EAN;Alkohol;Füllmenge;Lagerort
        007;Gewürztraminer "trocken";12,50;Wein > Weiß|Angebot;2019;4006381333931;12,5 %;0,75;X1
        A-2;"Sekt
        brut";1.234,00;Wein > Schaumwein;NV;4006381333930;;20 cl;X2

        """

    private func expectWine(_ bench: Workbench) throws {
        #expect(
            try bench.rows(
                "SELECT sku, name, price_minor, vintage, gtin, abv, volume_ml FROM products ORDER BY id")
                == [
                    "007|Gewürztraminer \"trocken\"|1250|2019|4006381333931|12.5|750.0",
                    "A-2|Sekt brut|123400|NULL|4006381333930|NULL|200.0",
                ])
        #expect(
            try bench.rows(
                "SELECT c.name, p.name FROM categories c LEFT JOIN categories p ON p.id = c.parent_id ORDER BY c.id"
            )
                == ["Wein|NULL", "Weiß|Wein", "Angebot|NULL", "Schaumwein|Wein"])
    }

    @Test func tellsEverythingByLooking() throws {
        let bench = try Workbench()
        let report = try bench.take(("wein.csv", Self.wine))
        expect(report, new: 2)
        #expect(report.files[0].description == "products, UTF-8, semicolon, decimal comma, volumes in litres")
        try expectWine(bench)
        #expect(
            bench.log == [
                "wein.csv:1:1: warning: column 'Lagerort' is left out; to take it say --map 'Lagerort=fact:Lagerort', else --map 'Lagerort=' [import-column]",
                "wein.csv:4:34: warning: 'Jahrgang' is 'NV', not a whole number; left empty [import-cell]",
                "wein.csv:4:37: warning: 'EAN' is '4006381333930', whose check digit or length is wrong; pages leave it out [import-gtin]",
            ])
    }

    struct Encoded: CustomTestStringConvertible, Sendable {
        let name: String
        let encode: @Sendable (String) -> [UInt8]
        var testDescription: String { name }
    }

    @Test(arguments: [
        Encoded(name: "UTF-8 with mark") { [0xEF, 0xBB, 0xBF] + Array($0.utf8) },
        Encoded(name: "UTF-16LE") {
            [0xFF, 0xFE] + $0.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        },
        Encoded(name: "UTF-16BE") {
            [0xFE, 0xFF] + $0.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        },
        // All of its letters are in Latin-1, where windows-1252 is the same.
        Encoded(name: "Latin-1") { $0.unicodeScalars.map { UInt8($0.value) } },
        Encoded(name: "CR LF") { Array($0.replacing("\n", with: "\r\n").utf8) },
        Encoded(name: "CR") { Array($0.replacing("\n", with: "\r").utf8) },
    ])
    func readsEveryEncoding(_ c: Encoded) throws {
        let bench = try Workbench()
        expect(try bench.take("wein.csv", c.encode(Self.wine)), new: 2)
        try expectWine(bench)
    }

    @Test func readsCyrillicOfWindows() throws {
        let bench = try Workbench()
        // Артикул;Название;Цена;Страна / К-1;Коньяк старый;1 200,50;Армения in windows-1251.
        let text = "Артикул;Название;Цена;Страна\nК-1;Коньяк старый;1 200,50;Армения\n"
        let bytes: [UInt8] = text.unicodeScalars.map { scalar in
            (0x410...0x44F).contains(scalar.value) ? UInt8(scalar.value - 0x410 + 0xC0) : UInt8(scalar.value)
        }
        bench.options.currency = Currency("RUB")
        let report = try bench.take("tovary.csv", bytes)
        #expect(report.files[0].description == "products, windows-1251, semicolon, decimal comma")
        #expect(
            bench.log == [
                "tovary.csv: warning: the file is not UTF-8 and was read as windows-1251; if letters are wrong, say --encoding NAME [import-encoding]"
            ])
        #expect(
            try bench.rows("SELECT sku, name, price_minor, country FROM products") == [
                "К-1|Коньяк старый|120050|Армения"
            ])
    }

    @Test func bytesThatAreNoCharacterRefuseTheirRow() throws {
        let bench = try Workbench()
        let good = (1...40).map { "\($0),Gin «Été» \($0)\n" }.joined()
        let report = try bench.take(
            "a.csv",
            Array(("sku,name\n" + good).utf8) + Array("41,bro".utf8) + [0xE9] + Array("ken\n42,fine\n".utf8))
        expect(report, new: 41, refused: 1)
        #expect(
            bench.log.last
                == "a.csv:42:4: error: 'name' has bytes that are no character; name the file's encoding with --encoding [text-encoding]"
        )
    }

    @Test func theOptionsWinOverTheLook() throws {
        let bench = try Workbench()
        bench.options.mapping = [
            ("A", "sku"), ("B", "name"), ("c", "price"), ("D", "facet:Cask"), ("E", ""), ("F", "created"),
        ]
        bench.options.delimiter = UInt8(ascii: "!")
        bench.options.decimalMark = .comma
        bench.options.dateOrder = .mdy
        bench.options.currency = Currency("KWD")
        bench.options.valueSeparators = "+"
        try bench.take(("a.csv", "A!B!C!D!E!F\n1!Rain, Gin!1,234!Oak+Port!x!03/04/2020\n"))
        #expect(bench.log == [])
        #expect(
            try bench.rows("SELECT sku, name, price_minor, created FROM products") == [
                "1|Rain, Gin|1234|2020-03-04"
            ])
        #expect(try bench.rows("SELECT facet, value FROM facets") == ["Cask|Oak", "Cask|Port"])
    }

    @Test func aTableWithoutAHeading() throws {
        let bench = try Workbench()
        try bench.folder.write("a.csv", "A-1,Rain Gin,29.00\nA-2,Slate Rum,34.00\n")
        #expect(
            bench.failure("a.csv")
                == "a.csv:1:1: error: no column is known that names the products; say which with --map 'COLUMN=name', --map 'COLUMN=sku' … (columns: '1', '2', '3') [import-map]"
        )
        bench.options.mapping = [("1", "sku"), ("2", "name"), ("3", "price")]
        expect(try bench.run(["a.csv"]), new: 2)
        #expect(
            try bench.rows("SELECT sku, name, price_minor FROM products") == [
                "A-1|Rain Gin|2900", "A-2|Slate Rum|3400",
            ])
    }

    @Test func asksForColumnsThatAreNotKnown() throws {
        let bench = try Workbench()
        bench.answers = ["Cask no.": "fact:Cask number", "Margin": ""]
        try bench.take(("a.csv", "sku,name,Cask no.,Margin,Empty\nA,Rain,17,4,\nB,Slate,18,5,\n"))
        #expect(bench.asked.map(\.column) == ["Cask no.", "Margin"])
        #expect(bench.asked.first?.samples == ["17", "18"])
        #expect(try bench.rows("SELECT name, value FROM facts") == ["Cask number|17", "Cask number|18"])
        #expect(bench.log == [])
    }

    @Test func namesOfFieldsAreChecked() throws {
        let bench = try Workbench()
        try bench.folder.write("a.csv", "sku,name,x\nA,Rain,1\n")
        bench.options.mapping = [("x", "prise")]
        #expect(
            bench.failure("a.csv")
                == "error: 'prise' of --map 'x=prise' is no field of a product; did you mean 'price'? [import-map]"
        )
        bench.options.mapping = [("y", "price")]
        try bench.run(["a.csv"])
        #expect(bench.log.first == "a.csv: warning: no column is named 'y'; did you mean 'x'? [import-map]")
    }

    @Test func wrongRowsAreNamedByLineAndColumn() throws {
        let bench = try Workbench()
        let report = try bench.take(
            (
                "a.csv",
                """
                sku,name,price,created
                A,Rain,12.50,2020-01-01
                B,Slate,12.345,2020-01-01
                C,Moss,-1,2020-01-01
                ,Nothing,1,
                D,"Quo"te,1,
                E,Short
                F,Good,1,03/04/2020
                A,Again,1,
                G,"Never closed,1,2020
                H,Fine,2,2020

                """
            ))
        expect(report, new: 3, refused: 7)
        #expect(
            bench.log == [
                "a.csv:3:9: error: 'price' is '12.345', which is no whole number of the smallest unit of EUR; see --decimal and --currency [import-value]",
                "a.csv:4:8: error: 'price' is '-1', not a price: it is below zero [import-value]",
                "a.csv:5:1: error: no 'sku', which tells the products apart; fill it in, or choose another one with --key [import-value]",
                "a.csv:6:1: error: a quote stands inside a cell [import-row]",
                "a.csv:7:1: error: the row has 2 cells, the heading 4 [import-row]",
                "a.csv:8:10: warning: 'created' is '03/04/2020', of which day and month could be either; say --dates dmy or --dates mdy [import-cell]",
                "a.csv:9:1: error: this product was already in line 2; one row each [import-duplicate]",
                "a.csv:10:1: error: a quote is never closed [import-row]",
            ])
    }

    @Test func strengthsAsFractionsAreTold() throws {
        let bench = try Workbench()
        let rows = (1...12).map { "\($0),Beer \($0),0.0\($0 % 7 + 4)5\n" }.joined()
        let report = try bench.take(("a.csv", "id,name,abv\n" + rows))
        #expect(report.files[0].description.contains("strengths as fractions"))
        #expect(try bench.rows("SELECT abv FROM products WHERE id = 1") == ["5.5"])
    }

    @Test func spreadsheetsAddLinesAndDelimiters() throws {
        let bench = try Workbench()
        bench.options.mapping = [("name,full", "name")]
        expect(try bench.take(("b.csv", "sep=;\r\nsku;name,full\r\nA;Rain;;\r\n;\r\n;;;\r\n")), new: 1)
        #expect(bench.log == [])
        #expect(try bench.rows("SELECT sku, name FROM products") == ["A|Rain"])
    }

    @Test func readsWhatTablesWriteOtherwise() throws {
        let bench = try Workbench()
        let report = try bench.take(
            (
                "a.csv",
                """
                sku,name,Category,Subcategory,Volume,In stock?,Pictures
                A,Rain,Spirits,Gin,0.7,yes,"a.jpg, b.jpg"
                B,Slate,Spirits,,70 cl,no,"one, two.jpg"
                C,Moss,,Perry,,12,

                """
            ))
        #expect(bench.log == [])
        #expect(report.files[0].description == "products, UTF-8, comma, volumes in litres")
        #expect(
            try bench.rows("SELECT volume_ml, stock, availability FROM products")
                == ["700.0|NULL|in-stock", "700.0|NULL|sold-out", "NULL|12|NULL"])
        #expect(
            try bench.rows(
                "SELECT product_id, name FROM product_categories JOIN categories ON id = category_id")
                == ["1|Gin", "2|Spirits"])
        #expect(try bench.rows("SELECT file FROM pictures") == ["a.jpg", "b.jpg", "one, two.jpg"])
    }

    @Test func partialDatesStayPartial() throws {
        let bench = try Workbench()
        try bench.take(("a.csv", "sku,name,bottled\nA,Rain,1999\nB,Slate,2000-03\nC,Moss,17.03.2000\n"))
        #expect(try bench.rows("SELECT bottled FROM products") == ["1999", "2000-03", "2000-03-17"])
    }

    @Test func jsonLinesHaveListsAndObjects() throws {
        let bench = try Workbench()
        let report = try bench.take(
            (
                "a.jsonl",
                """
                {"sku": "A", "name": "Rain Gin", "price": 12.50, "category": ["Spirits > Gin", "Gifts"], "pictures": ["a.jpg", "b.jpg"], "facts": {"Peat": 35}, "facets": {"Cask": ["Oak", "Port"]}}

                {"sku": "B", "name": "Slate", "price": "1.234,50 EUR", "category": [["Spirits", "Rum"]], "producer": null, "odd": true}
                {"sku": "C", "name": "Cut
                {"sku": "D", "name": "Twice", "name": "Twice"}
                ["E"]
                {"sku": "F", "name": "Dear", "price": 1e3}

                """
            ))
        expect(report, new: 2, refused: 4)
        #expect(
            bench.log == [
                "a.jsonl:3:108: warning: 'odd' is no field that is known; left out [import-column]",
                "a.jsonl:4:26: error: a text ends on its line; write '\\n' for a line break, or close the quote [import-row]",
                "a.jsonl:5:31: error: 'name' comes twice in this object; the first is at 1:14 [import-row]",
                "a.jsonl:6:1: error: an object is expected on every line [import-row]",
                "a.jsonl:7:30: error: 'price' is '1e3', not a price [import-value]",
            ])
        bench.options.skipsBad = true
        try bench.run(["a.jsonl"])
        #expect(
            try bench.rows("SELECT sku, price_minor, currency FROM products") == [
                "A|1250|NULL", "B|123450|EUR",
            ])
        #expect(
            try bench.rows("SELECT name FROM categories ORDER BY id") == ["Spirits", "Gin", "Gifts", "Rum"])
        #expect(try bench.rows("SELECT name, value FROM facts") == ["Peat|35"])
        #expect(try bench.rows("SELECT value FROM facets") == ["Oak", "Port"])
        expect(try bench.run(["a.jsonl"]), same: 2, refused: 4)
    }

    @Test func jsonLinesOfReviews() throws {
        let bench = try Workbench()
        try bench.take(("shop.csv", FeedTests.shop))
        let report = try bench.take(
            (
                "r.jsonl",
                "{\"product_sku\": \"A1\", \"rating\": 4.5, \"author\": \"Ann\", \"body\": \"Two\\nlines\"}\n"
            ))
        expect(report, new: 1)
        #expect(try bench.rows("SELECT rating, author, body FROM reviews") == ["4.5|Ann|Two\nlines"])
    }

    @Test func filesThatAreNothingSaySo() throws {
        let bench = try Workbench()
        try bench.folder.write("empty.csv", " \n\n")
        #expect(bench.failure("empty.csv") == "empty.csv: error: the file is empty [import-format]")
        try bench.folder.write("list.json", "[{\"sku\": 1}]")
        #expect(
            bench.failure("list.json")
                == "list.json: error: a JSON list; write one object on each line, as jq -c '.[]' does [import-format]"
        )
        try bench.folder.write("page.xml", "<html><body/></html>")
        #expect(bench.failure("page.xml").hasPrefix("page.xml: error: an XML file without elements named"))
        #expect(bench.failure("gone.csv") == "gone.csv: error: no such file [import-read]")
        #expect(bench.failure(".").hasSuffix("error: is a directory [import-read]"))
        #expect(!bench.isThere)
    }
}
