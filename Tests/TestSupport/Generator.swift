import Glibc

/// A seeded generator for random tests: the seed is printed on failure, `SEED=…` repeats a run.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// Where the sequence starts.
    public let seed: UInt64
    private var state: UInt64

    /// The same seed makes the same sequence on every machine.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The seed of `SEED`, else a fixed one: tests are the same from run to run unless asked.
    public init() {
        let given = getenv("SEED").flatMap { UInt64(String(cString: $0)) }
        self.init(seed: given ?? 20_261_130)
    }

    /// SplitMix64 (Steele, Lea, Flood 2014).
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
