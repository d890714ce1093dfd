import Basics
import Database
import Formats

/// WooCommerce's export of products: variations are rows of their own, anywhere in the file, that name their parent.
///
/// So the file is read twice: once for what the parents need of their variations, which goes into a temporary table,
/// and once for the products. A file with grouped products is read once more, for the products in the groups.
struct WooCommerce {
    let source: PreparedFile
    let reader: ItemReader
    let connection: Connection

    /// Where the columns are.
    private struct Columns {
        let id, type, sku, gtin, name, published, featured, summary, note, stockStatus, stock: Int?
        let sale, regular, categories, tags, images, parent, grouped, brands, created: Int?
        let attributes: [(name: Int, values: Int, visible: Int?)]

        init(_ table: TableReader) {
            id = table.index("ID")
            type = table.index("Type")
            sku = table.index("SKU")
            gtin = table.index("GTIN, UPC, EAN, or ISBN")
            name = table.index("Name")
            published = table.index("Published")
            featured = table.index("Is featured?")
            summary = table.index("Short description")
            note = table.index("Description")
            stockStatus = table.index("In stock?")
            stock = table.index("Stock")
            sale = table.index("Sale price")
            regular = table.index("Regular price")
            categories = table.index("Categories")
            tags = table.index("Tags")
            images = table.index("Images")
            parent = table.index("Parent")
            grouped = table.index("Grouped products")
            brands = table.index("Brands")
            created = table.index("Date created")
            var attributes: [(name: Int, values: Int, visible: Int?)] = []
            var number = 1
            while let name = table.index("Attribute \(number) name"),
                let values = table.index("Attribute \(number) value(s)")
            {
                attributes.append((name, values, table.index("Attribute \(number) visible")))
                number += 1
            }
            self.attributes = attributes
        }
    }

    /// Takes the faults of the first readings, which the last one reports.
    private final class Silence: ItemSink {
        func take(_ item: Item) {}
        func leaveOut(_ reason: String) {}
        func refuse(_ message: String, line: Int, column: Int) {}
        func warn(_ id: String, _ message: String, line: Int, column: Int) {}
    }

    func read(_ sink: any ItemSink) throws {
        let parts = try Parts(connection)
        let silence = Silence()
        var hasGroups = false
        var table = try TableReader(source, silence)
        let columns = Columns(table)
        try table.forEachRow { row in
            let types = types(row, columns)
            if types.contains("variation"), isPublished(row, columns) {
                try parts.add(part(row, columns), to: row[columns.parent], isMember: false)
            }
            for member in Self.list(row[columns.grouped]) {
                hasGroups = true
                try parts.want(member, in: "row:\(row.line)")
            }
        }
        if hasGroups {
            table = try TableReader(source, silence)
            try table.forEachRow { row in
                if types(row, columns).contains("variation") { return }
                for key in keys(row, columns) {
                    for group in try parts.groups(of: key) {
                        try parts.add(part(row, columns), to: group, isMember: true)
                    }
                }
            }
        }
        table = try TableReader(source, sink)
        try table.forEachRow { row in
            let types = types(row, columns)
            if types.contains("variation") {
                if !isPublished(row, columns) { sink.leaveOut("not published") }
                return
            }
            var found: [Part] = []
            for key in keys(row, columns) { found += try parts.take(key) }
            let members = try parts.take("row:\(row.line)")
            guard isPublished(row, columns) else { return sink.leaveOut("not published") }
            try sink.take(item(row, columns, variations: found, members: members))
        }
        for (parent, line) in try parts.left() {
            try sink.refuse(
                parent.isEmpty
                    ? "the variation names no parent"
                    : "no row of the file is '\(parent)', the parent of this variation",
                line: line, column: 1)
        }
    }

    private func types(_ row: TableReader.Row, _ columns: Columns) -> [String] {
        row[columns.type].lowercased().split(separator: ",").map { $0.trimmed }
    }

    private func isPublished(_ row: TableReader.Row, _ columns: Columns) -> Bool {
        columns.published == nil || row[columns.published] == "1" || row[columns.published].isEmpty
    }

    /// What other rows call this one by.
    private func keys(_ row: TableReader.Row, _ columns: Columns) -> [String] {
        let sku = row[columns.sku]
        return ["id:" + row[columns.id]] + (sku.isEmpty ? [] : [sku])
    }

    /// The parts of a cell, `a, b\, c`: a comma after a backslash is part of the value.
    static func list(_ text: String) -> [String] {
        guard text.contains("\\") else {
            return text.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
        }
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                if character != "," { parts[parts.count - 1].append("\\") }
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "," {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map { $0.trimmed }.filter { !$0.isEmpty }
    }

    // MARK: Parts of products

    /// What a product needs to know of a variation, or a group of a member.
    private struct Part {
        var line: Int
        var name = "", price = "", sale = "", stock = "", stockStatus = ""
        /// Names and values in turn.
        var attributes: [String] = []

        private static let separator = "\u{1F}"

        var text: String {
            ([name, price, sale, stock, stockStatus] + attributes).map {
                $0.replacing(Self.separator, with: " ")
            }
            .joined(separator: Self.separator)
        }

        init(line: Int) { self.line = line }

        init(line: Int, text: String) {
            self.line = line
            let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false).map(
                String.init)
            guard parts.count >= 5 else { return }
            (name, price, sale, stock, stockStatus) = (parts[0], parts[1], parts[2], parts[3], parts[4])
            attributes = Array(parts[5...])
        }
    }

    private func part(_ row: TableReader.Row, _ columns: Columns) -> Part {
        var part = Part(line: row.line)
        part.name = row[columns.name]
        part.price = row[columns.regular]
        part.sale = row[columns.sale]
        part.stock = row[columns.stock]
        part.stockStatus = row[columns.stockStatus]
        for attribute in columns.attributes where !row[attribute.name].isEmpty {
            part.attributes += [row[attribute.name], row[attribute.values]]
        }
        return part
    }

    /// Variations and members by the product they belong to, in a temporary table.
    private struct Parts {
        /// Of one product; arbitrary, above what WooCommerce makes.
        private static let limit = 5000
        private let insert, wanted, groupsOf, find, delete, rest: Statement

        init(_ connection: Connection) throws {
            try connection.execute(
                """
                DROP TABLE IF EXISTS temp.parts; DROP TABLE IF EXISTS temp.wanted;
                CREATE TABLE temp.parts(product TEXT NOT NULL, line INTEGER NOT NULL, member INTEGER NOT NULL, text TEXT NOT NULL,
                  PRIMARY KEY(product, line)) WITHOUT ROWID;
                CREATE TABLE temp.wanted(key TEXT NOT NULL, product TEXT NOT NULL, PRIMARY KEY(key, product)) WITHOUT ROWID;
                """)
            insert = try connection.prepare("INSERT OR IGNORE INTO temp.parts VALUES (?1, ?2, ?3, ?4)")
            wanted = try connection.prepare("INSERT OR IGNORE INTO temp.wanted VALUES (?1, ?2)")
            groupsOf = try connection.prepare(
                "SELECT product FROM temp.wanted WHERE key = ?1 ORDER BY product")
            find = try connection.prepare(
                "SELECT line, text FROM temp.parts WHERE product = ?1 ORDER BY line LIMIT \(Self.limit)")
            delete = try connection.prepare("DELETE FROM temp.parts WHERE product = ?1")
            rest = try connection.prepare(
                "SELECT product, line FROM temp.parts WHERE member = 0 ORDER BY line LIMIT 1000")
        }

        func add(_ part: Part, to product: String, isMember: Bool) throws {
            insert.bind(1, product)
            insert.bind(2, Int64(part.line))
            insert.bind(3, isMember ? 1 : 0 as Int64)
            insert.bind(4, part.text)
            try insert.run()
        }

        func want(_ key: String, in product: String) throws {
            wanted.bind(1, key)
            wanted.bind(2, product)
            try wanted.run()
        }

        func groups(of key: String) throws -> [String] {
            groupsOf.bind(1, key)
            defer { groupsOf.reset() }
            var out: [String] = []
            while try groupsOf.step() { out.append(groupsOf.text(0)) }
            return out
        }

        /// The parts of a product, which are then no longer waiting for it.
        func take(_ product: String) throws -> [Part] {
            find.bind(1, product)
            var out: [Part] = []
            while try find.step() { out.append(Part(line: Int(find.integer(0)), text: find.text(1))) }
            find.reset()
            if !out.isEmpty {
                delete.bind(1, product)
                try delete.run()
            }
            return out
        }

        /// Variations whose product never came.
        func left() throws -> [(parent: String, line: Int)] {
            var out: [(parent: String, line: Int)] = []
            while try rest.step() { out.append((rest.text(0), Int(rest.integer(1)))) }
            rest.reset()
            return out
        }
    }

    // MARK: Products

    private func item(
        _ row: TableReader.Row, _ columns: Columns, variations: [Part], members: [Part]
    ) -> Item {
        var item = Item(kind: .product, line: row.line)
        item.isWhole = true
        row.add(columns.id, to: &item, as: .product("id"))
        row.add(columns.sku, to: &item, as: .product("sku"))
        row.add(columns.gtin, to: &item, as: .product("gtin"), text: unescaped(row[columns.gtin]))
        row.add(columns.name, to: &item, as: .product("name"), text: unescaped(row[columns.name]))
        row.add(columns.brands, to: &item, as: .product("producer"))
        row.add(columns.created, to: &item, as: .product("created"))
        row.add(columns.summary, to: &item, as: .product("summary"), text: unescaped(row[columns.summary]))
        row.add(columns.note, to: &item, as: .product("bottling_note"), text: unescaped(row[columns.note]))
        row.add(
            columns.featured, to: &item, as: .product("featured"),
            text: row[columns.featured] == "1" ? "1" : "")
        addPrice(row, columns, variations + members, to: &item)
        addStock(row, columns, variations, to: &item)
        addList(columns.categories, row, .category, to: &item)
        addList(columns.tags, row, .facet("Tag"), to: &item)
        addList(columns.images, row, .picture, to: &item)
        for attribute in columns.attributes {
            let name = row[attribute.name]
            // What is not to be seen on the product's page in the shop is not to be seen here, unless one chooses by it.
            let isHidden = attribute.visible != nil && row[attribute.visible] == "0"
            if name.isEmpty || isHidden && !variations.contains(where: { $0.attributes.contains(name) }) {
                continue
            }
            var values = Self.list(row[attribute.values])
            for variation in variations {
                for i in stride(from: 0, to: variation.attributes.count - 1, by: 2)
                where variation.attributes[i] == name {
                    for value in Self.list(variation.attributes[i + 1]) where !values.contains(value) {
                        values.append(value)
                    }
                }
            }
            for value in values { row.add(attribute.values, to: &item, as: .facet(name), text: value) }
        }
        if !members.isEmpty {
            let names = members.map(\.name).filter { !$0.isEmpty }.joined(separator: ", ")
            row.add(columns.grouped, to: &item, as: .fact("Contains"), text: names)
        }
        return item
    }

    private func addList(_ index: Int?, _ row: TableReader.Row, _ field: Field, to item: inout Item) {
        guard let index else { return }
        let values = Self.list(row[index])
        for value in values.isEmpty ? [""] : values { row.add(index, to: &item, as: field, text: value) }
    }

    /// Its own price, or the lowest of its parts.
    private func addPrice(_ row: TableReader.Row, _ columns: Columns, _ parts: [Part], to item: inout Item) {
        var (price, sale) = (row[columns.regular], row[columns.sale])
        func minor(_ text: String) -> Int64? {
            Amount(text, mark: reader.decimalMark)?.minorUnits(in: reader.currency)
        }
        if price.isEmpty {
            let priced = parts.compactMap { part in
                let now = minor(part.sale) ?? minor(part.price)
                return now.map { (now: $0, part: part) }
            }
            // Of equal prices the first in the file.
            if let lowest = priced.min(by: { ($0.now, $0.part.line) < ($1.now, $1.part.line) })?.part {
                (price, sale) = (lowest.price, lowest.sale)
            }
        }
        row.add(columns.regular, to: &item, as: .product("price"), text: price)
        row.add(columns.sale, to: &item, as: .product("sale_price"), text: sale)
    }

    private func addStock(
        _ row: TableReader.Row, _ columns: Columns, _ variations: [Part], to item: inout Item
    ) {
        guard columns.stock != nil || columns.stockStatus != nil else { return }
        var stock = row[columns.stock]
        var status = row[columns.stockStatus]
        if stock.isEmpty, !variations.isEmpty {
            let counts = variations.map { Int64($0.stock) }
            if counts.allSatisfy({ $0 != nil }) {
                stock = String(
                    counts.reduce(0 as Int64) { $0.addingReportingOverflow(max(0, $1 ?? 0)).partialValue })
            }
            if variations.contains(where: { $0.stockStatus == "1" }) { status = "1" }
        }
        row.add(columns.stock, to: &item, as: .product("stock"), text: stock)
        let words =
            switch status.lowercased() {
            case "1": stock.isEmpty || stock.hasPrefix("-") ? "in-stock" : ""
            case "0": "sold-out"
            case "backorder": "coming-soon"
            default: status
            }
        row.add(columns.stockStatus, to: &item, as: .product("availability"), text: words)
    }

    /// Line breaks are written `\n`, and texts that a spreadsheet could take for a formula begin with an apostrophe.
    private func unescaped(_ text: String) -> String {
        var text = text
        if let first = text.first, first == "'", let second = text.dropFirst().first,
            "=+-@0123456789".contains(second)
        {
            text.removeFirst()
        }
        return text.contains("\\n") ? text.replacing("\\r", with: "").replacing("\\n", with: "\n") : text
    }
}
