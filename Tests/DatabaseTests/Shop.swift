import Basics
import Database
import Model
import TestSupport

/// A database made by a test, and what is read from it.
final class Shop: Sendable {
    let folder = TemporaryFolder()
    var path: String { folder.file("shop.db") }

    /// A database with these statements run; `schema` puts the tables of docs/schema.sql before them.
    init(_ sql: String, schema: Bool = false) throws {
        let database = try Connection(own: path)
        if schema { try database.execute(Project.text(of: "docs/schema.sql")) }
        try database.execute(sql)
    }

    /// Changes the database.
    func execute(_ sql: String) throws { try Connection(own: path).execute(sql) }

    func reader(
        _ queries: [Mapping.Source: String] = [:], notes: [String: Note.Format] = [:],
        rowTimeLimit: Duration = .seconds(10)
    ) throws -> CatalogueReader {
        try CatalogueReader(
            path: path, mapping: Mapping(queries: queries, currency: pounds, noteFormats: notes),
            rowTimeLimit: rowTimeLimit)
    }

    /// Walks all products, or some.
    func read(
        _ queries: [Mapping.Source: String] = [:], _ detail: CatalogueReader.Detail = .full,
        keys: [ProductID]? = nil, notes: [String: Note.Format] = [:]
    ) throws -> Reading {
        let reader = try reader(queries, notes: notes)
        var reading = Reading()
        let orphans = try reader.forEachProduct(detail, keys: keys) { reading.entries.append($0) }
        reading.orphans = orphans.map { "\($0.source.rawValue) \($0.count) \($0.first)" }
        return reading
    }
}

/// What a walk gave.
struct Reading {
    var entries: [CatalogueReader.Entry] = []
    /// Source, count and first key of each.
    var orphans: [String] = []

    var products: [Product] { entries.map(\.product) }
    var ids: [ProductID] { products.map(\.id) }
    /// The messages as they are printed.
    var faults: [String] { entries.flatMap { $0.faults.map(\.description) } }
    /// Everything of every entry, to compare.
    var text: [String] { entries.map { "\($0)" } }
}

let pounds = Currency("GBP")!

/// What is thrown, as its text: the message, and for mappings the id, source and offset as well.
func complaint<T>(_ body: () throws -> T) -> String {
    do {
        _ = try body()
        return "nothing was thrown"
    } catch let error as MappingError {
        let offset = error.offset.map { " at \($0)" } ?? ""
        return "\(error.source.rawValue)\(offset): \(error.message) [\(error.id)]"
    } catch {
        return "\(error)"
    }
}
