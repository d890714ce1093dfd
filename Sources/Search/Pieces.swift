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
        let seed = UInt64(formatVersion) << 8 | UInt64(kind.utf8Start.pointee)
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
    /// Where each field of each record begins and how long it is.
    private var starts: [UnsafeRawPointer] = []
    private var lengths: [Int32] = []

    /// - Parameter fields: how many of the fields, from the first on.
    init(fields: Int) { self.fields = fields }

    /// Appends the columns of some records: values ended by a line feed, columns by a mark. Ids that follow one another
    /// are written as differences.
    mutating func append(_ numbers: some Sequence<Int>, of file: RecordFile, to out: inout [UInt8]) {
        starts.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        // A mark for each column, and a line feed for each value.
        var size = fields
        for number in numbers {
            let record = file.record(number)
            guard var at = record.baseAddress else { continue }
            let end = at + record.count
            for _ in 0..<fields {
                let start = at
                while at < end, at.load(as: UInt8.self) != SearchRecord.fieldEnd { at += 1 }
                starts.append(start)
                lengths.append(Int32(at - start))
                size += at - start + 1
                if at < end { at += 1 }
            }
        }
        appendIDs(to: &out)
        out.append(SearchRecord.columnEnd)
        let columns = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            var to = UnsafeMutableRawPointer(buffer.baseAddress!)
            starts.withUnsafeBufferPointer { starts in
                lengths.withUnsafeBufferPointer { lengths in
                    for field in 1..<fields {
                        var i = field
                        while i < starts.count {
                            let length = Int(lengths[i])
                            if length > 0 { to.copyMemory(from: starts[i], byteCount: length) }
                            to.storeBytes(of: 0x0A, toByteOffset: length, as: UInt8.self)
                            to += length + 1
                            i += fields
                        }
                        to.storeBytes(of: SearchRecord.columnEnd, as: UInt8.self)
                        to += 1
                    }
                }
            }
            count = to - UnsafeMutableRawPointer(buffer.baseAddress!)
        }
        out.append(contentsOf: columns)
    }

    private func appendIDs(to out: inout [UInt8]) {
        var last: Int64?
        for i in stride(from: SearchField.id.rawValue, to: starts.count, by: fields) {
            let text = UnsafeRawBufferPointer(start: starts[i], count: Int(lengths[i]))
            // Beyond 2⁵³ JavaScript could not add them.
            let id = RecordView.number(text).flatMap { id -> Int64? in
                id.magnitude < 1 << 52 && String(id).utf8.elementsEqual(text) ? id : nil
            }
            if let id, let last {
                out.append(UInt8(ascii: "+"))
                out.append(String(id - last))
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
