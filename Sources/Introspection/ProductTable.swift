import Database

/// The table whose rows are the products, with what speaks for it.
struct ProductTable {
    let table: DatabaseSurvey.Table
    /// What identifies a row: a column, or `rowid`.
    let key: String
    /// Why it was chosen, for people.
    let reasons: [String]
    let sureness: Sureness
    /// Other tables that could be meant, the likeliest first.
    let others: [DatabaseSurvey.Table]
}

/// How far a guess can be trusted.
enum Sureness: Int, Comparable, Sendable {
    case guess, likely, sure

    static func < (a: Sureness, b: Sureness) -> Bool { a.rawValue < b.rawValue }

    /// As comments say it.
    var words: String {
        switch self {
        case .sure: "sure"
        case .likely: "likely"
        case .guess: "a guess"
        }
    }
}

extension Pools {
    /// The table of products; nil when none looks like it.
    ///
    /// - Parameter wanted: the table that somebody named.
    func productTable(_ wanted: DatabaseSurvey.Table?) -> ProductTable? {
        var ranked: [(table: DatabaseSurvey.Table, points: Double, reasons: [String])] = []
        for table in survey.tables where table.rowCount > 0 {
            if let (points, reasons) = points(table) { ranked.append((table, points, reasons)) }
        }
        ranked.sort { $0.points != $1.points ? $0.points > $1.points : $0.table.name < $1.table.name }
        let candidates = wanted.map { wanted in ranked.filter { $0.table.name == wanted.name } } ?? ranked
        for candidate in candidates {
            guard let key = productKey(candidate.table) else { continue }
            let others = ranked.filter { $0.table.name != candidate.table.name && $0.points >= 25 }
            let lead = candidate.points - (others.first?.points ?? 0)
            let sureness: Sureness =
                wanted != nil || (candidate.points >= 60 && lead >= 25)
                ? .sure : lead >= 10 || ranked.count == 1 ? .likely : .guess
            return ProductTable(
                table: candidate.table, key: key, reasons: candidate.reasons, sureness: sureness,
                others: others.prefix(3).map(\.table))
        }
        return nil
    }

    /// What identifies a product: its key, any column without repetition, else where the row stands in the table.
    private func productKey(_ table: DatabaseSurvey.Table) -> String? {
        if let key = links.key(of: table) { return key }
        if table.schema.hasRowID { return "rowid" }
        return table.columns.filter { $0.isUniqueInSample && $0.longest <= 100 }
            .first { survey.isKey($0.name, of: table) }?.name
    }

    private func points(_ table: DatabaseSurvey.Table) -> (Double, [String])? {
        var points = 0.0
        var reasons: [String] = []
        let words = links.name(of: table.name)
        let isProduct = TableKind.products.match(words), isGoods = TableKind.goods.match(words)
        if isProduct >= 0.9 {
            points += 40
            reasons.append("its name")
        } else if isProduct > 0 || isGoods >= 0.9 {
            points += isGoods >= 0.9 ? 27 : 20
            reasons.append("its name")
        } else if isGoods > 0 {
            points += 12
        }
        let others: [TableKind] = [
            .category, .producer, .reviews, .pictures, .order, .orderLine, .customer, .wishList, .basket,
            .attribute, .translation, .inside,
        ]
        let other = others.map { $0.match(words) }.max() ?? 0
        points -= 60 * (other >= isProduct && isGoods < 0.9 ? other : other * 0.3)
        let pool = columns(of: table)
        guard let name = name(of: table) else { return nil }
        points += 8 + 12 * name.match(.name)
        func best(_ concept: Concept, _ isFit: (ColumnProfile) -> Bool = { $0.filled > 0 }) -> PoolColumn? {
            pool.filter { isFit($0.profile) && $0.match(concept) >= 0.7 }.max {
                $0.match(concept) < $1.match(concept)
            }
        }
        if let price = best(.price, { $0.isNumeric || $0.share(.money) >= 0.6 })
            ?? best(.priceMinor, { $0.isNumeric })
        {
            points += 25
            reasons.append("a price (\(price.title))")
        }
        if best(.picture) != nil { points += 8 }
        if best(.note, { $0.averageLength >= 20 }) != nil { points += 8 }
        for concept in [Concept.stock, .sku, .gtin, .abv] where best(concept) != nil { points += 7 }
        if best(.producer) != nil || best(.category) != nil { points += 6 }
        // People have e-mail addresses and two names.
        if best(.firstName) != nil, best(.lastName) != nil { points -= 60 }
        if pool.contains(where: { $0.profile.share(.email) > 0.5 }) { points -= 30 }
        if best(.rating, { $0.isNumeric && $0.most <= 10 }) != nil, isProduct < 0.9 { points -= 15 }
        let out = links.links(from: table.name).filter { $0.target != table.name }
        points += min(12, 4 * Double(out.count))
        let incoming = links.links(to: table.name)
        points += min(12, 4 * Double(incoming.count))
        if let line = incoming.first(where: { isOrderLine($0.table) }), let lines = survey.table(line.table) {
            points += 25
            reasons.append("\(lines.rowsText) of \(quoted(lines.name)) refer to it")
        }
        // A link table has little beside its two keys.
        if out.count >= 2, table.columns.count <= out.count + 2 { points -= 50 }
        if isOrderLine(table.name) { points -= 60 }
        if table.rowCount == 1 { points -= 20 }
        if table.rowCount >= 20 { points += 3 }
        if table.schema.isView { points -= 15 }
        return (points, reasons)
    }

    /// Whether the rows of a table are lines of orders: a number of pieces, and an order they belong to.
    func isOrderLine(_ name: String) -> Bool {
        guard let table = survey.table(name) else { return false }
        let words = links.name(of: name)
        if TableKind.orderLine.match(words) >= 0.9 { return true }
        let hasQuantity = table.columns.contains {
            $0.isWhole && Concept.quantity.match(Concept.stems(of: $0.name, in: name)) >= 0.7
        }
        let hasOrder = links.links(from: name).contains {
            TableKind.order.match(links.name(of: $0.target)) >= 0.6
        }
        return hasQuantity && hasOrder
    }

    /// A table's name as comments write it.
    func quoted(_ name: String) -> String { name.contains(" ") ? "\"\(name)\"" : name }
}
