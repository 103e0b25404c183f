import API
import ArgumentParser
import HTTPTypes
import TreeModel
import Uploads

/// Tells everybody, or some people, something.
struct AnnounceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "announce",
        abstract: "Announce something to everybody, or to some people.",
        usage: "tintype announce <text> [<options>]",
        discussion: """
            What is announced to everybody is among everybody's notifications for thirty days, and stays in the list of \
            announcements. What is announced to some people, with --to, is among theirs alone. This command needs the \
            running service.

            EXAMPLES
              tintype announce "Dinner is at seven" --title "Tonight"
              tintype announce "You are in group B" --to maria --to jan
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("What to announce; put it in quotes.", valueName: "text"))
    var text: String

    @Option(help: ArgumentHelp("A line above the text.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("One of the people whom to tell (default: everybody).", valueName: "uid"))
    var to: [String] = []

    @Flag(help: "Print one JSON document.")
    var json = false

    func run() async throws {
        var body: JSONValue = ["text": .string(text)]
        if let title { body["title"] = .string(title) }
        if !to.isEmpty { body["to"] = .list(to.map(JSONValue.string)) }
        let announcement: AnnouncementDocument = try await APIClient(storage).read(
            .post, "/v1/announcements", json: body)
        guard !json else { return Terminal.outputJSON(announcement) }
        let people = announcement.recipients.map { $0 == 1 ? "to 1 person" : "to \($0) people" }
        Terminal.output("announced  \(announcement.id)  \(people ?? "to everybody")".printable)
    }
}
