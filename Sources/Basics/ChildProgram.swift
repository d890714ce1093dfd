import CSystem
import Glibc

/// A program that was run to its end.
public struct ProgramResult: Sendable {
    /// The exit status; 128 and the number of the signal when one ended it.
    public let status: Int32
    /// What it wrote to standard output, if it was asked to be kept.
    public let output: [UInt8]
    /// The end of what it wrote to standard error, at most some 64 kB.
    public let errors: String
}

/// A program to run with arguments of an array: no shell ever sees them (S33). It ends when we do, even if we are killed.
public struct ChildProgram: Sendable {
    /// Where a line came from.
    public enum Stream: Sendable { case output, errors }

    /// The program, searched for in `PATH`.
    public var name: String
    /// Its arguments, without its own name.
    public var arguments: [String]
    /// Variables on top of ``cleanEnvironment()``; nil takes one away.
    public var environment: [String: String?] = [:]
    /// A descriptor to read from; nil is an empty input.
    public var input: Int32?
    /// Descriptors that it keeps open besides the usual three, such as a lock that is to last as long as it does.
    public var kept: [Int32] = []
    /// The most of standard output to keep, in bytes; 0 keeps nothing.
    public var outputLimit = 16 << 20

    /// A program and its arguments.
    public init(_ name: String, _ arguments: [String]) {
        self.name = name
        self.arguments = arguments
    }

    /// Runs it and waits for its end. Blocks the thread.
    ///
    /// - Parameter onLine: gets each line as it comes, without its end.
    /// - Throws: when it cannot be started; that it fails is in the result.
    public func run(onLine: (Stream, String) throws -> Void = { _, _ in }) throws -> ProgramResult {
        let output = try Pipe()
        let errors = try Pipe()
        let child = try start(output: output.writer, errors: errors.writer)
        output.closeWriter()
        errors.closeWriter()
        var lines = [LineReader(.output, output.reader), LineReader(.errors, errors.reader)]
        var kept: [UInt8] = []
        var tail: [UInt8] = []
        do {
            while lines.contains(where: { $0.isOpen }) {
                var polls = lines.map {
                    pollfd(fd: $0.isOpen ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0)
                }
                if poll(&polls, nfds_t(polls.count), -1) < 0, errno != EINTR {
                    throw FileError("read from", name)
                }
                for i in lines.indices where polls[i].revents != 0 {
                    let bytes = lines[i].read()
                    if lines[i].stream == .output {
                        if kept.count < outputLimit { kept += bytes.prefix(outputLimit - kept.count) }
                    } else {
                        tail += bytes
                        if tail.count > 128 << 10 { tail.removeFirst(tail.count - (64 << 10)) }
                    }
                    for line in lines[i].takeLines() { try onLine(lines[i].stream, line) }
                }
            }
        } catch {
            // Nobody reads any more: the program is ended, and waited for, before anything else happens.
            kill(child, SIGTERM)
            _ = Self.wait(for: child)
            throw error
        }
        return ProgramResult(
            status: Self.wait(for: child), output: kept, errors: String(decoding: tail, as: UTF8.self))
    }

    private func start(output: Int32, errors: Int32) throws -> pid_t {
        var variables = Self.cleanEnvironment()
        for (key, value) in environment { variables[key] = value }
        var words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] =
            variables.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard nothing >= 0 else { throw FileError("open", "/dev/null") }
        defer { close(nothing) }
        var child = pid_t()
        let code = bs_spawn_bound(
            &child, name, &words, &settings, [input ?? nothing, output, errors], kept, Int32(kept.count))
        guard code == 0 else { throw FileError("start", name, code: code) }
        return child
    }

    private static func wait(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            if errno != EINTR { return 127 }
        }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// What of our own environment other programs get: who and where the person is, how the network is reached, and
    /// what the programs' own settings are. Messages come in English whatever the language, since we read them.
    public static func cleanEnvironment() -> [String: String] {
        let names: Set<String> = [
            "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GIT_SSH",
            "GIT_SSH_COMMAND", "GIT_ASKPASS", "GNUPGHOME", "KRB5CCNAME",
        ]
        let prefixes = ["XDG_", "RCLONE_", "AWS_", "AZURE_", "GOOGLE_", "GIT_CONFIG_"]
        let proxies: Set<String> = ["http_proxy", "https_proxy", "no_proxy", "all_proxy"]
        var out: [String: String] = [:]
        var at = environ
        while let entry = at.pointee {
            at += 1
            let text = String(cString: entry)
            guard let equals = text.firstIndex(of: "=") else { continue }
            let name = String(text[..<equals])
            if names.contains(name) || proxies.contains(name.lowercased())
                || prefixes.contains(where: { name.hasPrefix($0) })
            {
                out[name] = String(text[text.index(after: equals)...])
            }
        }
        out["LC_ALL"] = "C.UTF-8"
        return out
    }
}

/// A pipe, both ends closed when it goes.
private final class Pipe {
    let reader: Int32
    private(set) var writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileError("make", "a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reader, writer) = (ends[0], ends[1])
    }

    func closeWriter() {
        if writer >= 0 { close(writer) }
        writer = -1
    }

    deinit {
        closeWriter()
        close(reader)
    }
}

/// Cuts what comes from a descriptor into lines.
private struct LineReader {
    let stream: ChildProgram.Stream
    let descriptor: Int32
    private(set) var isOpen = true
    private var rest: [UInt8] = []
    private var lines: [String] = []

    init(_ stream: ChildProgram.Stream, _ descriptor: Int32) {
        self.stream = stream
        self.descriptor = descriptor
    }

    /// Reads what is there; nothing more means the end.
    mutating func read() -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let n = retrying { Glibc.read(descriptor, &chunk, chunk.count) }
        guard n > 0 else {
            isOpen = false
            if !rest.isEmpty { lines.append(String(decoding: rest, as: UTF8.self)) }
            rest = []
            return []
        }
        rest += chunk[..<n]
        // A line that is drawn over, as git's progress is, ends in a carriage return.
        func isEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
        if let end = rest.lastIndex(where: isEnd) {
            lines += rest[..<end].split(whereSeparator: isEnd).map { String(decoding: $0, as: UTF8.self) }
            rest.removeFirst(end + 1)
        } else if rest.count > 1 << 20 {
            rest.removeAll()
        }
        return Array(chunk[..<n])
    }

    mutating func takeLines() -> [String] {
        defer { lines = [] }
        return lines
    }
}
