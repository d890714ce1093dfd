import Foundation
import Markup
import TestSupport

/// The inputs in Tests/Corpora.
enum Corpus {
    struct Input: Decodable {
        let id: String
        let input: String
    }

    static let hostile = inputs(of: "xss-dev.jsonl")
    static let benign = inputs(of: "benign-notes.jsonl")
    static let catalogue = inputs(of: "catalogue-notes.jsonl")
    static let all = hostile + benign + catalogue

    private static func inputs(of file: String) -> [Input] {
        let decoder = JSONDecoder()
        return Project.bytes(of: "Tests/Corpora/" + file).split(separator: 0x0A).map { line in
            guard let input = try? decoder.decode(Input.self, from: Data(line)) else {
                fatalError("a line of \(file) is no JSON: \(String(decoding: line, as: UTF8.self))")
            }
            return input
        }
    }
}

/// Changes a few bytes, or joins pieces of two inputs; the result is well-formed UTF-8.
func mutate(_ inputs: [[UInt8]], using generator: inout some RandomNumberGenerator) -> [UInt8] {
    let pieces: [String] = [
        "<p>", "</p>", "<b>", "</b>", "<a href=\"/x\">", "</a>", "<ul>", "</ul>", "<li>", "</li>", "<br>",
        "<br />", "<em>",
        "</em>", "<div>", "</div>", "<h3>", "</h3>", "<hr>", "<span class=\"fc-aa0000 ta-left\">", "</span>",
        "<blockquote>", "</blockquote>", "&amp;", "&", "&nbsp;", "&quot;", "\r\n", "\u{A0}", ">", "<", "\"",
        "'", " ",
        "\n", "<p class=\"bd\">", "<code>", "</code>", "<i>", "</i>", "&lt", "<ol>", "</ol>", "<svg>",
        "<table>", "<td>",
        "<a href=\"https://a.example/\">", " rel=\"nofollow noopener\"", "\u{0}", "\u{C}", "\u{7F}", "\u{85}",
        "\u{FEFF}",
    ]
    var bytes = inputs[Int.random(in: 0..<inputs.count, using: &generator)]
    if bytes.count > 600 {
        let start = Int.random(in: 0..<bytes.count - 500, using: &generator)
        bytes = Array(bytes[start..<start + 500])
    }
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let at = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            let end = min(bytes.count, at + Int.random(in: 1...8, using: &generator))
            bytes.removeSubrange(at..<end)
        case 1 where at < bytes.count: bytes[at] = UInt8.random(in: 0x20..<0x7F, using: &generator)
        case 2:
            let other = inputs[Int.random(in: 0..<inputs.count, using: &generator)]
            let start = Int.random(in: 0...other.count, using: &generator)
            bytes.insert(contentsOf: other[start..<min(other.count, start + 40)], at: at)
        default:
            let piece = pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            bytes.insert(contentsOf: Array(piece.utf8), at: at)
        }
    }
    return Array(String(decoding: bytes, as: UTF8.self).utf8)
}

/// Mostly nests and closes tags as a clean note does, so that the scanner has something to accept.
func makeNearlyClean(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    let names = [
        "p", "b", "em", "ul", "li", "a href=\"/x\"", "div", "h3", "span class=\"fc-000000\"", "blockquote",
        "i", "ol", "sub",
        "code", "q", "h4", "s", "u", "small", "strong", "del", "a href=\"http://a.example\"",
    ]
    var text = ""
    var open: [String] = []
    for _ in 0..<Int.random(in: 1...24, using: &generator) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0 where Int.random(in: 0..<4, using: &generator) == 0:
            if Bool.random(using: &generator) {
                text += "<table>\n<thead><tr><th>x</th>\n<td>"
                open += ["table", "thead", "tr", "td"]
            } else {
                text += "<table><tbody><tr><td>"
                open += ["table", "tbody", "tr", "td"]
            }
        case 0..<3:
            let name = names[Int.random(in: 0..<names.count, using: &generator)]
            text += "<\(name)>"
            open.append(String(name.prefix { $0 != " " }))
        case 3..<6: if let name = open.popLast() { text += "</\(name)>" }
        case 6: text += ["<br>", "<hr>", "<br/>", "\n", "\r\n"][Int.random(in: 0..<5, using: &generator)]
        default:
            text +=
                ["x ", "é", " ", "&amp;", "&#39;", "& ", "\u{A0}", "'"][
                    Int.random(in: 0..<8, using: &generator)]
        }
    }
    if Int.random(in: 0..<8, using: &generator) > 0 {
        while let name = open.popLast() { text += "</\(name)>" }
    }
    return Array(text.utf8)
}
