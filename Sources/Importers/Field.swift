/// What a cell of a file says of a product or a review: where its value goes.
public enum Field: Hashable, Sendable {
    /// A column of `products`, or `price`, `sale_price` (decimals).
    case product(String)
    /// Paths of categories, `Spirits > Whisky`.
    case category
    /// A step below the category of the same row.
    case subcategory
    /// Files or addresses of pictures, and the alternative text of the last one.
    case picture, pictureText
    /// A labelled value on the facts card.
    case fact(String)
    /// A labelled value that can be browsed by.
    case facet(String)
    /// What the variants of a product have in common and no other product has.
    case group
    /// Part of a review: `rating`, `author`, `date`, `title`, `body`, `language`, `id`; and what names its product:
    /// `product`, `product_id`, `product_sku`, `product_slug`, `product_gtin`, `product_name`.
    case review(String)

    /// The columns of `products` that a cell can go to, and the two decimals.
    static let productNames = [
        "id", "sku", "gtin", "name", "slug", "producer", "style", "country", "region", "age", "vintage",
        "bottled",
        "abv", "volume_ml", "price_minor", "sale_price_minor", "price", "sale_price", "currency",
        "availability",
        "stock", "summary", "bottling_note", "tasting_note", "nose", "palate", "finish", "colour", "featured",
        "created", "updated",
    ]

    /// The parts of a review that a cell can go to.
    static let reviewNames = [
        "product", "product_id", "product_sku", "product_slug", "product_gtin", "product_name", "rating",
        "author",
        "date", "title", "body", "language", "id",
    ]

    /// The field of a name as `--map` writes it; nil when there is none.
    public init?(named name: String, inReviews: Bool = false) {
        if let label = name.label(after: "fact:") {
            self = .fact(label)
        } else if let label = name.label(after: "facet:") {
            self = .facet(label)
        } else if inReviews {
            guard Self.reviewNames.contains(name) else { return nil }
            self = .review(name)
        } else if name == "category" {
            self = .category
        } else if name == "subcategory" {
            self = .subcategory
        } else if name == "picture" {
            self = .picture
        } else if name == "picture_alt" {
            self = .pictureText
        } else if Self.productNames.contains(name) {
            self = .product(name)
        } else {
            return nil
        }
    }

    /// The names that `--map` takes, for messages; facts and facets have labels of the user's.
    public static func names(inReviews: Bool) -> [String] {
        inReviews
            ? reviewNames
            : productNames + ["category", "subcategory", "picture", "picture_alt", "fact:…", "facet:…"]
    }

    /// The name as `--map` writes it.
    public var name: String {
        switch self {
        case .product(let name), .review(let name): name
        case .category: "category"
        case .subcategory: "subcategory"
        case .picture: "picture"
        case .pictureText: "picture_alt"
        case .group: "group"
        case .fact(let label): "fact:" + label
        case .facet(let label): "facet:" + label
        }
    }
}

extension String {
    fileprivate func label(after prefix: String) -> String? {
        guard hasPrefix(prefix) else { return nil }
        let label = String(dropFirst(prefix.count)).trimmed
        return label.isEmpty ? nil : label
    }

    /// The text without white space at its ends, no-break spaces included.
    var trimmed: String {
        let scalars = unicodeScalars
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
        // Most cells have none: their text is handed on as it is.
        guard let first = scalars.first, let last = scalars.last, isBlank(first) || isBlank(last) else {
            return self
        }
        guard let start = scalars.firstIndex(where: { !isBlank($0) }),
            let end = scalars.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(scalars[start...end])
    }
}
