import Basics
import TestSupport
import Testing

@testable import Site

/// What is known from a reading before does not change what is read.
@Suite struct KnownCustomersTests {
    private let folder = TemporaryFolder(inMemory: true)

    /// A customer as a file has it.
    private func element(_ id: Int, name: String = "Ann", items: Int = 2) -> String {
        let items = (0..<items).map { #"{"product": \#($0 + id), "note": "a } and a \" {"}"# }
        return
            #"{"id": "c-\#(id)", "name": "\#(name)", "lists": {"wish": [\#(items.joined(separator: ", "))]}}"#
    }

    private func read(_ elements: [String], _ known: inout KnownCustomers) throws -> (
        customers: [String], log: [String]
    ) {
        let text = "{\"version\": 1, \"customers\": [\n\(elements.joined(separator: ",\n"))\n]}\n"
        try folder.write("lists.json", text)
        var log: [Diagnostic] = []
        let customers = try CustomerLists.read(
            "lists.json", in: Directory(path: folder.path), known: &known, log: &log)
        return (
            customers.map { customer in
                let items = (customer.lists[.wish] ?? []).map { "\($0.product) \($0.note ?? "")" }
                return "\(customer.id) \(customer.name ?? "") \(items) \(customer.fingerprint.hex)"
            }, log.map(\.description)
        )
    }

    @Test func whatIsReadIsTheSameWhateverIsKnown() throws {
        var seed = SeededGenerator()
        var elements = (0..<20).map { element($0) }
        var next = 20
        var known = KnownCustomers()
        for step in 0..<60 {
            for _ in 0..<Int.random(in: 0...3, using: &seed) where !elements.isEmpty {
                let at = Int.random(in: 0..<elements.count, using: &seed)
                switch Int.random(in: 0..<5, using: &seed) {
                case 0: elements.remove(at: at)
                case 1: elements.swapAt(at, 0)
                case 2: elements[at] = elements[at].replacing("Ann", with: "Bob \(step)")
                // A warning, which is to be said each time.
                case 3: elements[at] = elements[at].replacing("\"note\"", with: "\"notte\"")
                default:
                    elements.insert(element(next, items: step % 3), at: at)
                    next += 1
                }
            }
            var nothing = KnownCustomers()
            let expected = try read(elements, &nothing)
            #expect(try read(elements, &known) == expected)
            #expect(try read(elements, &known) == expected)
        }
    }

    @Test func aCustomerWhoIsThereTwiceIsAFaultAlsoWhenKnown() throws {
        var known = KnownCustomers()
        _ = try read([element(1), element(2)], &known)
        #expect(throws: Failure.self) { _ = try read([element(1), element(1), element(2)], &known) }
        // What was known before the fault is known after it.
        #expect(try read([element(1), element(2)], &known).customers.count == 2)
    }

    @Test func aFaultBehindWhatIsKnownIsFound() throws {
        var known = KnownCustomers()
        _ = try read([element(1), element(2)], &known)
        #expect(throws: Failure.self) { _ = try read([element(1) + "}", element(2)], &known) }
        #expect(throws: Failure.self) { _ = try read([element(1), element(2), ""], &known) }
    }
}
