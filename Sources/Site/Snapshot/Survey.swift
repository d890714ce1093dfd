import Basics
import Database
import Glibc
import Model

/// Of what a survey is: equal keys mean that it would come out the same.
struct SurveyKey: Hashable, Sendable {
    private let version: Int
    private let database: String
    private let settings: Fingerprint

    init(_ sources: SiteSources, version: Int) {
        var newest: Int64 = 0
        self.version = version
        database = sources.databaseStamp(newest: &newest)
        settings = Fingerprint(of: sources.settings.source.bytes)
    }

    func hasSettings(of other: SurveyKey) -> Bool { settings == other.settings }
}

/// What reading all products gave: the part of a snapshot that takes as long as the catalogue is large.
struct Survey: Sendable {
    /// Nil for a sample.
    private(set) var key: SurveyKey?
    let catalogue: Catalogue
    let slugs: SlugTable
    /// What can be browsed by besides the fields, as far as that was asked for.
    let facetNames: [String]
    let log: [Diagnostic]
    /// How long it took.
    private(set) var seconds: Double
    /// Nil for a sample.
    private let digest: PlanDigest?
    /// Whether somebody has been told of it.
    var isTold = false

    /// Thrown by a survey that another program has to wait for. What it reads is about to be no longer so.
    struct GaveWay: Error {}

    /// Reads all products.
    ///
    /// - Parameters:
    ///   - givesWay: whether to end with ``GaveWay`` when another program is about to write.
    ///   - wait: waits for that program.
    init(
        _ sources: SiteSources, _ key: SurveyKey, givesWay: Bool,
        wait: (CatalogueReader) -> Void = Self.wait
    ) throws {
        let start = monotonicSeconds()
        let reader = try sources.openDatabase()
        self = try Self.politely(reader, wait) {
            try Survey(
                sources, key, since: start, sample: nil, reader,
                hear: { if givesWay { try Self.makeWay(reader) } }
            ) {
                try reader.facetColumns() + reader.facetNames()
            }
        }
    }

    /// The same plan for another state of the database, if it would come out as it is: all products are read, and nothing is
    /// made of them. Nil if it would not.
    func renewed(
        _ sources: SiteSources, _ key: SurveyKey, givesWay: Bool,
        wait: (CatalogueReader) -> Void = Self.wait
    ) throws -> Survey? {
        guard let digest, let former = self.key, key.hasSettings(of: former) else { return nil }
        let start = monotonicSeconds()
        let reader = try sources.openDatabase()
        do {
            var nowhere: [Diagnostic] = []
            var names: [String] = []
            let read = { () throws -> [String] in
                names = try reader.facetColumns() + reader.facetNames()
                return names
            }
            _ = try sources.facets(named: read, log: &nowhere)
            guard names == facetNames else { return nil }
            var now = PlanDigest(order: sources.settings.order)
            let (categories, faults) = try reader.categories()
            now.add(categories, faults: faults)
            guard now.begins(digest) else { return nil }
            var count = 0
            do {
                let orphans = try Self.politely(reader, wait) {
                    try reader.forEachProduct(.survey) { entry in
                        if now.add(entry), !now.begins(digest) { throw Differs() }
                        count += 1
                        if givesWay, count % 256 == 0 { try Self.makeWay(reader) }
                    }
                }
                now.finish(orphans)
            } catch is Differs {
                return nil
            }
            guard now.equals(digest) else { return nil }
        } catch let error as DatabaseError {
            throw sources.failure(error)
        }
        var survey = self
        survey.key = key
        survey.seconds = monotonicSeconds() - start
        survey.isTold = false
        return survey
    }

    private struct Differs: Error {}

    /// Ends the survey if a program waits for it: once that has its turn, what was read is no longer so.
    private static func makeWay(_ reader: CatalogueReader) throws {
        if reader.isInTheWay() { throw GaveWay() }
    }

    /// Waits, if a survey gave way, for the program that it gave way to. The lock is only given up once no statement stands on a
    /// row, whatever was committed.
    private static func politely<Result>(
        _ reader: CatalogueReader, _ wait: (CatalogueReader) -> Void, _ survey: () throws -> Result
    ) throws -> Result {
        do { return try survey() } catch let end as GaveWay {
            try reader.pause()
            wait(reader)
            throw end
        }
    }

    /// Until nobody writes, which takes moments, or two seconds: to begin anew before would be in the way again.
    private static func wait(_ reader: CatalogueReader) {
        for _ in 0..<100 where reader.isInTheWay() { usleep(20_000) }
    }

    /// Reads some products, so that there is something to show until all are read.
    static func sample(_ sources: SiteSources, _ reader: CatalogueReader, _ count: Int) throws -> Survey {
        let start = monotonicSeconds()
        let keys = try reader.firstKeys(count)
        return try Survey(sources, nil, since: start, sample: keys, reader) {
            // The names in a large table are not to be had in a moment; those of these products are.
            var names = try reader.facetColumns()
            try reader.forEachProduct(.survey, keys: keys) { entry in
                for facet in entry.product.facets where !names.contains(facet.label) {
                    names.append(facet.label)
                }
            }
            return names
        }
    }

    private init(
        _ sources: SiteSources, _ key: SurveyKey?, since start: Double, sample: [ProductID]?,
        _ reader: CatalogueReader, hear: () throws -> Void = {}, names: () throws -> [String]
    ) throws {
        var digest = sample == nil ? PlanDigest(order: sources.settings.order) : nil
        var log: [Diagnostic] = []
        var facetNames: [String] = []
        do {
            let facets = try sources.facets(
                named: {
                    facetNames = try names()
                    return facetNames
                }, log: &log)
            // What is said of facets is said again of each snapshot.
            log = []
            catalogue = try Catalogue(
                reading: reader, .survey, facets: facets, order: sources.settings.order,
                pictures: sources.pictures, needsNameOrder: sources.settings.hasSearch, sample: sample,
                scratch: try? sources.state(), digest: &digest, hear: hear, log: &log)
        } catch let error as DatabaseError {
            throw sources.failure(error)
        } catch let error as MappingError {
            throw sources.settings.failure(error, database: sources.databasePath)
        }
        self.key = key
        self.digest = digest
        self.facetNames = facetNames
        self.log = log
        slugs = SlugTable(catalogue.slugs)
        seconds = monotonicSeconds() - start
    }
}
