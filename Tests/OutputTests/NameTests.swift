import Basics
import Database
import Formats
import Glibc
import TestSupport
import Testing

@testable import Site

/// S34: whatever a row is called, its files are inside the output, distinct and plainly named.
@Suite struct NameTests {
    enum Role: String, CaseIterable, Sendable { case slug, id, product, category, facet, customer, picture }

    static let names: [String] = {
        let source = SourceText(file: "names.json", text: Project.text(of: "Tests/Corpora/paths/names.json"))
        let reader = JSONReader(source)
        return try! reader.value(JSON.read(source)).elements().map { $0.text()! }
    }()

    private func isControl(_ scalar: Unicode.Scalar) -> Bool {
        ![0x09, 0x0A, 0x0D].contains(scalar.value)
            && (scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value))
    }

    @Test(arguments: Role.allCases)
    func s34HostileNamesGiveDistinctFilesInside(_ role: Role) throws {
        let site = try TestSite(products: 1, customers: false)
        #expect(Self.names.count == 134)
        try site.sql("DELETE FROM products; DELETE FROM product_categories; DELETE FROM categories")
        let connection = try Connection(own: site.root + "/site/content/shop.db")
        try connection.execute("BEGIN")
        if role == .id {
            try connection.execute(
                "DROP TABLE products; CREATE TABLE products(id TEXT, name TEXT, slug TEXT, producer TEXT)")
        }
        try connection.execute("CREATE TABLE pictures(product_id, position, file TEXT, alt TEXT)")
        // A product's id that is empty or holds controls is an error. Two customers' ids that only differ in how their
        // accents are composed are one.
        let names =
            role == .id
            ? Self.names.filter { !$0.isEmpty && !$0.unicodeScalars.contains(where: isControl) } : Self.names
        let customers = Set(Self.names.filter { !$0.isEmpty })
        for (i, name) in names.enumerated() {
            let product = try connection.prepare(
                "INSERT INTO products(id, name, slug, producer) VALUES (?, ?, ?, ?)")
            if role == .id { product.bind(1, name) } else { product.bind(1, Int64(i + 1)) }
            product.bind(2, role == .product ? name : "Malt")
            if role == .slug { product.bind(3, name) }
            if role == .facet { product.bind(4, name) }
            try product.run()
            if role == .category {
                let category = try connection.prepare("INSERT INTO categories VALUES (?, NULL, ?)")
                category.bind(1, Int64(i + 1))
                category.bind(2, name)
                try category.run()
                try connection.execute("INSERT INTO product_categories VALUES (\(i + 1), \(i + 1))")
            }
            if role == .picture {
                let picture = try connection.prepare("INSERT INTO pictures VALUES (?, 0, ?, 'x')")
                picture.bind(1, Int64(i + 1))
                picture.bind(2, name)
                try picture.run()
            }
        }
        try connection.execute("COMMIT")
        if role == .customer {
            var writer = JSONWriter()
            writer.object { writer in
                writer.key("version")
                writer.value(1)
                writer.key("customers")
                writer.array { writer in
                    for name in customers.sorted() {
                        writer.object { writer in
                            writer.key("id")
                            writer.value(name)
                        }
                    }
                }
            }
            site.write("site/content/lists.json", String(decoding: writer.bytes, as: UTF8.self))
        }
        site.makeFolder("site/content/pictures")
        site.write("secret", "canary")

        let report = try site.build()
        let files = site.tree().keys
        #expect(report.counts.products == names.count)
        #expect(report.counts.files == files.count)
        for path in files {
            #expect(
                OutputFolder.isSafe(path) && !path.contains("//") && path.utf8.count <= 240,
                "\(path.debugDescription)")
            #expect(
                path.split(separator: "/").allSatisfy {
                    $0.utf8.count <= 86 && !$0.hasPrefix(".") && !$0.hasSuffix(".")
                })
        }
        #expect(Set(files.map { $0.lowercased() }).count == files.count, "two files differ by case only")
        let products = files.filter { $0.hasPrefix("products/") && $0.split(separator: "/").count == 3 }
        #expect(products.count == names.count)
        if role == .customer {
            #expect(
                Set(files.filter { $0.hasPrefix("lists/") }.map { $0.split(separator: "/")[1] }).count
                    == customers.count + 1)
        }
        // Nothing beside the output but what belongs there.
        let around = Set(
            run("/bin/ls", ["-A", site.root, site.root + "/site"]).text.split(separator: "\n").map(
                String.init))
        #expect(
            around.subtracting([
                "", "\(site.root):", "\(site.root)/site:", "secret", "site", ".build-site", "content",
                "public",
            ]).isEmpty)
        #expect(site.tree() == (try site.cleanTree()))
    }
}
