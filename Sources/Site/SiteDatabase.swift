public import Basics
import Database
public import Model

/// The database that a site's settings name, for commands that fill it.
public struct SiteDatabase: Sendable {
    /// Its path.
    public let path: String
    /// The currency of amounts that name none.
    public let currency: Currency
    /// Whether products are read by a query of the settings and not from the default table.
    public let isMapped: Bool

    /// Reads `content/site.yaml` of a site; nil when there is none.
    public init?(site: String) throws(Failure) {
        let folder = (site.hasSuffix("/") ? site : site + "/") + "content"
        let path = folder + "/site.yaml"
        let settings: SiteSettings
        do {
            let content = try Directory(path: folder)
            let bytes = try content.contents(of: "site.yaml", limit: 1 << 20)
            settings = try SiteSettings(SourceText(file: path, bytes: bytes))
        } catch let error as FileError {
            if error.isMissing { return nil }
            throw Failure("no-site", error.reason, at: .file(path))
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure("internal", "\(error)")
        }
        self.path = settings.database.hasPrefix("/") ? settings.database : folder + "/" + settings.database
        currency = settings.currency
        isMapped = settings.queries[.products] != nil
    }
}
