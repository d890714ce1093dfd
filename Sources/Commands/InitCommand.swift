import Basics
import Database
import Glibc
import Introspection
import Site

/// What `build-site init` is asked for.
struct InitialOptions: Sendable {
    /// The database to look at; nil makes a small site with a database of its own.
    var database: String?
    /// The table of products, when init guesses wrong.
    var products: String?
    /// Whether the database is copied into the site.
    var copies = false
    /// Whether what customers have on lists is put into the site.
    var takesLists = false
    /// Whether the settings are printed and nothing is written.
    var isDryRun = false
}

extension Command {
    static let initialise = Command(
        name: "init", summary: "make a new site, from nothing or from any SQLite database",
        about: """
            Makes a site in a folder. Without a database it is a small one to begin with: settings with comments, three \
            pages, a database with the default schema and a few products, a customer's lists, and a template of the theme \
            to change. With --database it looks at the tables of any SQLite file, guesses what is what (products, names, \
            prices, categories, pictures, notes, reviews) and writes content/site.yaml with the queries; the comments there \
            say what was guessed, how sure it is, and what else it could be. The database is only read. Of large tables a \
            sample is read, so that it takes seconds whatever the size. Files that are there are never overwritten. Then \
            build with --site.
            """,
        operands: Operands(
            usage: "[DIR]", help: "the folder of the site, made if it is missing (default: this folder)",
            count: 0...1),
        options: [.initialDatabase, .products, .copy, .initialLists, .initialDryRun, .quiet],
        run: { InitCommand($0).run() })
}

extension Option {
    static let initialDatabase = Option(
        name: "database", value: "FILE", help: "an SQLite database to make the site from",
        about: """
            The SQLite file that the site is to be made from. `site.yaml` refers to the file where it is, so that every build \
            shows what is in it then: by a relative path, or by an absolute one if you name it so. With `--copy` the site \
            has a copy instead.
            """
    ) { request, value in request.initial.database = value }

    static let products = Option(
        name: "products", value: "TABLE",
        help: "the table or view that has the products, if init guesses another",
        about: "The table or view whose rows are the products, where the guess was wrong. Wants `--database`."
    ) { request, value in request.initial.products = value }

    static let copy = Option(
        name: "copy", value: nil, help: "put a copy of the database into the site",
        about: """
            Copies the database into the site's `content` folder, as it is at one moment even while a shop writes to it. \
            The site is then whole in itself and does not change with the original. Wants `--database`.
            """
    ) { request, _ in request.initial.copies = true }

    static let initialLists = Option(
        name: "lists", value: nil, help: "make private pages of customers' orders, baskets and wish lists",
        about: """
            Writes `content/lists.json` with what the database says of its customers: wish lists, baskets, and what they ordered \
            as their collection. The site then has a page for each of them, at an address that nobody can guess; of the people it \
            has their number only. The file is as the database was; make it again when it should follow. Wants `--database`.
            """
    ) { request, _ in request.initial.takesLists = true }

    static let initialDryRun = Option(
        name: "dry-run", value: nil, help: "print site.yaml and write nothing",
        about: """
            Prints the proposed `site.yaml` to standard output, and what was found to standard error; nothing is written. \
            Without `--database` it prints the settings of the small site.
            """
    ) { request, _ in request.initial.isDryRun = true }
}

/// `build-site init`.
struct InitCommand {
    private let options: InitialOptions
    private let folder: String
    private let isQuiet: Bool

    init(_ request: Request) {
        options = request.initial
        var folder = request.operands.first ?? "."
        while folder.hasSuffix("/"), folder.count > 1 { folder.removeLast() }
        self.folder = folder
        isQuiet = request.isQuiet
    }

    /// Makes the site and says what was found. The exit status.
    func run() -> Int32 {
        if options.database == nil, options.copies || options.products != nil || options.takesLists {
            let name = options.copies ? "--copy" : options.products != nil ? "--products" : "--lists"
            write("build-site: error: '\(name)' wants a database: --database FILE [usage]\n", to: 2)
            return 2
        }
        do {
            try options.database.map { try fromDatabase($0) } ?? fromNothing()
            return 0
        } catch {
            let failure = error as? Failure ?? Failure("init", "\(error)")
            printDiagnostics(failure.diagnostics)
            return 1
        }
    }

    private func fromNothing() throws {
        if options.isDryRun {
            write(StarterSite.settings, to: 1)
            return
        }
        let site = try NewSite(folder)
        for file in StarterSite.files { site.add(file.name, file.text) }
        site.addDatabase("content/shop.db") { path in
            let connection = try Connection(own: path)
            try connection.execute(DefaultSchema.sql)
            try connection.execute(StarterSite.rows)
        }
        try site.write()
        say(["a small shop of three products; content/site.yaml says what is where"])
    }

    private func fromDatabase(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw Failure("no-database", FileError("open", path).reason, at: .file(path))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("no-database", "is no file", at: .file(path))
        }
        // Before the database is looked at: nobody wants to wait for a site that has no place.
        let site = options.isDryRun ? nil : try NewSite(folder)
        let name = String(path.split(separator: "/").last ?? "shop.db")
        let copy = "content/" + name
        site?.claim("content/site.yaml")
        if options.copies { site?.claim(copy) }
        if options.takesLists { site?.claim("content/lists.json") }
        try site?.check()
        let proposal = try DatabaseProposal(
            of: path, reference: options.copies ? name : reference(to: path), products: options.products)
        let lists = options.takesLists ? try FoundLists(proposal, of: path) : nil
        let report = proposal.report + (lists.map { [$0.summary] } ?? [])
        guard let site else {
            write(proposal.settings, to: 1)
            if !isQuiet { write(report.map { $0.printable(limit: 400) + "\n" }.joined(), to: 2) }
            return
        }
        site.add("content/site.yaml", proposal.settings)
        if let text = lists?.text { site.add("content/lists.json", text) }
        if options.copies {
            site.addDatabase(copy) { target in try Connection(reading: path).copy(to: target) }
        }
        try site.write()
        say(report)
    }

    /// How `site.yaml` names the database: from the folder of content, unless it was named from the root and is elsewhere.
    private func reference(to path: String) -> String {
        let database = realPath(path) ?? absolutePath(path)
        let content = canonicalPath(folder + "/content")
        let site = String(content.dropLast("/content".count))
        if path.hasPrefix("/"), !database.hasPrefix(site + "/") { return path }
        return relativePath(from: content, to: database)
    }

    private func say(_ lines: [String]) {
        guard !isQuiet else { return }
        let name = folder.printable(limit: 4096)
        let at = folder == "." ? "" : " --site \(name.contains(" ") ? "'\(name)'" : name)"
        let file = folder == "." ? "content/site.yaml" : "\(name)/content/site.yaml"
        let text = lines.map { $0.printable(limit: 400) + "\n" }.joined()
        write(text + "wrote \(file)\nbuild it: build-site\(at)\n", to: 1)
    }
}

/// The files of a new site: all of them are written, or none.
private final class NewSite {
    private let path: String
    private var claimed: [String] = []
    private var files: [(name: String, text: String)] = []
    private var databases: [(name: String, make: (String) throws -> Void)] = []

    init(_ path: String) throws {
        self.path = path
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
            throw Failure("site-exists", "is a file; name a folder for the site", at: .file(path))
        }
    }

    func claim(_ name: String) { claimed.append(name) }

    func add(_ name: String, _ text: String) {
        claim(name)
        files.append((name, text))
    }

    func addDatabase(_ name: String, _ make: @escaping (String) throws -> Void) {
        claim(name)
        databases.append((name, make))
    }

    /// Refuses to go on when anything that is to be written is there.
    func check() throws {
        for name in claimed {
            var status = stat()
            guard lstat(path + "/" + name, &status) == 0 else { continue }
            let what = name == "content/site.yaml" ? "there is a site here already" : "is there already"
            throw Failure(
                "site-exists", "\(what); nothing was written: name another folder, or take it away first",
                at: .file(path == "." ? name : path + "/" + name))
        }
    }

    func write() throws {
        try check()
        var made: [String] = []
        var folders: [String] = []
        do {
            try makeFolders(of: path, &folders)
            let root = try Directory(path: path)
            // Databases first: a site without its settings is none, so that what ends half-way is seen to be unfinished.
            for database in databases {
                _ = try folder(above: database.name, in: root, &folders)
                made.append(database.name)
                do { try database.make(path + "/" + database.name) } catch let error as DatabaseError {
                    throw Failure("database", error.message, at: .file(path + "/" + database.name))
                }
            }
            for file in files {
                let parent = try folder(above: file.name, in: root, &folders)
                try parent.create(String(file.name.split(separator: "/").last ?? ""), Array(file.text.utf8))
                made.append(file.name)
            }
        } catch {
            for name in made.reversed() { unlink(path + "/" + name) }
            for name in folders.reversed() { rmdir(name) }
            if let error = error as? FileError { throw Failure("init", error.description) }
            throw error
        }
    }

    private func folder(above name: String, in root: Directory, _ folders: inout [String]) throws -> Directory
    {
        let above = name.split(separator: "/").dropLast().joined(separator: "/")
        if above.isEmpty { return root }
        try makeFolders(of: path + "/" + above, &folders)
        return try root.directory(above)
    }

    /// Makes a folder and those above it; remembers which were not there.
    private func makeFolders(of path: String, _ folders: inout [String]) throws {
        var at = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            at += "/" + part
            if mkdir(at, 0o755) == 0 {
                folders.append(at)
            } else if errno != EEXIST {
                throw FileError("make the folder", at)
            }
        }
    }
}
