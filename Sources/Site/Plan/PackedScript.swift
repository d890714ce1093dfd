/// A script without its comments, indentation and empty lines: what browsers need of it, for pages that count bytes.
///
/// Line breaks stay, so that it means the same. Where a slash cannot be told to begin a regular expression without
/// parsing (after a parenthesis or brace that closes), or a text never ends, the script stays as it is.
func packedScript(_ script: [UInt8]) -> [UInt8] {
    var packer = ScriptPacker(script)
    return packer.run() ? packer.out : script
}

private struct ScriptPacker {
    private let bytes: [UInt8]
    private var at = 0
    var out: [UInt8] = []
    /// The last byte that is neither space nor comment; 0 at the start.
    private var before: UInt8 = 0
    /// For each template literal that is open and in a `${…}` of which the script is, how many braces are open there.
    private var braces: [Int] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        out.reserveCapacity(bytes.count)
    }

    private func next(_ n: Int = 1) -> UInt8 { at + n < bytes.count ? bytes[at + n] : 0 }

    mutating func run() -> Bool {
        while at < bytes.count {
            let byte = bytes[at]
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                guard text(until: byte) else { return false }
            case UInt8(ascii: "`"):
                take()
                guard template() else { return false }
            case UInt8(ascii: "/") where next() == UInt8(ascii: "/"):
                while at < bytes.count, bytes[at] != 0x0A { at += 1 }
            case UInt8(ascii: "/") where next() == UInt8(ascii: "*"):
                guard comment() else { return false }
            case UInt8(ascii: "/"):
                switch slash {
                case .division: take()
                case .expression: guard expression() else { return false }
                case .unclear: return false
                }
            case UInt8(ascii: "{"):
                if !braces.isEmpty { braces[braces.count - 1] += 1 }
                take()
            case UInt8(ascii: "}"):
                take()
                guard let open = braces.last else { break }
                if open == 0 {
                    braces.removeLast()
                    guard template() else { return false }
                } else {
                    braces[braces.count - 1] -= 1
                }
            case 0x0A, 0x0D:
                while out.last == 0x20 || out.last == 0x09 { out.removeLast() }
                if let last = out.last, last != 0x0A { out.append(0x0A) }
                at += 1
            case 0x20, 0x09:
                if let last = out.last, last != 0x0A, last != 0x20 { out.append(0x20) }
                at += 1
            default: take()
            }
        }
        return braces.isEmpty
    }

    /// Copies a byte that is code.
    private mutating func take() {
        before = bytes[at]
        out.append(before)
        at += 1
    }

    private mutating func text(until quote: UInt8) -> Bool {
        take()
        while at < bytes.count, bytes[at] != 0x0A {
            if bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count {
                take()
            } else if bytes[at] == quote {
                take()
                return true
            }
            take()
        }
        return false
    }

    /// A template literal from after its opening, or after one of its `${…}`, to its end or the next `${`.
    private mutating func template() -> Bool {
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\\") where at + 1 < bytes.count: take()
            case UInt8(ascii: "`"):
                take()
                return true
            case UInt8(ascii: "$") where next() == UInt8(ascii: "{"):
                take()
                take()
                braces.append(0)
                return true
            default: break
            }
            take()
        }
        return false
    }

    /// A comment is white space: a line break if it has one.
    private mutating func comment() -> Bool {
        var hasBreak = false
        at += 2
        while at + 1 < bytes.count, !(bytes[at] == UInt8(ascii: "*") && next() == UInt8(ascii: "/")) {
            hasBreak = hasBreak || bytes[at] == 0x0A
            at += 1
        }
        guard at + 1 < bytes.count else { return false }
        at += 2
        if let last = out.last, last != 0x0A { out.append(hasBreak ? 0x0A : 0x20) }
        return true
    }

    private enum Slash { case division, expression, unclear }

    private var slash: Slash {
        switch before {
        case 0: return .expression
        case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "+"), UInt8(ascii: "-"): return .unclear
        case UInt8(ascii: "]"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): return .division
        case _ where Self.isNamePart(before):
            var code = out[...]
            while let last = code.last, last <= 0x20 { code.removeLast() }
            let start = code.lastIndex { !Self.isNamePart($0) }.map { $0 + 1 } ?? 0
            let word = String(decoding: code[start...], as: UTF8.self)
            return Self.operators.contains(word) ? .expression : .division
        default: return .expression
        }
    }

    /// Words after which a value begins.
    private static let operators: Set<String> = [
        "return", "typeof", "case", "in", "of", "do", "else", "void", "delete", "throw", "new", "instanceof",
        "await",
        "yield",
    ]

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80 || (0x30...0x39).contains(byte)
            || (0x61...0x7A).contains(byte | 0x20)
    }

    private mutating func expression() -> Bool {
        take()
        var isInClass = false
        while at < bytes.count, bytes[at] != 0x0A {
            switch bytes[at] {
            case UInt8(ascii: "\\") where at + 1 < bytes.count: take()
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                take()
                // It is a value like a text; its flags are a name.
                before = UInt8(ascii: "'")
                while at < bytes.count, Self.isNamePart(bytes[at]) {
                    out.append(bytes[at])
                    at += 1
                }
                return true
            default: break
            }
            take()
        }
        return false
    }
}
