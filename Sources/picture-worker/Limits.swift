import CSystem
import Glibc

/// What the system lets this process do (S31): a picture that wants more ends the process, and build-site starts
/// another for the next.
enum Limits {
    /// Address space: pictures of 100 megapixels that cannot be read line by line need 400 MB.
    static let memory: rlim_t = 1 << 30

    static func setOnce() {
        set(RLIMIT_AS, memory)
        // Orc, which libvips compiles its inner loops with, tries a file for its code before it takes memory: that shall fail
        // and not end the process.
        signal(SIGXFSZ, SIG_IGN)
        // Nothing is written but the answers, which go to a pipe; no core dump with somebody's picture in it.
        set(RLIMIT_FSIZE, 0)
        set(RLIMIT_CORE, 0)
        // Fonts of a trusted SVG are read; nothing else is opened.
        set(RLIMIT_NOFILE, 64)
        // Where the kernel does not filter, the limits above are what there is.
        _ = bs_confine(1)
    }

    /// Processor time counts from the start of the process, so that each job moves the limit.
    static func beginJob(seconds: Int) {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        var limit = rlimit(rlim_cur: rlim_t(used + seconds + 1), rlim_max: rlim_t.max)
        getrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, rlim_t(used + seconds + 1))
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
    }

    private static func set(_ resource: __rlimit_resource, _ most: rlim_t) {
        var limit = rlimit(rlim_cur: most, rlim_max: most)
        setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }
}
