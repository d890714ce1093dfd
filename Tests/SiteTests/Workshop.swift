import Basics
import Database
import Foundation
import Site
import TestSupport

/// One change to a site. What it picks depends on its numbers and on the site as it then is, so that a sequence still
/// means something when edits before it are dropped.
struct Edit: CustomStringConvertible, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case nothing, price, name, slug, note, producer, stock, badCell, featured, dates, addProduct,
            removeProduct
        case removeLastProduct, addReview, removeReview, changeReview, addCategory, removeCategory,
            moveCategory
        case renameCategory, emptyCategory, moveProduct, facetSpelling, facetValue, fact, picture, pictureRow
        case setting, template, page, removePage, lists, emptyShop, swapSlugs, colour
        case severalPrices, article, addAndRemove

        /// Those that most often leave the plan as it was: shops change prices and stocks all day.
        static let ofRows: [Kind] = [
            .price, .note, .stock, .badCell, .colour, .changeReview, .fact, .severalPrices, .article,
        ]
    }

    let kind: Kind
    let a: Int, b: Int
    /// Whether the database looks as if it had been left alone for a while before the build.
    let isSettled: Bool

    var description: String { "\(kind.rawValue)(\(a), \(b)\(isSettled ? ", settled" : ""))" }

    static func random(using generator: inout SeededGenerator) -> Edit {
        let isOfRows = Int.random(in: 0..<3, using: &generator) == 0
        var kind = (isOfRows ? Kind.ofRows : Kind.allCases).randomElement(using: &generator)!
        // An empty shop is a case, but a rare one.
        if kind == .emptyShop, Int.random(in: 0..<4, using: &generator) > 0 { kind = .addProduct }
        return Edit(
            kind: kind, a: Int.random(in: 0..<10_000, using: &generator),
            b: Int.random(in: 0..<10_000, using: &generator),
            isSettled: Bool.random(using: &generator))
    }
}

/// A small site with everything in it, that edits change.
final class Workshop {
    let folder: TemporaryFolder
    private let database: Connection
    private var settings: [String: String] = ["url": "https://shop.example/", "page_size": "10"]
    private var edits = 0
    /// Builds that took over the plan of the build before.
    private(set) var keptPlans = 0

    var site: String { folder.path + "/site" }

    init() throws {
        folder = TemporaryFolder(inMemory: true)
        try folder.write("site/content/pages/about.md", "---\ntitle: About\n---\n\nWords.\n")
        for (i, name) in Self.drawings.prefix(4).enumerated() {
            try folder.copy("content/pictures/" + name, to: "site/content/pictures/\(i).webp")
        }
        database = try Connection(own: folder.path + "/site/content/shop.db")
        try database.execute(Project.text(of: "docs/schema.sql"))
        try database.execute("PRAGMA synchronous = OFF")
        for i in 1...6 {
            try database.execute(
                "INSERT INTO categories(id, parent_id, name, position) VALUES "
                    + "(\(i), \(i > 3 ? String(i - 3) : "NULL"), 'Category \(i)', \(i % 3 == 0 ? "NULL" : String(i)))"
            )
        }
        for i in 1...60 { try addProduct(id: i * 3, seed: i) }
        try writeSettings()
        try writeLists(seed: 1)
    }

    private static let drawings = [
        "aldarejo-fino-en-rama.webp", "balmorrow-12-year-old.webp", "bressane-nocciolino.webp",
        "chateau-marquezac-2009.webp",
        "cinder-row-best-bitter.webp", "cinder-row-mild.webp",
    ]

    private static let producers = [
        "Balmorrow", "balmorrow ", "BALMORROW", "Château Été", "Chateau Ete", "Cinder Row", "山崎", "C", "C++",
    ]
    private static let words = [
        "Old", "Young", "Port", "Æble", "Łódź", "12 Year", "\"Quoted\"", "<b>Bold</b>", "{{x}}", "!!!",
        "O'Brien", "&amp;",
    ]

    private static func quoted(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "''") + "'"
    }

    private static func pick(_ list: [String], _ number: Int) -> String { quoted(list[number % list.count]) }

    private func addProduct(id: Int, seed: Int) throws {
        let s = seed &* 7 &+ id
        let name = Self.quoted("\(Self.words[s % 12]) \(Self.words[(s / 5) % 12]) \(s % 9)")
        try database.execute(
            "INSERT OR REPLACE INTO products(id, name, producer, style, country, age, abv, volume_ml, price_minor, stock, "
                + "bottling_note, tasting_note, nose, featured, created, updated) VALUES (\(id), \(name), "
                + "\(Self.pick(Self.producers, s)), \(s % 3 == 0 ? "NULL" : "'Style \(s % 4)'"), 'Country \(s % 3)', "
                + "\(s % 4 == 0 ? "'NAS'" : "\(s % 30)"), \(s % 60), 700, \(s % 7 == 0 ? "NULL" : String(s * 13 % 9000 + 100)), "
                + "\(s % 6), '<p>Note of <em>\(s)</em></p>', \(s % 2 == 0 ? "NULL" : "'Tastes of \(s)'"), "
                + "\(s % 5 == 0 ? "'Rope'" : "NULL"), \(s % 11 == 0 ? String(s % 20) : "NULL"), "
                + "'2026-0\(s % 9 + 1)-1\(s % 10)', \(s % 3 == 0 ? "NULL" : "'2026-10'"))")
        for table in ["product_categories", "facts", "facets", "pictures"] {
            try database.execute("DELETE FROM \(table) WHERE product_id = \(id)")
        }
        try database.execute(
            "INSERT OR IGNORE INTO product_categories VALUES (\(id), \(s % 7), 0), (\(id), \(s % 5 + 1), 1)")
        try database.execute("INSERT INTO facts VALUES (\(id), 0, 'Peat', '\(s % 50) ppm')")
        try database.execute("INSERT INTO facets VALUES (\(id), 'Cask', 'Cask \(s % 3)')")
        if s % 3 == 0 {
            try database.execute("INSERT INTO pictures VALUES (\(id), 0, '\(s % 5).webp', NULL, 'A bottle')")
        }
        for n in 0..<(s % 4) where s % 2 == 0 {
            try database.execute(
                "INSERT INTO reviews(product_id, rating, author, date, body) VALUES "
                    + "(\(id), \(n + 2), 'Maren', '2026-0\(n + 1)-02', 'Words \(n)')")
        }
    }

    private func writeSettings() throws {
        var text = "title: \(settings["title"] ?? "Shop")\n"
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) where key != "title" {
            text += "\(key): \(value)\n"
        }
        try folder.write("site/content/site.yaml", text)
    }

    private func writeLists(seed: Int) throws {
        func item(_ n: Int) -> String {
            #"{ "product": "\#((seed &* 31 &+ n * 17) % 70 * 3)", "quantity": \#(n) }"#
        }
        let customers = (0..<(seed % 4)).map { n in
            let all = [
                #""wish": [\#(item(1)), \#(item(2))]"#, #""basket": [\#(item(n + 3))]"#, #""collection": []"#,
            ]
            // Any of the three may be left out.
            let given = all.enumerated().filter { (seed / 4 + n) >> $0.offset & 1 == 0 }.map(\.element)
            return #"{ "id": "c-\#(n)", "name": "Customer \#(seed % 3)", "lists": { "#
                + given.joined(separator: ", ") + " } }"
        }
        try folder.write(
            "site/content/lists.json",
            #"{ "version": 1, "customers": [\#(customers.joined(separator: ",\n"))] }"#)
    }

    /// The n-th product, by a number that may be larger than their count.
    private func product(_ number: Int) throws -> Int64? { try row("products", number) }

    private func row(_ table: String, _ number: Int) throws -> Int64? {
        let ids = try database.rows("SELECT id FROM \(table) ORDER BY id") { $0.integer(0) }
        return ids.isEmpty ? nil : ids[number % ids.count]
    }

    private static let choices: [(key: String, values: [String?])] = [
        ("title", ["Shop", "Another shop"]), ("tagline", [nil, "Words"]), ("page_size", ["10", "3", "48"]),
        ("order", [nil, "price", "newest"]), ("reviews", [nil, "inline", "{mode: inline, shown: 1}"]),
        ("url", ["https://shop.example/", nil, "https://other.example/shop/"]),
        ("currency", [nil, "JPY", "GBP"]),
        ("language", [nil, "de", "ja", "nb"]), ("footer", [nil, "At the foot"]),
        ("category_feeds", [nil, "false"]),
        ("headers", [nil, "true"]), ("price_on_request", [nil, "false"]),
        ("notes", [nil, "{tasting_note: markdown}"]),
        ("browse_by", [nil, "[producer, Cask]", "[{key: country, folder: lands, plural: Lands}]"]),
        (
            "texts",
            [
                nil, "{facts: x, producer: Maker}", "{producer: Maker}",
                "{products: {one: \"{n} thing\", other: \"{n} things\"}}",
            ]
        ),
        ("home", [nil, "{heading: Welcome}"]),
    ]

    func apply(_ edit: Edit) throws {
        edits += 1
        let (a, b) = (edit.a, edit.b)
        func update(_ assignment: String) throws {
            if let id = try product(a) {
                try database.execute("UPDATE products SET \(assignment) WHERE id = \(id)")
            }
        }
        switch edit.kind {
        case .nothing: break
        case .price:
            try update(
                "price_minor = \(b % 5 == 0 ? "NULL" : String(b)), sale_price_minor = \(b % 3 == 0 ? "\(b / 2)" : "NULL")"
            )
        case .name: try update("name = \(Self.quoted("\(Self.words[b % 12]) \(b % 100)"))")
        case .slug: try update("slug = \(b % 4 == 0 ? "NULL" : "'Slug \(b % 4)'")")
        case .swapSlugs:
            guard let one = try product(a), let other = try product(b), one != other else { break }
            try database.execute("UPDATE products SET slug = 'this' WHERE id = \(one)")
            try database.execute("UPDATE products SET slug = 'that' WHERE id = \(other)")
        case .note:
            try update(
                "bottling_note = \(b % 4 == 0 ? "NULL" : "'<p>Changed \(b)<script>x</script>'"), tasting_note = '\(b % 3)'"
            )
        case .producer: try update("producer = \(b % 10 == 0 ? "NULL" : Self.pick(Self.producers, b))")
        case .stock: try update("stock = \(b % 5), availability = \(b % 3 == 0 ? "'discontinued'" : "NULL")")
        case .badCell:
            try update(
                "abv = \(b % 2 == 0 ? "'cask'" : "46.3"), created = \(b % 3 == 0 ? "'yesterday'" : "'2026'")")
        case .featured: try update("featured = \(b % 3 == 0 ? "NULL" : String(b % 20))")
        case .dates: try update("created = '20\(b % 20 + 10)-01-01', updated = '2026-0\(b % 9 + 1)'")
        case .severalPrices:
            try database.execute(
                "UPDATE products SET price_minor = price_minor + \(b % 300) WHERE id % 4 = \(a % 4)")
        case .article: try update("sku = 'A\(b % 7)', abv = \(b % 70)")
        case .addAndRemove:
            guard let id = try product(a) else { break }
            try database.execute("DELETE FROM products WHERE id = \(id)")
            try addProduct(id: Int(id) + 1 + b % 2, seed: b)
        case .colour: try update("colour = '#\(b % 2 == 0 ? "b9772e" : "7c2430")'")
        case .addProduct: try addProduct(id: a % 200 + 1, seed: b)
        case .removeProduct:
            guard let id = try product(a) else { break }
            try database.execute("DELETE FROM products WHERE id = \(id)")
            // What belongs to it may be left behind.
            if b % 2 == 0 {
                for table in ["product_categories", "facts", "facets", "pictures", "reviews"] {
                    try database.execute("DELETE FROM \(table) WHERE product_id = \(id)")
                }
            }
        case .removeLastProduct:
            try database.execute("DELETE FROM products WHERE id = (SELECT max(id) FROM products)")
        case .emptyShop: try database.execute("DELETE FROM products WHERE id > \(b % 2 == 0 ? 0 : 6)")
        case .addReview:
            guard let id = try product(a) else { break }
            try database.execute(
                "INSERT INTO reviews(product_id, rating, author, date, title, body) VALUES "
                    + "(\(id), \(b % 5 + 1), 'A \(b)', '2026-1\(b % 3)', 'T', 'Body <b> \(b)')")
        case .removeReview:
            if let id = try row("reviews", a) { try database.execute("DELETE FROM reviews WHERE id = \(id)") }
        case .changeReview:
            guard let id = try row("reviews", a) else { break }
            try database.execute(
                "UPDATE reviews SET rating = \(b % 7), body = \(b % 3 == 0 ? "NULL" : "'Changed \(b)'") WHERE id = \(id)"
            )
        case .addCategory:
            let parent = try row("categories", b)
            try database.execute(
                "INSERT INTO categories(name, parent_id, description, colour) VALUES ('New \(b % 3)', "
                    + "\(a % 2 == 0 ? "NULL" : parent.map(String.init) ?? "NULL"), 'Words', \(b % 2 == 0 ? "NULL" : "'#7c2430'"))"
            )
        case .removeCategory:
            guard let id = try row("categories", a) else { break }
            try database.execute("DELETE FROM categories WHERE id = \(id)")
            if b % 2 == 0 { try database.execute("DELETE FROM product_categories WHERE category_id = \(id)") }
        case .moveCategory:
            guard let id = try row("categories", a), let parent = try row("categories", b) else { break }
            // Now and then into itself or its own subtree.
            try database.execute(
                "UPDATE categories SET parent_id = \(b % 3 == 0 ? "NULL" : String(parent)), position = \(b % 5) WHERE id = \(id)"
            )
        case .renameCategory:
            guard let id = try row("categories", a) else { break }
            try database.execute(
                "UPDATE categories SET name = 'Renamed \(b % 9)', slug = \(b % 3 == 0 ? "'same'" : "NULL"), "
                    + "picture = \(b % 2 == 0 ? "NULL" : "'\(b % 5).webp'") WHERE id = \(id)")
        case .emptyCategory:
            guard let id = try row("categories", a) else { break }
            try database.execute("DELETE FROM product_categories WHERE category_id = \(id)")
        case .moveProduct:
            guard let id = try product(a), let category = try row("categories", b) else { break }
            if b % 2 == 0 { try database.execute("DELETE FROM product_categories WHERE product_id = \(id)") }
            try database.execute(
                "INSERT OR REPLACE INTO product_categories VALUES (\(id), \(category), \(b % 3))")
        case .facetSpelling:
            try database.execute(
                "UPDATE OR IGNORE facets SET value = \(b % 2 == 0 ? "upper(value)" : "' ' || lower(value)") WHERE product_id % 5 < \(a % 6)"
            )
            try database.execute("UPDATE products SET producer = upper(producer) WHERE id % 4 = \(b % 5)")
        case .facetValue:
            guard let id = try product(a) else { break }
            try database.execute("DELETE FROM facets WHERE product_id = \(id)")
            if b % 4 > 0 {
                try database.execute(
                    "INSERT INTO facets VALUES (\(id), '\(b % 3 == 0 ? "Hop" : "Cask")', 'Value \(b % 5)')")
            }
            try update("style = 'Style \(b % 6)', country = \(b % 2 == 0 ? "NULL" : "'Country \(b % 4)'")")
        case .fact:
            guard let id = try product(a) else { break }
            try database.execute(
                "INSERT OR REPLACE INTO facts VALUES (\(id), \(b % 3), 'Label \(b % 2)', 'Value \(b % 50)')")
        case .picture:
            let name = "site/content/pictures/\(a % 5).webp"
            try folder.removeFile(name)
            if b % 5 > 0 {
                try folder.copy("content/pictures/" + Self.drawings[b % Self.drawings.count], to: name)
            }
        case .pictureRow:
            guard let id = try product(a) else { break }
            try database.execute(
                "INSERT OR REPLACE INTO pictures VALUES (\(id), \(b % 3), '\(b % 6).webp', NULL, \(b % 2 == 0 ? "NULL" : "'Alt \(b)'"))"
            )
        case .setting:
            let choice = Self.choices[a % Self.choices.count]
            settings[choice.key] = choice.values[b % choice.values.count]
            // Not every text that a site may write is known.
            if choice.key == "texts", settings["texts"]?.hasPrefix("{facts") == true {
                settings["texts"] = nil
            }
            try writeSettings()
        case .template:
            let name = ["tile", "product", "index", "home", "review", "layout", "facet"][a % 7] + ".mustache"
            if b % 3 == 0 {
                try folder.removeFile("site/templates/" + name)
            } else {
                let text = Project.text(of: "templates/" + name).replacingOccurrences(
                    of: "<h", with: "<!-- \(b % 4) --><h")
                try folder.write("site/templates/" + name, text)
            }
        case .page:
            try folder.write(
                "site/content/pages/page-\(a % 3).md",
                "---\ntitle: Page \(b % 5)\nmenu: \(b % 2 == 0 ? "footer" : "none")\n---\n\nText \(b).\n")
        case .removePage: try folder.removeFile("site/content/pages/page-\(a % 3).md")
        case .lists: try writeLists(seed: b)
        }
        guard edit.isSettled else { return }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000 + Double(edits))],
            ofItemAtPath: site + "/content/shop.db")
    }

    /// Builds on top of what is there, and from nothing; says how the two differ, and whether just the files were
    /// written whose bytes are new.
    func compare() throws -> [String] {
        let driver = Driver(site: site)
        let (output, clean) = (folder.path + "/out/public", folder.path + "/out/clean")
        let before = FileManager.default.fileExists(atPath: output) ? try Tree(output) : nil
        let report = try driver.build(to: output)
        if report.isPlanKept { keptPlans += 1 }
        try folder.removeFile("out/clean")
        try folder.removeFile("out/.build-site/clean")
        let wanted = try driver.build(to: clean)
        let (tree, cleanTree) = (try Tree(output), try Tree(clean))
        var faults = tree.differences(from: cleanTree)
        if let before {
            let (written, changed) = (tree.written(since: before), tree.changed(since: before))
            faults += written.subtracting(changed).sorted().map {
                "\($0) was written though its bytes are the same"
            }
            if report.counts.written != changed.count {
                faults.append(
                    "\(report.counts.written) files reported as written, \(changed.count) have changed")
            }
            let removed = Set(before.files.keys).subtracting(tree.files.keys).count
            if report.counts.removed != removed {
                faults.append("\(report.counts.removed) reported as removed, \(removed) are")
            }
        }
        let (a, b) = (report.counts, wanted.counts)
        if (a.products, a.pages, a.files, a.bytes) != (b.products, b.pages, b.files, b.bytes) {
            faults.append("counts \(a) instead of \(b)")
        }
        if a.files != tree.files.count {
            faults.append("\(a.files) files reported, \(tree.files.count) are there")
        }
        func texts(_ report: BuildReport) -> [String] {
            report.warnings.filter { $0.id != "new-list-key" }.map(\.description).sorted()
        }
        if texts(report) != texts(wanted) {
            let (have, want) = (texts(report), texts(wanted))
            faults.append(
                "warnings differ: only incremental \(have.filter { !want.contains($0) }), only clean \(want.filter { !have.contains($0) })"
            )
        }
        return faults
    }
}
