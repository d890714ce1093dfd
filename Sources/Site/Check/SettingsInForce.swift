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
        var values: [(String, String?)] = [
            ("title", title), ("tagline", tagline), ("description", summary), ("url", url),
            ("language", locale.tag), ("currency", currency.code), ("footer", footerNote),
            ("home.heading", homeHeading ?? tagline ?? title), ("home.lead", homeLead ?? summary),
            ("texts", texts.isEmpty ? nil : texts.keys.sorted().joined(separator: ", ")),
            ("database", database),
        ]
        for source in Mapping.Source.allCases {
            let key =
                switch source {
                case .reviews, .pictures: source.rawValue + ".query"
                default: source.rawValue
                }
            values.append((key, line(queries[source]) ?? "the table \(source.rawValue), if there is one"))
        }
        values += [
            ("notes", formats.isEmpty ? nil : formats.joined(separator: ", ")), ("pictures.folder", pictures),
            ("pages", pages), ("lists", lists), ("order", order.rawValue), ("page_size", String(pageSize)),
            (
                "browse_by",
                facets?.map(\.key).joined(separator: ", ") ?? "every field and facet that has values"
            ),
            ("reviews.mode", reviews.rawValue), ("reviews.shown", String(reviewsShown)),
            ("reviews.format", reviewsAreHTML ? "html" : "plain"), ("category_feeds", flag(categoryFeeds)),
            ("headers", flag(hostHeaders)), ("search", flag(hasSearch)),
            ("my_lists", flag(hasMyLists)), ("offline", flag(isOffline)),
            ("publish", publishTargets.isEmpty ? nil : publishTargets.map(\.name).joined(separator: ", ")),
            ("price_on_request", flag(showsPriceOnRequest)),
        ]
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
