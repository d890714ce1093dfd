import Basics
import Database
import Glibc
import Preview
import Site
import Synchronization
import TestSupport

/// A preview of a site in a temporary folder.
final class Stage: Sendable {
    let folder: TemporaryFolder
    let preview: Preview
    let events = Monitor<[Preview.Event]>([])

    var port: Int { preview.port }
    var site: String { folder.path + "/site" }

    /// Three products, a page, a customer.
    static let settings = "title: Corner Shop\nurl: https://shop.example/\n"

    /// - Parameters:
    ///   - prepare: changes the site's folder before it is served.
    ///   - change: changes the options.
    init(
        settings: String = Stage.settings, prepare: (String) throws -> Void = { _ in },
        options change: (inout PreviewOptions) -> Void = { _ in }
    ) throws {
        folder = TemporaryFolder(inMemory: true)
        let site = folder.path + "/site"
        try folder.write("site/content/site.yaml", settings)
        try folder.write("site/content/pages/about.md", "---\ntitle: About\n---\n\nFirst words.\n")
        try Self.sql(site) {
            """
            \(Project.text(of: "docs/schema.sql"))
            INSERT INTO products(id, name, producer, country, price_minor, created) VALUES
              (1, 'Rain Gin', 'Wet Rope', 'Scotland', 2900, '2026-01-05'),
              (2, 'Slate Rum', 'Wet Rope', 'Wales', 3400, '2026-02-05'),
              (3, 'Moss Perry', 'Low Orchard', 'England', 700, NULL);
            INSERT INTO categories(id, name) VALUES (1, 'Spirits'), (2, 'Perry');
            INSERT INTO product_categories(product_id, category_id) VALUES (1, 1), (2, 1), (3, 2);
            INSERT INTO reviews(product_id, rating, author, body) VALUES (1, 4, 'Ann', 'Like rain.');
            """
        }
        try prepare(site)
        var options = PreviewOptions()
        options.build.site = site
        options.port = 0
        // Many run at once.
        options.connections = 40
        change(&options)
        let events = self.events
        preview = try Preview(options) { event in events.withLock { $0.append(event) } }
    }

    deinit { preview.stop() }

    static func sql(_ site: String, _ text: () -> String) throws {
        try Connection(own: site + "/content/shop.db").execute(text())
    }

    func sql(_ text: () -> String) throws { try Self.sql(site, text) }

    /// Asks for one path on a connection of its own.
    func get(_ path: String, method: String = "GET", _ headers: [String] = []) -> HTTPConnection.Answer? {
        HTTPConnection(port: port)?.ask(path, port: port, method: method, headers)
    }

    /// The answer as soon as it is what is waited for; else the last after a minute: a busy machine takes its time.
    func get(_ path: String, until isRight: (HTTPConnection.Answer) -> Bool) -> HTTPConnection.Answer? {
        let end = monotonicSeconds() + 60
        while true {
            let answer = get(path)
            if let answer, isRight(answer) || monotonicSeconds() > end { return answer }
            if answer == nil { return nil }
            usleep(5000)
        }
    }

    /// Where a product's page is.
    func path(ofProduct name: String) -> String {
        let slug = slug(of: name)
        let digits = String(hash64(slug) & 0xFF, radix: 16)
        return "/products/\(digits.count == 1 ? "0" : "")\(digits)/\(slug).html"
    }
}

/// What a browser sends that navigates to a page.
let navigation = [
    "Accept: text/html", "Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document",
]
