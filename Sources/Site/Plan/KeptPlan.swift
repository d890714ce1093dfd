import Basics
import Database
import Model

/// The plan of the build before, as it was left for this one.
///
/// It still holds if nothing but the database has changed, if of that only the rows of some products have, and if each of
/// those decides of the plan what it did. Then they alone are read, nothing is worked out anew, and only files that show one
/// of them are looked at: all others are as they were.
///
/// The file is trusted only if the manifest names its digest. A build takes that note back in the transaction in which it
/// commits, and makes it again when all is in place; so one that is cut short leaves a plan that nobody trusts.
struct KeptPlan {
    /// What the customers' lists name, so that of files that are as they were no more is read than has changed.
    struct Lists {
        /// For each customer, in the order of the files, the bytes and the products.
        private var lengths: [UInt32] = []
        private var products = ListColumn()
        /// A hash of the key of the customers' addresses; empty without customers.
        private var key = ""

        /// - Parameters:
        ///   - customers: all, with the products on their lists.
        ///   - key: of their addresses.
        init(_ customers: [(customer: Customer, products: [Int32])], key: [UInt8]) {
            for (customer, numbers) in customers.sorted(by: { $0.customer.number < $1.customer.number }) {
                lengths.append(UInt32(customer.length))
                products.append(numbers)
            }
            if !customers.isEmpty { self.key = Fingerprint(of: key).hex }
        }

        fileprivate init(from file: ColumnReader, below count: Int) throws {
            key = try file.text()
            lengths = try file.column()
            products = try ListColumn(from: file, count: lengths.count, below: count)
        }

        fileprivate func put(into file: ColumnWriter) throws {
            try file.put(key)
            try file.put(lengths)
            try products.put(into: file)
        }

        /// What tells whoever reads the files which customers have to be read: those who have a product that has changed. Nil if
        /// their addresses are others by now, and with them which files there are.
        ///
        /// - Parameter state: the folder with the key of the addresses, if there is one.
        func customers(having changed: [Int], _ state: Directory?) -> KnownCustomers? {
            guard lengths.isEmpty || key == state.flatMap({ ListKey.hash(in: $0) }) else { return nil }
            let changed = Set(changed.map { Int32($0) })
            let wanted = lengths.indices.filter { products[$0].contains(where: changed.contains) }
            return KnownCustomers(lengths: lengths, wanted: Set(wanted))
        }
    }

    let lists: Lists
    private let catalogue: Catalogue
    /// Of all that a site takes from the database besides the rows of products.
    private let surroundings: String
    /// All pictures that were asked for.
    private let pictures: [String]

    private static let fileName = "plan", newName = "plan.new"
    /// Changes with what the file holds.
    private static let version = "1"
    /// Reading so many products by their keys takes a part of what reading all does. Arbitrary beyond that.
    private static let changeLimit = 1000

    /// The plan that a build has left; nil if there is none, or another than that.
    ///
    /// - Parameter digest: of the file, as ``write(_:marks:withoutPicture:digest:pictures:lists:in:)`` gave it.
    init?(in folder: Directory, digest: String?, _ reader: CatalogueReader) {
        guard let digest, !digest.isEmpty else { return nil }
        do {
            let file = try ColumnReader(Self.fileName, in: folder)
            guard try file.text() == Self.version else { return nil }
            surroundings = try file.text()
            let names = try TextColumn(from: file)
            pictures = (0..<names.count).map { names[$0] }
            var none: [Diagnostic] = []
            // They are among the surroundings; what is wrong with them is said already.
            let tree = CategoryTree(try reader.categories().categories, log: &none)
            catalogue = try Catalogue(from: file, tree)
            lists = try Lists(from: file, below: catalogue.count)
            guard file.digest?.hex == digest else { return nil }
        } catch { return nil }
    }

    /// Leaves a plan for the next build.
    ///
    /// - Returns: the digest by which it will be known; empty where there is nothing to keep.
    static func write(
        _ catalogue: Catalogue, marks: ProductMarks, withoutPicture: Int, digest: CatalogueDigest?,
        pictures: [String], lists: Lists, in folder: Directory
    ) throws -> String {
        // Pictures that are in the database are only found by reading its rows.
        guard let digest, !pictures.contains(where: { $0.hasPrefix(PictureFolder.blobMark) }) else {
            return ""
        }
        let file = try ColumnWriter(newName, in: folder)
        try file.put(version)
        try file.put(digest.surroundings.hex)
        try TextColumn(pictures).put(into: file)
        try catalogue.put(into: file, marks, withoutPicture: withoutPicture)
        try lists.put(into: file)
        return file.digest.hex
    }

    /// The site is in place, and its plan takes the place of the one before.
    static func commit(in folder: Directory) throws {
        if try folder.status(newName) != nil { try folder.rename(newName, to: folder, as: fileName) }
    }

    /// Removes a plan that did not come to be that of a site.
    static func tidy(_ folder: Directory) throws { try folder.removeFile(newName) }

    /// The plan for the database as it is, if it is the same.
    ///
    /// - Parameter reader: has taken the digest.
    /// - Throws: what goes wrong in the database.
    func renewed(_ reader: CatalogueReader, _ settings: SiteSettings, _ folder: PictureFolder) throws
        -> Catalogue?
    {
        guard let marks = catalogue.marks, let rows = reader.rowFingerprints, rows.count == catalogue.count,
            reader.digest?.surroundings.hex == surroundings
        else { return nil }
        let changed = rows.indices.filter { rows[$0].low != marks[$0].rows }
        guard changed.count <= Self.changeLimit else { return nil }
        var digest = PlanDigest(order: settings.order)
        var same = 0
        // All keys are those of before if so many products are there, and these are among them: the others' rows hold theirs.
        try reader.forEachProduct(.fingerprinted, keys: changed.map { catalogue.keys[$0] }) { entry in
            guard let number = catalogue.number(of: entry.product.id) else { return }
            let before = marks[number].plan
            marks.set(number, of: entry, pictures: folder, using: &digest)
            if marks[number].plan == before, marks[number].rows == rows[number].low { same += 1 }
        }
        guard same == changed.count else { return nil }
        for picture in pictures { folder.request(picture) }
        var renewed = catalogue
        renewed.changed = changed
        return renewed
    }
}
