public import Basics
import Glibc
import Synchronization

/// A site that a build has finished, to be sent somewhere: what its manifest says, and proof that it is so.
///
/// Holds the lock of the output while it lives, so that no build changes what is being sent.
public final class FinishedSite {
    /// A file of the site.
    public struct File: Hashable, Sendable {
        /// Below the output folder.
        public let path: String
        /// Of its bytes (`Fingerprint.low`).
        public let content: UInt64
        /// In bytes.
        public let size: Int

        /// A file as it is known.
        public init(path: String, content: UInt64, size: Int) {
            self.path = path
            self.content = content
            self.size = size
        }
    }

    /// The output folder as it was named, and its absolute path.
    public let path: String, absolutePath: String
    /// The output folder.
    public let folder: Directory
    /// The hidden folder for what is noted between runs, on the same file system.
    public let state: Directory
    /// The files of the site, by path in byte order.
    public let files: [File]
    /// The site's title.
    public let title: String
    /// The address of the site's root, ending in `/`, if the settings have one.
    public let url: String?
    /// Where the settings say it can be published.
    public let targets: [PublishTarget]
    /// What all its pages together need of a Content-Security-Policy.
    public let policy: String
    /// Former addresses of products, with the pages that are now theirs, by path.
    public let moved: [(from: String, to: String)]
    /// What a folder to publish to must not be, contain or be inside of: the site and what it is made from.
    public let precious: [String], sources: [String]

    private let output: OutputFolder

    /// Opens the output of a site, refusing one that no build has finished.
    ///
    /// - Parameter allowsFailed: whether the last good site may be taken though a later build failed.
    public init(_ options: BuildOptions, allowsFailed: Bool) throws {
        let sources = try SiteSources(options)
        let missing = Failure(
            "no-output", "there is no finished site here; run 'build-site' first", at: .file(sources.output))
        var status = stat()
        guard stat(sources.output, &status) == 0 else { throw missing }
        output = try OutputFolder(
            path: sources.output, site: options.site, precious: sources.precious, sources: sources.folders,
            swapsAbove: options.swapsAbove)
        guard !output.isFresh else { throw missing }
        path = sources.output
        absolutePath = canonicalPath(sources.output)
        title = sources.settings.title
        url = sources.settings.url
        targets = sources.settings.publishTargets
        policy = SiteRenderer.contentSecurityPolicy(of: nil, sources.settings)
        precious = sources.precious
        self.sources = sources.folders
        do {
            folder = try output.existing()
            state = output.state
            if !allowsFailed, try state.status(BuildMark.name) != nil {
                throw Failure(
                    "failed-build",
                    "the last build failed, and what is here is older; mend what it reported and build again, or send the "
                        + "older site with --force", at: .file(path))
            }
            var files: [File] = []
            var owners: [String: [String]] = [:]
            let former = Set(try MovedAddresses(reading: sources.existingState()).paths)
            try output.manifest.forEachFile { file in
                files.append(File(path: file.path, content: file.content, size: file.size))
                if !former.isEmpty, !file.product.isEmpty {
                    owners[file.product, default: []].append(file.path)
                }
            }
            self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            moved = owners.values.flatMap { paths -> [(from: String, to: String)] in
                guard let to = paths.first(where: { !former.contains($0) }) else { return [] }
                return paths.filter { former.contains($0) }.map { ($0, to) }
            }
            .sorted { $0.from.utf8.lexicographicallyPrecedes($1.from.utf8) }
        } catch let error as FileError {
            throw Failure("output", error.advice, at: .file(path))
        }
    }

    /// Files that are missing, or not as a build wrote them, by path; all of them are read again (S44).
    ///
    /// - Parameters:
    ///   - verifiedAt: when all of them were last read and found good, in nanoseconds since 1970: one that the file system
    ///     says was not touched since is not read. 0 reads all.
    ///   - progress: hears of each file.
    public func changedByHand(verifiedAt: Int64, jobs: Int, progress: any BuildProgress) throws -> [String] {
        let changed = Mutex<[String]>([])
        let pipeline = Pipeline<ArraySlice<File>>(workers: jobs) { [folder, self] _, files in
            for file in files where try !isAsWritten(file, verifiedAt: verifiedAt, in: folder) {
                changed.withLock { $0.append(file.path) }
            }
            progress.advance(files.count)
        }
        var at = 0
        do {
            while at < files.count {
                let end = min(files.count, at + 64)
                try pipeline.send(files[at..<end])
                at = end
            }
        } catch {
            try pipeline.finish()
            throw error
        }
        try pipeline.finish()
        return changed.withLock { $0.sorted() }
    }

    private func isAsWritten(_ file: File, verifiedAt: Int64, in folder: Directory) throws -> Bool {
        guard let status = try? folder.status(file.path), status.kind == .regular, status.size == file.size
        else {
            return false
        }
        // A tick of the clock earlier, since the last change in it would have the same time.
        if status.changed < verifiedAt - 20_000_000 { return true }
        return Fingerprint(of: try folder.contents(of: file.path, limit: file.size)).low == file.content
    }
}

// The files and the folder never change; the output folder is kept for its lock only.
extension FinishedSite: @unchecked Sendable {}

/// What `_headers` says: the headers that every host should send with files of a site.
///
/// - Parameter policy: the site's Content-Security-Policy, see ``FinishedSite/policy``.
public func hostHeaders(policy: String) -> String { SiteRenderer.hostHeaders(policy: policy) }
