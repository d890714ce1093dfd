import Formats
import Importers
import Model

extension Option {
    static let into = Option(
        name: "into", value: "FILE", help: "the database (default: the one in site.yaml); made if missing",
        about: """
            The database to write to. The default is the one that `database` in `site.yaml` names. A file that is missing is \
            made with the [default schema](schema.sql); one that holds other tables is refused.
            """
    ) { request, value in request.importing.database = value }

    static let format = Option(
        name: "format", value: "NAME", help: "the files' format (default: told by looking)",
        about: """
            The format of the files, where looking at them does not tell: \
            \(ImportFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")). See [import.md](import.md).
            """
    ) { (request, value) throws(UsageError) in
        request.importing.format = try chosen(
            value, "format", ImportFormat.allCases.map { ($0.rawValue, $0) })
    }

    static let encoding = Option(
        name: "encoding", value: "NAME", help: "UTF-8, windows-1252 … (default: told by looking)",
        about: """
            The encoding of the files, where looking at them tells it wrong: \
            \(TextEncoding.allNames.map { "`\($0)`" }.joined(separator: ", ")).
            """
    ) { (request, value) throws(UsageError) in
        guard let encoding = TextEncoding(named: value) else {
            throw UsageError(messages: [
                "'--encoding' is '\(value)'; it is one of \(TextEncoding.allNames.joined(separator: ", "))"
            ])
        }
        request.importing.encoding = encoding
    }

    static let delimiter = Option(
        name: "delimiter", value: "CHAR",
        help: "what stands between cells, or 'tab' (default: told by looking)",
        about: "What stands between the cells of a table: one character of ASCII, or the word `tab`."
    ) { (request, value) throws(UsageError) in
        let byte = value == "tab" || value == "\\t" ? 9 : value.utf8.first
        guard let byte, value.utf8.count == 1 || byte == 9, byte < 0x80, byte > 0x20 || byte == 9,
            byte != 0x22
        else {
            throw UsageError(messages: ["'--delimiter' is '\(value)'; it is one character, or 'tab'"])
        }
        request.importing.delimiter = byte
    }

    static let header = Option(
        name: "header", value: "yes|no", help: "whether the first row names the columns (default: told)",
        about:
            "Whether the first row of a table names its columns. Columns without names are called `1`, `2`, …"
    ) { (request, value) throws(UsageError) in
        request.importing.hasHeader = try chosen(value, "header", [("yes", true), ("no", false)])
    }

    static let decimal = Option(
        name: "decimal", value: "point|comma", help: "the mark before a fraction (default: told by looking)",
        about: """
            Which mark stands before the fraction of a number. It only matters for amounts such as `1,234`: `12,50` and \
            `1.234,56` say themselves what they are.
            """
    ) { (request, value) throws(UsageError) in
        request.importing.decimalMark = try chosen(
            value, "decimal", DecimalMark.allCases.map { ($0.rawValue, $0) })
    }

    static let dates = Option(
        name: "dates", value: "dmy|mdy", help: "the order of dates such as 03/04/2020 (default: told)",
        about: "Whether `03/04/2020` is the third of April (`dmy`) or the fourth of March (`mdy`)."
    ) { (request, value) throws(UsageError) in
        request.importing.dateOrder = try chosen(value, "dates", DateOrder.allCases.map { ($0.rawValue, $0) })
    }

    static let map = Option(
        name: "map", value: "COLUMN=FIELD", help: "what a column means; may be given several times",
        about: """
            What a column of a table, or a name in XML or JSON lines, means: `--map "Artikel-Nr.=sku"`. Without a field the \
            column is left out: `--map "Margin="`. May be given several times. The fields are in [import.md](import.md#fields).
            """, isRepeatable: true
    ) { (request, value) throws(UsageError) in
        // The last one: names of columns may hold `=`, names of fields do not.
        guard let equals = value.lastIndex(of: "="), equals != value.startIndex else {
            throw UsageError(messages: ["'--map' is '\(value)'; it is written COLUMN=FIELD"])
        }
        let field = String(value[value.index(after: equals)...])
        request.importing.mapping.append((String(value[..<equals]), field))
    }

    static let key = Option(
        name: "key", value: "FIELD", help: "what tells products apart: id, sku, gtin, slug or name",
        about: """
            Which field tells whether a product is in the database already: `id`, `sku`, `gtin`, `slug` or `name`. The default \
            is that of the format; see [import.md](import.md#importing-again).
            """
    ) { (request, value) throws(UsageError) in
        request.importing.key = try chosen(
            value, "key", ["id", "sku", "gtin", "slug", "name"].map { ($0, $0) })
    }

    static let values = Option(
        name: "values", value: "CHARS", help: "what stands between several values in a cell (default: ;|)",
        about: """
            The characters that stand between several values in one cell of a plain table: categories, pictures and facets. \
            The default is `;|`.
            """
    ) { request, value in request.importing.valueSeparators = value }

    static let currency = Option(
        name: "currency", value: "CODE", help: "the currency of prices that name none (default: the site's)",
        about: """
            The currency of amounts that name none, by its ISO 4217 code; it decides how many digits an amount has. The default \
            is `currency` in `site.yaml`, or EUR.
            """
    ) { (request, value) throws(UsageError) in
        guard let currency = Currency(value) else {
            throw UsageError(messages: ["'--currency' is '\(value)'; it is a code such as EUR"])
        }
        request.currency = currency
    }

    static let skipBad = Option(
        name: "skip-bad", value: nil, help: "write what can be used though some rows cannot",
        about: """
            Writes the rows that can be used. Without it one row that cannot be used is enough that nothing is written.
            """
    ) { request, _ in request.importing.skipsBad = true }

    static let extend = Option(
        name: "extend", value: nil, help: "add the tables and columns that the database lacks",
        about:
            "Adds tables and columns of the [default schema](schema.sql) that the database lacks. Otherwise what they would hold is left out."
    ) { request, _ in request.importing.isExtending = true }

    static let importDryRun = Option(
        name: "dry-run", value: nil, help: "say what would be done, and write nothing",
        about: "Reads everything and says what would be done, but writes nothing."
    ) { request, _ in request.importing.isDryRun = true }

    static let large = Option(
        name: "large", value: nil, help: "read XML files of more than 64 MB too",
        about: "Reads XML files of more than 64 MB too. (Tables and JSON lines have no limit.)"
    ) { request, _ in request.importing.isLarge = true }

    /// The value of a word, or wrong usage.
    private static func chosen<T>(
        _ word: String, _ option: String, _ values: [(String, T)]
    ) throws(UsageError) -> T {
        if let found = values.first(where: { $0.0 == word.lowercased() }) { return found.1 }
        throw UsageError(messages: [
            "'--\(option)' is '\(word)'; it is one of \(values.map(\.0).joined(separator: ", "))"
        ])
    }
}

extension Command {
    static let importing = Command(
        name: "import", summary: "bring products and reviews from files into the database",
        about: """
            Reads exports of shops, feeds and tables, and writes what they say into a database with the default schema, all of it \
            or nothing. A second import of the same file changes nothing. Files of products come before files of reviews, in \
            whatever order they are named.
            """,
        operands: Operands(usage: "FILE…", help: "the files: CSV, TSV, XML or JSON lines", count: 1...1000),
        options: [
            .into, .site, .format, .map, .key, .encoding, .delimiter, .header, .decimal, .dates, .values,
            .currency, .skipBad,
            .extend, .importDryRun, .large, .quiet, .importJSON,
        ],
        run: { ImportCommand($0).run() })
}
