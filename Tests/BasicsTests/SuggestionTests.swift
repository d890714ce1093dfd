import Basics
import Testing

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("prodcuts", "products"), ("distilery", "distillery"), ("curency", "currency"), ("x", nil),
        ("zzzzzz", nil),
    ])
    func findsTheNearestName(_ name: String, _ expected: String?) {
        #expect(
            suggestion(for: name, among: ["products", "categories", "distillery", "currency"]) == expected)
    }

    @Test func breaksTiesBySpelling() {
        #expect(suggestion(for: "facts", among: ["facta", "factb"]) == "facta")
    }
}
