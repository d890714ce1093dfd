import Database

/// Finds where the categories of products are: a table, a table of links, a column with names, paths or lists, several columns.
struct CategoryMapper {
    /// Where categories may come from.
    enum Source {
        case lookup(PoolColumn, Link)
        /// Two tables that make one tree: the finer one, and the one above it.
        case levels(fine: PoolColumn, Link, upper: DatabaseSurvey.Table, Link)
        case linked(DatabaseSurvey.Table, product: Link, category: Link)
        case column(PoolColumn)
        case columns([PoolColumn])
        case path(PoolColumn, separator: String)
        case list(PoolColumn, separator: String, isPath: Bool)
    }

    struct Candidate {
        let source: Source
        let points: Double
        let title: String
    }

    let mapper: ProductMapper
    private var pools: Pools { mapper.pools }
    private var survey: DatabaseSurvey { mapper.survey }
    private var links: Links { mapper.links }
    private var table: DatabaseSurvey.Table { mapper.table }

    // MARK: Candidates

    private static let concepts: [(Concept, Double)] = [
        (.category, 1), (.subcategory, 0.9), (.genre, 0.85), (.type, 0.72), (.style, 0.7),
    ]

    private func points(_ column: PoolColumn) -> Double {
        Self.concepts.map { column.match($0.0) * $0.1 }.max() ?? 0
    }

    private func points(ofTable name: String) -> Double {
        let words = links.name(of: name)
        let stems = (words, words)
        let byWords = Self.concepts.map { $0.0.match(stems) * $0.1 }.max() ?? 0
        return max(
            byWords, TableKind.category.match(words) >= 0.9 ? byWords : TableKind.category.match(words) * 0.8)
    }

    func candidates() -> [Candidate] {
        var out: [Candidate] = []
        for lookup in mapper.lookups where lookup.isLookup {
            guard let link = lookup.via, link.target == lookup.table || !link.target.isEmpty,
                case .column(let steps, _) = lookup.place, steps.count == 1 || steps.last?.filter != nil
            else { continue }
            let points = max(points(lookup), self.points(ofTable: link.target) * 0.98)
            guard points >= 0.45 else { continue }
            out.append(Candidate(source: .lookup(lookup, link), points: points + 0.05, title: link.target))
        }
        out += twoLevels(out)
        for link in links.links(to: table.name) where link.key == mapper.product.key {
            guard let other = survey.table(link.table), !pools.isOrderLine(link.table), !other.schema.isView,
                pools.parts[table.name]?.contains(link.table) != true
            else { continue }
            for next in links.links(from: link.table)
            where next.column != link.column && next.target != table.name {
                let points = points(ofTable: next.target)
                guard points >= 0.5, other.columns.count <= 6 else { continue }
                out.append(
                    Candidate(
                        source: .linked(other, product: link, category: next), points: points + 0.04,
                        title: "\(next.target) by \(link.table)"))
            }
        }
        let columns = mapper.left.filter { column in
            let profile = column.profile
            if mapper.isCondition(column) { return false }
            return profile.texts > 0 && profile.lettered > 0
                && links.link(from: column.table, column.name) == nil && !profile.isFlag
                && profile.averageLength <= 120 && profile.distinct <= max(12, profile.filled * 2 / 3)
                && profile.share(.webAddress) < 0.1 && profile.share(.isoDate) < 0.1 && points(column) >= 0.45
        }
        let deep = columns.filter { $0.match(.category) >= 0.7 || $0.match(.subcategory) >= 0.7 }
        if deep.count > 1, let levels = levels(deep) {
            out.append(
                Candidate(
                    source: .columns(levels), points: 1.1, title: levels.map(\.title).joined(separator: ", "))
            )
        }
        for column in columns {
            let points = points(column)
            let source = shape(of: column)
            if case .column = source {
                out.append(Candidate(source: source, points: points, title: column.title))
            } else {
                out.append(Candidate(source: source, points: points + 0.06, title: column.title))
            }
        }
        // Paths and lists that are called something else.
        for column in mapper.left
        where !columns.contains(where: { $0.title == column.title })
            && column.profile.share(.arrowPath) >= 0.5
        {
            out.append(Candidate(source: shape(of: column), points: 0.6, title: column.title))
        }
        return out.sorted { $0.points != $1.points ? $0.points > $1.points : $0.title < $1.title }
    }

    private func twoLevels(_ lookups: [Candidate]) -> [Candidate] {
        lookups.compactMap { candidate in
            guard case .lookup(let fine, let link) = candidate.source,
                case .column(let steps, _) = fine.place, steps.count == 1
            else { return nil }
            for next in links.links(from: link.target)
            where next.target != link.target && next.target != table.name {
                guard points(ofTable: next.target) >= 0.65, let upper = survey.table(next.target),
                    pools.name(of: upper) != nil
                else { continue }
                return Candidate(
                    source: .levels(fine: fine, link, upper: upper, next),
                    points: max(candidate.points, points(ofTable: next.target)) + 0.1,
                    title: "\(next.target) and \(link.target)")
            }
            return nil
        }
    }

    /// Columns that are levels of one tree, from the top, if each value of the finer one is below one of the coarser.
    private func levels(_ columns: [PoolColumn]) -> [PoolColumn]? {
        var sorted = columns.filter {
            if case .column(let steps, _) = $0.place { steps.isEmpty } else { false }
        }
        sorted = sorted.enumerated().sorted {
            ($0.element.profile.distinct, $0.offset) < ($1.element.profile.distinct, $1.offset)
        }.map(\.element)
        guard sorted.count > 1 else { return nil }
        let source = SQLText.identifier(table.name)
        var out = [sorted[0]]
        for column in sorted.dropFirst().prefix(3) {
            guard let above = out.last else { break }
            let a = SQLText.identifier(above.name), b = SQLText.identifier(column.name)
            guard
                let pairs = survey.number(
                    "SELECT count(*) FROM (SELECT DISTINCT \(a), \(b) FROM \(source) WHERE \(b) <> '' LIMIT 5000)"
                ),
                let values = survey.number(
                    "SELECT count(*) FROM (SELECT DISTINCT \(b) FROM \(source) WHERE \(b) <> '' LIMIT 5000)"),
                values > 0, Double(pairs) <= Double(values) * 1.5
            else { continue }
            out.append(column)
        }
        return out.count > 1 ? out : nil
    }

    private func shape(of column: PoolColumn) -> Source {
        let profile = column.profile
        if profile.share(.jsonList) >= 0.5 { return .list(column, separator: "json", isPath: false) }
        let isArrow = profile.share(.arrowPath) >= 0.15
        if profile.share(.pipeList) >= 0.15, recurs(column, "|") {
            return .list(column, separator: "|", isPath: isArrow)
        }
        if profile.share(.semicolonList) >= 0.15, recurs(column, ";") {
            return .list(column, separator: ";", isPath: isArrow)
        }
        let isPlural = [
            "categories", "tags", "kategorien", "kategorier", "categorias", "genres", "styles", "types",
        ]
        .contains { column.stems.whole.contains($0) }
        if profile.share(.commaList) >= 0.1, isPlural || isArrow, recurs(column, ",") {
            return .list(column, separator: ",", isPath: isArrow)
        }
        if isArrow { return .path(column, separator: ">") }
        if profile.share(.colonPath) >= 0.3 { return .path(column, separator: "::") }
        if profile.share(.slashPath) >= 0.5, recurs(column, "/") { return .path(column, separator: "/") }
        return .column(column)
    }

    /// Whether the parts of a list come again in other lists: commas inside names ("Champagne, brut") do not.
    private func recurs(_ column: PoolColumn, _ separator: Character) -> Bool {
        guard let counts = column.profile.counts else { return true }
        var parts: [String: Int] = [:]
        for value in counts.keys where value.string.contains(separator) {
            for part in value.string.split(separator: separator) {
                parts[String(part).trimmed, default: 0] += 1
            }
        }
        let again = parts.values.filter { $0 > 1 }.count
        return parts.count > 1 && again * 3 >= parts.count
    }

    // MARK: SQL

    /// Writes the categories into the proposal; the candidates that were not taken are named.
    func write() {
        let all = candidates()
        guard let best = all.first, best.points >= 0.5 else {
            mapper.out.findings.append(("categories", "none found"))
            return
        }
        let others = all.dropFirst().filter {
            $0.title != best.title && !best.title.contains($0.title) && $0.points >= 0.6
        }
        let sureness: Sureness =
            best.points >= 0.95 && (others.first?.points ?? 0) < best.points - 0.1
            ? .sure : best.points >= 0.8 ? .likely : .guess
        var remark = "Categories: \(sureness.words), from \(best.title)"
        if let other = others.first {
            remark += "; could also be \(other.title)"
            if sureness == .guess {
                mapper.out.doubts.append("categories may be \(other.title) rather than \(best.title)")
            }
        }
        var count: String
        switch best.source {
        case .lookup(let lookup, let link): count = oneTable(lookup, link, remark)
        case .levels(let fine, let link, let upper, let next): count = levels(fine, link, upper, next, remark)
        case .linked(let table, let product, let category): count = linked(table, product, category, remark)
        case .column(let column): count = names(column, remark)
        case .columns(let columns): count = severalColumns(columns, remark)
        case .path(let column, let separator): count = path(column, separator, remark)
        case .list(let column, let separator, let isPath):
            count = list(column, separator, isPath: isPath, remark)
        }
        if count.isEmpty { count = best.title }
        mapper.out.findings.append(("categories", count))
    }

    private func oneTable(_ lookup: PoolColumn, _ link: Link, _ remark: String) -> String {
        guard let target = survey.table(link.target) else { return "" }
        mapper.out.parts[.categories] = .init(
            remarks: [remark + "."], sql: tableOfCategories(target, link.key))
        mapper.use(lookup)
        let column = mapper.left.first { $0.name == link.column && $0.table == link.table }
        let sql = column.map { mapper.query.expression(of: $0) } ?? SQLText.identifier(link.column)
        addCategory(reference(sql, column?.profile, to: target, link.key))
        return "\(target.name) (\(target.rowsText))"
    }

    /// A value as the key that it refers to: what stands for "none" left out, numbers as the other table has them.
    private func reference(
        _ sql: String, _ profile: ColumnProfile?, to target: DatabaseSurvey.Table, _ key: String
    ) -> String {
        guard let profile, let other = target.column(key) else { return sql }
        var out = sql
        for none in ["0", "-1"] {
            guard let value = profile.counts?.keys.first(where: { $0.string == none }),
                other.counts?.keys.contains(where: { $0.string == none }) == false
            else { continue }
            out = "NULLIF(\(out), \(value.literal))"
        }
        if profile.isTextual != other.isTextual, profile.filled > 0 {
            out = "CAST(\(out) AS \(other.isTextual ? "TEXT" : "INTEGER"))"
        }
        return out
    }

    private func addCategory(_ sql: String, _ remark: String = "") {
        mapper.query.add(sql, as: "category_id", remark)
    }

    /// The rows of a table of categories as the tree has them.
    private func tableOfCategories(_ target: DatabaseSurvey.Table, _ key: String) -> String {
        var query = Query(target.name, key: key)
        let id = "\(query.alias).\(SQLText.identifier(key))"
        query.add(id, as: "id")
        if let parent = links.links(from: target.name).first(where: { $0.target == target.name }),
            let profile = target.column(parent.column)
        {
            query.add(
                reference("\(query.alias).\(SQLText.identifier(parent.column))", profile, to: target, key),
                as: "parent_id",
                parent.isDeclared ? "" : "likely")
        }
        if let name = pools.name(of: target) {
            query.add(query.expression(of: name), as: "name", name.match(.name) >= 0.7 ? "" : "likely")
        }
        addDetails(of: target, to: &query)
        for visibility in pools.visibility(of: target) {
            query.conditions.append((visibility.sql(query.alias), visibility.remark))
        }
        return query.text
    }

    private func addDetails(of target: DatabaseSurvey.Table, to query: inout Query) {
        let name = pools.name(of: target)?.name
        func best(_ concept: Concept, _ least: Double, _ isFit: (ColumnProfile) -> Bool) -> PoolColumn? {
            pools.columns(of: target).filter {
                $0.name != name && isFit($0.profile) && $0.match(concept) >= least
            }
            .max { $0.match(concept) < $1.match(concept) }
        }
        if let slug = best(.slug, 0.9, { $0.isUniqueInSample && $0.isTextual && $0.averageLength < 100 }) {
            query.add(query.expression(of: slug), as: "slug")
        }
        if let position = best(.position, 0.9, { $0.isWhole && $0.most < 2e9 && $0.least > -2e9 }) {
            query.add(query.expression(of: position), as: "position")
        }
        if let text = best(.note, 0.9, { $0.isWordy && $0.averageLength >= 8 && $0.markedUp == 0 }) {
            query.add(query.expression(of: text), as: "description")
        }
        if let picture = best(
            .picture, 0.7, { $0.share(.pictureBlob) >= 0.5 || $0.share(.pictureFile) >= 0.5 })
        {
            let isBlob = picture.profile.share(.pictureBlob) >= 0.5
            let sql = query.expression(of: picture)
            query.add(
                picture.profile.rooted > 0 ? "ltrim(\(sql), '/')" : sql, as: "picture",
                isBlob ? "the picture itself, a BLOB" : "")
        }
    }

    private func levels(
        _ fine: PoolColumn, _ link: Link, _ upper: DatabaseSurvey.Table, _ next: Link, _ remark: String
    ) -> String {
        guard let lower = survey.table(link.target), let upperName = pools.name(of: upper),
            let lowerName = pools.name(of: lower)
        else { return "" }
        var top = Query(upper.name, key: next.key)
        let topPrefix = SQLText.literal(String((words(of: upper.name).last ?? "c").prefix(1)) + "-")
        let lowPrefix = SQLText.literal(String((words(of: lower.name).last ?? "s").prefix(2)) + "-")
        top.add("\(topPrefix) || \(top.alias).\(SQLText.identifier(next.key))", as: "id")
        top.add("NULL", as: "parent_id")
        top.add(top.expression(of: upperName), as: "name")
        var low = Query(lower.name, key: link.key)
        low.add("\(lowPrefix) || \(low.alias).\(SQLText.identifier(link.key))", as: "id")
        low.add("\(topPrefix) || \(low.alias).\(SQLText.identifier(next.column))", as: "parent_id")
        low.add(low.expression(of: lowerName), as: "name")
        let source = SQLText.identifier(table.name)
        if case .column(let steps, _) = fine.place, steps.count == 1, link.table == table.name {
            low.conditions.append(
                (
                    "\(low.alias).\(SQLText.identifier(link.key)) IN (SELECT \(SQLText.identifier(link.column)) FROM \(source))",
                    "those in use"
                ))
        }
        mapper.out.parts[.categories] = .init(
            remarks: [remark + ".", "Two tables make one tree; the letters keep their keys apart."],
            sql: top.text + "\nUNION ALL\n" + low.text)
        guard case .column(let steps, _) = fine.place else { return "" }
        let alias = mapper.query.alias(of: steps)
        let fineKey = "\(alias).\(SQLText.identifier(link.key))"
        var cases = "WHEN \(fineKey) IS NOT NULL THEN \(lowPrefix) || \(fineKey)"
        mapper.use(fine)
        // Where a product has no finer category it may still have the one above.
        if let direct = mapper.lookups.first(where: {
            $0.via?.target == upper.name && $0.via?.table == table.name
        }),
            case .column(let path, _) = direct.place
        {
            let above = "\(mapper.query.alias(of: path)).\(SQLText.identifier(next.key))"
            cases += " WHEN \(above) IS NOT NULL THEN \(topPrefix) || \(above)"
            mapper.use(direct)
        }
        addCategory("CASE \(cases) END")
        // A style is still a fact of the product.
        if fine.match(.style) >= 0.7 || fine.match(.genre) >= 0.7 { mapper.take(fine, as: "style") }
        return "\(upper.name) (\(upper.rowsText)) with \(lower.name) below"
    }

    private func linked(_ link: DatabaseSurvey.Table, _ product: Link, _ category: Link, _ remark: String)
        -> String
    {
        guard let target = survey.table(category.target) else { return "" }
        mapper.out.parts[.categories] = .init(
            remarks: [remark + "."], sql: tableOfCategories(target, category.key))
        var query = Query(link.name, key: product.column)
        query.add("\(query.alias).\(SQLText.identifier(product.column))", as: "product_id")
        query.add("\(query.alias).\(SQLText.identifier(category.column))", as: "category_id")
        if let position = link.columns.first(where: {
            $0.isWhole && Concept.position.match(Concept.stems(of: $0.name, in: link.name)) >= 0.9
        }) {
            query.add("\(query.alias).\(SQLText.identifier(position.name))", as: "position")
        }
        mapper.restrict(&query, product.column)
        mapper.out.parts[.productCategories] = .init(sql: query.text)
        mapper.usedTables.insert(link.name)
        return "\(target.name) (\(target.rowsText)), linked by \(link.name)"
    }

    // MARK: Columns

    /// The value and the rows it comes from, for a query of its own.
    private func base(_ column: PoolColumn) -> (query: Query, sql: String) {
        var query = Query(table.name, key: mapper.product.key)
        let sql = query.expression(of: column)
        mapper.addConditions(to: &query)
        return (query, sql)
    }

    private func from(_ query: Query, _ condition: String) -> String {
        var text = "FROM \(query.source)"
        for join in query.joins {
            text += " LEFT JOIN \(SQLText.identifier(join.table)) AS \(join.alias) ON \(join.condition)"
        }
        return text + " WHERE " + ([condition] + query.conditions.map(\.sql)).joined(separator: " AND ")
    }

    private func names(_ column: PoolColumn, _ remark: String) -> String {
        let (query, sql) = base(column)
        let value = column.profile.padded > 0 || column.profile.blanks > 0 ? "trim(\(sql))" : sql
        let none =
            column.profile.placeholders.isEmpty
            ? ""
            : " AND \(sql) NOT IN (\(column.profile.placeholders.sorted().map { SQLText.literal($0) }.joined(separator: ", ")))"
        mapper.out.parts[.categories] = .init(
            remarks: [remark + ".", "A category for every name that comes."],
            sql: "SELECT DISTINCT \(value) AS id, \(value) AS name\n\(from(query, "\(sql) <> ''" + none))")
        let own = mapper.plain(column)
        addCategory(column.profile.padded > 0 || column.profile.blanks > 0 ? "NULLIF(trim(\(own)), '')" : own)
        // A style, a genre is also a fact of the product; a category's name alone would be there twice.
        if column.match(.style) < 0.7 { mapper.use(column) }
        return "\(column.title), \(grouped(column.profile.distinct)) names"
    }

    private func severalColumns(_ columns: [PoolColumn], _ remark: String) -> String {
        var parts: [String] = []
        var path = ""
        var conditions: [String] = []
        var cases: [String] = []
        for column in columns {
            let (query, sql) = base(column)
            conditions.append("\(sql) <> ''")
            let above = path
            path = path.isEmpty ? sql : path + " || ' > ' || " + sql
            parts.append(
                "SELECT DISTINCT \(path)\(parts.isEmpty ? " AS id" : ""), \(path)\(parts.isEmpty ? " AS slug" : ""), \(above.isEmpty ? "NULL" : above)\(parts.isEmpty ? " AS parent_id" : ""), \(sql)\(parts.isEmpty ? " AS name" : "")\n"
                    + from(query, conditions.joined(separator: " AND ")))
            cases.insert("WHEN \(conditions.joined(separator: " AND ")) THEN \(path)", at: 0)
            mapper.use(column)
        }
        mapper.out.parts[.categories] = .init(
            remarks: [remark + ".", "Each column is a level of the tree."],
            sql: parts.joined(separator: "\nUNION\n"))
        addCategory("CASE \(cases.joined(separator: " ")) END")
        return columns.map(\.title).joined(separator: " > ")
    }

    /// The part of a path above its last separator, and the last part.
    private static func above(_ s: String) -> String {
        "rtrim(substr(path, 1, length(rtrim(path, replace(path, '\(s)', ''))) - 1))"
    }
    private static func last(_ s: String) -> String {
        "trim(substr(path, length(rtrim(path, replace(path, '\(s)', ''))) + 1))"
    }

    private static func paths(_ start: String, _ s: String) -> String {
        """
        paths(path) AS (
          \(start)
          UNION
          SELECT \(above(s)) FROM paths WHERE instr(path, '\(s)'))
        """
    }

    private static func tree(_ s: String) -> String {
        """
        SELECT path AS id, path AS slug, NULLIF(\(above(s)), '') AS parent_id,
          \(last(s)) AS name
        FROM paths WHERE \(last(s)) <> ''
        """
    }

    private func path(_ column: PoolColumn, _ separator: String, _ remark: String) -> String {
        let (query, sql) = base(column)
        let sign = separator.count == 1 ? separator : ">"
        func clean(_ sql: String) -> String {
            separator.count == 1 ? "trim(\(sql))" : "replace(trim(\(sql)), '\(separator)', '>')"
        }
        mapper.out.parts[.categories] = .init(
            remarks: [
                remark + ".",
                "The names are paths such as '\(example(of: column, separator))'; the query takes them apart from the end.",
            ],
            sql: "WITH RECURSIVE "
                + Self.paths("SELECT DISTINCT \(clean(sql)) \(from(query, "\(sql) <> ''"))", sign) + "\n"
                + Self.tree(sign))
        addCategory("NULLIF(\(clean(mapper.query.expression(of: column))), '')")
        mapper.use(column)
        return "\(column.title), paths with '\(separator)'"
    }

    private func example(of column: PoolColumn, _ separator: String) -> String {
        (column.profile.sampleValues(400).first { $0.string.contains(separator) }?.string ?? "A > B")
            .printableShort
    }

    private func list(_ column: PoolColumn, _ separator: String, isPath: Bool, _ remark: String) -> String {
        let parts = mapper.parts(of: column, separator)
        var categories = "WITH RECURSIVE \(parts)"
        if isPath {
            categories +=
                ",\n" + Self.paths("SELECT DISTINCT part FROM parts WHERE part <> ''", ">") + "\n"
                + Self.tree(">")
        } else {
            categories += "\nSELECT DISTINCT part AS id, part AS name FROM parts WHERE part <> ''"
        }
        let sign = separator == "json" ? "," : separator
        mapper.out.parts[.categories] = .init(
            remarks: [
                remark + ".",
                "A cell holds a list such as '\(example(of: column, sign))'; the query takes it apart.",
            ], sql: categories)
        mapper.out.parts[.productCategories] = .init(
            sql:
                "WITH RECURSIVE \(parts)\nSELECT DISTINCT id AS product_id, part AS category_id FROM parts WHERE part <> ''"
        )
        mapper.use(column)
        return "\(column.title), lists\(isPath ? " of paths" : "")"
    }
}

extension ProductMapper {
    /// A common table expression `parts(id, part, rest)` with a row for each part of the lists in a column.
    func parts(of column: PoolColumn, _ separator: String) -> String {
        var query = Query(table.name, key: product.key)
        let sql = query.expression(of: column)
        addConditions(to: &query)
        let id = "\(query.alias).\(SQLText.identifier(product.key))"
        let conditions = (["\(sql) <> ''"] + query.conditions.map(\.sql)).joined(separator: " AND ")
        if separator == "json" {
            return """
                parts(id, part) AS (
                  SELECT \(id), trim(j.value) FROM \(query.source), json_each(CASE WHEN json_valid(\(sql)) THEN \(sql) ELSE '[]' END) AS j
                  WHERE \(conditions))
                """
        }
        return """
            parts(id, part, rest) AS (
              SELECT \(id), '', \(sql) || '\(separator)' FROM \(query.source) WHERE \(conditions)
              UNION ALL
              SELECT id, trim(substr(rest, 1, instr(rest, '\(separator)') - 1)), substr(rest, instr(rest, '\(separator)') + 1)
              FROM parts WHERE rest <> '')
            """
    }

    /// The conditions under which a product is shown, for another query over its table.
    func addConditions(to query: inout Query) {
        for visibility in visibilities { query.conditions.append((visibility.sql(query.alias), "")) }
    }

    /// Leaves out rows of another table whose product is not shown.
    func restrict(_ query: inout Query, _ column: String) {
        guard !visibilities.isEmpty else { return }
        var products = Query(table.name, key: product.key)
        addConditions(to: &products)
        let conditions = products.conditions.map(\.sql).joined(separator: " AND ")
        query.conditions.append(
            (
                "\(query.alias).\(SQLText.identifier(column)) IN (SELECT \(SQLText.identifier(product.key)) FROM \(products.source) WHERE \(conditions))",
                ""
            ))
    }
}
