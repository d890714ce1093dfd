import Basics
import Database
import Markup
import Model

extension [UInt8] {
    /// Appends text as XML content or a double-quoted attribute: escaped, without what XML 1.0 does not allow (S9).
    mutating func appendXML(_ text: String) {
        // The HTML escaper leaves out C0 controls already; these two are all that is left to refuse.
        if text.hasByte(0xEF),
            text.unicodeScalars.contains(where: { $0.value == 0xFFFE || $0.value == 0xFFFF })
        {
            var clean = String.UnicodeScalarView()
            clean.append(contentsOf: text.unicodeScalars.filter { $0.value != 0xFFFE && $0.value != 0xFFFF })
            appendEscaped(String(clean))
        } else {
            appendEscaped(text)
        }
    }
}

extension SiteRenderer {
    /// The entry of a product in feeds, rendered once and pasted into each feed that has it.
    ///
    /// Takes what holds the product: where it is looked at more than once, the compiler would copy its forty fields.
    func feedEntry(_ entry: CatalogueReader.Entry, number: Int, into out: inout [UInt8]) {
        write(feedEntryOf: entry.product, number: number, into: &out)
    }

    private func write(feedEntryOf product: Product, number: Int, into out: inout [UInt8]) {
        guard let address = absolute(catalogue.path(number)), let date = product.created else { return }
        out.append("<entry><title>")
        out.appendXML(product.name)
        out.append("</title><id>")
        out.appendXML(address)
        out.append("</id><link href=\"")
        out.appendXML(address)
        out.append("\"/><published>")
        out.append(date.timestamp)
        out.append("</published><updated>")
        out.append((product.updated ?? date).timestamp)
        out.append("</updated>")
        if let summary = product.summary ?? meta(of: product) {
            out.append("<summary>")
            out.appendXML(summary)
            out.append("</summary>")
        }
        out.append("</entry>\n")
    }

    /// An Atom feed (RFC 4287) around the entries of its products, newest first.
    func feed(title: String, path: String, page: String, products: [Int32], entries: [UInt8]) -> [UInt8] {
        let latest = products.map { max(catalogue.created[Int($0)], catalogue.updated[Int($0)]) }.max() ?? 0
        var out: [UInt8] = []
        out.append(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\""
        )
        out.appendXML(locale.tag)
        out.append("\">\n<title>")
        out.appendXML(title)
        out.append("</title>\n<id>")
        out.appendXML(absolute(path) ?? path)
        out.append("</id>\n<link rel=\"self\" href=\"")
        out.appendXML(absolute(path) ?? path)
        out.append("\"/>\n<link href=\"")
        out.appendXML(absolute(page) ?? page)
        out.append("\"/>\n<updated>")
        out.append(PartialDate(ordinal: latest)?.timestamp ?? "1970-01-01T00:00:00Z")
        out.append("</updated>\n<author><name>")
        out.appendXML(settings.title)
        out.append("</name></author>\n")
        out.append(contentsOf: entries)
        out.append("</feed>\n")
        return out
    }

    /// Addresses in one sitemap; the protocol allows 50,000 and 50 MB.
    static let sitemapSize = 40_000

    /// One file of the sitemap: addresses with the day of their last change, where it is known.
    func sitemap(_ pages: some Sequence<(path: String, updated: Int32)>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(pages.underestimatedCount * 160)
        out.append(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        )
        // What all begin with, once: there is one for every page.
        var start: [UInt8] = []
        start.append("<url><loc>" as StaticString)
        if let url = settings.url { start.appendXML(url) }
        for page in pages {
            out.append(contentsOf: start)
            out.appendXML(settings.url == nil ? page.path : Self.relative(page.path))
            out.append("</loc>" as StaticString)
            if let date = PartialDate(ordinal: page.updated) {
                out.append("<lastmod>" as StaticString)
                out.append(date.description)
                out.append("</lastmod>" as StaticString)
            }
            out.append("</url>\n" as StaticString)
        }
        out.append("</urlset>\n")
        return out
    }

    /// `sitemap.xml`: the list of the sitemaps.
    func sitemapIndex(_ count: Int) -> [UInt8] {
        var out: [UInt8] = []
        out.append(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        )
        for i in 0..<count {
            out.append("<sitemap><loc>")
            out.appendXML(absolute("sitemaps/\(i + 1).xml") ?? "")
            out.append("</loc></sitemap>\n")
        }
        out.append("</sitemapindex>\n")
        return out
    }

    func robots() -> [UInt8] {
        var out: [UInt8] = []
        out.append("User-agent: *\nAllow: /\n")
        if let sitemap = absolute("sitemap.xml") { out.append("\nSitemap: \(sitemap)\n") }
        return out
    }

    /// Headers for hosts that read a `_headers` file: what the pages' meta elements cannot say (S6, S56).
    static func hostHeaders(policy: String) -> String {
        """
        /*
          Content-Security-Policy: \(policy); frame-ancestors 'none'
          X-Content-Type-Options: nosniff
          Referrer-Policy: strict-origin-when-cross-origin

        /assets/*
          Cache-Control: public, max-age=31536000, immutable

        /search/pieces/*
          Cache-Control: public, max-age=31536000, immutable

        /lists/*
          X-Robots-Tag: noindex, nofollow, noarchive
          Referrer-Policy: no-referrer
          Cache-Control: private, no-store

        """
    }
}

extension PartialDate {
    /// RFC 3339 for feeds; what is not known is the first.
    var timestamp: String {
        let date = PartialDate(year: year, month: month ?? 1, day: day ?? 1) ?? self
        return date.description + "T00:00:00Z"
    }
}
