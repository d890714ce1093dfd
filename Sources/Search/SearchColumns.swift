import Basics
import Synchronization

/// What the build needs to know of all products beside their records: a place for each, in the order of their numbers.
public final class SearchColumns: @unchecked Sendable {
    // Each place is written by the one worker that reads the record, and read after all have finished; one thread frees them.
    /// Smallest units of the site's currency; -1 without a price in it.
    public private(set) var prices: UnsafeMutableBufferPointer<Int64>
    /// The same for a litre.
    public private(set) var litrePrices: UnsafeMutableBufferPointer<Int64>
    /// Hundredths of a percent; -1 if unknown.
    public private(set) var strengths: UnsafeMutableBufferPointer<Int16>
    /// Tenths of a star, -1 without a rating, and of how many ratings.
    public private(set) var ratings: UnsafeMutableBufferPointer<Int8>,
        ratingCounts: UnsafeMutableBufferPointer<Int32>
    /// Bit 0: can be had; bit 1: has reviews; bit 2: has a price in another currency than the site's.
    public private(set) var flags: UnsafeMutableBufferPointer<UInt8>
    /// The day, 0 if unknown.
    public private(set) var created: UnsafeMutableBufferPointer<Int32>
    /// Of all that pieces show of the product.
    public let rows: UnsafeMutableBufferPointer<UInt64>
    /// Of the key and of all that words and article numbers are found in.
    private(set) var texts: UnsafeMutableBufferPointer<UInt64>
    /// Codes of currencies besides the site's.
    public var otherCurrencies: [String] { found.withLock { $0.sorted() } }

    private let found = Mutex<Set<String>>([])

    /// Products that one task reads.
    static let block = 256

    init(_ products: Int) {
        func column<T>(_ value: T) -> UnsafeMutableBufferPointer<T> {
            let buffer = UnsafeMutableBufferPointer<T>.allocate(capacity: products)
            buffer.initialize(repeating: value)
            return buffer
        }
        prices = column(-1)
        litrePrices = column(-1)
        strengths = column(-1)
        ratings = column(-1)
        ratingCounts = column(0)
        flags = column(0)
        created = column(0)
        rows = column(0)
        texts = column(0)
    }

    deinit {
        freeValues()
        rows.deallocate()
    }

    /// Gives back the memory of all that only sets and orders are made of: words need it more.
    func freeValues() {
        func free<T>(_ column: inout UnsafeMutableBufferPointer<T>) {
            column.deallocate()
            column = UnsafeMutableBufferPointer(start: nil, count: 0)
        }
        free(&prices)
        free(&litrePrices)
        free(&strengths)
        free(&ratings)
        free(&ratingCounts)
        free(&flags)
        free(&created)
        free(&texts)
    }

    func fill(_ number: Int, _ record: RecordView) {
        let price = record[.price]
        if let amount = RecordView.number(price), amount >= 0, price.last.map({ $0 < 0x41 }) ?? false {
            prices[number] = amount
            if let litre = Self.litrePrice(amount, record[.millilitres]) { litrePrices[number] = litre }
        }
        if let abv = record.number(.abv) { strengths[number] = Int16(clamping: abv) }
        if let rating = record.number(.rating) {
            ratings[number] = Int8(clamping: rating)
            ratingCounts[number] = Int32(clamping: record.number(.ratingCount) ?? 0)
        }
        // In stock, or few left.
        let availability = record[.availability].first
        let canBeHad = availability == UInt8(ascii: "0") || availability == UInt8(ascii: "1")
        flags[number] = (canBeHad ? 1 : 0) | ((record.number(.reviewCount) ?? 0) > 0 ? 2 : 0)
        created[number] = Int32(clamping: record.number(.created) ?? 0)
        rows[number] = Fingerprint(of: record.inPieces).low
        texts[number] = record.fingerprintOfTexts
        for text in [record[.price], record[.regularPrice]] {
            guard let last = text.last, last >= 0x41, text.count > 3 else { continue }
            let code = String(decoding: text.suffix(3), as: UTF8.self)
            _ = found.withLock { $0.insert(code) }
            flags[number] |= 4
        }
    }

    /// Takes a product over from the columns of another build; false if its record has to be looked into.
    func copy(_ number: Int, from other: SearchColumns, at place: Int) -> Bool {
        // Which currency it is stands in the record alone.
        guard other.flags[place] & 4 == 0 else { return false }
        prices[number] = other.prices[place]
        litrePrices[number] = other.litrePrices[place]
        strengths[number] = other.strengths[place]
        ratings[number] = other.ratings[place]
        ratingCounts[number] = other.ratingCounts[place]
        flags[number] = other.flags[place]
        created[number] = other.created[place]
        rows[number] = other.rows[place]
        texts[number] = other.texts[place]
        return true
    }

    /// All columns, while none is freed.
    var all: [UnsafeMutableRawBufferPointer] {
        [
            UnsafeMutableRawBufferPointer(prices), .init(litrePrices), .init(strengths), .init(ratings),
            .init(ratingCounts), .init(flags), .init(created), .init(rows), .init(texts),
        ]
    }

    /// As the engine works it out: rounded to the nearest unit.
    private static func litrePrice(_ amount: Int64, _ millilitres: UnsafeRawBufferPointer) -> Int64? {
        // Most are whole.
        let whole =
            millilitres.count < 16 && millilitres.allSatisfy { 0x30...0x39 ~= $0 }
            ? RecordView.number(millilitres).map { Double($0) } : nil
        guard let volume = whole ?? Double(String(decoding: millilitres, as: UTF8.self)), volume >= 1 else {
            return nil
        }
        let price = Double(amount) * 1000 / volume
        return price < 1e15 ? Int64((price + 0.5).rounded(.down)) : nil
    }
}
