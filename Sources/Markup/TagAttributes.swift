extension Bytes {
    /// Whether some tag has more attributes than `limit`, which gumbo compares with each other, all with all.
    ///
    /// What is a tag depends on what is before it, so every `<` before a letter or `/` is taken for the start of one, and
    /// read by the rules of HTML's tokeniser. Such readings may overlap; texts in which they overlap so much that the
    /// source would be read eight times are no notes, and are counted among those with too many.
    func hasTag(withMoreAttributesThan limit: Int) -> Bool {
        var budget = 8 * count + 1024
        for start in indices where self[start] == UInt8(ascii: "<") {
            guard start + 1 < count, self[start + 1].isASCIILetter || self[start + 1] == UInt8(ascii: "/")
            else {
                continue
            }
            var attributes = 0
            var i = skipName(from: start + 1)
            // Attributes: what is not white space, "/" or ">" starts a name; "=" after it a value.
            while i < count, self[i] != UInt8(ascii: ">") {
                if self[i].isHTMLSpace || self[i] == UInt8(ascii: "/") {
                    i += 1
                    continue
                }
                attributes += 1
                if attributes > limit { return true }
                // An "=" at the start is part of the name.
                i = skipAttributeName(from: i + 1)
                let value = skipSpace(from: i)
                if value < count, self[value] == UInt8(ascii: "=") {
                    i = skipValue(from: skipSpace(from: value + 1))
                }
            }
            budget -= i - start
            if budget < 0 { return true }
        }
        return false
    }

    private func skipSpace(from start: Int) -> Int {
        var i = start
        while i < count, self[i].isHTMLSpace { i += 1 }
        return i
    }

    private func skipName(from start: Int) -> Int {
        var i = start
        if i < count, self[i] == UInt8(ascii: "/") { i += 1 }
        while i < count, !self[i].isHTMLSpace, self[i] != UInt8(ascii: "/"), self[i] != UInt8(ascii: ">") {
            i += 1
        }
        return i
    }

    private func skipAttributeName(from start: Int) -> Int {
        var i = start
        while i < count, !self[i].isHTMLSpace, self[i] != UInt8(ascii: "/"), self[i] != UInt8(ascii: ">"),
            self[i] != UInt8(ascii: "=")
        {
            i += 1
        }
        return i
    }

    private func skipValue(from start: Int) -> Int {
        guard start < count else { return start }
        var i = start
        let quote = self[start]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            i += 1
            while i < count, self[i] != quote { i += 1 }
            return Swift.min(i + 1, count)
        }
        while i < count, !self[i].isHTMLSpace, self[i] != UInt8(ascii: ">") { i += 1 }
        return i
    }
}
