import Database

/// Decides which value of a product becomes which field.
final class ProductMapper {
    let pools: Pools
    let product: ProductTable
    var query: Query
    var out: Mapped
    /// Values of the product that no field has taken yet.
    var left: [PoolColumn]
    /// Choices by field.
    private(set) var chosen: [String: PoolColumn] = [:]
    private var used: Set<String> = []
    /// Which products are meant to be seen.
    private(set) lazy var visibilities: [Visibility] =
        pools.visibility(of: table) + pools.visibility(of: left, key: product.key)
    /// The price of a product that is in the rows of its variants: SQL, field, remark, the column.
    var variantPrice: (sql: String, field: String, remark: String, column: ColumnProfile)?
    /// Tables whose rows are shown already.
    var usedTables: Set<String> = []

    var survey: DatabaseSurvey { pools.survey }
    var links: Links { pools.links }
    var table: DatabaseSurvey.Table { product.table }

    init(_ pools: Pools, _ product: ProductTable, _ out: Mapped) {
        self.pools = pools
        self.product = product
        self.out = out
        query = Query(product.table.name, key: product.key)
        left = pools.columns(of: product.table)
    }

    // MARK: Which column is which

    /// A field, what it is about, and how well a value's shape fits it.
    private struct Field {
        let name: String
        let concepts: [(Concept, Double)]
        let fit: (PoolColumn) -> Double

        init(_ name: String, _ concepts: [(Concept, Double)], _ fit: @escaping (PoolColumn) -> Double) {
            self.name = name
            self.concepts = concepts
            self.fit = fit
        }
    }

    private static func isAmount(_ c: PoolColumn) -> Bool {
        let p = c.profile
        if p.isFlag || p.share(.isoDate) > 0.5 || p.most > 1e10 { return false }
        return p.isNumeric || p.share(.money) + Double(p.numbers) / Double(max(1, p.filled)) >= 0.6
    }

    private static func isDate(_ c: PoolColumn) -> Bool {
        let p = c.profile
        return max(p.share(.isoDate), p.share(.unixTime), p.share(.dayFirstDate), p.share(.monthFirstDate))
            >= 0.8
    }

    private static func isLabel(_ c: PoolColumn) -> Double {
        let p = c.profile
        guard p.isWordy, p.averageLength <= 60, !p.isFlag, p.share(.webAddress) < 0.5, p.share(.email) < 0.5
        else { return 0 }
        return 1
    }

    private func fields() -> [Field] {
        let rows = table.columns.first?.rows ?? 0
        func text(_ c: PoolColumn) -> Bool {
            c.profile.texts > 0 && c.profile.lettered > 0 && !c.isLookup && !Self.isDate(c)
        }
        // Taste and finish mean wine or whisky only together.
        let tastings = [Concept.nose, .palate, .finish].filter { concept in
            left.contains { text($0) && $0.match(concept) >= 0.9 }
        }.count
        let isDrink = left.contains { $0.match(.abv) >= 0.9 || $0.match(.volume) >= 0.9 }
        return [
            Field("slug", [(.slug, 1)]) {
                let p = $0.profile
                return p.isTextual && p.isUniqueInSample && p.averageLength <= 120
                    && p.share(.webAddress) < 0.1 && !$0.isLookup ? 1 : 0
            },
            Field("gtin", [(.gtin, 1)]) { $0.profile.share(.gtin) >= 0.5 ? 1 : 0 },
            Field("sku", [(.sku, 1), (.id, 0.75)]) {
                let p = $0.profile
                return !$0.isLookup && p.distinct * 10 >= p.filled * 9 && p.averageLength <= 40
                    && p.fractions == 0 && p.texts + p.integers > 0 && !Self.isDate($0) ? 1 : 0
            },
            Field("price_minor", [(.priceMinor, 1.05)]) {
                $0.profile.isWhole && !$0.profile.isFlag && !$0.isLookup ? 1 : 0
            },
            Field("sale_price", [(.salePrice, 1.04)]) { Self.isAmount($0) && !$0.isLookup ? 1 : 0 },
            Field("price", [(.price, 1)]) {
                if $0.isLookup || !Self.isAmount($0) { return 0 }
                for other in [Concept.unitPrice, .cost, .priceMinor, .salePrice]
                where $0.match(other) > $0.match(.price) { return 0 }
                return 1
            },
            Field("currency", [(.currency, 1)]) { $0.profile.share(.currencyCode) >= 0.9 ? 1 : 0 },
            Field("stock", [(.stock, 1)]) {
                $0.profile.isWhole && !$0.profile.isFlag && !$0.isLookup && $0.match(.inside) < 0.95 ? 1 : 0
            },
            Field("availability", [(.availability, 0.95)]) {
                $0.profile.isFlag && $0.match(.active) < 0.95 ? 1 : self.availability($0) == nil ? 0 : 1
            },
            Field("discontinued", [(.discontinued, 1)]) { $0.profile.isFlag ? 1 : 0 },
            Field("producer", [(.producer, 1), (.supplier, 0.85)]) { Self.isLabel($0) },
            Field("style", [(.style, 0.95), (.genre, 0.8)]) {
                Self.isLabel($0) * ($0.profile.distinct * 3 <= max(9, rows * 2) ? 1 : 0)
            },
            Field("country", [(.country, 1)]) { Self.isLabel($0) },
            Field("region", [(.region, 1)]) { Self.isLabel($0) },
            Field("age", [(.age, 0.95)]) { isDrink && $0.profile.isWhole && $0.profile.most <= 200 ? 1 : 0 },
            Field("vintage", [(.vintage, 1)]) {
                let p = $0.profile
                let isYear =
                    p.numbers * 10 >= p.filled * 9 && p.most <= 2999 && p.most >= 1500 && p.fractions == 0
                let isHarvest =
                    isDrink
                    || ["vintage", "millesime", "jahrgang", "argang", "annata"].contains {
                        $0 == p.name.lowercased()
                    }
                return isYear && isHarvest ? 1 : 0
            },
            Field("bottled", [(.bottled, 1)]) { Self.isDate($0) || $0.profile.isWhole ? 1 : 0 },
            Field("abv", [(.abv, 1)]) {
                let p = $0.profile
                return !$0.isLookup
                    && (p.numbers * 10 >= p.filled * 9 || p.share(.percent) >= 0.7 || p.share(.money) >= 0.7)
                    && (p.numbers == 0 || p.most <= 100) ? 1 : 0
            },
            Field("volume_ml", [(.volume, 1)]) { $0.isLookup ? 0 : self.millilitres($0) == nil ? 0 : 1 },
            Field("colour", [(.colour, 1)]) { $0.profile.share(.hexColour) >= 0.8 ? 1 : 0 },
            Field("summary", [(.summary, 1)]) {
                text($0) && $0.profile.averageLength >= 8 && $0.profile.averageLength <= 300 ? 1 : 0
            },
            Field("nose", [(.nose, 1)]) { tastings >= 2 && text($0) ? 1 : 0 },
            Field("palate", [(.palate, 1)]) { tastings >= 2 && text($0) ? 1 : 0 },
            Field("finish", [(.finish, 1)]) { tastings >= 2 && text($0) ? 1 : 0 },
            Field("tasting_note", [(.tasting, 1.01)]) { text($0) && $0.profile.averageLength >= 12 ? 1 : 0 },
            Field("bottling_note", [(.note, 1)]) {
                let p = $0.profile
                guard text($0), p.averageLength >= 12, p.share(.pictureFile) < 0.5, p.share(.webAddress) < 0.5
                else { return 0 }
                return p.averageLength >= 30 || p.longest >= 80 ? 1 : 0.85
            },
            Field("created", [(.created, 1)]) { Self.isDate($0) ? 1 : 0 },
            Field("updated", [(.updated, 1)]) { Self.isDate($0) ? 1 : 0 },
            Field("picture", [(.picture, 1)]) { self.pictureFit($0) },
            Field("picture_alt", [(.alternative, 0.8)]) {
                text($0) && self.left.contains { self.pictureFit($0) > 0 && $0.match(.picture) >= 0.7 }
                    ? 1 : 0
            },
            Field("featured", [(.featured, 1)]) { $0.profile.isFlag || $0.profile.isWhole ? 1 : 0 },
        ]
    }

    private func pictureFit(_ c: PoolColumn) -> Double {
        let p = c.profile
        if p.share(.pictureBlob) >= 0.5 { return 1 }
        if p.share(.pictureFile) >= 0.5 { return 1 }
        return p.share(.webPicture) >= 0.5 ? 0.95 : 0
    }

    /// Finds the field of every value that has one; the best fit is taken first.
    func assign() {
        let columns =
            left.filter {
                $0.profile.filled > 0 && !isKeyColumn($0) && !isCondition($0)
            } + lookups
        var pairs: [(points: Double, field: Int, column: Int)] = []
        let fields = fields()
        for (f, field) in fields.enumerated() {
            for (c, column) in columns.enumerated() {
                // A text that leads to the key of a table is there for its row's sake.
                if column.via == nil, links.link(from: column.table, column.name) != nil { continue }
                var points = 0.0
                for (concept, weight) in field.concepts {
                    points = max(points, column.match(concept) * weight)
                }
                // What only the values tell.
                if points < 0.65, field.name == "gtin", column.profile.share(.gtin) >= 0.95,
                    column.profile.filled >= 5, column.profile.distinct * 10 >= column.profile.filled * 9
                {
                    points = 0.66
                }
                if points < 0.65, field.name == "picture",
                    column.profile.share(.pictureFile) >= 0.9 || column.profile.share(.pictureBlob) >= 0.9
                {
                    points = 0.66
                }
                if points < 0.65, field.name == "bottling_note", column.profile.averageLength >= 120,
                    column.profile.isWordy
                {
                    points = 0.65
                }
                guard points >= 0.65 else { continue }
                points *= field.fit(column)
                if case .column(let steps, _) = column.place,
                    steps.count > 1 || (steps.count == 1 && !column.isLookup && column.via != nil)
                {
                    points *= 0.88
                }
                if points >= 0.5 { pairs.append((points * (0.9 + 0.1 * column.profile.fill), f, c)) }
            }
        }
        pairs.sort {
            $0.points != $1.points ? $0.points > $1.points : ($0.column, $0.field) < ($1.column, $1.field)
        }
        if let name = pools.name(of: table) { take(name, as: "name") }
        for pair in pairs {
            let field = fields[pair.field].name
            guard chosen[field] == nil, !used.contains(identity(columns[pair.column])) else { continue }
            take(columns[pair.column], as: field)
        }
    }

    /// Whether the value only decides whether a product is shown.
    func isCondition(_ column: PoolColumn) -> Bool {
        if case .column(let steps, _) = column.place, !steps.isEmpty { return false }
        return visibilities.contains { $0.column == column.name }
    }

    /// Gives a value to a field.
    func take(_ column: PoolColumn, as field: String) {
        chosen[field] = column
        use(column)
    }

    func use(_ column: PoolColumn) {
        used.insert(identity(column))
        if let via = column.via, column.isLookup { used.insert(via.table + "\u{0}" + via.column) }
    }

    func isUsed(_ column: PoolColumn) -> Bool { used.contains(identity(column)) }

    private func identity(_ column: PoolColumn) -> String {
        switch column.place {
        case .column(let steps, let name): (steps.last?.table ?? table.name) + "\u{0}" + name
        case .attribute(let table, _, _, let conditions): table + "\u{0}" + conditions.joined()
        }
    }

    /// Whether the column is the product's own key.
    func isKeyColumn(_ column: PoolColumn) -> Bool {
        if case .column(let steps, let name) = column.place { return steps.isEmpty && name == product.key }
        return false
    }

    // MARK: Rows that keys lead to

    /// Names of the rows that the product's keys lead to, and what else those rows say.
    private(set) lazy var lookups: [PoolColumn] = findLookups()

    private func findLookups() -> [PoolColumn] {
        var out: [PoolColumn] = []
        for column in left {
            guard case .column(let steps, let name) = column.place,
                let link = links.link(from: column.table, name), link.target != table.name,
                let target = survey.table(link.target),
                TableKind.order.match(links.name(of: link.target)) < 0.9
            else { continue }
            let path = steps + [Step(column: name, table: link.target, key: link.key)]
            guard let first = lookup(target, path, link, stem: Links.stem(of: name).words) else { continue }
            out.append(first)
            // A track's album has the artist: one step further.
            for next in links.links(from: target.name)
            where next.target != target.name && next.target != table.name {
                guard let far = survey.table(next.target),
                    var second = lookup(
                        far, path + [Step(column: next.column, table: next.target, key: next.key)], next,
                        stem: Links.stem(of: next.column).words),
                    second.match(.producer) >= 0.7 || second.match(.country) >= 0.7
                        || second.match(.region) >= 0.7
                else { continue }
                second.via = Link(
                    table: link.table, column: name + "\u{0}", target: "", key: "", isDeclared: false)
                out.append(second)
            }
            // A brewery's country and town are the beer's.
            guard first.match(.producer) >= 0.65 || first.match(.supplier) >= 0.65 else { continue }
            for profile in target.columns where profile.fill >= 0.5 {
                let stems = Concept.stems(of: profile.name, in: target.name)
                guard [Concept.country, .region, .city].contains(where: { $0.match(stems) >= 0.9 }),
                    links.link(from: target.name, profile.name) == nil
                else { continue }
                out.append(
                    PoolColumn(
                        place: .column(path, profile.name), profile: profile, name: profile.name,
                        table: target.name, stems: stems, via: link))
            }
        }
        return out
    }

    private func lookup(
        _ target: DatabaseSurvey.Table, _ path: [Step], _ link: Link, stem: [String]
    ) -> PoolColumn? {
        guard let name = pools.name(of: target) else { return nil }
        let place: PoolColumn.Place
        switch name.place {
        case .column(let steps, let column): place = .column(path + steps, column)
        case .attribute: return nil
        }
        let words = links.name(of: target.name)
        return PoolColumn(
            place: place, profile: name.profile, name: name.name, table: target.name,
            stems: stem.isEmpty ? (words, words) : (stem, stem),
            otherStems: [(words, words.map(singular)), (words, words)], isLookup: true, via: link)
    }

    private func singular(_ word: String) -> String {
        if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        return word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
    }
}
