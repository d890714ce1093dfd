import Basics

/// A picture of the site that a note may show.
public struct NotePicture: Hashable, Sendable {
    /// The address as the page writes it, relative.
    public let path: String
    /// Its size in pixels, so that the text does not jump when it has loaded.
    public let width: Int, height: Int

    /// A picture with the address that the page writes and its size in pixels.
    public init(path: String, width: Int, height: Int) {
        self.path = path
        self.width = width
        self.height = height
    }
}

/// Finds the picture that a note names by a relative path; nil if the site has none of that name.
public typealias PictureFinder = (String) -> NotePicture?

/// Markup made from untrusted text, and what has to be said about it.
public struct Sanitised: Hashable, Sendable {
    /// The markup for the page.
    public let html: SafeHTML
    /// At most one limit, and the pictures that the site does not have; usually empty.
    public let issues: [NoteIssue]
}

/// Something about a note or review that its owner should know; the caller knows table, row and column.
public enum NoteIssue: Hashable, Sendable {
    /// The source has more bytes than are parsed.
    case tooLong(bytes: Int, limit: Int)
    /// The source has more `<` than are parsed.
    case tooManyTags(limit: Int)
    /// A tag of the source has more attributes than are parsed.
    case tooManyAttributes(limit: Int)
    /// The source has more `[` than Markdown is parsed with.
    case tooManyBrackets(limit: Int)
    /// More elements are open at a place than may be.
    case tooDeep(limit: Int)
    /// The result would be much longer than the source.
    case tooMuchOutput(limit: Int)
    /// The note shows a picture that the site does not have.
    case unknownPicture(path: String)

    /// The id of the diagnostic.
    public var id: String {
        if case .unknownPicture = self { "unknown-picture" } else { "markup-limit" }
    }

    /// The text of the diagnostic.
    public var message: String {
        switch self {
        case .tooLong(let bytes, let limit):
            "text of \(bytes) bytes is above \(limit); shown without its markup"
        case .tooManyTags(let limit): "text has more than \(limit) tags; shown without its markup"
        case .tooManyAttributes(let limit):
            "a tag has more than \(limit) attributes; shown without its markup"
        case .tooManyBrackets(let limit): "text has more than \(limit) '['; shown without its markup"
        case .tooDeep(let limit): "markup is nested deeper than \(limit); shown without its markup"
        case .tooMuchOutput(let limit):
            "unclosed tags make more than \(limit) bytes; shown without its markup"
        case .unknownPicture(let path): "no picture '\(path)' in the site; its alternative text is shown"
        }
    }
}

/// Makes markup from untrusted HTML: parsed as a fragment, rebuilt from an allow-list, canonical (S10–S19).
///
/// Sanitising what was sanitised changes nothing, byte for byte. A value may be used by many threads at once; the
/// result depends on the source, the policy and the pictures only. Cost: about 1 µs for a note of 1 kB that is clean
/// already, 70 µs for one that is not.
public struct Sanitiser: Sendable {
    /// Whose text it is, hence what may stay.
    public enum Policy: Hashable, Sendable {
        /// Notes of the shop: text, lists, tables, links, pictures of the site (S11–S15).
        case notes
        /// Pages that the site's owner wrote: as notes, with headings from the second level.
        case pages
        /// Reviews by visitors: plain paragraphs, lists and links (S16).
        case reviews

        /// The `rel` that links carry, ready to be appended to a tag.
        func rel(ofLinkTo outside: Bool) -> StaticString? {
            switch self {
            case .notes, .pages: outside ? " rel=\"nofollow noopener\"" : nil
            case .reviews: " rel=\"nofollow ugc noopener\""
            }
        }
    }

    /// What is not parsed but shown as plain text (S18).
    struct Limits {
        let bytes: Int
        let tags: Int
        let openElements = 64
        /// Of one tag. 40,000 attributes take gumbo 2.5 s.
        let attributes = 256

        static let notes = Limits(bytes: 256 * 1024, tags: 4000)
        static let reviews = Limits(bytes: 16 * 1024, tags: 400)
        /// Pages of the site's owner, made by cmark from at most 1 MB of Markdown, hence balanced (S30).
        static let contentPages = Limits(bytes: 8 * 1024 * 1024, tags: 200_000)
    }

    /// The style sheet for every colour class that a sanitised note can carry; readable on light and dark grounds.
    ///
    /// For pages of which ``SafeHTML/usesPalette`` says so. The other classes are the theme's to style.
    /// It needs `color-scheme: light dark` on the page, as the theme has it; browsers without `light-dark()` show
    /// the page's own colours.
    public static var paletteStylesheet: String { Palette.stylesheet }

    let policy: Policy
    let limits: Limits

    /// A sanitiser for notes or for reviews.
    public init(_ policy: Policy) {
        self.init(policy, limits: policy == .reviews ? .reviews : policy == .pages ? .contentPages : .notes)
    }

    init(_ policy: Policy, limits: Limits) {
        self.policy = policy
        self.limits = limits
    }

    /// The markup of an HTML fragment that may stay. Pictures stay if `pictures` finds them.
    ///
    /// A second pass over the result changes nothing as long as `pictures` finds the paths that it wrote.
    public func sanitise(_ html: String, pictures: PictureFinder? = nil) -> Sanitised {
        var html = html
        return html.withUTF8 { sanitise($0, pictures: pictures) }
    }

    /// As for a string; the bytes must be well-formed UTF-8.
    public func sanitise(_ source: UnsafeBufferPointer<UInt8>, pictures: PictureFinder? = nil) -> Sanitised {
        switch CleanScanner.scan(source, policy: policy, limits: limits) {
        case .clean: return Sanitised(html: SafeHTML(trusted: Array(source)), issues: [])
        case .normalised(let bytes): return Sanitised(html: SafeHTML(trusted: bytes), issues: [])
        case .unknown: return sanitiseFully(source, pictures: pictures)
        }
    }

    /// Whether the scanner accepts a note, and whether it leaves it as it is; for measurements.
    @_spi(Measuring)
    public func scan(_ source: UnsafeBufferPointer<UInt8>) -> (isAccepted: Bool, isUnchanged: Bool) {
        let verdict = CleanScanner.scan(source, policy: policy, limits: limits)
        return (verdict != .unknown, verdict == .clean)
    }

    /// The sanitiser without the scanner in front of it, which must never make a difference.
    @_spi(Measuring)
    public func sanitiseFully(
        _ source: UnsafeBufferPointer<UInt8>, pictures: PictureFinder? = nil
    ) -> Sanitised {
        if let limit = limitExceeded(by: source) { return asPlainText(source, because: limit) }
        var first = Rebuilder(policy, limits: limits) { pictures?($0) }
        if let limit = first.rebuild(source) { return asPlainText(source, because: limit) }
        let issues = pictures == nil ? [] : first.unknownPictures.map { NoteIssue.unknownPicture(path: $0) }
        // What unwrapping and mapping wrote may be parsed differently from what was meant (a div in a p), so it
        // is rebuilt until nothing changes. Of the corpora nothing needs more than three passes.
        let written = first.written
        var again = Rebuilder(policy, limits: limits) { written[$0] }
        var html = first.out
        for _ in 0..<8 {
            if let limit = html.withUnsafeBufferPointer(limitExceeded) {
                return asPlainText(source, because: limit)
            }
            let isSettled: Bool
            switch html.withUnsafeBufferPointer({ CleanScanner.scan($0, policy: policy, limits: limits) }) {
            case .clean: isSettled = true
            case .normalised, .unknown:
                if let limit = html.withUnsafeBufferPointer({ again.rebuild($0) }) {
                    return asPlainText(source, because: limit)
                }
                isSettled = again.out == html
                html = again.out
            }
            if isSettled { return Sanitised(html: SafeHTML(trusted: html), issues: issues) }
        }
        return asPlainText(source, because: .tooDeep(limit: limits.openElements))
    }

    private func limitExceeded(by source: Bytes) -> NoteIssue? {
        if source.count > limits.bytes { return .tooLong(bytes: source.count, limit: limits.bytes) }
        var tags = 0
        for byte in source where byte == UInt8(ascii: "<") { tags += 1 }
        if tags > limits.tags { return .tooManyTags(limit: limits.tags) }
        // Again, shorter texts cannot hold that many.
        guard source.count > limits.attributes, source.hasTag(withMoreAttributesThan: limits.attributes)
        else {
            return nil
        }
        return .tooManyAttributes(limit: limits.attributes)
    }

    private func asPlainText(_ source: Bytes, because issue: NoteIssue) -> Sanitised {
        let html = readableText(of: source).withUnsafeBufferPointer { paragraphs(of: $0) }
        return Sanitised(html: SafeHTML(trusted: html), issues: [issue])
    }
}
