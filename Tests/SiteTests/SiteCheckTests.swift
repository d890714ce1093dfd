import Basics
import TestSupport
import Testing

/// A check that finds nothing must be one that would: each thing it looks for, made wrong on purpose.
@Suite struct SiteCheckTests {
    struct Damage: CustomTestStringConvertible {
        let file: String
        let from: String, to: String
        let fault: String
        var testDescription: String { fault }
    }

    @Test(arguments: [
        Damage(
            file: "about.html", from: "<h1>About Northwind</h1>", to: "<h1> </h1>", fault: "an empty <h1>"),
        Damage(file: "about.html", from: "<h1>", to: "<h1>One</h1><h1>", fault: "2 h1"),
        Damage(
            file: "about.html", from: "href=\"index.html\"", to: "href=\"\"", fault: "an empty address in <a>"
        ),
        Damage(file: "about.html", from: "href=\"index.html\"", to: "href=\"./\"", fault: "./ leads nowhere"),
        Damage(
            file: "about.html", from: "href=\"index.html\"", to: "href=\"/index.html\"",
            fault: "/index.html leads nowhere"),
        Damage(
            file: "about.html", from: "href=\"index.html\"", to: "href=\"../index.html\"",
            fault: "../index.html leads nowhere"),
        Damage(
            file: "about.html", from: "href=\"index.html\"", to: "href=\"Index.html\"",
            fault: "Index.html leads nowhere"),
        Damage(
            file: "about.html", from: "href=\"index.html\"", to: "href=\"javascript:x\"",
            fault: "the scheme of javascript:x"),
        Damage(
            file: "about.html", from: "href=\"#main\"", to: "href=\"#mian\"",
            fault: "no id 'mian' in about.html"),
        Damage(file: "about.html", from: "id=\"say\"", to: "id=\"main\"", fault: "id 'main' is not unique"),
        Damage(
            file: "about.html", from: "About Northwind</h1>", to: "{{name}}</h1>",
            fault: "braces in a text: '{{name}}'"),
        Damage(
            file: "about.html", from: "About Northwind</h1>", to: "A, , B</h1>",
            fault: "a gap in a list: 'A, , B'"),
        Damage(file: "about.html", from: "</h1>", to: "</h2>", fault: "</h2> closes another element"),
        Damage(
            file: "about.html", from: "About Northwind</h1>", to: "A & B</h1>",
            fault: "a bare '&' before '& B'"),
        Damage(
            file: "about.html", from: "northwind.example/about.html\"><meta",
            to: "northwind.example/abuot.html\"><meta",
            fault: "https://northwind.example/abuot.html is no page"),
        Damage(file: "sitemap.xml", from: "</sitemapindex>", to: "", fault: "<sitemapindex> never closed"),
        Damage(
            file: "sitemaps/1.xml", from: "/about.html", to: "/aboot.html",
            fault: "https://northwind.example/aboot.html is no page"),
    ])
    func findsWhatIsWrong(_ damage: Damage) throws {
        let folder = TemporaryFolder(inMemory: true)
        let output = folder.path + "/public"
        _ = try RealSite.bundled[1].driver(in: folder).build(to: output)
        let text = String(decoding: try Tree(output).bytes(of: damage.file), as: UTF8.self)
        try #require(text.contains(damage.from))
        try folder.write(
            "public/" + damage.file, text.replacing(damage.from, with: damage.to, maxReplacements: 1))
        let check = try SiteCheck(try Tree(output), url: "https://northwind.example/")
        #expect(check.faults.contains("\(damage.file): \(damage.fault)"), "\(check.faults)")
    }

    @Test func findsPagesThatAreMissingOrLost() throws {
        let folder = TemporaryFolder(inMemory: true)
        let output = folder.path + "/public"
        _ = try RealSite.bundled[1].driver(in: folder).build(to: output)
        try folder.write("public/lost.html", "<html><title>Lost</title><h1>Lost</h1></html>")
        #expect(
            try SiteCheck(try Tree(output), url: nil).faults.contains("lost.html: is linked from nowhere"))
        try folder.removeFile("public/suppliers/index.html")
        let check = try SiteCheck(try Tree(output), url: "https://northwind.example/")
        #expect(check.faults.contains("index.html: suppliers/index.html leads nowhere"))
    }
}
