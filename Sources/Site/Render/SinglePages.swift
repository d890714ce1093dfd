import Basics
import Database
import Markup
import Model
import Templates

extension SiteRenderer {
    /// The home page.
    ///
    /// - Parameters:
    ///   - shelf: pictures of some products, for the decoration at the top.
    ///   - picture: a picture for each main category, by its node.
    func home(shelf: [Picture], pictures: [Int: Picture], featured: Fragment?, newest: Fragment?) -> [UInt8] {
        let fields = views.home
        let parts = views.parts
        let tree = catalogue.tree
        var record = self.record(.home)
        let heading = settings.homeHeading ?? settings.tagline ?? settings.title
        record[fields.heading] = heading
        record[fields.lead] = settings.homeLead ?? settings.summary
        if catalogue.count > 0 {
            record[fields.browseAll] = parts.action(
                strings("browse_all", count: catalogue.count), SitePath.all(page: 1))
        }
        if shelf.count >= 3 {
            record[fields.hasShelf] = true
            record[fields.shelfPhotos] = shelf.contains(where: \.isOpaque)
            record[fields.shelf] = shelf.map { parts.image($0) }
        }
        // The tiles are for choosing at a glance; a flat catalogue of 200 categories has its own page for that.
        let roots = catalogue.mainCategories.prefix(24)
        record[fields.hasCategories] = !roots.isEmpty
        record[fields.categories] = roots.map { root in
            var tile = Record(fields.tileSchema)
            let category = tree.nodes[root].category
            tile[fields.name] = category.name
            tile[fields.path] = tree.path(root)
            tile[fields.countText] = strings("products", count: catalogue.categoryProducts[root].count)
            tile[fields.colour] = colour(
                category.colour?.validColour ?? pictures[root]?.colour, of: category.name)
            tile[fields.picture] = pictures[root].map { parts.image($0) }
            return tile
        }
        func row(_ key: String, _ tiles: Fragment?) -> Record? {
            guard let tiles else { return nil }
            var row = Record(fields.rowSchema)
            row[fields.rowHeading] = strings[key]
            row[fields.rowTiles] = tiles
            return row
        }
        record[fields.featured] = row("featured", featured)
        record[fields.newest] = row("newest", newest)
        let facets = catalogue.facets.filter { !$0.values.isEmpty }
        record[fields.hasFacets] = !facets.isEmpty
        record[fields.facets] = facets.map { facet in
            var link = Record(fields.facetSchema)
            link[fields.facetName] = facet.plural
            link[fields.facetPath] = facet.folder + "/index.html"
            link[fields.facetCount] = locale.number(facet.values.count)
            return link
        }
        let title = settings.tagline.map { "\(settings.title) – \($0)" } ?? settings.title
        var head = Head(path: "index.html", title: title, summary: settings.summary)
        head.bodyClass = "browse home"
        head.picture = shelf.first
        if let url = settings.url {
            head.data = .object([
                .init("@context", .string("https://schema.org")), .init("@type", .string("WebSite")),
                .init("name", .string(settings.title)), .init("url", .string(url)),
            ])
        }
        fill(&record, fields.page, head)
        return rendered(record, views.homeTemplate)
    }

    func content(_ page: ContentPage) -> [UInt8] {
        let fields = views.content
        var record = self.record(.content)
        record[fields.heading] = page.title
        record[fields.breadcrumbs] =
            breadcrumbs(to: nil) + [views.parts.crumb(page.title, page.path, current: true)]
        record[fields.html] = page.html
        var head = Head(path: page.path, title: page.title)
        head.summary = page.summary ?? plainText(of: page.html, limit: 160)
        head.kind = "article"
        head.isColoured = page.html.usesPalette
        fill(&record, fields.page, head)
        return rendered(record, views.contentTemplate)
    }

    /// The search page. What it finds is shown by a script; without one it leads to the indexes.
    func search() -> [UInt8] {
        let fields = views.search
        let parts = views.parts
        let tree = catalogue.tree
        let title = strings["search"]
        var record = self.record(.search)
        record[fields.heading] = title
        record[fields.breadcrumbs] =
            breadcrumbs(to: nil) + [parts.crumb(title, SitePath.search, current: true)]
        record[fields.hasCategories] = !tree.roots.isEmpty
        record[fields.categories] = tree.roots.map { root in
            parts.branch(
                tree.nodes[root].category.name, tree.path(root),
                locale.number(catalogue.categoryProducts[root].count))
        }
        let facets = catalogue.facets.filter { !$0.values.isEmpty }
        record[fields.hasFacets] = !facets.isEmpty
        record[fields.facets] = facets.map {
            parts.branch($0.plural, $0.folder + "/index.html", locale.number($0.values.count))
        }
        record[fields.all] = parts.branch(
            strings["all_products"], SitePath.all(page: 1), locale.number(catalogue.count))
        var head = Head(path: SitePath.search, title: title, summary: strings["search_label"])
        head.bodyClass = "browse find-page"
        head.isListed = false
        fill(&record, fields.page, head)
        return rendered(record, views.searchTemplate)
    }

    /// `404.html`, which is shown at any address: its links start from the path of the site's address. Also the index
    /// of a folder that has none to show.
    func notFound(at path: String = "404.html") -> [UInt8] {
        let fields = views.notFound
        var record = self.record(.notFound)
        var head = Head(path: path, title: strings["not_found_title"])
        head.isListed = false
        if path == "404.html" {
            head.root = settings.url.map { SitePath.root(ofAddress: $0) }
        }
        fill(&record, fields.page, head)
        return rendered(record, views.notFoundTemplate)
    }

    /// The stub at the former address of a product.
    func redirect(from old: String, to path: String, name: String) -> [UInt8] {
        let fields = views.redirect
        var record = self.record(.redirect)
        record[fields.target] = views.parts.link(name, path)
        var head = Head(path: old, title: strings["moved_title"])
        head.isListed = false
        fill(&record, fields.page, head)
        record[fields.page.canonical] = absolute(path)
        return rendered(record, views.redirectTemplate)
    }

    /// The page of the visitor's own lists: the device has them, so the site writes the frame only.
    func myLists() -> [UInt8] {
        let fields = views.myLists
        var record = self.record(.myLists)
        record[fields.lists] = Customer.Kind.allCases.map { kind in
            var list = Record(fields.listSchema)
            list[fields.id] = kind.rawValue
            list[fields.title] = strings["list_" + kind.rawValue]
            list[fields.emptyText] = strings["empty_" + kind.rawValue]
            list[fields.totalLabel] = strings[kind.totalKey]
            return list
        }
        var head = Head(path: SitePath.myLists, title: strings["my_lists"])
        head.bodyClass = "product mylists"
        head.isListed = false
        fill(&record, fields.page, head)
        return rendered(record, views.myListsTemplate)
    }

    // MARK: Customers

    /// A product as the lists show it; nil when the database no longer has it.
    typealias ListedProduct = (entry: CatalogueReader.Entry, number: Int)

    /// A list of a customer as pages show it.
    typealias ShownList = (kind: Customer.Kind, record: Record)

    /// A customer's overview (`kind` nil), or the page of one list.
    func customer(
        _ customer: Customer, token: String, kind: Customer.Kind?, products: [String: ListedProduct]
    ) -> [UInt8] {
        let kinds = kind.map { [$0] } ?? Customer.Kind.allCases
        let lists = self.lists(kinds, of: customer, token: token, products: products)
        return self.customer(customer, token: token, kind: kind, lists: lists)
    }

    /// Lists of a customer as its pages show them: one that is given is shown by two, and the overview shows all.
    func lists(
        _ kinds: [Customer.Kind] = Customer.Kind.allCases, of customer: Customer, token: String,
        products: [String: ListedProduct]
    ) -> [ShownList] {
        kinds.map { (kind: $0, record: list(customer, $0, folder: "lists/\(token)", products: products)) }
    }

    /// A customer's overview (`kind` nil), or the page of one list, with what it shows of the lists.
    func customer(
        _ customer: Customer, token: String, kind: Customer.Kind?, lists: [ShownList]
    ) -> [UInt8] {
        let fields = views.customer
        var record = Record(fields.schema)
        record[fields.ownerHeading] =
            customer.name.map { strings("lists_of", ["name": $0]) } ?? strings["my_lists"]
        record[fields.lists] = lists.filter { kind == nil || kind == $0.kind }.map(\.record)
        if kind != nil { record[fields.overview] = views.parts.file("lists/\(token)/index.html") }
        var head = Head(
            path: Customer.path(token, kind), title: strings["list_title"])
        head.bodyClass = kind == nil ? "product private" : "browse private"
        head.isPrivate = true
        var out = ByteBuffer(capacity: 16_384)
        render(&record, .customer, fields.page, kind == nil ? bound.lists : bound.list, head, into: &out)
        return out.array
    }

    private func list(
        _ customer: Customer, _ kind: Customer.Kind, folder: String, products: [String: ListedProduct]
    ) -> Record {
        let fields = views.customer
        let items = customer.lists[kind] ?? []
        var record = Record(fields.listSchema)
        record[fields.id] = kind.rawValue
        record[fields.title] = strings["list_" + kind.rawValue]
        if customer.lists[kind] != nil { record[fields.path] = "\(folder)/\(kind.rawValue).html" }
        record[fields.countText] = strings("products", count: items.count)
        if items.isEmpty { record[fields.emptyText] = strings["empty_" + kind.rawValue] }
        var sums: [(currency: Currency, amount: Int64)] = []
        var uncounted = 0
        record[fields.lines] = items.map { item in
            let product = products[item.product]
            let isGone = product == nil || product?.entry.product.availability == .discontinued
            let price = isGone ? nil : product?.entry.product.price
            if let price {
                let amount = price.minorUnits.multipliedReportingOverflow(by: Int64(item.quantity))
                    .partialValue
                if let at = sums.firstIndex(where: { $0.currency == price.currency }) {
                    sums[at].amount &+= amount
                } else {
                    sums.append((price.currency, amount))
                }
            } else {
                uncounted += 1
            }
            return line(item, kind, product: product, price: price, isGone: isGone)
        }
        if !sums.isEmpty {
            var total = Record(fields.totalSchema)
            total[fields.totalLabel] =
                strings[kind.totalKey]
            total[fields.totalText] = sums.map {
                locale.money(Money(minorUnits: $0.amount, currency: $0.currency))
            }
            .joined(separator: " + ")
            total[fields.totalSmall] =
                uncounted > 0 ? strings("not_counted", count: uncounted) : strings["total_note"]
            record[fields.total] = total
        }
        return record
    }

    private func line(
        _ item: Customer.Item, _ kind: Customer.Kind, product: ListedProduct?, price: Money?, isGone: Bool
    ) -> Record {
        let fields = views.customer
        let parts = views.parts
        var line = Record(fields.lineSchema)
        if let product {
            fill(&line, with: product.entry, number: product.number, isGone: isGone)
        } else {
            line[fields.name] = "#" + item.product
            line[fields.colour] = colour(nil, of: nil)
        }
        if isGone { line[fields.gone] = parts.tag(strings["no_longer_sold"]) }
        if let price {
            let sum = price.minorUnits.multipliedReportingOverflow(by: Int64(item.quantity)).partialValue
            line[fields.priceText] = locale.money(Money(minorUnits: sum, currency: price.currency))
        } else if !isGone, settings.showsPriceOnRequest {
            line[fields.noPrice] = strings["on_request"]
        }
        if item.quantity > 1 || kind == .basket {
            let n = locale.number(item.quantity)
            line[fields.quantity] =
                price.map { strings("quantity_each", ["n": n, "price": locale.money($0)]) }
                ?? strings("quantity", ["n": n])
        }
        if let added = item.added {
            var date = Record(parts.date.schema)
            date[parts.date.datetime] = added.description
            date[parts.date.text] = strings("added", ["date": locale.date(added)])
            line[fields.added] = date
        }
        line[fields.note] = item.note
        return line
    }

    /// Takes what holds the product, of which the caller would have to make copies.
    private func fill(_ line: inout Record, with entry: CatalogueReader.Entry, number: Int, isGone: Bool) {
        fill(&line, with: entry.product, number: number, isGone: isGone)
    }

    /// What a line shows of the product itself.
    private func fill(_ line: inout Record, with product: Product, number: Int, isGone: Bool) {
        let fields = views.customer
        line[fields.name] = product.name
        line[fields.productPath] = catalogue.path(number)
        line[fields.meta] = meta(of: product)
        var nowhere: [Diagnostic] = []
        let picture = isGone ? nil : pictures(of: product, log: &nowhere).first?.picture
        if !isGone {
            line[fields.picture] = picture.map { views.parts.image($0) }
            line[fields.availability] = availabilityRecord(of: product)
        }
        let leaf = catalogue.categories[number].first.map(Int.init)
        line[fields.colour] = tint(of: product, leaf: leaf, picture: picture)
    }
}

extension String {
    /// Six hexadecimal digits, in lower case, of a colour such as `#b9772e`.
    var validColour: String? {
        let digits = hasPrefix("#") ? String(dropFirst()) : self
        let isValid =
            digits.utf8.count == 6 && digits.utf8.allSatisfy { Unicode.Scalar($0).properties.isASCIIHexDigit }
        return isValid ? digits.lowercased() : nil
    }
}

extension Customer.Kind {
    /// The text for what the prices of a list come to.
    fileprivate var totalKey: String {
        switch self {
        case .wish: "total_wish"
        case .basket: "total"
        case .collection: "total_collection"
        }
    }
}
