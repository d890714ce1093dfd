import Glibc

/// A path made absolute and free of links in what exists of it; its last part stays as it is.
public func canonicalPath(_ path: String) -> String {
    let absolute = absolutePath(path)
    var (above, rest) = split(absolute)
    if rest.isEmpty { return "/" }
    while !above.isEmpty {
        if let real = realPath(above) { return (real == "/" ? "" : real) + "/" + rest }
        let (higher, part) = split(above)
        (above, rest) = (higher, part + "/" + rest)
    }
    return "/" + rest
}

/// A path made absolute and free of `.` and `..`, without looking at the file system.
public func absolutePath(_ path: String) -> String {
    var parts: [Substring] = []
    let full: String
    if path.hasPrefix("/") {
        full = path
    } else {
        let here = getcwd(nil, 0)
        defer { free(here) }
        full = (here.map { String(cString: $0) } ?? "") + "/" + path
    }
    for part in full.split(separator: "/") where part != "." {
        if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
}

/// The path with links resolved; nil when there is nothing there.
public func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
}

/// The way from one absolute path to another.
public func relativePath(from: String, to: String) -> String {
    let a = from.split(separator: "/")
    let b = to.split(separator: "/")
    let shared = zip(a, b).prefix { $0 == $1 }.count
    let up = [Substring](repeating: "..", count: a.count - shared)
    let path = (up + b[shared...]).joined(separator: "/")
    return path.isEmpty ? "." : path
}

/// A path's folder, empty at the top, and its last part.
private func split(_ path: String) -> (String, String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
}
