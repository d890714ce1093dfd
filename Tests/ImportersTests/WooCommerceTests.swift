import TestSupport
import Testing

@testable import Importers

@Suite struct WooCommerceTests {
    /// The heading of an export, as WooCommerce writes it.
    static let heading =
        "ID,Type,SKU,Name,Published,\"Is featured?\",\"Visibility in catalog\",\"Short description\",Description,"
        + "\"Date sale price starts\",\"Date sale price ends\",\"Tax status\",\"Tax class\",\"In stock?\",Stock,"
        + "\"Backorders allowed?\",\"Sold individually?\",\"Weight (lbs)\",\"Length (in)\",\"Width (in)\",\"Height (in)\","
        + "\"Allow customer reviews?\",\"Purchase note\",\"Sale price\",\"Regular price\",Categories,Tags,"
        + "\"Shipping class\",Images,\"Download limit\",\"Download expiry days\",Parent,\"Grouped products\",Upsells,"
        + "Cross-sells,\"External URL\",\"Button text\",Position,\"Attribute 1 name\",\"Attribute 1 value(s)\","
        + "\"Attribute 1 visible\",\"Attribute 1 global\",\"Attribute 2 name\",\"Attribute 2 value(s)\","
        + "\"Attribute 2 visible\",\"Attribute 2 global\",\"Meta: _wpcom_is_markdown\",\"Download 1 name\","
        + "\"Download 1 URL\",\"Download 2 name\",\"Download 2 URL\"\n"

    private static let names = heading.dropLast().split(separator: ",", omittingEmptySubsequences: false).map
    {
        String($0).replacing("\"", with: "")
    }

    static func row(_ cells: KeyValuePairs<String, String>) -> String {
        var out = [String](repeating: "", count: names.count)
        for (name, text) in cells {
            guard let i = names.firstIndex(of: name) else { preconditionFailure("no column \(name)") }
            out[i] =
                text.contains { ",\"\n".contains($0) } ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
        }
        return out.joined(separator: ",") + "\n"
    }

    static let products =
        heading
        // The variation before its parent, and a group before its members.
        + row([
            "ID": "61", "Type": "variation", "SKU": "hat-blue", "Name": "Hat - Blue", "Published": "1",
            "In stock?": "1",
            "Stock": "4", "Regular price": "18", "Sale price": "16.50", "Parent": "hat",
            "Attribute 1 name": "Colour",
            "Attribute 1 value(s)": "Blue",
        ])
        + row([
            "ID": "70", "Type": "grouped", "SKU": "set", "Name": "Winter Set", "Published": "1",
            "Categories": "Sets",
            "Grouped products": "hat, id:80", "In stock?": "1",
        ])
        + row([
            "ID": "60", "Type": "variable", "SKU": "hat", "Name": "Hat", "Published": "1",
            "Is featured?": "1",
            "Short description": "A <b>warm</b> hat.", "Description": "Wool.\\n\\nDry clean \"only\".",
            "In stock?": "1",
            "Categories": "Clothing > Hats, Gifts\\, small > Under 20", "Tags": "wool, winter",
            "Images":
                "https://shop.example/wp-content/uploads/2026/01/hat.jpg, https://shop.example/wp-content/uploads/2026/01/hat-2.jpg",
            "Attribute 1 name": "Colour", "Attribute 1 value(s)": "Blue, Red", "Attribute 1 visible": "1",
            "Attribute 2 name": "Lining", "Attribute 2 value(s)": "Silk", "Attribute 2 visible": "0",
        ])
        + row([
            "ID": "62", "Type": "variation", "SKU": "hat-red", "Name": "Hat - Red", "Published": "1",
            "In stock?": "0",
            "Stock": "0", "Regular price": "17", "Parent": "id:60", "Attribute 1 name": "Colour",
            "Attribute 1 value(s)": "Red",
        ])
        + row([
            "ID": "80", "Type": "simple", "SKU": "scarf", "Name": "Scarf", "Published": "1", "In stock?": "0",
            "Regular price": "25.00", "Categories": "Clothing",
        ])
        + row([
            "ID": "81", "Type": "simple, virtual", "SKU": "card", "Name": "Card", "Published": "0",
            "Regular price": "5",
        ])

    @Test func readsSimpleVariableAndGroupedProducts() throws {
        let bench = try Workbench()
        let report = try bench.take(("wc-product-export.csv", Self.products))
        #expect(bench.log == [])
        expect(report, new: 3)
        #expect(report.files[0].leftOut.map { "\($0.count) \($0.reason)" } == ["1 not published"])
        #expect(
            try bench.rows(
                "SELECT id, sku, name, price_minor, sale_price_minor, stock, availability, featured FROM products ORDER BY id"
            )
                == [
                    "60|hat|Hat|1800|1650|4|NULL|1", "70|set|Winter Set|2500|NULL|NULL|in-stock|NULL",
                    "80|scarf|Scarf|2500|NULL|NULL|sold-out|NULL",
                ])
        #expect(
            try bench.rows("SELECT summary, bottling_note FROM products WHERE id = 60")
                == ["A warm hat.|<p>Wool.</p><p>Dry clean &quot;only&quot;.</p>"])
        #expect(
            try bench.rows(
                "SELECT c.name, p.name FROM categories c LEFT JOIN categories p ON p.id = c.parent_id ORDER BY c.id"
            )
                == [
                    "Sets|NULL", "Clothing|NULL", "Hats|Clothing", "Gifts, small|NULL",
                    "Under 20|Gifts, small",
                ])
        #expect(
            try bench.rows(
                "SELECT c.name FROM product_categories x JOIN categories c ON c.id = x.category_id WHERE product_id = 60 ORDER BY x.position"
            )
                == ["Hats", "Under 20"])
        #expect(
            try bench.rows("SELECT facet, value FROM facets WHERE product_id = 60 ORDER BY 1, 2")
                == ["Colour|Blue", "Colour|Red", "Tag|winter", "Tag|wool"])
        #expect(try bench.rows("SELECT name, value FROM facts") == ["Contains|Hat, Scarf"])
        #expect(
            try bench.rows("SELECT file FROM pictures ORDER BY position")
                == [
                    "shop.example/wp-content/uploads/2026/01/hat.jpg",
                    "shop.example/wp-content/uploads/2026/01/hat-2.jpg",
                ])
        let rows = try bench.dump()
        expect(try bench.run(["wc-product-export.csv"]), same: 3)
        #expect(try bench.dump() == rows)
    }

    @Test func variationsWithoutTheirParentAreNamed() throws {
        let bench = try Workbench()
        let report = try bench.take(
            (
                "a.csv",
                Self.heading
                    + Self.row([
                        "ID": "1", "Type": "variation", "Name": "Lost", "Published": "1", "Parent": "id:99",
                        "Regular price": "3",
                    ])
                    + Self.row([
                        "ID": "2", "Type": "simple", "Name": "Found", "Published": "1", "Regular price": "x",
                    ])
                    + Self.row(["ID": "two", "Type": "simple", "Name": "Wordy", "Published": "1"])
            ))
        expect(report, refused: 3)
        #expect(
            bench.log == [
                "a.csv:3:38: error: 'Regular price' is 'x', not a price [import-value]",
                "a.csv:4:1: error: 'ID' is 'two', not a whole number; map it to 'sku' [import-value]",
                "a.csv:2:1: error: no row of the file is 'id:99', the parent of this variation [import-row]",
            ])
    }

    @Test func anotherProductOfTheSameNumberIsNotOverwritten() throws {
        let bench = try Workbench()
        try bench.take(("a.csv", "id,sku,name\n80,OTHER,Other\n"))
        let report = try bench.take(("b.csv", Self.products))
        expect(report, new: 2, refused: 1)
        #expect(
            bench.log.first?.hasSuffix(
                "with another sku; choose what tells products apart with --key sku, or change one of the numbers [import-other-product]"
            ) == true)
        bench.options.key = "sku"
        expect(try bench.run(["b.csv"]), new: 3)
        // By its sku the scarf is new, and gets a number that is free.
        #expect(
            try bench.rows("SELECT id, name FROM products ORDER BY id")
                == ["60|Hat", "70|Winter Set", "80|Other", "81|Scarf"])
        expect(try bench.run(["b.csv"]), same: 3)
    }

    @Test func pricesWithADecimalComma() throws {
        let bench = try Workbench()
        try bench.take(
            (
                "a.csv",
                Self.heading
                    + Self.row([
                        "ID": "1", "Type": "simple", "Name": "A", "Published": "1",
                        "Regular price": "1.250,00",
                    ])
                    + Self.row([
                        "ID": "2", "Type": "simple", "Name": "B", "Published": "1", "Regular price": "3,5",
                    ])
            ))
        #expect(try bench.rows("SELECT price_minor FROM products") == ["125000", "350"])
    }
}
