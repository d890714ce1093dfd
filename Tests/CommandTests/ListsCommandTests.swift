import Testing

@Suite struct ListsCommandTests {
    @Test func validatesTheListsOfTheSite() throws {
        let shop = try Shop()
        try shop.write(
            "content/lists.json",
            #"{"version":1,"customers":[{"id":"a","lists":{"wish":[{"product":"1"},{"product":2},{"product":"x"}]}}]}"#
        )
        let run = shop.build("lists", "validate")
        #expect(run.status == 0)
        #expect(run.output == "1 file, 1 customer, 3 items: 1 warning\n")
        #expect(run.errors.contains("no product 'x' in the database"))
        #expect(shop.build("lists", "validate", "--strict", "--quiet").status == 1)
    }

    @Test func refusesABadFileWithPlaceAndReason() throws {
        let shop = try Shop()
        try shop.write(
            "bad.json", #"{"version":1,"customers":[{"id":"a","lists":{"wish":[{"product":true}]}}]}"#)
        let run = shop.build("lists", "validate", "bad.json")
        #expect(run.status == 1)
        #expect(
            run.errors.hasPrefix("bad.json:1:65: customers[0].lists.wish[0].product: error: "),
            "\(run.errors)")
        #expect(shop.build("lists", "validate", "missing.json").status == 1)
    }

    @Test func mergesCustomersAndItems() throws {
        let shop = try Shop()
        try shop.write(
            "a.json",
            #"{"version":1,"customers":[{"id":"b","name":"Old","lists":{"wish":[{"product":"1","note":"x","added":"2026-03"}]}}]}"#
        )
        try shop.write(
            "b.json",
            #"{"version":1,"customers":[{"id":"b","name":"New","lists":{"wish":[{"product":1,"quantity":3,"note":"y","added":"2025"},{"product":"2"}],"collection":[]}},{"id":"a","generation":2}]}"#
        )
        let run = shop.build("lists", "merge", "a.json", "b.json")
        #expect(run.status == 0)
        let text = run.output.filter { !$0.isWhitespace }
        #expect(
            text
                == #"{"version":1,"customers":[{"id":"a","generation":2,"lists":{}},{"id":"b","name":"New","lists":{"wish":[{"product":"1","quantity":3,"added":"2025","note":"x;y"},{"product":"2"}],"collection":[]}}]}"#
        )
        // Merging what was merged changes nothing.
        try shop.write("merged.json", run.output)
        #expect(
            shop.build("lists", "merge", "merged.json", "a.json").output.filter { !$0.isWhitespace }.contains(
                "\"note\":\"x;y;x\"") == false)
        #expect(shop.build("lists", "merge", "merged.json").output == run.output)
    }

    @Test func theTemplateIsAListFileOfTheSite() throws {
        let shop = try Shop()
        let run = shop.build("lists", "template")
        #expect(run.status == 0)
        try shop.write("content/lists.json", run.output)
        #expect(shop.build("lists", "validate").output == "1 file, 1 customer, 3 items: 0 warnings\n")
        #expect(Program.run(["lists", "template"]).status == 0, "also where there is no site")
    }

    @Test(arguments: [
        (["lists"], "'lists' wants ACTION [FILE…]: validate, merge or template, and list files"),
        (["lists", "mrege"], "'mrege' is nothing that 'lists' does; did you mean 'merge'?"),
        (["lists", "merge"], "'lists merge' wants list files: lists merge FILE…"),
    ])
    func wrongUsage(arguments: [String], message: String) {
        let run = Program.run(arguments)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("build-site: error: \(message) [usage]\n"), "\(run.errors)")
    }
}
