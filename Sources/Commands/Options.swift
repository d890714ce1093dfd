import Basics
import Importers
import Model
import Preview
import Publish
import Site

/// What the command line asks for; each option sets its part of it.
struct Request: Sendable {
    /// The words that are no options: files, folders, targets.
    var operands: [String] = []
    var build = BuildOptions()
    var publish = PublishOptions()
    /// Whether `publish` takes the site as it is.
    var skipsBuild = false
    var initial = InitialOptions()
    var importing = ImportOptions()
    /// The currency of imported amounts that name none; nil is the site's.
    var currency: Currency?
    /// Whether `check` looks at the folder of pictures too.
    var looksAtPictures = false
    var isQuiet = false
    /// Where the report for programs goes; `-` is standard output.
    var report: String?
    /// What `serve` is asked for besides the site.
    var preview = PreviewOptions()
    /// Whether `serve` opens a browser.
    var opens = false
}

/// An option: defined once. `--help`, docs/commands.md and what it does are all made from this.
struct Option: Sendable {
    /// The long name without `--`.
    let name: String
    /// What the value is called; nil for a switch.
    let value: String?
    /// The words after it in `--help`.
    let help: String
    /// The paragraph in docs/commands.md, in Markdown.
    let about: String
    /// Whether it may be given several times.
    var isRepeatable = false
    /// Sets its part of the request; what it throws is wrong usage.
    let apply: @Sendable (inout Request, String) throws(UsageError) -> Void
}

/// Wrong usage, every fault of the command line: exit status 2.
struct UsageError: Error {
    let messages: [String]
}

extension Option {
    static let site = Option(
        name: "site", value: "DIR",
        help: "the site's folder, which holds content/site.yaml (default: this folder)",
        about: """
            The folder of the site. It holds `content/site.yaml`, and `templates/` if the site changes the theme. The \
            default is the current folder.
            """
    ) { request, value in request.build.site = value }

    static let output = Option(
        name: "output", value: "DIR", help: "the folder to write to (default: public in the site's folder)",
        about: """
            The folder the site is written to, made if it is missing. The default is `public` in the site's folder. It must \
            be empty, or one that build-site wrote for this site: anything else is refused and left alone. What the build \
            remembers lies beside it, in `.build-site`.
            """
    ) { request, value in request.build.output = value }

    static let database = Option(
        name: "database", value: "FILE", help: "the database, in place of the one in site.yaml",
        about: "Reads this SQLite file in place of the one that `database` in `site.yaml` names."
    ) { request, value in request.build.database = value }

    static let strict = Option(
        name: "strict", value: nil, help: "fail if there are warnings; the site then stays as it was",
        about: """
            Warnings fail the build: exit status 1, and the site stays as it was. For machines that publish without \
            anybody reading along.
            """
    ) { request, _ in request.build.isStrict = true }

    static let quiet = Option(
        name: "quiet", value: nil, help: "print errors and warnings only",
        about: "No stages, no progress, no summary: only errors and warnings, on standard error."
    ) { request, _ in request.isQuiet = true }

    static let json = Option(
        name: "json", value: "FILE", help: "write a report for programs; - is standard output",
        about: """
            Writes a report as JSON when the build is over, whether it went well or not; see below. With `-` it goes to \
            standard output, and the summary to standard error. A file that holds anything but a report is not overwritten.
            """
    ) { request, value in request.report = value }

    static let jobs = Option(
        name: "jobs", value: "N", help: "worker threads, 1 to 64 (default: one for each processor)",
        about: """
            How many threads render pages, and how many pictures are made at once, from 1 to 64; the default is one for each processor. The result is the same \
            to the byte whatever the number.
            """
    ) { (request, value) throws(UsageError) in
        guard let number = Int(value), (1...64).contains(number) else {
            throw UsageError(messages: ["'--jobs' is '\(value)'; it goes from 1 to 64"])
        }
        request.build.jobs = number
    }
}

extension Option {
    static let noBuild = Option(
        name: "no-build", value: nil, help: "publish the site as it was last built",
        about: """
            Publishes what the output folder has, without building first. Refused when the last build failed, or when files \
            were changed since.
            """
    ) { request, _ in request.skipsBuild = true }

    static let dryRun = Option(
        name: "dry-run", value: nil, help: "say what would be sent and removed, and do nothing",
        about: """
            Builds, compares with the target, and prints every file that would be sent or removed, with counts and bytes. \
            Nothing is changed at the target.
            """
    ) { request, _ in request.publish.isDryRun = true }

    static let allowDelete = Option(
        name: "allow-delete", value: nil, help: "remove more than 256 files, or a tenth of them",
        about: """
            A site that lost more than 256 files, or more than a tenth of those at the target, is not published without this: \
            more often than not something went wrong with its database.
            """
    ) { request, _ in request.publish.allowsDeletions = true }

    static let force = Option(
        name: "force", value: nil, help: "send files changed by hand, and over files of others",
        about: """
            Publishes though files of the site were changed by hand (they are sent as they are), though the last build failed, \
            though files of somebody else at the target have names of the site's (they are replaced), or though what is noted at \
            the target cannot be read (everything is sent again, and nothing is removed). All files are compared with those at \
            the target, and what is missing there or different is sent again.
            """
    ) { request, _ in request.publish.isForced = true }

    static let pictureCache = Option(
        name: "picture-cache", value: "DIR",
        help: "where pictures are kept that were made (default: .build-site/pictures in the site's folder)",
        about: """
            The folder in which pictures are kept that were made, so that each is made once. The default is \
            `.build-site/pictures` in the site's folder. Several sites, and builds at the same time, may share one; what no \
            site uses any more is removed. It can be deleted at any time.
            """
    ) { request, value in request.build.pictureCache = value }
}

/// The words a command takes besides its options.
struct Operands: Sendable {
    /// As in the usage line: `[DIR]`, `FILE…`.
    let usage: String
    /// The words after it in `--help`.
    let help: String
    let count: ClosedRange<Int>
    /// The words that the first can be, if only some can; for completions.
    var choices: [String] = []
}

/// A command of the program.
struct Command: Sendable {
    let name: String
    /// One line for `--help`.
    let summary: String
    /// What `--help` of the command and docs/commands.md say of it.
    let about: String
    var operands: Operands?
    let options: [Option]
    /// Does it, and gives the exit status.
    let run: @Sendable (Request) -> Int32

    /// All commands, the default first.
    static let all = [
        build, serve, publish, initialise, importing, check, lists, templates, config, completions, man,
    ]

    static let build = Command(
        name: "build", summary: "make the output folder equal to what the site says",
        about: """
            Reads content/site.yaml and the database it names, and writes the site. What did not change is not written; \
            what is no longer part of the site is removed. If anything is wrong, the output stays as it was.
            """,
        options: [.site, .output, .database, .pictureCache, .strict, .quiet, .json, .jobs],
        run: { BuildCommand($0).run() })

    static let publish = Command(
        name: "publish", summary: "build the site and bring it to a web host",
        about: """
            Builds the site, then brings it to a target that content/site.yaml names under 'publish': a folder, a server with \
            rsync, anything that rclone reaches, or a git branch. Only what differs is sent, in an order that leaves no page \
            without what it needs; what a run that was cut short has sent is not sent again.
            """,
        operands: Operands(
            usage: "[TARGET]", help: "the target's name in site.yaml; not needed if there is only one",
            count: 0...1),
        options: [
            .noBuild, .dryRun, .allowDelete, .force, .site, .output, .database, .strict, .quiet, .jobs,
        ],
        run: { PublishCommand($0).run() })

    /// What the words after the command ask for; every fault is thrown together.
    func request(_ words: some Sequence<String>) throws(UsageError) -> Request {
        var faults: [String] = []
        var given: Set<String> = []
        var request = Request()
        var isRest = false
        var words = Array(words)[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("-"), word != "-", !isRest else {
                if let operands, request.operands.count < operands.count.upperBound {
                    request.operands.append(word)
                    continue
                }
                let isCommand = operands == nil && Command.all.contains { $0.name == word }
                faults.append(
                    "'\(word)' is not expected"
                        + (isCommand
                            ? "; the command comes first"
                            : operands.map { "; '\(name)' takes \($0.usage)" }
                                ?? "; '\(name)' takes options only"))
                continue
            }
            if word == "--" {
                isRest = true
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let option = options.first(where: { "--" + $0.name == parts[0] }) else {
                let bare = String(parts[0].drop { $0 == "-" })
                let near = suggestion(for: bare, among: options.map(\.name) + ["help", "version"])
                faults.append(
                    "'\(parts[0])' is not an option of '\(name)'"
                        + (near.map { "; did you mean '--\($0)'?" } ?? ""))
                continue
            }
            if !given.insert(option.name).inserted, !option.isRepeatable {
                faults.append("'--\(option.name)' is given twice")
            }
            var value = parts.count > 1 ? String(parts[1]) : nil
            if let what = option.value {
                // The next word is the value, but not when it looks like an option: the value was forgotten.
                if value == nil, let next = words.first, next == "-" || !next.hasPrefix("-") {
                    value = words.removeFirst()
                }
                guard let value, !value.isEmpty else {
                    faults.append("'--\(option.name)' wants a value: --\(option.name) \(what)")
                    continue
                }
                do { try option.apply(&request, value) } catch { faults += error.messages }
            } else if value != nil {
                faults.append("'--\(option.name)' takes no value")
            } else {
                do { try option.apply(&request, "") } catch { faults += error.messages }
            }
        }
        if let operands, request.operands.count < operands.count.lowerBound {
            faults.append("'\(name)' wants \(operands.usage): \(operands.help)")
        }
        if !faults.isEmpty { throw UsageError(messages: faults) }
        return request
    }
}
