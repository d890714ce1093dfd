import Foundation

// embed-theme FOLDER OUTPUT: writes a Swift file with every file of the folder as a literal.

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
var out =
    "/// The files of `templates/`, by path; made by embed-theme.\nlet embeddedTheme: [(path: String, text: StaticString)] = [\n"
for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() {
    let file = folder.appending(path: path)
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory), !isDirectory.boolValue
    else {
        continue
    }
    let data = try Data(contentsOf: file)
    // A literal holds text; other bytes go in as Base64 behind a mark that no text file begins with.
    let isText =
        String(data: data, encoding: .utf8).map { !$0.unicodeScalars.contains { $0.value < 9 } } ?? false
    let text = isText ? String(decoding: data, as: UTF8.self) : "\u{1}" + data.base64EncodedString()
    var literal = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\", "\"": literal += "\\" + String(scalar)
        case "\n": literal += "\\n"
        case "\r": literal += "\\r"
        case "\t": literal += "\\t"
        default: literal += scalar.value < 0x20 ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
    }
    out += "    (\"\(path)\", \"\(literal)\"),\n"
}
try Data((out + "]\n").utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[2]))
