import Basics
import Database

/// Readers of the database that any thread may borrow for one page.
///
/// Each reads in a transaction that lasts as long as the page takes: a transaction that stayed open would keep the
/// shop's own programs from writing. So a page shows the rows of now, also when the plan is older.
final class ReaderPool: Sendable {
    private let sources: SiteSources
    private let state: Monitor<State>

    private struct State {
        var idle: [Reader] = []
        /// How many more may be opened.
        var free: Int
        /// How many are lent.
        var lent = 0
    }

    /// A reader that one thread at a time has.
    private final class Reader: @unchecked Sendable {
        // Whoever takes it out of the pool is the only one to use it until it is put back, under the pool's lock.
        let reader: CatalogueReader

        init(_ reader: CatalogueReader) { self.reader = reader }
    }

    /// Opens the first reader, so that a database that cannot be read is known at once.
    ///
    /// - Parameter size: how many pages can be made at one time.
    init(_ sources: SiteSources, size: Int) throws {
        self.sources = sources
        let first = try Self.open(sources)
        try first.reader.pause()
        state = Monitor(State(idle: [first], free: size - 1))
    }

    private static func open(_ sources: SiteSources) throws -> Reader {
        let reader = try sources.openDatabase()
        try reader.keep(bytes: Self.cacheSize)
        return Reader(reader)
    }

    /// How many bytes of the database each reader keeps. Of a million products the inner nodes of the trees take five
    /// megabytes: with the usual two, most are read again for each page.
    private static let cacheSize = 5 << 20

    /// Whether nobody has a reader: no page is being made that shows rows.
    var isIdle: Bool { state.withLock(waking: .none) { $0.lent == 0 } }

    /// Lends a reader, in a transaction of its own; waits for one if all are lent.
    func reading<Result>(_ body: (CatalogueReader) throws -> Result) throws -> Result {
        let idle = state.wait(waking: .none) { state -> Reader?? in
            if state.idle.isEmpty {
                guard state.free > 0 else { return nil }
                state.free -= 1
            }
            state.lent += 1
            return .some(state.idle.popLast())
        }
        do {
            let reader: Reader
            if let known = idle ?? nil {
                reader = known
                try reader.reader.resume()
            } else {
                reader = try Self.open(sources)
            }
            let result = try body(reader.reader)
            try reader.reader.pause()
            state.withLock(waking: .one) { state in
                state.idle.append(reader)
                state.lent -= 1
            }
            return result
        } catch {
            // Whatever state it is in: the next one begins anew.
            state.withLock(waking: .one) { state in
                state.free += 1
                state.lent -= 1
            }
            if let error = error as? DatabaseError { throw sources.failure(error) }
            throw error
        }
    }
}
