/// What a result line shows of a product and what its words are found in: texts, in this order.
///
/// Records of a piece are written column by column, which packs better. The last fields are for the build only.
public enum SearchField: Int, CaseIterable, Sendable {
    /// The key as text.
    case id
    /// The two texts that weigh most.
    case name, producer
    /// The two digits of the folder, then how the rest of the address follows from name and id (``SearchRecord/setAddress(shard:slug:name:id:)``).
    case address
    /// The parts of the line below the name; the style is searched as well.
    case style, volume, strength
    /// Smallest units of the currency, with its code after it if it is not the site's.
    case price, regularPrice
    /// The place in ``SearchRecord/availabilities``, then the text if it is not the usual one.
    case availability
    /// Tenths of a star, and of how many ratings.
    case rating, ratingCount
    /// Six hexadecimal digits.
    case colour
    /// What the picture's files are called after, and their widths: of the one that is shown where there is no choice its
    /// `width×height`, then those of all to choose from.
    case picture, pictureSizes
    /// Millilitres.
    case millilitres
    /// The ordinal of the day.
    case created
    // Only searched, so that pieces that show consecutive products do without.
    /// Values of one kind each, and several with ``SearchRecord/valueEnd`` between them. Of categories only the words, each
    /// once: their names say the same over and over.
    case country, region, age, categories, values
    // Of no use to the page that shows results.
    /// Hundredths of a percent; number of reviews; and what is found whole only.
    case abv, reviewCount, sku, gtin
    /// Of everything that the record is made from, so that another build knows whether it still holds.
    case fingerprint

    /// The fields of records beside words, which tell of the other words of a query.
    static let searched = SearchField.abv.rawValue
    /// The fields of records that are there to be shown and sorted.
    static let shown = SearchField.country.rawValue

    /// How much a word in the field weighs: 3 the name, 2 the producer, 1 everything else that is searched.
    var level: UInt32 {
        switch self {
        case .name: 3
        case .producer: 2
        case .style, .country, .region, .age, .categories, .values: 1
        default: 0
        }
    }
}

/// A record while it is written: fields in their order, each ended by ``fieldEnd``.
public struct SearchRecord {
    /// Ends a field.
    public static let fieldEnd: UInt8 = 0x1F
    /// Stands between values of a field.
    public static let valueEnd: UInt8 = 0x1E
    /// Ends a column of a piece.
    static let columnEnd: UInt8 = 0x1D

    private var fields = [[UInt8]](repeating: [], count: SearchField.allCases.count)

    private var tokeniser = Tokeniser()

    /// Nothing yet.
    public init() {}

    /// Sets a field; control characters become blanks.
    public subscript(field: SearchField) -> String? {
        get { String(decoding: fields[field.rawValue], as: UTF8.self) }
        set {
            fields[field.rawValue].removeAll(keepingCapacity: true)
            if let newValue { append(newValue, to: field) }
        }
    }

    /// Adds a value to a field of several.
    public mutating func append(_ text: String, to field: SearchField) {
        if !fields[field.rawValue].isEmpty { fields[field.rawValue].append(Self.valueEnd) }
        let start = fields[field.rawValue].count
        fields[field.rawValue].append(contentsOf: text.utf8)
        for i in start..<fields[field.rawValue].count where fields[field.rawValue][i] < 0x20 {
            fields[field.rawValue][i] = 0x20
        }
    }

    /// Sets ``SearchField/address`` for a product's page `products/<shard>/<slug>.html`: what follows from name and id is
    /// not said. `search-records.js` undoes it.
    public mutating func setAddress(shard: String, slug: String, name: String, id: String) {
        let plain = tokeniser.slug(of: name)
        let bytes = slug.utf8
        let rest: String
        if bytes.elementsEqual(plain) {
            rest = "-"
        } else if bytes.starts(with: plain), bytes.dropFirst(plain.count).first == UInt8(ascii: "-"),
            bytes.dropFirst(plain.count + 1).elementsEqual(id.utf8)
        {
            rest = ""
        } else {
            rest = "/" + slug
        }
        self[.address] = shard + rest
    }

    /// Appends the finished record, and makes this one empty again.
    public mutating func finish(into bytes: inout [UInt8]) {
        for i in fields.indices {
            bytes.append(contentsOf: fields[i])
            bytes.append(Self.fieldEnd)
            fields[i].removeAll(keepingCapacity: true)
        }
    }
}

/// A finished record, looked into without being copied.
struct RecordView {
    let bytes: UnsafeRawBufferPointer
    /// Where each field ends, filled in by ``read(_:)``.
    private(set) var ends: [Int]

    init() {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        ends = []
    }

    init(_ bytes: UnsafeRawBufferPointer, reusing old: consuming RecordView) {
        self.bytes = bytes
        var ends = old.ends
        ends.removeAll(keepingCapacity: true)
        for i in 0..<bytes.count where bytes[i] == SearchRecord.fieldEnd { ends.append(i) }
        while ends.count < SearchField.allCases.count { ends.append(bytes.count) }
        self.ends = ends
    }

    subscript(field: SearchField) -> UnsafeRawBufferPointer { self[field.rawValue] }

    subscript(field: Int) -> UnsafeRawBufferPointer {
        let start = field == 0 ? 0 : ends[field - 1] + 1
        return UnsafeRawBufferPointer(rebasing: bytes[min(start, ends[field])..<ends[field]])
    }

    /// The bytes that pieces have: everything but the fields for the build.
    var inPieces: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[..<ends[SearchField.searched - 1]])
    }

    /// What only the build looks at, without the fingerprint.
    var hidden: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: bytes[ends[SearchField.searched - 1]..<ends[SearchField.fingerprint.rawValue - 1]])
    }

    /// The whole number that a field begins with; nil if there is none.
    func number(_ field: SearchField) -> Int64? { Self.number(self[field]) }

    static func number(_ text: UnsafeRawBufferPointer) -> Int64? {
        var out: Int64 = 0
        var digits = 0
        var isNegative = false
        for (i, byte) in text.enumerated() {
            if i == 0, byte == UInt8(ascii: "-") {
                isNegative = true
                continue
            }
            guard byte >= 0x30, byte <= 0x39 else { break }
            let (product, over) = out.multipliedReportingOverflow(by: 10)
            if over { return nil }
            out = product + Int64(byte - 0x30)
            digits += 1
        }
        return digits == 0 ? nil : isNegative ? -out : out
    }
}
