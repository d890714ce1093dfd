import Basics
import Testing

@Suite struct ParallelTests {
    private struct Fault: Error, Equatable {
        let name: String
    }

    @Test(arguments: [0, 1, 1024, 1025, 10_000], [1, 2, 5])
    func mapsInOrder(count: Int, workers: Int) {
        #expect(parallelMap(count, workers: workers) { $0 * 3 } == (0..<count).map { $0 * 3 })
    }

    @Test(arguments: [1, 2]) func givesBothResults(workers: Int) throws {
        let (a, b) = try concurrently(workers: workers, { 1 }, { "b" })
        #expect(a == 1 && b == "b")
    }

    @Test(arguments: [1, 2]) func theFirstErrorCounts(workers: Int) {
        #expect(throws: Fault(name: "first")) {
            _ = try concurrently(
                workers: workers, { throw Fault(name: "first") } as @Sendable () throws -> Int,
                { throw Fault(name: "second") } as () throws -> Int)
        }
        #expect(throws: Fault(name: "second")) {
            _ = try concurrently(workers: workers, { 1 }, { throw Fault(name: "second") } as () throws -> Int)
        }
    }

    @Test func aSingleWorkerAsideHasAThreadOfItsOwn() throws {
        // Items are worked on in their order, and a fault comes back to the sender.
        nonisolated(unsafe) var seen: [Int] = []
        let pipeline = Pipeline<Int>(workers: 1, isAside: true) { _, item in
            if item == 50 { throw Fault(name: "fifty") }
            seen.append(item)
        }
        #expect(throws: Fault(name: "fifty")) {
            for item in 0..<10_000 { try pipeline.send(item) }
            try pipeline.finish()
        }
        try? pipeline.finish()
        #expect(seen == Array(0..<50))
    }
}
