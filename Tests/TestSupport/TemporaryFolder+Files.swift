import Foundation

extension TemporaryFolder {
    /// Writes a file below it, with the folders it needs.
    public func write(_ name: String, _ bytes: some Collection<UInt8>) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Writes a text file below it.
    public func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    /// Copies a file or folder, named from the root or from the project's folder, below it.
    public func copy(_ source: String, to name: String) throws {
        let target = path + "/" + name
        try FileManager.default.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: source.hasPrefix("/") ? source : Project.root + "/" + source, toPath: target)
    }

    /// Removes a file or folder below it, if it is there.
    public func removeFile(_ name: String) throws {
        let target = path + "/" + name
        if FileManager.default.fileExists(atPath: target) {
            try FileManager.default.removeItem(atPath: target)
        }
    }
}
