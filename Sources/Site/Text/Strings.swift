import Basics
import Formats

/// The texts of the theme in the site's language, with what the site replaces.
///
/// Placeholders are `{name}`; plural forms follow the CLDR's cardinal rules.
struct Strings: Sendable {
    /// A text, or a text for each plural form.
    enum Entry: Hashable, Sendable {
        case text(String)
        case plural([String: String])

        var other: String {
            switch self {
            case .text(let text): text
            case .plural(let forms): forms["other"] ?? ""
            }
        }
    }

    private let entries: [String: Entry]
    private let numbers: TextTable<Int>
    /// The forms by those numbers; and the same, not counted, since all threads ask for them all the time.
    private let held: [Forms], forms: [Unmanaged<Forms>]
    /// The site's language and what numbers look like in it.
    let locale: Locale

    /// - Parameters:
    ///   - files: the theme's strings files by language; English has every key.
    ///   - overrides: the site's own texts.
    init(_ files: [String: SourceText], locale: Locale, overrides: [String: Entry]) throws(Failure) {
        self.locale = locale
        var entries: [String: Entry] = [:]
        for language in ["en", locale.language] {
            let name = language == "no" || language == "nn" ? "nb" : language
            guard let source = files[name] else { continue }
            let reader = SettingsReader(source)
            entries.merge(Self.entries(reader.settings)) { $1 }
            try reader.finish()
        }
        entries.merge(overrides) { $1 }
        self.entries = entries
        let keys = entries.keys.sorted()
        numbers = TextTable(keys.enumerated().map { (name: $1, value: $0) })
        held = keys.map { key in
            let entry = entries[key]!
            guard case .plural(let forms) = entry, forms.count > 1 else {
                return Forms(other: Pattern(entry.other), others: [])
            }
            return Forms(
                other: Pattern(entry.other),
                others: PluralForm.allCases.map { forms[$0.rawValue].map(Pattern.init) })
        }
        forms = held.map { .passUnretained($0) }
    }

    static func entries(_ setting: Setting) -> [String: Entry] {
        var out: [String: Entry] = [:]
        for member in setting.members() {
            if member.value.kind == .mapping {
                var forms: [String: String] = [:]
                for form in member.value.members() { forms[form.key] = form.value.text() }
                if forms["other"] == nil {
                    member.value.error("missing-setting", "'\(member.value.name)' has no form 'other'")
                }
                out[member.key] = .plural(forms)
            } else if let text = member.value.text() {
                out[member.key] = .text(text)
            }
        }
        return out
    }

    /// The keys, sorted.
    var keys: [String] { entries.keys.sorted() }

    /// Whether a key is a text that templates may use as it stands.
    func isPlain(_ key: String) -> Bool {
        if case .text(let text) = entries[key] { return !text.utf8.contains(UInt8(ascii: "{")) }
        return false
    }

    /// A text by its key; a key that the theme lacks is our own bug.
    subscript(key: String) -> String { withPattern(key, nil) { $0.text } }

    /// A site's own key, if there is one.
    func text(ifPresent key: String) -> String? { entries[key]?.other }

    /// A text as the files give it, with all its forms; nil when there is none.
    func entry(_ key: String) -> Entry? { entries[key] }

    /// A text with its placeholders filled in.
    func callAsFunction(_ key: String, _ values: Fillings) -> String {
        withPattern(key, nil) { $0.filled(values, count: nil) }
    }

    /// A text in the plural form of a number; `{n}` is the number as the language writes it.
    func callAsFunction(_ key: String, count: Int, _ values: Fillings = [:]) -> String {
        withPattern(key, count) { $0.filled(values, count: locale.number(count)) }
    }

    private func withPattern(_ key: String, _ count: Int?, _ body: (Pattern) -> String) -> String {
        guard let number = numbers[key] else { preconditionFailure("the theme has no text '\(key)'") }
        return forms[number]._withUnsafeGuaranteedRef { forms in
            guard let count, !forms.others.isEmpty else { return body(forms.other) }
            return body(forms.others[locale.pluralForm(of: count).index] ?? forms.other)
        }
    }

    private final class Forms: Sendable {
        let other: Pattern
        /// By plural form, if there are several.
        let others: [Pattern?]

        init(other: Pattern, others: [Pattern?]) {
            self.other = other
            self.others = others
        }
    }

    /// A text taken apart at its placeholders, once, since some are filled in for every review.
    ///
    /// A class, so that one of some thousand a second is handed out without copying its parts.
    private final class Pattern: Sendable {
        let text: String
        /// Text before each placeholder, and the placeholder's name.
        private let pieces: [(before: String, name: String)]
        private let end: String

        init(_ text: String) {
            self.text = text
            var pieces: [(before: String, name: String)] = []
            var rest = Substring(text)
            while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
                pieces.append((String(rest[..<open]), String(rest[rest.index(after: open)..<close])))
                rest = rest[rest.index(after: close)...]
            }
            self.pieces = pieces
            end = String(rest)
        }

        func filled(_ values: Fillings, count: String?) -> String {
            if pieces.isEmpty { return text }
            // What a text comes to is no longer than it and all that is filled in, each as often as it has places.
            let most = (values.length + (count?.utf8.count ?? 0)) * pieces.count
            return String(utf8Count: text.utf8.count + most) { out in
                for piece in pieces {
                    out.append(piece.before)
                    if piece.name == values.first.name {
                        out.append(values.first.text)
                    } else if piece.name == values.second.name {
                        out.append(values.second.text)
                    } else if piece.name == "n", let count {
                        out.append(count)
                    } else {
                        out.append("{")
                        out.append(piece.name)
                        out.append("}")
                    }
                }
                out.append(end)
            }
        }
    }
}

/// What is put in place of placeholders, by their names: at most two, so that it needs no memory of its own.
/// Inlined, the list that the literal is given as is not made.
struct Fillings: ExpressibleByDictionaryLiteral {
    // No placeholder has this name.
    private(set) var first = (name: "}", text: ""), second = (name: "}", text: "")
    var length: Int { first.text.utf8.count + second.text.utf8.count }

    @inline(__always)
    init(dictionaryLiteral pairs: (String, String)...) {
        precondition(pairs.count <= 2, "a text of the theme has at most two placeholders beside its number")
        if pairs.count > 0 { first = pairs[0] }
        if pairs.count > 1 { second = pairs[1] }
    }
}

/// The CLDR's plural categories.
enum PluralForm: String, CaseIterable, Sendable {
    case zero, one, two, few, many, other

    /// Its place among all.
    var index: Int {
        switch self {
        case .zero: 0
        case .one: 1
        case .two: 2
        case .few: 3
        case .many: 4
        case .other: 5
        }
    }
}

/// Which languages choose their plural forms alike.
enum PluralRule: Sendable {
    case none, french, russian, polish, czech, arabic, hebrew, english

    init(language: String) {
        self =
            switch language {
            case "ja", "zh", "ko", "vi", "th", "id": .none
            case "fr", "pt": .french
            case "ru", "uk", "be": .russian
            case "pl": .polish
            case "cs", "sk": .czech
            case "ar": .arabic
            case "he": .hebrew
            default: .english
            }
    }
}

extension Locale {
    /// The CLDR's plural category of a whole number.
    func pluralForm(of n: Int) -> PluralForm {
        switch pluralRule {
        case .none: return .other
        case .french: return n == 0 || n == 1 ? .one : .other
        case .russian:
            if n % 10 == 1, n % 100 != 11 { return .one }
            return (2...4).contains(n % 10) && !(12...14).contains(n % 100) ? .few : .many
        case .polish:
            if n == 1 { return .one }
            return (2...4).contains(n % 10) && !(12...14).contains(n % 100) ? .few : .many
        case .czech: return n == 1 ? .one : (2...4).contains(n) ? .few : .other
        case .arabic:
            switch n {
            case 0: return .zero
            case 1: return .one
            case 2: return .two
            default: return (3...10).contains(n % 100) ? .few : n % 100 >= 11 ? .many : .other
            }
        case .hebrew: return n == 1 ? .one : n == 2 ? .two : .other
        case .english: return n == 1 ? .one : .other
        }
    }
}
