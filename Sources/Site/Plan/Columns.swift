import Basics
import Model

/// The keys of many products, in ascending order: 8 bytes each while all are whole numbers, as nearly always.
struct KeyColumn: Sendable {
    private var numbers: [Int64] = []
    private var others: [ProductID] = []

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

    subscript(i: Int) -> ArraySlice<Int32> { items[(i == 0 ? 0 : Int(ends[i - 1]))..<Int(ends[i])] }
}
