import Basics
import Synchronization

/// The files of the site's folder of pictures.
///
/// They are found by the names that the database gives, or by those of the products; whatever a name holds, its file is
/// below the folder and no link leads out of it (S32).
final class PictureFiles: Sendable {
    /// Nil when the site has none.
    let folder: Directory?
    /// The names in each folder as people would call them equal, for those that are not spelled as the folder does.
    private let spellings = Mutex<[String: [String: String]]>([:])
    private let byKey: Mutex<[String: [String]]?> = Mutex(nil)

    /// The most bytes that a picture may have.
    static let sizeLimit = 64 << 20

    init(_ folder: Directory?) { self.folder = folder }

    // MARK: By name

    /// A leading slash is how shops write it; the path stays below the folder all the same (S32).
    static func path(_ name: String) -> String { String(name.drop { $0 == "/" }) }

    /// The path as the folder spells it: a name may be composed (é) in the database and decomposed (e and an accent) on disk,
    /// or have lost one of two spaces on the way.
    func path(of name: String) throws(FileError) -> String {
        let path = Self.path(name)
        guard let folder, try folder.status(path) == nil else { return path }
        let (parent, name) = OutputFolder.split(path)
        guard let directory = parent.isEmpty ? folder : try? folder.directory(parent) else { return path }
        let match = spellings.withLock { spellings in
            if spellings[parent] == nil {
                // The keys of a dictionary are equal when they are canonically equivalent.
                let names = (try? directory.names()) ?? []
                spellings[parent] = Dictionary(
                    names.map { ($0.split(separator: " ").joined(separator: " "), $0) },
                    uniquingKeysWith: { a, _ in a })
            }
            return spellings[parent]?[name.split(separator: " ").joined(separator: " ")]
        }
        return match.map { parent.isEmpty ? $0 : parent + "/" + $0 } ?? path
    }

    func status(of path: String) throws(FileError) -> FileStatus? {
        guard let folder else { return nil }
        return try folder.status(path)
    }

    func bytes(at path: String) throws(FileError) -> [UInt8] {
        guard let folder else { throw FileError("open", path, code: 2) }
        return try folder.contents(of: path, limit: Self.sizeLimit)
    }

    // MARK: By product

    /// The files that have a product's SKU or id for a name, in their order.
    func files(ofKey key: String) -> [String] {
        guard let folder else { return [] }
        return byKey.withLock { names in
            if names == nil { names = Self.names(byKeyIn: folder) }
            return names?[key] ?? []
        }
    }

    /// Files by the key that their name begins with: `KEY.jpg`, `KEY_2.jpg`, or any file in the folder `KEY`.
    private static func names(byKeyIn folder: Directory) -> [String: [String]] {
        var out: [String: [String]] = [:]
        for (name, kind) in (try? folder.entries()) ?? [] where !name.hasPrefix(".") {
            if kind == .directory {
                let files = (try? folder.directory(name).entries()) ?? []
                out[name, default: []] += files.filter { $0.kind == .regular && !$0.name.hasPrefix(".") }
                    .map { name + "/" + $0.name }
                continue
            }
            guard kind == .regular, let dot = name.lastIndex(of: "."), dot != name.startIndex else {
                continue
            }
            let stem = name[..<dot]
            out[String(stem), default: []].append(name)
            if let line = stem.lastIndex(of: "_"),
                stem[stem.index(after: line)...].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                line != stem.startIndex, stem.index(after: line) != stem.endIndex
            {
                out[String(stem[..<line]), default: []].append(name)
            }
        }
        // KEY.jpg before KEY_2.jpg before KEY_10.jpg before what is in the folder.
        func order(_ name: String) -> (Int, Int, String) {
            if name.contains("/") { return (1, 0, name) }
            let stem = name[..<(name.lastIndex(of: ".") ?? name.endIndex)]
            return (0, stem.lastIndex(of: "_").flatMap { Int(stem[stem.index(after: $0)...]) } ?? 0, name)
        }
        return out.mapValues { $0.sorted { order($0) < order($1) } }
    }

    // MARK: All of them

    /// What tells whether any picture was changed: names, sizes and times.
    func listing() throws -> Fingerprint {
        guard folder != nil else { return Fingerprint(high: 0, low: 0) }
        var text: [UInt8] = []
        try forEach { path, status in text.append("\(path)\u{0}\(status.size)\u{0}\(status.modified)\n") }
        return Fingerprint(of: text)
    }

    /// Every file and folder below the folder of pictures; links are told as links.
    func forEach(_ body: (String, FileStatus) throws -> Void) throws {
        guard let folder else { return }
        var folders = [""]
        while let at = folders.popLast() {
            let directory = at.isEmpty ? folder : try folder.directory(at)
            for name in try directory.names() {
                guard let status = try directory.status(name) else { continue }
                let path = at.isEmpty ? name : at + "/" + name
                if status.kind == .directory { folders.append(path) }
                try body(path, status)
            }
        }
    }
}
