import Basics

/// Where the data of a catalogue is divided; tests use smaller numbers, so that small catalogues are divided as well.
public struct SearchLimits: Sendable {
    /// Products are numbered in the order of their keys. Of terms that very many have, a piece holds the products with
    /// numbers below this; the rest are in pieces of their own, which only a long look through the results needs.
    public var segment = 131_072
    /// A term with no more products is not divided.
    public var divided = 16_384
    /// So few products that all words are worked on together, which makes fewer and fuller pieces.
    public var parted = 20_000
    /// Terms of at most so many products bring the records of all of them, so that one request answers.
    public var inlined = 400
    /// The same in a catalogue of several segments, where records lie further apart.
    public var manyInlined = 1000
    /// Results on a page: more frequent terms bring the records of the first page.
    public var top = 24
    /// Bytes of a piece of terms, about, once it is packed: no cut before, how large a piece is on average, and at most.
    public var least = 17_000, usual = 16_000, most = 30_000
    /// Bytes of all records up to which those of a piece, which lie anywhere among them, are looked at in mapped memory.
    public var mapped = 64 << 20
    /// Products of a piece of records, and of one in a catalogue of several segments.
    public var records = 120, manyRecords = 250

    /// Those of all sites.
    public init() {}

    func isDivided(_ postings: [UInt32], of products: Int) -> Bool {
        products > segment && postings.count > divided
    }

    /// How many products a term may have to bring the records of all of them.
    func inlineLimit(of products: Int) -> Int { products > segment ? manyInlined : inlined }

    var cutter: PieceCutter { PieceCutter(least: least, usual: usual, most: most) }
}

/// Makes pieces of sorted terms with the products that have them. docs/search.md has the format.
///
/// Belongs to one worker.
final class TermPieceBuilder {
    /// What a piece is made from beside its terms.
    struct Source: @unchecked Sendable {
        // The rows are all written before a source is made.
        let records: RecordFile
        /// One for each record.
        let rows: UnsafeBufferPointer<UInt64>
        let sink: any PieceSink
        let worker: Int
        /// The worker's own.
        let deflater: Deflater
        let limits: SearchLimits
        /// Takes the terms of pieces for the next build.
        var file: TermFile?
    }

    private struct Item {
        let line: [UInt8]
        let postings: [UInt32]
        let isInline: Bool
        let top: [UInt32]
    }

    private let kind: StaticString, furtherKind: StaticString
    private let source: Source
    /// Terms of at most this many products bring the records of all of them; others those of the best.
    private let inlineLimit: Int, topLimit: Int
    private var cutter: PieceCutter
    private var items: [Item] = []
    private var first: [UInt8] = [], last: [UInt8] = []
    /// The piece that a record was last put into.
    private let stamps: UnsafeMutableBufferPointer<UInt32>
    private var stamp: UInt32 = 0
    private var pieces = PieceList(), further = PieceList()
    private var furtherItems: [(key: [UInt8], postings: [UInt32], segment: Int)] = []
    private var furtherSize = 0
    private var table = RecordTable(fields: SearchField.searched)

    /// How many bytes a record takes in a piece, about.
    private static let recordSize = 52

    init(
        kind: StaticString, furtherKind: StaticString, inlineLimit: Int, topLimit: Int, from source: Source
    ) {
        self.kind = kind
        self.furtherKind = furtherKind
        self.inlineLimit = inlineLimit
        self.topLimit = topLimit
        cutter = source.limits.cutter
        self.source = source
        stamps = .allocate(capacity: source.rows.count)
        stamps.initialize(repeating: 0)
        stamp = 1
    }

    deinit { stamps.deallocate() }

    /// Adds the next term.
    ///
    /// - Parameters:
    ///   - more: what follows the term in its line.
    ///   - postings: sorted, each product once.
    func add(_ key: [UInt8], more: [UInt8] = [], _ postings: [UInt32]) throws {
        let isInline = postings.count <= inlineLimit
        let top = isInline || topLimit == 0 ? [] : best(of: postings)
        var size = self.size(key, postings, isInline: isInline, top: top)
        if cutter.isCut(before: size) {
            try finishPiece()
            size = self.size(key, postings, isInline: isInline, top: top)
        }
        if items.isEmpty { first = key }
        last = key
        for posting in isInline ? postings : top { stamps[Int(posting >> 3)] = stamp }
        items.append(Item(line: key + more, postings: postings, isInline: isInline, top: top))
        if source.limits.isDivided(postings, of: source.rows.count) { try addFurther(key, postings) }
        let hash = key.withUnsafeBytes { Fingerprint(of: $0).low }
        if cutter.add(size, hash: hash) { try finishPiece() }
    }

    /// The pieces, and those of the further segments.
    func finish() throws -> (pieces: PieceList, further: PieceList) {
        try finishPiece()
        try finishFurther()
        return (pieces, further)
    }

    private func size(_ key: [UInt8], _ postings: [UInt32], isInline: Bool, top: [UInt32]) -> Int {
        var size = 3 + key.count / 2
        for posting in isInline ? postings : top where stamps[Int(posting >> 3)] != stamp {
            size += Self.recordSize
        }
        let numbers = min(source.rows.count, source.limits.segment)
        return size + min(postings.count + postings.count / 4, numbers / 8)
    }

    /// The products of the highest level, then of the lowest number.
    private func best(of postings: [UInt32]) -> [UInt32] {
        var out: [UInt32] = []
        for level in (1...6 as ClosedRange<UInt32>).reversed() {
            for posting in postings where posting & 7 == level {
                out.append(posting)
                if out.count == topLimit { return out }
            }
        }
        return out
    }

    private func finishPiece() throws {
        if items.isEmpty { return }
        let local = localNumbers()
        let name = try putPiece(local)
        let place = try source.file?.append(local, items.map { ($0.line, $0.postings) })
        pieces.pieces.append(PieceList.Piece(first: first, last: last, name: name, place: place))
        items.removeAll(keepingCapacity: true)
        cutter.startPiece()
        stamp += 1
    }

    /// Makes a piece again of the terms that it was made of before.
    ///
    /// - Returns: its name.
    func makePiece(of terms: [(line: [UInt8], postings: [UInt32])]) throws -> String {
        items = terms.map { line, postings in
            let isInline = postings.count <= inlineLimit
            return Item(
                line: line, postings: postings, isInline: isInline,
                top: isInline || topLimit == 0 ? [] : best(of: postings))
        }
        return try putPiece(localNumbers())
    }

    /// The products whose records the piece has.
    private func localNumbers() -> [UInt32] {
        var numbers: [UInt32] = []
        for item in items {
            for posting in item.isInline ? item.postings : item.top { numbers.append(posting >> 3) }
        }
        numbers.sort()
        var local: [UInt32] = []
        for number in numbers where number != local.last { local.append(number) }
        return local
    }

    private func putPiece(_ local: [UInt32]) throws -> String {
        var inputs: [UInt8] = []
        for item in items {
            inputs.append(contentsOf: item.line)
            inputs.append(0x0A)
            inputs.append(raw: UInt64(item.postings.count))
            item.postings.withUnsafeBufferPointer { inputs.append(raw: $0) }
            item.top.withUnsafeBufferPointer { inputs.append(raw: $0) }
        }
        for number in local { inputs.append(raw: source.rows[Int(number)]) }
        inputs.append(raw: UInt64(source.rows.count > source.limits.segment ? 1 : 0))
        let name = PieceName.of(inputs, kind: kind)
        try source.sink.put(name, worker: source.worker) { source.deflater.compressed(try encoded(local)) }
        return name
    }

    private func encoded(_ local: [UInt32]) throws(FileError) -> [UInt8] {
        var out: [UInt8] = []
        var lines: [UInt8] = []
        for item in items {
            lines.append(contentsOf: item.line)
            lines.append(0x0A)
        }
        out.append(varint: items.count)
        out.append(varint: lines.count)
        out.append(contentsOf: lines)
        out.append(varint: local.count)
        out.append(gapsOf: local)
        var columns: [UInt8] = []
        try table.append(
            local.lazy.map { Int($0) }, of: source.records,
            isMapped: source.records.size <= source.limits.mapped, to: &columns)
        out.append(varint: columns.count)
        // The lists take a part of what the columns do.
        out.reserveCapacity(out.count + columns.count * 5 / 4)
        out.append(contentsOf: columns)
        func place(_ posting: UInt32) -> Int {
            let number = posting >> 3
            var (low, high) = (0, local.count)
            while low < high {
                let middle = (low + high) / 2
                if local[middle] < number { low = middle + 1 } else { high = middle }
            }
            return low
        }
        for item in items {
            if item.isInline {
                Self.append(item.postings, place: place, to: &out)
            } else {
                let isDivided = source.limits.isDivided(item.postings, of: source.rows.count)
                append(item.postings, segment: 0, isDivided: isDivided, to: &out)
                out.append(varint: item.top.count)
                for posting in item.top { out.append(varint: place(posting)) }
            }
        }
        return out
    }

    // MARK: Lists

    private static func levels(of postings: [UInt32]) -> [(level: UInt32, count: Int)] {
        var counts = [Int](repeating: 0, count: 8)
        for posting in postings { counts[Int(posting & 7)] += 1 }
        return (1...6).reversed().compactMap { counts[$0] == 0 ? nil : (UInt32($0), counts[$0]) }
    }

    /// Lists of places among the piece's records: the flag 1 and the number of lists; of each its level, count and gaps.
    private static func append(
        _ postings: [UInt32], place: (UInt32) -> Int, to out: inout [UInt8]
    ) {
        let levels = levels(of: postings)
        out.append(UInt8(1 | levels.count << 2))
        for (level, count) in levels {
            out.append(UInt8(level << 2))
            out.append(varint: count)
            out.append(gapsOf: postings.filter { $0 & 7 == level }.map { UInt32(place($0)) })
        }
    }

    /// Lists of numbers: the flag 2 if there are further segments and the number of lists; of each its level with how it
    /// is written, how many there are in all, and the numbers of the segment as gaps (1) or as bits (2).
    private func append(
        _ postings: [UInt32], segment: Int, isDivided: Bool, to out: inout [UInt8]
    ) {
        let levels = Self.levels(of: postings)
        out.append(UInt8((isDivided ? 2 : 0) | levels.count << 2))
        let start = segment * source.limits.segment
        for (level, count) in levels {
            // At once: appended one by one, each would have to ask whether there is room for it.
            let numbers = [UInt32](unsafeUninitializedCapacity: count) { numbers, count in
                for posting in postings where posting & 7 == level {
                    let number = Int(posting >> 3) - start
                    if isDivided, !(0..<source.limits.segment ~= number) { continue }
                    numbers[count] = UInt32(truncatingIfNeeded: number)
                    count &+= 1
                }
            }
            let bits = Int(numbers.last ?? 0) / 8 + 1
            if bits < numbers.count {
                out.append(UInt8(level << 2 | 2))
                out.append(varint: count)
                out.append(varint: bits)
                let at = out.count
                out.append(contentsOf: repeatElement(0, count: bits))
                out.withUnsafeMutableBufferPointer { out in
                    for number in numbers { out[at + Int(number >> 3)] |= 1 << UInt8(number & 7) }
                }
            } else {
                out.append(UInt8(level << 2 | 1))
                out.append(varint: count)
                out.append(varint: numbers.count)
                out.append(gapsOf: numbers)
            }
        }
    }

    // MARK: Further segments

    private func addFurther(_ key: [UInt8], _ postings: [UInt32]) throws {
        let length = source.limits.segment
        for segment in 1...((source.rows.count - 1) / length) {
            let range = UInt32(segment * length)..<UInt32((segment + 1) * length)
            let part = postings.filter { range.contains($0 >> 3) }
            let size = min(part.count, length / 8) + 16
            if furtherSize > 0, furtherSize + size > 2 * source.limits.most { try finishFurther() }
            // One character, so that segments are in order: ten million products have 77 of them.
            furtherItems.append((key + [0x09, UInt8(0x30 + segment)], part, segment))
            furtherSize += size
        }
    }

    private func finishFurther() throws {
        guard let first = furtherItems.first, let last = furtherItems.last else { return }
        var inputs: [UInt8] = []
        for item in furtherItems {
            inputs.append(contentsOf: item.key)
            inputs.append(0x0A)
            inputs.append(raw: UInt64(item.postings.count))
            item.postings.withUnsafeBufferPointer { inputs.append(raw: $0) }
        }
        let name = PieceName.of(inputs, kind: furtherKind)
        try source.sink.put(name, worker: source.worker) {
            var out: [UInt8] = []
            let lines = furtherItems.reduce(into: [UInt8]()) { $0 += $1.key + [0x0A] }
            out.append(varint: furtherItems.count)
            out.append(varint: lines.count)
            out.append(contentsOf: lines)
            // No records, whose columns take no bytes.
            out.append(varint: 0)
            out.append(varint: 0)
            for item in furtherItems {
                append(item.postings, segment: item.segment, isDivided: true, to: &out)
                out.append(varint: 0)
            }
            return source.deflater.compressed(out)
        }
        further.pieces.append(PieceList.Piece(first: first.key, last: last.key, name: name))
        furtherItems.removeAll(keepingCapacity: true)
        furtherSize = 0
    }
}
