public import Basics

/// What a check found, of one kind.
public struct Finding: Sendable {
    /// How much it matters to somebody who looks at the site.
    public enum Rank: String, Sendable, CaseIterable, Comparable {
        /// Something does not work: the site cannot be built, or a link leads nowhere.
        case broken
        /// A visitor sees that something is wrong or missing.
        case visible
        /// A visitor would not notice.
        case tidy

        /// The worse first.
        public static func < (a: Rank, b: Rank) -> Bool { a.order < b.order }
        private var order: Int { Rank.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The id of its diagnostics.
    public let id: String
    /// How much it matters.
    public let rank: Rank
    /// How often.
    public internal(set) var count: Int
    /// The first ones, in the order of the site.
    public internal(set) var examples: [Diagnostic]
}

/// Everything that a check found, the worst first.
public struct CheckReport: Sendable {
    /// Rows of the products query.
    public let products: Int
    /// Pages that were rendered and looked at.
    public let pages: Int
    /// What was found.
    public let findings: [Finding]

    /// What keeps a site from being built, as a report of its own.
    public init(failure: Failure) {
        var findings = Findings()
        for diagnostic in failure.diagnostics { findings.add(diagnostic) }
        self.init(products: 0, pages: 0, findings: findings.sorted)
    }

    init(products: Int, pages: Int, findings: [Finding]) {
        self.products = products
        self.pages = pages
        self.findings = findings
    }

    /// Whether something does not work.
    public var isBroken: Bool { findings.contains { $0.rank == .broken } }
}

/// Collects diagnostics by their id: all are counted, the first are kept.
struct Findings {
    static let examples = 5

    private var found: [String: Finding] = [:]
    private var order: [String] = []

    mutating func add(_ diagnostic: Diagnostic, count: Int = 1) {
        let id = diagnostic.id
        if var finding = found[id] {
            finding.count += count
            if finding.examples.count < Self.examples { finding.examples.append(diagnostic) }
            found[id] = finding
        } else {
            order.append(id)
            found[id] = Finding(id: id, rank: Self.rank(of: diagnostic), count: count, examples: [diagnostic])
        }
    }

    /// Worst first; within a rank in the order of ``visible``, and then the more frequent first.
    var sorted: [Finding] {
        order.compactMap { found[$0] }.enumerated().sorted { a, b in
            let (x, y) = (a.element, b.element)
            if x.rank != y.rank { return x.rank < y.rank }
            let (i, j) = (Self.place(of: x.id), Self.place(of: y.id))
            if i != j { return i < j }
            return x.count != y.count ? x.count > y.count : a.offset < b.offset
        }.map(\.element)
    }

    private static func place(of id: String) -> Int { visible.firstIndex(of: id) ?? visible.count }

    private static func rank(of diagnostic: Diagnostic) -> Finding.Rank {
        if diagnostic.severity == .error { return .broken }
        return visible.contains(diagnostic.id) ? .visible : .tidy
    }

    /// What a visitor sees, in the order in which it would annoy.
    private static let visible = [
        "garbled-text", "markup-in-name", "empty-name", "missing-price", "missing-picture", "picture-format",
        "picture-size", "picture-broken", "picture-time", "unknown-picture", "duplicate-product",
        "unknown-page", "unknown-product",
        "markup-limit", "similar-values", "empty-category", "no-category", "no-picture", "small-picture",
        "long-name",
        "not-utf8", "control-character", "nul",
    ]
}
