import Basics
import Database
import Model
import Templates

/// What single pages show of the whole catalogue.
extension SiteRenderer {
    /// The home page with what the database gives for it.
    ///
    /// - Parameter log: gets what is wrong with pictures of categories.
    func home(_ reader: CatalogueReader, from spool: some TileSource, log: inout [Diagnostic]) throws
        -> [UInt8]
    {
        let (shelf, pictures) = try homePictures(reader, log: &log)
        func tiles(_ products: [Int32]) throws -> Fragment? {
            try fragment(products.prefix(12), at: "index.html", from: spool)
        }
        return home(
            shelf: shelf, pictures: pictures, featured: try tiles(catalogue.featured),
            newest: try tiles(catalogue.newest))
    }

    /// Products for the top of the home page: those that the database features, else the newest, else some from all over.
    private var shown: [Int32] {
        for known in [catalogue.featured, catalogue.newest] where !known.isEmpty {
            return Array(known.prefix(9))
        }
        let count = catalogue.count
        return (0..<min(9, count)).map { Int32($0 * count / min(9, count)) }
    }

    /// Pictures for the home page: of some products, and one for each main category.
    private func homePictures(_ reader: CatalogueReader, log: inout [Diagnostic]) throws -> (
        shelf: [Picture], categories: [Int: Picture]
    ) {
        let named = catalogue.mainCategories.prefix(24).compactMap { root in
            catalogue.tree.nodes[root].category.picture.map { (root, $0) }
        }
        for (_, name) in named { pictures.request(name) }
        var categories: [Int: Picture] = [:]
        for (root, name) in named {
            switch pictures.find(name) {
            case .success(let picture): categories[root] = picture
            case .failure(let fault):
                let row = catalogue.tree.nodes[root].category.id.description
                log.append(
                    Diagnostic(
                        .warning, fault.id, fault.message(name),
                        at: .cell(table: "categories", row: row, column: "picture")))
            }
        }
        var shelf: [Picture] = []
        let shown = self.shown
        let keys = shown.map { catalogue.keys[Int($0)] }
        var found: [Int32: Picture] = [:]
        try reader.forEachProduct(.brief, keys: keys.sorted()) { entry in
            var nowhere: [Diagnostic] = []
            if let picture = self.pictures(of: entry.product, log: &nowhere).first?.picture,
                let number = catalogue.number(of: entry.product.id)
            {
                found[Int32(number)] = picture
            }
        }
        for product in shown {
            if let picture = found[product], shelf.count < 7, !shelf.contains(picture) {
                shelf.append(picture)
            }
        }
        return (shelf, categories)
    }

    /// Whether the product has a page of reviews of its own.
    func hasReviewsPage(_ number: Int) -> Bool {
        if settings.reviews == .remote { return false }
        let count = catalogue.reviewCounts[number]
        return settings.reviews == .deferred ? count > 0 : Int(count) > settings.reviewsShown
    }

    /// All pages but those of products, as the first sitemaps list them.
    func sitemapOthers() -> [(path: String, updated: Int32)] {
        var others: [(path: String, updated: Int32)] = [("index.html", 0), (SitePath.all(page: 1), 0)]
        if !catalogue.tree.nodes.isEmpty { others.append(("categories/index.html", 0)) }
        others += catalogue.tree.nodes.indices.map { (catalogue.tree.path($0), 0) }
        for facet in catalogue.facets where !facet.values.isEmpty {
            others.append((facet.folder + "/index.html", 0))
            others += facet.values.map { (catalogue.path(value: $0), 0) }
        }
        others += pages.map { ($0.path, 0) }
        return others
    }

    /// How many files the sitemap has besides its list.
    var sitemapCount: Int {
        let size = Self.sitemapSize
        return (sitemapOthers().count + size - 1) / size + (catalogue.count + size - 1) / size
    }

    /// A file of the sitemap, from 0: first the other pages, then the products.
    func sitemap(_ number: Int) -> [UInt8] {
        let size = Self.sitemapSize
        let others = sitemapOthers()
        let first = (others.count + size - 1) / size
        if number < first {
            return sitemap(others[number * size..<min((number + 1) * size, others.count)])
        }
        let start = (number - first) * size
        return sitemap(
            (start..<min(start + size, catalogue.count)).lazy.map {
                (path: catalogue.path($0), updated: catalogue.updated[$0])
            })
    }

    /// The products on a customer's lists that the catalogue has, by the names that the lists give them.
    func numbers(of customer: Customer, log: inout [Diagnostic]) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for kind in Customer.Kind.allCases {
            for item in customer.lists[kind] ?? [] where numbers[item.product] == nil {
                if let known = catalogue.number(named: item.product) {
                    numbers[item.product] = known
                } else {
                    log.append(customer.unknownProduct(item, in: kind))
                }
            }
        }
        return numbers
    }
}
