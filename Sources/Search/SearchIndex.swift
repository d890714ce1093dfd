public import Basics
import Glibc
import Synchronization

/// Makes the data that the search in the browser reads.
///
/// Memory: some 50 bytes a product, 16 while words are made, and then one part of the words for each worker.
public final class SearchIndex {
    /// How many products there are.
    public let count: Int
    /// Filled by ``gather(as:former:places:)``; after ``makeOrders()`` only its rows are left.
    public let columns: SearchColumns
    /// What was made so far.
    public internal(set) var pieces = SearchPieces()

    let workers: Int
    let limits: SearchLimits
    let folder: Directory
    private let spool: RecordSpool
    let sink: any PieceSink
    /// One for each worker.
    private let deflaters: [Deflater]
    private var records: RecordFile!
    private var identifiers: [UInt64] = []
    /// What the build before noted, if it had as many products.
    var memo = SearchMemo()
    /// Products whose records are other than those of the same numbers were.
    var changed: [UInt32] = []
    /// Of all that words are found in, once the columns are gone.
    var digestOfTexts = Fingerprint(high: 0, low: 0)
    /// What this build notes.
    var notes = SearchMemo()

    /// How many letters the name of a piece has.
    public static let nameLength = PieceName.length

    private static let block = SearchColumns.block

    /// - Parameters:
    ///   - workers: how many threads; more than eight are not used, since each takes memory for a part of the words.
    ///   - folder: where scratch files and the records are kept.
    public init(
        count: Int, workers: Int, limits: SearchLimits, folder: Directory, spool: RecordSpool,
        sink: any PieceSink
    ) {
        self.limits = limits
        self.count = count
        // Starting threads for a small catalogue costs more than it saves.
        self.workers = count <= 2_000 ? 1 : min(max(workers, 1), 8)
        self.folder = folder
        self.spool = spool
        self.sink = sink
        deflaters = (0..<self.workers).map { _ in Deflater() }
        columns = SearchColumns(count)
    }

    /// Puts the records of all products together, those of a former build included, and fills the columns.
    ///
    /// - Parameters:
    ///   - name: of the file for the next build.
    ///   - former: the records of the build before.
    ///   - places: where among those a product's record is, -1 if the spool has it.
    public func gather(as name: String, former: RecordFile?, places: [Int32]) throws {
        let spool = self.spool
        let file = try RecordFile.create(in: folder, name: name, count: count) { number in
            places[number] < 0 ? spool.length(number) : former?.length(Int(places[number])) ?? 0
        }
        records = file
        let columns = self.columns
        let known = try former?.columns()
        let scratch = (0..<workers).map { _ in Scratch() }
        try inParallel(over: blocks()) { worker, range in
            let scratch = scratch[worker]
            var bytes: [UInt8] = []
            var end = 0
            for number in range {
                let start = end
                if places[number] >= 0, let former {
                    bytes.append(contentsOf: former.record(Int(places[number])))
                    end = bytes.count
                    if let known, columns.copy(number, from: known, at: Int(places[number])) { continue }
                } else {
                    if bytes.count == start {
                        let kept = places[number..<range.upperBound].firstIndex { $0 >= 0 }
                        try spool.append(number..<(kept ?? range.upperBound), to: &bytes)
                    }
                    end += spool.length(number)
                }
                bytes.withUnsafeBytes { buffer in
                    let record = RecordView(
                        UnsafeRawBufferPointer(rebasing: buffer[start..<end]), reusing: scratch.takeView())
                    columns.fill(number, record)
                    scratch.view = record
                }
            }
            try file.write(bytes, from: range.lowerBound)
            if range.lowerBound / Self.block & 255 == 255 { former?.release() }
        }
        former?.release()
        spool.free()
        try file.write(columns)
        try file.map()
        if let former, let known, former.count == count {
            memo = SearchMemo(former.notes)
            changed = (0..<count).filter { known.rows[$0] != columns.rows[$0] }.map { UInt32($0) }
        }
    }

    private func blocks() -> [Range<Int>] {
        stride(from: 0, to: count, by: Self.block).map { $0..<min($0 + Self.block, count) }
    }

    /// Finds the words and article numbers of all records.
    func spoolTerms() throws -> TermSpool {
        let terms = try TermSpool(isParted: count > limits.parted, workers: workers, in: folder)
        let scratch = (0..<workers).map { _ in Scratch() }
        let records = self.records!
        try inParallel(over: blocks()) { worker, range in
            let scratch = scratch[worker]
            for number in range {
                let record = RecordView(records.record(number), reusing: scratch.takeView())
                try scratch.addWords(of: record, number, to: terms, worker)
                scratch.view = record
            }
            if range.lowerBound / Self.block & 255 == 255 { records.release() }
        }
        records.release()
        identifiers = scratch.flatMap(\.identifiers).sorted()
        try terms.finish()
        return terms
    }

    /// Buffers of one worker.
    private final class Scratch: @unchecked Sendable {
        // Used by one worker at a time.
        var view = RecordView()
        var identifiers: [UInt64] = []
        private var tokeniser = Tokeniser()
        private var cache = WordCache()
        /// In the order of their levels, so that a product's postings ascend.
        private let searched = SearchField.allCases.filter { $0.level > 0 }.sorted { $0.level < $1.level }

        func takeView() -> RecordView {
            let old = view
            view = RecordView()
            return old
        }

        func addWords(of record: RecordView, _ number: Int, to terms: TermSpool, _ worker: Int) throws {
            var failure: (any Error)?
            // By index: all threads would count a loop's hold on the list.
            for i in 0..<searched.count {
                let field = searched[i]
                let text = record[field]
                if text.isEmpty { continue }
                let posting = UInt32(number) << 3 | field.level
                func add(_ word: UnsafeBufferPointer<UInt8>) {
                    do { try terms.add(word, posting, worker: worker) } catch { failure = error }
                }
                switch field {
                case .name:
                    tokeniser.forEachWord(of: text.assumingMemoryBound(to: UInt8.self)) { word, _ in add(word)
                    }
                case .categories: Self.forEachValue(of: text.assumingMemoryBound(to: UInt8.self), add)
                default: cache.forEachWord(of: text, &tokeniser, add)
                }
            }
            if let failure { throw failure }
            for field in [SearchField.sku, .gtin] {
                let text = record[field]
                if text.isEmpty { continue }
                var joined: [UInt8] = []
                tokeniser.forEachWord(of: text.assumingMemoryBound(to: UInt8.self)) { word, isExtra in
                    if !isExtra { joined.append(contentsOf: word) }
                }
                identifiers.append(UInt64(hash32(joined, 0x811C_9DC5)) << 32 | UInt64(number))
            }
        }

        private static func forEachValue(
            of text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
        ) {
            var start = 0
            for at in 0...text.count where at == text.count || text[at] == SearchRecord.valueEnd {
                body(UnsafeBufferPointer(rebasing: text[start..<at]))
                start = at + 1
            }
        }
    }

    /// Of all records: equal digests mean equal pieces of words, records, orders and sets.
    public var digest: Fingerprint {
        digest(
            UnsafeRawBufferPointer(columns.rows), .init(columns.texts), .init(columns.strengths),
            .init(columns.flags))
    }

    /// Of some columns, and of all that decides how pieces are made of them.
    func digest(_ columns: UnsafeRawBufferPointer...) -> Fingerprint {
        var text = "\(formatVersion) \(Deflater.level) \(limits)"
        for column in columns { text += Fingerprint(of: column).hex }
        return Fingerprint(of: text)
    }

    func source(_ worker: Int, _ file: TermFile? = nil) -> TermPieceBuilder.Source {
        TermPieceBuilder.Source(
            records: records, rows: UnsafeBufferPointer(columns.rows), sink: sink, worker: worker,
            deflater: deflaters[worker], limits: limits, file: file)
    }

    /// A piece that is named by its own bytes.
    func put(_ bytes: [UInt8], kind: StaticString) throws -> String {
        let name = PieceName.of(bytes, kind: kind)
        try sink.put(name, worker: 0) { deflaters[0].compressed(bytes) }
        return name
    }

    // MARK: Records

    /// Makes the pieces of records of consecutive products.
    public func makeRecords() throws {
        let size = count > limits.segment ? limits.manyRecords : limits.records
        let ranges = stride(from: 0, to: count, by: size).map { $0..<min($0 + size, count) }
        // The name of each, and the id of its first product.
        let made = Mutex([(name: String, id: [UInt8])](repeating: ("", []), count: ranges.count))
        let sources = (0..<workers).map { source($0) }
        let tools = (0..<workers).map { _ in Tools() }
        try inParallel(over: Array(ranges.enumerated()).map { ($0.offset, $0.element) }) { worker, item in
            let (i, range) = item
            var inputs: [UInt8] = []
            let source = sources[worker]
            for number in range { inputs.append(raw: source.rows[number]) }
            let name = PieceName.of(inputs, kind: "r")
            try source.sink.put(name, worker: worker) {
                var bytes: [UInt8] = []
                try tools[worker].table.append(range, of: source.records, to: &bytes)
                return source.deflater.compressed(bytes)
            }
            let first = RecordView(source.records.record(range.lowerBound), reusing: RecordView())
            let id = Array(first[.id])
            made.withLock { $0[i] = (name, id) }
            if i & 255 == 255 { source.records.release() }
        }
        let all = made.withLock { $0 }
        pieces.records = all.map(\.name).joined()
        pieces.recordsPerPiece = size
        let keys: [UInt8] = all.reduce(into: []) { $0 += $1.id + [0x0A] }
        pieces.keys = try put(keys, kind: "k")
    }

    private final class Tools: @unchecked Sendable {
        // Used by one worker at a time.
        var table = RecordTable(fields: SearchField.shown)
    }

    // MARK: Sets

    /// Makes the pieces of sets of products.
    ///
    /// - Parameters:
    ///   - digest: of all sets.
    ///   - add: is called with a function that takes each set, in the order of their keys' bytes; numbers ascend.
    public func makeSets(_ digest: Fingerprint, _ add: ((String, [Int32]) throws -> Void) throws -> Void)
        throws
    {
        let digest = Fingerprint(of: self.digest().hex + digest.hex)
        if let notes = memo["sets", digest], notes.count == 4 {
            let lists = [
                SearchPieces.Directory(notes: notes[..<2]), SearchPieces.Directory(notes: notes[2...]),
            ]
            if sink.keep(lists.flatMap(\.list)) {
                (pieces.sets, pieces.furtherSets) = (lists[0], lists[1])
                self.notes.set("sets", digest, notes)
                return
            }
        }
        let builder = TermPieceBuilder(
            kind: "s", furtherKind: "S", inlineLimit: 0, topLimit: 0, from: source(0))
        try add { key, numbers in
            try builder.add(Array(key.utf8), numbers.map { UInt32($0) << 3 | 1 })
        }
        let (list, further) = try builder.finish()
        pieces.sets = SearchPieces.Directory(list)
        pieces.furtherSets = SearchPieces.Directory(further)
        notes.set("sets", digest, pieces.sets.notes + pieces.furtherSets.notes)
    }

    /// Makes a piece with the values of a group, when they are too many for the entry.
    ///
    /// - Parameter json: as the entry would have them.
    public func makeValues(_ group: String, _ json: [UInt8]) throws {
        pieces.values[group] = try put(json, kind: "v")
    }

    // MARK: Article numbers

    /// Makes the pieces of article numbers and GTINs, found whole only; after words, with which they are found.
    func makeIdentifiers() throws {
        var bits = 0
        while identifiers.count >> bits > 8_000, bits < 16 { bits += 1 }
        var names = ""
        var at = 0
        for piece in 0..<(identifiers.isEmpty ? 0 : 1 << bits) {
            var bytes: [UInt8] = []
            var hash = UInt64(piece) << (32 - bits)
            while at < identifiers.count, Int(identifiers[at] >> 32) >> (32 - bits) == piece {
                let entry = identifiers[at]
                bytes.append(varint: Int(entry >> 32 - hash))
                bytes.append(varint: Int(entry & 0xFFFF_FFFF))
                hash = entry >> 32
                at += 1
            }
            names += try put(bytes, kind: "i")
        }
        identifiers = []
        pieces.identifiers = names
    }

    /// Whether all pieces are those of the build before; then there is nothing else to make.
    ///
    /// - Parameter digest: of all that they are made from.
    public func keepAll(_ digest: Fingerprint) -> Bool {
        guard let notes = memo["all", digest], notes.count == 1, sink.keep(PieceName.list(notes[0])) else {
            return false
        }
        self.notes = memo
        return true
    }

    /// Ends the file of records with what the next build needs to make fewer pieces.
    ///
    /// - Parameters:
    ///   - digest: of all that the pieces are made from.
    ///   - names: of all pieces; nil if they were kept.
    public func finish(_ digest: Fingerprint, names: [String]?) throws {
        if let names { notes.set("all", digest, [names.joined()]) }
        try records.finish(notes: notes.bytes)
    }

    // MARK: Workers

    func inParallel<Item: Sendable>(
        over items: [Item], _ body: @escaping @Sendable (Int, Item) throws -> Void
    )
        throws
    {
        let pipeline = Pipeline<Item>(workers: workers, body)
        do {
            for item in items { try pipeline.send(item) }
        } catch {
            try? pipeline.finish()
            throw error
        }
        try pipeline.finish()
    }
}

/// FNV-1a of 32 bits, which JavaScript works out as well. http://www.isthe.com/chongo/tech/comp/fnv/
func hash32(_ bytes: [UInt8], _ seed: UInt32) -> UInt32 {
    var hash = seed
    for byte in bytes { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return hash
}
