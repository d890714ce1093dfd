extension Project {
    /// The code blocks of a language in a page of the documentation, in their order.
    ///
    /// - Parameter heading: the section to look in, as `### A heading`; nil is the whole page.
    public static func blocks(_ language: String, in page: String, under heading: String? = nil) -> [String] {
        var out: [String] = []
        var block: [Substring]?
        var indent = 0
        var isThere = heading == nil
        for line in text(of: page).split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.drop { $0 == " " }
            if let lines = block {
                if trimmed == "```" {
                    if isThere { out.append(lines.joined(separator: "\n") + "\n") }
                    block = nil
                } else {
                    block = lines + [line.dropFirst(indent)]
                }
            } else if trimmed == "```" + language {
                indent = line.count - trimmed.count
                block = []
            } else if let heading, line.hasPrefix("#") {
                isThere = line == heading
            }
        }
        return out
    }
}
