import Basics
import Markup
import Model
import Templates

/// Makes the bytes of every page. Rendering is a function of the snapshot: nothing is written here, and any number of
/// threads may render at once. The preview calls the same functions.
struct SiteRenderer: Sendable {
    let settings: SiteSettings
    let strings: Strings
    var catalogue: Catalogue
    let pictures: PictureFolder
    let pages: [ContentPage]
    let assets: Assets
    let views: Views
    /// Of everything that all pages depend on: settings, texts, menu, asset names, the program itself.
    let fingerprint: Fingerprint

    /// The menu without a current entry, then with each entry as the current one.
    private let menus: [[Record]]
    /// Where in ``menus`` a main category is.
    private let menuPlaces: [Int: Int]
    private let siteFeed: Record?
    private let bases: [Record]
    let bound: BoundTemplates
    /// What ratings of 0 to 50 tenths are called.
    let ratingLabels: [String]
    let prepared: PreparedParts

    var locale: Locale { settings.locale }

    /// The version is part of every fingerprint: another version may write other pages.
    static let version = "0.1.0"

    /// - Parameter isForAll: whether it will render the whole site, so that what pages share is made once at the start.
    init(
        settings: SiteSettings, strings: Strings, catalogue: Catalogue, pictures: PictureFolder,
        pages: [ContentPage],
        assets: Assets, views: Views, isForAll: Bool = true
    ) {
        self.settings = settings
        self.strings = strings
        self.catalogue = catalogue
        self.pictures = pictures
        self.pages = pages
        self.assets = assets
        self.views = views
        prepared = PreparedParts(
            views: views, strings: strings, catalogue: catalogue, url: settings.url, isComplete: isForAll)
        let parts = views.parts
        let roots = catalogue.mainCategories.prefix(7)
        func menu(current: Int?) -> [Record] {
            roots.map { root in
                parts.menuItem(
                    catalogue.tree.nodes[root].category.name, catalogue.tree.path(root),
                    current: root == current)
            }
        }
        let menus = [menu(current: nil)] + roots.map { menu(current: $0) }
        self.menus = menus
        menuPlaces = Dictionary(uniqueKeysWithValues: roots.enumerated().map { ($1, $0 + 1) })
        let hasFeed = settings.url != nil && !catalogue.newest.isEmpty
        let siteFeed = hasFeed ? parts.feed(strings("feed_site", ["site": settings.title]), "feed.xml") : nil
        self.siteFeed = siteFeed
        ratingLabels = (0...50).map { rating in
            let text = rating % 10 == 0 ? settings.locale.number(rating / 10) : settings.locale.tenths(rating)
            return strings("rating_label", ["rating": text])
        }
        let footer = pages.filter(\.isInFooter).map { parts.link($0.title, $0.path) }
        let bases = PageKind.allCases.map { kind in
            let (schema, fields) = views.fields(of: kind)
            var base = Self.base(
                kind, schema, fields, parts, settings: settings, strings: strings, catalogue: catalogue,
                assets: assets, footer: footer)
            switch kind {
            case .product:
                base[fields.bodyClass] = Self.productClass
                if let siteFeed { base[fields.feeds] = [siteFeed] }
            case .customer: base[fields.robots] = Self.privateRobots
            default: break
            }
            return base
        }
        self.bases = bases
        bound = BoundTemplates(views, menus: menus) { bases[$0.rawValue] }
        var text = "\(Self.version)\n\(assets.fingerprint.hex)\n\(views.texts.hex)\n"
        text += Fingerprint(of: settings.source.bytes).hex + "\n" + settings.pictures.recipe.identity + "\n"
        for root in roots { text += catalogue.tree.nodes[root].fingerprint.hex }
        for facet in catalogue.facets {
            text += "\(facet.key)\u{0}\(facet.folder)\u{0}\(facet.values.isEmpty)\n"
        }
        for page in pages { text += "\(page.title)\u{0}\(page.path)\u{0}\(page.isInFooter)\n" }
        fingerprint = Fingerprint(of: text)
    }

    /// The policy of every page (S6, S7): nothing but the site's own files, no inline script or style.
    ///
    /// What a site has switched on widens it by no more than that needs: the worker and the manifest of the site
    /// itself, with the one policy that gives the worker's address; the service of reviews on products' pages.
    ///
    /// - Parameter kind: a kind of page, or nil for what all kinds together need, since headers and pages' own policies
    ///   must both allow a thing.
    static func contentSecurityPolicy(of kind: PageKind?, _ settings: SiteSettings) -> String {
        var connect = "'self'"
        if kind == nil || kind == .product, let service = settings.reviewService {
            connect += " " + service.origin
        }
        let worker = settings.isOffline ? "worker-src 'self'; manifest-src 'self'; " : ""
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            + "connect-src \(connect); \(worker)base-uri 'none'; form-action 'self'; object-src 'none'; "
            + "require-trusted-types-for 'script'; "
            + "trusted-types \(settings.isOffline ? "service-worker" : "'none'")"
    }

    /// The class of a product's page, and what search engines are told of private ones.
    static let productClass = "product", privateRobots = "noindex, nofollow, noarchive"

    /// What is said of a page in its head.
    struct Head {
        /// The page's own file, from the top of the site.
        var path: String
        var title: String
        var summary: String?
        var bodyClass = "browse"
        var kind = "website"
        /// The main category it lies in, as a node of the tree.
        var main: Int?
        var isPrivate = false
        var isListed = true
        var picture: Picture?
        var data: ScriptJSON?
        /// Whether a text in the page has a colour of the palette.
        var isColoured = false
        var feed: (title: String, path: String)?
        /// Replaces the relative way to the top, for a page that is shown at any address.
        var root: String?
    }

    /// A record of a page in which everything is set that all pages of the site have alike: made once for each kind of
    /// page, and copied for each page.
    private static func base(
        _ kind: PageKind, _ schema: Schema, _ fields: PageFields, _ parts: Parts, settings: SiteSettings,
        strings: Strings, catalogue: Catalogue, assets: Assets, footer: [Record]
    ) -> Record {
        var site = Record(parts.siteSchema)
        site[parts.siteTitle] = settings.title
        site[parts.siteTagline] = settings.tagline
        site[parts.siteDescription] = settings.summary
        var record = Record(schema)
        record[fields.language] = settings.locale.tag
        record[fields.direction] = settings.locale.direction
        record[fields.csp] = .fixed(contentSecurityPolicy(of: kind, settings))
        record[fields.site] = site
        record[fields.home] = parts.link(settings.title, "index.html")
        if !catalogue.tree.nodes.isEmpty {
            record[fields.allCategories] = parts.link(strings["all_categories"], "categories/index.html")
        }
        record[fields.css] = parts.file(assets.styleSheet)
        record[fields.styles] = assets.styleSheets(of: kind, settings).map { parts.file($0) }
        record[fields.scripts] = assets.scripts(of: kind, settings).map { parts.file($0) }
        if settings.hasSearch {
            var search = Record(parts.searchSchema)
            search[parts.searchPath] = SitePath.search
            search[parts.searchPlaceholder] = searchPlaceholder(settings, strings, catalogue)
            record[fields.search] = search
        }
        record[fields.icon] = parts.file(assets.icon)
        record[fields.hasMenu] = !catalogue.mainCategories.isEmpty
        record[fields.footer] = footer
        record[fields.footerNote] = settings.footerNote
        if settings.hasMyLists { record[fields.myLists] = parts.file(SitePath.myLists) }
        record[fields.text] = parts.texts
        return record
    }

    /// What the empty search field says: a site's own text; else that names are found, and the values of what the site is
    /// browsed by first. Only what has values is named: a museum has no producers.
    private static func searchPlaceholder(
        _ settings: SiteSettings, _ strings: Strings, _ catalogue: Catalogue
    ) -> String {
        let labels = catalogue.facets.filter { !$0.values.isEmpty }.prefix(2).map(\.label)
        if labels.isEmpty || settings.texts["search_placeholder"] != nil {
            return strings["search_placeholder"]
        }
        guard labels.count > 1 else { return strings("search_placeholder_one", ["first": labels[0]]) }
        return strings("search_placeholder_two", ["first": labels[0], "second": labels[1]])
    }

    /// A record of one kind of page, with what all pages have alike.
    func record(_ kind: PageKind) -> Record { bases[kind.rawValue] }

    /// Sets the fields that every page has and that differ from page to page.
    ///
    /// - Parameter isBound: whether the way to the top and the menu are in the template already.
    func fill(_ record: inout Record, _ fields: PageFields, _ head: Head, isBound: Bool = false) {
        let parts = views.parts
        if !isBound {
            record[fields.root] = head.root ?? SitePath.root(from: head.path)
            record[fields.menu] = menus[menuPlace(head)]
        }
        let isHome = head.path == "index.html"
        record[fields.title] =
            isHome || head.isPrivate
            ? head.title : strings("title_site", ["title": head.title, "site": settings.title])
        let isOpen = !head.isPrivate && head.isListed
        record[fields.description] = head.isPrivate ? nil : head.summary
        let address = isOpen ? absolute(head.path) : nil
        record[fields.canonical] = address
        record[fields.robots] =
            head.isPrivate ? Self.privateRobots : head.isListed ? nil : "noindex"
        if isOpen {
            record[fields.jsonLD] = head.data
            if let siteFeed {
                record[fields.feeds] =
                    head.feed.map { [siteFeed, parts.feed($0.title, $0.path)] } ?? [siteFeed]
            }
            var og = Record(parts.ogSchema)
            og[parts.ogType] = head.kind
            og[parts.ogTitle] = head.title
            og[parts.ogDescription] = head.summary
            og[parts.ogURL] = address
            og[parts.ogImage] = head.picture.flatMap { absolute($0.path) }
            record[fields.og] = og
        }
        record[fields.bodyClass] = head.bodyClass
        if head.isColoured { record[fields.palette] = parts.file(assets.palette) }
    }

    /// Which of the menus a page has.
    private func menuPlace(_ head: Head) -> Int { head.main.flatMap { menuPlaces[$0] } ?? 0 }

    /// Renders a page of which there are many: by the template into which as much is written as is known of pages in its place.
    ///
    /// - Parameter record: of a page without what all pages of its kind have alike; gets what its head decides.
    func render(
        _ record: inout Record, _ kind: PageKind, _ fields: PageFields, _ variants: BoundTemplates.Variants,
        _ head: Head, into out: inout ByteBuffer
    ) {
        variants.withTemplate(folders: head.path.count(of: "/"), menu: menuPlace(head)) { template in
            fill(&record, fields, head, isBound: template.isBound)
            template.render(template.isBound ? record : record.completed(by: self.record(kind)), into: &out)
        }
    }

    /// The whole address of a path, if the site has one; a folder's index is the folder.
    func absolute(_ path: String) -> String? { Self.absolute(path, url: settings.url) }

    static func absolute(_ path: String, url: String?) -> String? {
        url.map { $0 + relative(path) }
    }

    /// What follows a site's address: a folder's index is the folder.
    static func relative(_ path: String) -> String {
        if path == "index.html" { return "" }
        return path.hasSuffix("/index.html") ? String(path.dropLast("index.html".count)) : path
    }

    /// The way from home to a category, the last being the current page if asked.
    func breadcrumbs(to node: Int?, isCurrent: Bool = false) -> [Record] {
        var crumbs = prepared.trail(to: node)
        if isCurrent, !crumbs.isEmpty { crumbs[crumbs.count - 1][views.parts.crumb.current] = true }
        return crumbs
    }

    /// Breadcrumbs for search engines; they need whole addresses.
    func writeBreadcrumbs(_ crumbs: [(name: String, address: String)], to json: inout ScriptJSONWriter) {
        json.beginObject()
        json.member("@context", "https://schema.org")
        json.beginBreadcrumbs()
        for (i, crumb) in crumbs.enumerated() {
            json.listItem(i + 1, name: crumb.name, address: crumb.address)
        }
        json.endArray()
        json.endObject()
    }

    func crumbPairs(to node: Int?) -> [(name: String, path: String)] {
        [(strings["home"], "index.html")]
            + (node.map { catalogue.tree.trail($0) } ?? []).map {
                (catalogue.tree.nodes[$0].category.name, catalogue.tree.path($0))
            }
    }

    /// The top of the tree that a node is below.
    func main(of node: Int?) -> Int? { node.map { catalogue.tree.top(of: $0) } }

    /// A valid colour: the given one, or one that a name decides, always the same.
    func colour(_ given: String?, of name: String?) -> String {
        if let given { return "#" + given }
        guard let name else { return "#8b8071" }
        return prepared.tints[name] ?? Self.tint(of: name)
    }

    static func tint(of name: String) -> String {
        tints[Int(hash64(termKey(name)) % UInt64(tints.count))]
    }

    private static let tints = [
        "#b9772e", "#5f9a9c", "#c69a45", "#d9653f", "#7a3d1a", "#5f9a86", "#b98a3a", "#8d3a32", "#8ea285",
        "#7c2430",
        "#6f9fbe", "#2f7a52", "#8b9b2f", "#9a6fb0",
    ]
}

/// The kinds of HTML page.
enum PageKind: Int, CaseIterable, Sendable {
    case product, reviews, index, categories, facet, home, content, notFound, redirect, customer, myLists,
        search
}

/// The records and compiled templates of all kinds of page.
final class Views: Sendable {
    let parts: Parts
    let product: ProductFields, reviews: ReviewsPageFields, index: IndexFields, categories: CategoriesFields
    let facet: FacetFields, home: HomeFields, content: ContentFields, notFound: NotFoundFields
    let redirect: RedirectFields, customer: CustomerFields, myLists: MyListsFields, search: SearchFields

    let productTemplate: Template, tileTemplate: Template, reviewsTemplate: Template,
        categoryTemplate: Template
    let indexTemplate: Template, categoriesTemplate: Template, facetTemplate: Template, homeTemplate: Template
    let contentTemplate: Template, notFoundTemplate: Template, redirectTemplate: Template
    let listsTemplate: Template, listTemplate: Template, myListsTemplate: Template, searchTemplate: Template
    /// The templates by name with what they may use.
    let schemas: [PageSchema]
    /// Of all texts.
    let texts: Fingerprint

    /// The schema of a kind of page, and those of its fields that all kinds have.
    func fields(of kind: PageKind) -> (schema: Schema, fields: PageFields) {
        switch kind {
        case .product: (product.schema, product.page)
        case .reviews: (reviews.schema, reviews.page)
        case .index: (index.schema, index.page)
        case .categories: (categories.schema, categories.page)
        case .facet: (facet.schema, facet.page)
        case .home: (home.schema, home.page)
        case .content: (content.schema, content.page)
        case .notFound: (notFound.schema, notFound.page)
        case .redirect: (redirect.schema, redirect.page)
        case .customer: (customer.schema, customer.page)
        case .myLists: (myLists.schema, myLists.page)
        case .search: (search.schema, search.page)
        }
    }

    /// Compiles all templates; every fault in any of them is thrown together.
    init(_ theme: Theme, strings: Strings, log: inout [Diagnostic]) throws(Failure) {
        parts = Parts(strings)
        product = ProductFields(parts: parts)
        reviews = ReviewsPageFields(parts: parts)
        index = IndexFields(parts: parts)
        categories = CategoriesFields(parts: parts)
        facet = FacetFields(parts: parts)
        home = HomeFields(parts: parts)
        content = ContentFields(parts: parts)
        notFound = NotFoundFields(parts: parts)
        redirect = RedirectFields(parts: parts)
        customer = CustomerFields(parts: parts)
        myLists = MyListsFields(parts: parts)
        search = SearchFields(parts: parts)
        let schemas = [
            ("product", product.schema), ("tile", parts.tile.schema), ("reviews", reviews.schema),
            ("category", index.schema), ("index", index.schema), ("categories", categories.schema),
            ("facet", facet.schema), ("home", home.schema), ("page", content.schema),
            ("not-found", notFound.schema),
            ("redirect", redirect.schema), ("list", customer.schema), ("list-single", customer.schema),
            ("my-lists", myLists.schema), ("search", search.schema),
        ]
        self.schemas = schemas.map { PageSchema(template: $0, schema: $1) }
        let templates = try TemplateSet(theme.templates, condensing: theme.condensedTemplates)
            .compile(schemas)
        productTemplate = templates[0]
        tileTemplate = templates[1]
        reviewsTemplate = templates[2]
        categoryTemplate = templates[3]
        indexTemplate = templates[4]
        categoriesTemplate = templates[5]
        facetTemplate = templates[6]
        homeTemplate = templates[7]
        contentTemplate = templates[8]
        notFoundTemplate = templates[9]
        redirectTemplate = templates[10]
        listsTemplate = templates[11]
        listTemplate = templates[12]
        myListsTemplate = templates[13]
        searchTemplate = templates[14]
        texts = Fingerprint(
            of: strings.keys.map { "\($0)\u{0}\(strings[$0])\u{0}\(strings(count: 1, $0))" }.joined(
                separator: "\n"))
        log += templates.flatMap(\.warnings)
    }
}

extension Strings {
    /// The form for one, so that a changed plural form changes the fingerprint.
    fileprivate func callAsFunction(count: Int, _ key: String) -> String { self(key, count: count) }
}
