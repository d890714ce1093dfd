/// A request as it was sent; nothing of it is trusted.
struct Request: Sendable {
    /// Such as `GET`.
    let method: String
    /// The request target as it stands in the first line, without the query: `/products/`, or `http://host/products/`.
    let target: String
    /// What follows `?`, if there is one.
    let query: String?
    /// Such as `1.1`.
    let version: String
    /// Names in lower case, in the order in which they came.
    let headers: [(name: String, value: String)]
    /// Whether the first line is as it should be, with single spaces, and the names of headers are, each with its colon.
    var isWellFormed = true

    /// The values of a header.
    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }

    /// The value of a header that may be there once.
    subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    /// Whether somebody types the address, or follows a link, to see a page: not a part of one, and no program.
    var isNavigation: Bool { self["sec-fetch-mode"] == "navigate" && self["sec-fetch-dest"] == "document" }
}
