import API
import ArgumentParser
import HTTPTypes
import Posts
import TreeModel

/// Shows and changes what somebody has agreed to.
struct PrivacyCommand: AsyncParsableCommand {
    enum Choice: String, CaseIterable, ExpressibleByArgument {
        case on, off
    }

    static let configuration = CommandConfiguration(
        commandName: "privacy",
        abstract: "Show or change what somebody has agreed to.",
        usage: "tintype privacy <uid> [<options>]",
        discussion: """
            Without data-processing nothing new of the person is taken: no posts, comments, likes or follows. Without content \
            there are no posts and comments, and without social nobody finds the person by name. All are on until somebody says \
            otherwise. This command needs the running service.

            EXAMPLES
              tintype privacy maria
              tintype privacy maria --social off
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The person.", valueName: "uid"))
    var uid: String

    @Option(help: ArgumentHelp("Whether what the person does is kept.", valueName: "on|off"))
    var dataProcessing: Choice?

    @Option(help: ArgumentHelp("Whether the person publishes anything.", valueName: "on|off"))
    var content: Choice?

    @Option(help: ArgumentHelp("Whether the person is found by name.", valueName: "on|off"))
    var social: Choice?

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws {
        guard let uid = UserID(uid) else {
            throw ValidationError("a user's id has 1 to 128 letters, digits, _ and -")
        }
        let choices = [("data_processing", dataProcessing), ("content", content), ("social", social)]
        let changes = choices.compactMap { name, choice in choice.map { (name, JSONValue.bool($0 == .on)) } }
        let service = try APIClient(storage)
        let path = "/v1/people/\(uid)/privacy"
        let privacy: PrivacyDocument =
            changes.isEmpty
            ? try await service.read(.get, path)
            : try await service.read(.patch, path, json: JSONValue.object(Dictionary(uniqueKeysWithValues: changes)))
        if json { return Terminal.outputJSON(privacy) }
        for (name, isOn) in [
            ("data-processing", privacy.dataProcessing), ("content", privacy.content), ("social", privacy.social),
        ] { Terminal.output("\(name)  \(isOn ? "on" : "off")") }
    }
}
