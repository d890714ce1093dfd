import FoundationEssentials
import Glibc
@_spi(Measuring) import Markup

// sanitise notes|html|markdown|reviews|contexts < inputs.jsonl > outputs.jsonl
// sanitise share < inputs.jsonl              how many notes the scanner accepts
// sanitise bench < inputs.jsonl              speed in MB/s of source

struct Input: Decodable {
    let id: String
    let input: String
}

func lines() throws -> [Input] {
    let decoder = JSONDecoder()
    var inputs: [Input] = []
    while let line = readLine() {
        inputs.append(try decoder.decode(Input.self, from: Data(line.utf8)))
    }
    return inputs
}

func write(_ id: String, _ output: SafeHTML, context: String? = nil) {
    var members = [ScriptJSON.Member("id", .string(id)), .init("output", .string(output.description))]
    if let context { members.append(.init("context", .string(context))) }
    print(String(decoding: ScriptJSON.object(members).bytes, as: UTF8.self))
}

/// What an export that encodes too often does.
func encoded(_ text: String) -> String { SafeHTML.escaped(text).description }

func bench(_ name: String, _ inputs: [[UInt8]], _ body: (UnsafeBufferPointer<UInt8>) -> Int) {
    var bytes = 0
    var check = 0
    let clock = ContinuousClock()
    let time = clock.measure {
        for _ in 0..<3 {
            for input in inputs {
                check &+= input.withUnsafeBufferPointer(body)
                bytes += input.count
            }
        }
    }
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    let each = seconds / Double(3 * max(inputs.count, 1)) * 1e6
    let speed = Double(bytes) / 1e6 / seconds
    print(
        "\(name): \((speed * 10).rounded() / 10) MB/s, \((each * 100).rounded() / 100) µs each, check \(check)"
    )
}

let sanitiser = Sanitiser(.notes)
switch CommandLine.arguments.dropFirst().first {
case "notes":
    for input in try lines() {
        write(input.id, note(input.input, format: .html).html)
        write(input.id + ":once", note(encoded(input.input), format: .html).html)
        write(input.id + ":twice", note(encoded(encoded(input.input)), format: .html).html)
        write(input.id + ":markdown", note(input.input, format: .markdown).html)
        write(input.id + ":plain", note(input.input, format: .plain).html)
    }
case "reviews":
    for input in try lines() {
        write(input.id, review(input.input, isHTML: true).html)
        write(input.id + ":once", review(encoded(input.input), isHTML: true).html)
        write(input.id + ":twice", review(encoded(encoded(input.input)), isHTML: true).html)
        write(input.id + ":plain", review(input.input).html)
    }
case "html", "markdown":
    let format: NoteFormat = CommandLine.arguments[1] == "html" ? .html : .markdown
    for input in try lines() { write(input.id, note(input.input, format: format).html) }
case "contexts":
    for input in try lines() {
        for context in ["text", "attr", "textarea", "title"] {
            write(input.id + ":" + context, .escaped(input.input), context: context)
        }
        for context in ["json", "jsonld"] {
            let value = ScriptJSON.object([
                .init(input.input, .array([.string(input.input), .decimal(input.input)]))
            ])
            write(input.id + ":" + context, value.html, context: context)
        }
        if let url = SafeURL.checked(input.input, for: .link) {
            write(input.id + ":href", .escaped(url), context: "href")
        }
    }
case "share":
    var unchanged = 0, normalised = 0, unknown = 0
    for input in try lines() {
        let result = Array(input.input.utf8).withUnsafeBufferPointer { sanitiser.scan($0) }
        if !result.isAccepted {
            unknown += 1
        } else if result.isUnchanged {
            unchanged += 1
        } else {
            normalised += 1
        }
    }
    print("unchanged \(unchanged), normalised \(normalised), unknown \(unknown)")
case "bench":
    let inputs = try lines().map { Array($0.input.utf8) }
    bench("full", inputs) { sanitiser.sanitiseFully($0).html.bytes.count }
    bench("scanner first", inputs) { sanitiser.sanitise($0).html.bytes.count }
    let outputs = inputs.map { $0.withUnsafeBufferPointer { sanitiser.sanitise($0).html.bytes } }
    bench("scanner first, on sanitised", outputs) { sanitiser.sanitise($0).html.bytes.count }
    bench("scanner only, on sanitised", outputs) {
        sanitiser.scan($0).isUnchanged ? 1 : 0
    }
default:
    print("usage: sanitise notes|html|markdown|reviews|contexts|share|bench < inputs.jsonl")
    exit(2)
}
