/// Values by a fixed set of names: a dictionary whose lookups cost a third, because it hashes for speed and not against
/// people who choose names to slow it down. So its names must be the program's or the site owner's.
public struct TextTable<Value> {
    private let names: [String]
    private let values: [Value]
    /// Numbers of names, each one more than it is; 0 is none.
    private let slots: [UInt16]

    /// - Parameter pairs: names with their values, fewer than 10,000; no name twice.
    public init(_ pairs: [(name: String, value: Value)]) {
        precondition(pairs.count < 10_000, "a table is for a fixed set of names")
        names = pairs.map(\.name)
        values = pairs.map(\.value)
        var capacity = 16
        while capacity < 2 * pairs.count { capacity *= 2 }
        var slots = [UInt16](repeating: 0, count: capacity)
        for (i, pair) in pairs.enumerated() {
            var at = Self.hash(pair.name) & (capacity - 1)
            while slots[at] != 0 { at = (at + 1) & (capacity - 1) }
            slots[at] = UInt16(i + 1)
        }
        self.slots = slots
    }

    /// The value of a name, if there is one.
    public subscript(name: String) -> Value? {
        var at = Self.hash(name) & (slots.count - 1)
        while slots[at] != 0 {
            let i = Int(slots[at]) - 1
            if names[i] == name { return values[i] }
            at = (at + 1) & (slots.count - 1)
        }
        return nil
    }

    private static func hash(_ name: borrowing String) -> Int {
        var hash: UInt32 = 0x811C_9DC5
        let bytes = name.utf8Span.span
        for i in bytes.indices { hash = (hash ^ UInt32(bytes[i])) &* 0x0100_0193 }
        return Int(hash ^ hash >> 15)
    }
}

extension TextTable: Sendable where Value: Sendable {}
