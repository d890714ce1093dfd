/// What one value looks like.
enum ValueShape: Hashable, Sendable {
    case webAddress, pictureFile, webPicture, pictureBlob, email
    /// `1999-12-31`, maybe with a time.
    case isoDate
    /// `31.12.1999` and `31/12/1999`; `12/31/1999`.
    case dayFirstDate, monthFirstDate
    case unixTime
    case gtin, money, percent, hexColour, currencyCode
    /// `Men > Clothing > Coats`, by the separator.
    case arrowPath, slashPath, colonPath
    /// Several values in one cell, by the separator.
    case pipeList, semicolonList, commaList, jsonList

    /// Words that stand for nothing.
    static let placeholders: Set<String> = [
        "n/a", "na", "n.a.", "null", "none", "-", "--", "---", "?", "unknown", "unbekannt", "ukjent",
        "inconnu", "tbd", "nan",
        "not available", "не указано", "0000-00-00", "0000-00-00 00:00:00", "—", "–", "undefined",
    ]

    private static let pictureEndings = [
        ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg", ".bmp", ".tif", ".tiff",
    ]

    static func shapes(of text: String) -> [ValueShape] {
        var out: [ValueShape] = []
        let lower = text.utf8.count <= 600 ? text.lowercased() : ""
        let isShort = text.utf8.count <= 300
        let isAddress = lower.hasPrefix("http://") || lower.hasPrefix("https://") || lower.hasPrefix("www.")
        let bare = lower.split(separator: "?", maxSplits: 1).first ?? ""
        let isPicture = isShort && pictureEndings.contains { bare.hasSuffix($0) }
        if isAddress { out.append(isPicture ? .webPicture : .webAddress) }
        if isPicture, !isAddress { out.append(.pictureFile) }
        guard isShort else { return out }
        if let at = text.firstIndex(of: "@"), text[at...].contains("."), !text.contains(" ") {
            out.append(.email)
        }
        out += dates(text)
        if isGTIN(text) { out.append(.gtin) }
        if text.hasSuffix("%"), text.first?.isNumber == true { out.append(.percent) }
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        if digits.utf8.count == 6, text.hasPrefix("#"), digits.allSatisfy(\.isHexDigit) {
            out.append(.hexColour)
        }
        if text.utf8.count == 3, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
            out.append(.currencyCode)
        }
        if isAddress || isPicture { return out }
        if text.contains(">"), !text.contains("<") { out.append(.arrowPath) }
        if text.contains("/"), text.first != "/", text.last != "/" { out.append(.slashPath) }
        if text.contains("::") { out.append(.colonPath) }
        if text.contains("|") { out.append(.pipeList) }
        if text.contains(";") { out.append(.semicolonList) }
        if text.contains(","), isNoSentence(text) { out.append(.commaList) }
        if text.hasPrefix("["), text.hasSuffix("]") { out.append(.jsonList) }
        return out
    }

    /// A list of words is short between its commas.
    private static func isNoSentence(_ text: String) -> Bool {
        !text.contains(". ")
            && text.split(separator: ",").allSatisfy { $0.split(separator: " ").count <= 3 && $0.count <= 30 }
    }

    private static func dates(_ text: String) -> [ValueShape] {
        let bytes = Array(text.utf8.prefix(11))
        guard bytes.count >= 8 else { return [] }
        func isDigit(_ i: Int) -> Bool { i < bytes.count && (0x30...0x39).contains(bytes[i]) }
        func number(_ range: Range<Int>) -> Int { bytes[range].reduce(0) { $0 * 10 + Int($1) - 0x30 } }
        if bytes.count >= 10, (0..<4).allSatisfy(isDigit), bytes[4] == 0x2D, isDigit(5), isDigit(6),
            bytes[7] == 0x2D, isDigit(8), isDigit(9)
        {
            return (1...12).contains(number(5..<7)) && (1...31).contains(number(8..<10)) ? [.isoDate] : []
        }
        guard bytes.count >= 10, isDigit(0), isDigit(1), isDigit(3), isDigit(4), (6..<10).allSatisfy(isDigit),
            bytes[2] == bytes[5], bytes[2] == 0x2E || bytes[2] == 0x2F || bytes[2] == 0x2D
        else { return [] }
        let first = number(0..<2), second = number(3..<5)
        guard (1...31).contains(first), (1...31).contains(second) else { return [] }
        var out: [ValueShape] = []
        if second <= 12 { out.append(.dayFirstDate) }
        if first <= 12, bytes[2] != 0x2E { out.append(.monthFirstDate) }
        return out
    }

    /// Seconds since 1970 between 1985 and 2060, or the same in milliseconds.
    static func isUnixTime(_ number: Int64) -> Bool {
        (473_385_600...2_840_140_800).contains(number)
            || (473_385_600_000...2_840_140_800_000).contains(number)
    }

    /// A GTIN of 8, 12, 13 or 14 digits with a right check digit.
    static func isGTIN(_ text: String) -> Bool {
        let digits = text.utf8.filter { $0 != 0x20 && $0 != 0x2D }.map { Int($0) - 0x30 }
        guard [8, 12, 13, 14].contains(digits.count), digits.allSatisfy({ (0...9).contains($0) }),
            digits.contains(where: { $0 != 0 })
        else { return false }
        var sum = 0
        for (i, digit) in digits.reversed().enumerated() { sum += i % 2 == 0 ? digit : 3 * digit }
        return sum % 10 == 0
    }

    /// An amount with a currency or separators: `£12.50`, `1.234,50 €`, `12,50`, `CHF 1'200.-`.
    ///
    /// - Returns: what stands there beside digits, and which character separates the decimals.
    static func money(_ text: String) -> (marks: Set<String>, decimal: Character?)? {
        guard text.utf8.count <= 30, text.contains(where: { $0.isASCII && $0.isNumber }) else { return nil }
        var marks: Set<String> = []
        var letters = ""
        var separators: [(Character, Int)] = []
        var digits = 0
        for letter in text {
            if letter.isLetter {
                letters.append(letter)
                continue
            }
            if letter.isASCII, letter.isNumber {
                digits += 1
                continue
            }
            if letter == "." || letter == "," || letter == "'" || letter == "’" {
                separators.append((letter, digits))
            } else if !letter.isWhitespace, !letter.isCurrencySymbol, letter != "-" {
                return nil
            } else if letter == "-", digits == 0 {
                return nil
            }
            marks.insert(String(letter))
        }
        // Words other than a currency's are no money: "12 bottles".
        guard letters.isEmpty || currencies[letters.uppercased()] != nil else { return nil }
        if !letters.isEmpty { marks.insert(letters) }
        guard let last = separators.last else { return marks.isEmpty ? nil : (marks, nil) }
        let after = digits - last.1
        let isDecimal =
            (last.0 == "." || last.0 == ",")
            && (after == 1 || after == 2 || (after == 0 && text.hasSuffix("-")))
            && !separators.dropLast().contains { $0.0 == last.0 }
        return (marks, isDecimal ? last.0 : nil)
    }

    /// Codes, signs and short words of currencies.
    static let currencies: [String: String] = [
        "EUR": "EUR", "USD": "USD", "GBP": "GBP", "CHF": "CHF", "NOK": "NOK", "SEK": "SEK", "DKK": "DKK",
        "JPY": "JPY",
        "PLN": "PLN", "CZK": "CZK", "RUB": "RUB", "CAD": "CAD", "AUD": "AUD", "CNY": "CNY", "INR": "INR",
        "EURO": "EUR",
        "KR": "NOK", "FR": "CHF", "ZŁ": "PLN", "ZL": "PLN", "KČ": "CZK", "РУБ": "RUB", "Р": "RUB", "円": "JPY",
        "元": "CNY",
        "DOLLAR": "USD", "RS": "INR", "FT": "HUF", "HUF": "HUF", "NZD": "NZD", "BRL": "BRL",
    ]
    static let currencySigns: [Character: String] = [
        "€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "￥": "JPY", "₽": "RUB", "₹": "INR", "₩": "KRW",
        "₴": "UAH", "円": "JPY",
    ]

    static func isHTML(_ text: String) -> Bool {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
            return false
        }
        let lower = text.lowercased()
        return [
            "<p", "<br", "<b>", "<i>", "<ul", "<li", "<div", "<h", "<strong", "<em>", "<a ", "<span",
            "<table", "&lt;p", "&nbsp;", "&amp;",
        ]
        .contains { lower.contains($0) }
    }

    static func isMarkdown(_ text: String) -> Bool {
        text.hasPrefix("# ") || text.contains("\n# ") || text.contains("\n## ") || text.contains("**")
            || text.contains("\n- ") || text.contains("\n* ") || text.contains("](")
    }

    /// JPEG, PNG, GIF, WebP, AVIF, BMP by their first bytes.
    static func isPicture(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let starts: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], [0x47, 0x49, 0x46, 0x38], [0x42, 0x4D],
            [0x52, 0x49, 0x46, 0x46],
        ]
        if starts.contains(where: { bytes.starts(with: $0) }) { return true }
        return bytes.count >= 12 && bytes[4..<8].elementsEqual([0x66, 0x74, 0x79, 0x70])
    }
}
