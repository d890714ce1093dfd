import CSystem
import Glibc
import Synchronization

/// A program that we started and talk to through pipes. Belongs to one thread at a time.
///
/// It gets the given words as arguments, never a shell, and an environment of its own that says nothing of ours (S33).
/// What it prints as errors is lost. It ends when the object goes.
public final class ChildProcess {
    /// How talking to it failed.
    public enum Failure: Error {
        /// It did not answer in time.
        case late
        /// It ended, or closed its side; the number of the signal that ended it, if one did.
        case gone(signal: Int32?)
    }

    /// What any thread may end it by.
    public let leash: Leash
    private let input: Int32, output: Int32
    private var received: [UInt8] = []
    private var isOver = false

    /// Ends a process that another thread talks to.
    public final class Leash: Sendable {
        private let id: pid_t
        /// Whether it was waited for: its number may be that of another process then.
        private let isOver = Mutex(false)

        fileprivate init(_ id: pid_t) { self.id = id }

        /// Ends it at once, if it still runs; whoever talks to it hears that it is gone.
        public func kill() { isOver.withLock { if !$0 { _ = Glibc.kill(id, SIGKILL) } } }

        /// Ends it and waits for that. How it ended, as `waitpid` says it.
        fileprivate func end() -> Int32 {
            isOver.withLock { isOver in
                var status: Int32 = 0
                if isOver { return status }
                isOver = true
                _ = Glibc.kill(id, SIGKILL)
                _ = retrying { waitpid(id, &status, 0) }
                return status
            }
        }
    }

    /// Starts the program at a path.
    ///
    /// - Parameter words: its arguments, without its name.
    public init(_ path: String, _ words: [String] = []) throws(FileError) {
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        // A socket, since writing to a pipe that nobody reads any more sends a signal.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &toChild) == 0 else { throw FileError("start", path) }
        guard bs_pipe2(&fromChild, O_CLOEXEC) == 0 else {
            let error = FileError("start", path)
            for end in toChild { close(end) }
            throw error
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // We ignore some signals; a child would inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        // Nor shall it inherit that a thread of ours takes no signals: it would outlive its limit of processor time.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var id = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) }
        let variables = ["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) }
        defer { for text in arguments + environment { free(text) } }
        arguments.append(nil)
        environment.append(nil)
        let code = posix_spawn(&id, path, &actions, &attributes, arguments, environment)
        close(toChild[0])
        close(fromChild[1])
        guard code == 0 else {
            close(toChild[1])
            close(fromChild[0])
            throw FileError("start", path, code: code)
        }
        leash = Leash(id)
        input = toChild[1]
        output = fromChild[0]
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
    }

    deinit { end() }

    /// Ends it at once.
    public func end() {
        if isOver { return }
        isOver = true
        close(input)
        close(output)
        _ = leash.end()
    }

    /// Writes all of it.
    ///
    /// - Parameter deadline: on the clock of ``monotonicSeconds()``.
    public func send(_ bytes: [UInt8], deadline: Double) throws(Failure) {
        var sent = 0
        while sent < bytes.count {
            let n = bytes.withUnsafeBytes {
                Glibc.send(input, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if n > 0 {
                sent += n
            } else if n < 0, errno == EAGAIN {
                try wait(for: Int16(POLLOUT), of: input, until: deadline)
            } else if n >= 0 || errno != EINTR {
                throw gone()
            }
        }
    }

    /// The next line, without its end.
    public func line(limit: Int = 4096, deadline: Double) throws(Failure) -> String {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeFirst(end + 1)
                return line
            }
            guard received.count < limit else { throw gone() }
            try fill(4096, until: deadline)
        }
    }

    /// The next bytes, exactly so many.
    public func bytes(_ count: Int, deadline: Double) throws(Failure) -> [UInt8] {
        received.reserveCapacity(count)
        while received.count < count { try fill(min(count - received.count, 1 << 20), until: deadline) }
        let bytes = Array(received[..<count])
        received.removeFirst(count)
        return bytes
    }

    private func fill(_ count: Int, until deadline: Double) throws(Failure) {
        var chunk = [UInt8](repeating: 0, count: max(count, 1))
        while true {
            let n = read(output, &chunk, chunk.count)
            if n > 0 {
                received.append(contentsOf: chunk[..<n])
                return
            } else if n < 0, errno == EAGAIN {
                try wait(for: Int16(POLLIN), of: output, until: deadline)
            } else if n == 0 || errno != EINTR {
                throw gone()
            }
        }
    }

    private func wait(for events: Int16, of descriptor: Int32, until deadline: Double) throws(Failure) {
        var request = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let left = deadline - monotonicSeconds()
            guard left > 0 else { throw .late }
            if poll(&request, 1, Int32(min(left * 1000 + 1, 60_000))) > 0 { return }
        }
    }

    /// What became of it; it is over then.
    private func gone() -> Failure {
        if isOver { return .gone(signal: nil) }
        isOver = true
        close(input)
        close(output)
        // It may only have closed its side.
        let signal = leash.end() & 0x7F
        return .gone(signal: signal == 0 ? nil : signal)
    }
}
