public import Basics
import Database
import Formats
import Glibc
import Markup
import Model
public import Search
import Templates

/// The version of the program.
public let version = SiteRenderer.version

/// What the command line asks of a build.
public struct BuildOptions: Sendable {
    /// The site's folder, which holds `content/site.yaml`.
    public var site = "."
    /// The output folder; nil is `public` in the site's folder.
    public var output: String?
    /// A database other than the one that `site.yaml` names.
    public var database: String?
    /// Worker threads, and as many programs that make pictures; nil is one for each processor.
    public var jobs: Int?
    /// Where pictures are kept that were made; nil is `.build-site/pictures` in the site's folder.
    public var pictureCache: String?
    /// The program that makes pictures; nil is `picture-worker` beside this one.
    public var pictureWorker: String?
    /// Whether warnings fail the build.
    public var isStrict = false
    /// How many files must change, being a quarter of the site at least, before the whole output folder is swapped
    /// for a new one; fewer are renamed one by one. A thousand renames take some 20 ms. With 0 it is swapped whatever changes.
    public var swapsAbove = 1000
    /// How many bytes of what is noted of files a build into nothing keeps in memory, which is enough for some 40,000
    /// files; more are sorted by way of a file.
    public var rowsInMemory = 4 << 20
    /// Where the data of the search is divided.
    public var search = SearchLimits()

    /// The defaults.
    public init() {}

    /// ``jobs``, or their default.
    var jobsInUse: Int { min(max(jobs ?? availableProcessors(), 1), 64) }
}

/// What a build did, as counted on disk.
public struct BuildReport: Sendable {
    /// The counts of the summary.
    public struct Counts: Sendable {
        /// Rows of the products query; each has a page.
        public var products = 0
        /// Products that are shown with the placeholder, having no picture that can be shown.
        public var withoutPicture = 0
        /// HTML pages of the site.
        public var pages = 0
        /// All files of the site, and their bytes.
        public var files = 0, bytes = 0
        /// Files written, left as they were, and removed by this build.
        public var written = 0, unchanged = 0, removed = 0

        /// Nothing yet.
        public init() {}
    }

    /// Counts of files.
    public var counts = Counts()
    /// The first warnings, sorted by place.
    public var warnings: [Diagnostic] = []
    /// How many warnings there are in all.
    public var warningCount = 0
    /// Seconds of each stage, in order.
    public var stages: [(name: String, seconds: Double)] = []
    /// The output folder.
    public var output = ""
    /// Whether the plan was that of the build before, and only products that have changed were read.
    public var isPlanKept = false
}

/// Hears how far a build is.
public protocol BuildProgress: Sendable {
    /// A stage begins; `total` is the number of steps it will take, 0 if unknown.
    func begin(_ stage: String, total: Int)
    /// Some more steps are done.
    func advance(_ steps: Int)
    /// So many pictures are ready of those that were asked for until now; the others were kept from an earlier build or cannot
    /// be shown. Called by any thread.
    func pictures(ready: Int, of asked: Int, made: Int)
}

extension BuildProgress {
    /// Says nothing.
    public func pictures(ready: Int, of asked: Int, made: Int) {}
}

/// Builds a site: read, plan, render, stage, commit.
///
/// - Throws: ``Failure`` with everything that is wrong; the output then is as it was.
public func build(_ options: BuildOptions, progress: any BuildProgress) throws -> BuildReport {
    raiseFileLimit()
    returnLargeBlocks()
    do {
        let report = try Build(options, progress).run()
        BuildMark.clear(options)
        return report
    } catch let error as FileError {
        BuildMark.set(options)
        // The commit has a message of its own; whatever fails elsewhere fails before anything is visible.
        throw Failure("file", error.advice + "; the site was not changed")
    } catch {
        // That another build is at work says nothing about the site.
        if (error as? Failure)?.diagnostics.first?.id != "locked" { BuildMark.set(options) }
        throw error
    }
}

/// One run.
private final class Build {
    private let options: BuildOptions
    private let progress: any BuildProgress
    private let jobs: Int
    private var report = BuildReport()
    private var stageStart = monotonicSeconds()
    /// Warnings that belong to no page, nor to the plan.
    private var log: [Diagnostic] = []
    /// Those of customers' lists.
    private var listLog: [Diagnostic] = []

    init(_ options: BuildOptions, _ progress: any BuildProgress) {
        self.options = options
        self.progress = progress
        jobs = options.jobsInUse
    }

    private func stage(_ name: String, total: Int = 0) {
        endStage()
        report.stages.append((name, 0))
        stageStart = monotonicSeconds()
        progress.begin(name, total: total)
    }

    private func endStage() {
        guard !report.stages.isEmpty else { return }
        report.stages[report.stages.count - 1].seconds = monotonicSeconds() - stageStart
    }

    func run() throws -> BuildReport {
        stage("read")
        let sources = try SiteSources(options) { [progress] in
            progress.pictures(ready: $0.done, of: $0.asked, made: $0.made)
        }
        defer { sources.pictures.close() }
        let output = try OutputFolder(
            path: sources.output, site: options.site, precious: sources.precious, sources: sources.folders,
            swapsAbove: options.swapsAbove)
        report.output = sources.output
        try SearchRun.tidy(output.scratch)
        try KeptPlan.tidy(output.scratch)
        let stamp = try sources.stamp()
        var opened: CatalogueReader?
        var mayKeepPlan = false
        if !output.isFresh, output.damaged.isEmpty, let stamp {
            if try output.manifest[meta: "stamp"] == stamp.text { return try unchanged(output) }
            let isSame: Bool
            (isSame, opened) = try compareRows(sources, stamp, output.manifest)
            if isSame { return try unchanged(output) }
            mayKeepPlan = opened != nil
        }
        let former =
            sources.settings.hasSearch && !output.isFresh ? SearchRun.formerRecords(in: output.scratch) : nil
        var kept: Kept?
        if mayKeepPlan, let opened {
            stage("plan")
            kept = try keptPlan(sources, output, opened, former)
        }
        // Many list files take as long to read as a good part of the database.
        let (lists, plan) = try concurrently(workers: jobs) { [sources, known = kept?.customers] in
            var log: [Diagnostic] = []
            var known = known ?? KnownCustomers()
            return (customers: try sources.customers(known: &known, log: &log), log: log)
        } _: {
            let reader = try opened ?? sources.openDatabase()
            var (planLog, log): ([Diagnostic], [Diagnostic]) = ([], [])
            if kept == nil { stage("plan") }
            // A build into nothing takes its fingerprints while it renders; only one that compares needs them first.
            let catalogue =
                try kept?.catalogue
                ?? sources.catalogue(
                    reader, output.isFresh ? .survey : .fingerprinted, jobs: jobs, scratch: output.scratch,
                    log: &planLog)
            let renderer = try sources.renderer(of: catalogue, log: &log)
            return (reader: reader, renderer: renderer, planLog: planLog, log: log)
        }
        let (customers, reader, renderer) = (lists.customers, plan.reader, plan.renderer)
        report.isPlanKept = kept != nil
        log += plan.log
        listLog = lists.log
        var isCommitted = false
        defer {
            if !isCommitted {
                output.manifest.rollBack()
                output.abandon()
                try? KeptPlan.tidy(output.scratch)
            }
        }
        let ledger = try Ledger(
            output.manifest, stage: output.staging(),
            rows: output.isFresh ? RowSpool(in: output.scratch, limit: options.rowsInMemory) : nil,
            damaged: output.damaged, writers: jobs)
        let key = customers.isEmpty ? [] : try ListKey.read(in: sources.state(), log: &log)
        let search =
            renderer.settings.hasSearch
            ? try SearchRun(
                renderer: renderer, ledger: ledger, folder: output.scratch, former: former,
                jobs: jobs, limits: options.search)
            : nil
        defer { if !isCommitted { search?.abandon() } }
        try output.manifest.begin()
        var moved = try MovedAddresses(reading: sources.existingState())
        let pages = try makePages(
            renderer, reader, sources, output, ledger, search, customers, key: key, kept: kept,
            moved: &moved)
        let planLog = plan.planLog + pages.orphans.map(\.warning)
        if output.isFresh { try makeSearch(search) }

        stage("commit")
        try output.manifest.setWarnings(
            log.filter { $0.id != "new-list-key" }, of: Manifest.siteWarnings, known: true)
        // What was kept has those that it had.
        if kept == nil {
            try output.manifest.setWarnings(planLog, of: Manifest.planWarnings, known: true)
            try output.manifest.setWarnings(listLog, of: Manifest.listWarnings, known: true)
        }
        try countWarnings(output)
        if options.isStrict, report.warningCount > 0 {
            throw Failure(
                report.warnings + [
                    Diagnostic(
                        .error, "strict", strictMessage + "; the site was not changed")
                ])
        }
        let products = renderer.catalogue.count
        guard pages.products == products else {
            throw Failure(
                "row-count",
                "\(products) products were selected, but \(pages.products) pages made; the site was not changed"
            )
        }
        report.counts.products = products
        // Which pages there are is the plan's.
        report.counts.pages =
            kept == nil ? ledger.counts.pages : Int(try output.manifest[meta: "pages"] ?? "") ?? 0
        report.counts.written = ledger.counts.written
        report.counts.withoutPicture = renderer.catalogue.withoutPicture ?? pages.withoutPicture
        let stampToNote = try sources.settled(stamp, reader)
        try sources.pictures.finish()
        let mayBeKept = stamp != nil && !sources.pictures.hasPassingFaults
        // What tells that nothing changed is noted last: a build that is cut short before leaves something to do.
        report.counts.removed = try output.commit(
            ledger,
            meta: [
                ("products", String(products)), ("pages", String(report.counts.pages)),
                ("bare", String(report.counts.withoutPicture)), ("stamp", ""), ("beside", ""), ("rows", ""),
                ("plan", ""), ("pieces", ""),
            ])
        isCommitted = true
        let isInPlace =
            (search?.commit() ?? true) && (try? KeptPlan.commit(in: output.scratch)) != nil
        // Should this be lost, the manifest still knows whose page each stub is, and the next build notes it again.
        if moved.isChanged { try moved.write(to: sources.state()) }
        log += output.warnings
        // No file is written twice.
        (report.counts.files, report.counts.bytes) =
            output.isFresh
            ? (ledger.counts.written, ledger.counts.bytes) : try output.manifest.count()
        report.counts.unchanged = report.counts.files - report.counts.written
        try output.manifest.note([
            ("files", String(report.counts.files)), ("bytes", String(report.counts.bytes)),
            ("stamp", stampToNote),
            ("beside", mayBeKept ? stamp?.besideDatabase ?? "" : ""),
            ("rows", reader.digest?.whole.hex ?? ""), ("plan", mayBeKept && isInPlace ? pages.plan : ""),
            ("pieces", search?.pieces ?? ""),
        ])
        // What is said once, and is no fault of the data for which a strict build would have failed.
        let others = output.warnings + log.filter { $0.id == "new-list-key" }
        report.warnings += others
        report.warningCount += others.count
        endStage()
        return report
    }

    /// What was left by the build before and holds.
    private struct Kept {
        let plan: KeptPlan
        let catalogue: Catalogue
        /// Which customers are to be read.
        let customers: KnownCustomers
    }

    /// The plan of the build before, if it holds and all else that it goes with is there.
    private func keptPlan(
        _ sources: SiteSources, _ output: OutputFolder, _ reader: CatalogueReader, _ former: RecordFile?
    ) throws -> Kept? {
        // Files of pages follow from the plan; which pieces the search has is known from its records.
        if sources.settings.hasSearch {
            guard let former, try output.manifest[meta: "pieces"] == SearchRun.pieces(of: former) else {
                return nil
            }
        }
        guard
            let plan = KeptPlan(in: output.scratch, digest: try output.manifest[meta: "plan"], reader),
            let catalogue = try sources.catalogue(reader, from: plan),
            let customers = plan.lists.customers(
                having: catalogue.changed ?? [], try sources.existingState())
        else { return nil }
        return Kept(plan: plan, catalogue: catalogue, customers: customers)
    }

    /// Makes all pages, and the search of a site that is there: its pieces must be known before files that are gone are looked for.
    /// That of a new one is made when this has returned, since both need memory.
    ///
    /// - Returns: how many products have a page, how many of those that were rendered have no picture, rows of products that are
    ///   not there as far as the plan has not told of them, and what the plan is known by that was left for the next build.
    private func makePages(
        _ renderer: SiteRenderer, _ reader: CatalogueReader, _ sources: SiteSources, _ output: OutputFolder,
        _ ledger: Ledger, _ search: SearchRun?, _ customers: [Customer], key: [UInt8],
        kept: Kept?, moved: inout MovedAddresses
    ) throws -> (
        products: Int, withoutPicture: Int, orphans: [CatalogueReader.Orphans], plan: String
    ) {
        let run = PageRun(
            renderer: renderer, ledger: ledger, search: search, isFresh: output.isFresh, jobs: jobs,
            progress: progress)
        try run.chooseFiles()
        try output.checkSpace(
            bytes: run.productsToRender * 2048, files: run.productsToRender + run.indexesToRender)

        do {
            // Gone when the pages that show tiles are made: what comes then needs its memory.
            let spool = try TileSpool(products: renderer.catalogue.count, in: output.scratch)
            stage("products", total: run.productsToRender)
            try run.renderProducts(reader, spool)
            stage("indexes", total: run.indexesToRender)
            try run.renderIndexes(reader, spool, log: &log)
        }
        if !output.isFresh { try makeSearch(search) }
        stage("pages")
        _ = try concurrently(workers: jobs) { [singlePages = run.singlePages] in
            try singlePages.render()
        } _: {
            try run.renderCustomers(customers, key: key, reader, log: &listLog)
        }
        try run.writeAssets()
        try run.renderMoved(&moved, output.manifest, reader)
        // Before the search, which needs the memory of what products are known by.
        let plan = try KeptPlan.write(
            renderer.catalogue, marks: run.marks,
            withoutPicture: renderer.catalogue.withoutPicture ?? run.withoutPicture, digest: reader.digest,
            pictures: sources.pictures.asked,
            lists: kept?.plan.lists ?? .init(run.listed, key: key), in: output.scratch)
        return (run.productPages, run.withoutPicture, run.orphans, plan)
    }

    private func makeSearch(_ search: SearchRun?) throws {
        guard let search else { return }
        stage("search")
        try search.make()
    }

    /// Whether the database was written to, but nothing that the site takes from it, nor anything else, is other than it was: noted,
    /// so that the next build need not look at the rows.
    ///
    /// - Returns: a reader that knows the fingerprints of all rows, if any were looked at and are still the database's.
    private func compareRows(_ sources: SiteSources, _ stamp: SiteSources.Stamp, _ manifest: Manifest) throws
        -> (isSame: Bool, CatalogueReader?)
    {
        guard try manifest[meta: "beside"] == stamp.besideDatabase,
            let rows = try manifest[meta: "rows"], !rows.isEmpty
        else { return (false, nil) }
        // What is wrong with the database is told by whoever reads it for the plan.
        guard let reader = try? sources.openDatabase(),
            let digest = try? reader.digest(workers: jobs, another: { try sources.openDatabase() })
        else { return (false, nil) }
        if digest.whole.hex == rows {
            try manifest.note([("stamp", try sources.settled(stamp, reader))])
            return (true, nil)
        }
        return (false, (try? reader.resumeUnchanged()) == true ? reader : nil)
    }

    /// Nothing that the site is made from has changed: the report is what the manifest says.
    private func unchanged(_ output: OutputFolder) throws -> BuildReport {
        // Counting 100,000 rows takes longer than all the rest of finding out that nothing changed.
        report.counts.files = Int(try output.manifest[meta: "files"] ?? "") ?? 0
        report.counts.bytes = Int(try output.manifest[meta: "bytes"] ?? "") ?? 0
        report.counts.unchanged = report.counts.files
        report.counts.products = Int(try output.manifest[meta: "products"] ?? "") ?? 0
        report.counts.pages = Int(try output.manifest[meta: "pages"] ?? "") ?? 0
        report.counts.withoutPicture = Int(try output.manifest[meta: "bare"] ?? "") ?? 0
        try countWarnings(output)
        report.warnings += output.warnings
        report.warningCount += output.warnings.count
        if options.isStrict, report.warningCount > 0 {
            throw Failure(
                report.warnings + [Diagnostic(.error, "strict", strictMessage)])
        }
        endStage()
        return report
    }

    private var strictMessage: String {
        let count = report.warningCount
        return "there \(count == 1 ? "is one warning" : "are \(count) warnings"), and --strict was asked for"
    }

    private func countWarnings(_ output: OutputFolder) throws {
        let (first, count) = try output.manifest.warnings(limit: 10_000)
        report.warnings = first.sortedByPlace()
        report.warningCount = count
    }
}
