import Basics
import Testing

@Suite struct RecentTests {
    @Test func givesEachNumberItsOwnWhateverElseHasItsPlace() {
        var recent = Recent<String>()
        // Three times as many as there are places, among them 0 and numbers whose low bits are all alike.
        let numbers = (0..<3000).map { UInt64($0) } + (0..<1000).map { UInt64($0) << 40 }
        for _ in 0..<2 {
            for number in numbers {
                #expect(recent.value(for: number) { "\(number)" } == "\(number)")
            }
        }
    }

    @Test func makesWhatItHasOnlyOnce() {
        var recent = Recent<Int>()
        var made = 0
        for _ in 0..<10 {
            for number in [UInt64(0), 7, 4630, .max] {
                _ = recent.value(for: number) {
                    made += 1
                    return made
                }
            }
        }
        #expect(made == 4)
    }
}
