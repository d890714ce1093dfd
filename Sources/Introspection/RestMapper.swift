import Database

/// What becomes of the values that no field took: facts, things to browse by, notes, or nothing.
extension ProductMapper {
    private static let mostFacts = 16, mostFacets = 8, mostNotes = 4

    func writeRest() {
        var facts = 0, facets = 0, notes = 0
        let rows = table.columns.first?.rows ?? 0
        for lookup in lookups where lookup.isLookup && lookup.via?.target != "" && !isUsed(lookup) {
            guard let link = lookup.via, case .column(let steps, _) = lookup.place, steps.count == 1 else {
                continue
            }
            if chosen["producer"]?.via == link || lookup.match(.supplier) >= 0.9 {
                leaveOut(link.column, "the supplier is the shop's business")
                use(lookup)
                continue
            }
            if lookup.match(.inside) >= 0.9 || isInside(link.target) {
                leaveOut(link.column, "for the shop only")
                use(lookup)
                continue
            }
            let stem = Links.stem(of: link.column).words
            let title = stem.isEmpty ? singularLabel(of: link.target) : label(of: trimmedKey(link.column))
            let sql = query.expression(of: lookup)
            let distinct = lookup.profile.distinct
            if facets < Self.mostFacets, distinct >= 1, distinct <= 2000, distinct * 3 <= max(9, rows * 2) {
                query.add(sql, as: "facet:\(title)")
                addFacet(title, plural: pluralLabel(of: link.target))
                facets += 1
            } else {
                query.add(sql, as: "fact:\(title)")
                facts += 1
            }
            use(lookup)
        }
        for lookup in lookups where !lookup.isLookup && !isUsed(lookup) && lookup.match(.city) >= 0.9 {
            // A brewery's town, if the brewery is there to be seen.
            guard chosen["producer"]?.table == lookup.table, facets < Self.mostFacets else { continue }
            query.add(query.expression(of: lookup), as: "facet:\(label(of: lookup.name))")
            addFacet(label(of: lookup.name), plural: plural(label(of: lookup.name)))
            facets += 1
            use(lookup)
        }
        for column in left where !isUsed(column) && !isKeyColumn(column) {
            let profile = column.profile
            if isCondition(column) { continue }
            if let reason = reasonToLeaveOut(column) {
                leaveOut(column.title, reason)
                continue
            }
            if case .attribute = column.place, out.parts[.facts] != nil || out.parts[.facets] != nil {
                continue
            }
            let title = label(of: trimmedKey(column.name))
            let sql = plain(column)
            if profile.isFlag {
                guard facts < Self.mostFacts, profile.distinct > 1 else { continue }
                query.add("CASE WHEN \(isTrue(column)) THEN \(SQLText.literal(yes)) END", as: "fact:\(title)")
                facts += 1
            } else if isDate(profile) {
                guard facts < Self.mostFacts else { continue }
                query.add("substr(\(date(column).sql), 1, 10)", as: "fact:\(title)")
                facts += 1
            } else if profile.isNumeric {
                guard facts < Self.mostFacts else { continue }
                let number = measured(column)
                query.add(number.sql, as: "fact:\(number.title ?? title)", number.remark)
                facts += 1
            } else if let separator = listSeparator(column), out.parts[.facets] == nil {
                writeListFacet(column, separator)
            } else if profile.averageLength >= 90 || (profile.manyLined > 0 && profile.averageLength >= 30) {
                guard notes < Self.mostNotes else { continue }
                query.add(sql, as: "note:\(title)")
                addFormat(column, as: "note:\(title)")
                notes += 1
            } else if profile.distinct >= 2, profile.distinct <= 500, profile.distinct * 3 <= rows,
                profile.isWordy, profile.averageLength <= 40, facets < Self.mostFacets
            {
                query.add(sql, as: "facet:\(title)")
                addFacet(title, plural: plural(title))
                facets += 1
            } else if facts < Self.mostFacts {
                query.add(sql, as: "fact:\(title)")
                facts += 1
            } else {
                leaveOut(column.title, "there are many facts already")
            }
        }
    }

    func leaveOut(_ column: String, _ reason: String) { out.leftOut.append((column, reason)) }

    func addFacet(_ title: String, plural: String) {
        guard !out.facetLabels.contains(where: { $0.key == title }) else { return }
        out.facetLabels.append((title, title, plural.isEmpty ? title : plural))
    }

    func isInside(_ table: String) -> Bool {
        let words = links.name(of: table)
        return TableKind.customer.match(words) >= 0.9 || TableKind.order.match(words) >= 0.9
            || ["tax", "taxes", "store", "stores", "warehouse", "currency", "shop", "website", "location"]
                .contains(words.last ?? "")
    }

    private var yes: String {
        ["de": "Ja", "nb": "Ja", "fr": "Oui", "ja": "はい", "ru": "да", "es": "Sí"][out.language] ?? "Yes"
    }

    private func isDate(_ profile: ColumnProfile) -> Bool {
        max(profile.share(.isoDate), profile.share(.dayFirstDate), profile.share(.monthFirstDate)) >= 0.8
            || (profile.share(.unixTime) >= 0.95 && profile.isWhole)
    }

    func pluralLabel(of table: String) -> String {
        plural(label(of: ownWords(of: table).joined(separator: " ")))
    }

    /// The plural for headings, in English only: nobody guesses that of other languages.
    func plural(_ title: String) -> String {
        out.language == "en" ? Introspection.plural(title) : title
    }

    /// The name without `_id` at its end.
    private func trimmedKey(_ name: String) -> String {
        for ending in ["_id", " id", "_ID", "Id", "ID", "_code", "_fk", "コード"]
        where name.hasSuffix(ending) && name.count > ending.count + 1 {
            return String(name.dropLast(ending.count))
        }
        return name
    }

    /// Why a value is not shown; nil when it is.
    private func reasonToLeaveOut(_ column: PoolColumn) -> String? {
        let profile = column.profile
        if profile.filled == 0 { return "nothing in it" }
        if !column.isLookup, links.link(from: column.table, column.name) != nil {
            return links.link(from: column.table, column.name)?.target == table.name
                ? "refers to another product" : "a key"
        }
        if let language = languageSuffix(column.name), let chosenLanguage = pools.language,
            language != chosenLanguage
        {
            return "in another language (\(language))"
        }
        if column.match(.cost) >= 0.9 { return "what the shop pays" }
        if column.match(.unitPrice) >= 0.9 { return "the site works out the price per litre itself" }
        if column.match(.contact) >= 0.9 || profile.share(.email) > 0.3 { return "personal" }
        if profile.blobs * 2 > profile.filled { return "bytes" }
        if column.match(.inside) >= 0.95 { return "for the shop only" }
        if column.match(.position) >= 0.9, profile.isWhole { return "an order" }
        if column.match(.gtin) >= 0.9, profile.share(.gtin) < 0.5 {
            return "called a GTIN, but the check digits are wrong"
        }
        if profile.share(.webAddress) + profile.share(.webPicture) > 0.5 { return "addresses on the web" }
        if profile.share(.pictureFile) > 0.5 { return "further pictures" }
        if profile.distinct <= 1, profile.filled == profile.rows, profile.rows > 3 {
            return "the same in every row"
        }
        if column.match(.name) >= 0.9, profile.isTextual, column.profile.averageLength < 80,
            chosen["name"] != nil, column.table == table.name,
            let name = chosen["name"], name.profile.distinct == profile.distinct,
            name.profile.filled == profile.filled, column.match(.sku) < 0.5
        {
            return "another name"
        }
        let isKeyName = Concept.id.match(column.stems) >= 0.75
        if isKeyName, profile.isWhole { return "a number for programs" }
        if column.match(.slug) >= 0.9 { return "part of an address" }
        if ["language", "currency"].contains(where: {
            Concept(rawValue: $0)?.match(column.stems) ?? 0 >= 0.95
        }) {
            return "for programs"
        }
        if profile.share(.jsonList) > 0.5 || (profile.commonest?.value.string.hasPrefix("{") ?? false) {
            return "for programs"
        }
        return nil
    }

    /// A number with its unit, where the name says which.
    private func measured(_ column: PoolColumn) -> (sql: String, title: String?, remark: String) {
        let sql = numeric(column)
        let profile = column.profile
        if column.match(.milliseconds) >= 0.9 {
            return ("printf('%d:%02d', \(sql) / 60000, \(sql) / 1000 % 60)", "Length", "minutes and seconds")
        }
        if column.match(.seconds) >= 0.9 {
            return ("printf('%d:%02d', \(sql) / 60, \(sql) % 60)", "Length", "minutes and seconds")
        }
        if column.match(.bytes) >= 0.9 { return ("printf('%.1f MB', \(sql) / 1e6)", "Size", "") }
        if profile.zeros * 2 >= profile.numbers, profile.zeros < profile.numbers {
            return (
                "NULLIF(\(sql)\(profile.isTextual ? " + 0" : ""), 0)", nil, "likely: 0 is 'none' or 'unknown'"
            )
        }
        // 65.0 in a text is 65.
        if profile.isTextual, profile.fractions == 0,
            profile.sampleValues(400).contains(where: { $0.string.contains(".") })
        {
            return ("CAST(NULLIF(\(sql), '') AS INTEGER)", nil, "")
        }
        return (sql, nil, "")
    }

    // MARK: Lists in a cell

    private func listSeparator(_ column: PoolColumn) -> String? {
        let profile = column.profile
        guard profile.averageLength <= 150 else { return nil }
        let isTags = column.match(.tags) >= 0.9
        if profile.share(.jsonList) >= 0.5 { return "json" }
        if profile.share(.pipeList) >= (isTags ? 0.1 : 0.4) { return "|" }
        if profile.share(.semicolonList) >= (isTags ? 0.1 : 0.4) { return ";" }
        return isTags && profile.share(.commaList) >= 0.1 ? "," : nil
    }

    private func writeListFacet(_ column: PoolColumn, _ separator: String) {
        let title = label(of: column.name)
        out.parts[.facets] = .init(
            remarks: ["\(title): likely, a list in the cells of \(column.title)."],
            sql:
                "WITH RECURSIVE \(parts(of: column, separator))\nSELECT DISTINCT id AS product_id, \(SQLText.literal(title)) AS facet, part AS value FROM parts WHERE part <> ''"
        )
        addFacet(title, plural: plural(title))
        use(column)
    }
}
