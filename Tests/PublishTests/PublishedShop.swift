import Basics
import Database
import Foundation
import Synchronization
import TestSupport

/// The files that any build wrote, for a visitor on another thread to compare with.
final class Acceptable: Sendable {
    private let files = Mutex<Set<Fingerprint>>([])

    func add(_ contents: [Fingerprint]) { files.withLock { $0.formUnion(contents) } }
    func contains(_ bytes: [UInt8]) -> Bool { files.withLock { $0.contains(Fingerprint(of: bytes)) } }
}

/// A shop with many products, built and published by the program as people run it.
final class PublishedShop {
    let folder = TemporaryFolder(inMemory: true)
    var path: String { folder.path + "/shop" }
    var output: String { path + "/public" }
    /// Fingerprints of every file that any build wrote: what a target may show.
    let acceptable = Acceptable()
    /// Variables for the program.
    var environment: [String: String] = [:]
    /// The shell that starts it limits files to so many blocks of 512 bytes, as a disk does that is full.
    var fileLimit: Int?
    /// Who reads the target whenever it is published to.
    var crawler: Crawler?
    private var runs = 0

    convenience init(products: Int, target: String, settings: String = "") throws {
        try self.init(
            products: products, settings: "title: Corner Shop\n\(settings)publish:\n  live: \(target)\n")
    }

    /// - Parameter settings: all of them.
    init(products: Int, settings: String) throws {
        try write(settings: settings)
        try database(Project.text(of: "docs/schema.sql"))
        try database("INSERT INTO categories(id, name) VALUES (1, 'Spirits'), (2, 'Perry')")
        let rows = (1...products).map { "(\($0), 'Bottle \($0)', \(500 + $0))" }.joined(separator: ", ")
        try database("INSERT INTO products(id, name, price_minor) VALUES \(rows)")
        try database(
            "INSERT INTO product_categories(product_id, category_id) SELECT id, 1 + id % 2 FROM products")
    }

    /// Writes the settings with a target of the name 'live'.
    func write(target: String, _ settings: String = "") throws {
        try write(settings: "title: Corner Shop\n\(settings)publish:\n  live: \(target)\n")
    }

    /// Writes all settings.
    func write(settings: String) throws {
        try folder.write("shop/content/site.yaml", "browse_by: []\n\(settings)")
    }

    func database(_ sql: String) throws { try Connection(own: path + "/content/shop.db").execute(sql) }

    /// Makes some products dearer, and the others' index pages with them.
    func changePrices(of count: Int, from first: Int = 1) throws {
        try database(
            "UPDATE products SET price_minor = price_minor + 1 WHERE id >= \(first) AND id < \(first + count)"
        )
    }

    struct Run {
        let status: Int32
        let output: String, errors: String
    }

    /// The built program, which lies beside the test bundle.
    static let program: String = {
        var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }.map { URL(fileURLWithPath: $0) }
        for start in bundles + [folder, URL(fileURLWithPath: Project.root + "/.build/debug/x")] {
            var at = start
            while at.path != "/" {
                at.deleteLastPathComponent()
                let candidate = at.appendingPathComponent("build-site").path
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder),
                    !isFolder.boolValue
                {
                    return candidate
                }
                if !at.path.contains(".xctest") { break }
            }
        }
        return Project.root + "/.build/debug/build-site"
    }()

    /// Puts a script before a program of the same name. The script gets the program's arguments, has itself as `$0` and
    /// reaches the program by its name.
    func interpose(_ name: String, _ script: String) throws {
        try folder.write("bin/\(name)", "#!/bin/sh\nPATH=${PATH#*:}\n\(script)\nexec \(name) \"$@\"\n")
        chmod(folder.file("bin/\(name)"), 0o755)
        environment["PATH"] = folder.file("bin") + ":" + (Child.environment()["PATH"] ?? "/usr/bin:/bin")
    }

    /// Starts the program in the site's folder; the result waits for its end.
    func start(_ arguments: [String], of program: String = program) throws -> (Child, () -> Run) {
        let number = runs
        runs += 1
        let names = ["out", "err"].map { folder.file("run-\(number)-\($0)") }
        let limit = fileLimit.map { ["/bin/sh", "-c", "ulimit -f \($0); exec \"$@\"", "sh"] } ?? []
        let words = limit + [program] + arguments
        let child = try Child(
            words[0], Array(words.dropFirst()), in: path,
            variables: Child.environment().merging(environment) { $1 }, output: names[0], errors: names[1])
        let crawler = arguments.first == "publish" ? crawler : nil
        crawler?.rest(false)
        return (
            child,
            {
                let status = child.wait()
                crawler?.rest(true)
                let texts = names.map { String(decoding: Project.file($0), as: UTF8.self) }
                for name in names { unlink(name) }
                return Run(status: status, output: texts[0], errors: texts[1])
            }
        )
    }

    /// Runs the program in the site's folder.
    @discardableResult
    func run(_ arguments: String...) throws -> Run { try start(arguments).1() }

    /// Builds, and notes what may now be seen.
    @discardableResult
    func build() throws -> Run {
        let run = try start(["build", "--quiet"]).1()
        let tree = try Tree(output)
        acceptable.add(tree.files.values.map(\.content))
        return run
    }

    /// Publishes what was built.
    @discardableResult
    func publish(_ arguments: String...) throws -> Run {
        try start(["publish", "live", "--no-build", "--quiet"] + arguments).1()
    }

    /// Starts publishing and kills the program after some seconds. False if it had finished before.
    func publishAndKill(after seconds: Double) throws -> Bool {
        let (child, finish) = try start(["publish", "live", "--no-build", "--quiet"])
        let end = monotonicSeconds() + seconds
        while child.poll() == nil, monotonicSeconds() < end { usleep(2000) }
        let wasRunning = child.poll() == nil
        child.kill()
        _ = finish()
        return wasRunning
    }

    /// The files that the dry run says would be sent, and removed.
    func plan() throws -> (sent: Set<String>, removed: Set<String>) {
        let text = try start(["publish", "live", "--no-build", "--dry-run"]).1().output
        var sent: Set<String> = []
        var removed: Set<String> = []
        var isRemoval = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("  ") {
                let path = String(line.dropFirst(2).prefix { $0 != " " })
                if isRemoval { removed.insert(path) } else { sent.insert(path) }
            } else {
                isRemoval = line.hasPrefix("remove") || line.hasPrefix("revoke")
            }
        }
        return (sent, removed)
    }
}
