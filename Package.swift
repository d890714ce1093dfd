// swift-tools-version: 6.3
import PackageDescription

/// Settings that every target of ours shares.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
    // Hot loops cross module borders (Basics' buffers, Templates' renderer); without this they are not specialised. That
    // nothing is read while it is changed is checked where tests run: those checks take 4 % of the time of a plan.
    .unsafeFlags(
        ["-cross-module-optimization", "-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// A C library that Debian ships, found by pkg-config; `Sources/C/<name>` holds its module map and shim only.
func library(_ name: String, pkgConfig: String, apt packages: String...) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt(packages)])
}

func module(_ name: String, uses dependencies: [String] = []) -> Target {
    .target(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: settings)
}

func tests(
    _ name: String, of dependencies: [String], exclude: [String] = [], resources: [Resource] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies.map { .init(stringLiteral: $0) } + ["TestSupport"],
        exclude: exclude, resources: resources, swiftSettings: settings)
}

let package = Package(
    name: "build-site",
    products: [
        .executable(name: "build-site", targets: ["build-site"]),
        .executable(name: "picture-worker", targets: ["picture-worker"]),
    ],
    targets: [
        .systemLibrary(name: "CSystem", path: "Sources/C/CSystem"),
        .systemLibrary(name: "CBytes", path: "Sources/C/CBytes"),
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        library("CMark", pkgConfig: "libcmark-gfm", apt: "libcmark-gfm-dev", "libcmark-gfm-extensions-dev"),
        library("CGumbo", pkgConfig: "gumbo", apt: "libgumbo-dev"),
        library("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
        library("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        // Debian's package has no pkg-config file; the module map names the library.
        .systemLibrary(
            name: "CCivetWeb", path: "Sources/C/CCivetWeb", providers: [.apt(["libcivetweb-dev"])]),
        library("CXXHash", pkgConfig: "libxxhash", apt: "libxxhash-dev"),
        library("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev"),
        library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        library("CBrotli", pkgConfig: "libbrotlienc", apt: "libbrotli-dev"),
        // Without pkg-config: see its shim.h.
        .systemLibrary(name: "CVips", path: "Sources/C/CVips", providers: [.apt(["libvips-dev"])]),
        library("CExpat", pkgConfig: "expat", apt: "libexpat1-dev"),
        // Debian's libcsv comes without a file for pkg-config.
        .systemLibrary(name: "CCSV", path: "Sources/C/CCSV", providers: [.apt(["libcsv-dev"])]),

        module("Basics", uses: ["CBytes", "CSodium", "CSystem", "CXXHash"]),
        module("Model", uses: ["Basics"]),
        module("Formats", uses: ["Basics", "CYAML", "CCSV", "CExpat"]),
        module("Markup", uses: ["Basics", "CMark", "CGumbo"]),
        module("Templates", uses: ["Basics", "Markup"]),
        .target(
            name: "Database", dependencies: ["Basics", "Model", "CSQLite"],
            resources: [.embedInCode("schema.sql")], swiftSettings: settings),
        module("Search", uses: ["Basics", "CDeflate"]),
        .target(
            name: "Site",
            dependencies: ["Basics", "Model", "Formats", "Database", "Markup", "Templates", "Search"],
            swiftSettings: settings, plugins: ["EmbedTheme"]),
        .plugin(name: "EmbedTheme", capability: .buildTool(), dependencies: ["embed-theme"]),
        .executableTarget(name: "embed-theme", swiftSettings: settings),
        .target(
            name: "Preview", dependencies: ["Basics", "Formats", "Site", "CCivetWeb"],
            resources: [.embedInCode("Client/reload.js"), .embedInCode("Client/reload.css")],
            swiftSettings: settings),
        module("Publish", uses: ["Basics", "Site", "CZlib", "CBrotli"]),
        module("Introspection", uses: ["Basics", "Model", "Database"]),
        module("Importers", uses: ["Basics", "Model", "Formats", "Markup", "Database"]),
        module(
            "Commands",
            uses: [
                "Basics", "Database", "Formats", "Importers", "Introspection", "Model", "Preview", "Publish",
                "Site",
            ]),
        .executableTarget(name: "build-site", dependencies: ["Commands"], swiftSettings: settings),
        // The only program that links libvips; build-site finds it beside itself.
        .executableTarget(
            name: "picture-worker", dependencies: ["CVips", "CSystem"], swiftSettings: settings),

        .target(
            name: "TestSupport", dependencies: ["Basics"], path: "Tests/TestSupport", swiftSettings: settings),
        // Writes what the sanitiser makes of hostile inputs, for check-sanitised to judge in a browser.
        .executableTarget(
            name: "sanitise", dependencies: ["Markup", "Basics"], path: "Tests/Sanitise", exclude: ["check"],
            swiftSettings: settings),
        // A build as a program of its own, for tests that end it or make its system calls fail (Faults/faults.c).
        .executableTarget(
            name: "build-at", dependencies: ["Basics", "Site"], path: "Tests/BuildAt", swiftSettings: settings
        ),
        tests(
            "OutputTests",
            of: ["Site", "Basics", "Database", "Formats", "build-at", "build-site", "picture-worker"]),
        // Says what a build makes of database files: damaged ones, and large ones by the clock.
        .executableTarget(
            name: "read-database", dependencies: ["Database", "Model", "Basics"], path: "Tests/ReadDatabase",
            swiftSettings: settings),
        tests("BasicsTests", of: ["Basics"]),
        tests("FormatsTests", of: ["Formats", "Basics"]),
        tests("SearchTests", of: ["Search", "Site", "Database", "Formats", "Basics"], exclude: ["engine"]),
        tests("MarkupTests", of: ["Markup", "Basics"]),
        tests("ModelTests", of: ["Model", "Database"]),
        tests("DatabaseTests", of: ["Database", "Model", "Basics", "CSQLite"]),
        tests(
            "CommandTests",
            of: ["picture-worker", "Commands", "Site", "Database", "Templates", "Formats", "Model", "Basics"]),
        tests("PreviewTests", of: ["Preview", "Site", "Database", "Basics"]),
        tests(
            "PublishTests", of: ["Publish", "Site", "Database", "Formats", "Basics"], exclude: ["Servers"]),
        tests(
            "ImportersTests", of: ["Importers", "Database", "Formats", "Model", "Basics"]),
        tests("TemplatesTests", of: ["Templates", "Markup", "Basics", "Formats"], exclude: ["Spec"]),
        tests("PageTests", of: ["Site", "Formats", "Basics", "CSQLite"]),
        tests(
            "PictureTests",
            of: ["Site", "Database", "Basics", "CVips", "CSystem", "picture-worker", "build-site"],
            resources: [.embedInCode("cmyk.jpg")]),
        tests(
            "SiteTests",
            of: ["picture-worker", "Site", "Database", "Model", "Formats", "Markup", "Templates", "Basics"]),
    ]
)
