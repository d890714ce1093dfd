import Basics
import Database
import Model
import Search
import Synchronization
import Templates

/// Decides which files a build has to make, and makes them.
///
/// Every file has a fingerprint of all it is made from. A file whose fingerprint is that of the build before is not
/// rendered at all; one that is rendered and comes out the same is not written.
final class PageRun {
    let renderer: SiteRenderer
    private let ledger: Ledger
    private let search: SearchRun?
    private let isFresh: Bool
    private let jobs: Int
    private let progress: any BuildProgress

    /// For each product: bit 0, its page is to be made; bit 1, its tile or feed entry is needed by another page.
    private var needs: [UInt8]
    private var indexes: [IndexTask] = []
    /// All customers that were given, with the products on their lists.
    private(set) var listed: [(customer: Customer, products: [Int32])] = []
    private var prints: PageFingerprints
    /// What the next build knows products by; all are set once they are rendered.
    var marks: ProductMarks { prints.marks }
    private(set) var productPages = 0
    /// Products that have no picture, of those that were rendered.
    private(set) var withoutPicture = 0
    /// Rows of products that are not there, as far as only a walk over everything finds them: in a build into nothing
    /// the plan has read neither facts nor pictures.
    private(set) var orphans: [CatalogueReader.Orphans] = []

    init(
        renderer: SiteRenderer, ledger: Ledger, search: SearchRun?, isFresh: Bool, jobs: Int,
        progress: any BuildProgress
    ) {
        self.renderer = renderer
        self.ledger = ledger
        self.search = search
        self.isFresh = isFresh
        self.jobs = jobs
        self.progress = progress
        needs = [UInt8](repeating: 0, count: renderer.catalogue.count)
        prints = PageFingerprints(renderer: renderer)
    }

    var productsToRender: Int { needs.count { $0 != 0 } }
    var indexesToRender: Int { indexes.count }

    // MARK: Choosing

    /// Finds out what is not as it was.
    func chooseFiles() throws {
        let catalogue = renderer.catalogue
        if let changed = catalogue.changed {
            chooseFiles(showing: changed)
            // As below.
            for product in homeProducts() { needs[Int(product)] |= 2 }
            search?.reuse(&needs, prints)
            return
        }
        if isFresh {
            needs = [UInt8](repeating: 3, count: catalogue.count)
        } else {
            needs = parallelMap(catalogue.count, workers: jobs) { [prints, ledger, renderer] number in
                let fingerprint = prints.product(number)
                let isCurrent = ledger.isCurrent(catalogue.path(number), fingerprint)
                if !renderer.hasReviewsPage(number) { return isCurrent ? 0 : 1 }
                return ledger.isCurrent(catalogue.reviewsPath(number), fingerprint) && isCurrent ? 0 : 1
            }
            for number in needs.indices where needs[number] == 0 {
                productPages += 1
                ledger.keep(pages: renderer.hasReviewsPage(number) ? 2 : 1)
            }
        }
        let tasks = indexTasks()
        if isFresh {
            indexes = tasks
        } else {
            prints.noteTiles(jobs: jobs)
            let isCurrent = parallelMap(tasks.count, workers: jobs) { [prints, ledger, renderer] i in
                ledger.isCurrent(renderer.path(tasks[i]), prints.index(tasks[i]))
            }
            for (task, isCurrent) in zip(tasks, isCurrent) {
                if isCurrent {
                    ledger.keep(pages: task.isPage ? 1 : 0, others: task.isPage ? 0 : 1)
                } else {
                    for product in renderer.products(task) { needs[Int(product)] |= 2 }
                    indexes.append(task)
                }
            }
        }
        // The home page is made by every build that makes anything; its tiles are few.
        for product in homeProducts() { needs[Int(product)] |= 2 }
        search?.reuse(&needs, prints)
    }

    /// Finds out what is not as it was where the plan is the former one: only files that show products that have changed can be.
    private func chooseFiles(showing changed: [Int]) {
        let catalogue = renderer.catalogue
        ledger.keepAll()
        productPages = catalogue.count
        for number in changed {
            let fingerprint = prints.product(number)
            if ledger.isCurrent(catalogue.path(number), fingerprint) { continue }
            needs[number] = 1
            productPages -= 1
        }
        var isChanged = [Bool](repeating: false, count: catalogue.count)
        for number in changed { isChanged[number] = true }
        for task in indexTasks() where renderer.products(task).contains(where: { isChanged[Int($0)] }) {
            if ledger.isCurrent(renderer.path(task), prints.index(task)) { continue }
            for product in renderer.products(task) { needs[Int(product)] |= 2 }
            indexes.append(task)
        }
    }

    /// All index pages and feeds of the site.
    private func indexTasks() -> [IndexTask] {
        let catalogue = renderer.catalogue
        var tasks: [IndexTask] = []
        for page in 1...renderer.pageCount(catalogue.order) { tasks.append(.all(page: page)) }
        for node in catalogue.tree.nodes.indices {
            for page in 1...renderer.pageCount(catalogue.categoryProducts[node]) {
                tasks.append(.category(node, page: page))
            }
        }
        for value in catalogue.values.indices {
            for page in 1...renderer.pageCount(catalogue.valueProducts[value]) {
                tasks.append(.value(value, page: page))
            }
        }
        if renderer.settings.url != nil, !catalogue.newest.isEmpty {
            tasks.append(.siteFeed)
            if renderer.settings.categoryFeeds {
                for node in catalogue.tree.nodes.indices where !catalogue.categoryNewest[node].isEmpty {
                    tasks.append(.categoryFeed(node))
                }
            }
        }
        return tasks
    }

    /// For each product, whether a feed has it: few are, and an entry costs as much as a tile.
    private func productsInFeeds() -> [Bool] {
        var out = [Bool](repeating: false, count: renderer.catalogue.count)
        guard renderer.settings.url != nil else { return out }
        for product in renderer.catalogue.newest { out[Int(product)] = true }
        if renderer.settings.categoryFeeds {
            for products in renderer.catalogue.categoryNewest {
                for product in products { out[Int(product)] = true }
            }
        }
        return out
    }

    private func homeProducts() -> [Int32] {
        Array(renderer.catalogue.featured.prefix(12) + renderer.catalogue.newest.prefix(12))
    }

    // MARK: Products

    /// Renders the products that are needed, each once: page, reviews, tile, feed entry.
    ///
    /// - Parameter spool: gets the tiles and feed entries.
    func renderProducts(_ reader: CatalogueReader, _ spool: TileSpool) throws {
        let catalogue = renderer.catalogue
        let needs = self.needs
        let isInFeed = productsInFeeds()
        let wanted = productsToRender
        if wanted == 0, !isFresh { return }
        let writers = (0..<jobs).map { _ in WriterBox(Ledger.Writer(ledger)) }
        let pages = Atomic<Int>(0)
        let bare = Atomic<Int>(0)
        let spare = Mutex<[ProductBatch]>([])
        let rooms = (0..<jobs).map { _ in ProductRoom(order: renderer.settings.order) }
        let pipeline = Pipeline<ProductBatch>(workers: jobs) {
            [renderer, prints, spool, search, isFresh, progress] worker, batch in
            let writer = writers[worker].writer
            let room = rooms[worker]
            room.clear()
            let products = batch.products()
            // Asked for before any of them is waited for, so that they are made while others are.
            for (_, entry) in products {
                if renderer.pictures.request(for: entry) == 0 { bare.add(1, ordering: .relaxed) }
            }
            for (number, entry) in products {
                if isFresh { prints.setRow(number, of: entry, using: &room.digest) }
                renderer.render(entry, number: number, into: &room.rendered)
                if renderer.pictures.hasPassingFault(entry) { prints.marks.spoil(number) }
                let fingerprint = prints.product(number)
                if needs[number] & 1 != 0 {
                    try writer.put(
                        room.rendered.path, fingerprint, room.rendered.page, warnings: room.rendered.warnings,
                        product: MovedAddresses.name(of: entry.product.id))
                    if room.rendered.reviews.count > 0 {
                        try writer.put(catalogue.reviewsPath(number), fingerprint, room.rendered.reviews)
                    }
                    pages.add(1, ordering: .relaxed)
                }
                let start = room.bytes.count
                room.rendered.tile.withBytes { room.bytes.append(contentsOf: $0) }
                let middle = room.bytes.count
                if isInFeed[number] { renderer.feedEntry(entry, number: number, into: &room.bytes) }
                room.slots.append((number, middle - start, room.bytes.count - middle))
                if let search {
                    let start = room.records.count
                    search.append(
                        entry, number: number, fingerprint: fingerprint, rating: room.rendered.rating,
                        tint: room.rendered.tint, using: &room.record, to: &room.records)
                    room.recordSlots.append((number, room.records.count - start))
                }
            }
            try spool.append(room.bytes, of: room.slots)
            try search?.add(room.records, of: room.recordSlots)
            progress.advance(batch.count)
            spare.withLock { $0.append(batch) }
        }
        var batch = ProductBatch()
        func send() throws {
            try pipeline.send(batch)
            batch = spare.withLock { $0.popLast() } ?? ProductBatch()
            batch.removeAll()
        }
        // A few rows are looked up by their keys; for many it is cheaper to walk the table.
        let isSelective = wanted * 8 < catalogue.count
        let keys = isSelective ? needs.indices.filter { needs[$0] != 0 }.map { catalogue.keys[$0] } : nil
        var next = 0
        do {
            let orphans = try reader.forEachRows(.full, keys: keys) { rows in
                let number: Int
                if isSelective {
                    number = catalogue.number(of: rows.id)!
                } else {
                    number = next
                    next += 1
                    if needs[number] == 0 { return }
                }
                batch.append(rows, number: number)
                if batch.isFull { try send() }
            }
            if isFresh { self.orphans = orphans.filter { [.facts, .pictures].contains($0.source) } }
            if batch.count > 0 { try send() }
        } catch {
            try? pipeline.finish()
            throw error
        }
        try pipeline.finish()
        for box in writers { try box.writer.flush() }
        productPages += pages.load(ordering: .relaxed)
        withoutPicture += bare.load(ordering: .relaxed)
    }

    // MARK: Indexes and feeds

    /// Renders the pages that show tiles, and the feeds.
    func renderIndexes(_ reader: CatalogueReader, _ spool: TileSpool, log: inout [Diagnostic]) throws {
        if indexes.count > 100 { prints.noteTiles(jobs: jobs) } else { prints.forgetTiles() }
        let writers = (0..<jobs).map { _ in WriterBox(Ledger.Writer(ledger)) }
        let rooms = (0..<jobs).map { _ in IndexRoom() }
        let pipeline = Pipeline<ArraySlice<IndexTask>>(workers: jobs) {
            [renderer, prints, spool, progress] worker, tasks in
            let room = rooms[worker]
            for task in tasks {
                room.page.removeAll()
                try renderer.render(task, from: spool, into: &room.page)
                try writers[worker].writer.put(
                    renderer.path(task), prints.index(task), room.page, isPage: task.isPage)
            }
            progress.advance(tasks.count)
        }
        do {
            for start in stride(from: 0, to: indexes.count, by: 16) {
                try pipeline.send(indexes[start..<min(start + 16, indexes.count)])
            }
        } catch {
            try? pipeline.finish()
            throw error
        }
        try pipeline.finish()
        // Like all pages of which there is one each, it is made by every build.
        let home = try renderer.home(reader, from: spool, log: &log)
        try writers[0].writer.put("index.html", 0, home)
        for box in writers { try box.writer.flush() }
    }

    // MARK: Single pages

    /// What makes the pages and files of which there is one each, but for the home page.
    var singlePages: SinglePagesRun { SinglePagesRun(renderer: renderer, ledger: ledger, prints: prints) }

    // MARK: Customers

    /// The private pages, some customers at a time, so that memory does not follow their number.
    func renderCustomers(
        _ customers: [Customer], key: [UInt8], _ reader: CatalogueReader, log: inout [Diagnostic]
    ) throws {
        if customers.isEmpty { return }
        let catalogue = renderer.catalogue
        let writers = (0..<jobs).map { _ in WriterBox(Ledger.Writer(ledger)) }
        // A folder without an index shows its contents on some hosts (S56).
        try writers[0].writer.put("lists/index.html", 0, renderer.notFound(at: "lists/index.html"))
        try writers[0].writer.flush()
        let pipeline = Pipeline<CustomerBatch>(workers: jobs) { [renderer] worker, batch in
            for page in batch.pages {
                let lists = renderer.lists(of: page.customer, token: page.token, products: batch.products)
                for kind in page.customer.pages {
                    try writers[worker].writer.put(
                        Customer.path(page.token, kind), page.fingerprint,
                        renderer.customer(page.customer, token: page.token, kind: kind, lists: lists))
                }
            }
        }
        var batch: [CustomerPages] = []
        func send() throws {
            var names: [Int: [String]] = [:]
            for page in batch {
                for (name, number) in page.numbers { names[number, default: []].append(name) }
            }
            var products: [String: SiteRenderer.ListedProduct] = [:]
            try reader.products(names.keys.map { catalogue.keys[$0] }, .brief) { entry in
                guard let number = catalogue.number(of: entry.product.id) else { return }
                for name in names[number] ?? [] { products[name] = (entry, number) }
            }
            try pipeline.send(CustomerBatch(pages: batch, products: products))
            batch.removeAll(keepingCapacity: true)
        }
        do {
            for customer in customers {
                let numbers = renderer.numbers(of: customer, log: &log)
                listed.append((customer, numbers.values.map { Int32($0) }.sorted()))
                let token = ListKey.token(of: customer, key: key)
                let fingerprint = prints.customer(customer, token: token, numbers: numbers)
                let pages = customer.pages
                // Each is asked about: what nobody asks about is gone.
                let current = pages.count { ledger.isCurrent(Customer.path(token, $0), fingerprint) }
                if current == pages.count {
                    ledger.keep(pages: current)
                    continue
                }
                batch.append(
                    CustomerPages(
                        customer: customer, token: token, fingerprint: fingerprint, numbers: numbers))
                if batch.count == 100 { try send() }
            }
            if !batch.isEmpty { try send() }
        } catch {
            try? pipeline.finish()
            throw error
        }
        try pipeline.finish()
        for box in writers { try box.writer.flush() }
    }

    private struct CustomerPages: Sendable {
        let customer: Customer
        let token: String
        let fingerprint: UInt64
        let numbers: [String: Int]
    }

    private struct CustomerBatch: Sendable {
        let pages: [CustomerPages]
        let products: [String: SiteRenderer.ListedProduct]
    }

    // MARK: Moved products

    /// Stubs at the former addresses of products, leading to where they are now.
    ///
    /// - Parameter moved: gets the products whose page was elsewhere in the build before, and loses those that are gone.
    func renderMoved(_ moved: inout MovedAddresses, _ manifest: Manifest, _ reader: CatalogueReader) throws {
        let catalogue = renderer.catalogue
        if !isFresh {
            for hash in ledger.removed() {
                guard let file = try manifest.file(hash: hash), !file.product.isEmpty else { continue }
                moved.add(file.path, product: file.product)
            }
        }
        var numbers: [String: Int] = [:]
        moved.keep { path, key in
            guard let number = key.flatMap({ catalogue.number(of: $0) }) else { return false }
            numbers[path] = number
            return true
        }
        if numbers.isEmpty { return }
        // An address that another product has by now is that product's.
        for number in 0..<catalogue.count { numbers[catalogue.path(number)] = nil }
        var names: [Int: String] = [:]
        try reader.forEachProduct(.brief, keys: Set(numbers.values).sorted().map { catalogue.keys[$0] }) {
            entry in
            if let number = catalogue.number(of: entry.product.id) { names[number] = entry.product.name }
        }
        let writer = Ledger.Writer(ledger)
        for (path, number) in numbers.sorted(by: { $0.key < $1.key }) {
            let target = catalogue.path(number)
            let name = names[number] ?? ""
            let fingerprint = prints.redirect(to: target, name: name)
            if ledger.isCurrent(path, fingerprint) {
                ledger.keep(pages: 1)
            } else {
                try writer.put(
                    path, fingerprint, renderer.redirect(from: path, to: target, name: name),
                    product: MovedAddresses.name(of: catalogue.keys[number]))
            }
        }
        try writer.flush()
    }

    // MARK: Assets

    /// The theme's files, and the pictures that pages refer to.
    func writeAssets() throws {
        let writer = Ledger.Writer(ledger)
        for file in renderer.assets.files { try writer.put(file.path, 0, file.bytes, isPage: false) }
        for (name, picture) in try renderer.pictures.found() {
            // The name is made of the content, so that it is also the fingerprint.
            let missing = picture.variants.filter {
                !ledger.isCurrent(picture.path($0), hash64(picture.path($0)))
            }
            for _ in missing.count..<picture.variants.count { ledger.keep(others: 1) }
            if missing.isEmpty { continue }
            for (variant, bytes) in zip(
                picture.variants, try renderer.pictures.files(of: picture, name: name))
            where missing.contains(variant) {
                let path = picture.path(variant)
                try writer.put(path, hash64(path), bytes, isPage: false)
            }
        }
        try writer.flush()
    }
}

/// A writer that one worker at a time uses: the worker with its number.
private final class WriterBox: @unchecked Sendable {
    // Each box is used by one worker until the pipeline has finished, and by the main thread after that.
    let writer: Ledger.Writer

    init(_ writer: Ledger.Writer) { self.writer = writer }
}

/// Memory that a worker uses again from batch to batch. Given back each time, blocks as large as these would have the allocator
/// put all small ones together that are free, and take them apart again.
private final class ProductRoom: @unchecked Sendable {
    // Each is used by one worker.
    /// Tiles with feed entries, and records of the search, of all products of a batch; and what of each there is.
    var bytes: [UInt8] = [], records: [UInt8] = []
    var slots: [(number: Int, tile: Int, entry: Int)] = []
    var recordSlots: [(number: Int, length: Int)] = []
    var record = SearchRecord()
    var rendered = ProductBuffers()
    var digest: PlanDigest

    init(order: Catalogue.Order) { digest = PlanDigest(order: order) }

    func clear() {
        bytes.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
        slots.removeAll(keepingCapacity: true)
        recordSlots.removeAll(keepingCapacity: true)
    }
}

/// The same for index pages.
private final class IndexRoom: @unchecked Sendable {
    // Each is used by one worker.
    var page = ByteBuffer(capacity: 65_536)
}
