import Foundation
import TestSupport
import Testing

@testable import Site

/// gohugoio/hugo#5181: resized photographs lie on their side. getzola/zola#2445: width and height are those before turning.
@Suite struct OrientationTests {
    @Test func everyOrientationComesOutUpright() throws {
        // The originals, where the machine has them.
        let folder =
            ProcessInfo.processInfo.environment["DATA"].map { $0 + "/exif-orientation" }
            ?? Project.root + "/Tests/Corpora/exif-orientation"
        let shop = try PictureShop()
        let names = ["Landscape", "Portrait"].flatMap { kind in (0...8).map { "\(kind)_\($0).jpg" } }
        for name in names { try shop.add(name, Project.file(folder + "/" + name)) }
        let report = try shop.build()
        #expect(report.warnings.isEmpty)
        for (i, name) in names.enumerated() {
            let shown = try shop.shown(i + 1)
            // Orientation 1 is how the photograph is stored when it is upright.
            let upright = try shop.shown(i < 9 ? 2 : 11)
            #expect(i < 9 ? shown.width > shown.height : shown.width < shown.height, "\(name)")
            #expect(shown.distance(to: upright) < 12, "\(name)")
            let page = try shop.page(i + 1)
            #expect(page.contains("width=\"\(shown.width)\" height=\"\(shown.height)\""), "\(name)")
        }
        // The measure tells turned pictures from upright ones.
        let (a, b) = (try shop.shown(2), try shop.shown(11))
        #expect(a.distance(to: b) > 40)
        var turned = a.bytes
        turned.reverse()
        let difference = zip(a.bytes, turned).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } / turned.count
        #expect(difference > 24)
    }
}
