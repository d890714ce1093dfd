import Basics
import Formats
import Model
import Search

/// The one file of the search with a fixed name: what there is, and where.
struct SearchEntry {
    private let renderer: SiteRenderer
    private let groups: SearchGroups
    private let index: SearchIndex
    private let limits: SearchLimits

    /// Groups of at most so many values are listed in the entry, others in a piece of their own.
    private static let valueLimit = 64, categoryLimit = 128

    init(renderer: SiteRenderer, groups: SearchGroups, index: SearchIndex, limits: SearchLimits) {
        self.limits = limits
        self.renderer = renderer
        self.groups = groups
        self.index = index
    }

    private static func isListed(_ group: SearchGroups.Group) -> Bool {
        group.values.count <= (group.key == "category" ? categoryLimit : valueLimit)
    }

    /// Makes the pieces of values that the entry does not list.
    func makeValues() throws {
        for group in groups.facets where !Self.isListed(group) {
            var json = JSONWriter()
            Self.write(group.values, to: &json)
            try index.makeValues(group.key, json.bytes)
        }
    }

    private static func write(_ values: [SearchGroups.Value], to json: inout JSONWriter) {
        json.array { json in
            for value in values {
                json.array { json in
                    json.value(value.slug)
                    json.value(value.label)
                    json.value(value.count)
                    if value.depth > 0 { json.value(value.depth) }
                }
            }
        }
    }

    /// The file's bytes, after all pieces were made.
    func bytes() -> [UInt8] {
        let settings = renderer.settings
        let strings = renderer.strings
        let columns = index.columns
        var json = JSONWriter()
        json.object { json in
            json.member("version", formatVersion)
            json.member("products", index.count)
            json.member("language", settings.locale.tag)
            json.member("order", settings.order.rawValue)
            json.member("currency", settings.currency.code)
            json.key("money")
            json.object { json in
                for code in [settings.currency.code] + columns.otherCurrencies {
                    guard let currency = Currency(code) else { continue }
                    json.key(code)
                    let pattern = renderer.locale.pattern(of: currency)
                    json.array { json in
                        json.value(pattern.before)
                        json.value(pattern.after)
                        json.value(currency.digits)
                    }
                }
            }
            json.key("numbers")
            json.array { json in
                json.value(renderer.locale.decimalSign)
                json.value(renderer.locale.groupSign)
                json.value(renderer.locale.groupsFrom)
            }
            json.key("availability")
            json.array { json in
                for (key, text) in availabilityTexts {
                    json.array { json in
                        json.value(key)
                        json.value(text)
                    }
                }
            }
            json.key("texts")
            json.object { json in
                json.member("was", strings("was_price", ["price": "{price}"]))
                if settings.showsPriceOnRequest { json.member("noPrice", strings["price_on_request"]) }
            }
            writeGroups(to: &json)
            writePieces(to: &json)
        }
        return json.bytes
    }

    private var availabilityTexts: [(key: String, text: String)] {
        Availability.allCases.map { availability in
            let (key, text) = PreparedParts.names(of: availability)
            return (key, renderer.strings[text])
        }
    }

    private func writeGroups(to json: inout JSONWriter) {
        json.key("facets")
        json.array { json in
            for group in groups.facets {
                json.object { json in
                    json.member("key", group.key)
                    json.member("label", group.label)
                    if let folder = group.folder { json.member("folder", folder) }
                    json.member("prefix", group.prefix)
                    json.member("count", group.values.count)
                    if Self.isListed(group) {
                        json.key("values")
                        Self.write(group.values, to: &json)
                    } else if let piece = index.pieces.values[group.key] {
                        json.member("piece", piece)
                    }
                }
            }
        }
        let currency = renderer.settings.currency
        let locale = renderer.locale
        json.key("ranges")
        json.object { json in
            write("price", groups.prices, to: &json) { minor in
                locale.money(wholeOf: minor, currency)
            }
            write("abv", groups.strengths, to: &json) { locale.percent(Int($0)) }
        }
        json.key("counts")
        json.object { json in
            json.member("stock", groups.inStock)
            json.member("reviews", groups.reviewed)
            json.key("rating")
            json.array { json in
                for (stars, count) in groups.ratings {
                    json.array { json in
                        json.value(stars)
                        json.value(count)
                    }
                }
            }
        }
    }

    private func write(
        _ key: String, _ ranges: [SearchRange], to json: inout JSONWriter, _ text: (Int64) -> String
    ) {
        json.key(key)
        json.array { json in
            for range in ranges {
                json.array { json in
                    json.value(range.key)
                    json.value(label(range, text))
                    json.value(range.count)
                }
            }
        }
    }

    private func label(_ range: SearchRange, _ text: (Int64) -> String) -> String {
        let strings = renderer.strings
        switch (range.from, range.to) {
        case (let from?, let to?): return strings("search_between", ["from": text(from), "to": text(to)])
        case (nil, let to?): return strings("search_under", ["to": text(to)])
        case (let from?, nil): return strings("search_from", ["from": text(from)])
        case (nil, nil): return ""
        }
    }

    private func writePieces(to json: inout JSONWriter) {
        let pieces = index.pieces
        func write(_ key: String, _ directory: SearchPieces.Directory, to json: inout JSONWriter) {
            if directory.names.isEmpty { return }
            json.key(key)
            json.array { json in
                json.value(directory.separators.joined(separator: "\n"))
                json.value(directory.names)
            }
        }
        json.key("pieces")
        json.object { json in
            write("words", pieces.words, to: &json)
            write("heads", pieces.heads, to: &json)
            write("sets", pieces.sets, to: &json)
            write("furtherWords", pieces.furtherWords, to: &json)
            write("furtherHeads", pieces.furtherHeads, to: &json)
            write("furtherSets", pieces.furtherSets, to: &json)
            write("reversed", pieces.reversed, to: &json)
            json.member("records", pieces.records)
            json.member("perPiece", pieces.recordsPerPiece)
            json.member("segment", limits.segment)
            json.member("keys", pieces.keys)
            json.member("numericKeys", renderer.catalogue.keys.numericCount)
            json.member("identifiers", pieces.identifiers)
            json.key("orders")
            json.object { json in
                for order in pieces.orders {
                    json.key(order.name)
                    json.array { json in
                        json.value(order.pieces)
                        json.value(order.counts.map { String($0) }.joined(separator: ","))
                        json.value(order.valued)
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: String, _ value: String) {
        self.key(key)
        self.value(value)
    }

    fileprivate mutating func member(_ key: String, _ value: Int) {
        self.key(key)
        self.value(value)
    }
}
