import TestSupport
import Testing

/// What the empty search field says can be looked for, from outside.
@Suite struct SearchFieldTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let settings: String
        let expected: String
        /// Run after a shop's rows were put in.
        var sql = ""
    }

    private static let museum = """
        title: House of Bells
        products: SELECT id, name FROM products
        facets: >
          SELECT 1 AS product_id, 'Artist' AS facet, 'Ann' AS value UNION ALL SELECT 2, 'Decade', '1850s'

        """
    private static let brewery = """
        title: Cans
        products: SELECT id, name, producer, country, 'Leeds' AS "facet:City" FROM products
        browse_by: [style, producer, City, country]
        texts: {producer: Brewery, producers: Breweries}

        """

    @Test(arguments: [
        Case(testDescription: "shop", settings: Shop.settings, expected: "Name · Producer · Country"),
        Case(testDescription: "brewery", settings: brewery, expected: "Name · Brewery · City"),
        Case(testDescription: "museum", settings: museum, expected: "Name · Artist · Decade"),
        Case(
            testDescription: "a label",
            settings: museum + """
                browse_by:
                  - {key: Artist, label: 'Painter & "sculptor"'}

                """, expected: "Name · Painter &amp; &quot;sculptor&quot;"),
        Case(
            testDescription: "German", settings: Shop.settings + "language: de\n",
            expected: "Name · Hersteller · Land"),
        Case(
            testDescription: "French", settings: Shop.settings + "language: fr\n",
            expected: "Nom · Producteur · Pays"),
        Case(
            testDescription: "Norwegian", settings: museum + "language: nb\n",
            expected: "Navn · Artist · Decade"),
        Case(
            testDescription: "Japanese", settings: Shop.settings + "language: ja\n",
            expected: "名前・生産者・国"),
        Case(
            testDescription: "nothing to browse by", settings: Shop.settings + "browse_by: []\n",
            expected: "What are you looking for?"),
        Case(
            testDescription: "facets without values", settings: Shop.settings,
            expected: "What are you looking for?", sql: "UPDATE products SET producer = NULL, country = ''"),
        Case(
            testDescription: "a text of the site's own",
            settings: Shop.settings + "texts: {search_placeholder: Bottle or maker}\n",
            expected: "Bottle or maker"),
    ])
    func saysWhatTheCatalogueCanBeSearchedFor(_ c: Case) throws {
        let shop = try Shop(settings: c.settings)
        try shop.database { c.sql }
        let run = shop.build()
        #expect(run.status == 0, "\(run.errors)")
        for page in ["index.html", "search.html"] {
            #expect(try shop.text("public/" + page).contains(" placeholder=\"\(c.expected)\""), "\(page)")
        }
    }

    @Test func pagesFollowAFacetThatGetsItsFirstValue() throws {
        let shop = try Shop()
        #expect(shop.build().status == 0)
        try shop.database { "UPDATE products SET style = 'Dry' WHERE id = 3" }
        #expect(shop.build().status == 0)
        for path in ["index.html", "categories/index.html"] {
            #expect(
                try shop.text("public/" + path).contains(" placeholder=\"Name · Producer · Style\""),
                "\(path)")
        }
    }
}
