import Basics
import Formats
import Glibc
import Site
import Templates
import Testing

@testable import Commands

@Suite struct ReferenceTests {
    @Test func templatesListsEveryKindAndField() throws {
        let run = Program.run(["templates"])
        #expect(run.status == 0)
        for kind in try pageSchemas() {
            #expect(run.output.contains("\(kind.template).mustache: \(kind.schema.name)\n"))
            let one = Program.run(["templates", kind.template]).output
            for entry in kind.schema.entries {
                #expect(one.contains("  \(entry.name) "), "\(kind.template) \(entry.name)")
            }
        }
        let json = Program.run(["templates", "--json"]).output
        _ = try JSON.read(SourceText(file: "templates", text: json))
        let wrong = Program.run(["templates", "prodcut"])
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("did you mean 'product'?"))
    }

    @Test func configSaysWhereEachSettingComesFrom() throws {
        let shop = try Shop(settings: "title: Corner Shop\nreviews: inline\npage_size: 12\n")
        let run = shop.build("config")
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
        #expect(lines.contains("title Corner Shop content/site.yaml:1:1"))
        #expect(lines.contains("reviews.mode inline content/site.yaml:2:1"))
        #expect(lines.contains("page_size 12 content/site.yaml:3:1"))
        #expect(lines.contains("order name default"))
        _ = try JSON.read(SourceText(file: "config", text: shop.build("config", "--json").output))
    }

    /// bash itself completes: what it offers is what there is.
    @Test(arguments: [
        ("build-site ", ["build", "check", "config", "lists"]), ("build-site ch", ["check"]),
        ("build-site --st", ["--strict"]), ("build-site build --j", ["--jobs", "--json"]),
        ("build-site completions ", ["bash", "fish", "zsh"]), ("build-site lists m", ["merge"]),
        ("build-site --site co", ["content"]),
    ])
    func bashCompletes(line: String, expected: [String]) throws {
        let shop = try Shop()
        let script = """
            source <('\(Program.path)' completions bash)
            COMP_LINE="$1"; read -ra COMP_WORDS <<< "$COMP_LINE"
            if [[ $COMP_LINE == *" " ]]; then COMP_WORDS+=(""); fi
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _build_site 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let run = Program.run("/bin/bash", ["-c", script, "bash", line], in: shop.path)
        let offered = Set(run.output.split(separator: "\n").map(String.init))
        #expect(offered.isSuperset(of: expected), "\(offered) \(run.errors)")
        #expect(
            offered.allSatisfy { word in
                word.hasPrefix(line.split(separator: " ").last.map(String.init) ?? "") || line.hasSuffix(" ")
            })
    }

    @Test func everyShellKnowsEveryCommandAndOption() {
        for shell in ["bash", "zsh", "fish"] {
            let script = Program.run(["completions", shell]).output
            for command in Command.all {
                #expect(script.contains(command.name), "\(shell) \(command.name)")
                for option in command.options {
                    #expect(script.contains(option.name), "\(shell) --\(option.name)")
                }
            }
        }
        #expect(Program.run(["completions", "tcsh"]).status == 2)
        #expect(
            Program.run("/bin/bash", ["-n", "-c", Program.run(["completions", "bash"]).output], in: "/")
                .errors == "")
        for (shell, program) in [("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")]
        where access(program, X_OK) == 0 {
            #expect(
                Program.run(program, ["-n", "-c", Program.run(["completions", shell]).output], in: "/").errors
                    == "")
        }
    }

    @Test func theManualPageHasAllAndNoFaults() {
        let page = Program.run(["man"]).output
        #expect(page.hasPrefix(".TH BUILD-SITE 1"))
        for command in Command.all {
            #expect(page.contains(".SH \"\(command.name.uppercased())\""))
            for option in command.options {
                #expect(
                    page.contains("\\-\\-\(option.name.replacing("-", with: "\\-"))\\fR"), "\(option.name)")
            }
        }
        for line in page.split(separator: "\n") {
            #expect(!line.hasPrefix("'"), "\(line)")
            let isRequest = [".TH ", ".SH ", ".B ", ".TP", ".I ", ".PP"].contains { line.hasPrefix($0) }
            #expect(!line.hasPrefix(".") || isRequest, "\(line)")
        }
        guard access("/usr/bin/groff", X_OK) == 0 else { return }
        let script = "'\(Program.path)' man | groff -ww -man -Tutf8 2>&1 >/dev/null"
        #expect(Program.run("/bin/sh", ["-c", script], in: "/").output == "")
    }
}
