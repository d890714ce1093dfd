import Basics
public import Model

/// A product's rows as they were read: all that it takes to make the product, which is half of the work of reading it and can
/// be done by another thread. Valid until the walk goes on.
public final class ProductRows {
    /// The product's key.
    public internal(set) var id = ProductID.integer(0)
    let form: ProductForm
    /// The row of the product, then those that belong to it, each after the mark of its source.
    let bytes = RowBytes()
    /// Of all rows, if the walk takes it.
    var fingerprint: Fingerprint?
    /// What could not be read of rows that belong to nobody.
    var faults: [Diagnostic] = []

    init(_ form: ProductForm) { self.form = form }
}

/// What the rows of a walk hold, and what a product takes of them.
final class ProductForm: Sendable {
    let detail: CatalogueReader.Detail
    fileprivate let decoder: ProductDecoder
    fileprivate let productColumns: Int32
    fileprivate let children: [Child]

    /// A source of rows that belong to products.
    struct Child: Sendable {
        let source: Mapping.Source
        /// Where each wanted column stands in a row; -1 for those that the source lacks.
        let columns: [Int32]
        /// How many columns a row has.
        let count: Int32
    }

    /// - Parameter productColumns: how many columns the row of a product has.
    init(
        _ detail: CatalogueReader.Detail, _ decoder: ProductDecoder, productColumns: Int32, children: [Child]
    ) {
        self.detail = detail
        self.decoder = decoder
        self.productColumns = productColumns
        self.children = children
    }
}

/// Some products' rows, to be handed to another thread, which decodes them.
public struct ProductBatch: Sendable {
    private struct Item: Sendable {
        let id: ProductID
        let number: Int
        let fingerprint: Fingerprint?
        let faults: [Diagnostic]
        /// Where its rows end.
        let end: Int
    }

    private var form: ProductForm?
    private var items: [Item] = []
    private var bytes: [UInt8] = []

    /// No products.
    public init() {}

    /// How many products there are.
    public var count: Int { items.count }

    /// Whether it is time to hand it over: enough work that this costs nothing, and not more than a few pictures that are
    /// in the database themselves.
    public var isFull: Bool { items.count >= 64 || bytes.count >= 1 << 20 }

    /// Adds a product.
    ///
    /// - Parameter number: what the one who decodes it is to know it by.
    public mutating func append(_ rows: ProductRows, number: Int) {
        if form == nil { form = rows.form }
        bytes.append(contentsOf: rows.bytes.all)
        items.append(
            Item(
                id: rows.id, number: number, fingerprint: rows.fingerprint, faults: rows.faults,
                end: bytes.count))
    }

    /// Makes the batch ready for others of the same walk.
    public mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: bytes.count <= 1 << 20)
    }

    /// Decodes the products.
    public func products() -> [(number: Int, entry: CatalogueReader.Entry)] {
        guard let form else { return [] }
        var decoder = EntryDecoder(form)
        return bytes.withUnsafeBytes { bytes in
            var start = 0
            return items.map { item in
                let rows = UnsafeRawBufferPointer(rebasing: bytes[start..<item.end])
                start = item.end
                return (
                    item.number,
                    decoder.entry(item.id, rows, fingerprint: item.fingerprint, faults: item.faults)
                )
            }
        }
    }
}

/// Makes products of their rows.
struct EntryDecoder {
    private let form: ProductForm
    private let isLight: Bool
    private var cells: CellReader
    /// By the marks of sources.
    private var children: [ChildCells?]

    init(_ form: ProductForm) {
        self.form = form
        switch form.detail {
        case .survey, .fingerprinted, .known: isLight = true
        case .brief, .tile, .full: isLight = false
        }
        cells = CellReader(RowValues(columns: form.productColumns), table: Mapping.Source.products.rawValue)
        children = Mapping.Source.allCases.map { source in
            form.children.first { $0.source == source }.map { ChildCells($0) }
        }
    }

    /// Whether it decodes rows of a walk.
    func isOf(_ form: ProductForm) -> Bool { form === self.form }

    mutating func entry(_ rows: ProductRows) -> CatalogueReader.Entry {
        entry(rows.id, rows.bytes.all, fingerprint: rows.fingerprint, faults: rows.faults)
    }

    /// - Parameters:
    ///   - rows: the row of the product, and those of its children, each after its mark.
    ///   - faults: those that are known already.
    mutating func entry(
        _ id: ProductID, _ rows: UnsafeRawBufferPointer, fingerprint: Fingerprint?, faults: [Diagnostic]
    ) -> CatalogueReader.Entry {
        let full = form.detail == .full
        var at = cells.values.move(to: rows.baseAddress!)
        let end = rows.baseAddress! + rows.count
        cells.row = id
        var product = Product(id: id, name: "")
        form.decoder.read(&product, from: &cells, light: isLight)
        var reviewCount = 0
        while at < end {
            let mark = Int(at.load(as: UInt8.self) - Mapping.Source.firstMark)
            at = children[mark]!.move(to: at + 1, of: id)
            switch Mapping.Source.allCases[mark] {
            case .productCategories:
                if let category = children[mark]!.cells.key(1, "category_id"),
                    !product.categories.contains(category)
                {
                    product.categories.append(category)
                }
            case .facets:
                if let fact = children[mark]!.fact("facet") { product.facets.append(fact) }
            case .facts:
                if full, let fact = children[mark]!.fact("name") { product.facts.append(fact) }
            case .pictures:
                if let picture = children[mark]!.picture(form.decoder.takePicture) {
                    product.pictures.append(picture)
                }
            case .reviews:
                reviewCount += 1
                if full {
                    product.reviews.append(children[mark]!.review())
                } else if form.detail == .tile {
                    product.reviews.append(Review(rating: children[mark]!.rating()))
                }
            case .products, .categories: preconditionFailure("such rows belong to no product")
            }
        }
        var faults = faults + cells.takeFaults()
        for i in children.indices {
            if let found = children[i]?.cells.takeFaults(), !found.isEmpty { faults += found }
        }
        return CatalogueReader.Entry(
            product, reviewCount: reviewCount, fingerprint: fingerprint, faults: faults)
    }
}

/// Reads the cells of rows that belong to products.
private struct ChildCells {
    private let columns: [Int32]
    var cells: CellReader

    init(_ child: ProductForm.Child) {
        columns = child.columns
        cells = CellReader(RowValues(columns: child.count), table: child.source.rawValue)
    }

    /// Goes to a row of a product, and gives where it ends.
    mutating func move(to start: UnsafeRawPointer, of id: ProductID) -> UnsafeRawPointer {
        cells.row = id
        return cells.values.move(to: start)
    }

    /// A labelled value: column 1 and column 2 of facts and facets.
    mutating func fact(_ label: String) -> Fact? {
        guard let name = cells.line(1, label), let value = cells.line(2, "value") else { return nil }
        return Fact(label: name, value: value)
    }

    mutating func picture(_ take: (@Sendable (UnsafeRawBufferPointer) -> String)?) -> PictureSource? {
        guard
            let file = cells.pictureData(columns[4], take) ?? cells.picture(columns[1], "file", take)
        else { return nil }
        return PictureSource(file: file, alternativeText: cells.line(columns[2], "alt"))
    }

    /// Tenths of a star.
    mutating func rating() -> Int? {
        cells.number(columns[1], "rating", in: 0...5).map { Int(($0 * 10).rounded()) }
    }

    mutating func review() -> Review {
        Review(
            rating: rating(), author: cells.line(columns[2], "author"),
            title: cells.line(columns[4], "title"), body: cells.text(columns[5], "body"),
            date: cells.date(columns[3], "date"), language: cells.line(columns[6], "language"))
    }
}

extension Mapping.Source {
    /// Distinct from the types of values in a product's rows: a row that moves from one table to another is a change.
    var mark: UInt8 { Self.firstMark + UInt8(Self.allCases.firstIndex(of: self)!) }

    fileprivate static let firstMark: UInt8 = 0x10
}
