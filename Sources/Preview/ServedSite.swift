import Basics
import Glibc
import Site

/// What a preview serves: a site that is made when it is asked for, or one that was built.
protocol ServedSite: AnyObject, Sendable {
    /// What is at a path, from the top of the site, decoded, for somebody who has waited for some seconds.
    func find(_ path: String, waited: Double) throws -> Found
    /// The path of the site's address, from `/` to `/`.
    var root: String { get }
    /// Whether it is the output of a build, and behaves as it will for visitors.
    var isFinished: Bool { get }
    /// The style sheets of now: a page that differs in their names only need not be loaded again.
    var styleSheets: [String] { get }
    /// What is wrong, and the count of news so far.
    var standing: (failure: Failure?, generation: Int) { get }
    /// Waits for news; nil when there is none in time.
    func news(after generation: Int, seconds: Double) -> Int?
    /// Waits until what is not known yet is known, or for a moment.
    func waitForPlan()
    /// Whether it has ended.
    var isClosed: Bool { get }
    func close()
}

/// What is at a path.
enum Found: Sendable {
    case file([UInt8])
    /// A folder that has an index; its address ends in a slash.
    case folder
    /// Nothing, with the site's page for that.
    case nothing(page: [UInt8]?)
    /// Nothing at all can be made.
    case broken(Failure)
    /// What the plan that is being made will tell.
    case unknown
}

extension LiveSite: ServedSite {
    /// How many seconds a path that the plan does not know waits for the next plan; a shop that writes all the time would make
    /// it wait for ever. Arbitrary: more than a plan of 100,000 products takes.
    private static let patience = 2.0

    func find(_ path: String, waited: Double) throws -> Found {
        let found = Result { try look(path, waited: waited) }
        // What is not known will not be, and a page lacks the pictures that were given up.
        return isClosed ? .broken(Self.ended) : try found.get()
    }

    private static let ended = Failure("internal", "the preview has ended")

    private func look(_ path: String, waited: Double) throws -> Found {
        let (latest, failure, _) = latest()
        guard let latest else { return .broken(failure ?? Self.ended) }
        if latest.isPast(path), waited < Self.patience { return .unknown }
        if let bytes = try latest.file(path) { return .file(bytes) }
        if latest.isFolder(path) { return .folder }
        // What the plan does not know may be the page of a row that has just come.
        if !isSettled, latest.isSample || waited < Self.patience { return .unknown }
        if !latest.knows(path) { return .unknown }
        return .nothing(page: try latest.file("404.html"))
    }

    var isFinished: Bool { false }
    var root: String { latest().snapshot?.root ?? "/" }
    var styleSheets: [String] { latest().snapshot?.styleSheets ?? [] }
    var standing: (failure: Failure?, generation: Int) {
        let (_, failure, generation) = latest()
        return (failure, generation)
    }

    func news(after generation: Int, seconds: Double) -> Int? {
        news(after: generation, seconds: seconds)?.generation
    }

    func waitForPlan() {
        // Asked again and again, since the preview may end meanwhile.
        exact(seconds: Self.patience)?.waitUntilItKnows(seconds: 0.1)
        // What was waited for may be news to the plan first.
        usleep(2000)
    }
}

extension BuiltSite: ServedSite {
    func find(_ path: String, waited: Double) throws -> Found {
        if let bytes = try file(path) { return .file(bytes) }
        if isFolder(path) { return .folder }
        return .nothing(page: try file("404.html"))
    }

    var isFinished: Bool { true }
    var styleSheets: [String] { [] }
    var standing: (failure: Failure?, generation: Int) { (nil, generation) }

    func waitForPlan() {}
}
