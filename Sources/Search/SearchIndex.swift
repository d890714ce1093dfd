public import Basics
import Glibc
import Synchronization

/// The pieces of all kinds, by which the entry names them.
public struct SearchPieces: Sendable {
    /// A directory: the texts that part the pieces, and their names, ``PieceName`` letters each.
    public struct Directory: Sendable {
        /// One fewer than names.
        public var separators: [String] = []
        /// Back to back.
        public var names = ""

        init() {}

        init(_ list: PieceList) {
            separators = list.separators.dropFirst().map { String(decoding: $0, as: UTF8.self) }
            names = list.pieces.map(\.name).joined()
        }
    }

    /// Words, beginnings of words, sets of products, and the further segments of each.
    public var words = Directory(), heads = Directory(), sets = Directory()
    public var furtherWords = Directory(), furtherHeads = Directory(), furtherSets = Directory()
    /// Words backwards.
    public var reversed = Directory()
    /// Records of ``recordsPerPiece`` products each, and the piece with the first key of each of them.
    public var records = "", keys = ""
    /// Article numbers, by the first bits of their hash.
    public var identifiers = ""
    /// For each order, its pieces, how many products each has, and how many have the value that is ordered by.
    public var orders: [(name: String, pieces: String, counts: [Int], valued: Int)] = []
    /// Values of facets with many, by group.
    public var values: [String: String] = [:]
    /// How many products a piece of records has.
    public var recordsPerPiece = 0
}

/// Makes the data that the search in the browser reads.
///
/// Memory: some 50 bytes a product, 16 while words are made, and then one part of the words for each worker.
public final class SearchIndex {
    /// How many products there are.
    public let count: Int
    /// Filled by ``gather(as:former:places:)``; after ``makeOrders()`` only its rows are left.
    public let columns: SearchColumns
    /// What was made so far.
    public private(set) var pieces = SearchPieces()

    private let workers: Int
    private let limits: SearchLimits
    private let folder: Directory
    private let spool: RecordSpool
    private let sink: any PieceSink
    private var records: RecordFile!
    private var identifiers: [UInt64] = []

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
        let scratch = (0..<workers).map { _ in Scratch() }
        try inParallel(over: blocks()) { worker, range in
            let scratch = scratch[worker]
            var bytes: [UInt8] = []
            for number in range {
                let start = bytes.count
                if places[number] >= 0, let former {
                    bytes.append(contentsOf: former.record(Int(places[number])))
                } else {
                    try spool.append(number, to: &bytes)
                }
                bytes.withUnsafeBytes { buffer in
                    let record = RecordView(
                        UnsafeRawBufferPointer(rebasing: buffer[start...]), reusing: scratch.takeView())
                    columns.fill(number, record)
                    scratch.view = record
                }
            }
            try file.write(bytes, from: range.lowerBound)
            if range.lowerBound / Self.block & 255 == 255 { former?.release() }
        }
        former?.release()
        spool.free()
        try file.map()
    }

    private func blocks() -> [Range<Int>] {
        stride(from: 0, to: count, by: Self.block).map { $0..<min($0 + Self.block, count) }
    }

    /// Finds the words and article numbers of all records.
    private func spoolTerms() throws -> TermSpool {
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
        private static let searched = SearchField.allCases.filter { $0.level > 0 }

        func takeView() -> RecordView {
            let old = view
            view = RecordView()
            return old
        }

        func addWords(of record: RecordView, _ number: Int, to terms: TermSpool, _ worker: Int) throws {
            var failure: (any Error)?
            for field in Self.searched {
                let text = record[field]
                if text.isEmpty { continue }
                let posting = UInt32(number) << 3 | field.level
                tokeniser.forEachWord(of: text.assumingMemoryBound(to: UInt8.self)) { word, _ in
                    do { try terms.add(word, posting, worker: worker) } catch { failure = error }
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
    }

    /// Of all records, to the last field: equal digests mean equal pieces of words, records and orders.
    public var digest: Fingerprint {
        let rows = Fingerprint(of: UnsafeRawBufferPointer(columns.rows))
        var bytes: [UInt8] = []
        bytes.append(raw: rows.high)
        bytes.append(raw: rows.low)
        let numbers = Fingerprint(of: UnsafeRawBufferPointer(columns.hidden))
        bytes.append(raw: numbers.low)
        return Fingerprint(of: bytes)
    }

    private func source(_ worker: Int) -> TermPieceBuilder.Source {
        TermPieceBuilder.Source(
            records: records, rows: UnsafeBufferPointer(columns.rows), sink: sink, worker: worker,
            limits: limits)
    }

    // MARK: Words

    /// Makes the pieces of words, of beginnings of words and of words backwards.
    public func makeWords() throws {
        let terms = try spoolTerms()
        let results = Mutex([WordPart](repeating: WordPart(), count: terms.parts))
        let sources = (0..<workers).map { source($0) }
        let records = self.records!
        try inParallel(over: Array(0..<terms.parts)) { worker, part in
            let bytes = try terms.bytes(of: part)
            defer { bytes.deallocate() }
            let result = try WordIndexer(UnsafeRawBufferPointer(bytes), from: sources[worker]).build()
            results.withLock { $0[part] = result }
            records.release()
        }
        let parts = results.withLock { $0 }
        func joined(_ list: KeyPath<WordPart, PieceList>) -> SearchPieces.Directory {
            SearchPieces.Directory(PieceList(pieces: parts.flatMap { $0[keyPath: list].pieces }))
        }
        pieces.words = joined(\.words)
        pieces.furtherWords = joined(\.furtherWords)
        pieces.heads = joined(\.heads)
        pieces.furtherHeads = joined(\.furtherHeads)
        try makeReversed(parts.map(\.reversed))
    }

    private func makeReversed(_ parts: [[UInt8]]) throws {
        var lines = parts.flatMap { $0.split(separator: 0x0A) }
        lines.sort { $0.lexicographicallyPrecedes($1) }
        var list = PieceList()
        var cutter = PieceCutter(least: 24_000, usual: 24_000, most: 64_000)
        var bytes: [UInt8] = []
        var first: [UInt8] = []
        func word(_ line: ArraySlice<UInt8>) -> [UInt8] { Array(line.dropLast(2)) }
        for (i, line) in lines.enumerated() {
            if bytes.isEmpty { first = word(line) }
            bytes.append(contentsOf: line)
            bytes.append(0x0A)
            let hash = line.dropLast().withUnsafeBytes { Fingerprint(of: $0).low }
            if cutter.add(line.count, hash: hash) || i == lines.count - 1 || cutter.isCut(before: 40) {
                let name = try put(bytes, kind: "t")
                list.pieces.append(PieceList.Piece(first: first, last: word(line), name: name))
                bytes.removeAll(keepingCapacity: true)
                cutter.startPiece()
            }
        }
        pieces.reversed = SearchPieces.Directory(list)
    }

    /// A piece that is named by its own bytes.
    private func put(_ bytes: [UInt8], kind: StaticString) throws -> String {
        let name = PieceName.of(bytes, kind: kind)
        try sink.put(name, worker: 0) { Deflater().compressed(bytes) }
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
                tools[worker].table.append(range, of: source.records, to: &bytes)
                return tools[worker].deflater.compressed(bytes)
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
        let deflater = Deflater()
        var table = RecordTable(fields: SearchField.shown)
    }

    // MARK: Sets

    /// Makes the pieces of sets of products.
    ///
    /// - Parameter add: is called with a function that takes each set, in the order of their keys' bytes; numbers ascend.
    public func makeSets(_ add: ((String, [Int32]) throws -> Void) throws -> Void) throws {
        let builder = TermPieceBuilder(
            kind: "s", furtherKind: "S", inlineLimit: 0, topLimit: 0, from: source(0))
        try add { key, numbers in
            try builder.add(Array(key.utf8), numbers.map { UInt32($0) << 3 | 1 })
        }
        let (list, further) = try builder.finish()
        pieces.sets = SearchPieces.Directory(list)
        pieces.furtherSets = SearchPieces.Directory(further)
    }

    /// Makes a piece with the values of a group, when they are too many for the entry.
    ///
    /// - Parameter json: as the entry would have them.
    public func makeValues(_ group: String, _ json: [UInt8]) throws {
        pieces.values[group] = try put(json, kind: "v")
    }

    // MARK: Article numbers

    /// Makes the pieces of article numbers and GTINs, found whole only; after ``makeWords()``, which finds them.
    public func makeIdentifiers() throws {
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

    // MARK: Orders

    /// Makes the pieces of an order.
    ///
    /// - Parameters:
    ///   - numbers: all products in that order.
    ///   - valued: how many have the value; the others come last.
    ///   - isTie: whether the product at a place counts as equal to the one before, so that the order can be turned.
    public func makeOrder(_ name: String, _ numbers: [Int32], valued: Int, isTie: (Int32, Int32) -> Bool)
        throws
    {
        var width = 1
        while 1 << width < count { width += 1 }
        var names = ""
        var counts: [Int] = []
        var cutter = PieceCutter(least: 3_000, usual: 1_500, most: 6_144)
        var bytes: [UInt8] = []
        var buffer: UInt64 = 0
        var bits: UInt64 = 0
        var inPiece = 0
        for (place, number) in numbers.enumerated() {
            let tie = place > 0 && isTie(numbers[place - 1], number)
            buffer |= (UInt64(number) << 1 | (tie ? 1 : 0)) << bits
            bits += UInt64(width + 1)
            while bits >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: buffer))
                buffer >>= 8
                bits -= 8
            }
            inPiece += 1
            var hash = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            hash = hash &* 0xBF58_476D_1CE4_E5B9
            let isEnd = cutter.add(1, hash: hash) || cutter.isCut(before: 1)
            if isEnd || place == numbers.count - 1 {
                if bits > 0 { bytes.append(UInt8(truncatingIfNeeded: buffer)) }
                names += try put(bytes, kind: "o")
                counts.append(inPiece)
                bytes.removeAll(keepingCapacity: true)
                (buffer, bits, inPiece) = (0, 0, 0)
                cutter.startPiece()
            }
        }
        pieces.orders.append((name, names, counts, valued))
    }

    /// Makes the orders that follow from the columns, and lets go of those. Products without the value come last, equal ones by
    /// their number.
    public func makeOrders() throws {
        let columns = self.columns
        func make(_ name: String, _ key: (Int) -> Int64, descending: Bool = false, absent: (Int) -> Bool)
            throws
        {
            let last = Int64.max
            let keys = (0..<count).map { absent($0) ? last : descending ? -key($0) : key($0) }
            let numbers = keys.withUnsafeBufferPointer { keys in
                (0..<Int32(count)).sorted { a, b in
                    let (x, y) = (keys[Int(a)], keys[Int(b)])
                    return x != y ? x < y : a < b
                }
            }
            try makeOrder(name, numbers, valued: keys.count { $0 != last }) { keys[Int($0)] == keys[Int($1)] }
        }
        try make("price", { columns.prices[$0] }, absent: { columns.prices[$0] < 0 })
        try make("price-per-litre", { columns.litrePrices[$0] }, absent: { columns.litrePrices[$0] < 0 })
        try make(
            "rating", { Int64(columns.ratings[$0]) << 32 | Int64(columns.ratingCounts[$0]) },
            descending: true,
            absent: { columns.ratings[$0] < 0 })
        try make(
            "newest", { Int64(columns.created[$0]) }, descending: true, absent: { columns.created[$0] == 0 })
        columns.freeValues()
    }

    /// Ends the file of records with what a build wants to find in it again.
    public func finish(notes: [UInt8]) throws { try records.finish(notes: notes) }

    // MARK: Workers

    private func inParallel<Item: Sendable>(
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
