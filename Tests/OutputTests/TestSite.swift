import Basics
import Database
import Glibc
import Site
import TestSupport

/// A small site in a folder of its own, which goes with the object: change, build, look.
final class TestSite: @unchecked Sendable {
    // Only the race test shares one between threads, and there each uses other members.
    let root: String
    /// The output of ``build(swapsAbove:)``.
    var output: String
    private let isTemporary: Bool

    struct Silent: BuildProgress {
        func begin(_ stage: String, total: Int) {}
        func advance(_ steps: Int) {}
    }

    /// A site of a few products in two categories, with a customer.
    init(products: Int = 12, customers: Bool = true, at path: String? = nil) throws {
        if let path {
            root = path
            isTemporary = false
        } else {
            root = makeTemporaryFolder()
            isTemporary = true
        }
        output = root + "/site/public"
        makeFolder("site/content/pages")
        write(
            "site/content/site.yaml",
            "title: Shop\nurl: https://shop.example/\ncurrency: GBP\nheaders: true\n")
        if customers {
            write(
                "site/content/lists.json",
                #"{"version": 1, "customers": [{"id": "ann", "name": "Ann", "lists": {"wish": [{"product": "1"}]}}]}"#
            )
        }
        try sql(
            """
            CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT, producer TEXT, updated TEXT,
                sku TEXT, abv REAL);
            CREATE TABLE categories(id INTEGER PRIMARY KEY, parent_id INTEGER, name TEXT NOT NULL);
            CREATE TABLE product_categories(product_id INTEGER, category_id INTEGER);
            INSERT INTO categories VALUES (1, NULL, 'Malts'), (2, 1, 'Old malts');
            """)
        let rows = (1...products).map {
            "(\($0), 'Malt \($0)', NULL, 'Maker \($0 % 3)', '2026-01-0\($0 % 9 + 1)', NULL, NULL)"
        }
        for start in stride(from: 0, to: rows.count, by: 500) {
            try sql(
                "INSERT INTO products VALUES "
                    + rows[start..<min(start + 500, rows.count)].joined(separator: ","))
        }
        try sql("INSERT INTO product_categories SELECT id, id % 2 + 1 FROM products")
    }

    /// A copy of a site, times of files included.
    init(copying other: TestSite) throws {
        root = makeTemporaryFolder()
        isTemporary = true
        let result = run("/bin/cp", ["-a", other.root + "/.", root])
        precondition(result.status == 0, result.text)
        output = root + other.output.dropFirst(other.root.count)
    }

    deinit { if isTemporary { _ = run("/bin/rm", ["-rf", "--one-file-system", root]) } }

    func sql(_ text: String) throws { try Connection(own: root + "/site/content/shop.db").execute(text) }

    func makeFolder(_ path: String) { _ = run("/bin/mkdir", ["-p", root + "/" + path]) }

    func write(_ path: String, _ text: String) { writeFile(root + "/" + path, Array(text.utf8)) }

    func read(_ path: String) -> String? {
        readFile(root + "/" + path).map { String(decoding: $0, as: UTF8.self) }
    }

    func exists(_ path: String) -> Bool { access(root + "/" + path, F_OK) == 0 }

    func remove(_ path: String) { unlink(root + "/" + path) }

    @discardableResult
    func build(swapsAbove: Int = 1000, isStrict: Bool = false) throws -> BuildReport {
        var options = BuildOptions()
        options.site = root + "/site"
        options.output = output
        options.swapsAbove = swapsAbove
        options.isStrict = isStrict
        options.jobs = 2
        return try Site.build(options, progress: Silent())
    }

    /// The message of a build that is to fail; "" if it does not.
    func failure(swapsAbove: Int = 1000) -> String {
        do {
            try build(swapsAbove: swapsAbove)
            return ""
        } catch { return "\(error)" }
    }

    /// The site built in a program of its own, with faults.
    func buildAt(swapsAbove: Int = 1000, _ environment: [String: String] = [:]) -> (
        status: Int32, text: String
    ) {
        var environment = environment
        if !environment.isEmpty { environment["LD_PRELOAD"] = faultLibrary }
        return run(program("build-at"), [root + "/site", output, String(swapsAbove)], environment)
    }

    /// What a build into nothing makes of the site now.
    func cleanTree() throws -> [String: [UInt8]] {
        let kept = output
        defer { output = kept }
        output = makeTemporaryFolder() + "/out"
        defer { _ = run("/bin/rm", ["-rf", String(output.dropLast(4))]) }
        try build()
        return tree()
    }

    /// Whether builds have left nothing but the manifest, the records of the search, and a note that the last one
    /// failed. A journal of SQLite's whose header is empty stays after a crash until the next build that writes.
    var isTidy: Bool {
        let names = (try? Directory(path: root + "/site/.build-site/public").names()) ?? []
        let others: Set<String> = ["manifest.db-journal", "search.records", "search.words", "plan", "failed"]
        return names.filter { !others.contains($0) } == ["lock", "manifest.db"]
    }

    /// All files of the output, but those of others named.
    func tree(without others: Set<String> = []) -> [String: [UInt8]] {
        files(below: output).filter { !others.contains($0.key) && !$0.key.hasPrefix(".build-site/") }
    }
}

/// The bytes of all files below a folder; a link counts as a file of where it leads to.
func files(below root: String) -> [String: [UInt8]] {
    var out: [String: [UInt8]] = [:]
    var folders = [""]
    while let folder = folders.popLast() {
        guard let directory = try? Directory(path: root + "/" + folder),
            let entries = try? directory.entries()
        else { continue }
        for (name, kind) in entries {
            let path = folder.isEmpty ? name : folder + "/" + name
            switch kind {
            case .directory: folders.append(path)
            case .link: out[path] = Array("link".utf8)
            default: out[path] = readFile(root + "/" + path) ?? []
            }
        }
    }
    return out
}

func readFile(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rb") else { return nil }
    defer { fclose(file) }
    var out: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let n = fread(&chunk, 1, chunk.count, file)
        if n == 0 { return out }
        out.append(contentsOf: chunk[..<n])
    }
}

func writeFile(_ path: String, _ bytes: [UInt8]) {
    guard let file = fopen(path, "wb") else { fatalError("cannot write \(path)") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

/// In memory where there is a file system in memory: a build waits for the disk (`syncfs`), the tests need not.
func makeTemporaryFolder() -> String {
    let base =
        getenv("TMPDIR").map { String(cString: $0) } ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
    var template = Array("\(base)/build-site-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no temporary folder") }
    return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
}

/// A program that was built with the tests, which lies beside them.
func program(_ name: String) -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let n = readlink("/proc/self/exe", &path, path.count)
    let here = String(decoding: path[..<max(n, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for folder in [
        here.split(separator: "/").dropLast().joined(separator: "/"),
        Project.root.dropFirst() + "/.build/debug",
    ]
    where access("/\(folder)/\(name)", X_OK) == 0 {
        return "/\(folder)/\(name)"
    }
    fatalError("the tests need \(name)")
}

/// Compiled once in a run of the tests.
let faultLibrary: String = {
    // Not in memory, from which some systems load no libraries.
    var template = Array("/tmp/build-site-faults.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no temporary folder") }
    let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } + "/faults.so"
    let result = run(
        "/usr/bin/cc",
        ["-shared", "-fPIC", "-O1", "-o", path, Project.root + "/Tests/Faults/faults.c", "-ldl"])
    precondition(result.status == 0, result.text)
    return path
}()

/// Runs a program to its end. The status is 128 + n when signal n ended it.
@discardableResult
func run(_ path: String, _ arguments: [String], _ environment: [String: String] = [:]) -> (
    status: Int32, text: String
) {
    let process = Process(path, arguments, environment)
    return process.wait()
}

/// A program that runs.
struct Process {
    let pid: pid_t
    private let log: Int32

    init(_ path: String, _ arguments: [String], _ environment: [String: String] = [:]) {
        var template = Array("/tmp/build-site-log.XXXXXX".utf8CString)
        log = mkstemp(&template)
        _ = fcntl(log, F_SETFD, FD_CLOEXEC)
        unlink(template)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, log, 1)
        posix_spawn_file_actions_adddup2(&actions, log, 2)
        var variables = environment.map { "\($0.key)=\($0.value)" }
        for name in ["PATH", "HOME", "LD_LIBRARY_PATH"] where environment[name] == nil {
            if let value = getenv(name) { variables.append("\(name)=\(String(cString: value))") }
        }
        variables.append("SWIFT_BACKTRACE=enable=no")
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        var envp = variables.map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid = pid_t()
        let code = posix_spawn(&pid, path, &actions, nil, &argv, &envp)
        precondition(code == 0, "cannot start \(path): \(code)")
        self.pid = pid
    }

    func wait() -> (status: Int32, text: String) {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        lseek(log, 0, SEEK_SET)
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let n = Glibc.read(log, &chunk, chunk.count), n > 0 {
            text.append(contentsOf: chunk[..<n])
        }
        close(log)
        let signal = status & 0x7F
        return (signal == 0 ? (status >> 8) & 0xFF : 128 + signal, String(decoding: text, as: UTF8.self))
    }
}

/// What differs between two trees, to be read in a failed test; "" when nothing does.
func difference(_ a: [String: [UInt8]], _ b: [String: [UInt8]]) -> String {
    var out: [String] = []
    for path in Set(a.keys).union(b.keys).sorted() where a[path] != b[path] {
        out.append(a[path] == nil ? "+\(path)" : b[path] == nil ? "-\(path)" : "≠\(path)")
    }
    return out.prefix(8).joined(separator: " ")
}
