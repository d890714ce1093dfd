import Basics
import Site

/// Files that hosts want besides the site.
enum HostFiles {
    /// What a target wants, with the bytes; `site` has the paths that the build made itself.
    static func files(of target: PublishTarget, site: FinishedSite, existing: (String) -> Bool) -> [(
        path: String, bytes: [UInt8]
    )] {
        PublishTarget.HostFile.allCases.compactMap { file in
            // The branch of a site is no source of Jekyll, whoever serves it.
            let isWanted = target.hostFiles.contains(file) || (target.kind == .git && file == .noJekyll)
            guard isWanted, !existing(file.rawValue) else { return nil }
            let text: String
            switch file {
            case .headers: text = hostHeaders(policy: site.policy)
            case .redirects: text = redirects(site.moved, basePath: basePath(of: site), host: target.host)
            case .htaccess: text = htaccess(basePath: basePath(of: site), policy: site.policy)
            case .noJekyll: text = ""
            }
            return (file.rawValue, Array(text.utf8))
        }
    }

    /// The path of the site's address, with a slash at both ends.
    private static func basePath(of site: FinishedSite) -> String {
        guard let url = site.url, let scheme = url.firstRange(of: "://"),
            let slash = url[scheme.upperBound...].firstIndex(of: "/")
        else { return "/" }
        return String(url[slash...])
    }

    /// Rules for `_redirects`: former addresses of products, one a line. Customers' pages never move (S55).
    private static func redirects(
        _ moved: [(from: String, to: String)], basePath: String, host: PublishTarget.Host?
    ) -> String {
        // Netlify serves a file that is there before it looks at rules without '!'; the others know no '!'.
        let status = host == .netlify ? "301!" : "301"
        return moved.map { "\(basePath)\($0.from) \(basePath)\($0.to) \(status)\n" }.joined()
    }

    /// What Apache needs to know: the page for what is missing, how long things keep, and what customers' pages are.
    private static func htaccess(basePath: String, policy: String) -> String {
        var out = """
            # Written by build-site.
            Options -Indexes
            ErrorDocument 404 \(basePath)404.html
            AddDefaultCharset utf-8
            <IfModule mod_mime.c>
            AddType text/javascript .js
            AddType image/webp .webp
            </IfModule>
            <IfModule mod_headers.c>
            Header always set Cache-Control "\(pageCaching)"

            """
        for rule in headerRules(policy: policy) {
            let condition =
                rule.folder.isEmpty
                ? nil : "<If \"%{REQUEST_URI} =~ m#^\(escaped(basePath))\(rule.folder)/#\">\n"
            out += condition ?? ""
            for (name, value) in rule.headers { out += "Header always set \(name) \"\(value)\"\n" }
            if condition != nil { out += "</If>\n" }
        }
        return out + "</IfModule>\n"
    }

    private static func escaped(_ path: String) -> String { path.replacing(".", with: "\\.") }

    /// How long a file may be kept, as `Cache-Control` says it.
    static func cacheControl(of path: String) -> String {
        let rule = cacheRules.first { !$0.folder.isEmpty && path.hasPrefix($0.folder + "/") }
        return rule?.headers.first { $0.name == "Cache-Control" }?.value ?? pageCaching
    }

    /// Of pages and all else with a fixed name: where nothing is said, browsers keep a file for a tenth of its age.
    private static let pageCaching = "public, max-age=300"

    /// How long things may be kept does not depend on the site.
    private static let cacheRules = headerRules(policy: "")

    /// The rules of `_headers`, taken apart.
    private static func headerRules(policy: String) -> [(
        folder: String, headers: [(name: String, value: String)]
    )] {
        var rules: [(folder: String, headers: [(name: String, value: String)])] = []
        for line in hostHeaders(policy: policy).split(separator: "\n") {
            if line.hasPrefix("/") {
                // `/search/pieces/*` is the folder `search/pieces`; `/*` is everything.
                var folder = line.dropFirst().prefix { $0 != "*" }
                if folder.hasSuffix("/") { folder = folder.dropLast() }
                rules.append((String(folder), []))
            } else if let colon = line.firstRange(of: ": ") {
                let name = String(line[..<colon.lowerBound].drop { $0 == " " })
                rules[rules.count - 1].headers.append((name, String(line[colon.upperBound...])))
            }
        }
        return rules
    }
}
