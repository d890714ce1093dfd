import Basics
import Database
import Model
import TestSupport
import Testing

@Suite struct DefaultSchemaTests {
    private func shop() throws -> Shop {
        try Shop(
            """
            INSERT INTO products VALUES(812, 'SKU-1', '4006381333931', 'Glen Ord  12', 'glen-ord-12', 'Glen Ord',
              'Single Malt', 'Scotland', 'Highland', 'NAS', 1999, '2012-05', 43.25, 700, 5499, 4999, 'EUR', 'in-stock', 7,
              'A sentence.', '<p>Old\nsherry.</p>', '<p>Tasted.</p>', 'Nuts', 'Fruit', 'Long', '#B9772E', 2,
              '2020-01-02', '2021-03-04 05:06:07');
            INSERT INTO products(id, name) VALUES(813, 'Bare');
            INSERT INTO categories VALUES(1, NULL, 3, 'Whisky', 'whisky', 'All of it.', '#ABCDEF', 'whisky.jpg'),
              (2, 1, NULL, 'Malt', NULL, NULL, NULL, NULL);
            INSERT INTO product_categories VALUES(812, 1, 1), (812, 2, 0), (813, 1, 0);
            INSERT INTO facts VALUES(812, 2, 'Peat', '2 ppm'), (812, 1, 'Cask', 'Sherry'), (900, 1, 'Orphan', 'x');
            INSERT INTO facets VALUES(812, 'Cask', 'Sherry'), (812, 'Bottler', 'OB'), (813, 'Cask', 'Rum');
            INSERT INTO pictures VALUES(812, 2, 'b.jpg', NULL, NULL), (812, 1, 'a.jpg', NULL, 'A bottle'),
              (813, 1, NULL, x'FFD8', 'only data');
            INSERT INTO reviews VALUES(1, 812, 4.5, 'Ann', '2020-01-01', 'Good', 'First\nline', 'en'),
              (2, 812, NULL, NULL, '2021-01-01', NULL, NULL, NULL), (3, 812, 0, '', '2021', '', '', ''),
              (4, 1, 5, 'x', NULL, NULL, NULL, NULL), (5, 901, 5, 'x', NULL, NULL, NULL, NULL);
            """, schema: true)
    }

    @Test func readsEveryFieldByItsType() throws {
        let reading = try shop().read()
        #expect(reading.faults == [])
        #expect(reading.ids == [.integer(812), .integer(813)])
        let p = try #require(reading.products.first)
        #expect(
            p.sku == "SKU-1" && p.gtin == "4006381333931" && p.name == "Glen Ord 12"
                && p.slug == "glen-ord-12")
        #expect(
            p.producer == "Glen Ord" && p.style == "Single Malt" && p.country == "Scotland"
                && p.region == "Highland")
        #expect(p.age == .noStatement && p.vintage == 1999 && p.bottled == PartialDate(year: 2012, month: 5))
        #expect(p.abv == 4325 && p.volume == 700)
        #expect(
            p.price?.decimal == "49.99" && p.price?.currency.code == "EUR"
                && p.regularPrice?.decimal == "54.99")
        #expect(p.availability == .inStock && p.stock == 7 && p.summary == "A sentence.")
        #expect(
            p.bottlingNote
                == Note(label: "", text: "<p>Old\nsherry.</p>", format: .html, column: "bottling_note"))
        #expect(
            p.tastingNote == Note(label: "", text: "<p>Tasted.</p>", format: .html, column: "tasting_note"))
        #expect(
            p.nose == "Nuts" && p.palate == "Fruit" && p.finish == "Long" && p.colour == "b9772e"
                && p.featured == 2)
        #expect(p.created?.description == "2020-01-02" && p.updated?.description == "2021-03-04")
        #expect(p.notes == [])
        #expect(p.categories == [.integer(2), .integer(1)])
        #expect(p.facts == [Fact(label: "Cask", value: "Sherry"), Fact(label: "Peat", value: "2 ppm")])
        #expect(p.facets == [Fact(label: "Bottler", value: "OB"), Fact(label: "Cask", value: "Sherry")])
        #expect(
            p.pictures == [
                PictureSource(file: "a.jpg", alternativeText: "A bottle"),
                PictureSource(file: "b.jpg", alternativeText: nil),
            ])
        #expect(p.reviews.map(\.rating) == [nil, 0, 45])
        #expect(reading.entries.map(\.reviewCount) == [3, 0])
        let review = try #require(p.reviews.last)
        #expect(
            review.author == "Ann" && review.title == "Good" && review.body == "First\nline"
                && review.language == "en")
        #expect(review.date?.description == "2020-01-01")
        #expect(p.reviews[1].author == nil && p.reviews[1].date?.description == "2021")
    }

    @Test func whatIsNotGivenIsUnknown() throws {
        let p = try #require(try shop().read().products.last)
        var bare = Product(id: .integer(813), name: "Bare")
        bare.categories = [.integer(1)]
        bare.facets = [Fact(label: "Cask", value: "Rum")]
        #expect("\(p)" == "\(bare)")
    }

    @Test func countsRowsWithoutProduct() throws {
        #expect(try shop().read().orphans == ["facts 1 900", "reviews 2 1"])
        #expect(try shop().read(keys: [.integer(812)]).orphans == [])
    }

    @Test func readsCategories() throws {
        let (categories, faults) = try shop().reader().categories()
        #expect(faults.isEmpty)
        #expect(categories.map(\.id) == [.integer(1), .integer(2)])
        let first = try #require(categories.first), last = try #require(categories.last)
        #expect(
            first.parent == nil && first.position == 3 && first.name == "Whisky" && first.slug == "whisky")
        #expect(first.summary == "All of it." && first.colour == "abcdef" && first.picture == "whisky.jpg")
        #expect(last.parent == .integer(1) && last.position == nil && last.colour == nil)
    }

    @Test func categoriesThatCannotBeToldApartAreReported() throws {
        let shop = try Shop(
            """
            CREATE TABLE products(id, name);
            CREATE TABLE categories(id, name, colour);
            INSERT INTO categories VALUES(1, 'A', 'red'), (1, 'B', NULL), (NULL, 'C', NULL), (x'00', 'D', NULL), (2, NULL, NULL);
            """)
        let (categories, faults) = try shop.reader().categories()
        #expect(categories.map(\.name) == ["A", "2"])
        #expect(
            faults.map(\.description) == [
                "categories, row ?, column 'id': warning: is no key; the category is left out [no-id]",
                "categories, row 1, column 'colour': warning: holds 'red', not a colour such as #b9772e; shown as absent [not-a-colour]",
                "categories, row 1, column 'id': warning: is used by two categories; the second is left out [duplicate-id]",
                "categories, row ?, column 'id': warning: holds a BLOB of 1 bytes, not text; shown as absent [not-text]",
                "categories, row ?, column 'id': warning: is no key; the category is left out [no-id]",
            ])
    }

    @Test func facetsHaveTheirNamesSortedAndOnce() throws {
        let reader = try shop().reader()
        #expect(try reader.facetNames() == ["Bottler", "Cask"])
        #expect(try reader.facetColumns() == [])
        #expect(try reader.noteColumns() == [])
        #expect(try reader.productCount() == 2)
    }

    @Test func onlyKeyAndNameAreNeeded() throws {
        let shop = try Shop(
            "CREATE TABLE Products(ID, NAME, extra); INSERT INTO products VALUES('b', 'B', 1), ('a', NULL, 2)"
        )
        let reading = try shop.read()
        #expect(reading.ids == [.text("a"), .text("b")])
        #expect(reading.products.map(\.name) == ["#a", "B"])
        #expect(reading.faults == [])
    }

    /// Labels keep their capitals, and letters beyond ASCII, which SQLite does not fold, still find their column.
    @Test func tablesMayHaveFactColumns() throws {
        let shop = try Shop(
            """
            CREATE TABLE products(id, Name, "fact:Größe ÄÖ", "facet:Cask", "note:Serving", "fact: ", "other thing");
            INSERT INTO products VALUES(1, 'x', '70 cl', 'Rum', 'Neat', 'no', 'no');
            """)
        let p = try #require(try shop.read().products.first)
        #expect(p.facts == [Fact(label: "Größe ÄÖ", value: "70 cl")])
        #expect(p.facets == [Fact(label: "Cask", value: "Rum")])
        #expect(p.notes == [Note(label: "Serving", text: "Neat", format: .html, column: "note:Serving")])
    }

    @Test func surveyAndFullWalkAgree() throws {
        let shop = try shop()
        let full = try shop.read([:], .full), survey = try shop.read([:], .survey)
        #expect(survey.ids == full.ids)
        #expect(survey.entries.map(\.reviewCount) == full.entries.map(\.reviewCount))
        for (a, b) in zip(survey.products, full.products) {
            #expect(a.name == b.name && a.slug == b.slug && a.producer == b.producer && a.style == b.style)
            #expect(
                a.country == b.country && a.region == b.region && a.price == b.price
                    && a.regularPrice == b.regularPrice)
            #expect(a.featured == b.featured && a.created == b.created && a.updated == b.updated)
            #expect(a.categories == b.categories && a.facets == b.facets)
            #expect(a.bottlingNote == nil && a.reviews.isEmpty && a.facts.isEmpty && a.pictures.isEmpty)
        }
        #expect(survey.entries.allSatisfy { $0.fingerprint == nil })
        #expect(survey.orphans == ["reviews 2 1"])
    }

    @Test(arguments: [
        ("in-stock", Availability.inStock), ("In Stock", .inStock), ("https://schema.org/InStock", .inStock),
        ("http://schema.org/OutOfStock", .soldOut), ("schema:PreOrder", .comingSoon),
        ("OnlineOnly", .inStock),
        ("low_stock", .limited), ("LimitedAvailability", .limited), ("sold-out", .soldOut),
        ("BackOrder", .soldOut),
        ("https://schema.org/Reserved", .soldOut), ("coming soon", .comingSoon), ("MadeToOrder", .comingSoon),
        ("Discontinued", .discontinued),
    ])
    func availabilityHasManyNames(_ text: String, _ availability: Availability) throws {
        let shop = try Shop(
            "CREATE TABLE products(id, name, availability); INSERT INTO products VALUES(1, 'x', '\(text)')")
        let reading = try shop.read()
        #expect(reading.products.first?.availability == availability)
        #expect(reading.faults == [])
    }

    @Test func stockDecidesAvailabilityWhenNothingElseDoes() throws {
        let shop = try Shop(
            """
            CREATE TABLE products(id, name, availability, stock);
            INSERT INTO products VALUES(1, '', NULL, 0), (2, '', NULL, 1), (3, '', NULL, 3), (4, '', '', 4), (5, '', NULL, NULL),
              (6, '', 'discontinued', 9);
            """)
        #expect(
            try shop.read().products.map(\.availability) == [
                .soldOut, .limited, .limited, .inStock, nil, .discontinued,
            ])
    }

    @Test func pricesAreMinorUnitsOrDecimals() throws {
        let shop = try Shop(
            """
            CREATE TABLE products(id, name, price, price_minor, sale_price, sale_price_minor, currency);
            INSERT INTO products VALUES
              (1, '', '12.50', NULL, NULL, NULL, NULL), (2, '', 12.1, NULL, NULL, NULL, 'jpy'), (3, '', '1', 999, NULL, NULL, NULL),
              (4, '', 10, NULL, 8, NULL, NULL), (5, '', 10, NULL, 10, NULL, NULL), (6, '', 10, NULL, 12, NULL, NULL),
              (7, '', NULL, NULL, 8, NULL, NULL), (8, '', 0, NULL, NULL, NULL, NULL), (9, '', '', '', '', '', '');
            """)
        let products = try shop.read().products
        #expect(
            products.map { $0.price?.decimal } == [
                "12.50", "12", "9.99", "8.00", "10.00", "10.00", "8.00", "0.00", nil,
            ])
        #expect(
            products.map { $0.regularPrice?.decimal } == [nil, nil, nil, "10.00", nil, nil, nil, nil, nil])
        #expect(
            products.map { $0.price?.currency.code } == [
                "GBP", "JPY", "GBP", "GBP", "GBP", "GBP", "GBP", "GBP", nil,
            ])
    }
}
