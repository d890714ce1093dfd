import Basics

/// Texts of one kind for many products, back to back in one buffer: 4 bytes and the text itself for each.
///
/// Names, and addresses made of them, share most of their words. So in a large column a word that was met before, with the
/// space or hyphen after it, takes two bytes: the first is below 0x1F, which no text has but after 0x1F. A name of 43 bytes
/// takes 16. A small one is faster as it is.
struct TextColumn: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [UInt32] = []
    private var words = Words()

    /// Stands before a byte that would be taken for a word.
    private static let escape: UInt8 = 0x1F

    private let isPacked: Bool

    /// - Parameters:
    ///   - count: how many texts are expected.
    ///   - bytesEach: how long they are, about.
    ///   - packsAbove: how many texts are worth the time that it takes to look for their words. Arbitrary: the texts of fewer
    ///     take some megabytes.
    init(expecting count: Int = 0, bytesEach: Int = 32, packsAbove: Int = 200_000) {
        isPacked = count > packsAbove
        ends.reserveCapacity(count)
        bytes.reserveCapacity(count * (isPacked ? bytesEach / 2 : bytesEach))
    }

    var count: Int { ends.count }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.reserveSparingly(text.count)
        defer { ends.append(UInt32(bytes.count)) }
        guard isPacked else { return bytes.append(contentsOf: text) }
        var start = 0
        while start < text.count {
            var end = start
            var hash: UInt32 = 0x811C_9DC5
            var hasDigit = false
            while end < text.count {
                let byte = text[end]
                end += 1
                hash = (hash ^ UInt32(byte)) &* 0x0100_0193
                if (0x30...0x39).contains(byte) { hasDigit = true }
                if byte == 0x20 || byte == 0x2D { break }
            }
            let word = UnsafeBufferPointer(rebasing: text[start..<end])
            start = end
            // Numbers are seldom met again, and would leave no room for words.
            if let code = words.code(of: word, hash: hash, mayAdd: !hasDigit || word.count < 5) {
                bytes.append(UInt8(code >> 8))
                bytes.append(UInt8(code & 0xFF))
                continue
            }
            for byte in word {
                if byte <= Self.escape { bytes.append(Self.escape) }
                bytes.append(byte)
            }
        }
    }

    /// Whether a text is this one, without making a string of it.
    func holds(_ text: String, at i: Int) -> Bool {
        withBytes(at: i) { $0.elementsEqual(text.utf8) }
    }

    /// `hash64` of a text.
    func hash(at i: Int) -> UInt64 { withBytes(at: i) { hash64($0) } }

    subscript(i: Int) -> String {
        withBytes(at: i) { String(decoding: $0, as: UTF8.self) }
    }

    private func withBytes<Result>(at i: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let range = (i == 0 ? 0 : Int(ends[i - 1]))..<Int(ends[i])
        guard isPacked else {
            return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
        }
        // Two bytes may stand for a word of the greatest length.
        let most = range.count * Words.lengths.upperBound / 2 + 1
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: most) { out in
            var count = 0
            bytes.withUnsafeBufferPointer { bytes in
                var at = range.lowerBound
                while at < range.upperBound {
                    let byte = bytes[at]
                    if byte < Self.escape {
                        count += words.copy(Int(byte) << 8 | Int(bytes[at + 1]), to: out.baseAddress! + count)
                        at += 2
                    } else {
                        if byte == Self.escape { at += 1 }
                        out[count] = bytes[at]
                        count += 1
                        at += 1
                    }
                }
            }
            return body(UnsafeBufferPointer(rebasing: out[..<count]))
        }
    }
}

extension TextColumn {
    /// Some texts, not packed.
    init(_ texts: [String]) {
        self.init(expecting: texts.count, packsAbove: .max)
        for text in texts { append(text) }
    }

    func put(into file: ColumnWriter) throws {
        try file.put([UInt8(isPacked ? 1 : 0)])
        try file.put(bytes)
        try file.put(ends)
        try file.put(words.bytes)
        try file.put(words.ends)
    }

    /// Texts that were written to a file; no more can be added to it.
    init(from file: ColumnReader) throws {
        isPacked = try file.column(of: UInt8.self).first == 1
        bytes = try file.column()
        ends = try file.column()
        words = Words(bytes: try file.column(), ends: try file.column())
        guard areEnds(ends, of: bytes.count), areEnds(words.ends, of: words.bytes.count),
            !isPacked || isUnpackable
        else { throw ColumnReader.Unusable() }
    }

    /// Whether what stands for a word does, and what is escaped is there.
    private var isUnpackable: Bool {
        var start = 0
        for end in ends {
            var at = start
            while at < end {
                let byte = bytes[at]
                if byte <= Self.escape, at + 1 == end { return false }
                if byte < Self.escape {
                    guard Int(byte) << 8 | Int(bytes[at + 1]) < words.count else { return false }
                }
                at += byte <= Self.escape ? 2 : 1
            }
            start = Int(end)
        }
        return words.areShort
    }
}

/// The words that were met first, by number.
private struct Words {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [UInt32] = []
    /// A hash table of numbers, each one more than it is; 0 is none.
    private var table: [UInt16] = []

    /// Of a word: a shorter one is no longer than its number.
    static let lengths = 3...64
    private static let limit = 0x1F << 8, tableSize = 1 << 14

    init() {}

    /// Words that are complete.
    init(bytes: [UInt8], ends: [UInt32]) {
        self.bytes = bytes
        self.ends = ends
    }

    var count: Int { ends.count }

    /// Whether all have a length that a word may have.
    var areShort: Bool { ends.indices.allSatisfy { Self.lengths ~= range($0).count } }

    /// The number of a word, which is taken down if it is new and there is room; nil where a number would be no shorter.
    mutating func code(of word: UnsafeBufferPointer<UInt8>, hash: UInt32, mayAdd: Bool) -> Int? {
        guard Self.lengths.contains(word.count) else { return nil }
        if table.isEmpty { table = [UInt16](repeating: 0, count: Self.tableSize) }
        var at = Int(hash ^ hash >> 15) & (Self.tableSize - 1)
        while table[at] != 0 {
            let code = Int(table[at]) - 1
            if holds(word, at: code) { return code }
            at = (at + 1) & (Self.tableSize - 1)
        }
        guard mayAdd, ends.count < Self.limit else { return nil }
        bytes.append(contentsOf: word)
        ends.append(UInt32(bytes.count))
        table[at] = UInt16(ends.count)
        return ends.count - 1
    }

    private func range(_ code: Int) -> Range<Int> { (code == 0 ? 0 : Int(ends[code - 1]))..<Int(ends[code]) }

    private func holds(_ word: UnsafeBufferPointer<UInt8>, at code: Int) -> Bool {
        let range = range(code)
        return range.count == word.count && bytes[range].elementsEqual(word)
    }

    /// Copies a word to where there is room for it; gives its length.
    func copy(_ code: Int, to out: UnsafeMutablePointer<UInt8>) -> Int {
        let range = range(code)
        bytes.withUnsafeBufferPointer {
            out.update(from: $0.baseAddress! + range.lowerBound, count: range.count)
        }
        return range.count
    }
}

extension Array {
    /// Makes room for some more elements, and for a quarter of what is there: doubling leaves up to half of a large column
    /// unused.
    mutating func reserveSparingly(_ more: Int) {
        if count + more > capacity { reserveCapacity(count + Swift.max(more, count / 4)) }
    }
}
