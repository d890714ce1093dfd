import Basics
import TestSupport
import Testing

@testable import Site

@Suite struct TileSpoolTests {
    /// More than the spool keeps in memory: some are there, some in the file, and one is on both sides.
    @Test func givesBackWhatIsInMemoryInTheFileAndInBoth() throws {
        let folder = TemporaryFolder(inMemory: true)
        let count = 70
        let spool = try TileSpool(products: count, in: Directory(path: folder.path))
        func bytes(_ number: Int, _ length: Int) -> [UInt8] {
            (0..<length).map { UInt8(truncatingIfNeeded: 32 + ($0 * 7 + $0 >> 8 + number) % 90) }
        }
        // Those that were added last do not fit in memory.
        let tiles = (0..<count).map { bytes($0, TileSpool.kept / 60 + $0) }
        let entries = (0..<count).map { bytes($0 + 1, $0 * 10) }
        // Several at a time, as workers add them, and not in their order.
        for start in stride(from: count - 5, through: 0, by: -5) {
            let numbers = start..<start + 5
            try spool.append(
                Array(numbers.map { tiles[$0] + entries[$0] }.joined()),
                of: numbers.map { ($0, tiles[$0].count, entries[$0].count) })
        }
        for number in 0..<count {
            #expect(
                try spool.tiles(of: [Int32(number)], root: "../", mark: "\u{F8FE}") == tiles[number])
            #expect(try spool.entries(of: [Int32(number)]) == entries[number])
        }
        let some: [Int32] = [69, 0, 30]
        #expect(
            try spool.tiles(of: some, root: "", mark: "\u{F8FE}") == some.flatMap { tiles[Int($0)] })
        #expect(TemporaryFolder.names(in: folder.path).isEmpty)
    }
}
