public import Basics
import Database
import Formats
import Model

/// A setting as it is in force.
public struct SettingInForce: Sendable {
    /// The key, as docs/settings.md has it.
    public let key: String
    /// The value on one line; nil if it has none.
    public let value: String?
    /// Where the file gives it; nil if the value is the default.
    public let place: Diagnostic.Place?
}

/// The settings of a site as they are in force, in the order of docs/settings.md.
///
/// - Throws: ``Failure`` with everything that is wrong with them.
public func settingsInForce(_ options: BuildOptions) throws -> [SettingInForce] {
    do {
        return try SiteSources(options).settings.inForce
    } catch let error as FileError {
        throw Failure("file", error.advice)
    }
}

extension SiteSettings {
    var inForce: [SettingInForce] {
        func flag(_ value: Bool) -> String { value ? "true" : "false" }
        func line(_ text: String?) -> String? {
            text.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        }
        let formats = noteFormats.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.rawValue)" }
        var values: [(String, String?)] = []
        func add(_ key: String, _ value: String?) { values.append((key, value)) }
        add("title", title)
        add("tagline", tagline)
        add("description", summary)
        add("url", url)
        add("language", locale.tag)
        add("currency", currency.code)
        add("footer", footerNote)
        add("home.heading", homeHeading ?? tagline ?? title)
        add("home.lead", homeLead ?? summary)
        add("texts", texts.isEmpty ? nil : texts.keys.sorted().joined(separator: ", "))
        add("database", database)
        for source in Mapping.Source.allCases {
            let key =
                switch source {
                case .reviews, .pictures: source.rawValue + ".query"
                default: source.rawValue
                }
            add(key, line(queries[source]) ?? "the table \(source.rawValue), if there is one")
        }
        add("pictures.folder", pictures.folder)
        add("pictures.match", pictures.match?.rawValue)
        add("pictures.quality", String(pictures.recipe.quality))
        add("pictures.avif", flag(pictures.recipe.wantsAVIF))
        add("pictures.trusted_svg", pictures.trustedSVG)
        add("notes", formats.isEmpty ? nil : formats.joined(separator: ", "))
        add(
            "browse_by", facets?.map(\.key).joined(separator: ", ") ?? "every field and facet that has values"
        )
        add("order", order.rawValue)
        add("page_size", String(pageSize))
        add("search", flag(hasSearch))
        add("reviews.mode", reviews.rawValue)
        add("reviews.address", reviewService?.pattern)
        add("reviews.shown", String(reviewsShown))
        add("reviews.format", reviewsAreHTML ? "html" : "plain")
        add("price_on_request", flag(showsPriceOnRequest))
        add("pages", pages)
        add("lists", lists)
        add("my_lists", flag(hasMyLists))
        add("offline", flag(isOffline))
        add("category_feeds", flag(categoryFeeds))
        add("headers", flag(hostHeaders))
        add("publish", publishTargets.isEmpty ? nil : publishTargets.map(\.name).joined(separator: ", "))
        return values.map { key, value in
            // The short form of a mapping stands for one of its members: `reviews: inline`.
            let short = String(key.prefix { $0 != "." })
            let offset =
                givenNames[key] ?? (givenNames[short].flatMap { isShort(short, for: key) ? $0 : nil })
            return SettingInForce(key: key, value: value, place: offset.map { source.place(at: $0) })
        }
    }

    /// Whether the file gives a setting that may be a mapping by its one word, which stands for the member asked for.
    private func isShort(_ name: String, for key: String) -> Bool {
        guard key != name, !givenNames.keys.contains(where: { $0.hasPrefix(name + ".") }) else {
            return false
        }
        switch key {
        case "reviews.mode": return queries[.reviews] == nil
        case "reviews.query": return queries[.reviews] != nil
        case "pictures.folder": return queries[.pictures] == nil
        case "pictures.query": return queries[.pictures] != nil
        default: return false
        }
    }
}
