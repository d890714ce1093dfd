import Basics
import Database
import Formats
import Glibc
import Model

/// The files a site is made from, opened and checked.
struct SiteSources {
    let settings: SiteSettings
    let strings: Strings
    let theme: Theme
    let assets: Assets
    let pictures: PictureFolder
    let databasePath: String
    /// The file that the database is, where its path leads over links: SQLite keeps its journals beside that.
    var databaseFile: String { realPath(databasePath) ?? absolutePath(databasePath) }
    let output: String

    private let content: Directory
    private let sitePath: String

    /// - Parameters:
    ///   - kept: the pictures of the same site as they were read before, if they have not changed.
    ///   - hear: is told how far the pictures are.
    init(
        _ options: BuildOptions, pictures kept: PictureFolder? = nil,
        hear: @escaping @Sendable (PictureFolder.Counts) -> Void = { _ in }
    ) throws {
        sitePath = options.site
        let prefix =
            options.site == "." ? "" : options.site.hasSuffix("/") ? options.site : options.site + "/"
        let contentPath = prefix + "content"
        do {
            content = try Directory(path: contentPath)
        } catch {
            throw Failure(
                "no-site", "\(error.reason); name the folder that holds 'content/site.yaml' with --site",
                at: .file(contentPath))
        }
        let settingsPath = content.joined("site.yaml")
        do {
            settings = try SiteSettings(
                SourceText(file: settingsPath, bytes: try content.contents(of: "site.yaml", limit: 1 << 20)))
        } catch let error as FileError {
            throw Failure("no-site", "\(error.reason); a site needs this file", at: .file(settingsPath))
        }
        var overrides: Directory?
        if try Directory(path: options.site).status("templates")?.kind == .directory {
            overrides = try Directory(path: prefix + "templates")
        }
        theme = try Theme(overrides: overrides)
        strings = try Strings(theme.strings, locale: settings.locale, overrides: settings.texts)
        assets = try Assets(theme, settings, strings: strings, language: settings.locale.tag)
        let folder =
            try content.status(settings.pictures.folder)?.kind == .directory
            ? try content.directory(settings.pictures.folder) : nil
        databasePath =
            options.database
            ?? (settings.database.hasPrefix("/") ? settings.database : content.joined(settings.database))
        let output = options.output ?? prefix + "public"
        self.output = output
        if let kept, kept.isOf(folder, settings.pictures) {
            pictures = kept
        } else {
            pictures = PictureFolder(
                folder, settings.pictures, jobs: options.jobsInUse,
                program: options.pictureWorker ?? PictureWorker.program(), hear: hear
            ) {
                try Self.cache(options, output: output)
            }
        }
    }

    /// The cache of pictures: where it was asked for, else in the site's folder, or beside the output if we may not write there.
    private static func cache(_ options: BuildOptions, output: String) throws -> PictureCache {
        let whole = canonicalPath(output)
        if let path = options.pictureCache {
            let folder = try Directory(path: "/").makingDirectory(String(absolutePath(path).dropFirst()))
            return try PictureCache(in: folder, output: whole)
        }
        let site = try Directory(path: options.site)
        do throws(FileError) {
            let state = try site.makingDirectory(OutputFolder.stateName, mode: 0o700)
            return try PictureCache(in: state.makingDirectory("pictures"), output: whole)
        } catch  where [EROFS, EACCES, EPERM].contains(error.code) {
            let state = try Directory(path: OutputFolder.split(whole).folder + "/").makingDirectory(
                OutputFolder.stateName, mode: 0o700)
            return try PictureCache(in: state.makingDirectory("pictures"), output: whole)
        }
    }

    /// What the output must not be or contain (S36): the site, what it is made from, and the repository it is in.
    var precious: [String] {
        let site = realPath(sitePath) ?? absolutePath(sitePath)
        var out = [site, site + "/content", site + "/templates", databasePath, databaseFile]
        var at = site
        while at != "/" {
            if access(at + "/.git", F_OK) == 0 { out.append(at) }
            at = absolutePath(at + "/..")
        }
        return out
    }

    /// What the output must not be inside of: it would be read as a part of the site, or damage the repository.
    var folders: [String] {
        let site = absolutePath(sitePath)
        return [site + "/content", site + "/templates"]
            + precious.filter { access($0 + "/.git", F_OK) == 0 }.map { $0 + "/.git" }
    }

    /// The folder for what the site keeps between builds beside its output: the key of customers' addresses.
    func state() throws -> Directory {
        try Directory(path: sitePath).makingDirectory(".build-site", mode: 0o700)
    }

    /// The same folder if there is one.
    func existingState() throws -> Directory? {
        let site = try Directory(path: sitePath)
        return try site.status(".build-site")?.kind == .directory ? try site.directory(".build-site") : nil
    }

    func customers(log: inout [Diagnostic]) throws -> [Customer] {
        var nobody = KnownCustomers()
        return try customers(known: &nobody, log: &log)
    }

    /// - Parameter known: what was read before, and then what is read now; see ``KnownCustomers``.
    func customers(known: inout KnownCustomers, log: inout [Diagnostic]) throws -> [Customer] {
        try CustomerLists.read(settings.lists, in: content, known: &known, log: &log)
    }

    /// How many list files there are.
    func listFiles() throws -> Int {
        guard let status = try content.status(settings.lists) else { return 0 }
        if status.kind != .directory { return 1 }
        return try content.directory(settings.lists).names().count { $0.hasSuffix(".json") }
    }

    func contentPages(facets: [String], log: inout [Diagnostic]) throws -> [ContentPage] {
        guard try content.status(settings.pages)?.kind == .directory else { return [] }
        return try ContentPage.read(
            try content.directory(settings.pages), taken: SitePath.reserved.union(facets), log: &log)
    }

    /// Where everything is that the site is made from.
    var places: WatchedPlaces {
        WatchedPlaces(
            site: sitePath, databases: [databasePath, databaseFile],
            pictures: content.joined(settings.pictures.folder),
            lists: content.joined(settings.lists), pages: content.joined(settings.pages))
    }

    /// What tells, as far as times and sizes do, whether a list file was changed.
    func listsStamp() throws -> String {
        var text = ""
        var paths = [settings.lists]
        while let path = paths.popLast() {
            guard let status = try content.status(path) else { continue }
            if status.kind == .directory {
                paths += try content.directory(path).names().map { path + "/" + $0 }
            } else {
                text += "\(path)\u{0}\(status.size)\u{0}\(status.modified)\n"
            }
        }
        return text
    }

    // MARK: Database

    func openDatabase() throws -> CatalogueReader {
        var status = stat()
        guard stat(databasePath, &status) == 0 else {
            throw Failure(
                "no-database",
                "\(FileError("open", databasePath).reason); name it with 'database:' in site.yaml or --database",
                at: .file(databasePath))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure("no-database", "is no file", at: .file(databasePath))
        }
        do {
            let reader = try CatalogueReader(path: databasePath, mapping: settings.mapping)
            reader.takePicture = { [pictures] in pictures.take($0) }
            if let failure = settings.failure(notes: try reader.noteColumns()) { throw failure }
            return reader
        } catch let error as DatabaseError {
            throw failure(error)
        } catch let error as MappingError {
            throw settings.failure(error, database: databasePath)
        }
    }

    /// The message for what SQLite found wrong with the file.
    func failure(_ error: DatabaseError) -> Failure {
        let place = Diagnostic.Place.file(databasePath)
        if error.isCorruption {
            return Failure(
                "bad-database",
                "\(error.message); the site was not changed: mend the database (sqlite3 FILE .recover) and build "
                    + "again", at: place)
        }
        if error.isBusy {
            return Failure(
                "database-busy", "\(error.message); another program is writing to it, build again later",
                at: place)
        }
        return Failure("database", error.message, at: place)
    }

    /// The facets of the site: those it lists, else the fields and whatever the mapping brings.
    func facets(of reader: CatalogueReader, log: inout [Diagnostic]) throws -> [FacetDefinition] {
        try facets(named: { try reader.facetColumns() + reader.facetNames() }, log: &log)
    }

    /// - Parameter named: gives the names that the database has, if they are asked for.
    func facets(named: () throws -> [String], log: inout [Diagnostic]) throws -> [FacetDefinition] {
        let fields = ["producer", "style", "country", "region"]
        let plurals = ["producers", "styles", "countries", "regions"]
        var definitions = settings.facets ?? []
        if settings.facets == nil {
            let names = fields + (try named())
            var seen: Set<String> = []
            definitions = names.filter { seen.insert($0).inserted }.map { FacetDefinition(key: $0) }
        } else if definitions.contains(where: { !fields.contains($0.key) }) {
            let known = fields + (try named())
            for definition in definitions where !known.contains(definition.key) {
                log.append(settings.warning(facet: definition.key, known: known))
            }
        }
        var taken = SitePath.reserved
        return definitions.map { definition in
            var facet = definition
            if let at = fields.firstIndex(of: facet.key) {
                facet.label = facet.label ?? strings[fields[at]]
                facet.plural = facet.plural ?? strings[plurals[at]]
            }
            var folder = slug(of: facet.folder ?? facet.key)
            // A folder that is taken or empty (山崎) gets one that only its name decides.
            if folder.isEmpty || isReservedName(folder) || !taken.insert(folder).inserted {
                folder =
                    (folder.isEmpty ? "facet" : folder) + "-"
                    + String(Fingerprint(of: facet.key).hex.prefix(8))
                taken.insert(folder)
            }
            facet.folder = folder
            return facet
        }
    }

    // MARK: Stamp

    /// All that the site is made from, without reading the database: files by their bytes, large ones by size and time.
    struct Stamp {
        let text: String
        /// The same without the database.
        let besideDatabase: String
        /// The newest time in it: a file changed in the same instant again would go unnoticed.
        let newest: Int64
        let takenAt: Int64
    }

    func stamp() throws -> Stamp? {
        let takenAt = wallClockNanoseconds()
        var text =
            "\(SiteRenderer.version)\n\(Fingerprint(of: settings.source.bytes).hex)\n\(assets.fingerprint.hex)\n"
        let condensed = theme.condensedTemplates
        for (name, source) in theme.templates.sorted(by: { $0.key < $1.key }) {
            text += "\(name)\u{0}\(Fingerprint(of: source.bytes).hex)\u{0}\(condensed.contains(name))\n"
        }
        for key in strings.keys { text += "\(key)\u{0}\(strings[key])\n" }
        var newest: Int64 = 0
        var folders = [settings.pages, settings.lists]
        while let path = folders.popLast() {
            guard let status = try content.status(path) else { continue }
            if status.kind == .directory {
                folders += try content.directory(path).names().map { path + "/" + $0 }
            } else {
                text +=
                    "\(path)\u{0}\(Fingerprint(of: try content.contents(of: path, limit: 256 << 20)).hex)\n"
            }
        }
        text += try pictures.originals.listing().hex + "\n" + settings.pictures.recipe.identity + "\n"
        let beside = Fingerprint(of: text).hex
        text += databaseStamp(newest: &newest)
        return Stamp(
            text: Fingerprint(of: text).hex, besideDatabase: beside, newest: newest, takenAt: takenAt)
    }

    /// What tells, as far as times and sizes do, whether the database was changed.
    ///
    /// - Parameter newest: raised to the time of the last change.
    func databaseStamp(newest: inout Int64) -> String {
        let file = databaseFile
        var text = file + "\n"
        // Only stat: opening the file by other means would drop SQLite's locks (S24).
        for suffix in ["", "-wal", "-journal"] {
            var status = Glibc.stat()
            guard lstat(file + suffix, &status) == 0 else { continue }
            let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
            newest = max(newest, modified)
            text += "\(suffix)\u{0}\(status.st_size)\u{0}\(modified)\u{0}\(status.st_ino)\n"
        }
        return text
    }

    /// The stamp to note in the manifest once the build has read everything.
    ///
    /// Empty, so that the next build looks again, when the database was changed so shortly before the stamp was taken that
    /// a further change could have the same time, and SQLite cannot tell that there was none.
    func settled(_ stamp: Stamp?, _ reader: CatalogueReader) throws -> String {
        guard let stamp, !pictures.hasPassingFaults else { return "" }
        let tick: Int64 = 100_000_000
        if stamp.takenAt - stamp.newest > tick { return stamp.text }
        return try wallClockNanoseconds() - stamp.newest > tick && reader.isCurrent() ? stamp.text : ""
    }
}
