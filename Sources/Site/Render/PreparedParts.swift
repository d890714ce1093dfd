import Basics
import Markup
import Model
import Templates

/// Facets that are fields of a product and have a row of their own, in the order of their rows.
enum FieldFacet: String, CaseIterable {
    case producer, style, region, country

    fileprivate var place: Int {
        switch self {
        case .producer: 0
        case .style: 1
        case .region: 2
        case .country: 3
        }
    }
}

/// Parts of product pages that many products share, made once: tabs, availabilities, breadcrumbs, facts that are values
/// of a facet. A third of the work of a page saved, for some kilobytes for each category and value; a preview, which makes
/// few pages and has a new one of these at every change, makes the large ones when they are asked for.
struct PreparedParts: Sendable {
    /// The cards that have a name of their own.
    enum Card: String, CaseIterable { case overview, facts, note, tasting, reviews }

    private let cards: [Record]
    private let availabilities: [Record]
    /// Home and the trail of each category; the last is home alone.
    private var trails: [[Record]] = []
    /// The same for search engines: a list's items, with whole addresses.
    private var listItems = ScriptJSONWriter.Collection()
    private var rows: [Record] = []
    /// How many reviews gave one to five stars, for numbers as most products have.
    private var starsLabels: [String] = []
    private static let mostCounted = 50
    /// Where each value of a facet has its page.
    private var valuePaths: [String] = []
    private let strings: Strings
    private let isComplete: Bool
    private let views: Views
    private let catalogue: Catalogue
    private let home: String
    private let url: String?
    /// The number of each facet.
    let facetNumbers: [String: Int]
    /// The number of each facet that is also a field of a product, in the order of ``FieldFacet``.
    private let fieldFacets: [Int?]
    /// The numbers of all others.
    let otherFacets: [Int]
    let labels: FactLabels
    /// The colours that styles decide: there are few, and finding one means folding the name.
    let tints: [String: String]

    /// What facts are called that are no facets.
    struct FactLabels: Sendable {
        let age: String, vintage: String, bottled: String, strength: String, volume: String, sku: String
        let gtin: String

        fileprivate init(_ strings: Strings) {
            age = strings["age"]
            vintage = strings["vintage"]
            bottled = strings["bottled"]
            strength = strings["strength"]
            volume = strings["volume"]
            sku = strings["sku"]
            gtin = strings["gtin"]
        }
    }

    /// - Parameter isComplete: whether everything is made at once.
    init(views: Views, strings: Strings, catalogue: Catalogue, url: String?, isComplete: Bool) {
        self.isComplete = isComplete
        self.views = views
        self.catalogue = catalogue
        self.url = url
        home = strings["home"]
        let product = views.product
        cards = Card.allCases.map { card in
            var record = Record(product.cardSchema)
            record[product.cardID] = card.rawValue
            record[product.cardTab] = strings["tab_" + card.rawValue]
            record[product.cardTitle] = strings["card_" + card.rawValue]
            return record
        }
        let fields = views.parts.availability
        availabilities = Availability.allCases.map { availability in
            let (key, text) = Self.names(of: availability)
            var record = Record(fields.schema)
            record[fields.key] = key
            record[fields.text] = strings[text]
            return record
        }
        let numbers = Dictionary(catalogue.facets.enumerated().map { ($1.key, $0) }) { first, _ in first }
        facetNumbers = numbers
        fieldFacets = FieldFacet.allCases.map { numbers[$0.rawValue] }
        otherFacets = catalogue.facets.indices.filter {
            FieldFacet(rawValue: catalogue.facets[$0].key) == nil
        }
        labels = FactLabels(strings)
        let styles = numbers["style"].map { catalogue.facets[$0].values.prefix(500) } ?? []
        tints = Dictionary(styles.map { catalogue.values[$0].name }.map { ($0, SiteRenderer.tint(of: $0)) }) {
            first, _ in first
        }
        self.strings = strings
        guard isComplete else { return }
        starsLabels = (1...5).flatMap { stars in
            (0..<Self.mostCounted).map { Self.starsLabel(stars, count: $0, strings) }
        }
        let tree = catalogue.tree
        let nodes = Array(tree.nodes.indices) + [nil]
        // A category's own crumb is on the way to all that are below it.
        let first = views.parts.crumb(home, "index.html")
        let crumbs = tree.nodes.indices.map { views.parts.crumb(tree.nodes[$0].category.name, tree.path($0)) }
        trails = nodes.map { [first] + shownTrail(to: $0).map { crumbs[$0] } }
        if url != nil { for node in nodes { listItems.append(makeListItems(to: node)) } }
        valuePaths = catalogue.values.indices.map { catalogue.path(value: $0) }
        rows = catalogue.values.indices.map { makeRow(value: $0) }
    }

    /// A trail of 64 names helps nobody: the top and the nearest are shown.
    private func shownTrail(to node: Int?) -> [Int] {
        let trail = node.map { catalogue.tree.trail($0) } ?? []
        return trail.count > 6 ? trail.prefix(2) + trail.suffix(4) : trail
    }

    private func way(to node: Int?) -> [(name: String, path: String)] {
        let tree = catalogue.tree
        return [(home, "index.html")]
            + shownTrail(to: node).map { (tree.nodes[$0].category.name, tree.path($0)) }
    }

    private func makeTrail(to node: Int?) -> [Record] {
        way(to: node).map { views.parts.crumb($0.name, $0.path) }
    }

    private func makeListItems(to node: Int?) -> ScriptJSONWriter.Written {
        var json = ScriptJSONWriter()
        json.beginArray()
        for (i, crumb) in way(to: node).enumerated() {
            json.listItem(i + 1, name: crumb.name, address: SiteRenderer.absolute(crumb.path, url: url) ?? "")
        }
        json.endArray()
        return json.written()
    }

    private func makeRow(value: Int) -> Record {
        let product = views.product
        let facet = catalogue.facets[catalogue.values[value].facet]
        var text = Record(product.valueSchema)
        text[product.valueText] = catalogue.values[value].name
        text[product.valuePath] = path(value: value)
        text[product.valueLast] = true
        var row = Record(product.factSchema)
        row[product.factLabel] = facet.label
        row[product.factValues] = [text]
        return row
    }

    /// What styles call an availability, and the key of its text.
    static func names(of availability: Availability) -> (key: String, text: String) {
        switch availability {
        case .inStock: ("in", "in_stock")
        case .limited: ("low", "low_stock_unknown")
        case .soldOut: ("out", "sold_out")
        case .comingSoon: ("soon", "coming_soon")
        case .discontinued: ("gone", "discontinued")
        }
    }

    /// The number of a facet that is also a field of a product, if the site browses by it.
    func facet(_ field: FieldFacet) -> Int? { fieldFacets[field.place] }

    func card(_ card: Card) -> Record { cards[Card.allCases.firstIndex(of: card)!] }

    /// What an availability is called when the number of pieces is not known.
    func availability(_ availability: Availability) -> Record {
        availabilities[Availability.allCases.firstIndex(of: availability)!]
    }

    /// Home and the way to a category.
    func trail(to node: Int?) -> [Record] {
        isComplete ? trails[node ?? trails.count - 1] : makeTrail(to: node)
    }

    /// Writes the same for search engines; only for a site that has an address.
    ///
    /// The page itself is not in it, as it is not in what visitors see, unless the home page would be alone: of one item
    /// search engines make nothing.
    func writeBreadcrumbs(to node: Int?, of page: String, to json: inout ScriptJSONWriter) {
        json.beginBreadcrumbs()
        if isComplete {
            json.elements(of: listItems, at: node ?? listItems.count - 1)
        } else {
            json.elements(of: makeListItems(to: node))
        }
        if node == nil { json.listItem(2, name: page, address: nil) }
        json.endArray()
    }

    /// How many reviews gave so many stars, in words.
    func starsLabel(_ stars: Int, count: Int) -> String {
        if isComplete, count < Self.mostCounted { return starsLabels[(stars - 1) * Self.mostCounted + count] }
        return Self.starsLabel(stars, count: count, strings)
    }

    private static func starsLabel(_ stars: Int, count: Int, _ strings: Strings) -> String {
        strings("stars_count_label", count: count, ["stars": strings.locale.number(stars)])
    }

    /// Where a value of a facet has its page.
    func path(value: Int) -> String { isComplete ? valuePaths[value] : catalogue.path(value: value) }

    /// The row of the facts card for one value of a facet.
    func row(value: Int) -> Record { isComplete ? rows[value] : makeRow(value: value) }
}

extension ScriptJSONWriter {
    /// Writes the members of a page's breadcrumbs (schema.org BreadcrumbList) up to the array of their items.
    mutating func beginBreadcrumbs() {
        member("@type", fixed: "BreadcrumbList")
        key("itemListElement")
        beginArray()
    }

    /// An item of breadcrumbs (schema.org ListItem).
    ///
    /// - Parameter address: nil for the page itself, the last item: search engines know where they found it.
    mutating func listItem(_ position: Int, name: String, address: String?) {
        beginObject()
        member("@type", fixed: "ListItem")
        key("position")
        value(position)
        member("name", name)
        if let address { member("item", address) }
        endObject()
    }
}
