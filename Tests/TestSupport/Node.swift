public import Foundation

/// Runs the project's scripts outside of a browser: Debian's `nodejs`.
public enum Node {
    /// What went wrong.
    public struct Failure: Error, CustomStringConvertible {
        /// What the script or the system said.
        public let description: String
    }

    /// Runs a script below the project's folder with something to read, and returns what it prints.
    public static func run(_ script: String, _ arguments: [String] = [], input: Data = Data()) throws -> Data
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["node", Project.root + "/" + script] + arguments
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        // A pipe holds little: what is written and what is read must not wait for each other.
        let writer = Thread {
            try? stdin.fileHandleForWriting.write(contentsOf: input)
            try? stdin.fileHandleForWriting.close()
        }
        writer.start()
        let faults = Drain(stderr)
        let out = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description:
                    "node \(script) ended with \(process.terminationStatus); the tests need Debian's "
                    + "'nodejs'\n\(faults.text())")
        }
        return out
    }

    /// Reads a pipe to its end on a thread of its own.
    private final class Drain: @unchecked Sendable {
        // Written by the thread before the semaphore is signalled, read after.
        private var data = Data()
        private let done = DispatchSemaphore(value: 0)

        init(_ pipe: Pipe) {
            let thread = Thread { [self] in
                data = pipe.fileHandleForReading.readDataToEndOfFile()
                done.signal()
            }
            thread.start()
        }

        func text() -> String {
            done.wait()
            return String(decoding: data, as: UTF8.self)
        }
    }
}
