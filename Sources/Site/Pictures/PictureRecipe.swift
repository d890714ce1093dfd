/// How pictures are made: what the site's settings say, and what the layout shows.
struct PictureRecipe: Hashable, Sendable {
    /// 1 to 100, as JPEG and WebP count it.
    var quality = 80
    /// Whether to write AVIF as well: smaller files, at some seconds for each picture.
    var wantsAVIF = false

    /// What the style sheet shows, in pixels of the screen: a thumbnail or a line of a list (68 px) at 2 ×, a tile (160–300 px)
    /// at 1 × and 2 ×, a card (448 px) at 1.3 × and 2 ×, the whole screen.
    static let widths = [160, 320, 640, 960, 1600]

    /// Changes when the worker makes other pictures of the same bytes.
    private static let version = 1

    /// Of everything but the bytes: a part of each picture's key.
    var identity: String {
        "\(Self.version) \(quality) \(wantsAVIF ? 1 : 0) \(Self.widths.map(String.init).joined(separator: ","))"
    }
}

/// What `site.yaml` says of pictures.
struct PictureSettings: Hashable, Sendable {
    /// What a file or folder of pictures may be named by when the database names none.
    enum Match: String, CaseIterable, Sendable { case sku, id }

    /// Relative to the content folder.
    var folder = "pictures"
    /// How products find pictures that the database does not name.
    var match: Match?
    /// A folder below ``folder`` whose SVGs the site trusts; `.` is all of it.
    var trustedSVG: String?
    var recipe = PictureRecipe()
}
