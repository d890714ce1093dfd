import Basics
import Glibc
import Site

/// What a run has brought to the target so far, a line a file, for the run after it if this one is cut short.
final class Journal {
    private let descriptor: Int32
    private let path: String

    /// Goes on with a journal, or begins one.
    init(in folder: Directory, name: String, generation: String) throws {
        path = folder.joined(name)
        if (try? Self.read(in: folder, name: name, generation: generation)) == nil {
            try Self.start([:], in: folder, name: name, generation: generation)
        }
        descriptor = openat(folder.descriptor, name, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError("open", path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Notes files that are there. One write: what is in the file when the process is killed is true.
    func add(_ items: [Outgoing]) throws {
        var bytes: [UInt8] = []
        for item in items { Self.append(item.path, item.file.content, to: &bytes) }
        let n = write(descriptor, bytes, bytes.count)
        guard n == bytes.count else { throw FileError("write", path, code: n < 0 ? errno : ENOSPC) }
    }

    /// Begins a journal with what an earlier run had sent.
    static func start(_ sent: [String: UInt64], in folder: Directory, name: String, generation: String) throws
    {
        var bytes = Array("\(generation)\n".utf8)
        for (path, content) in sent.sorted(by: { $0.key < $1.key }) { append(path, content, to: &bytes) }
        try folder.replace(name, with: bytes, mode: 0o600)
    }

    /// The contents by path. The last line may have been cut, and says nothing then.
    static func read(in folder: Directory, name: String, generation: String) throws -> [String: UInt64]? {
        guard try folder.status(name) != nil else { return nil }
        let bytes = try folder.contents(of: name, limit: 1 << 30)
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        guard let first = lines.popFirst(), first.elementsEqual(generation.utf8) else { return nil }
        var out: [String: UInt64] = [:]
        for line in lines {
            let parts = line.split(separator: 0x20, maxSplits: 1)
            guard parts.count == 2, let content = UInt64(String(decoding: parts[0], as: UTF8.self), radix: 16)
            else { continue }
            out[String(decoding: parts[1], as: UTF8.self)] = content
        }
        return out
    }

    private static func append(_ path: String, _ content: UInt64, to bytes: inout [UInt8]) {
        bytes.append("\(content.hexDigits) \(path)\n")
    }
}
