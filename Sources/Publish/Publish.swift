public import Basics
import Glibc
public import Site

/// What the command line asks of publishing.
public struct PublishOptions: Sendable {
    /// The target's name in the settings; nil when there is only one.
    public var target: String?
    /// Whether only to say what would be done.
    public var isDryRun = false
    /// Whether more files than usual may be removed.
    public var allowsDeletions = false
    /// Whether to send what was changed by hand, what an older build made, and over files of others.
    public var isForced = false
    /// Threads that read and pack files; nil is one for each processor.
    public var jobs: Int?

    /// The defaults.
    public init() {}
}

/// What publishing did, or would do.
public struct PublishReport: Sendable {
    /// A step with what it comes to.
    public struct Step: Sendable {
        /// What is done: "send pages", "remove".
        public let title: String
        /// Paths with their sizes; a size is nil for what is removed.
        public let files: [(path: String, bytes: Int?)]
        /// Of all files that are sent.
        public var bytes: Int { files.reduce(0) { $0 + ($1.bytes ?? 0) } }
    }

    /// The target's name, and where it is.
    public var target = "", destination = ""
    /// What is to be done, in order; nothing for a target that is up to date.
    public var steps: [Step] = []
    /// Files sent and removed, and those that were there already.
    public var sent = 0, removed = 0, unchanged = 0
    /// Bytes sent.
    public var bytes = 0
    /// Whether a run that was cut short was taken up.
    public var isResumed = false
    /// What to look at now.
    public var url: String?
}

/// Brings a finished site to a target: compares, sends what differs in an order that leaves no page without what it needs,
/// looks whether it arrived, removes what is gone.
///
/// - Parameters:
///   - base: the folder of the site, to which paths in the settings are relative.
///   - warn: hears what is worth knowing though nothing fails, before the first file is sent.
/// - Throws: ``Failure``; the target then has whole pages with all that they need, and the next run goes on.
public func publish(
    _ site: FinishedSite, base: String, _ options: PublishOptions, progress: any BuildProgress,
    warn: @escaping ([Diagnostic]) -> Void
) throws -> PublishReport {
    let target = try chosenTarget(options.target, among: site.targets)
    do {
        return try Publisher(
            site, target, base: absolutePath(base, in: currentFolder()), options, progress, warn: warn
        )
        .run()
    } catch let fault as TransportFault {
        throw fault.failure(target)
    } catch let error as FileError {
        throw Failure("publish-file", error.description, at: .file(site.path))
    }
}

private func currentFolder() -> String {
    guard let here = getcwd(nil, 0) else { return "/" }
    defer { free(here) }
    return String(cString: here)
}

private func chosenTarget(_ name: String?, among targets: [PublishTarget]) throws -> PublishTarget {
    let names = targets.map { "'\($0.name)'" }.joined(separator: ", ")
    if targets.isEmpty {
        throw Failure(
            "unknown-target",
            "content/site.yaml names no target; add one under 'publish', see docs/publishing.md")
    }
    guard let name else {
        if targets.count == 1 { return targets[0] }
        throw Failure("unknown-target", "there are several targets; say which: \(names)")
    }
    if let target = targets.first(where: { $0.name == name }) { return target }
    let near = suggestion(for: name, among: targets.map(\.name)).map { "; did you mean '\($0)'?" }
    throw Failure(
        "unknown-target", "'\(name)' is no target of content/site.yaml" + (near ?? "; there are \(names)"))
}
