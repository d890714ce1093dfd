public import Basics
import Database
import Formats
import Glibc
import Model

/// Brings products and reviews from files into a database with the default schema, all of it or nothing.
public struct Importer {
    private let options: ImportOptions
    private let log: (Diagnostic) -> Void
    private let ask: ((ColumnQuestion) -> String?)?
    private let progress: ((String, Int) -> Void)?

    /// An importer.
    ///
    /// - Parameters:
    ///   - log: gets every refused row as an error, and the first warnings of each kind, while it reads.
    ///   - ask: gives the field for a column that is not known, as `--map` writes it; nil leaves it out.
    ///   - progress: is told now and then which file is read and how far, in percent.
    public init(
        _ options: ImportOptions, log: @escaping (Diagnostic) -> Void,
        ask: ((ColumnQuestion) -> String?)? = nil, progress: ((String, Int) -> Void)? = nil
    ) {
        self.progress = progress
        self.options = options
        self.log = log
        self.ask = ask
    }

    /// Reads the files, products before reviews, and writes what they say.
    ///
    /// Nothing is written if a row is refused, unless the options say otherwise. A failure of a file or of the database
    /// leaves the database as it was.
    public func run(_ paths: [String]) throws(Failure) -> ImportReport {
        let warnings = WarningCounter(log)
        do {
            let inspector = FileInspector(options: options, log: warnings.take, ask: ask)
            // Questions and refusals before anything is opened for writing.
            var files = try paths.map { try inspector.inspect($0) }
            files = files.filter { !$0.format.isReviews } + files.filter { $0.format.isReviews }
            var report = try write(files, warnings)
            warnings.finish()
            report.warningCount = warnings.count
            return report
        } catch let failure as Failure {
            throw failure
        } catch let error as DatabaseError {
            throw Self.failure(error, options.database)
        } catch {
            throw Failure("internal", "\(error)")
        }
    }

    private static func failure(_ error: DatabaseError, _ path: String) -> Failure {
        let advice =
            error.isBusy
            ? "another program is writing to it; try again when it is done"
            : error.isCorruption
                ? "this is no SQLite database, or a damaged one; nothing was written" : error.message
        return Failure("import-database", advice, at: .file(path))
    }

    private func write(_ files: [PreparedFile], _ warnings: WarningCounter) throws -> ImportReport {
        let path = options.database
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            throw Failure("import-database", "is no file; name a database with --into", at: .file(path))
        }
        for file in files where isThere && file.file.isSame(as: status.st_dev, status.st_ino) {
            throw Failure(
                "import-database", "is one of the files to import; name another one with --into",
                at: .file(path))
        }
        var isCommitted = false
        defer {
            // What was made for nothing goes again, so that no build finds an empty database.
            if !isThere, !isCommitted { unlink(path) }
        }
        let connection: Connection
        do { connection = try Connection(own: path) } catch {
            if isThere { throw Self.failure(error, path) }
            throw Failure(
                "import-database",
                "cannot be made: \(error.message); name a folder that is there with --into", at: .file(path))
        }
        // Pages that do not fit are written to the file ahead of the commit; that bounds the memory.
        try connection.execute("PRAGMA busy_timeout = \(options.patience)")
        try connection.execute("PRAGMA cache_size = -16000; PRAGMA temp.cache_size = -8000")
        try connection.execute("BEGIN IMMEDIATE")
        let writer = try CatalogueWriter(connection, isExtending: options.isExtending)
        var report = ImportReport()
        report.isNew = !isThere
        for file in files {
            try writer.beginFile()
            let run = FileRun(file, options, writer, warnings, log, progress)
            defer { report.addressCount += run.addressCount }
            try run.read()
            report.sampleAddress = report.sampleAddress ?? run.sampleAddress
            report.files.append(run.report)
        }
        for (name, count) in writer.missing.sorted(by: { $0.key < $1.key }) {
            warnings.take(
                Diagnostic(
                    .warning, "import-database",
                    "the database has no '\(name)'; \(count) value\(count == 1 ? "" : "s") left out: say --extend to add it",
                    at: .file(path)))
        }
        if report.refused > 0 && !options.skipsBad || options.isDryRun {
            try connection.execute("ROLLBACK")
        } else {
            try connection.execute("COMMIT")
            isCommitted = true
            report.isWritten = true
        }
        return report
    }
}

/// Hands on the first warnings of each kind and counts the others.
final class WarningCounter {
    private static let limit = 10
    private let log: (Diagnostic) -> Void
    private var counts: [String: Int] = [:]
    private(set) var count = 0

    init(_ log: @escaping (Diagnostic) -> Void) { self.log = log }

    func take(_ diagnostic: Diagnostic) {
        count += 1
        counts[diagnostic.id, default: 0] += 1
        if counts[diagnostic.id, default: 0] <= Self.limit { log(diagnostic) }
    }

    /// Says how many there were more.
    func finish() {
        for (id, count) in counts.sorted(by: { $0.key < $1.key }) where count > Self.limit {
            log(Diagnostic(.warning, id, "… and \(count - Self.limit) more of these"))
        }
    }
}

/// The reading of one file into the database.
private final class FileRun: ItemSink {
    /// Refused rows after which a file is given up that is not to be skipped through; a wrong file has many.
    private static let refusalLimit = 1000

    private let source: PreparedFile
    private let options: ImportOptions
    private let writer: CatalogueWriter
    private let warnings: WarningCounter
    private let log: (Diagnostic) -> Void
    private let reader: ItemReader
    private let progress: ((String, Int) -> Void)?
    private var rows = 0
    private(set) var report: ImportReport.File
    private(set) var addressCount = 0
    private(set) var sampleAddress: String?

    init(
        _ source: PreparedFile, _ options: ImportOptions, _ writer: CatalogueWriter,
        _ warnings: WarningCounter, _ log: @escaping (Diagnostic) -> Void,
        _ progress: ((String, Int) -> Void)?
    ) {
        self.progress = progress
        self.source = source
        self.options = options
        self.writer = writer
        self.warnings = warnings
        self.log = log
        guard let euro = options.currency ?? Currency("EUR") else {
            preconditionFailure("EUR is no currency")
        }
        reader = ItemReader(
            currency: euro, decimalMark: source.decimalMark, dateOrder: source.dateOrder,
            keyColumn: source.keyColumn,
            strengthsAreFractions: source.strengthsAreFractions, volumesAreLitres: source.volumesAreLitres)
        report = ImportReport.File(
            path: source.path, description: source.description, isReviews: source.format.isReviews)
    }

    func read() throws {
        if source.format.isReviews, !writer.schema.has("reviews") {
            throw Failure(
                "import-database", "has no table 'reviews'; say --extend to add it",
                at: .file(options.database))
        }
        if source.format == .google {
            let groups = try VariantGroups(self, reader, writer.connection)
            try read(into: groups)
            return try groups.finish()
        }
        try read(into: self)
    }

    private func read(into sink: any ItemSink) throws {
        switch (source.container, source.format) {
        case (.table, .shopify): try Shopify(source: source, reader: reader).read(sink)
        case (.table, .woocommerce):
            try WooCommerce(source: source, reader: reader, connection: writer.connection).read(sink)
        case (.table, _): try PlainTable(source: source).read(sink)
        case (.xml, _): try XMLFeed(source: source, isLarge: options.isLarge).read(sink)
        case (.jsonLines, _): try JSONLines(source: source).read(sink)
        }
    }

    func take(_ item: Item) throws {
        rows += 1
        if let progress, rows % 512 == 1 {
            progress(source.path, source.file.position * 100 / max(1, source.file.size))
        }
        if let fault = item.fault {
            return try refuse(fault.message, id: "import-value", line: fault.line, column: fault.column)
        }
        var remarks: [ItemReader.Remark] = []
        let outcome: CatalogueWriter.Outcome
        do {
            switch item.kind {
            case .product:
                let row = try reader.product(item, &remarks)
                outcome = try writer.write(row, line: item.line)
                if outcome == .new || outcome == .changed {
                    let addresses = (row.pictures ?? []).compactMap(\.address)
                    addressCount += addresses.count
                    sampleAddress = sampleAddress ?? addresses.first
                }
            case .review:
                let row = try reader.review(item, source: source.format.rawValue, &remarks)
                outcome = try writer.write(row, line: item.line)
            }
        } catch let refusal as ItemReader.Refusal {
            return try refuse(refusal.message, id: refusal.id, line: refusal.line, column: refusal.column)
        }
        for remark in remarks { warn(remark.id, remark.message, line: remark.line, column: remark.column) }
        switch outcome {
        case .new: report.counts.new += 1
        case .changed: report.counts.changed += 1
        case .same: report.counts.same += 1
        case .refused(let id, let message): try refuse(message, id: id, line: item.line, column: 1)
        }
    }

    func leaveOut(_ reason: String) {
        if let i = report.leftOut.firstIndex(where: { $0.reason == reason }) {
            report.leftOut[i].count += 1
        } else {
            report.leftOut.append((reason, 1))
        }
    }

    func refuse(_ message: String, line: Int, column: Int) throws {
        try refuse(message, id: "import-row", line: line, column: column)
    }

    private func refuse(_ message: String, id: String, line: Int, column: Int) throws {
        report.counts.refused += 1
        log(Diagnostic(.error, id, message, at: .text(file: source.path, line: line, column: column)))
        if !options.skipsBad, report.counts.refused >= Self.refusalLimit {
            throw Failure(
                "import-limit",
                "given up after \(Self.refusalLimit) rows that cannot be used; is this the right --format?",
                at: .file(source.path))
        }
    }

    func warn(_ id: String, _ message: String, line: Int, column: Int) {
        warnings.take(
            Diagnostic(.warning, id, message, at: .text(file: source.path, line: line, column: column)))
    }
}
