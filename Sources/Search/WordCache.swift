import Basics
import Glibc

/// The words of texts that many products share: producers, styles, countries.
///
/// Belongs to one worker. It forgets a text when another one comes that has its slot, and all when it is full.
struct WordCache {
    private struct Entry {
        var hash: UInt64 = 0
        /// Where the text begins, its words begin, and those end.
        var start = 0, words = 0, end = 0
    }

    private var entries = [Entry](repeating: Entry(), count: slotCount)
    /// Texts, each followed by its words, before each of which its length stands.
    private var bytes: [UInt8] = []

    private static let slotCount = 4096
    private static let most = 256 << 10

    /// Calls a function with each word that an index holds of a text.
    mutating func forEachWord(
        of text: UnsafeRawBufferPointer, _ tokeniser: inout Tokeniser,
        _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        let hash = Fingerprint(of: text).low
        let slot = Int(truncatingIfNeeded: hash) & (Self.slotCount - 1)
        if !holds(text, entries[slot], hash) {
            if bytes.count + text.count > Self.most {
                bytes.removeAll(keepingCapacity: true)
                for i in entries.indices { entries[i] = Entry() }
            }
            var entry = Entry(hash: hash, start: bytes.count)
            bytes.append(contentsOf: text)
            entry.words = bytes.count
            tokeniser.forEachWord(of: text.assumingMemoryBound(to: UInt8.self)) { word, _ in
                // At most 32 letters of four bytes.
                bytes.append(UInt8(word.count))
                bytes.append(contentsOf: word)
            }
            entry.end = bytes.count
            entries[slot] = entry
        }
        let entry = entries[slot]
        bytes.withUnsafeBufferPointer { bytes in
            var at = entry.words
            while at < entry.end {
                let start = at + 1
                at = start + Int(bytes[at])
                body(UnsafeBufferPointer(rebasing: bytes[start..<at]))
            }
        }
    }

    private func holds(_ text: UnsafeRawBufferPointer, _ entry: Entry, _ hash: UInt64) -> Bool {
        entry.hash == hash && entry.words - entry.start == text.count
            && bytes.withUnsafeBytes {
                memcmp($0.baseAddress! + entry.start, text.baseAddress!, text.count) == 0
            }
    }
}
