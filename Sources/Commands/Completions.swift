extension Command {
    static let completions = Command(
        name: "completions", summary: "print the completions of a shell: bash, zsh or fish",
        about: """
            Prints a script that lets a shell complete commands, options and their values. For bash: \
            source <(build-site completions bash), in ~/.bashrc. For zsh: save it as _build-site in a folder of fpath. \
            For fish: save it as ~/.config/fish/completions/build-site.fish.
            """,
        operands: Operands(
            usage: "SHELL", help: "bash, zsh or fish", count: 1...1,
            choices: ["bash", "zsh", "fish"]), options: [],
        run: { request in
            switch request.operands.first {
            case "bash": answering(request) { Completions.bash }
            case "zsh": answering(request) { Completions.zsh }
            case "fish": answering(request) { Completions.fish }
            case let other:
                usage(["'\(other ?? "")' is not a shell that is known here; there are bash, zsh and fish"])
            }
        })

    static let man = Command(
        name: "man", summary: "print the manual page",
        about: """
            Prints the manual page in roff, made from the same source as --help. To read it: build-site man | man -l -. \
            'make install' puts it where man finds it.
            """,
        options: [], run: { request in answering(request) { Help.manualPage } })
}

/// Scripts for shells, made from ``Command/all``.
enum Completions {
    /// What a value is, for a shell that can offer some.
    private enum Value { case none, folder, file, other }

    private static func value(of option: Option) -> Value {
        switch option.value {
        case nil: .none
        case "DIR": .folder
        case "FILE": .file
        default: .other
        }
    }

    private static func names(_ command: Command) -> [String] {
        command.options.map { "--" + $0.name } + ["--help"]
    }

    static var bash: String {
        var out = """
            # Completions of build-site for bash.
            _build_site() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" command=build word i
                COMPREPLY=()
                if [[ ${COMP_CWORD} -gt 1 && ${COMP_WORDS[1]} != -* ]]; then command="${COMP_WORDS[1]}"; fi
                case "$command $previous" in

            """
        for command in Command.all {
            for option in command.options {
                let pattern = "\"\(command.name) --\(option.name)\""
                switch value(of: option) {
                case .none: continue
                case .folder:
                    out +=
                        "        \(pattern)) compopt -o dirnames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$current\")); return;;\n"
                case .file:
                    out +=
                        "        \(pattern)) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\")); return;;\n"
                case .other: out += "        \(pattern)) return;;\n"
                }
            }
        }
        out += """
                esac
                if [[ $current == -* ]]; then
                    case "$command" in

            """
        for command in Command.all {
            out +=
                "            \(command.name)) COMPREPLY=($(compgen -W \"\(names(command).joined(separator: " "))\" -- \"$current\"));;\n"
        }
        out += """
                    esac
                elif [[ ${COMP_CWORD} -eq 1 ]]; then
                    COMPREPLY=($(compgen -W "\(Command.all.map(\.name).joined(separator: " "))" -- "$current"))
                else
                    case "$command" in

            """
        for command in Command.all {
            guard let operands = command.operands else { continue }
            let words = operands.choices
            out +=
                words.isEmpty
                ? "            \(command.name)) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\"));;\n"
                : "            \(command.name)) COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"));;\n"
        }
        return out + """
                        *) ;;
                    esac
                fi
            }
            complete -F _build_site build-site

            """
    }

    static var zsh: String {
        func quoted(_ text: String) -> String {
            text.replacing("'", with: "'\\''").replacing("[", with: "\\[").replacing("]", with: "\\]")
                .replacing(":", with: "\\:")
        }
        var out = """
            #compdef build-site
            # Completions of build-site for zsh.
            _build-site() {
                local -a commands
                commands=(

            """
        for command in Command.all { out += "        '\(command.name):\(quoted(command.summary))'\n" }
        out += """
                )
                if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then _describe command commands; return; fi
                local command=build
                if [[ $words[2] != -* ]]; then command=$words[2]; fi
                case $command in

            """
        for command in Command.all {
            out += "        \(command.name))\n            _arguments"
            for option in command.options {
                let action =
                    switch value(of: option) {
                    case .none: ""
                    case .folder: ":folder:_files -/"
                    case .file: ":file:_files"
                    case .other: ":\(option.value ?? ""):"
                    }
                out += " \\\n                '--\(option.name)[\(quoted(option.help))]\(action)'"
            }
            out += " \\\n                '--help[this text]'"
            if let operands = command.operands {
                let action =
                    operands.choices.isEmpty ? "_files" : "(\(operands.choices.joined(separator: " ")))"
                out += " \\\n                '*:\(quoted(operands.usage)):\(action)'"
            }
            out += "\n            ;;\n"
        }
        return out + """
                esac
            }
            _build-site "$@"

            """
    }

    static var fish: String {
        func quoted(_ text: String) -> String {
            text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
        }
        var out = "# Completions of build-site for fish.\ncomplete -c build-site -f\n"
        for command in Command.all {
            out +=
                "complete -c build-site -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'\n"
            let condition =
                command.name == Command.all[0].name
                ? "'__fish_use_subcommand; or __fish_seen_subcommand_from \(command.name)'"
                : "'__fish_seen_subcommand_from \(command.name)'"
            for option in command.options {
                let action =
                    switch value(of: option) {
                    case .none: ""
                    case .folder: " -x -a '(__fish_complete_directories)'"
                    case .file: " -r -F"
                    case .other: " -x"
                    }
                out +=
                    "complete -c build-site -n \(condition) -l \(option.name)\(action) -d '\(quoted(option.help))'\n"
            }
            if let operands = command.operands {
                let action =
                    operands.choices.isEmpty ? "-F" : "-a '\(operands.choices.joined(separator: " "))'"
                out += "complete -c build-site -n \(condition) \(action)\n"
            }
        }
        return out
    }
}
