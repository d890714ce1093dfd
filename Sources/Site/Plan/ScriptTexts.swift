import Basics
import Formats

/// The texts that a script says, as a module that it imports: `import text from './texts.js'`.
///
/// A script's module holds the texts that it names as `text('key'` and no others, so that a page does not load what only
/// another one says. The script is not parsed: the key stands in quotes right after `text(`.
struct ScriptTexts {
    /// What a script imports to get its texts, unless the theme has a file of that name.
    static let path = "texts.js"

    /// The keys that the script names, sorted, each once.
    let keys: [String]

    /// - Throws: every key that is no text of the theme.
    init(of script: SourceText, strings: Strings) throws(Failure) {
        let bytes = script.bytes
        let mark = Array("text(".utf8)
        var found: Set<String> = []
        var faults: [Diagnostic] = []
        var at = 0
        while let start = bytes[at...].firstIndex(of: mark[0]) {
            at = start + 1
            guard bytes[start...].starts(with: mark), start == 0 || !Self.isNamePart(bytes[start - 1]) else {
                continue
            }
            let key = start + mark.count + 1
            guard key < bytes.count, [UInt8(ascii: "'"), UInt8(ascii: "\"")].contains(bytes[key - 1]),
                let end = bytes[key...].firstIndex(of: bytes[key - 1])
            else { continue }
            let name = String(decoding: bytes[key..<end], as: UTF8.self)
            at = end
            if strings.entry(name) != nil {
                found.insert(name)
            } else {
                let near = suggestion(for: name, among: strings.keys).map { "; did you mean '\($0)'?" }
                faults.append(
                    script.diagnostic(
                        .error, "unknown-text", "'\(name)' is no text of the theme\(near ?? "")", at: key,
                        length: end - key))
            }
        }
        if !faults.isEmpty { throw Failure(faults) }
        keys = found.sorted()
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte == UInt8(ascii: ".") || byte >= 0x80
            || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    /// The module: a function from a key and values to a text, and the language.
    func module(_ strings: Strings, language: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { writer in
            for key in keys {
                writer.key(key)
                switch strings.entry(key) {
                case .text(let text)?: writer.value(text)
                case .plural(let forms)?:
                    writer.object { writer in
                        for (form, text) in forms.sorted(by: { $0.key < $1.key }) {
                            writer.key(form)
                            writer.value(text)
                        }
                    }
                case nil: writer.null()
                }
            }
        }
        var tag = JSONWriter()
        tag.value(language)
        // What browsers do not take for a language is none of ours either.
        return Array(
            """
            export let language=\(String(decoding: tag.bytes, as: UTF8.self));
            try{new Intl.Locale(language)}catch{language='en'}
            const texts=\(String(decoding: json.bytes, as: UTF8.self)),number=new Intl.NumberFormat(language),plural=new Intl.PluralRules(language);
            export default(key,values={})=>{const t=texts[key];return(t.other?t[plural.select(values.n)]??t.other:t).replace(/\\{(\\w+)\\}/g,(all,name)=>name==='n'&&values.n!==undefined?number.format(values.n):values[name]??all)};

            """.utf8)
    }
}
