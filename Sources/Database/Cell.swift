import Basics
import CSQLite
import Model

/// Faults of cells, collected while rows are read: each is reported and shown as absent (DESIGN §4).
struct CellFaults {
    private(set) var diagnostics: [Diagnostic] = []

    mutating func report(_ id: String, _ message: String, table: String, row: String, column: String) {
        diagnostics.append(
            Diagnostic(.warning, id, message, at: .cell(table: table, row: row, column: column)))
    }

    mutating func take() -> [Diagnostic] {
        if diagnostics.isEmpty { return [] }
        defer { diagnostics = [] }
        return diagnostics
    }
}

/// Reads the cells of a statement's current row as what the schema says they are.
///
/// A missing column (index below 0) and NULL are absent. So is a cell that cannot be read as its field: that one
/// is reported.
struct CellReader {
    let statement: Statement
    let table: String
    /// The row's key, for messages.
    var row: String
    var faults: CellFaults

    /// Text of one line: runs of white space become one space, none is left at the ends, empty is absent.
    mutating func line(_ column: Int32, _ name: String) -> String? {
        guard let text = text(column, name) else { return nil }
        return text.collapsed
    }

    /// Text as it stands; absent when it is empty, not UTF-8, or holds NUL or control characters (S25).
    mutating func text(_ column: Int32, _ name: String) -> String? {
        guard column >= 0 else { return nil }
        switch statement.storageClass(column) {
        case .null: return nil
        case .integer: return String(statement.integer(column))
        case .real: return statement.real(column).plainDescription
        case .blob:
            fault("not-text", "holds a BLOB of \(statement.bytes(column).count) bytes, not text", name)
            return nil
        case .text: break
        }
        let bytes = statement.bytes(column)
        if bytes.isEmpty { return nil }
        if let control = bytes.firstControl {
            let code = String(control, radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: 4 - code.utf8.count) + code
            fault(control == 0 ? "nul" : "control-character", "holds the control character U+\(padded)", name)
            return nil
        }
        guard let text = String(validating: bytes.bindMemory(to: UInt8.self), as: UTF8.self) else {
            fault("not-utf8", "holds text that is not UTF-8", name)
            return nil
        }
        return text
    }

    /// A whole number in a range.
    mutating func integer(_ column: Int32, _ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = number(column, name, in: Double(range.lowerBound)...Double(range.upperBound)) else {
            return nil
        }
        guard number == number.rounded(.towardZero) else {
            fault("not-a-number", "holds \(number), not a whole number", name)
            return nil
        }
        return Int(number)
    }

    /// A number in a range; text that is a number counts as one.
    mutating func number(_ column: Int32, _ name: String, in range: ClosedRange<Double>) -> Double? {
        guard column >= 0 else { return nil }
        let number: Double
        switch statement.storageClass(column) {
        case .null: return nil
        case .integer: number = Double(statement.integer(column))
        case .real: number = statement.real(column)
        case .blob:
            fault("not-a-number", "holds a BLOB, not a number", name)
            return nil
        case .text:
            guard let line = self.line(column, name) else { return nil }
            // Double("inf") and Double("0x1p3") are numbers to Swift, but to no shop.
            guard line.utf8.allSatisfy({ (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }),
                let parsed = Double(line)
            else {
                fault("not-a-number", "holds text '\(line)'", name)
                return nil
            }
            number = parsed
        }
        guard number.isFinite, range.contains(number) else {
            let id = number < 0 ? "sentinel" : "out-of-range"
            fault(id, "holds \(number.plainDescription), which is outside \(range.lowerBound.plainDescription) to "
                + range.upperBound.plainDescription, name)
            return nil
        }
        return number
    }

    /// An amount in a currency: whole minor units, or a decimal.
    mutating func money(_ column: Int32, _ name: String, minorUnits: Bool, currency: Currency) -> Money? {
        guard column >= 0 else { return nil }
        if minorUnits {
            return integer(column, name, in: 0...(1 << 53)).map { Money(minorUnits: Int64($0), currency: currency) }
        }
        guard statement.storageClass(column) != .null, let line = self.line(column, name) else { return nil }
        guard let money = Money(decimal: line, currency: currency) else {
            fault("not-a-number", "holds '\(line)', not an amount such as 12.50", name)
            return nil
        }
        guard money.minorUnits >= 0 else {
            fault("sentinel", "holds \(line), which is below zero", name)
            return nil
        }
        return money
    }

    /// A date, maybe partial.
    mutating func date(_ column: Int32, _ name: String) -> PartialDate? {
        guard let line = line(column, name) else { return nil }
        if let date = PartialDate(line) { return date }
        fault("not-a-date", "holds '\(line)', not a date such as 1999, 2000-03 or 2000-03-17", name)
        return nil
    }

    /// A key: any number or text. Nil for NULL and for what cannot be a key.
    mutating func key(_ column: Int32, _ name: String) -> ProductID? {
        guard column >= 0 else { return nil }
        switch statement.storageClass(column) {
        case .null: return nil
        case .integer: return .integer(statement.integer(column))
        case .real:
            let real = statement.real(column)
            if let whole = Int64(exactly: real) { return .integer(whole) }
            return .text(real.plainDescription)
        case .text, .blob: return text(column, name).map { .text($0) }
        }
    }

    mutating func fault(_ id: String, _ message: String, _ column: String) {
        faults.report(id, message + "; shown as absent", table: table, row: row, column: column)
    }
}

extension UnsafeRawBufferPointer {
    /// The first NUL, C0 (but tab, line feed, carriage return), DEL or C1 control in UTF-8 text.
    var firstControl: UInt32? {
        for i in 0..<count {
            let byte = self[i]
            if byte >= 0x20, byte < 0x7F || byte > 0xC2 { continue }
            switch byte {
            case 0x09, 0x0A, 0x0D: continue
            case 0xC2:
                if i + 1 < count, (0x80...0x9F).contains(self[i + 1]) { return UInt32(self[i + 1]) }
            case 0x80...0xC1: continue
            default: return UInt32(byte)
            }
        }
        return nil
    }
}

extension Double {
    /// The shortest decimal that reads back as this number, without exponent or `.0`.
    public var plainDescription: String {
        if let whole = Int64(exactly: self) { return String(whole) }
        let text = description
        guard text.utf8.contains(UInt8(ascii: "e")) else { return text }
        return text
    }
}

extension String {
    /// The text with each run of white space as one space and none at the ends; nil when nothing is left.
    /// Soft hyphens, which only say where a line may break, are left out.
    var collapsed: String? {
        var clean = true
        var previous: UInt8 = 0x20
        for byte in utf8 {
            if byte < 0x20 || (byte == 0x20 && previous == 0x20) || byte == 0xC2 || byte == 0xE2 {
                clean = false
                break
            }
            previous = byte
        }
        if clean, previous != 0x20 { return self }
        var out = String.UnicodeScalarView()
        var pending = false
        for scalar in unicodeScalars {
            if scalar.value == 0xAD { continue }
            if scalar.properties.isWhitespace, scalar.value != 0xA0, scalar.value != 0x202F {
                pending = !out.isEmpty
                continue
            }
            if pending {
                out.append(" ")
                pending = false
            }
            out.append(scalar)
        }
        return out.isEmpty ? nil : String(out)
    }
}
