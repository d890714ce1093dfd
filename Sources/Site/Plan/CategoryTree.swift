import Basics
import Model

/// The categories as a tree, whatever the rows say: no cycle, no missing parent, no depth without end (S26).
struct CategoryTree: Sendable {
    /// A node; nodes stand in the order of the tree, each after its parent, siblings as they are shown.
    struct Node: Sendable {
        let category: Category
        let slug: String
        /// Index of the parent in ``nodes``.
        let parent: Int?
        /// Indices of the children, as they are shown.
        var children: [Int] = []
        /// 0 for the top.
        let depth: Int
        /// What pages that name this category depend on: its own name and address and those above it.
        var fingerprint: Fingerprint
    }

    /// Deeper nodes are hung below their ancestor of this depth.
    static let depthLimit = 64

    private(set) var nodes: [Node] = []
    private(set) var roots: [Int] = []
    private var index: [ProductID: Int] = [:]

    /// The node of a key.
    subscript(key: ProductID) -> Int? { index[key] }

    /// The path of a category's page.
    func path(_ node: Int, page: Int = 1) -> String {
        SitePath.index("categories", nodes[node].slug, page: page)
    }

    /// The node and all above it, from the top.
    func trail(_ node: Int) -> [Int] {
        var trail = [node]
        while let parent = nodes[trail.last!].parent { trail.append(parent) }
        return trail.reversed()
    }

    /// The node at the top of the tree that a node is in.
    func top(of node: Int) -> Int {
        var top = node
        while let parent = nodes[top].parent { top = parent }
        return top
    }

    /// No categories.
    init() {}

    /// - Parameter categories: in the order of their keys, each key once.
    init(_ categories: [Category], log: inout [Diagnostic]) {
        var position: [ProductID: Int] = [:]
        for (i, category) in categories.enumerated() { position[category.id] = i }
        func report(_ id: String, _ category: Category, _ message: String) {
            log.append(
                Diagnostic(
                    .warning, id, message,
                    at: .cell(table: "categories", row: category.id.description, column: "parent_id")))
        }
        // Parents by position; a cycle is cut at its first key, so that the rest of it hangs below that.
        var parents = categories.map { category -> Int? in
            guard let parent = category.parent, parent != .text("") else { return nil }
            if let at = position[parent] { return at }
            report(
                "missing-parent", category,
                "names the parent '\(parent)', which is not there; shown at the top")
            return nil
        }
        var state = [UInt8](repeating: 0, count: categories.count)
        for start in categories.indices where state[start] == 0 {
            var path: [Int] = []
            var at: Int? = start
            while let node = at, state[node] == 0 {
                state[node] = 1
                path.append(node)
                at = parents[node]
            }
            if let node = at, state[node] == 1 {
                let cut = path[path.firstIndex(of: node)!...].min()!
                report("category-cycle", categories[cut], "is its own ancestor; shown at the top")
                parents[cut] = nil
            }
            for node in path { state[node] = 2 }
        }
        var children: [Int: [Int]] = [:]
        var tops: [Int] = []
        for (i, parent) in parents.enumerated() {
            if let parent { children[parent, default: []].append(i) } else { tops.append(i) }
        }
        let keys = categories.map { collationKey($0.name) }
        func sorted(_ list: [Int]) -> [Int] {
            list.sorted { a, b in
                let (pa, pb) = (categories[a].position ?? .max, categories[b].position ?? .max)
                if pa != pb { return pa < pb }
                if keys[a] != keys[b] { return keys[a].sorts(before: keys[b]) }
                return a < b
            }
        }
        // Slugs in the order of keys, so that they do not depend on names of others or on the tree.
        var addresses = Addresses(expecting: categories.count)
        let slugs = categories.map { addresses.claim(given: $0.slug, name: $0.name, key: $0.id) }
        var stack = sorted(tops).reversed().map { (category: $0, parent: Int?.none, depth: 0) }
        var isTooDeep = false
        while let (i, parent, depth) = stack.popLast() {
            let at = nodes.count
            let category = categories[i]
            var bytes = Array("\(category.name)\u{0}\(slugs[i])\u{0}".utf8)
            if let parent {
                nodes[parent].children.append(at)
                bytes += Array(nodes[parent].fingerprint.hex.utf8)
            } else {
                roots.append(at)
            }
            nodes.append(
                Node(
                    category: category, slug: slugs[i], parent: parent, depth: depth,
                    fingerprint: Fingerprint(of: bytes)))
            index[category.id] = at
            let isAtLimit = depth == Self.depthLimit
            if isAtLimit, children[i] != nil, !isTooDeep {
                isTooDeep = true
                report(
                    "category-depth", category, "is \(depth) levels deep; what is below it is shown beside it"
                )
            }
            for child in sorted(children[i] ?? []).reversed() {
                stack.append(isAtLimit ? (child, parent, depth) : (child, at, depth + 1))
            }
        }
    }
}
