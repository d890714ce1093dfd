import Basics
import Database

extension SiteSources {
    /// What the site consists of, out of all products.
    ///
    /// - Parameter detail: `.survey`, or `.fingerprinted` to compare with an earlier build.
    func catalogue(
        _ reader: CatalogueReader, _ detail: CatalogueReader.Detail, jobs: Int = 1,
        scratch: Directory? = nil, log: inout [Diagnostic]
    ) throws -> Catalogue {
        try explaining {
            let facets = try facets(of: reader, log: &log)
            var none: PlanDigest?
            return try Catalogue(
                reading: reader, detail, facets: facets, order: settings.order, pictures: pictures,
                needsNameOrder: settings.hasSearch, jobs: jobs, scratch: scratch, digest: &none,
                log: &log)
        }
    }

    /// The same as the build before left it, if it still holds.
    func catalogue(_ reader: CatalogueReader, from kept: KeptPlan) throws -> Catalogue? {
        try explaining { try kept.renewed(reader, settings, pictures) }
    }

    /// What renders the site.
    func renderer(of catalogue: Catalogue, log: inout [Diagnostic]) throws -> SiteRenderer {
        SiteRenderer(
            settings: settings, strings: strings, catalogue: catalogue, pictures: pictures,
            pages: try contentPages(facets: catalogue.facets.map(\.folder), log: &log), assets: assets,
            views: try Views(theme, strings: strings, log: &log))
    }

    /// Has what goes wrong in the database told as the site's owner sees it.
    private func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError {
            throw failure(error)
        } catch let error as MappingError {
            throw settings.failure(error, database: databasePath)
        }
    }
}
