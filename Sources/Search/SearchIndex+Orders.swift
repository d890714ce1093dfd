import Basics

/// Pieces of the orders of all products.
extension SearchIndex {
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
}
