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

/// Texts of one kind for many products, back to back in one buffer: 4 bytes and the text itself for each.
struct TextColumn: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [UInt32] = []

    var count: Int { ends.count }

    mutating func reserve(_ count: Int, bytesEach: Int) {
        ends.reserveCapacity(count)
        bytes.reserveCapacity(count * bytesEach)
    }

    mutating func append(_ text: String) {
        bytes.reserveSparingly(text.utf8.count)
        bytes.append(text)
        ends.append(UInt32(bytes.count))
    }

    /// Whether a text is this one, without making a string of it.
    func holds(_ text: String, at i: Int) -> Bool {
        let start = i == 0 ? 0 : Int(ends[i - 1])
        return bytes[start..<Int(ends[i])].elementsEqual(text.utf8)
    }

    /// `hash64` of a text.
    func hash(at i: Int) -> UInt64 {
        let start = i == 0 ? 0 : Int(ends[i - 1])
        return bytes.withUnsafeBufferPointer {
            hash64(UnsafeBufferPointer(rebasing: $0[start..<Int(ends[i])]))
        }
    }

    subscript(i: Int) -> String {
        let start = i == 0 ? 0 : Int(ends[i - 1])
        return String(decoding: bytes[start..<Int(ends[i])], as: UTF8.self)
    }
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

extension Array {
    /// Makes room for some more elements, and for a quarter of what is there: doubling leaves up to half of a large column
    /// unused.
    fileprivate mutating func reserveSparingly(_ more: Int) {
        if count + more > capacity { reserveCapacity(count + Swift.max(more, count / 4)) }
    }
}
