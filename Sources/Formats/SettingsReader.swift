public import Basics

/// Reads the settings of a file and collects what is wrong with them, all of it, for one report.
///
/// ```swift
/// let reader = SettingsReader(source)
/// let site = reader.settings
/// let title = site.required("title").text() ?? ""
/// let perPage = site["per-page"].integer(in: 1...200) ?? 24
/// for facet in site["facets"].elements() { … }
/// try reader.finish()
/// ```
///
/// A name nobody asked for is reported by ``finish()`` with the nearest of those that were, so every known
/// name must be asked for, whether or not it is given. Belongs to one thread.
public final class SettingsReader {
    /// The file.
    public let source: SourceText
    /// What was found so far.
    public private(set) var diagnostics: [Diagnostic] = []
    private let root: YAMLNode
    /// The file could not be read: that a setting is missing would be no news.
    fileprivate private(set) var isUnreadable = false
    /// The mappings that were looked into by name: their other names are unknown.
    private var opened: [Opened] = []
    private var openedAt: [Int: Int] = [:]
    private var complained: Set<Int> = []
    /// The full names that were asked for, given or not: `reviews.mode`, `browse_by[1].key`.
    public private(set) var names: Set<String> = []
    /// Where those stand that are given, by their full names: byte offsets.
    public private(set) var places: [String: Int] = [:]

    private struct Opened {
        let name: String
        let members: [YAMLMember]
        var known: Set<String> = []
        var isFree = false
    }

    /// Reads a YAML file. Faults of its syntax are kept like all others, and no setting is then given.
    public init(_ source: SourceText) {
        self.source = source
        do {
            root = try YAML.read(source)
        } catch {
            root = YAMLNode(.absent, offset: source.start)
            diagnostics = error.diagnostics
            isUnreadable = true
        }
        checkRoot()
    }

    /// Settings that were read already, such as the front matter of a page.
    public init(_ root: YAMLNode, of source: SourceText) {
        self.source = source
        self.root = root
        checkRoot()
    }

    /// All settings, as one setting without a name.
    public var settings: Setting { Setting(name: "", node: root, parentOffset: root.offset, reader: self) }

    /// Adds an error about some bytes of the file.
    public func error(_ id: String, _ message: String, at offset: Int, length: Int = 1) {
        diagnostics.append(source.diagnostic(.error, id, message, at: offset, length: length))
    }

    /// Adds an error that shows the place, but not what stands there: it is a secret.
    fileprivate func concealedError(_ id: String, _ message: String, at offset: Int) {
        diagnostics.append(Diagnostic(.error, id, message, at: source.place(at: offset)))
    }

    /// Adds a warning about some bytes of the file.
    public func warning(_ id: String, _ message: String, at offset: Int, length: Int = 1) {
        diagnostics.append(source.diagnostic(.warning, id, message, at: offset, length: length))
    }

    /// Reports the names nobody asked for, then throws everything if any of it is an error.
    ///
    /// Warnings alone are left in ``diagnostics``.
    public func finish() throws(Failure) {
        reportUnknown()
        if diagnostics.contains(where: { $0.severity == .error }) {
            throw Failure(diagnostics.sortedByPlace())
        }
    }

    /// Reports the names nobody asked for, for callers that go on with what could be read.
    public func reportUnknown() {
        for mapping in opened where !mapping.isFree {
            for member in mapping.members where !mapping.known.contains(member.key) {
                let part = mapping.name.isEmpty ? "" : " of '\(mapping.name)'"
                let near =
                    suggestion(for: member.key, among: mapping.known).map { "; did you mean '\($0)'?" } ?? ""
                error(
                    "unknown-setting", "'\(member.key)' is not a setting\(part)\(near)", at: member.offset,
                    length: member.length)
            }
        }
        opened.removeAll()
        openedAt.removeAll()
    }

    private func checkRoot() {
        switch root.content {
        case .absent, .mapping: break
        case .scalar, .sequence:
            error("setting-type", "settings are expected here, as 'name: value'", at: root.offset)
            isUnreadable = true
        }
    }

    /// Notes that a mapping is looked into by name, and gives its number; nil for other values.
    @discardableResult
    fileprivate func open(_ setting: Setting) -> Int? {
        guard case .mapping(let members) = setting.node.content else { return nil }
        if let known = openedAt[setting.node.offset] { return known }
        openedAt[setting.node.offset] = opened.count
        opened.append(Opened(name: setting.name, members: members))
        return opened.count - 1
    }

    fileprivate func ask(_ setting: Setting, for key: String) {
        let full = setting.name.isEmpty ? key : "\(setting.name).\(key)"
        names.insert(full)
        if case .mapping(let members) = setting.node.content,
            let member = members.first(where: { $0.key == key })
        {
            places[full] = member.offset
        }
        if let index = open(setting) { opened[index].known.insert(key) }
    }

    /// Notes that the names of a mapping are data.
    fileprivate func free(_ setting: Setting) {
        if let index = open(setting) { opened[index].isFree = true }
    }

    /// True the first time it is asked about a value, so that a wrong one is reported once.
    fileprivate func isFirstComplaint(at offset: Int) -> Bool { complained.insert(offset).inserted }
}

@available(*, unavailable)
extension SettingsReader: Sendable {}

/// One setting: its full name, its value if it is given, and a way to complain about it.
///
/// The reading functions return nil when the setting is not given, and also, after an error is noted, when it
/// is of another kind: a caller goes on with its default and the run fails at the end.
public struct Setting {
    /// The kind of value that is given.
    public enum Kind: Hashable, Sendable { case absent, scalar, list, mapping }

    /// The full name for messages: `reviews.per-page`, `facets[2]`.
    public let name: String
    /// The value in the file.
    public let node: YAMLNode
    let parentOffset: Int
    let reader: SettingsReader

    /// What is given: settings that take several forms branch on it.
    public var kind: Kind {
        switch node.content {
        case .absent: .absent
        case .scalar: .scalar
        case .sequence: .list
        case .mapping: .mapping
        }
    }

    /// Whether a value is given; an empty one counts as none.
    public var isGiven: Bool { kind != .absent }

    // MARK: Names

    /// A setting inside this one; it counts as known from now on.
    ///
    /// A value that is no mapping is reported; where other forms are allowed, look at ``kind`` first.
    public subscript(key: String) -> Setting {
        expectMapping()
        reader.ask(self, for: key)
        let full = name.isEmpty ? key : "\(name).\(key)"
        guard case .mapping(let members) = node.content, let member = members.first(where: { $0.key == key })
        else {
            return Setting(
                name: full, node: YAMLNode(.absent, offset: node.offset), parentOffset: node.offset,
                reader: reader)
        }
        return Setting(name: full, node: member.value, parentOffset: member.offset, reader: reader)
    }

    /// A setting inside this one that must be given; an error is noted if it is not.
    public func required(_ key: String) -> Setting {
        let setting = self[key]
        if !setting.isGiven, !reader.isUnreadable {
            reader.error("missing-setting", "'\(setting.name)' is missing", at: setting.parentOffset)
        }
        return setting
    }

    /// This setting if it is a mapping with known names; nil if it is not given.
    public func mapping() -> Setting? {
        switch kind {
        case .mapping:
            reader.open(self)
            return self
        case .absent: return nil
        case .scalar, .list:
            expectMapping()
            return nil
        }
    }

    private func expectMapping() {
        // The root was looked at when the file was read.
        guard kind == .scalar || kind == .list, !name.isEmpty, reader.isFirstComplaint(at: node.offset) else {
            return
        }
        expects("settings of its own, as 'name: value'")
    }

    /// The names and values of a mapping whose names are free, such as texts by key; empty if it is not given.
    public func members() -> [(key: String, offset: Int, value: Setting)] {
        switch node.content {
        case .mapping(let members):
            reader.free(self)
            return members.map { member in
                let full = name.isEmpty ? member.key : "\(name).\(member.key)"
                let value = Setting(
                    name: full, node: member.value, parentOffset: member.offset, reader: reader)
                return (member.key, member.offset, value)
            }
        case .absent: return []
        case .scalar, .sequence:
            expects("names with values, as 'name: value'")
            return []
        }
    }

    /// The elements of a list; empty if it is not given.
    public func elements() -> [Setting] {
        switch node.content {
        case .sequence(let nodes):
            return nodes.enumerated().map { index, node in
                Setting(name: "\(name)[\(index + 1)]", node: node, parentOffset: node.offset, reader: reader)
            }
        case .absent: return []
        case .scalar, .mapping:
            expects("a list, each value after '- '")
            return []
        }
    }

    // MARK: Values

    /// The scalar with its style and the place of its text, for values that are read further, such as SQL.
    public func scalar(expecting what: String = "text") -> YAMLScalar? {
        switch node.content {
        case .scalar(let scalar): return scalar
        case .absent: return nil
        case .sequence, .mapping:
            expects(what)
            return nil
        }
    }

    /// The text as it is written.
    public func text() -> String? { scalar()?.text }

    /// The elements of a list of texts.
    public func texts() -> [String] {
        elements().compactMap { element in
            if !element.isGiven { element.expects("text") }
            return element.text()
        }
    }

    /// A whole number, in decimal digits with an optional sign.
    public func integer(in range: ClosedRange<Int>? = nil) -> Int? {
        guard let scalar = scalar(expecting: "a whole number") else { return nil }
        guard let number = Int(scalar.text) else {
            expects("a whole number")
            return nil
        }
        if let range, !range.contains(number) {
            error(
                "setting-range",
                "'\(name)' is \(number); it goes from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// A number with a decimal point or without; no `inf`, no `nan`, no hexadecimal.
    public func number() -> Double? {
        guard let scalar = scalar(expecting: "a number") else { return nil }
        let isDecimal = scalar.text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
                UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard isDecimal, let number = Double(scalar.text), number.isFinite else {
            expects("a number")
            return nil
        }
        return number
    }

    /// `true` or `yes`, `false` or `no`.
    public func flag() -> Bool? {
        guard let scalar = scalar(expecting: "'true' or 'false'") else { return nil }
        switch scalar.text.lowercased() {
        case "true", "yes": return true
        case "false", "no": return false
        default:
            expects("'true' or 'false'")
            return nil
        }
    }

    /// One of some words.
    public func choice(of words: [String]) -> String? {
        let list = words.map { "'\($0)'" }.joined(separator: ", ")
        guard let scalar = scalar(expecting: "one of \(list)") else { return nil }
        if words.contains(scalar.text) { return scalar.text }
        if let near = suggestion(for: scalar.text, among: words) {
            error("setting-value", "'\(scalar.text)' is no value of '\(name)'; did you mean '\(near)'?")
        } else {
            error("setting-value", "'\(scalar.text)' is no value of '\(name)'; it takes \(list)")
        }
        return nil
    }

    // MARK: Complaints

    /// Where the value is, or the nearest place if it is not given.
    public var place: Diagnostic.Place { reader.source.place(at: node.offset) }

    /// Adds an error about this value.
    public func error(_ id: String, _ message: String) {
        reader.error(id, message, at: node.offset, length: max(1, node.length))
    }

    /// Adds an error about this value that does not show it, because it is a secret.
    public func concealedError(_ id: String, _ message: String) {
        reader.concealedError(id, message, at: node.offset)
    }

    /// Adds a warning about this value.
    public func warning(_ id: String, _ message: String) {
        reader.warning(id, message, at: node.offset, length: max(1, node.length))
    }

    /// Adds an error that says what is expected here and what was seen.
    public func expects(_ what: String) {
        let seen =
            switch node.content {
            case .absent: "nothing"
            case .scalar(let scalar): scalar.text.isEmpty ? "an empty text" : "'\(scalar.text.prefix(60))'"
            case .sequence: "a list"
            case .mapping: "a mapping"
            }
        let subject = name.isEmpty ? "" : "'\(name)' "
        error("setting-type", "\(subject)expects \(what), saw \(seen)")
    }
}

@available(*, unavailable)
extension Setting: Sendable {}
