import Markup
import Model

/// The web service that products' pages ask for reviews (`reviews.mode: remote`). docs/reviews.md describes what it answers.
struct ReviewService: Sendable {
    /// The address with `{id}`, `{sku}` or `{gtin}` in place of a product's; relative ones start at the top of the site.
    let pattern: String
    /// What the pages' policy has to allow; `'self'` covers a relative address.
    let origin: String

    private static let placeholders = ["{id}", "{sku}", "{gtin}"]

    /// - Returns: nil when it is not an address over https (over http on this machine, for trying out) or a relative one, or does not tell
    ///   products apart.
    init?(_ pattern: String) {
        guard Self.placeholders.contains(where: { pattern.contains($0) }) else { return nil }
        let sample = Self.placeholders.reduce(pattern) { $0.replacing($1, with: "0") }
        let local = ["http://127.0.0.1", "http://localhost"].contains { start in
            sample.hasPrefix(start)
                && (sample.dropFirst(start.count).first.map { "/:?".contains($0) } ?? true)
        }
        guard SafeURL.checked(sample, for: local ? .absolute : .service) == sample else { return nil }
        self.pattern = pattern
        guard let start = sample.firstRange(of: "://") else {
            // A path; a lone scheme has been refused above.
            guard !sample.hasPrefix("/") else { return nil }
            origin = "'self'"
            return
        }
        let authority = sample[start.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // It goes into the policy, where a comma or semicolon would begin something else; and a placeholder here would ask
        // another host for each product.
        guard !authority.isEmpty, pattern.hasPrefix(sample[..<authority.endIndex]),
            authority.utf8.allSatisfy({
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
                    || [0x2D, 0x2E, 0x3A].contains($0)
            })
        else { return nil }
        origin = String(sample[..<authority.endIndex])
    }

    /// The address for a product; nil when it lacks what the pattern asks for.
    ///
    /// - Parameter root: the way from the product's page to the top of the site.
    func address(of product: Product, root: String) -> String? {
        var out = origin == "'self'" ? root + pattern : pattern
        for (name, value) in [
            ("{id}", product.id.description as String?), ("{sku}", product.sku), ("{gtin}", product.gtin),
        ] where out.contains(name) {
            guard let value, !value.isEmpty else { return nil }
            out = out.replacing(name, with: Self.encoded(value))
        }
        return out
    }

    /// Everything but letters, digits and `-._~` as percent escapes.
    private static func encoded(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            let isPlain =
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
                || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            if isPlain {
                out.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                out += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return out
    }
}
