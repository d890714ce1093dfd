import Basics
import Glibc

/// What one part of the words makes.
struct WordPart: Sendable {
    var words = PieceList(), furtherWords = PieceList()
    var heads = PieceList(), furtherHeads = PieceList()
    /// Words of names and producers, backwards, each with the letter of how frequent it is and a line feed.
    var reversed: [UInt8] = []
}

/// Makes the pieces of one part of the words: each word with its products, and each beginning that pieces do not hold
/// together with the products of all words that begin so.
struct WordIndexer {
    private let source: TermPieceBuilder.Source
    /// The bytes of all words, as they were spooled.
    private let bytes: UnsafeRawBufferPointer
    private var offsets: [Int32] = [], lengths: [UInt8] = []
    /// Postings of word i are at `starts[i]..<ends[i]`, sorted.
    private var postings: [UInt32] = []
    private var starts: [Int] = [], ends: [Int] = []
    /// Words in their order.
    private var order: [Int32] = []

    /// - Parameter bytes: what ``TermSpool`` has of the part; must stay while this is used.
    init(_ bytes: UnsafeRawBufferPointer, from source: TermPieceBuilder.Source) {
        self.bytes = bytes
        self.source = source
        gather()
        sort()
    }

    private subscript(word: Int32) -> Slice<UnsafeRawBufferPointer> {
        let start = Int(offsets[Int(word)])
        return bytes[start..<(start + Int(lengths[Int(word)]))]
    }

    // MARK: Gathering

    /// Gives each different word a number and puts its postings together.
    private mutating func gather() {
        let bytes = self.bytes
        // A word of one letter takes six bytes.
        let ids = UnsafeMutablePointer<Int32>.allocate(capacity: bytes.count / 6 + 1)
        defer { ids.deallocate() }
        var count = 0
        var counts: [Int] = []
        var keys: [ShortKey] = []
        var bits = 12
        var table = [Int32](repeating: -1, count: 1 << bits)
        var at = 0
        while at < bytes.count {
            let length = Int(bytes[at])
            let start = at + 1
            // Its product follows.
            let hasWord = length >= 4 || start + 8 <= bytes.count
            let key = ShortKey(bytes.baseAddress! + start, count: length, hasWord: hasWord)
            var slot = key.slot(bits)
            var id = table[slot]
            while id >= 0, keys[Int(id)] != key || !isSame(id, start, length) {
                slot = (slot &+ 1) & (1 << bits - 1)
                id = table[slot]
            }
            if id < 0 {
                id = Int32(offsets.count)
                table[slot] = id
                offsets.append(Int32(start))
                lengths.append(UInt8(length))
                keys.append(key)
                counts.append(0)
                if offsets.count * 2 > table.count {
                    bits += 2
                    table = Self.table(of: keys, bits)
                }
            }
            ids[count] = id
            count &+= 1
            counts[Int(id)] += 1
            at = start + length + 4
        }
        starts = [Int](repeating: 0, count: counts.count)
        var sum = 0
        for i in counts.indices {
            starts[i] = sum
            sum += counts[i]
        }
        ends = starts
        postings = [UInt32](repeating: 0, count: count)
        at = 0
        ends.withUnsafeMutableBufferPointer { ends in
            postings.withUnsafeMutableBufferPointer { postings in
                for i in 0..<count {
                    let id = Int(ids[i])
                    at += Int(bytes[at]) + 1
                    postings[ends[id]] = bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
                    ends[id] &+= 1
                    at += 4
                }
            }
        }
        postings.withUnsafeMutableBufferPointer { postings in
            for i in starts.indices {
                var list = UnsafeMutableBufferPointer(rebasing: postings[starts[i]..<ends[i]])
                if !Self.isSorted(list) { list.sort() }
                // Of a product that has the word in several fields, the highest level stays, which is the last.
                var kept = 0
                for j in list.indices {
                    if j + 1 < list.count, list[j + 1] >> 3 == list[j] >> 3 { continue }
                    list[kept] = list[j]
                    kept += 1
                }
                ends[i] = starts[i] + kept
            }
        }
    }

    private static func isSorted(_ list: UnsafeMutableBufferPointer<UInt32>) -> Bool {
        var i = 1
        while i < list.count {
            if list[i] < list[i - 1] { return false }
            i += 1
        }
        return true
    }

    /// Whether a word of the same key is the one at a place.
    private func isSame(_ id: Int32, _ start: Int, _ length: Int) -> Bool {
        ShortKey.isWhole(length)
            || Int(lengths[Int(id)]) == length
                && memcmp(bytes.baseAddress! + Int(offsets[Int(id)]), bytes.baseAddress! + start, length) == 0
    }

    /// The places of keys in a table of 2^bits slots.
    private static func table(of keys: [ShortKey], _ bits: Int) -> [Int32] {
        var table = [Int32](repeating: -1, count: 1 << bits)
        for (id, key) in keys.enumerated() {
            var slot = key.slot(bits)
            while table[slot] >= 0 { slot = (slot + 1) & (1 << bits - 1) }
            table[slot] = Int32(id)
        }
        return table
    }

    private mutating func sort() {
        do {
            // The first eight bytes decide most comparisons.
            let heads = offsets.indices.map { i -> UInt64 in
                var head: UInt64 = 0
                let start = Int(offsets[i])
                for j in 0..<8 { head = head << 8 | (j < Int(lengths[i]) ? UInt64(bytes[start + j]) : 0) }
                return head
            }
            order = offsets.indices.map { Int32($0) }.sorted { a, b in
                let (i, j) = (Int(a), Int(b))
                if heads[i] != heads[j] { return heads[i] < heads[j] }
                let length = Int(min(lengths[i], lengths[j]))
                let order = memcmp(
                    bytes.baseAddress! + Int(offsets[i]), bytes.baseAddress! + Int(offsets[j]), length)
                return order != 0 ? order < 0 : lengths[i] < lengths[j]
            }
        }
    }

    // MARK: Pieces

    func build() throws -> WordPart {
        var out = WordPart()
        let words = TermPieceBuilder(
            kind: "w", furtherKind: "W", inlineLimit: source.limits.inlineLimit(of: source.rows.count),
            topLimit: source.limits.top,
            from: source)
        for word in order {
            let list = Array(postings[starts[Int(word)]..<ends[Int(word)]])
            try words.add(Array(self[word]), list)
            appendReversed(word, list, to: &out.reversed)
        }
        (out.words, out.furtherWords) = try words.finish()
        try addHeads(to: &out)
        return out
    }

    /// Words of at most three letters, and numbers, are not guessed at.
    private func appendReversed(_ word: Int32, _ list: [UInt32], to out: inout [UInt8]) {
        let text = String(decoding: self[word], as: UTF8.self)
        let scalars = text.unicodeScalars
        guard scalars.count >= 4, list.contains(where: { $0 & 7 >= 2 }),
            scalars.contains(where: { !("0"..."9" ~= $0 || $0 == ".") })
        else { return }
        for scalar in scalars.reversed() { out.append(contentsOf: UTF8.encode(scalar)!) }
        // The number of bits, so that a product more or less changes it seldom.
        out.append(0x09)
        out.append(UInt8(ascii: "a") + UInt8(UInt32.bitWidth - UInt32(list.count).leadingZeroBitCount))
        out.append(0x0A)
    }

    private func addHeads(to out: inout WordPart) throws {
        var beginnings: Set<[UInt8]> = []
        for i in out.words.pieces.indices.dropFirst() {
            let (before, first) = (out.words.pieces[i - 1].last, out.words.pieces[i].first)
            var length = commonPrefix(before, first)
            while length > 0 {
                if !beginnings.insert(Array(first[..<length])).inserted { break }
                length -= 1
                while length > 0, first[length] & 0xC0 == 0x80 { length -= 1 }
            }
        }
        if beginnings.isEmpty { return }
        let builder = TermPieceBuilder(
            kind: "h", furtherKind: "H", inlineLimit: 0, topLimit: source.limits.top, from: source)
        var levels = Levels(of: source.rows.count)
        for head in beginnings.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let low = firstWord { $0.lexicographicallyPrecedes(head) }
            let high = firstWord { $0.starts(with: head) || $0.lexicographicallyPrecedes(head) }
            for at in low..<high {
                let word = Int(order[at])
                // A whole word counts more than the beginning of one.
                let isWhole: UInt8 = Int(lengths[word]) == head.count ? 0 : 1
                levels.add(postings[starts[word]..<ends[word]], less: isWhole)
            }
            let list = levels.takeAll()
            try builder.add(head, more: completions(low..<high), list)
        }
        (out.heads, out.furtherHeads) = try builder.finish()
    }

    /// The best level of each product that has any of some words.
    private struct Levels {
        private var best: [UInt8]
        /// Which products have one, a bit for each: they come out in order without being sorted.
        private var marks: [UInt64]
        private var count = 0

        init(of products: Int) {
            best = [UInt8](repeating: 0, count: products)
            marks = [UInt64](repeating: 0, count: products / 64 + 1)
        }

        mutating func add(_ postings: ArraySlice<UInt32>, less: UInt8) {
            best.withUnsafeMutableBufferPointer { best in
                marks.withUnsafeMutableBufferPointer { marks in
                    for posting in postings {
                        let level = UInt8(truncatingIfNeeded: posting & 7) &* 2 &- less
                        let number = Int(posting &>> 3)
                        if best[number] >= level { continue }
                        if best[number] == 0 {
                            marks[number &>> 6] |= 1 &<< UInt64(number & 63)
                            count &+= 1
                        }
                        best[number] = level
                    }
                }
            }
        }

        /// The products with their levels, as postings; none is left.
        mutating func takeAll() -> [UInt32] {
            let list = [UInt32](unsafeUninitializedCapacity: count) { list, end in
                for i in marks.indices {
                    var word = marks[i]
                    if word == 0 { continue }
                    marks[i] = 0
                    while word != 0 {
                        let number = i << 6 | word.trailingZeroBitCount
                        list[end] = UInt32(number << 3) | UInt32(best[number])
                        best[number] = 0
                        end &+= 1
                        word &= word &- 1
                    }
                }
            }
            count = 0
            return list
        }
    }

    /// The most frequent words of a range, each after a tab.
    private func completions(_ range: Range<Int>) -> [UInt8] {
        var best: [(count: Int, at: Int)] = []
        for at in range {
            let word = Int(order[at])
            let count = ends[word] - starts[word]
            if best.count == 8, count <= best[7].count { continue }
            if best.count == 8 { best.removeLast() }
            var place = best.count
            while place > 0, best[place - 1].count < count { place -= 1 }
            best.insert((count, at), at: place)
        }
        return best.reduce(into: []) { $0 += [0x09] + Array(self[order[$1.at]]) }
    }

    /// The first place in the order for which a condition no longer holds.
    private func firstWord(where isBefore: (Slice<UnsafeRawBufferPointer>) -> Bool) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[order[middle]]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
