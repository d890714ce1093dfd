public import Basics

/// The templates of a site by name, scanned, and ready to be compiled for kinds of pages.
///
/// Mustache spec 1.4 with inheritance and dynamic names, without lambdas. Three rules are stricter or more exact:
///
/// - A name means the nearest context whose *schema* has it. An absent value hides no outer one of that name, it
///   renders as nothing.
/// - `{{x}}` is for text and `{{{x}}}` for HTML; each is an error on the other, so that what goes in raw shows.
/// - A section over a flag does not change what `{{.}}` means.
public struct TemplateSet: Sendable {
    private let trees: [Tree]
    private let names: [String: Int]
    private let rules: Rules
    /// Which templates were condensed, by their numbers.
    private let condensed: [Bool]

    /// Scans templates. A name such as `product` or `cards/review` is what tags call a template.
    ///
    /// - Parameter condensed: the templates that are HTML in which line ends beside block elements and end tags that
    ///   may be omitted mean nothing; they are left out of the pages.
    public init(_ sources: [String: SourceText], condensing condensed: Set<String> = []) {
        self.init(sources, condensing: condensed, rules: .checked)
    }

    init(_ sources: [String: SourceText], condensing condensed: Set<String> = [], rules: Rules) {
        let sorted = sources.sorted { $0.key < $1.key }
        self.condensed = sorted.map { condensed.contains($0.key) }
        trees = zip(sorted, self.condensed).map { source, isCondensed in
            let tree = Scanner.scan(source.value)
            return isCondensed ? Condenser.condense(tree) : tree
        }
        names = Dictionary(uniqueKeysWithValues: sorted.indices.map { (sorted[$0].key, $0) })
        self.rules = rules
    }

    /// Compiles a template for the pages of one schema; throws all the errors in it and in what it includes.
    public func compile(_ name: String, for schema: Schema) throws(Failure) -> Template {
        try compile(name, for: .record(schema))
    }

    /// Compiles several templates in this order, and throws the errors of all of them together.
    public func compile(_ wanted: [(name: String, schema: Schema)]) throws(Failure) -> [Template] {
        var templates: [Template] = []
        var diagnostics: Set<Diagnostic> = []
        for (name, schema) in wanted {
            do {
                templates.append(try compile(name, for: schema))
            } catch {
                diagnostics.formUnion(error.diagnostics)
            }
        }
        guard diagnostics.isEmpty else {
            diagnostics.formUnion(templates.flatMap(\.warnings))
            throw Failure(diagnostics.sortedByPlace())
        }
        return templates
    }

    func compile(_ name: String, for kind: Schema.Kind) throws(Failure) -> Template {
        guard let index = names[name] else {
            let near = suggestion(for: name, among: names.keys).map { "; did you mean '\($0)'?" } ?? ""
            throw Failure("unknown-template", "'\(name)' is not a template\(near)")
        }
        let result = Compiler.compile(index, for: kind, trees: trees, names: names, rules: rules)
        let isGood = rules == .lenient || !result.diagnostics.contains { $0.severity == .error }
        guard isGood else { throw Failure(result.diagnostics) }
        return Template(
            name: name, kind: kind, program: result.program, warnings: result.diagnostics,
            fingerprint: fingerprint(of: result.used))
    }

    private func fingerprint(of used: Set<Int>) -> Fingerprint {
        var bytes: [UInt8] = []
        for (name, index) in names.sorted(by: { $0.value < $1.value }) where used.contains(index) {
            // Lengths, so that bytes that move from one template to the next make a difference.
            let source = trees[index].source.bytes
            bytes.append("\(name.utf8.count) \(source.count) \(condensed[index]) \(name)")
            bytes += source
        }
        return Fingerprint(of: bytes)
    }
}

/// A compiled template. Many threads may render one at the same time.
public final class Template: Sendable {
    /// The name it has in its set.
    public let name: String
    private let kind: Schema.Kind
    /// The same as a comparison wants it; nil for what is no record. Not held: schemas live as long as the program.
    private let schema: Unmanaged<Schema>?
    private let program: Program
    /// What deserves attention and did not keep it from being compiled.
    public let warnings: [Diagnostic]
    /// Changes when the template, or any partial or parent that it uses, changes; and only then.
    public let fingerprint: Fingerprint
    /// Whether values of all its records are written into it, see ``bound(to:)``: a record need not have those.
    public let isBound: Bool

    init(
        name: String, kind: Schema.Kind, program: Program, warnings: [Diagnostic], fingerprint: Fingerprint,
        isBound: Bool = false
    ) {
        self.name = name
        self.kind = kind
        schema = if case .record(let schema) = kind { .passUnretained(schema) } else { nil }
        self.program = program
        self.warnings = warnings
        self.fingerprint = fingerprint
        self.isBound = isBound
    }

    /// The same template for records that all have the values of this one wherever it has any.
    ///
    /// Those values are written into the template, which is then faster. A field that is absent here may be anything. A
    /// template that cannot be bound, because it includes itself or one that only the data names, stays as it is.
    public func bound(to page: Record) -> Template {
        precondition(kind == .record(page.schema), "a template is bound to a record of its own schema")
        return bound(to: page.values)
    }

    func bound(to page: Values) -> Template {
        guard let program = Binder.bind(program, to: page) else { return self }
        return Template(
            name: name, kind: kind, program: program, warnings: warnings, fingerprint: fingerprint,
            isBound: true)
    }

    /// Appends the page of a record, which belongs to the schema that the template was compiled for.
    public func render(_ record: Record, into out: inout ByteBuffer) {
        check(record)
        program.run(over: .record(record.values), into: &out)
    }

    private func check(_ record: Record) {
        precondition(schema.map(record.isOf) == true, "a template renders records of its own schema")
    }

    /// The same for an array: one copy of the page more.
    public func render(_ record: Record, into out: inout [UInt8]) {
        check(record)
        render(.record(record.values), into: &out)
    }

    /// The page of a record, to be put into other pages as it stands.
    public func fragment(_ record: Record) -> Fragment {
        var out: [UInt8] = []
        render(record, into: &out)
        return Fragment(bytes: out)
    }

    func render(_ value: Value, into out: inout [UInt8]) {
        // What the array has room for is what the caller expects.
        var buffer = ByteBuffer(capacity: max(16_384, out.capacity - out.count))
        program.run(over: value, into: &buffer)
        buffer.withBytes { out.append(contentsOf: $0) }
    }
}
