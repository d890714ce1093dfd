public import Markup

/// The fields that a kind of page, or a part of one, has: what its templates' names are checked against.
///
/// A schema is made once with a ``Builder``, is compared by identity, and lives as long as the program: records refer to it
/// without holding it.
public final class Schema: Sendable {
    /// What a field holds.
    public indirect enum Kind: Hashable, Sendable {
        /// Text, escaped when it is written.
        case text
        /// Text that is escaped before it comes here, for text and for attribute values between double quotes.
        case escaped
        /// Text that is one of the names given; it may choose a partial: `{{>*name}}`.
        case choice([String])
        /// HTML that the sanitiser or a template made, written as it stands.
        case html
        /// JSON for a script element that holds data, and for nothing else.
        case json
        /// Yes or no, for sections only.
        case flag
        /// The fields of something else.
        case record(Schema)
        /// Any number of one kind.
        case list(Kind)
        /// A record of the schema that the field itself belongs to, as in a tree of categories.
        case itself
    }

    /// A field as documentation and checks see it; values are set through a ``Field``.
    public struct Entry: Hashable, Sendable {
        /// The name that templates use.
        public let name: String
        /// What it holds.
        public let kind: Kind
        /// Whether a page may lack it. A field that is not optional may still be empty.
        public let isOptional: Bool
        /// One sentence for the list of fields.
        public let documentation: String
        /// A value as it might be, as text; empty for records and lists of them.
        public let sample: String
    }

    /// What messages call it, with its article: "a product page".
    public let name: String
    /// The fields in the order in which they were declared.
    public let entries: [Entry]
    let indices: [String: Int]
    /// For each field that is a record or a list of records, of which schema they are, so that a check is one comparison;
    /// nil for all others, which includes records of this schema itself. Not held, as everywhere.
    private let parts: [Unmanaged<Schema>?]

    fileprivate init(name: String, entries: [Entry], indices: [String: Int]) {
        self.name = name
        self.entries = entries
        self.indices = indices
        parts = entries.map {
            switch $0.kind {
            case .record(let schema), .list(.record(let schema)): .passUnretained(schema)
            default: nil
            }
        }
    }

    /// The values of a record in which nothing is set: new ones each time, since copying what is shared, when the first is
    /// set, takes longer and counts references that all threads share.
    func blank() -> Values { Values(absent: entries.count) }

    /// The kind of the field of that name with ``Kind/itself`` resolved.
    func field(_ name: String) -> (index: Int, kind: Kind)? {
        guard let index = indices[name] else { return nil }
        return (index, resolved(entries[index].kind))
    }

    /// Whether a field holds a record of a schema, or a list of them.
    func takes(_ part: Schema, at index: Int, asList isList: Bool) -> Bool {
        if let known = parts[index], known.toOpaque() == Unmanaged.passUnretained(part).toOpaque() {
            return true
        }
        return resolved(entries[index].kind) == (isList ? .list(.record(part)) : .record(part))
    }

    /// The schema of a field that is a record or a list of records.
    func part(at index: Int) -> Unmanaged<Schema> { parts[index] ?? .passUnretained(self) }

    func resolved(_ kind: Kind) -> Kind {
        switch kind {
        case .itself: .record(self)
        case .list(let element): .list(resolved(element))
        default: kind
        }
    }
}

extension Schema: Hashable {
    /// Whether both are the same schema; two with equal fields are still two.
    public static func == (a: Schema, b: Schema) -> Bool { a === b }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A field's place in the records of one schema, with the type of what it holds.
///
/// Setting a field is one store into an array: no name is looked up.
public struct Field<Content>: Sendable {
    let index: Int
}

extension Schema {
    /// Declares the fields of a schema one after the other.
    ///
    /// ```swift
    /// struct TileFields: Sendable {
    ///     let name: Field<String>, isNew: Field<Bool>
    ///     let schema: Schema
    ///     init() {
    ///         var fields = Schema.Builder("a product tile")
    ///         name = fields.text("name", "The full name.", sample: "Glen Ord 12")
    ///         isNew = fields.flag("is_new", "Whether it was added in the last 30 days.")
    ///         schema = fields.schema()
    ///     }
    /// }
    /// ```
    public struct Builder {
        private let name: String
        private var entries: [Entry] = []
        private var indices: [String: Int] = [:]

        /// Starts a schema that messages call `name`; give the article too ("a product page").
        public init(_ name: String) { self.name = name }

        /// The finished schema.
        public func schema() -> Schema { Schema(name: name, entries: entries, indices: indices) }

        /// Declares text.
        public mutating func text(
            _ name: String, _ documentation: String, sample: String = "", optional: Bool = false
        ) -> Field<String> {
            add(name, .text, documentation, sample, optional)
        }

        /// Declares text that is escaped before it comes here, but for its `'`: templates may not write it between those.
        public mutating func escapedText(
            _ name: String, _ documentation: String, sample: String = "", optional: Bool = false
        ) -> Field<SafeHTML> {
            add(name, .escaped, documentation, sample, optional)
        }

        /// Declares text that is one of `choices`, which may name partials.
        public mutating func choice(
            _ name: String, _ documentation: String, of choices: [String], optional: Bool = false
        ) -> Field<String> {
            add(name, .choice(choices), documentation, choices.first ?? "", optional)
        }

        /// Declares HTML that the sanitiser makes.
        public mutating func html(
            _ name: String, _ documentation: String, sample: String = "", optional: Bool = false
        ) -> Field<SafeHTML> {
            add(name, .html, documentation, sample, optional)
        }

        /// Declares HTML that a template makes.
        public mutating func fragment(
            _ name: String, _ documentation: String, sample: String = "", optional: Bool = false
        ) -> Field<Fragment> {
            add(name, .html, documentation, sample, optional)
        }

        /// Declares JSON for a script element of type `application/ld+json` or `application/json`.
        public mutating func json(
            _ name: String, _ documentation: String, sample: String = "", optional: Bool = false
        ) -> Field<ScriptJSON> {
            add(name, .json, documentation, sample, optional)
        }

        /// Declares a yes or no; one that is never set is no.
        public mutating func flag(_ name: String, _ documentation: String) -> Field<Bool> {
            add(name, .flag, documentation, "yes", false)
        }

        /// Declares a part with fields of its own.
        public mutating func record(
            _ name: String, _ documentation: String, _ schema: Schema, optional: Bool = false
        ) -> Field<Record> {
            add(name, .record(schema), documentation, "", optional)
        }

        /// Declares a part of the schema that is being built, such as a category's parent.
        public mutating func recordOfItself(
            _ name: String, _ documentation: String, optional: Bool = true
        ) -> Field<Record> {
            add(name, .itself, documentation, "", optional)
        }

        /// Declares a list of parts.
        public mutating func records(
            _ name: String, _ documentation: String, of schema: Schema, optional: Bool = false
        ) -> Field<[Record]> {
            add(name, .list(.record(schema)), documentation, "", optional)
        }

        /// Declares a list of parts of the schema that is being built, such as a category's subcategories.
        public mutating func recordsOfItself(
            _ name: String, _ documentation: String, optional: Bool = true
        ) -> Field<[Record]> {
            add(name, .list(.itself), documentation, "", optional)
        }

        /// Declares a list of texts, each `{{.}}` inside a section.
        public mutating func texts(
            _ name: String, _ documentation: String, sample: String = "", optional: Bool = false
        ) -> Field<[String]> {
            add(name, .list(.text), documentation, sample, optional)
        }

        /// Declares a list of HTML that templates make, each `{{{.}}}` inside a section.
        public mutating func fragments(
            _ name: String, _ documentation: String, sample: String = "", optional: Bool = false
        ) -> Field<[Fragment]> {
            add(name, .list(.html), documentation, sample, optional)
        }

        mutating func add<Content>(
            _ name: String, _ kind: Kind, _ documentation: String = "", _ sample: String = "",
            _ optional: Bool = true
        ) -> Field<Content> {
            precondition(indices[name] == nil, "a schema has one field of a name")
            indices[name] = entries.count
            entries.append(
                Entry(
                    name: name, kind: kind, isOptional: optional, documentation: documentation, sample: sample
                ))
            return Field(index: entries.count - 1)
        }
    }
}

extension Schema.Kind {
    /// What messages call a value of this kind.
    var noun: String {
        switch self {
        case .text, .escaped, .choice: "text"
        case .html: "HTML"
        case .json: "JSON"
        case .flag: "a flag"
        case .record(let schema): schema.name
        case .list: "a list"
        case .itself: "a record"
        }
    }

    /// How the list of fields prints it.
    public var description: String {
        switch self {
        case .text, .escaped: "text"
        case .choice(let names): "one of " + names.joined(separator: ", ")
        case .html: "HTML"
        case .json: "JSON"
        case .flag: "flag"
        case .record(let schema): schema.name
        case .list(.record(let schema)): "list, each \(schema.name)"
        case .list(let element): "list of \(element.description)"
        case .itself: "one of the same kind"
        }
    }
}

extension Schema.Kind: CustomStringConvertible {}
