import API
import ArgumentParser
import HTTPTypes
import TreeModel
import Uploads

/// Sends an announcement to everybody, or to some people.
struct AnnounceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "announce",
        abstract: "Send an announcement to everybody, or to some people.",
        usage: "tintype announce <text> [<options>]",
        discussion: """
            An announcement to everybody is among the notifications of all people for thirty days, and stays in the list of \
            announcements. With --to, it is only among the notifications of the people that are named. This command needs \
            the running service.

            EXAMPLES
              tintype announce "Dinner is at seven" --title "Tonight"
              tintype announce "You are in group B" --to maria --to jan
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The text of the announcement, in quotes.", valueName: "text"))
    var text: String

    @Option(help: ArgumentHelp("A line above the text.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("A recipient; may be repeated (default: everybody).", valueName: "uid"))
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
