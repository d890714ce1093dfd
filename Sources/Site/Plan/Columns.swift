import Basics
import Model

/// The keys of many products, in ascending order: 8 bytes each while all are whole numbers, as nearly always.
struct KeyColumn: Sendable {
    private var numbers: [Int64] = []
    private var others: [ProductID] = []

    init() {}

    var count: Int { numbers.count + others.count }

    /// How many are whole numbers, which come first.
    var numericCount: Int { numbers.count }

    mutating func reserve(_ count: Int) { numbers.reserveCapacity(count) }

    /// Numbers come before all other keys (``ProductID``), so that two arrays keep the order.
    mutating func append(_ key: ProductID) {
        if case .integer(let number) = key, others.isEmpty {
            numbers.append(number)
        } else {
            others.append(key)
        }
    }

    func put(into file: ColumnWriter) throws {
        try file.put(numbers)
        // Each as the letter of its kind and its text or the bits of its number.
        let texts = others.map { key in
            switch key {
            case .text(let text): "t" + text
            case .real(let number): "r" + String(number.bitPattern)
            case .integer(let number): "i" + String(number)
            }
        }
        try TextColumn(texts).put(into: file)
    }

    init(from file: ColumnReader) throws {
        numbers = try file.column()
        let texts = try TextColumn(from: file)
        others = try (0..<texts.count).map { i in
            let text = texts[i]
            let rest = String(text.dropFirst())
            switch (text.first, UInt64(rest), Int64(rest)) {
            case ("t", _, _): return .text(rest)
            case ("r", let bits?, _): return .real(Double(bitPattern: bits))
            case ("i", _, let number?): return .integer(number)
            default: throw ColumnReader.Unusable()
            }
        }
    }

    subscript(i: Int) -> ProductID { i < numbers.count ? .integer(numbers[i]) : others[i - numbers.count] }
}

/// Lists of small numbers for many products, back to back: 4 bytes a product and 4 a number.
struct ListColumn: Sendable {
    private var items: [Int32] = []
    private var ends: [UInt32] = []

    mutating func reserve(_ count: Int) { ends.reserveCapacity(count) }

    mutating func append(_ list: some Collection<Int32>) {
        items.reserveSparingly(list.count)
        items.append(contentsOf: list)
        ends.append(UInt32(items.count))
    }

    func put(into file: ColumnWriter) throws {
        try file.put(items)
        try file.put(ends)
    }

    /// - Parameters:
    ///   - count: how many lists there are.
    ///   - limit: what numbers are below.
    init(from file: ColumnReader, count: Int, below limit: Int) throws {
        items = try file.column()
        ends = try file.column()
        guard ends.count == count, areEnds(ends, of: items.count), areNumbers(items, below: limit) else {
            throw ColumnReader.Unusable()
        }
    }

    init() {}

    subscript(i: Int) -> ArraySlice<Int32> { items[(i == 0 ? 0 : Int(ends[i - 1]))..<Int(ends[i])] }
}

/// Whether all numbers are at least 0 and below a limit.
func areNumbers(_ numbers: [Int32], below limit: Int) -> Bool {
    var worst: UInt32 = 0
    for number in numbers { worst = max(worst, UInt32(bitPattern: number)) }
    return numbers.isEmpty || Int(worst) < limit
}
