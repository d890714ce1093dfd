import Basics
import CMark
import Glibc

/// How the text of a note is written in the database; set per column.
public enum NoteFormat: String, Hashable, Sendable, CaseIterable {
    /// HTML of any age, also encoded as text once or twice.
    case html
    /// CommonMark without raw HTML.
    case markdown
    /// Text; blank lines part paragraphs, line ends are kept, addresses are not linked.
    case plain
}

/// The markup of a note of the shop. Pictures stay if `pictures` finds them.
///
/// What is decoded, is decoded before; sanitising is the last step (S10).
public func note(_ text: String, format: NoteFormat, pictures: PictureFinder? = nil) -> Sanitised {
    switch format {
    case .html: sanitiseDecoded(text, Sanitiser(.notes), pictures: pictures)
    case .markdown: markdown(text, .data, Sanitiser(.notes), pictures: pictures)
    case .plain: Sanitised(html: SafeHTML(trusted: paragraphs(of: Array(text.utf8))), issues: [])
    }
}

/// The markup of a review: paragraphs of plain text unless the source says that it is HTML (S16).
public func review(_ text: String, isHTML: Bool = false) -> Sanitised {
    guard isHTML else { return note(text, format: .plain) }
    return sanitiseDecoded(text, Sanitiser(.reviews), pictures: nil)
}

/// The markup of a content page that the site's owner wrote in Markdown, up to 1 MB (S30).
public func contentPage(markdown text: String, pictures: PictureFinder? = nil) -> Sanitised {
    markdown(text, .page, Sanitiser(.notes, limits: .contentPages), pictures: pictures)
}

private func sanitiseDecoded(_ text: String, _ sanitiser: Sanitiser, pictures: PictureFinder?) -> Sanitised {
    var text = text
    return text.withUTF8 { source in
        if let decoded = decodedMarkup(source) {
            return decoded.withUnsafeBufferPointer { sanitiser.sanitise($0, pictures: pictures) }
        }
        return sanitiser.sanitise(source, pictures: pictures)
    }
}

/// What cmark is given at most. 0.30.2 is quadratic in brackets (`![[]()`: 73 KB take 2 s), hence a limit of their own.
private struct MarkdownLimits {
    let bytes: Int
    let brackets: Int

    static let data = MarkdownLimits(bytes: 64 * 1024, brackets: 4000)
    static let page = MarkdownLimits(bytes: 1024 * 1024, brackets: 20_000)
}

private func markdown(
    _ text: String, _ limits: MarkdownLimits, _ sanitiser: Sanitiser, pictures: PictureFinder?
) -> Sanitised {
    var text = text
    return text.withUTF8 { source in
        func asPlainText(_ issue: NoteIssue) -> Sanitised {
            Sanitised(html: SafeHTML(trusted: paragraphs(of: Array(source))), issues: [issue])
        }
        if source.count > limits.bytes {
            return asPlainText(.tooLong(bytes: source.count, limit: limits.bytes))
        }
        if source.count(where: { $0 == UInt8(ascii: "[") }) > limits.brackets {
            return asPlainText(.tooManyBrackets(limit: limits.brackets))
        }
        return withCommonMark(source) { html in
            // gumbo is quadratic in depth, and cmark's output is balanced, so its depth can be counted beforehand.
            depth(of: html) > sanitiser.limits.openElements
                ? asPlainText(.tooDeep(limit: sanitiser.limits.openElements))
                : sanitiser.sanitise(html, pictures: pictures)
        }
    }
}

/// Gives `body` the HTML of some Markdown, in cmark's safe mode: raw HTML and unsafe links are left out.
private func withCommonMark<Result>(_ source: Bytes, _ body: (Bytes) -> Result) -> Result {
    source.withMemoryRebound(to: CChar.self) { text in
        // cmark wants a pointer even for no bytes.
        guard let start = text.baseAddress, !text.isEmpty,
            let html = cmark_markdown_to_html(start, text.count, CMARK_OPT_DEFAULT | CMARK_OPT_SAFE)
        else { return body(Bytes(start: nil, count: 0)) }
        defer { free(html) }
        return body(Bytes(cString: html))
    }
}

/// The deepest nesting of balanced markup.
private func depth(of html: Bytes) -> Int {
    var depth = 0
    var deepest = 0
    for i in html.indices where html[i] == UInt8(ascii: "<") && i + 1 < html.count {
        if html[i + 1] == UInt8(ascii: "/") {
            depth -= 1
        } else if html[i + 1].isASCIILetter, !html.starts(with: "<br", at: i),
            !html.starts(with: "<hr", at: i),
            !html.starts(with: "<img", at: i)
        {
            depth += 1
            deepest = max(deepest, depth)
        }
    }
    return deepest
}
