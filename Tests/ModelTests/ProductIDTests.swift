import Database
import Model
import TestSupport
import Testing

@Suite struct ProductIDTests {
    /// Keys of all kinds, many of them near each other or near a limit.
    private func keys(_ random: inout SeededGenerator) -> [ProductID] {
        var keys: Set<ProductID> = [
            .integer(.min), .integer(.max), .integer(0), .integer(1 << 53), .integer(1 << 53 + 1),
            ProductID(real: 0x1p63), ProductID(real: -0x1p63), ProductID(real: 0x1p63.nextDown),
            ProductID(real: 1e300),
            ProductID(real: -.infinity), ProductID(real: .infinity), ProductID(real: -0.0),
            ProductID(real: .leastNonzeroMagnitude),
            .text("a"), .text("B"), .text("é"), .text("e\u{301}"), .text("\u{FFFD}"), .text("😀"), .text("10"),
            .text("9"),
        ]
        for _ in 0..<300 {
            let number = Int64.random(in: -20...20, using: &random)
            keys.insert(.integer(number))
            keys.insert(ProductID(real: Double(number) + Double.random(in: 0..<1, using: &random)))
            keys.insert(ProductID(real: Double(Int64.random(in: .min ... .max, using: &random)) / 3))
            keys.insert(.integer(.random(in: .min ... .max, using: &random)))
            let scalars = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Unicode.Scalar(UInt32.random(in: 0x21...0xD7FF, using: &random))!
            }
            keys.insert(.text(String(String.UnicodeScalarView(scalars))))
        }
        return Array(keys)
    }

    @Test func ordersAsSQLiteOrdersValues() throws {
        var random = SeededGenerator()
        let keys = keys(&random).shuffled(using: &random)
        let folder = TemporaryFolder()
        let database = try Connection(own: folder.file("keys.db"))
        try database.execute("CREATE TABLE keys(number INTEGER, key BLOB)")
        let insert = try database.prepare("INSERT INTO keys VALUES(?1, ?2)")
        try database.execute("BEGIN")
        for (i, key) in keys.enumerated() {
            insert.bind(1, Int64(i))
            switch key {
            case .integer(let number): insert.bind(2, number)
            case .real(let number):
                let literal = number.isInfinite ? (number < 0 ? "-9e999" : "9e999") : "\(number)"
                try database.execute("INSERT INTO keys VALUES(\(i), \(literal))")
                continue
            case .text(let text): insert.bind(2, text)
            }
            try insert.run()
        }
        try database.execute("COMMIT")
        let order = try database.rows("SELECT number FROM keys ORDER BY key COLLATE BINARY") {
            keys[Int($0.integer(0))]
        }
        #expect(order == keys.sorted(), "seed \(random.seed)")
    }

    @Test func oneNumberIsOneKey() {
        #expect(ProductID(real: 7.0) == .integer(7))
        #expect(ProductID(real: -0.0) == .integer(0))
        #expect(ProductID(real: 1.5) == .real(1.5))
        #expect(ProductID(real: 0x1p63) == .real(0x1p63))
        #expect(ProductID.text("7") != .integer(7))
    }

    @Test(arguments: [
        (ProductID.integer(-7), "-7"), (.text("A/1"), "A/1"), (ProductID(real: 1.5), "1.5"),
        (ProductID(real: 1e20), "100000000000000000000"),
    ])
    func isWrittenAsTheDatabaseHasIt(_ key: ProductID, _ text: String) { #expect(key.description == text) }
}

@Suite struct PlainNumberTests {
    @Test(arguments: [
        (0.0, "0"), (-0.0, "0"), (12.0, "12"), (12.5, "12.5"), (-12.5, "-12.5"), (0.1, "0.1"),
        (1e-5, "0.00001"),
        (1.25e-7, "0.000000125"), (-1.25e-7, "-0.000000125"), (1e20, "100000000000000000000"),
        (-1.5e20, "-150000000000000000000"), (1.2345678e16, "12345678000000000"),
        (0x1p63, "9223372036854776000"),
        (.infinity, "inf"), (-.infinity, "-inf"),
    ])
    func hasNoExponent(_ number: Double, _ text: String) { #expect(number.plainDescription == text) }

    @Test func readsBack() {
        var random = SeededGenerator()
        for _ in 0..<20_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let text = number.plainDescription
            #expect(
                Double(text) == number && !text.contains("e"), "seed \(random.seed): \(number) as \(text)")
        }
    }
}

@Suite struct AvailabilityTests {
    @Test func hasTheNamesOfSchemaOrg() {
        #expect(
            Availability.allCases.map(\.rawValue) == [
                "InStock", "LimitedAvailability", "SoldOut", "PreOrder", "Discontinued",
            ])
    }
}
