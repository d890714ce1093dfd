import Basics
import CSQLite
import Model

/// Reads the cells of a row as what the schema says they are.
///
/// A missing column (index below 0) and NULL are absent. So is a cell that cannot be read as its field: that one
/// is reported (DESIGN §4).
struct CellReader {
    let values: RowValues
    let table: String
    /// The row's key, for messages; nil when it is not known.
    var row: ProductID?
    /// What could not be read so far.
    private(set) var faults: [Diagnostic] = []

    init(_ values: RowValues, table: String) {
        self.values = values
        self.table = table
    }

    /// The faults since the last call.
    mutating func takeFaults() -> [Diagnostic] {
        if faults.isEmpty { return [] }
        defer { faults = [] }
        return faults
    }

    mutating func report(_ id: String, _ message: String, _ column: String) {
        faults.append(
            Diagnostic(
                .warning, id, message, at: .cell(table: table, row: row?.description ?? "?", column: column)))
    }

    mutating func fault(_ id: String, _ message: String, _ column: String) {
        report(id, message + "; shown as absent", column)
    }

    // MARK: Text

    /// Text of one line: runs of white space become one space, none is left at the ends, empty is absent.
    mutating func line(_ column: Int32, _ name: String) -> String? {
        guard let (text, traits) = read(column, name) else { return nil }
        // Nearly all cells are one line that nothing has to be done to.
        if traits.isDisjoint(with: [.lineEndOrTab, .twoSpaces, .c2, .e1ToE3]),
            text.withBytes({ !$0.isEmpty && $0[0] != 0x20 && $0[$0.count - 1] != 0x20 })
        {
            return text
        }
        return text.collapsed
    }

    /// Text as it stands, but for a byte order mark; absent when it is empty, not UTF-8, or holds NUL or control
    /// characters (S25).
    mutating func text(_ column: Int32, _ name: String) -> String? { read(column, name)?.text }

    private mutating func read(_ column: Int32, _ name: String) -> (text: String, traits: ByteTraits)? {
        guard column >= 0 else { return nil }
        switch values.storageClass(column) {
        case .null: return nil
        case .integer: return (String(values.integer(column)), [])
        case .real: return (values.real(column).plainDescription, [])
        case .blob:
            fault("not-text", "holds a BLOB of \(values.bytes(column).count) bytes, not text", name)
            return nil
        case .text: break
        }
        var bytes = values.bytes(column)
        if bytes.first == 0xEF, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes = UnsafeRawBufferPointer(rebasing: bytes[3...])
        }
        if bytes.isEmpty { return nil }
        let traits = ByteTraits(of: bytes)
        if traits.isDisjoint(with: [.beyondASCII, .control]) {
            let text = UTF8Span(unchecked: bytes.bindMemory(to: UInt8.self).span, isKnownASCII: true)
            return (String(copying: text), traits)
        }
        if !traits.isDisjoint(with: [.control, .c2]), let control = bytes.firstControl {
            let code = String(control, radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: 4 - code.utf8.count) + code
            fault(
                control == 0 ? "nul" : "control-character", "holds the control character U+\(padded)", name)
            return nil
        }
        guard ByteTraits.areUTF8(bytes) else {
            fault("not-utf8", "holds text that is not UTF-8", name)
            return nil
        }
        return (String(copying: UTF8Span(unchecked: bytes.bindMemory(to: UInt8.self).span)), traits)
    }

    /// The name of a picture, or the picture itself, for which `take` gives a name.
    mutating func picture(
        _ column: Int32, _ name: String, _ take: ((UnsafeRawBufferPointer) -> String)?
    ) -> String? {
        guard column >= 0, take != nil, values.storageClass(column) == .blob else {
            return line(column, name)
        }
        return pictureData(column, take)
    }

    /// The name for the picture itself, if the cell has one.
    func pictureData(_ column: Int32, _ take: ((UnsafeRawBufferPointer) -> String)?) -> String? {
        guard column >= 0, let take, values.storageClass(column) == .blob else { return nil }
        let bytes = values.bytes(column)
        return bytes.isEmpty ? nil : take(bytes)
    }

    /// A date, maybe partial.
    mutating func date(_ column: Int32, _ name: String) -> PartialDate? {
        // As nearly all are written: `2000-03-17`, of which no text has to be made.
        if column >= 0, values.storageClass(column) == .text {
            let bytes = values.bytes(column)
            if bytes.count == 10, let date = PartialDate(utf8: bytes.bindMemory(to: UInt8.self)) {
                return date
            }
        }
        guard let line = line(column, name) else { return nil }
        if let date = PartialDate(line) { return date }
        fault("not-a-date", "holds \(line.quoted), not a date such as 1999, 2000-03 or 2000-03-17", name)
        return nil
    }

    /// Six hexadecimal digits after an optional `#`.
    mutating func colour(_ column: Int32, _ name: String) -> String? {
        guard let line = line(column, name) else { return nil }
        let digits = line.utf8.first == UInt8(ascii: "#") ? String(line.dropFirst()) : line
        guard digits.utf8.count == 6,
            digits.utf8.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
        else {
            fault("not-a-colour", "holds \(line.quoted), not a colour such as #b9772e", name)
            return nil
        }
        return digits.lowercased()
    }

    // MARK: Numbers

    /// A whole number in a range.
    mutating func integer(_ column: Int32, _ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let numeral = numeral(column, name) else { return nil }
        let whole: Int
        switch numeral {
        case .whole(let number): whole = number
        case .real(let number):
            guard number.magnitude < 0x1p63 else {
                outside(range.lowerBound.description, range.upperBound.description, numeral, name)
                return nil
            }
            guard let number = Int(exactly: number) else {
                fault("not-a-number", "holds \(numeral), not a whole number", name)
                return nil
            }
            whole = number
        }
        if range.contains(whole) { return whole }
        outside(range.lowerBound.description, range.upperBound.description, numeral, name)
        return nil
    }

    /// A number in a range; text that is a number counts as one.
    mutating func number(_ column: Int32, _ name: String, in range: ClosedRange<Double>) -> Double? {
        guard let numeral = numeral(column, name) else { return nil }
        let number =
            switch numeral {
            case .whole(let number): Double(number)
            case .real(let number): number
            }
        if range.contains(number) { return number }
        outside(range.lowerBound.plainDescription, range.upperBound.plainDescription, numeral, name)
        return nil
    }

    /// An amount in a currency: whole minor units, or a decimal.
    mutating func money(
        _ column: Int32, _ name: String, minorUnits: Bool, currency: Currency
    ) -> Money? {
        if minorUnits {
            return integer(column, name, in: 0...(1 << 53)).map {
                Money(minorUnits: Int64($0), currency: currency)
            }
        }
        guard let line = line(column, name) else { return nil }
        guard let money = Money(decimal: line, currency: currency) else {
            fault("not-a-number", "holds \(line.quoted), not an amount such as 12.50", name)
            return nil
        }
        guard money.minorUnits >= 0 else {
            fault("sentinel", "holds \(line), which is below zero", name)
            return nil
        }
        guard money.minorUnits <= 1 << 53 else {
            fault("out-of-range", "holds \(line.quoted), which is too large an amount", name)
            return nil
        }
        return money
    }

    /// A number as the cell has it: whole ones are not rounded to a Double.
    private enum Numeral: CustomStringConvertible {
        case whole(Int), real(Double)

        var description: String {
            switch self {
            case .whole(let number): String(number)
            case .real(let number): number.plainDescription
            }
        }

        var isNegative: Bool {
            switch self {
            case .whole(let number): number < 0
            case .real(let number): number < 0
            }
        }
    }

    private mutating func numeral(_ column: Int32, _ name: String) -> Numeral? {
        guard column >= 0 else { return nil }
        switch values.storageClass(column) {
        case .null: return nil
        case .integer: return .whole(Int(values.integer(column)))
        case .real: return .real(values.real(column))
        case .blob:
            fault("not-a-number", "holds a BLOB of \(values.bytes(column).count) bytes, not a number", name)
            return nil
        case .text:
            guard let line = line(column, name) else { return nil }
            if let whole = Int(line) { return .whole(whole) }
            // Double("inf") and Double("0x1p3") are numbers to Swift, but to no shop.
            guard line.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let real = Double(line)
            else {
                fault("not-a-number", "holds the text \(line.quoted), not a number", name)
                return nil
            }
            return .real(real)
        }
    }

    private mutating func outside(_ least: String, _ most: String, _ seen: Numeral, _ name: String) {
        fault(
            seen.isNegative ? "sentinel" : "out-of-range",
            "holds \(seen.description.clipped), which is outside \(least) to \(most)", name)
    }

    // MARK: Keys

    /// A key: any number or text. Nil for NULL and for what cannot be a key; the latter is reported.
    mutating func key(_ column: Int32, _ name: String) -> ProductID? {
        guard column >= 0 else { return nil }
        switch values.storageClass(column) {
        case .null: return nil
        case .integer: return .integer(values.integer(column))
        case .real: return ProductID(real: values.real(column))
        case .text, .blob: return text(column, name).map { .text($0) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The first NUL, C0 (but tab, line feed, carriage return), DEL or C1 control in UTF-8 text.
    fileprivate var firstControl: UInt32? {
        for (i, byte) in enumerated() {
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20...0x7E: break
            case 0xC2:
                if i + 1 < count, (0x80...0x9F).contains(self[i + 1]) { return UInt32(self[i + 1]) }
            case 0x80...0xFF: break
            case let control: return UInt32(control)
            }
        }
        return nil
    }
}

extension String {
    /// The text in single quotes, cut after 60 scalars, so that a message stays one.
    var quoted: String { "'\(clipped)'" }

    fileprivate var clipped: String {
        let end = unicodeScalars.index(startIndex, offsetBy: 60, limitedBy: endIndex) ?? endIndex
        return end == endIndex ? self : self[..<end] + "…"
    }

    /// The text with each run of white space as one space and none at the ends; nil when nothing is left.
    ///
    /// Soft hyphens, which only say where a line may break, are left out. No-break spaces stay.
    var collapsed: String? {
        let bytes = utf8.span
        if bytes.isCollapsed { return self }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var pending = false
        var i = 0
        while i < bytes.count {
            let special = bytes.special(at: i)
            switch special {
            case .space(let length):
                pending = !out.isEmpty
                i += length
            case .softHyphen:
                i += 2
            case nil:
                if pending { out.append(0x20) }
                pending = false
                out.append(bytes[i])
                i += 1
            }
        }
        return out.isEmpty ? nil : String(decoding: out, as: UTF8.self)
    }
}

/// What ``String/collapsed`` does not keep.
private enum Special {
    /// White space of so many bytes.
    case space(Int)
    case softHyphen
}

extension Span<UInt8> {
    /// Whether nothing would be changed by collapsing it; most cells are so.
    fileprivate var isCollapsed: Bool {
        var previous: UInt8 = 0x20
        for i in indices {
            let byte = self[i]
            if byte <= 0x20 {
                if byte < 0x20 || previous == 0x20 { return false }
            } else if byte >= 0xC2, byte <= 0xE3, special(at: i) != nil {
                return false
            }
            previous = byte
        }
        return previous != 0x20
    }

    /// White space by Unicode's property, without the two spaces that do not break (U+00A0, U+202F).
    fileprivate func special(at i: Int) -> Special? {
        let byte = self[i]
        if byte == 0x20 || (0x09...0x0D).contains(byte) { return .space(1) }
        guard byte >= 0xC2, i + 1 < count else { return nil }
        if byte == 0xC2 { return self[i + 1] == 0xAD ? .softHyphen : self[i + 1] == 0x85 ? .space(2) : nil }
        guard i + 2 < count else { return nil }
        switch (byte, self[i + 1], self[i + 2]) {
        case (0xE1, 0x9A, 0x80), (0xE2, 0x80, 0x80...0x8A), (0xE2, 0x80, 0xA8...0xA9), (0xE2, 0x81, 0x9F),
            (0xE3, 0x80, 0x80):
            return .space(3)
        default: return nil
        }
    }
}
