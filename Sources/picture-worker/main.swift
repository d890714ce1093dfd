// Makes pictures for build-site: jobs come on standard input, results go to standard output (`Job`, `Pack`).
//
// A program of its own for two reasons: a decoder that crashes, hangs or takes all memory costs one picture, and libvips takes
// 25 ms and a hundred shared libraries to load, which a build without new pictures does not need. It opens no file:
// bytes come in, bytes go out.

import CVips
import Glibc

guard isatty(0) == 0 else {
    _ = write(
        all: Array("picture-worker: error: is run by build-site and does nothing by itself [usage]\n".utf8),
        to: 2)
    exit(2)
}
// Whatever a library prints must not get between the results.
let results = dup(1)
_ = dup2(2, 1)
guard bs_vips_start("picture-worker") == 0 else {
    _ = write(all: Array("picture-worker: error: \(vipsReason())\n".utf8), to: 2)
    exit(1)
}
Limits.setOnce()
// The version of what is spoken here.
guard write(all: Array("picture-worker 1\n".utf8), to: results) else { exit(1) }

let input = Input(descriptor: 0)
while let line = input.line() {
    guard let job = Job(line), let bytes = input.bytes(job.length) else { exit(1) }
    Limits.beginJob(seconds: job.seconds)
    let answer: [UInt8]
    do throws(Fault) {
        let pack = try makePicture(bytes, job)
        answer = Array("ok \(pack.count)\n".utf8) + pack
    } catch {
        answer = Array("fault \(error.reason)\n".utf8)
    }
    guard write(all: answer, to: results) else { exit(1) }
}
