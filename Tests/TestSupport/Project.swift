import Glibc

/// Files of the project that tests read: the spec's cases, corpora, the demo site.
public enum Project {
    /// The project's folder, found from the place of this file.
    public static let root: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// The bytes of a file below the project's folder.
    public static func bytes(of path: String) -> [UInt8] { file(root + "/" + path) }

    /// The bytes of any file.
    public static func file(_ path: String) -> [UInt8] {
        guard let bytes = file(ifPresent: path) else { fatalError("the test needs \(path)") }
        return bytes
    }

    /// The bytes of a file that may be gone.
    public static func file(ifPresent path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var out: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let n = fread(&chunk, 1, chunk.count, file)
            if n == 0 { return out }
            out.append(contentsOf: chunk[..<n])
        }
    }

    /// The text of a file below the project's folder; it must be UTF-8.
    public static func text(of path: String) -> String { String(decoding: bytes(of: path), as: UTF8.self) }
}
