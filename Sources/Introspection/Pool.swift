import Database

/// A step from one row to the one row of another table that belongs to it.
struct Step: Hashable, Sendable {
    /// The column of the row before.
    let column: String
    let table: String
    /// The column there that must be equal.
    let key: String
    /// A further condition such as a language: a column of that table and a literal.
    var filter: Filter?

    struct Filter: Hashable, Sendable {
        let column: String
        let literal: String
    }
}

/// A value that a row has: in a column of its own, of a row that belongs to it, or as an attribute.
struct PoolColumn: Sendable {
    enum Place: Hashable, Sendable {
        /// The steps to the table, and the column there.
        case column([Step], String)
        /// A row of a table of attributes: `SELECT value FROM table WHERE owner = … AND conditions`.
        case attribute(table: String, owner: String, value: String, conditions: [String])
    }

    let place: Place
    let profile: ColumnProfile
    /// The name that says what it is: the column's, or the attribute's.
    let name: String
    /// The table it is in.
    let table: String
    /// What the name means, in words.
    let stems: (whole: [String], bare: [String])
    /// Another name for it: the table that the row is looked up in (`Genre` of `GenreId`).
    var otherStems: [(whole: [String], bare: [String])] = []
    /// Whether it is the name of a row that a key leads to.
    var isLookup = false
    /// The key column of the row itself that leads there.
    var via: Link?

    /// How well the name fits a concept.
    func match(_ concept: Concept) -> Double {
        var best = concept.match(stems)
        for other in otherStems { best = max(best, concept.match(other) * 0.98) }
        return best
    }

    /// As comments name it.
    var title: String {
        switch place {
        case .column(let steps, _): steps.isEmpty ? name : "\(table).\(name)"
        case .attribute: "attribute \(name)"
        }
    }
}

/// Finds all values that the rows of a table have.
final class Pools {
    let survey: DatabaseSurvey
    let links: Links
    private var known: [String: [PoolColumn]] = [:]
    private var names: [String: PoolColumn?] = [:]
    /// The language whose texts are taken where there are several, by its code in the database.
    private(set) var language: String?
    /// Tables that were taken to be part of another's rows.
    private(set) var parts: [String: Set<String>] = [:]

    init(_ survey: DatabaseSurvey, _ links: Links) {
        self.survey = survey
        self.links = links
        language = columnLanguage()
    }

    /// The language to take of columns such as `name_de` and `name_en`: English where it is complete, else the one that is.
    private func columnLanguage() -> String? {
        var filled: [String: Int] = [:]
        var order: [String] = []
        for table in survey.tables {
            let columns = table.columns.filter { languageSuffix($0.name) != nil && $0.texts > 0 }
            let bases = Dictionary(grouping: columns) { words(of: $0.name).dropLast().joined(separator: " ") }
            for column in columns
            where bases[words(of: column.name).dropLast().joined(separator: " ")]?.count ?? 0 > 1 {
                guard let code = languageSuffix(column.name) else { continue }
                if filled[code] == nil { order.append(code) }
                filled[code, default: 0] += column.texts
            }
        }
        guard let most = filled.values.max() else { return nil }
        let complete = order.filter { (filled[$0] ?? 0) * 10 >= most * 9 }
        return complete.first { $0.hasPrefix("en") } ?? complete.first
    }

    /// The values of a table's rows: own columns, columns of tables with one row for each of its rows, attributes.
    func columns(of table: DatabaseSurvey.Table) -> [PoolColumn] {
        if let pool = known[table.name] { return pool }
        known[table.name] = []
        var out = table.columns.map { profile in
            PoolColumn(
                place: .column([], profile.name), profile: profile, name: profile.name, table: table.name,
                stems: Concept.stems(of: profile.name, in: table.name))
        }
        if let key = links.key(of: table) {
            for link in links.links(to: table.name) where link.key == key {
                guard let other = survey.table(link.table), !other.schema.isView else { continue }
                out += attributes(other, of: table, link) ?? satellite(other, of: table, link) ?? []
            }
        }
        known[table.name] = out
        return out
    }

    /// The value that names the rows of a table to people; nil when nothing does.
    func name(of table: DatabaseSurvey.Table) -> PoolColumn? {
        if let known = names[table.name] { return known }
        var best: (column: PoolColumn, fit: Double)?
        let key = links.key(of: table)
        for column in columns(of: table) where column.profile.filled > 0 {
            let profile = column.profile
            guard profile.texts > 0, !profile.isFlag || profile.rows <= 2, profile.share(.webAddress) < 0.5,
                profile.share(.email) < 0.5, profile.share(.isoDate) < 0.5, profile.averageLength <= 200,
                profile.share(.pictureFile) < 0.5,
                links.link(from: table.name, column.name) == nil || column.table != table.name
            else { continue }
            var fit = column.match(.name)
            // A description that is short is a name (Northwind's regions).
            if fit < 0.5, profile.averageLength <= 60 { fit = max(fit, column.match(.note) * 0.6) }
            if fit < 0.5, profile.isWordy, profile.averageLength <= 60, profile.share(.currencyCode) < 0.5 {
                fit = 0.3
            }
            fit *= profile.isWordy ? 1 : 0.7
            if column.name == key, profile.isTextual { fit = max(fit, 0.35) }
            if Concept.slug.match(column.stems) > 0.9 || Concept.language.match(column.stems) > 0.9 {
                fit = 0
            }
            if case .column(let steps, _) = column.place, !steps.isEmpty { fit *= 0.97 }
            if let language = languageSuffix(column.name), language != self.language { fit *= 0.95 }
            if fit > best?.fit ?? 0.25 { best = (column, fit) }
        }
        names[table.name] = best?.column
        return best?.column
    }

    // MARK: Satellites

    /// The columns of a table that has one row for each row of another; nil when it is no such table.
    private func satellite(
        _ table: DatabaseSurvey.Table, of owner: DatabaseSurvey.Table, _ link: Link
    ) -> [PoolColumn]? {
        var step = Step(column: link.key, table: table.name, key: link.column)
        if !isOnePerRow(table, link) {
            guard let filter = languageFilter(table, link) else { return nil }
            step.filter = filter
        } else if TableKind.order.match(links.name(of: table.name)) >= 0.9
            || links.links(from: table.name).filter({ $0.column != link.column }).count > 2
        {
            return nil
        }
        let taken = Set([link.column, step.filter?.column].compactMap { $0 })
        parts[owner.name, default: []].insert(table.name)
        return table.columns.filter { !taken.contains($0.name) && $0.filled > 0 }.map { profile in
            PoolColumn(
                place: .column([step], profile.name), profile: profile, name: profile.name, table: table.name,
                stems: Concept.stems(of: profile.name, in: owner.name))
        }
    }

    /// Whether there is one row at most for each row of the other table, now and later: two would be one product twice.
    ///
    /// Without a declaration a table of links looks the same as long as it is small.
    private func isOnePerRow(_ table: DatabaseSurvey.Table, _ link: Link) -> Bool {
        if table.schema.uniqueColumns.contains(link.column) { return survey.isKey(link.column, of: table) }
        let isLink =
            links.links(from: table.name).count > 1 || table.schema.columns.contains { $0.keyPosition > 1 }
        return !isLink && table.rowCount >= 10 && survey.isKey(link.column, of: table)
    }

    /// The language to take from a table that has a row for each language.
    private func languageFilter(_ table: DatabaseSurvey.Table, _ link: Link) -> Step.Filter? {
        for column in table.columns where column.name != link.column {
            guard Concept.language.match(Concept.stems(of: column.name, in: table.name)) >= 0.9,
                let counts = column.counts, (1...60).contains(counts.count), column.filled == column.rows
            else { continue }
            let owner = SQLText.identifier(link.column), language = SQLText.identifier(column.name)
            let source = SQLText.identifier(table.name)
            guard
                survey.number(
                    "SELECT count(*) FROM (SELECT 1 FROM \(source) GROUP BY \(owner), \(language) HAVING count(*) > 1 LIMIT 1)"
                ) == 0
            else { continue }
            let most = counts.values.max() ?? 0
            // English among those that are complete, else the first.
            let complete = counts.filter { $0.value * 10 >= most * 9 }.keys.sorted { $0.literal < $1.literal }
            let chosen =
                complete.first { $0.string == self.language }
                ?? complete.first { $0.string.lowercased().hasPrefix("en") } ?? complete.first
            guard let chosen else { continue }
            if self.language == nil, case .text(let code) = chosen, code.count <= 6 { self.language = code }
            return Step.Filter(column: column.name, literal: chosen.literal)
        }
        return nil
    }

    // MARK: Attributes

    /// The attributes in a table with a row for each value (EAV); nil when it is no such table.
    private func attributes(
        _ table: DatabaseSurvey.Table, of owner: DatabaseSurvey.Table, _ link: Link
    ) -> [PoolColumn]? {
        func best(_ concept: Concept, _ isFit: (ColumnProfile) -> Bool) -> ColumnProfile? {
            table.columns.filter { $0.name != link.column && isFit($0) }
                .map { ($0, concept.match(Concept.stems(of: $0.name, in: table.name))) }
                .filter { $0.1 >= 0.7 }.max { $0.1 < $1.1 }?.0
        }
        guard let value = best(.value, { _ in true }),
            let label = best(.label, { $0.name != value.name && $0.distinct <= 300 })
        else { return nil }
        var titles: [(literal: String, name: String)] = []
        if let target = links.link(from: table.name, label.name), let attribute = survey.table(target.target),
            let counts = label.counts
        {
            // The code says more to a program than the label: "price", whatever the language.
            let column =
                attribute.columns.filter { $0.isUniqueInSample || $0.distinct * 2 > $0.filled }
                .map { ($0, Concept.label.match(Concept.stems(of: $0.name, in: attribute.name))) }
                .filter { $0.1 >= 0.6 && $0.0.isTextual }.max { $0.1 < $1.1 }?.0
                ?? name(of: attribute)?.profile
            guard let column else { return nil }
            for value in counts.keys.sorted(by: { $0.literal < $1.literal }) {
                let sql =
                    "SELECT \(SQLText.identifier(column.name)) FROM \(SQLText.identifier(attribute.name)) WHERE \(SQLText.identifier(target.key)) = \(value.literal)"
                if let name = survey.texts(sql, limit: 1)?.first, name.isPrintable, !name.isEmpty {
                    titles.append((value.literal, name))
                }
            }
        } else if label.isWordy, let counts = label.counts {
            titles = counts.keys.sorted { $0.literal < $1.literal }.filter { $0.string.isPrintable }.map {
                ($0.literal, $0.string)
            }
        }
        // A table of one attribute only, of those of its type, is one if another table says what they are.
        guard titles.count >= (label.isWordy ? 2 : 1) else { return nil }
        var shared: [String] = []
        if let store = table.columns.first(where: {
            Concept.language.match(Concept.stems(of: $0.name, in: table.name)) >= 0.9 && $0.name != label.name
        }), let common = store.commonest {
            shared.append("\(SQLText.identifier(store.name)) = \(common.value.literal)")
        }
        parts[owner.name, default: []].insert(table.name)
        let source = SQLText.identifier(table.name)
        return titles.prefix(120).map { title in
            let conditions = ["\(SQLText.identifier(label.name)) = \(title.literal)"] + shared
            let cell = SQLText.identifier(value.name)
            let sql =
                "SELECT CASE typeof(\(cell)) WHEN 'text' THEN substr(\(cell), 1, 600) ELSE \(cell) END "
                + "FROM \(source) WHERE \(conditions.joined(separator: " AND "))"
            return PoolColumn(
                place: .attribute(
                    table: table.name, owner: link.column, value: value.name, conditions: conditions),
                profile: survey.profile(title.name, of: sql), name: title.name, table: table.name,
                stems: Concept.stems(of: title.name, in: owner.name))
        }
    }
}

/// The language at the end of a column's name: `de` for `name_de`; nil when there is none.
func languageSuffix(_ name: String) -> String? {
    let parts = words(of: name)
    guard parts.count > 1, let last = parts.last, languageCodes.contains(last) else { return nil }
    return last
}

/// Codes of languages, and words for them, as columns are called by them.
let languageCodes: Set<String> = [
    "en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "nn", "no", "fi", "pl", "cs", "ru", "uk",
    "ja", "zh", "ko",
    "tr", "el", "hu", "ro", "bg", "hr", "sl", "sk", "et", "lv", "lt", "ar", "he", "ca", "eu", "us", "gb",
    "jp", "cn",
    "eng", "deu", "ger", "fra", "fre", "spa", "ita", "english", "german", "french", "deutsch", "francais",
]
