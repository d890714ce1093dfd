import Basics
import Formats
import Foundation
import Site
import TestSupport
import Testing

@testable import Publish

/// What the recipes of docs/publishing.md promise, as far as a machine without these hosts can tell: their settings are read from
/// the page and used as they are.
@Suite struct RecipeTests {
    private static let page = "docs/publishing.md"

    /// The settings of a recipe as they stand in the documentation.
    ///
    /// - Parameter changes: what only the host itself has, and what stands for it here.
    private func recipe(_ heading: String, _ changes: [String: String] = [:]) throws -> String {
        let blocks = Project.blocks("yaml", in: Self.page, under: "### " + heading)
        try #require(blocks.count == 1, "\(heading)")
        return try changes.reduce(blocks[0]) { text, change in
            try #require(text.contains(change.key), "\(heading): \(change.key)")
            return text.replacing(change.key, with: change.value)
        }
    }

    /// Publishes, and once more, when nothing is left to send.
    private func publishTwice(_ shop: PublishedShop, _ target: String = "live") throws {
        let first = try shop.run("publish", target, "--no-build", "--quiet")
        #expect(first.status == 0, "\(first.errors)")
        let second = try shop.run("publish", target, "--no-build")
        #expect(second.output.hasPrefix("\(target): 0 files sent (0 bytes), 0 removed, "), "\(second.output)")
    }

    /// A bare repository that git finds at the address of one at a host.
    private func repository(_ address: String, for shop: PublishedShop) throws -> Repository {
        let repository = try Repository(shop.folder.file("pages.git"))
        shop.environment = [
            "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "url.\(repository.path).insteadOf",
            "GIT_CONFIG_VALUE_0": address,
        ]
        return repository
    }

    /// A repository as its host reads it.
    private struct Repository {
        let path: String

        init(_ path: String) throws {
            self.path = path
            try TestServer.check("git", ["init", "--quiet", "--bare", path])
        }

        func names(_ branch: String) throws -> [String] {
            try TestServer.check("git", ["--git-dir", path, "ls-tree", "-r", "--name-only", branch]).split(
                separator: "\n"
            ).map(String.init)
        }

        func text(_ branch: String, _ name: String) throws -> String {
            try TestServer.check("git", ["--git-dir", path, "show", "\(branch):\(name)"])
        }

        func commits(_ branch: String) throws -> Int? {
            Int(try TestServer.check("git", ["--git-dir", path, "rev-list", "--count", branch]).trimmed)
        }

        /// Puts a file of somebody else on a branch that is not there yet.
        func begin(_ branch: String, _ name: String, _ text: String) throws {
            let script = """
                export GIT_DIR="$1"
                object=$(printf %s "$4" | git hash-object -w --stdin)
                tree=$(printf '100644 blob %s\\t%s\\n' "$object" "$3" | git mktree)
                git update-ref "refs/heads/$2" "$(git -c user.name=x -c user.email=x@localhost commit-tree "$tree" -m x)"
                """
            try TestServer.check("sh", ["-ec", script, "sh", path, branch, name, text])
        }
    }

    /// A product gets another name, and with it another address.
    private func move(_ shop: PublishedShop) throws {
        try shop.build()
        try shop.database("UPDATE products SET name = 'Other name' WHERE id = 2")
        try shop.build()
    }

    @Test func gitHubPages() throws {
        let shop = try PublishedShop(products: 3, settings: recipe("GitHub Pages"))
        let repository = try repository("git@github.com:corner/shop.git", for: shop)
        try repository.begin("gh-pages", "CNAME", "corner.example\n")
        try shop.build()
        try publishTwice(shop)
        let names = try repository.names("gh-pages")
        #expect(names.starts(with: [".nojekyll", "404.html", "CNAME"]))
        #expect(try Set(names).isSuperset(of: Tree(shop.output).paths))
        #expect(try repository.text("gh-pages", "CNAME") == "corner.example\n")
        try shop.changePrices(of: 1)
        try shop.build()
        try publishTwice(shop)
        #expect(try repository.commits("gh-pages") == 3)
        // Only the last, whatever was there before.
        try shop.write(
            settings: recipe("GitHub Pages", ["branch: gh-pages": "branch: gh-pages\n    history: no"]))
        try shop.changePrices(of: 1)
        try shop.build()
        try publishTwice(shop)
        #expect(try repository.commits("gh-pages") == 1)
    }

    @Test func gitLabPages() throws {
        let shop = try PublishedShop(products: 3, settings: recipe("GitLab Pages"))
        let repository = try repository("git@gitlab.com:corner/shop.git", for: shop)
        let job = try #require(Project.blocks("yml", in: Self.page, under: "### GitLab Pages").first)
        #expect(throws: Never.self) { try YAML.read(SourceText(file: ".gitlab-ci.yml", text: job)) }
        try repository.begin("pages", ".gitlab-ci.yml", job)
        try move(shop)
        try publishTwice(shop)
        let names = try repository.names("pages")
        #expect(try repository.text("pages", ".gitlab-ci.yml") == job)
        // The site is in the folder that the job hands over, and nothing of it outside.
        #expect(job.contains("paths: [public]"))
        #expect(try Set(names).isSuperset(of: Tree(shop.output).paths.map { "public/" + $0 }))
        #expect(names.filter { !$0.hasPrefix("public/") } == [".gitlab-ci.yml"])
        let rules = try repository.text("pages", "public/_redirects").split(separator: " ")
        #expect(
            rules.count == 3 && rules[0].hasPrefix("/shop/products/")
                && rules[0].hasSuffix("/bottle-2-2.html")
                && rules[1].hasPrefix("/shop/products/") && rules[1].hasSuffix("/other-name-2.html")
                && rules[2] == "301\n", "\(rules)")
    }

    @Test func cloudflarePagesAndNetlify() throws {
        let shop = try PublishedShop(products: 2, settings: recipe("Cloudflare Pages, Netlify"))
        let repository = try repository("git@github.com:corner/shop.git", for: shop)
        try move(shop)
        // Netlify looks at files before rules unless they are forced; Cloudflare knows no '!'.
        for (target, status) in [("cloudflare", " 301\n"), ("netlify", " 301!\n")] {
            try publishTwice(shop, target)
            let headers = try repository.text("live", "_headers")
            #expect(headers.contains("/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n"))
            #expect(headers.contains("/lists/*\n") && headers.contains("  Content-Security-Policy: "))
            #expect(try repository.text("live", "_redirects").hasSuffix(status))
            // Cloudflare drops what is longer, and more rules than 100.
            #expect(headers.split(separator: "\n").allSatisfy { $0.utf8.count <= 2000 })
            #expect(headers.split(separator: "\n").count { $0.hasPrefix("/") } <= 100)
        }
    }

    @Test func s3AndCloudFront() throws {
        guard TestServer.Kind.chosen.contains(.s3) else { return }
        let server = try TestServer(.s3)
        let shop = try PublishedShop(products: 3, settings: recipe("S3 and CloudFront"))
        // As the recipe has it: the key comes from the environment.
        try server.place.write(
            "rclone.conf",
            "[aws]\ntype = s3\nprovider = Other\nenv_auth = true\nendpoint = http://127.0.0.1:\(server.port)\n"
                + "force_path_style = true\nregion = us-east-1\n")
        shop.environment = [
            "RCLONE_CONFIG": server.place.file("rclone.conf"), "AWS_ACCESS_KEY_ID": "shop",
            "AWS_SECRET_ACCESS_KEY": "correct horse",
        ]
        try shop.build()
        try publishTwice(shop)
        let there = try Tree(server.place.file("data")).differences(from: Tree(shop.output))
        #expect(there.filter { !$0.hasPrefix("build-site-") } == [])
        var said: [String: Int] = [:]
        for name in TemporaryFolder.names(in: server.place.file("headers")) {
            let text = String(decoding: Project.file(server.place.file("headers/" + name)), as: UTF8.self)
            for line in text.split(separator: "\n") where line.lowercased().hasPrefix("cache-control: ") {
                said[String(line.dropFirst(15)), default: 0] += 1
            }
        }
        let files = try Tree(shop.output).paths
        let assets = files.filter { $0.hasPrefix("assets/") || $0.hasPrefix("search/pieces/") }.count
        #expect(said["public, max-age=31536000, immutable"] == assets)
        #expect(said["public, max-age=300"] == files.count - assets)
        // What is noted there is for nobody to keep.
        #expect(said["no-store"] ?? 0 > 0)
    }

    @Test(arguments: [false, true])
    func nginxOverRsync(_ isRestricted: Bool) throws {
        guard TestServer.Kind.chosen.contains(.rsync) else { return }
        let server = try TestServer(.rsync, isRestricted: isRestricted)
        let address = "\(NSUserName())@127.0.0.1:" + (isRestricted ? "site" : server.root)
        let settings = try recipe(
            "nginx, over rsync",
            [
                "www@corner.example:/var/www/corner":
                    "\(address)\n    ssh_config: \(server.sshConfiguration())"
            ])
        let shop = try PublishedShop(products: 3, settings: settings)
        try shop.build()
        try publishTwice(shop)
        let files = try server.files()
        #expect(files["index.html.gz"] != nil && files["index.html.br"] != nil)
        #expect(try Set(files.keys).isSuperset(of: Tree(shop.output).paths))
        try shop.database("DELETE FROM products WHERE id = 3")
        try shop.build()
        #expect(try shop.publish("--allow-delete").status == 0)
        #expect(try server.files().keys.filter { $0.contains("bottle-3-3") } == [])
        // The line of the documentation is what the server was told.
        #expect(Project.text(of: Self.page).contains("`restrict,command=\"rrsync /var/www\" ssh-ed25519 …`"))
    }

    /// What nginx is told is what hosts with `_headers` are told.
    @Test func nginxSendsTheHeadersThatOthersSend() throws {
        let block = try #require(Project.blocks("nginx", in: Self.page, under: "### nginx, over rsync").first)
        var folder: String?
        var said: [String: [String: String]] = [:]
        for line in block.split(separator: "\n") {
            // A location with headers of its own gets none of those around it.
            if let match = line.firstMatch(of: #/location (?:~ )?(\S+) \{/#) { folder = String(match.1) }
            for match in line.matches(of: #/add_header (\S+) (?:"([^"]*)"|([^";]*));/#) {
                said[folder ?? "", default: [:]][String(match.1)] = String(match.2 ?? match.3 ?? "")
            }
            if line.contains("}") { folder = nil }
        }
        #expect(block.count { $0 == "{" } == block.count { $0 == "}" })
        let everywhere = said[""] ?? [:]
        #expect(everywhere["Cache-Control"] == "public, max-age=300")
        let assets = said["^/(assets|search/pieces)/"] ?? [:]
        let lists = said["/lists/"] ?? [:]
        for (place, headers) in said {
            #expect(headers["X-Content-Type-Options"] == "nosniff", "\(place)")
            #expect(headers["Content-Security-Policy"] == "frame-ancestors 'none'", "\(place)")
        }
        let rules = hostHeaders(policy: "").split(separator: "\n\n").map {
            $0.split(separator: "\n").map(String.init)
        }
        for (name, headers) in [("/assets/*", assets), ("/search/pieces/*", assets), ("/lists/*", lists)] {
            let rule = try #require(rules.first { $0[0] == name })
            for line in rule.dropFirst() {
                let parts = line.split(separator: ": ", maxSplits: 1)
                #expect(headers[String(parts[0].drop { $0 == " " })] == String(parts[1]), "\(name)\(line)")
            }
        }
    }

    @Test(arguments: [TestServer.Kind.sftp, .ftp])
    func sharedHosting(_ kind: TestServer.Kind) throws {
        guard TestServer.Kind.chosen.contains(kind) else { return }
        let server = try TestServer(kind)
        let shop = try PublishedShop(products: 2, settings: recipe("Shared hosting, by SFTP or FTP"))
        shop.environment = ["RCLONE_CONFIG": try server.rcloneConfiguration(remote: "hoster")]
        try shop.build()
        try publishTwice(shop)
        let differences = try Tree(server.place.file("data/htdocs")).differences(from: Tree(shop.output))
        #expect(differences.filter { !$0.hasPrefix("build-site-") && !$0.hasPrefix(".htaccess") } == [])
        let text = String(decoding: Project.file(server.place.file("data/htdocs/.htaccess")), as: UTF8.self)
        #expect(text.contains("\nOptions -Indexes\nErrorDocument 404 /404.html\n"))
    }

    @Test func aFolderOnAnotherDisk() throws {
        let place = TemporaryFolder(inMemory: true)
        let shop = try PublishedShop(
            products: 2, settings: recipe("A folder", ["/media/nas/shop": place.file("nas/shop")]))
        try shop.build()
        try publishTwice(shop, "nas")
        let differences = try Tree(place.file("nas/shop")).differences(from: Tree(shop.output))
        #expect(differences.filter { !$0.hasPrefix("build-site-") } == [])
    }

    @Test func apacheIsToldOfASiteInAFolder() throws {
        let place = TemporaryFolder(inMemory: true)
        let shop = try PublishedShop(
            products: 2, target: "{type: folder, to: \(place.file("there")), files: [.htaccess]}",
            settings: "url: https://corner.example/s.hop/\n")
        try shop.build()
        #expect(try shop.publish().status == 0)
        let text = String(decoding: Project.file(place.file("there/.htaccess")), as: UTF8.self)
        #expect(text.contains("\nOptions -Indexes\nErrorDocument 404 /s.hop/404.html\n"))
        #expect(
            text.contains(
                """
                <If "%{REQUEST_URI} =~ m#^/s\\.hop/assets/#">
                Header always set Cache-Control "public, max-age=31536000, immutable"
                </If>
                """))
        // For all, and then the folders that are otherwise.
        #expect(
            text.contains(
                "<IfModule mod_headers.c>\nHeader always set Cache-Control \"public, max-age=300\"\n"))
        #expect(text.contains("m#^/s\\.hop/lists/#"))
        // Quotes would end the value: there are none inside.
        for line in text.split(separator: "\n") where line.hasPrefix("Header") {
            #expect(line.count(where: { $0 == "\"" }) == 2, "\(line)")
        }
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
