import Basics
import Database
import Model

/// The keys of many products, in ascending order: 8 bytes each while all are whole numbers, as nearly always.
struct KeyColumn: Sendable {
    private var numbers: [Int64] = []
    private var others: [ProductID] = []

    var count: Int { numbers.count + others.count }

    /// How many are whole numbers, which come first.
    var numericCount: Int { numbers.count }

    mutating func reserve(_ count: Int) { numbers.reserveCapacity(count) }

    /// Numbers come before all other keys (``ProductID``), so that two arrays keep the order.
    mutating func append(_ key: ProductID) {
        if case .integer(let number) = key, others.isEmpty {
            numbers.append(number)
        } else {
            others.append(key)
        }
    }

    subscript(i: Int) -> ProductID { i < numbers.count ? .integer(numbers[i]) : others[i - numbers.count] }
}

/// Texts of one kind for many products, back to back in one buffer: 4 bytes and the text itself for each.
struct TextColumn: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [UInt32] = []

    var count: Int { ends.count }

    mutating func reserve(_ count: Int, bytesEach: Int) {
        ends.reserveCapacity(count)
        bytes.reserveCapacity(count * bytesEach)
    }

    mutating func append(_ text: String) {
        bytes.reserveSparingly(text.utf8.count)
        bytes.append(text)
        ends.append(UInt32(bytes.count))
    }

    /// Whether a text is this one, without making a string of it.
    func holds(_ text: String, at i: Int) -> Bool {
        let start = i == 0 ? 0 : Int(ends[i - 1])
        return bytes[start..<Int(ends[i])].elementsEqual(text.utf8)
    }

    subscript(i: Int) -> String {
        let start = i == 0 ? 0 : Int(ends[i - 1])
        return String(decoding: bytes[start..<Int(ends[i])], as: UTF8.self)
    }
}

/// Lists of small numbers for many products, back to back: 4 bytes a product and 4 a number.
struct ListColumn: Sendable {
    private var items: [Int32] = []
    private var ends: [UInt32] = []

    mutating func reserve(_ count: Int) { ends.reserveCapacity(count) }

    mutating func append(_ list: some Collection<Int32>) {
        items.reserveSparingly(list.count)
        items.append(contentsOf: list)
        ends.append(UInt32(items.count))
    }

    subscript(i: Int) -> ArraySlice<Int32> { items[(i == 0 ? 0 : Int(ends[i - 1]))..<Int(ends[i])] }
}

extension Array {
    /// Makes room for some more elements, and for a quarter of what is there: doubling leaves up to half of a large column
    /// unused.
    fileprivate mutating func reserveSparingly(_ more: Int) {
        if count + more > capacity { reserveCapacity(count + Swift.max(more, count / 4)) }
    }
}

/// What the plan knows of all products: addresses, places in the indexes, order. Some 150 bytes a product, no texts.
///
/// Products have a number here, in the order of their keys.
struct Catalogue: Sendable {
    private(set) var keys = KeyColumn()
    private(set) var slugs = TextColumn()
    private(set) var created: [Int32] = [], updated: [Int32] = []
    private(set) var reviewCounts: [Int32] = []
    /// Of all rows of the product; empty when the survey was light.
    private(set) var fingerprints: [Fingerprint] = []
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
        var hash = hash64(slugs[product])
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
    init(
        reading reader: CatalogueReader, _ detail: CatalogueReader.Detail,
        facets definitions: [FacetDefinition],
        order: Order, pictures: PictureFolder, needsNameOrder: Bool = false, sample: [ProductID]? = nil,
        log: inout [Diagnostic]
    ) throws {
        let (categories, faults) = try reader.categories()
        log += faults
        tree = CategoryTree(categories, log: &log)
        let selected = try sample?.count ?? reader.productCount()
        // Growing by doubling would leave up to half of each column unused, and both halves in use while it grows.
        keys.reserve(selected)
        slugs.reserve(selected, bytesEach: 32)
        created.reserveCapacity(selected)
        updated.reserveCapacity(selected)
        reviewCounts.reserveCapacity(selected)
        self.categories.reserve(selected)
        facetValues.reserve(selected)
        if detail == .fingerprinted { fingerprints.reserveCapacity(selected) }

        if detail == .fingerprinted { withoutPicture = 0 }
        var gatherer = FacetGatherer(keys: definitions.map(\.key))
        var facetNumbers: [String: Int] = [:]
        for (i, definition) in definitions.enumerated() { facetNumbers[definition.key] = i }
        var addresses = Addresses(expecting: selected)
        var sorter = Sorter(order: order, expecting: selected)
        var ranks: [(rank: Int, product: Int32)] = []
        var unknownCategories = 0
        var firstUnknown: (product: ProductID, category: ProductID)?
        var terms: [Int32] = []
        var nodes: [Int32] = []

        let orphans = try reader.forEachProduct(detail, keys: sample) { entry in
            let product = entry.product
            let number = Int32(keys.count)
            keys.append(product.id)
            slugs.append(addresses.claim(given: product.slug, name: product.name, key: product.id))
            created.append(product.created?.ordinal ?? 0)
            updated.append((product.updated ?? product.created)?.ordinal ?? 0)
            reviewCounts.append(Int32(entry.reviewCount))
            if detail == .fingerprinted {
                fingerprints.append(pictures.fingerprint(of: entry))
                if pictures.sources(of: product).isEmpty { withoutPicture = (withoutPicture ?? 0) + 1 }
            }
            if let rank = product.featured { ranks.append((rank, number)) }
            sorter.append(product)
            nodes.removeAll(keepingCapacity: true)
            for key in product.categories {
                if let node = tree[key] {
                    nodes.append(Int32(node))
                } else {
                    unknownCategories += 1
                    if firstUnknown == nil { firstUnknown = (product.id, key) }
                }
            }
            self.categories.append(nodes)
            terms.removeAll(keepingCapacity: true)
            func add(_ text: String?, _ key: String) {
                guard let text, let facet = facetNumbers[key], let term = gatherer.term(text, of: facet),
                    !terms.contains(term)
                else { return }
                terms.append(term)
            }
            add(product.producer, "producer")
            add(product.style, "style")
            add(product.country, "country")
            add(product.region, "region")
            for facet in product.facets { add(facet.value, facet.label) }
            facetValues.append(terms)
        }
        guard keys.count == selected || sample != nil else {
            throw Failure(
                "row-count",
                "'products' selects \(selected) rows, but \(keys.count) could be read; nothing was changed")
        }
        if let first = firstUnknown {
            log.append(
                Diagnostic(
                    .warning, "unknown-category",
                    "\(unknownCategories) links to categories that are not there, the first to '\(first.category)'",
                    at: .cell(
                        table: "product_categories", row: first.product.description, column: "category_id")))
        }
        log += orphans.map(\.warning)
        if addresses.clashes > 0 {
            log.append(
                Diagnostic(
                    .warning, "slug-clash",
                    "\(addresses.clashes) slugs of 'products' are used twice or reserved; the later product got one with a "
                        + "suffix"))
        }

        values = gatherer.values()
        facets = definitions.map(\.facet)
        let valueKeys = values.map { collationKey($0.name) }
        for i in values.indices { facets[values[i].facet].values.append(i) }
        for i in facets.indices {
            facets[i].values.sort { a, b in
                valueKeys[a] == valueKeys[b]
                    ? values[a].slug < values[b].slug : valueKeys[a].sorts(before: valueKeys[b])
            }
        }
        self.order = sorter.sorted()
        if needsNameOrder { nameOrder = order == .name ? self.order : sorter.sortedByName() }
        featured = ranks.sorted { ($0.rank, $0.product) < ($1.rank, $1.product) }.map(\.product)
        fillIndexes()
        newest = newestProducts(in: 0..<Int32(count))
        categoryNewest = categoryProducts.map { newestProducts(in: $0) }
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

    /// Linear in what the indexes list: products are taken in their order and appended to each list they are in.
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

/// Sorts products by name, date or price, absent last, ties by name and then by key.
private struct Sorter {
    private let order: Catalogue.Order
    private var primary: [Int64] = []
    /// Collation keys, each after its length, in blocks: one array would be there twice whenever it grows.
    private var blocks: [[UInt8]] = []
    /// Where each key is: the number of its block times ``blockSize``, and its place there.
    private var places: [UInt32] = []

    private static let blockSize = 1 << 20

    init(order: Catalogue.Order, expecting count: Int) {
        self.order = order
        places.reserveCapacity(count)
        if order != .name { primary.reserveCapacity(count) }
    }

    mutating func append(_ product: Product) {
        let key = collationKey(product.name)
        if blocks.last.map({ $0.count + 4 + key.count > Self.blockSize }) ?? true {
            var block: [UInt8] = []
            // A small catalogue needs no large block; a name may be larger than one.
            block.reserveCapacity(max(4 + key.count, places.capacity < 10_000 ? 0 : Self.blockSize))
            blocks.append(block)
        }
        let last = blocks.count - 1
        places.append(UInt32(last * Self.blockSize + blocks[last].count))
        withUnsafeBytes(of: UInt32(key.count)) { blocks[last].append(contentsOf: $0) }
        blocks[last].append(contentsOf: key)
        switch order {
        case .name: break
        case .newest: primary.append(product.created.map { -Int64($0.ordinal) } ?? .max)
        case .price: primary.append(product.price?.minorUnits ?? .max)
        }
    }

    /// The same by name alone.
    func sortedByName() -> [Int32] {
        var sorter = self
        sorter.primary = []
        return sorter.sorted()
    }

    func sorted() -> [Int32] {
        func key(_ i: Int) -> ArraySlice<UInt8> {
            let place = Int(places[i])
            let start = place % Self.blockSize + 4
            let block = blocks[place / Self.blockSize]
            let count = block.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start - 4, as: UInt32.self) }
            return block[start..<start + Int(count)]
        }
        // The first eight bytes of the key decide nearly all comparisons without touching the rest.
        let heads = places.indices.map { i in
            let key = key(i).prefix(8)
            return key.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - key.count))
        }
        return (0..<Int32(places.count)).sorted { a, b in
            let (i, j) = (Int(a), Int(b))
            if !primary.isEmpty, primary[i] != primary[j] { return primary[i] < primary[j] }
            if heads[i] != heads[j] { return heads[i] < heads[j] }
            let (x, y) = (key(i), key(j))
            if x.lexicographicallyPrecedes(y) { return true }
            if y.lexicographicallyPrecedes(x) { return false }
            return a < b
        }
    }
}
