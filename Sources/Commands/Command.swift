import Basics
import Glibc
import Site

/// Runs the program with its arguments (without its own name) and gives the exit status.
public func run(_ arguments: [String]) -> Int32 {
    // A closed pipe is not an error: writing to it fails, and that is that. A file that grows beyond a limit of the
    // shell is one, but shall end in a message and not in a signal.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var words = arguments[...]
    var command: Command?
    if let first = words.first, !first.hasPrefix("-") {
        guard let named = Command.all.first(where: { $0.name == first }) else {
            return usage([unknownCommand(first)])
        }
        command = named
        words = words.dropFirst()
    }
    let questions = words.prefix { $0 != "--" }
    if questions.contains("--help") || questions.contains("-h") {
        return answer(command.map { Help.text(for: $0) } ?? Help.program)
    }
    if questions.contains("--version") { return answer("build-site \(version)\n") }
    do throws(UsageError) {
        let command = command ?? .build
        return command.run(try command.request(words))
    } catch {
        return usage(error.messages)
    }
}

private func unknownCommand(_ word: String) -> String {
    let start = "'\(word)' is not a command"
    if let near = suggestion(for: word, among: Command.all.map(\.name)) {
        return start + "; did you mean '\(near)'?"
    }
    // People coming from other generators name the folder.
    var status = stat()
    if stat(word, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        return start + "; to build the site in that folder say --site \(word)"
    }
    return start
}

/// Prints what was asked for; a full disk is an error even then.
private func answer(_ text: String) -> Int32 {
    if write(text, to: 1) { return 0 }
    let error = FileError("write", "standard output")
    write(Failure("report", error.description).description + "\n", to: 2)
    return 1
}

func usage(_ messages: [String]) -> Int32 {
    write(
        messages.map { "build-site: error: \($0.printable) [usage]\n" }.joined()
            + "try 'build-site --help'\n", to: 2)
    return 2
}
