/// Threads that do work for others, which wait for it: for callers whose own stack is too small, or that are many.
public final class Workers: Sendable {
    private struct State {
        var queue: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Starts so many threads, or as many as the system has.
    public init(_ count: Int) {
        for _ in 0..<count {
            let state = self.state
            detachThread {
                while let job = Self.next(state) { job() }
            }
        }
    }

    private static func next(_ state: Monitor<State>) -> (@Sendable () -> Void)? {
        let next = state.wait(waking: .none) { state -> (@Sendable () -> Void)?? in
            if !state.queue.isEmpty { return .some(state.queue.removeFirst()) }
            return state.isClosed ? .some(nil) : nil
        }
        return next ?? nil
    }

    /// Ends the threads when they are done with what is waiting.
    public func close() { state.withLock { $0.isClosed = true } }

    /// Does the work on one of the threads, first come first served, and waits for it.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        let result = Monitor<Result?>(nil)
        state.withLock(waking: .one) { $0.queue.append { result.set(body()) } }
        // Without a time limit there is always a result.
        return result.wait(waking: .none) { $0 }!
    }
}

extension Monitor {
    fileprivate func set<Value: Sendable>(_ value: Value) where State == Value? {
        withLock { $0 = value }
    }
}
