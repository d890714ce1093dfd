import Basics
import Foundation
import Site
import TestSupport
import Testing

/// Builds a site as a test sees it: a folder with `content/`, built to a folder outside.
struct Driver {
    let site: String
    var database: String?
    var jobs: Int? = 2

    func build(to output: String) throws -> BuildReport {
        var options = BuildOptions()
        options.site = site
        options.output = output
        options.database = database
        options.jobs = jobs
        let programs = Program.path.prefix(Program.path.count - "build-site".count)
        options.pictureWorker = programs + "picture-worker"
        // One for all tests: the demo's pictures take half a minute.
        options.pictureCache = programs + "test-pictures"
        return try Site.build(options, progress: Silence())
    }
}

/// Hears nothing.
struct Silence: BuildProgress {
    func begin(_ stage: String, total: Int) {}
    func advance(_ steps: Int) {}
}

/// The program as a process.
enum Program {
    /// Beside the bundle of tests that runs.
    static let path: String = {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") }
        guard let bundle, let end = bundle.range(of: "/", options: .backwards) else {
            return Project.root + "/.build/debug/build-site"
        }
        return bundle[..<end.lowerBound] + "/build-site"
    }()

    /// Runs it to its end: the exit status and what it printed.
    static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> (
        status: Int32, text: String
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}

/// A site that end-to-end tests run on.
struct RealSite: CustomTestStringConvertible, Sendable {
    let name: String
    /// The site's folder below the project's.
    let folder: String
    /// The database below the folder that `DATA` names; nil when the site brings its own.
    var data: String?
    /// How many rows the products query selects.
    let products: Int
    /// Warnings by id.
    var warnings: [String: Int] = [:]

    var testDescription: String { name }

    static let bundled = [
        RealSite(name: "demo", folder: ".", products: 260, warnings: ["unknown-product": 1]),
        RealSite(name: "northwind", folder: "examples/northwind", products: 77),
        RealSite(name: "chinook", folder: "examples/chinook", products: 3503),
    ]
    static let elsewhere = [
        RealSite(
            name: "openbeerdb", folder: "examples/openbeerdb", data: "openbeerdb/openbeerdb.sqlite",
            products: 5901,
            warnings: ["control-character": 88, "not-a-gtin": 2]),
        RealSite(
            name: "craft-beers", folder: "examples/craft-beers", data: "craft-beers/craft-beers.sqlite",
            products: 2410),
        RealSite(name: "tate", folder: "examples/tate", data: "tate", products: 69202),
    ]

    /// What Debian's package has, which the example's `make` copies.
    static let stamps = RealSite(
        name: "tuxpaint", folder: "examples/tuxpaint", data: "/usr/share/tuxpaint/stamps", products: 956)

    /// Whether its data, which is of another package, is there.
    var isInstalled: Bool { FileManager.default.fileExists(atPath: data ?? "/") }

    /// The folder with other people's data, if this run has it.
    static let dataFolder = ProcessInfo.processInfo.environment["DATA"]

    /// Copies the site into a folder, so that a build leaves nothing beside the original.
    func driver(in folder: TemporaryFolder) throws -> Driver {
        let site = "sites/" + name
        var driver = Driver(site: folder.path + "/" + site)
        if name == "tuxpaint" {
            for file in ["make", "content/site.yaml"] {
                try folder.copy(self.folder + "/" + file, to: site + "/" + file)
            }
            try run(folder.path + "/" + site + "/make", [data ?? ""])
            return driver
        }
        try folder.copy(self.folder + "/content", to: site + "/content")
        guard let data else { return driver }
        let path = (Self.dataFolder ?? "") + "/" + data
        if name == "tate" {
            let database = folder.path + "/tate.db"
            try run(Project.root + "/examples/tate/load", [path, database])
            driver.database = database
        } else {
            driver.database = path
        }
        return driver
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }
}
