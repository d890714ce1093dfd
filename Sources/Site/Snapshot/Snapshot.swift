import Basics
import Database
import Glibc
import Model

/// A site as it can be asked for, one file at a time: the plan and the renderer of a build, without its output.
///
/// Any number of threads may ask at once. Each file is what a build of the same state writes, to the byte.
public final class Snapshot: Sendable {
    let renderer: SiteRenderer
    private let routes: Routes
    private let readers: ReaderPool
    private let sources: SiteSources
    /// The data of the search; nil when the site has none, or when the plan is not exact.
    let search: SnapshotSearch?
    /// Whether that is the data of the site as it is.
    private let hasNewSearch: Bool
    /// Tiles that were rendered before; nil when the plan is not exact, or when they cannot be kept.
    let tileStore: TileStore?
    private let customers: [Customer]
    private let tokens: [String]
    /// Pages that many others lead to, and that show many products. (With a `Mutex`, which hands itself from one thread to the
    /// next in the order in which they came, eight threads on two cores spent a fifth of their time on waiting for it.)
    private let made = Monitor(Made())

    private struct Made {
        var files: [String: [UInt8]] = [:]
        var bytes = 0
    }

    /// Whether the plan is that of the database as it is, and of all its products. If not, a better one is under way.
    public let isExact: Bool

    /// Whether the catalogue is a sample, so that products it does not have may be there.
    public let isSample: Bool

    init(
        _ renderer: SiteRenderer, _ sources: SiteSources, search: SnapshotSearch?, hasNewSearch: Bool,
        tiles: TileStore?,
        slugs: SlugTable, readers: ReaderPool, customers: [Customer], key: [UInt8],
        moved: MovedAddresses, isExact: Bool, isSample: Bool
    ) {
        self.renderer = renderer
        self.readers = readers
        self.sources = sources
        self.search = search
        self.hasNewSearch = hasNewSearch
        tileStore = tiles
        self.customers = customers
        self.isExact = isExact
        self.isSample = isSample
        tokens = customers.map { ListKey.token(of: $0, key: key) }
        var moved = moved
        var numbers: [String: Int] = [:]
        moved.keep { path, key in
            if let number = key.flatMap({ renderer.catalogue.number(of: $0) }) { numbers[path] = number }
            return true
        }
        routes = Routes(
            renderer, slugs: slugs, customers: customers, tokens: tokens, moved: numbers)
    }

    /// How many products there are.
    public var productCount: Int { renderer.catalogue.count }

    /// The path of the site's address, from `/` to `/`.
    public var root: String {
        renderer.settings.url.map { SitePath.root(ofAddress: $0) } ?? "/"
    }

    /// The style sheets by their name in the theme: what a page can swap without being loaded again.
    public var styleSheets: [String] { renderer.assets.files.map(\.path).filter { $0.hasSuffix(".css") } }

    /// Where the site's service worker is, and one that takes itself and all that it kept away: what a preview gives to a
    /// browser that would let the site's own answer in its place.
    public static let worker = (path: SitePath.serviceWorker, retiring: Array(SiteRenderer.lastWorker.utf8))

    /// Whether a path is one of the search's, and its data is of a state that is past.
    public func isPast(_ path: String) -> Bool {
        path.hasPrefix(SearchRun.folderName + "/") && search != nil && !hasNewSearch
    }

    /// Whether it is known what is at a path: whether the data of the search is there takes a while to find out.
    public func knows(_ path: String) -> Bool {
        guard path.hasPrefix(SearchRun.folderName + "/"), let search else { return true }
        return search.isMade
    }

    /// Waits until ``knows(_:)`` is true of every path that was asked for, or for a good while.
    public func waitUntilItKnows(seconds: Double = 60) { search?.wait(seconds: seconds) }

    /// Whether a path is that of a folder, and not of a file.
    public func isFolder(_ path: String) -> Bool { routes.isFolder(path) }

    /// The bytes of a file of the site; nil when it has no such file.
    ///
    /// - Parameter path: from the top of the site, without a leading slash, decoded: `products/index.html`.
    /// - Throws: ``Failure`` when the database or a picture cannot be read.
    public func file(_ path: String) throws -> [UInt8]? {
        if path.hasPrefix(SearchRun.folderName + "/"), let search {
            return try search.file(path, renderer, sources)
        }
        guard let route = routes[path] else { return try sampled(path) }
        switch route {
        case .product, .reviews, .asset, .picture, .customer, .sitemap, .moved: return try render(route, path)
        default: break
        }
        if let known = made.withLock(waking: .none, { $0.files[path] }) { return known }
        guard let bytes = try render(route, path) else { return nil }
        // Held until the lock is given back: to free so many pages takes a while.
        var former = Made()
        made.withLock(waking: .none) { made in
            // Begun anew rather than sorted by age: it comes to that a few times a minute at most.
            if made.bytes > 16 << 20 { swap(&made, &former) }
            if made.files.updateValue(bytes, forKey: path) == nil { made.bytes += bytes.count }
        }
        return bytes
    }

    private func render(_ route: Route, _ path: String) throws -> [UInt8]? {
        let catalogue = renderer.catalogue
        switch route {
        case .home:
            var nowhere: [Diagnostic] = []
            return try readers.reading { try renderer.home($0, from: tiles($0), log: &nowhere) }
        case .categories: return renderer.categories()
        case .facet(let number): return renderer.facet(number)
        case .content(let number): return renderer.content(renderer.pages[number])
        case .notFound: return renderer.notFound()
        case .listsIndex: return renderer.notFound(at: path)
        case .robots: return renderer.robots()
        case .hostHeaders:
            let policy = SiteRenderer.contentSecurityPolicy(of: nil, renderer.settings)
            return Array(SiteRenderer.hostHeaders(policy: policy).utf8)
        case .myLists: return renderer.myLists()
        case .search: return renderer.search()
        case .serviceWorker: return renderer.serviceWorker()
        case .webManifest: return renderer.webManifest()
        case .sitemapIndex: return renderer.sitemapIndex(renderer.sitemapCount)
        case .sitemap(let number): return renderer.sitemap(number)
        case .product(let number): return try product(number)?.page
        case .reviews(let number): return try product(number)?.reviews
        case .all(let page): return try index(.all(page: page))
        case .category(let node, let page): return try index(.category(node, page: page))
        case .value(let value, let page): return try index(.value(value, page: page))
        case .siteFeed: return try index(.siteFeed)
        case .categoryFeed(let node): return try index(.categoryFeed(node))
        case .asset(let number): return renderer.assets.files[number].bytes
        case .picture(let path): return renderer.pictures.bytes(at: path)
        case .customer(let number, let kind): return try customer(number, kind)
        case .moved(let number):
            var name: String?
            try readers.reading { reader in
                try reader.product(catalogue.keys[number], .brief) { name = $0.product.name }
            }
            guard let name else { return nil }
            return renderer.redirect(from: path, to: catalogue.path(number), name: name)
        }
    }

    private func index(_ task: IndexTask) throws -> [UInt8] {
        try readers.reading { try renderer.render(task, from: tiles($0)) }
    }

    /// Calls a closure with each of some products that has not gone since the plan was made, and with its place among them.
    ///
    /// - Parameter products: in ascending order: they are numbered in the order of their keys, in which they are read.
    fileprivate func forEach(
        of products: [Int32], _ detail: CatalogueReader.Detail, from reader: CatalogueReader,
        _ body: (CatalogueReader.Entry, Int) throws -> Void
    ) throws {
        let catalogue = renderer.catalogue
        let keys = products.map { catalogue.keys[Int($0)] }
        let reviewed = Set(zip(products, keys).lazy.filter { catalogue.reviewCounts[Int($0.0)] > 0 }.map(\.1))
        // A plan that is older than the rows does not know of the first review of a product.
        let knows = isExact
        var at = 0
        try reader.products(keys, detail, hasReviews: { !knows || reviewed.contains($0) }) { entry in
            while keys[at] != entry.product.id { at += 1 }
            try body(entry, at)
        }
    }

    private func tiles(_ reader: CatalogueReader) -> RenderedTiles {
        RenderedTiles(snapshot: self, reader: reader)
    }

    /// Renders the tiles that are not kept yet, while nobody asks for pages, so that an index is shown as fast the first
    /// time as later.
    ///
    /// Rows are read by some products at a time, with rests between, so that programs that write get their turn. Nothing is
    /// waited for with the database's lock held: products with a picture that is not known yet are left out, and none is asked
    /// for.
    ///
    /// - Parameter isWanted: asked every few milliseconds whether to go on.
    func makeTiles(while isWanted: () -> Bool) throws {
        guard let tileStore else { return }
        let reader = try sources.openDatabase()
        try reader.pause()
        // Not taken out of the database: a name that is never known.
        reader.takePicture = { _ in "" }
        var (start, leftOut) = (0, 0)
        while start < productCount, leftOut < Self.leftOutLimit, !tileStore.isFull, isWanted() {
            guard readers.isIdle, !reader.isInTheWay() else {
                usleep(5000)
                continue
            }
            let begin = monotonicSeconds()
            let chunk = start..<min(start + Self.chunk, productCount)
            start = chunk.upperBound
            let products = chunk.map(Int32.init).filter { !tileStore.has($0) }
            if products.isEmpty { continue }
            var entries: [(product: Int32, entry: CatalogueReader.Entry)] = []
            try reader.resume()
            try forEach(of: products, .tile, from: reader) { entries.append((products[$1], $0)) }
            try reader.pause()
            let known = entries.filter { renderer.pictures.areKnown(of: $0.entry.product) }
            leftOut += entries.count - known.count
            tileStore.add(
                known.map { product, entry in
                    var tile: [UInt8] = []
                    renderer.renderTile(of: entry, number: Int(product), into: &tile)
                    return (product, tile)
                })
            usleep(UInt32(min(monotonicSeconds() - begin, 0.1) * Self.rest * 1e6))
        }
    }

    /// Products whose tiles are made ahead together. Reading them takes half a millisecond.
    private static let chunk = 64
    /// How long to rest after some products, as a multiple of the time that they took. A lower priority instead made others wait
    /// a third of a second for the lock, which a thread then holds while it waits for a processor.
    private static let rest = 3.0
    /// After how many products with pictures that are not known yet no more are read. Arbitrary: their shop has pictures, and
    /// an index waits for those anyway.
    private static let leftOutLimit = 1000

    /// A product's pages; nil when it was removed since the plan was made.
    private func product(_ number: Int) throws -> RenderedProduct? {
        var rendered = RenderedProduct()
        var isThere = false
        try readers.reading { reader in
            try reader.product(renderer.catalogue.keys[number], .full) { entry in
                renderer.render(entry, number: number, into: &rendered)
                isThere = true
            }
        }
        return isThere ? rendered : nil
    }

    private func customer(_ number: Int, _ kind: Customer.Kind?) throws -> [UInt8] {
        let customer = customers[number]
        var nowhere: [Diagnostic] = []
        var names: [Int: [String]] = [:]
        for (name, number) in renderer.numbers(of: customer, log: &nowhere) {
            names[number, default: []].append(name)
        }
        var products: [String: SiteRenderer.ListedProduct] = [:]
        try readers.reading { reader in
            for (number, names) in names {
                try reader.product(renderer.catalogue.keys[number], .brief) { entry in
                    for name in names { products[name] = (entry, number) }
                }
            }
        }
        return renderer.customer(customer, token: tokens[number], kind: kind, products: products)
    }

    // MARK: Products that a sample left out

    /// A page of a product that the sample does not have, found by what its address says.
    private func sampled(_ path: String) throws -> [UInt8]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard isSample, parts.count == 3, parts[0] == "products" || parts[0] == "reviews",
            parts[2].hasSuffix(".html")
        else { return nil }
        let slug = String(parts[2].dropLast(5))
        return try readers.reading { reader in
            var keys = try reader.keys(slug: slug)
            if let number = Int64(slug.reversed().prefix { $0.isNumber }.reversed().map(String.init).joined())
            {
                keys.append(.integer(number))
            }
            for key in keys {
                var found: [UInt8]?
                try reader.product(key, .full) { entry in
                    var renderer = self.renderer
                    let number = renderer.catalogue.add(entry)
                    guard
                        path == renderer.catalogue.path(number)
                            || path == renderer.catalogue.reviewsPath(number)
                    else { return }
                    var rendered = RenderedProduct()
                    renderer.render(entry, number: number, into: &rendered)
                    found = parts[0] == "products" ? rendered.page : rendered.reviews
                }
                if let found { return found }
            }
            return nil
        }
    }
}

/// Tiles and feed entries that are rendered when they are asked for.
private struct RenderedTiles: TileSource {
    /// Not the renderer itself: copying it takes a hundred counts of references.
    let snapshot: Snapshot
    let reader: CatalogueReader

    func tiles(of products: some Collection<Int32>, root: String, mark: String) throws -> [UInt8] {
        let store = snapshot.tileStore
        var places = store?.places(of: products) ?? products.map { _ in .none }
        var tiles = store?.bytes(at: places)
        // They cannot be read.
        if tiles == nil { places = products.map { _ in .none } }
        let missing = zip(products, places).filter { $1.isNone }.map(\.0)
        if !missing.isEmpty {
            let rendered = try parts(of: missing, .tile) { entry, number, out in
                snapshot.renderer.renderTile(of: entry, number: number, into: &out)
            }
            store?.add(zip(missing, rendered).map { ($0, $1 ?? []) })
            let kept = tiles ?? []
            var (all, at, next) = ([UInt8](), 0, rendered.makeIterator())
            all.reserveCapacity(kept.count + rendered.reduce(0) { $0 + ($1?.count ?? 0) })
            for place in places {
                if place.isNone { all += next.next()! ?? [] }
                all += kept[at..<at + place.count]
                at += place.count
            }
            tiles = all
        }
        let (root, mark, bytes) = (Array(root.utf8), Array(mark.utf8), tiles ?? [])
        var out: [UInt8] = []
        // Each tile has a few links.
        out.reserveCapacity(bytes.count + products.count * 8)
        out.append(tile: bytes, root: root, mark: mark)
        return out
    }

    func entries(of products: some Collection<Int32>) throws -> [UInt8] {
        try parts(of: products, .full) { entry, number, out in
            snapshot.renderer.feedEntry(entry, number: number, into: &out)
        }.lazy.compactMap { $0 }.reduce(into: []) { $0 += $1 }
    }

    /// What is rendered of each product, in the order given; nil for those that have gone since the plan was made.
    private func parts(
        of products: some Sequence<Int32>, _ detail: CatalogueReader.Detail,
        _ render: (CatalogueReader.Entry, Int, inout [UInt8]) -> Void
    ) throws -> [[UInt8]?] {
        let products = Array(products)
        let sorted = products.indices.sorted { products[$0] < products[$1] }
        var parts = [[UInt8]?](repeating: nil, count: products.count)
        try snapshot.forEach(of: sorted.map { products[$0] }, detail, from: reader) { entry, at in
            var part: [UInt8] = []
            render(entry, Int(products[sorted[at]]), &part)
            parts[sorted[at]] = part
        }
        return parts
    }
}
