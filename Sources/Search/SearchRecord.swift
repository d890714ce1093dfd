import Basics
import Glibc

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
    /// Values of one kind each, and several with ``SearchRecord/valueEnd`` between them. Of categories the words, as the
    /// tokeniser has them, and each once: their names say the same over and over.
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
    /// In columns of pieces, stands after the different values and before the characters of rows, each of which has one value
    /// or several.
    static let codes: UInt8 = 0x1F, lists: UInt8 = 0x1C
    /// In a piece, stands for a beginning that is the value of the next column.
    static let beginsWithNext: UInt8 = 0x1B

    private var bytes: [UInt8] = []
    /// The field that is being written, and where it began.
    private var field = 0, start = 0
    private var tokeniser = Tokeniser()

    /// Nothing yet.
    public init() {}

    /// Sets a field to a text, or adds a value to one of several. Fields come in their order; control characters become blanks.
    public mutating func append(_ text: String, to field: SearchField) {
        begin(field)
        var text = text
        text.withUTF8 { append($0) }
    }

    /// The same with a number.
    public mutating func append(_ number: Int, to field: SearchField) {
        begin(field)
        bytes.append(decimal: number)
    }

    /// Adds values that have no control characters but ``valueEnd``, which stands between them.
    public mutating func append(values: [UInt8], to field: SearchField) {
        begin(field)
        bytes.append(contentsOf: values)
    }

    /// Goes to a field, and to the next value in it.
    private mutating func begin(_ next: SearchField) {
        precondition(field <= next.rawValue, "the fields of a record are written in their order")
        if field < next.rawValue {
            repeat {
                bytes.append(Self.fieldEnd)
                field += 1
            } while field < next.rawValue
            start = bytes.count
        } else if bytes.count > start {
            bytes.append(Self.valueEnd)
        }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        let from = bytes.count
        bytes.append(contentsOf: text)
        guard Self.hasControls(text) else { return }
        for i in from..<bytes.count where bytes[i] < 0x20 { bytes[i] = 0x20 }
    }

    private static func hasControls(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        var at = 0
        // Eight bytes at a time: one below 0x20 borrows, and has no highest bit of its own.
        while at <= bytes.count &- 8 {
            let word = bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            if (word &- 0x2020_2020_2020_2020) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
            at &+= 8
        }
        while at < bytes.count {
            if bytes[at] < 0x20 { return true }
            at &+= 1
        }
        return false
    }

    /// Sets ``SearchField/address`` for a product's page `products/<shard>/<slug>.html`: what follows from name and id is
    /// not said. `search-records.js` undoes it.
    public mutating func setAddress(shard: String, slug: String, name: String, id: String) {
        append(shard, to: .address)
        let plain = tokeniser.slug(of: name)
        slug.withBytes { slug in
            let isBeginning =
                slug.count >= plain.count
                && plain.withUnsafeBytes { plain in
                    plain.isEmpty || memcmp(plain.baseAddress!, slug.baseAddress!, plain.count) == 0
                }
            if isBeginning, slug.count == plain.count {
                bytes.append(UInt8(ascii: "-"))
            } else if isBeginning, slug[plain.count] == UInt8(ascii: "-"),
                slug[(plain.count + 1)...].elementsEqual(id.utf8)
            {
                return
            } else {
                bytes.append(UInt8(ascii: "/"))
                append(slug)
            }
        }
    }

    /// Ends the record with what it is made from, appends it, and begins the next.
    public mutating func finish(_ fingerprint: UInt64, into out: inout [UInt8]) {
        begin(.fingerprint)
        Self.forEachByte(of: fingerprint) { bytes.append($0) }
        bytes.append(Self.fieldEnd)
        out.append(contentsOf: bytes)
        bytes.removeAll(keepingCapacity: true)
        (field, start) = (0, 0)
    }

    /// Finds where the first fields of a record end.
    ///
    /// - Parameter ends: gets as many places as it has room for; fields that are not there end with the record.
    static func findEnds(of record: UnsafeRawBufferPointer, _ ends: UnsafeMutableBufferPointer<UInt32>) {
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        var found = 0
        var at = 0
        // Eight bytes at a time, as records are looked into for each piece that has them.
        while at <= record.count - 8, found < ends.count {
            let word = record.loadUnaligned(fromByteOffset: at, as: UInt64.self).littleEndian
            // The highest bit of each byte that is the mark, and no other.
            let other = word ^ (UInt64(fieldEnd) &* 0x0101_0101_0101_0101)
            var marks = ~(((other & low) &+ low) | other | low)
            while marks != 0, found < ends.count {
                ends[found] = UInt32(truncatingIfNeeded: at &+ marks.trailingZeroBitCount &>> 3)
                found &+= 1
                marks &= marks &- 1
            }
            at &+= 8
        }
        while at < record.count, found < ends.count {
            if record[at] == fieldEnd {
                ends[found] = UInt32(at)
                found += 1
            }
            at += 1
        }
        while found < ends.count {
            ends[found] = UInt32(record.count)
            found += 1
        }
    }

    /// A fingerprint as records have it: eleven letters.
    static func forEachByte(of fingerprint: UInt64, _ body: (UInt8) -> Void) {
        var rest = fingerprint
        for _ in 0..<11 {
            body(0x30 + UInt8(rest & 0x3F))
            rest >>= 6
        }
    }
}

/// A finished record, looked into without being copied.
struct RecordView {
    let bytes: UnsafeRawBufferPointer
    /// Where each field ends.
    private var ends: [UInt32]

    init() {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        ends = []
    }

    init(_ bytes: UnsafeRawBufferPointer, reusing old: consuming RecordView) {
        self.bytes = bytes
        var ends = old.ends
        if ends.isEmpty { ends = [UInt32](repeating: 0, count: SearchField.allCases.count) }
        ends.withUnsafeMutableBufferPointer { SearchRecord.findEnds(of: bytes, $0) }
        self.ends = ends
    }

    subscript(field: SearchField) -> UnsafeRawBufferPointer { self[field.rawValue] }

    subscript(field: Int) -> UnsafeRawBufferPointer {
        let end = Int(ends[field])
        let start = field == 0 ? 0 : min(Int(ends[field - 1]) + 1, end)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// The bytes that pieces have: everything but the fields for the build.
    var inPieces: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[..<Int(ends[SearchField.searched - 1])])
    }

    /// Of the key and of all that words and article numbers are found in.
    var fingerprintOfTexts: UInt64 {
        var hash: UInt64 = 0
        for fields in Self.texts {
            let start = fields.lowerBound == 0 ? 0 : min(Int(ends[fields.lowerBound - 1]) + 1, bytes.count)
            let end = max(start, Int(ends[fields.upperBound - 1]))
            let text = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            hash = (hash ^ Fingerprint(of: text).low) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        return hash
    }

    /// The fields of those, neighbours together, with what parts them.
    private static let texts: [Range<Int>] = SearchField.allCases.filter {
        $0.level > 0 || [.id, .sku, .gtin].contains($0)
    }.reduce(into: []) { ranges, field in
        if let last = ranges.last, last.upperBound == field.rawValue {
            ranges[ranges.count - 1] = last.lowerBound..<(field.rawValue + 1)
        } else {
            ranges.append(field.rawValue..<(field.rawValue + 1))
        }
    }

    /// The whole number that a field begins with; nil if there is none.
    func number(_ field: SearchField) -> Int64? { Self.number(self[field]) }

    static func number(_ text: UnsafeRawBufferPointer) -> Int64? {
        let start = text.first == UInt8(ascii: "-") ? 1 : 0
        var out: Int64 = 0
        var at = start
        while at < text.count {
            let digit = text[at] &- 0x30
            if digit > 9 { break }
            // Eighteen digits always fit.
            if at < 18 {
                out = out &* 10 &+ Int64(digit)
            } else {
                let (product, isOver) = out.multipliedReportingOverflow(by: 10)
                let (sum, isSumOver) = product.addingReportingOverflow(Int64(digit))
                if isOver || isSumOver { return nil }
                out = sum
            }
            at &+= 1
        }
        return at == start ? nil : start == 1 ? -out : out
    }
}
