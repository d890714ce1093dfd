import Basics
import Database
import Model

/// A proposal for the settings of a site, made by looking at a database; nothing is changed in it.
public struct DatabaseProposal: Sendable {
    /// The text of `site.yaml`.
    public let settings: String
    /// What was found, a line each, for people.
    public let report: [String]
    /// The table whose rows are the products.
    public let productTable: String
    /// What customers have on lists, each row once, in the order of `customer`, `list` (as lists.json has it) and `product`; nil when
    /// the database says nothing of it.
    public let listsQuery: String?

    /// Looks at a database and proposes how it becomes a site.
    ///
    /// Takes a bounded number of rows of each table, so that a database of any size is looked at in seconds.
    ///
    /// - Parameters:
    ///   - path: the SQLite file.
    ///   - reference: how `site.yaml` is to name the file.
    ///   - products: the table of products, if somebody named it.
    /// - Throws: ``Failure`` when it is no database, or nothing in it looks like products.
    public init(of path: String, reference: String, products: String? = nil) throws {
        let survey: DatabaseSurvey
        do {
            survey = try DatabaseSurvey(path: path)
        } catch let error as DatabaseError {
            throw Failure(
                error.isCorruption ? "bad-database" : error.isBusy ? "database-busy" : "database",
                error.message, at: .file(path))
        }
        let links = Links(survey)
        let pools = Pools(survey, links)
        var wanted: DatabaseSurvey.Table?
        if let products {
            wanted = survey.table(products)
            guard wanted != nil else {
                let near = suggestion(for: products, among: survey.tables.map(\.name))
                throw Failure(
                    "no-product-table",
                    "has no table '\(products)'" + (near.map { "; did you mean '\($0)'?" } ?? ""),
                    at: .file(path))
            }
        }
        let product: ProductTable
        var mapped: Mapped
        if let shop = WooCommerceTables(survey), wanted == nil || wanted?.name == shop.product.table.name {
            (product, mapped) = (shop.product, shop.mapped)
        } else if let found = pools.productTable(wanted) {
            (product, mapped) = (found, Self.map(pools, found))
        } else {
            throw Failure("no-product-table", Self.missing(survey, wanted), at: .file(path))
        }
        mapped = try Self.checked(
            mapped, tables: survey.tables.filter { !$0.schema.isView }.map(\.name), path: path)
        let isDefault = product.table.name.lowercased() == "products" && Self.hasDefaultSchema(survey, path)
        if isDefault { mapped.texts = [] }
        let writer = SettingsWriter(
            mapped: mapped, product: product, path: path, reference: reference, isDefault: isDefault)
        settings = writer.text
        report = writer.report
        productTable = product.table.name
        listsQuery = mapped.listsQuery
    }

    /// Whether every table that is read without a mapping has the columns of docs/schema.sql, and none that says more.
    private static func hasDefaultSchema(_ survey: DatabaseSurvey, _ path: String) -> Bool {
        guard let currency = Currency("EUR"),
            (try? CatalogueReader(path: path, mapping: Mapping(currency: currency))) != nil
        else { return false }
        return Mapping.Source.allCases.allSatisfy { source in
            guard let table = survey.tables.first(where: { $0.name.lowercased() == source.rawValue }) else {
                return true
            }
            return table.schema.columns.allSatisfy { source.fields.contains($0.name.lowercased()) }
        }
    }

    private static func missing(_ survey: DatabaseSurvey, _ wanted: DatabaseSurvey.Table?) -> String {
        if let wanted {
            return wanted.rowCount == 0
                ? "the table '\(wanted.name)' has no rows to look at"
                : "the table '\(wanted.name)' has no column that names its rows"
        }
        let names = survey.tables.filter { $0.rowCount > 0 }.prefix(8).map { "'\($0.name)'" }
        if names.isEmpty {
            return "holds no rows to look at; fill it first, or begin with 'build-site init' alone"
        }
        return
            "holds no table that looks like products; name it with --products: \(names.joined(separator: ", "))"
    }

    private static func map(_ pools: Pools, _ product: ProductTable) -> Mapped {
        var out = Mapped()
        out.language = pools.columnLanguage(of: product.table)
        let mapper = ProductMapper(pools, product, out)
        for visibility in mapper.visibilities {
            mapper.query.conditions.append((visibility.sql(mapper.query.alias), visibility.remark))
        }
        CategoryMapper(mapper: mapper).write()
        mapper.assign()
        ChildMapper(mapper: mapper).find()
        let category = mapper.query.columns
        mapper.query.columns = []
        mapper.writeFields()
        mapper.query.columns.insert(contentsOf: category, at: min(2, mapper.query.columns.count))
        mapper.writeRest()
        mapper.out.parts[.products] = .init(sql: mapper.query.text)
        mapper.nameProducer()
        return mapper.out
    }

    /// Tries every query; what the database refuses is left out rather than handed on.
    private static func checked(_ mapped: Mapped, tables: [String], path: String) throws -> Mapped {
        var mapped = mapped
        guard let currency = Currency(mapped.currency?.code ?? "EUR") else { return mapped }
        for _ in 0..<8 {
            mapped.closeDefaults(tables: tables)
            let queries = mapped.parts.mapValues(\.sql)
            do {
                _ = try CatalogueReader(path: path, mapping: Mapping(queries: queries, currency: currency))
                return mapped
            } catch let error as MappingError {
                mapped.remarks.append([
                    "The \(error.source.rawValue) that were found cannot be used: \(error.message.printable)."
                ])
                if error.source == .products {
                    throw Failure("no-product-table", error.message, at: .file(path))
                }
                mapped.parts[error.source] = nil
            }
        }
        return mapped
    }
}

extension ProductMapper {
    /// What the theme calls a producer, where the database knows better: a brewery, an artist.
    func nameProducer() {
        let language = out.language
        guard let producer = chosen["producer"], ["en", "de", "fr", "nb", "ja"].contains(language) else {
            return
        }
        let singular: String
        let plural: String
        if producer.isLookup {
            singular = singularLabel(of: producer.table)
            plural = pluralLabel(of: producer.table)
            guard singular != plural || language != "en" else { return }
        } else {
            singular = label(of: producer.name)
            // The plural of a column's name is nobody's to guess but in English.
            guard language == "en", !singular.contains(" "), singular.allSatisfy({ $0.isASCII }) else {
                return
            }
            plural = Introspection.plural(singular)
        }
        guard singular.lowercased() != "producer" else { return }
        out.texts += [("producer", singular), ("producers", plural)]
    }
}

extension Pools {
    /// The language of a table's column names, as far as they tell; English when they do not.
    func columnLanguage(of table: DatabaseSurvey.Table) -> String {
        let names = columns(of: table).map(\.name) + [table.name]
        let words = names.flatMap { Concept.stems(of: $0, in: "").whole }
        let text = names.joined()
        func has(_ ranges: [ClosedRange<UInt32>]) -> Bool {
            text.unicodeScalars.filter { scalar in ranges.contains { $0.contains(scalar.value) } }.count * 3
                >= text.unicodeScalars.count
        }
        if has([0x3040...0x30FF])
            || (has([0x3040...0x30FF, 0x4E00...0x9FFF])
                && text.unicodeScalars.contains { (0x3040...0x30FF).contains($0.value) })
        {
            return "ja"
        }
        if text.contains("価格") || text.contains("商品名") { return "ja" }
        if has([0x4E00...0x9FFF]) { return "zh" }
        if has([0x0400...0x04FF]) { return "ru" }
        if has([0x0370...0x03FF]) { return "el" }
        if has([0xAC00...0xD7AF]) { return "ko" }
        let telling: [(String, Set<String>)] = [
            (
                "de",
                [
                    "preis", "artikel", "bezeichnung", "kategorie", "beschreibung", "hersteller", "bild",
                    "farbe", "herkunft", "jahrgang", "inhalt", "bestand", "marke", "warengruppe", "gruppe",
                    "nummer", "menge", "groesse", "titel", "hat", "ist",
                ]
            ),
            (
                "nb",
                [
                    "pris", "navn", "vare", "varenavn", "varenummer", "varetype", "argang", "lukt", "smak",
                    "farge", "volum", "produsent", "beskrivelse", "bilde", "alkohol", "underdistrikt",
                    "rastoff", "antall", "beholdning",
                ]
            ),
            (
                "fr",
                [
                    "prix", "nom", "produit", "marque", "categorie", "libelle", "couleur", "pays",
                    "millesime", "quantite", "fournisseur", "designation", "fabricant",
                ]
            ),
            (
                "es",
                [
                    "precio", "nombre", "producto", "marca", "categoria", "descripcion", "imagen", "cantidad",
                    "pais",
                ]
            ),
            (
                "it",
                ["prezzo", "nome", "prodotto", "categoria", "descrizione", "immagine", "quantita", "paese"]
            ),
            ("nl", ["prijs", "naam", "omschrijving", "categorie", "merk", "afbeelding", "voorraad"]),
            ("sv", ["namn", "pris", "artikel", "beskrivning", "tillverkare", "farg", "lagersaldo"]),
            ("pl", ["cena", "nazwa", "opis", "kategoria", "producent", "obraz", "ilosc"]),
        ]
        var best = ("en", 1)
        for (language, known) in telling {
            let count = Set(words).intersection(known).count
            if count > best.1 { best = (language, count) }
        }
        return best.0
    }
}

extension Mapped {
    /// Of products that the site shows: what is gone is on nobody's list.
    fileprivate var listsQuery: String? {
        guard !lists.isEmpty, let products = parts[.products]?.sql else { return nil }
        let rows = lists.map { "SELECT customer, '\($0.kind)' AS list, product FROM (\n\($0.sql)\n)" }
        return """
            WITH shown AS MATERIALIZED (SELECT id FROM (
            \(products)
            ))
            SELECT DISTINCT customer, list, product FROM (
            \(rows.joined(separator: "\nUNION ALL\n"))
            ) WHERE customer IS NOT NULL AND trim(customer) <> '' AND product IN (SELECT id FROM shown)
            ORDER BY CAST(customer AS TEXT), list, product
            """
    }
}
