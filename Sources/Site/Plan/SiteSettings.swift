import Basics
import Database
import Formats
import Markup
import Model

/// What `content/site.yaml` says, with the defaults filled in. docs/settings.md describes every key.
public struct SiteSettings: Sendable {
    /// How reviews are shown.
    enum ReviewMode: String, CaseIterable, Sendable {
        /// In the product's page.
        case inline
        /// In a page of their own, which the product's page fetches.
        case deferred
        /// Asked of a web service when the product's page is shown; the table of reviews is not used.
        case remote
    }

    let title: String
    let tagline: String?, summary: String?
    /// The address of the site's root, ending in `/`: absolute links (canonical, feeds, sitemap) need it.
    let url: String?
    let locale: Locale
    let currency: Currency
    /// Paths relative to the content folder.
    let database: String
    let pictures: String, pages: String, lists: String
    let order: Catalogue.Order
    let pageSize: Int
    let reviews: ReviewMode
    /// The service to ask when reviews are remote.
    let reviewService: ReviewService?
    /// How many reviews a product's page shows when they are inline.
    let reviewsShown: Int
    let reviewsAreHTML: Bool
    let noteFormats: [String: Note.Format]
    let facets: [FacetDefinition]?
    let texts: [String: Strings.Entry]
    let homeHeading: String?, homeLead: String?
    let footerNote: String?
    let categoryFeeds: Bool
    /// Whether visitors may keep lists on their device.
    let hasMyLists: Bool
    /// Whether a service worker keeps visited pages on the device.
    let isOffline: Bool
    /// Whether to write a `_headers` file for the host.
    let hostHeaders: Bool
    let showsPriceOnRequest: Bool
    /// Whether products can be searched and filtered in the browser.
    let hasSearch: Bool
    /// Where the site can be published to, in the order of the file.
    let publishTargets: [PublishTarget]
    let queries: [Mapping.Source: String]
    /// The file, to say where a mapped query is wrong.
    let source: SourceText
    private let queryScalars: [Mapping.Source: YAMLScalar]
    /// Where the file names the columns of notes, and what can be browsed by: only the database knows whether they
    /// exist.
    private let notePlaces: [(key: String, offset: Int)]
    private let facetPlaces: [String: Int]
    /// Every name that a settings file may have, as far as this one leads to them: docs/settings.md is compared with
    /// it.
    let knownNames: Set<String>
    /// Where those stand that it gives: byte offsets.
    let givenNames: [String: Int]

    /// Reads the settings; everything that is wrong with them is thrown together.
    init(_ source: SourceText) throws(Failure) {
        self.source = source
        let reader = SettingsReader(source)
        let site = reader.settings
        title = site.required("title").text() ?? ""
        tagline = site["tagline"].text()
        summary = site["description"].text()
        let address = site["url"]
        if let text = address.text() {
            if let url = SafeURL.checked(text, for: .absolute) {
                self.url = url.hasSuffix("/") ? url : url + "/"
            } else {
                address.error("setting-value", "'url' is no web address such as https://shop.example/")
                url = nil
            }
        } else {
            url = nil
        }
        let language = site["language"]
        let tag = language.text() ?? "en"
        if !tag.isLanguageTag { language.error("setting-value", "'\(tag)' is no language tag such as en-GB") }
        locale = Locale(tag)
        let code = site["currency"]
        let text = code.text() ?? "EUR"
        if let currency = Currency(text) {
            self.currency = currency
        } else {
            code.error("setting-value", "'\(text)' is no currency code such as EUR")
            currency = Currency("EUR")!
        }
        let pictureQuery: Setting?
        database = site["database"].text() ?? "shop.db"
        (pictures, pictureQuery) = Self.pictures(site["pictures"])
        pages = site["pages"].text() ?? "pages"
        lists = site["lists"].text() ?? "lists.json"
        order =
            site["order"].choice(of: Catalogue.Order.allCases.map(\.rawValue)).flatMap(Catalogue.Order.init)
            ?? .name
        pageSize = site["page_size"].integer(in: 1...1000) ?? 48
        let reviews = site["reviews"]
        var mode: String?
        var shown: Int?
        var html = false
        var service: ReviewService?
        let modes = ReviewMode.allCases.map(\.rawValue)
        var reviewQuery: Setting?
        if let text = reviews.kind == .scalar ? reviews.text() : nil {
            // One word is the mode; anything longer is where the rows come from.
            if text.contains(where: \.isWhitespace) {
                reviewQuery = reviews
            } else {
                mode = reviews.choice(of: modes)
                if mode == "remote" {
                    reviews.error(
                        "setting-value",
                        "'remote' needs an address: write 'reviews: {mode: remote, address: \"https://…/{id}\"}'"
                    )
                }
            }
        } else if let reviews = reviews.mapping() {
            mode = reviews["mode"].choice(of: modes)
            let address = mode == "remote" ? reviews.required("address") : reviews["address"]
            if let text = address.text() {
                service = ReviewService(text)
                if service == nil {
                    address.error(
                        "setting-value",
                        "'\(text)' is no address for reviews: one over https, or a path of the site, with '{id}', '{sku}' "
                            + "or '{gtin}' where the product's goes")
                }
            }
            shown = reviews["shown"].integer(in: 1...1000)
            reviewQuery = reviews["query"]
            html = reviews["format"].choice(of: ["plain", "html"]) == "html"
        }
        self.reviews = mode.flatMap(ReviewMode.init) ?? .deferred
        reviewService = self.reviews == .remote ? service : nil
        reviewsShown = shown ?? 5
        reviewsAreHTML = html
        var formats: [String: Note.Format] = [:]
        for note in site["notes"].members() {
            formats[note.key] = note.value.choice(of: ["html", "markdown", "plain"]).flatMap(Note.Format.init)
        }
        noteFormats = formats
        notePlaces = site["notes"].members().map { ($0.key, $0.offset) }
        facets = Self.facets(site["browse_by"])
        var places: [String: Int] = [:]
        for (facet, element) in zip(facets ?? [], site["browse_by"].elements()) {
            places[facet.key] = element.node.offset
        }
        facetPlaces = places
        texts = Strings.entries(site["texts"])
        let home = site["home"]
        if home.mapping() != nil {
            homeHeading = home["heading"].text()
            homeLead = home["lead"].text()
        } else {
            (homeHeading, homeLead) = (nil, nil)
        }
        footerNote = site["footer"].text()
        categoryFeeds = site["category_feeds"].flag() ?? true
        hasMyLists = site["my_lists"].flag() ?? true
        isOffline = site["offline"].flag() ?? true
        hostHeaders = site["headers"].flag() ?? false
        showsPriceOnRequest = site["price_on_request"].flag() ?? true
        hasSearch = site["search"].flag() ?? true
        publishTargets = site["publish"].members().compactMap { PublishTarget($0.key, $0.value) }
        var queries: [Mapping.Source: String] = [:]
        var scalars: [Mapping.Source: YAMLScalar] = [:]
        for source in Mapping.Source.allCases {
            let setting: Setting? =
                switch source {
                case .reviews: reviewQuery
                case .pictures: pictureQuery
                default: site[source.rawValue]
                }
            guard let scalar = setting?.scalar(expecting: "an SQL query") else { continue }
            queries[source] = scalar.text
            scalars[source] = scalar
        }
        self.queries = queries
        queryScalars = scalars
        knownNames = reader.names
        givenNames = reader.places
        try reader.finish()
    }

    /// The facets a site lists, each by its key or with its labels; nil when it lists none.
    private static func facets(_ setting: Setting) -> [FacetDefinition]? {
        guard setting.isGiven else { return nil }
        return setting.elements().compactMap { element in
            if element.kind == .scalar {
                return element.text().map { FacetDefinition(key: $0, label: nil, plural: nil, folder: nil) }
            }
            guard let facet = element.mapping(), let key = facet.required("key").text() else { return nil }
            return FacetDefinition(
                key: key, label: facet["label"].text(), plural: facet["plural"].text(),
                folder: facet["folder"].text())
        }
    }

    /// The folder of pictures, and where their rows come from: one word is the folder, anything longer a query.
    private static func pictures(_ setting: Setting) -> (folder: String, query: Setting?) {
        let usual = "pictures"
        if setting.kind == .scalar, let text = setting.text() {
            return text.contains(where: \.isWhitespace) ? (usual, setting) : (text, nil)
        }
        guard let setting = setting.mapping() else { return (usual, nil) }
        return (setting["folder"].text() ?? usual, setting["query"])
    }

    /// What the database module needs to know.
    var mapping: Mapping { Mapping(queries: queries, currency: currency, noteFormats: noteFormats) }

    /// The failure for formats of notes that the database does not have; nil when all are there.
    ///
    /// - Parameter columns: the labels of the `note:` columns.
    func failure(notes columns: [String]) -> Failure? {
        let known = ["bottling_note", "tasting_note"] + columns.map { "note:\($0)" }
        let faults = notePlaces.filter { !known.contains($0.key) }.map { note in
            let near =
                suggestion(for: note.key, among: known).map { "; did you mean '\($0)'?" }
                ?? "; name 'bottling_note', 'tasting_note' or a 'note:' column"
            return source.diagnostic(
                .error, "unknown-note", "'\(note.key)' is no column of notes\(near)", at: note.offset,
                length: note.key.utf8.count)
        }
        return faults.isEmpty ? nil : Failure(faults)
    }

    /// The warning for something to browse by that no product has.
    func warning(facet key: String, known: [String]) -> Diagnostic {
        let near = suggestion(for: key, among: known).map { "; did you mean '\($0)'?" } ?? "; left out"
        return source.diagnostic(
            .warning, "unknown-facet", "no product has '\(key)' to browse by\(near)",
            at: facetPlaces[key] ?? 0,
            length: key.utf8.count)
    }

    /// The diagnostic for a query or table that cannot be used, at its place in the file if it has one.
    func failure(_ error: MappingError, database: String) -> Failure {
        guard let scalar = queryScalars[error.source] else {
            return Failure(error.id, error.message, at: .file(database))
        }
        let offset = scalar.offset(ofByte: error.offset ?? 0, in: source)
        return Failure([source.diagnostic(.error, error.id, error.message, at: offset)])
    }
}

extension String {
    /// Whether it looks like a BCP 47 tag: letters, then parts of letters and digits.
    var isLanguageTag: Bool {
        let parts = split(separator: "-", omittingEmptySubsequences: false)
        guard utf8.count <= 35, let first = parts.first, (2...8).contains(first.utf8.count),
            first.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) })
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            (1...8).contains(part.utf8.count)
                && part.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
        }
    }
}
