import Database

/// The SQL of each field's value: units, decimal commas, words for "unknown", kinds of dates.
extension ProductMapper {
    /// Adds the chosen values to the query, in the order of docs/database.md.
    func writeFields() {
        query.add("\(query.alias).\(SQLText.identifier(product.key))", as: "id", keyRemark)
        writeText("name", nameRemark)
        writeText("slug")
        writeText("sku")
        writeText(
            "gtin",
            chosen["gtin"].map { $0.match(.gtin) < 0.9 ? "likely: its check digits are right" : "" } ?? "")
        writeText("producer", producerRemark)
        for field in ["style", "country", "region"] { writeText(field, remark(field)) }
        writePrices()
        writeStock()
        writeNumbers()
        writeText("summary")
        for field in ["bottling_note", "tasting_note"] { writeNote(field) }
        for field in ["nose", "palate", "finish"] { writeText(field) }
        writeText("colour")
        for field in ["bottled", "created", "updated"] { writeDate(field) }
        writePicture()
        writeFeatured()
    }

    private var keyRemark: String {
        guard product.key == "rowid" else { return "" }
        return
            "a guess: nothing tells the rows apart but their place; addresses change when rows are loaded anew"
    }

    private var nameRemark: String {
        guard let name = chosen["name"] else { return "" }
        let profile = name.profile
        var others = left.filter { $0.title != name.title && $0.match(.name) >= 0.9 && $0.profile.texts > 0 }
        // Many rows of one name: perhaps another column tells them apart.
        let repeats = profile.distinct * 10 < profile.filled * 8
        if repeats {
            others += left.filter {
                $0.title != name.title && $0.match(.name) < 0.9 && $0.profile.isWordy
                    && $0.profile.averageLength <= 60
                    && $0.profile.distinct > profile.distinct && $0.profile.fill >= 0.9 && !isKeyColumn($0)
            }
        }
        let also =
            others.isEmpty ? "" : "; could also be \(others.prefix(3).map(\.title).joined(separator: ", "))"
        if name.match(.name) < 0.7 {
            out.doubts.append("names are taken from \(name.title) by the look of its values")
            return "a guess by its values" + also
        }
        return others.isEmpty ? "" : (repeats ? "likely, though names come again" : "likely") + also
    }

    private var producerRemark: String {
        guard let producer = chosen["producer"] else { return "" }
        let others = (left + lookups).filter {
            $0.title != producer.title && $0.profile.isWordy
                && (links.link(from: $0.table, $0.name) == nil || $0.isLookup)
                && ($0.match(.producer) >= 0.7 || $0.match(.supplier) >= 0.7)
        }
        if others.isEmpty { return producer.match(.producer) >= 0.7 ? "" : "likely: the supplier" }
        return "likely; could also be \(others[0].title)"
    }

    private func remark(_ field: String) -> String {
        guard let column = chosen[field] else { return "" }
        if column.via != nil, !column.isLookup {
            return "likely: that of the \(singularLabel(of: column.table).lowercased())"
        }
        let concept: Concept = field == "style" ? .style : field == "country" ? .country : .region
        return column.match(concept) >= 0.9 ? "" : "likely"
    }

    /// What a row of a table is called; the word that the table's name shares with the products' is left out.
    func singularLabel(of table: String) -> String {
        let text = label(of: ownWords(of: table).joined(separator: " "))
        if text.isEmpty { return table }
        if text.hasSuffix("ies") { return text.dropLast(3) + "y" }
        return text.hasSuffix("s") && !text.hasSuffix("ss") ? String(text.dropLast()) : text
    }

    /// `brand` of `catalog_brand` beside `catalog_product`.
    func ownWords(of name: String) -> [String] {
        let words = links.name(of: name)
        let shared = links.name(of: table.name).first
        return words.count > 1 && words.first == shared ? Array(words.dropFirst()) : words
    }

    /// The value without words that stand for nothing.
    func plain(_ column: PoolColumn) -> String {
        let sql = query.expression(of: column)
        guard !column.profile.placeholders.isEmpty else { return sql }
        if column.profile.placeholders.count == 1 {
            return "NULLIF(\(sql), \(SQLText.literal(column.profile.placeholders[0])))"
        }
        let words = column.profile.placeholders.sorted().map { SQLText.literal($0) }.joined(separator: ", ")
        return "CASE WHEN \(sql) NOT IN (\(words)) THEN \(sql) END"
    }

    private func writeText(_ field: String, _ remark: String = "") {
        guard let column = chosen[field] else { return }
        query.add(plain(column), as: field, remark)
    }

    private func writeNote(_ field: String) {
        guard let column = chosen[field] else { return }
        let others = left.filter {
            $0.title != column.title && !isUsed($0) && $0.match(.note) >= 0.9
                && $0.profile.averageLength >= 30
        }
        query.add(plain(column), as: field, others.isEmpty ? "" : "likely; could also be \(others[0].title)")
        addFormat(column, as: field)
    }

    func addFormat(_ column: PoolColumn, as field: String) {
        let profile = column.profile
        // One in fifty with a tag: the others are HTML without any.
        if profile.markedUp * 50 >= profile.texts { return }
        let isMarkdown = profile.markdown * 10 >= profile.texts && profile.markdown >= 2
        out.noteFormats.append((field, isMarkdown ? "markdown" : "plain"))
    }

    // MARK: Money

    private func writePrices() {
        for field in ["price_minor", "sale_price_minor", "price", "sale_price"] {
            guard let column = chosen[field] else { continue }
            if field == "price", chosen["price_minor"] != nil { continue }
            let amount = amount(column)
            var remark = amount.remark
            if field == "price" {
                out.hasPrices = true
                let others = left.filter {
                    $0.title != column.title && !isUsed($0) && $0.match(.price) >= 0.75
                        && $0.match(.cost) < 0.9 && $0.match(.unitPrice) < 0.9
                        && $0.profile.isNumeric
                }
                if let other = others.first {
                    remark = [remark, "could also be \(other.title)"].filter { !$0.isEmpty }.joined(
                        separator: "; ")
                }
                findCurrency(column)
            }
            if field == "price_minor" {
                out.hasPrices = true
                findCurrency(column)
            }
            query.add(amount.sql, as: field, remark)
        }
        if !out.hasPrices, let variant = variantPrice {
            out.hasPrices = true
            query.add(variant.sql, as: variant.field, variant.remark)
            let column = PoolColumn(
                place: .column([], variant.column.name), profile: variant.column, name: variant.column.name,
                table: table.name,
                stems: Concept.stems(of: variant.column.name, in: ""))
            findCurrency(column)
        }
        if let currency = chosen["currency"] {
            query.add(plain(currency), as: "currency")
            if let code = currency.profile.commonest?.value.string {
                out.currency = (code, "what most rows say")
            }
        }
        out.findings.append(
            (
                "prices",
                (chosen["price"] ?? chosen["price_minor"]).map(\.title) ?? variantPrice?.remark
                    ?? "none found"
            ))
    }

    /// An amount as a plain decimal.
    func amount(_ column: PoolColumn) -> (sql: String, remark: String) {
        var sql = query.expression(of: column)
        let profile = column.profile
        var remarks: [String] = []
        let isPlain = profile.numbers == profile.filled || profile.moneyMarks.subtracting(["."]).isEmpty
        if !isPlain {
            let comma = profile.decimalCommas > profile.decimalPoints
            let marks = profile.moneyMarks.filter { $0 != (comma ? "," : ".") }
            for mark in marks.sorted(by: { ($1.count, $0) < ($0.count, $1) }) {
                sql = "replace(\(sql), \(SQLText.literal(mark)), '')"
            }
            if comma { sql = "replace(\(sql), ',', '.')" }
            let example = profile.sampleValues(400).first { $0.string.contains { !$0.isNumber && $0 != "." } }
            remarks.append("written like '\(example?.string.printableShort ?? "…")'")
        } else if profile.zeros > 0, profile.zeros < profile.numbers {
            sql =
                profile.isTextual || profile.negatives > 0
                ? "CASE WHEN \(sql) + 0 > 0 THEN \(sql) END" : "NULLIF(\(sql), 0)"
            remarks.append(
                "a guess: 0 is 'no price' in \(profile.zeros) of \(profile.rows) rows; if it is 'free', write \(query.expression(of: column)) alone"
            )
            out.doubts.append("a price of 0 is taken for no price")
        } else if profile.negatives > 0 {
            sql = "CASE WHEN \(sql) >= 0 THEN \(sql) END"
        }
        return (sql, remarks.joined(separator: "; "))
    }

    private func findCurrency(_ column: PoolColumn) {
        guard out.currency == nil else { return }
        for mark in column.profile.moneyMarks.sorted() {
            if let sign = mark.first.flatMap({ ValueShape.currencySigns[$0] })
                ?? ValueShape.currencies[mark.uppercased()]
            {
                var code = sign
                if mark.lowercased() == "kr" { code = ["sv": "SEK", "da": "DKK"][out.language] ?? "NOK" }
                out.currency = (code, "the prices are written with '\(mark)'")
                return
            }
        }
        for word in column.stems.whole {
            if word.count == 3, let code = ValueShape.currencies[word.uppercased()] {
                out.currency = (code, "the column's name says so")
                return
            }
        }
        let byLanguage = [
            "nb": "NOK", "ja": "JPY", "ru": "RUB", "sv": "SEK", "da": "DKK", "pl": "PLN", "zh": "CNY",
        ]
        if let code = byLanguage[out.language] {
            out.currency = (
                code, "a guess by the language of the columns' names; nothing in the database says it"
            )
        } else {
            out.currency = ("EUR", "a guess: nothing in the database says it; write USD, GBP or what it is")
        }
        out.doubts.append("the currency (\(out.currency?.code ?? "EUR")) is a guess")
    }

    // MARK: Stock

    private func writeStock() {
        var cases: [String] = []
        var remark = ""
        if let column = chosen["discontinued"] {
            cases.append("WHEN \(isTrue(column)) THEN 'discontinued'")
        }
        if let column = chosen["availability"] {
            let sql = query.expression(of: column)
            if column.profile.isFlag {
                cases.append("WHEN \(isTrue(column)) THEN 'in-stock'")
                cases.append("WHEN \(sql) IS NOT NULL THEN 'sold-out'")
                remark = "likely"
            } else if let words = availability(column) {
                for (word, values) in words {
                    let list = values.map(\.literal).joined(separator: ", ")
                    cases.append("WHEN \(sql) IN (\(list)) THEN '\(word)'")
                }
            }
        }
        if !cases.isEmpty {
            query.add("CASE \(cases.joined(separator: " ")) END", as: "availability", remark)
        }
        guard let stock = chosen["stock"] else { return }
        let sql = query.expression(of: stock)
        // Tills sell what they do not know they have.
        query.add(
            stock.profile.negatives > 0 ? "max(\(sql), 0)" : sql, as: "stock",
            stock.match(.stock) < 0.9 ? "likely" : "")
    }

    /// That a flag is set, as SQL.
    func isTrue(_ column: PoolColumn) -> String {
        let sql = query.expression(of: column)
        let values = column.profile.trueValues
        if values.isEmpty { return "\(sql) = \(column.profile.isTextual ? "'1'" : "1")" }
        return values.count == 1
            ? "\(sql) = \(values[0].literal)" : "\(sql) IN (\(values.map(\.literal).joined(separator: ", ")))"
    }

    /// The values of a column by the availability they mean; nil when most mean none.
    func availability(_ column: PoolColumn) -> [(word: String, values: [ColumnProfile.Value])]? {
        guard let counts = column.profile.counts, counts.count <= 20, column.profile.isTextual else {
            return nil
        }
        var found: [String: [ColumnProfile.Value]] = [:]
        var known = 0
        for (value, count) in counts {
            let word = words(of: value.string).joined(separator: " ")
            guard let meaning = Self.availabilities.first(where: { $0.value.contains(word) })?.key else {
                continue
            }
            known += count
            found[meaning, default: []].append(value)
        }
        guard known * 10 >= column.profile.filled * 7, !found.isEmpty else { return nil }
        return ["in-stock", "low-stock", "sold-out", "coming-soon", "discontinued"].compactMap { word in
            found[word].map { (word, $0.sorted { $0.literal < $1.literal }) }
        }
    }

    private static let availabilities: [String: Set<String>] = [
        "in-stock": [
            "in stock", "instock", "available", "auf lager", "lieferbar", "pa lager", "en stock",
            "disponible", "verfuegbar", "в наличии", "在庫あり",
        ],
        "low-stock": ["low stock", "limited", "few left", "limited availability", "wenige"],
        "sold-out": [
            "out of stock", "outofstock", "sold out", "soldout", "ausverkauft", "nicht lieferbar", "utsolgt",
            "epuise", "agotado", "unavailable", "on backorder", "onbackorder", "backorder", "нет в наличии",
            "在庫切れ", "sold",
        ],
        "coming-soon": ["coming soon", "preorder", "pre order", "presale", "vorbestellbar", "kommer"],
        "discontinued": ["discontinued", "obsolete", "ended", "ausgelaufen", "utgatt"],
    ]

    // MARK: Numbers

    private func writeNumbers() {
        if let column = chosen["age"] { query.add(numeric(column), as: "age") }
        if let column = chosen["vintage"] { query.add(numeric(column), as: "vintage") }
        if let column = chosen["abv"] {
            let strength = strength(column)
            query.add(strength.sql, as: "abv", strength.remark)
        }
        if let column = chosen["volume_ml"], let unit = millilitres(column) {
            query.add(unit.sql(numericText(column)), as: "volume_ml", unit.remark)
        }
    }

    /// A number that a fact shows; 0 and -1 left out where they stand for "unknown".
    func numeric(_ column: PoolColumn) -> String {
        let sql = plain(column)
        var out = sql
        for value in column.profile.numberSentinels { out = "NULLIF(\(out), \(value))" }
        return out
    }

    /// A number that is calculated with: an empty text is none.
    private func numericText(_ column: PoolColumn) -> String {
        let sql = plain(column)
        if !column.profile.isNumeric { return sql }
        return column.profile.blanks > 0 ? "NULLIF(\(sql), '')" : sql
    }

    private func strength(_ column: PoolColumn) -> (sql: String, remark: String) {
        let profile = column.profile
        var sql = numericText(column)
        if profile.numbers * 10 < profile.filled * 9 {
            sql = "trim(replace(replace(\(sql), '%', ''), ',', '.'))"
            return (sql, "")
        }
        if profile.most <= 1, profile.fractions > 0 {
            return ("round(\(sql) * 100, 2)", "likely: a fraction, 0.05 is 5 %")
        }
        // Many zeros among real strengths: nobody measured.
        if profile.zeros * 10 >= profile.numbers, profile.zeros < profile.numbers {
            out.doubts.append("a strength of 0 is taken for unknown")
            return (
                "NULLIF(\(sql)\(profile.isTextual ? " + 0" : ""), 0)",
                "likely: 0 is 'unknown' in \(profile.zeros) of \(profile.rows) rows; if it is 'without alcohol', write \(query.expression(of: column)) alone"
            )
        }
        return (sql, "")
    }

    /// How a column's numbers become millilitres; nil when it is no volume.
    func millilitres(_ column: PoolColumn) -> (sql: (String) -> String, remark: String)? {
        let profile = column.profile
        let units: [(names: Set<String>, factor: String)] = [
            (["ml", "millilitre", "milliliter", "millilitres"], "1"), (["cl"], "10"), (["dl"], "100"),
            (["l", "litre", "liter", "litres", "liters", "lt", "ltr"], "1000"),
            (["oz", "ounces", "ounce", "fl"], "29.5735"),
        ]
        func times(_ factor: String, _ remark: String, _ wrap: @escaping (String) -> String = { $0 }) -> (
            sql: (String) -> String, remark: String
        ) {
            ({ factor == "1" ? wrap($0) : "round(\(wrap($0)) * \(factor), 1)" }, remark)
        }
        if profile.isNumeric {
            if let unit = units.first(where: { !$0.names.isDisjoint(with: column.stems.whole) }) {
                return times(unit.factor, unit.factor == "29.5735" ? "US fluid ounces" : "")
            }
            if profile.most <= 0 { return nil }
            if profile.fractions > 0, profile.most <= 60 {
                return times("1000", "likely: litres, as no value is above \(plainNumber(profile.most))")
            }
            if profile.most <= 60 { return nil }
            if profile.most <= 300 { return times("10", "likely: centilitres") }
            return times("1", "likely: millilitres")
        }
        // Every text ends in one unit: 70 cl, 0,7 l.
        guard let counts = profile.counts, profile.texts > 0 else { return nil }
        var seen: Set<String> = []
        for value in counts.keys {
            let text = value.string.trimmed
            let number = text.prefix { $0.isNumber || $0 == "." || $0 == "," }
            guard !number.isEmpty else { return nil }
            seen.insert(String(text.dropFirst(number.count)).trimmed)
        }
        guard seen.count == 1, let word = seen.first,
            let unit = units.first(where: { $0.names.contains(word.lowercased()) })
        else { return nil }
        return times(unit.factor, "written with '\(word)'") {
            unit.factor == "1"
                ? "trim(replace(replace(\($0), \(SQLText.literal(word)), ''), ',', '.'))"
                : "CAST(replace(\($0), ',', '.') AS REAL)"
        }
    }

    private func plainNumber(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }

    // MARK: Dates, pictures

    private func writeDate(_ field: String) {
        guard let column = chosen[field] else { return }
        let date = date(column)
        query.add(date.sql, as: field, date.remark)
    }

    /// A date as ISO 8601 has it.
    func date(_ column: PoolColumn) -> (sql: String, remark: String) {
        let sql = plain(column)
        let profile = column.profile
        if profile.share(.unixTime) >= 0.8 {
            return profile.most > 1e11
                ? ("date(\(sql) / 1000, 'unixepoch')", "milliseconds since 1970")
                : ("date(\(sql), 'unixepoch')", "seconds since 1970")
        }
        if profile.share(.isoDate) >= 0.5 {
            return (profile.oddTimes > 0 ? "substr(\(sql), 1, 10)" : sql, "")
        }
        let isDayFirst = profile.share(.dayFirstDate) >= profile.share(.monthFirstDate)
        let isBoth = profile.share(.monthFirstDate) >= 0.8 && profile.share(.dayFirstDate) >= 0.8
        let parts = isDayFirst ? ("4, 2", "1, 2") : ("1, 2", "4, 2")
        return (
            "substr(\(sql), 7, 4) || '-' || substr(\(sql), \(parts.0)) || '-' || substr(\(sql), \(parts.1))",
            isBoth ? "a guess: the day comes first; could also be the month" : ""
        )
    }

    private func writePicture() {
        guard let column = chosen["picture"] else { return }
        let profile = column.profile
        let sql = plain(column)
        if profile.share(.pictureBlob) >= 0.5 {
            query.add(sql, as: "picture", "the picture itself, a BLOB")
        } else if profile.share(.webPicture) >= 0.5 {
            let file = "replace(\(sql), rtrim(\(sql), replace(\(sql), '/', '')), '')"
            out.remarks.append([
                "Pictures: \(column.title) holds addresses on the web. Pages load nothing from other hosts, so put the files",
                "into content/pictures under their names and add this line to the products:",
                "  \(file) AS picture",
            ])
            out.findings.append(("pictures", "\(column.title) holds web addresses: see the end of site.yaml"))
            return
        } else {
            query.add(
                profile.rooted > 0 ? "ltrim(\(sql), '/')" : sql, as: "picture",
                column.match(.picture) >= 0.7 ? "" : "likely: the names end like pictures'")
        }
        if let alternative = chosen["picture_alt"] { query.add(plain(alternative), as: "picture_alt") }
        out.findings.append(
            (
                "pictures",
                profile.share(.pictureBlob) >= 0.5
                    ? column.title : "\(column.title), files to be put into content/pictures"
            ))
    }

    private func writeFeatured() {
        guard let column = chosen["featured"] else { return }
        if column.profile.isFlag {
            query.add("CASE WHEN \(isTrue(column)) THEN 1 END", as: "featured")
        } else {
            query.add(
                "NULLIF(\(query.expression(of: column)), 0)", as: "featured", "likely: the lowest first")
        }
    }
}

extension String {
    /// The text for a comment: one line, not long.
    var printableShort: String {
        let text = String(unicodeScalars.map { String($0).isPrintable ? Character($0) : " " })
        return text.count > 40 ? text.prefix(39) + "…" : text
    }
}
