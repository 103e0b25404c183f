import API
import Access
import ArgumentParser
import HTTPTypes
import Model
import TreeModel

/// Prints the rules of the running service.
struct RulesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the rules of the running service.",
        usage: "tintype rules show [<options>]",
        discussion: """
            EXAMPLES
              tintype rules show > rules.json
              tintype rules show --ns test --json | jq .rules.posts
              tintype rules show --storage-rules
              tintype rules show --default | tintype rules set -
              tintype rules show --preset members > members.json
              tintype rules show --preset classroom --storage-rules
            """)

    @OptionGroup var target: RulesCommand.Target

    @Flag(help: "Print the storage rules, which decide who may fetch which photos.")
    var storageRules = false

    @Flag(help: "Print the rules that a new store gets; no service needed.")
    var `default` = false

    @Option(help: ArgumentHelp("Print the rules of a preset; no service needed.", valueName: "name"))
    var preset: RulesPreset?

    @Flag(help: "Print the rules as one JSON document, without comments.")
    var json = false

    func validate() throws {
        guard !storageRules || target.ns == nil else { throw ValidationError(RulesCommand.oneForAllTrees) }
        guard !`default` || preset == nil else {
            throw ValidationError("--default and --preset are two sets of rules; give one of them")
        }
        guard !json || !storageRules && !`default` && preset == nil else {
            throw ValidationError("--json is for the rules of a tree in the running service; others are text only")
        }
    }

    func run() async throws {
        guard json else {
            let text = try await text()
            return Terminal.output(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        }
        let query = target.query.merging(["format": "strict"]) { $1 }
        let text = try await APIClient(target.storage).send(.get, RulesCommand.Target.address, query: query)
        guard let rules = JSONValue(text: text) else {
            throw Failure(.invalidJSON, "the service's response is not JSON")
        }
        Terminal.outputJSON(rules)
    }

    private func text() async throws -> String {
        if let preset = preset ?? (`default` ? .public : nil) { return storageRules ? preset.storage : preset.database }
        return storageRules ? try await RulesCommand.storageRules(of: target) : try await target.text()
    }
}
