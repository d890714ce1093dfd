import CSystem
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// A decoder that a picture has taken over can do next to nothing (S31).
@Suite struct ConfinementTests {
    /// What the kernel says of the worker once it is ready for pictures.
    @Test func theWorkerIsConfinedBeforeItSeesAPicture() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Programs.folder + "picture-worker")
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var ready = ""
        while !ready.contains("\n") {
            ready += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
        let folder = "/proc/\(process.processIdentifier)/"
        let status = String(decoding: Project.file(folder + "status"), as: UTF8.self)
        let limits = String(decoding: Project.file(folder + "limits"), as: UTF8.self)
            .split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(ready == "picture-worker 1\n")
        #expect(status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("Seccomp:\t2"))
        for line in [
            "Max file size 0 0 bytes", "Max core file size 0 0 bytes", "Max open files 64 64 files",
            "Max address space 1073741824 1073741824 bytes",
        ] { #expect(limits.contains(line), "\(limits)") }
    }

    /// Every forbidden call fails, in a thread that is confined as the worker is; what decoders need goes on.
    @Test func nothingIsSentStartedOrWritten() throws {
        let folder = TemporaryFolder()
        try folder.write("there", Array("text".utf8))
        let path = folder.path
        let found = Mutex<[String: Int32]>([:])
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            defer { done.signal() }
            func note(_ name: String, _ result: Int) {
                let code = result < 0 ? errno : 0
                found.withLock { $0[name] = code }
            }
            note("confine", Int(bs_confine(0)))
            note("socket", Int(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)))
            note("local socket", Int(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)))
            note("new file", Int(open(path + "/new", O_WRONLY | O_CREAT, 0o644)))
            note("write", Int(open(path + "/there", O_RDWR)))
            note("unlink", Int(unlink(path + "/there")))
            note("rename", Int(rename(path + "/there", path + "/new")))
            note("mkdir", Int(mkdir(path + "/new", 0o755)))
            note("link", Int(symlink("/etc", path + "/new")))
            note("chmod", Int(chmod(path + "/there", 0o777)))
            note("truncate", Int(truncate(path + "/there", 0)))
            note("signal", Int(kill(getpid(), 0)))
            var child: pid_t = 0
            let code = posix_spawn(&child, "/bin/true", nil, nil, [nil], nil)
            found.withLock { $0["program"] = code }
            let file = open(path + "/there", O_RDONLY)
            note("read", Int(file))
            close(file)
            var other = pthread_t()
            found.withLock { $0["thread"] = pthread_create(&other, nil, { _ in nil }, nil) }
            pthread_join(other, nil)
        }
        thread.start()
        done.wait()
        let wanted: [String: Int32] = [
            "confine": 0, "socket": EPERM, "local socket": EPERM, "new file": EPERM, "write": EPERM,
            "unlink": EPERM, "rename": EPERM, "mkdir": EPERM, "link": EPERM, "chmod": EPERM,
            "truncate": EPERM, "signal": EPERM, "program": EPERM, "read": 0, "thread": 0,
        ]
        #expect(found.withLock { $0 } == wanted)
        #expect(TemporaryFolder.names(in: path) == ["there"])
    }
}
