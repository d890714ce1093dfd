import Basics
import Formats
import Site

extension Command {
    static let lists = Command(
        name: "lists", summary: "validate and merge customers' lists, or print one to fill in",
        about: """
            'lists validate [FILE…]' checks list files, those of the site if none are named: the form, and whether the \
            products are in the database. 'lists merge FILE…' prints one file with all customers and items of several: \
            a product that is on the same list twice is kept once, with the larger quantity, the earlier date and both \
            notes. 'lists template' prints a file to fill in, with products of the site. None of them changes a file.
            """,
        operands: Operands(
            usage: "ACTION [FILE…]", help: "validate, merge or template, and list files", count: 1...10_000,
            choices: ["validate", "merge", "template"]),
        options: [.site, .database, .strict, .quiet], run: { ListsCommand($0).run() })
}

/// `build-site lists`.
struct ListsCommand {
    private let request: Request

    init(_ request: Request) { self.request = request }

    func run() -> Int32 {
        let files = Array(request.operands.dropFirst())
        switch request.operands.first {
        case "validate": return validate(files)
        case "merge":
            guard !files.isEmpty else { return usage(["'lists merge' wants list files: lists merge FILE…"]) }
            return answering(request) {
                let (text, warnings) = try mergedLists(files)
                printDiagnostics(warnings)
                return text
            }
        case "template":
            guard files.isEmpty else { return usage(["'lists template' takes no files"]) }
            return answering(request) { try listTemplate(request.build) }
        case let other:
            let action = other ?? ""
            let near = suggestion(for: action, among: ["validate", "merge", "template"])
            return usage([
                "'\(action)' is nothing that 'lists' does"
                    + (near.map { "; did you mean '\($0)'?" } ?? "; it does validate, merge and template")
            ])
        }
    }

    private func validate(_ files: [String]) -> Int32 {
        do {
            let result = try validatedLists(files, request.build)
            printDiagnostics(result.warnings)
            if !request.isQuiet {
                write(
                    "\(result.files.of("file")), \(result.customers.of("customer")), \(result.items.of("item")): "
                        + "\(result.warnings.count.of("warning"))\n", to: 1)
            }
            return request.build.isStrict && !result.warnings.isEmpty ? 1 : 0
        } catch {
            printDiagnostics((error as? Failure ?? Failure("internal", "\(error)")).diagnostics)
            return 1
        }
    }
}
