import ArgumentParser

/// Writes the tree as JSON, and reads it.
struct TreeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree",
        abstract: "Write the tree, or a part of it, as JSON, or read it from JSON.",
        discussion: """
            These commands need the running service.

            EXAMPLES
              tintype tree export -o tree.json
              tintype tree import tree.json --ns test
            """,
        subcommands: [TreeExportCommand.self, TreeImportCommand.self])
}
