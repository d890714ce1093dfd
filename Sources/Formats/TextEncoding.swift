public import Basics
import Glibc

/// How the bytes of a file stand for characters.
public struct TextEncoding: Hashable, Sendable {
    /// The name as messages print it and `iconv` knows it: `UTF-8`, `windows-1252`.
    public let name: String

    /// UTF-8, with or without a byte order mark.
    public static let utf8 = TextEncoding(name: "UTF-8")

    private init(name: String) { self.name = name }

    /// The encodings that are read, by the names they go by. What is not here is refused: UTF-7, for one, hides
    /// markup from whoever looks at the bytes.
    private static let names: [(name: String, aliases: [String])] = [
        ("UTF-8", ["utf8", "unicode11utf8"]),
        ("UTF-16", ["utf16", "ucs2", "unicode"]),
        ("UTF-16LE", ["utf16le", "ucs2le"]),
        ("UTF-16BE", ["utf16be", "ucs2be"]),
        ("US-ASCII", ["ascii", "usascii"]),
        ("ISO-8859-1", ["latin1", "iso88591", "l1"]),
        ("ISO-8859-2", ["latin2", "iso88592"]),
        ("ISO-8859-5", ["iso88595"]),
        ("ISO-8859-9", ["latin5", "iso88599"]),
        ("ISO-8859-15", ["latin9", "iso885915"]),
        ("windows-1250", ["cp1250", "windows1250"]),
        ("windows-1251", ["cp1251", "windows1251"]),
        ("windows-1252", ["cp1252", "windows1252", "ansi"]),
        ("windows-1253", ["cp1253", "windows1253"]),
        ("windows-1254", ["cp1254", "windows1254"]),
        ("windows-1257", ["cp1257", "windows1257"]),
        ("KOI8-R", ["koi8r"]),
        ("IBM850", ["cp850", "ibm850"]),
        ("macintosh", ["macroman", "macintosh", "mac"]),
        ("Shift_JIS", ["shiftjis", "sjis", "cp932", "windows31j"]),
        ("EUC-JP", ["eucjp"]),
        ("GB18030", ["gb18030", "gbk", "gb2312"]),
        ("Big5", ["big5"]),
        ("EUC-KR", ["euckr", "cp949"]),
    ]

    /// The encoding of that name, in any case and with or without hyphens; nil when it is none that is read.
    public init?(named text: String) {
        let bare = text.lowercased().filter { $0.isLetter || $0.isNumber }
        guard let found = Self.names.first(where: { $0.aliases.contains(bare) }) else { return nil }
        name = found.name
    }

    /// The names for messages.
    public static var allNames: [String] { names.map(\.name) }

    /// What looking at a file found.
    public struct Finding: Sendable {
        /// The encoding.
        public let encoding: TextEncoding
        /// Whether it was guessed from how often bytes stand where, and is not plain from the bytes.
        public let isGuess: Bool
    }

    /// Tells the encoding by looking at the whole file, which is then at its start again.
    ///
    /// A byte order mark decides; then zero bytes at every second place, which only UTF-16 has; then whether the
    /// bytes are UTF-8, which no other encoding is by chance. What is left has one byte a character: Cyrillic
    /// words consist of high bytes, Western ones have single ones between ASCII letters.
    public static func of(_ file: InputFile) throws(FileError) -> Finding {
        try file.rewind()
        var look = Look()
        var chunk: [UInt8] = []
        var isFirst = true
        while true {
            try file.read(1 << 18, into: &chunk)
            if chunk.isEmpty { break }
            if isFirst {
                isFirst = false
                if let plain = unicode(start: chunk) {
                    try file.rewind()
                    return Finding(encoding: plain, isGuess: false)
                }
            }
            look.read(chunk)
        }
        try file.rewind()
        return look.finding
    }

    private static func unicode(start: [UInt8]) -> TextEncoding? {
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if start.starts(with: [0xFF, 0xFE]) { return TextEncoding(name: "UTF-16LE") }
        if start.starts(with: [0xFE, 0xFF]) { return TextEncoding(name: "UTF-16BE") }
        var zeros = [0, 0]
        let looked = min(start.count, 4096)
        for i in 0..<looked where start[i] == 0 { zeros[i & 1] += 1 }
        // ASCII punctuation, digits and line ends have a zero byte in UTF-16 even where letters have none.
        if looked >= 4, zeros[1] * 10 > looked / 2, zeros[0] * 4 < zeros[1] {
            return TextEncoding(name: "UTF-16LE")
        }
        if looked >= 4, zeros[0] * 10 > looked / 2, zeros[1] * 4 < zeros[0] {
            return TextEncoding(name: "UTF-16BE")
        }
        return nil
    }

    /// Counts that tell encodings apart.
    private struct Look {
        /// Well-formed sequences of UTF-8 beyond ASCII, and bytes that belong to none.
        var sequences = 0, strays = 0
        /// High bytes, those beside another high byte, and those that windows-1252 leaves open.
        var high = 0, neighbours = 0, undefined = 0
        private var carry: [UInt8] = []
        private var wasHigh = false

        mutating func read(_ chunk: [UInt8]) {
            if chunk.allSatisfy({ $0 < 0x80 }) && carry.isEmpty {
                wasHigh = false
                return
            }
            for byte in chunk {
                let isHigh = byte >= 0x80
                if isHigh {
                    high += 1
                    if wasHigh { neighbours += 1 }
                    if [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(byte) { undefined += 1 }
                }
                wasHigh = isHigh
            }
            let bytes = carry + chunk
            let whole = UTF8Check.wholeLength(of: bytes)
            carry = Array(bytes[whole...])
            var at = 0
            while at < whole {
                let fault = UTF8Check.firstFault(in: bytes, range: at..<whole) ?? whole
                for byte in bytes[at..<fault] where byte >= 0xC0 { sequences += 1 }
                if fault < whole { strays += 1 }
                at = fault + 1
            }
        }

        var finding: Finding {
            // A few broken characters in a file of UTF-8 do not make it another encoding.
            if strays + carry.count == 0 || sequences > 10 * (strays + carry.count) {
                return Finding(encoding: .utf8, isGuess: strays + carry.count > 0)
            }
            // Neighbours are pairs: a run of n high bytes has n − 1.
            let isCyrillic = neighbours * 2 > high || undefined * 50 > high
            return Finding(
                encoding: TextEncoding(name: isCyrillic ? "windows-1251" : "windows-1252"), isGuess: true)
        }
    }
}
