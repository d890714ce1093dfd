import Basics
import Formats
import Model

/// Reads the texts of an item as what their fields want, and says which of them are none.
struct ItemReader {
    /// Why an item cannot be used.
    struct Refusal: Error {
        let id: String
        let message: String
        let line: Int, column: Int
    }

    /// What a cell says that is left empty all the same.
    struct Remark {
        let id: String
        let message: String
        let line: Int, column: Int
    }

    /// The currency of amounts that name none.
    let currency: Currency
    let decimalMark: DecimalMark?
    let dateOrder: DateOrder?
    /// The column that tells which product a row is: `id`, `sku`, `slug`, `gtin` or `name`.
    let keyColumn: String
    /// Whether strengths are written as parts of one: `0.05` is 5 percent.
    var strengthsAreFractions = false
    /// Whether volumes without a unit are in litres.
    var volumesAreLitres = false

    // MARK: Products

    func product(_ item: Item, _ remarks: inout [Remark]) throws(Refusal) -> ProductRow {
        var row = ProductRow(key: .id(0))
        row.isWhole = item.isWhole
        let currencyCell = item.cells.first { $0.field == .product("currency") && !$0.text.trimmed.isEmpty }
        var currency = self.currency
        if let cell = currencyCell {
            guard let given = Currency(cell.text.trimmed) else {
                throw refuse(cell, "no currency such as EUR")
            }
            currency = given
            row.set("currency", .text(given.code))
        }
        var key: Item.Cell?
        for cell in item.cells {
            try checkDamage(cell)
            switch cell.field {
            case .product(let name):
                if name == keyColumn, key == nil { key = cell }
                try read(cell, name, into: &row, &currency, isCurrencyGiven: currencyCell != nil, &remarks)
            case .category:
                row.categories = row.categories ?? []
                let path = path(of: cell.text)
                if !path.isEmpty, row.categories?.contains(path) == false { row.categories?.append(path) }
            case .picture:
                row.pictures = row.pictures ?? []
                let text = cell.text.trimmed
                if text.isEmpty { continue }
                let picture = PictureName(text)
                guard let picture else {
                    remark(cell, "no file of a picture and no web address of one", &remarks)
                    continue
                }
                if row.pictures?.contains(where: { $0.file == picture.file }) == false {
                    row.pictures?.append(.init(file: picture.file, text: nil, address: picture.address))
                }
            case .pictureText:
                let text = NoteText.line(cell.text)
                if !text.isEmpty, let last = row.pictures?.indices.last { row.pictures?[last].text = text }
            case .subcategory, .group: break
            case .fact(let label): row.facts.append((label, NoteText.line(cell.text)))
            case .facet(let label):
                let value = NoteText.line(cell.text)
                if !row.facets.contains(where: { $0.name == label && $0.value == value }) {
                    row.facets.append((label, value))
                }
            case .review: break
            }
        }
        try setKey(of: &row, key, item)
        settlePrices(&row, item, &remarks)
        return row
    }

    private func setKey(of row: inout ProductRow, _ cell: Item.Cell?, _ item: Item) throws(Refusal) {
        guard let cell, !cell.text.trimmed.isEmpty else {
            throw Refusal(
                id: "import-value",
                message: "no '\(keyColumn)', which tells the products apart; fill it in, or choose "
                    + "another one with --key", line: cell?.line ?? item.line, column: cell?.column ?? 1)
        }
        switch row[keyColumn] {
        case .integer(let id) where keyColumn == "id": row.key = .id(id)
        case .text(let text): row.key = .column(keyColumn, text)
        default: throw refuse(cell, keyColumn == "id" ? "a whole number" : "a \(keyColumn)")
        }
    }

    private func read(
        _ cell: Item.Cell, _ name: String, into row: inout ProductRow, _ currency: inout Currency,
        isCurrencyGiven: Bool, _ remarks: inout [Remark]
    ) throws(Refusal) {
        let text = cell.text.trimmed
        // A cell of another row of the same product may have the value.
        if text.isEmpty {
            if row[name] == nil, name != "currency" { row.set(columnName(name), .null) }
            return
        }
        switch name {
        case "id":
            guard let id = Int64(text), id >= 0 else { throw refuse(cell, "a whole number; map it to 'sku'") }
            row.set(name, .integer(id))
        case "price", "sale_price", "price_minor", "sale_price_minor":
            guard let amount = Amount(text, mark: decimalMark) else { throw refuse(cell, "a price") }
            if let own = amount.currency {
                if isCurrencyGiven, own != currency {
                    throw refuse(cell, "in \(currency.code), which the row names as its currency")
                }
                currency = own
                row.set("currency", .text(own.code))
            }
            let isMinor = name.hasSuffix("_minor")
            let minor = isMinor ? Int64(amount.decimal) : amount.minorUnits(in: currency)
            guard let minor else {
                throw Refusal(
                    id: "import-value",
                    message: "'\(cell.label)' is '\(text)', which is no whole number of the smallest unit of "
                        + "\(currency.code); see --decimal and --currency", line: cell.line,
                    column: cell.column)
            }
            guard minor >= 0 else { throw refuse(cell, "a price: it is below zero") }
            row.set(isMinor ? name : name + "_minor", .integer(minor))
        case "currency": break
        case "gtin":
            guard let gtin = GTINText.read(text) else {
                let advice =
                    text.contains("E+") || text.contains("e+")
                    ? "a spreadsheet has rounded it: export it as text" : "left empty"
                remark(cell, id: "import-gtin", "'\(cell.label)' is '\(text)', no GTIN; \(advice)", &remarks)
                row.set(name, .null)
                return
            }
            // A nought is how tables write that there is none.
            if gtin.digits.allSatisfy({ $0 == "0" }) { return row.set(name, .null) }
            if !gtin.isRight {
                remark(
                    cell, id: "import-gtin",
                    "'\(cell.label)' is '\(gtin.digits)', whose check digit or length is wrong; pages leave it out",
                    &remarks)
            }
            row.set(name, .text(gtin.digits))
        case "vintage", "stock", "featured":
            let range: ClosedRange<Int64> = name == "vintage" ? 1000...2999 : 0...Int64.max
            guard let amount = Amount(text, mark: decimalMark),
                let number = Int64(
                    amount.decimal.hasSuffix(".0") ? String(amount.decimal.dropLast(2)) : amount.decimal)
            else {
                // `In stock: yes`
                let words = Self.availability(text)
                guard name == "stock", words != text else {
                    return leaveEmpty(cell, name, "a whole number", &row, &remarks)
                }
                row.set(name, .null)
                return row.set("availability", .text(words))
            }
            // Shops count below zero what was sold and is not there yet: none is left.
            if name == "stock", number < 0 { return row.set(name, .integer(0)) }
            guard range.contains(number) else { return leaveEmpty(cell, name, "in range", &row, &remarks) }
            row.set(name, .integer(number))
        case "abv", "volume_ml":
            let unit = name == "abv" ? ["%", "vol", ".", "°", "alc"] : ["ml"]
            var number = text.lowercased()
            for word in unit {
                while number.hasSuffix(word) { number = String(number.dropLast(word.count)).trimmed }
            }
            var places = name == "abv" && strengthsAreFractions && !text.contains("%") ? 2 : 0
            if name == "volume_ml" {
                for (word, factor) in [("cl", 1), ("l", 3)] where number.hasSuffix(word) {
                    number = String(number.dropLast(word.count)).trimmed
                    places = factor
                    break
                }
                if volumesAreLitres, number.last?.isNumber == true, number == text { places = 3 }
            }
            // Strengths and litres have fractions of three digits (`0.375`), and nobody groups them.
            guard let amount = Amount(number, mark: number.contains(",") ? .comma : .point),
                amount.currency == nil
            else { return leaveEmpty(cell, name, "a number", &row, &remarks) }
            row.set(name, .text(amount.shifted(by: places)))
        case "bottled", "created", "updated":
            guard let date = date(cell, &remarks) else { return row.set(name, .null) }
            row.set(name, .text(date.description))
        case "availability": row.set(name, .text(Self.availability(text)))
        case "bottling_note", "tasting_note": row.set(name, .text(NoteText.html(text)))
        default:
            let line = NoteText.line(text)
            row.set(name, line.isEmpty ? .null : .text(line))
        }
    }

    private func columnName(_ name: String) -> String {
        name == "price" || name == "sale_price" ? name + "_minor" : name
    }

    private func settlePrices(_ row: inout ProductRow, _ item: Item, _ remarks: inout [Remark]) {
        guard case .integer(let sale) = row["sale_price_minor"], let price = row["price_minor"] else {
            return
        }
        if case .integer(let before) = price, sale < before { return }
        // Only one of them, or one that is no lower: there is no sale.
        if case .integer(let before) = price, sale > before {
            remarks.append(
                Remark(
                    id: "import-cell", message: "the sale price is above the price; left empty",
                    line: item.line,
                    column: 1))
        }
        if price == .null { row.set("price_minor", .integer(sale)) }
        row.set("sale_price_minor", .null)
    }

    /// The words of docs/database.md for those of shops and feeds; others are left to the build to judge.
    static func availability(_ text: String) -> String {
        switch Synonyms.bare(text) {
        case "instock", "yes", "true", "available", "verfügbar", "auflager", "enstock", "pålager", "вналичии",
            "在庫あり":
            "in-stock"
        case "limitedavailability", "lowstock", "few": "low-stock"
        case "outofstock", "soldout", "no", "false", "ausverkauft", "épuisé", "utsolgt", "нетвналичии",
            "在庫なし", "売り切れ":
            "sold-out"
        case "preorder", "presale", "backorder", "onbackorder", "comingsoon": "coming-soon"
        case "discontinued": "discontinued"
        default: text
        }
    }

    // MARK: Reviews

    func review(_ item: Item, source: String, _ remarks: inout [Remark]) throws(Refusal) -> ReviewRow {
        var products: [(column: String, value: String)] = []
        var columns: [(name: String, value: ColumnValue)] = []
        var id: String?
        for cell in item.cells {
            try checkDamage(cell)
            guard case .review(let name) = cell.field else { continue }
            let text = cell.text.trimmed
            switch name {
            case "id": if !text.isEmpty { id = text }
            case "product":
                if !text.isEmpty { products += ["sku", "slug", "gtin", "id", "name"].map { ($0, text) } }
            case "product_id", "product_sku", "product_slug", "product_gtin", "product_name":
                if !text.isEmpty { products.append((String(name.dropFirst("product_".count)), text)) }
            case "rating":
                if text.isEmpty {
                    columns.append((name, .null))
                    continue
                }
                guard let rating = rating(text) else {
                    throw Refusal(
                        id: "import-value", message: "'\(cell.label)' is '\(text)', not a rating from 0 to 5",
                        line: cell.line, column: cell.column)
                }
                columns.append((name, .text(rating)))
            case "date":
                let date = text.isEmpty ? nil : date(cell, &remarks)
                columns.append((name, date.map { .text($0.description) } ?? .null))
            case "body":
                let body = Self.lines(text)
                columns.append((name, body.isEmpty ? .null : .text(body)))
            default:
                let line = NoteText.line(text)
                columns.append((name, line.isEmpty ? .null : .text(line)))
            }
        }
        guard !products.isEmpty else {
            throw Refusal(
                id: "import-value",
                message: "the row names no product; map a column to 'product' or 'product_sku'",
                line: item.line, column: 1)
        }
        func text(_ name: String) -> String {
            columns.first { $0.name == name }.flatMap {
                if case .text(let text) = $0.value { text } else { nil }
            } ?? ""
        }
        if text("body").isEmpty, text("title").isEmpty, text("rating").isEmpty {
            throw Refusal(
                id: "import-value", message: "neither words nor a rating", line: item.line, column: 1)
        }
        // Without an id of its own a review is known by what it says.
        let identity =
            id.map { [source, "id", $0] }
            ?? [products[0].value, text("author"), text("date"), text("title"), text("body"), text("rating")]
        return ReviewRow(
            products: products,
            id: Int64(bitPattern: hash64(identity.joined(separator: "\u{1F}")) & 0x7FFF_FFFF_FFFF_FFFF),
            columns: columns)
    }

    /// Stars out of five: `4`, `4.5`, `4/5`, `★★★★`, `8/10`.
    private func rating(_ text: String) -> String? {
        let stars = text.unicodeScalars.filter { $0 == "★" || $0 == "⭐" }.count
        if stars > 0, stars <= 5, !text.contains(where: \.isNumber) { return String(stars) }
        let parts = text.split(separator: "/")
        guard let first = parts.first, parts.count <= 2, let amount = Amount(first.trimmed, mark: .point)
        else { return nil }
        var value = amount
        if parts.count == 2 {
            switch parts[1].trimmed {
            case "5": break
            case "10":
                guard let half = amount.halved else { return nil }
                value.decimal = half
            default: return nil
            }
        }
        guard value.currency == nil, let units = value.thousandths, (0...5000).contains(units) else {
            return nil
        }
        return value.decimal
    }

    /// Text with its lines, without markup if it has any.
    private static func lines(_ text: String) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    // MARK: Cells

    private func date(_ cell: Item.Cell, _ remarks: inout [Remark]) -> PartialDate? {
        let text = cell.text.trimmed
        switch DateText.read(text, order: dateOrder) {
        case .date(let date): return date
        case .ambiguous:
            remark(
                cell, id: "import-cell",
                "'\(cell.label)' is '\(text)', of which day and month could be either; say --dates dmy or --dates mdy",
                &remarks)
        case .none: remark(cell, "a date such as 2020-12-31", &remarks)
        }
        return nil
    }

    /// `Spirits > Whisky` and the like as its steps.
    private func path(of text: String) -> [String] {
        var text = text
        for mark in ["›", "»", "→", " / ", "&gt;"] where text.contains(mark) {
            text = text.replacing(mark, with: ">")
        }
        return text.split(separator: ">").map { NoteText.line($0.trimmed) }.filter { !$0.isEmpty }
    }

    private func checkDamage(_ cell: Item.Cell) throws(Refusal) {
        // Almost every cell passes; one look at its bytes tells.
        var isDamaged = false, hasControl = false
        var before: (UInt8, UInt8) = (0, 0)
        for byte in cell.text.utf8 {
            if byte == 0xBE, before == (0xEF, 0xBF) { isDamaged = true }
            if byte < 0x20, byte != 0x0A, byte != 0x0D, byte != 0x09 { hasControl = true }
            before = (before.1, byte)
        }
        if isDamaged {
            throw Refusal(
                id: "text-encoding",
                message:
                    "'\(cell.label)' has bytes that are no character; name the file's encoding with --encoding",
                line: cell.line, column: cell.column)
        }
        if hasControl {
            throw Refusal(
                id: "import-value", message: "'\(cell.label)' has a control character; take it out",
                line: cell.line, column: cell.column)
        }
    }

    private func refuse(_ cell: Item.Cell, _ what: String) -> Refusal {
        Refusal(
            id: "import-value", message: "'\(cell.label)' is '\(cell.text.trimmed.prefix(60))', not \(what)",
            line: cell.line, column: cell.column)
    }

    private func leaveEmpty(
        _ cell: Item.Cell, _ name: String, _ what: String, _ row: inout ProductRow, _ remarks: inout [Remark]
    ) {
        row.set(name, .null)
        remark(cell, what, &remarks)
    }

    private func remark(_ cell: Item.Cell, _ what: String, _ remarks: inout [Remark]) {
        remark(
            cell, id: "import-cell",
            "'\(cell.label)' is '\(cell.text.trimmed.prefix(60))', not \(what); left empty",
            &remarks)
    }

    private func remark(_ cell: Item.Cell, id: String, _ message: String, _ remarks: inout [Remark]) {
        remarks.append(Remark(id: id, message: message, line: cell.line, column: cell.column))
    }
}

extension Amount {
    /// The number in thousandths; nil when it has finer digits.
    var thousandths: Int64? {
        let parts = decimal.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        guard fraction.utf8.count <= 3, let whole = Int64(parts[0]), whole.magnitude < 1 << 50 else {
            return nil
        }
        let rest = Int64(fraction + String(repeating: "0", count: 3 - fraction.utf8.count)) ?? 0
        return decimal.hasPrefix("-") ? whole * 1000 - rest : whole * 1000 + rest
    }

    /// The number with its point some places further right, without the zeros at its end.
    func shifted(by places: Int) -> String {
        let parts = decimal.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        let padded = fraction + String(repeating: "0", count: max(0, places - fraction.utf8.count))
        var whole = (String(parts[0]) + padded.prefix(places))[...]
        let sign = whole.hasPrefix("-") ? "-" : ""
        whole = whole.drop { $0 == "0" || $0 == "-" }
        return Self.short(sign + (whole.isEmpty ? "0" : whole) + "." + padded.dropFirst(places))
    }

    /// Half of it: `9` is `4.5`.
    var halved: String? { thousandths.map { Self.text(thousandths: $0 / 2) } }

    private static func text(thousandths: Int64) -> String {
        let digits = String(thousandths.magnitude)
        let padded = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        return short((thousandths < 0 ? "-" : "") + padded.dropLast(3) + "." + padded.suffix(3))
    }

    private static func short(_ decimal: String) -> String {
        guard decimal.contains(".") else { return decimal }
        var text = decimal[...]
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return String(text)
    }
}
