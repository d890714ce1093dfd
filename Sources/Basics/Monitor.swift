import Glibc

/// State that threads share and wait for: a mutex with a condition.
///
/// For what lives longer than one call, such as a server's connections; work on many items goes through ``Pipeline``.
public final class Monitor<State>: @unchecked Sendable {
    /// Who looks at the state again after somebody had it.
    public enum Waking: Sendable {
        /// All who wait.
        case all
        /// One of them, whichever: what was brought is for one.
        case one
        /// Nobody: nothing was changed that anybody waits for. To wake a thread for nothing costs as much as a small page.
        case none
    }

    // `state` is only touched under `mutex`; that makes the unchecked conformance sound.
    private var state: State
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Begins with a state.
    public init(_ state: sending State) {
        self.state = state
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // The wall clock may be set while somebody waits.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Looks at the state, and may change it; those who wait then look again.
    public func withLock<Result>(
        waking: Waking = .all, _ body: (inout State) throws -> sending Result
    ) rethrows -> sending Result {
        pthread_mutex_lock(mutex)
        defer { unlock(waking) }
        return try body(&state)
    }

    /// Whoever is woken needs the lock, so that it is given back before.
    private func unlock(_ waking: Waking) {
        pthread_mutex_unlock(mutex)
        switch waking {
        case .all: pthread_cond_broadcast(changed)
        case .one: pthread_cond_signal(changed)
        case .none: break
        }
    }

    /// Waits until `body`, which sees each change, gives a value.
    public func wait<Result>(
        waking: Waking = .all, for body: (inout State) throws -> sending Result?
    ) rethrows -> sending Result {
        pthread_mutex_lock(mutex)
        defer { unlock(waking) }
        while true {
            if let result = try body(&state) { return result }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Waits until `body`, which sees each change, gives a value; nil when that takes longer than `seconds`.
    public func wait<Result>(
        seconds: Double, for body: (inout State) throws -> sending Result?
    ) rethrows -> sending Result? {
        let end = monotonicSeconds() + min(seconds, 1e9)
        pthread_mutex_lock(mutex)
        var waking = Waking.none
        defer { unlock(waking) }
        while true {
            if let result = try body(&state) {
                waking = .all
                return result
            }
            if monotonicSeconds() >= end { return nil }
            var time = timespec(tv_sec: Int(end), tv_nsec: Int((end - end.rounded(.down)) * 1e9))
            pthread_cond_timedwait(changed, mutex, &time)
        }
    }
}

/// Runs `body` on a thread of its own, which nobody waits for; false when the system has no thread left.
@discardableResult
public func detachThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = startThread(body) else { return false }
    pthread_detach(thread)
    return true
}
