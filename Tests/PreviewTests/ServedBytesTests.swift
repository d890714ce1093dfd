import Basics
import Foundation
import Preview
import Site
import TestSupport
import Testing

/// What is served is what is built, to the byte.
@Suite(.serialized) struct ServedBytesTests {
    struct Silence: BuildProgress {
        func begin(_ stage: String, total: Int) {}
        func advance(_ steps: Int) {}
    }

    struct Example: CustomTestStringConvertible, Sendable {
        let folder: String
        /// Lines added to the settings.
        var settings = ""
        var testDescription: String { folder + settings }
    }

    static let examples = [
        Example(folder: "."), Example(folder: "examples/northwind"),
        Example(
            folder: "examples/northwind",
            settings: "\nheaders: true\npage_size: 7\nreviews: {mode: inline, shown: 1}\n"),
    ]

    private func site(_ example: Example, in folder: TemporaryFolder) throws -> BuildOptions {
        try folder.copy(example.folder + "/content", to: "site/content")
        let path = "site/content/site.yaml"
        let text = String(decoding: Project.file(folder.path + "/" + path), as: UTF8.self)
        try folder.write(path, text + example.settings)
        var options = BuildOptions()
        options.site = folder.path + "/site"
        options.output = folder.path + "/public"
        return options
    }

    private func compare(_ output: String, _ port: Int, root: String = "/") throws {
        let tree = try Tree(output)
        #expect(tree.files.count > 100)
        let connection = try #require(HTTPConnection(port: port))
        for path in tree.paths {
            let encoded = try #require(path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed))
            let answer = try #require(connection.ask(root + encoded, port: port))
            #expect(answer.status == 200, "\(path)")
            #expect(try answer.body == tree.bytes(of: path), "\(path)")
        }
    }

    @Test(arguments: examples)
    func everyFileOfTheBuildIsServedAsItWasBuilt(_ example: Example) throws {
        let folder = TemporaryFolder(inMemory: true)
        var options = PreviewOptions()
        options.build = try site(example, in: folder)
        options.port = 0
        options.connections = 40
        _ = try Site.build(options.build, progress: Silence())
        let preview = try Preview(options)
        defer { preview.stop() }
        try compare(folder.path + "/public", preview.port)
    }

    @Test func everyFileOfTheOutputIsServedAsItIs() throws {
        let folder = TemporaryFolder(inMemory: true)
        var options = PreviewOptions()
        options.build = try site(Self.examples[1], in: folder)
        options.port = 0
        options.connections = 40
        options.isBuilt = true
        #expect(throws: Failure.self) { try Preview(options) }
        _ = try Site.build(options.build, progress: Silence())
        try folder.write("public/foreign.html", "not ours")
        let preview = try Preview(options)
        defer { preview.stop() }
        let connection = try #require(HTTPConnection(port: preview.port))
        #expect(connection.ask("/foreign.html", port: preview.port)?.status == 404)
        let missing = try #require(connection.ask("/nothing.html", port: preview.port))
        #expect(missing.status == 404 && missing.text.contains("<!DOCTYPE html>"))
        try folder.removeFile("public/foreign.html")
        try compare(folder.path + "/public", preview.port)
        // A file of the build that somebody has made a link out of the site leads nowhere.
        try folder.write("secret.txt", "outside-the-site")
        try folder.removeFile("public/robots.txt")
        #expect(symlink(folder.file("secret.txt"), folder.file("public/robots.txt")) == 0)
        let link = try #require(connection.ask("/robots.txt", port: preview.port))
        #expect(link.status >= 400 && !link.text.contains("outside-the-site"))
        try folder.removeFile("public/robots.txt")
        // A build that ends while the preview runs is shown.
        let settings = "site/content/site.yaml"
        let text = String(decoding: Project.file(folder.path + "/" + settings), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        try folder.write(
            settings, lines.map { $0.hasPrefix("title:") ? "title: Built anew" : $0 }.joined(separator: "\n"))
        _ = try Site.build(options.build, progress: Silence())
        let end = monotonicSeconds() + 60
        while connection.ask("/index.html", port: preview.port)?.text.contains("Built anew") != true {
            try #require(monotonicSeconds() < end)
            usleep(5000)
        }
        try compare(folder.path + "/public", preview.port)
    }

    /// Of a customer's lists only those that are given have a page, in the preview as in the build.
    @Test func pagesOfListsAreServedThatAreGiven() throws {
        let folder = TemporaryFolder(inMemory: true)
        var options = PreviewOptions()
        options.build = try site(Example(folder: "examples/northwind"), in: folder)
        options.port = 0
        options.connections = 40
        try folder.write(
            "site/content/lists.json",
            #"{"version": 1, "customers": [{"id": "ann", "lists": {"wish": [{"product": 1}], "collection": []}}]}"#
        )
        _ = try Site.build(options.build, progress: Silence())
        let preview = try Preview(options)
        defer { preview.stop() }
        let pages = try Tree(folder.path + "/public").paths.filter {
            $0.hasPrefix("lists/") && $0 != "lists/index.html"
        }
        let token = try #require(pages.first).split(separator: "/")[1]
        #expect(pages == ["collection", "index", "wish"].map { "lists/\(token)/\($0).html" })
        try compare(folder.path + "/public", preview.port)
        let connection = try #require(HTTPConnection(port: preview.port))
        #expect(connection.ask("/lists/\(token)/basket.html", port: preview.port)?.status == 404)
    }

    /// A former address leads to the product, in the preview as in the build.
    @Test func movedPagesAndASubPathAreServed() throws {
        let folder = TemporaryFolder(inMemory: true)
        var options = PreviewOptions()
        options.build = try site(Example(folder: "examples/northwind"), in: folder)
        options.port = 0
        options.connections = 40
        let settings = "site/content/site.yaml"
        var text = String(decoding: Project.file(folder.path + "/" + settings), as: UTF8.self)
        text = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.hasPrefix("url:") ? "url: https://shop.example/north/wind/" : String($0)
        }.joined(separator: "\n")
        try folder.write(settings, text)
        _ = try Site.build(options.build, progress: Silence())
        // As a shop that gives a product another name: the address is made of it.
        try folder.write(
            settings, text.replacing("p.ProductName AS name", with: "'New ' || p.ProductName AS name"))
        let report = try Site.build(options.build, progress: Silence())
        let preview = try Preview(options)
        defer { preview.stop() }
        try compare(folder.path + "/public", preview.port, root: "/north/wind/")
        let pages = try Tree(folder.path + "/public").paths.count {
            $0.split(separator: "/").count == 3 && $0.hasPrefix("products/")
        }
        #expect(report.counts.products == 77 && pages == 154)
        let connection = try #require(HTTPConnection(port: preview.port))
        #expect(connection.ask("/", port: preview.port)?["location"] == "/north/wind/")
        #expect(connection.ask("/north/wind", port: preview.port)?["location"] == "/north/wind/")
        #expect(connection.ask("/index.html", port: preview.port)?.status == 404)
        let folderAnswer = connection.ask("/north/wind/products?x=1", port: preview.port)
        #expect(folderAnswer?["location"] == "/north/wind/products/?x=1")
    }
}
