import Basics
import Glibc
import Site

/// Brings files to a target. Paths are below the target's top; those of ours are plain (`isOutputPath`).
///
/// A file that appears is whole, as far as the target can do that (``Transport/replacement``).
protocol Transport: AnyObject {
    /// Whether everything becomes visible in one step when ``finish(_:)`` is called.
    var isAtomic: Bool { get }
    /// What a visitor can meet while a file takes another's place.
    var replacement: Replacement { get throws }
    /// Looks whether the target can be reached and gets what is needed of it.
    func open() throws
    /// A file of what is noted; nil if there is none.
    func read(_ name: String) throws -> [UInt8]?
    /// Writes a file of what is noted.
    func write(_ name: String, _ bytes: [UInt8]) throws
    /// All files below a folder, by their paths from the target's top; of a folder that is missing none.
    func list(_ folder: String) throws -> [String]
    /// Those of some paths at which the target has a file.
    func existing(_ paths: [String]) throws -> [String]
    /// Those of some files of ours that the target has with other bytes.
    func differing(_ items: [Outgoing]) throws -> [String]
    /// Sends files.
    ///
    /// - Parameters:
    ///   - moved: hears how many more are on their way, for people who wait; it may be more than arrives.
    ///   - done: hears which are there.
    func send(_ items: [Outgoing], moved: (Int) -> Void, done: ([Outgoing]) throws -> Void) throws
    /// Removes files; one that is gone already is fine. Folders of ours that are empty then go as well. Whether all are gone,
    /// ``existing(_:)`` tells.
    func remove(_ paths: [String]) throws
    /// Makes everything visible where that is one step.
    func finish(_ message: String, progress: any BuildProgress) throws
    /// Those of some files that the target does not have as they were sent.
    func mismatches(_ items: [Outgoing]) throws -> [String]
    /// Ends what is still connected, whatever came before.
    func close()
}

extension Transport {
    func close() {}
}

/// How a file takes another's place at a target.
enum Replacement {
    /// In one step: one of the two is there at every moment.
    case whole
    /// The old one is removed before the new one, which is whole, gets its name.
    case afterRemoval
    /// It is written over the old one, unless the server keeps it apart until it is whole.
    case inPlace
}

/// What transports work with.
struct Workplace {
    let target: PublishTarget
    /// The output folder, and the folder of files made for this target: absolute paths.
    let site: Directory, made: Directory
    /// A folder for scratch files and for what is remembered of the target.
    let scratch: Directory
    let sitePath: String, madePath: String, scratchPath: String
    /// The folder of the site's sources, to which paths in the settings are relative.
    let base: String
    /// The lock that other programs keep while they run.
    let lock: FileLock

    /// The folder a file lies in.
    func root(of item: Outgoing) -> Directory { item.isMade ? made : site }

    /// The bytes of a file, which must still be those that were looked at.
    func bytes(of item: Outgoing) throws -> [UInt8] {
        let bytes = try root(of: item).contents(of: item.path, limit: max(item.file.size, 0))
        guard item.isMade || Fingerprint(of: bytes).low == item.file.content else {
            throw Failure(
                "output-changed", "was changed while the site was being sent; build again and publish again",
                at: .file(TargetRecord.concealed(site.joined(item.path))))
        }
        return bytes
    }

    /// A program with our lock and environment.
    func program(_ name: String, _ arguments: [String]) -> ChildProgram {
        var program = ChildProgram(name, arguments)
        program.kept = [lock.descriptor]
        return program
    }

    /// Writes a list of paths to a scratch file and gives its absolute path.
    func list(_ name: String, _ paths: some Sequence<String>, separator: UInt8) throws -> String {
        var bytes: [UInt8] = []
        for path in paths {
            bytes.append(path)
            bytes.append(separator)
        }
        try scratch.replace(name, with: bytes, mode: 0o600)
        return scratchPath + "/" + name
    }

    /// A path of the settings, absolute.
    func absolute(_ path: String) -> String { absolutePath(path, in: base) }
}

/// A target that does not do what it is asked.
struct TransportFault: Error {
    enum Kind {
        /// The password or key is wrong, or the account may not write there.
        case denied
        /// No room is left.
        case full
        /// It cannot be reached, or the connection broke.
        case unreachable
        /// The program is not installed.
        case missingProgram
        /// Somebody else published in the meantime.
        case overtaken
        case other
    }

    let kind: Kind
    /// What went wrong, in the program's words, without secrets.
    let message: String

    var isRetryable: Bool { kind == .unreachable }

    /// What the person is told.
    func failure(_ target: PublishTarget) -> Failure {
        let tool = target.kind.rawValue
        let resume = "publish again to go on from where it stopped"
        let (id, advice): (String, String) =
            switch kind {
            case .denied:
                (
                    "target-denied",
                    "check the account in the settings of \(target.kind == .rsync ? "ssh" : tool), and who may write there"
                )
            case .full: ("target-full", "make room there, then \(resume)")
            case .unreachable: ("target-unreachable", "check the address and the network, then \(resume)")
            case .missingProgram: ("missing-program", "install it (apt install \(tool))")
            case .overtaken: ("target-overtaken", "publish again")
            case .other: ("target", "when that is mended, \(resume)")
            }
        return Failure(id, "target '\(target.name)': \(message); \(advice)", at: target.place)
    }

    /// The fault that a program reports.
    ///
    /// - Parameters:
    ///   - errors: what it wrote to standard error.
    ///   - kind: what its exit status means, where that is known.
    init(_ name: String, _ errors: String, status: Int32, kind: Kind? = nil) {
        let text = errors.lowercased()
        let denied = [
            "permission denied", "host key verification failed", "unable to authenticate",
            "authentication failed",
            "login incorrect", "401 unauthorized", "403 forbidden", "accessdenied",
            "signaturedoesnotmatch",
            "invalidaccesskeyid", "access denied", "knownhosts", "could not read username",
            "could not read password",
            "operation not permitted", "read-only file system",
        ]
        let full = [
            "no space left", "disk quota exceeded", "insufficient storage", "quotaexceeded", "file too large",
            "not enough space", "exceeds maximum allowed size", "storage full",
        ]
        let broken = [
            "connection refused", "connection reset", "connection closed", "could not resolve",
            "no route to host",
            "network is unreachable", "timed out", "timeout", "broken pipe", "connection unexpectedly closed",
            "no such host", "unexpected eof", "temporary failure in name resolution",
            "the remote end hung up",
        ]
        if full.contains(where: text.contains) {
            self.kind = .full
        } else if denied.contains(where: text.contains) {
            self.kind = .denied
        } else if broken.contains(where: text.contains) {
            self.kind = .unreachable
        } else {
            // A number is a reply of an FTP server only where one stands: there are counts of bytes as well.
            func replies(_ code: String) -> Bool {
                name == "rclone"
                    && text.split(separator: "\n").contains {
                        $0.hasPrefix(code + " ") || $0.contains(": \(code) ")
                    }
            }
            self.kind = replies("552") ? .full : replies("530") ? .denied : kind ?? .other
        }
        message = "\(name) says: \(Self.essence(of: errors, status: status))"
    }

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(_ error: FileError) {
        self.kind =
            switch error.code {
            case ENOSPC, EDQUOT, EFBIG: .full
            case EACCES, EPERM, EROFS: .denied
            default: .other
            }
        message = error.description
    }

    /// The first lines that say something, without times, without passwords in addresses.
    private static func essence(of errors: String, status: Int32) -> String {
        var seen: Set<String> = []
        let lines = errors.split(separator: "\n").map { TargetRecord.concealed(withoutSecrets(String($0))) }
            .filter {
                let line = $0.trimmed
                return !line.isEmpty && seen.insert(line).inserted
                    && !line.hasPrefix("Warning: Permanently added")
            }
        if lines.isEmpty { return "nothing, with exit status \(status)" }
        return lines.prefix(3).map(\.trimmed).joined(separator: "; ").printable(limit: 400)
    }

    /// Passwords in addresses (`https://name:password@host`) made invisible (S47).
    static func withoutSecrets(_ text: String) -> String {
        var out = ""
        var rest = text[...]
        while let scheme = rest.firstRange(of: "://") {
            out += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !$0.isWhitespace && $0 != "/" && $0 != "'" && $0 != "\"" }
            guard let at = authority.lastIndex(of: "@") else { continue }
            out += "…@"
            rest = rest[rest.index(after: at)...]
        }
        return out + rest
    }
}

extension String {
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}

/// A path made absolute, from a folder; without looking at the file system.
func absolutePath(_ path: String, in folder: String) -> String {
    var parts: [Substring] = []
    for part in (path.hasPrefix("/") ? path : folder + "/" + path).split(separator: "/") where part != "." {
        if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
}

/// The folder part of a path, "" at the top, and the last part.
func splitPath(_ path: String) -> (folder: String, file: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
}

/// The folders that files lie in and those above, deepest first: candidates for being empty once the files are gone.
func foldersAbove(_ paths: [String]) -> [String] {
    var folders: Set<String> = []
    for path in paths {
        var folder = splitPath(path).folder
        while !folder.isEmpty, folders.insert(folder).inserted { folder = splitPath(folder).folder }
    }
    return folders.sorted {
        ($1.utf8.count(where: { $0 == 0x2F }), $0) < ($0.utf8.count(where: { $0 == 0x2F }), $1)
    }
}
