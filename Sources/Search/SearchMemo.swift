import Basics

/// What a build notes of the parts of the search that it made, for the next one: by what each was made from, and how its pieces
/// are called.
struct SearchMemo {
    private var parts: [String: (digest: String, values: [String])] = [:]
    /// Stands before each part.
    private static let mark: UInt8 = 0x1C

    /// Nothing.
    init() {}

    /// What was noted.
    init(_ notes: [UInt8]) {
        // Texts of pieces hold no control characters but line feeds.
        for part in notes.split(separator: Self.mark) {
            let texts = part.split(separator: SearchRecord.fieldEnd, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            if texts.count > 2 { parts[texts[0]] = (texts[1], Array(texts[2...])) }
        }
    }

    /// What was noted of a part, if it was made from the same.
    subscript(part: String, digest: Fingerprint) -> [String]? {
        parts[part].flatMap { $0.digest == digest.hex ? $0.values : nil }
    }

    /// The same, whatever it was made from.
    subscript(part: String) -> [String]? { parts[part]?.values }

    /// Notes a part.
    mutating func set(_ part: String, _ digest: Fingerprint, _ values: [String]) {
        parts[part] = (digest.hex, values)
    }

    var bytes: [UInt8] {
        var out: [UInt8] = []
        for (part, (digest, values)) in parts.sorted(by: { $0.key < $1.key }) {
            out.append(Self.mark)
            for (i, text) in ([part, digest] + values).enumerated() {
                if i > 0 { out.append(SearchRecord.fieldEnd) }
                out.append(text)
            }
        }
        return out
    }
}

extension RecordFile {
    /// The names of all pieces that were made of the records; nil if that is not known.
    public var pieces: [String]? { SearchMemo(notes)["all"]?.first.map { PieceName.list($0) } }
}
