import Basics
import Glibc
import Synchronization

/// The pictures that were made, kept across builds and shared by all that name the same folder.
///
/// A *pack* holds all sizes of a picture and is named by the hash of the original's bytes and of how it was made: so whoever
/// finds one may use it, and it never changes. Beside the packs, each output has a list of the packs it uses, of the
/// files that they were made from (device, number, size, time: a file that has all four as before is not read again), and of
/// pictures that cannot be made. A pack that is in nobody's list is removed at the end of a build, if no other build is at
/// work; a list whose output is gone counts no more.
///
/// Answers are right under three conditions: nobody else writes to the folder; a file that is changed has another size or
/// time, or is another file; the worker makes the same of the same bytes (``PictureRecipe``'s identity).
final class PictureCache: Sendable {
    private let folder: Directory
    private let output: String
    private let lock: SharedLock
    private let writing = Monitor(Writing())

    private struct Writing {
        /// How many threads write a file.
        var count = 0
        var isClosed = false
    }

    /// A line of a list.
    struct List: Sendable {
        /// The hash of a file's bytes by what tells it from others.
        var contents: [String: String] = [:]
        /// Pictures and faults by key.
        var pictures: [String: Picture] = [:]
        var faults: [String: PictureFault] = [:]
    }

    private static let number = Atomic<Int>(0)
    private static let head = "build-site pictures 1\n"
    private static let packHead = "build-site picture 1 "
    static let packLimit = 256 << 20

    /// - Parameters:
    ///   - folder: where it is, or is to be made.
    ///   - output: the output folder, whole.
    init(in folder: Directory, output: String) throws(FileError) {
        self.folder = folder
        self.output = output
        lock = try SharedLock(in: folder, name: "lock")
    }

    private var listName: String { "list-" + Fingerprint(of: output).hex }

    // MARK: Packs

    private static func place(of key: String) -> (folder: String, name: String) {
        (String(key.prefix(2)), key)
    }

    func has(_ key: String) -> Bool {
        let (shelf, name) = Self.place(of: key)
        return (try? folder.status("\(shelf)/\(name)"))??.kind == .regular
    }

    /// A pack; nil when there is none, or it is not as it was written.
    func pack(_ key: String) -> [UInt8]? {
        let (shelf, name) = Self.place(of: key)
        guard let bytes = try? folder.contents(of: "\(shelf)/\(name)", limit: Self.packLimit) else {
            return nil
        }
        let start = Self.packHead.utf8.count + 33
        guard bytes.count > start, bytes.starts(with: Self.packHead.utf8), bytes[start - 1] == 0x0A else {
            return nil
        }
        let pack = Array(bytes[start...])
        let hash = Fingerprint(of: pack).hex
        return bytes[Self.packHead.utf8.count..<(start - 1)].elementsEqual(hash.utf8) ? pack : nil
    }

    /// Keeps a pack; whoever looks finds it whole or not at all.
    func keep(_ pack: [UInt8], _ key: String) throws(FileError) {
        let (shelf, name) = Self.place(of: key)
        let directory = try folder.makingDirectory(shelf)
        let head = "\(Self.packHead)\(Fingerprint(of: pack).hex)\n"
        // Two builds, or two threads, may make the same one at once.
        let new = ".\(name)-\(getpid())-\(Self.number.add(1, ordering: .relaxed).newValue)"
        try beginWriting()
        defer { endWriting() }
        try directory.create(new, Array(head.utf8) + pack)
        try directory.rename(new, to: directory, as: name)
    }

    /// Lets nothing more be kept, and waits until what is being written is whole: for a program that ends with threads at
    /// work.
    func close() {
        writing.wait(waking: .none) { writing in
            writing.isClosed = true
            return writing.count == 0 ? () : nil
        }
    }

    private func beginWriting() throws(FileError) {
        let isClosed = writing.withLock(waking: .none) { writing in
            if !writing.isClosed { writing.count += 1 }
            return writing.isClosed
        }
        if isClosed { throw FileError("write to", folder.path, code: ECANCELED) }
    }

    private func endWriting() { writing.withLock { $0.count -= 1 } }

    // MARK: Pictures of databases

    /// Keeps the bytes of a database's picture until it is made.
    func keep(original bytes: [UInt8], _ hash: String) throws(FileError) {
        let directory = try folder.makingDirectory("originals")
        try beginWriting()
        defer { endWriting() }
        try directory.replace(hash, with: bytes)
    }

    func original(_ hash: String) throws(FileError) -> [UInt8] {
        try folder.contents(of: "originals/" + hash, limit: PictureFiles.sizeLimit)
    }

    // MARK: Lists

    /// What this output's last build noted; nothing when there is no list or it is damaged.
    func list() -> List {
        var list = List()
        guard let bytes = try? folder.contents(of: listName, limit: 4 << 30),
            bytes.starts(with: Self.head.utf8), bytes.last == 0x0A
        else { return list }
        for line in bytes[Self.head.utf8.count...].split(separator: 0x0A) {
            let words = String(decoding: line, as: UTF8.self).split(separator: "\t")
            guard words.count >= 3 else { continue }
            let key = String(words[1])
            switch words[0] {
            case "file": list.contents[key] = String(words[2])
            case "picture": list.pictures[key] = Picture(key: key, record: words[2])
            case "fault" where words.count == 4:
                list.faults[key] = PictureFault(id: String(words[2]), text: String(words[3]))
            default: break
            }
        }
        return list
    }

    /// Notes what this build used, and removes the packs that nobody uses.
    func finish(_ list: List) throws(FileError) {
        var text = Self.head
        // The output first: whoever clears up asks whether it is still there.
        text += "output\t\(output.printable(limit: 4096))\t\(output)\n"
        for (key, content) in list.contents.sorted(by: { $0.key < $1.key }) {
            text += "file\t\(key)\t\(content)\n"
        }
        for (key, picture) in list.pictures.sorted(by: { $0.key < $1.key }) {
            text += "picture\t\(key)\t\(picture.record)\n"
        }
        for (key, fault) in list.faults.sorted(by: { $0.key < $1.key }) where !fault.isPassing {
            let words = fault.text.split(whereSeparator: { $0 == "\t" || $0 == "\n" }).joined(separator: " ")
            text += "fault\t\(key)\t\(fault.id)\t\(words)\n"
        }
        let bytes = Array(text.utf8)
        if (try? folder.contents(of: listName, limit: 4 << 30)) != bytes {
            try folder.replace(listName, with: bytes)
        }
        if lock.becomeOnly() { try prune() }
    }

    private func prune() throws(FileError) {
        var used: Set<String> = []
        for (name, kind) in try folder.entries() where kind == .regular && name.hasPrefix("list-") {
            let bytes = try folder.contents(of: name, limit: 4 << 30)
            let lines = bytes.split(separator: 0x0A)
            let first =
                lines.count > 1 ? String(decoding: lines[1], as: UTF8.self).split(separator: "\t") : []
            guard bytes.starts(with: Self.head.utf8), first.count == 3, first[0] == "output",
                // A first build has no output yet.
                name == listName || realPath(String(first[2])) != nil
            else {
                try folder.removeFile(name)
                continue
            }
            for line in lines where line.starts(with: "picture\t".utf8) {
                used.insert(String(decoding: line.dropFirst(8).prefix { $0 != 0x09 }, as: UTF8.self))
            }
        }
        for (name, kind) in try folder.entries() where kind == .directory {
            let isOriginals = name == "originals"
            guard isOriginals || name.utf8.count == 2 else { continue }
            let shelf = try folder.directory(name)
            for file in try shelf.names() where isOriginals || !used.contains(file) {
                try shelf.removeFile(file)
            }
            try folder.removeDirectory(name)
        }
    }
}
