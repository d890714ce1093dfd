import Glibc
import Synchronization

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a thread; nil when the system has none left.
func startThread(_ run: @escaping @Sendable () -> Void) -> pthread_t? {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // Templates and JSON recurse, but not deep; the default differs from system to system.
    pthread_attr_setstacksize(&attributes, 4 << 20)
    let body = Unmanaged.passRetained(ThreadBody(run))
    let code = pthread_create(
        &thread, &attributes,
        { context in
            Unmanaged<ThreadBody>.fromOpaque(context!).takeRetainedValue().run()
            return nil
        }, body.toOpaque())
    if code == 0 { return thread }
    body.release()
    return nil
}

/// Hands items from one thread to several, a few at a time: the one place where threads are made.
///
/// Items should be chunks of at least 100 µs of work, since handing one over costs some microseconds. A worker that
/// throws stops the others; the error is thrown to whoever sends or finishes.
public final class Pipeline<Item: Sendable>: @unchecked Sendable {
    // Everything mutable is guarded by `mutex`; that makes the unchecked conformance sound.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var queue: [Item] = []
    private var head = 0
    private var isClosed = false
    private var failure: (any Error)?
    private let capacity: Int
    private let body: @Sendable (Int, Item) throws -> Void
    private var threads: [pthread_t] = []

    /// - Parameters:
    ///   - workers: threads to run; with one, items are worked on by the sender itself.
    ///   - isAside: whether a single worker gets a thread of its own, so that the sender can go on.
    ///   - body: gets the worker's number, from 0, and an item.
    public init(
        workers: Int, isAside: Bool = false, _ body: @escaping @Sendable (Int, Item) throws -> Void
    ) {
        self.body = body
        capacity = workers * 3
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
        guard workers > 1 || isAside else { return }
        for number in 0..<workers {
            guard let thread = startThread({ self.work(number) }) else { break }
            threads.append(thread)
        }
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(changed)
        mutex.deallocate()
        changed.deallocate()
    }

    /// Hands over an item; waits while enough are waiting already.
    public func send(_ item: Item) throws {
        if threads.isEmpty { return try body(0, item) }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while queue.count - head >= capacity, failure == nil { pthread_cond_wait(changed, mutex) }
        if let failure { throw failure }
        queue.append(item)
        pthread_cond_broadcast(changed)
    }

    /// Waits until all items are done. Must be called once, also after an error.
    public func finish() throws {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
        for thread in threads { pthread_join(thread, nil) }
        threads = []
        if let failure { throw failure }
    }

    private func work(_ number: Int) {
        while let item = next() {
            do {
                try body(number, item)
            } catch {
                pthread_mutex_lock(mutex)
                if failure == nil { failure = error }
                pthread_cond_broadcast(changed)
                pthread_mutex_unlock(mutex)
                return
            }
        }
    }

    private func next() -> Item? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while head == queue.count, !isClosed, failure == nil { pthread_cond_wait(changed, mutex) }
        guard failure == nil, head < queue.count else { return nil }
        let item = queue[head]
        head += 1
        // What was handed out must not be held on to, also when the sender is always ahead.
        if head == queue.count || head >= capacity {
            queue.removeFirst(head)
            head = 0
        }
        pthread_cond_broadcast(changed)
        return item
    }
}

/// Calls a function for each number below `count`, and gives the results in order; several threads share the work.
///
/// A number should be some microseconds of work at most: threads take a thousand at a time.
public func parallelMap<Result: Sendable>(
    _ count: Int, workers: Int, _ transform: @escaping @Sendable (Int) -> Result
) -> [Result] {
    let block = 1024
    return [Result](unsafeUninitializedCapacity: count) { out, initialised in
        // Each worker writes places of its own.
        nonisolated(unsafe) let results = out.baseAddress
        let pipeline = Pipeline<Range<Int>>(workers: count > 2 * block ? workers : 1) { _, range in
            for i in range { (results! + i).initialize(to: transform(i)) }
        }
        do {
            for start in stride(from: 0, to: count, by: block) {
                try pipeline.send(start..<min(start + block, count))
            }
            try pipeline.finish()
        } catch {
            preconditionFailure("a function that cannot throw has thrown")
        }
        initialised = count
    }
}

/// Runs two functions at once, if there are threads for it, and gives both results; the error of the first counts if both
/// throw.
public func concurrently<First: Sendable, Second>(
    workers: Int, _ first: @escaping @Sendable () throws -> First, _ second: () throws -> Second
) throws -> (First, Second) {
    let result = Mutex<Swift.Result<First, any Error>?>(nil)
    let aside = Pipeline<Void>(workers: 1, isAside: workers > 1) { _, _ in
        let value = Swift.Result { try first() }
        result.withLock { $0 = value }
    }
    try aside.send(())
    let other = Swift.Result { try second() }
    try aside.finish()
    return (try result.withLock { $0 }!.get(), try other.get())
}

/// The processors this process may run on.
public func availableProcessors() -> Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

/// Seconds on a clock that only goes forward, for reports.
public func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The wall clock in nanoseconds since 1970, to compare with times of files.
public func wallClockNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// The most memory the process has had in RAM so far, in bytes.
public func peakMemory() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
}

/// Lets the process open as many files as the system allows it.
public func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(7), &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(__rlimit_resource_t(7), &limit)
}

/// How many files the process may have open at once.
public func openFileLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return 1024 }
    return Int(min(limit.rlim_cur, 65_536))
}
