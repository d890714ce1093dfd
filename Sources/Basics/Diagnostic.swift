/// A message for the person whose site it is: what, where, and what to do about it.
///
/// Diagnostics are collected and printed together, sorted by place; an error that stops the work is thrown
/// as a ``Failure`` that carries one or more of them.
public struct Diagnostic: Hashable, Sendable {
    /// How bad it is. An error fails the build; a warning does so only under `--strict`.
    public enum Severity: String, Hashable, Sendable { case error, warning }

    /// Where a fault is.
    public enum Place: Hashable, Sendable {
        /// A whole file or folder, by the path to print.
        case file(String)
        /// A place in a text file; line and column are 1-based, the column in Unicode scalars.
        case text(file: String, line: Int, column: Int)
        /// A product, by its id and name as the database has them.
        case product(id: String, name: String)
        /// A value inside a JSON document.
        case json(file: String, line: Int, column: Int, path: String)
        /// A table or query of the mapping, a row (by its key) and a column.
        case cell(table: String, row: String, column: String)
        /// Nothing more exact is known.
        case none
    }

    /// A piece of source to print below the message, with the faulty part underlined.
    public struct Excerpt: Hashable, Sendable {
        /// The line, or the part of it around the fault.
        public let line: String
        /// First underlined scalar, 1-based, and how many.
        public let column: Int, length: Int

        /// A line of source with `length` scalars from `column` underlined.
        public init(line: String, column: Int, length: Int) {
            self.line = line
            self.column = column
            self.length = length
        }
    }

    /// Whether it fails the build.
    public let severity: Severity
    /// The stable id printed in brackets, such as `unknown-field`; documented in docs/diagnostics.md.
    public let id: String
    /// One line, lower case, no full stop, names in single quotes.
    public let message: String
    /// Where the fault is.
    public let place: Place
    /// The source to print below the message.
    public let excerpt: Excerpt?

    /// A message at a place.
    public init(
        _ severity: Severity, _ id: String, _ message: String, at place: Place = .none,
        excerpt: Excerpt? = nil
    ) {
        self.severity = severity
        self.id = id
        self.message = message
        self.place = place
        self.excerpt = excerpt
    }
}

/// Thrown when work cannot go on; what it holds is printed as it stands.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, at least one error.
    public let diagnostics: [Diagnostic]

    /// Several messages at once.
    public init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

    /// One error at one place.
    public init(_ id: String, _ message: String, at place: Diagnostic.Place = .none) {
        diagnostics = [Diagnostic(.error, id, message, at: place)]
    }

    /// The messages as they are printed, one below the other.
    public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

extension Diagnostic: CustomStringConvertible {
    /// The message as it is printed, safe for a terminal whatever the data holds (S25).
    public var description: String {
        // Cut late: the advice stands at the end, and a message may hold a long path.
        var text = "\(place.prefix)\(severity.rawValue): \(message.printable(limit: 1000)) [\(id)]"
        if let excerpt {
            let number = place.line.map(String.init) ?? ""
            let gutter = String(repeating: " ", count: number.count)
            let indent = String(repeating: " ", count: max(0, excerpt.column - 1))
            let mark = "^" + String(repeating: "~", count: max(0, excerpt.length - 1))
            text += "\n  \(number) │ \(excerpt.line.printable)\n  \(gutter) │ \(indent)\(mark)"
        }
        return text
    }
}

extension Diagnostic.Place {
    /// The line, for places in text.
    public var line: Int? {
        switch self {
        case .text(_, let line, _), .json(_, let line, _, _): line
        default: nil
        }
    }

    /// The column in Unicode scalars, for places in text.
    public var column: Int? {
        switch self {
        case .text(_, _, let column), .json(_, _, let column, _): column
        default: nil
        }
    }

    /// The file the place is in, if it is in one.
    public var file: String? {
        switch self {
        case .file(let file), .text(let file, _, _), .json(let file, _, _, _): file
        default: nil
        }
    }

    var prefix: String {
        switch self {
        case .file(let file): "\(file.printable(limit: 4096)): "
        case .text(let file, let line, let column): "\(file.printable(limit: 4096)):\(line):\(column): "
        case .product(let id, let name):
            name.isEmpty ? "product \(id.printable): " : "product \(id.printable) (\(name.printable)): "
        case .json(let file, let line, let column, let path):
            "\(file.printable(limit: 4096)):\(line):\(column): \(path.isEmpty ? "" : "\(path.printable): ")"
        case .cell(let table, let row, let column):
            "\(table.printable), row \(row.printable), column '\(column.printable)': "
        case .none: ""
        }
    }

    /// The order in which diagnostics are printed: by file and position, then by product, then the rest.
    var sortKey: (String, Int, Int, String) {
        switch self {
        case .file(let file): (file, 0, 0, "")
        case .text(let file, let line, let column): (file, line, column, "")
        case .json(let file, let line, let column, let path): (file, line, column, path)
        case .product(let id, let name): ("\u{10FFFD}product", 0, 0, id + name)
        case .cell(let table, let row, let column): ("\u{10FFFD}table " + table, 0, 0, row + column)
        case .none: ("\u{10FFFE}", 0, 0, "")
        }
    }
}

extension Sequence where Element == Diagnostic {
    /// The diagnostics in the order in which they are printed.
    public func sortedByPlace() -> [Diagnostic] {
        sorted { a, b in
            if a.place.sortKey != b.place.sortKey { return a.place.sortKey < b.place.sortKey }
            return (a.id, a.message) < (b.id, b.message)
        }
    }
}

extension String {
    /// The text with control characters, line ends and direction overrides made visible, and cut at 200
    /// scalars: text from data must not drive a terminal (S25).
    public var printable: String { printable(limit: 200) }

    /// The same, cut at another length.
    public func printable(limit: Int) -> String {
        var out = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            if count == limit {
                out.append("…")
                break
            }
            count += 1
            switch scalar.value {
            case 0x0A: out.append(contentsOf: "\\n".unicodeScalars)
            case 0x09: out.append(contentsOf: "\\t".unicodeScalars)
            case 0x00..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
                out.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: out.append(scalar)
            }
        }
        return String(out)
    }
}
