import Basics
import Templates

/// Makes the pages and files of which there is one each, but for the home page.
///
/// A value of its own, so that it can be used while customers' pages are made: it is one thread's work, and sitemaps are long.
struct SinglePagesRun: Sendable {
    let renderer: SiteRenderer
    let ledger: Ledger
    let prints: PageFingerprints

    /// The pages and files of which there is one each, but for the home page. They are cheap, so each build makes them; only
    /// changed ones are written.
    func render() throws {
        let catalogue = renderer.catalogue
        let writer = Ledger.Writer(ledger)
        func put(_ path: String, _ bytes: [UInt8], isPage: Bool = true) throws {
            try writer.put(path, 0, bytes, isPage: isPage)
        }
        // They show what the plan says.
        if catalogue.changed != nil { return try writer.flush() }
        if !catalogue.tree.nodes.isEmpty { try put("categories/index.html", renderer.categories()) }
        for facet in catalogue.facets.indices where !catalogue.facets[facet].values.isEmpty {
            try put(catalogue.facets[facet].folder + "/index.html", renderer.facet(facet))
        }
        for page in renderer.pages { try put(page.path, renderer.content(page)) }
        if renderer.settings.hasMyLists { try put(SitePath.myLists, renderer.myLists()) }
        try put(SitePath.serviceWorker, renderer.serviceWorker(), isPage: false)
        if renderer.settings.isOffline {
            try put(SitePath.webManifest, renderer.webManifest(), isPage: false)
        }
        try put("404.html", renderer.notFound())
        if renderer.settings.hasSearch { try put(SitePath.search, renderer.search()) }
        try put("robots.txt", renderer.robots(), isPage: false)
        if renderer.settings.hostHeaders {
            let policy = SiteRenderer.contentSecurityPolicy(of: nil, renderer.settings)
            try put("_headers", Array(SiteRenderer.hostHeaders(policy: policy).utf8), isPage: false)
        }
        if renderer.settings.url != nil { try putSitemaps(writer) }
        try writer.flush()
    }

    private func putSitemaps(_ writer: Ledger.Writer) throws {
        let catalogue = renderer.catalogue
        let others = renderer.sitemapOthers()
        var count = 0
        /// Writes one sitemap, unless what it lists is what it listed before.
        func put(_ fingerprint: UInt64, _ pages: some Sequence<(path: String, updated: Int32)>) throws {
            count += 1
            let path = "sitemaps/\(count).xml"
            if ledger.isCurrent(path, fingerprint) {
                ledger.keep(others: 1)
            } else {
                try writer.put(path, fingerprint, renderer.sitemap(pages), isPage: false)
            }
        }
        for start in stride(from: 0, to: others.count, by: SiteRenderer.sitemapSize) {
            let chunk = others[start..<min(start + SiteRenderer.sitemapSize, others.count)]
            try put(prints.list(chunk.lazy.map { hash64($0.path) }), chunk)
        }
        for start in stride(from: 0, to: catalogue.count, by: SiteRenderer.sitemapSize) {
            let chunk = start..<min(start + SiteRenderer.sitemapSize, catalogue.count)
            let fingerprint = prints.list(
                chunk.lazy.map {
                    catalogue.slugs.hash(at: $0) ^ UInt64(UInt32(bitPattern: catalogue.updated[$0])) << 17
                })
            try put(
                fingerprint, chunk.lazy.map { (path: catalogue.path($0), updated: catalogue.updated[$0]) })
        }
        try writer.put("sitemap.xml", 0, renderer.sitemapIndex(count), isPage: false)
    }
}
