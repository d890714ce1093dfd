import Basics
import Site

/// What some hosts take, as their documentation had it in 2026; it is a warning only, since plans differ.
enum HostLimits {
    private struct Limits {
        let name: String
        var files: Int?
        var bytes: Int?
        var fileBytes: Int?
        var filesInFolder: Int?
        var redirects: Int?, redirectBytes: Int?
        /// Whether folders count as files.
        var countsFolders = false
        var advice: String?
    }

    private static func limits(of host: PublishTarget.Host) -> Limits {
        switch host {
        case .gitHubPages: Limits(name: "GitHub Pages", bytes: 1 << 30, fileBytes: 100 << 20)
        case .gitLabPages:
            Limits(
                name: "GitLab Pages", files: 200_000, bytes: 1 << 30, redirects: 1000,
                redirectBytes: 64 << 10, countsFolders: true)
        case .cloudflarePages:
            Limits(
                name: "Cloudflare Pages", files: 20_000, fileBytes: 25 << 20, redirects: 2000,
                advice: "100000 in a paid plan")
        case .netlify: Limits(name: "Netlify", filesInFolder: 54_000)
        }
    }

    /// What of a site is more than its host takes.
    static func warnings(_ site: [Outgoing], redirects: Int, target: PublishTarget) -> [Diagnostic] {
        guard let host = target.host else { return [] }
        let limits = limits(of: host)
        var out: [Diagnostic] = []
        func warn(_ message: String) {
            out.append(Diagnostic(.warning, "host-limit", message, at: target.place))
        }
        var folders: [Substring: Int] = [:]
        for item in site {
            let end = item.path.lastIndex(of: "/") ?? item.path.startIndex
            folders[item.path[..<end], default: 0] += 1
        }
        let count = site.count + (limits.countsFolders ? folders.count : 0)
        if let most = limits.files, count > most {
            warn(
                "the site has \(count) files, and \(limits.name) takes \(most)"
                    + (limits.advice.map { " (\($0))" } ?? "")
                    + "; choose another host or fewer things to browse by")
        }
        let bytes = site.reduce(0) { $0 + $1.file.size }
        if let most = limits.bytes, bytes > most {
            warn(
                "the site has \(bytes >> 20) MB, and \(limits.name) takes \(most >> 20) MB; choose another host or smaller pictures"
            )
        }
        if let most = limits.fileBytes {
            for item in site where item.file.size > most {
                warn(
                    "'\(item.path)' has \(item.file.size >> 20) MB, and \(limits.name) takes \(most >> 20) MB; make it smaller"
                )
            }
        }
        if let most = limits.filesInFolder {
            for (folder, count) in folders.sorted(by: { $0.key < $1.key }) where count > most {
                warn(
                    "'\(folder)/' has \(count) files, and \(limits.name) takes \(most) in a folder; choose another host"
                )
            }
        }
        if let most = limits.redirects, redirects > most {
            warn(
                "'_redirects' has \(redirects) rules, and \(limits.name) takes \(most); the rest stay pages that lead on"
            )
        }
        if let most = limits.redirectBytes,
            let file = site.first(where: { $0.path == PublishTarget.HostFile.redirects.rawValue }),
            file.file.size > most
        {
            warn(
                "'_redirects' has \(file.file.size >> 10) kB, and \(limits.name) takes \(most >> 10) kB; former addresses stay "
                    + "pages that lead on"
            )
        }
        return out
    }
}
