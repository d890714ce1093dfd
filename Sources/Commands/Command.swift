import Basics
import Glibc
import Site

/// Runs the program with its arguments (without its own name) and gives the exit status.
public func run(_ arguments: [String]) -> Int32 {
    // A closed pipe is not an error: writing to it fails, and that is that.
    signal(SIGPIPE, SIG_IGN)
    var words = arguments[...]
    var command = CommandInfo.build
    if let first = words.first, !first.hasPrefix("-") {
        guard let named = CommandInfo.all.first(where: { $0.name == first }) else {
            let near = suggestion(for: first, among: CommandInfo.all.map(\.name))
            return usage(["'\(first)' is not a command" + (near.map { "; did you mean '\($0)'?" } ?? "")])
        }
        command = named
        words = words.dropFirst()
    } else if words.contains("--version") {
        write("build-site \(version)\n", to: 1)
        return 0
    } else if words.contains("--help") || words.contains("-h") {
        write(Help.program, to: 1)
        return 0
    }
    if words.contains("--help") || words.contains("-h") {
        write(Help.text(for: command), to: 1)
        return 0
    }
    do {
        return try BuildCommand(Arguments(words, for: command)).run()
    } catch let error as Arguments.UsageError {
        return usage(error.messages)
    } catch {
        return usage(["\(error)"])
    }
}

private func usage(_ messages: [String]) -> Int32 {
    write(messages.map { "build-site: error: \($0.printable) [usage]\n" }.joined() + "try 'build-site --help'\n", to: 2)
    return 2
}
