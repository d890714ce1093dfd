public import Basics
import Foundation

/// The files of a folder as a test compares them: content, inode and time of each.
public struct Tree: Sendable {
    /// What is known of a file.
    public struct File: Sendable {
        /// Of all its bytes.
        public let content: Fingerprint
        /// Where and when it was written: a file that a build leaves alone keeps both.
        public let inode: UInt64, modified: Int64
    }

    /// The folder.
    public let root: String
    /// Files by their path below it.
    public let files: [String: File]

    /// Reads a folder with all below it; anything that is neither a file nor a folder is a mistake.
    public init(_ root: String) throws {
        self.root = root
        var files: [String: File] = [:]
        var folders = [""]
        while let folder = folders.popLast() {
            for name in try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder) {
                let path = folder.isEmpty ? name : folder + "/" + name
                var status = stat()
                guard lstat(root + "/" + path, &status) == 0 else { throw FileError("stat", path) }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: folders.append(path)
                case S_IFREG:
                    files[path] = File(
                        content: Fingerprint(of: try Self.bytes(root + "/" + path)),
                        inode: UInt64(status.st_ino),
                        modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
                    )
                default: throw FileError("expect a file or folder at", path, code: EINVAL)
                }
            }
        }
        self.files = files
    }

    /// The paths, sorted.
    public var paths: [String] { files.keys.sorted() }

    /// The bytes of a file of it.
    public func bytes(of path: String) throws -> [UInt8] { try Self.bytes(root + "/" + path) }

    private static func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else { throw FileError("read", path) }
        return [UInt8](data)
    }

    /// How two trees differ, one line a file; empty when they are the same, byte for byte.
    public func differences(from other: Tree) -> [String] {
        Set(files.keys).union(other.files.keys).sorted().compactMap { path in
            switch (files[path]?.content, other.files[path]?.content) {
            case (let a?, let b?): a == b ? nil : "\(path) differs\(excerpt(of: path, from: other))"
            case (nil, _): "\(path) is missing"
            case (_, nil): "\(path) should not be there"
            }
        }
    }

    /// The files of this tree that are not those of an earlier look at the same folder: written anew, if only in place.
    public func written(since earlier: Tree) -> Set<String> {
        Set(
            files.filter { path, file in
                guard let old = earlier.files[path] else { return true }
                return old.inode != file.inode || old.modified != file.modified
            }.keys)
    }

    /// The files of this tree whose bytes an earlier tree did not have.
    public func changed(since earlier: Tree) -> Set<String> {
        Set(files.filter { $1.content != earlier.files[$0]?.content }.keys)
    }

    private func excerpt(of path: String, from other: Tree) -> String {
        guard let a = try? bytes(of: path), let b = try? other.bytes(of: path) else { return "" }
        let at = zip(a, b).prefix { $0 == $1 }.count
        func around(_ bytes: [UInt8]) -> String {
            String(
                decoding: bytes[max(0, min(at, bytes.count) - 40)..<min(bytes.count, at + 80)], as: UTF8.self)
        }
        return " at byte \(at): …\(around(a).debugDescription) instead of …\(around(b).debugDescription)"
    }
}
