import Basics
import Model

/// Something that products can be browsed by: producer, style, country, region, or a facet of the site's own.
struct Facet: Sendable {
    /// A field's name, or the label of a `facet:` column or of the facets table.
    let key: String
    /// What people read.
    let label: String, plural: String
    /// The folder of its pages.
    let folder: String
    /// Its values, as ``FacetIndex/values`` indices, in the order of the A–Z page.
    var values: [Int] = []
}

/// One value of a facet: a page that lists its products.
struct FacetValue: Sendable {
    let facet: Int
    /// The most frequent spelling; of equals the first by code point.
    let name: String
    let slug: String
    let fingerprint: Fingerprint

    init(facet: Int, name: String, slug: String) {
        self.facet = facet
        self.name = name
        self.slug = slug
        fingerprint = Fingerprint(of: name + "\u{0}" + slug)
    }
}

/// Gathers the values of all facets while products are read.
///
/// Spellings that are equal after trimming, case folding and Unicode normalisation are one value.
struct FacetGatherer {
    private struct Spelling {
        let term: Int32
        var count: Int32
    }

    private let keys: [String]
    private var spellings: [[String: Int32]]
    private var known: [(text: String, spelling: Spelling)] = []
    private var terms: [[String: Int32]]
    private var termFacets: [Int] = []
    private var termKeys: [String] = []

    init(keys: [String]) {
        self.keys = keys
        spellings = keys.map { _ in [:] }
        terms = keys.map { _ in [:] }
    }

    /// The term of a spelling, counted once more.
    mutating func term(_ text: String, of facet: Int) -> Int32? {
        if let at = spellings[facet][text] {
            known[Int(at)].spelling.count += 1
            return known[Int(at)].spelling.term
        }
        let key = termKey(text)
        if key.isEmpty { return nil }
        let term: Int32
        if let known = terms[facet][key] {
            term = known
        } else {
            term = Int32(termFacets.count)
            terms[facet][key] = term
            termFacets.append(facet)
            termKeys.append(key)
        }
        spellings[facet][text] = Int32(known.count)
        known.append((text, Spelling(term: term, count: 1)))
        return term
    }

    /// The values, indexed by term.
    func values() -> [FacetValue] {
        var names = [(text: String, count: Int32)](repeating: ("", 0), count: termFacets.count)
        for (text, spelling) in known {
            let old = names[Int(spelling.term)]
            let isFirst = text.unicodeScalars.lexicographicallyPrecedes(old.text.unicodeScalars)
            if spelling.count > old.count || (spelling.count == old.count && isFirst) {
                names[Int(spelling.term)] = (text, spelling.count)
            }
        }
        var slugs = [String](repeating: "", count: termFacets.count)
        for facet in keys.indices {
            var addresses = Addresses()
            for (key, term) in terms[facet].sorted(by: {
                $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars)
            }) {
                slugs[Int(term)] = addresses.claim(name: key, key: key)
            }
        }
        return termFacets.indices.map { i in
            FacetValue(facet: termFacets[i], name: names[i].text, slug: slugs[i])
        }
    }
}
