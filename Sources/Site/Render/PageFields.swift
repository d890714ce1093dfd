import Markup
import Templates

/// The records that several kinds of page share.
final class Parts: Sendable {
    let file = FileFields(), link = LinkFields(), action = ActionFields(), feed = FeedFields()
    let menuItem = TrailFields("an entry of the menu"), crumb = TrailFields("a breadcrumb")
    let image: ImageFields, largePicture: LargePictureFields
    let price = PriceFields(), availability = AvailabilityFields(), tag = TagFields(), date = DateFields()
    let branch = BranchFields(), note = NoteFields(), reviews: ReviewsFields
    let tile: TileFields

    let siteTitle: Field<String>, siteTagline: Field<String>, siteDescription: Field<String>
    let siteSchema: Schema
    let searchPath: Field<String>, searchPlaceholder: Field<String>
    let searchSchema: Schema
    let ogType: Field<String>, ogTitle: Field<String>, ogDescription: Field<String>, ogURL: Field<String>
    let ogImage: Field<String>
    let ogSchema: Schema

    /// The theme's texts, which are the same on every page.
    let texts: Record

    init(_ strings: Strings) {
        let sources = PictureSourceFields(CandidateFields())
        image = ImageFields(sources)
        largePicture = LargePictureFields(sources)
        reviews = ReviewsFields(date: date, action: action)
        var site = Schema.Builder("the site")
        siteTitle = site.text("title", "What it is called.", sample: "Longshelf")
        siteTagline = site.text("tagline", "What it is.", optional: true)
        siteDescription = site.text("description", "A sentence about it.", optional: true)
        siteSchema = site.schema()
        var search = Schema.Builder("the search")
        searchPath = search.text("path", "The search page.", sample: "search.html")
        searchPlaceholder = search.text(
            "placeholder", "What can be looked for.", sample: "Name · Producer · Style")
        searchSchema = search.schema()
        var og = Schema.Builder("the Open Graph of a page")
        ogType = og.text("type", "The kind of page.", sample: "product")
        ogTitle = og.text("title", "Its title.")
        ogDescription = og.text("description", "A sentence.", optional: true)
        ogURL = og.text("url", "Its address.", optional: true)
        ogImage = og.text("image", "A picture's address.", optional: true)
        ogSchema = og.schema()
        var fields = Schema.Builder("the theme's texts")
        let keys = strings.keys.filter(strings.isPlain)
        let handles = keys.map { fields.text($0, "A text of the theme.", sample: strings[$0]) }
        let schema = fields.schema()
        var record = Record(schema)
        for (key, handle) in zip(keys, handles) { record[handle] = strings[key] }
        texts = record
        tile = TileFields(image: image, price: price, availability: availability, texts: schema)
    }
}

/// What every page has.
final class PageFields: Sendable {
    let root: Field<String>, language: Field<String>, direction: Field<String>, title: Field<String>
    let description: Field<String>, canonical: Field<String>, robots: Field<String>, csp: Field<SafeHTML>
    let site: Field<Record>, home: Field<Record>, allCategories: Field<Record>, css: Field<Record>
    let palette: Field<Record>, styles: Field<[Record]>
    let scripts: Field<[Record]>, icon: Field<Record>, jsonLD: Field<ScriptJSON>, feeds: Field<[Record]>
    let og: Field<Record>, bodyClass: Field<String>, hasMenu: Field<Bool>, menu: Field<[Record]>
    let footer: Field<[Record]>, footerNote: Field<String>, search: Field<Record>, myLists: Field<Record>
    let text: Field<Record>

    init(_ fields: inout Schema.Builder, parts: Parts) {
        root = fields.text("root", "The way to the top of the site.", sample: "../")
        language = fields.text("language", "The site's language.", sample: "en-GB")
        direction = fields.choice("direction", "How its script runs.", of: ["ltr", "rtl"])
        title = fields.text("title", "The whole document title.", sample: "Harbour Cask 12 – Longshelf")
        description = fields.text("description", "A sentence about the page.", optional: true)
        canonical = fields.text("canonical", "The page's address.", optional: true)
        robots = fields.text("robots", "What search engines are told.", sample: "noindex", optional: true)
        csp = fields.escapedText("csp", "The Content-Security-Policy.")
        site = fields.record("site", "The site.", parts.siteSchema)
        home = fields.record("home", "The home page.", parts.link.schema)
        allCategories = fields.record(
            "all_categories", "The tree of categories.", parts.link.schema, optional: true)
        css = fields.record("css", "The style sheet.", parts.file.schema)
        palette = fields.record(
            "palette", "The style sheet of the colours in notes.", parts.file.schema, optional: true)
        styles = fields.records(
            "styles", "Further style sheets of this kind of page.", of: parts.file.schema)
        scripts = fields.records("scripts", "The scripts, modules all of them.", of: parts.file.schema)
        icon = fields.record("icon", "The icon.", parts.file.schema)
        jsonLD = fields.json("json_ld", "JSON-LD for a script element.", optional: true)
        feeds = fields.records("feeds", "Feeds about this page or the site.", of: parts.feed.schema)
        og = fields.record("og", "Open Graph.", parts.ogSchema, optional: true)
        bodyClass = fields.text("body_class", "Classes of the body.", sample: "product")
        hasMenu = fields.flag("has_menu", "Whether the menu has entries.")
        menu = fields.records("menu", "The main categories.", of: parts.menuItem.schema)
        footer = fields.records("footer", "Links of the footer.", of: parts.link.schema)
        footerNote = fields.text("footer_note", "A sentence in the footer.", optional: true)
        search = fields.record("search", "The search.", parts.searchSchema, optional: true)
        myLists = fields.record(
            "my_lists", "The page of the visitor's lists.", parts.file.schema, optional: true)
        text = fields.record("text", "The theme's texts.", parts.texts.schema)
    }
}

/// A page that lists products.
final class IndexFields: Sendable {
    let page: PageFields
    let heading: Field<String>, eyebrow: Field<String>, lead: Field<String>, breadcrumbs: Field<[Record]>
    let hasChildren: Field<Bool>, children: Field<[Record]>, countText: Field<String>, tiles: Field<Fragment>
    let emptyText: Field<String>, pager: Field<Record>, filter: Field<Record>
    let schema: Schema

    let filterGroup: Field<String>, filterValue: Field<String>
    let filterSchema: Schema
    let pagerLabel: Field<String>, pagerItems: Field<[Record]>, pagerPrevious: Field<Record>,
        pagerNext: Field<Record>
    let pagerSchema: Schema
    let itemText: Field<String>, itemLabel: Field<String>, itemPath: Field<String>, itemCurrent: Field<Bool>
    let itemGap: Field<Bool>
    let itemSchema: Schema

    init(parts: Parts) {
        var item = Schema.Builder("an entry of the pager")
        itemText = item.text("text", "The number.", sample: "3", optional: true)
        itemLabel = item.text("label", "It in words.", sample: "Page 3", optional: true)
        itemPath = item.text("path", "The page.", optional: true)
        itemCurrent = item.flag("current", "Whether it is this page.")
        itemGap = item.flag("gap", "Whether pages are left out here.")
        itemSchema = item.schema()
        var pager = Schema.Builder("a pager")
        pagerLabel = pager.text("label", "What it is.", sample: "Pages")
        pagerItems = pager.records(
            "items", "The first page, those around this one, the last.", of: itemSchema)
        pagerPrevious = pager.record("previous", "The page before.", parts.file.schema, optional: true)
        pagerNext = pager.record("next", "The page after.", parts.file.schema, optional: true)
        pagerSchema = pager.schema()
        var filter = Schema.Builder("what filters look among")
        filterGroup = filter.text(
            "group", "The facet's folder, or `category`.", sample: "category", optional: true)
        filterValue = filter.text("value", "Its value.", sample: "whisky", optional: true)
        filterSchema = filter.schema()
        var fields = Schema.Builder("an index page")
        page = PageFields(&fields, parts: parts)
        heading = fields.text("heading", "What it lists.", sample: "Whisky")
        eyebrow = fields.text("eyebrow", "The facet.", sample: "Region", optional: true)
        lead = fields.text("lead", "On the first page: a sentence about it.", optional: true)
        breadcrumbs = fields.records("breadcrumbs", "The way here.", of: parts.crumb.schema)
        hasChildren = fields.flag("has_children", "On the first page: whether there are subcategories.")
        children = fields.records(
            "children", "On the first page: the subcategories.", of: parts.branch.schema)
        countText = fields.text("count_text", "How many products.", sample: "1,204 products")
        tiles = fields.fragment("tiles", "The tiles of this page.", optional: true)
        emptyText = fields.text("empty_text", "What is said where there are none.", optional: true)
        self.pager = fields.record("pager", "Its pages.", pagerSchema, optional: true)
        self.filter = fields.record(
            "filter", "Among which products its filters look.", filterSchema, optional: true)
        schema = fields.schema()
    }
}

/// The tree of categories.
final class CategoriesFields: Sendable {
    let page: PageFields
    let heading: Field<String>, lead: Field<String>, breadcrumbs: Field<[Record]>, categories: Field<[Record]>
    let schema: Schema

    let name: Field<String>, path: Field<String>, count: Field<String>, hasChildren: Field<Bool>
    let children: Field<[Record]>
    let branchSchema: Schema

    init(parts: Parts) {
        var branch = Schema.Builder("a main category")
        name = branch.text("name", "What it is called.", sample: "Spirits")
        path = branch.text("path", "Its page.")
        count = branch.text("count", "How many products, with all below.", sample: "3,008")
        hasChildren = branch.flag("has_children", "Whether it has subcategories.")
        children = branch.records("children", "Its subcategories.", of: parts.branch.schema)
        branchSchema = branch.schema()
        var fields = Schema.Builder("the page of all categories")
        page = PageFields(&fields, parts: parts)
        heading = fields.text("heading", "What it is.", sample: "All categories")
        lead = fields.text("lead", "A sentence about it.", optional: true)
        breadcrumbs = fields.records("breadcrumbs", "The way here.", of: parts.crumb.schema)
        categories = fields.records("categories", "The main categories.", of: branchSchema)
        schema = fields.schema()
    }
}

/// All values of a facet, A to Z.
final class FacetFields: Sendable {
    let page: PageFields
    let heading: Field<String>, lead: Field<String>, breadcrumbs: Field<[Record]>, letters: Field<[Record]>
    let schema: Schema

    let letter: Field<String>, id: Field<String>, values: Field<[Record]>
    let letterSchema: Schema

    init(parts: Parts) {
        var group = Schema.Builder("a letter")
        letter = group.text("letter", "The letter.", sample: "A")
        id = group.text("id", "Its place on the page.", sample: "letter-a")
        values = group.records("values", "The values that begin with it.", of: parts.branch.schema)
        letterSchema = group.schema()
        var fields = Schema.Builder("the page of a facet")
        page = PageFields(&fields, parts: parts)
        heading = fields.text("heading", "The facet.", sample: "Producers")
        lead = fields.text("lead", "A sentence about it.", optional: true)
        breadcrumbs = fields.records("breadcrumbs", "The way here.", of: parts.crumb.schema)
        letters = fields.records("letters", "The values by their first letter.", of: letterSchema)
        schema = fields.schema()
    }
}

/// The home page.
final class HomeFields: Sendable {
    let page: PageFields
    let heading: Field<String>, lead: Field<String>, browseAll: Field<Record>, hasShelf: Field<Bool>
    let shelfPhotos: Field<Bool>, shelf: Field<[Record]>, hasCategories: Field<Bool>,
        categories: Field<[Record]>
    let featured: Field<Record>, newest: Field<Record>, hasFacets: Field<Bool>, facets: Field<[Record]>
    let schema: Schema

    let name: Field<String>, path: Field<String>, countText: Field<String>, colour: Field<String>
    let picture: Field<Record>
    let tileSchema: Schema
    let rowHeading: Field<String>, rowTiles: Field<Fragment>
    let rowSchema: Schema
    let facetName: Field<String>, facetPath: Field<String>, facetCount: Field<String>
    let facetSchema: Schema

    init(parts: Parts) {
        var tile = Schema.Builder("a category tile")
        name = tile.text("name", "What it is called.", sample: "Wine")
        path = tile.text("path", "Its page.")
        countText = tile.text("count_text", "How many products.", sample: "1,204 products")
        colour = tile.text("colour", "Its tint.", sample: "#7c2430")
        picture = tile.record("picture", "A picture.", parts.image.schema, optional: true)
        tileSchema = tile.schema()
        var row = Schema.Builder("a row of tiles")
        rowHeading = row.text("heading", "What they are.", sample: "Featured")
        rowTiles = row.fragment("tiles", "The tiles.")
        rowSchema = row.schema()
        var facet = Schema.Builder("a link to a facet")
        facetName = facet.text("name", "The facet.", sample: "Producers")
        facetPath = facet.text("path", "Its page.", sample: "producer/index.html")
        facetCount = facet.text("count_text", "How many values.", sample: "212")
        facetSchema = facet.schema()
        var fields = Schema.Builder("the home page")
        page = PageFields(&fields, parts: parts)
        heading = fields.text("heading", "The first words.", sample: "Every bottle, card by card.")
        lead = fields.text("lead", "What follows.", optional: true)
        browseAll = fields.record(
            "browse_all", "The way to all products.", parts.action.schema, optional: true)
        hasShelf = fields.flag("has_shelf", "Whether there are pictures to show.")
        shelfPhotos = fields.flag("shelf_photos", "Whether they are photographs rather than cut-outs.")
        shelf = fields.records("shelf", "Five to seven pictures.", of: parts.image.schema)
        hasCategories = fields.flag("has_categories", "Whether there are categories.")
        categories = fields.records("categories", "The main categories.", of: tileSchema)
        featured = fields.record("featured", "What the shop features.", rowSchema, optional: true)
        newest = fields.record("newest", "What is new.", rowSchema, optional: true)
        hasFacets = fields.flag("has_facets", "Whether there are facets.")
        facets = fields.records("facets", "Other ways to browse.", of: facetSchema)
        schema = fields.schema()
    }
}

/// The search page: what it shows until somebody searches, and where no script runs.
final class SearchFields: Sendable {
    let page: PageFields
    let heading: Field<String>, breadcrumbs: Field<[Record]>, hasCategories: Field<Bool>
    let categories: Field<[Record]>, hasFacets: Field<Bool>, facets: Field<[Record]>, all: Field<Record>
    let schema: Schema

    init(parts: Parts) {
        var fields = Schema.Builder("the search page")
        page = PageFields(&fields, parts: parts)
        heading = fields.text("heading", "What it is.", sample: "Search")
        breadcrumbs = fields.records("breadcrumbs", "The way here.", of: parts.crumb.schema)
        hasCategories = fields.flag("has_categories", "Whether there are categories.")
        categories = fields.records("categories", "The main categories.", of: parts.branch.schema)
        hasFacets = fields.flag("has_facets", "Whether there are facets.")
        facets = fields.records("facets", "The facets, A to Z.", of: parts.branch.schema)
        all = fields.record("all", "All products.", parts.branch.schema)
        schema = fields.schema()
    }
}

/// A Markdown page.
final class ContentFields: Sendable {
    let page: PageFields
    let heading: Field<String>, breadcrumbs: Field<[Record]>, html: Field<SafeHTML>
    let schema: Schema

    init(parts: Parts) {
        var fields = Schema.Builder("a content page")
        page = PageFields(&fields, parts: parts)
        heading = fields.text("heading", "Its title.", sample: "About us")
        breadcrumbs = fields.records("breadcrumbs", "The way here.", of: parts.crumb.schema)
        html = fields.html("html", "Its text.")
        schema = fields.schema()
    }
}

/// `404.html`.
final class NotFoundFields: Sendable {
    let page: PageFields
    let schema: Schema

    init(parts: Parts) {
        var fields = Schema.Builder("the page for what is not found")
        page = PageFields(&fields, parts: parts)
        schema = fields.schema()
    }
}

/// The stub at a former address.
final class RedirectFields: Sendable {
    let page: PageFields
    let target: Field<Record>
    let schema: Schema

    init(parts: Parts) {
        var fields = Schema.Builder("a redirect")
        page = PageFields(&fields, parts: parts)
        target = fields.record("target", "Where the product is now.", parts.link.schema)
        schema = fields.schema()
    }
}

/// A customer's overview, and the page of one list.
final class CustomerFields: Sendable {
    let page: PageFields
    let ownerHeading: Field<String>, lists: Field<[Record]>, overview: Field<Record>
    let schema: Schema

    let id: Field<String>, title: Field<String>, path: Field<String>, countText: Field<String>
    let emptyText: Field<String>, lines: Field<[Record]>, total: Field<Record>
    let listSchema: Schema

    let name: Field<String>, productPath: Field<String>, meta: Field<String>, picture: Field<Record>
    let colour: Field<String>, priceText: Field<String>, noPrice: Field<String>, availability: Field<Record>
    let added: Field<Record>, note: Field<String>, quantity: Field<String>, gone: Field<Record>
    let lineSchema: Schema

    let totalLabel: Field<String>, totalText: Field<String>, totalSmall: Field<String>
    let totalSchema: Schema

    init(parts: Parts) {
        var line = Schema.Builder("a line of a list")
        name = line.text("name", "The product, or its id when it is unknown.")
        productPath = line.text("path", "Its page.", optional: true)
        meta = line.text("meta", "Style, size and strength.", optional: true)
        picture = line.record("picture", "Its picture.", parts.image.schema, optional: true)
        colour = line.text("colour", "Its tint.", sample: "#b9772e")
        priceText = line.text("price_text", "The line's sum.", sample: "£109.00", optional: true)
        noPrice = line.text("no_price_text", "What stands for a price.", optional: true)
        availability = line.record(
            "availability", "Whether it can be had.", parts.availability.schema, optional: true)
        added = line.record("added", "When it was put there.", parts.date.schema, optional: true)
        note = line.text("note", "What the customer wrote.", optional: true)
        quantity = line.text("quantity", "How many.", sample: "2 at £54.50 each", optional: true)
        gone = line.record("gone", "A tag: no longer sold.", parts.tag.schema, optional: true)
        lineSchema = line.schema()
        var total = Schema.Builder("a total")
        totalLabel = total.text("label", "What it is.", sample: "Total")
        totalText = total.text("text", "The sum.", sample: "£168.20")
        totalSmall = total.text("small", "What is not counted.", optional: true)
        totalSchema = total.schema()
        var list = Schema.Builder("a list")
        id = list.choice("id", "Which one.", of: ["wish", "basket", "collection"])
        title = list.text("title", "What it is called.", sample: "Wish list")
        path = list.text("path", "Its own page, if the list file gives the list.", optional: true)
        countText = list.text("count_text", "How many products.", sample: "4 products")
        emptyText = list.text("empty_text", "What is said when it is empty.", optional: true)
        lines = list.records("lines", "What is on it.", of: lineSchema)
        self.total = list.record("total", "What it comes to.", totalSchema, optional: true)
        listSchema = list.schema()
        var fields = Schema.Builder("a customer's page")
        page = PageFields(&fields, parts: parts)
        ownerHeading = fields.text("owner_heading", "Whose lists.", sample: "Lists of Maren")
        lists = fields.records("lists", "The lists.", of: listSchema)
        overview = fields.record("overview", "The page with all three.", parts.file.schema, optional: true)
        schema = fields.schema()
    }
}

/// The page of the visitor's own lists, which a script fills.
final class MyListsFields: Sendable {
    let page: PageFields
    let lists: Field<[Record]>
    let schema: Schema

    let id: Field<String>, title: Field<String>, emptyText: Field<String>, totalLabel: Field<String>
    let listSchema: Schema

    init(parts: Parts) {
        var list = Schema.Builder("one of the visitor's lists")
        id = list.choice("id", "Which one.", of: ["wish", "basket", "collection"])
        title = list.text("title", "What it is called.", sample: "Wish list")
        emptyText = list.text("empty_text", "What is said when it is empty.", sample: "The basket is empty.")
        totalLabel = list.text("total_label", "What its total is.", sample: "Total")
        listSchema = list.schema()
        var fields = Schema.Builder("the page of the visitor's lists")
        page = PageFields(&fields, parts: parts)
        lists = fields.records("lists", "The three lists.", of: listSchema)
        schema = fields.schema()
    }
}
