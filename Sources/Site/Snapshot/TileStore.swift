import Basics
import Glibc
import Search
import Synchronization

/// Tiles that were rendered for one index page, kept for the others that show them.
///
/// They lie in a file without a name: what is in the memory is eight bytes for each product that was shown. Any number of
/// threads may use it at once. A tile is right for as long as the ``Key`` is the same; a row that has changed and of which
/// nobody has told us yet may have been read before or after the change, as with a whole page.
final class TileStore: Sendable {
    /// What tiles are made of: equal keys mean equal tiles.
    struct Key: Equatable {
        let survey: SurveyKey
        let site: Fingerprint
        let template: Fingerprint
        /// The pictures, which are read anew as a whole.
        let pictures: PictureFolder

        static func == (a: Key, b: Key) -> Bool {
            a.survey == b.survey && a.site == b.site && a.template == b.template && a.pictures === b.pictures
        }
    }

    private struct State {
        /// Where the tile of each product is: offset and length, or 0.
        var places: [UInt64]
        var end: UInt64 = 0
        var isFull = false
    }

    let key: Key
    private let descriptor: Int32
    private let state: Mutex<State>

    /// How large the file may get, in bytes: the tiles of a million products.
    private static let limit: UInt64 = 1 << 30
    /// A length takes so many bits; a longer tile is not kept.
    private static let lengthBits = 20

    /// Nil when no such file can be made: tiles are then rendered each time.
    init?(_ key: Key, products: Int, in sources: SiteSources) {
        guard let file = try? sources.state().temporaryFile("preview-tiles-\(getpid())") else { return nil }
        self.key = key
        descriptor = file.descriptor
        state = Mutex(State(places: [UInt64](repeating: 0, count: products)))
    }

    deinit { close(descriptor) }

    /// The tiles of some products, nil for those that are not kept.
    func tiles(of products: some Collection<Int32>) -> [[UInt8]?] {
        let places = state.withLock { state in products.map { state.places[Int($0)] } }
        return places.map { place in
            let count = Int(place & (1 << Self.lengthBits - 1))
            guard count > 0 else { return nil }
            var isWhole = false
            let tile = [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
                let at = off_t(place >> Self.lengthBits)
                isWhole = pread(descriptor, bytes.baseAddress!, count, at) == count
                filled = isWhole ? count : 0
            }
            return isWhole ? tile : nil
        }
    }

    /// Keeps tiles of products.
    func add(_ tiles: [(product: Int32, tile: [UInt8])]) {
        let tiles = tiles.filter { !$0.tile.isEmpty && $0.tile.count < 1 << Self.lengthBits }
        let bytes = tiles.flatMap(\.tile)
        let start = state.withLock { state -> UInt64? in
            if state.isFull || state.end + UInt64(bytes.count) > Self.limit { return nil }
            defer { state.end += UInt64(bytes.count) }
            return state.end
        }
        guard var at = start, !bytes.isEmpty else { return }
        let isWhole = bytes.withUnsafeBytes {
            pwrite(descriptor, $0.baseAddress!, bytes.count, off_t(at)) == bytes.count
        }
        state.withLock { state in
            // No room on the disk: what is there already is kept.
            if !isWhole { return state.isFull = true }
            for (product, tile) in tiles {
                state.places[Int(product)] = at << UInt64(Self.lengthBits) | UInt64(tile.count)
                at += UInt64(tile.count)
            }
        }
    }
}
