/// Reads article numbers of GS1 as files write them.
enum GTINText {
    /// The digits, and whether the check digit is right (GS1 General Specifications, section 7.9).
    ///
    /// Nil when the text is nothing like one: letters, or a number that a spreadsheet has rounded (`5,01E+12`).
    static func read(_ text: String) -> (digits: String, isRight: Bool)? {
        let bytes = text.utf8.filter {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "'")
        }
        guard !bytes.isEmpty, bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var sum = 0
        for (i, byte) in bytes.reversed().enumerated().dropFirst() {
            sum += Int(byte - 0x30) * (i % 2 == 1 ? 3 : 1)
        }
        let check = (10 - sum % 10) % 10
        let isRight = [8, 12, 13, 14].contains(bytes.count) && bytes.last.map { Int($0 - 0x30) } == check
        return (String(decoding: bytes, as: UTF8.self), isRight)
    }

    /// The number with 14 digits, so that those of 8, 12 and 13 compare.
    static func key(_ digits: String) -> String {
        String(repeating: "0", count: max(0, 14 - digits.utf8.count)) + digits
    }
}
