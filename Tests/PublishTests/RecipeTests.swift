import Basics
import Database
import Foundation
import Publish
import Site
import TestSupport
import Testing

/// What the recipes of docs/publishing.md promise, as far as a machine without these hosts can tell.
@Suite struct RecipeTests {
    @Test func gitHubPagesGetsTheSiteAsItIsAndKeepsItsName() throws {
        let server = try TestServer(.folder)
        let repository = server.place.file("pages.git")
        try TestServer.check("git", ["init", "--quiet", "--bare", repository])
        let shop = try PublishedShop(
            products: 3, target: "{type: git, to: \(repository), host: github-pages}")
        try shop.build()
        #expect(try shop.publish().status == 0)
        let names = try TestServer.check(
            "git", ["--git-dir", repository, "ls-tree", "-r", "--name-only", "gh-pages"])
        #expect(names.hasPrefix(".nojekyll\n404.html\n"))
        try shop.changePrices(of: 1)
        try shop.build()
        #expect(try shop.publish().status == 0)
        #expect(
            try TestServer.check("git", ["--git-dir", repository, "rev-list", "--count", "gh-pages"]) == "2\n"
        )
    }

    @Test func gitLabPagesGetsTheSiteInAFolderBesideItsOwnFile() throws {
        let server = try TestServer(.git)
        try server.putForeign(".gitlab-ci.yml", "pages:\n")
        let target =
            "{type: git, to: \(server.repository), branch: gh-pages, folder: public, files: [_redirects], history: no}"
        let shop = try PublishedShop(products: 3, target: target)
        try shop.build()
        // A product moves; its former address leads to the new one.
        try shop.database("UPDATE products SET name = 'Other name' WHERE id = 2")
        try shop.build()
        let run = try shop.publish()
        #expect(run.status == 0, "\(run.errors)")
        let files = try server.files()
        #expect(files[".gitlab-ci.yml"] == Array("pages:\n".utf8))
        #expect(files["public/index.html"] != nil)
        let rules = String(decoding: files["public/_redirects"] ?? [], as: UTF8.self).split(separator: " ")
        #expect(
            rules.count == 3 && rules[0].hasSuffix("/bottle-2-2.html")
                && rules[1].hasSuffix("/other-name-2.html") && rules[2] == "301\n", "\(rules)")
        #expect(files.keys.filter { $0.contains("index.html") && !$0.hasPrefix("public/") } == [])
        // Without history there is one commit, whatever was there before.
        #expect(
            try TestServer.check("git", ["--git-dir", server.repository, "rev-list", "--count", "gh-pages"])
                == "1\n")
    }

    @Test func netlifyAndCloudflareGetTheirFiles() throws {
        let server = try TestServer(.folder)
        let shop = try PublishedShop(
            products: 2,
            target: "{type: folder, to: \(server.root), host: netlify, files: [_headers, _redirects]}")
        try shop.build()
        try shop.database("UPDATE products SET name = 'Other name' WHERE id = 2")
        try shop.build()
        #expect(try shop.publish().status == 0)
        let files = try server.files()
        let headers = String(decoding: files["_headers"] ?? [], as: UTF8.self)
        #expect(headers.contains("/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n"))
        #expect(headers.contains("Content-Security-Policy: "))
        // Netlify looks at files before rules unless they are forced.
        #expect(String(decoding: files["_redirects"] ?? [], as: UTF8.self).hasSuffix(" 301!\n"))
    }

    @Test func sharedHostingGetsSettingsForApache() throws {
        let server = try TestServer(.folder)
        let shop = try PublishedShop(
            products: 2, target: "{type: folder, to: \(server.root), files: [.htaccess]}",
            settings: "url: https://corner.example/s.hop/\n")
        try shop.build()
        #expect(try shop.publish().status == 0)
        let text = String(decoding: try server.files()[".htaccess"] ?? [], as: UTF8.self)
        #expect(text.contains("\nOptions -Indexes\nErrorDocument 404 /s.hop/404.html\n"))
        #expect(
            text.contains(
                """
                <If "%{REQUEST_URI} =~ m#^/s\\.hop/assets/#">
                Header always set Cache-Control "public, max-age=31536000, immutable"
                </If>
                """))
        #expect(text.contains("m#^/s\\.hop/lists/#"))
        // Quotes would end the value: there are none inside.
        for line in text.split(separator: "\n") where line.hasPrefix("Header") {
            #expect(line.count(where: { $0 == "\"" }) == 2, "\(line)")
        }
    }

    @Test func objectsInS3SayHowLongTheyKeep() throws {
        let server = try TestServer(.s3)
        let shop = try PublishedShop(
            products: 3, target: server.target().replacing("}", with: ", cache_control: yes}"))
        try shop.build()
        let run = try shop.publish()
        #expect(run.status == 0, "\(run.errors)")
        var said: [String: Int] = [:]
        let headers = server.place.file("data/headers")
        for name in TemporaryFolder.names(in: headers.replacing("/data/headers", with: "/headers")) {
            let text = String(decoding: Project.file(server.place.file("headers/" + name)), as: UTF8.self)
            for line in text.split(separator: "\n") where line.lowercased().hasPrefix("cache-control: ") {
                said[String(line.dropFirst(15)), default: 0] += 1
            }
        }
        let files = try Tree(shop.output).paths
        let assets = files.filter { $0.hasPrefix("assets/") || $0.hasPrefix("search/pieces/") }.count
        #expect(said["public, max-age=31536000, immutable"] == assets)
        #expect(said["public, max-age=300"] == files.count - assets)
    }

    @Test func packedCopiesHoldWhatTheyStandBesideAndAreSentWithIt() throws {
        let server = try TestServer(.folder)
        let shop = try PublishedShop(
            products: 5, target: "{type: folder, to: \(server.root), precompressed: [gz, br]}")
        try shop.build()
        #expect(try shop.publish().status == 0)
        for suffix in ["gz", "br"] {
            let program = suffix == "gz" ? "gzip" : "brotli"
            for path in ["index.html", "products/index.html", "404.html"] {
                let unpacked = try ChildProgram(program, ["-dc", server.root + "/" + path + "." + suffix])
                    .run()
                #expect(unpacked.output == Project.file(shop.output + "/" + path), "\(path).\(suffix)")
            }
        }
        let packed = try server.files().keys.filter { $0.hasSuffix(".gz") }
        #expect(!packed.contains { $0.hasSuffix(".png.gz") || $0.hasSuffix(".webp.gz") })
        #expect(try shop.run("publish", "--no-build").output.hasPrefix("live: 0 files sent"))
        try shop.changePrices(of: 1)
        try shop.build()
        let plan = try shop.plan().sent
        #expect(plan.contains("products/index.html") && plan.contains("products/index.html.gz"))
        // Without them they go again.
        try shop.write(target: "{type: folder, to: \(server.root)}")
        #expect(try shop.publish("--allow-delete").status == 0)
        #expect(try Set(server.files().keys) == Set(Tree(shop.output).paths))
    }
}
