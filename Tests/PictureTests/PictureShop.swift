import Basics
import CVips
import Database
import Foundation
import Site
import Synchronization
import TestSupport
import Testing

/// A shop in a temporary folder with a product for each picture, built in this process.
final class PictureShop {
    let folder = TemporaryFolder(inMemory: true)
    var options = BuildOptions()
    /// The pictures of the database's products, by name.
    private(set) var names: [String] = []

    init(settings: String = "", database sql: String = "") throws {
        try folder.write(
            "content/site.yaml", "title: Shop\nurl: https://shop.example/\nsearch: no\n" + settings)
        try folder.write("content/pictures/.keep", "")
        try database(Project.text(of: "docs/schema.sql"))
        try database(sql)
        options.site = folder.path
        options.jobs = 2
        options.pictureWorker = Programs.folder + "picture-worker"
    }

    func database(_ sql: String) throws { try Connection(own: folder.path + "/content/shop.db").execute(sql) }

    /// Adds a product with a picture of this name, which need not be there.
    func add(_ name: String, _ bytes: [UInt8]? = nil) throws {
        if let bytes { try folder.write("content/pictures/" + name, bytes) }
        names.append(name)
        let connection = try Connection(own: folder.path + "/content/shop.db")
        let id = names.count
        try connection.execute("INSERT INTO products(id, name) VALUES (\(id), 'Product \(id)')")
        let insert = try connection.prepare(
            "INSERT INTO pictures(product_id, position, file) VALUES (?, 1, ?)")
        insert.bind(1, Int64(id))
        insert.bind(2, name)
        try insert.run()
    }

    /// Replaces a picture's file.
    func change(_ name: String, _ bytes: [UInt8]) throws {
        try folder.write("content/pictures/" + name, bytes)
    }

    @discardableResult
    func build(to output: String = "public") throws -> BuildReport {
        options.output = folder.path + "/" + output
        let counter = Counter()
        defer { made = counter.made.load(ordering: .relaxed) }
        return try Site.build(options, progress: counter)
    }

    /// How many pictures the last build made.
    private(set) var made = 0

    /// Warnings by the number of the product, or 0.
    func warnings(_ report: BuildReport) -> [String] { report.warnings.map(\.description) }

    /// The page of a product.
    func page(_ id: Int, in output: String = "public") throws -> String {
        let root = folder.path + "/" + output + "/products"
        for shard in TemporaryFolder.names(in: root) where !shard.hasSuffix(".html") {
            for name in TemporaryFolder.names(in: root + "/" + shard) where name.hasSuffix("-\(id).html") {
                return String(decoding: Project.file("\(root)/\(shard)/\(name)"), as: UTF8.self)
            }
        }
        throw Missing(what: "the page of product \(id)")
    }

    struct Missing: Error { let what: String }

    /// The published files, sorted.
    func files(in output: String = "public") -> [String] {
        TemporaryFolder.names(in: folder.path + "/" + output + "/assets/pictures")
    }

    /// The pixels of the picture that a product's page shows first, as everybody's browser would.
    func shown(_ id: Int) throws -> Pixels {
        let page = try page(id)
        let mark = try #require(page.range(of: "<img src=\"../../assets/pictures/"))
        let name = page[mark.upperBound...].prefix { $0 != "\"" }
        return try Pixels(Project.file(folder.path + "/public/assets/pictures/" + name))
    }
}

/// Counts what is made.
final class Counter: BuildProgress {
    let made = Atomic<Int>(0)

    func begin(_ stage: String, total: Int) {}
    func advance(_ steps: Int) {}
    func pictures(ready: Int, of asked: Int, made: Int) {
        self.made.max(made, ordering: .relaxed)
    }
}

/// Where the built programs are: beside the bundle of tests.
enum Programs {
    static let folder: String = {
        let bundle =
            CommandLine.arguments.first { $0.contains(".xctest") } ?? Project.root + "/.build/debug/x"
        return String(bundle[..<(bundle.lastIndex(of: "/") ?? bundle.startIndex)]) + "/"
    }()
}

/// A decoded picture: RGB or RGBA, 8 bits a channel.
struct Pixels {
    let width: Int, height: Int, channels: Int
    let bytes: [UInt8]

    private static let isReady: Bool = bs_vips_start("tests") == 0

    struct Unreadable: Error {}

    init(_ file: [UInt8]) throws {
        guard Self.isReady else { throw Unreadable() }
        var header: OpaquePointer?
        let opened = file.withUnsafeBytes { bs_vips_open($0.baseAddress, UInt($0.count), &header) }
        guard opened == 0, let header else { throw Unreadable() }
        defer { bs_vips_release(header) }
        let (width, height) = (vips_image_get_width(header), vips_image_get_height(header))
        var image: OpaquePointer?
        let code = file.withUnsafeBytes {
            bs_vips_decode($0.baseAddress, UInt($0.count), width, height, 0, &image)
        }
        guard code == 0, let image else { throw Unreadable() }
        defer { bs_vips_release(image) }
        var count: UInt = 0
        guard let memory = bs_vips_pixels(image, &count) else { throw Unreadable() }
        defer { bs_vips_free(memory) }
        bytes = Array(UnsafeRawBufferPointer(start: memory, count: Int(count)))
        (self.width, self.height) = (Int(width), Int(height))
        channels = Int(bs_vips_channels(image))
    }

    /// The channels at a place.
    subscript(x: Int, y: Int) -> [Int] {
        let at = (y * width + x) * channels
        return bytes[at..<(at + channels)].map { Int($0) }
    }

    /// How far two pictures of one size are apart, in mean of the difference of all channels, 0 to 255.
    func distance(to other: Pixels) -> Double {
        guard width == other.width, height == other.height, channels == other.channels else { return 255 }
        let sum = zip(bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(max(1, bytes.count))
    }
}
