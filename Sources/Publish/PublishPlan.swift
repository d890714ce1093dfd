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
        /// Packed copies of files that stay unpacked: a server would show the copy instead of what is sent next.
        case packed
        /// Pages that are there already; they may lead to new ones.
        case pages
        /// Files with fixed names that visitors and programs begin with.
        case entries
        /// The home page, with which most begin.
        case home
        /// What is no longer part of the site: nothing that stays leads to it any more.
        case remove

        /// What it is called while it runs.
        var title: String {
            switch self {
            case .revoke: "revoke"
            case .files: "send files"
            case .newPages: "send new pages"
            case .packed: "remove packed copies"
            case .pages: "send pages"
            case .entries: "send entry pages"
            case .home: "send home page"
            case .remove: "remove"
            }
        }
    }

    /// Files to send by their step, each in the order of its paths.
    private(set) var sends: [Step: [Outgoing]] = [:]
    /// Customers' pages to remove, by path.
    private(set) var revoked: [String] = []
    /// Packed copies to remove of files that stay.
    private(set) var packed: [String] = []
    /// Other files to remove, in parts that go one after the other: whoever still looks at a page that goes finds what it
    /// leads to. Indexes lead to products, those to their reviews, and all to assets.
    private(set) var removals: [[String]] = []
    /// Files that are no longer part of the site and stay for a while: pages in caches and open tabs still ask for them.
    private(set) var kept: [FinishedSite.File] = []
    /// Since when each of these is of no use, in seconds of the epoch.
    private(set) var unused: [String: Int] = [:]
    /// For how long. Our own headers let a page be kept for five minutes, and a tab stays open for longer: arbitrary.
    static let secondsKept = 86_400
    /// Those that went out of use in this run.
    private var superseded: [String] = []
    /// Everything that is removed, revoked pages too.
    var removed: [String] { Step.allCases.flatMap { removals($0).joined() } }
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
    ///   - there: those of them at which it has something.
    ///   - sent: what that run had brought there before it was cut: the content by path.
    ///   - unused: since when files at the target are no longer part of the site, where they were kept.
    ///   - now: the time, in seconds of the epoch.
    init(
        site: [Outgoing], known: [FinishedSite.File], uncertain: Set<String>, there: Set<String>,
        sent: [String: UInt64], unused: [String: Int] = [:], now: Int = 0
    ) {
        var known = known[...]
        var gone: [FinishedSite.File] = []
        var missing: Set<String> = []
        for item in site {
            while let first = known.first, first.path.utf8.lexicographicallyPrecedes(item.path.utf8) {
                gone.append(first)
                known.removeFirst()
            }
            var before: FinishedSite.File?
            if let first = known.first, first.path == item.path {
                before = first
                known.removeFirst()
            }
            let isUncertain = uncertain.contains(item.path)
            // What counts for the order is what is there: a run that was cut has brought pages that no record has, and has
            // removed others that one still has.
            let isThere = isUncertain ? there.contains(item.path) : before != nil
            if !isThere { missing.insert(item.path) }
            let content = isUncertain ? sent[item.path] : before?.content
            if isThere, content == item.file.content {
                unchanged += 1
                continue
            }
            if before == nil, !isUncertain { added.append(item) }
            // A packed copy is shown instead of the file beside it, so that decides: it is earlier in the order of paths.
            let isNew = missing.contains(item.isMade ? Self.unpacked(item.path) : item.path)
            sends[Self.step(of: item.path, isNew: isNew), default: []].append(item)
        }
        gone += known
        if !uncertain.isEmpty {
            let settled = Set(site.map(\.path)).union(gone.map(\.path))
            gone += uncertain.filter { !settled.contains($0) }.sorted().map {
                FinishedSite.File(path: $0, content: sent[$0] ?? 0, size: 0)
            }
            gone.removeAll { uncertain.contains($0.path) && !there.contains($0.path) }
        }
        var removals = gone.map(\.path)
        if removals.contains(where: { Self.unpacked($0) != $0 }) {
            let staying = Set(site.map(\.path))
            packed = removals.filter { Self.unpacked($0) != $0 && staying.contains(Self.unpacked($0)) }
            let packed = Set(packed)
            removals.removeAll { packed.contains($0) }
        }
        for path in removals where Self.isNamedByContent(path) {
            let since = min(unused[path] ?? now, now)
            if now - since < Self.secondsKept { self.unused[path] = since }
            if unused[path] == nil { superseded.append(path) }
        }
        kept = gone.filter { self.unused[$0.path] != nil }
        removals.removeAll { self.unused[$0] != nil }
        revoked = removals.filter(TargetRecord.isPrivate)
        let others = removals.filter { !TargetRecord.isPrivate($0) }
        self.removals = (0..<3).map { part in others.filter { Self.part(of: $0) == part } }
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
        let path = unpacked(path)
        if isNamedByContent(path) { return .files }
        if path == "index.html" { return .home }
        if entries.contains(path) { return .entries }
        let isPage = path.hasSuffix(".html")
        if isNew { return isPage ? .newPages : .files }
        // A file with a fixed name that is no page, such as a feed, leads to pages.
        return isPage && path.contains("/") ? .pages : .entries
    }

    /// Whether other content would have another name.
    private static func isNamedByContent(_ path: String) -> Bool {
        path.hasPrefix("assets/") || path.hasPrefix("search/pieces/")
    }

    /// The path of the file that one with the name of a packed copy stands beside; else its own.
    static func unpacked(_ path: String) -> String {
        let packings: [PublishTarget.Packing] = [.gzip, .brotli]
        let suffix = packings.map { "." + $0.rawValue }.first { path.hasSuffix($0) }
        return String(path.dropLast(suffix?.count ?? 0))
    }

    /// Files that nothing of the site leads to, or that lead to all of it, whether they are new or not.
    private static let entries: Set<String> = [
        "404.html", "sitemap.xml", "robots.txt", "sw.js", "service-worker.js", "_headers", "_redirects",
        ".htaccess",
    ]

    /// Files to send in a step, in the order of their paths.
    func outgoing(_ step: Step) -> [Outgoing] { sends[step] ?? [] }

    /// Files to remove in a step, in parts that go one after the other.
    func removals(_ step: Step) -> [[String]] {
        let parts =
            switch step {
            case .revoke: [revoked]
            case .packed: [packed]
            case .remove: removals
            case .files, .newPages, .pages, .entries, .home: [[String]]()
            }
        return parts.filter { !$0.isEmpty }
    }

    var allOutgoing: [Outgoing] { Step.allCases.flatMap { outgoing($0) } }
    var files: Int { sends.values.reduce(0) { $0 + $1.count } }
    var bytes: Int { sends.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.file.size } } }
    var isEmpty: Bool { sends.isEmpty && removed.isEmpty }

    /// Removals that count for the question whether something has gone wrong: a style sheet or a piece of the search whose
    /// content and so whose name changed is no loss, and neither is a packed copy. A picture is one when it goes out of use,
    /// not when it goes.
    var losses: [String] {
        (revoked + removals.joined()).filter { !$0.hasPrefix("assets/") && !$0.hasPrefix("search/") }
            + superseded.filter { $0.hasPrefix("assets/pictures/") }
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
