import Database

/// That a column holds keys of another table.
struct Link: Hashable, Sendable {
    let table: String, column: String
    let target: String, key: String
    /// Whether the database says so itself; else names and values do.
    let isDeclared: Bool
}

/// How the tables of a database refer to each other, and what their keys are.
final class Links {
    private let survey: DatabaseSurvey
    private(set) var all: [Link] = []
    private var keys: [String: String?] = [:]
    /// The words of each table's name that tell it from the others.
    private var names: [String: [String]] = [:]

    init(_ survey: DatabaseSurvey) {
        self.survey = survey
        nameTables()
        for table in survey.tables where table.rowCount > 0 { findLinks(of: table) }
    }

    func links(from table: String) -> [Link] { all.filter { $0.table == table } }
    func links(to table: String) -> [Link] { all.filter { $0.target == table && $0.table != table } }
    func link(from table: String, _ column: String) -> Link? {
        all.first { $0.table == table && $0.column == column }
    }

    /// The words of a table's name without a prefix that most tables share, and without words such as `tbl`.
    func name(of table: String) -> [String] { names[table] ?? words(of: table) }

    /// The column that tells the rows of a table apart; nil when there is none.
    func key(of table: DatabaseSurvey.Table) -> String? {
        if let known = keys[table.name] { return known }
        let key = findKey(of: table)
        keys[table.name] = key
        return key
    }

    private func findKey(of table: DatabaseSurvey.Table) -> String? {
        let declared = table.schema.columns.filter { $0.keyPosition > 0 }
        if declared.count == 1, survey.isKey(declared[0].name, of: table) { return declared[0].name }
        // Several columns together are the key of a link table or of a translation.
        if declared.count > 1 { return nil }
        let ranked = table.columns.filter { $0.isUniqueInSample && $0.longest <= 100 }
            .map { column -> (column: ColumnProfile, fit: Double) in
                var fit = Concept.id.match(Concept.stems(of: column.name, in: table.name))
                let isUnique = table.schema.uniqueColumns.contains(column.name)
                fit = max(fit, Concept.sku.match(Concept.stems(of: column.name, in: table.name)) * 0.9)
                return (column, fit + (isUnique ? 0.3 : 0))
            }
            .filter { $0.fit >= 0.3 }
            .sorted { $0.fit > $1.fit }
        return ranked.first { survey.isKey($0.column.name, of: table) }?.column.name
    }

    // MARK: Names

    private static let generalWords: Set<String> = [
        "tbl", "tab", "table", "tb", "t", "data", "info", "list", "entity", "master", "dim", "view", "v",
        "vw", "all", "current",
        "record", "records", "db", "main", "public", "active", "entities",
    ]

    private func nameTables() {
        var split = survey.tables.map { ($0.name, words(of: $0.name)) }
        // wp_posts, wp_terms: what most tables begin with says nothing.
        let firsts = Dictionary(grouping: split.filter { $0.1.count > 1 }) { $0.1[0] }
        for (word, group) in firsts where group.count >= 3 && group.count * 10 >= split.count * 6 {
            guard TableKind.products.match([word]) < 1 else { continue }
            split = split.map { ($0.0, $0.1.count > 1 && $0.1[0] == word ? Array($0.1.dropFirst()) : $0.1) }
        }
        for (name, words) in split {
            let telling = words.filter { !Self.generalWords.contains($0) }
            names[name] = telling.isEmpty ? words : telling
        }
    }

    // MARK: Finding

    private static let keyWords: Set<String> = [
        "id", "code", "no", "nr", "number", "key", "fk", "ref", "num", "uid", "sku", "kode", "номер", "код",
        "ид", "num", "pk", "ids",
    ]

    /// The thing that a column of keys is about: `brewery` for `brewery_id`; empty for `id`.
    static func stem(of column: String) -> (words: [String], hasKeyWord: Bool) {
        var parts = words(of: column)
        var hasKeyWord = false
        while let last = parts.last,
            keyWords.contains(last) || (parts.count > 1 && ["default", "main", "primary"].contains(last))
        {
            parts.removeLast()
            hasKeyWord = true
        }
        while let first = parts.first, ["id", "fk", "fi", "код", "ид"].contains(first) {
            parts.removeFirst()
            hasKeyWord = true
        }
        if parts.count == 1 {
            for ending in ["コード", "番号", "编号", "编码", "id"]
            where parts[0].hasSuffix(ending) && parts[0] != ending {
                let isSpaced = ending != "id" || parts[0].unicodeScalars.contains { $0.value > 0x2E80 }
                guard isSpaced || parts[0].count >= 5 else { continue }
                parts[0] = String(parts[0].dropLast(ending.count))
                hasKeyWord = true
            }
        }
        return (parts, hasKeyWord)
    }

    private func findLinks(of table: DatabaseSurvey.Table) {
        for column in table.columns where column.filled > 0 && column.blobs == 0 {
            if let declared = declaredLink(table, column) {
                all.append(declared)
                continue
            }
            guard column.longest <= 100, column.fractions == 0 else { continue }
            if let link = parentLink(table, column) ?? impliedLink(table, column) { all.append(link) }
        }
    }

    private func declaredLink(_ table: DatabaseSurvey.Table, _ column: ColumnProfile) -> Link? {
        guard let reference = table.schema.references.first(where: { $0.column == column.name }),
            let target = survey.table(reference.table), target.rowCount > 0
        else { return nil }
        let primary = target.schema.columns.filter { $0.keyPosition > 0 }
        guard let wanted = reference.target ?? (primary.count == 1 ? primary[0].name : nil),
            let key = target.columns.first(where: { $0.name.lowercased() == wanted.lowercased() })?.name,
            survey.isKey(key, of: target)
        else { return nil }
        return Link(table: table.name, column: column.name, target: target.name, key: key, isDeclared: true)
    }

    private func parentLink(_ table: DatabaseSurvey.Table, _ column: ColumnProfile) -> Link? {
        let stem = Self.stem(of: column.name).words
        let fit = max(
            Concept.parent.match(Concept.stems(of: column.name, in: table.name)),
            Concept.parent.match((stem, stem)))
        guard fit >= 0.9,
            let key = key(of: table), key != column.name
        else { return nil }
        // Where all of them are at the top, there is nothing to compare; the name has to do.
        let share = share(column, table, in: table, key)
        return (share ?? 0) >= 0.8
            ? Link(table: table.name, column: column.name, target: table.name, key: key, isDeclared: false)
            : nil
    }

    private func impliedLink(_ table: DatabaseSurvey.Table, _ column: ColumnProfile) -> Link? {
        let stem = Self.stem(of: column.name)
        let own = name(of: table.name)
        var best: (link: Link, fit: Double)?
        for target in survey.tables where target.name != table.name && target.rowCount > 0 {
            guard let key = key(of: target) else { continue }
            let words = name(of: target.name)
            var fit = 0.0
            let keyStem = Self.stem(of: key)
            let sameName = column.name.lowercased() == key.lowercased()
            if sameName, !keyStem.words.isEmpty {
                fit = 0.9
            } else if sameName, own.contains(where: { word in words.contains { isSameThing($0, word) } }) {
                // article_group(article, code) and groups(code).
                fit = column.name.lowercased() == self.key(of: table)?.lowercased() ? 0 : 0.6
            }
            if let last = stem.words.last, let thing = words.last {
                if stem.words.count == words.count, zip(stem.words, words).allSatisfy({ isSameThing($0, $1) })
                {
                    fit = max(fit, stem.hasKeyWord ? 0.95 : 0.75)
                } else if isSameThing(last, thing) {
                    fit = max(fit, stem.hasKeyWord ? 0.8 : 0.5)
                } else if stem.words.count == 1, stem.hasKeyWord, last.count >= 3,
                    thing.hasPrefix(last) || words[0].hasPrefix(last)
                {
                    fit = max(fit, 0.65)
                } else if stem.hasKeyWord, words.contains(where: { isSameThing($0, last) }) {
                    fit = max(fit, 0.6)
                }
            }
            guard fit >= 0.5 else { continue }
            // An own key is another's as well only where a table is a part of the other: products and product_details.
            if column.name == self.key(of: table),
                !words.allSatisfy({ word in own.contains { isSameThing($0, word) } })
            {
                continue
            }
            // A view of a table is not what its rows refer to; of equal names the one most alike.
            if target.schema.isView, !table.schema.isView { fit -= 0.2 }
            fit += 0.02 * Double(own.filter { word in words.contains { isSameThing($0, word) } }.count)
            // An own key that is called like another's is a reference only if all of it is there.
            guard fit > best?.fit ?? 0, let share = share(column, table, in: target, key) else { continue }
            guard share >= (fit >= 0.8 ? 0.6 : 0.9) else { continue }
            best = (
                Link(
                    table: table.name, column: column.name, target: target.name, key: key, isDeclared: false),
                fit
            )
        }
        return best?.link
    }

    private func share(
        _ column: ColumnProfile, _ table: DatabaseSurvey.Table, in target: DatabaseSurvey.Table, _ key: String
    ) -> Double? {
        if column.counts != nil { return survey.share(of: column, in: target, key) }
        // Too many different values were counted: the first ones.
        let name = SQLText.identifier(column.name)
        let sql =
            "SELECT DISTINCT \(name) FROM (SELECT \(name) FROM \(SQLText.identifier(table.name)) WHERE \(name) <> '' LIMIT 1000) LIMIT 100"
        let sample = survey.profile(column.name, of: sql)
        return survey.share(of: sample, in: target, key)
    }
}
