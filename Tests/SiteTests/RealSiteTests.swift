import Basics
import Site
import TestSupport
import Testing

/// The demo shop and the examples, as their visitors find them.
@Suite struct RealSiteTests {
    @Test(arguments: RealSite.bundled)
    func everyAddressLeadsSomewhereAndNoPageHasAHole(_ site: RealSite) throws { try check(site) }

    @Test(
        .enabled(if: RealSite.dataFolder != nil, "set DATA to the folder that examples/README.md describes"),
        arguments: RealSite.elsewhere)
    func everyAddressLeadsSomewhereInOtherPeoplesData(_ site: RealSite) throws { try check(site) }

    /// 956 pictures, among them SVGs that the site trusts, in folders five deep.
    @Test(.enabled(if: RealSite.stamps.isInstalled, "install Debian's tuxpaint-stamps-default"))
    func everyStampShowsItsPicture() throws {
        let folder = TemporaryFolder()
        let report = try check(.stamps, in: folder)
        #expect(report.counts.withoutPicture == 0)
        // The top of the home page has something to show though nothing is featured and nothing has a date.
        let home = String(decoding: Project.file(folder.path + "/public/index.html"), as: UTF8.self)
        #expect(home.contains("<div class=\"shelf\">"))
        // An SVG is drawn, and never published.
        let files = try Tree(folder.path + "/public").files.keys
        #expect(!files.contains { $0.hasPrefix("assets/pictures/") && $0.hasSuffix(".svg") })
    }

    private func check(_ site: RealSite) throws { try check(site, in: TemporaryFolder()) }

    @discardableResult
    private func check(_ site: RealSite, in folder: TemporaryFolder) throws -> BuildReport {
        let output = folder.path + "/public"
        let driver = try site.driver(in: folder)
        let report = try driver.build(to: output)
        #expect(report.counts.products == site.products)
        var warnings: [String: Int] = [:]
        for warning in report.warnings where warning.id != "new-list-key" {
            warnings[warning.id, default: 0] += 1
        }
        #expect(warnings == site.warnings)

        let tree = try Tree(output)
        #expect(report.counts.files == tree.files.count)
        #expect(report.counts.pages == tree.files.keys.count { $0.hasSuffix(".html") })
        let productPages = tree.files.keys.count {
            $0.hasPrefix("products/") && $0.split(separator: "/").count == 3
        }
        #expect(productPages == site.products)

        let url = Project.text(of: site.folder + "/content/site.yaml").split(separator: "\n")
            .first { $0.hasPrefix("url: ") }.map { String($0.dropFirst(5)) }
        let check = try SiteCheck(tree, url: url.map { $0.hasSuffix("/") ? $0 : $0 + "/" })
        #expect(check.faults == [])
        #expect(check.pages == report.counts.pages)
        #expect(check.links > check.pages * 10)
        return report
    }
}
