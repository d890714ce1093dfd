import Database
import Glibc
import Model
import Synchronization
import TestSupport
import Testing

/// The shop writes while the site is read (S24).
///
/// That the file is opened by SQLite alone while connected is seen by hand:
/// `strace -f -e trace=openat,close,unlink build-site build | grep shop.db` shows one `openat`.
@Suite struct LiveWriterTests {
    private let tables = """
        CREATE TABLE products(id INTEGER PRIMARY KEY, name, summary);
        CREATE TABLE reviews(product_id, rating);
        """

    /// Adds a product with two reviews, and marks all products, in one transaction.
    private func write(_ writer: Connection, _ i: Int) throws {
        try writer.execute(
            """
            BEGIN IMMEDIATE;
            INSERT INTO products(name) VALUES('n');
            INSERT INTO reviews SELECT max(id), 1 FROM products;
            UPDATE products SET summary = 's\(i)';
            INSERT INTO reviews SELECT max(id), 2 FROM products;
            COMMIT;
            """)
    }

    private func isConsistent(_ reader: CatalogueReader) throws -> Bool {
        var reading = Reading()
        let orphans = try reader.forEachProduct(.full) { reading.entries.append($0) }
        return try orphans.isEmpty && reading.entries.allSatisfy { $0.reviewCount == 2 }
            && Set(reading.products.map(\.summary)).count <= 1
            && reader.productCount() == reading.entries.count
    }

    @Test(arguments: ["wal", "delete", "truncate", "persist"])
    func twentyReadsBesideAWriterEachSeeOneState(_ journal: String) throws {
        let shop = try Shop("PRAGMA journal_mode = \(journal);" + tables)
        let writer = Writer(path: shop.path, write)
        for _ in 0..<20 {
            // Each read begins after a further write, so that they meet.
            let seen = writer.written
            while writer.written == seen, writer.failure == nil { sched_yield() }
            #expect(try isConsistent(try shop.reader()))
        }
        writer.stop()
        #expect(writer.failure == nil)
        #expect(writer.written >= 20)
        #expect(try shop.reader().productCount() == writer.written)
    }

    @Test func aReadKeepsItsStateWhileOthersCommit() throws {
        let shop = try Shop("PRAGMA journal_mode = wal;" + tables)
        let writer = try Connection(own: shop.path)
        try writer.execute("PRAGMA busy_timeout = 0")
        try write(writer, 1)
        let reader = try shop.reader()
        // WAL: the writer never waits for a reader.
        for i in 2...5 { try write(writer, i) }
        #expect(try reader.productCount() == 1)
        try reader.forEachProduct(.full) { #expect($0.product.summary == "s1") }
        #expect(try shop.reader().productCount() == 5)
    }

    @Test(arguments: ["wal", "delete"])
    func aReaderKnowsWhetherOthersHaveCommitted(_ journal: String) throws {
        let shop = try Shop("PRAGMA journal_mode = \(journal);" + tables)
        let writer = try Connection(own: shop.path)
        #expect(try shop.reader().isCurrent())
        // A reader of WAL lets the commit through; with a rollback journal it comes after the read.
        let reader = try shop.reader()
        if journal == "wal" { try write(writer, 1) }
        #expect(try reader.isCurrent() == (journal != "wal"))
        #expect(try shop.reader().isCurrent())
    }

    /// With a rollback journal the writer waits for the end of the read, and gets its own time limit's error at most.
    @Test func aReadEndsWhenItsReaderGoes() throws {
        let shop = try Shop(tables)
        let writer = try Connection(own: shop.path)
        try writer.execute("PRAGMA busy_timeout = 50")
        do {
            let reader = try shop.reader()
            #expect(complaint { try write(writer, 1) } == "database is locked")
            try writer.execute("ROLLBACK")
            #expect(try reader.productCount() == 0)
        }
        try write(writer, 2)
        #expect(try shop.reader().productCount() == 1)
    }

    /// Two readers of one process: closing the first must not drop the second's locks.
    @Test func readersOfOneProcessDoNotDropEachOthersLocks() throws {
        let shop = try Shop(tables)
        let kept = try shop.reader()
        _ = try shop.reader().productCount()
        let writer = try Connection(own: shop.path)
        try writer.execute("PRAGMA busy_timeout = 0")
        #expect(complaint { try write(writer, 1) } == "database is locked")
        try writer.execute("ROLLBACK")
        _ = try kept.productCount()
    }

    @Test func aWriterThatDoesNotFinishIsReported() throws {
        let shop = try Shop(tables)
        let writer = try Connection(own: shop.path)
        try writer.execute("BEGIN EXCLUSIVE")
        do {
            _ = try Connection(reading: shop.path, busyTimeout: .milliseconds(50))
            Issue.record("the database was read while it was locked")
        } catch {
            #expect(error.isBusy)
            #expect(error.message == "database is locked")
        }
    }

    /// The journal of a program that died half-way says how to undo its writes, which takes the right to write.
    @Test func aJournalThatWasLeftBehindIsReported() throws {
        let shop = try Shop(tables + "INSERT INTO products(name) VALUES(printf('%.*c', 100000, 'x'))")
        let writer = try Connection(own: shop.path)
        try writer.execute(
            "PRAGMA cache_size = 1; BEGIN; UPDATE products SET name = name || 'y', summary = name")
        let copy = TemporaryFolder()
        #expect(system("cp \(shop.path) \(shop.path)-journal \(copy.path)") == 0)
        #expect(
            complaint { try CatalogueReader(path: copy.file("shop.db"), mapping: Mapping(currency: pounds)) }
                == "a program that was writing to it ended half-way, and mending that needs the right to write: let the shop's program open it once"
        )
    }

    /// A WAL database without -shm can only be read by who may make one.
    @Test(.enabled(if: geteuid() != 0, "permissions do not bind root"))
    func aWALDatabaseInAFolderThatIsReadOnlyIsReported() throws {
        let shop = try Shop("PRAGMA journal_mode = wal;" + tables)
        #expect(chmod(shop.folder.path, 0o555) == 0)
        defer { chmod(shop.folder.path, 0o755) }
        #expect(
            complaint { try shop.reader() }
                == "it cannot be opened for reading; a database in WAL mode can only be read by who may write to its folder, or while its -wal and -shm files are there"
        )
    }
}

/// A thread that writes until it is stopped.
private final class Writer: Sendable {
    private struct State {
        var written = 0
        var isStopping = false
        var failure: String?
    }

    private let state = Mutex(State())
    private let thread: Mutex<pthread_t?> = Mutex(nil)
    private let body: @Sendable (Connection, Int) throws -> Void
    private let path: String

    init(path: String, _ body: @escaping @Sendable (Connection, Int) throws -> Void) {
        self.path = path
        self.body = body
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            {
                Unmanaged<Writer>.fromOpaque($0!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "no thread could be made")
        self.thread.withLock { [thread] in $0 = thread }
    }

    /// Transactions committed so far.
    var written: Int { state.withLock { $0.written } }
    /// What the writer was refused.
    var failure: String? { state.withLock { $0.failure } }

    /// Waits for the last transaction.
    func stop() {
        state.withLock { $0.isStopping = true }
        if let thread = thread.withLock({ $0.take() }) { pthread_join(thread, nil) }
    }

    private func run() {
        do {
            let connection = try Connection(own: path)
            try connection.execute("PRAGMA synchronous = OFF; PRAGMA busy_timeout = 60000")
            while !state.withLock({ $0.isStopping }) {
                try body(connection, written)
                state.withLock { $0.written += 1 }
                // A writer without any pause keeps readers out of a database with a rollback journal.
                usleep(2000)
            }
        } catch {
            state.withLock { $0.failure = "\(error)" }
        }
    }
}
