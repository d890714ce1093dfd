public import Basics
import Database
import Model

/// What is wrong with a site's pictures: missing and broken ones, files that nothing shows, pictures smaller than a card shows them.
///
/// Every picture is made, as a build would, and kept for the next one; the output is neither read nor written. Sorted by place.
///
/// - Throws: ``Basics/Failure`` when the site or its database cannot be read.
public func pictureReport(_ options: BuildOptions) throws -> [Diagnostic] {
    let sources = try SiteSources(options)
    let pictures = sources.pictures
    defer { pictures.close() }
    var used: Set<String> = []
    var log: [Diagnostic] = []
    func look(at names: [String], _ place: Diagnostic.Place) {
        for name in names { pictures.request(name) }
        for name in names {
            if let file = pictures.file(of: name) { used.insert(file) }
            switch pictures.find(name) {
            case .failure(let fault):
                log.append(Diagnostic(.warning, fault.id, fault.message(name), at: place))
            case .success(let picture) where max(picture.width, picture.height) < cardSize:
                log.append(
                    Diagnostic(
                        .warning, "small-picture",
                        "\(PictureFault.subject(name)) has \(picture.width) × \(picture.height) pixels; a card shows \(cardSize) "
                            + "and more", at: place))
            case .success: break
            }
        }
    }
    let reader = try sources.openDatabase()
    do {
        try reader.forEachProduct(.brief) { entry in
            let product = entry.product
            look(
                at: pictures.sources(of: product).map(\.file),
                .product(id: product.id.description, name: product.name))
        }
        for category in try reader.categories().categories {
            guard let picture = category.picture else { continue }
            look(
                at: [picture],
                .cell(table: "categories", row: category.id.description, column: "picture"))
        }
    } catch let error as DatabaseError {
        throw sources.failure(error)
    }
    // A full disk, or no worker.
    _ = try pictures.found()
    try pictures.originals.forEach { path, status in
        let name = OutputFolder.split(path).file
        guard status.kind == .regular, !used.contains(path), !name.hasPrefix(".") else { return }
        log.append(
            Diagnostic(
                .warning, "unused-picture", "nothing shows this file",
                at: .file(sources.settings.pictures.folder + "/" + path)))
    }
    return log.sortedByPlace()
}

/// The width of a card's picture in the default theme, in pixels of a screen at 1 ×.
private let cardSize = 448
