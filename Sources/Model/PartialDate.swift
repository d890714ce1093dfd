import Basics

/// A date of which only the year, or the year and month, may be known; it stays as partial as it came.
///
/// It never passes through a time zone: a date in the database is that date on the page.
public struct PartialDate: Hashable, Sendable {
    // Four bytes: lists and plans have many. 0 is not known.
    private let knownYear: UInt16
    private let knownMonth: UInt8, knownDay: UInt8

    /// 1 to 9999.
    public var year: Int { Int(knownYear) }
    /// Nil when it is not known.
    public var month: Int? { knownMonth == 0 ? nil : Int(knownMonth) }
    /// Nil when it is not known; never there without a month.
    public var day: Int? { knownDay == 0 ? nil : Int(knownDay) }

    /// Nil when the parts are no date of the Gregorian calendar.
    public init?(year: Int, month: Int? = nil, day: Int? = nil) {
        guard (1...9999).contains(year) else { return nil }
        if let month {
            guard (1...12).contains(month) else { return nil }
            if let day { guard (1...Self.days(in: month, of: year)).contains(day) else { return nil } }
        } else if day != nil {
            return nil
        }
        knownYear = UInt16(year)
        knownMonth = UInt8(month ?? 0)
        knownDay = UInt8(day ?? 0)
    }

    /// Reads `1999`, `2000-03`, `2000-03-17`, and dates followed by a time (`2000-03-17T10:00:00Z`,
    /// `2000-03-17 10:00`), whose time is left out. Nil for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard let date = text.withUTF8({ Self.read($0) }) else { return nil }
        self = date
    }

    /// The same of the bytes of a text.
    public init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
        guard let date = Self.read(bytes) else { return nil }
        self = date
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>) -> PartialDate? {
        /// The number that the digits at some place write; nil if they are not digits.
        func number(_ start: Int, _ count: Int) -> Int? {
            var number = 0
            for i in start..<start + count {
                guard i < bytes.count, (0x30...0x39).contains(bytes[i]) else { return nil }
                number = number * 10 + Int(bytes[i] - 0x30)
            }
            return number
        }
        guard let year = number(0, 4) else { return nil }
        if bytes.count == 4 { return PartialDate(year: year) }
        guard bytes[4] == UInt8(ascii: "-"), let month = number(5, 2) else { return nil }
        if bytes.count == 7 { return PartialDate(year: year, month: month) }
        guard bytes[7] == UInt8(ascii: "-"), let day = number(8, 2) else { return nil }
        if bytes.count > 10 {
            guard bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "),
                bytes[11...].allSatisfy({ timeBytes.contains($0) })
            else { return nil }
        }
        return PartialDate(year: year, month: month, day: day)
    }

    /// Digits, colons, and the signs of zones and fractions.
    private static let timeBytes = "0123456789:+-.Z".utf8

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// A number that orders dates; a missing part counts as before every known one. 0 is no date.
    public var ordinal: Int32 { Int32(year * 512 + (month ?? 0) * 32 + (day ?? 0)) }

    /// The date that ``ordinal`` was made of.
    public init?(ordinal: Int32) {
        let (month, day) = (Int(ordinal) / 32 % 16, Int(ordinal) % 32)
        self.init(year: Int(ordinal) / 512, month: month == 0 ? nil : month, day: day == 0 ? nil : day)
    }
}

extension PartialDate: CustomStringConvertible {
    /// ISO 8601 with the known parts: `1999`, `2000-03`, `2000-03-17`.
    public var description: String {
        String(
            short: { out in
                out.append(UInt64(year), digits: 4)
                guard let month else { return }
                out.append("-" as Unicode.Scalar)
                out.append(UInt64(month), digits: 2)
                guard let day else { return }
                out.append("-" as Unicode.Scalar)
                out.append(UInt64(day), digits: 2)
            })
    }
}
