import Basics

/// Where the files are that a site is made from, and which part of it a changed file is.
public struct WatchedPlaces: Hashable, Sendable {
    /// Folders to watch; with those in them, where `isDeep`.
    public struct Folder: Hashable, Sendable {
        /// The path, absolute.
        public let path: String
        /// Whether all folders in it are meant too.
        public let isDeep: Bool
    }

    /// Folders to watch; some may not be there.
    public private(set) var folders: [Folder] = []
    /// The database by each of its paths: as it is named, and the file that a link leads to.
    private var databases: [String] = []
    private var pictures: String?
    private var lists: String?
    private var pages: String?
    private var content = ""
    private var templates = ""

    /// Nothing to watch.
    init() {}

    /// What is known of a site whose settings cannot be read.
    init(site: String) {
        let site = absolutePath(site)
        content = site + "/content"
        templates = site + "/templates"
        folders = [
            Folder(path: site, isDeep: false), Folder(path: content, isDeep: true),
            Folder(path: templates, isDeep: true),
        ]
    }

    /// The manifest of an output, and nothing else.
    init(manifest: String) {
        databases = [absolutePath(manifest)]
        folders = databases.map { Folder(path: Self.folder(of: $0), isDeep: false) }
    }

    /// - Parameters: paths, absolute or from the working folder.
    init(site: String, databases: [String], pictures: String, lists: String, pages: String) {
        self.init(site: site)
        for path in databases.map(absolutePath) where !self.databases.contains(path) {
            self.databases.append(path)
        }
        self.pictures = absolutePath(pictures)
        self.lists = absolutePath(lists)
        self.pages = absolutePath(pages)
        for path in [self.pictures, self.lists, self.pages] {
            if let path, !path.hasPrefix(content + "/") { folders.append(Folder(path: path, isDeep: true)) }
        }
        for database in self.databases {
            let folder = Folder(path: Self.folder(of: database), isDeep: false)
            if !folders.contains(where: { $0.path == folder.path }) { folders.append(folder) }
        }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "/"
    }

    /// One path for each part, for when it is not known what was changed.
    public var all: [String] { [content, pictures].compactMap { $0 } + databases }

    /// The same without the database, of whose changes its times tell, and which takes long to read.
    public var small: [String] { [content, pictures].compactMap { $0 } }

    /// What happened to a file.
    public enum Change: Hashable, Sendable {
        /// It is there, and empty as yet; or it was written to, and there may be more to come.
        case made, written
        /// Who wrote to it is done.
        case closed
        /// It was moved there, or it is a folder that was made.
        case came
        /// It was removed, or moved away.
        case gone
        /// It is not as it was when somebody last looked.
        case found
    }

    /// What of the site a changed file is; nil when it is none of it, or when better news of it will follow.
    ///
    /// - Parameter path: absolute.
    public func part(of path: String, _ change: Change) -> LiveSite.Part? {
        for database in databases where path.hasPrefix(database) {
            switch path.dropFirst(database.count) {
            // SQLite keeps it open, so that nothing tells that a transaction is whole; a lock does.
            case "": return change == .closed ? nil : .database
            // Readers make and remove it; only what is written to it is news.
            case "-wal": return change == .written || change == .found ? .database : nil
            case "-shm", "-journal": return nil
            default: break
            }
        }
        if change == .made || change == .written { return nil }
        let name = path.split(separator: "/").last ?? ""
        // What editors leave for a moment.
        if name.hasPrefix(".") || name.hasSuffix("~") || name.hasSuffix(".swp") || name == "4913" {
            return nil
        }
        func isIn(_ folder: String?) -> Bool {
            folder.map { path == $0 || path.hasPrefix($0 + "/") } ?? false
        }
        if isIn(pictures) { return .pictures }
        if isIn(lists) || isIn(pages) || isIn(templates) { return .files }
        if path == content || path == content + "/site.yaml" { return .files }
        // Before the settings could be read, anything in the folder may be what they need.
        return databases.isEmpty && isIn(content) ? .files : nil
    }
}
