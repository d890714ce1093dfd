import Preview

extension Option {
    static let port = Option(
        name: "port", value: "N", help: "the port to listen on (default: 8080, or the next one that is free)",
        about: """
            The port to listen on, 8080 if nothing is said. If it is taken, the next one that is free is used, and the \
            line that is printed says which. 0 is any free one.
            """
    ) { (request, value) throws(UsageError) in
        guard let number = Int(value), (0...65535).contains(number) else {
            throw UsageError(messages: ["'--port' is '\(value)'; it goes from 0 to 65535"])
        }
        request.preview.port = number
    }

    static let host = Option(
        name: "host", value: "ADDRESS", help: "listen on this address, so that other machines can look",
        about: """
            Listens on an address of this machine, such as `192.168.1.5`, in place of the loopback addresses \
            `127.0.0.1` and `::1`; `0.0.0.0` is all of them. Whoever reaches the machine can then reach the preview, so \
            every request must carry a token: the address that is printed has it, and a browser that opened that keeps it \
            until it is closed. Nothing is encrypted.
            """
    ) { request, value in request.preview.address = value }

    static let open = Option(
        name: "open", value: nil, help: "open the preview in the browser",
        about: "Opens the preview in the browser of the desktop, by `xdg-open`."
    ) { request, _ in request.opens = true }

    static let built = Option(
        name: "built", value: nil, help: "serve the output folder as it was built, as a host would",
        about: """
            Serves what the last build wrote, as a host would, instead of making pages when they are asked for. Only \
            files that the build wrote are there. A build that ends while the preview runs is shown.
            """
    ) { request, _ in request.preview.isBuilt = true }

    static let poll = Option(
        name: "poll", value: nil, help: "look at the files twice a second; for network drives",
        about: """
            Looks at times and sizes of all files twice a second, rather than being told of changes by the system. Network \
            drives need it, whose changes made elsewhere the system does not hear of. Where the system cannot tell at \
            all, that is done anyhow, and said.
            """
    ) { request, _ in request.preview.polls = true }

    static let noReload = Option(
        name: "no-reload", value: nil, help: "watch nothing, and add no script to pages",
        about: """
            Watches nothing, and gives no page the script that loads it again. Templates, texts, addresses and the order \
            of products stay what they were when the preview was started; what a page says of a product is read from the \
            database when it is asked for.
            """
    ) { request, _ in request.preview.reloads = false }
}

extension Command {
    static let serve = Command(
        name: "serve", summary: "show the site in a browser, as it is while it is worked on",
        about: """
            Shows the site at an address of this machine until Ctrl-C. Pages are made when they are asked for, as a build \
            makes them, so that it starts at once however large the catalogue is, and nothing is written to the output \
            folder. When the database, a template, a page, a list or a picture changes, pages that are open change with it: \
            style sheets without being loaded anew, others in place. What is wrong is shown over the page.
            """,
        options: [
            .site, .database, .port, .host, .open, .built, .output, .poll, .noReload, .quiet,
        ],
        run: { ServeCommand($0).run() })
}
