import Basics
import Synchronization

/// Pieces of words, of their beginnings, and of words backwards.
extension SearchIndex {
    /// Makes the pieces of words, of beginnings of words and of words backwards, and those of article numbers; after
    /// ``makeOrders()``.
    ///
    /// - Parameter name: of the file in which the lists of the pieces are kept for the next build; nil keeps none.
    /// - Returns: whether that file was made; if not, that of the build before stays.
    public func makeWords(keptAs name: String?, former: String?) throws -> Bool {
        let digest = digestOfTexts
        if let former, try renewWords(digest, former) { return false }
        let file = try name.map { name throws(FileError) in try TermFile(creating: name, in: folder) }
        try makeAllWords(file)
        try makeIdentifiers()
        if let file { notes.set("words", digest, wordNotes + [try file.finish()]) }
        return file != nil
    }

    private var wordNotes: [String] {
        [
            pieces.words, pieces.furtherWords, pieces.heads, pieces.furtherHeads, pieces.reversed,
        ].flatMap(\.notes) + [pieces.identifiers]
    }

    /// Makes the pieces of words again that hold a record that has changed, if no word of any product has.
    private func renewWords(_ digest: Fingerprint, _ name: String) throws -> Bool {
        guard let notes = memo["words", digest], notes.count == 12,
            let file = TermFile(opening: name, in: folder, id: notes[11])
        else { return false }
        let lists = stride(from: 0, to: 10, by: 2).map { SearchPieces.Directory(notes: notes[$0..<($0 + 2)]) }
        let (words, heads) = (lists[0].list, lists[2].list)
        guard file.count == words.count + heads.count else { return false }
        let isChanged = UnsafeMutableBufferPointer<Bool>.allocate(capacity: count)
        isChanged.initialize(repeating: false)
        defer { isChanged.deallocate() }
        for number in changed { isChanged[Int(number)] = true }
        var names = words + heads
        var pending: [(place: Int, terms: [(line: [UInt8], postings: [UInt32])])] = []
        do {
            for place in 0..<file.count where try file.holds(isChanged, in: place) {
                pending.append((place, try file.terms(of: place, products: count)))
            }
        } catch { return false }
        let same = Set(names.indices).subtracting(pending.map(\.place)).sorted()
        let others = [lists[1], lists[3], lists[4]].flatMap(\.list) + PieceName.list(notes[10])
        guard sink.keep(same.map { names[$0] } + others) else { return false }
        let sources = (0..<workers).map { source($0) }
        let made = Mutex<[Int: String]>([:])
        try inParallel(over: pending) { [count] worker, piece in
            let isWord = piece.place < words.count
            let builder = TermPieceBuilder(
                kind: isWord ? "w" : "h", furtherKind: isWord ? "W" : "H",
                inlineLimit: isWord ? sources[worker].limits.inlineLimit(of: count) : 0,
                topLimit: sources[worker].limits.top, from: sources[worker])
            let name = try builder.makePiece(of: piece.terms)
            made.withLock { $0[piece.place] = name }
        }
        for (place, name) in made.withLock({ $0 }) { names[place] = name }
        pieces.words = lists[0].renamed(names[..<words.count])
        pieces.furtherWords = lists[1]
        pieces.heads = lists[2].renamed(names[words.count...])
        pieces.furtherHeads = lists[3]
        pieces.reversed = lists[4]
        pieces.identifiers = notes[10]
        self.notes.set("words", digest, wordNotes + [notes[11]])
        return true
    }

    private func makeAllWords(_ file: TermFile?) throws {
        let terms = try spoolTerms()
        let results = Mutex([WordPart](repeating: WordPart(), count: terms.parts))
        let sources = (0..<workers).map { source($0, file) }
        try inParallel(over: Array(0..<terms.parts)) { worker, part in
            let bytes = try terms.bytes(of: part)
            defer { bytes.deallocate() }
            let result = try WordIndexer(UnsafeRawBufferPointer(bytes), from: sources[worker]).build()
            results.withLock { $0[part] = result }
        }
        let parts = results.withLock { $0 }
        file?.setOrder(parts.flatMap(\.words.pieces) + parts.flatMap(\.heads.pieces))
        func joined(_ list: KeyPath<WordPart, PieceList>) -> SearchPieces.Directory {
            SearchPieces.Directory(PieceList(pieces: parts.flatMap { $0[keyPath: list].pieces }))
        }
        pieces.words = joined(\.words)
        pieces.furtherWords = joined(\.furtherWords)
        pieces.heads = joined(\.heads)
        pieces.furtherHeads = joined(\.furtherHeads)
        try makeReversed(parts.map(\.reversed))
    }

    private func makeReversed(_ parts: [[UInt8]]) throws {
        var lines = parts.flatMap { $0.split(separator: 0x0A) }
        lines.sort { $0.lexicographicallyPrecedes($1) }
        var list = PieceList()
        var cutter = PieceCutter(least: 24_000, usual: 24_000, most: 64_000)
        var bytes: [UInt8] = []
        var first: [UInt8] = []
        func word(_ line: ArraySlice<UInt8>) -> [UInt8] { Array(line.dropLast(2)) }
        for (i, line) in lines.enumerated() {
            if bytes.isEmpty { first = word(line) }
            bytes.append(contentsOf: line)
            bytes.append(0x0A)
            let hash = line.dropLast().withUnsafeBytes { Fingerprint(of: $0).low }
            if cutter.add(line.count, hash: hash) || i == lines.count - 1 || cutter.isCut(before: 40) {
                let name = try put(bytes, kind: "t")
                list.pieces.append(PieceList.Piece(first: first, last: word(line), name: name))
                bytes.removeAll(keepingCapacity: true)
                cutter.startPiece()
            }
        }
        pieces.reversed = SearchPieces.Directory(list)
    }
}
