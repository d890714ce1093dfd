import Basics
import Foundation
import TestSupport
import Testing

@testable import Publish

/// A server of one protocol on loopback, with a folder of its own, started for one test.
final class TestServer {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case folder, rsync, sftp, webdav, ftp, s3, git

        /// All of them, or those that `PUBLISH_KINDS` names, separated by commas.
        static let chosen: [Kind] = {
            guard let names = ProcessInfo.processInfo.environment["PUBLISH_KINDS"] else { return allCases }
            return names.split(separator: ",").compactMap { Kind(rawValue: String($0)) }
        }()

        var testDescription: String { rawValue }

        /// How a file takes another's place, with the rclone of Debian 12 where it is that.
        var replacement: Replacement {
            switch self {
            case .folder, .rsync, .ftp, .s3, .git: .whole
            case .sftp: TestServer.hasPOSIXRename ? .whole : .afterRemoval
            case .webdav: .inPlace
            }
        }
    }

    let kind: Kind
    let place = TemporaryFolder(inMemory: true)
    private var process: Child?
    /// What the server's keeper reads from: whatever becomes of this process, when it is closed the server ends.
    private var hold: Int32 = -1
    let port: Int
    private let password: String
    private var isFull = false
    /// Whether the key opens one folder only, for rsync alone.
    private let isRestricted: Bool

    /// - Parameter password: what the server wants.
    init(_ kind: Kind, password: String = "correct horse", isRestricted: Bool = false) throws {
        self.kind = kind
        self.password = password
        self.isRestricted = isRestricted
        port = try Self.freePort()
        try FileManager.default.createDirectory(atPath: place.file("data"), withIntermediateDirectories: true)
        if [.rsync, .git, .sftp].contains(kind) { try prepareSSH() }
        if kind == .git {
            try Self.check("git", ["init", "--quiet", "--bare", repository])
        }
        try start()
    }

    deinit { stop() }

    /// Lets nothing large in any more.
    func fill() throws {
        isFull = true
        try restart()
    }

    /// Makes room again.
    func makeRoom() throws {
        isFull = false
        try restart()
    }

    private func restart() throws {
        stop()
        if isFull {
            try place.write("quota", "")
        } else {
            try? FileManager.default.removeItem(atPath: place.file("quota"))
        }
        if kind == .git {
            try Self.check(
                "git",
                ["--git-dir", repository, "config"]
                    + (isFull ? ["receive.maxInputSize", "1000"] : ["--unset", "receive.maxInputSize"]))
        }
        try start()
    }

    /// The folder that the site goes to, for those that have one.
    var root: String { kind == .s3 ? place.file("data/site") : place.file("data/site") }
    var repository: String { place.file("data/site.git") }

    // MARK: Settings

    /// The target as it stands in the settings.
    ///
    /// - Parameter password: what the client says.
    func target(password given: String? = nil) throws -> String {
        let given = given ?? password
        // Under rrsync, the folder is counted from the one that the key opens.
        let root = isRestricted ? "site" : root
        switch kind {
        case .folder: return "{type: folder, to: \(root)}"
        case .rsync:
            return
                "{type: rsync, to: \"\(NSUserName())@127.0.0.1:\(root)\", ssh_config: \(try sshConfiguration(given))}"
        case .git:
            return
                "{type: git, to: \"ssh://\(NSUserName())@127.0.0.1:\(port)\(repository)\", branch: gh-pages}"
        case .sftp, .webdav, .ftp, .s3:
            let remote = kind == .s3 ? "shop:bucket/site" : "shop:site"
            // Each of the twelve connections that rclone opens at once is a handshake and two processes.
            let flags = kind == .sftp ? ", flags: [--checkers=2, --transfers=2]" : ""
            return
                "{type: rclone, to: \"\(remote)\", rclone_config: \(try rcloneConfiguration(given))\(flags)}"
        }
    }

    /// Variables that the client needs.
    func environment(password given: String? = nil) throws -> [String: String] {
        guard kind == .git else { return [:] }
        return ["GIT_SSH_COMMAND": "ssh -o BatchMode=yes -F \(try sshConfiguration(given ?? password))"]
    }

    /// The path of a settings file for rclone.
    func rcloneConfiguration(_ given: String? = nil, remote: String = "shop") throws -> String {
        let given = given ?? password
        let obscured = try Self.check("rclone", ["obscure", given]).trimmingCharacters(
            in: .whitespacesAndNewlines)
        let text =
            switch kind {
            case .sftp:
                "type = sftp\nhost = 127.0.0.1\nport = \(port)\nuser = \(NSUserName())\n"
                    + "key_file = \(place.file(given == password ? "good" : "wrong"))\nknown_hosts_file = \(place.file("known"))\n"
            case .webdav:
                "type = webdav\nurl = http://127.0.0.1:\(port)/\nvendor = other\nuser = shop\npass = \(obscured)\n"
            case .ftp: "type = ftp\nhost = 127.0.0.1\nport = \(port)\nuser = shop\npass = \(obscured)\n"
            default:
                "type = s3\nprovider = Other\naccess_key_id = shop\nsecret_access_key = \(given)\n"
                    + "endpoint = http://127.0.0.1:\(port)\nforce_path_style = true\nregion = us-east-1\n"
            }
        try place.write("rclone.conf", "[\(remote)]\n" + text)
        return place.file("rclone.conf")
    }

    private func prepareSSH() throws {
        for key in ["host", "good", "wrong"] {
            try Self.check("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", place.file(key)])
        }
        try know("host")
        if isRestricted {
            // As docs/publishing.md has it for a key that is to do nothing else.
            let key = String(decoding: Project.file(place.file("good.pub")), as: UTF8.self)
            try place.write("good.pub", "restrict,command=\"rrsync \(place.file("data"))\" \(key)")
        }
        // What the account's shell reads when it starts is not part of the test, and may take longer than all else.
        try place.write(
            "sshd_config",
            """
            Port \(port)
            ListenAddress 127.0.0.1
            HostKey \(place.file("host"))
            AuthorizedKeysFile \(place.file("good.pub"))
            StrictModes no
            UsePAM no
            PidFile none
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            PermitRootLogin yes
            MaxStartups 100
            KexAlgorithms curve25519-sha256
            SetEnv HOME=\(place.path)

            """ + (kind == .sftp ? sftpOnly : ""))
        // Where sshd drops its privileges, if it has any; a packaged one makes the folder when it is started by the system.
        if geteuid() == 0 {
            try? FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
        }
    }

    /// As hosters have it: no shell, and so no hashes of files.
    private var sftpOnly: String {
        """
        Subsystem sftp internal-sftp
        ForceCommand internal-sftp -d \(place.file("data"))

        """
    }

    /// Lets the client know a key as that of the server.
    func know(_ key: String) throws {
        let text = String(decoding: Project.file(place.file(key + ".pub")), as: UTF8.self)
        try place.write("known", "[127.0.0.1]:\(port) \(text)")
    }

    /// The path of a settings file for ssh.
    ///
    /// - Parameter given: the password stands for the key.
    func sshConfiguration(_ given: String? = nil) throws -> String {
        let given = given ?? password
        try place.write(
            "ssh_config",
            """
            Host *
            Port \(port)
            IdentityFile \(place.file(given == password ? "good" : "wrong"))
            IdentitiesOnly yes
            IdentityAgent none
            UserKnownHostsFile \(place.file("known"))
            GlobalKnownHostsFile /dev/null

            """)
        return place.file("ssh_config")
    }

    // MARK: The process

    private func start() throws {
        let servers = Project.root + "/Tests/PublishTests/Servers/"
        let data = place.file("data")
        let words: [String]
        switch kind {
        case .folder: return
        case .rsync, .git, .sftp: words = ["/usr/sbin/sshd", "-D", "-e", "-f", place.file("sshd_config")]
        case .webdav:
            words = [
                "/usr/bin/rclone", "serve", "webdav", data, "--addr", "127.0.0.1:\(port)", "--user",
                "shop", "--pass",
                password,
            ]
        case .ftp: words = ["/usr/bin/python3", servers + "ftp", data, String(port), password]
        case .s3: words = ["/usr/bin/python3", servers + "s3", data, String(port), password]
        }
        // Files above 10 kB (dash counts in 512 bytes) do not fit on a server that is full.
        let isLimited = isFull && [.rsync, .sftp, .webdav].contains(kind)
        let log = place.file("log")
        var ends: [Int32] = [-1, -1]
        // A pair of sockets rather than a pipe: no program that another test starts at this moment may inherit an end.
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw ServerFault(text: "no sockets for \(kind)")
        }
        hold = ends[1]
        defer { close(ends[0]) }
        let process = try Child(
            "/bin/sh", ["-c", (isLimited ? "trap '' XFSZ; ulimit -f 20; " : "") + Self.keeper, "sh"] + words,
            variables: Child.environment(), input: ends[0], errors: log)
        self.process = process
        for _ in 0..<1000 where process.poll() == nil {
            if Self.answers(port) { return }
            usleep(20_000)
        }
        throw ServerFault(
            text: "\(kind) does not start: \(String(decoding: Project.file(log), as: UTF8.self))")
    }

    /// Runs a server for as long as its input is open.
    private static let keeper = """
        exec 3<&0 </dev/null
        "$@" 3<&- & server=$!
        (read -r end <&3; kill -9 $server) & keeper=$!
        wait $server
        status=$?
        kill $keeper 2>/dev/null
        exit $status
        """

    func stop() {
        if hold >= 0 { close(hold) }
        hold = -1
        process?.wait()
        process = nil
    }

    struct ServerFault: Error { let text: String }

    // MARK: What is there

    /// The files at the target but our notes, read as a visitor's server would.
    ///
    /// - Parameter isExact: whether files count that are kept though they are no longer part of the site.
    func files(isExact: Bool = false) throws -> [String: [UInt8]] {
        var out: [String: [UInt8]] = [:]
        if kind == .git {
            let list = try Self.check(
                "git", ["--git-dir", repository, "ls-tree", "-r", "--name-only", "gh-pages"])
            let names = list.split(separator: "\n").map(String.init)
            try? FileManager.default.removeItem(atPath: place.file("checkout"))
            try FileManager.default.createDirectory(
                atPath: place.file("checkout"), withIntermediateDirectories: true)
            try Self.check(
                "git",
                [
                    "--git-dir", repository, "--work-tree", place.file("checkout"), "checkout", "--force",
                    "gh-pages", "--", ".",
                ])
            for name in names { out[name] = Project.file(place.file("checkout/" + name)) }
        } else {
            for path in try Tree(root).paths { out[path] = Project.file(root + "/" + path) }
        }
        // What stays for a while for the sake of pages in caches is as good as gone.
        let kept = out.filter { $0.key.hasPrefix("build-site-files-") }.values.compactMap { bytes in
            let text = bytes.starts(with: [0x1F, 0x8B]) ? Packing.unpackedGzip(bytes, limit: 1 << 30) : bytes
            return text.flatMap { TargetRecord($0) }?.unused.keys
        }.joined()
        for path in isExact ? [] : Set(kept) { out[path] = nil }
        return out.filter { !$0.key.hasPrefix("build-site-") && $0.key != ".nojekyll" }
    }

    /// The paths at which the target has another file than an output folder, or one of them has none.
    func differences(from output: String) throws -> [String] {
        let there = try files()
        let site = try Tree(output)
        return try Set(site.paths).union(there.keys).filter { path in
            guard let bytes = there[path], site.files[path] != nil else { return true }
            return try bytes != site.bytes(of: path)
        }.sorted()
    }

    /// How a visitor reads a file: of a branch, as it is at this moment.
    var reader: @Sendable (String) -> [UInt8]? {
        let root = root
        if kind == .git {
            let branch = Branch("gh-pages", of: repository)
            return { branch.read($0) }
        }
        return { path in
            FileManager.default.contents(atPath: root + "/" + path).map { [UInt8]($0) }
        }
    }

    /// A branch, read file by file as it is at each moment, by one thread.
    private final class Branch: @unchecked Sendable {
        private let name: String
        private let git: ChildProcess?

        init(_ name: String, of repository: String) {
            self.name = name
            git = try? ChildProcess("/usr/bin/git", ["--git-dir", repository, "cat-file", "--batch"])
        }

        func read(_ path: String) -> [UInt8]? {
            let deadline = monotonicSeconds() + 60
            // `HASH blob SIZE`, the bytes and a line's end; or `NAME missing`.
            guard let git, (try? git.send(Array("\(name):\(path)\n".utf8), deadline: deadline)) != nil,
                let parts = try? git.line(deadline: deadline).split(separator: " "), parts.count == 3,
                parts[1] == "blob", let size = Int(parts[2]),
                var bytes = try? git.bytes(size + 1, deadline: deadline)
            else { return nil }
            bytes.removeLast()
            return bytes
        }
    }

    /// Puts a file of somebody else there.
    func putForeign(_ path: String, _ text: String) throws {
        if kind == .git {
            let object = try Self.check(
                "sh",
                [
                    "-c", "printf %s \"$2\" | git --git-dir \"$1\" hash-object -w --stdin", "sh", repository,
                    text,
                ]
            ).trimmingCharacters(in: .whitespacesAndNewlines)
            try Self.check(
                "sh",
                [
                    "-ec",
                    """
                    export GIT_DIR="$1" GIT_INDEX_FILE="$1/test-index"
                    git read-tree gh-pages 2>/dev/null || git read-tree --empty
                    git update-index --add --cacheinfo "100644,$2,$3"
                    parent=$(git rev-parse --verify --quiet gh-pages || true)
                    commit=$(git -c user.name=x -c user.email=x@localhost commit-tree "$(git write-tree)" -m x ${parent:+-p "$parent"})
                    git update-ref refs/heads/gh-pages "$commit"
                    """, "sh", repository, object, path,
                ])
            return
        }
        try place.write(String(root.dropFirst(place.path.count + 1)) + "/" + path, text)
        try notice()
    }

    /// rclone remembers for minutes what a folder holds, unless it is told over the wire.
    private func notice() throws { if kind == .webdav { try restart() } }

    /// Takes files away behind everybody's back.
    func lose(_ paths: [String]) throws {
        guard kind == .git else {
            for path in paths { try FileManager.default.removeItem(atPath: root + "/" + path) }
            try notice()
            return
        }
        try Self.check(
            "sh",
            [
                "-ec",
                """
                export GIT_DIR="$1" GIT_INDEX_FILE="$1/test-index"
                shift
                git read-tree gh-pages
                printf '0 0000000000000000000000000000000000000000\\t%s\\n' "$@" | git update-index --index-info
                commit=$(git -c user.name=x -c user.email=x@localhost commit-tree "$(git write-tree)" -m x -p gh-pages)
                git update-ref refs/heads/gh-pages "$commit"
                """, "sh", repository,
            ] + paths)
    }

    // MARK: Tools

    /// Whether rclone is 1.63 or later, which by SFTP asks for a rename that takes another's place.
    private static let hasPOSIXRename: Bool = {
        let words = (try? check("rclone", ["version"]))?.split { " .\n".contains($0) } ?? []
        return words.count > 2 && (words[1], Int(words[2]) ?? 0) >= ("v1", 63)
    }()

    @discardableResult
    static func check(_ name: String, _ arguments: [String]) throws -> String {
        let result = try ChildProgram(name, arguments).run()
        guard result.status == 0 else { throw ServerFault(text: "\(name) \(arguments): \(result.errors)") }
        return String(decoding: result.output, as: UTF8.self)
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private static func freePort() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) + getsockname(socket, $0, &length)
            }
        }
        guard code == 0 else { throw ServerFault(text: "no free port") }
        return Int(in_port_t(bigEndian: address.sin_port))
    }

    /// Whether somebody listens on a port.
    static func answers(_ port: Int) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = address(port)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        } == 0
    }
}
