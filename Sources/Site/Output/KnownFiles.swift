/// What the manifest knows of each file, 24 bytes a file, sorted by hash.
struct KnownFiles: Sendable {
    private var hashes: [Int64] = []
    private var fingerprints: [UInt64] = []
    private var contents: [UInt64] = []

    var count: Int { hashes.count }

    mutating func append(hash: Int64, fingerprint: UInt64, content: UInt64) {
        hashes.append(hash)
        fingerprints.append(fingerprint)
        contents.append(content)
    }

    /// The place of a file, if it is known.
    func index(of hash: Int64) -> Int? {
        var low = 0
        var high = hashes.count
        while low < high {
            let middle = (low + high) / 2
            if hashes[middle] < hash { low = middle + 1 } else { high = middle }
        }
        return low < hashes.count && hashes[low] == hash ? low : nil
    }

    /// Makes a file count as changed, whatever it is made from: what lies in the output is not what we wrote.
    mutating func invalidate(_ hash: Int64) {
        guard let i = index(of: hash) else { return }
        fingerprints[i] = ~fingerprints[i]
        contents[i] = ~contents[i]
    }

    func hash(_ i: Int) -> Int64 { hashes[i] }
    func fingerprint(_ i: Int) -> UInt64 { fingerprints[i] }
    func content(_ i: Int) -> UInt64 { contents[i] }
}
