import Basics
import Database
import Model

/// Makes one product of the variants that name the same group, wherever in the file they stand.
///
/// Items with a group wait in a temporary table until the file has been read, so that memory does not follow the number of
/// variants; others are handed on at once. What becomes of variants is what ``Shopify`` makes of its own.
final class VariantGroups: ItemSink {
    private let sink: any ItemSink
    private let reader: ItemReader
    private let connection: Connection
    private let insert: Statement
    private var number: Int64 = 0

    /// Variants of one product; arbitrary, above what shops have.
    private static let limit = 5000

    /// - Parameter sink: gets the products.
    init(_ sink: any ItemSink, _ reader: ItemReader, _ connection: Connection) throws {
        self.sink = sink
        self.reader = reader
        self.connection = connection
        try connection.execute(
            """
            DROP TABLE IF EXISTS temp.variants;
            CREATE TABLE temp.variants(family TEXT NOT NULL, item INTEGER NOT NULL, cell INTEGER NOT NULL, line INTEGER NOT NULL,
              field TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL, in_line INTEGER NOT NULL, label TEXT NOT NULL,
              PRIMARY KEY(family, item, cell)) WITHOUT ROWID;
            """)
        insert = try connection.prepare(
            "INSERT INTO temp.variants VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
    }

    func leaveOut(_ reason: String) { sink.leaveOut(reason) }
    func refuse(_ message: String, line: Int, column: Int) throws {
        try sink.refuse(message, line: line, column: column)
    }
    func warn(_ id: String, _ message: String, line: Int, column: Int) {
        sink.warn(id, message, line: line, column: column)
    }

    func take(_ item: Item) throws {
        guard item.fault == nil, let group = item.texts(.group).map(\.trimmed).first(where: { !$0.isEmpty })
        else { return try sink.take(item) }
        number += 1
        for (index, cell) in item.cells.enumerated() where cell.field != .group {
            insert.bind(1, group)
            insert.bind(2, number)
            insert.bind(3, Int64(index))
            insert.bind(4, Int64(item.line))
            insert.bind(5, cell.field.name)
            insert.bind(6, cell.text)
            insert.bind(7, Int64(cell.line))
            insert.bind(8, Int64(cell.column))
            insert.bind(9, cell.label)
            try insert.run()
        }
    }

    /// Hands on what waited, in the order of the first variants.
    func finish() throws {
        let groups = try connection.prepare(
            "SELECT family FROM temp.variants GROUP BY family ORDER BY min(item)")
        let cells = try connection.prepare(
            "SELECT item, line, field, text, at, in_line, label FROM temp.variants WHERE family = ?1 ORDER BY item, cell"
        )
        while try groups.step() {
            cells.bind(1, groups.text(0))
            var variants: [Item] = []
            var last: Int64 = 0
            while try cells.step() {
                if cells.integer(0) != last {
                    last = cells.integer(0)
                    variants.append(Item(kind: .product, line: Int(cells.integer(1))))
                }
                guard let field = Field(named: cells.text(2)), variants.count <= Self.limit else { continue }
                variants[variants.count - 1].add(
                    field, cells.text(3), line: Int(cells.integer(4)), column: Int(cells.integer(5)),
                    label: cells.text(6))
            }
            cells.reset()
            try sink.take(product(of: variants))
        }
        groups.reset()
        try connection.execute("DELETE FROM temp.variants")
    }

    /// One product: what the first variant says, the lowest price, the best availability, all values, all pictures.
    private func product(of variants: [Item]) -> Item {
        var item = Item(kind: .product, line: variants[0].line)
        if variants.count > VariantGroups.limit {
            item.fault = ("the product has more than \(Self.limit) variants", item.line, 1)
            return item
        }
        let cheapest = variants.enumerated().min {
            (price($0.element), $0.offset) < (price($1.element), $1.offset)
        }
        let cheap = (cheapest?.element ?? variants[0]).cells
        let available = variants.min { rank($0) < rank($1) } ?? variants[0]
        var seen: Set<Field> = []
        for variant in variants {
            for var cell in variant.cells {
                switch cell.field {
                case .product("price"), .product("sale_price"), .product("availability"): continue
                // A GTIN is one variant's alone.
                case .product("gtin") where variants.count > 1: cell.text = ""
                case .product("name"): cell.text = commonName(variants.flatMap { $0.texts(.product("name")) })
                case .product: break
                default:
                    item.cells.append(cell)
                    continue
                }
                // Of what a product has one of, the first that says something; else that there is none.
                if cell.text.trimmed.isEmpty && variant.line != variants.last?.line { continue }
                if seen.insert(cell.field).inserted { item.cells.append(cell) }
            }
        }
        item.cells += cheap.filter { [.product("price"), .product("sale_price")].contains($0.field) }
        item.cells += available.cells.filter { $0.field == .product("availability") }
        return item
    }

    /// What the variant costs now, in the smallest unit; what cannot be read comes first, so that it is not passed over.
    private func price(_ variant: Item) -> Int64 {
        let prices = ["sale_price", "price"].flatMap { variant.texts(.product($0)) }.filter {
            !$0.trimmed.isEmpty
        }
        guard !prices.isEmpty else { return .max }
        return prices.map { text in
            let amount = Amount(text.trimmed, mark: reader.decimalMark)
            return amount.flatMap { $0.minorUnits(in: $0.currency ?? reader.currency) } ?? -1
        }.min() ?? .max
    }

    private func rank(_ variant: Item) -> Int {
        let known = ["in-stock", "low-stock", "coming-soon", "sold-out", "discontinued"]
        let text = variant.texts(.product("availability")).first ?? ""
        return known.firstIndex(of: ItemReader.availability(text.trimmed)) ?? known.count
    }

    /// `Slate Rum – 70 cl` and `Slate Rum – 20 cl` are `Slate Rum`: the words at the start that all names have.
    private func commonName(_ names: [String]) -> String {
        guard let first = names.first, names.contains(where: { $0 != first }) else {
            return names.first ?? ""
        }
        var words = first.split(separator: " ")
        for name in names {
            let others = name.split(separator: " ")
            words = Array(zip(words, others).prefix { $0 == $1 }.map { $0.0 })
        }
        // What led over to the rest goes with it.
        while let last = words.last, !last.contains(where: { $0.isLetter || $0.isNumber }) {
            words.removeLast()
        }
        var name = words.joined(separator: " ")
        while let last = name.last, ",;:-–—(/|".contains(last) { name.removeLast() }
        return name.filter(\.isLetter).count >= 3 ? name.trimmed : first
    }
}
