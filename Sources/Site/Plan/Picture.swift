import Basics
import Database
import Model
import Synchronization

/// A picture as pages show it.
struct Picture: Hashable, Sendable {
    /// The file, from the top of the site; its name holds a hash of its content.
    let path: String
    /// Pixels.
    let width: Int, height: Int
    /// Whether no part of it is transparent, as far as its header tells.
    let isOpaque: Bool
}

/// The pictures of the site's folder: found by the name that the database gives, once each.
///
/// A picture is published under a name made of its content, so that a changed picture has a new address.
final class PictureFolder: Sendable {
    private let folder: Directory?
    private let known = Mutex<[String: Result<Picture, PictureFault>]>([:])
    /// Whether every file of the folder was looked at.
    private let isListed = Mutex(false)

    /// Where it is; nil when the site has none.
    var path: String? { folder?.path }

    init(_ folder: Directory?) { self.folder = folder }

    /// Why a picture cannot be shown.
    struct PictureFault: Error, Hashable {
        let id: String
        let message: String
    }

    /// The picture of a name, or why there is none.
    func find(_ name: String) -> Result<Picture, PictureFault> {
        known.withLock { known in
            if let result = known[name] { return result }
            let result = read(name)
            known[name] = result
            return result
        }
    }

    /// The bytes of a picture that was found.
    func bytes(of name: String) throws -> [UInt8] {
        guard let folder else { throw FileError("open", name, code: 2) }
        return try folder.contents(of: name, limit: Self.sizeLimit)
    }

    /// The bytes of a picture by its path in the site; nil when there is none.
    ///
    /// A page that shows it has nearly always been asked for before. If not, every picture in the folder is read, once.
    func bytes(at path: String) throws -> [UInt8]? {
        func name() -> String? {
            known.withLock { known in known.first { (try? $0.value.get())?.path == path }?.key }
        }
        if name() == nil,
            !isListed.withLock({ isListed in
                defer { isListed = true }
                return isListed
            })
        {
            for path in try paths() { _ = find(path) }
        }
        guard let name = name() else { return nil }
        return try bytes(of: String(name.drop { $0 == "/" }))
    }

    /// The files of the folder, with those in folders in it.
    private func paths() throws -> [String] {
        guard let folder else { return [] }
        var out: [String] = []
        var folders = [""]
        while let at = folders.popLast() {
            let directory = at.isEmpty ? folder : try folder.directory(at)
            for name in try directory.names() {
                let path = at.isEmpty ? name : at + "/" + name
                switch try directory.status(name)?.kind {
                case .directory: folders.append(path)
                case .regular: out.append(path)
                default: break
                }
            }
        }
        return out
    }

    /// All pictures that were found so far: the name in the folder and where it goes, each target once.
    func found() -> [(name: String, picture: Picture)] {
        known.withLock { known in
            var seen: Set<String> = []
            return known.compactMap { name, result in
                (try? result.get()).map { (name, $0) }
            }
            .sorted { ($0.picture.path, $0.name) < ($1.picture.path, $1.name) }
            .filter { seen.insert($0.picture.path).inserted }
        }
    }

    /// Of a product's rows and of the pictures they name: a changed picture changes the page.
    func fingerprint(of entry: CatalogueReader.Entry) -> Fingerprint {
        let rows = entry.fingerprint ?? Fingerprint(high: 0, low: 0)
        if entry.product.pictures.isEmpty { return rows }
        var text = rows.hex
        for source in entry.product.pictures {
            switch find(source.file) {
            case .success(let picture): text += picture.path
            case .failure(let fault): text += fault.message
            }
        }
        return Fingerprint(of: text)
    }

    /// What tells whether any picture was changed: names, sizes and times.
    func listing() throws -> Fingerprint {
        guard let folder else { return Fingerprint(high: 0, low: 0) }
        var text: [UInt8] = []
        var folders = [""]
        while let at = folders.popLast() {
            let directory = at.isEmpty ? folder : try folder.directory(at)
            for name in try directory.names() {
                guard let status = try directory.status(name) else { continue }
                let path = at.isEmpty ? name : at + "/" + name
                if status.kind == .directory { folders.append(path) }
                text.append("\(path)\u{0}\(status.size)\u{0}\(status.modified)\n")
            }
        }
        return Fingerprint(of: text)
    }

    private static let sizeLimit = 64 << 20

    private func read(_ name: String) -> Result<Picture, PictureFault> {
        guard let folder else {
            return .failure(
                PictureFault(
                    id: "missing-picture",
                    message: "the site has no folder of pictures; the placeholder is shown"))
        }
        // A leading slash is how shops write it; the path stays below the folder all the same (S32).
        let path = String(name.drop { $0 == "/" })
        do {
            let bytes = try folder.contents(of: path, limit: Self.sizeLimit)
            guard let header = ImageHeader(bytes) else {
                return .failure(
                    PictureFault(
                        id: "picture-format",
                        message:
                            "picture '\(name)' is no JPEG, PNG, GIF, WebP or AVIF; the placeholder is shown"))
            }
            guard header.width <= 20_000, header.height <= 20_000, header.width * header.height <= 100_000_000
            else {
                return .failure(
                    PictureFault(
                        id: "picture-size",
                        message:
                            "picture '\(name)' has \(header.width) × \(header.height) pixels, more than are shown; the "
                            + "placeholder is shown"))
            }
            let hash = Fingerprint(of: bytes).short
            return .success(
                Picture(
                    path: "assets/pictures/\(hash).\(header.format.rawValue)", width: header.width,
                    height: header.height,
                    isOpaque: header.isOpaque))
        } catch {
            return .failure(
                PictureFault(
                    id: "missing-picture",
                    message: "picture '\(name)' cannot be read: \(error.reason); the placeholder is shown"))
        }
    }
}

/// The format and size of a picture, told by its first bytes and not by its name.
struct ImageHeader: Hashable, Sendable {
    enum Format: String, Sendable { case jpg, png, gif, webp, avif }

    let format: Format
    let width: Int, height: Int
    let isOpaque: Bool

    /// Nil when it is none of the five formats, or has no size.
    init?(_ bytes: [UInt8]) {
        func big(_ at: Int, _ count: Int) -> Int {
            at + count <= bytes.count ? bytes[at..<(at + count)].reduce(0) { $0 << 8 | Int($1) } : 0
        }
        func little(_ at: Int, _ count: Int) -> Int {
            at + count <= bytes.count
                ? bytes[at..<(at + count)].reversed().reduce(0) { $0 << 8 | Int($1) } : 0
        }
        func text(_ at: Int) -> String {
            at + 4 <= bytes.count ? String(decoding: bytes[at..<(at + 4)], as: UTF8.self) : ""
        }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            (format, width, height) = (.png, big(16, 4), big(20, 4))
            isOpaque = bytes.count > 25 && [0, 2].contains(bytes[25])
        } else if bytes.starts(with: Array("GIF8".utf8)) {
            (format, width, height) = (.gif, little(6, 2), little(8, 2))
            isOpaque = false
        } else if text(0) == "RIFF", text(8) == "WEBP" {
            format = .webp
            switch text(12) {
            case "VP8X":
                (width, height) = (little(24, 3) + 1, little(27, 3) + 1)
                isOpaque = little(20, 1) & 0x10 == 0
            case "VP8L":
                let bits = little(21, 4)
                (width, height) = ((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1)
                isOpaque = bits & 1 << 28 == 0
            default:
                isOpaque = true
                (width, height) = (little(26, 2) & 0x3FFF, little(28, 2) & 0x3FFF)
            }
        } else if text(4) == "ftyp", ["avif", "avis"].contains(text(8)) {
            // The image spatial extents property (ISO/IEC 23008-12, 6.5.3).
            format = .avif
            isOpaque = true
            let mark = Array("ispe".utf8)
            var at = 0
            while at + 16 <= bytes.count, at < 4096, !bytes[at...].starts(with: mark) { at += 1 }
            (width, height) = (big(at + 8, 4), big(at + 12, 4))
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            format = .jpg
            isOpaque = true
            var at = 2
            var size = (0, 0)
            var turned = false
            while at + 9 < bytes.count, bytes[at] == 0xFF {
                let marker = bytes[at + 1]
                if marker == 0xFF {
                    at += 1
                    continue
                }
                if marker == 0xE1 { turned = Self.isTurned(bytes, from: at + 4) }
                if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                    size = (big(at + 7, 2), big(at + 5, 2))
                    break
                }
                at += 2 + big(at + 2, 2)
            }
            (width, height) = turned ? (size.1, size.0) : size
        } else {
            return nil
        }
        if width == 0 || height == 0 { return nil }
    }

    /// Whether the EXIF orientation swaps width and height (5 to 8).
    private static func isTurned(_ bytes: [UInt8], from start: Int) -> Bool {
        let tiff = start + 6
        guard bytes.count > tiff + 8, bytes[start..<(start + 4)].elementsEqual("Exif".utf8) else {
            return false
        }
        let isLittle = bytes[tiff] == 0x49
        func number(_ at: Int, _ count: Int) -> Int {
            guard at + count <= bytes.count else { return 0 }
            let part = bytes[at..<(at + count)]
            return isLittle
                ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
        }
        let directory = tiff + number(tiff + 4, 4)
        for i in 0..<min(number(directory, 2), 64) where number(directory + 2 + 12 * i, 2) == 0x112 {
            return (5...8).contains(number(directory + 2 + 12 * i + 8, 2))
        }
        return false
    }
}
