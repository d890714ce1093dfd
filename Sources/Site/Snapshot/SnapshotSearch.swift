import Basics
import Database
import Glibc
import Model
import Search
import Synchronization

/// The data of the search of a snapshot: made when it is first asked for, since every product has to be read for it.
///
/// It lies in one file without a name, so that nothing is left of it when the preview ends.
final class SnapshotSearch: Sendable {
    /// What the data is made of: equal keys mean equal data.
    struct Key: Hashable {
        let survey: SurveyKey
        let site: Fingerprint
    }

    private enum State {
        case idle, running
        case made(PieceFile)
        case failed(Failure)
    }

    let key: Key
    private let state = Monitor(State.idle)
    private let done: @Sendable (Key) -> Void

    /// - Parameter done: hears when it is made, or cannot be.
    init(_ key: Key, done: @escaping @Sendable (Key) -> Void = { _ in }) {
        self.key = key
        self.done = done
    }

    /// A file of the search; nil when there is none, or when it is not made yet, which ``isMade`` tells. The first call
    /// begins to make them.
    func file(_ path: String, _ renderer: SiteRenderer, _ sources: SiteSources) throws -> [UInt8]? {
        let (file, mustStart) = try state.withLock { state -> (PieceFile?, Bool) in
            switch state {
            case .made(let file): return (file, false)
            case .failed(let failure):
                // A database that was busy or a disk that was full may not be so the next time.
                state = .idle
                throw failure
            case .running: return (nil, false)
            case .idle:
                state = .running
                return (nil, true)
            }
        }
        if let file { return try file.bytes(of: path) }
        if mustStart {
            let isStarted = detachThread {
                let result = Result { try Self.made(renderer, sources) }
                self.state.withLock { state in
                    switch result {
                    case .success(let file): state = .made(file)
                    case .failure(let error):
                        state = .failed((error as? Failure) ?? Failure("file", "\(error)"))
                    }
                }
                returnUnusedMemory()
                self.done(self.key)
            }
            if !isStarted {
                state.withLock { $0 = .idle }
                throw Failure("internal", "no thread can be started; end other programs and try again")
            }
        }
        return nil
    }

    /// Whether it is being made.
    var isRunning: Bool { state.withLock { if case .running = $0 { true } else { false } } }

    /// Whether it is known which files there are.
    var isMade: Bool {
        state.withLock { state in
            switch state {
            case .idle, .running: false
            case .made, .failed: true
            }
        }
    }

    /// Waits until the data is made, if it is being made.
    func wait(seconds: Double) {
        _ = state.wait(seconds: seconds) { state -> Bool? in
            if case .running = state { return nil }
            return true
        }
    }

    /// How often the reading gives way to other programs. Arbitrary, as with a survey: a shop that writes all the time must not
    /// keep the search from being made.
    private static let politeness = 5

    private static func made(_ renderer: SiteRenderer, _ sources: SiteSources) throws -> PieceFile {
        for _ in 0..<politeness {
            do { return try make(renderer, sources, givesWay: true) } catch is Survey.GaveWay {}
        }
        return try make(renderer, sources, givesWay: false)
    }

    /// Reads all products.
    ///
    /// - Parameters:
    ///   - givesWay: whether to end with ``Survey/GaveWay`` when another program is about to write.
    ///   - wait: waits for that program.
    static func make(
        _ renderer: SiteRenderer, _ sources: SiteSources, givesWay: Bool,
        wait: (CatalogueReader) -> Void = { $0.waitForWriter() }
    ) throws -> PieceFile {
        let site = try sources.state()
        let name = "preview-\(getpid())"
        let folder = try site.makingDirectory(name, mode: 0o700)
        defer {
            try? folder.removeContents()
            _ = try? site.removeDirectory(name)
        }
        let catalogue = renderer.catalogue
        let workers = max(1, availableProcessors())
        let spool = try RecordSpool(products: catalogue.count, in: folder)
        let records = SearchRecords(renderer: renderer)
        let prints = PageFingerprints(renderer: renderer)
        let pipeline = Pipeline<[(Int, CatalogueReader.Entry)]>(workers: workers) { _, chunk in
            var bytes: [UInt8] = []
            var slots: [(number: Int, length: Int)] = []
            var record = SearchRecord()
            var digest = PlanDigest(order: renderer.settings.order)
            for (number, entry) in chunk {
                prints.setRow(number, of: entry, using: &digest)
                let start = bytes.count
                records.append(
                    entry, number: number, fingerprint: prints.product(number), using: &record, to: &bytes)
                slots.append((number, bytes.count - start))
            }
            try spool.append(bytes, of: slots)
        }
        let reader = try sources.openDatabase()
        do {
            var chunk: [(Int, CatalogueReader.Entry)] = []
            try reader.forEachProduct(.full) { entry in
                guard let number = catalogue.number(of: entry.product.id) else { return }
                chunk.append((number, entry))
                if chunk.count == 32 {
                    if givesWay, reader.isInTheWay() { throw Survey.GaveWay() }
                    try pipeline.send(chunk)
                    chunk.removeAll(keepingCapacity: true)
                }
            }
            if !chunk.isEmpty { try pipeline.send(chunk) }
        } catch {
            try? pipeline.finish()
            if error is Survey.GaveWay {
                try reader.pause()
                wait(reader)
            }
            if let error = error as? DatabaseError { throw sources.failure(error) }
            throw error
        }
        try pipeline.finish()
        let file = try PieceFile(in: folder)
        let limits = SearchLimits()
        let index = SearchIndex(
            count: catalogue.count, workers: workers, limits: limits, folder: folder, spool: spool, sink: file
        )
        try index.gather(
            as: "records", former: nil, places: [Int32](repeating: -1, count: catalogue.count))
        let entry = try SearchRun.makePieces(of: index, renderer, limits) {
            _ = try index.makeWords(keptAs: nil, former: nil)
        }
        try file.add(entry, at: SearchRun.entryPath)
        return file
    }
}

/// Pieces one after the other in a file without a name.
final class PieceFile: PieceSink {
    private let descriptor: Int32
    private let path: String
    private let places = Mutex<(files: [String: Range<Int>], end: Int)>(([:], 0))

    init(in folder: Directory) throws(FileError) {
        (descriptor, path) = try folder.temporaryFile("pieces")
    }

    deinit { _ = close(descriptor) }

    func put(_ name: String, worker: Int, _ bytes: () throws -> [UInt8]) throws {
        try add(bytes(), at: SearchRun.path(piece: name))
    }

    /// Nothing is there that was made before.
    func keep(_ names: [String]) -> Bool { false }

    func add(_ bytes: [UInt8], at path: String) throws(FileError) {
        let start = places.withLock { places in
            let start = places.end
            places.end += bytes.count
            places.files[path] = start..<start + bytes.count
            return start
        }
        var done = 0
        while done < bytes.count {
            let n = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, bytes.count - done, off_t(start + done))
            }
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { throw FileError("write", self.path, code: n == 0 ? EIO : errno) }
            done += n
        }
    }

    func bytes(of path: String) throws(FileError) -> [UInt8]? {
        guard let place = places.withLock({ $0.files[path] }) else { return nil }
        var bytes = [UInt8](repeating: 0, count: place.count)
        var done = 0
        while done < bytes.count {
            let n = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + done, place.count - done, off_t(place.lowerBound + done))
            }
            if n < 0, errno == EINTR { continue }
            guard n > 0 else { throw FileError("read", self.path, code: n == 0 ? EIO : errno) }
            done += n
        }
        return bytes
    }
}
