public import Basics
public import Model

/// Reads a catalogue out of a database by a mapping, inside one read transaction (S21).
///
/// Products come as a stream in the order of their keys; everything that belongs to one (categories, facts,
/// facets, pictures, reviews) is merged in from streams of the same order, so that memory holds one product.
/// Belongs to one thread.
public final class CatalogueReader {
    let connection: Connection
    private let mapping: Mapping
    let relations: [Mapping.Source: Relation]
    let dataVersion: Int64
    /// Takes a picture that is in a cell, and gives a name for it, beginning with ``PictureSource/blobMark``. Without it such cells
    /// are faults. The bytes are gone when it returns. Called by whoever decodes products.
    public var takePicture: (@Sendable (UnsafeRawBufferPointer) -> String)?
    /// Of everything that a site can take from the database, once a walk with fingerprints has gone through all products; see
    /// ``digest(workers:another:)``.
    public internal(set) var digest: CatalogueDigest?
    /// What a digest was made of: its fingerprints need not be taken again.
    var known: RowSum?
    /// Walks over a few products that were made before: preparing six statements takes longer than running them.
    private var prepared: [Kind: Walk] = [:]

    /// What walks over a few products differ in.
    private struct Kind: Hashable {
        let detail: Detail
        /// How many keys it takes.
        let width: Int
    }

    /// The statements of a walk, and what their rows hold.
    struct Walk {
        let form: ProductForm
        /// The column of the key.
        let id: Int32
        let products: Statement
        let children: [ChildCursor.Source]

        var statements: [Statement] { [products] + children.map(\.statement) }
    }

    /// How much of a product a walk reads.
    public enum Detail: Sendable {
        /// What the plan needs: key, name, address, categories, facets, dates, price, number of reviews.
        case survey
        /// The same and the pictures, and a fingerprint of everything, which is read for it but not decoded.
        case fingerprinted
        /// The same, where the fingerprints are known.
        case known
        /// What lists show of a product: name, style, size, price, stock, colour and pictures.
        case brief
        /// What an index shows of a product: the same and the stars of its reviews.
        case tile
        /// Everything, and a fingerprint of it.
        case full
    }

    /// A product as read: with the faults of its cells, and a fingerprint of all its rows if the walk took one.
    ///
    /// An object, because a product has some forty fields to copy, and goes from hand to hand.
    public final class Entry: Sendable {
        /// The row and, in a full walk, all that belongs to it.
        public let product: Product
        /// The number of its reviews; 0 in a brief walk.
        public let reviewCount: Int
        /// Of all its rows; nil in a survey and in a brief walk.
        public let fingerprint: Fingerprint?
        /// Cells that could not be read.
        public let faults: [Diagnostic]

        init(
            _ product: consuming Product, reviewCount: Int, fingerprint: Fingerprint?, faults: [Diagnostic]
        ) {
            self.product = product
            self.reviewCount = reviewCount
            self.fingerprint = fingerprint
            self.faults = faults
        }
    }

    /// Rows that refer to products that are not there.
    public struct Orphans: Sendable {
        /// Where they are.
        public let source: Mapping.Source
        /// How many.
        public let count: Int
        /// The lowest key that is no product's.
        public let first: ProductID
    }

    /// Opens the database and starts the transaction; the mapping is checked column by column.
    ///
    /// - Parameters:
    ///   - rowTimeLimit: how long a query may run without making a row.
    /// - Throws: ``DatabaseError`` when the file cannot be read, ``MappingError`` when the mapping is wrong.
    public init(path: String, mapping: Mapping, rowTimeLimit: Duration = .seconds(10)) throws {
        let connection = try Connection(reading: path, rowTimeLimit: rowTimeLimit)
        self.connection = connection
        self.mapping = mapping
        // BEGIN alone takes no snapshot: the first read does.
        try connection.execute("BEGIN")
        let views = try connection.rows(
            "SELECT lower(name) FROM sqlite_schema WHERE type = 'view'"
        ) { $0.text(0) }
        let text = mapping.queries.values.joined(separator: "\n").foldedASCII
        // Too often rather than too seldom: a view is only run when a query names it, or a view that one names.
        if views.contains(where: { text.contains($0) }) { connection.allowViews() }
        dataVersion = try connection.dataVersion()
        var relations: [Mapping.Source: Relation] = [:]
        for source in Mapping.Source.allCases {
            relations[source] = try Relation.find(source, in: connection, mapping: mapping)
        }
        self.relations = relations
        guard relations[.products] != nil else {
            let isView = views.contains("products")
            throw MappingError(
                id: "no-products", source: .products,
                message: isView
                    ? "'products' is a view; to use it write 'products: SELECT * FROM products' in "
                        + "site.yaml"
                    : "the database has no table 'products'; map one with 'products:' in site.yaml",
                offset: nil)
        }
        for source in Mapping.Source.allCases {
            guard let relation = relations[source] else { continue }
            for field in source.neededFields where !relation.columns.contains(field) {
                throw relation.missing(field)
            }
            if source == .pictures, !relation.columns.contains("data"), !relation.columns.contains("file") {
                throw relation.missing("file")
            }
            guard relation.isMapped, source != .products else { continue }
            for column in relation.columns where !source.fields.contains(column) {
                throw relation.unknown(column, known: source.fields)
            }
        }
        _ = try ProductColumns(relations[.products]!, .full)
    }

    /// Reads one product; nothing is called when there is none with the key. Meant for many calls.
    public func product(_ key: ProductID, _ detail: Detail, _ body: (Entry) throws -> Void) throws {
        try walk([key][...], detail, width: 1, body)
    }

    /// Reads some products, in the order of their keys; those that are not there are left out. Meant for many calls, and
    /// for a page's worth of products: much cheaper than one after the other.
    ///
    /// - Parameter hasReviews: whether to look for a product's reviews: to find that there are none costs as much as to find
    ///   the product.
    public func products(
        _ keys: [ProductID], _ detail: Detail, hasReviews: (ProductID) -> Bool = { _ in true },
        _ body: (Entry) throws -> Void
    ) throws {
        let keys = keys.sorted()
        var at = 0
        while at < keys.count {
            // Few widths, so that few statements are kept; 16 to 64 are what pages show.
            let width = Self.widths.first { at + $0 >= keys.count } ?? Self.widths.last!
            let end = min(at + width, keys.count)
            try walk(keys[at..<end], detail, width: width, hasReviews: hasReviews, body)
            at = end
        }
    }

    private static let widths = [1, 4, 16, 64]

    /// Walks a few products by statements that are kept.
    private func walk(
        _ keys: ArraySlice<ProductID>, _ detail: Detail, width: Int,
        hasReviews: (ProductID) -> Bool = { _ in true }, _ body: (Entry) throws -> Void
    ) throws {
        let kind = Kind(detail: detail, width: width)
        let walk: Walk
        if let known = prepared[kind] {
            walk = known
        } else {
            let places = (1...width).map { "?\($0)" }.joined(separator: ",")
            walk = try self.walk(detail, .listed("(\(places))"))
            prepared[kind] = walk
        }
        // A statement that stands on a row would keep the transaction from ending.
        defer { for statement in walk.statements { statement.reset() } }
        let reviews = walk.children.first { $0.source == .reviews }?.statement
        for statement in walk.statements {
            let isOfReviews = statement === reviews
            var count: Int32 = 0
            for key in keys where !isOfReviews || hasReviews(key) {
                count += 1
                statement.bind(count, key)
            }
            // NULL is in no list.
            while count < width {
                count += 1
                statement.bindNull(count)
            }
        }
        var decoder = EntryDecoder(walk.form)
        _ = try run(walk, isWhole: false) { try body(decoder.entry($0)) }
    }

    /// The number of rows of the products query: pages written must equal it (S43).
    public func productCount() throws(DatabaseError) -> Int {
        let products = relations[.products]!
        return try connection.rows("SELECT count(*) FROM \(products.expression)") { Int($0.integer(0)) }.first
            ?? 0
    }

    /// The labels of the `facet:` columns, in the order of the query.
    public func facetColumns() throws(MappingError) -> [String] {
        try ProductColumns(relations[.products]!, .survey).facets.map(\.label)
    }

    /// The names in the facets table, sorted.
    public func facetNames() throws(DatabaseError) -> [String] {
        guard let relation = relations[.facets] else { return [] }
        let statement = try connection.prepare(
            "SELECT DISTINCT facet FROM \(relation.expression) ORDER BY facet COLLATE \(connection.keyCollation)"
        )
        let rows = RowCursor(statement)
        var cells = CellReader(rows.values, table: "facets")
        var out: [String] = []
        var seen: Set<String> = []
        while try rows.next() {
            if let name = cells.line(0, "facet"), seen.insert(name).inserted { out.append(name) }
        }
        return out
    }

    /// The labels of the `note:` columns, in the order of the query.
    public func noteColumns() throws(MappingError) -> [String] {
        try ProductColumns(relations[.products]!, .full).notes.map(\.label)
    }

    /// All categories in the order of their keys, with the faults of their cells.
    public func categories() throws -> (categories: [Category], faults: [Diagnostic]) {
        guard let relation = relations[.categories] else { return ([], []) }
        let fields = Mapping.Source.categories.fields
        let wanted = fields.filter(relation.columns.contains)
        let statement = try connection.prepare(
            "SELECT \(wanted.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(relation.expression) "
                + "ORDER BY id COLLATE \(connection.keyCollation)")
        let rows = RowCursor(statement)
        var cells = CellReader(rows.values, table: "categories")
        let columns = fields.map { wanted.firstIndex(of: $0).map(Int32.init) ?? -1 }
        var out: [Category] = []
        while try rows.next() {
            cells.row = nil
            guard let id = cells.key(columns[0], "id") else {
                cells.report("no-id", "is no key; the category is left out", "id")
                continue
            }
            cells.row = id
            if let last = out.last, last.id == id {
                cells.report("duplicate-id", "is used by two categories; the second is left out", "id")
                continue
            }
            out.append(
                Category(
                    id: id, parent: cells.key(columns[1], "parent_id"),
                    name: cells.line(columns[3], "name") ?? id.description,
                    slug: cells.line(columns[4], "slug"),
                    position: cells.integer(
                        columns[2], "position", in: Int(Int32.min)...Int(Int32.max)),
                    summary: cells.line(columns[5], "description"),
                    colour: cells.colour(columns[6], "colour"),
                    picture: cells.picture(columns[7], "picture", takePicture)))
        }
        return (out, cells.takeFaults())
    }

    /// Walks the products in the order of their keys.
    ///
    /// - Parameters:
    ///   - keys: only these products; nil for all.
    /// - Returns: rows of other sources whose product is not there (only when all are walked).
    @discardableResult
    public func forEachProduct(
        _ detail: Detail, keys: [ProductID]? = nil, _ body: (Entry) throws -> Void
    ) throws -> [Orphans] {
        var decoder: EntryDecoder?
        return try forEachRows(detail, keys: keys) { rows in
            if decoder?.isOf(rows.form) != true { decoder = EntryDecoder(rows.form) }
            try body(decoder!.entry(rows))
        }
    }

    /// The same, but leaves it to the caller to decode the products, in a ``ProductBatch``.
    @discardableResult
    public func forEachRows(
        _ detail: Detail, keys: [ProductID]? = nil, _ body: (ProductRows) throws -> Void
    ) throws -> [Orphans] {
        guard let keys else {
            let isKnown = detail == .fingerprinted && known != nil
            return try run(walk(isKnown ? .known : detail, .all), isWhole: true, body)
        }
        // SQLite reads a list of literals once into a sorted table, so that chunks may be large; but a statement
        // may be no longer than 1,000,000 bytes.
        var list = ""
        var count = 0
        for key in Set(keys).sorted() {
            let literal = key.literal
            if count == 2000 || list.utf8.count + literal.utf8.count > 200_000 {
                _ = try run(walk(detail, .listed("(\(list))")), isWhole: false, body)
                (list, count) = ("", 0)
            }
            list += (count == 0 ? "" : ",") + literal
            count += 1
        }
        if count > 0 { _ = try run(walk(detail, .listed("(\(list))")), isWhole: false, body) }
        return []
    }

    /// Prepares the statements of a walk.
    func walk(_ detail: Detail, _ part: WalkPart) throws -> Walk {
        let full = detail == .full
        let isHashed = full || detail == .fingerprinted
        let isTile = detail == .tile
        let isBrief = detail == .brief || isTile
        let relation = relations[.products]!
        let columns = try ProductColumns(relation, detail)
        let products = try connection.prepare(
            "SELECT \(columns.selection) FROM \(relation.expression)"
                + (part.condition(on: "id") ?? "")
                + " ORDER BY id COLLATE \(connection.keyCollation)")
        func child(
            _ source: Mapping.Source, if isWanted: Bool, _ wanted: [String], _ order: [String]
        ) throws -> ChildCursor.Source? {
            guard isWanted, let relation = relations[source] else { return nil }
            return try ChildCursor.Source(
                relation, columns: wanted, order: order, of: part, collation: connection.keyCollation
            ) { sql throws(DatabaseError) in try connection.prepare(sql) }
        }
        // Without an id, everything decides the order of reviews of one day: it must not depend on the query plan.
        let reviewFields = ["rating", "author", "date", "title", "body", "language"]
        let reviewOrder =
            ["date DESC"] + (relations[.reviews]?.columns.contains("id") == true ? ["id"] : reviewFields)
        // In the order in which their rows make a product's fingerprint.
        let children = [
            try child(
                .productCategories, if: !isBrief, ["product_id", "category_id", "position"],
                ["position", "category_id"]),
            try child(.facets, if: !isBrief, ["product_id", "facet", "value"], ["facet", "value"]),
            try child(
                .facts, if: isHashed, ["product_id", "name", "value", "position"],
                ["position", "name", "value"]),
            try child(
                .pictures, if: isHashed || isBrief || detail == .known,
                ["product_id", "file", "alt", "position", "data"],
                ["position", "file"]),
            try child(
                .reviews, if: !isBrief || isTile,
                ["product_id"] + (isHashed ? reviewFields : isTile ? ["rating"] : []),
                isHashed ? reviewOrder : []),
        ].compactMap { $0 }
        let form = ProductForm(
            detail, ProductDecoder(columns: columns, mapping: mapping, takePicture: takePicture),
            productColumns: products.columnCount, children: children.map(\.form))
        return Walk(form: form, id: columns.index(.id), products: products, children: children)
    }

    /// - Parameter isWhole: whether all products are walked, so that rows of other sources that are left over belong to none.
    private func run(_ walk: Walk, isWhole: Bool, _ body: (ProductRows) throws -> Void) throws -> [Orphans] {
        let (form, statement) = (walk.form, walk.products)
        let isHashed = form.detail == .full || form.detail == .fingerprinted
        let values = RowValues(columns: statement.columnCount)
        var cells = CellReader(values, table: "products")
        let cursors = try walk.children.map { source throws(DatabaseError) in try ChildCursor(source) }
        let looked = cursors.map { Unmanaged.passUnretained($0) }
        var sum = RowSum()
        var place = 0
        // Products are handed out one behind, so that faults in the rows after the last one are some product's.
        var (pending, current) = (ProductRows(form), ProductRows(form))
        var isPending = false
        while try statement.step() {
            current.bytes.removeAll()
            if !current.faults.isEmpty { current.faults = [] }
            statement.appendRow(to: current.bytes)
            _ = values.move(to: current.bytes.all.baseAddress!)
            guard let key = cells.key(walk.id, "id") else {
                throw Failure(
                    [
                        Diagnostic(
                            .error, "no-id",
                            "'products' gives a row whose id is no key; it must be a number or text")
                    ]
                        + cells.takeFaults())
            }
            if isPending {
                if key == pending.id {
                    throw Failure(
                        "duplicate-id",
                        "'products' gives two rows with the id \(key.description.quoted); an id must be unique"
                    )
                }
                try body(pending)
            }
            current.id = key
            // Not counted: there are five for each product, and the array holds them.
            for cursor in looked {
                try cursor._withUnsafeGuaranteedRef { cursor in
                    while try cursor.next(of: key) { cursor.appendRow(to: current.bytes) }
                    if cursor.hasFaults { current.faults += cursor.takeFaults() }
                }
            }
            if isHashed {
                let fingerprint = current.bytes.fingerprint
                current.fingerprint = fingerprint
                sum.add(fingerprint)
            }
            if form.detail == .known {
                current.fingerprint = known?.fingerprints[place]
                place += 1
            }
            swap(&pending, &current)
            isPending = true
        }
        for cursor in cursors where isWhole {
            try cursor.finish()
            pending.faults += cursor.takeFaults()
        }
        if isPending { try body(pending) }
        guard isWhole else { return [] }
        if form.detail == .known, let known {
            self.known = nil
            return Mapping.Source.allCases.compactMap { known.found(in: $0) }
        }
        if isHashed {
            for cursor in cursors { sum.add(cursor) }
            digest = try digest(of: sum)
        }
        return cursors.compactMap(\.foundOrphans)
    }
}

@available(*, unavailable)
extension CatalogueReader: Sendable {}

extension ProductID {
    /// The key in SQL.
    fileprivate var literal: String {
        switch self {
        case .integer(.min): "(-9223372036854775807 - 1)"
        case .integer(let number): String(number)
        case .real(let number) where number.isInfinite: number < 0 ? "-9e999" : "9e999"
        case .real(let number): number.description
        // NUL would end the statement; no product has such a key.
        case .text(let text): text.utf8.contains(0) ? "NULL" : text.quotedLiteral
        }
    }
}
