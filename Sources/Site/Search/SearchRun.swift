import Basics
import Database
import Model
import Search
import Synchronization

/// Makes the files of the search during a build, and keeps the records of products for the next one.
///
/// Unlike pages, pieces are named by what they are made from, so that a piece that the build before had is known by its
/// name and neither made nor written.
final class SearchRun: @unchecked Sendable {
    // Workers call `append` and `add` only, which change nothing but the spool; everything else is one thread's.
    private let renderer: SiteRenderer
    private let ledger: Ledger
    private let folder: Directory
    private let jobs: Int
    private let limits: SearchLimits
    private let records: SearchRecords
    private let spool: RecordSpool
    private let former: RecordFile?
    private var places: [Int32]
    private var isNew = false

    private var hasNewWords = false

    private static let fileName = "search.records", newName = "search.records.new"
    private static let wordsName = "search.words", newWordsName = "search.words.new"
    static let folderName = "search"

    /// The digest of the names of all pieces that were made, by which the next build knows them.
    private(set) var pieces = ""

    /// - Parameters:
    ///   - folder: where the records are kept from build to build.
    ///   - former: those of the build before; if the plan is that build's, they must be as well.
    init(
        renderer: SiteRenderer, ledger: Ledger, folder: Directory, former: RecordFile?, jobs: Int,
        limits: SearchLimits
    ) throws {
        self.limits = limits
        self.renderer = renderer
        self.ledger = ledger
        self.folder = folder
        self.jobs = jobs
        let count = renderer.catalogue.count
        records = SearchRecords(renderer: renderer)
        spool = try RecordSpool(products: count, in: folder)
        self.former = former
        places = [Int32](repeating: -1, count: count)
    }

    /// The records of the build before.
    static func formerRecords(in folder: Directory) -> RecordFile? {
        RecordFile.open(in: folder, name: fileName)
    }

    /// What ``pieces`` was of the build that left some records.
    static func pieces(of records: RecordFile) -> String? { records.pieces.map { digest(of: $0) } }

    private static func digest(of names: [String]) -> String { Fingerprint(of: names.joined()).hex }

    /// Removes what a build that was killed has left. Those records may be of the site that is in place, but nothing says
    /// so; the older ones say of each product whether they hold.
    static func tidy(_ folder: Directory) throws {
        for name in [newName, newWordsName] { try folder.removeFile(name) }
    }

    /// Finds the records of the build before that still hold.
    ///
    /// - Parameter needs: of each product, 0 if nothing of it is to be rendered; set to 2 where a record is missing.
    func reuse(_ needs: inout [UInt8], _ prints: PageFingerprints) {
        let catalogue = renderer.catalogue
        if catalogue.changed != nil, former?.count == catalogue.count {
            for number in needs.indices where needs[number] == 0 { places[number] = Int32(number) }
        } else if let former {
            let needs = needs
            places = former.places(of: catalogue.count, where: { needs[$0] == 0 }) { number, id in
                id.append(catalogue.keys[number].description)
                return prints.product(number)
            }
        }
        for number in needs.indices where needs[number] == 0 && places[number] < 0 { needs[number] = 2 }
    }

    /// Appends the record of a product that is rendered; ``add(_:of:)`` takes several together.
    func append(
        _ entry: CatalogueReader.Entry, number: Int, fingerprint: UInt64, rating: Rating, tint: String,
        using record: inout SearchRecord, to bytes: inout [UInt8]
    ) {
        records.append(
            entry, number: number, fingerprint: fingerprint, rating: rating, tint: tint, using: &record,
            to: &bytes)
    }

    /// Takes the records of some products, which stand back to back in `bytes`.
    func add(_ bytes: [UInt8], of products: [(number: Int, length: Int)]) throws {
        try spool.append(bytes, of: products)
    }

    /// Of what the search depends on besides the records: which categories and values a product has, and the order.
    private func planFingerprint() -> Fingerprint {
        let catalogue = renderer.catalogue
        var hashes = [renderer.fingerprint.low, UInt64(catalogue.count)]
        hashes.reserveCapacity(catalogue.count + 8)
        for number in 0..<catalogue.count { hashes.append(catalogue.contextFingerprint(number)) }
        // A value's name may change although no product's address or value does; so may the order of the values.
        for facet in catalogue.facets {
            for value in facet.values { hashes.append(catalogue.values[value].fingerprint.low) }
        }
        for node in catalogue.tree.nodes { hashes.append(node.fingerprint.low) }
        catalogue.nameOrder.withUnsafeBytes { hashes.append(Fingerprint(of: $0).low) }
        return hashes.withUnsafeBytes { Fingerprint(of: $0) }
    }

    /// Makes all files of the search, or finds that those of the build before still hold.
    func make() throws {
        let catalogue = renderer.catalogue
        let sink = Sink(ledger, workers: jobs)
        defer { pieces = Self.digest(of: sink.allNames) }
        if catalogue.changed != nil, let names = former?.pieces {
            ledger.forget(names.lazy.map { Self.path(piece: $0) })
        }
        let index = SearchIndex(
            count: catalogue.count, workers: jobs, limits: limits, folder: folder, spool: spool, sink: sink)
        try index.gather(as: Self.newName, former: former, places: places)
        places = []
        isNew = true
        let plan = planFingerprint()
        let digest = Fingerprint(of: plan.hex + index.digest.hex)
        if ledger.isCurrent(Self.entryPath, hash64(Self.entryPath)), index.keepAll(digest) {
            ledger.keep(others: 1)
            try index.finish(digest, names: nil)
            return
        }
        try sink.putEntry(
            try Self.makePieces(of: index, renderer, limits, plan: plan) {
                hasNewWords = try index.makeWords(keptAs: Self.newWordsName, former: Self.wordsName)
            })
        try sink.finish()
        try index.finish(digest, names: sink.allNames)
    }

    /// Makes all pieces out of the records that an index has gathered.
    ///
    /// - Parameters:
    ///   - plan: the fingerprint of the plan, where the build before may have made the same of it.
    ///   - makeWords: makes those of words.
    /// - Returns: the file that names them.
    static func makePieces(
        of index: SearchIndex, _ renderer: SiteRenderer, _ limits: SearchLimits,
        plan: Fingerprint = Fingerprint(high: 0, low: 0), makeWords: () throws -> Void
    ) throws -> [UInt8] {
        let catalogue = renderer.catalogue
        try index.makeRecords()
        let groups = SearchGroups(renderer: renderer, columns: index.columns)
        let digest = Fingerprint(of: plan.hex + groups.digest.hex)
        try index.makeSets(digest) { body in try groups.forEachSet(body) }
        try index.makeOrder(ofNames: catalogue.nameOrder)
        // Words take the most memory, and come when what orders are made of is gone.
        try index.makeOrders()
        try makeWords()
        let entry = SearchEntry(renderer: renderer, groups: groups, index: index, limits: limits)
        try entry.makeValues()
        return entry.bytes()
    }

    /// Where a piece is.
    static func path(piece name: String) -> String { "\(folderName)/pieces/\(name).bin" }
    static let entryPath = "\(folderName)/index.json"

    /// The site is in place: what was kept of the build before makes way. Should that fail, the next build finds records
    /// that do not hold any more, and makes them again.
    ///
    /// - Returns: whether the next build will find all.
    func commit() -> Bool {
        guard isNew else { return false }
        do {
            try folder.rename(Self.newName, to: folder, as: Self.fileName)
            // The records name the words that belong to them.
            if hasNewWords { try folder.rename(Self.newWordsName, to: folder, as: Self.wordsName) }
            return true
        } catch {
            abandon()
            return false
        }
    }

    /// Throws away what a failed build has made.
    func abandon() { if isNew { try? Self.tidy(folder) } }

    /// Writes pieces below `search/`.
    private final class Sink: PieceSink, @unchecked Sendable {
        // Each writer is used by one worker at a time; names are guarded by the mutex.
        private let ledger: Ledger
        private let writers: [Ledger.Writer]
        private let names = Mutex<Set<String>>([])

        init(_ ledger: Ledger, workers: Int) {
            self.ledger = ledger
            writers = (0..<workers).map { _ in Ledger.Writer(ledger) }
        }

        func put(_ name: String, worker: Int, _ bytes: () throws -> [UInt8]) throws {
            // Two orders of a small shop may well be the same.
            guard names.withLock({ $0.insert(name).inserted }) else { return }
            let path = SearchRun.path(piece: name)
            // The name is made of what the piece is made from, so that it is also the fingerprint.
            let fingerprint = hash64(path)
            if ledger.isCurrent(path, fingerprint) {
                ledger.keep(others: 1)
            } else {
                try writers[worker].put(path, fingerprint, try bytes(), isPage: false)
            }
        }

        func putEntry(_ bytes: [UInt8]) throws {
            try writers[0].put(SearchRun.entryPath, hash64(SearchRun.entryPath), bytes, isPage: false)
        }

        func finish() throws { for writer in writers { try writer.flush() } }

        func keep(_ names: [String]) -> Bool {
            let isThere = names.allSatisfy {
                let path = SearchRun.path(piece: $0)
                return ledger.isCurrent(path, hash64(path))
            }
            guard isThere else { return false }
            let new = self.names.withLock { known in names.count { known.insert($0).inserted } }
            ledger.keep(others: new)
            return true
        }

        /// The names of all pieces, sorted.
        var allNames: [String] { names.withLock { $0.sorted() } }
    }
}
