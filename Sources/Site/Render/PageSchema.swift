import Basics
public import Templates

/// A kind of page, or the tile: the template that makes it and the fields that the template may use.
public struct PageSchema: Sendable {
    /// The template, without `.mustache`.
    public let template: String
    /// What it may use.
    public let schema: Schema
}

/// All kinds of page of the default theme, in English.
public func pageSchemas() throws -> [PageSchema] {
    let theme = try Theme(overrides: nil)
    var log: [Diagnostic] = []
    let strings = try Strings(theme.strings, locale: Locale("en"), overrides: [:])
    return try Views(theme, strings: strings, log: &log).schemas
}
