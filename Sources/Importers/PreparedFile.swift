import Basics
import Formats

/// A file with all that was told by looking at it, ready to be read.
struct PreparedFile {
    enum Container { case table, xml, jsonLines }

    let path: String
    let file: InputFile
    let encoding: TextEncoding
    let container: Container
    let format: ImportFormat
    /// Of a table.
    var delimiter: UInt8 = 0
    var hasHeader = true
    /// Whether the first row is `sep=;`, which tells Excel the delimiter.
    var hasSeparatorLine = false
    var columns: [String] = []
    /// What each column of a table means; nil is left out.
    var fields: [Field?] = []
    /// The fields that were given for names, by the bare name; for XML and JSON lines.
    var mapping: [String: Field] = [:]
    /// Names that were said to be left out, bare.
    var ignored: Set<String> = []
    var decimalMark: DecimalMark?
    var dateOrder: DateOrder?
    var keyColumn = "sku"
    /// Whether strengths are written as parts of one: `0.05` is 5 percent.
    var strengthsAreFractions = false
    /// Whether volumes without a unit are in litres: `0.7`.
    var volumesAreLitres = false
    /// What stands between several values in a cell of a plain table.
    var valueSeparators = ";|"

    /// For the report.
    var description: String {
        var parts = [format.title, encoding.name]
        switch container {
        case .table: parts.append(CSVDialect.name(of: delimiter))
        case .xml: parts.append("XML")
        case .jsonLines: parts.append("JSON lines")
        }
        if decimalMark == .comma { parts.append("decimal comma") }
        if dateOrder == .mdy { parts.append("month before day") }
        if strengthsAreFractions { parts.append("strengths as fractions of 1") }
        if volumesAreLitres { parts.append("volumes in litres") }
        if !hasHeader { parts.append("no heading") }
        return parts.joined(separator: ", ")
    }
}

/// Looks at a file and tells what it is, by its first rows and what the options say.
struct FileInspector {
    let options: ImportOptions
    let log: (Diagnostic) -> Void
    let ask: ((ColumnQuestion) -> String?)?

    /// How much of a file is looked at for everything but its encoding.
    private static let sampleSize = 1 << 18, sampleRows = 300

    func inspect(_ path: String) throws -> PreparedFile {
        let file: InputFile
        do { file = try InputFile(path: path) } catch {
            throw Failure("import-read", error.isMissing ? "no such file" : error.reason, at: .file(path))
        }
        let finding: TextEncoding.Finding
        do { finding = try TextEncoding.of(file) } catch {
            throw Failure("import-read", error.reason, at: .file(path))
        }
        var encoding = options.encoding ?? finding.encoding
        var start = try sample(file, encoding)
        let first = start.first { $0 > 0x20 }
        if first == nil { throw Failure("import-format", "the file is empty", at: .file(path)) }
        if first == UInt8(ascii: "<") {
            // A declaration is worth more than a guess, but a byte order mark is more than a declaration.
            if options.encoding == nil, finding.isGuess || finding.encoding == .utf8,
                let declared = try XMLStream.declaredEncoding(in: start, file: path),
                !declared.name.hasPrefix("UTF-16")
            {
                encoding = declared
                start = try sample(file, encoding)
            }
            return try xml(path, file, encoding)
        }
        if options.encoding == nil, finding.isGuess {
            log(
                Diagnostic(
                    .warning, "import-encoding",
                    "the file is not UTF-8 and was read as \(encoding.name); if letters are wrong, say --encoding NAME",
                    at: .file(path)))
        }
        if first == UInt8(ascii: "{") { return try jsonLines(path, file, encoding, start) }
        if first == UInt8(ascii: "["), [.google, .shopify, .woocommerce].contains(options.format) == false,
            start.contains(UInt8(ascii: "{"))
        {
            throw Failure(
                "import-format", "a JSON list; write one object on each line, as jq -c '.[]' does",
                at: .file(path))
        }
        return try table(path, file, encoding, start)
    }

    private func sample(_ file: InputFile, _ encoding: TextEncoding) throws -> [UInt8] {
        var out: [UInt8] = []
        let stream = try TextStream(file, encoding: encoding)
        while out.count < Self.sampleSize, let chunk = try stream.chunk() { out += chunk }
        return out
    }

    // MARK: Tables

    private func table(
        _ path: String, _ file: InputFile, _ encoding: TextEncoding, _ start: [UInt8]
    ) throws -> PreparedFile {
        let separator = separator(in: start)
        let delimiter = options.delimiter ?? separator ?? CSVDialect.delimiter(of: start) ?? UInt8(ascii: ",")
        let reader = CSVReader(try TextStream(file, encoding: encoding), delimiter: delimiter)
        var rows: [[String]] = []
        while rows.count < Self.sampleRows, let row = try reader.next() {
            if case .cells = row { rows.append(reader.cells) }
        }
        if separator != nil, !rows.isEmpty { rows.removeFirst() }
        guard let head = rows.first else {
            throw Failure("import-format", "the file has no row", at: .file(path))
        }
        let hasHeader = options.hasHeader ?? looksLikeHeading(head)
        let columns = hasHeader ? head.map { $0.trimmed } : head.indices.map { String($0 + 1) }
        let samples = Array(rows.dropFirst(hasHeader ? 1 : 0)).filter { $0.count == columns.count }
        let format = try options.format ?? format(of: columns, path)
        var prepared = PreparedFile(
            path: path, file: file, encoding: encoding, container: .table, format: format)
        prepared.delimiter = delimiter
        prepared.valueSeparators = options.valueSeparators
        prepared.hasHeader = hasHeader
        prepared.hasSeparatorLine = separator != nil
        prepared.columns = columns
        prepared.fields = try fields(of: columns, samples, format, path, hasHeader: hasHeader)
        look(at: samples, &prepared)
        try chooseKey(&prepared, samples)
        return prepared
    }

    /// The delimiter of a first line `sep=;`.
    private func separator(in start: [UInt8]) -> UInt8? {
        guard start.count > 5, start.prefix(4).elementsEqual("sep=".utf8), start[4] < 0x80, start[4] != 0x22,
            start[5] == 0x0A || start[5] == 0x0D
        else { return nil }
        return start[4]
    }

    /// Whether a first row names columns: it has a name that is known, or no cell that is a number.
    private func looksLikeHeading(_ cells: [String]) -> Bool {
        let known = cells.contains {
            Synonyms.field(for: $0, inReviews: false) != nil
                || Synonyms.field(for: $0, inReviews: true) != nil
        }
        let told = cells.contains { cell in options.mapping.contains { $0.column.trimmed == cell.trimmed } }
        return known || told
            || !cells.contains { cell in cell.contains { $0.isNumber } || cell.trimmed.isEmpty }
    }

    private func format(of columns: [String], _ path: String) throws -> ImportFormat {
        let bare = Set(columns.map(Synonyms.bare))
        func has(_ names: String...) -> Bool { names.allSatisfy(bare.contains) }
        if has("handle", "title"),
            bare.contains("variantprice") || bare.contains("bodyhtml") || has("option1name")
        {
            return .shopify
        }
        if has("urlhandle", "title") { return .shopify }
        if has("type", "sku", "name", "regularprice") { return .woocommerce }
        if has("id", "title", "link", "price"), bare.contains("imagelink") || bare.contains("availability") {
            return .google
        }
        if has("rating", "body", "reviewername") { return .judgeme }
        if has("reviewscore", "reviewcontent") { return .yotpo }
        func field(_ name: String, _ isReviews: Bool) -> Field? {
            if let told = options.mapping.first(where: { $0.column.trimmed == name })?.field {
                return Field(named: told, inReviews: isReviews)
            }
            return Synonyms.field(for: name, inReviews: isReviews)
        }
        let asReviews = Set(columns.compactMap { field($0, true)?.name })
        let asProducts = Set(columns.compactMap { field($0, false)?.name })
        // A price or a stock makes it products; a rating, or words with their author, make it reviews.
        let isReviews =
            asProducts.isDisjoint(with: ["price", "price_minor", "stock", "abv", "category"])
            && (asReviews.contains("rating") || asReviews.isSuperset(of: ["body", "author"]))
            && asReviews.contains { $0.hasPrefix("product") }
        return isReviews ? .reviews : .products
    }

    /// The field of every column: as given, as the format has it, as the name says, or as somebody answers.
    private func fields(
        of columns: [String], _ samples: [[String]], _ format: ImportFormat, _ path: String, hasHeader: Bool
    ) throws -> [Field?] {
        if format == .shopify || format == .woocommerce { return columns.map { _ in nil } }
        let isReviews = format.isReviews
        let isFixed = format != .products && format != .reviews
        for (column, _) in options.mapping
        where !columns.contains(where: { Synonyms.bare($0) == Synonyms.bare(column) || $0 == column }) {
            let near = suggestion(for: column, among: columns).map { "; did you mean '\($0)'?" } ?? ""
            log(Diagnostic(.warning, "import-map", "no column is named '\(column)'\(near)", at: .file(path)))
        }
        var fields: [Field?] = []
        var unknown: [Int] = []
        for (index, column) in columns.enumerated() {
            if let told = told(column) {
                fields.append(try self.field(told, for: column, isReviews))
                continue
            }
            let known =
                isFixed
                ? format.fields[Synonyms.bare(column)] : Synonyms.field(for: column, inReviews: isReviews)
            fields.append(known)
            if known == nil, !isFixed { unknown.append(index) }
        }
        fixIDs(&fields, columns, samples)
        fixDuplicates(&fields, columns, path)
        // A column without a name is the row's number, which some programs write.
        for index in unknown
        where !columns[index].isEmpty
            && (samples.isEmpty || samples.contains { !$0[index].trimmed.isEmpty })
        {
            let column = columns[index]
            if let ask {
                var seen: [String] = []
                for row in samples
                where seen.count < 3 && !row[index].trimmed.isEmpty && !seen.contains(row[index].trimmed) {
                    seen.append(row[index].trimmed)
                }
                let question = ColumnQuestion(file: path, column: column, samples: seen, isReviews: isReviews)
                guard let answer = ask(question), !answer.isEmpty else { continue }
                fields[index] = try field(answer, for: column, isReviews)
            } else {
                let example = isReviews ? "title" : "fact:\(hasHeader ? column : "Label")"
                log(
                    Diagnostic(
                        .warning, "import-column",
                        "column '\(column)' is left out; to take it say --map '\(column)=\(example)', else --map '\(column)='",
                        at: .text(file: path, line: 1, column: 1)))
            }
        }
        return fields
    }

    private func told(_ column: String) -> String? {
        options.mapping.last {
            $0.column.trimmed == column || Synonyms.bare($0.column) == Synonyms.bare(column)
        }?.field
    }

    private func field(_ name: String, for column: String, _ isReviews: Bool) throws -> Field? {
        if name.isEmpty || name == "-" { return nil }
        if let field = Field(named: name, inReviews: isReviews) { return field }
        let names = Field.names(inReviews: isReviews)
        let near =
            suggestion(for: name, among: names).map { "; did you mean '\($0)'?" } ?? "; fields are "
            + names.joined(separator: ", ")
        throw Failure(
            "import-map",
            "'\(name)' of --map '\(column)=\(name)' is no field of a \(isReviews ? "review" : "product")\(near)"
        )
    }

    /// An `id` that is no number is the shop's article number: products are numbered by the database.
    private func fixIDs(_ fields: inout [Field?], _ columns: [String], _ samples: [[String]]) {
        guard let index = fields.firstIndex(of: .product("id")), told(columns[index]) == nil else { return }
        let isNumber = samples.allSatisfy { row in
            let text = row[index].trimmed
            // `007` would lose its zeros.
            return text.isEmpty || Int64(text).map { String($0) == text && $0 >= 0 } == true
        }
        if !isNumber { fields[index] = fields.contains(.product("sku")) ? nil : .product("sku") }
    }

    /// Of two columns that mean the same the first is taken.
    private func fixDuplicates(_ fields: inout [Field?], _ columns: [String], _ path: String) {
        var seen: [Field: Int] = [:]
        for (index, field) in fields.enumerated() {
            guard let field else { continue }
            switch field {
            case .category, .subcategory, .picture, .pictureText, .facet: continue
            default: break
            }
            guard let first = seen[field] else {
                seen[field] = index
                continue
            }
            fields[index] = nil
            log(
                Diagnostic(
                    .warning, "import-column",
                    "columns '\(columns[first])' and '\(columns[index])' both mean '\(field.name)'; the second is left out, say "
                        + "--map to choose", at: .text(file: path, line: 1, column: 1)))
        }
    }

    /// Decimal mark and order of dates, by the values.
    private func look(at samples: [[String]], _ prepared: inout PreparedFile) {
        var marks: [DecimalMark: Int] = [:]
        var orders: [DateOrder: Int] = [:]
        let amounts: Set<String> = ["price", "sale_price", "abv", "volume_ml"]
        let dates: Set<String> = ["bottled", "created", "updated", "date"]
        for (index, field) in prepared.fields.enumerated() {
            guard let name = field?.name else { continue }
            for row in samples {
                if amounts.contains(name), let mark = Amount.evidence(row[index]) {
                    marks[mark, default: 0] += 1
                }
                if dates.contains(name), let order = DateText.evidence(row[index]) {
                    orders[order, default: 0] += 1
                }
            }
        }
        if prepared.format == .shopify || prepared.format == .woocommerce {
            for (index, column) in prepared.columns.enumerated()
            where ["variantprice", "price", "regularprice", "saleprice"].contains(Synonyms.bare(column)) {
                for row in samples {
                    if let mark = Amount.evidence(row[index]) { marks[mark, default: 0] += 1 }
                }
            }
        }
        let (points, commas) = (marks[.point, default: 0], marks[.comma, default: 0])
        // A semicolon between cells is what spreadsheets write where the comma is the decimal mark.
        prepared.decimalMark =
            options.decimalMark
            ?? (points == commas
                ? (prepared.delimiter == UInt8(ascii: ";") ? .comma : nil)
                : points > commas ? .point : .comma)
        if let index = prepared.fields.firstIndex(of: .product("abv")) {
            let values = samples.compactMap { $0[index].trimmed.isEmpty ? nil : $0[index] }
            let strengths = values.compactMap {
                Amount($0, mark: $0.contains(",") ? .comma : .point).flatMap { Double($0.decimal) }
            }
            // No shop has only drinks below one percent; ten values that differ are no chance.
            prepared.strengthsAreFractions =
                strengths.count >= 10 && Set(strengths).count >= 3 && strengths.allSatisfy { $0 < 1 }
        }
        if let index = prepared.fields.firstIndex(of: .product("volume_ml")),
            !Synonyms.bare(prepared.columns[index]).hasSuffix("ml")
        {
            let bare = samples.compactMap { row in
                Amount(row[index], mark: row[index].contains(",") ? .comma : .point).flatMap {
                    Double($0.decimal)
                }
            }
            prepared.volumesAreLitres = !bare.isEmpty && bare.allSatisfy { $0 < 10 }
        }
        let (days, months) = (orders[.dmy, default: 0], orders[.mdy, default: 0])
        prepared.dateOrder = options.dateOrder ?? (days == months ? nil : days > months ? .dmy : .mdy)
    }

    private func chooseKey(_ prepared: inout PreparedFile, _ samples: [[String]]) throws {
        guard !prepared.format.isReviews else { return }
        switch prepared.format {
        case .shopify: prepared.keyColumn = options.key ?? "slug"
        case .woocommerce: prepared.keyColumn = options.key ?? "id"
        case .google: prepared.keyColumn = options.key ?? "sku"
        default:
            let names = Set(prepared.fields.compactMap { $0?.name })
            guard let key = options.key ?? ["id", "sku", "gtin", "slug", "name"].first(where: names.contains)
            else {
                throw Failure(
                    "import-map",
                    "no column is known that names the products; say which with --map 'COLUMN=name', --map 'COLUMN=sku' … "
                        + "(columns: \(prepared.columns.prefix(20).map { "'\($0)'" }.joined(separator: ", ")))",
                    at: .text(file: prepared.path, line: 1, column: 1))
            }
            prepared.keyColumn = key
            if key == "name", options.key == nil {
                log(
                    Diagnostic(
                        .warning, "import-key",
                        "no column has an article number; products are told apart by their names, and a changed name is a new "
                            + "product", at: .file(prepared.path)))
            }
        }
    }

    // MARK: XML

    private func xml(_ path: String, _ file: InputFile, _ encoding: TextEncoding) throws -> PreparedFile {
        let format: ImportFormat
        if let given = options.format {
            guard [.google, .googleReviews, .reviews].contains(given) else {
                throw Failure(
                    "import-format",
                    "an XML file, and '\(given.rawValue)' is no XML; say --format google, google-reviews or reviews",
                    at: .file(path))
            }
            format = given
        } else {
            format = try xmlFormat(path, file, encoding)
        }
        var prepared = PreparedFile(
            path: path, file: file, encoding: encoding, container: .xml, format: format)
        try setNames(&prepared)
        return prepared
    }

    /// Ends a reading that has seen enough.
    private struct Enough: Error {}

    private func xmlFormat(_ path: String, _ file: InputFile, _ encoding: TextEncoding) throws -> ImportFormat
    {
        final class Look { var names: [String] = [], found: ImportFormat? }
        let look = Look()
        let enough = Failure("internal", "enough")
        do throws(Failure) {
            try XMLStream.read(try TextStream(file, encoding: encoding), isLarge: options.isLarge) {
                event, _ throws(Failure) in
                guard case .start(let name, let prefix, _) = event else { return }
                look.names.append(name)
                if name == "item" || name == "entry" { look.found = .google }
                if name == "review" { look.found = look.names.first == "feed" ? .googleReviews : .reviews }
                if name == "id", prefix == "g" { look.found = .google }
                if look.found != nil || look.names.count > 10_000 { throw enough }
            }
        } catch {
            if error != enough { throw error }
        }
        guard let found = look.found else {
            throw Failure(
                "import-format",
                "an XML file without elements named 'item', 'entry' or 'review': neither a feed of products nor reviews; "
                    + "export a table (CSV) instead", at: .file(path))
        }
        return found
    }

    // MARK: JSON lines

    private func jsonLines(
        _ path: String, _ file: InputFile, _ encoding: TextEncoding, _ start: [UInt8]
    ) throws -> PreparedFile {
        // Names of the first lines; what is wrong with them is said when they are read.
        var names: [String] = []
        var hasTextIDs = false
        for line in start.split(separator: 0x0A).prefix(50) {
            guard let root = try? JSON.read(SourceText(file: path, bytes: Array(line))),
                case .object(let members) = root.content
            else { continue }
            for member in members {
                if !names.contains(member.key) { names.append(member.key) }
                if Synonyms.field(for: member.key, inReviews: false) == .product("id"),
                    let text = member.value.text,
                    Int64(text) == nil
                {
                    hasTextIDs = true
                }
            }
        }
        let format = try options.format ?? (format(of: names, path).isReviews ? .reviews : .products)
        guard format == .products || format == .reviews else {
            throw Failure(
                "import-format",
                "JSON lines, and '\(format.rawValue)' is no such format; say --format products or reviews",
                at: .file(path))
        }
        var prepared = PreparedFile(
            path: path, file: file, encoding: encoding, container: .jsonLines, format: format)
        try setNames(&prepared)
        prepared.columns = names
        func field(_ name: String) -> Field? {
            prepared.mapping[Synonyms.bare(name)] ?? Synonyms.field(for: name, inReviews: format.isReviews)
        }
        if format == .products, hasTextIDs, let id = names.first(where: { field($0) == .product("id") }) {
            if names.contains(where: { field($0) == .product("sku") }) {
                prepared.ignored.insert(Synonyms.bare(id))
            } else {
                prepared.mapping[Synonyms.bare(id)] = .product("sku")
            }
        }
        prepared.fields = names.map { prepared.ignored.contains(Synonyms.bare($0)) ? nil : field($0) }
        try chooseKey(&prepared, [])
        return prepared
    }

    /// What `--map` says of names, and what holds without looking at values.
    private func setNames(_ prepared: inout PreparedFile) throws {
        for (column, name) in options.mapping {
            if let field = try field(name, for: column, prepared.format.isReviews) {
                prepared.mapping[Synonyms.bare(column)] = field
            } else {
                prepared.ignored.insert(Synonyms.bare(column))
            }
        }
        prepared.decimalMark = options.decimalMark
        prepared.dateOrder = options.dateOrder
        prepared.keyColumn = options.key ?? "sku"
    }
}
