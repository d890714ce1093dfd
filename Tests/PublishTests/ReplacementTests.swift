import Foundation
import TestSupport
import Testing

@testable import Publish

/// What happens at a target to a page that is replaced, told by its kernel rather than met by luck.
@Suite struct ReplacementTests {
    /// Kinds with a folder; a branch has all of a commit or nothing.
    static let kinds = TestServer.Kind.chosen.filter { $0 != .git }

    @Test(arguments: kinds)
    func takesAPagesPlaceAsThatKindOfServerCan(_ kind: TestServer.Kind) throws {
        let server = try TestServer(kind)
        let shop = try PublishedShop(products: 60, target: server.target())
        shop.environment = try server.environment()
        try shop.build()
        let first = try shop.publish()
        #expect(first.status == 0, "\(first.errors)")
        let warning =
            switch kind.replacement {
            case .whole: ""
            case .afterRemoval: "so a visitor may miss a page for a moment; rclone from 1.63 on can"
            case .inPlace: "so a visitor may meet half a page for a moment, unless the server sees to that"
            }
        #expect(
            first.errors.contains("in one step, \(warning)") == !warning.isEmpty
                && !first.errors.isEmpty == !warning.isEmpty,
            "\(first.errors)")

        try shop.changePrices(of: 60)
        try shop.build()
        let news = try FolderNews(of: server.root + "/products")
        #expect(try shop.publish().status == 0)
        let events = news.read()
        let pages = ["index.html", "page-2.html"]
        for page in pages {
            let expected: FolderNews.Events =
                switch kind.replacement {
                case .whole: .moved
                case .afterRemoval: [.removed, .created]
                case .inPlace: .written
                }
            #expect(events[page] == expected, "\(page)")
        }
    }

    /// What a remote can do is asked once, and again when a later rclone may get more of it.
    @Test func aLaterRcloneIsAskedAgain() throws {
        let server = try TestServer(.webdav)
        let shop = try PublishedShop(products: 2, target: server.target())
        try shop.interpose(
            "rclone",
            """
            echo "$1" >> "$0-asked"
            if [ "$1" = version ] && [ -e "$0-later" ]; then echo 'rclone v1.99.0'; exit; fi
            """)
        func timesAsked() -> Int {
            String(decoding: Project.file(shop.folder.file("bin/rclone-asked")), as: UTF8.self)
                .split(separator: "\n").count { $0 == "backend" }
        }
        for (isLater, times) in [(false, 1), (false, 1), (true, 2), (true, 2)] {
            if isLater { try shop.folder.write("bin/rclone-later", "") }
            try shop.changePrices(of: 1)
            try shop.build()
            let run = try shop.publish()
            #expect(run.status == 0, "\(run.errors)")
            #expect(timesAsked() == times)
        }
    }
}

/// What the kernel tells of the files of a folder (inotify(7)).
private final class FolderNews {
    /// What happened to a name.
    struct Events: OptionSet {
        let rawValue: UInt32
        static let written = Events(rawValue: UInt32(IN_MODIFY))
        static let removed = Events(rawValue: UInt32(IN_DELETE))
        static let created = Events(rawValue: UInt32(IN_CREATE))
        static let moved = Events(rawValue: UInt32(IN_MOVED_TO))
    }

    private let descriptor: Int32

    init(of folder: String) throws {
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        let mask = UInt32(IN_MODIFY) | UInt32(IN_DELETE) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
        try #require(descriptor >= 0 && inotify_add_watch(descriptor, folder, mask) >= 0)
    }

    deinit { close(descriptor) }

    /// All that happened, by the name of the file.
    func read() -> [String: Events] {
        var out: [String: Events] = [:]
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return out }
            var at = 0
            while at < count {
                let (mask, length) = buffer.withUnsafeBytes {
                    (
                        $0.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self),
                        Int($0.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
                    )
                }
                let name = String(
                    decoding: buffer[(at + 16)..<(at + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
                out[name, default: []].formUnion(Events(rawValue: mask))
                at += 16 + length
            }
        }
    }
}
