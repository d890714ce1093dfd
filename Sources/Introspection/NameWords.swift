import Basics

/// The words of a table's or column's name: `UnitPrice`, `unit_price` and `Unit Price` are the same two.
///
/// Latin letters lose their marks, so that `Årgang` and `argang` are one word.
func words(of name: String) -> [String] {
    var words: [String] = []
    var word: [Character] = []
    let letters = Array(name)
    func end() {
        if !word.isEmpty { words.append(String(word)) }
        word = []
    }
    for (i, letter) in letters.enumerated() {
        guard letter.isLetter || letter.isNumber else {
            end()
            continue
        }
        if let last = word.last {
            let isHump = letter.isUppercase && last.isLowercase
            // HTMLText: the last capital belongs to the word that follows.
            let next = i + 1 < letters.count ? letters[i + 1] : " "
            let endsCapitals = letter.isUppercase && last.isUppercase && next.isLowercase
            if isHump || endsCapitals || letter.isASCIIDigit != last.isASCIIDigit { end() }
        }
        word.append(letter)
    }
    end()
    return words.map { word in
        let folded = slug(of: word)
        let isLatin = word.unicodeScalars.allSatisfy { $0.value < 0x250 }
        return isLatin && !folded.isEmpty ? folded : word.lowercased()
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

/// Whether two words name one thing: singular and plural (`brewery`, `breweries`).
func isSameThing(_ a: String, _ b: String) -> Bool {
    if a == b { return true }
    let common = zip(a, b).prefix { $0 == $1 }.count
    let shorter = min(a.count, b.count)
    guard common >= max(3, shorter - 1) else { return false }
    let endings: Set<Substring> = [
        "", "s", "es", "y", "ies", "n", "en", "e", "er", "x", "i", "a", "o", "os", "as", "r", "ar", "ы",
        "и", "а", "я", "ии", "ия",
    ]
    return endings.contains(a.dropFirst(common)) && endings.contains(b.dropFirst(common))
}

/// The name as people read it: `QuantityPerUnit` becomes "Quantity per unit".
func label(of name: String) -> String {
    let letters = Array(name)
    var out = ""
    for (i, letter) in letters.enumerated() {
        guard letter != "_", letter != "-", letter != ".", !letter.isWhitespace else {
            if !out.isEmpty, out.last != " " { out += " " }
            continue
        }
        let last = i > 0 ? letters[i - 1] : " "
        let next = i + 1 < letters.count ? letters[i + 1] : " "
        if letter.isUppercase, last.isLowercase || (last.isUppercase && next.isLowercase), out.last != " " {
            out += " "
        }
        out.append(letter)
    }
    var parts: [String] = []
    for (i, word) in out.split(separator: " ").enumerated() {
        let lower = word.lowercased()
        if acronyms.contains(lower) {
            parts.append(word.uppercased())
        } else if i == 0 {
            let isShouted = word.count > 3 && word.allSatisfy { $0.isUppercase || !$0.isLetter }
            let rest = isShouted ? lower[...] : word[...]
            parts.append(rest.prefix(1).uppercased() + rest.dropFirst())
        } else {
            parts.append(lower)
        }
    }
    let text = parts.joined(separator: " ")
    return text.isEmpty ? name : text
}

/// The English plural of a label; labels that end in s are plurals already.
func plural(_ label: String) -> String {
    if label.hasSuffix("s") || label.utf8.count != label.unicodeScalars.count { return label }
    if label.hasSuffix("y"), let before = label.dropLast().last, !"aeiou".contains(before) {
        return label.dropLast() + "ies"
    }
    return label + (label.hasSuffix("x") || label.hasSuffix("ch") || label.hasSuffix("sh") ? "es" : "s")
}

/// Short forms that stay in capitals.
private let acronyms: Set<String> = [
    "ibu", "srm", "ebc", "abv", "isbn", "ean", "upc", "gtin", "sku", "ram", "cpu", "gpu", "usb", "ph", "dvd",
    "cd",
    "tv", "id", "url", "bpm", "rpm", "psi", "kwh", "aoc", "doc", "docg", "igp", "og", "fg",
]
