import Basics
import Glibc

/// The output of the last build, as a host serves it: the files that the manifest knows, and no others.
public final class BuiltSite: Sendable {
    private struct State {
        var contents: Contents
        var generation = 1
        var isClosed = false
    }

    /// What a build wrote.
    private struct Contents: Sendable {
        let folder: Directory
        let files: KnownFiles
        let root: String
        /// Of the manifest that was read: every build that does something writes it.
        let version: [Int]
    }

    private let options: BuildOptions
    private let state: Monitor<State>

    /// - Throws: ``Failure`` when there is no finished output.
    public init(_ options: BuildOptions) throws {
        self.options = options
        state = Monitor(State(contents: try Self.read(options)))
    }

    private static func read(_ options: BuildOptions) throws -> Contents {
        let sources = try SiteSources(options)
        let output = sources.output
        guard let path = manifest(of: output) else {
            throw missing(output)
        }
        let version = Self.version(of: path)
        let manifest = try Manifest(reading: path)
        guard try manifest[meta: "stamp"] != nil else { throw missing(output) }
        let address = sources.settings.url.map { SitePath.root(ofAddress: $0) }
        return Contents(
            folder: try Directory(path: output), files: try manifest.known(), root: address ?? "/",
            version: version)
    }

    private static func version(of path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        return [
            Int(status.st_ino), Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec),
        ]
    }

    private static func missing(_ output: String) -> Failure {
        Failure(
            "no-output", "there is no finished site here; run 'build-site' first", at: .file(output))
    }

    /// Where the manifest of an output is, if it has one.
    private static func manifest(of output: String) -> String? {
        let absolute = canonicalPath(output)
        let (parent, name) = OutputFolder.split(absolute)
        let state = OutputFolder.stateName
        return ["\(parent)/\(state)/\(name)/\(manifestName)", "\(absolute)/\(state)/\(manifestName)"].first {
            access($0, F_OK) == 0
        }
    }

    private static let manifestName = "manifest.db"

    /// The path of the site's address, from `/` to `/`.
    public var root: String { state.withLock { $0.contents.root } }

    /// The bytes of a file of the site; nil when no build of ours wrote it, or when it is gone.
    public func file(_ path: String) throws -> [UInt8]? {
        guard OutputFolder.isSafe(path) else { return nil }
        let contents = state.withLock { $0.contents }
        guard contents.files.index(of: Int64(bitPattern: hash64(path))) != nil else { return nil }
        do { return try contents.folder.contents(of: path, limit: 1 << 30) } catch {
            if error.code == ENOENT { return nil }
            throw Failure("file", error.description)
        }
    }

    /// Whether a path is that of a folder, and not of a file.
    public func isFolder(_ path: String) -> Bool {
        let contents = state.withLock { $0.contents }
        return contents.files.index(of: Int64(bitPattern: hash64(path + "/index.html"))) != nil
    }

    /// What is to be watched for the end of a build.
    public var places: WatchedPlaces {
        guard let sources = try? SiteSources(options), let manifest = Self.manifest(of: sources.output) else {
            return WatchedPlaces(site: options.site)
        }
        return WatchedPlaces(manifest: manifest)
    }

    /// Says that files in the folder of the manifest were changed: a build may have ended.
    public func note(_ changes: [(path: String, kind: WatchedPlaces.Change)]) {
        // Builds write it all the time; who has written all that there is closes it.
        let isEnd = changes.contains {
            $0.path.hasSuffix("/" + Self.manifestName) && [.closed, .came, .found].contains($0.kind)
        }
        // A build that still runs has the manifest locked; its end will be noted too.
        guard isEnd, let contents = try? Self.read(options) else { return }
        state.withLock { state in
            if contents.version == state.contents.version { return }
            state.contents = contents
            state.generation += 1
        }
    }

    /// How often there was news.
    public var generation: Int { state.withLock { $0.generation } }

    /// Waits for news after a generation; nil when there is none in time.
    public func news(after generation: Int, seconds: Double) -> Int? {
        let news = state.wait(seconds: seconds) { state -> Int?? in
            if state.isClosed { return .some(nil) }
            return state.generation > generation ? .some(state.generation) : nil
        }
        return news ?? nil
    }

    /// Whether it was closed.
    public var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends those who wait.
    public func close() { state.withLock { $0.isClosed = true } }
}
