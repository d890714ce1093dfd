import Model

/// Which part of a date written with slashes comes first.
public enum DateOrder: String, Sendable, CaseIterable {
    /// Day, month, year.
    case dmy
    /// Month, day, year.
    case mdy
}

/// Reads dates as files write them: ISO 8601 in parts, `31.12.2020`, `12/31/2020`, `2020/12/31`, with a time or not.
enum DateText {
    /// What came of reading.
    enum Reading: Equatable {
        case date(PartialDate)
        /// Day and month could be either.
        case ambiguous
        case none
    }

    static func read(_ text: String, order: DateOrder?) -> Reading {
        // `2021-05-09 12:11:20 UTC`, `… +0200`: what follows the date says nothing of the day.
        let day =
            text.split(whereSeparator: { $0 == " " || $0 == "T" || $0 == "\u{A0}" }).first.map(String.init)
            ?? ""
        if let date = PartialDate(day) { return .date(date) }
        guard let mark = day.first(where: { "./-年".contains($0) }) else { return .none }
        let parts = day.split(whereSeparator: { "./-年月日".contains($0) })
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } && part.utf8.count <= 4 ? Int(part) : nil
        }
        guard numbers.count == parts.count else { return .none }
        func made(_ year: Int, _ month: Int, _ day: Int?) -> Reading {
            PartialDate(year: year, month: month, day: day).map { .date($0) } ?? .none
        }
        if numbers.count == 2 {
            // 03/2020, 03.2020, 2020/03
            if parts[0].utf8.count == 4 { return made(numbers[0], numbers[1], nil) }
            return parts[1].utf8.count == 4 ? made(numbers[1], numbers[0], nil) : .none
        }
        guard numbers.count == 3 else { return .none }
        if parts[0].utf8.count == 4 { return made(numbers[0], numbers[1], numbers[2]) }
        // A year of two digits could be any century's.
        guard parts[2].utf8.count == 4 else { return .none }
        let (first, second, year) = (numbers[0], numbers[1], numbers[2])
        if mark == "." { return made(year, second, first) }
        switch order {
        case .dmy: return made(year, second, first)
        case .mdy: return made(year, first, second)
        case nil:
            if first > 12 || first == second { return made(year, second, first) }
            return second > 12 ? made(year, first, second) : .ambiguous
        }
    }

    /// What a text says of the file's order; nil when it could be either.
    static func evidence(_ text: String) -> DateOrder? {
        let parts = text.split(separator: " ").first.map { $0.split(separator: "/") } ?? []
        guard parts.count == 3, parts[0].utf8.count <= 2, let first = Int(parts[0]),
            let second = Int(parts[1])
        else {
            return nil
        }
        if first > 12, second <= 12 { return .dmy }
        return second > 12 && first <= 12 ? .mdy : nil
    }
}
