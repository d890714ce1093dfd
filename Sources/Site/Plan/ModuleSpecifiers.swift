/// The places in a script where it names another one of the theme: `from './a.js'`, `import './a.js'`, `import('./a.js')`;
/// or a style sheet: `URL('./a.css'`.
///
/// The script is not parsed. A string that begins with `./`, ends in `.js` and stands right after `from`, `import` or
/// `import(` is one, which holds for every script that does not quote such code in a text of its own.
struct ModuleSpecifiers: Sequence, IteratorProtocol {
    struct Specifier {
        /// Without the quotes.
        let text: String
        /// Where it is among the bytes, without the quotes.
        let range: Range<Int>
    }

    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Specifier? {
        while at < bytes.count {
            let quote = bytes[at]
            at += 1
            guard quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""),
                let suffix = suffix(before: at - 1), bytes[at...].starts(with: "./".utf8),
                let end = bytes[at...].firstIndex(where: { $0 == quote || $0 == 0x0A }), bytes[end] == quote,
                bytes[..<end].suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            else { continue }
            defer { at = end + 1 }
            return Specifier(text: String(decoding: bytes[at..<end], as: UTF8.self), range: at..<end)
        }
        return nil
    }

    /// How what a string names has to end, by what stands before it: `from`, `import` or `import(`, or `URL(`.
    private func suffix(before end: Int) -> String? {
        var end = end
        func skipSpace() { while end > 0, bytes[end - 1] <= 0x20 { end -= 1 } }
        skipSpace()
        let isCall = end > 0 && bytes[end - 1] == UInt8(ascii: "(")
        if isCall {
            end -= 1
            skipSpace()
        }
        let before = bytes[..<end]
        if isCall, before.suffix(3).elementsEqual("URL".utf8) { return ".css" }
        let isImport =
            before.suffix(6).elementsEqual("import".utf8)
            || !isCall && before.suffix(4).elementsEqual("from".utf8)
        return isImport ? ".js" : nil
    }
}
