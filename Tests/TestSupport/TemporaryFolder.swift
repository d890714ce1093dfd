import Glibc

/// An empty folder of its own for one test, removed with all that is in it when nobody refers to it any more.
public final class TemporaryFolder: Sendable {
    /// The folder, without a slash at the end.
    public let path: String

    /// Makes the folder below `TMPDIR`.
    public init() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/build-site-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("no temporary folder can be made below \(parent)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of a file in the folder.
    public func file(_ name: String) -> String { path + "/" + name }

    deinit { Self.removeAll(path) }

    private static func removeAll(_ path: String) {
        // Fails for a folder that is not empty, and never follows a link.
        if remove(path) == 0 { return }
        for name in names(in: path) { removeAll(path + "/" + name) }
        remove(path)
    }

    /// The names in any folder, sorted.
    public static func names(in path: String) -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
