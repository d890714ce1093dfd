/// The known name nearest to a misspelt one, if one is near: at most a third of its letters differ.
///
/// Ties are broken by spelling, so that a message is the same on every machine.
public func suggestion(for name: String, among known: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
    var best: (distance: Int, name: String)?
    for candidate in known {
        let other = Array(candidate.lowercased().unicodeScalars.prefix(64))
        let limit = max(1, min(wanted.count, other.count) / 3)
        guard abs(wanted.count - other.count) <= limit else { continue }
        let distance = editDistance(wanted, other)
        guard distance <= limit else { continue }
        if let old = best, (old.distance, old.name) <= (distance, candidate) { continue }
        best = (distance, candidate)
    }
    return best?.name
}

/// The number of insertions, deletions, substitutions and swaps of neighbours between two texts
/// (optimal string alignment distance).
func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    for i in 1...a.count {
        var row = [i] + [Int](repeating: 0, count: b.count)
        for j in 1...b.count {
            row[j] = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                row[j] = min(row[j], before[j - 2] + 1)
            }
        }
        before = previous
        previous = row
    }
    return previous[b.count]
}
