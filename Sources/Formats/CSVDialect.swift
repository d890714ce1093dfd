/// How the cells of a table are told apart.
public enum CSVDialect {
    /// The delimiters that are told by looking, the likelier first.
    private static let candidates = [",", ";", "\t", "|"].compactMap { $0.utf8.first }

    /// The delimiter of a table, told by its first lines: the one that stands outside quotes on the most of them
    /// equally often. Nil when none does, as in a table of one column.
    public static func delimiter(of sample: [UInt8]) -> UInt8? {
        var best: (score: Int, delimiter: UInt8)?
        for candidate in candidates {
            let counts = counts(of: candidate, in: sample)
            guard let first = counts.first, first > 0 else { continue }
            // The heading is the best witness: names of columns hold no delimiters.
            let agreeing = counts.filter { $0 == first }.count
            let score = agreeing * 1000 / counts.count + min(first, 100)
            if best.map({ score > $0.score }) ?? true { best = (score, candidate) }
        }
        return best?.delimiter
    }

    /// How often a byte stands outside quotes, for each row of the sample.
    private static func counts(of delimiter: UInt8, in sample: [UInt8]) -> [Int] {
        var counts: [Int] = []
        var count = 0
        var isQuoted = false
        var isEmpty = true
        for byte in sample {
            switch byte {
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                isEmpty = false
            case 0x0A, 0x0D:
                if isQuoted { continue }
                if !isEmpty { counts.append(count) }
                count = 0
                isEmpty = true
            default:
                isEmpty = false
                if byte == delimiter, !isQuoted { count += 1 }
            }
        }
        // The last row of a sample is cut; it only counts when there is no other.
        if counts.isEmpty, !isEmpty { counts.append(count) }
        return counts
    }

    /// The name of a delimiter for reports.
    public static func name(of delimiter: UInt8) -> String {
        switch delimiter {
        case UInt8(ascii: ","): "comma"
        case UInt8(ascii: ";"): "semicolon"
        case 0x09: "tab"
        case UInt8(ascii: "|"): "bar"
        default: "'\(Unicode.Scalar(delimiter))'"
        }
    }
}
