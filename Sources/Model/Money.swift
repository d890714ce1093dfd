import Basics

/// A currency by its ISO 4217 code.
public struct Currency: Hashable, Sendable {
    /// Three capital letters.
    public let code: String
    /// Digits after the point: two for most, none for yen, three for dinars (ISO 4217, never the locale).
    public let digits: Int

    /// Nil when the code is not three letters A to Z.
    public init?(_ code: String) {
        // Before capitals are made: those of 'ß' are two letters.
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0 & ~0x20) }) else {
            return nil
        }
        let code = code.utf8.allSatisfy { $0 < 0x61 } ? code : code.uppercased()
        self.code = code
        digits = Self.exceptions[code] ?? 2
    }

    private static let exceptions = TextTable(
        [
            "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF",
            "XOF",
            "XPF",
        ].map { ($0, 0) } + ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"].map { ($0, 3) })
}

/// A price as printed and as data, in the smallest unit of its currency.
public struct Money: Hashable, Sendable {
    /// The amount in pence, yen, fils …
    public let minorUnits: Int64
    /// What the amount is in.
    public let currency: Currency

    /// An amount of the smallest unit.
    public init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Reads a plain decimal such as `12`, `12.5` or `12.50`, without floating point; digits beyond the
    /// currency's are rounded, a half away from zero. Nil when the text is anything else or too large.
    public init?(decimal text: some StringProtocol, currency: Currency) {
        var whole: Int64 = 0
        var fraction = 0
        var seenPoint = false
        var digits = 0
        var roundUp = false
        var negative = false
        for (i, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "-") where i == 0: negative = true
            case UInt8(ascii: ".") where !seenPoint: seenPoint = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                if seenPoint {
                    if fraction == currency.digits { roundUp = byte >= UInt8(ascii: "5") }
                    fraction += 1
                    if fraction > currency.digits { continue }
                }
                let (product, over) = whole.multipliedReportingOverflow(by: 10)
                let (sum, over2) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
                if over || over2 { return nil }
                whole = sum
            default: return nil
            }
        }
        guard digits > 0 else { return nil }
        while fraction < currency.digits {
            let (product, over) = whole.multipliedReportingOverflow(by: 10)
            if over { return nil }
            whole = product
            fraction += 1
        }
        if roundUp {
            let (sum, over) = whole.addingReportingOverflow(1)
            if over { return nil }
            whole = sum
        }
        self.init(minorUnits: negative ? -whole : whole, currency: currency)
    }

    /// The amount with a full stop and all its digits, for data (`"3700.00"`): never grouped, in no locale.
    public var decimal: String {
        var scale: UInt64 = 1
        for _ in 0..<currency.digits { scale *= 10 }
        let (whole, rest) = minorUnits.magnitude.quotientAndRemainder(dividingBy: scale)
        return String(short: { out in
            if minorUnits < 0 { out.append("-" as Unicode.Scalar) }
            out.append(whole)
            if currency.digits > 0 {
                out.append("." as Unicode.Scalar)
                out.append(rest, digits: currency.digits)
            }
        })
    }
}
