import Basics
import Model

/// Which mark stands before the fraction of a number.
public enum DecimalMark: String, Sendable, CaseIterable {
    case point, comma
}

/// Reads amounts as people and programs write them: `£12.50`, `1.234,56 €`, `12,5`, `1 234`, `CHF 12.–`.
///
/// Never through floating point. One group of three digits after a single mark is ambiguous (`1,234`); the mark
/// that the rest of the file uses decides.
struct Amount: Equatable {
    /// Digits with a point if there is a fraction, a minus before it: what ``Model/Money`` reads.
    var decimal: String
    /// A currency that was written beside it.
    var currency: Currency?

    /// Nil when the text is no amount.
    init?(_ text: String, mark: DecimalMark?) {
        var digits: [UInt8] = []
        var letters = ""
        var symbol: Unicode.Scalar?
        var isNegative = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "0"..."9": digits.append(UInt8(truncatingIfNeeded: scalar.value))
            case "０"..."９": digits.append(UInt8(truncatingIfNeeded: scalar.value - 0xFF10 + 0x30))
            case ".", ",": digits.append(UInt8(truncatingIfNeeded: scalar.value))
            case "，": digits.append(UInt8(ascii: ","))
            // `12.–` and `12,-`: no pence. Before the digits it is a minus.
            case "-", "−", "–", "—":
                if digits.isEmpty {
                    isNegative = true
                } else {
                    guard let last = digits.last, [UInt8(ascii: "."), UInt8(ascii: ",")].contains(last) else {
                        return nil
                    }
                    digits.removeLast()
                }
            case "'", "’", "_":
                if digits.isEmpty { return nil }
                digits.append(UInt8(ascii: "'"))
            case "$", "£", "€", "¥", "￥", "₽", "₹", "₩", "円":
                if symbol != nil { return nil }
                symbol = scalar
            default:
                if scalar.properties.isWhitespace {
                    if let last = digits.last, last >= 0x30 { digits.append(UInt8(ascii: " ")) }
                } else if scalar.properties.isAlphabetic, letters.utf8.count < 8 {
                    letters.unicodeScalars.append(scalar)
                } else {
                    return nil
                }
            }
        }
        while digits.last == UInt8(ascii: " ") { digits.removeLast() }
        guard let plain = Self.plain(digits, mark: mark) else { return nil }
        decimal = (isNegative ? "-" : "") + plain
        switch (letters.lowercased(), symbol) {
        case ("", "€"): currency = Currency("EUR")
        case ("", "£"): currency = Currency("GBP")
        case ("", "₽"), ("руб", nil), ("р", nil): currency = Currency("RUB")
        case ("", "円"): currency = Currency("JPY")
        case ("us", "$"): currency = Currency("USD")
        // A dollar, a yen sign or a krone may be one of several.
        case ("", _), ("kr", nil): currency = nil
        default:
            guard let currency = Currency(letters) else { return nil }
            self.currency = currency
        }
    }

    /// Digits with a point out of digits with marks.
    private static func plain(_ text: [UInt8], mark: DecimalMark?) -> String? {
        let (point, comma) = (UInt8(ascii: "."), UInt8(ascii: ","))
        guard text.contains(where: { $0 >= 0x30 }) else { return nil }
        let marks = text.indices.filter { text[$0] == point || text[$0] == comma }
        var fraction: Int?
        if let last = marks.last {
            let same = marks.filter { text[$0] == text[last] }.count
            let after = text.count - last - 1
            if marks.count > same {
                // Both kinds: the last one is before the fraction, and comes once.
                if same > 1 { return nil }
                fraction = last
            } else if marks.count == 1 {
                let before = text[..<last].filter { $0 >= 0x30 }
                // Too few or too many digits for a group, or nothing that could be one before it.
                let isFraction =
                    after != 3 || before.isEmpty || before == [UInt8(ascii: "0")]
                    || text[..<last].contains(0x20)
                    || text[..<last].contains(UInt8(ascii: "'"))
                let isUsual = mark.map { $0 == .point ? point : comma } ?? point
                if isFraction || text[last] == isUsual { fraction = last }
            }
        }
        let whole = text[..<(fraction ?? text.count)]
        var out = ""
        // Groups after the first have three digits.
        var group = 0
        var isFirst = true
        for byte in whole {
            if byte >= 0x30 {
                group += 1
                out.unicodeScalars.append(Unicode.Scalar(byte))
                continue
            }
            guard isFirst ? (1...3).contains(group) : group == 3 else { return nil }
            isFirst = false
            group = 0
        }
        guard isFirst || group == 3 else { return nil }
        let rest = text[min((fraction ?? text.count) + 1, text.count)...]
        guard rest.allSatisfy({ $0 >= 0x30 }) else { return nil }
        if out.isEmpty { out = "0" }
        return rest.isEmpty ? out : out + "." + String(decoding: rest, as: UTF8.self)
    }

    /// The amount in the smallest unit of a currency; nil when it has a fraction of that unit, or is too large.
    func minorUnits(in currency: Currency) -> Int64? {
        let parts = decimal.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count == 2, parts[1].dropFirst(currency.digits).contains(where: { $0 != "0" }) { return nil }
        return Money(decimal: decimal, currency: currency)?.minorUnits
    }

    /// What a text says of the file's decimal mark; nil when it could be either.
    static func evidence(_ text: String) -> DecimalMark? {
        let marks = text.utf8.filter { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
        guard let last = marks.last, text.utf8.contains(where: { (0x30...0x39).contains($0) }) else {
            return nil
        }
        let mark: DecimalMark = last == UInt8(ascii: ".") ? .point : .comma
        let other: DecimalMark = mark == .point ? .comma : .point
        let same = marks.filter { $0 == last }.count
        if marks.count > same { return mark }
        if same > 1 { return other }
        let after = text.utf8.reversed().prefix { $0 != last }.filter { (0x30...0x39).contains($0) }.count
        return (1...2).contains(after) ? mark : nil
    }
}
