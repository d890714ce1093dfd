import Basics

/// An option of a command: defined once; `--help`, completions and docs/commands.md are made from it.
struct Option: Sendable {
    /// The long name without `--`.
    let name: String
    /// What the value is called in `--help`; nil for a switch.
    let value: String?
    /// One line for `--help`.
    let help: String
}

/// A command of the program.
struct CommandInfo: Sendable {
    let name: String
    /// One line for `--help`.
    let summary: String
    /// What `--help` of the command says beside its options.
    let about: String
    /// What may follow the options, as `--help` writes it.
    var arguments = ""
    let options: [Option]

    /// All commands, the default first.
    static let all = [build]

    static let build = CommandInfo(
        name: "build", summary: "make the output folder equal to what the site says",
        about: """
            Reads content/site.yaml and the database it names, and writes the site. What did not change is not written; what
            is no longer part of the site is removed. If anything is wrong, the output stays as it was.
            """,
        options: [
            Option(name: "site", value: "DIR", help: "the site's folder, which holds content/site.yaml (default: the current folder)"),
            Option(name: "output", value: "DIR", help: "the folder to write to (default: public in the site's folder)"),
            Option(name: "database", value: "FILE", help: "the database, in place of the one in site.yaml"),
            Option(name: "strict", value: nil, help: "fail when there are warnings, before anything is changed"),
            Option(name: "quiet", value: nil, help: "print errors and warnings only"),
            Option(name: "json", value: "FILE", help: "write a report for programs to FILE (- for standard output)"),
            Option(name: "jobs", value: "N", help: "worker threads (default: one for each processor)"),
        ])
}

/// Options as they were given; every fault is thrown together.
struct Arguments {
    private(set) var values: [String: String] = [:]
    private(set) var rest: [String] = []

    /// Wrong usage: exit status 2.
    struct UsageError: Error {
        let messages: [String]
    }

    init(_ words: some Sequence<String>, for command: CommandInfo) throws {
        var faults: [String] = []
        var iterator = words.makeIterator()
        var isRest = false
        while let word = iterator.next() {
            guard word.hasPrefix("-"), word != "-", !isRest else {
                rest.append(word)
                continue
            }
            if word == "--" {
                isRest = true
                continue
            }
            let parts = word.drop { $0 == "-" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard word.hasPrefix("--"), let option = command.options.first(where: { $0.name == name }) else {
                let near = suggestion(for: name, among: command.options.map(\.name) + ["help", "version"])
                faults.append("'\(word)' is not an option of '\(command.name)'" + (near.map { "; did you mean '--\($0)'?" } ?? ""))
                continue
            }
            if values[name] != nil { faults.append("'--\(name)' is given twice") }
            if option.value == nil {
                if parts.count > 1 { faults.append("'--\(name)' takes no value") }
                values[name] = ""
            } else if parts.count > 1 {
                values[name] = String(parts[1])
            } else if let value = iterator.next() {
                values[name] = value
            } else {
                faults.append("'--\(name)' wants a value: --\(name) \(option.value ?? "")")
            }
        }
        if !rest.isEmpty, command.arguments.isEmpty {
            faults.append("'\(rest[0])' is not expected; '\(command.name)' takes options only")
        }
        if !faults.isEmpty { throw UsageError(messages: faults) }
    }

    subscript(name: String) -> String? { values[name] }
    func has(_ name: String) -> Bool { values[name] != nil }
}

/// The text of `--help`.
enum Help {
    static let program = """
        build-site makes a catalogue site out of a product database.

        usage: build-site [command] [options]

        commands:
        \(CommandInfo.all.map { "  \($0.name.padded(to: 12))\($0.summary)" }.joined(separator: "\n"))

          build is the default. 'build-site COMMAND --help' lists a command's options.
          --version prints the version.

        exit status: 0 fine, 1 the build failed, 2 wrong usage.

        """

    static func text(for command: CommandInfo) -> String {
        let lines = command.options.map { option in
            "  " + ("--\(option.name)" + (option.value.map { " \($0)" } ?? "")).padded(to: 18) + option.help
        }
        return """
            usage: build-site \(command.name) [options]\(command.arguments.isEmpty ? "" : " " + command.arguments)

            \(command.about)

            options:
            \(lines.joined(separator: "\n"))
              \("--help".padded(to: 18))this text

            """
    }
}

extension String {
    /// The text with blanks up to a width, and at least one.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}
