import Basics
import Synchronization

/// How a picture comes to be: its bytes, their hash, the pack of all its sizes.
extension PictureFolder {
    func make(_ name: String, with worker: PictureWorker) {
        let isOver = state.withLock { $0.isClosed || $0.failure != nil }
        let result: Result<Picture, PictureFault> = isOver ? .failure(.crash) : outcome(of: name, worker)
        let counts = state.withLock { state in
            state.names[name] = .done(result)
            state.counts.done += 1
            return state.counts
        }
        hear(counts)
    }

    private func outcome(of name: String, _ worker: PictureWorker) -> Result<Picture, PictureFault> {
        switch content(of: name) {
        case .failure(let fault): return .failure(fault)
        case .success(let content):
            guard let workshop = workshop() else { return .failure(.crash) }
            let (former, cache) = (workshop.former, workshop.cache)
            let key = self.key(of: content.hash)
            if let picture = former.pictures[key] { return .success(picture) }
            if let fault = former.faults[key] { return .failure(fault) }
            // Of two names with the same bytes, one waits for the other.
            state.wait { state in state.busy.insert(key).inserted ? () : nil }
            defer { _ = state.withLock { $0.busy.remove(key) } }
            if let pack = cache.pack(key), let (picture, _) = Picture.parse(pack, key: key) {
                return .success(picture)
            }
            do {
                switch try makePack(name, key, workshop, worker) {
                case .failure(let fault): return .failure(fault)
                case .success(let pack):
                    guard let pack, let (picture, _) = Picture.parse(pack, key: key) else {
                        return .failure(.crash)
                    }
                    return .success(picture)
                }
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
                return .failure(.crash)
            }
        }
    }

    /// Makes a picture of its original and keeps it. Nil when the original is no longer what it was.
    func makePack(
        _ name: String, _ key: String, _ workshop: Workshop, _ worker: PictureWorker
    ) throws -> Result<[UInt8]?, PictureFault> {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try self.bytes(of: name) } catch { return .failure(.missing(error)) }
        guard self.key(of: Self.hash(bytes)) == key else { return .success(nil) }
        let header = ImageHeader(bytes)
        if let header {
            guard header.width <= 20_000, header.height <= 20_000, header.width * header.height <= 100_000_000
            else { return .failure(.size(header.width, header.height)) }
        } else if bytes.looksLikeSVG {
            guard let trusted, !name.hasPrefix(Self.blobMark), PictureFiles.path(name).hasPrefix(trusted)
            else {
                return .failure(.svg)
            }
        } else {
            return .failure(bytes.isEmpty ? .broken("it is empty") : .format)
        }
        do {
            let pack = try worker.make(bytes, header, settings.recipe)
            try workshop.cache.keep(pack, key)
            state.withLock { $0.counts.made += 1 }
            return .success(pack)
        } catch let fault as PictureFault {
            return .failure(fault)
        }
    }

    func content(of name: String) -> Result<Content, PictureFault> {
        if let known = state.withLock({ $0.contents[name] }) { return known }
        let result = identify(name)
        return state.withLock { state in
            // The first answer stands, so that a file that changes now does not change a page's fingerprint.
            if let known = state.contents[name] { return known }
            state.contents[name] = result
            return result
        }
    }

    private func identify(_ name: String) -> Result<Content, PictureFault> {
        guard originals.folder != nil else { return .failure(.noFolder) }
        do throws(FileError) {
            let started = wallClockNanoseconds()
            let path = try originals.path(of: name)
            if let status = try originals.status(of: path), status.kind == .regular {
                let file = "\(status.device):\(status.inode):\(status.size):\(status.modified)"
                if let hash = workshop()?.former.contents[file] {
                    return .success(Content(hash: hash, file: file))
                }
                let bytes = try originals.bytes(at: path)
                // A file changed so lately may change again within the same tick of its clock.
                let isOld = started - status.modified > 1_000_000_000 && bytes.count == status.size
                return .success(Content(hash: Self.hash(bytes), file: isOld ? file : nil))
            }
            // Says what is wrong with it: not there, a link, a folder.
            return .success(
                Content(hash: Self.hash(try originals.bytes(at: path)), file: nil))
        } catch {
            return .failure(.missing(error))
        }
    }

    private func bytes(of name: String) throws(FileError) -> [UInt8] {
        if name.hasPrefix(Self.blobMark) {
            guard let workshop = workshop() else { throw FileError("open", "the cache", code: 2) }
            return try workshop.cache.original(String(name.dropFirst()))
        }
        return try originals.bytes(at: originals.path(of: name))
    }

    /// A keyed hash that nobody finds two pictures for: with a weaker one, somebody could make a picture that takes the
    /// place of another.
    static func hash(_ bytes: [UInt8]) -> String {
        let hash = keyedHash(bytes, key: Array("build-site pictures".utf8), length: 16)
        return hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func key(of hash: String) -> String {
        String(Fingerprint(of: hash + "\n" + settings.recipe.identity).hex.prefix(16))
    }
}
