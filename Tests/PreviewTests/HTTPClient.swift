import Glibc

@testable import Preview

/// Sends bytes to a port of this machine and reads what comes back.
final class HTTPConnection {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    /// What came back.
    struct Answer {
        var status = 0
        /// Names in lower case.
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []
        /// All of it as it came.
        var raw: [UInt8] = []

        subscript(name: String) -> String? { headers.first { $0.name == name }?.value }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// - Parameter timeout: how long to wait for bytes, in seconds.
    init?(port: Int, timeout: Int = 20) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        var time = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, "127.0.0.1", &name.sin_addr)
        let code = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code != 0 { return nil }
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let n = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if n <= 0 { return }
            rest = rest.dropFirst(n)
        }
    }

    /// More bytes; false at the end, or when none come in time.
    func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let n = recv(descriptor, &chunk, chunk.count, 0)
        if n <= 0 { return false }
        buffer += chunk[..<n]
        return true
    }

    /// All bytes until the other side closes the connection.
    func rest() -> [UInt8] {
        while fill() {}
        defer { buffer = [] }
        return buffer
    }

    /// The bytes up to and with an end.
    func bytes(upTo end: String) -> String? {
        let end = Array(end.utf8)
        while true {
            if let range = buffer.firstRange(of: end) {
                defer { buffer.removeFirst(range.upperBound) }
                return String(decoding: buffer[..<range.upperBound], as: UTF8.self)
            }
            if !fill() { return nil }
        }
    }

    /// One answer; nil when the connection ends before it.
    func answer(hasBody: Bool = true) -> Answer? {
        guard let head = bytes(upTo: "\r\n\r\n") else { return nil }
        var answer = Answer()
        answer.raw = Array(head.utf8)
        // Lines by bytes: to Swift, a carriage return and a line feed are one character.
        let lines = head.replacing("\r\n", with: "\n").split(separator: "\n")
        answer.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            answer.headers.append(
                (parts[0].lowercased(), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""))
        }
        let length = hasBody && answer.status != 304 ? Int(answer["content-length"] ?? "") ?? 0 : 0
        while buffer.count < length { if !fill() { return nil } }
        answer.body = Array(buffer[..<length])
        answer.raw += answer.body
        buffer.removeFirst(length)
        return answer
    }

    /// Asks for a path and reads the answer.
    func ask(_ path: String, port: Int, method: String = "GET", _ headers: [String] = []) -> Answer? {
        send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n"
                + headers.map { $0 + "\r\n" }.joined() + "\r\n")
        return answer(hasBody: method != "HEAD")
    }
}
