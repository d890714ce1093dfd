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

    private static let fileName = "search.records", newName = "search.records.new"
    static let folderName = "search"

    /// - Parameter folder: where the records are kept from build to build.
    init(
        renderer: SiteRenderer, ledger: Ledger, folder: Directory, isFresh: Bool, jobs: Int,
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
        former = isFresh ? nil : RecordFile.open(in: folder, name: Self.fileName)
        places = [Int32](repeating: -1, count: count)
    }

    /// Removes what a build that was killed has left. Those records may be of the site that is in place, but nothing says
    /// so; the older ones say of each product whether they hold.
    static func tidy(_ folder: Directory) throws { try folder.removeFile(newName) }

    /// Finds the records of the build before that still hold.
    ///
    /// - Parameter needs: of each product, 0 if nothing of it is to be rendered; set to 2 where a record is missing.
    func reuse(_ needs: inout [UInt8], _ prints: PageFingerprints) {
        let catalogue = renderer.catalogue
        if let former {
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
        _ entry: CatalogueReader.Entry, number: Int, fingerprint: UInt64, using record: inout SearchRecord,
        to bytes: inout [UInt8]
    ) {
        records.append(entry, number: number, fingerprint: fingerprint, using: &record, to: &bytes)
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
        let index = SearchIndex(
            count: catalogue.count, workers: jobs, limits: limits, folder: folder, spool: spool, sink: sink)
        try index.gather(as: Self.newName, former: former, places: places)
        places = []
        isNew = true
        let digest = planFingerprint().hex + index.digest.hex
        if let former, sink.keepAll(former.notes, digest: digest) {
            try index.finish(notes: former.notes)
            return
        }
        try sink.putEntry(try Self.makePieces(of: index, renderer, limits))
        try sink.finish()
        try index.finish(notes: sink.notes(digest: digest))
    }

    /// Makes all pieces out of the records that an index has gathered.
    ///
    /// - Returns: the file that names them.
    static func makePieces(of index: SearchIndex, _ renderer: SiteRenderer, _ limits: SearchLimits) throws
        -> [UInt8]
    {
        let catalogue = renderer.catalogue
        try index.makeRecords()
        let groups = SearchGroups(renderer: renderer, columns: index.columns)
        try index.makeSets { body in try groups.forEachSet(body) }
        try index.makeOrder("name", catalogue.nameOrder, valued: catalogue.count) { _, _ in false }
        // Words take the most memory, and come when what orders are made of is gone.
        try index.makeOrders()
        try index.makeWords()
        try index.makeIdentifiers()
        let entry = SearchEntry(renderer: renderer, groups: groups, index: index, limits: limits)
        try entry.makeValues()
        return entry.bytes()
    }

    /// Where a piece is.
    static func path(piece name: String) -> String { "\(folderName)/pieces/\(name).bin" }
    static let entryPath = "\(folderName)/index.json"

    /// The site is in place: what was kept of the build before makes way. Should that fail, the next build finds records
    /// that do not hold any more, and makes them again.
    func commit() {
        if isNew, (try? folder.rename(Self.newName, to: folder, as: Self.fileName)) == nil { abandon() }
    }

    /// Throws away what a failed build has made.
    func abandon() { if isNew { _ = try? folder.removeFile(Self.newName) } }

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

        /// The digest and the names of all pieces, for ``keepAll(_:digest:)`` of the next build.
        func notes(digest: String) -> [UInt8] {
            Array((digest + names.withLock { $0.sorted() }.joined()).utf8)
        }

        /// Keeps the pieces of the build before if they were made from the same and all are there.
        func keepAll(_ notes: [UInt8], digest: String) -> Bool {
            let bytes = Array(digest.utf8)
            let length = SearchIndex.nameLength
            guard notes.starts(with: bytes), (notes.count - bytes.count) % length == 0 else { return false }
            let paths = stride(from: bytes.count, to: notes.count, by: length).map {
                SearchRun.path(piece: String(decoding: notes[$0..<($0 + length)], as: UTF8.self))
            }
            let entry = SearchRun.entryPath
            guard ledger.isCurrent(entry, hash64(entry)),
                paths.allSatisfy({ ledger.isCurrent($0, hash64($0)) })
            else { return false }
            for _ in 0...paths.count { ledger.keep(others: 1) }
            return true
        }
    }
}
