import Database

/// A database as far as it was looked at: its schema, and a sample of every table.
///
/// Bounded on databases of any size: at most ``sampleSize`` rows of a table, evenly spread over it, and counting ends
/// at a million.
final class DatabaseSurvey {
    /// A table or view with what its sample shows.
    struct Table {
        let schema: DatabaseSchema.Table
        /// Rows, as far as they were counted.
        var rowCount = 0
        /// Whether there are more rows than were counted.
        var hasMore = false
        var columns: [ColumnProfile] = []

        var name: String { schema.name }

        func column(_ name: String) -> ColumnProfile? { columns.first { $0.name == name } }

        /// The number of rows as people read it.
        var rowsText: String {
            let number = grouped(rowCount) + (hasMore ? "+" : "")
            return "\(number) row\(rowCount == 1 ? "" : "s")"
        }
    }

    let connection: Connection
    /// For the one question whose answer is worth waiting for: whether millions of values are all different.
    private lazy var patient =
        (try? Connection(reading: connection.path, rowTimeLimit: .seconds(60))) ?? connection
    private(set) var tables: [Table] = []

    /// Below this number of rows all are read.
    static let sampleSize = 2500
    private static let viewSampleSize = 500
    private static let countLimit = 1_000_000
    /// Tables beyond this number are not looked at.
    private static let tableLimit = 600

    init(path: String) throws {
        connection = try Connection(reading: path, rowTimeLimit: .seconds(3))
        try connection.execute("BEGIN")
        for schema in try connection.schema().tables.prefix(Self.tableLimit) {
            guard schema.name.isPrintable else { continue }
            tables.append(survey(schema))
        }
    }

    func table(_ name: String) -> Table? {
        tables.first { $0.name == name } ?? tables.first { $0.name.lowercased() == name.lowercased() }
    }

    // MARK: Questions

    private func patient(for table: Table) -> Connection { table.schema.isView ? connection : patient }

    /// A number that a query gives; nil when it takes too long or cannot be answered.
    func number(_ sql: String) -> Int? { number(sql, by: connection) }

    private func number(_ sql: String, by connection: Connection) -> Int? {
        do {
            let statement = try connection.prepare(sql)
            guard try statement.step() else { return nil }
            return Int(statement.integer(0))
        } catch {
            return nil
        }
    }

    /// The first column of a query's first rows, as texts; nil when it cannot be answered.
    func texts(_ sql: String, limit: Int = 1000) -> [String]? {
        do {
            let statement = try connection.prepare(sql)
            var out: [String] = []
            while out.count < limit, try statement.step() { out.append(statement.text(0)) }
            return out
        } catch {
            return nil
        }
    }

    /// The shape of an expression's values.
    func profile(_ name: String, of sql: String) -> ColumnProfile {
        var profile = ColumnProfile(name: name)
        guard let statement = try? connection.prepare(sql) else { return profile }
        while profile.rows < Self.sampleSize, (try? statement.step()) == true { profile.add(statement, 0) }
        return profile
    }

    /// Whether a column's values are there and different in every row: by declaration, or by looking at all of them.
    func isKey(_ column: String, of table: Table) -> Bool {
        guard let profile = table.column(column), profile.rows > 0, profile.blobs == 0 else { return false }
        if profile.distinct < profile.filled || profile.filled < profile.rows { return false }
        let key = SQLText.identifier(column), source = SQLText.identifier(table.name)
        let isDeclared = table.schema.uniqueColumns.contains(column)
        let isRowID =
            isDeclared
            && table.schema.columns.contains {
                $0.name == column && $0.keyPosition > 0 && $0.declaredType.uppercased() == "INTEGER"
            }
        if isRowID { return true }
        if number("SELECT 1 FROM \(source) WHERE \(key) IS NULL OR trim(\(key)) = '' LIMIT 1") != nil {
            return false
        }
        if isDeclared { return true }
        let repeated =
            "SELECT count(*) FROM (SELECT 1 FROM \(source) GROUP BY \(key) COLLATE BINARY HAVING count(*) > 1 LIMIT 1)"
        return number(repeated, by: patient(for: table)) == 0
    }

    /// Whether nearly all values of a column are keys of another table.
    ///
    /// - Returns: the share of the sampled values found there, 0 to 1; nil when that cannot be told.
    func share(of profile: ColumnProfile, in target: Table, _ key: String) -> Double? {
        var values = profile.sampleValues(120)
        if values.isEmpty { return nil }
        // What stands for "none" refers to nothing.
        values.removeAll { ["-1", "0"].contains($0.string) }
        guard !values.isEmpty, let other = target.column(key) else { return nil }
        let column = SQLText.identifier(key)
        let list = values.map { value in
            // Text in one table, numbers in the other: compared as the other's.
            other.isTextual
                ? SQLText.literal(value.string) : (Double(value.string) == nil ? value.literal : value.string)
        }
        // Without an index over the column the table is read from end to end.
        let found = number(
            "SELECT count(DISTINCT \(column)) FROM \(SQLText.identifier(target.name)) WHERE \(column) IN (\(list.joined(separator: ", ")))",
            by: patient(for: target))
        return found.map { Double($0) / Double(values.count) }
    }

    // MARK: Samples

    private func survey(_ schema: DatabaseSchema.Table) -> Table {
        var table = Table(schema: schema)
        let source = SQLText.identifier(schema.name)
        // A view may join whatever it likes for every row.
        let limit = schema.isView ? 2000 : Self.countLimit
        table.rowCount = number("SELECT count(*) FROM (SELECT 1 FROM \(source) LIMIT \(limit + 1))") ?? 0
        if table.rowCount > limit { (table.rowCount, table.hasMore) = (limit, true) }
        let columns = schema.columns.filter { $0.name.isPrintable && !$0.name.isEmpty }.prefix(400)
        table.columns = columns.map { ColumnProfile(name: $0.name) }
        // Long texts and BLOBs are cut: a sample needs their beginnings only.
        let selection = columns.map { column in
            let name = SQLText.identifier(column.name)
            return "CASE typeof(\(name)) WHEN 'text' THEN substr(\(name), 1, 600) "
                + "WHEN 'blob' THEN substr(\(name), 1, 16) ELSE \(name) END"
        }.joined(separator: ", ")
        do {
            try sample(&table, source, selection)
        } catch {
            // A value too large, a view too slow, a damaged page: what was seen so far has to do.
        }
        return table
    }

    private func sample(_ table: inout Table, _ source: String, _ selection: String) throws {
        func take(_ statement: Statement, from first: Int32) {
            for i in table.columns.indices { table.columns[i].add(statement, first + Int32(i)) }
        }
        guard table.rowCount > Self.sampleSize, table.schema.hasRowID else {
            let rows = table.schema.isView ? Self.viewSampleSize : Self.sampleSize
            let statement = try connection.prepare("SELECT \(selection) FROM \(source) LIMIT \(rows)")
            while try statement.step() { take(statement, from: 0) }
            return
        }
        guard let least = number("SELECT min(rowid) FROM \(source)"),
            let most = number("SELECT max(rowid) FROM \(source)")
        else { return }
        let statement = try connection.prepare(
            "SELECT rowid, \(selection) FROM \(source) WHERE rowid >= ?1 ORDER BY rowid LIMIT 1")
        var last: Int64?
        for i in 0..<Self.sampleSize {
            let at = Double(least) + (Double(most) - Double(least)) * Double(i) / Double(Self.sampleSize - 1)
            statement.bind(1, Int64(exactly: at.rounded(.down)) ?? Int64(most))
            if try statement.step() {
                let row = statement.integer(0)
                if last.map({ row > $0 }) ?? true { take(statement, from: 1) }
                last = max(last ?? row, row)
            }
            statement.reset()
        }
    }
}

/// A number with its thousands grouped, as the English of our comments has it.
func grouped(_ number: Int) -> String {
    var out = ""
    let digits = Array(String(number))
    for (i, digit) in digits.enumerated() {
        if i > 0, (digits.count - i) % 3 == 0 { out += "," }
        out.append(digit)
    }
    return out
}

extension String {
    /// Whether the name can stand in a settings file and a terminal as it is: no control characters or line ends.
    var isPrintable: Bool {
        unicodeScalars.allSatisfy {
            switch $0.value {
            case 0x00..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF,
                0xFFFE...0xFFFF:
                false
            default: true
            }
        }
    }
}
