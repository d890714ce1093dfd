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
    public private(set) var pieces = SearchPieces()

    private let workers: Int
    private let limits: SearchLimits
    private let folder: Directory
    private let spool: RecordSpool
    private let sink: any PieceSink
    /// One for each worker.
    private let deflaters: [Deflater]
    private var records: RecordFile!
    private var identifiers: [UInt64] = []
    /// What the build before noted, if it had as many products.
    private var memo = SearchMemo()
    /// Products whose records are other than those of the same numbers were.
    private var changed: [UInt32] = []
    /// Of all that words are found in, once the columns are gone.
    private var digestOfTexts = Fingerprint(high: 0, low: 0)
    /// What this build notes.
    private var notes = SearchMemo()

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
    private func digest(_ columns: UnsafeRawBufferPointer...) -> Fingerprint {
        var text = "\(formatVersion) \(Deflater.level) \(limits)"
        for column in columns { text += Fingerprint(of: column).hex }
        return Fingerprint(of: text)
    }

    private func source(_ worker: Int, _ file: TermFile? = nil) -> TermPieceBuilder.Source {
        TermPieceBuilder.Source(
            records: records, rows: UnsafeBufferPointer(columns.rows), sink: sink, worker: worker,
            deflater: deflaters[worker], limits: limits, file: file)
    }

    // MARK: Words

    /// Makes the pieces of words, of beginnings of words and of words backwards, and those of article numbers; after
    /// ``makeOrders()``.
    ///
    /// - Parameter name: of the file in which the lists of the pieces are kept for the next build; nil keeps none.
    /// - Returns: whether that file was made; if not, that of the build before stays.
    public func makeWords(keptAs name: String?, former: String?) throws -> Bool {
        let digest = digestOfTexts
        if let former, try renewWords(digest, former) { return false }
        let file = try name.map { name throws(FileError) in try TermFile(creating: name, in: folder) }
        try makeAllWords(file)
        try makeIdentifiers()
        if let file { notes.set("words", digest, wordNotes + [try file.finish()]) }
        return file != nil
    }

    private var wordNotes: [String] {
        [
            pieces.words, pieces.furtherWords, pieces.heads, pieces.furtherHeads, pieces.reversed,
        ].flatMap(\.notes) + [pieces.identifiers]
    }

    /// Makes the pieces of words again that hold a record that has changed, if no word of any product has.
    private func renewWords(_ digest: Fingerprint, _ name: String) throws -> Bool {
        guard let notes = memo["words", digest], notes.count == 12,
            let file = TermFile(opening: name, in: folder, id: notes[11])
        else { return false }
        let lists = stride(from: 0, to: 10, by: 2).map { SearchPieces.Directory(notes: notes[$0..<($0 + 2)]) }
        let (words, heads) = (lists[0].list, lists[2].list)
        guard file.count == words.count + heads.count else { return false }
        let isChanged = UnsafeMutableBufferPointer<Bool>.allocate(capacity: count)
        isChanged.initialize(repeating: false)
        defer { isChanged.deallocate() }
        for number in changed { isChanged[Int(number)] = true }
        var names = words + heads
        var pending: [(place: Int, terms: [(line: [UInt8], postings: [UInt32])])] = []
        do {
            for place in 0..<file.count where try file.holds(isChanged, in: place) {
                pending.append((place, try file.terms(of: place, products: count)))
            }
        } catch { return false }
        let same = Set(names.indices).subtracting(pending.map(\.place)).sorted()
        let others = [lists[1], lists[3], lists[4]].flatMap(\.list) + PieceName.list(notes[10])
        guard sink.keep(same.map { names[$0] } + others) else { return false }
        let sources = (0..<workers).map { source($0) }
        let made = Mutex<[Int: String]>([:])
        try inParallel(over: pending) { [count] worker, piece in
            let isWord = piece.place < words.count
            let builder = TermPieceBuilder(
                kind: isWord ? "w" : "h", furtherKind: isWord ? "W" : "H",
                inlineLimit: isWord ? sources[worker].limits.inlineLimit(of: count) : 0,
                topLimit: sources[worker].limits.top, from: sources[worker])
            let name = try builder.makePiece(of: piece.terms)
            made.withLock { $0[piece.place] = name }
        }
        for (place, name) in made.withLock({ $0 }) { names[place] = name }
        pieces.words = lists[0].renamed(names[..<words.count])
        pieces.furtherWords = lists[1]
        pieces.heads = lists[2].renamed(names[words.count...])
        pieces.furtherHeads = lists[3]
        pieces.reversed = lists[4]
        pieces.identifiers = notes[10]
        self.notes.set("words", digest, wordNotes + [notes[11]])
        return true
    }

    private func makeAllWords(_ file: TermFile?) throws {
        let terms = try spoolTerms()
        let results = Mutex([WordPart](repeating: WordPart(), count: terms.parts))
        let sources = (0..<workers).map { source($0, file) }
        try inParallel(over: Array(0..<terms.parts)) { worker, part in
            let bytes = try terms.bytes(of: part)
            defer { bytes.deallocate() }
            let result = try WordIndexer(UnsafeRawBufferPointer(bytes), from: sources[worker]).build()
            results.withLock { $0[part] = result }
        }
        let parts = results.withLock { $0 }
        file?.setOrder(parts.flatMap(\.words.pieces) + parts.flatMap(\.heads.pieces))
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
    private func makeIdentifiers() throws {
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

    /// Makes the pieces of the order of names.
    public func makeOrder(ofNames numbers: [Int32]) throws {
        try numbers.withUnsafeBytes { bytes in
            try makeOrder("name", digest(bytes)) {
                try makeOrder("name", numbers, valued: count) { _, _ in false }
            }
        }
    }

    /// Makes an order, unless the build before has made it of the same.
    private func makeOrder(_ name: String, _ digest: Fingerprint, _ make: () throws -> Void) throws {
        if let notes = memo[name, digest], notes.count == 3, let valued = Int(notes[2]),
            sink.keep(PieceName.list(notes[0]))
        {
            pieces.orders.append(
                (name, notes[0], notes[1].split(separator: ",").map { Int($0) ?? 0 }, valued))
        } else {
            try make()
        }
        let order = pieces.orders.last!
        notes.set(
            name, digest,
            [order.pieces, order.counts.map { String($0) }.joined(separator: ","), String(order.valued)])
    }

    /// Makes the pieces of an order.
    ///
    /// - Parameters:
    ///   - numbers: all products in that order.
    ///   - valued: how many have the value; the others come last.
    ///   - isTie: whether the product at a place counts as equal to the one before, so that the order can be turned.
    private func makeOrder(_ name: String, _ numbers: [Int32], valued: Int, isTie: (Int32, Int32) -> Bool)
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

    /// Sorts numbers by their keys, equal ones as they stand: by eleven bits after the other, the lowest first, which takes
    /// a fifth of the time of comparing them. Most keys differ in the lowest bits only.
    static func sort(_ numbers: inout [Int32], by keys: [UInt64]) {
        var other = numbers
        for shift in stride(from: UInt64(0), to: 64, by: 11) {
            func digit(_ number: Int32) -> Int { Int(keys[Int(number)] >> shift & 2047) }
            var ends = [Int](repeating: 0, count: 2048)
            for number in numbers { ends[digit(number)] += 1 }
            if ends.contains(numbers.count) { continue }
            var sum = 0
            for i in ends.indices { (ends[i], sum) = (sum, sum + ends[i]) }
            other.withUnsafeMutableBufferPointer { other in
                for number in numbers {
                    let digit = digit(number)
                    other[ends[digit]] = number
                    ends[digit] += 1
                }
            }
            swap(&numbers, &other)
        }
    }

    /// Makes the orders that follow from the columns, and lets go of those. Products without the value come last, equal ones by
    /// their number.
    public func makeOrders() throws {
        let columns = self.columns
        func make(
            _ name: String, of inputs: Fingerprint, _ key: (Int) -> Int64, descending: Bool = false,
            absent: (Int) -> Bool
        ) throws {
            try makeOrder(name, inputs) {
                var numbers: [Int32] = []
                var last: [Int32] = []
                var keys = [UInt64](repeating: 0, count: count)
                for number in 0..<count {
                    if absent(number) {
                        last.append(Int32(number))
                    } else {
                        // So that less than zero comes first among numbers without a sign.
                        keys[number] = UInt64(bitPattern: descending ? -key(number) : key(number)) ^ 1 << 63
                        numbers.append(Int32(number))
                    }
                }
                Self.sort(&numbers, by: keys)
                try makeOrder(name, numbers + last, valued: numbers.count) { a, b in
                    absent(Int(a)) ? absent(Int(b)) : keys[Int(a)] == keys[Int(b)]
                }
            }
        }
        try make(
            "price", of: digest(UnsafeRawBufferPointer(columns.prices)), { columns.prices[$0] },
            absent: { columns.prices[$0] < 0 })
        try make(
            "price-per-litre", of: digest(UnsafeRawBufferPointer(columns.litrePrices)),
            { columns.litrePrices[$0] }, absent: { columns.litrePrices[$0] < 0 })
        try make(
            "rating",
            of: digest(UnsafeRawBufferPointer(columns.ratings), UnsafeRawBufferPointer(columns.ratingCounts)),
            { Int64(columns.ratings[$0]) << 32 | Int64(columns.ratingCounts[$0]) },
            descending: true,
            absent: { columns.ratings[$0] < 0 })
        try make(
            "newest", of: digest(UnsafeRawBufferPointer(columns.created)), { Int64(columns.created[$0]) },
            descending: true, absent: { columns.created[$0] == 0 })
        digestOfTexts = digest(UnsafeRawBufferPointer(columns.texts))
        columns.freeValues()
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
