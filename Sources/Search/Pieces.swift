import Basics
import Glibc

/// Hears of each piece: where a build writes it, unless it is there already.
public protocol PieceSink: Sendable {
    /// Takes a piece by its name, which stands for everything that it is made from.
    ///
    /// - Parameters:
    ///   - worker: who calls; each worker's calls follow one another.
    ///   - bytes: makes the piece; not called if the build before has made the same.
    func put(_ name: String, worker: Int, _ bytes: () throws -> [UInt8]) throws

    /// Takes pieces that the build before has made; false, and nothing is taken, if one of them is not there as it was.
    func keep(_ names: [String]) -> Bool
}

/// Changes whenever equal inputs give another piece; the engine refuses data of another one.
public let formatVersion = 2

enum PieceName {
    static let length = 10

    /// Names that stand back to back.
    static func list(_ names: String) -> [String] {
        let bytes = Array(names.utf8)
        return stride(from: 0, to: bytes.count - bytes.count % length, by: length).map {
            String(decoding: bytes[$0..<($0 + length)], as: UTF8.self)
        }
    }

    /// A name of letters and digits for a piece: 50 bits of what it is made from.
    static func of(_ inputs: [UInt8], kind: StaticString) -> String {
        // Equal names mean equal bytes, so they tell how hard pieces are packed as well.
        let version = UInt64(formatVersion) << 8 | UInt64(Deflater.level)
        let seed = version << 8 | UInt64(kind.utf8Start.pointee)
        var bits = Fingerprint(of: inputs, seed: seed).high
        let digits = Array("abcdefghijkmnpqrstuvwxyz23456789".utf8)
        var out: [UInt8] = []
        for _ in 0..<length {
            out.append(digits[Int(bits & 31)])
            bits >>= 5
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a number in groups of seven bits, the lowest first (LEB128).
    mutating func append(varint number: Int) {
        var rest = UInt(number)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    /// Appends ascending numbers as the gaps between them, from 0 on.
    mutating func append(gapsOf numbers: some Collection<UInt32>) {
        // In one go: appended one by one, each byte would have to ask whether there is room for it.
        let gaps = [UInt8](unsafeUninitializedCapacity: 5 * numbers.count) { out, count in
            var before: UInt32 = 0
            for number in numbers {
                var rest = number - before
                before = number
                while rest >= 0x80 {
                    out[count] = UInt8(truncatingIfNeeded: rest) | 0x80
                    count += 1
                    rest >>= 7
                }
                out[count] = UInt8(rest)
                count += 1
            }
        }
        append(contentsOf: gaps)
    }

    /// Appends a number of eight bytes as the machine has it, for fingerprints.
    mutating func append(raw number: UInt64) {
        Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
    }

    mutating func append(raw numbers: UnsafeBufferPointer<UInt32>) {
        append(contentsOf: UnsafeRawBufferPointer(numbers))
    }
}

/// Records column by column, as pieces hold them.
struct RecordTable {
    private let fields: Int
    /// The records, and where each field of each of them ends.
    private var records: [UnsafeRawBufferPointer] = []
    private var ends: [UInt32] = []

    /// - Parameter fields: how many of the fields, from the first on.
    init(fields: Int) { self.fields = fields }

    /// Appends the columns of some records: values ended by a line feed, columns by a mark. Ids that follow one another
    /// are written as differences.
    ///
    /// - Parameter isMapped: whether they are looked at in mapped memory, where each record brings a dozen pages with it.
    mutating func append(
        _ numbers: some Collection<Int>, of file: RecordFile, isMapped: Bool = true, to out: inout [UInt8]
    ) throws(FileError) {
        records.removeAll(keepingCapacity: true)
        guard !isMapped else {
            for number in numbers { records.append(file.record(number)) }
            return appendColumns(to: &out)
        }
        let bytes = try file.records(numbers)
        bytes.withUnsafeBytes { bytes in
            var at = 0
            for number in numbers {
                let end = at + file.length(number)
                records.append(UnsafeRawBufferPointer(rebasing: bytes[at..<end]))
                at = end
            }
            appendColumns(to: &out)
        }
    }

    private mutating func appendColumns(to out: inout [UInt8]) {
        // Room is kept from piece to piece.
        let room = records.count * fields
        if ends.count < room { ends = [UInt32](repeating: 0, count: 2 * room) }
        let fields = self.fields
        records.withUnsafeBufferPointer { records in
            ends.withUnsafeMutableBufferPointer { ends in
                // A mark for each column, and a line feed for each value.
                var size = fields + room
                for (i, record) in records.enumerated() {
                    let own = UnsafeMutableBufferPointer(rebasing: ends[(i * fields)..<((i + 1) * fields)])
                    SearchRecord.findEnds(of: record, own)
                    size += Int(own[fields - 1])
                }
                Self.appendIDs(of: records, to: &out) { Int(ends[$0 * fields]) }
                out.append(SearchRecord.columnEnd)
                let columns = [UInt8](unsafeUninitializedCapacity: size + 8) { buffer, count in
                    var to = UnsafeMutableRawPointer(buffer.baseAddress!)
                    for field in 1..<fields {
                        var place = field
                        for record in records {
                            let end = Int(ends[place])
                            let start = min(Int(ends[place &- 1]) &+ 1, end)
                            let length = end &- start
                            if length <= 8, start <= record.count - 8 {
                                // Most are that short: what is copied too much is written over.
                                let word = record.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                                to.storeBytes(of: word, as: UInt64.self)
                            } else if length > 0 {
                                to.copyMemory(from: record.baseAddress! + start, byteCount: length)
                            }
                            to.storeBytes(of: 0x0A, toByteOffset: length, as: UInt8.self)
                            to += length &+ 1
                            place &+= fields
                        }
                        to.storeBytes(of: SearchRecord.columnEnd, as: UInt8.self)
                        to += 1
                    }
                    count = to - UnsafeMutableRawPointer(buffer.baseAddress!)
                }
                out.append(contentsOf: columns)
            }
        }
    }

    private static func appendIDs(
        of records: UnsafeBufferPointer<UnsafeRawBufferPointer>, to out: inout [UInt8], end: (Int) -> Int
    ) {
        var last: Int64?
        for (i, record) in records.enumerated() {
            let text = UnsafeRawBufferPointer(rebasing: record[..<end(i)])
            // Beyond 2⁵³ JavaScript could not add them.
            let id = wholeNumber(text).flatMap { $0.magnitude < 1 << 52 ? $0 : nil }
            if let id, let last {
                out.append(UInt8(ascii: "+"))
                out.append(decimal: Int(id - last))
            } else {
                // A text may begin with the sign that marks a difference.
                if text.first == UInt8(ascii: "+") || text.first == UInt8(ascii: "=") {
                    out.append(UInt8(ascii: "="))
                }
                out.append(contentsOf: text)
            }
            out.append(0x0A)
            last = id
        }
    }

    /// The number that a text is, if it is written as numbers are: no sign but a minus, and no zeros before other digits.
    private static func wholeNumber(_ text: UnsafeRawBufferPointer) -> Int64? {
        let sign = text.first == UInt8(ascii: "-") ? 1 : 0
        guard text.count > sign, text[sign...].allSatisfy({ 0x30...0x39 ~= $0 }),
            text[sign] != 0x30 || text.count == 1
        else { return nil }
        return RecordView.number(text)
    }
}

/// Where to cut a sorted sequence into pieces, so that a change moves few cuts: after an item whose hash says so, the
/// more likely the larger it is, and before a piece would become too large.
struct PieceCutter {
    /// Bytes before compression, as far as they can be told beforehand.
    private(set) var size = 0
    let least: Int, usual: Int, most: Int

    init(least: Int, usual: Int, most: Int) {
        self.least = least
        self.usual = usual
        self.most = most
    }

    /// Whether an item of this size begins a new piece.
    func isCut(before item: Int) -> Bool { size > 0 && size + item > most }

    /// Adds an item; whether the piece ends after it.
    mutating func add(_ item: Int, hash: UInt64) -> Bool {
        size += item
        guard size >= least else { return false }
        let chance = min(Double(item) / Double(usual), 1)
        return Double(hash >> 11) * 0x1p-53 < chance
    }

    mutating func startPiece() { size = 0 }
}

/// Pieces of one kind in the order of what they hold.
struct PieceList: Sendable {
    struct Piece: Sendable {
        let first: [UInt8], last: [UInt8]
        let name: String
        /// Where in a ``TermFile`` its terms are.
        var place: TermFile.Place?
    }

    var pieces: [Piece] = []

    /// For each piece but the first, the shortest text that parts it from the one before.
    var separators: [[UInt8]] {
        pieces.indices.map { i in
            if i == 0 { return [] }
            let (before, first) = (pieces[i - 1].last, pieces[i].first)
            var length = commonPrefix(before, first) + 1
            // Whole characters.
            while length < first.count, first[length] & 0xC0 == 0x80 { length += 1 }
            return Array(first.prefix(length))
        }
    }
}

/// How many bytes two texts have in common at their beginning, whole characters only.
func commonPrefix(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Int {
    var count = 0
    var whole = 0
    for (x, y) in zip(a, b) {
        // The place before a byte that begins a character ends one.
        if x & 0xC0 != 0x80 { whole = count }
        guard x == y else { return y & 0xC0 != 0x80 ? count : whole }
        count += 1
    }
    // One is the beginning of the other: that ends a character in both.
    return count
}
