import Basics
import Formats

/// The files that make the pages: the default theme, with single files replaced by the site's own.
struct Theme: Sendable {
    /// Every file by its path in `templates/`.
    private let files: [String: SourceText]
    /// Paths of the files that are the site's own.
    private let own: Set<String>
    /// Those of them that say something else than the default theme's.
    private let changed: Set<String>

    /// - Parameter folder: the site's `templates/`, if it has one.
    init(overrides folder: Directory?) throws {
        var files: [String: SourceText] = [:]
        var own: Set<String> = []
        var changed: Set<String> = []
        for (path, text) in embeddedTheme {
            files[path] = SourceText(file: "templates/\(path)", bytes: Self.bytes(of: text))
        }
        if let folder {
            var folders = [""]
            while let at = folders.popLast() {
                let directory = at.isEmpty ? folder : try folder.directory(at)
                for name in try directory.names() where !name.hasPrefix(".") {
                    let path = at.isEmpty ? name : at + "/" + name
                    switch try directory.status(name)?.kind {
                    case .directory: folders.append(path)
                    case .regular:
                        own.insert(path)
                        let bytes = try directory.contents(of: name, limit: 4 << 20)
                        if files[path]?.bytes != bytes { changed.insert(path) }
                        files[path] = SourceText(file: "templates/\(path)", bytes: bytes)
                    default: throw FileError("read", folder.joined(path), code: 22)
                    }
                }
            }
        }
        self.files = files
        self.own = own
        self.changed = changed
    }

    private static func bytes(of literal: StaticString) -> [UInt8] {
        let bytes = Array(UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
        return bytes.first == 1 ? decodeBase64(bytes.dropFirst()) : bytes
    }

    private static func decodeBase64(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text {
            let digit: UInt32
            switch byte {
            case 0x41...0x5A: digit = UInt32(byte) - 0x41
            case 0x61...0x7A: digit = UInt32(byte) - 0x61 + 26
            case 0x30...0x39: digit = UInt32(byte) - 0x30 + 52
            case UInt8(ascii: "+"): digit = 62
            case UInt8(ascii: "/"): digit = 63
            default: continue
            }
            bits = bits << 6 | digit
            count += 6
            if count >= 8 {
                count -= 8
                out.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return out
    }

    /// Templates by name, without the `.mustache`.
    var templates: [String: SourceText] { named(suffix: ".mustache", below: "") }

    /// The templates that are condensed: those of the default theme, in which line ends are for those who read the source.
    var condensedTemplates: Set<String> {
        Set(templates.keys.filter { !changed.contains($0 + ".mustache") })
    }

    /// Strings files by language.
    var strings: [String: SourceText] { named(suffix: ".yaml", below: "strings/") }

    /// Whether a file is the site's own rather than the default theme's.
    func isOwn(_ path: String) -> Bool { own.contains(path) }

    /// A file by its path.
    subscript(path: String) -> SourceText? { files[path] }

    /// Paths of the files in a folder, sorted.
    func paths(below folder: String) -> [String] { files.keys.filter { $0.hasPrefix(folder + "/") }.sorted() }

    /// Paths of the files at the top of the theme that end so, sorted.
    func paths(suffix: String) -> [String] {
        files.keys.filter { $0.hasSuffix(suffix) && !$0.utf8.contains(UInt8(ascii: "/")) }.sorted()
    }

    private func named(suffix: String, below folder: String) -> [String: SourceText] {
        var out: [String: SourceText] = [:]
        for (path, source) in files where path.hasPrefix(folder) && path.hasSuffix(suffix) {
            out[String(path.dropFirst(folder.count).dropLast(suffix.count))] = source
        }
        return out
    }
}
