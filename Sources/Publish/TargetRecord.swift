import Basics
import Site

/// What a target holds of ours, as it was noted when it was last published to. Kept at the target, so that another machine
/// can go on, and beside the manifest.
///
/// Customers' pages are not in the copy at the target, which anybody may be able to read (S55): of their addresses it has
/// hashes only, among others of nothing, so that not even their number shows.
struct TargetRecord {
    /// Which run it is of: 16 hexadecimal digits.
    var generation: String
    /// Files by path in byte order.
    var files: [FinishedSite.File]
    /// Makes hashes of this record differ from those of any other.
    var salt: [UInt8]
    /// Hashes of customers' pages, where the pages themselves are not in ``files``.
    var hashes: Set<String> = []
    /// Files that are kept though they are no longer part of the site: since when, in seconds of the epoch.
    var unused: [String: Int] = [:]

    /// The name of the record of a run at the target. Each run has its own, so that one that is cut while it is written
    /// damages none. No dot in front: there are FTP servers that do not show such files.
    static func name(_ generation: String) -> String { "build-site-files-\(generation).gz" }
    /// The name of what a run is about to send.
    static func pendingName(_ generation: String) -> String { "build-site-sending-\(generation).gz" }

    private static let header = "build-site record 1"

    init(files: [FinishedSite.File]) {
        generation = Self.newGeneration()
        self.files = files
        salt = randomBytes(16)
    }

    static func newGeneration() -> String { randomBytes(8).map(\.twoDigits).joined() }

    /// Whether only its customer is to find a page.
    static func isPrivate(_ path: String) -> Bool { path.hasPrefix("lists/") && path != "lists/index.html" }

    /// A text with paths, for messages and lists, without the parts that only customers know (S55).
    static func concealed(_ text: String) -> String {
        var out = ""
        var rest = text[...]
        while let folder = rest.firstRange(of: "lists/") {
            out += rest[..<folder.upperBound]
            rest = rest[folder.upperBound...]
            let name = rest.prefix { $0 != "/" && $0 != "'" && $0 != "\"" && !$0.isWhitespace }
            // The index file that hides the folder is no secret.
            if name.count >= 20 {
                out += "…"
                rest = rest[name.endIndex...]
            }
        }
        return out + rest
    }

    /// What stands for a customer's page in a record that others can read.
    func hash(of path: String) -> String {
        keyedHash(Array(path.utf8), key: salt, length: 16).map(\.twoDigits).joined()
    }

    /// The record as a file.
    ///
    /// - Parameter isPublic: whether others can read it.
    func text(isPublic: Bool) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(files.count * 64 + 100)
        out.append("\(Self.header)\ngeneration \(generation)\nsalt \(salt.map(\.twoDigits).joined())\n")
        for file in files where !(isPublic && Self.isPrivate(file.path)) {
            out.append("\(file.content.hexDigits) \(file.size) \(file.path)\n")
        }
        for (path, since) in unused.sorted(by: { $0.key < $1.key }) { out.append("~ \(since) \(path)\n") }
        var hashes = hashes
        if isPublic {
            for file in files where Self.isPrivate(file.path) { hashes.insert(hash(of: file.path)) }
            let count = (hashes.count / 64 + 1) * 64
            while hashes.count < count { hashes.insert(randomBytes(16).map(\.twoDigits).joined()) }
        }
        for hash in hashes.sorted() { out.append("- \(hash)\n") }
        // Without this line it is cut.
        out.append("end\n")
        return out
    }

    /// Reads a record; nil if it is none of this version, or damaged. It is not trusted (S37).
    init?(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        guard lines.popLast()?.isEmpty == true, lines.popLast().map({ $0.elementsEqual("end".utf8) }) == true,
            lines.popFirst().map({ $0.elementsEqual(Self.header.utf8) }) == true,
            let generation = Self.value(of: "generation ", lines.popFirst()), generation.utf8.count == 16,
            let salt = Self.value(of: "salt ", lines.popFirst()), let salt = Self.bytes(hex: salt),
            salt.count == 16
        else { return nil }
        self.generation = generation
        self.salt = salt
        files = []
        files.reserveCapacity(lines.count)
        for line in lines {
            let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0].elementsEqual("-".utf8) {
                hashes.insert(String(decoding: parts[1], as: UTF8.self))
                continue
            }
            if parts.count == 3, parts[0].elementsEqual("~".utf8) {
                guard let since = Int(String(decoding: parts[1], as: UTF8.self)), since >= 0 else {
                    return nil
                }
                unused[String(decoding: parts[2], as: UTF8.self)] = since
                continue
            }
            guard parts.count == 3, parts[0].count == 16,
                let content = UInt64(String(decoding: parts[0], as: UTF8.self), radix: 16),
                let size = Int(String(decoding: parts[1], as: UTF8.self)), size >= 0,
                let path = String(validating: parts[2], as: UTF8.self), Self.isOurs(path)
            else { return nil }
            if let last = files.last, !last.path.utf8.lexicographicallyPrecedes(path.utf8) { return nil }
            files.append(FinishedSite.File(path: path, content: content, size: size))
        }
    }

    /// Whether a path can be that of a file that we publish.
    static func isOurs(_ path: String) -> Bool {
        isOutputPath(path) || PublishTarget.HostFile(rawValue: path) != nil
    }

    private static func value(of key: String, _ line: ArraySlice<UInt8>?) -> String? {
        guard let line, line.starts(with: key.utf8) else { return nil }
        return String(decoding: line.dropFirst(key.utf8.count), as: UTF8.self)
    }

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = Array(hex.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var out: [UInt8] = []
        for i in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[i..<i + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            out.append(byte)
        }
        return out
    }
}

/// How far the last publishing to a target came: a few lines, so that looking costs nothing.
struct TargetState: Equatable {
    /// The run that finished, or that is sending.
    var generation: String
    /// The run that finished before it, or nil if there was none.
    var from: String?
    var isFinished: Bool

    static let name = "build-site-target.txt"

    var text: [UInt8] {
        let state = isFinished ? "finished" : "sending"
        return Array(
            "build-site target 1\nstate \(state)\ngeneration \(generation)\nfrom \(from ?? "-")\n".utf8)
    }

    init(generation: String, from: String?, isFinished: Bool) {
        self.generation = generation
        self.from = from
        self.isFinished = isFinished
    }

    init?(_ bytes: [UInt8]) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.count == 4, lines[0] == "build-site target 1",
            ["state finished", "state sending"].contains(lines[1]), lines[2].hasPrefix("generation "),
            lines[3].hasPrefix("from ")
        else { return nil }
        generation = String(lines[2].dropFirst(11))
        let from = String(lines[3].dropFirst(5))
        self.from = from == "-" ? nil : from
        isFinished = lines[1] == "state finished"
        guard generation.utf8.count == 16 else { return nil }
    }
}

extension UInt8 {
    /// Two hexadecimal digits.
    var twoDigits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
