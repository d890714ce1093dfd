import Basics
import Database
import Model
import Synchronization

/// The pictures of the site: found by the name that the database gives, made once each in all sizes.
///
/// What is asked for is made by some threads, each with a worker process, while others go on; only who needs to know how a
/// picture came out waits for it. Two steps:
///
/// - *identify*: the hash of the bytes, from the list of the build before if the file is as it was;
/// - *make*: from the cache, else by a worker.
///
/// A page's fingerprint takes the first only: how a picture comes out follows from its bytes and the recipe. But for a picture
/// that took too long or ended the worker: `hasPassingFault` says so, and the page is made again by the next build.
final class PictureFolder: Sendable {
    private let folder: Directory?
    private let trusted: String?
    private let settings: PictureSettings
    private let program: String?
    private let jobs: Int
    private let openCache: @Sendable () throws -> PictureCache
    private let hear: @Sendable (Counts) -> Void
    private let state = Monitor(State())
    private let shop = Mutex<Workshop?>(nil)
    /// The names in each folder as people would call them equal, for those that are not spelled as the folder does.
    private let spellings = Mutex<[String: [String: String]]>([:])
    private let byKey: Mutex<[String: [String]]?> = Mutex(nil)

    /// The first character of the names of pictures that are in the database; the rest is the hash of their bytes.
    static let blobMark = PictureSource.blobMark
    static let sizeLimit = 64 << 20

    private enum Outcome {
        case waiting
        case done(Result<Picture, PictureFault>)
    }

    private struct State {
        /// How each name came out.
        var names: [String: Outcome] = [:]
        /// The hash of the bytes of each name; or why it has none.
        var contents: [String: Result<Content, PictureFault>] = [:]
        /// Keys that a thread is making.
        var busy: Set<String> = []
        /// What makes the whole build fail: no worker, a full disk.
        var failure: (any Error)?
        var isClosed = false
        var counts = Counts()
    }

    /// How many pictures were asked for, and what became of them.
    struct Counts: Sendable {
        var asked = 0, done = 0, made = 0
    }

    private struct Content {
        /// Of the bytes.
        let hash: String
        /// Device, number, size and time of the file, once they are old enough to tell it from a changed one.
        let file: String?
    }

    /// - Parameters:
    ///   - folder: where files are; nil when the site has no such folder.
    ///   - jobs: how many pictures are made at once.
    ///   - hear: is told how many are done of how many asked for.
    init(
        _ folder: Directory?, _ settings: PictureSettings, jobs: Int,
        program: String?,
        hear: @escaping @Sendable (Counts) -> Void = { _ in },
        cache openCache: @escaping @Sendable () throws -> PictureCache
    ) {
        self.folder = folder
        self.settings = settings
        self.program = program
        self.jobs = jobs
        self.hear = hear
        self.openCache = openCache
        trusted = settings.trustedSVG.map { $0 == "." ? "" : $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    /// What only a site with pictures needs, so that it is opened when the first is asked for.
    private final class Workshop: Sendable {
        let cache: PictureCache
        let former: PictureCache.List
        let workers: [PictureWorker]
        let pipeline: Pipeline<String>

        init(
            _ cache: PictureCache, _ workers: [PictureWorker], make: @escaping @Sendable (Int, String) -> Void
        ) {
            self.cache = cache
            self.workers = workers
            former = cache.list()
            pipeline = Pipeline(workers: workers.count, make)
        }
    }

    /// Nil when it cannot be opened, which fails the build.
    private func workshop() -> Workshop? {
        shop.withLock { shop in
            if let shop { return shop }
            do {
                let workers = (0..<jobs).map { _ in PictureWorker(program: program) }
                // The circle is broken by `close`.
                let new = Workshop(try openCache(), workers) { number, name in
                    self.make(name, with: workers[number])
                }
                shop = new
                return new
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
                return nil
            }
        }
    }

    /// Waits for what is being made, and gives up what is not begun. Must be called once after something was asked for.
    func close() {
        state.withLock { $0.isClosed = true }
        guard let open = shop.withLock({ $0.take() }) else { return }
        try? open.pipeline.finish()
        for worker in open.workers { worker.end() }
    }

    // MARK: Asking

    /// Begins to make a picture, if nobody has asked for it before. May wait while many others are being made.
    func request(_ name: String) {
        let isNew = state.withLock { state in
            guard state.names[name] == nil, !state.isClosed else { return false }
            state.names[name] = .waiting
            state.counts.asked += 1
            return true
        }
        guard isNew else { return }
        if let workshop = workshop() {
            try? workshop.pipeline.send(name)
        } else {
            state.withLock { state in
                state.names[name] = .done(.failure(.crash))
                state.counts.done += 1
            }
        }
    }

    /// The picture of a name, or why there is none; waits until it is known.
    func find(_ name: String) -> Result<Picture, PictureFault> {
        request(name)
        return state.wait { state in
            switch state.names[name] {
            case .done(let result): result
            case .waiting: nil
            // After the end of the build nobody makes it.
            case nil: .failure(.crash)
            }
        }
    }

    /// A product's pictures: those that the database names, else those that files and folders have its SKU or id for a name.
    func sources(of product: Product) -> [PictureSource] {
        guard product.pictures.isEmpty, let match = settings.match, let folder else {
            return product.pictures
        }
        let key: String?
        switch match {
        case .sku: key = product.sku
        case .id: key = product.id.description
        }
        guard let key else { return [] }
        return byKey.withLock { names in
            if names == nil { names = Self.names(byKeyIn: folder) }
            return (names?[key] ?? []).map { PictureSource(file: $0, alternativeText: nil) }
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

    /// Takes a picture that is in the database.
    ///
    /// - Returns: a name for ``find(_:)``.
    func take(_ blob: UnsafeRawBufferPointer) -> String {
        let bytes = blob.withoutWrapping
        let hash = Self.hash(Array(bytes.prefix(Self.sizeLimit + 1)))
        let name = Self.blobMark + hash
        let isNew = state.withLock { state in
            guard state.contents[name] == nil else { return false }
            if bytes.count > Self.sizeLimit {
                state.contents[name] = .failure(
                    PictureFault(id: "picture-size", text: "has more than \(Self.sizeLimit >> 20) MB"))
                return false
            }
            state.contents[name] = .success(Content(hash: hash, file: nil))
            return true
        }
        let key = self.key(of: hash)
        if isNew, let workshop = workshop(), workshop.former.faults[key] == nil, !workshop.cache.has(key) {
            do { try workshop.cache.keep(original: Array(bytes), hash) } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
        }
        return name
    }

    // MARK: What came out

    /// Of a product's rows and of the bytes of the pictures they name: a changed picture changes the page. The pictures are
    /// asked for.
    func fingerprint(of entry: CatalogueReader.Entry) -> Fingerprint {
        let rows = entry.fingerprint ?? Fingerprint(high: 0, low: 0)
        let sources = sources(of: entry.product)
        if sources.isEmpty { return rows }
        var text = rows.hex
        for source in sources {
            request(source.file)
            switch content(of: source.file) {
            case .success(let content): text += content.hash
            case .failure(let fault): text += fault.text
            }
            text += source.file + "\u{0}"
        }
        return Fingerprint(of: text)
    }

    /// Whether one of a product's pictures could not be made this time and might be the next.
    func hasPassingFault(_ product: Product) -> Bool {
        sources(of: product).contains {
            if case .failure(let fault) = find($0.file) { fault.isPassing } else { false }
        }
    }

    /// All pictures that were asked for and are there, each once, in the order of their keys. Waits for those that are not yet.
    func found() throws -> [(name: String, picture: Picture)] {
        let all = state.wait { state in
            state.failure != nil || state.counts.done == state.counts.asked ? state.names : nil
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        var seen: Set<String> = []
        return all.compactMap { name, outcome in
            if case .done(.success(let picture)) = outcome { (name, picture) } else { nil }
        }
        .sorted { ($0.picture.key, $0.name) < ($1.picture.key, $1.name) }
        .filter { seen.insert($0.picture.key).inserted }
    }

    /// Whether a picture that could not be made this time might be made the next.
    var hasPassingFaults: Bool {
        state.withLock { state in
            state.names.values.contains {
                if case .done(.failure(let fault)) = $0 { fault.isPassing } else { false }
            }
        }
    }

    /// Whether these are the pictures of a folder, made as the settings say.
    func isOf(_ other: Directory?, _ others: PictureSettings) -> Bool {
        folder?.path == other?.path && settings == others
    }

    /// The bytes of a file of a picture by its path in the site; nil when no such picture was made.
    func bytes(at path: String) -> [UInt8]? {
        let name = path.dropFirst(Picture.folder.count + 1)
        guard path.hasPrefix(Picture.folder + "/"), let dash = name.firstIndex(of: "-") else { return nil }
        let key = String(name[..<dash])
        guard key.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }),
            let pack = workshop()?.cache.pack(key), let (picture, start) = Picture.parse(pack, key: key)
        else { return nil }
        var at = start
        for variant in picture.variants {
            if picture.path(variant) == path { return Array(pack[at..<(at + variant.size)]) }
            at += variant.size
        }
        return nil
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// The files of a picture that was found, in the order of its variants.
    func files(of picture: Picture, name: String) throws -> [[UInt8]] {
        // Made again if the cache has lost it since.
        guard let workshop = workshop(),
            let pack = try workshop.cache.pack(picture.key)
                ?? makePack(name, picture.key, workshop, workshop.workers[0]).get(),
            let (read, start) = Picture.parse(pack, key: picture.key), read == picture
        else {
            throw Failure(
                "file", "\(PictureFault.subject(name)) was changed while the site was built; build again")
        }
        var at = start
        return picture.variants.map { variant in
            defer { at += variant.size }
            return Array(pack[at..<(at + variant.size)])
        }
    }

    /// Notes what was used, for the next build, and clears the cache.
    func finish() throws {
        guard let workshop = shop.withLock({ $0 }) else { return }
        var list = PictureCache.List()
        let (names, contents) = state.withLock { ($0.names, $0.contents) }
        for (name, outcome) in names {
            guard case .success(let content) = contents[name], case .done(let result) = outcome else {
                continue
            }
            if let file = content.file { list.contents[file] = content.hash }
            switch result {
            case .success(let picture): list.pictures[picture.key] = picture
            case .failure(let fault): list.faults[key(of: content.hash)] = fault
            }
        }
        try workshop.cache.finish(list)
    }

    // MARK: Making

    private func make(_ name: String, with worker: PictureWorker) {
        let isOver = state.withLock { $0.isClosed || $0.failure != nil }
        let result: Result<Picture, PictureFault> = isOver ? .failure(.crash) : outcome(of: name, worker)
        let counts = state.withLock { state in
            state.names[name] = .done(result)
            state.counts.done += 1
            return state.counts
        }
        hear(counts)
    }

    private func outcome(of name: String, _ worker: PictureWorker) -> Result<Picture, PictureFault> {
        switch content(of: name) {
        case .failure(let fault): return .failure(fault)
        case .success(let content):
            guard let workshop = workshop() else { return .failure(.crash) }
            let (former, cache) = (workshop.former, workshop.cache)
            let key = self.key(of: content.hash)
            if let picture = former.pictures[key] { return .success(picture) }
            if let fault = former.faults[key] { return .failure(fault) }
            // Of two names with the same bytes, one waits for the other.
            state.wait { state in state.busy.insert(key).inserted ? () : nil }
            defer { _ = state.withLock { $0.busy.remove(key) } }
            if let pack = cache.pack(key), let (picture, _) = Picture.parse(pack, key: key) {
                return .success(picture)
            }
            do {
                switch try makePack(name, key, workshop, worker) {
                case .failure(let fault): return .failure(fault)
                case .success(let pack):
                    guard let pack, let (picture, _) = Picture.parse(pack, key: key) else {
                        return .failure(.crash)
                    }
                    return .success(picture)
                }
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
                return .failure(.crash)
            }
        }
    }

    /// Makes a picture of its original and keeps it. Nil when the original is no longer what it was.
    private func makePack(
        _ name: String, _ key: String, _ workshop: Workshop, _ worker: PictureWorker
    ) throws -> Result<[UInt8]?, PictureFault> {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try self.bytes(of: name) } catch { return .failure(.missing(error)) }
        guard self.key(of: Self.hash(bytes)) == key else { return .success(nil) }
        let header = ImageHeader(bytes)
        if let header {
            guard header.width <= 20_000, header.height <= 20_000, header.width * header.height <= 100_000_000
            else { return .failure(.size(header.width, header.height)) }
        } else if bytes.looksLikeSVG {
            guard let trusted, !name.hasPrefix(Self.blobMark), Self.path(name).hasPrefix(trusted) else {
                return .failure(.svg)
            }
        } else {
            return .failure(bytes.isEmpty ? .broken("it is empty") : .format)
        }
        do {
            let pack = try worker.make(bytes, header, settings.recipe)
            try workshop.cache.keep(pack, key)
            state.withLock { $0.counts.made += 1 }
            return .success(pack)
        } catch let fault as PictureFault {
            return .failure(fault)
        }
    }

    private func content(of name: String) -> Result<Content, PictureFault> {
        if let known = state.withLock({ $0.contents[name] }) { return known }
        let result = identify(name)
        return state.withLock { state in
            // The first answer stands, so that a file that changes now does not change a page's fingerprint.
            if let known = state.contents[name] { return known }
            state.contents[name] = result
            return result
        }
    }

    private func identify(_ name: String) -> Result<Content, PictureFault> {
        guard let folder else { return .failure(.noFolder) }
        do throws(FileError) {
            let started = wallClockNanoseconds()
            let path = try existing(Self.path(name))
            if let status = try folder.status(path), status.kind == .regular {
                let file = "\(status.device):\(status.inode):\(status.size):\(status.modified)"
                if let hash = workshop()?.former.contents[file] {
                    return .success(Content(hash: hash, file: file))
                }
                let bytes = try folder.contents(of: path, limit: Self.sizeLimit)
                // A file changed so lately may change again within the same tick of its clock.
                let isOld = started - status.modified > 1_000_000_000 && bytes.count == status.size
                return .success(Content(hash: Self.hash(bytes), file: isOld ? file : nil))
            }
            // Says what is wrong with it: not there, a link, a folder.
            return .success(
                Content(hash: Self.hash(try folder.contents(of: path, limit: Self.sizeLimit)), file: nil))
        } catch {
            return .failure(.missing(error))
        }
    }

    /// The path as the folder spells it: a name may be composed (é) in the database and decomposed (e and an accent) on disk,
    /// or have lost one of two spaces on the way.
    private func existing(_ path: String) throws(FileError) -> String {
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

    /// The path of a picture's file below the folder, as it is spelled there; nil for a picture that is none.
    func file(of name: String) -> String? {
        name.hasPrefix(Self.blobMark) ? nil : try? existing(Self.path(name))
    }

    private func bytes(of name: String) throws(FileError) -> [UInt8] {
        if name.hasPrefix(Self.blobMark) {
            guard let workshop = workshop() else { throw FileError("open", "the cache", code: 2) }
            return try workshop.cache.original(String(name.dropFirst()))
        }
        guard let folder else { throw FileError("open", name, code: 2) }
        return try folder.contents(of: existing(Self.path(name)), limit: Self.sizeLimit)
    }

    /// A leading slash is how shops write it; the path stays below the folder all the same (S32).
    private static func path(_ name: String) -> String { String(name.drop { $0 == "/" }) }

    /// A keyed hash that nobody finds two pictures for: with a weaker one, somebody could make a picture that takes the
    /// place of another.
    private static func hash(_ bytes: [UInt8]) -> String {
        let hash = keyedHash(bytes, key: Array("build-site pictures".utf8), length: 16)
        return hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private func key(of hash: String) -> String {
        String(Fingerprint(of: hash + "\n" + settings.recipe.identity).hex.prefix(16))
    }

    // MARK: All of the folder

    /// What tells whether any picture was changed: names, sizes and times.
    func listing() throws -> Fingerprint {
        guard folder != nil else { return Fingerprint(high: 0, low: 0) }
        var text: [UInt8] = []
        try forEachFile { path, status in text.append("\(path)\u{0}\(status.size)\u{0}\(status.modified)\n") }
        return Fingerprint(of: text)
    }

    /// Every file and folder below the folder of pictures; links are told as links.
    func forEachFile(_ body: (String, FileStatus) throws -> Void) throws {
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

extension [UInt8] {
    /// Whether it begins like markup in which an `svg` element comes first. A guess for the message; librsvg decides.
    fileprivate var looksLikeSVG: Bool {
        let text = prefix(4096).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let first = text.first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }), first == 0x3C
        else {
            return false
        }
        func contains(_ mark: String) -> Bool {
            let mark = Array(mark.utf8)
            return text.indices.contains { text[$0...].starts(with: mark) }
        }
        return contains("<svg") && !contains("<html")
    }
}

extension UnsafeRawBufferPointer {
    /// The picture without what old databases of Microsoft's put before it: an OLE object's header, which says the name of the
    /// program that the picture is to be opened with, and is of no fixed length.
    fileprivate var withoutWrapping: UnsafeRawBufferPointer {
        guard count > 100, self[0] == 0x15, self[1] == 0x1C else { return self }
        let starts: [[UInt8]] = [[0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], Array("GIF8".utf8)]
        for at in 20..<Swift.min(512, count - 8)
        where starts.contains(where: { self[at...].starts(with: $0) }) {
            return UnsafeRawBufferPointer(rebasing: self[at...])
        }
        return self
    }
}
