import Glibc
import TestSupport

/// A run of a program: what it printed and how it ended.
struct Run {
    let status: Int32
    let output: String
    let errors: String
}

/// The program as people run it: a process of its own.
enum Program {
    /// The built program, which lies beside the test bundle.
    static let path: String = {
        var candidates = CommandLine.arguments.filter { $0.contains(".xctest") }
        var buffer = [CChar](repeating: 0, count: 4096)
        if readlink("/proc/self/exe", &buffer, buffer.count - 1) > 0 {
            candidates.insert(
                String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
                at: 0)
        }
        candidates.append(Project.root + "/.build/debug/x")
        for candidate in candidates {
            var parts = candidate.split(separator: "/", omittingEmptySubsequences: false)
            while !parts.isEmpty {
                parts.removeLast()
                let path = (parts + ["build-site"]).joined(separator: "/")
                if access(path, X_OK) == 0, !path.contains(".xctest/"), isFile(path) { return path }
                if parts.last?.hasSuffix(".xctest") != true { break }
            }
        }
        fatalError("the tests need the program: swift build --product build-site")
    }()

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Runs `build-site`.
    static func run(_ arguments: [String], in folder: String = "/") -> Run {
        run(path, arguments, in: folder)
    }

    /// Runs any program; its output goes through files, so that no pipe fills up.
    static func run(_ program: String, _ arguments: [String], in folder: String) -> Run {
        let files = (0..<2).map { _ in
            var name = Array("/tmp/build-site-test.XXXXXX".utf8CString)
            let descriptor = mkstemp(&name)
            precondition(descriptor >= 0, "a test needs /tmp")
            unlink(name)
            return descriptor
        }
        defer { for file in files { close(file) } }
        let child = start(program, arguments, in: folder, output: files[0], errors: files[1])
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        return Run(status: code, output: contents(files[0]), errors: contents(files[1]))
    }

    /// Starts a program whose output goes to descriptors.
    static func start(
        _ program: String, _ arguments: [String], in folder: String, output: Int32, errors: Int32
    ) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        // `env` changes the folder and becomes the program: Glibc's own action for it is hidden from Swift.
        let env = "/usr/bin/env"
        var words: [UnsafeMutablePointer<CChar>?] =
            ([env, "-C", folder, program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child = pid_t()
        let code = posix_spawn(&child, env, &actions, nil, &words, environ)
        precondition(code == 0, "\(program) cannot be started: \(String(cString: strerror(code)))")
        return child
    }

    private static func contents(_ descriptor: Int32) -> String {
        var out: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let n = pread(descriptor, &chunk, chunk.count, off_t(out.count))
            guard n > 0 else { return String(decoding: out, as: UTF8.self) }
            out.append(contentsOf: chunk[..<n])
        }
    }
}
