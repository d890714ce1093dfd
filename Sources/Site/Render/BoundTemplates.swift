import Templates

/// The templates of those pages of which a site has many, with what the pages have alike written into them.
struct BoundTemplates: Sendable {
    /// A template for each way to the top and each current entry of the menu.
    struct Variants: Sendable {
        private let plain: Template
        /// By the number of folders that a page is in, then by the current entry; the same, not counted, since all threads ask for
        /// them for every page.
        private let held: [[Template]], bound: [[Unmanaged<Template>]]

        init(
            _ template: Template, _ fields: PageFields, _ page: Record, folders: ClosedRange<Int>,
            menus: [[Record]]
        ) {
            plain = template
            held = (0...folders.upperBound).map { depth in
                guard depth >= folders.lowerBound else { return [] }
                var page = page
                page[fields.root] = String(repeating: "../", count: depth)
                return menus.map { menu in
                    page[fields.menu] = menu
                    return template.bound(to: page)
                }
            }
            bound = held.map { $0.map { .passUnretained($0) } }
        }

        /// Calls a closure with the one for a page in so many folders.
        func withTemplate(folders: Int, menu: Int, _ body: (Template) -> Void) {
            guard folders < bound.count, menu < bound[folders].count else { return body(plain) }
            bound[folders][menu]._withUnsafeGuaranteedRef(body)
        }
    }

    let product: Variants, reviews: Variants, category: Variants, index: Variants
    /// A customer's pages: the overview, and that of one list.
    let lists: Variants, list: Variants
    let tile: Template
    /// A tile with what all tiles have alike.
    let tileRecord: Record

    /// - Parameters:
    ///   - page: the record of a kind of page with what all its pages have alike.
    ///   - menus: the menu without a current entry, then with each entry as the current one.
    init(_ views: Views, menus: [[Record]], page: (PageKind) -> Record) {
        product = Variants(
            views.productTemplate, views.product.page, page(.product), folders: 2...2, menus: menus)
        reviews = Variants(
            views.reviewsTemplate, views.reviews.page, page(.reviews), folders: 2...2, menus: menus)
        category = Variants(
            views.categoryTemplate, views.index.page, page(.index), folders: 1...2, menus: menus)
        index = Variants(
            views.indexTemplate, views.index.page, page(.index), folders: 1...2, menus: [menus[0]])
        lists = Variants(
            views.listsTemplate, views.customer.page, page(.customer), folders: 2...2, menus: [menus[0]])
        list = Variants(
            views.listTemplate, views.customer.page, page(.customer), folders: 2...2, menus: [menus[0]])
        let fields = views.parts.tile
        var record = Record(fields.schema)
        record[fields.root] = SiteRenderer.rootMark
        record[fields.text] = views.parts.texts
        tileRecord = record
        tile = views.tileTemplate.bound(to: record)
    }
}
