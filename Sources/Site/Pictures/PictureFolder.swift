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
    let originals: PictureFiles
    let trusted: String?
    let settings: PictureSettings
    private let program: String?
    private let jobs: Int
    private let openCache: @Sendable () throws -> PictureCache
    let hear: @Sendable (Counts) -> Void
    let state = Monitor(State())
    private let shop = Mutex<Workshop?>(nil)
    /// Held while a picture that is in the database is taken out of it.
    private let keeping = Mutex<Void>(())

    /// The first character of the names of pictures that are in the database; the rest is the hash of their bytes.
    static let blobMark = PictureSource.blobMark

    enum Outcome {
        case waiting
        case done(Result<Picture, PictureFault>)
    }

    struct State {
        /// How each name came out.
        var names: [String: Outcome] = [:]
        /// The hash of the bytes of each name; or why it has none.
        var contents: [String: Result<Content, PictureFault>] = [:]
        /// Keys that a thread is making.
        var busy: Set<String> = []
        /// What makes the whole build fail: no worker, a full disk.
        var failure: (any Error)?
        var isClosed = false
        /// Whether nobody waits any more for what is being made.
        var isAbandoned = false
        var counts = Counts()
    }

    /// How many pictures were asked for, and what became of them.
    struct Counts: Sendable {
        var asked = 0, done = 0, made = 0
    }

    struct Content {
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
        originals = PictureFiles(folder)
        self.settings = settings
        self.program = program
        self.jobs = jobs
        self.hear = hear
        self.openCache = openCache
        trusted = settings.trustedSVG.map { $0 == "." ? "" : $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    deinit { close() }

    /// What only a site with pictures needs, so that it is opened when the first is asked for.
    final class Workshop: Sendable {
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
    func workshop() -> Workshop? {
        shop.withLock { shop in
            if state.withLock(waking: .none, { $0.isAbandoned }) { return nil }
            if let shop { return shop }
            do {
                let workers = (0..<jobs).map { _ in PictureWorker(program: program) }
                // Not held: a preview drops the folder when a picture has changed, and its threads and workers end with it.
                let new = Workshop(try openCache(), workers) { [weak self] number, name in
                    self?.make(name, with: workers[number])
                }
                shop = new
                return new
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
                return nil
            }
        }
    }

    /// Waits for what is being made, and gives up what is not begun.
    func close() {
        state.withLock { $0.isClosed = true }
        guard let open = shop.withLock({ $0.take() }) else { return }
        try? open.pipeline.finish()
        for worker in open.workers { worker.end() }
    }

    /// Gives up at once what is being made and what was asked for: workers are ended, nothing more is kept, and who waits for a
    /// picture is told that there is none. For a preview that ends; any thread may call it.
    func abandon() {
        state.withLock { state in
            state.isClosed = true
            state.isAbandoned = true
        }
        guard let open = shop.withLock({ $0 }) else { return }
        for worker in open.workers { worker.cancel() }
        open.cache.close()
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
            case .waiting where !state.isAbandoned: nil
            // After the end of the build nobody makes it.
            case .waiting, nil: .failure(.crash)
            }
        }
    }

    /// Whether it is known how all of a product's pictures came out, so that nobody waits for them. None is asked for.
    func areKnown(of product: Product) -> Bool {
        let sources = sources(of: product)
        if sources.isEmpty { return true }
        return state.withLock(waking: .none) { state in
            sources.allSatisfy { if case .done = state.names[$0.file] { true } else { false } }
        }
    }

    /// A product's pictures: those that the database names, else those that files and folders have its SKU or id for a name.
    func sources(of product: Product) -> [PictureSource] {
        guard product.pictures.isEmpty, let match = settings.match else { return product.pictures }
        let key: String?
        switch match {
        case .sku: key = product.sku
        case .id: key = product.id.description
        }
        return (key.map { originals.files(ofKey: $0) } ?? []).map {
            PictureSource(file: $0, alternativeText: nil)
        }
    }

    /// Takes a picture that is in the database.
    ///
    /// - Returns: a name for ``find(_:)``.
    func take(_ blob: UnsafeRawBufferPointer) -> String {
        let bytes = blob.withoutWrapping
        let hash = Self.hash(Array(bytes.prefix(PictureFiles.sizeLimit + 1)))
        let name = Self.blobMark + hash
        // Whoever is given the name must find the bytes, also if another thread has them in hand.
        return keeping.withLock { _ in
            keep(bytes, hash, as: name)
            return name
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer, _ hash: String, as name: String) {
        let isNew = state.withLock { state in
            guard state.contents[name] == nil else { return false }
            if bytes.count > PictureFiles.sizeLimit {
                state.contents[name] = .failure(
                    PictureFault(id: "picture-size", text: "has more than \(PictureFiles.sizeLimit >> 20) MB")
                )
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
    func hasPassingFault(_ entry: CatalogueReader.Entry) -> Bool {
        sources(of: entry.product).contains {
            if case .failure(let fault) = find($0.file) { fault.isPassing } else { false }
        }
    }

    /// Asks for all pictures of a product, and says how many there are.
    func request(for entry: CatalogueReader.Entry) -> Int {
        let sources = sources(of: entry.product)
        for source in sources { request(source.file) }
        return sources.count
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

    /// The names of all pictures that were asked for, sorted.
    var asked: [String] { state.withLock { $0.names.keys.sorted() } }

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
        originals.folder?.path == other?.path && settings == others
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

    /// The path of a picture's file below the folder, as it is spelled there; nil for a picture that is none.
    func file(of name: String) -> String? {
        name.hasPrefix(Self.blobMark) ? nil : try? originals.path(of: name)
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
}
