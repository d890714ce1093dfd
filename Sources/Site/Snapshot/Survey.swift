import Basics
import Database
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
}

/// What reading all products gave: the part of a snapshot that takes as long as the catalogue is large.
struct Survey: Sendable {
    /// Nil for a sample.
    let key: SurveyKey?
    let catalogue: Catalogue
    let slugs: SlugTable
    /// What can be browsed by besides the fields, as far as that was asked for.
    let facetNames: [String]
    let log: [Diagnostic]
    /// How long it took.
    let seconds: Double
    /// Whether somebody has been told of it.
    var isTold = false

    /// Reads all products.
    init(_ sources: SiteSources, _ key: SurveyKey) throws {
        let start = monotonicSeconds()
        let reader = try sources.openDatabase()
        try self.init(sources, key, since: start, sample: nil, reader) {
            try reader.facetColumns() + reader.facetNames()
        }
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
        _ reader: CatalogueReader, names: () throws -> [String]
    ) throws {
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
                log: &log)
        } catch let error as DatabaseError {
            throw sources.failure(error)
        } catch let error as MappingError {
            throw sources.settings.failure(error, database: sources.databasePath)
        }
        self.key = key
        self.facetNames = facetNames
        self.log = log
        slugs = SlugTable(catalogue.slugs)
        seconds = monotonicSeconds() - start
    }
}
