import Site
import TestSupport
import Testing

@testable import Commands

@Suite struct UsageTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let expected: [String]
        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Case(arguments: ["biuld"], expected: ["'biuld' is not a command; did you mean 'build'?"]),
        Case(arguments: ["frobnicate"], expected: ["'frobnicate' is not a command"]),
        Case(
            arguments: ["tmp"],
            expected: ["'tmp' is not a command; to build the site in that folder say --site tmp"]),
        Case(
            arguments: ["--stric"],
            expected: ["'--stric' is not an option of 'build'; did you mean '--strict'?"]),
        Case(arguments: ["-q"], expected: ["'-q' is not an option of 'build'"]),
        Case(
            arguments: ["---site", "x"],
            expected: [
                "'---site' is not an option of 'build'; did you mean '--site'?",
                "'x' is not expected; 'build' takes options only",
            ]),
        Case(arguments: ["--jobs", "0"], expected: ["'--jobs' is '0'; it goes from 1 to 64"]),
        Case(arguments: ["--jobs=many"], expected: ["'--jobs' is 'many'; it goes from 1 to 64"]),
        Case(arguments: ["--site"], expected: ["'--site' wants a value: --site DIR"]),
        Case(arguments: ["--site="], expected: ["'--site' wants a value: --site DIR"]),
        Case(arguments: ["--output", "--strict"], expected: ["'--output' wants a value: --output DIR"]),
        Case(arguments: ["--quiet=yes"], expected: ["'--quiet' takes no value"]),
        Case(arguments: ["--strict", "--strict"], expected: ["'--strict' is given twice"]),
        Case(arguments: ["build", "here"], expected: ["'here' is not expected; 'build' takes options only"]),
        Case(
            arguments: ["--quiet", "build"], expected: ["'build' is not expected; the command comes first"]),
        Case(
            arguments: ["--", "--help"], expected: ["'--help' is not expected; 'build' takes options only"]),
        Case(
            arguments: ["--jbos=2", "--jobs=99", "x"],
            expected: [
                "'--jbos' is not an option of 'build'; did you mean '--jobs'?",
                "'--jobs' is '99'; it goes from 1 to 64",
                "'x' is not expected; 'build' takes options only",
            ]),
        Case(arguments: ["--si\u{1B}[2Jte"], expected: ["'--si\\u{1b}[2Jte' is not an option of 'build'"]),
    ])
    func wrongUsageIsStatusTwoWithEveryFault(_ c: Case) {
        let run = Program.run(c.arguments)
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == c.expected.map { "build-site: error: \($0) [usage]\n" }.joined()
                + "try 'build-site --help'\n")
    }

    @Test(arguments: [["--version"], ["build", "--version"], ["--strict", "--version"]])
    func printsTheVersion(_ arguments: [String]) {
        let run = Program.run(arguments)
        #expect(run.status == 0)
        #expect(run.output == "build-site \(Site.version)\n")
        #expect(run.errors.isEmpty)
    }

    @Test(arguments: [["--help"], ["-h"], ["build", "--help"], ["import", "--help"], ["--jobs", "--help"]])
    func helpFitsEightyColumns(_ arguments: [String]) {
        let run = Program.run(arguments)
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        for line in run.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test func helpNamesEveryOptionOfTheCommand() {
        let help = Program.run(["build", "--help"]).output
        for option in Command.build.options { #expect(help.contains("  --\(option.name)")) }
        #expect(Program.run(["--help"]).output.contains("  build             make the output folder"))
    }

    @Test func aClosedPipeIsNoError() {
        // `sh` so that the reader is gone before anything is written.
        let run = Program.run(
            "/bin/sh", ["-c", "(sleep 0.2; '\(Program.path)' --help; echo $? >&2) | true"], in: "/")
        #expect(run.errors == "0\n")
    }

    @Test func aFullDiskBehindStandardOutputIsAnError() {
        let run = Program.run("/bin/sh", ["-c", "'\(Program.path)' --help >/dev/full"], in: "/")
        #expect(run.status == 1)
        #expect(run.errors == "error: cannot write standard output: no space left on device [report]\n")
    }

    @Test func theBarTakesWhatTheTerminalLeaves() {
        #expect(
            ProgressPrinter.line("products", done: 50, of: 100, seconds: 5, width: 80)
                == "products ━━━━━━━━━━━━──────────── 50/100  10/s  5 s left")
        #expect(
            ProgressPrinter.line("products", done: 50, of: 100, seconds: 5, width: 40)
                == "products ━━━──── 50/100  10/s  5 s left")
        #expect(
            ProgressPrinter.line("products", done: 50, of: 100, seconds: 5, width: 20)
                == "products 50/100  10")
        #expect(
            ProgressPrinter.line("x", done: 1, of: 1000, seconds: 10, width: 34)
                == "x ───── 1/1000  0/s  167 min left")
        #expect(ProgressPrinter.line("x", done: 0, of: 0, seconds: 0, width: 80).hasPrefix("x ─"))
    }
}
