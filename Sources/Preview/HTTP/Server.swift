import Basics
import CCivetWeb
import Glibc

/// What answers requests; called on several threads at once.
protocol RequestHandler: AnyObject, Sendable {
    /// What is to be done about a request that has waited for some seconds.
    func reply(to request: Request, waited: Double) -> Reply
    /// Waits until a request that was to wait may have an answer, or for a moment. Called on the connection's thread.
    func waitForPlan()
    /// Waits for news after a count of news, or for some seconds; nil when there will be no more. Called on the
    /// connection's thread.
    func news(after count: Int?) -> Int?
    /// What a stream says of the state of things, and the count of news that it covers.
    func event() -> (bytes: [UInt8], count: Int)
}

/// What is to be done about a request.
enum Reply: Sendable {
    case answer(Response)
    /// A stream of events, beginning with these bytes.
    case stream(head: [UInt8])
    /// Nothing yet: the plan that will tell is being made.
    case wait
}

/// The HTTP server: CivetWeb, which reads requests and keeps connections, a thread each.
///
/// Its own serving of files, its CGI, uploads and passwords are never reached: every request goes to the handler.
final class Server {
    private let context: OpaquePointer
    private let box: HandlerBox

    /// The version of the library, such as `1.15`.
    static var libraryVersion: String { String(cString: mg_version()) }

    /// Listens on some addresses, each with its port, such as `127.0.0.1:8080`; nil when it cannot.
    ///
    /// - Parameter connections: how many are served at once, a thread each; what comes on top waits.
    init?(_ addresses: [String], connections: Int, handler: any RequestHandler) {
        box = HandlerBox(handler)
        var callbacks = mg_callbacks()
        callbacks.begin_request = { connection in connection.map { serve($0) } ?? 0 }
        callbacks.http_error = { connection, status, _ in
            guard let connection else { return 0 }
            send(refusal(status: Int(status), connection), to: connection)
            // Only whether there is something counts: this connection has had its answer.
            mg_set_user_connection_data(connection, UnsafeMutableRawPointer(bitPattern: 1))
            return 0
        }
        callbacks.connection_close = { connection in
            guard let connection, mg_get_user_connection_data(connection) == nil,
                let info = mg_get_request_info(connection)?.pointee
            else { return }
            // A request for another host, or for none: the library has no more to say to it than to hang up.
            if info.request_uri != nil, info.local_uri == nil {
                send(.plain(400, "not for this preview", closes: true), to: connection)
            }
        }
        callbacks.log_message = { _, _ in 1 }
        callbacks.log_access = { _, _ in 1 }
        let options = [
            ("listening_ports", addresses.joined(separator: ",")), ("num_threads", "\(connections)"),
            ("connection_queue", "1024"), ("enable_keep_alive", "yes"), ("keep_alive_timeout_ms", "10000"),
            ("request_timeout_ms", "10000"), ("max_request_size", "100000"), ("tcp_nodelay", "1"),
            // The path is decoded by us, once.
            ("decode_url", "no"), ("enable_auth_domain_check", "no"),
        ]
        var words: [UnsafePointer<CChar>?] = []
        for (name, value) in options { words += [UnsafePointer(strdup(name)), UnsafePointer(strdup(value))] }
        defer { for word in words { free(UnsafeMutablePointer(mutating: word)) } }
        words.append(nil)
        mg_init_library(0)
        // Held until `stop`: a program that ends without it still has threads that answer.
        let held = Unmanaged.passRetained(box)
        guard let server = mg_start(&callbacks, held.toOpaque(), &words) else {
            held.release()
            return nil
        }
        self.context = server
    }

    /// Waits until no answer is under way, for some seconds at most: what a program does that ends itself next.
    func finish(seconds: Double) { _ = box.busy.wait(seconds: seconds) { $0 == 0 ? true : nil } }

    /// Ends it: no more connections, and those that there are end after their answer. May take two seconds.
    func stop() {
        mg_stop(context)
        Unmanaged.passUnretained(box).release()
    }
}

/// Carries the handler through C.
///
/// The library's threads have a stack of 100 kB, so that they do nothing but wait and write.
private final class HandlerBox {
    let handler: any RequestHandler
    let workers = Workers(8)
    /// How many answers are under way, streams aside.
    let busy = Monitor(0)

    init(_ handler: any RequestHandler) { self.handler = handler }

    deinit { workers.close() }
}

/// How many seconds a request waits at most for what is being read.
private let patience = 60.0

/// Answers one request; the status, which tells the library that it was answered.
private func serve(_ connection: OpaquePointer) -> Int32 {
    guard let info = mg_get_request_info(connection), let context = mg_get_user_context_data(connection)
    else { return 0 }
    // The server keeps the box until all threads have ended.
    let box = Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue()
    let (handler, workers) = (box.handler, box.workers)
    box.busy.withLock { $0 += 1 }
    var isBusy = true
    func rest() {
        if isBusy { box.busy.withLock { $0 -= 1 } }
        isBusy = false
    }
    defer { rest() }
    let request = Request(info.pointee)
    var reply = workers.run { handler.reply(to: request, waited: 0) }
    let start = monotonicSeconds()
    // What is waited for may be followed by more, as the plan is by the data of the search.
    while case .wait = reply, monotonicSeconds() - start < patience {
        handler.waitForPlan()
        let waited = monotonicSeconds() - start
        reply = workers.run { handler.reply(to: request, waited: waited) }
    }
    switch reply {
    case .answer(let response):
        if response.closes { mg_disable_connection_keep_alive(connection) }
        send(response, to: connection, hasBody: request.method != "HEAD")
        return Int32(response.status)
    case .stream(let head):
        rest()
        mg_disable_connection_keep_alive(connection)
        stream(head, of: handler, workers, to: connection)
        return 200
    case .wait:
        send(.plain(503, "the catalogue is still being read; try again"), to: connection)
        return 503
    }
}

/// Sends events until nobody is there, or the preview ends.
private func stream(
    _ head: [UInt8], of handler: any RequestHandler, _ workers: Workers, to connection: OpaquePointer
) {
    guard mg_write(connection, head, head.count) == head.count else { return }
    var told: Int?
    while let count = handler.news(after: told) {
        var bytes = Array(":\n\n".utf8)
        // The same count again: some seconds are over, and a comment tells whether anybody is still there.
        if count != told {
            let event = workers.run { handler.event() }
            (bytes, told) = (event.bytes, event.count)
        }
        guard mg_write(connection, bytes, bytes.count) == bytes.count else { return }
    }
}

/// What is said when the library finds something wrong by itself; its own page would say more than anybody needs.
private func refusal(status: Int, _ connection: OpaquePointer) -> Response {
    let method = mg_get_request_info(connection)?.pointee.request_method.map { String(cString: $0) } ?? ""
    // It knows some methods only, and calls the others malformed.
    let isMethod = !method.isEmpty && method.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    if status == 400, isMethod, !Gate.methods.contains(method) { return Gate.wrongMethod }
    return .plain(status == 413 ? 431 : status, Response.reason(status), closes: true)
}

private func send(_ response: Response, to connection: OpaquePointer, hasBody: Bool = true) {
    let bytes = response.bytes(hasBody: hasBody)
    if mg_write(connection, bytes, bytes.count) != bytes.count {
        mg_disable_connection_keep_alive(connection)
    }
}

extension mg_header {
    /// Whether no blank stood between the name and its colon (RFC 9112 §5.1).
    ///
    /// The library puts a zero in the place of each, and of the colon; from there to the value there are blanks alone.
    fileprivate var hasColonAfterName: Bool {
        guard let name, let value else { return true }
        let colon = name + strlen(name)
        return colon >= value || colon[1] != 0 || colon + 1 == value
    }
}

extension Request {
    fileprivate init(_ info: mg_request_info) {
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        method = text(info.request_method)
        target = text(info.request_uri)
        query = info.query_string.map { String(cString: $0) }
        version = text(info.http_version)
        var headers: [(name: String, value: String)] = []
        var isWellFormed = true
        withUnsafeBytes(of: info.http_headers) { bytes in
            let all = bytes.bindMemory(to: mg_header.self)
            for header in all.prefix(Int(info.num_headers)) {
                headers.append((text(header.name).lowercased(), text(header.value)))
                if !header.hasColonAfterName { isWellFormed = false }
            }
        }
        self.headers = headers
        // The library skips any number of blanks. Both words still stand where they came in.
        if let method = info.request_method, let target = info.request_uri,
            target - method != strlen(method) + 1
        {
            isWellFormed = false
        }
        self.isWellFormed = isWellFormed
    }
}
