import Foundation
import PackagePlugin

/// Puts the default theme into the program: `templates/` becomes one Swift file of string literals.
@main
struct EmbedTheme: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let theme = context.package.directoryURL.appending(path: "templates")
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedTheme.swift")
        let files = try FileManager.default.subpathsOfDirectory(atPath: theme.path).sorted()
            .map { theme.appending(path: $0) }
            .filter { !$0.hasDirectoryPath && FileManager.default.isReadableFile(atPath: $0.path) }
        return [
            .buildCommand(
                displayName: "Embedding the default theme",
                executable: try context.tool(named: "embed-theme").url,
                arguments: [theme.path, output.path], inputFiles: files, outputFiles: [output])
        ]
    }
}
