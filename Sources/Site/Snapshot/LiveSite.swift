public import Basics
import Database
import Glibc
import Model
import Templates

/// A site that is looked at while it is being changed: the latest ``Snapshot``, and what is wrong since.
///
/// Threads of its own. One reads the small files and makes a snapshot, which takes milliseconds whatever the size of
/// the catalogue. Another surveys all products when the database or the settings have changed; until it is done,
/// snapshots show the rows of now by the plan of before, and without one, by that of a sample. Each works on one change at
/// a time, and what came in meanwhile is one change together. A third makes the tiles of indexes ahead, while nothing else is
/// to do.
public final class LiveSite: Sendable {
    /// A part of the site that was changed.
    public enum Part: Hashable, Sendable { case database, pictures, files }

    /// What becomes of a change.
    public enum Event: Sendable {
        /// A snapshot was made; `seconds` is how long the survey for it took, nil if there was none.
        case planned(products: Int, seconds: Double?)
        /// A sample is shown while all products are read.
        case sampled
        /// The site cannot be made as it is; the last good one is still shown.
        case failed(Failure)
        /// Warnings that the plan gave and the one before did not.
        case warned([Diagnostic])
    }

    private struct State {
        var snapshot: Snapshot?
        var failure: Failure?
        /// Counts snapshots and failures.
        var generation = 0
        var changes: Set<Part> = []
        var isWanted = true
        var isClosed = false
        var places = WatchedPlaces()
        /// Whether nothing is under way.
        var isSettled: Bool { !isWanted && (failure != nil || snapshot?.isExact == true) }

        /// Raised whenever somebody says that the database has changed: times of files are too coarse to tell.
        var databaseVersion = 0
        var survey: Survey?
        /// Of which state the survey that runs will be.
        var surveyed: SurveyKey?
        /// A survey that failed, not to be tried again before something changes.
        var failedSurvey: (SurveyKey, Failure)?
        /// How many surveys in a row have ended because others had to wait for them.
        var wayGiven = 0
        /// Of which state the data of the search is wanted.
        var searchKey: SnapshotSearch.Key?
        /// Whether a survey ended since the last snapshot.
        var isSurveyNews = false
        /// The pictures of the latest snapshot, and of earlier ones for as long as somebody uses them.
        var pictures: [Weak<PictureFolder>] = []
    }

    private let options: BuildOptions
    private let state = Monitor(State())
    private let tell: @Sendable (Event) -> Void
    /// How many seconds a changed site is left alone before its tiles are made ahead.
    private let calm: Double
    /// How long a first survey may take before a sample is shown, in seconds. Arbitrary: what nobody notices.
    private static let patience = 0.15
    /// As many as a preview has threads that make pages: who had to wait for a reader would be overtaken by those who come
    /// later.
    private static let readers = 8
    /// How many surveys in a row give way to other programs. Arbitrary.
    private static let politeness = 5
    /// How many products a sample has. Reading them takes some 20 ms.
    private static let sampleSize = 2000

    /// Begins to read the site.
    ///
    /// - Parameter tell: hears of everything that happens, on the threads of the site.
    public convenience init(_ options: BuildOptions, tell: @escaping @Sendable (Event) -> Void = { _ in }) {
        // Arbitrary: a shop that writes all the time must not have all tiles made, and written to the disk, for each of its
        // changes.
        self.init(options, calm: 60, tell: tell)
    }

    init(_ options: BuildOptions, calm: Double, tell: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.options = options
        self.calm = calm
        self.tell = tell
        raiseFileLimit()
        if !detachThread({ self.run() }) {
            publish(nil, Failure("internal", "no thread can be started; end other programs and try again"))
        }
    }

    /// Whether it was closed.
    public var isClosed: Bool { state.withLock(waking: .none) { $0.isClosed } }

    /// Ends its threads, when they are done with what they do. Pictures that are being made are given up, and nobody waits
    /// for them.
    public func close() {
        let pictures = state.withLock { state in
            state.isClosed = true
            return state.pictures
        }
        for folder in pictures { folder.object?.abandon() }
    }

    /// Says that something was changed.
    public func note(_ parts: Set<Part>) {
        state.withLock { state in
            state.changes.formUnion(parts)
            state.isWanted = true
        }
    }

    /// What is to be watched, and how to tell what a changed file means.
    public var places: WatchedPlaces { state.withLock(waking: .none) { $0.places } }

    /// How often there was news so far: a snapshot, or a failure.
    public var generation: Int { state.withLock(waking: .none) { $0.generation } }

    /// The latest snapshot, what is wrong since, and the count of news; waits for the first.
    public func latest() -> (snapshot: Snapshot?, failure: Failure?, generation: Int) {
        state.wait(waking: .none) { state in
            guard state.generation > 0 || state.isClosed else { return nil }
            return (state.snapshot, state.failure, state.generation)
        }!
    }

    /// Whether nothing is under way: the latest snapshot is that of the site as it is, or it cannot be made.
    public var isSettled: Bool { state.withLock(waking: .none) { $0.isSettled } }

    /// Waits for news after a generation; nil when there is none in time or the site was closed.
    public func news(after generation: Int, seconds: Double) -> (
        snapshot: Snapshot?, failure: Failure?, generation: Int
    )? {
        let news = state.wait(seconds: seconds) {
            state -> (snapshot: Snapshot?, failure: Failure?, generation: Int)?? in
            if state.isClosed { return .some(nil) }
            guard state.generation > generation else { return nil }
            return .some((state.snapshot, state.failure, state.generation))
        }
        return news ?? nil
    }

    /// The snapshot of the site as it is now; waits for the survey if one is running, and nil when that fails.
    public func exact(seconds: Double = 60) -> Snapshot? {
        let found = state.wait(seconds: seconds) { state -> Snapshot?? in
            if state.isClosed { return .some(nil) }
            return state.isSettled ? .some(state.failure == nil ? state.snapshot : nil) : nil
        }
        return found ?? nil
    }

    // MARK: Planning

    /// The small parts of the site that a later snapshot may use again.
    private struct Kept {
        var pictures: PictureFolder?
        var lists: (stamp: String, customers: [Customer], log: [Diagnostic])?
        var customers = KnownCustomers()
        var readers: (key: SurveyKey, pool: ReaderPool)?
        var search: SnapshotSearch?
        var tiles: TileStore?
        /// Whether tiles were kept before, of a state that is past.
        var hadTiles = false
        var warnings: Set<Diagnostic> = []
    }

    private func run() {
        var kept = Kept()
        while true {
            let changes = state.wait { state -> Set<Part>?? in
                if state.isClosed { return .some(nil) }
                guard state.isWanted else { return nil }
                defer { state.changes = [] }
                if state.changes.contains(.database) { state.databaseVersion += 1 }
                return .some(state.changes)
            }
            guard let changes = changes ?? nil else { return }
            do {
                try plan(changes, &kept)
            } catch {
                let failure = (error as? Failure) ?? Failure("file", "\(error)")
                publish(nil, failure)
                // Somebody is writing: that passes without a change that we would hear of.
                if failure.diagnostics.contains(where: { $0.id == "database-busy" }) { note([.database]) }
            }
        }
    }

    private func plan(_ changes: Set<Part>, _ kept: inout Kept) throws {
        let sources: SiteSources
        do {
            sources = try SiteSources(options, pictures: changes.contains(.pictures) ? nil : kept.pictures)
        } catch {
            // What mends it is a change below the site's own folders.
            state.withLock { $0.places = WatchedPlaces(site: options.site) }
            throw error
        }
        let isClosed = state.withLock { state in
            state.places = sources.places
            if kept.pictures !== sources.pictures {
                state.pictures.removeAll { $0.object == nil }
                state.pictures.append(Weak(object: sources.pictures))
            }
            return state.isClosed
        }
        if isClosed { sources.pictures.abandon() }
        kept.pictures = sources.pictures
        var log: [Diagnostic] = []
        let key = state.withLock { SurveyKey(sources, version: $0.databaseVersion) }
        if kept.readers?.key != key {
            kept.readers = nil
            kept.readers = (key, try ReaderPool(sources, size: Self.readers))
        }
        guard let readers = kept.readers?.pool else { return }
        let (survey, isSample) = try survey(sources, key, readers)
        log += survey.log
        let definitions = try sources.facets(named: { survey.facetNames }, log: &log)
        var catalogue = survey.catalogue
        catalogue.relabel(definitions)
        let customers = try customers(sources, &kept, &log)
        let renderer = SiteRenderer(
            settings: sources.settings, strings: sources.strings, catalogue: catalogue,
            pictures: sources.pictures,
            pages: try sources.contentPages(facets: catalogue.facets.map(\.folder), log: &log),
            assets: sources.assets, views: try Views(sources.theme, strings: sources.strings, log: &log),
            isForAll: false)
        let searchKey = SnapshotSearch.Key(survey: key, site: renderer.fingerprint)
        state.withLock(waking: .none) { $0.searchKey = searchKey }
        if !sources.settings.hasSearch {
            kept.search = nil
        }
        // That of before is shown until the plan is new, and one that is being made is made to its end: a shop that writes all
        // the time would never have any.
        else if kept.search?.key != searchKey, survey.key == key, kept.search?.isRunning != true {
            kept.search = SnapshotSearch(searchKey) { [weak self] in self?.noteSearch($0) }
        }
        let tileKey = TileStore.Key(
            survey: key, site: renderer.fingerprint, template: renderer.views.tileTemplate.fingerprint,
            pictures: sources.pictures)
        if kept.tiles?.key != tileKey { kept.tiles = nil }
        let hasNewTiles = kept.tiles == nil && survey.key == key
        if hasNewTiles { kept.tiles = TileStore(tileKey, products: catalogue.count, in: sources) }
        let snapshot = Snapshot(
            renderer, sources, search: kept.search, hasNewSearch: kept.search?.key == searchKey,
            tiles: kept.tiles, slugs: survey.slugs, readers: readers,
            customers: customers,
            key: customers.isEmpty ? [] : try ListKey.read(in: sources.state(), log: &log),
            moved: try MovedAddresses(reading: sources.existingState()),
            isExact: survey.key == key, isSample: isSample)
        publish(snapshot, nil)
        if hasNewTiles, kept.tiles != nil {
            makeTiles(of: snapshot, after: kept.hadTiles ? calm : 0)
            kept.hadTiles = true
        }
        if isSample {
            tell(.sampled)
        } else if snapshot.isExact {
            tell(.planned(products: catalogue.count, seconds: survey.isTold ? nil : survey.seconds))
            state.withLock { $0.survey?.isTold = true }
            let news = log.filter { !kept.warnings.contains($0) }.sortedByPlace()
            kept.warnings = Set(log)
            if !news.isEmpty { tell(.warned(news)) }
        }
    }

    /// Makes the tiles of indexes ahead, until those of another state are shown.
    private func makeTiles(of snapshot: Snapshot, after calm: Double) {
        detachThread {
            let isPast = { @Sendable (state: inout State) in
                state.isClosed || state.snapshot?.tileStore !== snapshot.tileStore
            }
            if self.state.wait(seconds: calm, for: { isPast(&$0) ? true : nil }) == true { return }
            // The database cannot be read at the moment: tiles are made when they are asked for.
            try? snapshot.makeTiles { self.state.withLock(waking: .none) { !isPast(&$0) } }
            returnUnusedMemory()
        }
    }

    /// The data of the search was made, or could not be; if it is of a state that is past, the next may be made.
    private func noteSearch(_ key: SnapshotSearch.Key) {
        state.withLock { if $0.searchKey != key { $0.isWanted = true } }
    }

    private func publish(_ snapshot: Snapshot?, _ failure: Failure?) {
        let isNews = state.withLock { state in
            let isNews = failure != state.failure || snapshot != nil
            if let snapshot { state.snapshot = snapshot }
            state.failure = failure
            if isNews { state.generation += 1 }
            // Only now: who waits for the exact site must not see the one before. A change that came in meanwhile is
            // kept in `changes`.
            state.isWanted = !state.changes.isEmpty || state.isSurveyNews
            state.isSurveyNews = false
            return isNews
        }
        if isNews, let failure { tell(.failed(failure)) }
    }

    private func customers(_ sources: SiteSources, _ kept: inout Kept, _ log: inout [Diagnostic]) throws
        -> [Customer]
    {
        let stamp = try sources.listsStamp()
        if kept.lists?.stamp != stamp {
            var own: [Diagnostic] = []
            kept.lists = (stamp, try sources.customers(known: &kept.customers, log: &own), own)
        }
        log += kept.lists?.log ?? []
        return kept.lists?.customers ?? []
    }

    // MARK: Surveys

    /// The survey of a state if it is done, else that of the state before while the new one is made, else a sample.
    private func survey(_ sources: SiteSources, _ key: SurveyKey, _ readers: ReaderPool) throws -> (
        Survey, isSample: Bool
    ) {
        let (known, mustStart, failure) = state.withLock { state -> (Survey?, Bool, Failure?) in
            if state.survey?.key == key {
                state.isSurveyNews = false
                return (state.survey, false, nil)
            }
            if let (failedKey, failure) = state.failedSurvey, failedKey == key {
                return (nil, false, failure)
            }
            // One at a time: the one that runs asks for the next when it is done.
            let isIdle = state.surveyed == nil
            if isIdle { state.surveyed = key }
            return (state.survey, isIdle, nil)
        }
        if let failure { throw failure }
        if mustStart {
            let sources = sources
            if !detachThread({ self.survey(sources, key) }) {
                state.withLock { $0.surveyed = nil }
                throw Failure("internal", "no thread can be started; end other programs and try again")
            }
        }
        if let known { return (known, false) }
        let first = state.wait(seconds: Self.patience) { state -> Survey?? in
            if let survey = state.survey {
                state.isSurveyNews = false
                return .some(survey)
            }
            return state.surveyed == nil ? .some(nil) : nil
        }
        if let first {
            if let survey = first { return (survey, false) }
            if let (_, failure) = state.withLock({ $0.failedSurvey }) { throw failure }
        }
        return (try readers.reading { try Survey.sample(sources, $0, Self.sampleSize) }, true)
    }

    private func survey(_ sources: SiteSources, _ key: SurveyKey) {
        let (former, wayGiven) = state.withLock(waking: .none) { ($0.survey, $0.wayGiven) }
        // A shop that writes all the time must not keep the plan from being made.
        let givesWay = wayGiven < Self.politeness
        // There is something to show: pages come first. (Of a thread of Linux, not of the process.) But who lets others wait
        // for the database must not wait for a processor.
        if former != nil, givesWay { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
        let result = Result {
            try former?.renewed(sources, key, givesWay: givesWay)
                ?? Survey(sources, key, givesWay: givesWay)
        }
        returnUnusedMemory()
        state.withLock { state in
            state.surveyed = nil
            state.wayGiven = 0
            switch result {
            case .success(let survey):
                state.survey = survey
                state.failedSurvey = nil
            case .failure(is Survey.GaveWay): state.wayGiven = wayGiven + 1
            case .failure(let error):
                state.failedSurvey = (key, (error as? Failure) ?? Failure("file", "\(error)"))
            }
            state.isSurveyNews = true
            state.isWanted = true
        }
    }
}

/// An object that is not held.
private struct Weak<Object: AnyObject & Sendable>: Sendable {
    weak var object: Object?
}
