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
public let formatVersion = 3

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
