import Basics
import Foundation
import TestSupport
import Testing

@testable import Site

/// A folder of hostile and odd pictures: each gives the right picture or the right warning, and none more than itself.
@Suite struct HostilePictureTests {
    /// Red on the left, blue on the right.
    static func flag(_ width: Int = 64, _ height: Int = 48) -> [UInt8] {
        PNG.make(width, height) { x, _ in x < width / 2 ? [220, 20, 30] : [20, 40, 200] }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let bytes: [UInt8]
        /// Width and height as shown, and the colour of the left half; nil when there is a warning.
        var shows: (Int, Int, [Int])?
        var warning: String?

        var testDescription: String { name }
    }

    static let red = [220, 20, 30]
    static let svg = Array(
        "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"
            .utf8)

    static let cases: [Case] = [
        Case(name: "plain.png", bytes: flag(), shows: (64, 48, red)),
        Case(
            name: "truncated.png", bytes: Array(flag().prefix(4000)),
            warning: "picture 'truncated.png' is damaged: "),
        Case(
            name: "truncated.jpg", bytes: Array(jpeg.prefix(600)),
            warning: "picture 'truncated.jpg' is damaged: "),
        Case(
            name: "empty.jpg", bytes: [],
            warning: "picture 'empty.jpg' is damaged: it is empty; the placeholder is shown [picture-broken]"),
        Case(name: "png-called.jpg", bytes: flag(), shows: (64, 48, red)),
        Case(
            name: "large.png", bytes: PNG.header(50_000, 50_000) + PNG.chunk("IDAT", PNG.zlib([0])),
            warning:
                "picture 'large.png' has 50000 × 50000 pixels, more than are shown; the placeholder is shown [picture-size]"
        ),
        Case(name: "cmyk.jpg", bytes: cmyk, shows: (64, 48, [])),
        Case(
            name: "16-bit.png",
            bytes: PNG.make(64, 48, depth: 16) { x, _ in
                x < 32 ? [220, 0, 20, 0, 30, 0] : [20, 0, 40, 0, 200, 0]
            }, shows: (64, 48, red)),
        Case(
            name: "grey-16.png", bytes: PNG.make(64, 48, depth: 16, colour: 0) { _, _ in [128, 0] },
            shows: (64, 48, [128, 128, 128])),
        Case(
            name: "palette.png",
            bytes: PNG.make(
                64, 48, colour: 3, between: PNG.chunk("PLTE", [220, 20, 30, 20, 40, 200])
            ) { x, _ in [x < 32 ? 0 : 1] }, shows: (64, 48, red)),
        Case(name: "apng.png", bytes: apng, shows: (64, 48, red)),
        Case(
            name: "script.svg", bytes: svg,
            warning:
                "picture 'script.svg' is an SVG, which can hold scripts: only those in the folder 'pictures.trusted_svg' are "
                + "shown; the placeholder is shown [picture-format]"),
        Case(
            name: "svg-called.png", bytes: svg,
            warning: "picture 'svg-called.png' is an SVG, which can hold scripts: "),
        Case(
            name: "page.jpg", bytes: Array("<!DOCTYPE html><title>x</title><script>alert(1)</script>".utf8),
            warning:
                "picture 'page.jpg' is no JPEG, PNG, GIF, WebP or AVIF; the placeholder is shown [picture-format]"
        ),
        Case(name: "a name.png", bytes: flag(), shows: (64, 48, red)),
        Case(name: "50% off.png", bytes: flag(), shows: (64, 48, red)),
        Case(name: "no#1.png", bytes: flag(), shows: (64, 48, red)),
        Case(name: "the \"best\" 'one'.png", bytes: flag(), shows: (64, 48, red)),
        Case(name: "re\u{301}gis.png", bytes: flag(), shows: (64, 48, red)),
        Case(
            name: "alpha.png",
            bytes: PNG.make(64, 48, colour: 6) { x, _ in [220, 20, 30, x < 32 ? 255 : 0] },
            shows: (64, 48, red + [255])),
    ]

    static let cmyk = PackageResources.cmyk_jpg
    /// A JPEG that is whole.
    static let jpeg = Project.bytes(of: "Tests/Corpora/exif-orientation/Landscape_1.jpg")
    /// The flag, and a second frame that is green.
    static let apng: [UInt8] = {
        let frame = { (number: Int) in
            PNG.big(number) + PNG.big(64) + PNG.big(48) + PNG.big(0) + PNG.big(0) + [0, 1, 0, 10, 0, 0]
        }
        var green: [UInt8] = []
        for _ in 0..<48 { green += [0] + (0..<64).flatMap { _ in [0, 200, 0] as [UInt8] } }
        let png = flag()
        let end = png.count - 12
        return Array(png[..<33]) + PNG.chunk("acTL", PNG.big(2) + PNG.big(0)) + PNG.chunk("fcTL", frame(0))
            + Array(png[33..<end]) + PNG.chunk("fcTL", frame(1))
            + PNG.chunk("fdAT", PNG.big(2) + PNG.zlib(green)) + Array(png[end...])
    }()

    @Test func eachGivesItsPictureOrItsWarning() throws {
        let shop = try PictureShop()
        for one in Self.cases { try shop.add(one.name, one.bytes) }
        // Composed in the database, decomposed on the disk.
        try shop.add("r\u{E9}gis.png")
        try shop.add("/plain.png")
        try shop.add("../site.yaml")
        try shop.add("link.png")
        try FileManager.default.createSymbolicLink(
            atPath: shop.folder.path + "/content/pictures/link.png", withDestinationPath: "/etc/hostname")
        try shop.add("pipe.png")
        #expect(mkfifo(shop.folder.path + "/content/pictures/pipe.png", 0o644) == 0)
        try shop.add("nowhere.png")
        let report = try shop.build()
        let count = Self.cases.count
        func warning(_ id: Int) -> String? {
            let found = report.warnings.filter { $0.description.contains("product \(id) ") }
            #expect(found.count <= 1, "product \(id)")
            return found.first?.message.appending(" [\(found[0].id)]")
        }
        for (i, one) in Self.cases.enumerated() {
            let text = warning(i + 1)
            if let expected = one.warning {
                #expect(text?.hasPrefix(expected) == true, "\(one.name): \(text ?? "no warning")")
                #expect(try shop.page(i + 1).contains("nopic"), "\(one.name)")
                #expect(try !shop.page(i + 1).contains("assets/pictures/"), "\(one.name)")
                continue
            }
            #expect(text == nil, "\(one.name): \(text ?? "")")
            let shown = try shop.shown(i + 1)
            #expect(shown.width == 64 && shown.height == 48, "\(one.name)")
            guard let (_, _, colour) = one.shows else { continue }
            for (a, b) in zip(shown[8, 24], colour) {
                #expect(abs(a - b) <= 8, "\(one.name): \(shown[8, 24])")
            }
        }
        #expect(warning(count + 1) == nil && warning(count + 2) == nil)
        #expect(try shop.shown(count + 1).width == 64 && shop.shown(count + 2).width == 64)
        for (id, reason) in [
            (count + 3, "the path leads out of its folder"), (count + 4, "a symbolic link is on the way"),
            (count + 5, "invalid argument"), (count + 6, "no such file or directory"),
        ] {
            let text = warning(id)
            #expect(
                text?.hasSuffix("cannot be read: \(reason); the placeholder is shown [missing-picture]")
                    == true, "\(text ?? "none")")
        }
        // Nothing that was not made by us, and nothing in a format that runs.
        for file in shop.files() {
            let name = file.split(separator: ".")
            #expect(["webp", "png", "jpg"].contains(String(name[1])), "\(file)")
            let bytes = Project.file(shop.folder.path + "/public/assets/pictures/" + file)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("script"))
        }
        // The next build tells the same, without trying again.
        try shop.database("UPDATE products SET name = 'Another' WHERE id = 1")
        let again = try shop.build()
        #expect(shop.made == 0)
        #expect(
            again.warnings.map(\.description).filter { !$0.contains("product 1 ") }
                == report.warnings.map(\.description).filter { !$0.contains("product 1 ") })
        shop.options.isStrict = true
        #expect(throws: Failure.self) { try shop.build() }
    }

    /// A camera's maker, place and words must not get out (S31).
    @Test func metadataIsDropped() throws {
        let canary = Array("Canary 51.5007 N".utf8)
        let text = PNG.chunk("tEXt", Array("Comment".utf8) + [0] + canary)
        let shop = try PictureShop()
        try shop.add("a.png", PNG.make(40, 30, between: text) { _, _ in [1, 2, 3] })
        try shop.add(
            "b.jpg",
            Array(Self.jpeg[..<2]) + [0xFF, 0xFE, 0, UInt8(canary.count + 2)] + canary + Self.jpeg[2...])
        try shop.build()
        #expect(shop.files().count >= 4)
        for file in shop.files() {
            let bytes = String(
                decoding: Project.file(shop.folder.path + "/public/assets/pictures/" + file), as: UTF8.self)
            #expect(!bytes.contains("Canary") && !bytes.contains("Exif") && !bytes.contains("ICC"), "\(file)")
        }
    }

    @Test func aTrustedFolderOfDrawingsIsRasterised() throws {
        let drawing = Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 60" width="30" height="60">\
            <script>alert(1)</script><image href="file:///etc/hostname" width="1" height="1"/>\
            <rect width="30" height="60" fill="#dc141e"/></svg>
            """.utf8)
        let shop = try PictureShop(settings: "pictures: {trusted_svg: ours}\n")
        try shop.add("ours/a.svg", drawing)
        try shop.add("theirs/a.svg", drawing + [0x20])
        try shop.add(
            "ours/huge.svg",
            Array("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"90000\" height=\"90000\"/>".utf8))
        let report = try shop.build()
        let shown = try shop.shown(1)
        #expect(shown.width == 960 && shown.height == 1920)
        #expect(zip(shown[100, 100], Self.red).allSatisfy { abs($0 - $1) < 8 })
        #expect(
            report.warnings.map(\.id).sorted() == ["picture-broken", "picture-format"], "\(report.warnings)")
        #expect(shop.files().allSatisfy { !$0.hasSuffix("svg") })
    }
}
