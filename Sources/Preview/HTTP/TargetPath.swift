/// The path of a request target, decoded once and checked (S51): its segments name files and cannot lead anywhere else.
struct TargetPath: Hashable, Sendable {
    /// From `/` on.
    let text: String

    /// Nil for a target that no page of ours can have: a malformed escape, `.` or `..`, an encoded slash, a backslash, a
    /// control character, what is not UTF-8.
    init?(_ target: String) {
        var bytes: [UInt8] = []
        var rest = target.utf8[...]
        guard rest.first == UInt8(ascii: "/") else { return nil }
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else {
                    return nil
                }
                let decoded = high << 4 | low
                if decoded == UInt8(ascii: "/") { return nil }
                bytes.append(decoded)
            // A fragment is never sent.
            case UInt8(ascii: "#"): return nil
            default: bytes.append(byte)
            }
        }
        if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) { return nil }
        guard let text = String(validating: bytes, as: UTF8.self),
            // C1 controls, and marks that turn the direction of text round.
            !text.unicodeScalars.contains(where: {
                (0x80...0x9F).contains($0.value) || (0x202A...0x202E).contains($0.value)
                    || (0x2066...0x2069).contains($0.value)
            })
        else { return nil }
        // By bytes: a slash and a combining accent after it are one character.
        if bytes.split(separator: UInt8(ascii: "/")).contains(where: { $0 == [0x2E] || $0 == [0x2E, 0x2E] }) {
            return nil
        }
        self.text = text
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
