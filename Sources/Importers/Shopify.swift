import Basics
import Formats
import Model

/// Shopify's export of products: a row for every variant and picture, those of a product one below the other.
///
/// Both headings are read, that of before 2025 (`Handle`, `Variant Price`) and the one since (`URL handle`, `Price`).
/// The variants of a product become one product: the lowest price, what there is of it in all, and what the options
/// are as values to browse by.
struct Shopify {
    let source: PreparedFile
    let reader: ItemReader

    /// Rows of one product; Shopify's own limit is 2,048 variants.
    private static let rowLimit = 5000

    /// A product whose rows are being read.
    private struct Product {
        var item: Item
        var rows = 1
        var isHidden = false
        var optionNames = ["", "", ""]
        /// The lowest price so far, in the smallest unit, and its row's cells.
        var lowest: (minor: Int64, price: Item.Cell, before: Item.Cell?)?
        var hasPrices = false
        var skus: [Item.Cell] = [], gtins: [Item.Cell] = []
        var variants = 0, untracked = 0
        var stock: Int64 = 0
        var sellsWithoutStock = false
        var pictures: [(position: Int, cell: Item.Cell, text: Item.Cell?)] = []
    }

    func read(_ sink: any ItemSink) throws {
        let table = try TableReader(source, sink)
        let columns = Columns(table)
        var product: Product?
        var handle = ""
        try table.forEachRow { row in
            let next = row[columns.handle]
            if next.isEmpty { return try sink.refuse("the row has no handle", line: row.line, column: 1) }
            if next == handle, var open = product {
                // Taken out while it is changed, or every row would copy all that came before it.
                product = nil
                open.rows += 1
                if open.rows > Self.rowLimit {
                    open.item.fault = ("the product has more than \(Self.rowLimit) rows", row.line, 1)
                } else {
                    add(row, columns, to: &open)
                }
                product = open
                return
            }
            if let product { try finish(product, columns, sink) }
            handle = next
            var new = begin(row, columns)
            add(row, columns, to: &new)
            product = new
        }
        if let product { try finish(product, columns, sink) }
    }

    /// Where the columns are.
    private struct Columns {
        let handle, title, body, vendor, type, taxonomy, tags, published, status: Int?
        let optionNames, optionValues: [Int?]
        let sku, tracker, quantity, policy, price, before, gtin: Int?
        let picture, position, alt, variantPicture, description: Int?
        let metafields: [(index: Int, label: String)]

        init(_ table: TableReader) {
            handle = table.index("Handle", "URL handle")
            title = table.index("Title")
            body = table.index("Body (HTML)", "Description")
            vendor = table.index("Vendor")
            type = table.index("Type", "Custom Product Type")
            taxonomy = table.index("Product Category", "Standardized Product Type")
            tags = table.index("Tags")
            published = table.index("Published", "Published on online store")
            status = table.index("Status")
            optionNames = (1...3).map { table.index("Option\($0) Name") }
            optionValues = (1...3).map { table.index("Option\($0) Value") }
            sku = table.index("Variant SKU", "SKU")
            tracker = table.index("Variant Inventory Tracker", "Inventory tracker")
            quantity = table.index("Variant Inventory Qty", "Inventory quantity")
            policy = table.index("Variant Inventory Policy", "Continue selling when out of stock")
            price = table.index("Variant Price", "Price")
            before = table.index("Variant Compare At Price", "Compare-at price")
            gtin = table.index("Variant Barcode", "Barcode")
            picture = table.index("Image Src", "Product image URL")
            position = table.index("Image Position")
            alt = table.index("Image Alt Text")
            variantPicture = table.index("Variant Image", "Variant image URL")
            description = table.index("SEO Description")
            // `Peat level (product.metafields.custom.peat_level)`
            metafields = table.names.enumerated().compactMap { index, name in
                guard let start = name.firstRange(of: "(product.metafields.") else { return nil }
                let label = name[..<start.lowerBound].trimmed
                return label.isEmpty ? nil : (index, label)
            }
        }
    }

    private func begin(_ row: TableReader.Row, _ columns: Columns) -> Product {
        var item = Item(kind: .product, line: row.line)
        item.isWhole = true
        row.add(columns.handle, to: &item, as: .product("slug"))
        row.add(columns.title, to: &item, as: .product("name"))
        row.add(columns.body, to: &item, as: .product("bottling_note"))
        row.add(columns.vendor, to: &item, as: .product("producer"))
        row.add(columns.description, to: &item, as: .product("summary"))
        // The shop's own type; Shopify's taxonomy where there is none.
        let category = row[columns.type].isEmpty && columns.taxonomy != nil ? columns.taxonomy : columns.type
        row.add(category, to: &item, as: .category)
        row.add(columns.tags, to: &item, as: .facet("Tag"), splitAt: { $0 == "," })
        for (index, label) in columns.metafields { row.add(index, to: &item, as: .fact(label)) }
        var product = Product(item: item)
        let published = row[columns.published].lowercased()
        let status = row[columns.status].lowercased()
        product.isHidden = published == "false" || ["draft", "archived", "unlisted"].contains(status)
        return product
    }

    private func cell(_ index: Int?, _ row: TableReader.Row, _ field: Field) -> Item.Cell? {
        guard let index, !row[index].isEmpty else { return nil }
        var item = Item(kind: .product, line: row.line)
        row.add(index, to: &item, as: field, text: row[index])
        return item.cells.first
    }

    private func add(_ row: TableReader.Row, _ columns: Columns, to product: inout Product) {
        for i in 0..<3 {
            let name = row[columns.optionNames[i]]
            if !name.isEmpty { product.optionNames[i] = name }
            let value = row[columns.optionValues[i]]
            // `Title: Default Title` is how Shopify writes that there are no options.
            if !value.isEmpty, !product.optionNames[i].isEmpty, value != "Default Title" {
                row.add(columns.optionValues[i], to: &product.item, as: .facet(product.optionNames[i]))
            }
        }
        if let cell = cell(columns.picture, row, .picture) {
            let position = Int(row[columns.position]) ?? Int.max
            product.pictures.append((position, cell, self.cell(columns.alt, row, .pictureText)))
        }
        if let cell = cell(columns.variantPicture, row, .picture) {
            product.pictures.append((Int.max, cell, nil))
        }
        // A row with neither price nor option is one more picture.
        let price = cell(columns.price, row, .product("price"))
        guard price != nil || !row[columns.optionValues[0]].isEmpty else { return }
        product.variants += 1
        if let cell = cell(columns.sku, row, .product("sku")) { product.skus.append(cell.withoutApostrophe) }
        if let cell = cell(columns.gtin, row, .product("gtin")) {
            product.gtins.append(cell.withoutApostrophe)
        }
        if let price {
            product.hasPrices = true
            if let minor = Amount(price.text, mark: reader.decimalMark)?.minorUnits(in: reader.currency) {
                if product.lowest.map({ minor < $0.minor }) ?? true {
                    product.lowest = (minor, price, cell(columns.before, row, .product("price")))
                }
            } else {
                product.item.fault =
                    product.item.fault
                    ?? (
                        "'\(price.label)' is '\(price.text)', not a price in \(reader.currency.code)",
                        price.line, price.column
                    )
            }
        }
        let isTracked = columns.tracker == nil || !row[columns.tracker].isEmpty
        if columns.quantity != nil, !row[columns.quantity].isEmpty, isTracked {
            let quantity = Int64(row[columns.quantity]) ?? 0
            product.stock = product.stock.addingReportingOverflow(max(0, quantity)).partialValue
        } else {
            product.untracked += 1
        }
        if ["continue", "true"].contains(row[columns.policy].lowercased()) {
            product.sellsWithoutStock = true
        }
    }

    private func finish(_ product: Product, _ columns: Columns, _ sink: any ItemSink) throws {
        if product.isHidden { return sink.leaveOut("not published") }
        var item = product.item
        if let lowest = product.lowest {
            let before = lowest.before.flatMap {
                Amount($0.text, mark: reader.decimalMark)?.minorUnits(in: reader.currency)
            }
            if let before, before > lowest.minor, var cell = lowest.before {
                cell.field = .product("price")
                item.cells.append(cell)
                cell = lowest.price
                cell.field = .product("sale_price")
                item.cells.append(cell)
            } else {
                item.cells.append(lowest.price)
                item.add(.product("sale_price"), "", label: "Variant Compare At Price")
            }
        } else if columns.price != nil {
            item.add(.product("price"), "", label: "Variant Price")
            item.add(.product("sale_price"), "", label: "Variant Compare At Price")
        }
        // The article number of the first variant stands for the product; a GTIN is one variant's alone.
        if let sku = product.skus.first {
            item.cells.append(sku)
        } else if columns.sku != nil {
            item.add(.product("sku"), "", label: "Variant SKU")
        }
        if product.variants <= 1, let gtin = product.gtins.first {
            item.cells.append(gtin)
        } else if columns.gtin != nil {
            item.add(.product("gtin"), "", label: "Variant Barcode")
        }
        if columns.quantity != nil, product.variants > 0 {
            let isKnown = product.untracked == 0
            item.add(.product("stock"), isKnown ? String(product.stock) : "", label: "Variant Inventory Qty")
            item.add(
                .product("availability"),
                !isKnown || product.sellsWithoutStock || product.stock > 0
                    ? (isKnown && !product.sellsWithoutStock ? "" : "in-stock") : "sold-out",
                label: "Variant Inventory Policy")
        }
        if columns.picture != nil || columns.variantPicture != nil {
            // Those of the same position stay in the order of the file.
            for picture in product.pictures.enumerated().sorted(by: {
                ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
            }) {
                item.cells.append(picture.element.cell)
                if let text = picture.element.text { item.cells.append(text) }
            }
            if product.pictures.isEmpty { item.add(.picture, "", label: "Image Src") }
        }
        try sink.take(item)
    }
}

extension Item.Cell {
    /// Without the apostrophe that shops put before numbers so that spreadsheets take them for texts.
    var withoutApostrophe: Item.Cell {
        var cell = self
        if cell.text.hasPrefix("'") { cell.text = String(cell.text.dropFirst()) }
        return cell
    }
}
