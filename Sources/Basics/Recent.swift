/// The value that was last made for each of some numbers: strengths, sizes, dates, which many products have alike.
///
/// A table of fixed size in which a number has one place, and what comes to a place takes it: finding costs a multiplication,
/// and whatever a catalogue holds, no more is kept. One for each thread, so that no two count the references of a value.
public struct Recent<Value> {
    private static var bits: Int { 10 }
    private var keys: [UInt64] = []
    private var values: [Value?] = []

    /// An empty table, which takes no memory before it is used.
    public init() {}

    /// The value for a number: the one that is kept, or what the closure makes.
    @inline(__always)
    public mutating func value(for key: UInt64, _ make: () -> Value) -> Value {
        if keys.isEmpty { begin() }
        // Fibonacci hashing: the high bits of the product depend on all of the number's.
        let place = Int((key &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - Self.bits))
        if keys[place] == key, let value = values[place] { return value }
        let value = make()
        keys[place] = key
        values[place] = value
        return value
    }

    @inline(never)
    private mutating func begin() {
        keys = [UInt64](repeating: 0, count: 1 << Self.bits)
        values = [Value?](repeating: nil, count: 1 << Self.bits)
    }
}
