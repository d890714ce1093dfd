import TestSupport
import Testing

@testable import Importers

@Suite struct ShopifyTests {
    /// The heading of an export of before 2025, as Shopify writes it.
    static let heading =
        "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,"
        + "Option3 Name,Option3 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,"
        + "Variant Inventory Policy,Variant Fulfillment Service,Variant Price,Variant Compare At Price,"
        + "Variant Requires Shipping,Variant Taxable,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,"
        + "SEO Title,SEO Description,Google Shopping / Google Product Category,Google Shopping / Gender,"
        + "Google Shopping / Age Group,Google Shopping / MPN,Google Shopping / AdWords Grouping,"
        + "Google Shopping / AdWords Labels,Google Shopping / Condition,Google Shopping / Custom Product,"
        + "Google Shopping / Custom Label 0,Google Shopping / Custom Label 1,Google Shopping / Custom Label 2,"
        + "Google Shopping / Custom Label 3,Google Shopping / Custom Label 4,Variant Image,Variant Weight Unit,"
        + "Variant Tax Code,Cost per item\n"

    private static let names = heading.dropLast().split(separator: ",", omittingEmptySubsequences: false).map(
        String.init)

    /// A row with these cells, the others empty.
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
        + row([
            "Handle": "slate-rum", "Title": "Slate Rum", "Body (HTML)": "<p>Tar, \"rope\"\nand lime.</p>",
            "Vendor": "Wet Rope",
            "Type": "Spirits > Rum", "Tags": "aged, island", "Published": "TRUE", "Option1 Name": "Size",
            "Option1 Value": "70 cl",
            "Variant SKU": "SR-70", "Variant Inventory Tracker": "shopify", "Variant Inventory Qty": "3",
            "Variant Inventory Policy": "deny", "Variant Price": "34.00", "Variant Compare At Price": "39.00",
            "Variant Barcode": "'4006381333931",
            "Image Src": "https://cdn.shopify.example/s/files/1/slate-front.jpg?v=1",
            "Image Position": "2", "Image Alt Text": "Front", "SEO Description": "A rum of slate.",
        ])
        + row([
            "Handle": "slate-rum", "Option1 Value": "20 cl", "Variant SKU": "SR-20",
            "Variant Inventory Tracker": "shopify",
            "Variant Inventory Qty": "-1", "Variant Inventory Policy": "deny", "Variant Price": "12.00",
            "Variant Compare At Price": "",
            "Image Src": "https://cdn.shopify.example/s/files/1/slate-back.jpg?v=1",
            "Image Position": "1",
        ])
        + row([
            "Handle": "slate-rum", "Image Src": "https://cdn.shopify.example/s/files/1/slate-box.jpg",
            "Image Position": "3",
        ])
        + row([
            "Handle": "rain-gin", "Title": "Rain Gin", "Vendor": "Wet Rope", "Type": "Gin",
            "Published": "TRUE",
            "Option1 Name": "Title", "Option1 Value": "Default Title", "Variant SKU": "RG",
            "Variant Price": "29.00",
            "Variant Compare At Price": "35.00", "Variant Inventory Policy": "deny",
            "Variant Barcode": "4006381333931",
        ])
        + row([
            "Handle": "hidden-gin", "Title": "Hidden Gin", "Published": "FALSE", "Option1 Name": "Title",
            "Option1 Value": "Default Title", "Variant Price": "1.00",
        ])

    @Test func variantsBecomeOneProduct() throws {
        let bench = try Workbench()
        let report = try bench.take(("products_export.csv", Self.products))
        expect(report, new: 2)
        #expect(report.files[0].description == "Shopify products, UTF-8, comma")
        #expect(report.files[0].leftOut.map { "\($0.count) \($0.reason)" } == ["1 not published"])
        #expect(bench.log == [])
        #expect(
            try bench.rows(
                "SELECT slug, name, producer, sku, gtin, price_minor, sale_price_minor, stock, availability, summary FROM products"
            )
                == [
                    "slate-rum|Slate Rum|Wet Rope|SR-70|NULL|1200|NULL|3|NULL|A rum of slate.",
                    "rain-gin|Rain Gin|Wet Rope|RG|4006381333931|3500|2900|NULL|in-stock|NULL",
                ])
        #expect(
            try bench.rows("SELECT bottling_note FROM products WHERE id = 1") == [
                "<p>Tar, \"rope\"\nand lime.</p>"
            ])
        #expect(
            try bench.rows("SELECT facet, value FROM facets WHERE product_id = 1 ORDER BY 1, 2")
                == ["Size|20 cl", "Size|70 cl", "Tag|aged", "Tag|island"])
        #expect(try bench.rows("SELECT count(*) FROM facets WHERE product_id = 2") == ["0"])
        #expect(
            try bench.rows("SELECT position, file, alt FROM pictures WHERE product_id = 1 ORDER BY 1")
                == [
                    "0|cdn.shopify.example/s/files/1/slate-back.jpg|NULL",
                    "1|cdn.shopify.example/s/files/1/slate-front.jpg|Front",
                    "2|cdn.shopify.example/s/files/1/slate-box.jpg|NULL",
                ])
        #expect(
            try bench.rows("SELECT file, url FROM picture_sources WHERE file LIKE '%front%'")
                == [
                    "cdn.shopify.example/s/files/1/slate-front.jpg|https://cdn.shopify.example/s/files/1/slate-front.jpg?v=1"
                ])
        #expect(
            try bench.rows(
                "SELECT c.name, p.name FROM categories c LEFT JOIN categories p ON p.id = c.parent_id ORDER BY c.id"
            )
                == ["Spirits|NULL", "Rum|Spirits", "Gin|NULL"])
        #expect(report.addressCount == 3)
    }

    @Test func importingAgainChangesNothing() throws {
        let bench = try Workbench()
        try bench.take(("a.csv", Self.products))
        let (rows, bytes) = (try bench.dump(), bench.bytes)
        let again = try bench.run(["a.csv"])
        expect(again, same: 2)
        #expect(try bench.dump() == rows)
        #expect(bench.bytes == bytes)
        #expect(again.addressCount == 0)
    }

    @Test func whatIsTakenFromAProductGoes() throws {
        let bench = try Workbench()
        try bench.take(("a.csv", Self.products))
        let fewer =
            Self.heading
            + Self.row([
                "Handle": "slate-rum", "Title": "Slate Rum", "Published": "TRUE", "Option1 Name": "Title",
                "Option1 Value": "Default Title", "Variant Price": "34.00",
                "Variant Inventory Policy": "deny",
            ])
        expect(try bench.take(("b.csv", fewer)), changed: 1)
        #expect(try bench.rows("SELECT count(*) FROM facets WHERE product_id = 1") == ["0"])
        #expect(try bench.rows("SELECT count(*) FROM pictures WHERE product_id = 1") == ["0"])
        #expect(
            try bench.rows("SELECT producer, price_minor, stock FROM products WHERE id = 1") == [
                "NULL|3400|NULL"
            ])
        #expect(try bench.rows("SELECT count(*) FROM products") == ["2"])
    }

    @Test func readsTheHeadingOfNewerExports() throws {
        let bench = try Workbench()
        try bench.take(
            (
                "new.csv",
                """
                Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,Status,SKU,Barcode,Option1 name,Option1 value,Price,Compare-at price,Inventory quantity,Continue selling when out of stock,Product image URL,Image position,Image alt text,Peat (product.metafields.custom.peat)
                Slate Rum,slate-rum,<p>Tar</p>,Wet Rope,Food > Drinks > Rum,,aged,TRUE,Active,SR,,Size,70 cl,34.00,,0,TRUE,,,,35 ppm
                Old Rum,old-rum,,Wet Rope,,Rum,,TRUE,Archived,OR,,Title,Default Title,30.00,,1,DENY,,,,

                """
            ))
        #expect(
            try bench.rows("SELECT slug, name, sku, price_minor, stock, availability FROM products")
                == ["slate-rum|Slate Rum|SR|3400|0|in-stock"])
        #expect(try bench.rows("SELECT name FROM categories") == ["Food", "Drinks", "Rum"])
        #expect(try bench.rows("SELECT name, value FROM facts") == ["Peat|35 ppm"])
    }

    @Test func brokenRowsAreNamedAndNothingIsWritten() throws {
        let bench = try Workbench()
        let text =
            Self.products
            + Self.row(["Handle": "dear", "Title": "Dear", "Published": "TRUE", "Variant Price": "much"])
            + Self.row(["Handle": "", "Title": "Nameless"])
            + "cut,off\n"
            + Self.row([
                "Handle": "slate-rum", "Title": "Slate again", "Published": "TRUE", "Variant Price": "1.00",
            ])
            + Self.row(["Handle": "untitled", "Published": "TRUE", "Variant Price": "2.00"])
        let report = try bench.take(("a.csv", text))
        expect(report, new: 2, refused: 5)
        #expect(!report.isWritten)
        #expect(!bench.isThere)
        #expect(
            bench.log == [
                "a.csv:9:1: error: the row has no handle [import-row]",
                "a.csv:10:1: error: the row has 2 cells, the heading 47 [import-row]",
                "a.csv:8:32: error: 'Variant Price' is 'much', not a price in EUR [import-value]",
                "a.csv:11:1: error: this product was already in line 2; one row each [import-duplicate]",
                "a.csv:12:1: error: the product is new and has no name; fill it in, or map a column to 'name' [import-value]",
            ])
        bench.options.skipsBad = true
        #expect(try bench.run(["a.csv"]).isWritten)
        #expect(try bench.rows("SELECT count(*) FROM products") == ["2"])
    }
}
