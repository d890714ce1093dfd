import Basics
import Model

/// Reads a product's own row.
final class ProductDecoder: Sendable {
    let columns: ProductColumns
    let mapping: Mapping
    let takePicture: (@Sendable (UnsafeRawBufferPointer) -> String)?

    init(
        columns: ProductColumns, mapping: Mapping,
        takePicture: (@Sendable (UnsafeRawBufferPointer) -> String)?
    ) {
        self.columns = columns
        self.mapping = mapping
        self.takePicture = takePicture
    }

    /// Sets what the row says of the product.
    ///
    /// In place, because a product has some forty fields to copy.
    func read(_ product: inout Product, from cells: inout CellReader, light: Bool) {
        func at(_ field: ProductColumns.Field) -> Int32 { columns.index(field) }
        // A product without a name still has a page: it is called what the shop calls it.
        product.name = cells.line(at(.name), "name") ?? "#\(product.id)"
        product.slug = cells.line(at(.slug), "slug")
        product.producer = cells.line(at(.producer), "producer")
        product.style = cells.line(at(.style), "style")
        product.country = cells.line(at(.country), "country")
        product.region = cells.line(at(.region), "region")
        product.featured = cells.integer(at(.featured), "featured", in: 0...1_000_000)
        product.created = cells.date(at(.created), "created")
        product.updated = cells.date(at(.updated), "updated")
        if let category = cells.key(at(.categoryID), "category_id") { product.categories = [category] }
        for (label, index) in columns.facets {
            if let value = cells.line(index, "facet:\(label)") {
                product.facets.append(Fact(label: label, value: value))
            }
        }
        price(&product, from: &cells)
        if let file = cells.picture(at(.picture), "picture", takePicture) {
            product.pictures.append(
                PictureSource(file: file, alternativeText: cells.line(at(.pictureAlt), "picture_alt")))
        }
        // A light walk takes it where it is read anyway: pictures may be found by it.
        product.sku = cells.line(at(.sku), "sku")
        if light { return }

        product.gtin = gtin(from: &cells)
        product.age = age(from: &cells)
        product.vintage = cells.integer(at(.vintage), "vintage", in: 1000...2999)
        product.bottled = cells.date(at(.bottled), "bottled")
        product.abv = cells.number(at(.abv), "abv", in: 0...100).map { Int(($0 * 100).rounded()) }
        product.volume = cells.number(at(.volume), "volume_ml", in: 0.1...10_000_000)
        product.stock = cells.integer(at(.stock), "stock", in: 0...Int(Int32.max))
        product.availability = availability(stock: product.stock, from: &cells)
        product.summary = cells.line(at(.summary), "summary")
        product.bottlingNote = note(at(.bottlingNote), "bottling_note", label: "", from: &cells)
        product.tastingNote = note(at(.tastingNote), "tasting_note", label: "", from: &cells)
        product.nose = cells.line(at(.nose), "nose")
        product.palate = cells.line(at(.palate), "palate")
        product.finish = cells.line(at(.finish), "finish")
        product.notes = columns.notes.compactMap { note($0.index, $0.column, label: $0.label, from: &cells) }
        for (label, index) in columns.facts {
            if let value = cells.line(index, "fact:\(label)") {
                product.facts.append(Fact(label: label, value: value))
            }
        }
        product.colour = cells.colour(at(.colour), "colour")
    }

    private func price(_ product: inout Product, from cells: inout CellReader) {
        var currency = mapping.currency
        if let code = cells.line(columns.index(.currency), "currency") {
            if code == currency.code {
                // The shop's own, as nearly everywhere.
            } else if let known = Currency(code) {
                currency = known
            } else {
                cells.fault("not-a-currency", "holds \(code.quoted), not a code such as GBP", "currency")
                return
            }
        }
        func amount(
            _ minor: ProductColumns.Field, _ decimal: ProductColumns.Field, _ name: String
        ) -> Money? {
            cells.money(columns.index(minor), name + "_minor", minorUnits: true, currency: currency)
                ?? cells.money(columns.index(decimal), name, minorUnits: false, currency: currency)
        }
        let regular = amount(.priceMinor, .price, "price")
        let sale = amount(.salePriceMinor, .salePrice, "sale_price")
        product.price = sale ?? regular
        if let sale, let regular {
            // A sale price that is not lower is none: shops leave it in the row when the sale is over.
            let isSale = sale.minorUnits < regular.minorUnits
            product.price = isSale ? sale : regular
            product.regularPrice = isSale ? regular : nil
        }
    }

    private func age(from cells: inout CellReader) -> Age? {
        let column = columns.index(.age)
        if column >= 0, cells.values.storageClass(column) == .text {
            guard let text = cells.line(column, "age") else { return nil }
            if ["nas", "no age statement"].contains(text.lowercased()) { return .noStatement }
        }
        return cells.integer(column, "age", in: 0...200).map { .years($0) }
    }

    /// A GTIN of 8, 12, 13 or 14 digits whose check digit is right (GS1 General Specifications, section 7.9).
    private func gtin(from cells: inout CellReader) -> String? {
        guard let text = cells.line(columns.index(.gtin), "gtin") else { return nil }
        // The sum with the last digit counted once, and with it counted thrice: each further digit makes the last of the others
        // the other kind.
        var (once, thrice, count) = (0, 0, 0)
        var isNumber = true
        let digits = String(utf8Count: text.utf8.count) { out in
            for byte in text.utf8 where byte != 0x20 && byte != 0x2D {
                guard 0x30...0x39 ~= byte else {
                    isNumber = false
                    return
                }
                let digit = Int(byte - 0x30)
                (once, thrice) = (thrice + digit, once + 3 * digit)
                count += 1
                out.append(Unicode.Scalar(byte))
            }
        }
        guard isNumber, [8, 12, 13, 14].contains(count), once > 0, once % 10 == 0 else {
            cells.fault("not-a-gtin", "holds \(text.quoted), not a GTIN with a right check digit", "gtin")
            return nil
        }
        return digits
    }

    /// What shops call an availability, in letters alone.
    private static let availabilities = TextTable(
        [
            (Availability.inStock, ["instock", "available", "instoreonly", "onlineonly"]),
            (.limited, ["lowstock", "limited", "limitedavailability"]),
            (.soldOut, ["soldout", "outofstock", "backorder", "reserved", "unavailable"]),
            (.comingSoon, ["comingsoon", "preorder", "presale", "madetoorder"]),
            (.discontinued, ["discontinued"]),
        ].flatMap { availability, names in names.map { (name: $0, value: availability) } })

    private func availability(stock: Int?, from cells: inout CellReader) -> Availability? {
        guard let text = cells.line(columns.index(.availability), "availability") else {
            return stock.map { $0 == 0 ? .soldOut : $0 <= 3 ? .limited : .inStock }
        }
        // Only letters count: "In stock", "in-stock" and "InStock" are the same.
        var letters = String(utf8Count: text.utf8.count) { out in
            for byte in text.utf8 where (0x61...0x7A).contains(byte | 0x20) {
                out.append(Unicode.Scalar(byte | 0x20))
            }
        }
        if let availability = Self.availabilities[letters] { return availability }
        // schema.org writes its names as addresses: https://schema.org/InStock.
        let prefixes = ["httpsschemaorg", "httpschemaorg", "schemaorg", "schema"]
        if let prefix = prefixes.first(where: { letters.hasPrefix($0) }) {
            letters.removeFirst(prefix.utf8.count)
            if let availability = Self.availabilities[letters] { return availability }
        }
        cells.fault(
            "not-an-availability", "holds \(text.quoted), not a word such as in-stock or sold-out",
            "availability")
        return nil
    }

    private func note(_ column: Int32, _ name: String, label: String, from cells: inout CellReader) -> Note? {
        guard let text = cells.text(column, name), text.utf8.contains(where: { $0 > 0x20 }) else {
            return nil
        }
        return Note(label: label, text: text, format: mapping.noteFormats[name] ?? .html, column: name)
    }
}
