import Basics
import Markup
import Templates
import Testing

@Suite struct RenderingTests {
    let fixture = Fixture.shared

    struct Case: CustomTestStringConvertible, Sendable {
        let template: String, expected: String
        var others: [String: String] = [:]
        var testDescription: String { template.debugDescription }
    }

    @Test(arguments: [
        Case(
            template: "{{name}}",
            expected: "&lt;b&gt;Glen &amp; &quot;Ord&quot;&lt;/b&gt; &#39;n&#39; &#96;x&#96;"),
        Case(template: "<a href=\"{{url}}\">", expected: "<a href=\"glen-ord/\">"),
        Case(template: "{{{note}}}|{{&note}}", expected: "peat &amp; smoke|peat &amp; smoke"),
        Case(template: "{{#tags}}({{.}}){{/tags}}", expected: "(peated)(cask &amp; bottle)"),
        Case(
            template: "{{#distillery}}at {{.}}{{/distillery}}{{^distillery}}-{{/distillery}}", expected: "-"),
        Case(template: "{{#note}}<p>{{{.}}}</p>{{/note}}", expected: "<p>peat &amp; smoke</p>"),
        Case(
            template: "{{#tags}}{{#in_stock}}{{.}},{{/in_stock}}{{/tags}}",
            expected: "peated,cask &amp; bottle,"),
        Case(template: "{{^in_stock}}gone{{/in_stock}}{{#in_stock}}here{{/in_stock}}", expected: "here"),
    ])
    func writesValuesForTheirKind(_ test: Case) throws {
        #expect(try fixture.render(test.template) == test.expected)
    }

    @Test(arguments: [
        Case(template: "{{brand.name}}", expected: "Ord"),
        Case(template: "{{#brand}}{{name}} {{url}}{{/brand}}", expected: "Ord glen-ord/"),
        Case(template: "{{#reviews}}{{author}} {{brand.name}};{{/reviews}}", expected: "Ann Ord;Bob Ord;"),
        Case(
            template: "{{#reviews}}{{>r}}{{/reviews}}{{>s}}", expected: "(Ann)(Bob)Ord",
            others: ["r": "({{author}})", "s": "{{#brand}}{{name}}{{/brand}}"]),
    ])
    func findsNamesInTheNearestContextThatHasThem(_ test: Case) throws {
        #expect(try fixture.render(test.template, test.others) == test.expected)
    }

    @Test func absentValueHidesNoOuterOneBecauseContextsAreChosenBySchema() throws {
        var record = fixture.record()
        record[fixture.maker] = Record(fixture.brand)
        #expect(try fixture.render(record, "{{#brand}}[{{name}}]{{/brand}}") == "[]")
    }

    @Test func recursivePartialFollowsTheTreeAndIndentsMoreAtEachLevel() throws {
        let node = "<li>{{title}}\n{{#children}}\n  {{>node}}\n{{/children}}\n"
        let page = "<ul>\n  {{#categories}}\n  {{>node}}\n  {{/categories}}\n</ul>\n"
        let expected = "<ul>\n  <li>Whisky\n    <li>Malt\n      <li>Islay\n    <li>Grain\n</ul>\n"
        #expect(try fixture.render(page, ["node": node]) == expected)
    }

    @Test func rendersTreesFarDeeperThanAThreadsStackAllows() throws {
        var tree = fixture.tree("x", [])
        for _ in 0..<5_000 { tree = fixture.tree("x", [tree]) }
        var record = Record(fixture.product)
        record[fixture.categories] = [tree]
        let out = try fixture.render(
            record, "{{#categories}}{{>node}}{{/categories}}",
            ["node": "{{title}}{{#children}}{{>node}}{{/children}}"])
        #expect(out == String(repeating: "x", count: 5_001))
    }

    @Test func choiceFieldPicksThePartial() throws {
        let partials = ["wide": "W{{name}}", "narrow": "N"]
        var record = Record(fixture.product)
        #expect(try fixture.render(record, "{{>*layout}}", partials) == "")
        record[fixture.layout] = "narrow"
        #expect(try fixture.render(record, "{{>*layout}}", partials) == "N")
    }

    @Test func fragmentsGoInAsTheyStand() throws {
        let tile = try Fixture.set("<li>{{name}}</li>").compile("page", for: fixture.product)
        var record = fixture.record()
        record[fixture.name] = "A&B"
        let fragment = tile.fragment(record)
        record[fixture.tile] = fragment
        record[fixture.tiles] = [fragment, fragment]
        let out = try fixture.render(record, "{{{tile}}}|{{#tiles}}{{{.}}}{{/tiles}}")
        #expect(out == "<li>A&amp;B</li>|<li>A&amp;B</li><li>A&amp;B</li>")
    }

    @Test func fieldsCanBeReadBack() {
        let record = fixture.record()
        #expect(record[fixture.layout] == "wide")
        #expect(record[fixture.tags] == ["peated", "cask & bottle"])
        #expect(record[fixture.maker]?[fixture.brandName] == "Ord")
        #expect(record[fixture.reviews].map { $0[fixture.author] } == ["Ann", "Bob"])
        #expect(record[fixture.distillery] == nil)
    }

    @Test func manyThreadsRenderTheSameBytes() async throws {
        let page =
            "{{#categories}}{{>node}}{{/categories}}{{#reviews}}<p title=\"{{author}}\">{{name}}</p>{{/reviews}}"
        let template = try Fixture.set(
            page, ["node": "\n  {{title}}\n{{#children}}\n  {{>node}}\n{{/children}}\n"]
        )
        .compile("page", for: fixture.product)
        let record = fixture.record()
        let expected = template.fragment(record)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<500).allSatisfy { _ in template.fragment(record) == expected } }
            }
            for await same in group { #expect(same) }
        }
    }
}

@Suite struct InheritanceTests {
    let fixture = Fixture.shared
    let layout = "<title>{{$title}}Shop{{/title}}</title>\n<main>\n  {{$main}}\n  {{/main}}\n</main>\n"

    @Test func blocksReplaceTheParentsAndKeepItsIndentation() throws {
        let page =
            "{{<layout}}\n{{$main}}\n<p>\n  {{url}}\n</p>\n{{/main}}\n{{$title}}{{url}}{{/title}}\n{{/layout}}\n"
        let expected =
            "<title>glen-ord/</title>\n<main>\n  <p>\n    glen-ord/\n  </p>\n</main>\n"
        #expect(try fixture.render(page, ["layout": layout]) == expected)
    }

    @Test func blocksThatAreNotReplacedShowTheirDefault() throws {
        #expect(
            try fixture.render("{{<layout}}{{/layout}}", ["layout": layout])
                == "<title>Shop</title>\n<main>\n</main>\n")
    }

    @Test func blockOfAPageIsNotReplacedInsideItsOwnBody() throws {
        // The card's title is the page's own, not the one that it gives to the layout.
        let page =
            "{{<layout}}{{$title}}T{{/title}}{{$main}}{{<card}}{{$title}}C{{/title}}{{/card}}{{/main}}{{/layout}}"
        let out = try fixture.render(
            page, ["layout": "{{$title}}{{/title}}/{{$main}}{{/main}}", "card": "[{{$title}}{{/title}}]"])
        #expect(out == "T/[C]")
    }

    @Test func blocksReachThePartialsOfAParent() throws {
        let out = try fixture.render(
            "{{<layout}}{{$title}}T{{/title}}{{/layout}}",
            ["layout": "{{>head}}", "head": "<h1>{{$title}}x{{/title}}</h1>"])
        #expect(out == "<h1>T</h1>")
    }

    @Test func outermostOfSeveralLevelsWins() throws {
        let out = try fixture.render(
            "{{<b}}{{$x}}1{{/x}}{{/b}}",
            ["b": "{{<a}}{{$x}}2{{/x}}{{$y}}2{{/y}}{{/a}}", "a": "{{$x}}3{{/x}}{{$y}}3{{/y}}"])
        #expect(out == "12")
    }

    @Test func recursiveParentIsFinite() throws {
        let node =
            "{{title}}({{$inner}}{{/inner}}{{#children}}{{<node}}{{$inner}}!{{/inner}}{{/node}}{{/children}})"
        let out = try fixture.render("{{#categories}}{{>node}}{{/categories}}", ["node": node])
        #expect(out == "Whisky(Malt(!Islay(!))Grain(!))")
    }
}

@Suite struct FingerprintTests {
    @Test func changesExactlyWhenAUsedSourceChanges() throws {
        let sources = [
            "layout": "{{>head}}{{$main}}{{/main}}", "head": "<h1>{{name}}</h1>", "unused": "x",
            "part": "{{url}}",
        ]
        let page = "{{<layout}}{{$main}}{{#reviews}}{{>part}}{{/reviews}}{{/main}}{{/layout}}"
        func fingerprint(_ page: String, _ sources: [String: String]) throws -> Fingerprint {
            try Fixture.set(page, sources).compile("page", for: Fixture.shared.product).fingerprint
        }
        let before = try fingerprint(page, sources)
        for name in sources.keys {
            let changed = sources.merging([name: sources[name, default: ""] + " "]) { $1 }
            #expect(try (fingerprint(page, changed) != before) == (name != "unused"), "\(name)")
        }
        #expect(try fingerprint(page + "\n", sources) != before)
        #expect(try fingerprint(page, sources) == before)
    }
}
