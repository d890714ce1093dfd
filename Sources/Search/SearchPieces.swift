/// The pieces of all kinds, by which the entry names them.
public struct SearchPieces: Sendable {
    /// A directory: the texts that part the pieces, and their names, ``PieceName`` letters each.
    public struct Directory: Sendable {
        /// One fewer than names.
        public var separators: [String] = []
        /// Back to back.
        public var names = ""

        init() {}

        init(_ list: PieceList) {
            separators = list.separators.dropFirst().map { String(decoding: $0, as: UTF8.self) }
            names = list.pieces.map(\.name).joined()
        }

        /// What was noted of one.
        init(notes: ArraySlice<String>) {
            let separators = notes.first!
            self.separators =
                separators.isEmpty
                ? [] : separators.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
            names = notes.last!
        }

        var notes: [String] { [separators.joined(separator: "\n"), names] }

        /// The names, one by one.
        var list: [String] { PieceName.list(names) }

        func renamed(_ names: ArraySlice<String>) -> Directory {
            var directory = self
            directory.names = names.joined()
            return directory
        }
    }

    /// Words, beginnings of words, sets of products, and the further segments of each.
    public var words = Directory(), heads = Directory(), sets = Directory()
    public var furtherWords = Directory(), furtherHeads = Directory(), furtherSets = Directory()
    /// Words backwards.
    public var reversed = Directory()
    /// Records of ``recordsPerPiece`` products each, and the piece with the first key of each of them.
    public var records = "", keys = ""
    /// Article numbers, by the first bits of their hash.
    public var identifiers = ""
    /// For each order, its pieces, how many products each has, and how many have the value that is ordered by.
    public var orders: [(name: String, pieces: String, counts: [Int], valued: Int)] = []
    /// Values of facets with many, by group.
    public var values: [String: String] = [:]
    /// How many products a piece of records has.
    public var recordsPerPiece = 0
}
