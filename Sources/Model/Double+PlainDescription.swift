extension Double {
    /// The shortest decimal that reads back as this number, without exponent or `.0`.
    public var plainDescription: String {
        if let whole = Int64(exactly: self) { return String(whole) }
        let text = description
        let parts = text.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return text }
        var digits = parts[0].filter { $0 != "." && $0 != "-" }
        // Swift writes one digit before the point of a number with an exponent.
        var point = exponent + 1
        if point <= 0 {
            digits = String(repeating: "0", count: 1 - point) + digits
            point = 1
        }
        // `1.0e+20` has a zero that is no digit of the number.
        while digits.utf8.count > max(point, 1), digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        digits += String(repeating: "0", count: max(0, point - digits.utf8.count))
        let fraction = digits.dropFirst(point)
        return (self < 0 ? "-" : "") + digits.prefix(point) + (fraction.isEmpty ? "" : "." + fraction)
    }
}
