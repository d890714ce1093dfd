import Glibc
import TestSupport

/// The names of the files of a folder below the project's, sorted.
func files(in folder: String) -> [String] {
    guard let stream = opendir(Project.root + "/" + folder) else { fatalError("the test needs \(folder)") }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}
