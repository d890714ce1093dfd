import Basics
import Glibc
import Site
import Synchronization

/// Writes to a descriptor; a reader that went away is no fault of ours.
func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let n = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if n < 0, errno == EINTR { continue }
        guard n > 0 else { return }
        bytes = bytes.dropFirst(n)
    }
}

/// Shows how far a build is: one line a stage, and on a terminal a bar with rate and time left.
final class ProgressPrinter: BuildProgress {
    private struct State {
        var stage = ""
        var total = 0
        var done = 0
        var start = 0.0
        var lastDrawn = 0.0
        var isDrawn = false
    }

    private let state = Mutex(State())
    private let isQuiet: Bool
    private let isTerminal: Bool

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        isTerminal = isatty(2) == 1
    }

    func begin(_ stage: String, total: Int) {
        state.withLock { state in
            finishLine(&state)
            state = State(stage: stage, total: total, start: monotonicSeconds())
        }
    }

    func advance(_ steps: Int) {
        guard !isQuiet, isTerminal else {
            state.withLock { $0.done += steps }
            return
        }
        state.withLock { state in
            state.done += steps
            let now = monotonicSeconds()
            guard now - state.lastDrawn >= 0.1, state.total > 0 else { return }
            state.lastDrawn = now
            state.isDrawn = true
            let elapsed = max(now - state.start, 0.001)
            let rate = Double(state.done) / elapsed
            let left = Double(state.total - state.done) / max(rate, 0.001)
            let filled = min(24, state.done * 24 / state.total)
            let bar = String(repeating: "━", count: filled) + String(repeating: "─", count: 24 - filled)
            Commands.write(
                "\r\u{1B}[2K\(state.stage) \(bar) \(state.done)/\(state.total)  \(Int(rate))/s  \(Int(left.rounded(.up))) s left",
                to: 2)
        }
    }

    /// Ends the line of the last stage.
    func finish() { state.withLock { finishLine(&$0) } }

    private func finishLine(_ state: inout State) {
        guard !isQuiet, !state.stage.isEmpty else { return }
        let seconds = monotonicSeconds() - state.start
        let count = state.total > 0 ? " \(state.total)" : ""
        write("\(state.isDrawn ? "\r\u{1B}[2K" : "")\(state.stage)\(count)  \(seconds.rounded(digits: 2)) s\n", to: 2)
        state.stage = ""
    }
}

extension Double {
    /// The number with some digits after the point.
    func rounded(digits: Int) -> String {
        var factor = 1
        for _ in 0..<digits { factor *= 10 }
        let whole = Int((self * Double(factor)).rounded())
        let rest = String(whole % factor)
        return "\(whole / factor).\(String(repeating: "0", count: digits - rest.utf8.count))\(rest)"
    }
}

extension Int {
    /// Bytes as people read them.
    var asBytes: String {
        if self < 10_000 { return "\(self) bytes" }
        if self < 10_000_000 { return "\(self / 1000) kB" }
        return "\(self / 1_000_000) MB"
    }
}
