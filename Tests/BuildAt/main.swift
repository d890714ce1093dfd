import Basics
import Glibc
import Site

// build-at SITE OUTPUT SWAPS-ABOVE: a build as a program of its own, for tests that end it or make its calls fail.

struct Silent: BuildProgress {
    func begin(_ stage: String, total: Int) {}
    func advance(_ steps: Int) {}
}

let words = CommandLine.arguments
guard words.count == 4, let swapsAbove = Int(words[3]) else {
    print("usage: build-at SITE OUTPUT SWAPS-ABOVE")
    exit(2)
}
var options = BuildOptions()
options.site = words[1]
options.output = words[2]
options.swapsAbove = swapsAbove
options.jobs = 2
// So little that rows of a small site go by way of a file as well.
options.rowsInMemory = 500
do {
    let report = try build(options, progress: Silent())
    for warning in report.warnings { print(warning) }
    print("\(report.counts.written) written, \(report.counts.removed) removed")
} catch {
    print(error)
    exit(1)
}
