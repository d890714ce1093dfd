import Basics

/// A mark beside the manifest that the last build failed: what is in the output then is not what the site says now,
/// and must not be published by mistake (S44).
enum BuildMark {
    static let name = "failed"

    /// Notes that a build failed, where there is something of ours to note it in.
    static func set(_ options: BuildOptions) {
        for state in states(options) { try? state.replace(name, with: [], mode: 0o644) }
    }

    /// Takes the mark away.
    static func clear(_ options: BuildOptions) {
        for state in states(options) { _ = try? state.removeFile(name) }
    }

    /// The folders in which builds of this output can have noted something; nothing is made here, since the failure may
    /// be that we must not write there.
    private static func states(_ options: BuildOptions) -> [Directory] {
        let site = options.site.hasSuffix("/") ? options.site : options.site + "/"
        let absolute = canonicalPath(options.output ?? site + "public")
        let (parent, name) = OutputFolder.split(absolute)
        return [parent + "/\(OutputFolder.stateName)/\(name)", absolute + "/\(OutputFolder.stateName)"]
            .compactMap {
                guard let state = try? Directory(path: $0), (try? state.status("manifest.db")) != nil else {
                    return nil
                }
                return state
            }
    }
}
