import Basics
import Database

/// Writes a proposal as `site.yaml`: what was guessed, how sure it is, what else it could be.
struct SettingsWriter {
    let mapped: Mapped
    let product: ProductTable
    let path: String
    let reference: String
    /// Whether the database has the default schema.
    var isDefault = false

    private var fileName: String {
        String(path.split(separator: "/").last ?? "shop.db")
    }

    /// A name for the shop, made of the file's.
    private var title: String {
        if let title = mapped.title, title.isPrintable { return title }
        var name = fileName
        if let dot = name.lastIndex(of: "."), dot != name.startIndex { name = String(name[..<dot]) }
        let technical: Set<Substring> = ["sqlite", "sqlite3", "db", "database", "data", "slice", "copy"]
        // openbeerdb
        if name.lowercased().hasSuffix("db"), name.count > 5 { name = String(name.dropLast(2)) }
        let text = label(of: name).split(separator: " ").filter {
            !technical.contains(Substring($0.lowercased()))
        }
        .joined(separator: " ")
        return text.isEmpty || !text.isPrintable ? "My Shop" : text
    }

    var text: String {
        var out = """
            # \(title.printable), made from \(fileName.printable).
            #
            # 'build-site init' wrote this file by looking at the database. All of it is a proposal: the comments say what is not sure,
            # and what else it could be. The queries are yours to change; the database is only ever read. docs/settings.md describes
            # every key, docs/database.md every field (the names after AS).

            title: \(yaml(title))
            # tagline: A few words about the shop.
            # url: https://shop.example/   # the address that the site will have; feeds and sitemaps need it

            """
        out += setting(
            "language", mapped.language, mapped.language == "en" ? "" : mapped.languageRemark)
        out += setting("database", yaml(reference))
        if mapped.hasPrices, let currency = mapped.currency {
            out += setting("currency", currency.code, currency.remark)
        }
        if !mapped.hasPrices { out += setting("price_on_request", "false", "no prices were found") }
        if isDefault {
            out += "\n# The database has the tables of docs/schema.sql, so that there is nothing to map.\n"
        } else {
            out += "\n" + products
            for source in [Mapping.Source.categories, .productCategories, .facts, .facets] {
                out += section(source.rawValue, mapped.parts[source])
            }
            out += pictures + reviews + notes + browsing
        }
        out += texts
        for remark in mapped.remarks { out += "\n" + remark.map { comment($0) }.joined() }
        return out
    }

    private func setting(_ key: String, _ value: String, _ remark: String = "") -> String {
        "\(key): \(value)" + (remark.isEmpty ? "" : "   # \(remark.printable)") + "\n"
    }

    // MARK: Parts

    private var products: String {
        var lines = [
            "Products: \(product.sureness.words), the table \(product.table.name) (\(product.table.rowsText))"
                + (product.reasons.isEmpty ? "" : ": " + product.reasons.joined(separator: ", ")) + "."
        ]
        if !product.others.isEmpty, product.sureness != .sure || product.others.count == 1 {
            let names = product.others.map { "\($0.name) (\($0.rowsText))" }.joined(separator: ", ")
            lines.append(
                "Could also be: \(names). Another table: build-site init DIR --database … --products TABLE.")
        }
        lines.append(
            "A comment behind a line says that it is no more than likely. Delete what you do not want to show."
        )
        if !mapped.leftOut.isEmpty {
            lines.append("Not shown:")
            // Reasons in the order in which they first come.
            var reasons: [String] = []
            for item in mapped.leftOut where !reasons.contains(item.reason) { reasons.append(item.reason) }
            for reason in reasons {
                let columns = mapped.leftOut.filter { $0.reason == reason }.map(\.column)
                lines.append("  \(columns.joined(separator: ", ")): \(reason)")
            }
        }
        return lines.map { comment($0) }.joined() + block("products", mapped.parts[.products]?.sql ?? "")
    }

    private func section(_ key: String, _ part: Mapped.Part?) -> String {
        guard let part else { return "" }
        return "\n" + part.remarks.map { comment($0) }.joined() + block(key, part.sql)
    }

    private var pictures: String {
        guard let part = mapped.parts[.pictures] else { return "" }
        return "\n" + part.remarks.map { comment($0) }.joined() + "pictures:\n"
            + indented(block("query", part.sql))
    }

    private var reviews: String {
        guard let part = mapped.parts[.reviews] else { return "" }
        let format = mapped.reviewsAreHTML ? "  format: html\n" : ""
        return "\n" + part.remarks.map { comment($0) }.joined() + "reviews:\n" + format
            + indented(block("query", part.sql))
    }

    private var notes: String {
        guard !mapped.noteFormats.isEmpty else { return "" }
        return "\n# Notes are HTML unless it says otherwise here: html, markdown or plain.\nnotes:\n"
            + mapped.noteFormats.map { "  \(yaml($0.column)): \($0.format)\n" }.joined()
    }

    private var browsing: String {
        let used = mapped.parts[.products]?.sql ?? ""
        let fields = ["producer", "style", "country", "region"].filter { field in
            used.contains("AS \(field),") || used.contains("AS \(field)\n") || used.contains("AS \(field) ")
                || used.contains(".\(field),") || used.contains(".\(field)\n") || used.contains(".\(field) ")
        }
        guard !fields.isEmpty || !mapped.facetLabels.isEmpty else { return "" }
        var out = "\n# What the site can be browsed by, in this order.\nbrowse_by:\n"
        for field in fields { out += "  - \(field)\n" }
        for facet in mapped.facetLabels {
            out +=
                facet.plural == facet.label
                ? "  - \(yaml(facet.key))\n"
                : "  - {key: \(yaml(facet.key, isInside: true)), plural: \(yaml(facet.plural, isInside: true))}\n"
        }
        return out
    }

    private var texts: String {
        guard !mapped.texts.isEmpty else { return "" }
        return "\n# What the theme calls things.\ntexts:\n"
            + mapped.texts.map { "  \($0.key): \(yaml($0.text))\n" }.joined()
    }

    // MARK: YAML

    /// A comment in lines of at most 120 characters; what begins with blanks is kept as it is and goes on indented.
    private func comment(_ text: String) -> String {
        let printable = text.printable(limit: 1000)
        let indent = String(printable.prefix { $0 == " " })
        if indent.isEmpty || printable.contains(": ") == false, indent.count > 0 { return "# \(printable)\n" }
        var lines: [String] = []
        var line = indent
        for word in printable.split(separator: " ") {
            if line.count + word.count > 116, line != indent {
                lines.append(line)
                line = indent + (indent.isEmpty ? "" : "  ")
            }
            line += (line.allSatisfy { $0 == " " } ? "" : " ") + word
        }
        return (lines + [line]).map { "# \($0)\n" }.joined()
    }

    private func block(_ key: String, _ sql: String) -> String {
        key + ": |\n"
            + sql.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)\n" }.joined()
    }

    private func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "  \($0)\n" }.joined()
    }

    /// A text as YAML has it: in quotes where it would mean something else.
    private func yaml(_ text: String, isInside: Bool = false) -> String {
        let isPlain =
            text.first?.isLetter == true && text.last?.isWhitespace != true
            && text.allSatisfy {
                $0.isLetter || $0.isNumber || " _-./&'".contains($0) || ("()".contains($0) && !isInside)
            }
            && !["null", "true", "false", "yes", "no", "on", "off"].contains(text.lowercased())
        if isPlain { return text }
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": out += "\\" + String(scalar)
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    // MARK: Report

    var report: [String] {
        var lines = ["products: \(product.table.name) (\(product.table.rowsText)), \(product.sureness.words)"]
        if !product.others.isEmpty, product.sureness != .sure {
            lines.append(
                "  could also be \(product.others.map(\.name).joined(separator: ", ")): --products TABLE")
        }
        lines += mapped.findings.map { "\($0.name): \($0.text)" }
        lines += mapped.doubts.map { "worth a look: \($0)" }
        return lines
    }
}
