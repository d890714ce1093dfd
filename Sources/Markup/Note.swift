import Basics
import CMark
import Glibc

/// How the text of a note is written in the database; set per column.
public enum NoteFormat: String, Hashable, Sendable, CaseIterable {
    /// HTML of any age, also encoded as text once or twice.
    case html
    /// CommonMark with tables, without raw HTML.
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
    case .plain:
        Sanitised(
            html: SafeHTML(trusted: text.withBytes { paragraph(ofPlain: $0) ?? paragraphs(of: $0) }),
            issues: [])
    }
}

/// The markup of a review: paragraphs of plain text unless the source says that it is HTML (S16).
public func review(_ text: String, isHTML: Bool = false) -> Sanitised {
    guard isHTML else { return note(text, format: .plain) }
    return sanitiseDecoded(text, Sanitiser(.reviews), pictures: nil)
}

/// The markup of a content page that the site's owner wrote in Markdown, up to 1 MB (S30).
public func contentPage(markdown text: String, pictures: PictureFinder? = nil) -> Sanitised {
    markdown(text, .page, Sanitiser(.pages), pictures: pictures)
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

/// What cmark is given at most. It has been quadratic in brackets (`![[]()`), hence a limit of their own.
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
            Sanitised(html: SafeHTML(trusted: paragraphs(of: source)), issues: [issue])
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

/// cmark-gfm's extension for tables; finding it registers the extensions, which must happen once and in one thread.
/// It is never changed afterwards, so that sharing it is sound.
private nonisolated(unsafe) let tableExtension: OpaquePointer? = {
    cmark_gfm_core_extensions_ensure_registered()
    return cmark_find_syntax_extension("table")
}()

/// Gives `body` the HTML of some Markdown, in cmark's safe mode: raw HTML and unsafe links are left out.
///
/// CommonMark with the tables of GitHub Flavored Markdown (section 4.10), which is what people who write price lists
/// expect; of the other extensions none is on.
private func withCommonMark<Result>(_ source: Bytes, _ body: (Bytes) -> Result) -> Result {
    source.withMemoryRebound(to: CChar.self) { text in
        // cmark wants a pointer even for no bytes.
        guard let start = text.baseAddress, !text.isEmpty, let parser = cmark_parser_new(CMARK_OPT_DEFAULT)
        else {
            return body(Bytes(start: nil, count: 0))
        }
        defer { cmark_parser_free(parser) }
        // 0.29.0.gfm.6 is quadratic in rows of dashes that fit no header (64 KB of them take 6 s), so a text with more of
        // them than any table needs has no tables.
        if (1...200).contains(delimiterRows(in: source)), let tableExtension {
            cmark_parser_attach_syntax_extension(parser, tableExtension)
        }
        cmark_parser_feed(parser, start, text.count)
        guard let document = cmark_parser_finish(parser) else { return body(Bytes(start: nil, count: 0)) }
        defer { cmark_node_free(document) }
        guard
            let html = cmark_render_html(
                document, CMARK_OPT_DEFAULT, cmark_parser_get_syntax_extensions(parser))
        else { return body(Bytes(start: nil, count: 0)) }
        defer { free(html) }
        withoutEmptyHeaders(html)
        return body(Bytes(cString: html))
    }
}

/// Turns header cells without content, which a table needs above its first column, into plain cells: a header that says
/// nothing is read out all the same. Raw HTML is left out, so that every `<th` is a tag of cmark's own.
private func withoutEmptyHeaders(_ html: UnsafeMutablePointer<CChar>) {
    var at = html
    while let start = strstr(at, "<th"), let end = strchr(start, Int32(UInt8(ascii: ">"))) {
        if strncmp(end, "></th>", 6) == 0, strncmp(start, "<thead", 6) != 0 {
            start[2] = CChar(UInt8(ascii: "d"))
            end[4] = CChar(UInt8(ascii: "d"))
        }
        at = end
    }
}

/// Lines that could be the row below a table's header: dashes, colons and at least one bar.
private func delimiterRows(in source: Bytes) -> Int {
    var rows = 0
    var isRow = true
    var hasBar = false
    var hasDash = false
    for i in 0...source.count {
        let byte = i < source.count ? source[i] : 0x0A
        switch byte {
        case 0x0A:
            if isRow, hasBar, hasDash { rows += 1 }
            (isRow, hasBar, hasDash) = (true, false, false)
        case UInt8(ascii: "|"): hasBar = true
        case UInt8(ascii: "-"): hasDash = true
        // A row may also stand in a quote or a list.
        case UInt8(ascii: ":"), UInt8(ascii: ">"), 0x20, 0x09, 0x0D: break
        default: isRow = false
        }
    }
    return rows
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
