import Basics

/// Rows of a build into nothing, kept until all are known, so that the manifest gets them in the order of their hashes.
///
/// The manifest's table is a tree by hash, and hashes come in no order at all: as they come, every row goes to another
/// page of it, and with a million files, of which the cache holds a tenth, a page is read and written for each. In
/// order, all go to its end.
///
/// Few rows stay in memory. Many go to a file without a name, sorted out by the first bits of their hashes, so that
/// memory holds one part at a time.
///
/// Used by one thread at a time.
final class RowSpool {
    /// A row, whose texts lie in the spool's memory.
    struct Row {
        let hash, fingerprint, content: Int64
        let size: Int
        let path, product: UnsafeRawBufferPointer
    }

    /// What stands before the bytes of path and product.
    private struct Header {
        let hash, fingerprint, content: Int64
        let size: Int
        let path, product: UInt32

        var length: Int { MemoryLayout<Header>.size + Int(path) + Int(product) }
    }

    /// Rows in the order of their hashes.
    struct Part {
        private let bytes: UnsafeRawBufferPointer
        private var places: [(hash: Int64, place: Int)] = []

        fileprivate init(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
            RowSpool.forEachRow(in: bytes) { hash, range in places.append((hash, range.lowerBound)) }
            places.sort { $0.hash < $1.hash }
        }

        var count: Int { places.count }

        subscript(_ i: Int) -> Row {
            let start = places[i].place
            let header = bytes.loadUnaligned(fromByteOffset: start, as: Header.self)
            let path = start + MemoryLayout<Header>.size
            let product = path + Int(header.path)
            return Row(
                hash: header.hash, fingerprint: header.fingerprint, content: header.content,
                size: header.size, path: UnsafeRawBufferPointer(rebasing: bytes[path..<product]),
                product: UnsafeRawBufferPointer(rebasing: bytes[product..<start + header.length]))
        }
    }

    /// Of a million rows, a part is some 2 MB.
    private static let partBits = 6, partCount = 1 << partBits

    private let limit: Int
    private let folder: Directory
    private var rows = ByteBuffer()
    private var file: PartedFile?

    /// - Parameters:
    ///   - folder: where the file is made, if there are many rows.
    ///   - limit: how many bytes stay in memory; sorting them out takes the same once more.
    init(in folder: Directory, limit: Int) {
        self.folder = folder
        self.limit = limit
    }

    func add(_ files: [Manifest.File]) throws(FileError) {
        for file in files {
            let header = Header(
                hash: file.hash, fingerprint: Int64(bitPattern: file.fingerprint),
                content: Int64(bitPattern: file.content), size: file.size,
                path: UInt32(file.path.utf8.count), product: UInt32(file.product.utf8.count))
            withUnsafeBytes(of: header) { rows.append($0.bindMemory(to: UInt8.self)) }
            rows.append(file.path)
            rows.append(file.product)
        }
        if rows.count >= limit { try sortOut() }
    }

    /// Calls a closure with each part, in the order of hashes; its rows are there as long as the closure runs.
    func forEachPart(_ body: (Part) throws -> Void) throws {
        guard file != nil else { return try rows.withBytes { try body(Part(UnsafeRawBufferPointer($0))) } }
        try sortOut()
        guard let file else { return }
        rows = ByteBuffer()
        for part in 0..<Self.partCount {
            let bytes = UnsafeMutableRawBufferPointer.allocate(
                byteCount: file.count(of: part), alignment: 8)
            defer { bytes.deallocate() }
            try file.read(part, into: bytes)
            try body(Part(UnsafeRawBufferPointer(bytes)))
        }
    }

    /// Brings the rows from memory to the file.
    private func sortOut() throws(FileError) {
        if file == nil { file = try PartedFile("rows", parts: Self.partCount, in: folder) }
        guard let file else { return }
        var parts = [[UInt8]](repeating: [], count: Self.partCount)
        rows.withBytes { bytes in
            Self.forEachRow(in: UnsafeRawBufferPointer(bytes)) { hash, range in
                // By the first bits of a signed number: negative ones are the first.
                parts[Int(hash >> (64 - Self.partBits)) + Self.partCount / 2].append(
                    contentsOf: bytes[range])
            }
        }
        for (number, bytes) in parts.enumerated() where !bytes.isEmpty {
            try file.append(bytes.span.bytes, to: number)
        }
        rows.removeAll()
    }

    private static func forEachRow(in bytes: UnsafeRawBufferPointer, _ body: (Int64, Range<Int>) -> Void) {
        var at = 0
        while at < bytes.count {
            let header = bytes.loadUnaligned(fromByteOffset: at, as: Header.self)
            body(header.hash, at..<at + header.length)
            at += header.length
        }
    }
}
