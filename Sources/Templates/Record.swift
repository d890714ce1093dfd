public import Markup

/// The values of one page, or of a part of one, by the fields of its schema.
///
/// A field that is never set is absent, and absent renders as nothing.
public struct Record: Sendable {
    /// Not held: schemas live as long as the program, and all threads that render would count this one reference.
    private let owner: Unmanaged<Schema>
    var values: Values

    /// What the values belong to.
    public var schema: Schema { owner.takeUnretainedValue() }

    /// A record in which nothing is set yet.
    public init(_ schema: Schema) {
        owner = .passUnretained(schema)
        values = schema.blank()
    }

    private init(_ owner: Unmanaged<Schema>, _ values: Values) {
        self.owner = owner
        self.values = values
    }

    /// Whether it belongs to a schema.
    func isOf(_ schema: Unmanaged<Schema>) -> Bool { owner.toOpaque() == schema.toOpaque() }

    /// Whether both have the same fields.
    func isAlike(_ other: Record) -> Bool { owner.toOpaque() == other.owner.toOpaque() }

    /// Checks that a field is for parts of another record's schema.
    @inline(__always)
    private func check(_ part: Record, at index: Int, asList isList: Bool) {
        let takes = owner._withUnsafeGuaranteedRef { schema in
            part.owner._withUnsafeGuaranteedRef { schema.takes($0, at: index, asList: isList) }
        }
        precondition(takes, "a part is a record of the schema that its field declares")
    }

    /// The same record with the values of another of its schema where it has none.
    public func completed(by other: Record) -> Record {
        precondition(isAlike(other), "a record is completed by one of its own schema")
        var out = self
        for i in values.indices where values[i].isAbsent { out.values[i] = other.values[i] }
        return out
    }
}

/// What a tag finds. Sixteen bytes, like a string.
enum Value: Sendable {
    case absent
    case text(String)
    case html(SafeHTML)
    case fragment(Fragment)
    case flag(Bool)
    /// The values of a record; their schema was checked when they were put here.
    case record(Values)
    case records([Record])
    case list([Value])

    @inline(__always)
    var isAbsent: Bool { if case .absent = self { true } else { false } }

    /// Whether a section over the value is shown.
    var isTrue: Bool {
        switch self {
        case .absent: false
        case .text(let text): !text.isEmpty
        case .html(let html): !html.bytes.isEmpty
        case .fragment(let fragment): !fragment.bytes.isEmpty
        case .flag(let flag): flag
        case .record: true
        case .records(let records): !records.isEmpty
        case .list(let items): !items.isEmpty
        }
    }
}

/// Bytes that a template of ours rendered, and that may therefore go into another page as they stand.
public struct Fragment: Hashable, Sendable {
    /// The markup, in UTF-8.
    public let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Markup that ``Template/render(_:into:)`` made and that was kept outside memory in the meantime.
    public init(renderedBefore bytes: [UInt8]) { self.bytes = bytes }
}

extension Record {
    /// A text; nil is absent.
    public subscript(field: Field<String>) -> String? {
        get { if case .text(let text) = values[field.index] { text } else { nil } }
        set { values[field.index] = newValue.map(Value.text) ?? .absent }
    }

    /// HTML of the sanitiser, or text that is escaped already; nil is absent.
    public subscript(field: Field<SafeHTML>) -> SafeHTML? {
        get { if case .html(let html) = values[field.index] { html } else { nil } }
        set { values[field.index] = newValue.map(Value.html) ?? .absent }
    }

    /// JSON for a script element; nil is absent. It cannot be read back.
    public subscript(field: Field<ScriptJSON>) -> ScriptJSON? {
        get { nil }
        set { values[field.index] = newValue.map { .html($0.html) } ?? .absent }
    }

    /// HTML of a template; nil is absent.
    public subscript(field: Field<Fragment>) -> Fragment? {
        get { if case .fragment(let fragment) = values[field.index] { fragment } else { nil } }
        set { values[field.index] = newValue.map(Value.fragment) ?? .absent }
    }

    /// A yes or no.
    public subscript(field: Field<Bool>) -> Bool {
        get { if case .flag(let flag) = values[field.index] { flag } else { false } }
        set { values[field.index] = .flag(newValue) }
    }

    /// A part with fields of its own, of the schema that was declared; nil is absent.
    public subscript(field: Field<Record>) -> Record? {
        get {
            guard case .record(let values) = values[field.index] else { return nil }
            return Record(owner._withUnsafeGuaranteedRef { $0.part(at: field.index) }, values)
        }
        set {
            guard let newValue else {
                values[field.index] = .absent
                return
            }
            check(newValue, at: field.index, asList: false)
            values[field.index] = .record(newValue.values)
        }
    }

    /// A list of parts, each of the schema that was declared.
    public subscript(field: Field<[Record]>) -> [Record] {
        get { if case .records(let records) = values[field.index] { records } else { [] } }
        set {
            if let first = newValue.first {
                check(first, at: field.index, asList: true)
                precondition(
                    newValue.allSatisfy { $0.isAlike(first) },
                    "the parts of a list are records of the schema that its field declares")
            }
            values[field.index] = .records(newValue)
        }
    }

    /// A list of texts.
    public subscript(field: Field<[String]>) -> [String] {
        get {
            guard case .list(let items) = values[field.index] else { return [] }
            return items.compactMap { if case .text(let text) = $0 { text } else { nil } }
        }
        set { values[field.index] = .list(newValue.map(Value.text)) }
    }

    /// A list of HTML of templates.
    public subscript(field: Field<[Fragment]>) -> [Fragment] {
        get {
            guard case .list(let items) = values[field.index] else { return [] }
            return items.compactMap { if case .fragment(let fragment) = $0 { fragment } else { nil } }
        }
        set { values[field.index] = .list(newValue.map(Value.fragment)) }
    }
}
