import Basics
import Glibc
import Search
import Synchronization

/// Tiles that were rendered for one index page, kept for the others that show them.
///
/// They lie in a file without a name: what is in the memory is eight bytes for each product that was shown. Any number of
/// threads may use it at once. A tile is right for as long as the ``Key`` is the same; a row that has changed and of which
/// nobody has told us yet may have been read before or after the change, as with a whole page.
final class TileStore: @unchecked Sendable {
    // The memory behind the pointer holds atomics, and is there for as long as the store is: that makes the unchecked
    // conformance sound. No lock: eight threads on two cores spend more time on waiting for one than on pages.

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

    /// Where a tile is.
    struct Place: Sendable {
        fileprivate let bits: UInt64

        /// Of a tile that is not kept.
        static let none = Place(bits: 0)
        /// A length takes so many bits; a longer tile is not kept.
        fileprivate static let lengthBits: UInt64 = 20

        fileprivate init(bits: UInt64) { self.bits = bits }

        fileprivate init(_ offset: Int, _ count: Int) {
            bits = UInt64(offset) << Self.lengthBits | UInt64(count)
        }

        var isNone: Bool { bits == 0 }
        fileprivate var offset: Int { Int(bits >> Self.lengthBits) }
        var count: Int { Int(bits & (1 << Self.lengthBits - 1)) }
    }

    let key: Key
    private let descriptor: Int32
    /// The place of each product's tile.
    private let places: UnsafeMutablePointer<Atomic<UInt64>>
    private let products: Int
    private let end = Atomic<Int>(0)
    private let hasNoRoom = Atomic<Bool>(false)

    /// How large the file may get, in bytes: the tiles of a million products.
    private static let limit = 1 << 30

    /// Nil when no such file can be made: tiles are then rendered each time.
    init?(_ key: Key, products: Int, in sources: SiteSources) {
        guard let file = try? sources.state().temporaryFile("preview-tiles-\(getpid())") else { return nil }
        self.key = key
        self.products = products
        descriptor = file.descriptor
        places = .allocate(capacity: products)
        for product in 0..<products { (places + product).initialize(to: Atomic(0)) }
    }

    deinit {
        close(descriptor)
        places.deinitialize(count: products)
        places.deallocate()
    }

    /// Whether no more tiles are kept.
    var isFull: Bool { hasNoRoom.load(ordering: .relaxed) }

    /// How many tiles are kept.
    var count: Int { (0..<Int32(products)).count { has($0) } }

    /// Whether the tile of a product is kept.
    func has(_ product: Int32) -> Bool { places[Int(product)].load(ordering: .relaxed) != 0 }

    /// Where the tiles of some products are.
    func places(of products: some Collection<Int32>) -> [Place] {
        products.map { Place(bits: places[Int($0)].load(ordering: .acquiring)) }
    }

    /// The tiles at some places, one after the other; nil when they cannot be read.
    func bytes(at places: [Place]) -> [UInt8]? {
        let places = places.filter { !$0.isNone }
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: places.reduce(0) { $0 + $1.count }) { room, filled in
            var at = 0
            while at < places.count, isWhole {
                // Those that were kept for one page stand in the file as on the page.
                let offset = places[at].offset
                var count = 0
                while at < places.count, count == 0 || places[at].offset == offset + count {
                    count += places[at].count
                    at += 1
                }
                isWhole = pread(descriptor, room.baseAddress! + filled, count, off_t(offset)) == count
                if isWhole { filled += count }
            }
        }
        return isWhole ? bytes : nil
    }

    /// Keeps tiles of products.
    func add(_ tiles: [(product: Int32, tile: [UInt8])]) {
        let tiles = tiles.filter { !$0.tile.isEmpty && $0.tile.count < 1 << Place.lengthBits }
        let bytes = tiles.flatMap(\.tile)
        if bytes.isEmpty || isFull { return }
        var at = end.add(bytes.count, ordering: .relaxed).oldValue
        let isWhole =
            at + bytes.count <= Self.limit
            && bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress!, bytes.count, off_t(at)) == bytes.count
            }
        // No room in it or on the disk: what is there already is kept.
        guard isWhole else { return hasNoRoom.store(true, ordering: .relaxed) }
        for (product, tile) in tiles {
            places[Int(product)].store(Place(at, tile.count).bits, ordering: .releasing)
            at += tile.count
        }
    }
}
