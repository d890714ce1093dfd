import Basics
import Glibc
import TestSupport

/// A process of a test, not waited for by Foundation: its waiting needs threads that the tests occupy.
final class Child {
    let id: pid_t
    private var status: Int32?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - folder: where it works.
    ///   - variables: its whole environment.
    ///   - input: a descriptor that it reads from; nil is nothing to read.
    ///   - output: files for what it prints; nil throws it away.
    init(
        _ program: String, _ arguments: [String], in folder: String = "/", variables: [String: String],
        input: Int32? = nil, output: String? = nil, errors: String? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        for (descriptor, name) in [(Int32(1), output), (2, errors)] {
            posix_spawn_file_actions_addopen(
                &actions, descriptor, name ?? "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        }
        // The threads that run tests have all signals blocked, and a shell with SIGCHLD blocked waits for ever.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let env = "/usr/bin/env"
        var words: [UnsafeMutablePointer<CChar>?] =
            ([env, "-C", folder, program] + arguments).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] =
            variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var id = pid_t()
        let code = posix_spawn(&id, env, &actions, &attributes, &words, &settings)
        guard code == 0 else { throw FileError("start", program, code: code) }
        self.id = id
    }

    /// How it ended, if it has; a signal counts as 128 and its number.
    func poll() -> Int32? { wait(WNOHANG) }

    /// Waits for its end.
    @discardableResult
    func wait() -> Int32 { wait(0) ?? -1 }

    func kill() { if status == nil { Glibc.kill(id, SIGKILL) } }

    private func wait(_ options: Int32) -> Int32? {
        if let status { return status }
        var code: Int32 = 0
        var result = waitpid(id, &code, options)
        while result < 0, errno == EINTR { result = waitpid(id, &code, options) }
        guard result != 0 else { return nil }
        status = code & 0x7F == 0 ? code >> 8 & 0xFF : 128 + code & 0x7F
        return status
    }

    /// Our own environment, without settings of programs that a test sets up itself.
    static func environment() -> [String: String] {
        var out: [String: String] = [:]
        var at = environ
        while let entry = at.pointee {
            at += 1
            let parts = String(cString: entry).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if parts.count == 2, !["AWS_", "RCLONE_", "GIT_", "SSH_"].contains(where: { name.hasPrefix($0) })
            {
                out[name] = String(parts[1])
            }
        }
        return out
    }
}
