import Basics
import Markup
import Model
import Templates

extension SiteRenderer {
    /// Which products a page of an index shows.
    func slice(_ products: [Int32], page: Int) -> ArraySlice<Int32> {
        let start = (page - 1) * settings.pageSize
        return products[min(start, products.count)..<min(start + settings.pageSize, products.count)]
    }

    /// How many pages an index has; an empty one has one, which says so.
    func pageCount(_ products: [Int32]) -> Int {
        max(1, (products.count + settings.pageSize - 1) / settings.pageSize)
    }

    /// A page of all products.
    func allProducts(page: Int, tiles: Fragment?, into out: inout ByteBuffer) {
        let title = strings["all_products"]
        let crumbs = [(strings["home"], "index.html"), (title, SitePath.all(page: 1))]
        index(
            IndexPage(
                title: title, lead: nil, eyebrow: nil, crumbs: crumbs, products: catalogue.order, page: page,
                path: SitePath.all(page:)), tiles: tiles, bound.index, into: &out)
    }

    /// A page of a category: all products of it and of the categories below it.
    func category(_ node: Int, page: Int, tiles: Fragment?, into out: inout ByteBuffer) {
        let tree = catalogue.tree
        let category = tree.nodes[node].category
        // On the first page only, as its summary: a category of half the products would have thousands of pages that each list
        // the hundreds that are below it.
        let children = (page == 1 ? tree.nodes[node].children : []).map {
            views.parts.branch(
                tree.nodes[$0].category.name, tree.path($0),
                locale.number(catalogue.categoryProducts[$0].count))
        }
        var description = IndexPage(
            title: category.name, lead: page == 1 ? category.summary : nil, eyebrow: nil,
            crumbs: crumbPairs(to: node),
            products: catalogue.categoryProducts[node], page: page, path: { tree.path(node, page: $0) })
        description.children = children
        description.main = main(of: node)
        description.empty = "empty_category"
        description.node = node
        description.filter = ("category", tree.nodes[node].slug)
        if settings.categoryFeeds, settings.url != nil, !catalogue.categoryNewest[node].isEmpty {
            description.feed = (
                strings("feed_category", ["name": category.name, "site": settings.title]),
                SitePath.categoryFeed(tree.nodes[node].slug)
            )
        }
        index(description, tiles: tiles, bound.category, into: &out)
    }

    /// A page of a facet's value.
    func facetValue(_ value: Int, page: Int, tiles: Fragment?, into out: inout ByteBuffer) {
        let facet = catalogue.facets[catalogue.values[value].facet]
        let name = catalogue.values[value].name
        let (folder, slug) = (facet.folder, catalogue.values[value].slug)
        let crumbs = [
            (strings["home"], "index.html"), (facet.plural, facet.folder + "/index.html"),
            (name, catalogue.path(value: value)),
        ]
        var description = IndexPage(
            title: name, lead: nil, eyebrow: facet.label, crumbs: crumbs,
            products: catalogue.valueProducts[value],
            page: page, path: { SitePath.index(folder, slug, page: $0) })
        description.filter = (folder, slug)
        index(description, tiles: tiles, bound.index, into: &out)
    }

    /// What an index page says beside its tiles.
    private struct IndexPage {
        let title: String
        let lead: String?, eyebrow: String?
        let crumbs: [(name: String, path: String)]
        let products: [Int32]
        let page: Int
        let path: (Int) -> String
        var children: [Record] = []
        var main: Int?
        var node: Int?
        var empty = "empty_facet"
        var feed: (title: String, path: String)?
        /// Of which category or facet the products are; nil: of the whole catalogue.
        var filter: (group: String, value: String)?
    }

    private func index(
        _ page: IndexPage, tiles: Fragment?, _ variants: BoundTemplates.Variants, into out: inout ByteBuffer
    ) {
        let fields = views.index
        let parts = views.parts
        var record = Record(fields.schema)
        record[fields.heading] = page.title
        record[fields.eyebrow] = page.eyebrow
        record[fields.lead] = page.lead
        if let node = page.node {
            record[fields.breadcrumbs] = breadcrumbs(to: node, isCurrent: true)
        } else {
            record[fields.breadcrumbs] = page.crumbs.enumerated().map { i, crumb in
                parts.crumb(crumb.name, crumb.path, current: i == page.crumbs.count - 1)
            }
        }
        record[fields.children] = page.children
        record[fields.hasChildren] = !page.children.isEmpty
        record[fields.countText] = strings("products", count: page.products.count)
        if page.products.isEmpty {
            record[fields.emptyText] = strings[page.empty]
        } else {
            record[fields.tiles] = tiles
            if settings.hasSearch {
                var filter = Record(fields.filterSchema)
                filter[fields.filterGroup] = page.filter?.group
                filter[fields.filterValue] = page.filter?.value
                record[fields.filter] = filter
            }
        }
        let pages = pageCount(page.products)
        if pages > 1 { record[fields.pager] = pager(page.page, of: pages, path: page.path) }
        let path = page.path(page.page)
        let title =
            page.page == 1
            ? page.title : strings("title_page", ["title": page.title, "n": locale.number(page.page)])
        var head = Head(path: path, title: title)
        head.summary = page.lead ?? "\(page.title): \(strings("products", count: page.products.count))"
        head.main = page.main
        head.feed = page.feed
        if settings.url != nil {
            // No ItemList: search engines make nothing of one whose items are products' addresses, and the tiles link to them.
            var json = ScriptJSONWriter()
            writeBreadcrumbs(page.crumbs.map { ($0.name, absolute($0.path) ?? "") }, to: &json)
            head.data = json.finish()
        }
        render(&record, .index, fields.page, variants, head, into: &out)
    }

    /// A fixed window of pages: the first, those around this one, the last. So a page costs the same however many
    /// there are.
    private func pager(_ current: Int, of pages: Int, path: (Int) -> String) -> Record {
        let fields = views.index
        let parts = views.parts
        var record = Record(fields.pagerSchema)
        record[fields.pagerLabel] = strings["nav_pages"]
        var numbers: [Int] = []
        for number in [1] + Array(max(2, current - 2)...max(2, current + 2)) + [pages]
        where number <= pages && numbers.last ?? 0 < number { numbers.append(number) }
        var items: [Record] = []
        var last = 0
        for number in numbers {
            if number > last + 1 {
                var gap = Record(fields.itemSchema)
                gap[fields.itemGap] = true
                items.append(gap)
            }
            var item = Record(fields.itemSchema)
            item[fields.itemText] = locale.number(number)
            item[fields.itemLabel] = strings("page", ["n": locale.number(number)])
            item[fields.itemPath] = path(number)
            if number == current { item[fields.itemCurrent] = true }
            items.append(item)
            last = number
        }
        record[fields.pagerItems] = items
        if current > 1 { record[fields.pagerPrevious] = parts.file(path(current - 1)) }
        if current < pages { record[fields.pagerNext] = parts.file(path(current + 1)) }
        return record
    }

    /// The tree of categories, two levels.
    func categories() -> [UInt8] {
        let fields = views.categories
        let tree = catalogue.tree
        let title = strings["all_categories"]
        var record = self.record(.categories)
        record[fields.heading] = title
        record[fields.breadcrumbs] =
            breadcrumbs(to: nil) + [views.parts.crumb(title, "categories/index.html", current: true)]
        record[fields.categories] = tree.roots.map { root in
            var branch = Record(fields.branchSchema)
            branch[fields.name] = tree.nodes[root].category.name
            branch[fields.path] = tree.path(root)
            branch[fields.count] = locale.number(catalogue.categoryProducts[root].count)
            let children = tree.nodes[root].children
            branch[fields.hasChildren] = !children.isEmpty
            branch[fields.children] = children.map {
                views.parts.branch(
                    tree.nodes[$0].category.name, tree.path($0),
                    locale.number(catalogue.categoryProducts[$0].count))
            }
            return branch
        }
        fill(&record, fields.page, Head(path: "categories/index.html", title: title, summary: title))
        return rendered(record, views.categoriesTemplate)
    }

    /// All values of a facet by their first letter.
    func facet(_ number: Int) -> [UInt8] {
        let fields = views.facet
        let facet = catalogue.facets[number]
        var groups: [(letter: String, values: [Record])] = []
        for value in facet.values {
            let name = catalogue.values[value].name
            let letter = Self.letter(of: name) ?? strings["other_letters"]
            let branch = views.parts.branch(
                name, catalogue.path(value: value), locale.number(catalogue.valueProducts[value].count))
            if let at = groups.firstIndex(where: { $0.letter == letter }) {
                groups[at].values.append(branch)
            } else {
                groups.append((letter, [branch]))
            }
        }
        var record = self.record(.facet)
        record[fields.heading] = facet.plural
        record[fields.breadcrumbs] =
            breadcrumbs(to: nil) + [
                views.parts.crumb(facet.plural, facet.folder + "/index.html", current: true)
            ]
        var others = 0
        record[fields.letters] = groups.map { group in
            var letter = Record(fields.letterSchema)
            letter[fields.letter] = group.letter
            let id = slug(of: group.letter)
            if id.utf8.count == 1, id.utf8.first! >= 0x61 {
                letter[fields.id] = "letter-" + id
            } else {
                others += 1
                letter[fields.id] = "letter-\(others)"
            }
            letter[fields.values] = group.values
            return letter
        }
        fill(
            &record, fields.page,
            Head(
                path: facet.folder + "/index.html", title: facet.plural,
                summary: "\(facet.plural): \(strings("values", count: facet.values.count))"))
        return rendered(record, views.facetTemplate)
    }

    /// The letter under which a name stands: without accents, in upper case; nil for digits and signs.
    private static func letter(of name: String) -> String? {
        guard
            let first = name.unicodeScalars.first(where: {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
            }),
            first.properties.isAlphabetic
        else { return nil }
        let folded = slug(of: String(first))
        if let letter = folded.first, letter.isLetter { return letter.uppercased() }
        return String(first).uppercased()
    }

    func rendered(_ record: Record, _ template: Template) -> [UInt8] {
        var out: [UInt8] = []
        template.render(record, into: &out)
        return out
    }
}
