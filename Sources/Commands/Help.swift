import Site

/// The texts of `--help`, at most 80 columns wide, and docs/commands.md: all made from ``Command/all``.
enum Help {
    private static let width = 80

    static var program: String {
        """
        build-site makes a catalogue site out of a product database.

        usage: build-site [command] [options]

        commands:
        \(Command.all.map { entry($0.name, $0.summary) }.joined())
        \(paragraph("'\(Command.all[0].name)' is the default. 'build-site COMMAND --help' lists a command's options."))
        other options:
        \(entry("--help", "this text, or that of a command"))\(entry("--version", "the version"))
        exit status: 0 fine, 1 the build failed, 2 wrong usage

        """
    }

    static func text(for command: Command) -> String {
        """
        usage: \(usage(command))

        \(paragraph(command.about))
        \(command.operands.map { entry($0.usage, $0.help) + "\n" } ?? "")options:
        \(command.options.map { entry(signature($0), $0.help) }.joined())\(entry("--help", "this text"))
        """
    }

    static func usage(_ command: Command) -> String {
        "build-site \(command.name) [options]" + (command.operands.map { " " + $0.usage } ?? "")
    }

    /// docs/commands.md.
    static var manual: String {
        var out = """
            # Commands

            *Made from the option table in `Sources/Commands/Options.swift`; a test compares them.
            `UPDATE_GOLDEN=1 swift test --filter CommandTests` writes this page again.*

            ```
            build-site [command] [options]
            ```

            | command | |
            |---|---|
            \(Command.all.map { "| [`\($0.name)`](#\($0.name)) | \($0.summary) |\n" }.joined())
            `\(Command.all[0].name)` is the default. `build-site --help` and `build-site COMMAND --help` say what is on this page,
            `build-site --version` prints the version.

            Exit status: **0** fine, **1** the build failed, **2** wrong usage. Errors, warnings and progress go to standard
            error, results to standard output. A reader that closes the pipe early is no error. On a terminal a bar shows rate
            and time left; elsewhere there is one plain line for each stage. Of each kind of warning the first ten are printed;
            the report has more.


            """
        for command in Command.all {
            out += "## \(command.name)\n\n"
            out += wrapped(command.about, width: 120).joined(separator: "\n") + "\n\n"
            if let operands = command.operands {
                out += "```\n\(usage(command))\n```\n\n`\(operands.usage)`: \(operands.help).\n\n"
            }
            for option in command.options {
                out += "### `\(signature(option))`\n\n"
                out += wrapped(option.about, width: 120).joined(separator: "\n") + "\n\n"
            }
        }
        return out + Report.manual
    }

    private static func signature(_ option: Option) -> String {
        "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
    }

    /// A name and what it means, in two columns.
    private static func entry(_ name: String, _ text: String) -> String {
        let column = 20
        let lines = wrapped(text, width: width - column)
        let start = "  " + name
        let first = start + String(repeating: " ", count: max(2, column - start.count)) + (lines.first ?? "")
        let rest = lines.dropFirst().map { String(repeating: " ", count: column) + $0 }
        return ([first] + rest).map { $0 + "\n" }.joined()
    }

    private static func paragraph(_ text: String) -> String {
        wrapped(text, width: width).map { $0 + "\n" }.joined()
    }

    /// The text in lines of at most `width` characters.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(whereSeparator: \.isWhitespace) {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

extension Help {
    /// The manual page, in roff with the man macros.
    static var manualPage: String {
        // The date of a page is part of the form; the version says as much, and stays the same from day to day.
        var out = """
            .TH BUILD-SITE 1 "" "build-site \(version)" "User Commands"
            .SH NAME
            build\\-site \\- make a catalogue site out of a product database
            .SH SYNOPSIS
            .B build\\-site
            [\\fIcommand\\fR] [\\fIoptions\\fR]
            .SH DESCRIPTION
            \(roff("Without a command it does what '\(Command.all[0].name)' does."))

            """
        for command in Command.all {
            out +=
                ".SH \"\(roff(command.name.uppercased()))\"\n.B \(roff(usage(command)))\n.PP\n\(roff(command.about))\n"
            if let operands = command.operands {
                out += ".TP\n.I \(roff(operands.usage))\n\(roff(operands.help)).\n"
            }
            for option in command.options {
                let value = option.value.map { " \\fI\(roff($0))\\fR" } ?? ""
                out +=
                    ".TP\n\\fB\\-\\-\(roff(option.name))\\fR\(value)\n\(roff(option.about.replacing("`", with: "")))\n"
            }
        }
        return out + """
            .SH "EXIT STATUS"
            0 fine, 1 the command failed, 2 wrong usage.
            .SH FILES
            .TP
            .I content/site.yaml
            The settings of the site.
            .TP
            .I .build\\-site/
            What builds remember; the key of the customers' addresses is in it.

            """
    }

    /// Text as roff takes it: on one line, nothing in it a request or an escape.
    private static func roff(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("…", with: "...")
        return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
