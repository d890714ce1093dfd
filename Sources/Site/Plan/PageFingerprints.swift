import Basics
import Database
import Model
import Templates

/// Of what each file is made: equal fingerprints mean equal files.
///
/// A product's page depends on its rows and pictures, on the names and addresses of its categories and facet values,
/// on the templates, and on what all pages depend on. An index page depends on the rows of the products it shows, and
/// on its own name, number and neighbours.
struct PageFingerprints: Sendable {
    private let renderer: SiteRenderer
    /// From the survey, or filled in while a fresh build renders.
    let marks: ProductMarks
    /// For each category, of the name of the main category above it, which tints the tile of a product without a style.
    private let tints: [UInt64]
    /// For each product, what ``tile(_:)`` gives, once it was asked for all.
    private var tiles: [UInt64] = []

    init(renderer: SiteRenderer) {
        self.renderer = renderer
        marks = renderer.catalogue.marks ?? ProductMarks(count: renderer.catalogue.count)
        var tints: [UInt64] = []
        // Parents stand before their children.
        for node in renderer.catalogue.tree.nodes {
            tints.append(node.parent.map { tints[$0] } ?? hash64(node.category.name))
        }
        self.tints = tints
    }

    /// Notes the rows of a product that was read while it is rendered.
    ///
    /// - Parameter digest: one for each thread, used for nothing else.
    func setRow(_ number: Int, of entry: CatalogueReader.Entry, using digest: inout PlanDigest) {
        marks.set(number, of: entry, pictures: renderer.pictures, using: &digest)
    }

    func product(_ number: Int) -> UInt64 {
        fingerprint(
            renderer.views.productTemplate,
            [
                marks[number].shown, renderer.catalogue.contextFingerprint(number),
                renderer.views.reviewsTemplate.fingerprint.low,
            ])
    }

    /// Finds out what all tiles are made of: a product is on half a dozen index pages, each of which asks.
    mutating func noteTiles(jobs: Int) {
        forgetTiles()
        tiles = parallelMap(renderer.catalogue.count, workers: jobs) { [self] in tile(Int32($0)) }
    }

    /// Finds it out one by one again: what is rendered may turn out to be less than it should be.
    mutating func forgetTiles() { tiles = [] }

    /// Of a product as tiles and feed entries show it: its rows, its address and its tint.
    func tile(_ number: Int32) -> UInt64 {
        if !tiles.isEmpty { return tiles[Int(number)] }
        let tint = renderer.catalogue.categories[Int(number)].first.map { tints[Int($0)] } ?? 0
        // The tint is turned so that a name that is also a slug does not cancel it.
        return marks[Int(number)].shown ^ renderer.catalogue.slugs.hash(at: Int(number))
            ^ (tint << 1 | tint >> 63)
    }

    func index(_ task: IndexTask) -> UInt64 {
        let catalogue = renderer.catalogue
        let views = renderer.views
        func page(_ template: Template, _ products: [Int32], _ page: Int, _ parts: [UInt64]) -> UInt64 {
            let own = [views.tileTemplate.fingerprint.low, UInt64(products.count), UInt64(page)]
            return fingerprint(template, own + parts + renderer.slice(products, page: page).map { tile($0) })
        }
        switch task {
        case .all(let number): return page(views.indexTemplate, catalogue.order, number, [])
        case .category(let node, let number):
            let entry = catalogue.tree.nodes[node]
            var parts = [entry.fingerprint.low, catalogue.categoryNewest[node].isEmpty ? 0 : 1]
            if number == 1 {
                parts.append(hash64(entry.category.summary ?? ""))
                for child in entry.children {
                    parts.append(catalogue.tree.nodes[child].fingerprint.low)
                    parts.append(UInt64(catalogue.categoryProducts[child].count))
                }
            }
            return page(views.categoryTemplate, catalogue.categoryProducts[node], number, parts)
        case .value(let value, let number):
            let facet = catalogue.facets[catalogue.values[value].facet]
            let parts = [
                catalogue.values[value].fingerprint.low,
                hash64("\(facet.label)\u{0}\(facet.plural)\u{0}\(facet.folder)"),
            ]
            return page(views.indexTemplate, catalogue.valueProducts[value], number, parts)
        case .categoryFeed(let node):
            return fingerprint(
                nil,
                [catalogue.tree.nodes[node].fingerprint.low] + catalogue.categoryNewest[node].map { tile($0) }
            )
        case .siteFeed: return fingerprint(nil, catalogue.newest.map { tile($0) })
        }
    }

    /// Of a customer's pages: what the list file says, and the rows of the products on the lists.
    func customer(_ customer: Customer, token: String, numbers: [String: Int]) -> UInt64 {
        let views = renderer.views
        let products = numbers.sorted { $0.key < $1.key }.flatMap { [hash64($0.key), tile(Int32($0.value))] }
        return fingerprint(
            views.listsTemplate,
            [views.listTemplate.fingerprint.low, customer.fingerprint.low, hash64(token)] + products)
    }

    func redirect(to path: String, name: String) -> UInt64 {
        fingerprint(renderer.views.redirectTemplate, [hash64(path), hash64(name)])
    }

    /// Of a file that no template makes and that lists things in order.
    func list(_ parts: some Sequence<UInt64>) -> UInt64 { fingerprint(nil, Array(parts)) }

    /// The site's fingerprint, the template's, and whatever else a file is made from.
    private func fingerprint(_ template: Template?, _ parts: [UInt64]) -> UInt64 {
        // In the machine's byte order: fingerprints are only compared with those of the same machine.
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: parts.count + 2) { numbers in
            numbers[0] = renderer.fingerprint.low
            numbers[1] = template?.fingerprint.low ?? 0
            for (i, part) in parts.enumerated() { numbers[i + 2] = part }
            return Fingerprint(of: UnsafeRawBufferPointer(numbers)).low
        }
    }
}

/// An index page or a feed: a file that shows many products.
enum IndexTask: Sendable {
    case all(page: Int)
    case category(Int, page: Int)
    case value(Int, page: Int)
    case categoryFeed(Int)
    case siteFeed

    /// Whether it is a page rather than a feed.
    var isPage: Bool {
        switch self {
        case .all, .category, .value: true
        case .categoryFeed, .siteFeed: false
        }
    }
}

extension SiteRenderer {
    func path(_ task: IndexTask) -> String {
        switch task {
        case .all(let page): SitePath.all(page: page)
        case .category(let node, let page): catalogue.tree.path(node, page: page)
        case .value(let value, let page): catalogue.path(value: value, page: page)
        case .categoryFeed(let node): SitePath.categoryFeed(catalogue.tree.nodes[node].slug)
        case .siteFeed: "feed.xml"
        }
    }

    /// The products that it shows, in its order.
    func products(_ task: IndexTask) -> ArraySlice<Int32> {
        switch task {
        case .all(let page): slice(catalogue.order, page: page)
        case .category(let node, let page): slice(catalogue.categoryProducts[node], page: page)
        case .value(let value, let page): slice(catalogue.valueProducts[value], page: page)
        case .categoryFeed(let node): catalogue.categoryNewest[node][...]
        case .siteFeed: catalogue.newest[...]
        }
    }

    /// The bytes of an index page or a feed, its products taken from the spool of a build, or from where the preview renders them.
    func render(_ task: IndexTask, from spool: some TileSource) throws -> [UInt8] {
        var out = ByteBuffer(capacity: 65_536)
        try render(task, from: spool, into: &out)
        return out.array
    }

    /// The same, appended to a buffer.
    func render(_ task: IndexTask, from spool: some TileSource, into out: inout ByteBuffer) throws {
        let path = self.path(task)
        func tiles() throws -> Fragment? {
            try fragment(products(task), at: path, from: spool)
        }
        switch task {
        case .all(let page): allProducts(page: page, tiles: try tiles(), into: &out)
        case .category(let node, let page): category(node, page: page, tiles: try tiles(), into: &out)
        case .value(let value, let page): facetValue(value, page: page, tiles: try tiles(), into: &out)
        case .categoryFeed(let node):
            let title = strings(
                "feed_category", ["name": catalogue.tree.nodes[node].category.name, "site": settings.title])
            let products = catalogue.categoryNewest[node]
            out.append(
                contentsOf: feed(
                    title: title, path: path, page: catalogue.tree.path(node), products: products,
                    entries: try spool.entries(of: products)))
        case .siteFeed:
            out.append(
                contentsOf: feed(
                    title: strings("feed_site", ["site": settings.title]), path: path, page: "index.html",
                    products: catalogue.newest, entries: try spool.entries(of: catalogue.newest)))
        }
    }

    /// The tiles of some products for a page; nil when there are none.
    func fragment(
        _ products: some Collection<Int32>, at path: String, from spool: some TileSource
    ) throws -> Fragment? {
        if products.isEmpty { return nil }
        return Fragment(
            renderedBefore: try spool.tiles(
                of: products, root: SitePath.root(from: path), mark: Self.rootMark))
    }
}
