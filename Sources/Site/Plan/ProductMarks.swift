import Basics
import Database

/// Of each product, what tells the next build whether anything of it is other than it was: 24 bytes each.
final class ProductMarks: @unchecked Sendable {
    // Each place is written once, by one worker, and read by others only after all have finished.
    struct Mark: BitwiseCopyable, Sendable {
        /// Of its rows as they lie.
        var rows: UInt64 = 0
        /// Of its rows and of the bytes of its pictures: what pages show of it.
        var shown: UInt64 = 0
        /// Of what it decides of the plan.
        var plan: UInt64 = 0
    }

    private let marks: UnsafeMutableBufferPointer<Mark>

    init(count: Int) {
        marks = .allocate(capacity: count)
        marks.initialize(repeating: Mark())
    }

    init(_ marks: [Mark]) {
        self.marks = .allocate(capacity: marks.count)
        _ = self.marks.initialize(from: marks)
    }

    deinit { marks.deallocate() }

    var count: Int { marks.count }

    subscript(product: Int) -> Mark { marks[product] }

    /// All of them, while this is there.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(marks) }

    /// Takes down a product as it was read, with all its rows.
    ///
    /// - Parameter digest: one for each thread, used for nothing else.
    func set(
        _ product: Int, of entry: CatalogueReader.Entry, pictures: PictureFolder,
        using digest: inout PlanDigest
    ) {
        marks[product] = Mark(
            rows: entry.fingerprint?.low ?? 0, shown: pictures.fingerprint(of: entry).low,
            plan: digest.fingerprint(of: entry, pictures: pictures.sources(of: entry.product)))
    }

    /// Makes the next build think that the product is not as it was: this one could not do it justice.
    func spoil(_ product: Int) { marks[product].shown ^= 0x5A5A_5A5A_5A5A_5A5A }
}
