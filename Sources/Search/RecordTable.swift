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
        // Longer ones do not fit.
        guard text.count > sign, text.count < 20, text[sign] != 0x30 || text.count == 1 else { return nil }
        for i in sign..<text.count where text[i] &- 0x30 > 9 { return nil }
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
        case .categories, .values: if values.write(field, of: rows, areLists: true, to: &to) { return }
        default: if values.write(field, of: rows, areLists: false, to: &to) { return }
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

        /// What stands there, the first byte in the lowest bits.
        private var firstEight: UInt64 {
            record.loadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian
        }

        var key: ShortKey { ShortKey(address, count: count, hasWord: hasWord) }

        /// Copies it and a byte that ends it; up to eight bytes behind may be written to as well.
        func write(end: UInt8, to: inout UnsafeMutableRawPointer) {
            if count <= 8, hasWord {
                // Most are that short: what is copied too much is written over.
                to.storeBytes(of: firstEight.littleEndian, as: UInt64.self)
            } else if count > 0 {
                to.copyMemory(from: address, byteCount: count)
            }
            to.storeBytes(of: end, toByteOffset: count, as: UInt8.self)
            to += count &+ 1
        }

        func isSame(as other: Field) -> Bool {
            count == other.count && memcmp(address, other.address, count) == 0
        }

        /// What stands before the first of a mark; all if there is none.
        func prefix(before mark: UInt8) -> Field {
            var prefix = self
            if hasWord {
                // The highest bit of the first byte that is the mark.
                let ones: UInt64 = 0x0101_0101_0101_0101
                let other = firstEight ^ (UInt64(mark) &* ones)
                let marks = (other &- ones) & ~other & (ones &<< 7)
                let found = marks.trailingZeroBitCount &>> 3
                if found < min(count, 8) {
                    prefix.count = found
                    return prefix
                }
                if count <= 8 { return prefix }
            }
            if let found = memchr(address, Int32(mark), count) {
                prefix.count = UnsafeRawPointer(found) - address
            }
            return prefix
        }

        mutating func removeFirst(_ length: Int) {
            start &+= length
            count &-= length
        }

        mutating func removeBeginning(_ other: Field) -> Bool {
            guard count >= other.count, memcmp(address, other.address, other.count) == 0 else { return false }
            removeFirst(other.count)
            return true
        }
    }
}

/// Writes columns of which many rows are alike: each value once, then a character for each row. Belongs to one worker.
private final class DistinctValues {
    /// The character of the first value, and how many values there are at most: characters of further ones would take three bytes.
    private static let firstCode = 0x20, most = 0x800 - firstCode
    /// The table has 2^n slots, which never fill.
    private static let bits = 12

    /// The values by their keys; between two columns all slots are free.
    private struct Slot {
        var key = ShortKey.none
        var place = 0
    }

    private struct Value {
        let field: RecordRows.Field
        let slot: Int
    }

    private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 1 << bits)
    private let values = UnsafeMutablePointer<Value>.allocate(capacity: most)
    /// How many values there are, and the bytes that they take.
    private var count = 0, size = 0
    /// Room for the characters of all rows.
    private var codes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 16)

    init() { slots.initialize(repeating: Slot(), count: 1 << Self.bits) }

    deinit {
        slots.deallocate()
        values.deallocate()
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
    /// - Parameter areLists: whether a row has several values, with ``SearchRecord/valueEnd`` between them.
    /// - Returns: whether it did; if not, nothing was written.
    func write(_ field: Int, of rows: RecordRows, areLists: Bool, to: inout UnsafeMutableRawPointer) -> Bool {
        defer { removeAll() }
        let start = codes.baseAddress!
        guard let (plain, codeEnd) = areLists ? addLists(field, of: rows) : addValues(field, of: rows) else {
            return false
        }
        // Rows without a character have the first value.
        let length = !areLists && count == 1 ? 0 : codeEnd - start
        guard size + 1 + length < plain else { return false }
        for i in 0..<count { values[i].field.write(end: 0x0A, to: &to) }
        to.storeBytes(of: areLists ? SearchRecord.lists : SearchRecord.codes, as: UInt8.self)
        (to + 1).copyMemory(from: start, byteCount: length)
        to += 1 + length
        return true
    }

    /// Finds the characters of a column's rows.
    ///
    /// - Returns: what the column takes plainly, and where the characters end; nil if most values are different.
    private func addValues(_ field: Int, of rows: RecordRows) -> (
        plain: Int, codes: UnsafeMutablePointer<UInt8>
    )? {
        var to = codes.baseAddress!
        var plain = rows.count
        for row in 0..<rows.count {
            let value = rows[row, field]
            plain &+= value.count
            guard let place = place(of: value, seen: row) else { return nil }
            Self.append(place, to: &to)
        }
        return (plain, to)
    }

    /// The same where rows are lists.
    private func addLists(_ field: Int, of rows: RecordRows) -> (
        plain: Int, codes: UnsafeMutablePointer<UInt8>
    )? {
        var to = codes.baseAddress!
        var (plain, seen) = (rows.count, 0)
        for row in 0..<rows.count {
            var rest = rows[row, field]
            plain &+= rest.count
            // A row that is empty has no values, not one that is empty.
            var isLast = rest.isEmpty
            while !isLast {
                let value = rest.prefix(before: SearchRecord.valueEnd)
                isLast = value.count == rest.count
                if !isLast { rest.removeFirst(value.count &+ 1) }
                guard let place = place(of: value, seen: seen) else { return nil }
                Self.append(place, to: &to)
                seen &+= 1
            }
            to.pointee = 0x0A
            to += 1
        }
        return (plain, to)
    }

    @inline(__always)
    private static func append(_ place: Int, to: inout UnsafeMutablePointer<UInt8>) {
        let code = place &+ firstCode
        if code < 0x80 {
            to.pointee = UInt8(truncatingIfNeeded: code)
            to += 1
        } else {
            to[0] = 0xC0 | UInt8(truncatingIfNeeded: code &>> 6)
            to[1] = 0x80 | UInt8(truncatingIfNeeded: code & 0x3F)
            to += 2
        }
    }

    /// The place of a value among the different ones.
    ///
    /// - Parameter seen: how many values came before it.
    /// - Returns: nil if most of those were different: the column would not be much shorter, and other columns would have to wait.
    @inline(__always)
    private func place(of value: RecordRows.Field, seen: Int) -> Int? {
        let key = value.key
        var slot = key.slot(Self.bits)
        while true {
            let found = slots[slot]
            if found.key == key,
                ShortKey.isWhole(value.count) || values[found.place].field.isSame(as: value)
            {
                return found.place
            }
            if found.key == .none { return add(value, key, slot, seen: seen) }
            slot = (slot &+ 1) & (1 << Self.bits - 1)
        }
    }

    @inline(never)
    private func add(_ value: RecordRows.Field, _ key: ShortKey, _ slot: Int, seen: Int) -> Int? {
        if count == Self.most || count > 24 + seen / 2 { return nil }
        slots[slot] = Slot(key: key, place: count)
        values[count] = Value(field: value, slot: slot)
        size += value.count + 1
        count += 1
        return count - 1
    }

    private func removeAll() {
        for i in 0..<count { slots[values[i].slot].key = .none }
        (count, size) = (0, 0)
    }
}
