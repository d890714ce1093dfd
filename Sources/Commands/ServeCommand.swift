import Basics
import Glibc
import Preview
import Site
import Synchronization

/// `build-site serve`.
struct ServeCommand {
    private let request: Request

    init(_ request: Request) { self.request = request }

    /// Runs the preview until it is interrupted. The exit status.
    func run() -> Int32 {
        // Waited for below; blocked before any thread is started, so that none of them gets the signal.
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var options = request.preview
        options.build = request.build
        let isQuiet = request.isQuiet
        let console = Console()
        let preview: Preview
        do {
            preview = try Preview(options) { console.tell($0, isQuiet: isQuiet) }
        } catch {
            let failure = error as? Failure ?? Failure("internal", "\(error)")
            printDiagnostics(failure.diagnostics)
            return 1
        }
        if let address = options.address, !preview.isLocal {
            write("\(Self.warning(address))\n", to: 2)
        }
        if options.port != 0, preview.port != options.port {
            write("port \(options.port) is taken; this is \(preview.port)\n", to: 2)
        }
        write("\(preview.url)\n", to: 1)
        if !isQuiet { write("Ctrl-C ends the preview\n", to: 2) }
        if request.opens { open(preview.url) }
        var signal: Int32 = 0
        while sigwait(&signals, &signal) != 0 {}
        console.close()
        if !isQuiet { write("\n", to: 2) }
        // Whoever is impatient says so twice.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        preview.finish()
        return 0
    }

    static func warning(_ address: String) -> String {
        Diagnostic(
            .warning, "listen",
            "the preview listens on \(address): whoever reaches this machine and has the token sees the site, unencrypted"
        ).description
    }

    private func open(_ url: String) {
        var child = pid_t()
        let words = ["xdg-open", url]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for word in arguments { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A browser talks a lot.
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The browser shall outlive Ctrl-C, and must not inherit the blocked signals.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        let code = posix_spawnp(&child, "xdg-open", &actions, &attributes, &arguments, environ)
        if code != 0 {
            let reason = FileError("start", "xdg-open", code: code).reason
            write("no browser can be opened (\(reason)); open the address\n", to: 2)
        }
    }
}

/// Says at the terminal what becomes of the site.
private final class Console: Sendable {
    private struct State {
        var isClosed = false
        var hasFailed = false
    }

    private let state = Mutex(State())

    /// Nothing is said any more.
    func close() { state.withLock { $0.isClosed = true } }

    func tell(_ event: Preview.Event, isQuiet: Bool) {
        state.withLock { state in
            if state.isClosed { return }
            switch event {
            case .polling(let reason):
                write(
                    Diagnostic(
                        .warning, "polling",
                        "\(reason); the files are looked at twice a second instead"
                    ).description + "\n",
                    to: 2)
            case .site(.sampled):
                if !isQuiet { write("showing a sample until all products are read …\n", to: 2) }
            case .site(.planned(let products, let seconds)):
                if let seconds, !isQuiet {
                    write("\(products.of("product")), read in \(seconds.rounded(digits: 2)) s\n", to: 2)
                } else if state.hasFailed, !isQuiet {
                    write("mended\n", to: 2)
                }
                state.hasFailed = false
            case .site(.failed(let failure)):
                printDiagnostics(failure.diagnostics)
                state.hasFailed = true
            case .site(.warned(let warnings)): printDiagnostics(warnings)
            }
        }
    }
}
