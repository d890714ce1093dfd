import Basics
import Formats
import Testing

@Suite struct SettingsReaderTests {
    private let text = """
        title: Glen & Co
        url: https://example.org/
        per-page: 24
        ratio: 1.5
        search: yes
        products: |
          select *
          from whisky
        notes:
          de: Notiz
          kind: review
        facets:
          - region
          - column: abv
            label: Strength
        reviews: reviews.csv
        language: de
        """

    @Test func readsTheFormsOfASiteFile() throws {
        let source = SourceText(file: "site.yaml", text: text)
        let reader = SettingsReader(source)
        let site = reader.settings
        #expect(site.required("title").text() == "Glen & Co")
        #expect(site["url"].text() == "https://example.org/")
        #expect(site["per-page"].integer(in: 1...200) == 24)
        #expect(site["ratio"].number() == 1.5)
        #expect(site["search"].flag() == true)
        #expect(site["language"].choice(of: ["de", "en"]) == "de")
        #expect(site["currency"].text() == nil)
        let sql = try #require(site["products"].scalar())
        #expect(sql.text == "select *\nfrom whisky\n")
        #expect(source.position(at: sql.offset) == (7, 3))
        #expect(source.position(at: sql.offset(ofByte: 14, in: source)) == (8, 8))
        #expect(
            site["notes"].members().map { "\($0.key)=\($0.value.text() ?? "")" } == [
                "de=Notiz", "kind=review",
            ])
        let facets = site["facets"].elements()
        #expect(facets.map(\.kind) == [.scalar, .mapping])
        #expect(facets.map(\.name) == ["facets[1]", "facets[2]"])
        #expect(facets[1]["column"].text() == "abv")
        #expect(facets[1]["label"].text() == "Strength")
        #expect(site["reviews"].kind == .scalar)
        try reader.finish()
        #expect(reader.diagnostics.isEmpty)
    }

    @Test func collectsEverythingThatIsWrong() {
        let source = SourceText(
            file: "site.yaml",
            text: """
                titel: x
                per-page: abc
                width: 900
                search: maybe
                prodcuts: y
                facets: region
                lists:
                  colour: red
                  colums: 3
                url: [a]
                ratio: 0x10
                language: dee
                zzz: 1
                reviews: yes
                """)
        let reader = SettingsReader(source)
        let site = reader.settings
        _ = site.required("title").text()
        _ = site["per-page"].integer()
        _ = site["width"].integer(in: 1...200)
        _ = site["search"].flag()
        _ = site["products"].text()
        _ = site["facets"].texts()
        _ = site["lists"]["columns"].integer()
        _ = site["lists"]["colour"].choice(of: ["blue", "green"])
        _ = site["url"].text()
        _ = site["ratio"].number()
        _ = site["language"].choice(of: ["de", "en"])
        _ = site["reviews"]["file"].text()
        _ = site["reviews"]["column"].text()
        let printed = failure { () throws(Failure) in try reader.finish() }?.diagnostics.map {
            Diagnostic($0.severity, $0.id, $0.message, at: $0.place).description
        }
        #expect(
            printed == [
                "site.yaml:1:1: error: 'title' is missing [missing-setting]",
                "site.yaml:1:1: error: 'titel' is not a setting; did you mean 'title'? [unknown-setting]",
                "site.yaml:2:11: error: 'per-page' expects a whole number, saw 'abc' [setting-type]",
                "site.yaml:3:8: error: 'width' is 900; it goes from 1 to 200 [setting-range]",
                "site.yaml:4:9: error: 'search' expects 'true' or 'false', saw 'maybe' [setting-type]",
                "site.yaml:5:1: error: 'prodcuts' is not a setting; did you mean 'products'? [unknown-setting]",
                "site.yaml:6:9: error: 'facets' expects a list, each value after '- ', saw 'region' [setting-type]",
                "site.yaml:8:11: error: 'red' is no value of 'lists.colour'; it takes 'blue', 'green' [setting-value]",
                "site.yaml:9:3: error: 'colums' is not a setting of 'lists'; did you mean 'columns'? [unknown-setting]",
                "site.yaml:10:6: error: 'url' expects text, saw a list [setting-type]",
                "site.yaml:11:8: error: 'ratio' expects a number, saw '0x10' [setting-type]",
                "site.yaml:12:11: error: 'dee' is no value of 'language'; did you mean 'de'? [setting-value]",
                "site.yaml:13:1: error: 'zzz' is not a setting [unknown-setting]",
                "site.yaml:14:10: error: 'reviews' expects settings of its own, as 'name: value', saw 'yes' [setting-type]",
            ])
    }

    @Test func aFileThatCannotBeReadIsReportedOnce() {
        let reader = SettingsReader(SourceText(file: "s", text: "a: [1"))
        #expect(reader.settings.required("a").text() == nil)
        #expect(failure { () throws(Failure) in try reader.finish() }?.diagnostics.count == 1)
    }

    @Test func aFileThatIsNoMappingIsRefused() {
        let reader = SettingsReader(SourceText(file: "s", text: "- a\n- b"))
        #expect(reader.settings["a"].text() == nil)
        #expect(reader.diagnostics.map(\.message) == ["settings are expected here, as 'name: value'"])
    }

    @Test func warningsAloneDoNotFail() throws {
        let reader = SettingsReader(SourceText(file: "s", text: "a: 1"))
        reader.settings["a"].warning("x", "odd")
        try reader.finish()
        #expect(reader.diagnostics.count == 1)
    }

    private func failure(_ body: () throws(Failure) -> Void) -> Failure? {
        do {
            try body()
            return nil
        } catch { return error }
    }
}
