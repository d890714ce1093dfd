public import Basics
import Formats

/// Where `build-site publish` sends the site: an entry of `publish` in the settings.
public struct PublishTarget: Sendable {
    /// How files get there.
    public enum Kind: String, CaseIterable, Sendable {
        /// Into a folder of this machine.
        case folder
        /// With `rsync` over `ssh`.
        case rsync
        /// With `rclone`, to anything that it reaches.
        case rclone
        /// As a commit on a branch, with `git`.
        case git
    }

    /// A host whose limits are known.
    public enum Host: String, CaseIterable, Sendable {
        /// GitHub Pages.
        case gitHubPages = "github-pages"
        /// GitLab Pages.
        case gitLabPages = "gitlab-pages"
        /// Cloudflare Pages.
        case cloudflarePages = "cloudflare-pages"
        /// Netlify.
        case netlify
    }

    /// A file that some hosts want, made when the site is published.
    public enum HostFile: String, CaseIterable, Sendable {
        /// Headers, for Netlify and Cloudflare Pages.
        case headers = "_headers"
        /// Former addresses of products, for Netlify, Cloudflare Pages and GitLab Pages.
        case redirects = "_redirects"
        /// Headers and the page for missing ones, for Apache.
        case htaccess = ".htaccess"
        /// Tells GitHub Pages to serve files as they are.
        case noJekyll = ".nojekyll"
    }

    /// A second copy of a file, packed beforehand for servers that look for one.
    public enum Packing: String, CaseIterable, Sendable {
        /// `page.html.gz`.
        case gzip = "gz"
        /// `page.html.br`.
        case brotli = "br"
    }

    /// The name in the settings.
    public let name: String
    /// How files get there.
    public let kind: Kind
    /// A folder, `host:path`, `remote:path` or a repository; never with a password.
    public let destination: String
    /// The address to open afterwards; nil is the site's.
    public let url: String?
    /// Whose limits are to be looked at.
    public let host: Host?
    /// What to send besides the site.
    public let hostFiles: Set<HostFile>
    /// The packed copies to send with each text.
    public let packings: Set<Packing>
    /// Options for rclone.
    public let flags: [String]
    /// Whether rclone is to set `Cache-Control` on each object.
    public let setsCacheControl: Bool
    /// The program's own settings file; nil is the person's.
    public let configuration: String?
    /// ssh's port; nil is what ssh's settings say.
    public let port: Int?
    /// The branch of a git repository.
    public let branch: String
    /// The folder in the branch that the site goes to; nil is the top.
    public let folder: String?
    /// Whether a git branch keeps earlier sites.
    public let keepsHistory: Bool
    /// Where it is in the settings.
    public let place: Diagnostic.Place

    init?(_ name: String, _ setting: Setting) {
        guard name.isTargetName else {
            setting.error(
                "setting-value",
                "'\(name)' is no name for a target: letters, digits and '-', at most 40, a letter first")
            return nil
        }
        guard let setting = setting.mapping() else {
            if !setting.isGiven { setting.expects("settings of its own, as 'name: value'") }
            return nil
        }
        self.name = name
        place = setting.place
        let type = setting.required("type")
        let kind = type.choice(of: Kind.allCases.map(\.rawValue)).flatMap(Kind.init)
        let to = setting.required("to")
        destination = to.text() ?? ""
        url = Self.address(setting["url"])
        host = setting["host"].choice(of: Host.allCases.map(\.rawValue)).flatMap(Host.init)
        hostFiles = Set(Self.choices(setting["files"], of: HostFile.self))
        packings = Set(Self.choices(setting["precompressed"], of: Packing.self))
        var flags: [String] = []
        var setsCacheControl = false
        var configuration: String?
        var port: Int?
        var branch = "main"
        var folder: String?
        var keepsHistory = true
        switch kind {
        case .rsync:
            configuration = setting["ssh_config"].text()
            port = setting["port"].integer(in: 1...65535)
        case .rclone:
            configuration = setting["rclone_config"].text()
            setsCacheControl = setting["cache_control"].flag() ?? false
            flags = Self.flags(setting["flags"])
        case .git:
            branch = setting["branch"].text() ?? "gh-pages"
            if !branch.isBranchName {
                setting["branch"].error("setting-value", "'\(branch)' is no name of a branch")
            }
            folder = setting["folder"].text()
            if let text = folder, !isOutputPath(text) {
                setting["folder"].error("setting-value", "'\(text)' is no folder in a branch")
            }
            keepsHistory = setting["history"].flag() ?? true
        case .folder, nil: break
        }
        self.flags = flags
        self.setsCacheControl = setsCacheControl
        self.configuration = configuration
        self.port = port
        self.branch = branch
        self.folder = folder
        self.keepsHistory = keepsHistory
        guard let kind else { return nil }
        self.kind = kind
        if to.isGiven { Self.check(to, destination, kind) }
    }

    /// The address to open; it is printed after each publishing.
    private static func address(_ setting: Setting) -> String? {
        guard let text = setting.text() else { return nil }
        if holdsSecret(text) {
            setting.concealedError(
                "publish-secret", "'\(setting.name)' holds a password, and is printed; leave it out")
        } else if !["https://", "http://", "file:///"].contains(where: { text.hasPrefix($0) })
            || text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        {
            setting.error(
                "setting-value", "'\(text.printable)' is no web address, as in 'https://shop.example/'")
        }
        return text
    }

    private static func choices<Choice: RawRepresentable<String> & CaseIterable>(
        _ setting: Setting, of type: Choice.Type
    ) -> [Choice] {
        setting.elements().compactMap {
            $0.choice(of: Choice.allCases.map(\.rawValue)).flatMap(Choice.init(rawValue:))
        }
    }

    /// A destination becomes an argument of a program: it must not be taken for an option, and holds no secret (S47).
    private static func check(_ setting: Setting, _ text: String, _ kind: Kind) {
        if holdsSecret(text) {
            // The value itself is not printed, so that it does not get into a log as well.
            setting.concealedError(
                "publish-secret",
                "'\(setting.name)' holds a password; keep it in the settings of rclone, ssh or git, not in this file"
            )
            return
        }
        if text.isEmpty || text.hasPrefix("-") || text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            setting.error("setting-value", "'\(text.printable)' is no place to publish to")
            return
        }
        switch kind {
        case .folder: break
        case .rsync:
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count < 2 || parts[0].isEmpty || parts[0].contains("/") || parts[1].hasPrefix(":")
                || parts[1].isEmpty
            {
                setting.error(
                    "setting-value",
                    "'\(text.printable)' is no host and folder, as in 'www@shop.example:/var/www/shop'; a folder of "
                        + "this machine is of type 'folder'")
            }
        case .rclone:
            if !text.contains(":") {
                setting.error(
                    "setting-value",
                    "'\(text.printable)' names no remote, as in 'bucket:shop'; 'rclone listremotes' lists them"
                )
            }
        case .git:
            if text.contains("::") {
                setting.error("setting-value", "'\(text.printable)' runs a program; name a repository")
            }
        }
    }

    /// Whether a text looks as if it had a password, key or token in it.
    private static func holdsSecret(_ text: String) -> Bool {
        let lower = text.lowercased()
        if let at = lower.firstRange(of: "://") {
            let authority = lower[at.upperBound...].prefix { $0 != "/" }
            if let sign = authority.lastIndex(of: "@"), authority[..<sign].contains(":") { return true }
        }
        // Signed addresses of Azure and Google hold their secret as `sig`.
        return [
            "pass=", "password=", "secret=", "token=", "_key=", "secret_access_key", "sas_url=", "sig=",
            "authorization:", "bearer ",
        ].contains { lower.contains($0) }
    }

    private static func flags(_ setting: Setting) -> [String] {
        setting.elements().compactMap { element in
            guard let text = element.text() else { return nil }
            let name = text.prefix { $0 != "=" }
            guard text.hasPrefix("--"), name.count > 2,
                name.dropFirst(2).utf8.allSatisfy({ $0.isLowerLetterOrDigit || $0 == UInt8(ascii: "-") })
            else {
                element.error(
                    "setting-value", "'\(text.printable)' is no option of rclone, as in '--bwlimit=1M'")
                return nil
            }
            if ["pass", "secret", "token", "key", "credential", "sas-url"].contains(where: {
                name.contains($0)
            }) && !name.hasSuffix("-file") || holdsSecret(String(text.dropFirst(name.count))) {
                element.concealedError(
                    "publish-secret", "'\(name)' holds a password or key; keep it in rclone's own settings")
                return nil
            }
            if name == "--config" || name.contains("command") || name.hasPrefix("--rc")
                || name == "--sftp-ssh"
            {
                element.error(
                    "setting-value",
                    "'\(name)' is not passed on"
                        + (name == "--config" ? "; name the file with 'rclone_config'" : ""))
                return nil
            }
            return text
        }
    }
}

extension UInt8 {
    fileprivate var isLowerLetterOrDigit: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
    }
}

extension String {
    /// A name that can be that of a folder, and is typed on a command line.
    fileprivate var isTargetName: Bool {
        guard let first = utf8.first, utf8.count <= 40 else { return false }
        return (first | 0x20).isLowerLetterOrDigit
            && utf8.allSatisfy {
                ($0 | 0x20).isLowerLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }

    /// What every git takes as a branch: stricter than git is.
    fileprivate var isBranchName: Bool {
        !isEmpty && utf8.count <= 100 && !hasPrefix("-") && !hasPrefix("/") && !hasSuffix("/")
            && !contains("//")
            && !contains("..") && !hasSuffix(".lock")
            && split(separator: "/").allSatisfy { !$0.hasPrefix(".") }
            && utf8.allSatisfy {
                ($0 | 0x20).isLowerLetterOrDigit || [0x2D, 0x2E, 0x2F, 0x5F].contains($0)
            }
    }
}

/// Whether a path can be that of a file that a build writes: no way out, nothing hidden, no control characters.
public func isOutputPath(_ path: String) -> Bool { OutputFolder.isSafe(path) }
