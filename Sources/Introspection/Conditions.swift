import Database

/// Which rows of a table are meant to be seen: not deleted, published.
struct Visibility {
    let column: String
    let sql: (_ alias: String) -> String
    let remark: String
}

extension Pools {
    /// Conditions for the rows of a table that people are meant to see.
    func visibility(of table: DatabaseSurvey.Table) -> [Visibility] {
        table.columns.compactMap { column in
            let stems = Concept.stems(of: column.name, in: table.name)
            let name = SQLText.identifier(column.name)
            if let kind = kind(column, stems) {
                return Visibility(
                    column: column.name, sql: { "\($0).\(name) = \(kind.literal)" },
                    remark: "likely: the others are no products")
            }
            if Concept.deleted.match(stems) >= 0.9 {
                if column.isFlag {
                    let marks = column.trueValues.map(\.literal)
                    // Where none is deleted yet, one will be.
                    let yes = marks.isEmpty ? [column.isTextual ? "'1'" : "1"] : marks
                    let no = column.isTextual ? "''" : "0"
                    return Visibility(
                        column: column.name,
                        sql: {
                            "coalesce(\($0).\(name), \(no)) \(yes.count == 1 ? "<> \(yes[0])" : "NOT IN (\(yes.joined(separator: ", ")))")"
                        },
                        remark: "likely: these rows are gone")
                }
                let isDate = column.share(.isoDate) >= 0.8 || column.share(.unixTime) >= 0.8
                let isEmpty = column.filled == 0 && column.name.lowercased().hasSuffix("at")
                guard isDate && column.filled < column.rows || isEmpty else { return nil }
                return Visibility(
                    column: column.name,
                    sql: {
                        column.blanks > 0 || column.placeholderCount > 0
                            ? "coalesce(\($0).\(name), '') < '1'" : "\($0).\(name) IS NULL"
                    },
                    remark: "likely: rows with a date are gone")
            }
            guard Concept.active.match(stems) >= 0.9,
                Concept.availability.match(stems) < 0.99 || !column.isFlag
            else { return nil }
            if column.isFlag {
                let yes = column.trueValues
                guard !yes.isEmpty else { return nil }
                let isRare = yes.reduce(0) { $0 + (column.counts?[$1] ?? 0) } * 20 < column.rows
                return isRare
                    ? nil
                    : Visibility(
                        column: column.name,
                        sql: {
                            yes.count == 1
                                ? "\($0).\(name) = \(yes[0].literal)"
                                : "\($0).\(name) IN (\(yes.map(\.literal).joined(separator: ", ")))"
                        },
                        remark: "likely: the others are hidden")
            }
            guard let counts = column.counts, counts.count <= 12 else { return nil }
            let shown = counts.keys.filter { Self.shownWords.contains($0.string.lowercased()) }
                .sorted { $0.literal < $1.literal }
            guard !shown.isEmpty, shown.reduce(0, { $0 + (counts[$1] ?? 0) }) * 10 >= column.rows else {
                return nil
            }
            return Visibility(
                column: column.name,
                sql: {
                    shown.count == 1
                        ? "\($0).\(name) = \(shown[0].literal)"
                        : "\($0).\(name) IN (\(shown.map(\.literal).joined(separator: ", ")))"
                },
                remark: "likely: the others are hidden")
        }
    }

    /// The value that marks products in a table that holds pages, orders and other things as well, as WordPress has it.
    private func kind(
        _ column: ColumnProfile, _ stems: (whole: [String], bare: [String])
    ) -> ColumnProfile.Value? {
        guard Concept.type.match(stems) >= 0.7, let counts = column.counts, counts.count <= 60 else {
            return nil
        }
        let others: Set<String> = [
            "post", "page", "attachment", "revision", "order", "category", "article", "service", "customer",
        ]
        guard counts.keys.contains(where: { others.contains($0.string.lowercased()) }) else { return nil }
        return counts.keys.first { ["product", "products", "produkt"].contains($0.string.lowercased()) }
    }

    /// The same for attributes: Magento's status is 1 for what is on sale, and 2 for what is not.
    func visibility(of attributes: [PoolColumn], key: String) -> [Visibility] {
        attributes.compactMap { column in
            guard case .attribute(let table, let owner, let value, let conditions) = column.place,
                column.match(.active) >= 0.9, let counts = column.profile.counts,
                counts.keys.allSatisfy({ ["0", "1", "2"].contains($0.string) }),
                let shown = counts.keys.first(where: { $0.string == "1" })
            else { return nil }
            let rest = conditions.map { " AND \($0)" }.joined()
            return Visibility(
                column: column.name,
                sql: {
                    "(SELECT \(SQLText.identifier(value)) FROM \(SQLText.identifier(table)) WHERE \(SQLText.identifier(owner)) = "
                        + "\($0).\(SQLText.identifier(key))\(rest) LIMIT 1) = \(shown.literal)"
                },
                remark: "likely: \(column.name) 1 is on sale")
        }
    }

    private static let shownWords: Set<String> = [
        "active", "published", "publish", "live", "enabled", "visible", "online", "public", "approved",
        "aktiv", "veroeffentlicht",
        "sichtbar", "publisert", "publie", "actif", "activo", "publicado", "опубликован", "активен", "公開",
    ]
}
