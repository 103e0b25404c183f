import API
import ArgumentParser
import Rules
import TreeModel
import Uploads

/// Compiles rules without setting them.
struct RulesCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a file of rules; no service needed.",
        discussion: """
            The first error is printed with its line and column, and the exit code is then 1.

            EXAMPLES
              tintype rules check rules.json
              tintype rules show | tintype rules check -
              tintype rules check storage.rules --storage-rules
            """)

    @Argument(help: ArgumentHelp("The file; - is standard input.", valueName: "file"))
    var file: String

    @Flag(help: "The file contains storage rules, which decide who may fetch which photos.")
    var storageRules = false

    @Flag(help: "Print the result as one JSON document.")
    var json = false

    func run() async throws {
        let file = try await TextFile(path: file)
        do {
            if storageRules {
                _ = try file.storageRules()
                accept(RulesCheckDocument(file: file.name, outcome: .accepted), "no errors")
            } else {
                let counts = try file.rules().counts
                var document = RulesCheckDocument(file: file.name, outcome: .accepted)
                (document.rules, document.indexes) = (counts.rules, counts.indexes)
                document.timesToLive = counts.timesToLive
                accept(
                    document, "\(counts.rules) rules, \(counts.indexes) indexes, \(counts.timesToLive) times to live")
            }
        } catch let fault as TextFault {
            if json {
                var document = RulesCheckDocument(file: file.name, outcome: .refused)
                (document.line, document.column, document.message) = (fault.line, fault.column, fault.message)
                Terminal.outputJSON(document)
            }
            throw fault
        }
    }

    private func accept(_ document: RulesCheckDocument, _ words: String) {
        if json { Terminal.outputJSON(document) } else { Terminal.output("\(document.file.printable): \(words)") }
    }
}
