import Basics

/// A picture as pages show it: in several sizes and formats.
struct Picture: Hashable, Sendable {
    /// A format that pictures are written in.
    enum Format: String, Sendable {
        case avif, webp, jpg, png

        /// For `type` of a `source`.
        var mediaType: String { self == .jpg ? "image/jpeg" : "image/\(rawValue)" }
    }

    /// One file of it.
    struct Variant: Hashable, Sendable {
        let format: Format
        /// Pixels.
        let width: Int, height: Int
        /// Bytes.
        let size: Int
    }

    /// Of its content and of how it was made; the beginning of its files' names.
    let key: String
    /// Of the original, upright, in pixels.
    let width: Int, height: Int
    /// Whether no part of it is transparent.
    let isOpaque: Bool
    /// Six hexadecimal digits: what stands for it until it is there.
    let colour: String
    /// Its files, smallest first, each width with the better formats last.
    let variants: [Variant]

    static let folder = "assets/pictures"

    /// The file, from the top of the site; its name changes when the content does.
    func path(_ variant: Variant) -> String {
        "\(Self.folder)/\(key)-\(variant.width).\(variant.format.rawValue)"
    }

    /// The formats that are better than ``family``, best first.
    var betterFormats: [Format] {
        [.avif, .webp].filter { format in format != family && variants.contains { $0.format == format } }
    }

    /// The format that every browser shows: that of the original, or nearly.
    var family: Format {
        variants.first { $0.format == .jpg || $0.format == .png }?.format ?? .webp
    }

    /// The sizes in a format, smallest first.
    func variants(_ format: Format) -> [Variant] { variants.filter { $0.format == format } }
    /// Those up to a width; the smallest if all are wider.
    func variants(_ format: Format, upTo most: Int) -> [Variant] {
        let all = variants(format)
        return all.filter { $0.width <= max(most, all[0].width) }
    }

    /// What a tile can use. Sizes beyond are for cards; a choice less is some bytes less in each tile.
    static let widestTile = 640

    /// The size for tiles in the format that every browser shows.
    var small: Variant { variants(family).last { $0.width <= 320 } ?? variants(family)[0] }
    /// The size for cards, search engines and social networks in that format.
    var main: Variant { variants(family).last { $0.width <= 1000 } ?? variants(family)[0] }
    /// The largest there is, in the format that most browsers show.
    var largest: Variant { variants(.webp).last ?? main }

    /// ``main`` as a file.
    var path: String { path(main) }
}

extension Picture {
    /// Reads what the worker says of a picture (`makePicture` in `picture-worker`): the picture, and where its files begin.
    ///
    /// - Returns: nil for anything that the worker would not have written: it is not trusted, since it has seen the picture.
    static func parse(_ pack: [UInt8], key: String) -> (picture: Picture, start: Int)? {
        var at = 0
        func words(_ count: Int) -> [Substring]? {
            guard let end = pack[at...].firstIndex(of: 0x0A), end - at < 100 else { return nil }
            let words = String(decoding: pack[at..<end], as: UTF8.self).split(separator: " ")
            at = end + 1
            return words.count == count ? words : nil
        }
        guard let head = words(5), let width = Int(head[0]), let height = Int(head[1]),
            let count = Int(head[4]),
            (1...20_000).contains(width), (1...20_000).contains(height), (1...64).contains(count),
            head[3].utf8.count == 6, let colour = String(head[3]).validColour
        else { return nil }
        var variants: [Variant] = []
        var total = 0
        for _ in 0..<count {
            guard let line = words(4), let format = Format(rawValue: String(line[0])),
                let width = Int(line[1]),
                let height = Int(line[2]), let size = Int(line[3]), (1...16_383).contains(width),
                (1...16_383).contains(height), (1...(64 << 20)).contains(size)
            else { return nil }
            variants.append(Variant(format: format, width: width, height: height, size: size))
            total += size
        }
        guard at + total == pack.count, variants.contains(where: { $0.format == .webp }) else { return nil }
        let picture = Picture(
            key: key, width: width, height: height, isOpaque: head[2] == "1", colour: colour,
            variants: variants)
        return (picture, at)
    }

    /// The same as one line, for the list of what was made.
    var record: String {
        "\(width) \(height) \(isOpaque ? 1 : 0) \(colour) "
            + variants.map { "\($0.format.rawValue):\($0.width):\($0.height):\($0.size)" }.joined(
                separator: ",")
    }

    /// Reads ``record``.
    init?(key: String, record: Substring) {
        let words = record.split(separator: " ")
        guard words.count == 5, let width = Int(words[0]), let height = Int(words[1]),
            let colour = String(words[3]).validColour
        else { return nil }
        var variants: [Variant] = []
        for text in words[4].split(separator: ",") {
            let parts = text.split(separator: ":")
            guard parts.count == 4, let format = Format(rawValue: String(parts[0])),
                let width = Int(parts[1]),
                let height = Int(parts[2]), let size = Int(parts[3])
            else { return nil }
            variants.append(Variant(format: format, width: width, height: height, size: size))
        }
        guard variants.contains(where: { $0.format == .webp }) else { return nil }
        self.init(
            key: key, width: width, height: height, isOpaque: words[2] == "1", colour: colour,
            variants: variants)
    }
}

/// Why a picture cannot be shown.
struct PictureFault: Error, Hashable, Sendable {
    let id: String
    /// What follows the picture's name; the whole sentence when there is no picture to name.
    let text: String
    /// Whether the next build may fare better with the same bytes.
    var isPassing = false
    var isWhole = false

    func message(_ name: String) -> String {
        (isWhole ? text : "\(Self.subject(name)) \(text)") + "; the placeholder is shown"
    }

    /// The picture as a message names it.
    static func subject(_ name: String) -> String {
        name.hasPrefix(PictureFolder.blobMark) ? "the picture in the database" : "picture '\(name)'"
    }

    static let noFolder = PictureFault(
        id: "missing-picture", text: "the site has no folder of pictures", isWhole: true)
    static let format = PictureFault(id: "picture-format", text: "is no JPEG, PNG, GIF, WebP or AVIF")
    static let svg = PictureFault(
        id: "picture-format",
        text: "is an SVG, which can hold scripts: only those in the folder 'pictures.trusted_svg' are shown")

    static func missing(_ error: FileError) -> PictureFault {
        PictureFault(id: "missing-picture", text: "cannot be read: \(error.reason)")
    }
    static func size(_ width: Int, _ height: Int) -> PictureFault {
        PictureFault(id: "picture-size", text: "has \(width) × \(height) pixels, more than are shown")
    }
    static func broken(_ reason: String) -> PictureFault {
        PictureFault(id: "picture-broken", text: "is damaged: \(reason)")
    }
    static let late = PictureFault(
        id: "picture-time", text: "takes too long to read", isPassing: true)
    static let crash = PictureFault(
        id: "picture-broken", text: "ends the program that reads it", isPassing: true)
}
