import Basics
import Database
import Foundation
import TestSupport
import Testing

@testable import Site

/// Where pictures come from: names, folders, cells.
@Suite struct PictureSourceTests {
    static func plain(_ red: UInt8) -> [UInt8] { PNG.make(50, 40) { _, _ in [red, 60, 60] } }

    @Test func filesAndFoldersNamedByTheProduct() throws {
        for (match, keys) in [("sku", ["AB/1", "AB-2", "AB"]), ("id", ["1", "2", "3"])] {
            let shop = try PictureShop(
                settings: "pictures: {match: \(match)}\n",
                database: """
                    INSERT INTO products(id, sku, name) VALUES
                      (1, 'AB-1', 'Product 1'), (2, 'AB-2', 'Product 2'), (3, 'AB', 'Product 3'), (4, 'none', 'Product 4');
                    """)
            let first = match == "sku" ? "AB-1" : keys[0]
            for (name, red) in [
                ("\(first)_10.png", 30), ("\(first).png", 10), ("\(first)_2.png", 20),
                ("\(keys[1])/b.png", 50),
                ("\(keys[1])/a.png", 40), ("\(keys[2]).png", 60),
            ] as [(String, UInt8)] { try shop.folder.write("content/pictures/" + name, Self.plain(red)) }
            let report = try shop.build()
            #expect(report.warnings.isEmpty)
            #expect(report.counts.withoutPicture == 1)
            #expect(try shop.shown(1)[5, 5][0].isNear(10) && shop.shown(2)[5, 5][0].isNear(40))
            #expect(try shop.shown(3)[5, 5][0].isNear(60))
            #expect(try shop.page(1).components(separatedBy: "<li id=\"picture-").count == 4)
            #expect(try shop.page(2).components(separatedBy: "<li id=\"picture-").count == 3)
            // One more is a change of that page.
            try shop.folder.write("content/pictures/\(keys[2])_2.png", Self.plain(70))
            try shop.build()
            #expect(shop.made == 1)
            #expect(try shop.page(3).components(separatedBy: "<li id=\"picture-").count == 3)
            try shop.build(to: "clean")
            #expect(Tree.files(shop.folder.path + "/public") == Tree.files(shop.folder.path + "/clean"))
        }
    }

    @Test func picturesInTheDatabase() throws {
        let shop = try PictureShop(
            settings: """
                products: SELECT id, name, photo AS picture, 1 AS category_id FROM goods
                categories: SELECT id, name, photo AS picture FROM shelves
                pictures: SELECT * FROM photos

                """,
            database: """
                CREATE TABLE goods(id, name, photo); CREATE TABLE shelves(id, name, photo);
                CREATE TABLE photos(product_id, position, data);
                """)
        let connection = try Connection(own: shop.folder.path + "/content/shop.db")
        func insert(_ sql: String, _ bytes: [UInt8]) throws {
            let statement = try connection.prepare(sql)
            statement.bind(1, bytes)
            try statement.run()
        }
        try insert("INSERT INTO goods VALUES(1, 'Product 1', ?)", Self.plain(10))
        // As Access kept them.
        try insert(
            "INSERT INTO goods VALUES(2, 'Product 2', ?)",
            [0x15, 0x1C, 0x2F, 0] + [UInt8](repeating: 1, count: 74) + Self.plain(20))
        try insert("INSERT INTO goods VALUES(3, 'Product 3', ?)", Array("<svg/>".utf8))
        try insert("INSERT INTO photos VALUES(2, 1, ?)", Self.plain(30))
        try insert("INSERT INTO shelves VALUES(1, 'Shelf', ?)", Self.plain(40))
        let report = try shop.build()
        #expect(
            report.warnings.map(\.description) == [
                "product 3 (Product 3): warning: the picture in the database is an SVG, which can hold scripts: only those in "
                    + "the folder 'pictures.trusted_svg' are shown; the placeholder is shown [picture-format]"
            ])
        #expect(shop.made == 4)
        #expect(try shop.shown(1)[5, 5][0].isNear(10) && shop.shown(2)[5, 5][0].isNear(20))
        #expect(try shop.page(2).components(separatedBy: "<li id=\"picture-").count == 3)
        let home = String(decoding: Project.file(shop.folder.path + "/public/index.html"), as: UTF8.self)
        #expect(home.contains("<img src=\"assets/pictures/"))
        try insert("UPDATE goods SET photo = ? WHERE id = 1", Self.plain(90))
        try shop.build()
        #expect(shop.made == 1)
        #expect(try shop.shown(1)[5, 5][0].isNear(90))
        try shop.build(to: "clean")
        #expect(Tree.files(shop.folder.path + "/public") == Tree.files(shop.folder.path + "/clean"))
        // No copies of them are left about.
        #expect(!FileManager.default.fileExists(atPath: shop.folder.path + "/.build-site/pictures/originals"))
    }
}

@Suite struct PictureReportTests {
    @Test func listsMissingBrokenSmallAndUnused() throws {
        let shop = try PictureShop()
        try shop.add("good.png", PNG.make(500, 400) { x, y in [UInt8(x & 0xFF), UInt8(y & 0xFF), 7] })
        try shop.add("small.png", PictureSourceTests.plain(10))
        try shop.add("gone.png")
        try shop.add("broken.png", Array(PictureSourceTests.plain(20).prefix(200)))
        try shop.folder.write("content/pictures/old/left.png", PictureSourceTests.plain(30))
        try shop.database("INSERT INTO categories(id, name, picture) VALUES (7, 'Shelf', 'none.png')")
        let report = try pictureReport(shop.options)
        #expect(
            Set(report.map { "\($0.id) \($0.description.prefix { $0 != ":" })" }) == [
                "small-picture product 2 (Product 2)", "missing-picture product 3 (Product 3)",
                "picture-broken product 4 (Product 4)", "unused-picture pictures/old/left.png",
                "missing-picture categories, row 7, column 'picture'",
            ])
        #expect(report.count == 5)
        #expect(!FileManager.default.fileExists(atPath: shop.folder.path + "/public"))
        // A build finds what the report has made.
        try shop.build()
        #expect(shop.made == 0)
    }
}

extension Int {
    fileprivate func isNear(_ other: Int) -> Bool { abs(self - other) <= 6 }
}
