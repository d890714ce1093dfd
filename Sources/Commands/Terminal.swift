import Basics
import Glibc
import Site
import Synchronization

/// Writes to a descriptor. False when it fails, with `errno`; a reader that went away is no failure.
@discardableResult
func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let n = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if n < 0, errno == EINTR { continue }
        guard n > 0 else { return errno == EPIPE }
        bytes = bytes.dropFirst(n)
    }
    return true
}

/// Shows how far a build is: one line a stage, and on a terminal a bar with rate and time left.
final class ProgressPrinter: BuildProgress {
    private struct State {
        var stage = ""
        var total = 0
        var done = 0
        var start = 0.0
        var lastDrawn = 0.0
        /// Pictures that were asked for, are ready, and were made anew; and when the first and the last were.
        var asked = 0, ready = 0, made = 0
        var firstPicture = 0.0, lastPicture = 0.0
    }

    private let state = Mutex(State())
    private let isQuiet: Bool
    /// Whether lines can be drawn over.
    private let isTerminal: Bool
    private static let clear = "\r\u{1B}[2K"

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        isTerminal = isatty(2) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    }

    func begin(_ stage: String, total: Int) {
        state.withLock { state in
            endLine(&state)
            (state.stage, state.total, state.done) = (stage, total, 0)
            (state.start, state.lastDrawn) = (monotonicSeconds(), 0)
            if !isQuiet, isTerminal { write("\(Self.clear)\(stage) …", to: 2) }
        }
    }

    func advance(_ steps: Int) {
        state.withLock { state in
            state.done += steps
            draw(&state)
        }
    }

    /// Pictures are made while stages go on: they have a line of their own when no stage can do without them any more.
    func pictures(ready: Int, of asked: Int, made: Int) {
        state.withLock { state in
            state.lastPicture = monotonicSeconds()
            if state.asked == 0 { state.firstPicture = state.lastPicture }
            state.asked = max(state.asked, asked)
            state.ready = max(state.ready, ready)
            state.made = max(state.made, made)
            draw(&state)
        }
    }

    private func draw(_ state: inout State) {
        let now = monotonicSeconds()
        guard !isQuiet, isTerminal, now - state.lastDrawn >= 0.1, state.total > 0 else { return }
        state.lastDrawn = now
        // Where pictures are made they are what takes the time.
        let pictures =
            state.ready < state.asked && state.made > 0 ? "  pictures \(state.ready)/\(state.asked)" : ""
        let line = Self.line(
            state.stage, done: state.done, of: state.total, seconds: now - state.start,
            width: Self.terminalWidth - pictures.count)
        write(Self.clear + line + pictures, to: 2)
    }

    /// Ends the line of the last stage.
    func finish() { state.withLock { endLine(&$0) } }

    /// Takes the line of a stage that failed away: what went wrong follows.
    func abandon() {
        state.withLock { state in
            if !isQuiet, isTerminal, !state.stage.isEmpty { write(Self.clear, to: 2) }
            state.stage = ""
        }
    }

    private func endLine(_ state: inout State) {
        guard !isQuiet, !state.stage.isEmpty else { return }
        let seconds = monotonicSeconds() - state.start
        let count = state.total > 0 ? " \(state.total)" : ""
        write(
            "\(isTerminal ? Self.clear : "")\(state.stage)\(count)  \(seconds.rounded(digits: 2)) s\n", to: 2)
        state.stage = ""
        guard state.ready == state.asked, state.asked > 0 else { return }
        if state.made > 0 {
            let seconds = state.lastPicture - state.firstPicture
            write("pictures \(state.asked), \(state.made) made  \(seconds.rounded(digits: 2)) s\n", to: 2)
        }
        (state.asked, state.ready, state.made) = (0, 0, 0)
    }

    /// The line with the bar; the bar takes what the terminal's width leaves for it, or is left out.
    static func line(_ stage: String, done: Int, of total: Int, seconds: Double, width: Int) -> String {
        let rate = Double(done) / max(seconds, 0.001)
        let left = Double(max(0, total - done)) / max(rate, 0.001)
        let time = left < 100 ? "\(Int(left.rounded(.up))) s" : "\(Int((left / 60).rounded(.up))) min"
        let numbers = "\(done)/\(total)  \(Int(rate))/s  \(time) left"
        let room = min(24, width - stage.count - numbers.count - 3)
        guard room >= 4 else { return String("\(stage) \(numbers)".prefix(max(1, width - 1))) }
        let filled = min(room, done * room / max(1, total))
        let bar = String(repeating: "━", count: filled) + String(repeating: "─", count: room - filled)
        return "\(stage) \(bar) \(numbers)"
    }

    private static var terminalWidth: Int {
        var size = winsize()
        return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
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
    /// The number with its noun: "1 page", "2 pages".
    func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }

    /// Bytes as people read them.
    var asBytes: String {
        if self < 10_000 { return "\(self) bytes" }
        if self < 10_000_000 { return "\(self / 1000) kB" }
        return "\(self / 1_000_000) MB"
    }
}
