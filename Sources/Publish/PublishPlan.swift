import Basics
import Site

/// A file to send, and where its bytes are.
struct Outgoing: Hashable, Sendable {
    /// Its place below the top of the target, what it holds and how large it is.
    var file: FinishedSite.File
    /// Whether its bytes are in the folder of files made for this target, not in the output folder.
    var isMade = false

    var path: String { file.path }
}

/// What is to be done at a target, in the order in which no visitor meets anything half done.
struct PublishPlan {
    /// A part of it; the next one begins when all of this one is at the target.
    enum Step: Int, CaseIterable {
        /// Customers' pages that are revoked go at once (S57).
        case revoke
        /// Pictures, styles, scripts, data: nothing leads to them yet.
        case files
        /// New pages: nothing leads to them yet.
        case newPages
        /// Pages that are there already; they may lead to new ones.
        case pages
        /// Files with fixed names that visitors and programs begin with.
        case entries
        /// What is no longer part of the site: nothing that stays leads to it any more.
        case remove

        /// What it is called while it runs.
        var title: String {
            switch self {
            case .revoke: "revoke"
            case .files: "send files"
            case .newPages: "send new pages"
            case .pages: "send pages"
            case .entries: "send entry pages"
            case .remove: "remove"
            }
        }
    }

    /// Files to send by their step, each in the order of its paths.
    private(set) var sends: [Step: [Outgoing]] = [:]
    /// Customers' pages to remove, by path.
    private(set) var revoked: [String] = []
    /// Other files to remove, in parts that go one after the other: whoever still looks at a page that goes finds what it
    /// leads to. Indexes lead to products, those to their reviews, and all to assets.
    private(set) var removals: [[String]] = []
    var removed: [String] { Array(removals.joined()) }
    /// Files that are as they should be.
    private(set) var unchanged = 0
    /// Paths that the target did not have of us.
    private(set) var added: [Outgoing] = []

    /// Compares the site with what is known of the target.
    ///
    /// - Parameters:
    ///   - site: by path in byte order.
    ///   - known: files that the target has of us, by path in byte order.
    ///   - uncertain: paths of ours at which the target may have anything, after a run that was cut short.
    ///   - sent: what that run had brought there before it was cut: the content by path.
    init(site: [Outgoing], known: [FinishedSite.File], uncertain: Set<String>, sent: [String: UInt64]) {
        var known = known[...]
        var removals: [String] = []
        for item in site {
            while let first = known.first, first.path.utf8.lexicographicallyPrecedes(item.path.utf8) {
                removals.append(first.path)
                known.removeFirst()
            }
            var before: FinishedSite.File?
            if let first = known.first, first.path == item.path {
                before = first
                known.removeFirst()
            }
            let content = uncertain.contains(item.path) ? sent[item.path] : before?.content
            if content == item.file.content {
                unchanged += 1
                continue
            }
            if before == nil, !uncertain.contains(item.path) { added.append(item) }
            sends[Self.step(of: item.path, isNew: before == nil), default: []].append(item)
        }
        removals += known.map(\.path)
        if !uncertain.isEmpty {
            let settled = Set(site.map(\.path)).union(removals)
            removals += uncertain.filter { !settled.contains($0) }.sorted()
        }
        revoked = removals.filter(TargetRecord.isPrivate)
        let others = removals.filter { !TargetRecord.isPrivate($0) }
        self.removals = (0..<3).map { part in others.filter { Self.part(of: $0) == part } }
            .filter { !$0.isEmpty }
    }

    /// The part of the removals that a file is in.
    private static func part(of path: String) -> Int {
        let parts = path.split(separator: "/")
        switch parts[0] {
        case "assets", "search", "reviews": return 2
        case "products": return parts.count > 2 ? 1 : 0
        default: return 0
        }
    }

    /// When a file is sent.
    static func step(of path: String, isNew: Bool) -> Step {
        var path = path[...]
        for suffix in [".gz", ".br"] where path.hasSuffix(suffix) { path = path.dropLast(3) }
        if path.hasPrefix("assets/") { return .files }
        if entries.contains(String(path)) { return .entries }
        let isPage = path.hasSuffix(".html")
        if isNew { return isPage ? .newPages : .files }
        // A file with a fixed name that is no page, such as a feed, leads to pages.
        return isPage && path.contains("/") ? .pages : .entries
    }

    /// Files that nothing of the site leads to, or that lead to all of it, whether they are new or not.
    private static let entries: Set<String> = [
        "index.html", "404.html", "sitemap.xml", "robots.txt", "sw.js", "service-worker.js", "_headers",
        "_redirects",
        ".htaccess",
    ]

    /// All files to send, in order; the home page is the last of them.
    func outgoing(_ step: Step) -> [Outgoing] {
        let items = sends[step] ?? []
        guard step == .entries else { return items }
        return items.filter { !$0.path.hasPrefix("index.html") }
            + items.filter { $0.path.hasPrefix("index.html") }
    }

    var allOutgoing: [Outgoing] { Step.allCases.flatMap { outgoing($0) } }
    var files: Int { sends.values.reduce(0) { $0 + $1.count } }
    var bytes: Int { sends.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.file.size } } }
    var isEmpty: Bool { sends.isEmpty && revoked.isEmpty && removed.isEmpty }

    /// Removals that count for the question whether something has gone wrong: a style sheet or a piece of the search whose
    /// content and so whose name changed is no loss.
    var losses: [String] {
        (revoked + removed).filter {
            $0.hasPrefix("assets/pictures/") || !($0.hasPrefix("assets/") || $0.hasPrefix("search/"))
        }
    }

    /// Puts the sizes of files that were made since in their place.
    mutating func update(_ sizes: [String: Int]) {
        for (step, items) in sends {
            sends[step] = items.map { item in
                guard let size = sizes[item.path] else { return item }
                var item = item
                item.file = FinishedSite.File(path: item.path, content: item.file.content, size: size)
                return item
            }
        }
    }
}
