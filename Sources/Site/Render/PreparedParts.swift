import Basics
import Markup
import Model
import Templates

/// Parts of product pages that many products share, made once: tabs, availabilities, breadcrumbs, facts that are values
/// of a facet. Some kilobytes for each category and value, and a third of the work of a page saved.
struct PreparedParts: Sendable {
    /// The cards that have a name of their own.
    enum Card: String, CaseIterable { case overview, facts, note, tasting, reviews }

    private let cards: [Record]
    private let availabilities: [Record]
    /// Home and the trail of each category; the last is home alone.
    private let trails: [[Record]]
    /// The same for search engines: names and whole addresses.
    private let addresses: [[(name: String, address: String)]]
    private let rows: [Record]
    /// The number of each facet.
    let facetNumbers: [String: Int]

    init(views: Views, strings: Strings, catalogue: Catalogue, url: String?) {
        let product = views.product
        let tree = catalogue.tree
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
        let home = (name: strings["home"], path: "index.html")
        let ways =
            tree.nodes.indices.map { node in
                // A trail of 64 names helps nobody: the top and the nearest are shown.
                let trail = tree.trail(node)
                let shown = trail.count > 6 ? trail.prefix(2) + trail.suffix(4) : trail[...]
                return [home] + shown.map { (name: tree.nodes[$0].category.name, path: tree.path($0)) }
            } + [[home]]
        trails = ways.map { way in way.map { views.parts.crumb($0.name, $0.path) } }
        addresses =
            url == nil
            ? [] : ways.map { way in way.map { ($0.name, SiteRenderer.absolute($0.path, url: url) ?? "") } }
        rows = catalogue.values.indices.map { i in
            let facet = catalogue.facets[catalogue.values[i].facet]
            var value = Record(product.valueSchema)
            value[product.valueText] = catalogue.values[i].name
            value[product.valuePath] = catalogue.path(value: i)
            value[product.valueLast] = true
            var row = Record(product.factSchema)
            row[product.factLabel] = facet.label
            row[product.factValues] = [value]
            return row
        }
        facetNumbers = Dictionary(catalogue.facets.enumerated().map { ($1.key, $0) }) { first, _ in first }
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

    func card(_ card: Card) -> Record { cards[Card.allCases.firstIndex(of: card)!] }

    /// What an availability is called when the number of pieces is not known.
    func availability(_ availability: Availability) -> Record {
        availabilities[Availability.allCases.firstIndex(of: availability)!]
    }

    /// Home and the way to a category.
    func trail(to node: Int?) -> [Record] { trails[node ?? trails.count - 1] }

    /// The same for search engines; only of a site that has an address.
    func addresses(to node: Int?) -> [(name: String, address: String)] {
        addresses[node ?? addresses.count - 1]
    }

    /// The row of the facts card for one value of a facet.
    func row(value: Int) -> Record { rows[value] }
}
