import Basics
import Database
import Formats
import Glibc
import Model

/// A customer with the lists that the list files give.
struct Customer: Sendable {
    /// The lists, in the order in which pages show them.
    enum Kind: String, CaseIterable, Sendable { case wish, basket, collection }

    /// A shop has hundreds of thousands, which are all in memory: so the way to one in its file is only made for a message.
    struct Item: Sendable {
        let product: String
        let note: String?
        let quantity: Int
        let added: PartialDate?
        /// Where the file names the product; nil for a list that is not read from a file.
        let position: Position?

        struct Position: Sendable {
            let line: UInt32, column: UInt32
            /// Of the item, among those that the file has on the list.
            let index: UInt32
        }
    }

    let id: String
    let name: String?
    /// Raised to give the customer a new address; the old one is then gone.
    let generation: Int
    /// Those that are given; one that is empty is given too.
    let lists: [Kind: [Item]]
    /// Of all that the file says of the customer.
    let fingerprint: Fingerprint
    /// How many customers the files have before this one, and how many bytes this one takes.
    var number = 0, length = 0
    /// The file that it was read from, and its place among the customers there, for messages.
    var file = "", index = 0
}

extension Customer {
    /// What is said when the database does not have a product.
    func unknownProduct(_ item: Item, in kind: Kind) -> Diagnostic {
        let place = item.position.map { position -> Diagnostic.Place in
            .json(
                file: file, line: Int(position.line), column: Int(position.column),
                path: "customers[\(index)].lists.\(kind.rawValue)[\(position.index)].product")
        }
        return Diagnostic(
            .warning, "unknown-product",
            "no product '\(item.product)' in the database; shown as no longer sold", at: place ?? .none)
    }

    /// The pages of the customer: the overview (nil) and one for each list that is given.
    var pages: [Kind?] { [nil] + Kind.allCases.filter { lists[$0] != nil } }

    /// Where a page of the customer with an address is.
    static func path(_ token: String, _ kind: Kind?) -> String {
        "lists/\(token)/\(kind?.rawValue ?? "index").html"
    }
}

/// Reads list files: strict JSON, the whole file refused when anything in it breaks the form (S29, S57).
enum CustomerLists {
    /// Reads a file, or all `*.json` of a folder; nothing there means no customers.
    ///
    /// - Parameter known: what was read before, if anything, and then what is read now.
    static func read(
        _ path: String, in content: Directory, known: inout KnownCustomers, log: inout [Diagnostic]
    ) throws -> [Customer] {
        // The former stay what is known as long as there is a fault in the files.
        var former = known
        var read = KnownCustomers()
        guard let status = try content.status(path) else { return [] }
        var files: [String] = [path]
        if status.kind == .directory {
            files = try content.directory(path).names().filter { $0.hasSuffix(".json") }.map {
                path + "/" + $0
            }
        }
        var customers: [Customer] = []
        var faults: [Diagnostic] = []
        var owners: [String: String] = [:]
        for file in files {
            let source = SourceText(
                file: content.joined(file), bytes: try content.contents(of: file, limit: JSON.sizeLimit))
            do {
                customers += try Self.read(source, owners: &owners, known: &former, as: &read, log: &log)
            } catch {
                faults += error.diagnostics
            }
        }
        if !faults.isEmpty { throw Failure(faults.sortedByPlace()) }
        known = read
        return customers.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// Reads one file.
    ///
    /// - Parameters:
    ///   - owners: the file of each customer so far, by id.
    ///   - known: what was read before, see ``KnownCustomers``.
    ///   - read: takes what is read now.
    static func read(
        _ source: SourceText, owners: inout [String: String], known: inout KnownCustomers,
        as read: inout KnownCustomers, log: inout [Diagnostic]
    ) throws(Failure) -> [Customer] {
        let reader = JSONReader(source)
        var customers: [Customer] = []
        let rest = try JSON.read(source, each: ["customers"]) { start in
            if let length = known.passOver() { return start + length }
            guard let found = known.customer(in: source.bytes, at: start), owners[found.customer.id] == nil
            else { return nil }
            owners[found.customer.id] = source.file
            customers.append(found.customer)
            read.add(found)
            return start + found.length
        } _: { node, index, range in
            let faults = reader.diagnostics.count
            let entry = reader.value(node, at: "customers", index: index)
            guard var customer = Self.customer(entry, owners: &owners, file: source.file) else { return }
            (customer.number, customer.length) = (known.count - 1, range.count)
            (customer.file, customer.index) = (source.file, index)
            customers.append(customer)
            // What there is something to say about is read, and said, each time.
            if reader.diagnostics.count == faults { read.add(known.note(customer, source.bytes, range)) }
        }
        let root = reader.value(rest)
        root.warnUnknown(known: ["$schema", "version", "customers"])
        if root["version"].integer(in: 1...1) == nil, !root["version"].isGiven {
            root.error("json-type", "'version' is missing; this form is version 1")
        }
        // Without this a misspelt name would take every customer's pages away.
        if !root["customers"].isGiven { root.error("json-type", "'customers' is missing") }
        // Its elements were handed over; it may be no array.
        _ = root["customers"].elements()
        try reader.finish()
        log += reader.diagnostics
        return customers
    }

    private static let customerNames = ["id", "name", "generation", "lists"]
    private static let itemNames = ["product", "added", "note", "quantity"]
    private static let listNames = Customer.Kind.allCases.map(\.rawValue)

    private static func customer(_ entry: JSONValue, owners: inout [String: String], file: String)
        -> Customer?
    {
        entry.warnUnknown(known: customerNames)
        guard let id = entry["id"].textOrNumber() else {
            if !entry["id"].isGiven { entry.error("json-type", "'id' is missing") }
            return nil
        }
        if id.isEmpty {
            entry["id"].error("json-type", "'id' is empty")
            return nil
        }
        if let other = owners.updateValue(file, forKey: id) {
            entry["id"].error("duplicate-customer", "is the id of another customer in \(other) as well")
        }
        let name = entry["name"].text()
        let generation =
            entry["generation"].isGiven ? entry["generation"].integer(in: 0...1_000_000) ?? 0 : 0
        var lists: [Customer.Kind: [Customer.Item]] = [:]
        var bytes = Array("\(id)\u{0}\(name ?? "")\u{0}\(generation)".utf8)
        let given = entry["lists"]
        given.warnUnknown(known: listNames)
        for kind in Customer.Kind.allCases {
            let list = given[kind.rawValue]
            if !list.isGiven { continue }
            bytes.append(2)
            bytes.append(kind.rawValue)
            var seen: Set<String> = []
            let elements = list.elements()
            var items: [Customer.Item] = []
            items.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                element.warnUnknown(known: itemNames)
                let item = element["product"]
                guard let product = item.textOrNumber() else {
                    if !item.isGiven { element.error("json-type", "'product' is missing") }
                    continue
                }
                if !seen.insert(product).inserted {
                    item.warning("duplicate-item", "is on the list twice; shown once")
                    continue
                }
                let date = element["added"].text()
                if let date, PartialDate(date) == nil {
                    element["added"].error("json-type", "is no date such as 2026-05-01")
                }
                let amount = element["quantity"]
                let quantity = amount.isGiven ? amount.integer(in: 1...100_000) ?? 1 : 1
                let note = element["note"].text()
                bytes.append(1)
                for text in [product, date ?? "", note ?? "", String(quantity)] {
                    bytes.append(0)
                    bytes.append(text)
                }
                let (line, column) = item.position
                items.append(
                    Customer.Item(
                        product: product, note: note, quantity: quantity,
                        added: date.flatMap { PartialDate($0) },
                        position: .init(line: UInt32(line), column: UInt32(column), index: UInt32(index))))
            }
            lists[kind] = items
        }
        return Customer(
            id: id, name: name, generation: generation, lists: lists, fingerprint: Fingerprint(of: bytes))
    }
}

/// Customers as they were read before, by the bytes that say what they are: when a file of thousands is saved, few are others.
///
/// What is taken from here is what would be read again, but for the places, which are those of then. So it is for a preview,
/// which says nothing of products that are on a list and not in the database.
struct KnownCustomers {
    /// A customer, and the bytes of the JSON object.
    struct Entry {
        let customer: Customer
        let length: Int
        fileprivate let fingerprint: Fingerprint
    }

    /// In the order of the files.
    private var entries: [Entry] = []
    private var numbers: [Fingerprint: Int] = [:]
    /// Which one is expected next.
    private var next = 0
    /// How many customers were met.
    fileprivate private(set) var count = 0
    /// How many bytes each customer takes of files that are as they were, and which of them are to be read; nil for all.
    private let lengths: [UInt32]?
    private let wanted: Set<Int>

    init() {
        lengths = nil
        wanted = []
    }

    /// None are known, but of files that are as they were only some are asked for.
    init(lengths: [UInt32], wanted: Set<Int>) {
        self.lengths = lengths
        self.wanted = wanted
    }

    /// Counts the next customer. How many bytes it takes, if nobody asks for it.
    fileprivate mutating func passOver() -> Int? {
        count += 1
        guard let lengths, count <= lengths.count, !wanted.contains(count - 1) else { return nil }
        return Int(lengths[count - 1])
    }

    fileprivate mutating func add(_ entry: Entry) {
        numbers[entry.fingerprint] = entries.count
        entries.append(entry)
    }

    /// The customer that is known by the bytes from a place on; nil if there is none or it would have to be looked for.
    ///
    /// The bytes were a whole object when they were read, so that they are one here, whatever follows.
    fileprivate mutating func customer(in bytes: [UInt8], at start: Int) -> Entry? {
        // The expected one, or the one behind it if that was removed or is another now.
        for number in next..<min(next + 2, max(next, entries.count)) {
            let entry = entries[number]
            guard start + entry.length <= bytes.count,
                fingerprint(of: bytes, start..<start + entry.length) == entry.fingerprint
            else { continue }
            next = number + 1
            return entry
        }
        return nil
    }

    /// An entry for a customer that had to be read. If it was known after all, those that follow are expected next.
    fileprivate mutating func note(_ customer: Customer, _ bytes: [UInt8], _ range: Range<Int>) -> Entry {
        let fingerprint = fingerprint(of: bytes, range)
        if let number = numbers[fingerprint] { next = number + 1 }
        return Entry(customer: customer, length: range.count, fingerprint: fingerprint)
    }

    private func fingerprint(of bytes: [UInt8], _ range: Range<Int>) -> Fingerprint {
        bytes.withUnsafeBytes { Fingerprint(of: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}

/// The secret that makes customers' addresses unguessable (S54).
enum ListKey {
    static let name = "list-key"
    private static let length = 32

    /// The key beside the site, made on first use; refused when others can read it.
    static func read(in state: Directory, log: inout [Diagnostic]) throws -> [UInt8] {
        if let status = try state.status(name) {
            guard status.kind == .regular, status.mode & 0o077 == 0, status.size == length else {
                throw Failure(
                    "list-key",
                    "the key of the customers' addresses must be a file of \(length) bytes that only its owner can read; mend "
                        + "it with chmod 600, or remove it to give every customer a new address",
                    at: .file(state.joined(name)))
            }
            return try state.contents(of: name, limit: length)
        }
        let key = randomBytes(length)
        // On the disk before any page has an address made of it; whole or not there at all.
        do { try state.createDurably(name, key, mode: 0o600) } catch {
            guard error.code == EEXIST else { throw error }
            // Another build of the site was first.
            return try state.contents(of: name, limit: length)
        }
        log.append(
            Diagnostic(
                .warning, "new-list-key",
                "made a new key for the customers' addresses; keep this file, without it every address changes",
                at: .file(state.joined(name))))
        return key
    }

    /// A hash of the key, if there is one.
    static func hash(in state: Directory) -> String? {
        guard let status = try? state.status(name), status.kind == .regular, status.mode & 0o077 == 0 else {
            return nil
        }
        return (try? state.contents(of: name, limit: length)).map { Fingerprint(of: $0).hex }
    }

    /// The folder of a customer's pages: 160 bits of a keyed hash.
    static func token(of customer: Customer, key: [UInt8]) -> String {
        let message = Array("build-site customer address\u{0}\(customer.id)\u{0}\(customer.generation)".utf8)
        let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var out: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in keyedHash(message, key: key, length: 20) {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                out.append(digits[Int(bits >> UInt32(count)) & 31])
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
