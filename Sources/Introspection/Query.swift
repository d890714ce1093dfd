import Database

/// A query as it is put together: columns, the tables they come from, conditions.
struct Query {
    struct Column {
        let expression: String
        /// The field, as it stands after AS: `name`, `fact:Colour`.
        let field: String
        /// A comment behind it; empty when there is nothing to say.
        var remark = ""
    }

    let table: String
    let alias: String
    /// The column that identifies a row.
    let key: String
    private(set) var joins: [(steps: [Step], alias: String, table: String, condition: String)] = []
    var columns: [Column] = []
    var conditions: [(sql: String, remark: String)] = []

    init(_ table: String, key: String) {
        self.table = table
        self.key = key
        alias = Self.letter(of: table)
    }

    /// The first letter of the table's last word; `t` where it is none of a to z.
    private static func letter(of table: String) -> String {
        let word = words(of: table).last ?? ""
        let letter = word.first ?? "t"
        return letter.isASCII && letter.isLetter ? String(letter) : "t"
    }

    /// The name of the table that the steps lead to; it is joined if it is not yet.
    mutating func alias(of steps: [Step]) -> String {
        guard let last = steps.last else { return alias }
        if let known = joins.first(where: { $0.steps == steps }) { return known.alias }
        let before = alias(of: Array(steps.dropLast()))
        let letter = Self.letter(of: last.table)
        let taken = Set(joins.map(\.alias) + [alias])
        var name = letter
        var number = 2
        while taken.contains(name) {
            name = letter + String(number)
            number += 1
        }
        var condition =
            "\(name).\(SQLText.identifier(last.key)) = \(before).\(SQLText.identifier(last.column))"
        if let filter = last.filter {
            condition += " AND \(name).\(SQLText.identifier(filter.column)) = \(filter.literal)"
        }
        joins.append((steps, name, last.table, condition))
        return name
    }

    /// The SQL of a value.
    mutating func expression(of column: PoolColumn) -> String {
        switch column.place {
        case .column(let steps, let name): "\(alias(of: steps)).\(SQLText.identifier(name))"
        case .attribute(let table, let owner, let value, let conditions):
            "(SELECT \(SQLText.identifier(value)) FROM \(SQLText.identifier(table)) "
                + "WHERE \(SQLText.identifier(owner)) = \(alias).\(SQLText.identifier(key))"
                + conditions.map { " AND \($0)" }.joined() + " LIMIT 1)"
        }
    }

    mutating func add(_ expression: String, as field: String, _ remark: String = "") {
        let folded = field.lowercased()
        guard !columns.contains(where: { $0.field.lowercased() == folded }) else { return }
        columns.append(Column(expression: expression, field: field, remark: remark))
    }

    /// The query with its comments, a line for each column.
    var text: String {
        var lines = ["SELECT"]
        for (i, column) in columns.enumerated() {
            let name = SQLText.identifier(column.field)
            let isNamed = column.expression.hasSuffix(".\(name)") && !column.expression.contains(" ")
            lines.append(
                "  " + column.expression + (isNamed ? "" : " AS \(name)") + (i + 1 < columns.count ? "," : "")
                    + comment(column.remark))
        }
        lines.append("FROM \(source)")
        for join in joins {
            let isFiltered = join.steps.last?.filter != nil
            lines.append(
                "  LEFT JOIN \(SQLText.identifier(join.table)) AS \(join.alias) ON \(join.condition)"
                    + comment(isFiltered ? "one language of several" : ""))
        }
        for (i, condition) in conditions.enumerated() {
            lines.append((i == 0 ? "WHERE " : "  AND ") + condition.sql + comment(condition.remark))
        }
        return lines.joined(separator: "\n")
    }

    /// What stands after FROM, without joins.
    var source: String { "\(SQLText.identifier(table)) AS \(alias)" }

    private func comment(_ remark: String) -> String { remark.isEmpty ? "" : "  -- " + remark }
}
