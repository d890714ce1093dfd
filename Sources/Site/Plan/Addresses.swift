import Basics
import Model

/// Hands out the last parts of addresses: never empty, never twice (case-blind, since all is lower case),
/// at most 80 bytes, the same from build to build (S34).
///
/// An address is made of one row alone: the shop's own slug, else the name and the key. So adding or removing
/// another product never moves a page. Only a clash (two rows that give one slug) is settled by order: the later
/// key gets a suffix made of its key.
struct Addresses {
    private var taken: Set<UInt64>
    /// Slugs that the shop gave and that had to be changed, for warnings.
    private(set) var clashes = 0

    init(expecting count: Int = 0) {
        taken = Set(minimumCapacity: count)
    }

    /// The slug of a row.
    mutating func claim(given: String?, name: String, key: ProductID) -> String {
        var candidate = given.map { slug(of: $0) } ?? ""
        let wasGiven = !candidate.isEmpty
        if candidate.isEmpty { candidate = Self.candidate(name: name, key: key) }
        if !isReservedName(candidate), taken.insert(hash64(candidate)).inserted { return candidate }
        if wasGiven { clashes += 1 }
        return claim(candidate, suffix: Self.digest(key.description))
    }

    /// The slug of a name that is its own key, such as a facet's value.
    mutating func claim(name: String, key: String) -> String {
        let candidate = slug(of: name, limit: 70)
        if !candidate.isEmpty, !isReservedName(candidate), taken.insert(hash64(candidate)).inserted {
            return candidate
        }
        return claim(candidate, suffix: Self.digest(key))
    }

    private mutating func claim(_ candidate: String, suffix: String) -> String {
        var trimmed = slug(of: candidate, limit: 70)
        trimmed = trimmed.isEmpty ? suffix : trimmed + "-" + suffix
        var address = trimmed
        var n = 2
        // Two keys with one digest: a chance of 2⁻³², but then a rule, not luck.
        while !taken.insert(hash64(address)).inserted {
            address = trimmed + "-\(n)"
            n += 1
        }
        return address
    }

    private static func candidate(name: String, key: ProductID) -> String {
        switch key {
        case .integer(let number):
            let digits = number < 0 ? "n\(number.magnitude)" : String(number)
            let text = slug(of: name, limit: 79 - digits.utf8.count)
            return text.isEmpty ? digits : text + "-" + digits
        case .text, .real:
            let text = key.description
            let id = slug(of: text, limit: 40)
            let isClean = id == text
            let base = slug(of: name, limit: isClean ? 79 - id.utf8.count : 70)
            // A key that is the name (a style used as its own category) says nothing more.
            if base == slug(of: text, limit: 70), !base.isEmpty { return base }
            let suffix = isClean ? id : digest(text)
            return base.isEmpty ? suffix : base + "-" + suffix
        }
    }

    /// Eight digits that stand for a key.
    private static func digest(_ key: String) -> String { String(Fingerprint(of: key).hex.prefix(8)) }
}

/// Where each kind of page is, relative to the site's root. Every output path is made here (S34).
enum SitePath {
    /// Names at the top that are the generator's own.
    static let reserved: Set<String> = [
        "products", "categories", "reviews", "lists", "assets", "feeds", "search", "my-lists", "sitemaps",
        "moved",
        "index", "404", "robots", "sitemap", "feed",
    ]

    /// The folder of a product's pages: two hexadecimal digits.
    static func shard(_ slug: String) -> String {
        let hash = Int(hash64(slug) & 0xFF)
        return String(unsafeUninitializedCapacity: 2) { out in
            out[0] = digits.utf8Start[hash >> 4]
            out[1] = digits.utf8Start[hash & 15]
            return 2
        }
    }

    private static let digits: StaticString = "0123456789abcdef"

    // 256 folders, so that no folder is too large for a file listing and two threads seldom meet in one.
    static func product(_ slug: String) -> String { sharded("products/", slug) }
    static func reviews(_ slug: String) -> String { sharded("reviews/", slug) }

    private static func sharded(_ folder: StaticString, _ slug: String) -> String {
        // Made for every product a dozen times: one allocation, no interpolation.
        let hash = hash64(slug) & 0xFF
        let start = folder.utf8CodeUnitCount
        let slug = slug.utf8Span.span
        return String(unsafeUninitializedCapacity: start + 3 + slug.count + 5) { out in
            (out.baseAddress! + 0).update(from: folder.utf8Start, count: start)
            out[start] = digits.utf8Start[Int(hash >> 4)]
            out[start + 1] = digits.utf8Start[Int(hash & 15)]
            out[start + 2] = UInt8(ascii: "/")
            slug.withUnsafeBufferPointer { bytes in
                if let bytes = bytes.baseAddress {
                    (out.baseAddress! + start + 3).update(from: bytes, count: slug.count)
                }
            }
            let ending: StaticString = ".html"
            (out.baseAddress! + start + 3 + slug.count).update(from: ending.utf8Start, count: 5)
            return start + 3 + slug.count + 5
        }
    }

    static func index(_ folder: String, _ slug: String, page: Int) -> String {
        String(utf8Count: folder.utf8.count + slug.utf8.count + 64) { out in
            out.append(folder)
            out.append("/" as Unicode.Scalar)
            out.append(slug)
            if page > 1 {
                out.append("/page-")
                out.append(UInt64(page))
            }
            out.append(".html")
        }
    }

    static let search = "search.html"
    /// The page of the visitor's own lists.
    static let myLists = "my-lists.html"
    /// The service worker: at the top, because it cannot look after pages above it.
    static let serviceWorker = "sw.js"
    static let webManifest = "site.webmanifest"

    static func all(page: Int) -> String { page == 1 ? "products/index.html" : "products/page-\(page).html" }

    static func categoryFeed(_ slug: String) -> String { "feeds/\(slug).xml" }

    /// What follows the host in the site's address: "/" or "/shop/".
    static func root(ofAddress url: String) -> String {
        String(url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" })
    }

    /// The way from a page to the root: one `../` per folder.
    static func root(from path: String) -> String {
        String(repeating: "../", count: path.count(of: "/"))
    }
}
