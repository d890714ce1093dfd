import Basics

/// Prints diagnostics, of each id the first ones: a column with 100,000 bad cells needs no 100,000 lines.
///
/// - Parameters:
///   - total: how many there are in all, where only the first were kept.
///   - hasReport: whether a report lists them all.
func printDiagnostics(_ diagnostics: [Diagnostic], of total: Int = 0, hasReport: Bool = true) {
    var shown: [String: Int] = [:]
    var text = ""
    for diagnostic in diagnostics {
        let count = shown[diagnostic.id, default: 0] + 1
        shown[diagnostic.id] = count
        if count <= (diagnostic.severity == .error ? 50 : 10) { text += diagnostic.description + "\n" }
    }
    let advice = hasReport ? "" : "; --json FILE lists them"
    for (id, count) in shown.sorted(by: { $0.key < $1.key }) {
        let limit = diagnostics.contains { $0.id == id && $0.severity == .error } ? 50 : 10
        if count > limit { text += "… and \(count - limit) more [\(id)]\(advice)\n" }
    }
    if total > diagnostics.count { text += "… and \(total - diagnostics.count) further warnings\n" }
    write(text, to: 2)
}
