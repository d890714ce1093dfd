public import Basics
import Database
import Formats
import Glibc
import Model

/// What came of looking at list files.
public struct ListCheck: Sendable {
    /// How many of each.
    public let files: Int, customers: Int, items: Int
    /// Products that are not there, members that are not known, items that are there twice.
    public let warnings: [Diagnostic]
}

/// Checks list files: their form, and whether the site's database has the products.
///
/// - Parameter files: paths; if there are none, the files of the site. Files that are named are checked for their form alone
///   where there is no site.
/// - Throws: ``Failure`` with every fault of the form.
public func validatedLists(_ files: [String], _ options: BuildOptions) throws -> ListCheck {
    var log: [Diagnostic] = []
    do {
        var sources: SiteSources?
        do { sources = try SiteSources(options) } catch let failure as Failure {
            guard !files.isEmpty, failure.diagnostics.allSatisfy({ $0.id == "no-site" }) else {
                throw failure
            }
        }
        let customers: [Customer]
        let count: Int
        if files.isEmpty, let sources {
            (customers, count) = (try sources.customers(log: &log), try sources.listFiles())
        } else {
            (customers, count) = (try CustomerLists.read(files: files, log: &log), files.count)
        }
        if let sources {
            let reader = try sources.openDatabase()
            let wanted = Set(customers.flatMap(\.items).flatMap { ProductID.candidates($0.product) })
            var known: Set<ProductID> = []
            _ = try reader.forEachProduct(.brief, keys: wanted.sorted()) { known.insert($0.product.id) }
            for customer in customers {
                for kind in Customer.Kind.allCases {
                    for item in customer.lists[kind] ?? []
                    where known.isDisjoint(with: ProductID.candidates(item.product)) {
                        log.append(customer.unknownProduct(item, in: kind))
                    }
                }
            }
        }
        return ListCheck(
            files: count, customers: customers.count, items: customers.reduce(0) { $0 + $1.items.count },
            warnings: log.sortedByPlace())
    } catch let error as FileError {
        throw Failure("file", error.advice)
    }
}

/// One list file with everything that several have.
///
/// Customers are the same by their id. Of a product that is on the same list twice the larger quantity and the earlier date
/// count, and notes that differ are both kept; of two names the last, of two generations the higher. Customers come in the
/// order of their ids, items in the order in which they are met.
///
/// - Returns: the file, and what is said about the files.
/// - Throws: ``Failure`` with every fault of their form.
public func mergedLists(_ files: [String]) throws -> (text: String, warnings: [Diagnostic]) {
    var log: [Diagnostic] = []
    do {
        var merged: [String: Customer] = [:]
        for file in files {
            for customer in try CustomerLists.read(files: [file], log: &log) {
                merged[customer.id] = merged[customer.id].map { $0.merged(with: customer) } ?? customer
            }
        }
        let customers = merged.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        return (CustomerLists.text(of: customers), log.sortedByPlace())
    } catch let error as FileError {
        throw Failure("file", error.advice)
    }
}

/// A list file to fill in: one customer, and on each list a product of the site, if there is a site.
public func listTemplate(_ options: BuildOptions) throws -> String {
    var products = ["1", "2", "3"]
    var existing: [String] = []
    do {
        let reader = try SiteSources(options).openDatabase()
        do {
            _ = try reader.forEachProduct(.survey) { entry in
                existing.append(entry.product.id.description)
                if existing.count == products.count { throw Enough() }
            }
        } catch is Enough {}
    } catch let failure as Failure {
        guard failure.diagnostics.allSatisfy({ $0.id == "no-site" }) else { throw failure }
    } catch let error as FileError {
        throw Failure("file", error.advice)
    }
    for (i, key) in existing.enumerated() { products[i] = key }
    func item(_ product: String, quantity: Int = 1, note: String? = nil) -> Customer.Item {
        Customer.Item(
            product: product, note: note, quantity: quantity,
            added: PartialDate(year: 2026, month: 5, day: 1), position: nil)
    }
    return CustomerLists.text(of: [
        Customer(
            id: "1042", name: "A. Customer", generation: 0,
            lists: [
                .wish: [item(products[0], note: "for Dad")], .basket: [item(products[1], quantity: 2)],
                .collection: [item(products[2])],
            ], fingerprint: Fingerprint(of: ""))
    ])
}

/// Ends a walk over products early.
private struct Enough: Error {}

extension Customer {
    /// What is on all lists.
    var items: [Item] { Kind.allCases.flatMap { lists[$0] ?? [] } }

    fileprivate func merged(with other: Customer) -> Customer {
        var lists = lists
        for kind in Kind.allCases where lists[kind] != nil || other.lists[kind] != nil {
            var items = lists[kind] ?? []
            for item in other.lists[kind] ?? [] {
                if let at = items.firstIndex(where: { $0.product == item.product }) {
                    items[at] = items[at].merged(with: item)
                } else {
                    items.append(item)
                }
            }
            lists[kind] = items
        }
        return Customer(
            id: id, name: other.name ?? name, generation: max(generation, other.generation), lists: lists,
            fingerprint: fingerprint)
    }
}

extension Customer.Item {
    fileprivate func merged(with other: Customer.Item) -> Customer.Item {
        var note = note
        // A file that is merged a second time adds nothing.
        let known = note?.split(separator: "; ").map(String.init) ?? []
        if let more = other.note, !more.isEmpty, more != note, !known.contains(more) {
            note = note.map { $0.isEmpty ? more : $0 + "; " + more } ?? more
        }
        let dates = [added, other.added].compactMap { $0 }
        return Customer.Item(
            product: product, note: note, quantity: max(quantity, other.quantity),
            added: dates.min { $0.ordinal < $1.ordinal }, position: position)
    }
}

extension CustomerLists {
    /// Customers as a list file, in the form of docs/lists.md.
    static func text(of customers: [Customer]) -> String {
        var writer = JSONWriter(isPretty: true)
        writer.object { writer in
            writer.key("version")
            writer.value(1)
            writer.key("customers")
            writer.array { writer in
                for customer in customers {
                    writer.object { writer in
                        writer.key("id")
                        writer.value(customer.id)
                        if let name = customer.name {
                            writer.key("name")
                            writer.value(name)
                        }
                        if customer.generation > 0 {
                            writer.key("generation")
                            writer.value(customer.generation)
                        }
                        writer.key("lists")
                        writer.object { writer in
                            for kind in Customer.Kind.allCases {
                                guard let items = customer.lists[kind] else { continue }
                                writer.key(kind.rawValue)
                                writer.array { writer in
                                    for item in items { append(item, to: &writer) }
                                }
                            }
                        }
                    }
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    private static func append(_ item: Customer.Item, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("product")
            writer.value(item.product)
            if item.quantity != 1 {
                writer.key("quantity")
                writer.value(item.quantity)
            }
            if let added = item.added {
                writer.key("added")
                writer.value(added.description)
            }
            if let note = item.note {
                writer.key("note")
                writer.value(note)
            }
        }
    }

    /// Reads files that are named on the command line; links are followed, because the person named them.
    static func read(files: [String], log: inout [Diagnostic]) throws -> [Customer] {
        var customers: [Customer] = []
        var faults: [Diagnostic] = []
        var owners: [String: String] = [:]
        var nobody = KnownCustomers()
        var read = KnownCustomers()
        for file in files {
            let slash = file.lastIndex(of: "/")
            let folder = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
            let name = slash.map { String(file[file.index(after: $0)...]) } ?? file
            do {
                let bytes = try Directory(path: folder).contents(of: name, limit: JSON.sizeLimit)
                customers += try Self.read(
                    SourceText(file: file, bytes: bytes), owners: &owners, known: &nobody, as: &read,
                    log: &log)
            } catch let failure as Failure {
                faults += failure.diagnostics
            } catch let error as FileError {
                faults.append(Diagnostic(.error, "file", error.description, at: .file(file)))
            }
        }
        if !faults.isEmpty { throw Failure(faults.sortedByPlace()) }
        return customers
    }
}
