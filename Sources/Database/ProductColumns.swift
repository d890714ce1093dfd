import Basics
import Model

/// The fields that a products query may give, and where they stand in it.
struct ProductColumns: Sendable {
    /// Every field that is a column name of its own, as docs/database.md lists them.
    static let fields = [
        "id", "sku", "gtin", "name", "slug", "producer", "style", "country", "region", "age", "vintage",
        "bottled",
        "abv", "volume_ml", "price", "price_minor", "sale_price", "sale_price_minor", "currency",
        "availability", "stock",
        "summary", "bottling_note", "tasting_note", "nose", "palate", "finish", "colour", "featured",
        "created",
        "updated", "picture", "picture_alt", "category_id",
    ]

    private let indices: [Int32]
    /// `fact:…`, `facet:…` and `note:…` columns, in the order of the query.
    let facts: [(label: String, index: Int32)]
    let facets: [(label: String, index: Int32)]
    let notes: [(label: String, index: Int32, column: String)]
    /// What to select, in the order of the indices.
    let selection: String

    func index(_ field: Field) -> Int32 { indices[field.rawValue] }

    /// The fields by number; the order is that of ``fields``.
    enum Field: Int {
        case id, sku, gtin, name, slug, producer, style, country, region, age, vintage, bottled, abv
        case volume, price, priceMinor, salePrice, salePriceMinor, currency, availability, stock
        case summary, bottlingNote, tastingNote, nose, palate, finish, colour, featured, created
        case updated, picture, pictureAlt, categoryID

        /// Whether the survey needs it.
        var isLight: Bool {
            switch self {
            case .id, .name, .slug, .producer, .style, .country, .region, .featured, .created, .updated,
                .categoryID, .price, .priceMinor, .salePrice, .salePriceMinor, .currency:
                true
            default: false
            }
        }

        /// Whether pictures are found by it.
        var isOfPictures: Bool { [.sku, .picture, .pictureAlt].contains(self) }

        /// Whether a product's tile shows it, or a line of a list.
        var isOfTile: Bool {
            switch self {
            case .id, .name, .producer, .style, .abv, .volume, .price, .priceMinor, .salePrice,
                .salePriceMinor, .currency, .availability, .stock, .colour:
                true
            default: isOfPictures
            }
        }
    }

    /// Only what the walk needs is selected, so that long texts are not even read.
    init(_ relation: Relation, _ detail: CatalogueReader.Detail) throws(MappingError) {
        let light = detail == .survey || detail == .known
        let brief = detail == .brief || detail == .tile
        var indices = [Int32](repeating: -1, count: Self.fields.count)
        var facts: [(String, Int32)] = []
        var facets: [(String, Int32)] = []
        var notes: [(String, Int32, String)] = []
        var selected: [String] = []
        for column in relation.columns {
            let next = Int32(selected.count)
            if let field = Self.fields.firstIndex(of: column) {
                let known = Field(rawValue: field)!
                if light, !known.isLight, detail != .known || !known.isOfPictures { continue }
                if brief, !known.isOfTile { continue }
                indices[field] = next
            } else if let label = column.label(after: "fact:") {
                if light || brief { continue }
                facts.append((label, next))
            } else if let label = column.label(after: "facet:") {
                if brief { continue }
                facets.append((label, next))
            } else if let label = column.label(after: "note:") {
                if light || brief { continue }
                notes.append((label, next, column))
            } else if relation.isMapped {
                throw relation.unknown(column, known: Self.fields)
            } else {
                continue
            }
            selected.append(column.quotedIdentifier)
        }
        self.indices = indices
        self.facts = facts
        self.facets = facets
        self.notes = notes
        selection = selected.joined(separator: ", ")
    }
}

extension String {
    /// The rest after a prefix such as `fact:`, if there is one and it is not empty.
    fileprivate func label(after prefix: String) -> String? {
        guard hasPrefix(prefix), utf8.count > prefix.utf8.count else { return nil }
        return String(dropFirst(prefix.count)).collapsed
    }
}
