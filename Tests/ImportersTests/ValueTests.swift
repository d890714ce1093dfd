import Model
import TestSupport
import Testing

@testable import Importers

@Suite struct ValueTests {
    struct AmountCase: CustomTestStringConvertible, Sendable {
        let text: String
        var mark: DecimalMark?
        let decimal: String?
        var currency: String?
        var testDescription: String { "\(text) \(mark.map(\.rawValue) ?? "")" }
    }

    @Test(arguments: [
        AmountCase(text: "12", decimal: "12"),
        AmountCase(text: "12.50", decimal: "12.50"),
        AmountCase(text: "12,50", decimal: "12.50"),
        AmountCase(text: "12,5", mark: .point, decimal: "12.5"),
        AmountCase(text: "1.234,56", decimal: "1234.56"),
        AmountCase(text: "1,234.56", mark: .comma, decimal: "1234.56"),
        AmountCase(text: "1,234", decimal: "1234"),
        AmountCase(text: "1,234", mark: .comma, decimal: "1.234"),
        AmountCase(text: "1.234", decimal: "1.234"),
        AmountCase(text: "1.234", mark: .comma, decimal: "1234"),
        AmountCase(text: "0,125", mark: .point, decimal: "0.125"),
        AmountCase(text: "1.234.567", decimal: "1234567"),
        AmountCase(text: "1 234,50", decimal: "1234.50"),
        AmountCase(text: "1\u{A0}234", decimal: "1234"),
        AmountCase(text: "1\u{202F}234,5 €", decimal: "1234.5", currency: "EUR"),
        AmountCase(text: "1'234.50", decimal: "1234.50"),
        AmountCase(text: "12.3400", decimal: "12.3400"),
        AmountCase(text: "£12.50", decimal: "12.50", currency: "GBP"),
        AmountCase(text: "12,50 €", decimal: "12.50", currency: "EUR"),
        AmountCase(text: "$5", decimal: "5"),
        AmountCase(text: "US$ 5", decimal: "5", currency: "USD"),
        AmountCase(text: "CHF 12.–", decimal: "12", currency: "CHF"),
        AmountCase(text: "12,-", decimal: "12"),
        AmountCase(text: "249 kr", decimal: "249"),
        AmountCase(text: "15.00 GBP", decimal: "15.00", currency: "GBP"),
        AmountCase(text: "３，０００円", decimal: "3000", currency: "JPY"),
        AmountCase(text: "990 ₽", decimal: "990", currency: "RUB"),
        AmountCase(text: "-3.20", decimal: "-3.20"),
        AmountCase(text: ".5", decimal: "0.5"),
        AmountCase(text: "9007199254740993.01", decimal: "9007199254740993.01"),
        AmountCase(text: "", decimal: nil),
        AmountCase(text: "abc", decimal: nil),
        AmountCase(text: "12.50.1", decimal: nil),
        AmountCase(text: "1,23,45", decimal: nil),
        AmountCase(text: "12-15", decimal: nil),
        AmountCase(text: "from 12", decimal: nil),
        AmountCase(text: "1e5", decimal: nil),
        AmountCase(text: "€", decimal: nil),
    ])
    func readsAmountsExactly(_ c: AmountCase) {
        let amount = Amount(c.text, mark: c.mark)
        #expect(amount?.decimal == c.decimal)
        #expect(amount?.currency?.code == c.currency)
    }

    @Test func minorUnitsAreExactOrNotAtAll() throws {
        let (pound, yen, dinar) = try (
            #require(Currency("GBP")), #require(Currency("JPY")), #require(Currency("KWD"))
        )
        func minor(_ text: String, _ currency: Currency) -> Int64? {
            Amount(text, mark: nil)?.minorUnits(in: currency)
        }
        #expect(minor("12.3", pound) == 1230)
        #expect(minor("12.3400", pound) == 1234)
        #expect(minor("12.345", pound) == nil)
        #expect(minor("1200", yen) == 1200)
        #expect(minor("1200.50", yen) == nil)
        #expect(minor("1.2345", dinar) == nil)
        #expect(minor("0.125", dinar) == 125)
        #expect(minor("90071992547409.93", pound) == 9_007_199_254_740_993)
        #expect(minor("99999999999999999999", pound) == nil)
    }

    @Test func shiftsThePointWithoutRounding() throws {
        func shifted(_ text: String, _ places: Int) throws -> String {
            try #require(Amount(text, mark: .point)).shifted(by: places)
        }
        #expect(try shifted("0.05", 2) == "5")
        #expect(try shifted("0.0455", 2) == "4.55")
        #expect(try shifted("0.7", 3) == "700")
        #expect(try shifted("46.30", 0) == "46.3")
        #expect(try shifted("0", 3) == "0")
        #expect(try shifted("33", 1) == "330")
    }

    struct DateCase: CustomTestStringConvertible, Sendable {
        let text: String
        var order: DateOrder?
        let date: String?
        var testDescription: String { text }
    }

    @Test(arguments: [
        DateCase(text: "1999", date: "1999"),
        DateCase(text: "2000-03", date: "2000-03"),
        DateCase(text: "2000-03-17", date: "2000-03-17"),
        DateCase(text: "2021-05-09 12:11:20 UTC", date: "2021-05-09"),
        DateCase(text: "2021-05-09T12:11:20.123+02:00", date: "2021-05-09"),
        DateCase(text: "31.12.2020", date: "2020-12-31"),
        DateCase(text: "31.12.2020 10:30", date: "2020-12-31"),
        DateCase(text: "1.2.2020", date: "2020-02-01"),
        DateCase(text: "12/31/2020", date: "2020-12-31"),
        DateCase(text: "31/12/2020", date: "2020-12-31"),
        DateCase(text: "03/04/2020", order: .dmy, date: "2020-04-03"),
        DateCase(text: "03/04/2020", order: .mdy, date: "2020-03-04"),
        DateCase(text: "03/04/2020", date: nil),
        DateCase(text: "2020/12/31", date: "2020-12-31"),
        DateCase(text: "2020年3月5日", date: "2020-03-05"),
        DateCase(text: "03/2020", date: "2020-03"),
        DateCase(text: "31.02.2020", date: nil),
        DateCase(text: "31.12.20", date: nil),
        DateCase(text: "yesterday", date: nil),
        DateCase(text: "", date: nil),
    ])
    func readsDatesAsFarAsTheyAreKnown(_ c: DateCase) {
        let reading = DateText.read(c.text, order: c.order)
        let found: String? = if case .date(let date) = reading { date.description } else { nil }
        #expect(found == c.date)
    }

    @Test func checksTheDigitOfGTINs() {
        #expect(GTINText.read("4006381333931")?.isRight == true)
        #expect(GTINText.read("4006381333930")?.isRight == false)
        #expect(GTINText.read("0 36000 29145 2")?.digits == "036000291452")
        #expect(GTINText.read("036000291452")?.isRight == true)
        #expect(GTINText.read("96385074")?.isRight == true)
        #expect(GTINText.read("12345")?.isRight == false)
        #expect(GTINText.read("5.01236E+12") == nil)
        #expect(GTINText.key("036000291452") == GTINText.key("0036000291452"))
    }

    @Test func notesKeepWhatIsHTMLAndEscapeWhatIsText() {
        #expect(NoteText.html("<p>Rain &amp; slate</p>") == "<p>Rain &amp; slate</p>")
        #expect(NoteText.html("Rain & slate, 3 < 4") == "Rain &amp; slate, 3 &lt; 4")
        #expect(NoteText.html("One\n\nTwo\nThree") == "<p>One</p><p>Two<br>Three</p>")
        #expect(NoteText.html("<b>One</b>\n\nTwo") == "<p><b>One</b></p><p>Two</p>")
        #expect(NoteText.html("") == "")
        #expect(NoteText.line("<p>One</p><p>Two &amp; three</p>") == "One Two & three")
        #expect(NoteText.line(" One\n two ") == "One two")
    }

    struct PictureCase: CustomTestStringConvertible, Sendable {
        let text: String
        let file: String?
        var address: String?
        var testDescription: String { text }
    }

    @Test(arguments: [
        PictureCase(text: "a.jpg", file: "a.jpg"),
        PictureCase(text: "shelf/a b.jpg", file: "shelf/a b.jpg"),
        PictureCase(text: "C:\\pictures\\a.jpg", file: "C:/pictures/a.jpg"),
        PictureCase(text: "../../etc/passwd", file: nil),
        PictureCase(
            text: "https://cdn.example/s/files/1/a.jpg?v=17", file: "cdn.example/s/files/1/a.jpg",
            address: "https://cdn.example/s/files/1/a.jpg?v=17"),
        PictureCase(
            text: "//cdn.example/a.png", file: "cdn.example/a.png", address: "https://cdn.example/a.png"),
        PictureCase(
            text: "https://x.example/%2e%2e/.ssh/a%20b.jpg", file: "x.example/ssh/a-b.jpg",
            address: "https://x.example/%2e%2e/.ssh/a%20b.jpg"),
        PictureCase(text: "https://x.example/\"a.jpg", file: nil),
        PictureCase(text: "https://x.example/", file: nil),
        PictureCase(text: "ftp://x.example/a.jpg", file: nil),
        PictureCase(text: "data:image/png;base64,AA", file: nil),
    ])
    func picturesAreFilesBelowTheirFolder(_ c: PictureCase) {
        let picture = PictureName(c.text)
        #expect(picture?.file == c.file)
        #expect(picture?.address == c.address)
    }

    @Test func picturesToldApartByAQueryAreDifferentFiles() {
        let a = PictureName("https://x.example/image.php?id=1"),
            b = PictureName("https://x.example/image.php?id=2")
        #expect(a != nil && b != nil && a?.file != b?.file)
    }

    @Test func everyFieldOfTheSynonymsIsOne() {
        for (column, name) in [
            ("Artikelnummer", "sku"), ("Preis", "price"), ("商品名", "name"), ("Цена", "price"),
            ("Varenr.", "sku"),
        ] {
            #expect(Synonyms.field(for: column, inReviews: false)?.name == name)
        }
        #expect(Synonyms.field(for: "fact:Peat (ppm)", inReviews: false) == .fact("Peat (ppm)"))
        #expect(Synonyms.field(for: "Lagerort", inReviews: false) == nil)
        for name in Field.productNames { #expect(Synonyms.field(for: name, inReviews: false)?.name == name) }
        for name in Field.reviewNames where name != "product_name" {
            #expect(Synonyms.field(for: name, inReviews: true)?.name == name)
        }
    }
}
