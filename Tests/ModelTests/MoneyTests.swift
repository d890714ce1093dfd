import Model
import Testing

@Suite struct MoneyTests {
    struct Case: CustomTestStringConvertible {
        let text: String, code: String, minor: Int64?

        init(_ text: String, _ code: String, _ minor: Int64?) {
            self.text = text
            self.code = code
            self.minor = minor
        }

        var testDescription: String { "\(text.debugDescription) \(code)" }
    }

    @Test(arguments: [
        Case("12", "GBP", 1200), Case("12.5", "GBP", 1250), Case("12.50", "GBP", 1250), Case("0", "GBP", 0),
        Case("12.", "GBP", 1200), Case(".5", "GBP", 50), Case("007.10", "GBP", 710), Case("-3", "GBP", -300),
        // 0.29 and 1.15 have no exact Double: 0.29 * 100 is 28.999…
        Case("0.29", "EUR", 29), Case("1.15", "EUR", 115),
        Case("9007199254740993.01", "EUR", 900_719_925_474_099_301),
        Case("1.004", "EUR", 100), Case("1.005", "EUR", 101), Case("1.0049999", "EUR", 100),
        Case("1.995", "EUR", 200),
        Case("-1.005", "EUR", -101),
        Case("1500", "JPY", 1500), Case("1499.5", "JPY", 1500), Case("1499.49", "JPY", 1499),
        Case("1.5", "BHD", 1500), Case("1.2345", "BHD", 1235), Case("1.2344", "BHD", 1234),
        Case("92233720368547758.07", "GBP", .max), Case("92233720368547758.08", "GBP", nil),
        Case("92233720368547758.075", "GBP", nil), Case("9223372036854775807", "JPY", .max),
        Case("9223372036854775807.5", "JPY", nil), Case("9223372036854775808", "JPY", nil),
        Case("99999999999999999999999999", "GBP", nil),
        Case("", "GBP", nil), Case(".", "GBP", nil), Case("-", "GBP", nil), Case("1-", "GBP", nil),
        Case("+1", "GBP", nil),
        Case("1.2.3", "GBP", nil), Case("1,5", "GBP", nil), Case("1 000", "GBP", nil),
        Case("1e3", "GBP", nil),
        Case("£1", "GBP", nil), Case("inf", "GBP", nil), Case("0x10", "GBP", nil), Case("١", "GBP", nil),
    ])
    func readsDecimalsExactly(_ c: Case) throws {
        let currency = try #require(Currency(c.code))
        #expect(Money(decimal: c.text, currency: currency)?.minorUnits == c.minor)
    }

    @Test(arguments: [
        (Int64(370_000), "GBP", "3700.00"), (5, "GBP", "0.05"), (50, "GBP", "0.50"), (0, "GBP", "0.00"),
        (-5, "GBP", "-0.05"),
        (1500, "JPY", "1500"), (0, "JPY", "0"), (1235, "BHD", "1.235"), (7, "BHD", "0.007"),
        (.max, "GBP", "92233720368547758.07"), (.min, "GBP", "-92233720368547758.08"),
        (.min, "JPY", "-9223372036854775808"),
    ])
    func writesAllDigitsOfTheCurrency(_ minor: Int64, _ code: String, _ text: String) throws {
        let currency = try #require(Currency(code))
        let money = Money(minorUnits: minor, currency: currency)
        #expect(money.decimal == text)
        if minor > .min { #expect(Money(decimal: text, currency: currency) == money) }
    }

    @Test(arguments: [("GBP", 2), ("gbp", 2), ("JPY", 0), ("KRW", 0), ("BHD", 3), ("kwd", 3), ("XYZ", 2)])
    func currenciesHaveTheDigitsOfISO4217(_ code: String, _ digits: Int) {
        #expect(Currency(code)?.digits == digits)
        #expect(Currency(code)?.code == code.uppercased())
    }

    @Test(arguments: ["", "GB", "GBPX", "G1P", "£", "ßa", "ﬀa", "G P", "GBP "])
    func aCodeIsThreeLetters(_ code: String) { #expect(Currency(code) == nil) }
}
