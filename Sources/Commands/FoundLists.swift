import Basics
import Database
import Formats
import Introspection

/// What a database says of its customers' wish lists, baskets and orders, as `lists.json`.
struct FoundLists {
    /// The file; nil when there is nothing to put into it.
    let text: String?
    /// A line for the report.
    let summary: String

    /// Reads them.
    ///
    /// - Throws: ``Basics/Failure`` when the database cannot be read.
    init(_ proposal: DatabaseProposal, of path: String) throws {
        guard let query = proposal.listsQuery else {
            (text, summary) = (
                nil, "lists: the database names no customers with orders, baskets or wish lists"
            )
            return
        }
        let rows: [Row]
        do {
            rows = try Connection(reading: path).rows(query) {
                Row(customer: $0.text(0), list: $0.text(1), product: $0.text(2))
            }
        } catch {
            throw Failure("database", error.message, at: .file(path))
        }
        let customers = rows.runs(by: \.customer)
        var writer = JSONWriter(isPretty: true)
        writer.object { writer in
            writer.key("version")
            writer.value(1)
            writer.key("customers")
            writer.array { writer in
                for customer in customers {
                    writer.object { writer in
                        writer.key("id")
                        writer.value(customer[customer.startIndex].customer)
                        writer.key("lists")
                        writer.object { writer in
                            for list in Array(customer).runs(by: \.list) { Self.append(list, to: &writer) }
                        }
                    }
                }
            }
        }
        text = customers.isEmpty ? nil : String(decoding: writer.bytes, as: UTF8.self) + "\n"
        summary =
            "lists: \(rows.count.of("product")) of \(customers.count.of("customer")), in content/lists.json"
    }

    private struct Row {
        let customer: String, list: String, product: String
    }

    private static func append(_ rows: ArraySlice<Row>, to writer: inout JSONWriter) {
        writer.key(rows[rows.startIndex].list)
        writer.array { writer in
            for row in rows {
                writer.object { writer in
                    writer.key("product")
                    writer.value(row.product)
                }
            }
        }
    }
}

extension Array {
    /// The parts in which neighbours have the same key.
    fileprivate func runs(by key: (Element) -> String) -> [ArraySlice<Element>] {
        var out: [ArraySlice<Element>] = []
        var start = 0
        for i in indices where i > 0 && key(self[i]) != key(self[i - 1]) {
            out.append(self[start..<i])
            start = i
        }
        if start < count { out.append(self[start...]) }
        return out
    }
}
