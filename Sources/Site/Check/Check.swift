import Basics
import Database
import Markup
import Model

/// Looks through a site without writing anything: everything a build would say, and what a visitor would stumble over.
///
/// - Parameter pictures: whether to look at each picture of the folder too, used or not.
/// - Throws: ``Failure`` with all that keeps the site from being built.
public func check(_ options: BuildOptions, pictures: Bool = false, progress: any BuildProgress) throws
    -> CheckReport
{
    raiseFileLimit()
    do {
        return try Check(options, pictures: pictures, progress).run()
    } catch let error as FileError {
        throw Failure("file", error.advice)
    }
}

/// One run.
private final class Check {
    private let options: BuildOptions
    private let progress: any BuildProgress
    private let looksAtPictures: Bool
    private var findings = Findings()
    private var pages = 0

    init(_ options: BuildOptions, pictures looksAtPictures: Bool, _ progress: any BuildProgress) {
        self.options = options
        self.looksAtPictures = looksAtPictures
        self.progress = progress
    }

    func run() throws -> CheckReport {
        progress.begin("read", total: 0)
        var log: [Diagnostic] = []
        let sources = try SiteSources(options)
        defer { sources.pictures.close() }
        let customers = try sources.customers(log: &log)
        let reader = try sources.openDatabase()
        progress.begin("plan", total: 0)
        let renderer = try sources.renderer(
            of: try sources.catalogue(reader, .survey, log: &log), log: &log)
        progress.begin("products", total: renderer.catalogue.count)
        let products = try lookAtProducts(renderer, reader, log: &log)
        progress.begin("pages", total: 0)
        lookAtPages(renderer, links: products.links)
        lookAtIndexes(renderer.catalogue)
        for customer in customers {
            for kind in Customer.Kind.allCases {
                for item in customer.lists[kind] ?? []
                where renderer.catalogue.number(named: item.product) == nil {
                    log.append(customer.unknownProduct(item, in: kind))
                }
            }
        }
        if looksAtPictures {
            // What pages show is said of their products already.
            log += try pictureReport(options).filter { ["small-picture", "unused-picture"].contains($0.id) }
        }
        for diagnostic in log.sortedByPlace() { findings.add(diagnostic) }
        return CheckReport(products: renderer.catalogue.count, pages: pages, findings: findings.sorted)
    }

    // MARK: Products

    private func lookAtProducts(_ renderer: SiteRenderer, _ reader: CatalogueReader, log: inout [Diagnostic])
        throws
        -> ProductCheck
    {
        let check = ProductCheck(renderer)
        var rendered = RenderedProduct()
        var number = 0
        let orphans = try reader.forEachProduct(.full) { entry in
            renderer.render(entry, number: number, into: &rendered)
            pages += rendered.reviews == nil ? 1 : 2
            for warning in rendered.warnings { findings.add(warning) }
            check.look(at: entry.product, number: number, rendered, &findings)
            number += 1
            if number % 64 == 0 { progress.advance(64) }
        }
        log += orphans.filter { [.facts, .pictures].contains($0.source) }.map(\.warning)
        check.finish(&findings)
        return check
    }

    // MARK: Other pages

    /// Pages of which there is one each: their links, which the site's owner wrote in Markdown or in a template.
    private func lookAtPages(_ renderer: SiteRenderer, links: LinkCheck) {
        var rendered: [(path: String, bytes: [UInt8])] = [
            ("index.html", renderer.home(shelf: [], pictures: [:], featured: nil, newest: nil)),
            ("404.html", renderer.notFound()),
        ]
        func add(_ path: String, _ render: (inout ByteBuffer) -> Void) {
            var page = ByteBuffer()
            render(&page)
            rendered.append((path, page.array))
        }
        add("products/index.html") { renderer.allProducts(page: 1, tiles: nil, into: &$0) }
        if !renderer.catalogue.tree.nodes.isEmpty {
            rendered.append(("categories/index.html", renderer.categories()))
        }
        for node in renderer.catalogue.tree.nodes.indices {
            add(renderer.catalogue.tree.path(node)) {
                renderer.category(node, page: 1, tiles: nil, into: &$0)
            }
        }
        for page in renderer.pages { rendered.append((page.path, renderer.content(page))) }
        for page in rendered {
            pages += 1
            links.look(at: page.bytes, path: page.path) { .file($0) }
        }
        links.finish(&findings)
    }

    /// What the plan shows of categories and facets.
    private func lookAtIndexes(_ catalogue: Catalogue) {
        for node in catalogue.tree.nodes.indices where catalogue.categoryProducts[node].isEmpty {
            findings.add(
                Diagnostic(
                    .warning, "empty-category",
                    "'\(catalogue.tree.nodes[node].category.name)' has no products",
                    at: .cell(
                        table: "categories", row: catalogue.tree.nodes[node].category.id.description,
                        column: "id")))
        }
        for facet in catalogue.facets {
            var seen: [String: Int] = [:]
            for value in facet.values {
                guard let other = seen.updateValue(value, forKey: skeleton(catalogue.values[value].name))
                else {
                    continue
                }
                let (a, b) = (catalogue.values[other].name, catalogue.values[value].name)
                findings.add(
                    Diagnostic(
                        .warning, "similar-values",
                        "'\(a)' (\(catalogue.valueProducts[other].count) products) and '\(b)' "
                            + "(\(catalogue.valueProducts[value].count)) in '\(facet.label)' look like one"))
            }
        }
    }
}

/// What is wrong with products as visitors see them.
private final class ProductCheck {
    let links: LinkCheck
    private let renderer: SiteRenderer
    private var priced = 0, pictured = 0, categorised = 0
    /// Products without something that others have: the first ones, and how many.
    private var unpriced: [Diagnostic] = [], unpictured: [Diagnostic] = [], uncategorised: [Diagnostic] = []
    private var counts = (unpriced: 0, unpictured: 0, uncategorised: 0)
    /// Which product looks so: a hash of all that its tile shows.
    private var looks: [UInt64: Int32] = [:]

    init(_ renderer: SiteRenderer) {
        self.renderer = renderer
        links = LinkCheck(renderer)
        looks.reserveCapacity(renderer.catalogue.count)
    }

    func look(at product: Product, number: Int, _ rendered: RenderedProduct, _ findings: inout Findings) {
        let place = Diagnostic.Place.product(id: product.id.description, name: product.name)
        func add(_ id: String, _ message: String) {
            findings.add(Diagnostic(.warning, id, message, at: place))
        }
        if let right = ungarbled(product.name) {
            add("garbled-text", "the name was read in the wrong encoding; it is probably '\(right)'")
        }
        if let producer = product.producer, let right = ungarbled(producer) {
            add("garbled-text", "'\(producer)' was read in the wrong encoding; it is probably '\(right)'")
        }
        for note in [product.bottlingNote, product.tastingNote].compactMap({ $0 }) + product.notes
        where ungarbled(note.text) != nil {
            add("garbled-text", "'\(note.column)' was read in the wrong encoding")
        }
        if hasMarkup(product.name) {
            add("markup-in-name", "the name holds markup, which visitors see as it is")
        }
        if !product.name.unicodeScalars.contains(where: {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
        }) {
            add("empty-name", "the name '\(product.name)' has no letter and no digit")
        }
        if product.name.unicodeScalars.count > 120 {
            add(
                "long-name",
                "the name has \(product.name.unicodeScalars.count) characters; tiles show the first lines")
        }
        func miss(_ list: inout [Diagnostic], _ count: inout Int, _ id: String, _ message: String) {
            count += 1
            if list.count < Findings.examples { list.append(Diagnostic(.warning, id, message, at: place)) }
        }
        if product.price != nil {
            priced += 1
        } else if product.availability != .discontinued {
            miss(&unpriced, &counts.unpriced, "missing-price", "has no price")
        }
        if renderer.pictures.sources(of: product).isEmpty {
            miss(&unpictured, &counts.unpictured, "no-picture", "has no picture")
        } else {
            pictured += 1
        }
        if product.categories.isEmpty {
            miss(&uncategorised, &counts.uncategorised, "no-category", "is in no category")
        } else {
            categorised += 1
        }
        let look =
            "\(termKey(product.name))\u{0}\(product.producer ?? "")\u{0}\(renderer.meta(of: product) ?? "")\u{0}"
            + "\(product.price.map { "\($0)" } ?? "")"
        if let other = looks.updateValue(Int32(number), forKey: hash64(look)) {
            add(
                "duplicate-product",
                "looks like product \(renderer.catalogue.keys[Int(other)]): the same name, producer, size and price"
            )
        }
        links.look(at: rendered.page, path: renderer.catalogue.path(number)) { _ in place }
        if let reviews = rendered.reviews {
            links.look(at: reviews, path: renderer.catalogue.reviewsPath(number)) { _ in place }
        }
    }

    /// A shop in which nothing has a price lacks none.
    func finish(_ findings: inout Findings) {
        func add(_ examples: [Diagnostic], _ count: Int, besides others: Int) {
            guard others > 0 else { return }
            for (i, example) in examples.enumerated() {
                findings.add(example, count: i == 0 ? count - examples.count + 1 : 1)
            }
        }
        add(unpriced, counts.unpriced, besides: priced)
        add(unpictured, counts.unpictured, besides: pictured)
        add(uncategorised, counts.uncategorised, besides: categorised)
    }
}

/// Finds links that lead to no page of the site.
private final class LinkCheck {
    private let renderer: SiteRenderer
    private let known: Set<UInt64>
    private let base: String
    /// By where the link leads: how often, and where it was first seen.
    private var broken: [String: (count: Int, address: String, place: Diagnostic.Place)] = [:]
    private var order: [String] = []

    init(_ renderer: SiteRenderer) {
        self.renderer = renderer
        known = Set(renderer.paths.map { hash64($0) })
        // https: // host / path
        let parts = (renderer.settings.url ?? "").split(
            separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        base = "/" + (parts.count > 3 ? parts[3] : "")
    }

    func look(at page: [UInt8], path: String, place: (String) -> Diagnostic.Place) {
        for address in references(in: page) {
            guard let target = target(of: address, from: path, base: base), !target.hasPrefix("assets/"),
                !known.contains(hash64(target))
            else { continue }
            if broken[target] == nil {
                // A database of nothing but broken links needs no list of them all.
                guard order.count < 10_000 else { continue }
                order.append(target)
                broken[target] = (0, address, place(path))
            }
            broken[target]?.count += 1
        }
    }

    func finish(_ findings: inout Findings) {
        for target in order {
            guard let link = broken[target] else { continue }
            let often = link.count == 1 ? "" : ", \(link.count) times"
            findings.add(
                Diagnostic(
                    .error, "broken-link",
                    "links to '\(link.address)', which is no page of the site (\(target))\(often)",
                    at: link.place))
        }
    }
}

extension SiteRenderer {
    /// The addresses of all pages and files that pages may link to, assets aside.
    var paths: [String] {
        var out = ["index.html", "404.html", "robots.txt", "categories/index.html"]
        if settings.url != nil { out += ["feed.xml", "sitemap.xml"] }
        if settings.hasSearch { out.append(SitePath.search) }
        if settings.hasMyLists { out.append(SitePath.myLists) }
        out.append(SitePath.webManifest)
        for page in 1...pageCount(catalogue.order) { out.append(SitePath.all(page: page)) }
        for number in 0..<catalogue.count {
            out.append(catalogue.path(number))
            out.append(catalogue.reviewsPath(number))
        }
        for node in catalogue.tree.nodes.indices {
            for page in 1...pageCount(catalogue.categoryProducts[node]) {
                out.append(catalogue.tree.path(node, page: page))
            }
            out.append(SitePath.categoryFeed(catalogue.tree.nodes[node].slug))
        }
        for facet in catalogue.facets { out.append(facet.folder + "/index.html") }
        for value in catalogue.values.indices {
            for page in 1...pageCount(catalogue.valueProducts[value]) {
                out.append(catalogue.path(value: value, page: page))
            }
        }
        return out + pages.map(\.path)
    }
}
