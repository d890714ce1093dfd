/// A check that a document is well-formed, with the texts of its elements: as much of XML 1.0 as feeds and sitemaps use.
struct XMLScanner {
    /// Texts and attribute values, each with the element (and attribute) they belong to.
    private(set) var values: [(path: String, value: String)] = []
    private(set) var faults: [String] = []

    init(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            faults.append("is not UTF-8")
            return
        }
        if let control = bytes.first(where: { $0 < 0x20 && ![0x09, 0x0A, 0x0D].contains($0) }) {
            faults.append("holds the control character \(control)")
        }
        // The rules that differ from our HTML: one root, every element closed, attributes with a value.
        var rest = bytes[...]
        if rest.starts(with: Array("<?xml".utf8)) {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
                faults.append("the declaration never ends")
                return
            }
            rest = rest[(end + 1)...]
        }
        var text: [UInt8] = []
        var stack: [String] = []
        var roots = 0
        while let first = rest.first {
            guard first == UInt8(ascii: "<") else {
                let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
                text += rest[..<end]
                rest = rest[end...]
                continue
            }
            let (pieces, problems) = PageScanner.pieces(of: text)
            faults += problems
            for case .text(let value) in pieces where value.contains(where: { !$0.isWhitespace }) {
                if stack.isEmpty { faults.append("text outside of the root") }
                values.append((stack.last ?? "", value))
            }
            text = []
            var isQuoted = false
            guard
                let end = rest.firstIndex(where: {
                    if $0 == UInt8(ascii: "\"") { isQuoted.toggle() }
                    return $0 == UInt8(ascii: ">") && !isQuoted
                })
            else {
                faults.append("a tag never ends")
                return
            }
            let tag = Array(rest[...end])
            rest = rest[(end + 1)...]
            let (inside, more) = PageScanner.pieces(of: tag)
            faults += more
            guard let piece = inside.first else { continue }
            switch piece {
            case .open(let name, let attributes):
                if stack.isEmpty { roots += 1 }
                for attribute in attributes { values.append((name + "@" + attribute.name, attribute.value)) }
                if tag[tag.count - 2] != UInt8(ascii: "/") { stack.append(name) }
            case .close(let name):
                if stack.popLast() != name { faults.append("</\(name)> closes another element") }
            case .text, .raw: break
            }
        }
        if !stack.isEmpty { faults.append("<\(stack.joined(separator: "> <"))> never closed") }
        if roots != 1 { faults.append("\(roots) roots") }
    }
}
