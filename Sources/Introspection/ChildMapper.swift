import Database

/// Finds what belongs to products in tables of its own: reviews, pictures, labelled values, links to things to browse by,
/// prices of variants, lines of orders.
struct ChildMapper {
    let mapper: ProductMapper
    private var pools: Pools { mapper.pools }
    private var survey: DatabaseSurvey { mapper.survey }
    private var links: Links { mapper.links }
    private var table: DatabaseSurvey.Table { mapper.table }

    /// The tables whose rows refer to products, each with the column that does.
    private var children: [(table: DatabaseSurvey.Table, link: Link)] {
        links.links(to: table.name).filter { $0.key == mapper.product.key }.compactMap { link in
            guard !mapper.usedTables.contains(link.table), let child = survey.table(link.table),
                child.rowCount > 0
            else { return nil }
            return (child, link)
        }
    }

    /// Looks at every table before the product's fields are written: some of them give fields.
    func find() {
        for (child, link) in children
        where !isPart(child.name) && isReviews(child, link) && mapper.out.parts[.reviews] == nil {
            writeReviews(child, link)
            mapper.usedTables.insert(child.name)
        }
        for (child, link) in children where !isPart(child.name) && mapper.out.parts[.pictures] == nil {
            guard let picture = pictureColumn(child) else { continue }
            writePictures(child, link, picture)
            mapper.usedTables.insert(child.name)
        }
        for (child, link) in children { writeAttributes(child, link) }
        for (child, link) in children where !isPart(child.name) { writePrice(child, link) }
        writeOrders()
        writeLinkedFacets()
    }

    private func isPart(_ name: String) -> Bool { pools.parts[table.name]?.contains(name) == true }

    private func best(
        _ concept: Concept, in table: DatabaseSurvey.Table, but taken: Set<String>, least: Double = 0.7,
        _ isFit: (ColumnProfile) -> Bool = { _ in true }
    ) -> ColumnProfile? {
        table.columns.filter { $0.filled > 0 && !taken.contains($0.name) && isFit($0) }
            .map { ($0, concept.match(Concept.stems(of: $0.name, in: table.name))) }
            .filter { $0.1 >= least }
            .max { $0.1 < $1.1 }?.0
    }

    // MARK: Reviews

    private func isReviews(_ table: DatabaseSurvey.Table, _ link: Link) -> Bool {
        if pools.isOrderLine(table.name) { return false }
        let words = links.name(of: table.name)
        let isNamed = TableKind.reviews.match(words) >= 0.6
        let rating = best(.rating, in: table, but: [link.column], least: 0.9) {
            $0.isNumeric && $0.most <= 100 && $0.least >= 0
        }
        let body = best(.body, in: table, but: [link.column]) { $0.isWordy && $0.averageLength >= 12 }
        return (isNamed && (rating != nil || body != nil)) || (rating != nil && body != nil)
    }

    private func writeReviews(_ table: DatabaseSurvey.Table, _ link: Link) {
        var query = Query(table.name, key: link.column)
        var taken: Set<String> = [link.column]
        func name(_ column: ColumnProfile) -> String { "\(query.alias).\(SQLText.identifier(column.name))" }
        query.add("\(query.alias).\(SQLText.identifier(link.column))", as: "product_id")
        if let key = links.key(of: table), key != link.column {
            query.add("\(query.alias).\(SQLText.identifier(key))", as: "id")
            taken.insert(key)
        }
        if let rating = best(.rating, in: table, but: taken, { $0.isNumeric && $0.most <= 100 }) {
            taken.insert(rating.name)
            let factor = rating.most <= 5 ? "" : rating.most <= 10 ? " / 2.0" : " / 20.0"
            query.add(
                name(rating) + factor, as: "rating",
                factor.isEmpty ? "" : "likely: of \(rating.most <= 10 ? 10 : 100)")
        }
        addAuthor(table, link, &query, &taken)
        // The date first: "review" may be its first word.
        let date = best(.date, in: table, but: taken) {
            max($0.share(.isoDate), $0.share(.unixTime), $0.share(.dayFirstDate)) >= 0.8
        }
        if let date { taken.insert(date.name) }
        let title = best(.title, in: table, but: taken, least: 0.9) {
            $0.isTextual && $0.averageLength <= 120
        }
        if let title, best(.body, in: table, but: taken.union([title.name]), { $0.isTextual }) != nil {
            taken.insert(title.name)
            query.add(name(title), as: "title")
        }
        var isHTML = false
        if let body = best(.body, in: table, but: taken, { $0.isTextual && $0.lettered > 0 }) {
            taken.insert(body.name)
            query.add(name(body), as: "body")
            isHTML = body.markedUp * 20 > body.texts
        }
        if let date {
            let column = PoolColumn(
                place: .column([], date.name), profile: date, name: date.name, table: table.name,
                stems: ([], []))
            let outer = mapper.query
            mapper.query = query
            let converted = mapper.date(column)
            mapper.query = outer
            query.add(converted.sql, as: "date", converted.remark)
        }
        if let language = best(
            .language, in: table, but: taken, least: 0.9, { $0.isTextual && $0.longest <= 8 })
        {
            query.add(name(language), as: "language")
        }
        for visibility in pools.visibility(of: table) {
            query.conditions.append((visibility.sql(query.alias), visibility.remark))
        }
        mapper.restrict(&query, link.column)
        mapper.out.parts[.reviews] = .init(
            remarks: [
                "Reviews: \(link.isDeclared ? "sure" : "likely"), \(table.rowsText) of \(pools.quoted(table.name))."
            ], sql: query.text)
        if isHTML { mapper.out.reviewsAreHTML = true }
        mapper.out.findings.append(("reviews", "\(table.name) (\(table.rowsText))"))
    }

    private func addAuthor(
        _ table: DatabaseSurvey.Table, _ link: Link, _ query: inout Query, _ taken: inout Set<String>
    ) {
        if let author = best(
            .author, in: table, but: taken, { $0.isWordy && $0.averageLength <= 40 && $0.share(.email) < 0.1 }
        ) {
            taken.insert(author.name)
            query.add("\(query.alias).\(SQLText.identifier(author.name))", as: "author")
            return
        }
        for next in links.links(from: table.name) where next.column != link.column {
            guard TableKind.customer.match(links.name(of: next.target)) >= 0.6,
                let people = survey.table(next.target)
            else { continue }
            taken.insert(next.column)
            let step = [Step(column: next.column, table: next.target, key: next.key)]
            // Not the whole name of somebody who did not choose to show it.
            for concept in [Concept.firstName, .author] {
                guard
                    let name = best(
                        concept, in: people, but: [next.key], least: 0.9,
                        { $0.isTextual && $0.share(.email) < 0.1 })
                else { continue }
                query.add(
                    "\(query.alias(of: step)).\(SQLText.identifier(name.name))", as: "author",
                    concept == .firstName ? "the first name only" : "likely")
                return
            }
        }
    }

    // MARK: Pictures

    private func pictureColumn(_ table: DatabaseSurvey.Table) -> ColumnProfile? {
        let isNamed = TableKind.pictures.match(links.name(of: table.name)) >= 0.6
        return table.columns.filter {
            let isPicture = $0.share(.pictureFile) >= 0.5 || $0.share(.pictureBlob) >= 0.5
            return isPicture
                && (isNamed || Concept.picture.match(Concept.stems(of: $0.name, in: table.name)) >= 0.7)
        }
        .max { ($0.share(.pictureFile), $1.name) < ($1.share(.pictureFile), $0.name) }
    }

    private func writePictures(_ table: DatabaseSurvey.Table, _ link: Link, _ picture: ColumnProfile) {
        var query = Query(table.name, key: link.column)
        let sql = "\(query.alias).\(SQLText.identifier(picture.name))"
        query.add("\(query.alias).\(SQLText.identifier(link.column))", as: "product_id")
        let isBlob = picture.share(.pictureBlob) >= 0.5
        query.add(
            picture.rooted > 0 ? "ltrim(\(sql), '/')" : sql, as: "file",
            isBlob ? "the picture itself, a BLOB" : "")
        let taken: Set<String> = [link.column, picture.name]
        if let alternative = best(.alternative, in: table, but: taken, least: 0.9, { $0.isTextual }) {
            query.add("\(query.alias).\(SQLText.identifier(alternative.name))", as: "alt")
        }
        if let position = best(.position, in: table, but: taken, least: 0.9, { $0.isWhole }) {
            query.add("\(query.alias).\(SQLText.identifier(position.name))", as: "position")
        }
        for visibility in pools.visibility(of: table) {
            query.conditions.append((visibility.sql(query.alias), visibility.remark))
        }
        query.conditions.append(("\(sql) <> ''", ""))
        mapper.restrict(&query, link.column)
        mapper.out.parts[.pictures] = .init(
            remarks: [
                "Pictures: \(link.isDeclared ? "sure" : "likely"), \(table.rowsText) of \(pools.quoted(table.name))."
            ]
                + (isBlob ? [] : ["The files belong into content/pictures."]),
            sql: query.text)
        mapper.out.findings.append(
            (
                "pictures",
                "\(table.name) (\(table.rowsText))"
                    + (isBlob ? "" : ", files to be put into content/pictures")
            ))
    }

    // MARK: Labelled values

    /// A table of labels and values that is made for people: facts, or things to browse by when they are few.
    private func writeAttributes(_ child: DatabaseSurvey.Table, _ link: Link) {
        guard mapper.out.parts[.facts] == nil, mapper.out.parts[.facets] == nil else { return }
        let own = mapper.left.filter {
            if case .attribute(child.name, _, _, _) = $0.place { true } else { false }
        }
        guard let first = own.first, case .attribute(_, _, let value, _) = first.place else { return }
        let used = own.filter { mapper.isUsed($0) }
        // Attributes that a program named, such as url_key, are taken one by one.
        let areForPeople =
            own.filter { $0.name.contains("_") }.isEmpty
            && (used.isEmpty
                || own.filter { $0.name.first?.isUppercase == true || $0.name.contains(" ") }.count * 2
                    >= own.count)
        guard areForPeople, let label = best(.label, in: child, but: [link.column, value]) else { return }
        var query = Query(child.name, key: link.column)
        query.add("\(query.alias).\(SQLText.identifier(link.column))", as: "product_id")
        var labelSQL = "\(query.alias).\(SQLText.identifier(label.name))"
        if let next = links.link(from: child.name, label.name), let attribute = survey.table(next.target),
            let name = pools.name(of: attribute), case .column(let steps, let column) = name.place
        {
            let path = [Step(column: label.name, table: next.target, key: next.key)] + steps
            labelSQL = "\(query.alias(of: path)).\(SQLText.identifier(column))"
        }
        let distinct = own.map(\.profile.distinct).reduce(0, +)
        // Values that hardly ever come again are nothing to browse by.
        let areFacets =
            own.count <= 12 && distinct <= 400 && own.allSatisfy { $0.profile.averageLength <= 40 }
            && own.map(\.profile.filled).reduce(0, +) * 2 >= distinct * 3
        query.add(labelSQL, as: areFacets ? "facet" : "name")
        query.add("\(query.alias).\(SQLText.identifier(value))", as: "value")
        if !areFacets,
            let position = best(.position, in: child, but: [link.column], least: 0.9, { $0.isWhole })
        {
            query.add("\(query.alias).\(SQLText.identifier(position.name))", as: "position")
        }
        for column in used {
            guard case .attribute(_, _, _, let conditions) = column.place, let condition = conditions.first
            else { continue }
            query.conditions.append(("NOT \(query.alias).\(condition)", "shown elsewhere"))
        }
        mapper.restrict(&query, link.column)
        let part = Mapped.Part(
            remarks: [
                "\(areFacets ? "To browse by" : "Facts"): likely, the labels and values of \(pools.quoted(child.name)); could also be \(areFacets ? "facts (name instead of facet)" : "facets (facet instead of name)")."
            ], sql: query.text)
        if areFacets {
            mapper.out.parts[.facets] = part
            for column in own where !used.contains(where: { $0.name == column.name }) {
                mapper.addFacet(column.name, plural: mapper.plural(column.name))
            }
        } else {
            mapper.out.parts[.facts] = part
        }
        for column in own { mapper.use(column) }
        mapper.out.findings.append((areFacets ? "facets" : "facts", "\(child.name), \(own.count) labels"))
    }

    // MARK: Prices and orders

    /// The lowest price of a product's variants, where the product has none of its own.
    private func writePrice(_ child: DatabaseSurvey.Table, _ link: Link) {
        guard mapper.chosen["price"] == nil, mapper.chosen["price_minor"] == nil, !mapper.out.hasPrices,
            !pools.isOrderLine(child.name),
            !mapper.usedTables.contains(child.name)
        else { return }
        for (concept, field) in [(Concept.price, "price"), (.priceMinor, "price_minor")] {
            guard
                let price = best(
                    concept, in: child, but: [link.column], least: 0.75, { $0.isNumeric && $0.least >= 0 }),
                Concept.cost.match(Concept.stems(of: price.name, in: child.name)) < 0.9
            else { continue }
            let sql =
                "(SELECT min(\(SQLText.identifier(price.name))) FROM \(SQLText.identifier(child.name)) WHERE "
                + "\(SQLText.identifier(link.column)) = \(mapper.query.alias).\(SQLText.identifier(mapper.product.key)))"
            mapper.variantPrice = (sql, field, "likely: the lowest of \(child.name)", price)
            return
        }
    }

    /// Orders, baskets and wish lists: named, because what customers bought is theirs.
    private func writeOrders() {
        for (child, link) in children {
            let words = links.name(of: child.name)
            let isWish = TableKind.wishList.match(words) >= 0.6,
                isBasket = TableKind.basket.match(words) >= 0.6
            let isLine = pools.isOrderLine(child.name)
            guard isWish || isBasket || isLine else { continue }
            mapper.usedTables.insert(child.name)
            let list = isWish ? "wish" : isBasket ? "basket" : "collection"
            let what = isWish ? "wish lists" : isBasket ? "baskets" : "orders"
            var query = Query(child.name, key: link.column)
            var path: [Step] = []
            var people: DatabaseSurvey.Table?
            for next in links.links(from: child.name) where next.column != link.column {
                guard let target = survey.table(next.target) else { continue }
                let words = links.name(of: next.target)
                let step = Step(column: next.column, table: next.target, key: next.key)
                if TableKind.customer.match(words) >= 0.6 {
                    (path, people) = ([step], target)
                    break
                }
                for far in links.links(from: next.target)
                where TableKind.customer.match(links.name(of: far.target)) >= 0.6 {
                    guard people == nil || TableKind.customer.match(links.name(of: far.target)) >= 0.9 else {
                        continue
                    }
                    if let known = people,
                        !links.name(of: known.name).contains(where: {
                            $0.hasPrefix("employ") || $0.hasPrefix("staff")
                        })
                    {
                        continue
                    }
                    path = [step, Step(column: far.column, table: far.target, key: far.key)]
                    people = survey.table(far.target)
                }
            }
            var remark = [
                "Customers' \(what): \(child.name)\(people.map { ", of the people in \($0.name)" } ?? ""). Nothing of them is "
                    + "shown. A site may have private pages with what somebody \(isLine ? "bought" : "chose"): "
                    + "content/lists.json holds them (docs/lists.md), as \"\(list)\". init --lists makes that file, of these rows:"
            ]
            if let last = path.last, people != nil {
                query.add("\(query.alias(of: path)).\(SQLText.identifier(last.key))", as: "customer")
            }
            query.add("\(query.alias).\(SQLText.identifier(link.column))", as: "product")
            if people != nil { mapper.out.lists.append((list, query.text)) }
            mapper.out.findings.append(
                (
                    what,
                    "\(child.name) (\(child.rowsText))" + (people == nil ? "" : ", not shown: see --lists")
                ))
            remark += query.text.split(separator: "\n").map { "  " + $0 }
            mapper.out.remarks.append(remark)
        }
    }

    // MARK: Things to browse by

    /// Tables of links between products and colours, materials, tags, playlists; and tables with one text for a product.
    private func writeLinkedFacets() {
        var parts: [String] = []
        var names: [String] = []
        for (child, link) in children
        where !isPart(child.name) && !mapper.usedTables.contains(child.name) && parts.count < 8 {
            let others = links.links(from: child.name).filter { $0.column != link.column }
            if others.contains(where: { $0.target == table.name }) { continue }
            var query = Query(child.name, key: link.column)
            let id = "\(query.alias).\(SQLText.identifier(link.column))"
            var title: String
            var plural: String
            var value: String
            if others.count == 1, child.columns.count <= 5, let target = survey.table(others[0].target),
                target.rowCount <= 5000,
                !mapper.isInside(target.name), let name = pools.name(of: target),
                case .column(let steps, let column) = name.place
            {
                title = mapper.singularLabel(of: target.name)
                plural = mapper.pluralLabel(of: target.name)
                let path = [Step(column: others[0].column, table: target.name, key: others[0].key)] + steps
                value = "\(query.alias(of: path)).\(SQLText.identifier(column))"
            } else if others.isEmpty, child.columns.count <= 4,
                let text = child.columns.first(where: {
                    $0.name != link.column && $0.isWordy && $0.averageLength <= 40 && $0.counts != nil
                        && $0.distinct * 2 <= max(6, $0.filled)
                })
            {
                // product_tags(product_id, tag)
                title = label(of: text.name)
                plural = mapper.plural(title)
                value = "\(query.alias).\(SQLText.identifier(text.name))"
            } else {
                continue
            }
            if mapper.out.facetLabels.contains(where: { $0.key.lowercased() == title.lowercased() }) {
                title += " (\(child.name))"
            }
            mapper.usedTables.insert(child.name)
            query.add(id, as: "product_id")
            query.add(SQLText.literal(title), as: "facet")
            query.add(value, as: "value")
            mapper.restrict(&query, link.column)
            parts.append(query.text)
            names.append(child.name)
            mapper.addFacet(title, plural: plural)
        }
        guard !parts.isEmpty else { return }
        let all = parts.joined(separator: "\nUNION\n")
        if let old = mapper.out.parts[.facets] {
            mapper.out.parts[.facets] = .init(
                remarks: old.remarks + ["Also likely: \(names.joined(separator: ", "))."],
                sql: combine(old.sql, all))
        } else {
            mapper.out.parts[.facets] = .init(
                remarks: ["To browse by: likely, the links in \(names.joined(separator: ", "))."], sql: all)
        }
        mapper.out.findings.append(("to browse by", names.joined(separator: ", ")))
    }

    private func combine(_ first: String, _ second: String) -> String {
        first.hasPrefix("WITH") ? "SELECT * FROM (\(first))\nUNION\n\(second)" : first + "\nUNION\n" + second
    }
}
