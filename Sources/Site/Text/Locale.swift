import Basics
import Glibc
public import Model

/// How a language writes numbers, money and dates. The facts are CLDR's; a language that is not listed writes
/// as English does, with ISO dates.
public struct Locale: Sendable {
    /// The BCP 47 tag of the site, such as `en-GB`.
    public let tag: String
    /// Its first part, such as `en`: the strings file of that name is used.
    public let language: String
    private let style: Style
    private let symbols: TextTable<String>
    /// What 0 to 50 tenths of a star are called.
    private let ratings: [String]
    let pluralRule: PluralRule

    struct Style: Sendable {
        var decimal = "."
        var group = ","
        /// Digits from which on thousands are grouped: five in Spanish and Polish.
        var groupFrom = 4
        var symbolFirst = true
        /// Between the amount and the symbol.
        var symbolSpace = ""
        var percentSpace = ""
        var months: [String] = []
        var date = DateOrder.iso
        var volume = VolumeUnit.centilitres
        var symbols: [String: String] = [:]
    }

    enum DateOrder {
        case iso, dayMonthYear, dayDotMonthYear, monthDayYear, french, spanish, japanese

        /// What stands between the day and the month.
        func afterDay(_ day: UInt64) -> String {
            switch self {
            case .dayDotMonthYear: ". "
            case .french where day == 1: "er "
            case .spanish: " de "
            default: " "
            }
        }
    }
    enum VolumeUnit { case centilitres, litres, millilitres }

    /// - Parameter tag: a BCP 47 tag such as `de` or `en-US`.
    public init(_ tag: String) {
        self.tag = tag
        let parts = tag.lowercased().split(separator: "-")
        language = parts.first.map(String.init) ?? "en"
        style = Self.styles[tag.lowercased()] ?? Self.styles[language] ?? Style()
        pluralRule = PluralRule(language: language)
        symbols = TextTable(
            Self.symbols.merging(style.symbols) { $1 }.map { (name: $0.key, value: $0.value) })
        let decimal = style.decimal
        ratings = (0...50).map { "\($0 / 10)\(decimal)\($0 % 10)" }
    }

    /// `rtl` for scripts that are written from right to left.
    public var direction: String {
        ["ar", "he", "fa", "ur", "yi", "dv", "ckb", "ps", "sd"].contains(language) ? "rtl" : "ltr"
    }

    /// A whole number with its thousands grouped.
    public func number(_ number: Int) -> String {
        // No language groups less than thousands.
        if 0..<1000 ~= number { return String(decimal: number) }
        return String(short: { write(number, to: &$0) })
    }

    /// A number in hundredths, without zeros at its end: 4630 is 46.3.
    public func hundredths(_ number: Int) -> String { String(short: { write(hundredths: number, to: &$0) }) }

    /// A rating in tenths, with its tenth: 44 is 4.4.
    ///
    /// - Parameter number: 0 to 50.
    public func tenths(_ number: Int) -> String { ratings[number] }

    /// A strength in hundredths of a percent.
    public func percent(_ hundredths: Int) -> String {
        String(short: { write(percent: hundredths, to: &$0) })
    }

    /// The same, as a part of a text.
    func write(percent hundredths: Int, to out: inout ShortText) {
        write(hundredths: hundredths, to: &out)
        out.append(style.percentSpace)
        out.append("%" as Unicode.Scalar)
    }

    /// A content as labels write it: `70 cl`, `0,7 l`, `700 ml`, `1.5 l`.
    public func volume(millilitres: Double) -> String {
        String(short: { write(millilitres: millilitres, to: &$0) })
    }

    /// The same, as a part of a text.
    func write(millilitres: Double, to out: inout ShortText) {
        let rounded = Int(millilitres.rounded())
        switch style.volume {
        case .millilitres:
            write(rounded, to: &out)
            out.append("ml")
        case .litres:
            write(hundredths: Int((millilitres / 10).rounded()), to: &out)
            out.append("\u{A0}l")
        case .centilitres where rounded >= 1000 && rounded % 10 == 0:
            write(hundredths: rounded / 10, to: &out)
            out.append("\u{A0}l")
        case .centilitres where rounded >= 10 && rounded % 5 == 0:
            write(hundredths: rounded * 10, to: &out)
            out.append("\u{A0}cl")
        case .centilitres:
            write(rounded, to: &out)
            out.append("\u{A0}ml")
        }
    }

    /// An amount of money with its currency's symbol.
    public func money(_ money: Money) -> String {
        let code = money.currency.code
        let symbol = symbols[code] ?? code
        let digits = money.currency.digits
        var scale: UInt64 = 1
        for _ in 0..<digits { scale *= 10 }
        let (whole, rest) = money.minorUnits.magnitude.quotientAndRemainder(dividingBy: scale)
        return String(short: { out in
            if style.symbolFirst {
                out.append(symbol)
                // A code of letters needs a space that a sign does not.
                let isLetters = symbol.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
                out.append(isLetters ? "\u{A0}" : style.symbolSpace)
            }
            if money.minorUnits < 0 { out.append("-" as Unicode.Scalar) }
            write(magnitude: whole, to: &out)
            if digits > 0 {
                out.append(style.decimal)
                out.append(rest, digits: digits)
            }
            if !style.symbolFirst {
                out.append(style.symbolSpace)
                out.append(symbol)
            }
        })
    }

    private func write(_ number: Int, to out: inout ShortText) {
        if number < 0 { out.append("-" as Unicode.Scalar) }
        write(magnitude: UInt64(number.magnitude), to: &out)
    }

    private func write(magnitude number: UInt64, to out: inout ShortText) {
        if number < 1000 { return out.append(number) }
        var least: UInt64 = 1
        for _ in 1..<style.groupFrom { least *= 10 }
        if number < least { out.append(number) } else { out.append(number, group: style.group) }
    }

    private func write(hundredths number: Int, to out: inout ShortText) {
        write(number / 100, to: &out)
        let rest = UInt64((number % 100).magnitude)
        if rest == 0 { return }
        out.append(style.decimal)
        if rest % 10 == 0 { out.append(rest / 10) } else { out.append(rest, digits: 2) }
    }

    /// What stands before and after an amount of a currency.
    func pattern(of currency: Currency) -> (before: String, after: String) {
        let text = money(Money(minorUnits: 0, currency: currency))
        guard let start = text.firstIndex(of: "0"), let end = text.lastIndex(of: "0") else { return ("", "") }
        return (String(text[..<start]), String(text[text.index(after: end)...]))
    }

    /// An amount without its smaller units, for the ends of ranges.
    func money(wholeOf minorUnits: Int64, _ currency: Currency) -> String {
        var unit: Int64 = 1
        for _ in 0..<currency.digits { unit *= 10 }
        let (before, after) = pattern(of: currency)
        return before + number(Int(minorUnits / unit)) + after
    }

    /// The sign before decimals, that between thousands, and from how many digits on those are parted.
    var decimalSign: String { style.decimal }
    var groupSign: String { style.group }
    var groupsFrom: Int { style.groupFrom }

    /// A date in words, as much of it as is known.
    public func date(_ date: PartialDate) -> String {
        guard let month = date.month, !style.months.isEmpty, style.date != .iso || date.day == nil else {
            return style.date == .japanese && date.month == nil ? "\(date.year)年" : date.description
        }
        let name = style.months[month - 1]
        let year = UInt64(date.year)
        let dayPart = date.day.map { UInt64($0) }
        return String(short: { out in
            switch (style.date, dayPart) {
            case (.japanese, let day):
                out.append(year)
                out.append("年")
                out.append(UInt64(month))
                out.append("月")
                if let day {
                    out.append(day)
                    out.append("日")
                }
            case (.monthDayYear, let day?):
                out.append(name)
                out.append(" ")
                out.append(day)
                out.append(", ")
                out.append(year)
            case (let order, let day):
                if let day {
                    out.append(day)
                    out.append(order.afterDay(day))
                }
                out.append(name)
                out.append(order == .spanish ? " de " : " ")
                out.append(year)
            }
        })
    }

    private static let symbols = [
        "GBP": "£", "EUR": "€", "USD": "$", "JPY": "¥", "NOK": "kr", "SEK": "kr", "DKK": "kr", "ISK": "kr",
        "PLN": "zł",
        "CZK": "Kč", "INR": "₹", "KRW": "₩", "CNY": "CN¥", "AUD": "A$", "CAD": "CA$", "NZD": "NZ$",
        "ILS": "₪",
        "TRY": "₺", "UAH": "₴",
    ]

    private static let english = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November",
        "December",
    ]
    private static let norwegian = [
        "januar", "februar", "mars", "april", "mai", "juni", "juli", "august", "september", "oktober",
        "november",
        "desember",
    ]

    private static let styles: [String: Style] = [
        "en": Style(months: english, date: .dayMonthYear),
        "en-us": Style(months: english, date: .monthDayYear),
        "nb": nordic(norwegian, .dayDotMonthYear), "no": nordic(norwegian, .dayDotMonthYear),
        "nn": nordic(norwegian, .dayDotMonthYear),
        "da": Style(
            decimal: ",", group: ".", symbolFirst: false, symbolSpace: "\u{A0}", percentSpace: "\u{A0}",
            months: [
                "januar", "februar", "marts", "april", "maj", "juni", "juli", "august", "september",
                "oktober",
                "november", "december",
            ], date: .dayDotMonthYear, symbols: ["DKK": "kr."]),
        "sv": nordic(
            [
                "januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti", "september",
                "oktober",
                "november", "december",
            ], .dayMonthYear),
        "de": Style(
            decimal: ",", group: ".", symbolFirst: false, symbolSpace: "\u{A0}", percentSpace: "\u{A0}",
            months: [
                "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
                "November", "Dezember",
            ], date: .dayDotMonthYear, volume: .litres),
        "fr": Style(
            decimal: ",", group: "\u{202F}", symbolFirst: false, symbolSpace: "\u{A0}",
            percentSpace: "\u{202F}",
            months: [
                "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
                "octobre",
                "novembre", "décembre",
            ], date: .french, symbols: ["USD": "$US"]),
        "es": Style(
            decimal: ",", group: ".", groupFrom: 5, symbolFirst: false, symbolSpace: "\u{A0}",
            percentSpace: "\u{A0}",
            months: [
                "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
                "octubre",
                "noviembre", "diciembre",
            ], date: .spanish),
        "it": Style(
            decimal: ",", group: ".", symbolFirst: false, symbolSpace: "\u{A0}",
            months: [
                "gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre",
                "ottobre", "novembre", "dicembre",
            ], date: .dayMonthYear),
        "nl": Style(
            decimal: ",", group: ".", symbolSpace: "\u{A0}",
            months: [
                "januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september",
                "oktober",
                "november", "december",
            ], date: .dayMonthYear),
        "ja": Style(
            months: (1...12).map { "\($0)月" }, date: .japanese, volume: .millilitres, symbols: ["JPY": "￥"]),
    ]

    private static func nordic(_ months: [String], _ order: DateOrder) -> Style {
        Style(
            decimal: ",", group: "\u{A0}", symbolFirst: false, symbolSpace: "\u{A0}", percentSpace: "\u{A0}",
            months: months, date: order)
    }
}
