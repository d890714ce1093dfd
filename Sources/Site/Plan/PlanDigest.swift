import Basics
import Database
import Model

/// Of all that decides a plan, in the order in which it is read: equal digests mean that the plan would come out the same.
///
/// Most changes are none of the plan: a price, a text, a stock. To find that out takes a pass over the products, but no
/// memory, while a second plan beside the one that is in use takes as much as that one.
struct PlanDigest: Sendable {
    /// Of categories, of so many products at a time, of what is left over.
    private var parts: [Fingerprint] = []
    private var bytes: [UInt8] = []
    private var count = 0
    private let order: Catalogue.Order
    /// Arbitrary: a pass ends at the first part that differs, and a million products have 250.
    private static let partSize = 4096

    init(order: Catalogue.Order) { self.order = order }

    /// Whether all that was added so far is what another began with.
    func begins(_ other: PlanDigest) -> Bool { other.parts.starts(with: parts) }

    /// Whether it is all that another is; both are finished.
    func equals(_ other: PlanDigest) -> Bool { parts == other.parts && order == other.order }

    /// - Parameter faults: of their cells, which are said again with each plan.
    mutating func add(_ categories: [Category], faults: [Diagnostic]) {
        for category in categories {
            add(category.id)
            add(category.parent)
            add(category.name)
            add(category.slug)
            add(category.position)
            add(category.summary)
            add(category.colour)
            add(category.picture)
        }
        for fault in faults { add(fault.description) }
        close()
    }

    /// Returns whether a part was closed by it.
    mutating func add(_ entry: CatalogueReader.Entry) -> Bool {
        append(entry)
        count += 1
        guard count % Self.partSize == 0 else { return false }
        close()
        return true
    }

    private mutating func append(_ entry: CatalogueReader.Entry) {
        let product = entry.product
        add(product.id)
        add(product.name)
        add(product.slug)
        add(product.producer)
        add(product.style)
        add(product.country)
        add(product.region)
        add(product.featured)
        add((product.created?.ordinal).map { Int($0) })
        add((product.updated?.ordinal).map { Int($0) })
        add(entry.reviewCount)
        if order == .price { add((product.price?.minorUnits).map { Int($0) }) }
        add(product.categories.count)
        for category in product.categories { add(category) }
        add(product.facets.count)
        for facet in product.facets {
            add(facet.label)
            add(facet.value)
        }
    }

    /// Of what one product decides of the plan, and of the pictures that it asks for; of no other product.
    mutating func fingerprint(of entry: CatalogueReader.Entry, pictures: [PictureSource]) -> UInt64 {
        bytes.removeAll(keepingCapacity: true)
        append(entry)
        for picture in pictures { add(picture.file) }
        return Fingerprint(of: bytes).low
    }

    mutating func finish(_ orphans: [CatalogueReader.Orphans]) {
        close()
        for orphans in orphans { add(orphans.warning.description) }
        close()
        bytes = []
    }

    private mutating func close() {
        parts.append(Fingerprint(of: bytes))
        bytes.removeAll(keepingCapacity: true)
    }

    // Each with its length or its kind, so that no two lists of values give the same bytes.

    private mutating func add(_ number: Int?) {
        bytes.append(number == nil ? 0 : 1)
        withUnsafeBytes(of: number ?? 0) { bytes.append(contentsOf: $0) }
    }

    private mutating func add(_ text: String?) {
        add(text?.utf8.count)
        if let text { bytes.append(text) }
    }

    private mutating func add(_ key: ProductID?) {
        switch key {
        case .integer(let number):
            bytes.append(2)
            add(Int(number))
        case .real(let number):
            bytes.append(3)
            add(Int(truncatingIfNeeded: number.bitPattern))
        case .text(let text):
            bytes.append(4)
            add(text)
        case nil: bytes.append(5)
        }
    }
}
