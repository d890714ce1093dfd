import Basics
import Model

/// Addresses at which products once had their pages, with the products: each gets a stub that leads to where the product
/// is now.
///
/// Kept beside the key of the lists, not in the manifest: like the key it is history that no database holds, and a site
/// that is built anew elsewhere from the same folder has the same stubs.
struct MovedAddresses {
    static let fileName = "moved"
    /// A shop that renames everything every day must not fill the disk; the oldest are forgotten.
    private static let limit = 100_000

    private var entries: [(path: String, product: String)] = []
    private var known: Set<String> = []
    /// Whether there is something to write.
    private(set) var isChanged = false

    /// Reads the file in the site's hidden folder; lines that no build of ours can have written are left out.
    init(reading state: Directory?) throws(FileError) {
        guard let state, try state.status(Self.fileName) != nil else { return }
        let bytes = try state.contents(of: Self.fileName, limit: 64 << 20)
        for line in bytes.split(separator: 0x0A) {
            let parts = line.split(separator: 0x09, maxSplits: 1)
            guard parts.count == 2, let path = String(validating: parts[0], as: UTF8.self),
                let product = String(validating: parts[1], as: UTF8.self), Self.isProductPath(path),
                Self.key(named: product) != nil, known.insert(path).inserted
            else {
                isChanged = true
                continue
            }
            entries.append((path, product))
        }
    }

    /// The former addresses.
    var paths: [String] { entries.map(\.path) }

    /// Notes a former address.
    mutating func add(_ path: String, product: String) {
        guard Self.isProductPath(path), known.insert(path).inserted else { return }
        entries.append((path, product))
        isChanged = true
    }

    /// Keeps the addresses for which `isWanted` says so.
    mutating func keep(where isWanted: (String, ProductID?) -> Bool) {
        let before = entries.count
        entries.removeAll { !isWanted($0.path, Self.key(named: $0.product)) }
        if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
        if entries.count != before { isChanged = true }
    }

    /// Writes the file, whole or not at all.
    func write(to state: Directory) throws(FileError) {
        var bytes: [UInt8] = []
        for entry in entries { bytes.append("\(entry.path)\t\(entry.product)\n") }
        try state.replace(Self.fileName, with: bytes, mode: 0o644)
    }

    private static func isProductPath(_ path: String) -> Bool {
        path.hasPrefix("products/") && path.hasSuffix(".html") && path.split(separator: "/").count == 3
            && OutputFolder.isSafe(path)
    }

    /// How a key is written: its type, then itself. Text with a line end or a tab has no name and leaves no stub.
    static func name(of key: ProductID) -> String {
        switch key {
        case .integer(let number): "i\(number)"
        case .real(let number): "r\(number)"
        case .text(let text): text.utf8.contains { $0 < 0x20 } || text.utf8.count > 500 ? "" : "t\(text)"
        }
    }

    private static func key(named name: String) -> ProductID? {
        let rest = String(name.dropFirst())
        switch name.first {
        case "i": return Int64(rest).map { .integer($0) }
        case "r": return Double(rest).map { .real($0) }
        case "t": return rest.isEmpty ? nil : .text(rest)
        default: return nil
        }
    }
}
