import Database

/// What was found in a database, as the settings of a site.
struct Mapped {
    /// A part of the mapping with what is to be said of it.
    struct Part {
        /// The comment above it, a line each.
        var remarks: [String] = []
        var sql: String
    }

    /// Where each kind of row comes from.
    var parts: [Mapping.Source: Part] = [:]
    var reviewsAreHTML = false
    /// Formats of columns of notes that are no HTML.
    var noteFormats: [(column: String, format: String)] = []
    /// What can be browsed by, with label and plural where they differ.
    var facetLabels: [(key: String, label: String, plural: String)] = []
    /// What the theme calls things, by its key.
    var texts: [(key: String, text: String)] = []
    var currency: (code: String, remark: String)?
    var hasPrices = false
    /// Columns that are not shown, and why.
    var leftOut: [(column: String, reason: String)] = []
    /// Further things that were found, for comments at the end: orders, lists, pictures on the web.
    var remarks: [[String]] = []
    /// Queries for what customers wish for, put into a basket or bought: `customer` and `product`.
    var lists: [(kind: String, sql: String)] = []
    /// Guesses worth a look, a line each, for the report.
    var doubts: [String] = []
    /// What was found, a line each, for the report.
    var findings: [(name: String, text: String)] = []
    /// The language of names and texts, as far as names of columns tell.
    var language = "en"
    var languageRemark = "likely, by the names of the columns"
    /// What the shop calls itself, if the database says it.
    var title: String?
}

extension Mapped {
    /// A table that is called like one of the default schema's and was not understood is not read as if it were that one.
    mutating func closeDefaults(tables: [String]) {
        for source in Mapping.Source.allCases where parts[source] == nil {
            guard let table = tables.first(where: { $0.lowercased() == source.rawValue }) else { continue }
            let columns = source.neededFields.map { "NULL AS \($0)" }.joined(separator: ", ")
            parts[source] = Part(
                remarks: [
                    "The table \(table) is not what build-site expects under that name, so nothing is taken from it."
                ],
                sql: "SELECT \(columns) WHERE 0")
        }
    }
}
