import Basics
import Database

extension SiteSources {
    /// The plan: what the site will consist of, and what renders it.
    ///
    /// - Parameter detail: `.survey`, or `.fingerprinted` to compare with an earlier build.
    func renderer(
        _ reader: CatalogueReader, _ detail: CatalogueReader.Detail, jobs: Int = 1, log: inout [Diagnostic]
    ) throws -> SiteRenderer {
        do {
            let facets = try facets(of: reader, log: &log)
            var none: PlanDigest?
            let catalogue = try Catalogue(
                reading: reader, detail, facets: facets, order: settings.order, pictures: pictures,
                needsNameOrder: settings.hasSearch, jobs: jobs, digest: &none, log: &log)
            return SiteRenderer(
                settings: settings, strings: strings, catalogue: catalogue, pictures: pictures,
                pages: try contentPages(facets: catalogue.facets.map(\.folder), log: &log), assets: assets,
                views: try Views(theme, strings: strings, log: &log))
        } catch let error as DatabaseError {
            throw failure(error)
        } catch let error as MappingError {
            throw settings.failure(error, database: databasePath)
        }
    }
}
