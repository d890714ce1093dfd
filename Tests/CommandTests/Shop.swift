import Basics
import Database
import Glibc
import TestSupport

/// A small site in a temporary folder: the default schema, three products, two categories, one review.
final class Shop {
    /// The site's folder.
    let path: String
    private let folder: Directory

    static let settings = "title: Corner Shop\n"

    init(settings: String = Shop.settings) throws {
        // In memory where possible: every build waits for its disk twice, and other programs keep disks busy.
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var name = Array("\(place)/build-site-shop.XXXXXX".utf8CString)
        guard let made = mkdtemp(&name) else { throw FileError("make the folder", place) }
        path = String(cString: made)
        folder = try Directory(path: path)
        try write("content/site.yaml", settings)
        try database {
            """
            \(Project.text(of: "docs/schema.sql"))
            INSERT INTO products(id, name, producer, country, price_minor, created) VALUES
              (1, 'Rain Gin', 'Wet Rope', 'Scotland', 2900, '2026-01-05'),
              (2, 'Slate Rum', 'Wet Rope', 'Wales', 3400, '2026-02-05'),
              (3, 'Moss Perry', 'Low Orchard', 'England', 700, NULL);
            INSERT INTO categories(id, name) VALUES (1, 'Spirits'), (2, 'Perry');
            INSERT INTO product_categories(product_id, category_id) VALUES (1, 1), (2, 1), (3, 2);
            INSERT INTO reviews(product_id, rating, author, body) VALUES (1, 4, 'Ann', 'Like rain.');
            """
        }
    }

    deinit {
        try? folder.removeContents()
        rmdir(path)
    }

    /// Writes a file of the site.
    func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let parts = name.split(separator: "/")
        let above = parts.dropLast().joined(separator: "/")
        let parent = above.isEmpty ? folder : try folder.makingDirectory(above)
        try parent.replace(String(parts[parts.count - 1]), with: bytes)
    }

    /// Removes a file of the site.
    func remove(_ name: String) throws { try folder.removeFile(name) }

    /// Runs SQL on the shop's database.
    func database(_ sql: () -> String) throws {
        try Connection(own: path + "/content/shop.db").execute(sql())
    }

    /// Runs `build-site` in the site's folder.
    func build(_ arguments: String...) -> Run { Program.run(arguments, in: path) }

    /// Every file below a folder of the site, with what would show that somebody touched it.
    func tree(_ name: String = "public") throws -> [String] {
        guard try folder.status(name) != nil else { return [] }
        var out: [String] = []
        var folders = [name]
        while let at = folders.popLast() {
            let directory = try folder.directory(at)
            for name in try directory.names() {
                guard let status = try directory.status(name) else { continue }
                let path = at + "/" + name
                if status.kind == .directory {
                    folders.append(path)
                } else {
                    let bytes =
                        status.kind == .regular ? try directory.contents(of: name, limit: 1 << 24) : []
                    out.append(
                        "\(path) \(status.inode) \(status.modified) \(status.mode) \(Fingerprint(of: bytes).hex)"
                    )
                }
            }
        }
        return out.sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] { try folder.contents(of: name, limit: 1 << 24) }

    func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

    func exists(_ name: String) throws -> Bool { try folder.status(name) != nil }
}
