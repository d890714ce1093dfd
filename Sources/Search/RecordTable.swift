import Basics
import Glibc

/// Records column by column, as pieces hold them. docs/search.md has the format.
///
/// Belongs to one worker. Its memory is kept from piece to piece.
struct RecordTable {
    private let fields: Int
    /// The records, and where each field of each of them ends.
    private var records: [UnsafeRawBufferPointer] = []
    private var ends: [UInt32] = []
    private let values = DistinctValues()

    /// - Parameter fields: how many of the fields, from the first on.
    init(fields: Int) { self.fields = fields }

    /// Appends the columns of some records, each ended by a mark.
    ///
    /// - Parameter isMapped: whether they are looked at in mapped memory, where each record brings a dozen pages with it.
    mutating func append(
        _ numbers: some Collection<Int>, of file: RecordFile, isMapped: Bool = true, to out: inout [UInt8]
    ) throws(FileError) {
        records.removeAll(keepingCapacity: true)
        guard !isMapped else {
            for number in numbers { records.append(file.record(number)) }
            return appendColumns(to: &out)
        }
        let bytes = try file.records(numbers)
        bytes.withUnsafeBytes { bytes in
            var at = 0
            for number in numbers {
                let end = at + file.length(number)
                records.append(UnsafeRawBufferPointer(rebasing: bytes[at..<end]))
                at = end
            }
            appendColumns(to: &out)
        }
    }

    private mutating func appendColumns(to out: inout [UInt8]) {
        let room = records.count * fields
        if ends.count < room { ends = [UInt32](repeating: 0, count: 2 * room) }
        let (fields, values) = (self.fields, self.values)
        records.withUnsafeBufferPointer { records in
            ends.withUnsafeMutableBufferPointer { ends in
                // A mark for each column, and a line feed for each value.
                var size = fields + room
                for (i, record) in records.enumerated() {
                    let own = UnsafeMutableBufferPointer(rebasing: ends[(i * fields)..<((i + 1) * fields)])
                    SearchRecord.findEnds(of: record, own)
                    size += Int(own[fields - 1])
                }
                values.reserve(size)
                let rows = RecordRows(records: records, ends: UnsafeBufferPointer(ends), fields: fields)
                Self.appendIDs(of: rows, to: &out)
                out.append(SearchRecord.columnEnd)
                // Columns are only written in another way than plainly where that is no longer.
                let columns = [UInt8](unsafeUninitializedCapacity: size + 8) { buffer, count in
                    let start = UnsafeMutableRawPointer(buffer.baseAddress!)
                    var to = start
                    for field in 1..<fields {
                        Self.write(field, of: rows, values, to: &to)
                        to.storeBytes(of: SearchRecord.columnEnd, as: UInt8.self)
                        to += 1
                    }
                    count = to - start
                }
                out.append(contentsOf: columns)
            }
        }
    }

    private static func appendIDs(of rows: RecordRows, to out: inout [UInt8]) {
        var last: Int64?
        for row in 0..<rows.count {
            let text = rows[row, 0].bytes
            // Beyond 2⁵³ JavaScript could not add them.
            let id = wholeNumber(text).flatMap { $0.magnitude < 1 << 52 ? $0 : nil }
            if let id, let last {
                out.append(UInt8(ascii: "+"))
                out.append(decimal: Int(id - last))
            } else {
                // A text may begin with the sign that marks a difference.
                if text.first == UInt8(ascii: "+") || text.first == UInt8(ascii: "=") {
                    out.append(UInt8(ascii: "="))
                }
                out.append(contentsOf: text)
            }
            out.append(0x0A)
            last = id
        }
    }

    /// The number that a text is, if it is written as numbers are: no sign but a minus, and no zeros before other digits.
    private static func wholeNumber(_ text: UnsafeRawBufferPointer) -> Int64? {
        let sign = text.first == UInt8(ascii: "-") ? 1 : 0
        guard text.count > sign, text[sign...].allSatisfy({ 0x30...0x39 ~= $0 }),
            text[sign] != 0x30 || text.count == 1
        else { return nil }
        return RecordView.number(text)
    }

    private static func write(
        _ field: Int, of rows: RecordRows, _ values: DistinctValues, to: inout UnsafeMutableRawPointer
    ) {
        // Of a column that is all empty nothing is written.
        guard (0..<rows.count).contains(where: { !rows[$0, field].isEmpty }) else { return }
        switch SearchField(rawValue: field)! {
        case .id, .address, .price, .picture, .created: break
        case .name: return writeNames(of: rows, to: &to)
        case .categories:
            if values.write(field, of: rows, joiner: UInt8(ascii: " "), to: &to) { return }
        case .values:
            if values.write(field, of: rows, joiner: SearchRecord.valueEnd, to: &to) { return }
        default: if values.write(field, of: rows, to: &to) { return }
        }
        for row in 0..<rows.count { rows[row, field].write(end: 0x0A, to: &to) }
    }

    /// Names that begin with the producer without that.
    private static func writeNames(of rows: RecordRows, to: inout UnsafeMutableRawPointer) {
        let (field, next) = (SearchField.name.rawValue, SearchField.producer.rawValue)
        for row in 0..<rows.count {
            var name = rows[row, field]
            if next < rows.fields {
                let producer = rows[row, next]
                if !producer.isEmpty, name.removeBeginning(producer) {
                    to.storeBytes(of: SearchRecord.beginsWithNext, as: UInt8.self)
                    to += 1
                }
            }
            name.write(end: 0x0A, to: &to)
        }
    }
}

/// The fields of some records, by row and column.
private struct RecordRows {
    let records: UnsafeBufferPointer<UnsafeRawBufferPointer>
    /// Of each record in turn, where each of its fields ends.
    let ends: UnsafeBufferPointer<UInt32>
    let fields: Int

    var count: Int { records.count }

    subscript(row: Int, field: Int) -> Field {
        let record = records[row]
        let place = row &* fields &+ field
        let end = Int(ends[place])
        let start = field == 0 ? 0 : min(Int(ends[place &- 1]) &+ 1, end)
        return Field(record: record, start: start, count: end &- start)
    }

    /// A text within a record.
    struct Field {
        let record: UnsafeRawBufferPointer
        private(set) var start: Int
        private(set) var count: Int

        var isEmpty: Bool { count == 0 }
        var bytes: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: record[start..<(start + count)])
        }
        var address: UnsafeRawPointer { record.baseAddress! + start }

        /// Whether eight bytes can be read where it begins.
        private var hasWord: Bool { start <= record.count &- 8 }

        /// Its first eight bytes, the first in the lowest bits; zeros where it has fewer.
        var firstWord: UInt64 {
            guard hasWord else { return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }
            let word = record.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
            return count < 8 ? word & (1 &<< UInt64(8 &* count) &- 1) : word
        }

        /// Copies it and a byte that ends it; up to eight bytes behind may be written to as well.
        func write(end: UInt8, to: inout UnsafeMutableRawPointer) {
            if count <= 8, hasWord {
                // Most are that short: what is copied too much is written over.
                let word = record.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                to.storeBytes(of: word, as: UInt64.self)
            } else if count > 0 {
                to.copyMemory(from: address, byteCount: count)
            }
            to.storeBytes(of: end, toByteOffset: count, as: UInt8.self)
            to += count &+ 1
        }

        mutating func removeBeginning(_ other: Field) -> Bool {
            guard count >= other.count, memcmp(address, other.address, other.count) == 0 else { return false }
            start += other.count
            count -= other.count
            return true
        }

        /// Takes off what stands before the first mark, and the mark; all if there is none.
        mutating func removePart(before mark: UInt8) -> (part: Field, isLast: Bool) {
            var part = self
            let found = memchr(address, Int32(mark), count)
            if let found { part.count = UnsafeRawPointer(found) - address }
            let length = found == nil ? count : part.count &+ 1
            start += length
            count -= length
            return (part, found == nil)
        }
    }
}

/// Writes columns of which many rows are alike: each value once, then a character for each row. Belongs to one worker.
private final class DistinctValues {
    /// The character of the first value, and how many values there are at most: characters of further ones would take three bytes.
    private static let firstCode = 0x20, most = 0x800 - firstCode
    /// A power of two, so large that the table never fills.
    private static let slotCount = 4096

    private struct Value {
        let field: RecordRows.Field
        let hash: UInt64
        let slot: Int

        func isSame(_ other: RecordRows.Field, _ otherHash: UInt64) -> Bool {
            hash == otherHash && field.count == other.count
                && (other.count < 8 || memcmp(field.address, other.address, other.count) == 0)
        }
    }

    /// Room for values, and for their places by their hashes; -1 where there is none, as between two columns everywhere.
    private let values = UnsafeMutablePointer<Value>.allocate(capacity: most)
    private let slots = UnsafeMutablePointer<Int16>.allocate(capacity: slotCount)
    /// Room for the characters of all rows.
    private var codes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)

    init() { slots.initialize(repeating: -1, count: Self.slotCount) }

    deinit {
        values.deallocate()
        slots.deallocate()
        codes.deallocate()
    }

    /// Makes room for a column that plainly takes no more than a number of bytes.
    func reserve(_ bytes: Int) {
        // A value takes a byte at least, with what ends it, and its character two at most.
        guard codes.count < 2 * bytes else { return }
        codes.deallocate()
        codes = .allocate(capacity: 4 * bytes)
    }

    /// Writes a column so, unless that would be longer.
    ///
    /// - Parameter joiner: what stands between the values of a row; nil if each row is one value.
    /// - Returns: whether it did; if not, nothing was written.
    func write(
        _ field: Int, of rows: RecordRows, joiner: UInt8? = nil, to: inout UnsafeMutableRawPointer
    ) -> Bool {
        let (values, slots, codes) = (self.values, self.slots, self.codes.baseAddress!)
        var (count, coded, seen) = (0, 0, 0)
        defer { for i in 0..<count { slots[values[i].slot] = -1 } }
        // What the column takes plainly, and what the values take.
        var (plain, size) = (0, 0)
        for row in 0..<rows.count {
            var rest = rows[row, field]
            plain &+= rest.count &+ 1
            // A row that is empty has no values, not one that is empty.
            var isEnd = joiner != nil && rest.isEmpty
            while !isEnd {
                let value: RecordRows.Field
                if let joiner {
                    (value, isEnd) = rest.removePart(before: joiner)
                } else {
                    (value, isEnd) = (rest, true)
                }
                let hash = Self.hash(value)
                var slot = Int(truncatingIfNeeded: hash &>> 52)
                var place = Int(slots[slot])
                while place >= 0, !values[place].isSame(value, hash) {
                    slot = (slot &+ 1) & (Self.slotCount - 1)
                    place = Int(slots[slot])
                }
                if place < 0 {
                    // Where most are different it would save little.
                    if count == Self.most || count > 24 &+ seen / 2 { return false }
                    place = count
                    slots[slot] = Int16(place)
                    values[place] = Value(field: value, hash: hash, slot: slot)
                    size &+= value.count &+ 1
                    count &+= 1
                }
                let code = place &+ Self.firstCode
                if code < 0x80 {
                    codes[coded] = UInt8(truncatingIfNeeded: code)
                    coded &+= 1
                } else {
                    codes[coded] = 0xC0 | UInt8(truncatingIfNeeded: code &>> 6)
                    codes[coded &+ 1] = 0x80 | UInt8(truncatingIfNeeded: code & 0x3F)
                    coded &+= 2
                }
                seen &+= 1
            }
            if joiner != nil {
                codes[coded] = 0x0A
                coded &+= 1
            }
        }
        // Rows without a character have the first value.
        if joiner == nil, count == 1 { coded = 0 }
        guard size + (joiner == nil ? 1 : 2) + coded < plain else { return false }
        for i in 0..<count { values[i].field.write(end: 0x0A, to: &to) }
        if let joiner {
            to.storeBytes(of: SearchRecord.lists, as: UInt8.self)
            to.storeBytes(of: joiner, toByteOffset: 1, as: UInt8.self)
            to += 2
        } else {
            to.storeBytes(of: SearchRecord.codes, as: UInt8.self)
            to += 1
        }
        to.copyMemory(from: codes, byteCount: coded)
        to += coded
        return true
    }

    /// Of at most 24 of the bytes. Of fewer than eight it is different for different ones of the same number.
    private static func hash(_ field: RecordRows.Field) -> UInt64 {
        var bits = field.firstWord
        if field.count >= 8 {
            func word(_ at: Int) -> UInt64 {
                field.record.loadUnaligned(fromByteOffset: field.start &+ at, as: UInt64.self)
            }
            bits = bits &* 0xC2B2_AE3D_27D4_EB4F ^ word(field.count &- 8)
            bits = bits &* 0xC2B2_AE3D_27D4_EB4F ^ word(field.count / 2 &- 4)
        }
        bits ^= UInt64(field.count)
        bits ^= bits &>> 29
        return bits &* 0x9E37_79B9_7F4A_7C15
    }
}
