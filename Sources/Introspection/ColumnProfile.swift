import Basics
import Database
import Model

/// What the values of a column look like, from a sample of its rows.
struct ColumnProfile: Sendable {
    let name: String
    /// Rows looked at.
    var rows = 0
    var nulls = 0
    /// Texts that are empty or blank.
    var blanks = 0
    /// Values by their own type; texts without blank ones and placeholders.
    var integers = 0, reals = 0, texts = 0, blobs = 0
    /// Texts such as `N/A` that stand for nothing, as they are written, at most a few.
    var placeholders: [String] = []
    var placeholderCount = 0
    /// Values that are numbers, as such or as text with a full stop.
    var numbers = 0
    var least = Double.infinity, most = -Double.infinity
    var fractions = 0, zeros = 0, negatives = 0
    /// Texts only: how long in all and at most, in characters.
    var length = 0, longest = 0
    /// Texts with at least one letter; with a line end.
    var lettered = 0, manyLined = 0
    /// Texts that begin or end with a blank; texts that begin with a slash.
    var padded = 0, rooted = 0
    /// Hashes of values, to count different ones.
    private(set) var hashes: Set<UInt64> = []
    /// Values and how often they come, until there are more than ``countedValues``.
    private(set) var counts: [Value: Int]? = [:]
    /// How many values fit each shape.
    private(set) var shapes: [ValueShape: Int] = [:]
    /// What stands in amounts of money beside digits: separators, signs, words.
    private(set) var moneyMarks: Set<String> = []
    /// How amounts with one kind of separator read: a comma with two digits after it is a decimal comma.
    private(set) var decimalCommas = 0, decimalPoints = 0
    /// Dates whose time is written so that it is not read as one (`2010-07-22 20:00:20 UTC`).
    private(set) var oddTimes = 0
    /// Whether a tag of HTML, a mark of Markdown was seen.
    private(set) var markedUp = 0, markdown = 0

    static let countedValues = 400

    /// A value with its type, so that a literal of it can be written.
    enum Value: Hashable, Sendable {
        case number(String), text(String)

        var string: String {
            switch self {
            case .number(let text), .text(let text): text
            }
        }

        /// As SQL writes it.
        var literal: String {
            switch self {
            case .number(let text): text
            case .text(let text): SQLText.literal(text)
            }
        }
    }

    init(name: String) { self.name = name }

    /// Values that are there and say something.
    var filled: Int { integers + reals + texts + blobs }
    /// How much of the rows has a value, 0 to 1.
    var fill: Double { rows == 0 ? 0 : Double(filled) / Double(rows) }
    var distinct: Int { hashes.count }
    /// Whether every row of the sample has another value.
    var isUniqueInSample: Bool { rows > 0 && filled == rows && distinct == rows }
    /// Characters of a text on average.
    var averageLength: Double { texts == 0 ? 0 : Double(length) / Double(texts) }
    /// Whether nearly all values are numbers.
    var isNumeric: Bool { filled > 0 && Double(numbers) >= 0.95 * Double(filled) }
    var isWhole: Bool { isNumeric && fractions == 0 }
    /// Whether nearly all values are texts with letters in them.
    var isWordy: Bool { texts > 0 && Double(lettered) >= 0.8 * Double(max(1, filled)) }
    /// Whether keys are texts here rather than numbers.
    var isTextual: Bool { texts > integers + reals }

    /// The part of the values that has a shape, 0 to 1.
    func share(_ shape: ValueShape) -> Double {
        filled == 0 ? 0 : Double(shapes[shape] ?? 0) / Double(filled)
    }

    /// Whether only words such as yes and no, 0 and 1 come.
    var isFlag: Bool {
        guard let counts, !counts.isEmpty, counts.count <= 4 else { return false }
        let values = Set(counts.keys.map { $0.string.lowercased() })
        return values.count <= 2
            && values.allSatisfy { Self.trueWords.contains($0) || Self.falseWords.contains($0) }
    }

    static let trueWords: Set<String> = [
        "1", "true", "t", "yes", "y", "on", "ja", "j", "oui", "si", "sí", "да", "はい", "x", "wahr", "-1",
        "sim",
    ]
    static let falseWords: Set<String> = [
        "0", "false", "f", "no", "n", "off", "nein", "nei", "non", "нет", "いいえ", "falsch", "nao", "não",
    ]

    /// Values of a flag that mean yes, sorted.
    var trueValues: [Value] {
        (counts ?? [:]).keys.filter { Self.trueWords.contains($0.string.lowercased()) }
            .sorted { $0.literal < $1.literal }
    }

    mutating func add(_ statement: Statement, _ column: Int32) {
        rows += 1
        switch statement.storageClass(column) {
        case .null: nulls += 1
        case .integer:
            integers += 1
            let number = statement.integer(column)
            count(.number(String(number)))
            add(number: Double(number), isWhole: true)
            if ValueShape.isUnixTime(number) { shapes[.unixTime, default: 0] += 1 }
            if ValueShape.isGTIN(String(number)) { shapes[.gtin, default: 0] += 1 }
        case .real:
            reals += 1
            let number = statement.real(column)
            count(.number("\(number)"))
            add(number: number, isWhole: number == number.rounded())
        case .blob:
            blobs += 1
            hashes.insert(UInt64(blobs))
            counts = nil
            if ValueShape.isPicture(statement.blob(column)) { shapes[.pictureBlob, default: 0] += 1 }
        case .text: add(text: statement.text(column))
        }
    }

    private mutating func add(number: Double, isWhole: Bool) {
        numbers += 1
        least = min(least, number)
        most = max(most, number)
        if !isWhole { fractions += 1 }
        if number == 0 { zeros += 1 }
        if number < 0 { negatives += 1 }
    }

    private mutating func add(text: String) {
        let trimmed = text.trimmed
        if trimmed.isEmpty {
            blanks += 1
            return
        }
        if ValueShape.placeholders.contains(trimmed.lowercased()) {
            placeholderCount += 1
            if placeholders.count < 6, !placeholders.contains(text) { placeholders.append(text) }
            return
        }
        texts += 1
        count(.text(text))
        length += text.unicodeScalars.count
        longest = max(longest, text.unicodeScalars.count)
        if trimmed.utf8.count != text.utf8.count { padded += 1 }
        if trimmed.contains(where: { $0.isLetter }) { lettered += 1 }
        if text.utf8.contains(0x0A) { manyLined += 1 }
        if text.utf8.first == UInt8(ascii: "/") { rooted += 1 }
        if trimmed.utf8.count <= 24, let number = Double(trimmed), number.isFinite {
            add(number: number, isWhole: number == number.rounded())
        }
        for shape in ValueShape.shapes(of: trimmed) {
            shapes[shape, default: 0] += 1
            if shape == .isoDate, PartialDate(trimmed) == nil { oddTimes += 1 }
        }
        if let money = ValueShape.money(trimmed) {
            shapes[.money, default: 0] += 1
            moneyMarks.formUnion(money.marks)
            if money.decimal == "," { decimalCommas += 1 }
            if money.decimal == "." { decimalPoints += 1 }
        }
        if ValueShape.isHTML(trimmed) { markedUp += 1 }
        if ValueShape.isMarkdown(trimmed) { markdown += 1 }
    }

    private mutating func count(_ value: Value) {
        hashes.insert(Fingerprint(of: value.literal).low)
        if counts != nil {
            counts?[value, default: 0] += 1
            if (counts?.count ?? 0) > Self.countedValues { counts = nil }
        }
    }

    /// The most frequent value; among equals the first in spelling.
    var commonest: (value: Value, count: Int)? {
        counts?.max { ($0.value, $1.key.literal) < ($1.value, $0.key.literal) }.map { ($0.key, $0.value) }
    }

    /// Words that stand for "unknown" in a column of numbers: 0 and -1 where they are far too many.
    var numberSentinels: [String] {
        var out: [String] = []
        guard isNumeric, numbers >= 5 else { return [] }
        if negatives > 0, let counts {
            for (value, count) in counts where count > 1 {
                if let number = Double(value.string), number == -1 || number <= -99 {
                    out.append(value.literal)
                }
            }
        }
        return out.sorted()
    }

    /// Different values that texts have, for a sample of a reference: at most so many, in a fixed order.
    func sampleValues(_ limit: Int) -> [Value] {
        guard let counts else { return [] }
        return counts.keys.sorted { $0.literal < $1.literal }.prefix(limit).map { $0 }
    }
}

extension String {
    /// The text without white space at its ends.
    var trimmed: String {
        guard let start = firstIndex(where: { !$0.isWhitespace }),
            let end = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[start...end])
    }
}
