import Basics
import Database
import Model

/// What the plan knows of all products: addresses, places in the indexes, order. Some 120 bytes a product, no texts.
///
/// Products have a number here, in the order of their keys.
struct Catalogue: Sendable {
    private(set) var keys = KeyColumn()
    private(set) var slugs = TextColumn()
    private(set) var created: [Int32] = [], updated: [Int32] = []
    private(set) var reviewCounts: [Int32] = []
    /// What tells which products have changed; nil when the survey was light.
    private(set) var marks: ProductMarks?
    /// Products whose rows have changed, of a plan that was kept from the build before: then a file that shows none of them is as it
    /// was. Nil when all is to be compared.
    var changed: [Int]?
    /// Leaf categories, the main one first, as nodes of ``tree``.
    private(set) var categories = ListColumn()
    /// Values of facets, as indices of ``values``.
    private(set) var facetValues = ListColumn()
    /// Products that have no picture; nil when the survey was light.
    private(set) var withoutPicture: Int?
    /// Products that the shop features, best rank first.
    private(set) var featured: [Int32] = []
    /// The newest products with a date, newest first: those that feeds and the home page show.
    private(set) var newest: [Int32] = []

    private(set) var tree = CategoryTree()
    private(set) var facets: [Facet] = []
    private(set) var values: [FacetValue] = []

    /// All products in the order in which indexes show them.
    private(set) var order: [Int32] = []
    /// All products by name; empty when the plan was not asked for it.
    private(set) var nameOrder: [Int32] = []
    /// The products of each category and all below it, and of each facet value, in that order.
    private(set) var categoryProducts: [[Int32]] = []
    private(set) var valueProducts: [[Int32]] = []
    /// The main categories that have products, as the menu and the home page show them.
    var mainCategories: [Int] { tree.roots.filter { !categoryProducts[$0].isEmpty } }
    /// The newest products of each category, for its feed.
    private(set) var categoryNewest: [[Int32]] = []

    var count: Int { keys.count }

    /// The number of a product by its key, in logarithmic time.
    func number(of key: ProductID) -> Int? {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key ? low : nil
    }

    /// The number of a product by its key as a list file writes it: a number may be given as text.
    func number(named text: String) -> Int? {
        for key in ProductID.candidates(text) {
            if let number = number(of: key) { return number }
        }
        return nil
    }

    func path(_ product: Int) -> String { SitePath.product(slugs[product]) }
    func reviewsPath(_ product: Int) -> String { SitePath.reviews(slugs[product]) }
    func path(value: Int, page: Int = 1) -> String {
        SitePath.index(facets[values[value].facet].folder, values[value].slug, page: page)
    }

    /// Of what a product's page shows of its place: its address, and the names and addresses of its categories and
    /// facet values.
    func contextFingerprint(_ product: Int) -> UInt64 {
        var hash = slugs.hash(at: product)
        func add(_ number: UInt64) { hash = (hash ^ number) &* 0x9E37_79B9_7F4A_7C15 ^ (hash >> 29) }
        for node in categories[product] { add(tree.nodes[Int(node)].fingerprint.low) }
        for value in facetValues[product] { add(values[Int(value)].fingerprint.low) }
        return hash
    }
}

extension Catalogue {
    /// How indexes are ordered.
    enum Order: String, CaseIterable, Sendable { case name, newest, price }

    /// Reads all products once and works out what the plan needs.
    ///
    /// - Parameters:
    ///   - detail: `.survey`, or `.fingerprinted` to compare with an earlier build.
    ///   - sample: only these products, for a preview that cannot wait; nil for all.
    ///   - jobs: with more than one, a thread reads while another takes down what was read, and a third what it is sorted by.
    ///   - scratch: where what is too much for memory is put aside; without it nothing is.
    ///   - digest: takes what decides the plan, if it is there.
    ///   - hear: is called now and then, and may end the reading.
    init(
        reading reader: CatalogueReader, _ detail: CatalogueReader.Detail,
        facets definitions: [FacetDefinition],
        order: Order, pictures: PictureFolder, needsNameOrder: Bool = false, sample: [ProductID]? = nil,
        jobs: Int = 1, scratch: Directory? = nil, digest: inout PlanDigest?, hear: () throws -> Void = {},
        log: inout [Diagnostic]
    ) throws {
        let (categories, faults) = try reader.categories()
        digest?.add(categories, faults: faults)
        log += faults
        let tree = CategoryTree(categories, log: &log)
        let selected = try sample?.count ?? reader.productCount()
        let builder = Builder(
            tree, facets: definitions, order: order, pictures: pictures,
            isFingerprinted: detail == .fingerprinted, expecting: selected)
        let sorter = try Sorter(order: order, expecting: selected, in: scratch)

        builder.whole = digest.take()
        let isAside = jobs > 1 && selected > 500
        let sorting = Pipeline<[Sorter.Item]>(workers: 1, isAside: isAside) { _, items in
            for item in items { try sorter.append(item) }
        }
        let pipeline = Pipeline<ProductBatch>(workers: 1, isAside: isAside) { _, batch in
            try sorting.send(
                batch.products().map { _, entry in
                    builder.append(entry)
                    return Sorter.Item(entry.product, by: order)
                })
        }
        var batch = ProductBatch()
        let orphans: [CatalogueReader.Orphans]
        do {
            orphans = try reader.forEachRows(detail, keys: sample) { rows in
                batch.append(rows, number: 0)
                guard batch.isFull else { return }
                try hear()
                try pipeline.send(batch)
                batch.removeAll()
            }
            if batch.count > 0 { try pipeline.send(batch) }
            try pipeline.finish()
        } catch {
            try? pipeline.finish()
            try? sorting.finish()
            throw error
        }
        try sorting.finish()
        digest = builder.whole.take()
        digest?.finish(orphans)

        guard builder.count == selected || sample != nil else {
            throw Failure(
                "row-count",
                "'products' selects \(selected) rows, but \(builder.count) could be read; nothing was changed"
            )
        }
        self = try builder.finish(sorter, needsNameOrder: needsNameOrder, orphans: orphans, log: &log)
    }

    /// Takes down what the plan needs of each product.
    private final class Builder: @unchecked Sendable {
        // Products are appended by one thread, and the rest is called after it has finished.
        private var catalogue = Catalogue()
        private let definitions: [FacetDefinition]
        private let facetNumbers: [String: Int]
        private let pictures: PictureFolder
        private var gatherer: FacetGatherer
        private var addresses: Addresses
        private var ranks: [(rank: Int, product: Int32)] = []
        private var unknownCategories = 0
        private var firstUnknown: (product: ProductID, category: ProductID)?
        private var terms: [Int32] = []
        private var nodes: [Int32] = []
        private var digest: PlanDigest
        /// Takes what decides the plan, if it is wanted.
        var whole: PlanDigest?

        var count: Int { catalogue.count }

        init(
            _ tree: CategoryTree, facets definitions: [FacetDefinition], order: Order,
            pictures: PictureFolder,
            isFingerprinted: Bool, expecting selected: Int
        ) {
            self.definitions = definitions
            self.pictures = pictures
            digest = PlanDigest(order: order)
            facetNumbers = Dictionary(
                definitions.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { $1 })
            gatherer = FacetGatherer(keys: definitions.map(\.key))
            addresses = Addresses(expecting: selected)
            catalogue.tree = tree
            // Growing by doubling would leave up to half of each column unused, and both halves in use while it grows.
            catalogue.keys.reserve(selected)
            catalogue.slugs = TextColumn(expecting: selected)
            catalogue.created.reserveCapacity(selected)
            catalogue.updated.reserveCapacity(selected)
            catalogue.reviewCounts.reserveCapacity(selected)
            catalogue.categories.reserve(selected)
            catalogue.facetValues.reserve(selected)
            if isFingerprinted {
                catalogue.marks = ProductMarks(count: selected)
                catalogue.withoutPicture = 0
            }
        }

        func append(_ entry: CatalogueReader.Entry) {
            _ = whole?.add(entry)
            let product = entry.product
            let number = Int32(catalogue.keys.count)
            catalogue.keys.append(product.id)
            catalogue.slugs.append(
                addresses.claim(given: product.slug, name: product.name, key: product.id))
            catalogue.created.append(product.created?.ordinal ?? 0)
            catalogue.updated.append((product.updated ?? product.created)?.ordinal ?? 0)
            catalogue.reviewCounts.append(Int32(entry.reviewCount))
            // Should there be more than were counted, the reading fails at its end.
            if let marks = catalogue.marks, number < marks.count {
                marks.set(Int(number), of: entry, pictures: pictures, using: &digest)
                if pictures.sources(of: product).isEmpty {
                    catalogue.withoutPicture = (catalogue.withoutPicture ?? 0) + 1
                }
            }
            if let rank = product.featured { ranks.append((rank, number)) }
            nodes.removeAll(keepingCapacity: true)
            for key in product.categories {
                if let node = catalogue.tree[key] {
                    nodes.append(Int32(node))
                } else {
                    unknownCategories += 1
                    if firstUnknown == nil { firstUnknown = (product.id, key) }
                }
            }
            catalogue.categories.append(nodes)
            terms.removeAll(keepingCapacity: true)
            add(product.producer, "producer")
            add(product.style, "style")
            add(product.country, "country")
            add(product.region, "region")
            for facet in product.facets { add(facet.value, facet.label) }
            catalogue.facetValues.append(terms)
        }

        private func add(_ text: String?, _ key: String) {
            guard let text, let facet = facetNumbers[key], let term = gatherer.term(text, of: facet),
                !terms.contains(term)
            else { return }
            terms.append(term)
        }

        /// The catalogue, with its indexes.
        func finish(
            _ sorter: Sorter, needsNameOrder: Bool, orphans: [CatalogueReader.Orphans],
            log: inout [Diagnostic]
        ) throws -> Catalogue {
            if let first = firstUnknown {
                log.append(
                    Diagnostic(
                        .warning, "unknown-category",
                        "\(unknownCategories) links to categories that are not there, the first to '\(first.category)'",
                        at: .cell(
                            table: "product_categories", row: first.product.description, column: "category_id"
                        )
                    ))
            }
            log += orphans.map(\.warning)
            if addresses.clashes > 0 {
                log.append(
                    Diagnostic(
                        .warning, "slug-clash",
                        "\(addresses.clashes) slugs of 'products' are used twice or reserved; the later product got one "
                            + "with a suffix"))
            }
            catalogue.setFacets(definitions, gatherer.values())
            catalogue.order = try sorter.sorted()
            if needsNameOrder { catalogue.nameOrder = try sorter.sortedByName() }
            catalogue.featured = ranks.sorted { ($0.rank, $0.product) < ($1.rank, $1.product) }.map(\.product)
            catalogue.fillIndexes()
            return catalogue
        }
    }

    /// Takes the values of facets, in the order in which people read them.
    private mutating func setFacets(_ definitions: [FacetDefinition], _ values: [FacetValue]) {
        self.values = values
        facets = definitions.map(\.facet)
        let keys = values.map { collationKey($0.name) }
        for i in values.indices { facets[values[i].facet].values.append(i) }
        for i in facets.indices {
            facets[i].values.sort { a, b in
                keys[a] == keys[b] ? values[a].slug < values[b].slug : keys[a].sorts(before: keys[b])
            }
        }
    }

    /// Takes over the labels of facets that are otherwise the same: a changed text needs no new survey.
    mutating func relabel(_ definitions: [FacetDefinition]) {
        guard definitions.count == facets.count else { return }
        for (i, definition) in definitions.enumerated()
        where definition.key == facets[i].key && definition.folder == facets[i].folder {
            var facet = definition.facet
            facet.values = facets[i].values
            facets[i] = facet
        }
    }

    /// Adds a product that was left out of a sample, as the last: it has its own page, and is on no other.
    ///
    /// - Returns: its number.
    mutating func add(_ entry: CatalogueReader.Entry) -> Int {
        let product = entry.product
        var addresses = Addresses()
        keys.append(product.id)
        slugs.append(addresses.claim(given: product.slug, name: product.name, key: product.id))
        created.append(product.created?.ordinal ?? 0)
        updated.append((product.updated ?? product.created)?.ordinal ?? 0)
        reviewCounts.append(Int32(entry.reviewCount))
        categories.append(product.categories.compactMap { tree[$0] }.map { Int32($0) })
        let names =
            [
                ("producer", product.producer), ("style", product.style), ("country", product.country),
                ("region", product.region),
            ] + product.facets.map { ($0.label, $0.value) }
        var found: [Int32] = []
        for (key, text) in names {
            guard let text, let facet = facets.first(where: { $0.key == key }),
                let value = facet.values.first(where: { termKey(values[$0].name) == termKey(text) }),
                !found.contains(Int32(value))
            else { continue }
            found.append(Int32(value))
        }
        facetValues.append(found)
        return keys.count - 1
    }

    /// The 50 products with the latest `created`, newest first, ties by key, without sorting them all.
    private func newestProducts(in products: some Sequence<Int32>) -> [Int32] {
        let limit = 50
        var best: [Int32] = []
        func isNewer(_ a: Int32, _ b: Int32) -> Bool {
            created[Int(a)] != created[Int(b)] ? created[Int(a)] > created[Int(b)] : a > b
        }
        for product in products where created[Int(product)] != 0 {
            if best.count == limit {
                guard isNewer(product, best[limit - 1]) else { continue }
                best.removeLast()
            }
            var at = best.count
            while at > 0, isNewer(product, best[at - 1]) { at -= 1 }
            best.insert(product, at: at)
        }
        return best
    }

    /// Works out what follows from the columns and the order. Linear in what the indexes list: products are taken in their order and appended to each list they are in.
    private mutating func fillIndexes() {
        categoryProducts = [[Int32]](repeating: [], count: tree.nodes.count)
        valueProducts = [[Int32]](repeating: [], count: values.count)
        // Counted first: lists that grow by doubling would take half as much again.
        var counts = [Int](repeating: 0, count: tree.nodes.count)
        forEachCategory { node, _ in counts[node] += 1 }
        for node in counts.indices { categoryProducts[node].reserveCapacity(counts[node]) }
        var lists = categoryProducts
        categoryProducts = []
        forEachCategory { node, product in lists[node].append(product) }
        categoryProducts = lists
        counts = [Int](repeating: 0, count: values.count)
        for product in order { for value in facetValues[Int(product)] { counts[Int(value)] += 1 } }
        for value in counts.indices { valueProducts[value].reserveCapacity(counts[value]) }
        for product in order {
            for value in facetValues[Int(product)] { valueProducts[Int(value)].append(product) }
        }
        newest = newestProducts(in: 0..<Int32(count))
        categoryNewest = categoryProducts.map { newestProducts(in: $0) }
    }

    /// Every category that a product is in, itself or by a category below it, once; products in their order.
    private func forEachCategory(_ body: (Int, Int32) -> Void) {
        // The last product that a node had, so that a product in two of its subcategories is met once.
        var last = [Int32](repeating: -1, count: tree.nodes.count)
        for product in order {
            for leaf in categories[Int(product)] {
                var node: Int? = Int(leaf)
                while let at = node, last[at] != product {
                    last[at] = product
                    body(at, product)
                    node = tree.nodes[at].parent
                }
            }
        }
    }
}

// MARK: Kept for the next build

extension Catalogue {
    /// Writes all that does not follow from the rest.
    ///
    /// - Parameters:
    ///   - marks: of a build into nothing, which the plan has not.
    ///   - withoutPicture: the same.
    func put(into file: ColumnWriter, _ marks: ProductMarks, withoutPicture: Int) throws {
        try file.put([Int64(withoutPicture)])
        try file.put(RawSpan(_unsafeBytes: marks.bytes))
        try keys.put(into: file)
        try slugs.put(into: file)
        try file.put(created)
        try file.put(updated)
        try file.put(reviewCounts)
        try file.put(order)
        try file.put(nameOrder == order ? [] : nameOrder)
        try file.put([UInt8(nameOrder.isEmpty ? 0 : 1)])
        try file.put(featured)
        try categories.put(into: file)
        for texts in [facets.map(\.key), facets.map(\.label), facets.map(\.plural), facets.map(\.folder)] {
            try TextColumn(texts).put(into: file)
        }
        for facet in facets { try file.put(facet.values.map { Int32($0) }) }
        try file.put(values.map { Int32($0.facet) })
        try TextColumn(values.map(\.name)).put(into: file)
        try TextColumn(values.map(\.slug)).put(into: file)
        try facetValues.put(into: file)
    }

    /// The catalogue that was written to a file, with the categories of the database.
    init(from file: ColumnReader, _ tree: CategoryTree) throws {
        self.tree = tree
        guard let withoutPicture = try file.column(of: Int64.self).first else {
            throw ColumnReader.Unusable()
        }
        self.withoutPicture = Int(withoutPicture)
        let marks = ProductMarks(try file.column(of: ProductMarks.Mark.self))
        self.marks = marks
        keys = try KeyColumn(from: file)
        slugs = try TextColumn(from: file)
        created = try file.column()
        updated = try file.column()
        reviewCounts = try file.column()
        order = try file.column()
        nameOrder = try file.column()
        if try file.column(of: UInt8.self).first == 1, nameOrder.isEmpty { nameOrder = order }
        featured = try file.column()
        let count = keys.count
        categories = try ListColumn(from: file, count: count, below: tree.nodes.count)
        func texts() throws -> [String] {
            let column = try TextColumn(from: file)
            return (0..<column.count).map { column[$0] }
        }
        let (names, labels, plurals, folders) = (try texts(), try texts(), try texts(), try texts())
        guard [labels, plurals, folders].allSatisfy({ $0.count == names.count }) else {
            throw ColumnReader.Unusable()
        }
        facets = try names.indices.map { i in
            Facet(
                key: names[i], label: labels[i], plural: plurals[i], folder: folders[i],
                values: try file.column(of: Int32.self).map { Int($0) })
        }
        let owners = try file.column(of: Int32.self)
        let (spellings, addresses) = (try texts(), try texts())
        guard spellings.count == owners.count, addresses.count == owners.count,
            areNumbers(owners, below: facets.count),
            facets.allSatisfy({ $0.values.allSatisfy { owners.indices ~= $0 } }),
            [created.count, updated.count, reviewCounts.count, order.count, slugs.count, marks.count]
                .allSatisfy({ $0 == count }),
            nameOrder.isEmpty || nameOrder.count == count,
            [order, nameOrder, featured].allSatisfy({ areNumbers($0, below: count) })
        else { throw ColumnReader.Unusable() }
        values = owners.indices.map { i in
            FacetValue(facet: Int(owners[i]), name: spellings[i], slug: addresses[i])
        }
        facetValues = try ListColumn(from: file, count: count, below: values.count)
        fillIndexes()
    }
}

extension CatalogueReader.Orphans {
    var warning: Diagnostic {
        Diagnostic(
            .warning, "unknown-product",
            "\(count) rows belong to products that are not there, the first to '\(first)'; left out",
            at: .cell(table: source.rawValue, row: first.description, column: "product_id"))
    }
}

/// A facet that a site has, before its values are known.
struct FacetDefinition: Sendable {
    let key: String
    /// What people read; the theme's text, or the key, when the site says nothing.
    var label: String?, plural: String?
    var folder: String?

    init(key: String, label: String? = nil, plural: String? = nil, folder: String? = nil) {
        self.key = key
        self.label = label
        self.plural = plural
        self.folder = folder
    }

    var facet: Facet {
        Facet(key: key, label: label ?? key, plural: plural ?? label ?? key, folder: folder ?? slug(of: key))
    }
}
