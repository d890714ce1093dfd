import Basics
import Database
import Formats
import Model
import TestSupport
import Testing

@testable import Importers

/// A folder with files to import and a database, and what an import of them printed.
final class Workbench {
    let folder = TemporaryFolder(inMemory: true)
    var options = ImportOptions()
    /// What the last import said, a line each, with the folder left out of paths.
    private(set) var log: [String] = []
    /// Answers to questions about columns; nil does not ask.
    var answers: [String: String]?
    private(set) var asked: [ColumnQuestion] = []

    init(database sql: String? = nil) throws {
        options.database = folder.file("shop.db")
        if let sql { try Connection(own: options.database).execute(sql) }
    }

    /// Writes files, imports them in the order of their names here, and gives the report.
    @discardableResult
    func take(_ files: (name: String, text: String)...) throws -> ImportReport {
        for file in files { try folder.write(file.name, file.text) }
        return try run(files.map(\.name))
    }

    @discardableResult
    func take(_ name: String, _ bytes: [UInt8]) throws -> ImportReport {
        try folder.write(name, bytes)
        return try run([name])
    }

    @discardableResult
    func run(_ names: [String]) throws -> ImportReport {
        log = []
        let ask = answers.map { answers in
            { (question: ColumnQuestion) -> String? in
                self.asked.append(question)
                return answers[question.column]
            }
        }
        let importer = Importer(options, log: { self.log.append(self.bare($0.description)) }, ask: ask)
        return try importer.run(names.map { folder.file($0) })
    }

    /// What an import that fails says.
    func failure(_ names: String...) -> String {
        do {
            try run(names)
            return ""
        } catch {
            return bare("\(error)")
        }
    }

    private func bare(_ text: String) -> String { text.replacing(folder.path + "/", with: "") }

    /// Rows of the database as `sqlite3` prints them.
    func rows(_ sql: String) throws -> [String] {
        try Connection(own: options.database).rows(sql) { statement in
            (0..<Int32(statement.columnNames.count)).map {
                statement.storageClass($0) == .null ? "NULL" : statement.text($0)
            }.joined(separator: "|")
        }
    }

    /// Everything in the tables, to see whether anything changed.
    func dump() throws -> [String] {
        var out: [String] = []
        for table in [
            "products", "categories", "product_categories", "facts", "facets", "pictures", "picture_sources",
            "reviews",
        ] {
            out += try rows("SELECT '\(table)', * FROM \(table)")
        }
        return out
    }

    var isThere: Bool { TemporaryFolder.names(in: folder.path).contains("shop.db") }

    /// The bytes of the database's file.
    var bytes: [UInt8] { Project.file(options.database) }
}

/// Expects numbers of rows.
func expect(
    _ report: ImportReport, _ file: Int = 0, new: Int = 0, changed: Int = 0, same: Int = 0, refused: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let expected = ImportReport.Counts(new: new, changed: changed, same: same, refused: refused)
    #expect(report.files[file].counts == expected, sourceLocation: sourceLocation)
}
