import Basics
import Formats

/// Feeds in XML: products for Google Merchant Center (RSS or Atom), product reviews for Google, and any other XML
/// with elements named `review`.
struct XMLFeed {
    let source: PreparedFile
    let isLarge: Bool

    func read(_ sink: any ItemSink) throws {
        // A failure of the sink that is no Failure must pass through a closure that only throws those.
        var other: (any Error)?
        do {
            try XMLRecords.read(try TextStream(source.file, encoding: source.encoding), isLarge: isLarge) {
                record, _ throws(Failure) in
                do { try take(record, sink) } catch let failure as Failure { throw failure } catch {
                    other = error
                    throw Failure("internal", "\(error)")
                }
            }
        } catch {
            throw other ?? error
        }
    }

    private func take(_ record: XMLRecord, _ sink: any ItemSink) throws {
        if let fault = record.fault {
            return try sink.refuse(fault.message, line: fault.line, column: fault.column)
        }
        switch source.format {
        case .google: if record.name != "review" { try sink.take(product(record)) }
        case .googleReviews: try takeGoogleReview(record, sink)
        default: if record.name == "review" { try sink.take(review(record)) }
        }
    }

    private func product(_ record: XMLRecord) -> Item {
        var item = Item(kind: .product, line: record.line)
        // In this order, that of the fields: the first picture is the large one, wherever it stands in the item.
        let fields: [(String, Field)] = [
            ("id", .product("sku")), ("title", .product("name")), ("description", .product("bottling_note")),
            ("content", .product("bottling_note")), ("summary", .product("bottling_note")),
            ("brand", .product("producer")),
            ("gtin", .product("gtin")), ("price", .product("price")), ("sale_price", .product("sale_price")),
            ("availability", .product("availability")), ("product_type", .category), ("image_link", .picture),
            ("additional_image_link", .picture), ("color", .facet("Colour")), ("size", .facet("Size")),
            ("material", .facet("Material")), ("pattern", .facet("Pattern")),
            ("item_group_id", .group),
        ]
        var hasNote = false
        for (path, field) in fields {
            if field == .product("bottling_note") {
                guard !hasNote, !record.all(path).isEmpty else { continue }
                hasNote = true
            }
            for entry in record.all(path) { add(entry, to: &item, as: field) }
        }
        // A feed says all of a product: what it does not say there is not.
        for (name, field) in [("sale_price", Field.product("sale_price")), ("image_link", .picture)]
        where !item.cells.contains(where: { $0.field == field }) {
            item.add(field, "", column: record.column, label: name)
        }
        return item
    }

    private func takeGoogleReview(_ record: XMLRecord, _ sink: any ItemSink) throws {
        guard record.name == "review" else { return }
        if record.all("is_spam").first?.text.lowercased() == "true" { return sink.leaveOut("marked as spam") }
        var item = Item(kind: .review, line: record.line)
        let fields: [(String, Field)] = [
            ("review_id", .review("id")), ("title", .review("title")), ("content", .review("body")),
            ("review_timestamp", .review("date")), ("review_language", .review("language")),
            ("products/product/product_ids/skus/sku", .review("product_sku")),
            ("products/product/product_ids/gtins/gtin", .review("product_gtin")),
            ("products/product/product_ids/mpns/mpn", .review("product_sku")),
        ]
        for (path, field) in fields { for entry in record.all(path) { add(entry, to: &item, as: field) } }
        if let name = record.all("reviewer/name").first {
            // A name that is not to be shown is not even read into the database.
            let isAnonymous = record.all("reviewer/name@is_anonymous").first?.text.lowercased() == "true"
            if !isAnonymous { add(name, to: &item, as: .review("author")) }
        }
        if var overall = record.all("ratings/overall").first {
            let most = record.all("ratings/overall@max").first?.text ?? "5"
            // Other scales are written with their end, which the reader knows what to do with.
            if most != "5" { overall.text += "/" + most }
            add(overall, to: &item, as: .review("rating"))
        }
        try sink.take(item)
    }

    private func review(_ record: XMLRecord) -> Item {
        var item = Item(kind: .review, line: record.line)
        func field(_ name: String) -> Field? {
            if let told = source.mapping[Synonyms.bare(name)] { return told }
            return Synonyms.field(for: name, inReviews: true)
        }
        for entry in record.entries {
            // `author` and `@author` mean the same; what lies deeper is known by its last name, as in `reviewer/name`.
            let name = entry.path.drop { $0 == "@" }
            guard !name.contains("@") else { continue }
            let parts = name.split(separator: "/")
            guard parts.count <= 2, let last = parts.last else { continue }
            let isProduct = parts.count == 2 && ["product", "item"].contains(parts[0].lowercased())
            guard let field = isProduct ? Self.productField(String(last)) : field(String(last)) else {
                continue
            }
            if parts.count == 2, !isProduct,
                !["reviewer", "author", "customer", "user"].contains(parts[0].lowercased())
            {
                continue
            }
            if entry.text.isEmpty || item.cells.contains(where: { $0.field == field }) { continue }
            add(entry, to: &item, as: field)
        }
        // `<product sku="A1"><review>…`, `<reviews product="A1">`: the elements around it say whose review it is.
        let namesProduct = item.cells.contains {
            if case .review(let name) = $0.field { name.hasPrefix("product") } else { false }
        }
        if !namesProduct {
            for around in record.around.reversed() {
                let isProduct = ["product", "item"].contains(around.element.lowercased())
                let found =
                    isProduct
                    ? Self.productField(around.attribute)
                    : Synonyms.field(for: around.attribute, inReviews: true)
                if case .review(let name)? = found, name.hasPrefix("product") {
                    item.add(.review(name), around.value, column: record.column, label: around.attribute)
                }
            }
        }
        return item
    }

    private static func productField(_ name: String) -> Field? {
        switch Synonyms.bare(name) {
        case "id", "number", "key": .review("product")
        case "name", "title": .review("product_name")
        case let bare:
            Synonyms.field(for: bare, inReviews: true).flatMap { field in
                if case .review(let name) = field, name.hasPrefix("product") { field } else { nil }
            }
        }
    }

    private func add(_ entry: XMLRecord.Entry, to item: inout Item, as field: Field) {
        let label =
            entry.path.split(whereSeparator: { $0 == "/" || $0 == "@" }).last.map(String.init) ?? entry.path
        item.add(field, entry.text, line: entry.line, column: entry.column, label: label)
    }
}
