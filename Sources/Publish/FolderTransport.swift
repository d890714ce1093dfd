import Basics
import Glibc
import Site

/// Publishes into a folder of this machine: each file is written beside its place and renamed over it.
final class FolderTransport: Transport {
    private let place: Workplace
    private let path: String
    private var root: Directory?
    private static let stageName = "build-site-new"

    let isAtomic = false
    let replacement = Replacement.whole

    /// - Parameters:
    ///   - precious: folders and files that the target must not be or contain.
    ///   - sources: folders that it must not be inside of.
    init(_ place: Workplace, precious: [String], sources: [String]) throws {
        self.place = place
        path = place.absolute(place.target.destination)
        // As it is with links resolved, as far as it exists.
        var real = path
        var rest = ""
        while real != "/", realpath(real, nil) == nil {
            let (above, name) = splitPath(real)
            real = above.isEmpty ? "/" : above
            rest = "/" + name + rest
        }
        if let resolved = realpath(real, nil) {
            real = String(cString: resolved)
            free(resolved)
        }
        let whole = real == "/" ? rest : real + rest
        let home = getenv("HOME").map { [String(cString: $0)] } ?? []
        for other in precious + [place.sitePath] + home
        where other == whole || other.hasPrefix(whole + "/") || whole.isEmpty {
            throw Failure(
                "bad-target",
                "the folder of target '\(place.target.name)' is, or contains, \(whole.isEmpty ? "/" : other); name another",
                at: place.target.place)
        }
        for other in sources + [place.sitePath, place.scratchPath] where whole.hasPrefix(other + "/") {
            throw Failure(
                "bad-target", "the folder of target '\(place.target.name)' is inside \(other); name another",
                at: place.target.place)
        }
    }

    private func folder() throws -> Directory {
        if let root { return root }
        let folder = try faults {
            try Directory(path: "/").makingDirectory(String(self.realTarget.dropFirst()))
        }
        root = folder
        return folder
    }

    /// The path with the links in it resolved, which the person named on purpose.
    private var realTarget: String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private func faults<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as FileError { throw TransportFault(error) }
    }

    func open() throws {}

    /// The folder if it is there already: looking makes nothing.
    private func existing() throws -> Directory? {
        if let root { return root }
        guard access(path, F_OK) == 0 else { return nil }
        return try folder()
    }

    func read(_ name: String) throws -> [UInt8]? {
        try faults {
            guard let root = try existing(), try root.status(name) != nil else { return nil }
            return try root.contents(of: name, limit: 1 << 30)
        }
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try faults {
            let root = try folder()
            try root.synchronise()
            try replace(name, bytes)
            try root.synchronise()
        }
    }

    private func replace(_ path: String, _ bytes: [UInt8]) throws {
        let root = try folder()
        let stage = try root.makingDirectory(Self.stageName)
        try stage.removeFile("file")
        do { try stage.create("file", bytes) } catch {
            // A disk that is full stays usable for others.
            _ = try? stage.removeFile("file")
            throw error
        }
        let (above, name) = splitPath(path)
        try stage.rename("file", to: above.isEmpty ? root : root.makingDirectory(above), as: name)
    }

    func list(_ folder: String) throws -> [String] {
        try faults {
            guard let root = try existing(), try root.status(folder)?.kind == .directory else { return [] }
            var out: [String] = []
            var folders = [folder]
            while let at = folders.popLast() {
                for (name, kind) in try root.directory(at).entries() {
                    if kind == .directory {
                        folders.append(at + "/" + name)
                    } else {
                        out.append(at + "/" + name)
                    }
                }
            }
            return out.sorted()
        }
    }

    func existing(_ paths: [String]) throws -> [String] {
        try faults {
            guard let root = try existing() else { return [] }
            return try paths.filter { try root.status($0) != nil }
        }
    }

    func differing(_ items: [Outgoing]) throws -> [String] {
        try faults {
            guard let root = try existing() else { return [] }
            return try items.filter { item in
                guard let status = try root.status(item.path) else { return false }
                return try !isSame(item, status, in: root)
            }
            .map(\.path)
        }
    }

    private func isSame(_ item: Outgoing, _ status: FileStatus, in root: Directory) throws -> Bool {
        guard status.kind == .regular, status.size == item.file.size else { return false }
        return try root.contents(of: item.path, limit: status.size)
            == place.root(of: item).contents(of: item.path, limit: status.size)
    }

    func send(_ items: [Outgoing], moved: (Int) -> Void, done: ([Outgoing]) throws -> Void) throws {
        for item in items {
            try faults { try replace(item.path, place.bytes(of: item)) }
            moved(1)
            try done([item])
        }
        // What leads to these files must not reach the disk before them.
        try faults { try folder().synchronise() }
    }

    func remove(_ paths: [String]) throws {
        try faults {
            guard let root = try existing() else { return }
            for path in paths {
                let (above, name) = splitPath(path)
                guard try above.isEmpty || root.status(above)?.kind == .directory else { continue }
                try (above.isEmpty ? root : root.directory(above)).removeFile(name)
            }
            for folder in foldersAbove(paths) {
                let (above, name) = splitPath(folder)
                guard try root.status(folder)?.kind == .directory else { continue }
                try (above.isEmpty ? root : root.directory(above)).removeDirectory(name)
            }
        }
    }

    func finish(_ message: String, progress: any BuildProgress) throws {
        _ = try faults { try folder().removeDirectory(Self.stageName) }
    }

    func mismatches(_ items: [Outgoing]) throws -> [String] {
        try faults {
            let root = try folder()
            return try items.filter { item in
                guard let status = try root.status(item.path) else { return true }
                return try !isSame(item, status, in: root)
            }
            .map(\.path)
        }
    }
}
