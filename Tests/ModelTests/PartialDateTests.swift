import Model
import Testing

@Suite struct PartialDateTests {
    @Test(arguments: [
        ("1999", "1999"), ("2000-03", "2000-03"), ("2000-03-17", "2000-03-17"), ("0001-01-01", "0001-01-01"),
        ("9999-12-31", "9999-12-31"), ("2000-02-29", "2000-02-29"), ("2024-02-29", "2024-02-29"),
        ("2000-03-17T10:00:00Z", "2000-03-17"), ("2000-03-17 10:00", "2000-03-17"),
        ("2000-03-17T23:59:59.999+02:00", "2000-03-17"), ("2000-12-31T23:59:59-11:00", "2000-12-31"),
    ])
    func staysAsPartialAsItCame(_ text: String, _ shown: String) {
        #expect(PartialDate(text)?.description == shown)
    }

    @Test(arguments: [
        "", "0", "199", "19999", "0000", "1999-", "1999-1", "1999-13", "1999-00", "1999-02-29", "1900-02-29",
        "2023-02-30", "2000-04-31", "2000-00-01", "2000-01-00", "2000-01-32", "2000-01-1", "2000-01-011",
        "2000/01/01", "17.03.2000", "03/17/2000", "20000317", "2000-03 10:00", "2000-03-17x",
        "2000-03-17 10 pm",
        "2000-03-17-01", "-2000", " 2000", "2000\0", "2000-03-17T10:00\0", "now", "２０００",
        "99999999999999999999",
    ])
    func isNilForWhatIsNoDate(_ text: String) { #expect(PartialDate(text) == nil) }

    @Test func partsMustBeADate() {
        #expect(PartialDate(year: 2000, month: nil, day: 1) == nil)
        #expect(PartialDate(year: 0) == nil)
        #expect(PartialDate(year: 10_000) == nil)
        #expect(PartialDate(year: 2000, month: 2, day: 30) == nil)
        #expect(PartialDate(year: 2000, month: 2)?.month == 2)
    }

    @Test func ordinalsOrderDatesAndReadBack() {
        var last: Int32 = 0
        for year in [1, 2, 1899, 1900, 1999, 2000, 2024, 9999] {
            for month in 0...12 {
                for day in 0...(month == 0 ? 0 : 31) {
                    guard
                        let date = PartialDate(
                            year: year, month: month == 0 ? nil : month, day: day == 0 ? nil : day)
                    else { continue }
                    #expect(date.ordinal > last)
                    #expect(PartialDate(ordinal: date.ordinal) == date)
                    #expect(PartialDate(date.description) == date)
                    last = date.ordinal
                }
            }
        }
    }

    @Test(arguments: [0, -1, .min, .max, 512 * 10_000, 2000 * 512 + 13 * 32, 2000 * 512 + 5] as [Int32])
    func someNumbersAreNoOrdinals(_ number: Int32) { #expect(PartialDate(ordinal: number) == nil) }
}
