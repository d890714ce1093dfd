import Basics
import Glibc
import Synchronization

/// One picture worker process, started when the first picture comes and again after one that ended it.
///
/// Any thread may ask; one picture is made at a time.
final class PictureWorker: Sendable {
    private let program: String?
    private let process = Monitor<ChildProcess?>(nil)
    /// Beside ``process``, which is held for as long as a picture takes.
    private let running = Mutex(Running())

    private struct Running {
        var leash: ChildProcess.Leash?
        var isCancelled = false
    }

    /// Processor time for one picture (S31). The time on the clock is more, since others want the processor as well.
    static let secondsOfWork = 10
    private let secondsToWait: Double

    /// - Parameter program: the worker; nil when it was not found.
    init(program: String?, secondsToWait: Double = 60) {
        self.program = program
        self.secondsToWait = secondsToWait
    }

    /// Where the worker is: beside our own program, or as a package installs it.
    static func program(beside own: String? = realPath("/proc/self/exe")) -> String? {
        guard let own, let slash = own.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let folder = String(own[..<slash])
        return ["/picture-worker", "/../libexec/build-site/picture-worker"].map { folder + $0 }
            .first { access($0, X_OK) == 0 }
    }

    /// Makes all sizes of a picture.
    ///
    /// - Returns: the pack as ``Picture/parse(_:key:)`` reads it.
    /// - Throws: ``PictureFault`` when this picture cannot be made, ``Basics/Failure`` when none can.
    func make(_ bytes: [UInt8], _ header: ImageHeader?, _ recipe: PictureRecipe) throws -> [UInt8] {
        guard let program else {
            throw Failure(
                "no-picture-worker",
                "the program 'picture-worker' is not beside 'build-site'; install both, or build both with 'make build'"
            )
        }
        let family =
            switch header?.format {
            case .jpg, .avif: "jpg"
            case .png, .gif, nil: "png"
            case .webp: "webp"
            }
        let job =
            "picture \(bytes.count) \(Self.secondsOfWork) \(recipe.quality) \(recipe.wantsAVIF ? 1 : 0) "
            + "\(header == nil ? 1 : 0) \(family) \(PictureRecipe.widths.map(String.init).joined(separator: ","))\n"
        return try process.withLock { process in
            let worker = try process ?? start(program)
            process = worker
            let answer: Result<[UInt8], PictureFault>
            do throws(ChildProcess.Failure) {
                answer = try ask(worker, Array(job.utf8), bytes)
            } catch {
                switch error {
                case .late: answer = .failure(.late)
                case .gone(let signal): answer = .failure(signal == SIGXCPU ? .late : .crash)
                }
            }
            // It may be in the middle of anything: the next picture gets another.
            if case .failure(let fault) = answer, fault.isPassing {
                worker.end()
                process = nil
            }
            return try answer.get()
        }
    }

    private func ask(_ worker: ChildProcess, _ job: [UInt8], _ bytes: [UInt8]) throws(ChildProcess.Failure)
        -> Result<
            [UInt8], PictureFault
        >
    {
        let deadline = monotonicSeconds() + secondsToWait
        try worker.send(job, deadline: deadline)
        try worker.send(bytes, deadline: deadline)
        let answer = try worker.line(deadline: deadline)
        if answer.hasPrefix("ok "), let count = Int(answer.dropFirst(3)),
            (1...PictureCache.packLimit).contains(count)
        {
            return .success(try worker.bytes(count, deadline: deadline))
        }
        guard answer.hasPrefix("fault ") else { return .failure(.crash) }
        return .failure(.broken(String(answer.dropFirst(6)).printable(limit: 200)))
    }

    private func start(_ program: String) throws -> ChildProcess {
        let worker = try ChildProcess(program)
        running.withLock { running in
            running.leash = worker.leash
            if running.isCancelled { worker.leash.kill() }
        }
        do throws(ChildProcess.Failure) {
            // What does not even begin is no fault of a picture.
            if try worker.line(deadline: monotonicSeconds() + 30) == "picture-worker 1" { return worker }
        } catch {}
        throw Failure(
            "no-picture-worker",
            "it does not start, or is of another version; install libvips42, or see what running it says",
            at: .file(program))
    }

    /// Ends the process at once, whatever it does, and any that is started later: no more pictures are made.
    func cancel() {
        running.withLock { running in
            running.isCancelled = true
            running.leash?.kill()
        }
    }

    /// Ends the process.
    func end() { process.withLock { $0 = nil } }
}
