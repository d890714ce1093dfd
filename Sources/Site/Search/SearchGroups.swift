import Basics
import Model
import Search

/// What search results can be narrowed by, and the sets of products for it.
struct SearchGroups {
    /// A group: a facet, the categories, or a range of numbers.
    struct Group {
        /// What the page's address calls it.
        let key: String
        let label: String
        /// The folder of its pages; nil when it has none.
        let folder: String?
        /// What the keys of its sets begin with.
        let prefix: String
        var values: [Value] = []
    }

    struct Value {
        let slug: String
        let label: String
        let count: Int
        /// How deep a category lies.
        var depth = 0
    }

    private let renderer: SiteRenderer
    private let columns: SearchColumns
    private(set) var facets: [Group] = []
    private(set) var prices: [SearchRange] = [], strengths: [SearchRange] = []
    /// How many products can be had, and how many have reviews.
    let inStock: Int, reviewed: Int
    /// "This many stars or more", and how many products have them.
    let ratings: [(stars: Int, count: Int)]

    init(renderer: SiteRenderer, columns: SearchColumns) {
        self.renderer = renderer
        self.columns = columns
        inStock = columns.flags.count { $0 & 1 != 0 }
        reviewed = columns.flags.count { $0 & 2 != 0 }
        ratings = [4, 3, 2].map { stars in (stars, columns.ratings.count { Int($0) >= stars * 10 }) }
        let catalogue = renderer.catalogue
        if !catalogue.tree.nodes.isEmpty {
            facets.append(
                Group(
                    key: "category", label: renderer.strings["categories"], folder: "categories",
                    prefix: "c/",
                    values: catalogue.tree.nodes.enumerated().map { i, node in
                        Value(
                            slug: node.slug, label: node.category.name,
                            count: catalogue.categoryProducts[i].count, depth: node.depth)
                    }))
        }
        for facet in catalogue.facets where !facet.values.isEmpty {
            facets.append(
                Group(
                    key: facet.key, label: facet.label, folder: facet.folder, prefix: "f/\(facet.folder)/",
                    values: facet.values.map { value in
                        Value(
                            slug: catalogue.values[value].slug, label: catalogue.values[value].name,
                            count: catalogue.valueProducts[value].count)
                    }))
        }
        prices = SearchRange.money(columns.prices, digits: renderer.settings.currency.digits)
        strengths = SearchRange.strengths(columns.strengths)
    }

    /// Of all that decides the sets besides the plan.
    var digest: Fingerprint {
        var text = ""
        for range in prices + strengths { text += range.key + " " }
        // In which range each price is.
        let ranges = prices
        let places = [UInt8](unsafeUninitializedCapacity: columns.prices.count) { places, count in
            count = columns.prices.count
            for (i, price) in columns.prices.enumerated() {
                places[i] = UInt8(
                    truncatingIfNeeded: ranges.firstIndex { $0.contains(price) } ?? ranges.count)
            }
        }
        text += Fingerprint(of: places).hex
        for column in [
            UnsafeRawBufferPointer(columns.strengths), .init(columns.ratings), .init(columns.flags),
        ] {
            text += Fingerprint(of: column).hex
        }
        return Fingerprint(of: text)
    }

    /// Calls a function with each set, in the order of the keys' bytes.
    func forEachSet(_ body: (String, [Int32]) throws -> Void) throws {
        let catalogue = renderer.catalogue
        let count = catalogue.count
        func numbers(where isIn: (Int) -> Bool) -> [Int32] { (0..<Int32(count)).filter { isIn(Int($0)) } }
        func put(_ ranges: [SearchRange], _ prefix: String, _ value: (Int) -> Int64) throws {
            for range in ranges.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                try body(prefix + range.key, numbers { range.contains(value($0)) })
            }
        }
        /// Different numbers in their order; of many, by marking them among all.
        func ascending(_ numbers: [Int32]) -> [Int32] {
            guard numbers.count > count / 64 else { return numbers.sorted() }
            var marks = [UInt64](repeating: 0, count: (count + 63) / 64)
            for number in numbers { marks[Int(number) >> 6] |= 1 << UInt64(number & 63) }
            var out: [Int32] = []
            out.reserveCapacity(numbers.count)
            for (i, var word) in marks.enumerated() {
                while word != 0 {
                    out.append(Int32(i << 6 | word.trailingZeroBitCount))
                    word &= word &- 1
                }
            }
            return out
        }
        /// Those of the indexes, in the order of the numbers; one at a time, so that memory does not hold all twice.
        func put(_ prefix: String, _ slugs: [String], _ products: (Int) -> [Int32]) throws {
            for i in slugs.indices.sorted(by: { slugs[$0].utf8.lexicographicallyPrecedes(slugs[$1].utf8) }) {
                let numbers = products(i)
                if !numbers.isEmpty { try body(prefix + slugs[i], ascending(numbers)) }
            }
        }
        try put(strengths, "a/") { Int64(columns.strengths[$0]) }
        try put("c/", catalogue.tree.nodes.map(\.slug)) { catalogue.categoryProducts[$0] }
        let folders = catalogue.facets.indices.sorted {
            (catalogue.facets[$0].folder + "/").utf8.lexicographicallyPrecedes(
                (catalogue.facets[$1].folder + "/").utf8)
        }
        for facet in folders {
            let values = catalogue.facets[facet].values
            try put("f/\(catalogue.facets[facet].folder)/", values.map { catalogue.values[$0].slug }) {
                catalogue.valueProducts[values[$0]]
            }
        }
        try put(prices, "p/") { columns.prices[$0] }
        for (stars, _) in ratings.reversed() {
            try body("r/\(stars)", numbers { Int(columns.ratings[$0]) >= stars * 10 })
        }
        try body("s/yes", numbers { columns.flags[$0] & 1 != 0 })
        try body("v/yes", numbers { columns.flags[$0] & 2 != 0 })
    }
}

/// A range of prices or strengths that has a fair share of the products: from its beginning up to, not with, its end.
struct SearchRange: Equatable {
    /// In the unit of the column; nil is without end.
    let from: Int64?, to: Int64?
    /// `20-50`, `-20` or `50-`, in whole units.
    let key: String
    let count: Int

    func contains(_ value: Int64) -> Bool { value >= max(from ?? 0, 0) && value < to ?? .max }

    /// Ranges between 1, 2, 5, 10, 20 … of the currency.
    static func money(_ prices: UnsafeMutableBufferPointer<Int64>, digits: Int) -> [SearchRange] {
        var unit: Int64 = 1
        for _ in 0..<digits { unit *= 10 }
        var limits: [Int64] = []
        var power: Int64 = 1
        while power <= 1_000_000_000 {
            for step: Int64 in [1, 2, 5] { limits.append(step * power * unit) }
            power *= 10
        }
        return ranges(limits, unit: unit, of: prices.lazy.map { $0 })
    }

    /// Ranges between strengths that drinks are grouped by.
    static func strengths(_ strengths: UnsafeMutableBufferPointer<Int16>) -> [SearchRange] {
        ranges(
            [1, 5, 8, 12, 15, 20, 30, 38, 40, 43, 46, 50, 55, 60].map { $0 * 100 }, unit: 100,
            of: strengths.lazy.map { Int64($0) })
    }

    /// - Parameter limits: where a range may end, ascending.
    private static func ranges(
        _ limits: [Int64], unit: Int64, of values: some Sequence<Int64>
    ) -> [SearchRange] {
        var counts = [Int](repeating: 0, count: limits.count + 1)
        var total = 0
        for value in values where value >= 0 {
            var (low, high) = (0, limits.count)
            while low < high {
                let middle = (low + high) / 2
                if limits[middle] <= value { low = middle + 1 } else { high = middle }
            }
            counts[low] += 1
            total += 1
        }
        var out: [SearchRange] = []
        var from: Int64?
        var (inRange, done) = (0, 0)
        // At least a twelfth of the products on each side.
        for (i, limit) in limits.enumerated() {
            inRange += counts[i]
            if inRange * 12 >= total, (total - done - inRange) * 12 >= total, inRange > 0,
                total > done + inRange
            {
                out.append(make(from, limit, unit, inRange))
                done += inRange
                inRange = 0
                from = limit
            }
        }
        if from != nil { out.append(make(from, nil, unit, total - done)) }
        return out
    }

    private static func make(_ from: Int64?, _ to: Int64?, _ unit: Int64, _ count: Int) -> SearchRange {
        func text(_ limit: Int64?) -> String { limit.map { String($0 / unit) } ?? "" }
        return SearchRange(from: from, to: to, key: text(from) + "-" + text(to), count: count)
    }
}
