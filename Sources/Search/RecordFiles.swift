public import Basics
import Glibc
import Synchronization

/// Records of the products that a build reads, in a file without a name, until all are there: 12 bytes of memory each.
public final class RecordSpool: @unchecked Sendable {
    // A slot is written by the one worker that renders the product, and read after all have finished.
    private let descriptor: Int32
    private let path: String
    private var offsets: UnsafeMutableBufferPointer<Int64>
    private var lengths: UnsafeMutableBufferPointer<UInt32>
    private let end = Atomic<Int64>(0)

    /// - Parameter folder: where the file is made, and unlinked at once.
    public init(products: Int, in folder: Directory) throws(FileError) {
        (descriptor, path) = try folder.temporaryFile("records")
        offsets = .allocate(capacity: products)
        offsets.initialize(repeating: 0)
        lengths = .allocate(capacity: products)
        lengths.initialize(repeating: 0)
    }

    deinit {
        _ = close(descriptor)
        free()
    }

    /// Gives the memory back, once nothing is asked for any more.
    func free() {
        offsets.deallocate()
        lengths.deallocate()
        offsets = UnsafeMutableBufferPointer(start: nil, count: 0)
        lengths = UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    /// Adds the records of some products, which stand back to back in `bytes`.
    public func append(_ bytes: [UInt8], of products: [(number: Int, length: Int)]) throws(FileError) {
        var offset = end.add(Int64(bytes.count), ordering: .relaxed).oldValue
        try writeAll(bytes.span.bytes, to: descriptor, at: offset, path)
        for product in products {
            offsets[product.number] = offset
            lengths[product.number] = UInt32(product.length)
            offset += Int64(product.length)
        }
    }

    /// The length of a product's record; 0 if it was not added.
    func length(_ number: Int) -> Int { Int(lengths[number]) }

    /// Appends the records of consecutive products. Those that were added together are read together.
    func append(_ products: Range<Int>, to bytes: inout [UInt8]) throws {
        var start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: products.reduce(0) { $0 + length($1) }))
        try bytes.withUnsafeMutableBytes { buffer in
            var next = products.lowerBound
            while next < products.upperBound {
                let offset = offsets[next]
                var end = offset
                while next < products.upperBound, offsets[next] == end {
                    end += Int64(lengths[next])
                    next += 1
                }
                let run = start..<(start + Int(end - offset))
                try readAll(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[run]), from: descriptor, at: offset,
                    path)
                start = run.upperBound
            }
        }
    }
}

/// The records of all products in the order of their numbers, in a file that the next build finds again.
///
/// The file is looked into through memory that the kernel may take back at any time. It ends with the lengths of the
/// records, the columns that were filled from them, what the build notes of the pieces that it made of them, and how many
/// bytes each of that takes.
public final class RecordFile: @unchecked Sendable {
    // Each place of the file is written by one worker, and read by others only after all have finished.
    /// How many records there are.
    public let count: Int
    /// What the build noted of the pieces that it made of these records.
    public private(set) var notes: [UInt8] = []

    private let descriptor: Int32
    private let path: String
    private let offsets: UnsafeMutableBufferPointer<Int64>
    private var memory = UnsafeRawBufferPointer(start: nil, count: 0)

    private static let magic: UInt64 = 0x4253_7265_6330_0005
    private static let sizeLimit = 1 << 36
    /// Bytes of all columns for each product.
    private static let columnBytes = SearchColumns(1).all.reduce(0) { $0 + $1.count }

    private init(descriptor: Int32, path: String, count: Int) {
        self.descriptor = descriptor
        self.path = path
        self.count = count
        offsets = .allocate(capacity: count + 1)
        offsets.initialize(repeating: 0)
    }

    deinit {
        if let start = memory.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), memory.count) }
        _ = close(descriptor)
        offsets.deallocate()
    }

    /// Makes a file for records of the given lengths.
    static func create(in folder: Directory, name: String, count: Int, length: (Int) -> Int)
        throws(FileError) -> RecordFile
    {
        try folder.removeFile(name)
        let descriptor = openat(
            folder.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError("create", folder.joined(name)) }
        let file = RecordFile(descriptor: descriptor, path: folder.joined(name), count: count)
        var at: Int64 = 0
        for i in 0..<count {
            file.offsets[i] = at
            at += Int64(length(i))
        }
        file.offsets[count] = at
        return file
    }

    /// Opens what a former build left; nil if it is not there or not whole.
    public static func open(in folder: Directory, name: String) -> RecordFile? {
        let descriptor = openat(folder.descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        var trailer = [UInt64](repeating: 0, count: 4)
        let size = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
        let isRead = trailer.withUnsafeMutableBytes { buffer in
            size >= 32 && size < sizeLimit
                && (try? readAll(into: buffer, from: descriptor, at: Int64(size - 32), name)) != nil
        }
        let (count, records, pieces) = (trailer[1], trailer[2], trailer[3])
        guard isRead, trailer[0] == magic, count < 1 << 32, records < 1 << 36, pieces < 1 << 32,
            Int(records) + (4 + columnBytes) * Int(count) + Int(pieces) + 32 == size
        else {
            _ = close(descriptor)
            return nil
        }
        let file = RecordFile(descriptor: descriptor, path: folder.joined(name), count: Int(count))
        var lengths = [UInt32](repeating: 0, count: Int(count))
        file.notes = [UInt8](repeating: 0, count: Int(pieces))
        let isWhole = lengths.withUnsafeMutableBytes { buffer in
            (try? readAll(into: buffer, from: descriptor, at: Int64(records), name)) != nil
        }
        let isNamed = file.notes.withUnsafeMutableBytes { buffer in
            (try? readAll(
                into: buffer, from: descriptor, at: Int64(Int(records) + (4 + columnBytes) * Int(count)), name
            ))
                != nil
        }
        var at: Int64 = 0
        for (i, length) in lengths.enumerated() {
            file.offsets[i] = at
            at += Int64(length)
        }
        file.offsets[Int(count)] = at
        guard isWhole, isNamed, at == Int64(records), (try? file.map()) != nil else { return nil }
        return file
    }

    /// Writes the records of consecutive products, which stand back to back in `bytes`.
    func write(_ bytes: [UInt8], from first: Int) throws(FileError) {
        try writeAll(bytes.span.bytes, to: descriptor, at: offsets[first], path)
    }

    /// Makes the records readable, after all of them were written.
    func map() throws(FileError) {
        let size = Int(offsets[count])
        if size == 0 { return }
        guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            throw FileError("map", path)
        }
        memory = UnsafeRawBufferPointer(start: start, count: size)
    }

    /// Ends the file with what the next build needs.
    func finish(notes: [UInt8]) throws(FileError) {
        self.notes = notes
        var lengths = [UInt32](repeating: 0, count: count)
        for i in 0..<count { lengths[i] = UInt32(offsets[i + 1] - offsets[i]) }
        let trailer: [UInt64] = [
            Self.magic, UInt64(count), UInt64(offsets[count]), UInt64(notes.count),
        ]
        var at = offsets[count]
        try writeAll(lengths.span.bytes, to: descriptor, at: at, path)
        at += Int64((4 + Self.columnBytes) * count)
        try writeAll(notes.span.bytes, to: descriptor, at: at, path)
        at += Int64(notes.count)
        try writeAll(trailer.span.bytes, to: descriptor, at: at, path)
    }

    /// Writes what was filled from the records, after all of them were written.
    func write(_ columns: SearchColumns) throws(FileError) {
        var at = offsets[count] + Int64(4 * count)
        for column in columns.all {
            try writeAll(column.bytes, to: descriptor, at: at, path)
            at += Int64(column.count)
        }
    }

    /// The columns that were filled from the records.
    func columns() throws(FileError) -> SearchColumns {
        let columns = SearchColumns(count)
        var at = offsets[count] + Int64(4 * count)
        for column in columns.all {
            try readAll(into: column, from: descriptor, at: at, path)
            at += Int64(column.count)
        }
        return columns
    }

    /// For each product of a later build, the place of its record among these, or -1 if there is none that holds.
    ///
    /// - Parameters:
    ///   - isWanted: whether a product's record is looked for.
    ///   - key: appends a product's id as its record has it, and gives the fingerprint of what the record is made from.
    public func places(
        of products: Int, where isWanted: (Int) -> Bool, key: (Int, inout [UInt8]) -> UInt64
    ) -> [Int32] {
        var places = [Int32](repeating: -1, count: products)
        var place = 0
        var id: [UInt8] = []
        for number in 0..<products where isWanted(number) {
            id.removeAll(keepingCapacity: true)
            let fingerprint = key(number, &id)
            id.append(SearchRecord.fieldEnd)
            // Both are in the order of the keys, so that one walk finds all; what it passes by are products that are gone
            // or that are not wanted.
            let start = place
            while place < count, !record(place).begins(with: id) { place += 1 }
            if place == count {
                place = start
                continue
            }
            if isMade(place, from: fingerprint) { places[number] = Int32(place) }
            place += 1
            if place & 0xFFFF == 0 { release() }
        }
        return places
    }

    /// Whether a record ends with a fingerprint.
    private func isMade(_ place: Int, from fingerprint: UInt64) -> Bool {
        let record = record(place)
        var at = record.count - 12
        guard at >= 0 else { return false }
        var isSame = true
        SearchRecord.forEachByte(of: fingerprint) { byte in
            if record[at] != byte { isSame = false }
            at += 1
        }
        return isSame
    }

    /// The bytes of a record.
    func record(_ number: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[Int(offsets[number])..<Int(offsets[number + 1])])
    }

    func length(_ number: Int) -> Int { Int(offsets[number + 1] - offsets[number]) }

    /// Bytes of all records.
    var size: Int { memory.count }

    /// The bytes of some records in ascending order, one after the other, without mapping them. Those of consecutive products
    /// are read together.
    func records(_ numbers: some Collection<Int>) throws(FileError) -> [UInt8] {
        var out = [UInt8](repeating: 0, count: numbers.reduce(0) { $0 + length($1) })
        var fault: FileError?
        out.withUnsafeMutableBytes { out in
            var at = 0
            var next = numbers.startIndex
            while next < numbers.endIndex, fault == nil {
                let first = numbers[next]
                var end = first
                while next < numbers.endIndex, numbers[next] == end {
                    end += 1
                    next = numbers.index(after: next)
                }
                let size = Int(offsets[end] - offsets[first])
                let room = UnsafeMutableRawBufferPointer(rebasing: out[at..<(at + size)])
                do throws(FileError) {
                    try readAll(into: room, from: descriptor, at: offsets[first], path)
                } catch {
                    fault = error
                }
                at += size
            }
        }
        if let fault { throw fault }
        return out
    }

    /// Lets the kernel take back the memory of a large file; what is read again is mapped again.
    func release() {
        if memory.count > 64 << 20 {
            madvise(UnsafeMutableRawPointer(mutating: memory.baseAddress!), memory.count, MADV_DONTNEED)
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func begins(with bytes: [UInt8]) -> Bool {
        count >= bytes.count && memcmp(baseAddress!, bytes, bytes.count) == 0
    }
}
