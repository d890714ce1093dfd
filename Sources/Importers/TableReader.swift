import Basics
import Formats

/// A table with named columns, row by row.
final class TableReader {
    let reader: CSVReader
    /// The names of the columns.
    let names: [String]
    private let sink: any ItemSink

    /// Opens the file at its start and reads the heading, if it has one.
    init(_ source: PreparedFile, _ sink: any ItemSink) throws {
        self.sink = sink
        reader = CSVReader(
            try TextStream(source.file, encoding: source.encoding), delimiter: source.delimiter)
        names = source.columns
        // A row that is none stands before the heading as the inspector saw it.
        var left = (source.hasSeparatorLine ? 1 : 0) + (source.hasHeader ? 1 : 0)
        while left > 0, let read = try reader.next() {
            switch read {
            case .cells: left -= 1
            case .fault(let message, let line): try sink.refuse(message, line: line, column: 1)
            }
        }
    }

    /// Calls `body` with the cells of every row that has as many as there are columns.
    func forEachRow(_ body: (Row) throws -> Void) throws {
        while let read = try reader.next() {
            switch read {
            case .fault(let message, let line): try sink.refuse(message, line: line, column: 1)
            case .cells:
                var cells = reader.cells
                // Delimiters at the ends of rows that the heading does not have.
                while cells.count > names.count, cells.last?.isEmpty == true { cells.removeLast() }
                guard cells.count == names.count else {
                    // A line of delimiters only, as spreadsheets leave them below a table.
                    if cells.allSatisfy({ $0.isEmpty }) { continue }
                    let position = reader.position(ofCell: min(cells.count, names.count))
                    try sink.refuse(
                        "the row has \(cells.count) cells, the heading \(names.count)", line: reader.line,
                        column: cells.count > names.count ? position.column : 1)
                    continue
                }
                if cells.allSatisfy({ $0.isEmpty }) { continue }
                try body(Row(cells: cells, table: self))
            }
        }
    }

    /// The index of the first column that has one of these names, in any case.
    func index(_ names: String...) -> Int? {
        for name in names {
            let bare = Synonyms.bare(name)
            if let index = self.names.firstIndex(where: { Synonyms.bare($0) == bare }) { return index }
        }
        return nil
    }

    /// A row, valid until the next.
    struct Row {
        let cells: [String]
        let table: TableReader

        var line: Int { table.reader.line }

        subscript(index: Int?) -> String { index.map { cells[$0].trimmed } ?? "" }

        /// Adds a cell to an item, if the table has the column.
        func add(_ index: Int?, to item: inout Item, as field: Field, text: String? = nil) {
            guard let index else { return }
            let position = table.reader.position(ofCell: index)
            item.add(
                field, text ?? cells[index], line: position.line, column: position.column,
                label: table.names[index])
        }

        /// Adds a cell of several values; an empty one says that there is none.
        func add(
            _ index: Int?, to item: inout Item, as field: Field, splitAt isSeparator: (Character) -> Bool
        ) {
            guard let index else { return }
            let parts = cells[index].split(whereSeparator: isSeparator).map { $0.trimmed }.filter {
                !$0.isEmpty
            }
            for part in parts.isEmpty ? [""] : parts { add(index, to: &item, as: field, text: part) }
        }
    }
}

extension ImportFormat {
    /// What the columns of a format's tables mean, by their bare names; the formats not here have readers of their own.
    var fields: [String: Field] {
        switch self {
        case .google:
            [
                "id": .product("sku"), "title": .product("name"), "description": .product("bottling_note"),
                "imagelink": .picture, "additionalimagelink": .picture,
                "availability": .product("availability"),
                "price": .product("price"), "saleprice": .product("sale_price"),
                "brand": .product("producer"),
                "gtin": .product("gtin"), "producttype": .category, "color": .facet("Colour"),
                "size": .facet("Size"),
                "material": .facet("Material"), "pattern": .facet("Pattern"),
                "itemgroupid": .group,
            ]
        case .judgeme:
            [
                "title": .review("title"), "body": .review("body"), "rating": .review("rating"),
                "reviewdate": .review("date"), "reviewername": .review("author"),
                "producthandle": .review("product_slug"), "productsku": .review("product_sku"),
                "reviewid": .review("id"),
            ]
        case .yotpo:
            [
                "reviewid": .review("id"), "sku": .review("product_sku"), "productid": .review("product"),
                "displayname": .review("author"), "reviewername": .review("author"),
                "reviewdisplayname": .review("author"), "reviewtitle": .review("title"),
                "reviewcontent": .review("body"), "reviewscore": .review("rating"), "date": .review("date"),
                "reviewcreationdate": .review("date"), "reviewdate": .review("date"),
                "reviewlanguage": .review("language"),
            ]
        default: [:]
        }
    }
}

/// Tables whose rows are one product or review each.
struct PlainTable {
    let source: PreparedFile

    func read(_ sink: any ItemSink) throws {
        let table = try TableReader(source, sink)
        // What the shop has hidden stays hidden. (Bare names of columns, and the words that say so.)
        let hiding: [(index: Int, words: Set<String>, reason: String)] =
            source.format == .judgeme || source.format == .yotpo
            ? [
                ("curated", ["spam", "notyet", "notyetreviewed"], "not published"),
                ("published", ["false", "no", "0"], "not published"),
                ("reviewstatus", ["unpublished", "rejected", "pending", "spam"], "not published"),
                ("deleted", ["true", "yes", "1"], "deleted"),
            ].compactMap { name, words, reason in table.index(name).map { ($0, words, reason) } } : []
        let kind: Item.Kind = source.format.isReviews ? .review : .product
        // A comma is part of many values; only Google's feeds put several addresses between commas.
        let separators = Set(source.format == .google ? "," : source.valueSeparators).union("\n")
        let below = source.fields.indices.filter { source.fields[$0] == .subcategory }
        try table.forEachRow { row in
            if let found = hiding.first(where: { $0.words.contains(Synonyms.bare(row[$0.index])) }) {
                return sink.leaveOut(found.reason)
            }
            var item = Item(kind: kind, line: row.line)
            for (index, field) in source.fields.enumerated() {
                guard let field else { continue }
                switch field {
                case .picture where isPictureList(row[index], separators):
                    row.add(index, to: &item, as: field, splitAt: { $0 == "," })
                case .category where !below.isEmpty:
                    // The steps below it are further columns.
                    let steps = [row[index]] + below.map { row[$0] }
                    let path = steps.filter { !$0.isEmpty }.joined(separator: " > ")
                    row.add(index, to: &item, as: field, text: row[index].isEmpty ? "" : path)
                case .subcategory: break
                case .category, .picture, .facet:
                    row.add(index, to: &item, as: field, splitAt: separators.contains)
                default: row.add(index, to: &item, as: field)
                }
            }
            try sink.take(item)
        }
    }

    /// Whether a cell is several pictures with commas between them: each part looks like one.
    private func isPictureList(_ text: String, _ separators: Set<Character>) -> Bool {
        guard text.contains(","), !text.contains(where: separators.contains) else { return false }
        return text.split(separator: ",").allSatisfy { part in
            let part = part.trimmed.lowercased()
            return part.hasPrefix("http://") || part.hasPrefix("https://")
                || [".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif"].contains { part.hasSuffix($0) }
        }
    }
}
