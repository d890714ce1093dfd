import TestSupport
import Testing

@testable import Search

/// What makes words quicker to find, and numbers quicker to sort, and must not show.
@Suite struct WordCacheTests {
    /// More texts than there is room for, some of them again.
    @Test func textsHaveTheWordsThatTheTokeniserFinds() {
        var generator = SeededGenerator()
        var cache = WordCache()
        var (inCache, own) = (Tokeniser(), Tokeniser())
        for _ in 0..<20_000 {
            let number = Int.random(in: 0...9_000, using: &generator)
            let text = "Château O'Brien \(number) 12-year 山崎 " + String(repeating: "long ", count: number % 9)
            var words: [String] = []
            Array(text.utf8).withUnsafeBytes { bytes in
                cache.forEachWord(of: bytes, &inCache) { words.append(String(decoding: $0, as: UTF8.self)) }
            }
            guard words == own.words(of: text, forIndex: true) else {
                Issue.record("seed \(generator.seed): \(text) has \(words)")
                return
            }
        }
    }

    @Test func numbersAreSortedAsByComparingTheirKeys() {
        var generator = SeededGenerator()
        for bits in [0, 3, 11, 12, 40, 64] as [UInt64] {
            let mask = bits == 64 ? UInt64.max : 1 << bits - 1
            let keys = (0..<3_000).map { _ in UInt64.random(in: 0...UInt64.max, using: &generator) & mask }
            var numbers = (0..<3_000 as Range<Int32>).filter { $0 % 7 != 0 }
            let wanted = numbers.sorted { (keys[Int($0)], $0) < (keys[Int($1)], $1) }
            SearchIndex.sort(&numbers, by: keys)
            #expect(numbers == wanted, "seed \(generator.seed), \(bits) bits")
        }
        var none: [Int32] = []
        SearchIndex.sort(&none, by: [])
        #expect(none.isEmpty)
    }

    /// Equal bytes have one key, wherever they stand; short ones that differ have two.
    @Test func keysOfFewBytesAreEqualOnlyIfTheBytesAre() {
        var generator = SeededGenerator()
        var texts: [ShortKey: [UInt8]] = [:]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...10, using: &generator)).map { _ in
                [0, 1, 0x61, 0xFF].randomElement(using: &generator)! as UInt8
            }
            let padded = text + (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let key = padded.withUnsafeBytes {
                ShortKey($0.baseAddress!, count: text.count, hasWord: true)
            }
            let other = padded.withUnsafeBytes {
                ShortKey($0.baseAddress!, count: text.count, hasWord: text.count >= 8)
            }
            #expect(key == other && key != .none)
            if ShortKey.isWhole(text.count) { #expect(texts[key] == nil || texts[key] == text) }
            texts[key] = text
        }
    }
}
