import API
import Access
import ArgumentParser
import HTTPTypes
import TreeModel

/// Prints the rules of the running service.
struct RulesShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the rules of the running service.",
        discussion: """
            EXAMPLES
              tintype rules show > rules.json
              tintype rules show --ns test --json | jq .rules.posts
            """)

    @OptionGroup var target: RulesCommand.Target

    @Flag(help: "Print them as one JSON document, without comments.")
    var json = false

    func run() async throws {
        guard json else {
            let text = try await target.text()
            return Terminal.output(text.hasSuffix("\n") ? String(text.dropLast()) : text)
        }
        let query = target.query.merging(["format": "strict"]) { $1 }
        let text = try await APIClient(target.storage).send(.get, RulesCommand.Target.address, query: query)
        guard let rules = JSONValue(text: text) else {
            throw Failure(.invalidJSON, "the service's answer is no JSON")
        }
        Terminal.outputJSON(rules)
    }
}
