import Basics
import Model

/// What a path of the site is.
enum Route: Hashable, Sendable {
    case home, categories, notFound, robots, hostHeaders, sitemapIndex, listsIndex
    case myLists, search, serviceWorker, webManifest
    case product(Int)
    case reviews(Int)
    case all(page: Int)
    case category(Int, page: Int)
    case value(Int, page: Int)
    case siteFeed
    case categoryFeed(Int)
    case facet(Int)
    case content(Int)
    /// A file of the sitemap, from 0.
    case sitemap(Int)
    case asset(Int)
    /// A picture, by its path.
    case picture(String)
    /// A page of a customer, by the customer's place in the snapshot; nil is the overview.
    case customer(Int, Customer.Kind?)
    /// The former address of a product.
    case moved(Int)
}

/// Finds what a path is: the build's list of files, asked the other way round.
///
/// Paths are compared to the byte. A path that no build writes has no route, whatever is in the file system.
struct Routes: Sendable {
    private let renderer: SiteRenderer
    private let products: SlugTable
    private let nodes: [String: Int]
    private let facets: [String: Int]
    /// Values by their slug, for each facet.
    private let values: [[String: Int]]
    private let pages: [String: Int]
    private let assets: [String: Int]
    /// Customers' numbers and pages, by their folders.
    private let customers: [String: (number: Int, pages: [Customer.Kind?])]
    private let moved: [String: Int]

    /// - Parameters:
    ///   - slugs: the products by their slugs.
    ///   - customers: those of the snapshot.
    ///   - tokens: their folders, in the same order.
    ///   - moved: former addresses, with the numbers of their products.
    init(
        _ renderer: SiteRenderer, slugs: SlugTable, customers: [Customer], tokens: [String],
        moved: [String: Int]
    ) {
        self.renderer = renderer
        let catalogue = renderer.catalogue
        func numbered(_ names: some Sequence<String>) -> [String: Int] {
            Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        }
        products = slugs
        nodes = numbered(catalogue.tree.nodes.map(\.slug))
        facets = numbered(catalogue.facets.map(\.folder))
        values = catalogue.facets.map { facet in
            Dictionary(facet.values.map { (catalogue.values[$0].slug, $0) }) { first, _ in first }
        }
        pages = numbered(renderer.pages.map(\.path))
        assets = numbered(renderer.assets.files.map(\.path))
        let numbers = customers.indices.map { (tokens[$0], (number: $0, pages: customers[$0].pages)) }
        self.customers = Dictionary(numbers) { first, _ in first }
        self.moved = moved
    }

    /// The route of a path, from the top of the site; nil when the site has no such file.
    subscript(path: String) -> Route? {
        let catalogue = renderer.catalogue
        let hasAddress = renderer.settings.url != nil
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count) {
        case (_, 1):
            switch path {
            case "index.html": return .home
            case "404.html": return .notFound
            case SitePath.myLists: return renderer.settings.hasMyLists ? .myLists : nil
            case SitePath.search: return renderer.settings.hasSearch ? .search : nil
            case SitePath.serviceWorker: return .serviceWorker
            case SitePath.webManifest: return renderer.settings.isOffline ? .webManifest : nil
            case "robots.txt": return .robots
            case "_headers": return renderer.settings.hostHeaders ? .hostHeaders : nil
            case "sitemap.xml": return hasAddress ? .sitemapIndex : nil
            case "feed.xml": return hasAddress && !catalogue.newest.isEmpty ? .siteFeed : nil
            default: return pages[path].map { .content($0) }
            }
        case ("products", 2):
            guard let page = Self.page(parts[1]) else { return nil }
            return page <= renderer.pageCount(catalogue.order) ? .all(page: page) : nil
        case ("products", 3):
            if let number = product(path, parts) { return .product(number) }
            return moved[path].map { .moved($0) }
        case ("reviews", 3):
            guard let number = product(path, parts), renderer.hasReviewsPage(number) else { return nil }
            return .reviews(number)
        case ("categories", 2) where parts[1] == "index.html":
            return catalogue.tree.nodes.isEmpty ? nil : .categories
        case ("categories", _):
            guard let (slug, page) = Self.index(parts), let node = nodes[slug],
                page <= renderer.pageCount(catalogue.categoryProducts[node])
            else { return nil }
            return .category(node, page: page)
        case ("feeds", 2):
            guard hasAddress, renderer.settings.categoryFeeds, !catalogue.newest.isEmpty,
                parts[1].hasSuffix(".xml"), let node = nodes[String(parts[1].dropLast(4))],
                !catalogue.categoryNewest[node].isEmpty
            else { return nil }
            return .categoryFeed(node)
        case ("sitemaps", 2):
            guard hasAddress, parts[1].hasSuffix(".xml"),
                let number = Self.number(parts[1].dropLast(4)), number <= renderer.sitemapCount
            else { return nil }
            return .sitemap(number - 1)
        case ("lists", 2): return parts[1] == "index.html" && !customers.isEmpty ? .listsIndex : nil
        case ("lists", 3):
            guard let customer = customers[parts[1]],
                let kind = customer.pages.first(where: { Customer.path(parts[1], $0) == path })
            else { return nil }
            return .customer(customer.number, kind)
        case ("assets", 3) where parts[1] == "pictures": return .picture(path)
        case ("assets", _): return assets[path].map { .asset($0) }
        default:
            guard let facet = facets[parts[0]], !catalogue.facets[facet].values.isEmpty else { return nil }
            if parts.count == 2, parts[1] == "index.html" { return .facet(facet) }
            guard let (slug, page) = Self.index(parts), let value = values[facet][slug],
                page <= renderer.pageCount(catalogue.valueProducts[value])
            else { return nil }
            return .value(value, page: page)
        }
    }

    /// Whether a path is that of a folder with pages of its own: hosts lead from `categories` to `categories/`.
    func isFolder(_ path: String) -> Bool { !path.isEmpty && self[path + "/index.html"] != nil }

    private func product(_ path: String, _ parts: [String]) -> Int? {
        guard parts[2].hasSuffix(".html") else { return nil }
        let slug = String(parts[2].dropLast(5))
        // The folder between is made of the slug.
        guard path == SitePath.product(slug) || path == SitePath.reviews(slug) else { return nil }
        return products.number(of: slug, in: renderer.catalogue.slugs)
    }

    /// `slug.html`, or `slug/page-2.html` and on, below a folder.
    private static func index(_ parts: [String]) -> (slug: String, page: Int)? {
        if parts.count == 2, parts[1].hasSuffix(".html") { return (String(parts[1].dropLast(5)), 1) }
        guard parts.count == 3, let page = page(parts[2]), page > 1 else { return nil }
        return (parts[1], page)
    }

    /// `index.html`, which is page 1, or `page-2.html` and on.
    private static func page(_ name: String) -> Int? {
        if name == "index.html" { return 1 }
        guard name.hasPrefix("page-"), name.hasSuffix(".html"),
            let page = number(name.dropFirst(5).dropLast(5)), page > 1
        else { return nil }
        return page
    }

    /// A number from 1, written as we write it.
    private static func number(_ digits: some StringProtocol) -> Int? {
        guard let number = Int(digits), number > 0, String(number) == digits else { return nil }
        return number
    }
}

/// The numbers of products by their slugs: a hash table of 8 bytes a product, whatever the length of the slugs.
struct SlugTable: Sendable {
    /// A product's number, or -1; twice as many places as products, so that a search seldom takes a second step.
    private var places: [Int32]
    private var mask: Int { places.count - 1 }

    init(_ slugs: TextColumn) {
        var capacity = 2
        while capacity < slugs.count * 2 { capacity *= 2 }
        places = [Int32](repeating: -1, count: capacity)
        for number in 0..<slugs.count {
            var at = Int(truncatingIfNeeded: slugs.hash(at: number)) & mask
            while places[at] >= 0 { at = (at + 1) & mask }
            places[at] = Int32(number)
        }
    }

    func number(of slug: String, in slugs: TextColumn) -> Int? {
        var at = Int(truncatingIfNeeded: hash64(slug)) & mask
        while places[at] >= 0 {
            if slugs.holds(slug, at: Int(places[at])) { return Int(places[at]) }
            at = (at + 1) & mask
        }
        return nil
    }
}
