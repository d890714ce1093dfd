import Basics
import Database
import Glibc
import Model
import TestSupport
import Testing

/// Damaged databases of SQLite's own tests are read, or refused with a typed error; never a crash (S23).
///
/// `SQLITE_CORRUPT=folder swift test --filter CorruptDatabaseTests` takes all files of a folder instead.
@Suite struct CorruptDatabaseTests {
    @Test func everySampleIsReadOrRefused() throws {
        let unpacked = TemporaryFolder()
        var folder = unpacked.file("sqlite-corrupt")
        if let given = getenv("SQLITE_CORRUPT") {
            folder = String(cString: given)
        } else {
            let archive = Project.root + "/Tests/Corpora/sqlite-corrupt.tar.xz"
            try #require(system("tar -xJf '\(archive)' -C '\(unpacked.path)'") == 0, "needs tar and xz")
        }
        let samples = TemporaryFolder.names(in: folder)
        #expect(samples.count >= 300)
        var read = 0
        for sample in samples {
            let path = folder + "/" + sample
            for queries in [[:], firstTable(of: path).map { [Mapping.Source.products: $0] } ?? [:]] {
                do {
                    let reader = try CatalogueReader(
                        path: path, mapping: Mapping(queries: queries, currency: pounds),
                        rowTimeLimit: .seconds(5))
                    _ = try reader.categories()
                    _ = try reader.facetNames()
                    try reader.forEachProduct(.full) { _ in }
                    read += 1
                } catch let error as DatabaseError {
                    #expect(error.code != 0 && !error.message.isEmpty, "\(sample)")
                } catch let error as MappingError {
                    #expect(!error.message.isEmpty, "\(sample)")
                } catch let error as Failure {
                    #expect(!error.diagnostics.isEmpty, "\(sample)")
                }
            }
        }
        // Damage may be where nothing is read; if every sample was refused, the test would show little.
        #expect(read > 0)
    }

    @Test func damageInMidReadIsAnErrorAndNoEndOfData() throws {
        let shop = try Shop(
            """
            PRAGMA page_size = 1024;
            CREATE TABLE products(id INTEGER PRIMARY KEY, name);
            INSERT INTO products WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
              SELECT i, printf('%.*c', 100, 'x') FROM n;
            """)
        let size = Project.file(shop.path).count
        let file = try #require(fopen(shop.path, "r+"))
        fseek(file, size / 2 / 1024 * 1024, SEEK_SET)
        fwrite([UInt8](repeating: 0xA5, count: 1024), 1, 1024, file)
        fclose(file)
        var count = 0
        let text = complaint { try shop.reader().forEachProduct(.full) { _ in count += 1 } }
        #expect(text == "database disk image is malformed")
        #expect(count > 0 && count < 1000)
    }

    /// Everything of the first table, with names of fields for its first two columns.
    private func firstTable(of path: String) -> String? {
        let reader = try? Connection(reading: path)
        let tables = try? reader?.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid LIMIT 1"
        ) { $0.text(0) }
        guard let table = tables?.first else { return nil }
        let name =
            "\"" + table.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
        guard let columns = try? reader?.prepare("SELECT * FROM \(name)").columnNames,
            let first = columns.first
        else {
            return nil
        }
        let quoted = columns.map {
            "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
                + "\""
        }
        var selection = ["\(quoted[0]) AS id", "\(quoted.last ?? first) AS name"]
        for (i, column) in quoted.enumerated() { selection.append("\(column) AS \"fact:\(i)\"") }
        return "SELECT \(selection.joined(separator: ", ")) FROM \(name)"
    }
}
