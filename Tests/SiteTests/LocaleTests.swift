import Model
import Testing

@testable import Site

/// How languages write numbers, money and dates; what is expected is the CLDR's.
@Suite struct LocaleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let tag: String
        let number: String, price: String, yen: String, strength: String
        let volumes: [String]
        let dates: [String]
        var testDescription: String { tag }
    }

    @Test(arguments: [
        Case(
            tag: "en-GB", number: "1,234,567", price: "£1,234.05", yen: "¥12,000", strength: "46.3%",
            volumes: ["70\u{A0}cl", "1.5\u{A0}l", "7\u{A0}ml"],
            dates: ["2000", "March 2000", "7 March 2000", "1 March 2000"]),
        Case(
            tag: "en-US", number: "1,234,567", price: "£1,234.05", yen: "¥12,000", strength: "46.3%",
            volumes: ["70\u{A0}cl", "1.5\u{A0}l", "7\u{A0}ml"],
            dates: ["2000", "March 2000", "March 7, 2000", "March 1, 2000"]),
        Case(
            tag: "de", number: "1.234.567", price: "1.234,05\u{A0}£", yen: "12.000\u{A0}¥",
            strength: "46,3\u{A0}%",
            volumes: ["0,7\u{A0}l", "1,5\u{A0}l", "0,01\u{A0}l"],
            dates: ["2000", "März 2000", "7. März 2000", "1. März 2000"]),
        Case(
            tag: "fr", number: "1\u{202F}234\u{202F}567", price: "1\u{202F}234,05\u{A0}£",
            yen: "12\u{202F}000\u{A0}¥",
            strength: "46,3\u{202F}%", volumes: ["70\u{A0}cl", "1,5\u{A0}l", "7\u{A0}ml"],
            dates: ["2000", "mars 2000", "7 mars 2000", "1er mars 2000"]),
        Case(
            tag: "es", number: "1.234.567", price: "1234,05\u{A0}£", yen: "12.000\u{A0}¥",
            strength: "46,3\u{A0}%",
            volumes: ["70\u{A0}cl", "1,5\u{A0}l", "7\u{A0}ml"],
            dates: ["2000", "marzo de 2000", "7 de marzo de 2000", "1 de marzo de 2000"]),
        Case(
            tag: "ja", number: "1,234,567", price: "£1,234.05", yen: "￥12,000", strength: "46.3%",
            volumes: ["700ml", "1,500ml", "7ml"], dates: ["2000年", "2000年3月", "2000年3月7日", "2000年3月1日"]),
        Case(
            tag: "eo", number: "1,234,567", price: "£1,234.05", yen: "¥12,000", strength: "46.3%",
            volumes: ["70\u{A0}cl", "1.5\u{A0}l", "7\u{A0}ml"],
            dates: ["2000", "2000-03", "2000-03-07", "2000-03-01"]),
    ])
    func writesAsTheLanguageDoes(_ test: Case) throws {
        let locale = Locale(test.tag)
        let pounds = try #require(Currency("GBP")), yen = try #require(Currency("JPY"))
        #expect(locale.number(1_234_567) == test.number)
        #expect(locale.number(-12) == "-12")
        #expect(locale.money(Money(minorUnits: 123_405, currency: pounds)) == test.price)
        #expect(locale.money(Money(minorUnits: 12_000, currency: yen)) == test.yen)
        #expect(locale.percent(4630) == test.strength)
        #expect([700, 1500, 7].map { locale.volume(millilitres: $0) } == test.volumes)
        let dates = ["2000", "2000-03", "2000-03-07", "2000-03-01"].compactMap { PartialDate($0) }
        #expect(dates.map { locale.date($0) } == test.dates)
    }

    @Test func writesHundredthsTenthsAndCodes() throws {
        let locale = Locale("en")
        #expect(
            [0, 5, 50, 4600, 4630, 4635].map { locale.hundredths($0) } == [
                "0", "0.05", "0.5", "46", "46.3", "46.35",
            ])
        #expect([0, 5, 44, 50].map { locale.tenths($0) } == ["0.0", "0.5", "4.4", "5.0"])
        let francs = try #require(Currency("CHF")), dinars = try #require(Currency("KWD"))
        #expect(locale.money(Money(minorUnits: -5, currency: francs)) == "CHF\u{A0}-0.05")
        #expect(locale.money(Money(minorUnits: 1_500, currency: dinars)) == "KWD\u{A0}1.500")
        #expect(
            locale.money(Money(minorUnits: .min, currency: dinars)) == "KWD\u{A0}-9,223,372,036,854,775.808")
    }

    @Test(arguments: [
        ("en", [0: "other", 1: "one", 2: "other"]), ("fr", [0: "one", 1: "one", 2: "other"]),
        ("ja", [1: "other"]), ("cs", [1: "one", 3: "few", 5: "other"]),
        ("he", [1: "one", 2: "two", 3: "other"]),
        ("ru", [1: "one", 11: "many", 21: "one", 22: "few", 12: "many", 25: "many"]),
        ("pl", [1: "one", 21: "many", 22: "few", 12: "many"]),
        ("ar", [0: "zero", 1: "one", 2: "two", 3: "few", 11: "many", 100: "other"]),
    ])
    func choosesThePluralForm(_ tag: String, _ forms: [Int: String]) {
        for (n, form) in forms { #expect(Locale(tag).pluralForm(of: n).rawValue == form, "\(n)") }
    }
}
