import Basics
import Glibc
import Synchronization

/// The terms of the pieces of words, each with its products, kept for the next build: as long as no word changes, a piece can be
/// made again with the records as they then are, and without a look at those of all products.
///
/// The terms of each piece stand together, numbers as differences; after them where each piece's are, and a digest of that.
final class TermFile: @unchecked Sendable {
    // Workers append at an end that is atomic; all else is done by one thread, or only read.
    /// Where a piece's terms are, and a hash of them.
    struct Place: BitwiseCopyable, Sendable {
        let offset: UInt64, length: UInt64, hash: UInt64
    }

    private let descriptor: Int32
    private let path: String
    private let end = Atomic<Int>(0)
    private var places: [Place] = []
    private var memory = UnsafeRawBufferPointer(start: nil, count: 0)

    /// What cannot be read is not what was written.
    struct Damaged: Error {}

    /// How many pieces there are.
    var count: Int { places.count }

    // MARK: Writing

    init(creating name: String, in folder: Directory) throws(FileError) {
        try folder.removeFile(name)
        path = folder.joined(name)
        descriptor = openat(
            folder.descriptor, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileError("create", path) }
    }

    deinit {
        if let start = memory.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), memory.count) }
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Takes the terms of a piece.
    ///
    /// - Parameters:
    ///   - numbers: the products whose records it has, sorted.
    ///   - terms: the line of each and its products, sorted.
    func append(_ numbers: [UInt32], _ terms: [(line: [UInt8], postings: [UInt32])]) throws(FileError)
        -> Place
    {
        var bytes: [UInt8] = []
        func append(_ list: [UInt32]) {
            bytes.append(varint: list.count)
            bytes.append(gapsOf: list)
        }
        append(numbers)
        bytes.append(varint: terms.count)
        for (line, postings) in terms {
            bytes.append(varint: line.count)
            bytes.append(contentsOf: line)
            append(postings)
        }
        let offset = end.add(bytes.count, ordering: .relaxed).oldValue
        try writeAll(bytes.span.bytes, to: descriptor, at: Int64(offset), path)
        return Place(
            offset: UInt64(offset), length: UInt64(bytes.count), hash: Fingerprint(of: bytes).low)
    }

    /// Takes all pieces in their order.
    func setOrder(_ pieces: [PieceList.Piece]) { places = pieces.compactMap(\.place) }

    /// Ends the file.
    ///
    /// - Returns: what it is known by.
    func finish() throws(FileError) -> String {
        let start = end.load(ordering: .relaxed)
        let places = self.places
        try writeAll(places.span.bytes, to: descriptor, at: Int64(start), path)
        return id(from: start)
    }

    private func id(from start: Int) -> String {
        "\(start) \(places.withUnsafeBytes { Fingerprint(of: $0).hex })"
    }

    // MARK: Reading

    /// Opens what a build before left; nil if it is not there or another.
    init?(opening name: String, in folder: Directory, id: String) {
        path = folder.joined(name)
        descriptor = openat(folder.descriptor, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let start = id.split(separator: " ").first.flatMap({ Int($0) }), start >= 0,
            start <= status.st_size, (Int(status.st_size) - start) % MemoryLayout<Place>.stride == 0
        else { return nil }
        let count = (Int(status.st_size) - start) / MemoryLayout<Place>.stride
        places = [Place](repeating: Place(offset: 0, length: 0, hash: 0), count: count)
        let isRead = places.withUnsafeMutableBytes { buffer in
            (try? readAll(into: buffer, from: descriptor, at: Int64(start), name)) != nil
        }
        guard isRead, self.id(from: start) == id,
            places.allSatisfy({ $0.offset <= start && $0.length <= UInt64(start) - $0.offset })
        else { return nil }
        if start == 0 { return }
        guard let memory = mmap(nil, start, PROT_READ, MAP_SHARED, descriptor, 0), memory != MAP_FAILED else {
            return nil
        }
        self.memory = UnsafeRawBufferPointer(start: memory, count: start)
    }

    /// Numbers and texts one after the other.
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var at = 0

        mutating func number() throws(Damaged) -> Int {
            var (number, shift) = (0, 0)
            while at < bytes.count, shift < 42 {
                let byte = bytes[at]
                at += 1
                number |= Int(byte & 0x7F) << shift
                if byte < 0x80 { return number }
                shift += 7
            }
            throw Damaged()
        }

        mutating func forEachNumber(below limit: Int, _ body: (UInt32) -> Void) throws(Damaged) {
            var before = 0
            for _ in 0..<(try number()) {
                before += try number()
                guard before < limit else { throw Damaged() }
                body(UInt32(before))
            }
        }
    }

    private func reader(_ piece: Int) -> Reader {
        let place = places[piece]
        let range = Int(place.offset)..<Int(place.offset + place.length)
        return Reader(bytes: UnsafeRawBufferPointer(rebasing: memory[range]))
    }

    /// Whether a piece has the record of a product that is marked.
    func holds(_ marked: UnsafeMutableBufferPointer<Bool>, in piece: Int) throws -> Bool {
        var reader = reader(piece)
        var isFound = false
        try reader.forEachNumber(below: marked.count) { if marked[Int($0)] { isFound = true } }
        return isFound
    }

    /// The terms of a piece.
    func terms(of piece: Int, products: Int) throws -> [(line: [UInt8], postings: [UInt32])] {
        var reader = reader(piece)
        guard Fingerprint(of: reader.bytes).low == places[piece].hash else { throw Damaged() }
        try reader.forEachNumber(below: products) { _ in }
        return try (0..<(try reader.number())).map { _ in
            let length = try reader.number()
            guard length <= reader.bytes.count - reader.at else { throw Damaged() }
            let line = Array(reader.bytes[reader.at..<(reader.at + length)])
            reader.at += length
            var postings: [UInt32] = []
            try reader.forEachNumber(below: products << 3) { postings.append($0) }
            return (line, postings)
        }
    }
}
